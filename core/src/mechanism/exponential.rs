//! The exponential mechanism over the whole vocabulary: P(y|x) = e^(−β·d(x,y)) / Z(x) for offered words y.
//!
//! # Privacy
//! Metric DP with constant η = 2β, for the replacement of one word by another.
//!
//! Proof: ln P(y|x) − ln P(y|x′) = β·(d(x′,y) − d(x,y)) + ln Z(x′) − ln Z(x). By the triangle inequality the first term
//! is at most β·d(x,x′). So is the second, since every term of the sum Z changes by at most the factor e^(β·d(x,x′)).
//! Both steps also hold for sums over offered words alone.
//!
//! The exponent is cut off at 28. That is the same mechanism for the metric min(d, 28/β), so the proof stands. The
//! channel is also (2·28)-LDP. Draws are exact, and their rounding is inside η (see `channel`).
//!
//! Source: McSherry and Talwar, FOCS 2007, with the distance as utility. For text: Yue et al., Findings of ACL 2021
//! (SanText).

use super::{Card, Gives, Inputs, Mechanism, Metric, Prepared, Proof, Randomizer, UPWARDS};
use crate::draw::channel::{EPSILON_CEILING, Plan, Reach};
use crate::{Error, Parameter, Table};

pub(super) const CARD: Card = Card {
    name: "exponential",
    parameters: &[Parameter::Eta, Parameter::Epsilon, Parameter::Level],
    gives: Gives::Words,
    has_published: false,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let table = inputs.table()?;
    let eta = mechanism.eta(inputs, table.diameter_bound())?;
    Ok(Prepared {
        proof: proof(mechanism, table)?,
        randomizer: Randomizer::Channel(Plan::half(eta, f64::INFINITY, Reach::Offered, table)),
    })
}

/// What is proved of the η that is asked for.
pub(super) fn proof(mechanism: &Mechanism, table: &Table) -> Result<Proof, Error> {
    let diameter = table.diameter_bound();
    let eta = mechanism.eta(&Inputs::Table(table), diameter)?;
    Ok(Proof::metric(eta, Metric::Euclidean, (eta * diameter * UPWARDS).min(EPSILON_CEILING)))
}
