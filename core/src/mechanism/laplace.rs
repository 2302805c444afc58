//! Discrete Laplace noise on each coordinate of a clipped vector. For text, the nearest clipped word follows.
//!
//! # Privacy
//! Pure ε-DP for the replacement of one word by any other, or by nothing. Proof: two inputs differ by at most Δ₁ in
//! ‖·‖₁, an integer. A shift by k changes the probability of noise of scale b by at most e^(‖k‖₁/b). So ε = Δ₁/b.
//! Inputs, noise and sums are integers, and the sampler is exact: floating point adds no loss. The steps after it are
//! post-processing.
//!
//! Sound: b = Δ₁/ε with Δ₁ from the table's rows as clipped. Published: b = 2C·√n/ε, the bound of the ball, as the
//! baseline of Huang et al., EMNLP 2024. It holds, with more noise than needed.

use super::{ByCoordinate, Card, Gives, Inputs, Mechanism, Prepared, Proof, Randomizer};
use crate::sampler::{Scale, discrete_laplace};
use crate::{Claim, ClaimSource, Error, Loss, Parameter};

pub(super) const CARD: Card = Card {
    name: "laplace",
    parameters: &[Parameter::Epsilon, Parameter::Clip],
    gives: Gives::WordsAndVectors,
    has_published: true,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let epsilon = mechanism.required(Parameter::Epsilon)?;
    let space = inputs.space(mechanism.get(Parameter::Clip))?;
    let sensitivity = space.l1 as f64;
    let spread = if mechanism.is_published() { space.published_l1() } else { sensitivity };
    let scale = Scale::at_least(spread / epsilon).map_err(|_| Error::Invalid(Parameter::Epsilon))?;
    let loss = Loss::laplace(sensitivity, scale.get());
    let claim = mechanism.is_published().then(|| Claim::new(Loss::pure(epsilon), loss, ClaimSource::HUANG_LAPLACE));
    let noise = ByCoordinate(move |rng: &mut dyn rand_core::CryptoRng| discrete_laplace(scale, rng));
    Ok(Prepared { proof: Proof { claim, ..Proof::of(loss) }, randomizer: Randomizer::noise(noise, space.limit) })
}
