//! The exponential mechanism in the metric min(d, γ): words farther than γ are all equally likely.
//!
//! # Privacy
//! Metric DP with constant η in min(d, γ), and therefore also in d. Proof: min(d, γ) is a metric, so the proof of
//! `exponential` holds word for word. Any two words are at most γ apart. So the channel is (η·γ)-LDP.
//!
//! Source: Carvalho et al., SDM 2023 (TEM). Their draw uses Gumbel noise over the near words, and one pooled element
//! for the far ones. It has this distribution.

use super::{Card, Gives, Inputs, Mechanism, Metric, Prepared, Proof, Randomizer, UPWARDS};
use crate::draw::channel::{EPSILON_CEILING, Plan, Reach};
use crate::{Error, Parameter};

pub(super) const CARD: Card = Card {
    name: "truncated-exponential",
    parameters: &[Parameter::Eta, Parameter::Epsilon, Parameter::Gamma],
    gives: Gives::Words,
    has_published: false,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let table = inputs.table()?;
    let gamma = mechanism.required(Parameter::Gamma)?;
    // With a smaller γ, different words would have the distance 0.
    if gamma < table.scale() {
        return Err(Error::Invalid(Parameter::Gamma));
    }
    let farthest = gamma.min(table.diameter_bound());
    let eta = mechanism.eta(inputs, farthest)?;
    let epsilon = (eta * farthest * UPWARDS).min(EPSILON_CEILING);
    Ok(Prepared {
        proof: Proof::metric(eta, Metric::Truncated(gamma), epsilon),
        randomizer: Randomizer::Channel(Plan::half(eta, gamma, Reach::Offered, table)),
    })
}
