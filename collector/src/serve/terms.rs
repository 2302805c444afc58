//! Whether a declared guarantee is true, and good enough.
//!
//! A guarantee is nothing but what textveil says about some terms and a number of words. So it is stated anew, for the
//! mechanism, the η and the number of words that it speaks of, and compared in every field, the sentence included. No mechanism
//! is prepared for that.

use serde::Deserialize;
use serde_json::Value;
use textveil::{Declared, Disclosure, Error, Guarantee, Limits, Loss, Mechanism, MechanismKind, Misstatement, Table};

use crate::serve::refusal::Refusal;
use crate::serve::shape::Shape;

/// How many words a text may have at the weakest level, if the operator does not say how much ε it may lose. That is a long
/// comment of some 1,200 characters. An operator who expects longer texts states another bound.
const WORDS: usize = 200;

/// What the operator says of the terms.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stated {
    /// The mechanisms; none stands for the table's default one.
    pub(crate) mechanisms: Vec<MechanismKind>,
    /// The most ε that a word may lose, in nats; that of the table's default level if nothing is said.
    pub(crate) epsilon: Option<f64>,
    /// The most ε that a text may lose, in nats; that of 200 words at `epsilon` if nothing is said.
    pub(crate) text_epsilon: Option<f64>,
    /// What a release may leave in clear by choice.
    pub(crate) clear: Disclosure,
}

/// What this collector accepts.
pub(crate) struct Terms {
    table: Table,
    limits: Limits,
}

impl Terms {
    /// What the operator states, and the table's defaults elsewhere.
    ///
    /// # Errors
    /// A mechanism is not known here, or the embedded table is damaged.
    pub(crate) fn new(stated: Stated) -> Result<Self, Error> {
        let table = Table::english()?;
        let usual = table.default_mechanism();
        let mechanisms = if stated.mechanisms.is_empty() { vec![usual] } else { stated.mechanisms };
        let epsilon = match stated.epsilon {
            Some(epsilon) => epsilon,
            None => Mechanism::new(usual).loss(&table)?.epsilon,
        };
        let text_epsilon = stated.text_epsilon.unwrap_or_else(|| Loss::pure(epsilon).times(WORDS).epsilon);
        let (word, text) = (Loss::pure(epsilon), Loss { epsilon: text_epsilon, delta: 1.0 });
        let limits = Limits::new(&table, mechanisms, word, text, stated.clear)?;
        Ok(Self { table, limits })
    }

    /// The guarantee of a release, as textveil states it.
    ///
    /// # Errors
    /// What is declared is not a guarantee of textveil's, is not on these terms, or is not about this text.
    pub(crate) fn check(&self, text: &str, declared: &Value) -> Result<Guarantee, Refusal> {
        let declared = Declared::deserialize(declared).map_err(|_| Refusal::NotStated)?;
        let stated = declared.restate(&self.table, &self.limits).map_err(|misstatement| match misstatement {
            Misstatement::NotStated => Refusal::NotStated,
            Misstatement::BeyondLimits => Refusal::TermsNotAccepted,
        })?;
        let shape = Shape { table: &self.table, clear: declared.disclosure() };
        if shape.fits(text, stated.words) { Ok(stated) } else { Err(Refusal::NotARelease) }
    }
}
