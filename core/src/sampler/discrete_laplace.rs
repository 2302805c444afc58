//! Two-sided geometric noise: P(k) ∝ e^(−|k|/b) on the integers.
//!
//! # Privacy
//! Added to an integer that changes by at most Δ lattice steps, pure (Δ/b)-DP: |k| and |k + Δ| differ by at
//! most Δ.
//!
//! # Exactness
//! Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy", NeurIPS 2020, Algorithm 2,
//! for the scale b = t/s. U uniform below t is kept with probability e^(−U/t), and V counts heads of probability 1/e.
//! So P(U + t·V = x) ∝ e^(−x/t), and the quotient by s is geometric with ratio e^(−s/t). A fair sign follows, and minus
//! zero is refused, so that zero is not counted twice.

use core::num::NonZero;

use rand_core::Rng;

use super::lattice::PARTS;
use super::{ONE, Scale, TWO, below, bernoulli_exp};

/// An integer k of probability tanh(1/2b)·e^(−|k|/b), where b is the `scale` in lattice steps.
///
/// A number that does not fit into 64 bits is brought to their bound. Its probability is below e^(−2³²).
#[must_use]
pub fn discrete_laplace<R: Rng + ?Sized>(scale: Scale, rng: &mut R) -> i64 {
    laplace(scale.0, PARTS, rng)
}

/// The noise of scale `t`/`s`.
pub(super) fn laplace<R: Rng + ?Sized>(t: NonZero<u64>, s: NonZero<u64>, rng: &mut R) -> i64 {
    let (t, s) = (NonZero::<u128>::from(t), NonZero::<u128>::from(s));
    loop {
        let u = below(t, rng);
        if !bernoulli_exp(u, t, rng) {
            continue;
        }
        let mut v = 0_u64;
        while bernoulli_exp(1, ONE, rng) {
            v = v.saturating_add(1);
        }
        let magnitude = (u + t.get() * u128::from(v)) / s;
        let negative = below(TWO, rng) == 1;
        if negative && magnitude == 0 {
            continue;
        }
        let magnitude = i64::try_from(magnitude).unwrap_or(i64::MAX);
        return if negative { -magnitude } else { magnitude };
    }
}
