//! Whether a declared guarantee is true, and good enough.
//!
//! A guarantee is nothing but what textveil says about some terms and a number of words. So it is stated anew, for the
//! mechanism, the η and the number of words that it speaks of, and compared in every field, the sentence included.

use serde_json::Value;
use textveil::{Disclosure, Error, Guarantee, Mechanism, MechanismKind, Parameter, Privatizer, Table};

use crate::refusal::Refusal;
use crate::shape::Shape;

/// What this collector accepts: mechanisms of metric DP over the embedded table whose words lose a bounded ε, up to a
/// largest. A mechanism that takes another parameter than η is not known here.
pub(crate) struct Terms {
    table: Table,
    max_epsilon: f64,
}

impl Terms {
    /// The terms with the most ε that a word may lose, in nats.
    ///
    /// # Errors
    /// The embedded table is damaged.
    pub(crate) fn new(max_epsilon: f64) -> Result<Self, Error> {
        Ok(Self { table: Table::english()?, max_epsilon })
    }

    /// The guarantee of a release, as textveil states it.
    ///
    /// # Errors
    /// What is declared is not a guarantee of textveil's, is too weak, or is not about this text.
    pub(crate) fn check(&self, text: &str, declared: &Value) -> Result<Guarantee, Refusal> {
        let words = declared["words"].as_u64().and_then(|words| u32::try_from(words).ok()).ok_or(Refusal::NotStated)?;
        let clear = disclosed(declared);
        let mechanism = mechanism(declared).ok_or(Refusal::NotStated)?;
        let privatizer = Privatizer::new(&self.table, mechanism, clear).map_err(|_| Refusal::NotStated)?;
        let stated = privatizer.guarantee(words as usize);
        if !serde_json::to_value(&stated).is_ok_and(|stated| same(&stated, declared)) {
            return Err(Refusal::NotStated);
        }
        if stated.delta_word > 0.0 || stated.epsilon_word > self.max_epsilon {
            return Err(Refusal::TermsNotAccepted);
        }
        let shape = Shape { table: &self.table, clear };
        if shape.fits(text, stated.words) { Ok(stated) } else { Err(Refusal::NotARelease) }
    }
}

/// The mechanism that a guarantee speaks of. A level is named by its η as well as by its number.
fn mechanism(declared: &Value) -> Option<Mechanism> {
    let kind: MechanismKind = declared["mechanism"].as_str()?.parse().ok()?;
    Mechanism::new(kind).with(Parameter::Eta, declared["eta"].as_f64()?).ok()
}

/// What a declaration says is left in clear by choice.
fn disclosed(declared: &Value) -> Disclosure {
    let says = |item: &str| declared["clear"].as_array().is_some_and(|clear| clear.iter().any(|said| said == item));
    Disclosure { function_words: says("function-words"), placeholders: says("placeholders") }
}

/// Equal as JSON: a number is its value, however JavaScript and Rust write it.
fn same(stated: &Value, declared: &Value) -> bool {
    match (stated, declared) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => stated == declared,
    }
}
