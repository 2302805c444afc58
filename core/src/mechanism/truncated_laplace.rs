//! Laplace noise truncated to [−A, A], rounded to the lattice, on each coordinate of a clipped vector. For text, the
//! nearest clipped word follows.
//!
//! # Privacy
//! (ε, δ)-DP for the replacement of one word by any other, or by nothing. Proof: let two inputs differ by Δ with ‖Δ‖₁ ≤
//! Δ₁. Where both laws have mass, noise of rate a = ε/Δ₁ has a density ratio of at most e^ε. So δ is the probability
//! that the noise leaves the other's support: 1 − Π(1 − p(Δ_i)). Here p(t) is the mass that a shift by t puts outside.
//! Since p is convex and p(0) = 0, Σ p(Δ_i) ≤ (Δ₁/Δ∞)·p(Δ∞). This bounds δ, and A solves it in closed form. Where an
//! even spread of a bounded ‖Δ‖₂ is the worst case (the code checks the concavity), the exact sum gives a smaller A.
//! The inputs are integers. So a sum with rounded noise is the rounded sum, which is post-processing.
//!
//! Published: a = ε/D₁ and A = −(D₁/ε)·ln(1 − ε·D∞/(2·δ^(1/n)·D₁)) with D₁ = 2C·√n, D∞ = 2C. Its proof multiplies the
//! probabilities that each coordinate leaves, as if all of them had to leave. It is enough that **one** leaves, and the
//! true δ is near 1.
//!
//! Source: Huang, Yang, Habernal, Hu and Wang, EMNLP 2024.

use rand_core::CryptoRng;

use super::{ByCoordinate, Card, Gives, Inputs, Mechanism, Prepared, Proof, Randomizer, calibrated};
use crate::account::truncated_laplace::{ClippedVectors, TruncatedLaplace};
use crate::privacy::space::Space;
use crate::sampler::Tail;
use crate::{Claim, ClaimSource, Error, Loss, Parameter};

pub(super) const CARD: Card = Card {
    name: "truncated-laplace",
    parameters: &[Parameter::Epsilon, Parameter::Delta, Parameter::Clip],
    gives: Gives::WordsAndVectors,
    has_published: true,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let wanted = mechanism.approximate()?;
    let space = inputs.space(mechanism.get(Parameter::Clip))?;
    let out_of_range = Error::Invalid(Parameter::Epsilon);
    let tail =
        |ideal: &TruncatedLaplace| Tail::truncated_laplace(ideal.rate(), ideal.radius()).map_err(|_| out_of_range);
    let (tail, loss, claim) = if mechanism.is_published() {
        let ball = ClippedVectors::new(space.dims as u64, space.radius)?;
        let noise = ball.published(wanted.epsilon, wanted.delta)?.ok_or(out_of_range)?;
        let tail = tail(&noise)?;
        let ideal = Loss { epsilon: noise.rate() * space.l1 as f64 * UPWARDS, delta: delta(&noise, &space)? };
        let loss = tail.drawn(ideal, space.dims);
        (tail, loss, Some(Claim::new(wanted, loss, ClaimSource::HUANG_TRUNCATED_LAPLACE)))
    } else {
        let (tail, loss) = calibrated(wanted, space.dims, |ideal| tail(&sound(ideal, &space)?))?;
        (tail, loss, None)
    };
    let noise = ByCoordinate(move |rng: &mut dyn CryptoRng| tail.draw(rng));
    Ok(Prepared { proof: Proof { claim, ..Proof::of(loss) }, randomizer: Randomizer::noise(noise, space.limit) })
}

/// An upper bound of the relative rounding error of a product.
const UPWARDS: f64 = 1.0 + 1.0 / (1_u64 << 50) as f64;

/// The noise of rate ε/Δ₁ with the smaller of the two radii that are (ε, δ)-DP.
fn sound(loss: Loss, space: &Space) -> Result<TruncatedLaplace, Error> {
    let closed = TruncatedLaplace::sound(loss, space.l1 as f64, space.linf as f64)?;
    Ok(ball(space)?.shortened(&closed, loss.delta).unwrap_or(closed))
}

/// An upper bound of the δ of a noise at ε = a·Δ₁.
fn delta(noise: &TruncatedLaplace, space: &Space) -> Result<f64, Error> {
    let union = noise.delta_of_bounds(space.l1 as f64, space.linf as f64)?;
    let ball = ball(space)?;
    Ok(if ball.equal_shift_is_worst(noise) { ball.delta_of_equal_shift(noise).min(union) } else { union })
}

/// A ball of the diameter Δ₂.
fn ball(space: &Space) -> Result<ClippedVectors, Error> {
    Ok(ClippedVectors::new(space.dims as u64, 0.5 * space.l2())?)
}
