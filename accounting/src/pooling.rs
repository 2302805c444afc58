//! The mean of word vectors: how far it can move when one word is replaced.
//!
//! A text of n words, n public, is represented by (1/n)·Σ v(wᵢ). Replacing one word moves it by ‖v(w) −
//! v(w′)‖/n, so the exact sensitivity is the diameter of the vectors divided by n. A dropped word is the null vector.
//! The divisor is n and not the number of kept words, which keeps the bound. When the whole text may change, all n
//! words move: use n = 1.

use libm::sqrt;

use crate::{Error, check, rounded_up};

/// How far a vector moves between neighbouring inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sensitivity {
    /// In the ℓ₁ norm, for Laplace noise.
    pub l1: f64,
    /// In the ℓ₂ norm, for Gaussian noise.
    pub l2: f64,
}

impl Sensitivity {
    const ZERO: Self = Self { l1: 0.0, l2: 0.0 };

    fn of_difference(differences: impl Iterator<Item = f64>) -> Self {
        let (l1, squares) = differences.fold((0.0, 0.0), |(l1, squares), x| (l1 + x.abs(), squares + x * x));
        Self { l1, l2: sqrt(squares) }
    }

    fn max(self, other: Self) -> Self {
        Self { l1: self.l1.max(other.l1), l2: self.l2.max(other.l2) }
    }

    fn of_mean(self, words: f64) -> Self {
        Self { l1: rounded_up(self.l1 / words), l2: rounded_up(self.l2 / words) }
    }
}

/// The exact sensitivity of the mean of `words` vectors out of `vectors`, in each norm, in O(V²). `with_null` counts
/// the null vector among them.
///
/// # Errors
/// [`Error::Argument`] for no words, no vectors or vectors of different lengths, [`Error::Clip`] for a coordinate that
/// is not finite.
pub fn mean_sensitivity<V: AsRef<[f64]>>(vectors: &[V], words: u64, with_null: bool) -> Result<Sensitivity, Error> {
    let words = check::count(words, 1)?;
    let dims = vectors.first().ok_or(Error::Argument)?.as_ref().len();
    let mut largest = Sensitivity::ZERO;
    for (at, a) in vectors.iter().enumerate() {
        let a = a.as_ref();
        if a.len() != dims {
            return Err(Error::Argument);
        }
        if !a.iter().all(|x| x.is_finite()) {
            return Err(Error::Clip);
        }
        if with_null {
            largest = largest.max(Sensitivity::of_difference(a.iter().copied()));
        }
        for b in vectors.iter().take(at) {
            largest = largest.max(Sensitivity::of_difference(a.iter().zip(b.as_ref()).map(|(a, b)| a - b)));
        }
    }
    Ok(largest.of_mean(words))
}

/// The sensitivity of the mean of `words` vectors that lie in the box from `low` to `high`.
///
/// The bounds must be public: bounds taken from one text depend on the data.
///
/// # Errors
/// [`Error::Argument`] for no words or bounds of different lengths, [`Error::Clip`] for a bound that is not finite or a
/// low one above its high one.
pub fn box_sensitivity(low: &[f64], high: &[f64], words: u64) -> Result<Sensitivity, Error> {
    let words = check::count(words, 1)?;
    if low.len() != high.len() {
        return Err(Error::Argument);
    }
    if !low.iter().zip(high).all(|(low, high)| low.is_finite() && high.is_finite() && low <= high) {
        return Err(Error::Clip);
    }
    Ok(Sensitivity::of_difference(low.iter().zip(high).map(|(low, high)| high - low)).of_mean(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn the_box_bounds_the_pairs_and_the_null_vector_only_adds() -> Result<(), Error> {
        let vectors = [[0.1, 0.9, 0.4], [0.8, 0.2, 0.3], [0.5, 0.5, 1.0]];
        let pairs = mean_sensitivity(&vectors, 2, false)?;
        let null = mean_sensitivity(&vectors, 2, true)?;
        let bound = box_sensitivity(&[0.0; 3], &[1.0; 3], 2)?;
        assert!(pairs.l1 <= null.l1 && null.l1 <= bound.l1 && pairs.l2 <= null.l2 && null.l2 <= bound.l2);
        assert!((pairs.l1 - 0.75).abs() < 1e-12);
        Ok(())
    }

    #[test]
    fn what_has_no_sensitivity_is_refused() {
        assert_eq!(mean_sensitivity(&[vec![1.0], vec![1.0, 2.0]], 1, false), Err(Error::Argument));
        assert_eq!(mean_sensitivity(&[[f64::NAN]], 1, false), Err(Error::Clip));
        assert_eq!(mean_sensitivity::<[f64; 1]>(&[], 1, true), Err(Error::Argument));
        assert_eq!(box_sensitivity(&[1.0], &[0.0], 1), Err(Error::Clip));
    }
}
