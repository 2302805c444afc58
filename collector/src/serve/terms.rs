//! Whether a declared guarantee is true, and good enough.
//!
//! A guarantee is nothing but what textveil says about some terms and a number of words. So it is stated anew, for the
//! mechanism, the η and the number of words that it speaks of, and compared in every field, the sentence included.

use serde_json::Value;
use textveil::{
    Disclosure, Error, Guarantee, InTheClear, Loss, Mechanism, MechanismKind, Parameter, Privatizer, Table,
};

use crate::serve::refusal::Refusal;
use crate::serve::shape::Shape;

/// The mechanisms whose releases can be checked: those of metric DP over the embedded table that take η alone, and whose
/// words lose a bounded ε.
const KNOWN: [MechanismKind; 4] =
    [MechanismKind::Certified, MechanismKind::Plateau, MechanismKind::Exponential, MechanismKind::LatticeLaplace];

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
    mechanisms: Vec<MechanismKind>,
    epsilon: f64,
    text_epsilon: f64,
    clear: Disclosure,
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
        if !mechanisms.iter().all(|kind| KNOWN.contains(kind)) {
            return Err(Error::InvalidMechanism);
        }
        let epsilon = match stated.epsilon {
            Some(epsilon) => epsilon,
            None => Mechanism::new(usual).loss(&table)?.epsilon,
        };
        let text_epsilon = stated.text_epsilon.unwrap_or_else(|| Loss::pure(epsilon).times(WORDS).epsilon);
        Ok(Self { table, mechanisms, epsilon, text_epsilon, clear: stated.clear })
    }

    /// The guarantee of a release, as textveil states it.
    ///
    /// # Errors
    /// What is declared is not a guarantee of textveil's, is not on these terms, or is not about this text.
    pub(crate) fn check(&self, text: &str, declared: &Value) -> Result<Guarantee, Refusal> {
        let words = declared["words"].as_u64().and_then(|words| u32::try_from(words).ok()).ok_or(Refusal::NotStated)?;
        let kind: MechanismKind =
            declared["mechanism"].as_str().and_then(|name| name.parse().ok()).ok_or(Refusal::NotStated)?;
        let clear = disclosed(declared);
        // Every number that is declared is compared below with what holds. So terms that are declared too weak are refused
        // here, before anything is computed for a mechanism that a client has chosen.
        if !self.mechanisms.contains(&kind)
            || number(declared, "deltaWord")? > 0.0
            || number(declared, "epsilonWord")? > self.epsilon
            || number(declared, "epsilonText")? > self.text_epsilon
            || (clear.function_words && !self.clear.function_words)
            || (clear.placeholders && !self.clear.placeholders)
        {
            return Err(Refusal::TermsNotAccepted);
        }
        // A level is named by its η as well as by its number.
        let mechanism = Mechanism::new(kind)
            .with(Parameter::Eta, number(declared, "eta")?)
            .and_then(|mechanism| Privatizer::new(&self.table, mechanism, clear));
        let stated = mechanism.map_err(|_| Refusal::NotStated)?.guarantee(words as usize);
        if !serde_json::to_value(&stated).is_ok_and(|stated| same(&stated, declared)) {
            return Err(Refusal::NotStated);
        }
        let shape = Shape { table: &self.table, clear };
        if shape.fits(text, stated.words) { Ok(stated) } else { Err(Refusal::NotARelease) }
    }
}

/// A number that every guarantee has.
fn number(declared: &Value, name: &str) -> Result<f64, Refusal> {
    declared[name].as_f64().ok_or(Refusal::NotStated)
}

/// What a declaration says is left in clear by choice.
fn disclosed(declared: &Value) -> Disclosure {
    let says = |item: InTheClear| {
        declared["clear"].as_array().is_some_and(|clear| clear.iter().any(|said| said == item.name()))
    };
    Disclosure { function_words: says(InTheClear::FunctionWords), placeholders: says(InTheClear::Placeholders) }
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
