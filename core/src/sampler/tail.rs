//! Continuous noise rounded to the lattice, drawn by inverting its tail function.
//!
//! X is Gaussian, or Laplace truncated to [−A, A]. K is X rounded to the nearest integer. Its law is one table of
//! probabilities that does not depend on the private value. T(m) = P(|K| ≥ m) = P(|X| ≥ m − ½) has a closed form,
//! computed in floating point and rounded down to W(m)·2⁻¹¹⁰. A uniform integer r of 110 bits then picks |K| as the
//! greatest m with r < W(m), and a bit of its own picks the sign: two words a draw, and as many evaluations of T
//! whatever comes out.
//!
//! # How far the drawn law is from the ideal one
//! Write p(m) = T(m) − T(m + 1) for P(|K| = m) under the ideal law and q(m) for the same under the drawn one.
//!
//! 1. *Evaluation.* Where T(m) ≥ 2⁻¹¹¹, the computed T(m) has a relative error of at most δ = 2⁻⁴⁴ = 512
//!    units of 2⁻⁵³. The premise, not proved here, is that `libm`'s erfc, exp and expm1 are within 16 units
//!    in the last place, 32 of these units. They are FreeBSD's algorithms, whose authors claim less than one
//!    for exp and expm1; of erfc, 10¹⁰ arguments up to 5 showed glibc's developers no error above four.
//!    - Gaussian, erfc(z): z comes out of three roundings, and a relative error of z grows by
//!      z·|erfc′|/erfc ≤ 2z² + 1 < 151, since z < 8.65. Together 3·151 + 32 < 512.
//!    - Truncated Laplace, e^(−ax)·expm1(−a(A − x))/expm1(−aA): the product a·x, at most 77, is rounded
//!      once, for 77 units; the other arguments are rounded twice and once, and expm1 does not enlarge that
//!      below zero; then one product and one quotient. Together 77 + 3·32 + 5 < 512.
//! 2. *Rounding down* moves a difference W(m) − W(m + 1) by less than 1.
//! 3. *Hazard.* |X| has a log-concave density on [0, ∞), hence an increasing hazard rate, so P(|X| < x + ½ |
//!    |X| ≥ x) ≥ P(|X| < ½). This is h = 1 − T(1), and p(m) ≥ h·T(m) for every m.
//!
//! From 1 and 2, |q(m) − p(m)| ≤ 2δ·T(m) + 2⁻¹¹⁰, and with 3 the relative error is at most (2δ +
//! 2⁻¹¹⁰/T(m))/h. Where T(m) ≥ 2⁻⁶⁰ this is at most ρ = (2δ + 2⁻⁵⁰)/h, and |ln(q/p)| ≤ ρ/(1 − ρ): the
//! [`Tail::slack`]. The outcomes beyond have a total probability below 2⁻⁶⁰ under the ideal law and below
//! 2⁻⁶⁰·(1 + δ) under the drawn one: [`Tail::beyond`].
//!
//! Since h > 2δ for all parameters allowed, the computed T decreases strictly down to 2⁻¹¹¹, so W never increases. The
//! search draws exactly by q(m) = (W(m) − W(m + 1))·2⁻¹¹⁰.

use core::f64::consts::SQRT_2;

use rand_core::Rng;

use crate::random::wide;
use crate::{Error, Loss};

/// Bits of a tail probability as an integer.
const BITS: u32 = 110;
/// 2^[`BITS`].
const UNIT: f64 = (1_u128 << BITS) as f64;
/// δ, the bound of a computed tail probability's relative error.
const EVALUATION: f64 = 1.0 / (1_u64 << 44) as f64;
/// An upper bound of the relative rounding error of a few operations.
const UPWARDS: f64 = 1.0 + 1.0 / (1_u64 << 46) as f64;
/// The slack covers outcomes whose tail probability is at least this.
const COVERED: f64 = 1.0 / (1_u64 << 60) as f64;

/// The law of noise that is symmetric, rounded to integers and given by its tail function.
///
/// The noise is drawn from a law within [`slack`](Self::slack) and [`beyond`](Self::beyond) of the ideal one.
/// [`drawn`](Self::drawn) says what that means for a guarantee.
///
/// ```
/// use textveil::sampler::Tail;
///
/// let noise = Tail::gaussian(12.5)?;
/// assert!(noise.slack() < 1e-11);
/// assert!((noise.probability(0) - 0.031_907).abs() < 1e-6);
/// # Ok::<(), textveil::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tail {
    law: Law,
    /// No outcome has more bits than that.
    bits: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Law {
    /// √2·σ.
    Gaussian { spread: f64 },
    /// a and A.
    TruncatedLaplace { rate: f64, radius: f64 },
}

impl Tail {
    /// Gaussian noise of standard deviation `deviation` lattice steps, rounded to integers.
    ///
    /// # Errors
    /// [`Error::InvalidScale`] unless `deviation` is from 2⁻²⁰ to 2²⁰.
    pub fn gaussian(deviation: f64) -> Result<Self, Error> {
        const RANGE: core::ops::RangeInclusive<f64> = 1.0 / 1_048_576.0..=1_048_576.0;
        if !RANGE.contains(&deviation) {
            return Err(Error::InvalidScale);
        }
        // erfc(13/√2) < 2⁻¹²⁵: no integer beyond 13 deviations has a weight.
        let farthest = libm::ceil(13.0 * deviation) as u64;
        Ok(Self { law: Law::Gaussian { spread: deviation * SQRT_2 }, bits: bit_length(farthest) })
    }

    /// Noise of density ∝ e^(−`rate`·|x|) on [−`radius`, `radius`], rounded to integers. `rate` is in nats per lattice
    /// step, `radius` in lattice steps. A radius below ½ leaves no noise.
    ///
    /// # Errors
    /// [`Error::InvalidScale`] unless `rate` is from 2⁻⁴⁰ to 2⁴⁰ and `radius` above zero and at most 2³⁰.
    pub fn truncated_laplace(rate: f64, radius: f64) -> Result<Self, Error> {
        const HIGHEST_RATE: f64 = (1_u64 << 40) as f64;
        const FARTHEST: f64 = (1_u64 << 30) as f64;
        if !((1.0 / HIGHEST_RATE..=HIGHEST_RATE).contains(&rate) && radius > 0.0 && radius <= FARTHEST) {
            return Err(Error::InvalidScale);
        }
        Ok(Self { law: Law::TruncatedLaplace { rate, radius }, bits: bit_length(last_within(radius)) })
    }

    /// Draws the noise, in lattice steps: two words, and one evaluation of the tail for each bit that the
    /// greatest outcome has.
    #[must_use]
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> i64 {
        let drawn = wide(rng);
        let share = drawn >> (u128::BITS - BITS);
        let mut magnitude = 0_u64;
        for bit in (0..self.bits).rev() {
            let further = magnitude | 1 << bit;
            magnitude += u64::from(share < self.weight(further)) << bit;
        }
        let magnitude = magnitude.cast_signed();
        if drawn & 1 == 1 { -magnitude } else { magnitude }
    }

    /// The probability that [`draw`](Self::draw) returns `steps`: that of the law drawn from, not of the
    /// ideal one.
    #[must_use]
    pub fn probability(&self, steps: i64) -> f64 {
        let magnitude = steps.unsigned_abs();
        let both = self.weight(magnitude).saturating_sub(self.weight(magnitude + 1)) as f64 / UNIT;
        if steps == 0 { both } else { 0.5 * both }
    }

    /// The loss of a release of `draws` draws whose ideal noise has this one.
    ///
    /// Let s = n·`slack` and β = n·`beyond`. First P(S|x) ≤ e^s·P⁰(S|x) + β, then P⁰(S|x) ≤ e^ε·P⁰(S|x′) + δ. Last
    /// P⁰(S|x′) ≤ e^s·P(S|x′) + β.
    #[must_use]
    pub fn drawn(&self, ideal: Loss, draws: usize) -> Loss {
        let (s, beyond) = (self.slack() * draws as f64, self.beyond() * draws as f64);
        let epsilon = (ideal.epsilon + 2.0 * s) * UPWARDS;
        let delta = (libm::exp(s) * ideal.delta + (1.0 + libm::exp(epsilon)) * beyond) * UPWARDS;
        Loss { epsilon, delta: delta.min(1.0) }
    }

    /// The loss that ideal noise must have so that a release of `draws` draws has this loss, if that is possible.
    #[must_use]
    pub fn ideal(&self, drawn: Loss, draws: usize) -> Option<Loss> {
        let (s, beyond) = (self.slack() * draws as f64, self.beyond() * draws as f64);
        let epsilon = drawn.epsilon - 2.0 * s * UPWARDS;
        let delta = (drawn.delta - (1.0 + libm::exp(drawn.epsilon)) * beyond * UPWARDS) * libm::exp(-s) / UPWARDS;
        (epsilon > 0.0 && delta > 0.0).then_some(Loss { epsilon: epsilon / UPWARDS, delta: delta / UPWARDS })
    }

    /// A bound of |ln(drawn probability / ideal probability)|, in nats, for each outcome except those that
    /// [`beyond`](Self::beyond) counts.
    #[must_use]
    pub fn slack(&self) -> f64 {
        // The hazard, less what the error of T(1) may have added.
        let hazard = 1.0 - self.tail(1) - 2.0 * EVALUATION;
        let relative = (2.0 * EVALUATION + COVERED * 1024.0) / hazard;
        relative / (1.0 - relative)
    }

    /// A bound of the total probability of the outcomes that [`slack`](Self::slack) does not cover. It holds under the
    /// drawn law and under the ideal one, and is 0 if slack covers all outcomes.
    #[must_use]
    pub fn beyond(&self) -> f64 {
        match self.law {
            // Twice: the computed tail may exceed the true one.
            Law::TruncatedLaplace { radius, .. } if self.tail(last_within(radius)) >= 2.0 * COVERED => 0.0,
            _ => COVERED * (1.0 + EVALUATION),
        }
    }

    /// T(`magnitude`).
    fn tail(&self, magnitude: u64) -> f64 {
        if magnitude == 0 {
            return 1.0;
        }
        let edge = magnitude as f64 - 0.5;
        match self.law {
            Law::Gaussian { spread } => libm::erfc(edge / spread),
            Law::TruncatedLaplace { rate, radius } if edge <= radius => {
                libm::exp(-rate * edge) * (libm::expm1(-rate * (radius - edge)) / libm::expm1(-rate * radius))
            }
            Law::TruncatedLaplace { .. } => 0.0,
        }
    }

    /// W(`magnitude`): the product with a power of two is exact, and the conversion rounds down.
    fn weight(&self, magnitude: u64) -> u128 {
        (self.tail(magnitude) * UNIT) as u128
    }
}

/// The greatest integer that a number within `radius` rounds to.
fn last_within(radius: f64) -> u64 {
    libm::floor(radius + 0.5) as u64
}

const fn bit_length(greatest: u64) -> u32 {
    u64::BITS - greatest.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P(|K| = `m`) of the ideal Gaussian: the density summed by Gauss's rule of three points a panel, all of
    /// it positive, so that nothing cancels.
    fn gaussian_mass(deviation: f64, m: u64) -> f64 {
        let (from, to) = ((m as f64 - 0.5).max(0.0), m as f64 + 0.5);
        let panels = 8 + (300.0 / deviation) as u32;
        let half = 0.5 * (to - from) / f64::from(panels);
        // The density where it is greatest in the bin is taken out: what is summed is at most 1.
        let share = |x: f64| libm::exp((from - x) * (from + x) / (2.0 * deviation * deviation));
        let panel = |at: u32| {
            let (middle, reach) = (from + half * f64::from(2 * at + 1), half * libm::sqrt(0.6));
            5.0 * share(middle - reach) + 8.0 * share(middle) + 5.0 * share(middle + reach)
        };
        let shares: f64 = (0..panels).map(panel).sum::<f64>() * half / 9.0;
        let z = from / deviation;
        shares * libm::sqrt(2.0 / core::f64::consts::PI) / deviation * libm::exp(-0.5 * z * z)
    }

    /// P(|K| = `m`) of the ideal truncated Laplace noise, without a difference.
    fn laplace_mass(rate: f64, radius: f64, m: u64) -> f64 {
        let (from, to) = ((m as f64 - 0.5).max(0.0), (m as f64 + 0.5).min(radius));
        libm::exp(-rate * from) * libm::expm1(-rate * (to - from)) / libm::expm1(-rate * radius)
    }

    fn drawn_mass(law: &Tail, m: u64) -> f64 {
        law.probability(m.cast_signed()) + if m == 0 { 0.0 } else { law.probability(-m.cast_signed()) }
    }

    /// The greatest |ln(drawn/ideal)| over the outcomes that the slack covers.
    fn distance(law: &Tail, last: u64, ideal: impl Fn(u64) -> f64) -> f64 {
        (0..=last)
            .filter(|m| law.tail(*m) >= COVERED)
            .map(|m| libm::log(drawn_mass(law, m) / ideal(m)).abs())
            .fold(0.0, f64::max)
    }

    /// Error of the sums and exponentials above, which the law under test does not share.
    const REFERENCE: f64 = 3e-14;

    #[test]
    fn the_drawn_gaussian_is_within_its_slack_of_the_ideal_one() {
        for deviation in [0.15, 0.3, 0.7, 1.0, 2.5, 10.0, 33.3, 250.0] {
            let law = Tail::gaussian(deviation).expect("in range");
            let distance = distance(&law, (13.0 * deviation) as u64, |m| gaussian_mass(deviation, m));
            assert!(distance <= law.slack() + REFERENCE, "σ {deviation}: {distance} against {}", law.slack());
        }
    }

    #[test]
    fn the_drawn_laplace_is_within_its_slack_of_the_ideal_one() {
        for (rate, radius) in [(5.0, 3.0), (1.0, 30.2), (0.3, 7.5), (0.01, 4000.4), (1e-4, 600.0), (1e-9, 50.7)] {
            let law = Tail::truncated_laplace(rate, radius).expect("in range");
            let distance = distance(&law, last_within(radius), |m| laplace_mass(rate, radius, m));
            assert!(distance <= law.slack() + REFERENCE, "{rate}, {radius}: {distance} against {}", law.slack());
        }
    }

    #[test]
    fn the_slack_is_not_vacuous() {
        assert!(Tail::gaussian(1.0).expect("in range").slack() < 1e-12);
        assert!(Tail::gaussian(1_048_576.0).expect("in range").slack() < 1e-6);
        assert!(Tail::truncated_laplace(1e-3, 1e6).expect("in range").slack() < 1e-9);
        assert!(Tail::truncated_laplace(1.0 / 1_099_511_627_776.0, 1_073_741_824.0).expect("in range").slack() < 1e-3);
    }

    #[test]
    fn weights_decrease_from_certainty_to_nothing_within_the_bits() {
        for law in [
            Tail::gaussian(0.2),
            Tail::gaussian(77.7),
            Tail::gaussian(1000.0),
            Tail::truncated_laplace(0.01, 900.0),
            Tail::truncated_laplace(1e-6, 900.5),
            Tail::truncated_laplace(0.5, 30_000.0),
        ] {
            let law = law.expect("in range");
            assert_eq!(law.weight(0), 1 << BITS);
            assert_eq!(law.weight(1 << law.bits), 0);
            assert!((0..1 << law.bits).all(|m| law.weight(m + 1) <= law.weight(m)));
        }
    }

    #[test]
    fn erfc_is_negligible_beyond_thirteen_deviations() {
        assert!(libm::erfc(13.0 / SQRT_2) < 1.0 / (1_u128 << 125) as f64);
    }

    #[test]
    fn nothing_is_beyond_a_short_truncated_law() {
        assert_eq!(Tail::truncated_laplace(0.1, 50.3).expect("in range").beyond(), 0.0);
        assert_eq!(Tail::truncated_laplace(0.1, 0.3).expect("in range").beyond(), 0.0);
        assert!(Tail::truncated_laplace(10.0, 50.3).expect("in range").beyond() > 0.0);
        assert!(Tail::gaussian(1.0).expect("in range").beyond() > 0.0);
    }
}
