//! Noise with density ∝ e^(−η‖z‖) in any number of dimensions: how long it is, and how far it goes in one
//! direction.
//!
//! Its length is Gamma(dimensions, 1/η) and its direction uniform on the sphere.

use core::f64::consts::TAU;

use libm::{exp, log1p, sqrt};

use crate::special::{beta_tails, gauss_legendre, ln_beta, stirling_error};
use crate::{Error, check, least};

/// Moments of the noise, in units of distance to their power.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Moments {
    /// Mean length.
    pub length: f64,
    /// Variance of the length.
    pub length_variance: f64,
    /// Mean square of the length.
    pub square: f64,
    /// Variance of a coordinate.
    pub coordinate_variance: f64,
    /// Mean size of a coordinate.
    pub coordinate_size: f64,
    /// Fourth moment of a coordinate by the square of its variance: 3 for a normal law.
    pub coordinate_kurtosis: f64,
}

impl Moments {
    /// The moments of the noise in `dims` dimensions.
    ///
    /// # Errors
    /// [`Error::Argument`] for no dimensions, [`Error::Eta`] unless `eta` is finite and above zero.
    pub fn new(dims: u64, eta: f64) -> Result<Self, Error> {
        let n = check::count(dims, 1)?;
        check::eta(eta)?;
        // The mean size of a direction's coordinate is 1/B(½, (n + 1)/2)·2/n.
        let cosine = 2.0 / n * exp(-ln_beta(0.5, 0.5 * (n + 1.0)));
        Ok(Self {
            length: n / eta,
            length_variance: n / (eta * eta),
            square: n * (n + 1.0) / (eta * eta),
            coordinate_variance: (n + 1.0) / (eta * eta),
            coordinate_size: n / eta * cosine,
            coordinate_kurtosis: 3.0 * (n + 3.0) / (n + 1.0),
        })
    }
}

/// The length that the noise stays within with probability `share`.
///
/// # Errors
/// [`Error::Argument`] for no dimensions or a share outside (0, 1), [`Error::Eta`] unless `eta` is finite and above
/// zero.
pub fn length_quantile(dims: u64, eta: f64, share: f64) -> Result<f64, Error> {
    let shape = check::count(dims, 1)?;
    check::eta(eta)?;
    check::probability(share, false)?;
    // Searches the smaller of the two tails, which loses no digits.
    let within = |x: f64| {
        let (below, above) = gamma_tails(shape, x);
        if share < 0.5 { below >= share } else { above <= 1.0 - share }
    };
    Ok(least(0.0, 2.0 * shape + 2000.0, within) / eta)
}

/// The probability that one coordinate of the noise is above `distance`. In a vocabulary of two words, half their
/// distance gives how often the noisy point lies nearer to the other word.
///
/// # Errors
/// [`Error::Argument`] for no dimensions, or a distance that is not finite and from zero up. [`Error::Eta`] unless
/// `eta` is finite and above zero.
pub fn coordinate_tail(dims: u64, eta: f64, distance: f64) -> Result<f64, Error> {
    let shape = check::count(dims, 1)?;
    check::eta(eta)?;
    if !(0.0..f64::INFINITY).contains(&distance) {
        return Err(Error::Argument);
    }
    let t = eta * distance;
    if t == 0.0 {
        return Ok(0.5);
    }
    if dims == 1 {
        return Ok(0.5 * exp(-t));
    }
    // The sum over all lengths r = t + v² of the share of directions that go so far; in v it is smooth.
    let half = 0.5 * (shape - 1.0);
    let reaching = |v: f64| {
        let r = t + v * v;
        let cosine = t / r;
        let share = 0.5 * beta_tails(0.5, half, cosine * cosine, v * v / r * (1.0 + cosine)).1;
        2.0 * v * density(shape, r) * share
    };
    let longest = (shape + 14.0 * sqrt(shape) - t).max(0.0) + 60.0;
    let panel = sqrt(longest) / (2 * PANELS) as f64;
    Ok((0..PANELS).map(|n| gauss_legendre((2 * n + 1) as f64 * panel, panel, reaching)).sum())
}

/// The probability that the noise in one dimension, in steps of `scale`, rounds to `cell`.
///
/// # Errors
/// [`Error::Eta`], or [`Error::Scale`], unless both are finite and above zero.
pub fn line_probability(eta: f64, scale: f64, cell: i64) -> Result<f64, Error> {
    let step = nats_a_step(eta, scale)?;
    let beyond = |steps: f64| exp(-step * steps);
    let steps = cell.unsigned_abs() as f64;
    Ok(if cell == 0 { 1.0 - beyond(0.5) } else { 0.5 * (beyond(steps - 0.5) - beyond(steps + 0.5)) })
}

/// The same in two dimensions.
///
/// # Errors
/// As [`line_probability`].
pub fn plane_probability(eta: f64, scale: f64, cell: [i64; 2]) -> Result<f64, Error> {
    let step = nats_a_step(eta, scale)?;
    let length = |x: f64, y: f64| sqrt(x * x + y * y);
    if cell == [0, 0] {
        // Eight triangles with a corner at the cusp; along a ray, 1 − e^(−r)·(1 + r) lies within the length r.
        let ray = |y: f64| {
            let r = step * length(0.5, y);
            // The angle of y moves by ½ dy/(¼ + y²).
            (1.0 - exp(-r) * (1.0 + r)) * 0.5 / (0.25 + y * y)
        };
        return Ok(8.0 / TAU * panels(0.0, 0.5, ray));
    }
    let [x, y] = cell.map(|steps| steps.unsigned_abs() as f64);
    let column = |x: f64| panels(y - 0.5, y + 0.5, |y| exp(-step * length(x, y)));
    Ok(step * step / TAU * panels(x - 0.5, x + 0.5, column))
}

fn nats_a_step(eta: f64, scale: f64) -> Result<f64, Error> {
    check::eta(eta)?;
    check::scale(scale)?;
    Ok(eta * scale)
}

/// The integral from `low` to `high`, in panels enough for a smooth function.
fn panels(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const COUNT: usize = 16;
    let half = (high - low) / (2 * COUNT) as f64;
    (0..COUNT).map(|n| gauss_legendre(low + (2 * n + 1) as f64 * half, half, &f)).sum()
}

/// Each has ten points.
const PANELS: usize = 400;

/// x^(n − 1)·e^(−x)/Γ(n), the density of Gamma(n).
fn density(n: f64, x: f64) -> f64 {
    poisson(n, x) * n / x
}

/// x^n·e^(−x)/n!, by the distance of x from n.
fn poisson(n: f64, x: f64) -> f64 {
    let excess = (x - n) / n;
    exp(-stirling_error(n) - n * (excess - log1p(excess))) / sqrt(TAU * n)
}

/// (P(X ≤ x), P(X > x)) of X ~ Gamma(n), n a whole number.
fn gamma_tails(n: f64, x: f64) -> (f64, f64) {
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    // Either is a sum of positive terms that fall by ratios below 1.
    let sum = |ratio: &dyn Fn(f64) -> f64| {
        let (mut term, mut sum, mut k) = (1.0, 0.0, 0.0);
        while term > 1e-18 * sum {
            sum += term;
            k += 1.0;
            term *= ratio(k);
        }
        sum
    };
    if x < n {
        let below = poisson(n, x) * sum(&|k| x / (n + k));
        (below, 1.0 - below)
    } else {
        let above = density(n, x) * sum(&|k| (n - k) / x);
        (1.0 - above, above)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn in_one_dimension_it_is_the_laplace_law() -> Result<(), Error> {
        for share in [0.01, 0.3, 0.5, 0.9, 0.999] {
            let length = length_quantile(1, 2.0, share)?;
            assert!((1.0 - exp(-2.0 * length) - share).abs() < 1e-14, "{share}");
        }
        assert_eq!(coordinate_tail(1, 2.0, 3.0)?, 0.5 * exp(-6.0));
        assert_eq!(coordinate_tail(50, 2.0, 0.0)?, 0.5);
        Ok(())
    }

    #[test]
    fn tails_fall_and_quantiles_rise() -> Result<(), Error> {
        for dims in [2, 3, 50, 768] {
            let lengths = [0.001, 0.1, 0.5, 0.9, 0.999].map(|share| length_quantile(dims, 1.0, share).unwrap_or(0.0));
            assert!(lengths.is_sorted() && lengths[0] > 0.0, "{lengths:?}");
            let tails = [1e-6, 0.1, 1.0, 10.0, 100.0].map(|t| coordinate_tail(dims, 1.0, t).unwrap_or(1.0));
            assert!(tails.is_sorted_by(|a, b| a > b) && tails[0] < 0.5, "{tails:?}");
        }
        Ok(())
    }

    #[test]
    fn cells_share_all_of_the_probability() -> Result<(), Error> {
        let line: Result<Vec<f64>, Error> = (-200..=200).map(|cell| line_probability(2.0, 0.3, cell)).collect();
        assert!((line?.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let cells = (-16..=16).flat_map(|x| (-16..=16).map(move |y| [x, y]));
        let plane: Result<Vec<f64>, Error> = cells.map(|cell| plane_probability(1.5, 2.0, cell)).collect();
        assert!((plane?.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        Ok(())
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(line_probability(0.0, 1.0, 0), Err(Error::Eta));
        assert_eq!(plane_probability(1.0, f64::NAN, [0, 0]), Err(Error::Scale));
        assert_eq!(length_quantile(0, 1.0, 0.5), Err(Error::Argument));
        assert_eq!(length_quantile(2, f64::NAN, 0.5), Err(Error::Eta));
        assert_eq!(length_quantile(2, 1.0, 1.0), Err(Error::Argument));
        assert_eq!(coordinate_tail(2, 1.0, -1.0), Err(Error::Argument));
        assert_eq!(coordinate_tail(2, 1.0, f64::INFINITY), Err(Error::Argument));
    }
}
