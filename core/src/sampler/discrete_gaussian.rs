//! Discrete Gaussian noise: P(k) ∝ e^(−k²/2σ²) on the integers.
//!
//! # Privacy
//! Added to an integer that changes by at most Δ lattice steps, (Δ²/2σ²)-concentrated DP, as with the
//! continuous Gaussian (Theorem 4 of the source).
//!
//! # Exactness
//! Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy", NeurIPS 2020, Algorithm 3.
//! Discrete Laplace noise y of scale t = ⌊σ⌋ + 1 is kept with probability e^(−(|y| − σ²/t)²/2σ²). Since |y|/t + (|y| −
//! σ²/t)²/2σ² = y²/2σ² + a constant, the kept y has the law claimed. For every σ more than 2 of 5 proposals are kept.
//!
//! With σ² = v/s the exponent is the quotient of the integers (|y|·s·t − v)² and 2·v·s·t². The denominator is
//! below 2¹⁰² for all v ≤ 2⁵⁰, s = 1024. The numerator saturates only where |y| ≥ 2⁵⁴/t, which is above
//! 2¹³·t: a proposal of probability below e^(−8000), kept with probability below e^(−10⁷) either way.

use core::num::NonZero;

use rand_core::Rng;

use super::discrete_laplace::laplace;
use super::lattice::PARTS;
use super::{TWO, Variance, bernoulli_exp};

/// An integer k of probability proportional to e^(−k²/2σ²), where σ² is the `variance` in squared lattice
/// steps.
#[must_use]
pub fn discrete_gaussian<R: Rng + ?Sized>(variance: Variance, rng: &mut R) -> i64 {
    let deviation = (variance.0.get() / PARTS).isqrt();
    let t = NonZero::<u64>::MIN.saturating_add(deviation);
    let (v, s, wide_t) = (NonZero::<u128>::from(variance.0), NonZero::<u128>::from(PARTS), NonZero::<u128>::from(t));
    let denominator = TWO.saturating_mul(v).saturating_mul(s).saturating_mul(wide_t).saturating_mul(wide_t);
    let unit = s.saturating_mul(wide_t).get();
    loop {
        let proposal = laplace(t, NonZero::<u64>::MIN, rng);
        let distance = u128::from(proposal.unsigned_abs()).saturating_mul(unit).abs_diff(v.get());
        if bernoulli_exp(distance.saturating_mul(distance), denominator, rng) {
            return proposal;
        }
    }
}
