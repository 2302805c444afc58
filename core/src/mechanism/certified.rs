//! `certified` draws from a channel that was fitted to the table: P(y|x) = g(y)·e^(−β·m(x,y)) / Z(x), over the whole
//! vocabulary. Here m = min(d, cutoff), and the base measure g makes Z nearly the same for every word.
//!
//! # Privacy
//! Metric DP in m for the replacement of one word by another. It holds in d too, since d ≥ m. The constant is η = β +
//! max (ln Z(x′) − ln Z(x))/m(x, x′).
//!
//! Proof: ln P(y|x) − ln P(y|x′) = β·(m(x′,y) − m(x,y)) + ln Z(x′) − ln Z(x). Since m is a metric, the first term is at
//! most β·m(x,x′), and y = x reaches that. So the largest loss of any pair is max β·m(x,x′) + ln Z(x′) − ln Z(x).
//!
//! Both maxima were taken over all pairs when the table was made, for the integers g that the table holds. The
//! certificate includes what rounding can add to each (see `channel`). A word that is never offered is drawn like any
//! other. A public stand-in then takes its place, which is post-processing.
//!
//! If Z is the same for all words, then η = β. No other channel of that η keeps more words on average (see
//! `account::channel`). The exponential mechanism has g = 1, and has to state up to 2β.
//!
//! Source: the exponential mechanism with a base measure is by McSherry and Talwar, FOCS 2007. Its weights K⁻¹1 are the
//! weighting of a metric space by Leinster, Documenta Mathematica 18, 2013.

use super::{Card, Gives, Inputs, Mechanism, Metric, Prepared, Proof, Randomizer};
use crate::draw::channel::{Plan, Reach};
use crate::{Certificate, Error, Parameter, Table};

pub(super) const CARD: Card = Card {
    name: "certified",
    parameters: &[Parameter::Level, Parameter::Eta, Parameter::Epsilon],
    gives: Gives::Words,
    has_published: false,
    prepare: prepare_level,
};

/// The channel of the certificate that is asked for.
pub(super) fn prepare_level(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let table = inputs.table()?;
    let (place, certificate) = level(mechanism, table)?;
    let Certificate { beta, cutoff, near, .. } = certificate;
    Ok(Prepared {
        proof: proof(&certificate, table),
        randomizer: Randomizer::Channel(Plan { beta, cutoff, near, reach: Reach::All { certificate: place } }),
    })
}

/// What a certificate proves.
pub(super) fn proof(certificate: &Certificate, table: &Table) -> Proof {
    let Certificate { cutoff, eta, epsilon, .. } = *certificate;
    let metric = if cutoff < table.diameter_bound() { Metric::Truncated(cutoff) } else { Metric::Euclidean };
    Proof::metric(eta, metric, epsilon)
}

/// The level that is asked for, or the largest one that spends no more than what is asked for.
///
/// # Errors
/// [`Error::Invalid`] for a level that does not exist.
pub(super) fn level(mechanism: &Mechanism, table: &Table) -> Result<(usize, Certificate), Error> {
    found(mechanism, table).ok_or(Error::Invalid(Parameter::Level))
}

fn found(mechanism: &Mechanism, table: &Table) -> Option<(usize, Certificate)> {
    let mut levels = table.certificates_of(mechanism.kind());
    if let Some(eta) = mechanism.get(Parameter::Eta) {
        return levels.filter(|(_, level)| level.eta <= eta).last();
    }
    if let Some(epsilon) = mechanism.get(Parameter::Epsilon) {
        return levels.filter(|(_, level)| level.epsilon <= epsilon).last();
    }
    match mechanism.get(Parameter::Level) {
        Some(level) => levels.nth(level as usize),
        None => {
            levels.find(|(_, level)| Some(level.eta) == table.default_level_of(mechanism.kind()).map(|usual| usual.eta))
        }
    }
}
