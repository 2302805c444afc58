//! Multivariate Laplace noise on a vector. For text, the nearest offered word follows.
//!
//! # Privacy
//! Metric DP with constant η, for the replacement of one word by another. Proof: the noise has density ∝ e^(−η‖z‖). So
//! a shift of its center from x to x′ changes the density by at most e^(η·d(x,x′)). The noise is rounded to the lattice
//! before it is added. That makes its law one table of probabilities that does not depend on x. The rest is
//! post-processing with public data: the sum is clamped, and the nearest word is taken, of equals the lowest row. The
//! same protects the exchange of one word in a sum of word vectors.
//!
//! The metric bound is proved for the ideal noise. The guarantee states how far the computed noise can be from it
//! (`totalVariation`). The δ of the worst case over all pairs includes that error.
//!
//! A word that the vocabulary lacks stands at the rounded mean of all rows, whatever the word is. The worst case is η
//! times twice the radius of a ball around that mean that holds all rows. So it covers this point too.
//!
//! Source: Feyisetan et al., WSDM 2020, and Qu et al., CIKM 2021.

use alloc::vec::Vec;

use rand_core::CryptoRng;

use super::{Card, Gives, Inputs, Mechanism, Metric, Noise, Prepared, Proof, Randomizer, UPWARDS};
use crate::sampler::multivariate_laplace::{rounded_noise, total_variation};
use crate::{Error, Parameter};

pub(super) const CARD: Card = Card {
    name: "metric-laplace",
    parameters: &[Parameter::Eta, Parameter::Epsilon, Parameter::Level],
    gives: Gives::WordsAndVectors,
    has_published: false,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let (noise, proof) = calibrate(mechanism, inputs)?;
    Ok(Prepared { proof, randomizer: Randomizer::noise(noise, None) })
}

/// The noise and what is proved about it.
pub(super) fn calibrate(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<(MetricLaplace, Proof), Error> {
    let (dims, step, diameter) = (inputs.dims(), inputs.step(), inputs.diameter());
    let eta = mechanism.eta(inputs, diameter)?;
    let proof = Proof::metric(eta, Metric::Euclidean, eta * diameter * UPWARDS);
    let proof = proof.off_by(total_variation(eta, dims, step));
    Ok((MetricLaplace { eta, step }, proof))
}

/// Noise with density ∝ e^(−η‖z‖).
pub(super) struct MetricLaplace {
    eta: f64,
    step: f64,
}

impl Noise for MetricLaplace {
    fn draw(&self, dims: usize, rng: &mut dyn CryptoRng) -> Vec<i64> {
        rounded_noise(self.eta, dims, self.step, rng)
    }
}
