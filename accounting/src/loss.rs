//! Privacy loss (ε, δ) and how losses combine, every result rounded up.
//!
//! A mechanism M has the loss (ε, δ) if P(M(x) ∈ S) ≤ e^ε·P(M(x′) ∈ S) + δ for all neighbours x, x′ and all
//! S. Larger numbers say less, so a bound may be rounded up and never down:
//! - a sum's rounding error is computed exactly (Knuth's TwoSum), a product's with a fused multiply–add. The result is
//!   the next float up if something was lost, and itself otherwise.
//! - `expm1` and `log1p` are off by less than one unit in the last place (libm's msun functions say so). The
//!   relative errors of the formulas below add up to less than 2⁻⁵⁰. [`ROUNDING_UP`] covers twice that.

use crate::Error;

/// Differential-privacy loss: ε in nats, from zero up to infinity, and δ, a probability.
///
/// The fields are public to be read and matched. Numbers from outside go through [`Loss::new`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// ε, in nats. It is infinite if nothing is promised.
    pub epsilon: f64,
    /// δ, from 0 to 1.
    pub delta: f64,
}

/// Above the relative error of every formula here that is not exact.
const ROUNDING_UP: f64 = 1.0 + 1.0 / (1_u64 << 49) as f64;

/// Here e^ε is still finite, and e^−ε is already negligible compared with any 1 − rate above zero.
const LARGE: f64 = 700.0;

impl Loss {
    /// The loss of showing nothing.
    pub const NONE: Self = Self { epsilon: 0.0, delta: 0.0 };

    /// Pure differential privacy: δ = 0. Every other value than a number from zero up counts as infinite.
    #[must_use]
    pub const fn pure(epsilon: f64) -> Self {
        Self { epsilon: if epsilon >= 0.0 { epsilon } else { f64::INFINITY }, delta: 0.0 }
    }

    /// The loss of Laplace noise of this scale, on real numbers or on integers, if a neighbour moves its centre by at
    /// most `sensitivity`. It is the quotient of the two, which must be above zero.
    #[must_use]
    pub fn laplace(sensitivity: f64, scale: f64) -> Self {
        Self::pure(quotient_up(sensitivity, scale))
    }

    /// Takes ε from zero up, infinity included, and δ from 0 to 1.
    ///
    /// # Errors
    /// [`Error::Epsilon`] if `epsilon` is negative or not a number,
    /// [`Error::Delta`] if `delta` is not within 0 and 1.
    pub fn new(epsilon: f64, delta: f64) -> Result<Self, Error> {
        if epsilon.is_nan() || epsilon < 0.0 {
            return Err(Error::Epsilon);
        }
        if !(0.0..=1.0).contains(&delta) {
            return Err(Error::Delta);
        }
        Ok(Self { epsilon, delta })
    }

    /// Both releases about the same data: basic sequential composition, (ε₁ + ε₂, δ₁ + δ₂).
    ///
    /// It holds for a second mechanism that was chosen after seeing the first's output (Dwork and Roth, *The
    /// Algorithmic Foundations of Differential Privacy*, 2014, appendix B).
    #[must_use]
    pub fn then(self, other: Self) -> Self {
        Self { epsilon: sum_up(self.epsilon, other.epsilon), delta: sum_up(self.delta, other.delta).min(1.0) }
    }

    /// `n` releases of this loss each: (n·ε, n·δ).
    #[must_use]
    pub fn times(self, n: usize) -> Self {
        if n == 0 {
            return Self::NONE;
        }
        let n = count_up(n);
        Self { epsilon: product_up(self.epsilon, n), delta: product_up(self.delta, n).min(1.0) }
    }

    /// The loss of this one mechanism for texts that differ in up to `n` units: group privacy,
    /// (n·ε, δ·(e^{nε} − 1)/(e^ε − 1)).
    ///
    /// Proof: along a path of n neighbours, P₀ ≤ e^ε·P₁ + δ ≤ e^{2ε}·P₂ + δ·(1 + e^ε) ≤ … ≤
    /// e^{nε}·Pₙ + δ·Σ e^{iε} over i < n. δ is given as 1 where e^{nε} is beyond a float.
    #[must_use]
    pub fn group(self, n: usize) -> Self {
        if n <= 1 || self.epsilon == 0.0 || self.delta == 0.0 {
            return self.times(n);
        }
        let epsilon = product_up(self.epsilon, count_up(n));
        let path = libm::expm1(epsilon) / libm::expm1(self.epsilon);
        // An infinite ε makes `path` no number; `min` then gives 1.
        Self { epsilon, delta: up(self.delta * path).min(1.0) }
    }

    /// The loss of a mechanism whose every law is within τ = `total_variation` of a law with this loss. It is (ε, δ +
    /// (1 + e^ε)·τ), since
    ///
    /// P(S) ≤ P₀(S) + τ ≤ e^ε·P₀′(S) + δ + τ ≤ e^ε·(P′(S) + τ) + δ + τ.
    #[must_use]
    pub fn off_by(self, total_variation: f64) -> Self {
        if total_variation == 0.0 {
            return self;
        }
        let more = up((1.0 + libm::exp(self.epsilon)) * total_variation);
        Self { delta: sum_up(self.delta, more).min(1.0), ..self }
    }

    /// The loss of one unit if each unit is replaced by null with probability `rate` before the mechanism sees it.
    /// Nobody else sees the coin. The loss is (ln((1 − rate)·e^ε + rate), (1 − rate)·δ).
    ///
    /// **Null must be in the neighbouring relation of this loss** (unit and null are neighbours). Without it the claim
    /// is false. Proof: fix the other coins. Let p, p′ be the probabilities of S with the unit kept, under x and x′,
    /// and c the probability with it nulled. Take q := rate·c + (1 − rate)·p′. Then p ≤ e^ε·min(p′, c) + δ and min(p′,
    /// c) ≤ q. So rate·c + (1 − rate)·p ≤ q + (1 − rate)·((e^ε − 1)·q + δ).
    ///
    /// Each unit needs its own coin, or the mechanism must not tell which unit stands where (a sum of the units'
    /// vectors). In that second case a random choice of `z` out of `n` units has the rate z/n. For exchanging the unit
    /// for a nulled one is again a neighbour. For other mechanisms see [`Loss::after_exchange`]. Units that a user
    /// picks to be nulled are neither case.
    ///
    /// A `rate` that is no probability amplifies nothing.
    #[must_use]
    pub fn after_dropout(self, rate: f64) -> Self {
        if rate == 1.0 {
            return Self::NONE;
        }
        if !(0.0..1.0).contains(&rate) {
            return self;
        }
        let kept = 1.0 - rate;
        let epsilon = if self.epsilon <= LARGE {
            libm::log1p(kept * libm::expm1(self.epsilon))
        } else {
            self.epsilon + libm::log(kept)
        };
        // Dropout never adds loss, so that the smaller of two upper bounds is one.
        Self { epsilon: up(epsilon).min(self.epsilon), delta: up(kept * self.delta).min(self.delta) }
    }

    /// The loss of one unit if a fixed share `rate` of the units, chosen at random, is replaced by null. The mechanism
    /// that follows tells which unit stands where.
    ///
    /// As [`Loss::after_dropout`], but a nulled unit lets another one through: "kept" and "nulled" differ in two units.
    /// So only p ≤ e^2ε·c + (1 + e^ε)·δ holds. With D = (1 + e^ε)·δ, both p ≤ e^ε·p′ + D and p ≤ e^ε·(e^ε·c) + D. It
    /// follows that rate·c + (1 − rate)·p ≤ e^ε′·q + (1 − rate)·D with e^ε′ = 1 + (1 − rate)·(e^ε − 1)/(rate·e^−ε + 1 −
    /// rate). The case of one of two nulled shows that this is the least bound.
    #[must_use]
    pub fn after_exchange(self, rate: f64) -> Self {
        if rate == 1.0 {
            return Self::NONE;
        }
        if !(0.0..1.0).contains(&rate) || self.epsilon > LARGE {
            return self;
        }
        let kept = 1.0 - rate;
        let share = kept / (rate * libm::exp(-self.epsilon) + kept);
        let epsilon = libm::log1p(share * libm::expm1(self.epsilon));
        let delta = kept * (1.0 + libm::exp(self.epsilon)) * self.delta;
        let delta = if self.delta == 0.0 { 0.0 } else { up(delta) };
        let amplified = Self { epsilon: up(epsilon).min(self.epsilon), delta };
        // What is not amplified holds as well; one loss must be chosen.
        if amplified.delta > self.delta { self } else { amplified }
    }
}

/// All releases about the same data, one after the other: over words, fields, or time.
impl core::iter::Sum for Loss {
    fn sum<I: Iterator<Item = Self>>(losses: I) -> Self {
        losses.fold(Self::NONE, Self::then)
    }
}

/// A result of relative error below [`ROUNDING_UP`] made an upper bound; the step covers what is below normal
/// floats, zero included.
fn up(x: f64) -> f64 {
    (x * ROUNDING_UP).next_up()
}

/// The smallest float from a + b up.
fn sum_up(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_in_sum = sum - a;
    let lost = (a - (sum - b_in_sum)) + (b - b_in_sum);
    if lost > 0.0 { sum.next_up() } else { sum }
}

/// The smallest float from a·n up, n ≥ 1.
pub(crate) fn product_up(a: f64, n: f64) -> f64 {
    let product = a * n;
    if libm::fma(a, n, -product) > 0.0 { product.next_up() } else { product }
}

/// The smallest float from a/b up, for a and b above zero.
fn quotient_up(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    if libm::fma(quotient, b, -a) < 0.0 { quotient.next_up() } else { quotient }
}

/// The smallest float from n up.
fn count_up(n: usize) -> f64 {
    let float = n as f64;
    if (float as u128) < n as u128 { float.next_up() } else { float }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From `exact`, itself rounded up, to a few units in the last place above it.
    fn assert_just_above(found: f64, exact: f64, case: &str) {
        assert!((exact..=exact * (1.0 + 1e-14) + 1e-323).contains(&found), "{case}: {found:e}, exactly {exact:e}");
    }

    /// Values of mpmath 1.3 with 4000 bits, rounded up to a float.
    #[test]
    fn dropout_is_never_below_the_exact_value() {
        for (epsilon, rate, exact) in [
            (5e-324, 0.9, 5e-324),
            (1e-300, 0.5, 5.000000000000001e-301),
            (1e-9, 0.1, 9.000000000450001e-10),
            (1.0, 0.5, 0.6201145069582776),
            (1.0, 1.0 - f64::EPSILON / 2.0, 1.9076760487502454e-16),
            (6.3, 0.9, 4.013806569642614),
            (10.0, 0.3, 9.643344512984736),
            (37.0, 1e-17, 37.0),
            (699.9, 0.25, 699.6123179275482),
            (700.0, 0.999, 693.0922447210179),
            (700.1, 0.999, 693.1922447210179),
            (768.0, 0.5, 767.3068528194401),
            (1e5, 0.75, 99998.61370563888),
            (1e300, 0.5, 1e300),
        ] {
            let found = Loss::pure(epsilon).after_dropout(rate).epsilon;
            assert_just_above(found, exact, &alloc::format!("ε = {epsilon:e}, rate {rate}"));
        }
    }

    /// Values of mpmath 1.3 with 4000 bits, rounded up to a float.
    #[test]
    fn group_delta_is_never_below_the_exact_value() {
        for (epsilon, delta, n, exact) in [
            (1e-300, 1e-12, 3, 3e-12),
            (0.1, 1e-9, 2, 2.105170918075648e-9),
            (1.0, 1e-6, 7, 0.0006376329774790333),
            (0.3, 1e-10, 60, 0.018767561860813395),
            (5.0, 5e-324, 2, 7.4e-322),
            (2.0, 1e-300, 300, 5.905442435481884e-41),
            (300.0, 1e-290, 2, 1.9424263952412563e-160),
            (20.0, 1e-30, 3, 2.353852673221852e-13),
        ] {
            let found = Loss { epsilon, delta }.group(n).delta;
            assert_just_above(found, exact, &alloc::format!("ε = {epsilon:e}, δ = {delta:e}, n = {n}"));
        }
    }

    /// Values of mpmath 1.3 with 4000 bits, rounded up to a float.
    #[test]
    fn what_is_drawn_nearby_is_never_below_the_exact_value() {
        for (epsilon, delta, off, exact) in [
            (0.0, 0.0, 1e-12, 2e-12),
            (1e-300, 1e-9, 1e-300, 1.0000000000000003e-9),
            (1.0, 0.0, 5e-324, 2e-323),
            (4.0, 1e-5, 3e-10, 1.0016679445009944e-5),
            (17.5, 0.0, 8e-10, 0.03185982831806099),
            (300.0, 1e-200, 1e-290, 1.9424263952412563e-160),
            (700.0, 0.0, 1e-308, 0.00010142320547350045),
        ] {
            assert_just_above(Loss { epsilon, delta }.off_by(off).delta, exact, &alloc::format!("ε = {epsilon:e}"));
        }
        assert_eq!(Loss::pure(f64::INFINITY).off_by(1e-300).delta, 1.0);
    }

    #[test]
    fn the_loss_of_laplace_noise_is_the_next_float_from_the_quotient_up() {
        let losses = [(1.0, 4.0), (1.0, 3.0), (1.0, 0.0)].map(|(sensitivity, scale)| Loss::laplace(sensitivity, scale));
        // A third lies above the float that is nearest to it.
        assert_eq!(losses, [0.25, 0.333_333_333_333_333_37, f64::INFINITY].map(Loss::pure));
        assert!(losses[1].epsilon > 1.0 / 3.0);
    }

    #[test]
    fn the_ends_of_every_range() {
        let loss = Loss { epsilon: 2.0, delta: 0.25 };
        let nothing = Loss { epsilon: f64::INFINITY, delta: 0.25 };
        assert_eq!(
            [loss.times(0), loss.group(0), loss.after_dropout(1.0), nothing.after_dropout(1.0)],
            [Loss::NONE; 4]
        );
        assert_eq!([loss.times(1), loss.group(1), loss.after_dropout(0.0), loss.then(Loss::NONE)], [loss; 4]);
        for no_rate in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(loss.after_dropout(no_rate), loss);
        }
        assert_eq!(nothing.after_dropout(0.5).epsilon, f64::INFINITY);
        assert_just_above(nothing.after_dropout(0.5).delta, 0.125, "δ of half");
        assert_eq!(nothing.group(2), Loss { epsilon: f64::INFINITY, delta: 1.0 });
        assert_eq!(loss.times(9).delta, 1.0);
        assert_eq!(loss.group(1000).delta, 1.0);
        assert_eq!(Loss::pure(f64::MAX).times(2).epsilon, f64::INFINITY);
        assert_eq!([f64::NAN, -1.0].map(|no_epsilon| Loss::pure(no_epsilon).epsilon), [f64::INFINITY; 2]);
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn counts_without_a_float_of_their_own_are_rounded_up() {
        let (odd, above) = ((1 << 53) + 1, 2_f64.powi(53) + 2.0);
        assert_eq!([Loss::pure(1.0).times(odd).epsilon, Loss::pure(1.0).group(odd).epsilon], [above; 2]);
        assert_eq!(Loss::pure(1.0).times(usize::MAX).epsilon, 2_f64.powi(64));
    }

    #[test]
    fn numbers_from_outside_are_checked() {
        assert_eq!(Loss::new(f64::INFINITY, 1.0), Ok(Loss { epsilon: f64::INFINITY, delta: 1.0 }));
        for epsilon in [f64::NAN, -5e-324, f64::NEG_INFINITY] {
            assert_eq!(Loss::new(epsilon, 0.0), Err(Error::Epsilon));
        }
        for delta in [f64::NAN, -5e-324, 1.0_f64.next_up()] {
            assert_eq!(Loss::new(0.0, delta), Err(Error::Delta));
        }
    }

    /// One of two units is nulled, at random, before a mechanism of ε = 1 for one unit, null included. What
    /// is lost is more than dropout's formula says.
    #[test]
    fn a_fixed_number_of_nulls_is_not_dropout() {
        let e = libm::exp(1.0);
        // P(S) for one event S, by what is left of the texts a d and b d: a ·, b ·, · d; and of nothing, · ·.
        let (keeps_a, keeps_b, nulled, empty) = (0.01 * e, 0.01, 0.01 / e, 0.01);
        for (view, neighbour) in [(keeps_a, keeps_b), (keeps_a, empty), (keeps_b, empty), (nulled, empty)] {
            let ratio: f64 = libm::log(view / neighbour);
            assert!(ratio.abs() <= 1.0 + 1e-15);
        }
        let ratio = (keeps_a + nulled) / (keeps_b + nulled);
        assert!(libm::log(ratio) > Loss::pure(1.0).after_dropout(0.5).epsilon + 0.1);
        assert_just_above(Loss::pure(1.0).after_exchange(0.5).epsilon, libm::log(ratio), "one of two");
    }
}
