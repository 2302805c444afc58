//! Multivariate Laplace noise on a vector; for text, then the nearest offered word (Qu et al., CIKM 2021;
//! Feyisetan et al., WSDM 2020).
//!
//! # Privacy
//! Metric DP with constant η, for the replacement of one word by another. Proof: the noise has density ∝
//! e^(−η‖z‖), so shifting its center from x to x′ changes the density by at most e^(η·d(x,x′)). Rounding the
//! noise to the lattice before it is added makes its law one table of probabilities that does not depend on
//! x; clamping the sum and taking the nearest word are post-processing with public data. Ties go to the
//! lowest row. Added to a sum of word vectors it protects the exchange of one of them in the same way.
//!
//! The metric bound is proved for the ideal noise. The guarantee states how far the computed noise may be from it
//! (`totalVariation`). The δ of the worst case over all pairs includes that error.
//!
//! A word that the vocabulary lacks stands at the rounded mean of all rows, whatever it is. The worst case is η times
//! twice the radius of a ball around that mean that holds all rows, so that it covers this point too.

use alloc::vec::Vec;

use rand_core::CryptoRng;

use super::{Card, Gives, Inputs, Mechanism, Metric, Noise, Prepared, Proof, Randomizer, UPWARDS};
use crate::sampler::multivariate_laplace::{lattice_noise, total_variation};
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
        lattice_noise(self.eta, dims, self.step, rng)
    }
}
