//! Zero-concentrated DP (Bun and Steinke 2016): every Rényi divergence of order α is at most α·ρ, and the ρ
//! of releases add up.

use libm::{exp, log, log1p};

use crate::{Error, check, least, rounded_up};

/// ρ of Gaussian noise, continuous or discrete: Δ²/(2σ²), Δ the ℓ₂ sensitivity (Canonne, Kamath and Steinke
/// 2020, theorem 4; on several coordinates the squares add up).
///
/// # Errors
/// [`Error::Scale`] or [`Error::Clip`] for a number out of range.
pub fn gaussian_rho(sigma: f64, sensitivity: f64) -> Result<f64, Error> {
    check::scale(sigma)?;
    check::clip(sensitivity)?;
    let ratio = sensitivity / sigma;
    Ok(rounded_up(0.5 * ratio * ratio))
}

/// A δ that ρ-zCDP meets at ε.
///
/// The least over α > 1 of e^{(α−1)(αρ−ε)}/(α − 1)·(1 − 1/α)^α (Canonne, Kamath and Steinke 2020, corollary
/// 13).
///
/// # Errors
/// [`Error::Epsilon`] unless ρ is finite and above zero, and ε finite and not below.
pub fn delta(rho: f64, epsilon: f64) -> Result<f64, Error> {
    check::epsilon(rho)?;
    check::loss(epsilon)?;
    Ok(delta_at(rho, epsilon))
}

/// The least ε at which [`delta`] meets `delta`.
///
/// # Errors
/// [`Error::Epsilon`] unless ρ is finite and above zero, [`Error::Delta`] for a δ out of range.
pub fn epsilon(rho: f64, delta: f64) -> Result<f64, Error> {
    check::epsilon(rho)?;
    check::delta(delta)?;
    if delta_at(rho, 0.0) <= delta {
        return Ok(0.0);
    }
    Ok(least(0.0, f64::INFINITY, |epsilon| delta_at(rho, epsilon) <= delta))
}

/// The largest ρ whose [`epsilon`] at `delta` is at most `epsilon`.
///
/// # Errors
/// [`Error::Epsilon`] or [`Error::Delta`] for a number out of range.
pub fn largest_rho(epsilon: f64, delta: f64) -> Result<f64, Error> {
    check::epsilon(epsilon)?;
    check::delta(delta)?;
    Ok(least(0.0, 1e300, |rho| delta_at(rho, epsilon) > delta).next_down())
}

fn delta_at(rho: f64, epsilon: f64) -> f64 {
    // In β = α − 1 > 0 the logarithm's derivative is (2β + 1)ρ − ε − ln(1 + 1/β), which grows with β. Any β
    // is sound, so its rounding costs nothing.
    let beta = least(0.0, 1e300, |beta| (2.0 * beta + 1.0) * rho - epsilon >= log1p(1.0 / beta));
    let exponent = beta * ((1.0 + beta) * rho - epsilon) - log(beta) - (1.0 + beta) * log1p(1.0 / beta);
    rounded_up(exp(exponent)).clamp(f64::MIN_POSITIVE, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gaussian;

    #[test]
    fn the_bound_lies_above_the_gaussian_that_it_bounds_and_epsilon_undoes_delta() -> Result<(), Error> {
        for sigma in [0.1, 1.0, 30.0] {
            let rho = gaussian_rho(sigma, 1.0)?;
            for d in [1e-3, 1e-9] {
                let e = epsilon(rho, d)?;
                assert!(e > gaussian::epsilon(sigma, 1.0, d)?);
                assert!((delta(rho, e)? / d - 1.0).abs() < 1e-9);
            }
        }
        Ok(())
    }
}
