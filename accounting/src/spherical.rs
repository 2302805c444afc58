//! Noise with density ∝ e^(−η‖z‖) in any number of dimensions: how long it is.
//!
//! Its length is Gamma(dimensions, 1/η) and its direction uniform on the sphere.

use core::f64::consts::TAU;

use libm::{exp, log1p, sqrt};

use crate::special::{ln_beta, stirling_error};
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
    use super::*;

    #[test]
    fn in_one_dimension_it_is_the_laplace_law() -> Result<(), Error> {
        for share in [0.01, 0.3, 0.5, 0.9, 0.999] {
            let length = length_quantile(1, 2.0, share)?;
            assert!((1.0 - exp(-2.0 * length) - share).abs() < 1e-14, "{share}");
        }
        Ok(())
    }

    #[test]
    fn quantiles_rise() {
        for dims in [2, 3, 50, 768] {
            let lengths = [0.001, 0.1, 0.5, 0.9, 0.999].map(|share| length_quantile(dims, 1.0, share).unwrap_or(0.0));
            assert!(lengths.is_sorted() && lengths[0] > 0.0, "{lengths:?}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(length_quantile(0, 1.0, 0.5), Err(Error::Argument));
        assert_eq!(length_quantile(2, f64::NAN, 0.5), Err(Error::Eta));
        assert_eq!(length_quantile(2, 1.0, 1.0), Err(Error::Argument));
    }
}
