//! The short form of a guarantee: its fields without the English, which follows from them, and a digest of the whole.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Deserialize;
use serde::de::{Error, IgnoredAny};
use serde_json::{Map, Value, json};

use super::Guarantee;
use super::declared::{Declared, DeclaredLosses, DeclaredTerms};
use crate::digest::{Hex, sha256};

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
        let stated = Guarantee::try_from(&long(fields)?).ok();
        let stated = stated.filter(|stated| canonical(&stated.short()) == canonical(&short));
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
