//! Which words of many users may be named at all: a set union under differential privacy.
//!
//! Each user gives at most `most` words, with equal weights whose squares add up to the square of a norm. Integer noise is added
//! to each word's weight, and the words from a threshold up are named. Words that several users share are protected by the noise,
//! words that one user alone has by the threshold (Gopi et al., "Differentially Private Set Union", ICML 2020).

use core::f64::consts::SQRT_2;

use libm::{ceil, erfc, expm1, floor, log1p, sqrt};

use crate::{Error, check, least, rounded_up};

/// The weight of each of `words` words of a user, in lattice steps: the squares add up to `norm`² at most.
#[must_use]
pub fn weight(norm: u32, words: u32) -> u32 {
    let weight = floor(f64::from(norm) / sqrt(f64::from(words.max(1)))) as u32;
    // The quotient is rounded.
    let exceeds = u64::from(weight) * u64::from(weight) * u64::from(words) > u64::from(norm) * u64::from(norm);
    if exceeds { weight - 1 } else { weight }
}

/// The threshold, in lattice steps, from which words may be named under discrete Gaussian noise of parameter σ² =
/// `variance`. Words that one user alone has, at most `most` of them, are named with probability at most `delta`.
///
/// A discrete Gaussian exceeds m with at most the probability that a Gaussian exceeds m − 1 (Canonne, Kamath and Steinke 2020,
/// proposition 25). So k words need norm/√k + 1 + σ·z(k) at most, for Φ(−z(k)) = 1 − (1 − δ)^{1/k} =: p.
///
/// As k grows, this sum first falls and then rises, so it is largest at one of the two ends. Proof: let t = ln k,
/// u = −ln(1 − p), φ the density and m = z·Φ(−z)/φ(z). The sum falls where σ·u·e^{−u}/φ(z) < ½·norm·e^{−t/2}. The quotient of the
/// two grows with t if u + z·u·e^{−u}/φ(z) ≥ ½. For z ≤ ¼ already u is above ½. Else the left side is at least
/// 1 − Φ(z)·(1 − m), because u ≥ p and u·e^{−u} ≥ p·(1 − p). Both Φ and m grow with z, so it is above ½ for z from 0.25 to 0.45, and
/// for z from 0.45 to 1. From z = 1 on, m ≥ z²/(1 + z²) ≥ ½.
///
/// # Errors
/// [`Error::Scale`], [`Error::Delta`] or [`Error::Argument`] for a number out of range.
pub fn threshold(norm: u32, most: u32, variance: f64, delta: f64) -> Result<i64, Error> {
    check::scale(variance)?;
    check::delta(delta)?;
    check::count(u64::from(most), 1)?;
    let of = |words: u32| {
        // Each of the words alone, so that all stay away with probability 1 − δ.
        let tail = -expm1(log1p(-delta) / f64::from(words));
        let normal = least(0.0, 40.0, |z| rounded_up(0.5 * erfc(z / SQRT_2)) <= tail);
        f64::from(norm) / sqrt(f64::from(words)) + 1.0 + sqrt(variance) * normal
    };
    Ok(ceil(of(1).max(of(most)) * (1.0 + 1e-12)) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discrete::DiscreteGaussian;

    #[test]
    fn weights_stay_within_the_norm_and_reach_it() {
        for norm in [1, 256, 4096, 65_536] {
            for words in [1, 2, 3, 4, 7, 60, 1000] {
                let weight = u64::from(weight(norm, words));
                let (words, square) = (u64::from(words), u64::from(norm) * u64::from(norm));
                assert!(weight * weight * words <= square && (weight + 1) * (weight + 1) * words > square);
            }
        }
    }

    #[test]
    fn words_of_one_user_are_named_no_more_often_than_delta() -> Result<(), Error> {
        let (norm, most, variance) = (256, 20, 200.0 * 200.0);
        let noise = DiscreteGaussian::new(variance)?;
        for delta in [1e-3, 1e-6] {
            let threshold = threshold(norm, most, variance, delta)?;
            let named = |words: u32| {
                let one = 1.0 - noise.cdf(threshold - i64::from(weight(norm, words)) - 1);
                -expm1(f64::from(words) * log1p(-one))
            };
            let worst = (1..=most).map(named).fold(0.0, f64::max);
            assert!(worst <= delta && worst > 0.9 * delta, "{delta}: {worst}");
        }
        Ok(())
    }

    #[test]
    fn the_threshold_is_that_of_the_worst_number_of_words_whatever_their_limit() -> Result<(), Error> {
        for (norm, sigma, delta) in
            [(256, 10.0, 1e-6), (256, 200.0, 1e-300), (65_536, 500.0, 0.3), (4096, 1e4, 0.9), (4096, 1.0, 0.999)]
        {
            let of = |words: u32| {
                let tail = -expm1(log1p(-delta) / f64::from(words));
                let normal = least(0.0, 40.0, |z| 0.5 * erfc(z / SQRT_2) <= tail);
                f64::from(weight(norm, words)) + 1.0 + sigma * normal
            };
            let mut worst: f64 = 0.0;
            for most in 1..=3000 {
                worst = worst.max(of(most));
                let found = threshold(norm, most, sigma * sigma, delta)? as f64;
                assert!(found >= worst && found < worst + 2.1, "{norm} {sigma} {delta} {most}: {found} {worst}");
            }
        }
        assert!(threshold(65_536, u32::MAX, 1e9, 1e-6)? > 65_536);
        Ok(())
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert_eq!(threshold(256, 0, 1.0, 1e-6), Err(Error::Argument));
        assert_eq!(threshold(256, 1, 0.0, 1e-6), Err(Error::Scale));
        assert_eq!(threshold(256, 1, 1.0, 0.0), Err(Error::Delta));
    }
}
