//! The joint cost of several releases, and the cost of one release for a group.
//!
//! Under n-fold composition, randomized response is the worst of all pure ε-DP mechanisms (Kairouz, Oh and Viswanath
//! 2015). Its exact curve δ(ε) is the optimal composition theorem. It is also the curve of n flipped bits.

use libm::{exp, expm1};

use crate::distribution::{Cell, LossDistribution, MOST_RELEASES};
use crate::loss::product_up;
use crate::special::{ln_binomial, logistic};
use crate::{Error, check, least, rounded_up};

/// ε of n pure releases: their sum.
///
/// # Errors
/// [`Error::Epsilon`] or [`Error::Argument`] for a number out of range.
pub fn basic(epsilon: f64, releases: u64) -> Result<f64, Error> {
    check::epsilon(epsilon)?;
    Ok(product_up(epsilon, check::count(releases, 1)?))
}

/// The least ε at which n pure releases of `epsilon` each meet `delta` in the worst case. It is 0 if they meet it at 0.
///
/// # Errors
/// [`Error::Epsilon`], [`Error::Delta`] or [`Error::Argument`] for a number out of range.
pub fn optimal_epsilon(epsilon: f64, releases: u64, delta: f64) -> Result<f64, Error> {
    check::delta(delta)?;
    let response = RandomizedResponse::new(epsilon, releases)?;
    if response.delta(0.0) <= delta {
        return Ok(0.0);
    }
    Ok(least(0.0, basic(epsilon, releases)?, |total| response.delta(total) <= delta))
}

/// n-fold symmetric randomized response.
struct RandomizedResponse {
    releases: f64,
    epsilon: f64,
}

impl RandomizedResponse {
    fn new(epsilon: f64, releases: u64) -> Result<Self, Error> {
        check::epsilon(epsilon)?;
        // The sum has as many terms.
        if releases > MOST_RELEASES {
            return Err(Error::Argument);
        }
        Ok(Self { releases: check::count(releases, 1)?, epsilon })
    }

    /// The exact δ at ε = `total`: Σⱼ C(n, j)·pʲ(1 − p)ⁿ⁻ʲ·(1 − e^{total − (2j − n)ε})₊ with p = 1/(1 + e^−ε).
    fn delta(&self, total: f64) -> f64 {
        let Self { releases: n, epsilon } = *self;
        let (keep, flip) = (logistic(epsilon), logistic(-epsilon));
        let (mut j, mut delta) = (n, 0.0);
        while 2.0 * j > n {
            let loss = product_up(epsilon, 2.0 * j - n);
            if loss <= total {
                break;
            }
            let term = exp(ln_binomial(n, j, keep, flip)) * -expm1(total - loss);
            delta += term;
            // Behind the mode the terms fall faster than a geometric series of ratio ½ sums up.
            if term < delta * 1e-18 && j < n * keep - 1.0 {
                break;
            }
            j -= 1.0;
        }
        // A term is off by some roundings of n, which is up to 2²⁴.
        rounded_up(delta * (1.0 + 2.0 * n * f64::EPSILON)).min(1.0)
    }
}

/// An upper bound of ε at δ for Laplace noise on `coordinates` coordinates. Each coordinate moves by an amount that
/// costs a pure ε of `epsilon`. The bound follows from the distribution of the privacy loss and lies about 10⁻⁴ above
/// the truth.
///
/// On a vector of ℓ₁ sensitivity k·Δ, Δ in each coordinate, this is what noise of scale Δ/ε really costs.
///
/// # Errors
/// [`Error::Epsilon`], [`Error::Delta`] or [`Error::Argument`] for a number out of range.
pub fn laplace_vector_epsilon(epsilon: f64, coordinates: u64, delta: f64) -> Result<f64, Error> {
    check::epsilon(epsilon)?;
    check::delta(delta)?;
    let pure = basic(epsilon, coordinates)?;
    if coordinates > MOST_RELEASES {
        return Err(Error::Argument);
    }
    // The loss is ε for half of the outputs and −ε for e^−ε/2 of them. On the way from one centre to the other it lies
    // in between, with density e^{−(ε−l)/2}/4. Under the other distribution all is mirrored.
    let width = epsilon / f64::from(LAPLACE_CELLS);
    let half_mass = |l: f64| 0.5 * exp(0.5 * (l - epsilon));
    let inner = (-LAPLACE_CELLS..LAPLACE_CELLS).map(|at| {
        let (low, high) = (f64::from(at) * width, f64::from(at + 1) * width);
        let growth = -expm1(-0.5 * width);
        Cell { at: i64::from(at), p: half_mass(high) * growth, q: half_mass(-low) * growth }
    });
    let ends = [(LAPLACE_CELLS, 0.5), (-LAPLACE_CELLS, 0.5 * exp(-epsilon))].map(|(at, p)| (i64::from(at), p));
    Ok(LossDistribution::new(width, inner, &ends, 0.0).composed_epsilon(coordinates, delta).min(pure))
}

/// How many cells the losses from 0 to ε of one Laplace coordinate have.
const LAPLACE_CELLS: i32 = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use libm::log1p;

    #[test]
    fn optimal_composition_meets_delta_and_lies_below_the_sum() -> Result<(), Error> {
        for (e, n, d) in [(0.1, 100, 1e-5), (0.02, 500, 1e-6), (1.0, 30, 1e-3), (3.0, 1, 0.01)] {
            let optimal = optimal_epsilon(e, n, d)?;
            assert!(optimal <= basic(e, n)?);
            assert!((RandomizedResponse::new(e, n)?.delta(optimal) / d - 1.0).abs() < 1e-9);
        }
        assert_eq!(optimal_epsilon(1e-9, 3, 0.1)?, 0.0);
        Ok(())
    }

    #[test]
    fn a_sum_of_losses_is_never_rounded_down() -> Result<(), Error> {
        // Three times the float next to 3/10 lies between two floats, and nearer to the one below 0.9.
        assert_eq!(basic(0.3, 3)?, 0.9);
        assert_eq!((basic(0.25, 8)?, basic(0.3, 1)?), (2.0, 0.3));
        assert_eq!(optimal_epsilon(0.3, 3, 1e-20)?, 0.9);
        Ok(())
    }

    #[test]
    fn one_release_of_randomized_response_has_its_closed_form() -> Result<(), Error> {
        let p = logistic(0.7);
        let response = RandomizedResponse::new(0.7, 1)?;
        assert!((response.delta(0.2) / (p - exp(0.2) * (1.0 - p)) - 1.0).abs() < 1e-12);
        assert_eq!(response.delta(0.7), 0.0);
        Ok(())
    }

    #[test]
    fn one_laplace_coordinate_has_its_closed_form() -> Result<(), Error> {
        // δ(ε) = 1 − e^{(ε − ε₁)/2} for one coordinate.
        for (e, d) in [(1.0, 1e-5), (0.1, 1e-3), (8.0, 0.2)] {
            let exact = e + 2.0 * log1p(-d);
            let bound = laplace_vector_epsilon(e, 1, d)?;
            assert!(bound >= exact && bound < exact * (1.0 + 1e-3), "{bound} {exact}");
        }
        Ok(())
    }

    #[test]
    fn laplace_vectors_cost_less_than_randomized_response_and_more_with_more_coordinates() -> Result<(), Error> {
        let costs: Vec<f64> =
            [1, 3, 10, 50, 400].into_iter().map(|k| laplace_vector_epsilon(0.1, k, 1e-5)).collect::<Result<_, _>>()?;
        assert!(costs.is_sorted_by(|a, b| a < b));
        assert!(laplace_vector_epsilon(0.1, 400, 1e-5)? < optimal_epsilon(0.1, 400, 1e-5)?);
        Ok(())
    }

    #[test]
    fn extreme_laplace_vectors_stay_below_their_sum() -> Result<(), Error> {
        assert!(laplace_vector_epsilon(1e4, 10, 1e-5)? > 9e4);
        assert!(laplace_vector_epsilon(1e-9, 5, 1e-5)? == 0.0);
        assert!(laplace_vector_epsilon(1e-3, MOST_RELEASES, 1e-9)? < 100.0);
        Ok(())
    }
}
