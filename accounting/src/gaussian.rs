//! The Gaussian mechanism: noise N(0, σ²) on every coordinate of a vector of known ℓ₂ sensitivity.
//!
//! The loss of a shift by the whole sensitivity Δ is itself normal, so δ(ε) is exact (Balle and Wang, ICML 2018,
//! theorem 8). With s = σ/Δ, δ(ε) = Φ(1/2s − εs) − e^ε·Φ(−1/2s − εs). Smaller shifts lose less.

use crate::special::{gauss_legendre, mills, mills_fall, normal_below, normal_density};
use crate::{Error, Loss, check, least, rounded_up};

/// The exact δ at ε of noise of standard deviation `sigma` on a vector of ℓ₂ sensitivity `sensitivity`.
///
/// Never below the smallest normal float, since the true value is never zero.
///
/// # Errors
/// [`Error::Scale`], [`Error::Clip`] or [`Error::Epsilon`] for a number out of range.
pub fn delta(sigma: f64, sensitivity: f64, epsilon: f64) -> Result<f64, Error> {
    check::scale(sigma)?;
    check::clip(sensitivity)?;
    check::loss(epsilon)?;
    Ok(delta_at(sigma / sensitivity, epsilon))
}

/// The least ε at which `delta` is met. It is 0 if `delta` is met at 0.
///
/// # Errors
/// [`Error::Scale`], [`Error::Clip`] or [`Error::Delta`] for a number out of range.
pub fn epsilon(sigma: f64, sensitivity: f64, delta: f64) -> Result<f64, Error> {
    check::scale(sigma)?;
    check::clip(sensitivity)?;
    check::delta(delta)?;
    Ok(epsilon_at(sigma / sensitivity, delta))
}

/// The smallest standard deviation that meets `loss`: the analytic Gaussian mechanism.
///
/// # Errors
/// [`Error::Epsilon`], [`Error::Delta`] or [`Error::Clip`] for a number out of range.
pub fn sigma(loss: Loss, sensitivity: f64) -> Result<f64, Error> {
    let Loss { epsilon, delta } = loss;
    check::epsilon(epsilon)?;
    check::delta(delta)?;
    check::clip(sensitivity)?;
    let unit = least(0.0, f64::INFINITY, |sigma| delta_at(sigma, epsilon) <= delta);
    // Beyond the digits in which the computed δ wavers, so that `delta` agrees.
    Ok(unit * sensitivity * (1.0 + 1e-13))
}

/// δ at ε for unit sensitivity.
fn delta_at(sigma: f64, epsilon: f64) -> f64 {
    // Half the shift in standard deviations, and where the loss ε lies. With M for Mills' ratio,
    // e^ε·Φ(−t − w) = φ(t − w)·M(t + w), so that δ = φ(t − w)·(M(t − w) − M(t + w)).
    let sigma = sigma.min(1e300);
    let (w, t) = (0.5 / sigma, epsilon * sigma);
    let delta = if w < 0.5 {
        // The two ratios are close: integrate their slope.
        normal_density(t - w) * gauss_legendre(t, w, mills_fall)
    } else if t < w {
        normal_below(w - t) - normal_density(t - w) * mills(t + w)
    } else {
        normal_density(t - w) * (mills(t - w) - mills(t + w))
    };
    rounded_up(delta).clamp(f64::MIN_POSITIVE, 1.0)
}

/// ε at δ for unit sensitivity.
pub(crate) fn epsilon_at(sigma: f64, delta: f64) -> f64 {
    if delta_at(sigma, 0.0) <= delta {
        return 0.0;
    }
    least(0.0, f64::INFINITY, |epsilon| delta_at(sigma, epsilon) <= delta)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delta_falls_in_epsilon_and_in_sigma() -> Result<(), Error> {
        for sigma in [0.01, 0.3, 0.999, 1.001, 4.0, 300.0] {
            for epsilon in [0.0, 0.01, 0.5, 2.0, 30.0] {
                let here = delta(sigma, 1.0, epsilon)?;
                assert!(here.is_finite() && here > 0.0);
                // Below the smallest normal float and at 1 the value is clamped.
                if here > 1e-300 && here < 1.0 - 1e-9 {
                    assert!(delta(sigma * 1.01, 1.0, epsilon)? < here, "{sigma} {epsilon}");
                    assert!(delta(sigma, 1.0, epsilon + 0.01)? < here, "{sigma} {epsilon}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn epsilon_and_sigma_undo_delta() -> Result<(), Error> {
        for (e, d) in [(0.05, 1e-3), (1.0, 1e-12), (20.0, 1e-6)] {
            let sigma = sigma(Loss { epsilon: e, delta: d }, 3.0)?;
            assert!(delta(sigma, 3.0, e)? <= d && delta(sigma * (1.0 - 1e-11), 3.0, e)? > d);
            assert!((epsilon(sigma, 3.0, d)? / e - 1.0).abs() < 1e-10);
        }
        assert_eq!(epsilon(1e6, 1.0, 0.1)?, 0.0);
        Ok(())
    }
}
