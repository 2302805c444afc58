//! Metric DP from an exact sampler: discrete Laplace noise on each coordinate, scaled to the Euclidean distance. For
//! text, the nearest word follows.
//!
//! # Privacy
//! Metric DP with constant η, for the replacement of one word by another. Proof: a shift by k lattice steps changes the
//! probability of noise of scale b on each coordinate by at most e^(‖k‖₁/b), and ‖k‖₁ ≤ √n·‖k‖₂. So b = √n/(η·step)
//! gives η·d. Inputs, noise and sums are integers, and the sampler is exact: the drawn noise has the ideal law. The
//! steps after it are post-processing. The worst case is the smaller of η times the diameter and Δ₁/b.
//!
//! A word that the vocabulary lacks stands at the rounded mean of all rows, whatever the word is. The diameter is that
//! of a ball around this point. Δ₁ bounds distances from it too (see `Space`).
//!
//! At the same η its noise is √2 times as long as that of `metric-laplace`. In exchange, δ is 0.

use super::{ByCoordinate, Card, Gives, Inputs, Mechanism, Metric, Prepared, Proof, Randomizer, UPWARDS};
use crate::sampler::{Scale, discrete_laplace};
use crate::{Error, Loss, Parameter};

pub(super) const CARD: Card = Card {
    name: "lattice-laplace",
    parameters: &[Parameter::Eta, Parameter::Epsilon],
    gives: Gives::WordsAndVectors,
    has_published: false,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let space = inputs.space(None)?;
    let (proof, scale) = proof(mechanism, inputs, space.dims, space.l1)?;
    let noise = ByCoordinate(move |rng: &mut dyn rand_core::CryptoRng| discrete_laplace(scale, rng));
    Ok(Prepared { proof, randomizer: Randomizer::noise(noise, None) })
}

/// The proof for the η that is asked for, and the scale of its noise. `l1` bounds the distance of two inputs in ‖·‖₁.
pub(super) fn proof(mechanism: &Mechanism, inputs: &Inputs<'_>, dims: usize, l1: u64) -> Result<(Proof, Scale), Error> {
    let diameter = inputs.diameter();
    let eta = mechanism.eta(inputs, diameter)?;
    let spread = libm::sqrt(dims as f64) / (eta * inputs.step());
    let asked = if mechanism.get(Parameter::Eta).is_some() { Parameter::Eta } else { Parameter::Epsilon };
    let scale = Scale::at_least(spread * UPWARDS).map_err(|_| Error::Invalid(asked))?;
    let worst = (eta * diameter * UPWARDS).min(Loss::laplace(l1 as f64, scale.get()).epsilon);
    Ok((Proof::metric(eta, Metric::Euclidean, worst), scale))
}
