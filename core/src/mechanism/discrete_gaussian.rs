//! Discrete Gaussian noise on each coordinate of a clipped vector. For text, the nearest clipped word follows.
//!
//! # Privacy
//! (ε, δ)-DP for the replacement of one word by any other, or by nothing. Proof: two inputs differ by at most Δ₂ in
//! ‖·‖₂. So discrete Gaussian noise of parameter σ² gives (Δ₂²/2σ²)-zero-concentrated DP (Canonne, Kamath and Steinke,
//! NeurIPS 2020: Theorem 4 for each coordinate, and composition). By their Proposition 12 that is (ε, δ)-DP. Inputs,
//! noise and sums are integers, and the sampler is exact. The steps after it are post-processing.

use super::{ByCoordinate, Card, Gives, Inputs, Mechanism, Prepared, Proof, Randomizer};
use crate::account::zcdp;
use crate::sampler::{Variance, discrete_gaussian};
use crate::{Error, Parameter};

pub(super) const CARD: Card = Card {
    name: "discrete-gaussian",
    parameters: &[Parameter::Epsilon, Parameter::Delta, Parameter::Clip],
    gives: Gives::WordsAndVectors,
    has_published: false,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let loss = mechanism.approximate()?;
    let space = inputs.space(mechanism.get(Parameter::Clip))?;
    let squared = space.l2_squared as f64;
    let rho = zcdp::largest_rho(loss)?;
    let variance = Variance::at_least(squared / (2.0 * rho)).map_err(|_| Error::Invalid(Parameter::Epsilon))?;
    // Rounding the variance up lowers ρ.
    let noise = ByCoordinate(move |rng: &mut dyn rand_core::CryptoRng| discrete_gaussian(variance, rng));
    Ok(Prepared { proof: Proof::of(loss), randomizer: Randomizer::noise(noise, space.limit) })
}
