//! The scale of noise as an exact number of lattice steps.

use core::num::NonZero;

use crate::Error;

/// How many parts a lattice step has.
pub(super) const PARTS: NonZero<u64> = NonZero::<u64>::MIN.saturating_add(1023);

/// Scale of Laplace noise: a whole number of 1/1024 lattice steps, at most 2³⁰ steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scale(pub(super) NonZero<u64>);

impl Scale {
    /// The least scale that is not below `steps` lattice steps: rounding can only add noise.
    ///
    /// # Errors
    /// [`Error::InvalidScale`] unless `steps` is above zero and at most 2³⁰.
    pub fn at_least(steps: f64) -> Result<Self, Error> {
        const LARGEST_SCALE: f64 = (1_u64 << 30) as f64;
        parts_up(steps, LARGEST_SCALE).map(Self)
    }

    /// The scale in lattice steps, exactly.
    #[must_use]
    pub fn get(self) -> f64 {
        in_steps(self.0)
    }
}

/// Variance parameter σ² of Gaussian noise: a whole number of 1/1024 squared lattice steps, at most 2⁴⁰.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Variance(pub(super) NonZero<u64>);

impl Variance {
    /// The least variance that is not below `squared_steps`, in squared lattice steps.
    ///
    /// # Errors
    /// [`Error::InvalidScale`] unless `squared_steps` is above zero and at most 2⁴⁰.
    pub fn at_least(squared_steps: f64) -> Result<Self, Error> {
        const LARGEST_VARIANCE: f64 = (1_u64 << 40) as f64;
        parts_up(squared_steps, LARGEST_VARIANCE).map(Self)
    }

    /// The variance in squared lattice steps, exactly.
    #[must_use]
    pub fn get(self) -> f64 {
        in_steps(self.0)
    }
}

/// The product with a power of two is exact, so that the one rounding is upwards.
fn parts_up(steps: f64, most: f64) -> Result<NonZero<u64>, Error> {
    if !(steps > 0.0 && steps <= most) {
        return Err(Error::InvalidScale);
    }
    NonZero::new(libm::ceil(steps * PARTS.get() as f64) as u64).ok_or(Error::InvalidScale)
}

fn in_steps(parts: NonZero<u64>) -> f64 {
    parts.get() as f64 / PARTS.get() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_never_takes_noise_away() {
        for steps in [f64::MIN_POSITIVE, 5e-324, 1e-9, 0.001, 0.1, 1.0, 1.0 / 3.0, 12_345.678, 1e9] {
            let scale = Scale::at_least(steps).expect("in range").get();
            assert!(scale >= steps && scale <= steps + 1.0 / 1024.0, "{steps}");
            assert_eq!(Variance::at_least(steps).expect("in range").get(), scale);
        }
        assert_eq!(Scale::at_least(2.5).expect("in range").get(), 2.5);
    }

    #[test]
    fn what_is_no_scale_is_refused() {
        for steps in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
            assert_eq!(Scale::at_least(steps), Err(Error::InvalidScale));
            assert_eq!(Variance::at_least(steps), Err(Error::InvalidScale));
        }
        assert!(Scale::at_least(1_073_741_824.0).is_ok() && Scale::at_least(1_073_741_824.000_001).is_err());
        assert!(Variance::at_least(1_099_511_627_776.0).is_ok() && Variance::at_least(1_099_511_627_777.0).is_err());
    }
}
