//! Flipping the bits of a code, each by itself: randomized response, its asymmetric variants, and the
//! optimized multiple encoding (OME) of Lyu, Li, He and Xiao (SIGIR 2020).
//!
//! # Privacy
//! A bit is reported as 1 with probability p if it is 1 and with probability q if it is 0. Its loss is
//! max(|ln p/q|, |ln (1−q)/(1−p)|) exactly, the worst of two outputs and two orders. Bits are independent. If any two
//! codes are neighbours, every bit may differ, and the losses add up, all attained together. The published proof for
//! OME bounds the odd bits by a ratio below 1, but the worst ratio is its inverse. So the losses of even and odd bits
//! do not cancel. [`ome_epsilon`] is the true loss of OME.

use libm::{expm1, log, log1p};

use crate::special::{ln_add, logistic};
use crate::{Error, check, least, rounded_up};

/// Two to the 64: randomness comes in words of that many values.
const WORD: f64 = 18_446_744_073_709_551_616.0;

/// The two probabilities with which one bit is reported as 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flip {
    /// ln p/(1 − p).
    logit: f64,
    /// ln of p(1−q)/(q(1−p)). It is stored, because p and q may be too close for their difference to have any digits.
    log_odds_ratio: f64,
}

impl Flip {
    /// The pair p = P\[1→1\], q = P\[0→1\].
    ///
    /// # Errors
    /// [`Error::Argument`] unless both are strictly between 0 and 1.
    pub fn new(p: f64, q: f64) -> Result<Self, Error> {
        check::probability(p, false)?;
        check::probability(q, false)?;
        // Odds ratio − 1 = (p − q)/(q(1 − p)); of two close floats the difference is exact.
        let (high, low) = if p < q { (q, p) } else { (p, q) };
        let ratio = log1p((high - low) / (low * (1.0 - high)));
        Ok(Self { logit: log(p / (1.0 - p)), log_odds_ratio: if p < q { -ratio } else { ratio } })
    }

    /// Symmetric randomized response: both values are kept with probability 1/(1 + e^−ε). With ε/2, for
    /// one-hot codes, it is known as symmetric unary encoding (SUE).
    ///
    /// # Errors
    /// [`Error::Epsilon`] unless `epsilon` is finite and above zero.
    pub fn symmetric(epsilon: f64) -> Result<Self, Error> {
        check::epsilon(epsilon)?;
        Ok(Self { logit: epsilon, log_odds_ratio: 2.0 * epsilon })
    }

    /// Optimized unary encoding (OUE): p = ½, q = 1/(1 + e^x), x being the loss of a one-hot pair.
    ///
    /// # Errors
    /// [`Error::Epsilon`] unless `x` is finite and above zero.
    pub fn oue(x: f64) -> Result<Self, Error> {
        check::epsilon(x)?;
        Ok(Self { logit: 0.0, log_odds_ratio: x })
    }

    /// The even bits of OME as published: p = λ/(1 + λ), q = 1/(1 + λe^x). Their loss is not x.
    ///
    /// # Errors
    /// [`Error::Epsilon`] or [`Error::Lambda`] for a number out of range.
    pub fn ome_even(x: f64, lambda: f64) -> Result<Self, Error> {
        let skew = Self::skew(x, lambda)?;
        Ok(Self { logit: skew, log_odds_ratio: x + 2.0 * skew })
    }

    /// The odd bits of OME as published: p = 1/(1 + λ³), q = 1/(1 + λe^x). Their loss is not x.
    ///
    /// # Errors
    /// [`Error::Epsilon`] or [`Error::Lambda`] for a number out of range.
    pub fn ome_odd(x: f64, lambda: f64) -> Result<Self, Error> {
        let skew = Self::skew(x, lambda)?;
        Ok(Self { logit: -3.0 * skew, log_odds_ratio: x - 2.0 * skew })
    }

    /// The sound pair of that form: p = 1/(1 + λ), q = 1/(1 + λe^x) (Chamikara et al. 2020).
    ///
    /// ln p/q and ln (1−q)/(1−p) are both at least zero and add up to x, so that the loss is at most x.
    ///
    /// # Errors
    /// [`Error::Epsilon`] or [`Error::Lambda`] for a number out of range.
    pub fn skewed(x: f64, lambda: f64) -> Result<Self, Error> {
        Ok(Self { logit: -Self::skew(x, lambda)?, log_odds_ratio: x })
    }

    /// ln λ.
    fn skew(x: f64, lambda: f64) -> Result<f64, Error> {
        check::epsilon(x)?;
        check::lambda(lambda)?;
        Ok(log(lambda))
    }

    /// p, the probability that a 1 is reported as 1.
    #[must_use]
    pub fn p(&self) -> f64 {
        logistic(self.logit)
    }

    /// q, the probability that a 0 is reported as 1.
    #[must_use]
    pub fn q(&self) -> f64 {
        logistic(self.logit - self.log_odds_ratio)
    }

    /// The pure ε of one bit: the larger of two losses, that of a 1 against a 0 and that of a 0 against a 1.
    #[must_use]
    pub fn epsilon(&self) -> f64 {
        let (kept, flipped) = (self.logit, self.logit - self.log_odds_ratio);
        // With u > v: ln (σ(u)/σ(v)) and ln (σ(−v)/σ(−u)), without cancelling.
        let (high, low) = if self.log_odds_ratio < 0.0 { (flipped, kept) } else { (kept, flipped) };
        let ratio = self.log_odds_ratio.abs();
        let loss = |u: f64| {
            // ln(1 + σ(u)(e^ratio − 1)), in logarithms where the power may overflow.
            if ratio < 40.0 { log1p(logistic(u) * expm1(ratio)) } else { ln_add(0.0, ratio - ln_add(0.0, -u)) }
        };
        rounded_up(loss(-high).max(loss(low)))
    }

    /// The pure ε of a pair of one-hot codes, which differ in one bit each way: the absolute log odds ratio.
    #[must_use]
    pub fn epsilon_one_hot(&self) -> f64 {
        rounded_up(self.log_odds_ratio.abs())
    }

    /// The pair that a sampler really uses when it compares a uniform 64-bit word with a threshold.
    ///
    /// # Errors
    /// [`Error::Epsilon`] if a probability rounds to 0 or 1, so that no finite ε holds.
    pub fn quantized(&self) -> Result<QuantizedFlip, Error> {
        // The conversion saturates: 1 becomes 2⁶⁴ − 1, which reads back as 1.
        let (p, q) = ((self.p() * WORD) as u64, (self.q() * WORD) as u64);
        let flip = Self::new(p as f64 / WORD, q as f64 / WORD).map_err(|_| Error::Epsilon)?;
        Ok(QuantizedFlip { p, q, flip })
    }
}

/// Probabilities p/2⁶⁴ and q/2⁶⁴, exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantizedFlip {
    p: u64,
    q: u64,
    flip: Flip,
}

impl QuantizedFlip {
    /// A 1 is reported as 1 if a uniform word is below this.
    #[must_use]
    pub const fn p(&self) -> u64 {
        self.p
    }

    /// A 0 is reported as 1 if a uniform word is below this.
    #[must_use]
    pub const fn q(&self) -> u64 {
        self.q
    }

    /// The pair of exactly these probabilities, for its true ε.
    #[must_use]
    pub const fn flip(&self) -> Flip {
        self.flip
    }
}

/// The pure ε of a code of `bits` bits, flipped by `even` and `odd` in turn, the first bit being even.
///
/// # Errors
/// [`Error::Argument`] for no bits.
pub fn alternating_epsilon(even: &Flip, odd: &Flip, bits: u64) -> Result<f64, Error> {
    check::count(bits, 1)?;
    Ok(bits.div_ceil(2) as f64 * even.epsilon() + (bits / 2) as f64 * odd.epsilon())
}

/// The true pure ε of OME with the published parameters: budget `epsilon` over `bits` bits, skew `lambda`.
///
/// # Errors
/// [`Error::Epsilon`], [`Error::Lambda`] or [`Error::Argument`] for a number out of range.
pub fn ome_epsilon(epsilon: f64, lambda: f64, bits: u64) -> Result<f64, Error> {
    let x = epsilon / check::count(bits, 1)?;
    alternating_epsilon(&Flip::ome_even(x, lambda)?, &Flip::ome_odd(x, lambda)?, bits)
}

/// The largest λ ≥ 1 for which OME costs no more than the `epsilon` that it claims.
///
/// # Errors
/// [`Error::Epsilon`] or [`Error::Argument`] for a number out of range.
pub fn ome_largest_sound_lambda(epsilon: f64, bits: u64) -> Result<f64, Error> {
    ome_epsilon(epsilon, 1.0, bits)?;
    let too_large = |lambda: f64| ome_epsilon(epsilon, lambda, bits).map_or(true, |truth| truth > epsilon);
    // The loss grows with λ.
    Ok(least(1.0, 1e100, too_large).next_down())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn direct(p: f64, q: f64) -> f64 {
        log(p / q).abs().max(log((1.0 - q) / (1.0 - p)).abs())
    }

    #[test]
    fn the_loss_is_the_worst_log_ratio_in_either_order() -> Result<(), Error> {
        for p in [1e-9, 0.1, 0.5, 0.7, 0.999] {
            for q in [1e-9, 0.1, 0.5, 0.7, 0.999] {
                let flip = Flip::new(p, q)?;
                assert!((flip.epsilon() - direct(p, q)).abs() < 1e-10);
                assert!((flip.p() / p - 1.0).abs() < 1e-14 && (flip.q() / q - 1.0).abs() < 1e-14);
            }
        }
        Ok(())
    }

    #[test]
    fn the_skewed_pair_keeps_its_promise_and_ome_does_not() -> Result<(), Error> {
        for lambda in [0.01, 0.5, 1.0, 3.0, 100.0] {
            for x in [1e-5, 0.1, 4.0] {
                assert!(Flip::skewed(x, lambda)?.epsilon() <= rounded_up(x));
            }
        }
        assert!(ome_epsilon(1.0, 100.0, 500)? > 3451.0);
        let lambda = ome_largest_sound_lambda(1.0, 500)?;
        assert!(ome_epsilon(1.0, lambda, 500)? <= 1.0 && ome_epsilon(1.0, lambda + 1e-12, 500)? > 1.0);
        Ok(())
    }

    #[test]
    fn quantized_probabilities_are_those_of_the_thresholds() -> Result<(), Error> {
        let ideal = Flip::symmetric(1e-4)?;
        let real = ideal.quantized()?;
        assert_eq!((real.p() as f64 / WORD, real.q() as f64 / WORD), (ideal.p(), ideal.q()));
        assert!((real.flip().epsilon() / 1e-4 - 1.0).abs() < 1e-11);
        // 1 − p is below 2⁻⁵³: every 1 would be kept.
        assert_eq!(Flip::symmetric(40.0)?.quantized(), Err(Error::Epsilon));
        Ok(())
    }

    #[test]
    fn extreme_parameters_give_large_losses_and_not_nonsense() -> Result<(), Error> {
        assert!((Flip::symmetric(1e-9)?.epsilon() / 1e-9 - 1.0).abs() < 1e-12);
        for epsilon in [19.9, 20.1, 300.0, 3000.0] {
            assert!((Flip::symmetric(epsilon)?.epsilon() / epsilon - 1.0).abs() < 1e-12);
        }
        assert!(ome_epsilon(1.0, 1e100, 2)? > 400.0);
        Ok(())
    }
}
