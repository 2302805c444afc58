//! Gaussian noise, rounded to the lattice, on each coordinate of a clipped vector. For text, the nearest clipped word
//! follows.
//!
//! # Privacy
//! (ε, δ)-DP for the replacement of one word by any other, or by nothing. Proof: two inputs differ by at most Δ₂ in
//! ‖·‖₂. Gaussian noise of deviation σ on all coordinates is (ε, δ)-DP if and only if Φ(Δ₂/2σ − εσ/Δ₂) − e^ε·Φ(−Δ₂/2σ −
//! εσ/Δ₂) ≤ δ (Balle and Wang, ICML 2018, Theorem 8). The inputs are integers. So a sum with rounded noise is the
//! rounded sum, which is post-processing. The sampler inverts the rounded law. Its distance from that law is bounded,
//! and ε and δ include the bound (`Tail::drawn`).
//!
//! Sound: the least σ. Published: σ = 2C·√n/ε, as the baseline of Huang et al., EMNLP 2024, which ignores δ. In many
//! dimensions that is more noise than the claim needs, and in few it is too little.

use rand_core::CryptoRng;

use super::{ByCoordinate, Card, Gives, Inputs, Mechanism, Prepared, Proof, Randomizer, calibrated};
use crate::account::gaussian;
use crate::sampler::Tail;
use crate::{Claim, ClaimSource, Error, Loss, Parameter};

pub(super) const CARD: Card = Card {
    name: "gaussian",
    parameters: &[Parameter::Epsilon, Parameter::Delta, Parameter::Clip],
    gives: Gives::WordsAndVectors,
    has_published: true,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let wanted = mechanism.approximate()?;
    let space = inputs.space(mechanism.get(Parameter::Clip))?;
    let sensitivity = space.l2();
    let out_of_range = Error::Invalid(Parameter::Epsilon);
    let tail = |sigma| Tail::gaussian(sigma).map_err(|_| out_of_range);
    let (tail, loss, claim) = if mechanism.is_published() {
        let sigma = space.published_l1() / wanted.epsilon;
        let tail = tail(sigma)?;
        // Leaves room for what the sampler adds to δ.
        let delta = tail.ideal(wanted, space.dims).map_or(wanted.delta, |ideal| ideal.delta);
        let ideal = Loss { epsilon: gaussian::epsilon(sigma, sensitivity, delta)?, delta };
        let drawn = tail.drawn(ideal, space.dims);
        let loss = Loss { delta: drawn.delta.max(wanted.delta), ..drawn };
        (tail, loss, Some(Claim::new(wanted, loss, ClaimSource::HUANG_GAUSSIAN)))
    } else {
        let (tail, loss) = calibrated(wanted, space.dims, |ideal| tail(gaussian::sigma(ideal, sensitivity)?))?;
        (tail, loss, None)
    };
    let noise = ByCoordinate(move |rng: &mut dyn CryptoRng| tail.draw(rng));
    Ok(Prepared { proof: Proof { claim, ..Proof::of(loss) }, randomizer: Randomizer::noise(noise, space.limit) })
}
