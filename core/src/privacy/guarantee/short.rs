//! The short form of a guarantee: its fields without the English, which follows from them, and a digest of the whole.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Error, IgnoredAny};
use serde_json::{Map, Value, json};

use super::declared::{Declared, DeclaredList, DeclaredLosses, DeclaredTerms};
use super::{Claim, Guarantee, Metric, Notion};
use crate::digest::{Hex, sha256};
use crate::{FileId, ListId, Parameter};

/// The fields that the short form leaves out, with what stands in for them until they are stated.
const LEFT_OUT: [(&str, Value); 3] = [
    ("neighbours", Value::String(String::new())),
    ("exactSampler", Value::Bool(false)),
    ("statement", Value::String(String::new())),
];

impl Guarantee {
    /// The short form, as JSON. A collector states the rest from it.
    #[must_use]
    pub fn short(&self) -> Value {
        let mut short = json!(self);
        let digest = Hex(&sha256(&[canonical(&short).as_bytes()])).to_string();
        if let Value::Object(fields) = &mut short {
            fields.retain(|name, _| LEFT_OUT.iter().all(|(left, _)| left != name));
            fields.insert("digest".to_string(), digest.into());
        }
        short
    }
}

/// JSON as RFC 8785 has it: names in order, no white space, numbers as JavaScript writes them.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            let fields = fields.into_iter().map(|(name, value)| format!("{}:{}", json!(name), canonical(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Value::Array(values) => format!("[{}]", values.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Number(number) => number.as_f64().map(shortest).unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::String(_) => value.to_string(),
    }
}

fn shortest(number: f64) -> String {
    let is_plain = number == 0.0 || (1e-6..1e21).contains(&number.abs());
    let sign = if number.abs() < 1.0 { "e" } else { "e+" };
    if is_plain { format!("{}", number + 0.0) } else { format!("{number:e}").replace('e', sign) }
}

impl TryFrom<Map<String, Value>> for Declared {
    type Error = serde_json::Error;

    /// The long form, or the short one if it is that of what is stated from it.
    fn try_from(mut fields: Map<String, Value>) -> Result<Self, Self::Error> {
        if !fields.contains_key("digest") {
            return long(fields);
        }
        let short = Value::Object(fields.clone());
        fields.remove("digest");
        fields.extend(LEFT_OUT.map(|(name, unknown)| (name.to_string(), unknown)));
        let stated = guarantee(&long(fields)?).filter(|stated| canonical(&stated.short()) == canonical(&short));
        stated.map(|stated| Self::from(&stated)).ok_or_else(|| Error::custom("the digest is of another guarantee"))
    }
}

// Not a `DeclaredDraw`: below a second `flatten`, serde would not notice a field that is unknown.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Long {
    #[serde(flatten)]
    terms: DeclaredTerms,
    #[serde(flatten)]
    losses: DeclaredLosses,
    notion: String,
    exact_sampler: bool,
    statement: String,
    #[serde(flatten)]
    rest: BTreeMap<String, IgnoredAny>,
}

fn long(fields: Map<String, Value>) -> Result<Declared, serde_json::Error> {
    let Long { terms, losses, notion, exact_sampler, statement, rest } = Long::deserialize(Value::Object(fields))?;
    let declared = Declared { terms, losses, notion, exact_sampler, statement };
    rest.is_empty().then_some(declared).ok_or_else(|| Error::custom("a guarantee has no such field"))
}

/// The guarantee with these fields.
fn guarantee(Declared { terms, losses, notion, .. }: &Declared) -> Option<Guarantee> {
    let given = |parameter: Parameter| Some((parameter, *terms.parameters.get(parameter.camel_case())?));
    let metric = match terms.metric.as_deref() {
        None => None,
        Some("euclidean") => Some(Metric::Euclidean),
        Some("mahalanobis") => Some(Metric::Mahalanobis(0.0)),
        Some(_) => Some(Metric::Truncated(terms.cutoff?)),
    };
    let epsilon = |finite: Option<f64>| finite.unwrap_or(f64::INFINITY);
    let claim = terms.claim.as_ref().map_or(Some(None), |claim| {
        let source = Claim::known_source(&claim.source)?;
        Some(Some(Claim { epsilon: epsilon(claim.epsilon), delta: claim.delta, source, holds: claim.holds }))
    })?;
    Some(Guarantee {
        mechanism: terms.kind()?,
        calibration: terms.calibration.parse().ok()?,
        parameters: Parameter::ALL.iter().copied().filter_map(given).collect(),
        unit: named(&terms.unit)?,
        eta: terms.eta,
        metric,
        epsilon_word: epsilon(losses.epsilon_word),
        delta_word: losses.delta_word,
        words: losses.words as usize,
        epsilon_text: epsilon(losses.epsilon_text),
        delta_text: losses.delta_text,
        claim,
        total_variation: losses.total_variation,
        clear: terms.clear.iter().map(|name| named(name)).collect::<Option<_>>()?,
        table: if let Some(hex) = &terms.table { Some(FileId::from_hex(hex)?) } else { None },
        known_seed: notion == Notion::KnownSeed.name(),
        kept_words: list(terms.kept_words.as_ref())?,
        never_said: list(terms.never_said.as_ref())?,
    })
}

/// No list where none is named; none at all where what is named cannot be one.
fn list(named: Option<&DeclaredList>) -> Option<Option<ListId>> {
    named.map_or(Some(None), |list| list.id().map(Some))
}

fn named<T: DeserializeOwned>(name: &str) -> Option<T> {
    T::deserialize(Value::from(name)).ok()
}
