//! Noise on the integers, where a proof about real numbers cannot be undone by floating point (Canonne,
//! Kamath and Steinke, NeurIPS 2020).

use core::f64::consts::PI;
use libm::{exp, expm1, sqrt, tanh};

use crate::{Error, check, rounded_up};

/// Discrete Laplace noise: P(k) = (1 − a)/(1 + a)·a^|k| with a = e^{−1/scale}.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscreteLaplace {
    scale: f64,
}

impl DiscreteLaplace {
    /// Noise of that scale, in integer steps.
    ///
    /// # Errors
    /// [`Error::Scale`] unless the scale is finite and above zero.
    pub fn new(scale: f64) -> Result<Self, Error> {
        check::scale(scale)?;
        Ok(Self { scale })
    }

    /// P(K = k).
    #[must_use]
    pub fn pmf(&self, k: i64) -> f64 {
        tanh(0.5 / self.scale) * exp(-(k.unsigned_abs() as f64) / self.scale)
    }

    /// P(K ≤ k).
    #[must_use]
    pub fn cdf(&self, k: i64) -> f64 {
        // P(K ≥ j) for j ≥ 0.
        let tail = |j: f64| exp(-j / self.scale) / (1.0 + exp(-1.0 / self.scale));
        if k < 0 { tail(k.unsigned_abs() as f64) } else { 1.0 - tail(k as f64 + 1.0) }
    }

    /// The variance, 2a/(1 − a)².
    #[must_use]
    pub fn variance(&self) -> f64 {
        let rest = expm1(-1.0 / self.scale);
        2.0 * exp(-1.0 / self.scale) / (rest * rest)
    }

    /// Pure ε on a vector of integers of that ℓ₁ sensitivity.
    ///
    /// # Errors
    /// [`Error::Clip`] unless the sensitivity is finite and above zero.
    pub fn epsilon(&self, sensitivity: f64) -> Result<f64, Error> {
        check::clip(sensitivity)?;
        Ok(rounded_up(sensitivity / self.scale))
    }
}

/// Discrete Gaussian noise: P(k) = e^{−k²/2σ²}/Z. Its ρ is [`crate::zcdp::gaussian_rho`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscreteGaussian {
    sigma2: f64,
    /// Σ e^{−k²/2σ²}, and the variance.
    moments: (f64, f64),
}

impl DiscreteGaussian {
    /// Noise of parameter σ² = `sigma2`, in squared integer steps.
    ///
    /// # Errors
    /// [`Error::Scale`] unless σ² is from 10⁻³ to 10¹⁸.
    pub fn new(sigma2: f64) -> Result<Self, Error> {
        if !(1e-3..=1e18).contains(&sigma2) {
            return Err(Error::Scale);
        }
        // Σ over k ≥ 1 of e^{−ck²}, and of k²·e^{−ck²}; either way c > 0.6, so ten terms are plenty.
        let theta = |c: f64| {
            (1..=10).rev().map(f64::from).fold((0.0, 0.0), |(sum, squares), k| {
                let term = exp(-c * k * k);
                (sum + term, squares + k * k * term)
            })
        };
        let moments = if sigma2 < 0.5 {
            let (sum, squares) = theta(0.5 / sigma2);
            let normalizer = 1.0 + 2.0 * sum;
            (normalizer, 2.0 * squares / normalizer)
        } else {
            // Poisson's summation: Z = √(2πσ²)·(1 + 2 Σ e^{−2π²σ²m²}), and the variance is −d ln Z/d(1/2σ²).
            let (sum, squares) = theta(2.0 * PI * PI * sigma2);
            let factor = 1.0 + 2.0 * sum;
            let shortfall = 8.0 * PI * PI * sigma2 * sigma2 * squares / factor;
            (sqrt(2.0 * PI * sigma2) * factor, sigma2 - shortfall)
        };
        Ok(Self { sigma2, moments })
    }

    /// Z = Σ e^{−k²/2σ²}.
    #[must_use]
    pub const fn normalizer(&self) -> f64 {
        self.moments.0
    }

    /// The variance: σ² for large σ, less for small.
    #[must_use]
    pub const fn variance(&self) -> f64 {
        self.moments.1
    }

    /// P(K = k).
    #[must_use]
    pub fn pmf(&self, k: i64) -> f64 {
        let k = k as f64;
        exp(-k * k / (2.0 * self.sigma2)) / self.normalizer()
    }

    /// P(K ≤ k), by summing the tail: about 9σ terms.
    #[must_use]
    pub fn cdf(&self, k: i64) -> f64 {
        let tail = |from: i64| {
            let mut sum = 0.0;
            for j in from.. {
                let term = self.pmf(j);
                sum += term;
                if term <= sum * 1e-18 {
                    break;
                }
            }
            sum
        };
        if k < 0 { tail(-k.max(-i64::MAX)) } else { 1.0 - tail(k.saturating_add(1)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masses_sum_to_the_distribution_function_and_give_the_variance() -> Result<(), Error> {
        for spread in [0.3, 1.0, 6.0] {
            let (laplace, gaussian) = (DiscreteLaplace::new(spread)?, DiscreteGaussian::new(spread * spread)?);
            let check = |pmf: &dyn Fn(i64) -> f64, cdf: &dyn Fn(i64) -> f64, variance: f64| {
                let (mut below, mut square) = (0.0, 0.0);
                for k in -400..=400 {
                    below += pmf(k);
                    square += pmf(k) * (k * k) as f64;
                    assert!((cdf(k) - below).abs() < 1e-14);
                }
                assert!((square / variance - 1.0).abs() < 1e-12);
            };
            check(&|k| laplace.pmf(k), &|k| laplace.cdf(k), laplace.variance());
            check(&|k| gaussian.pmf(k), &|k| gaussian.cdf(k), gaussian.variance());
        }
        Ok(())
    }

    #[test]
    fn the_two_series_of_the_discrete_gaussian_meet() -> Result<(), Error> {
        let (below, above) = (DiscreteGaussian::new(0.5 - 1e-12)?, DiscreteGaussian::new(0.5)?);
        assert!((below.normalizer() / above.normalizer() - 1.0).abs() < 1e-11);
        assert!((below.variance() / above.variance() - 1.0).abs() < 1e-10);
        Ok(())
    }
}
