//! Zero-concentrated DP (Bun and Steinke 2016): every Rényi divergence of order α is at most α·ρ, and the ρ
//! of releases add up.

use core::f64::consts::PI;

use libm::{exp, log, log1p, sqrt};

use crate::{Error, Loss, check, least, rounded_up};

/// ρ of Gaussian noise, continuous or discrete: Δ²/(2σ²), Δ the ℓ₂ sensitivity (Canonne, Kamath and Steinke
/// 2020, theorem 4). On several coordinates the squares add up.
///
/// # Errors
/// [`Error::Scale`] or [`Error::Clip`] for a number out of range.
pub fn gaussian_rho(sigma: f64, sensitivity: f64) -> Result<f64, Error> {
    check::scale(sigma)?;
    check::clip(sensitivity)?;
    let ratio = sensitivity / sigma;
    Ok(rounded_up(0.5 * ratio * ratio))
}

/// ρ of a sum to which each of `devices` devices adds its own discrete Gaussian noise of parameter σ² = `variance`. The
/// sum is a vector of `dims` integers of ℓ₂ sensitivity Δ.
///
/// ½·(Δ/(√n·σ) + τ·√d)² with τ = 10·Σ_{k=1}^{n−1} e^{−2π²σ²k/(k+1)} (Kairouz, Liu and Steinke, ICML 2021, theorem 1). Every
/// term of τ is at most e^{−π²σ²}, and so it is counted. More devices than `devices` only add noise.
///
/// # Errors
/// [`Error::Scale`], [`Error::Clip`] or [`Error::Argument`] for a number out of range. The theorem needs σ ≥ ½.
pub fn shared_gaussian_rho(variance: f64, devices: u64, sensitivity: f64, dims: u64) -> Result<f64, Error> {
    check::scale(variance)?;
    if variance < 0.25 {
        return Err(Error::Scale);
    }
    check::clip(sensitivity)?;
    let (n, d) = (check::count(devices, 1)?, check::count(dims, 1)?);
    let tau = 10.0 * (n - 1.0) * exp(-PI * PI * variance);
    let epsilon = sensitivity / sqrt(n * variance) + tau * sqrt(d);
    Ok(rounded_up(0.5 * epsilon * epsilon))
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

/// The largest ρ whose [`epsilon`] at the δ of `loss` is at most its ε.
///
/// # Errors
/// [`Error::Epsilon`] or [`Error::Delta`] for a number out of range.
pub fn largest_rho(loss: Loss) -> Result<f64, Error> {
    let Loss { epsilon, delta } = loss;
    check::epsilon(epsilon)?;
    check::delta(delta)?;
    Ok(least(0.0, 1e300, |rho| delta_at(rho, epsilon) > delta).next_down())
}

fn delta_at(rho: f64, epsilon: f64) -> f64 {
    // In β = α − 1 > 0 the logarithm's derivative is (2β + 1)ρ − ε − ln(1 + 1/β), which grows with β. Any β
    // is sound, so its rounding costs nothing.
    let beta = least(0.0, 1e300, |beta| (2.0 * beta + 1.0) * rho - epsilon >= log1p(1.0 / beta));
    let exponent = beta * ((1.0 + beta) * rho - epsilon) - log(beta) - (1.0 + beta) * log1p(1.0 / beta);
    // The difference of a large ρ and a large ε has few digits left: it is off by this at most.
    let rounding = 2.0 * f64::EPSILON * beta * ((1.0 + beta) * rho + epsilon);
    rounded_up(exp(exponent + rounding)).clamp(f64::MIN_POSITIVE, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gaussian;

    #[test]
    fn noise_in_shares_costs_as_much_as_noise_at_once_where_shares_are_large_and_more_where_they_are_small()
    -> Result<(), Error> {
        for devices in [1, 10, 1_000_000] {
            let whole = gaussian_rho(sqrt(25.0 * devices as f64), 3.0)?;
            let shared = shared_gaussian_rho(25.0, devices, 3.0, 100_000)?;
            assert!((shared / whole - 1.0).abs() < 1e-9, "{devices}: {shared} {whole}");
        }
        assert!(shared_gaussian_rho(0.5, 100, 3.0, 1000)? > 2.0 * gaussian_rho(sqrt(50.0), 3.0)?);
        Ok(())
    }

    #[test]
    fn two_shares_are_no_worse_than_the_bound_where_they_can_be_enumerated() -> Result<(), Error> {
        // Rényi divergences of the sum of two discrete Gaussians of variance ½ and of that sum moved by 1.
        let (variance, reach) = (0.5, 40_i32);
        let single = |k: i32| exp(-f64::from(k * k) / (2.0 * variance));
        let mass = |k: i32| (-reach..=reach).map(|i| single(i) * single(k - i)).sum::<f64>();
        let total: f64 = (-reach..=reach).map(mass).sum();
        let rho = shared_gaussian_rho(variance, 2, 1.0, 1)?;
        for order in [1.5, 2.0, 8.0] {
            let term = |k| exp(order * log(mass(k)) + (1.0 - order) * log(mass(k - 1)) - log(total));
            let moment: f64 = (-30..=30).map(term).sum();
            assert!(log(moment) / (order - 1.0) <= order * rho, "order {order}");
        }
        Ok(())
    }

    #[test]
    fn the_bound_of_a_large_rho_is_not_below_the_truth() -> Result<(), Error> {
        // The least over α, computed with 60 digits.
        for (rho, epsilon, truth) in [
            (1e7, 10_003_162.277660169, 0.777_599_332_375_393_1),
            (1e9, 1_000_126_491.106_406_7, 0.018_303_284_403_282_344),
            (1e12, 1_000_001_000_000.0, 0.778_794_743_976_342_1),
            (1e12, 1_000_014_000_000.0, 5.242_413_367_420_253e-22),
            (1e15, 1_000_000_126_491_106.4, 0.018_315_618_565_491_875),
            (1e15, 1_000_000_442_718_872.4, 5.242_866_775_357_331e-22),
        ] {
            let bound = delta(rho, epsilon)?;
            assert!(bound >= truth && bound <= truth * (1.0 + 1e-6), "{rho} {epsilon}: {bound:e}");
        }
        Ok(())
    }

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
