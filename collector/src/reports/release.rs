//! A release in a record. It may come from `textveil privatize` or `textveil represent`, from `JSON.stringify` of a
//! release of the npm package, from a form, or from Swift or Python.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::Record;
use crate::serve::submission::{GUARANTEE, TEXT};

/// The parts of an object that hold a release.
const PARTS: [&str; 4] = [TEXT, "vectors", "bits", STATEMENTS];
const STATEMENTS: &str = "statements";

/// What a device has sent.
#[derive(Debug, PartialEq)]
pub(super) struct Sent {
    pub(super) content: Content,
    /// Its guarantee, if the record has one: an object, or its JSON.
    pub(super) guarantee: Option<Value>,
    /// Whether it says itself that its draws followed from a seed.
    pub(super) is_seeded: bool,
}

/// What was drawn.
#[derive(Debug, PartialEq)]
pub(crate) enum Content {
    /// Words; or statements with a space between them.
    Text(String),
    /// Statements one by one.
    Statements(Vec<String>),
    /// A row for each word, or one for the text.
    Vectors(Vec<Vec<f32>>),
    /// The same of zeros and ones; or one row for a choice.
    Bits(Vec<Vec<f32>>),
}

impl Sent {
    /// The release in a field, or the record itself without one. A field holds a text, with its guarantee in
    /// `FIELD-guarantee`, or an object with text (or vectors, bits or statements) and guarantee. Null is no release.
    ///
    /// # Errors
    /// The release is missing or damaged, or the record holds what no device may send.
    pub(super) fn of(record: &Record, field: Option<&str>) -> Result<Option<Self>> {
        let at = |name: &str| record.get(name).with_context(|| format!("there is no field \"{name}\""));
        let (object, name) = match field {
            None => (record, TEXT),
            Some(field) => at(field)?.as_object().map_or((record, field), |inner| (inner, TEXT)),
        };
        ensure!(
            !object.contains_key("deviceOnly"),
            "it holds \"deviceOnly\", the words that were typed, which must not leave the device: delete it there"
        );
        let beside = if name == TEXT { object.get("guarantee") } else { None };
        let guarantee = object.get(&format!("{name}{GUARANTEE}")).or(beside).filter(|stated| !stated.is_null());
        let is_seeded = object.get("insecureSeed") == Some(&Value::Bool(true));
        let parts = if name == TEXT { PARTS.as_slice() } else { &[name] };
        let mut parts = parts.iter().filter_map(|part| Some((*part, object.get(*part)?)));
        let content = match (parts.next(), parts.next(), parts.next()) {
            (Some((_, Value::Null)), None, None) => return Ok(None),
            (Some(("vectors", value)), None, None) => {
                Content::Vectors(vectors(value).context("its vectors are damaged")?)
            }
            (Some(("bits", value)), None, None) => {
                Content::Bits(bits(value, object.get("bitLength")).context("its bits are damaged")?)
            }
            (Some((STATEMENTS, value)), None, None) => Content::Statements(statements(value)?),
            (Some((_, Value::String(text))), None, None) => Content::Text(text.clone()),
            // The npm package writes both.
            (Some((TEXT, text)), Some((STATEMENTS, value)), None) => {
                let statements = statements(value)?;
                ensure!(*text == statements.join(" "), "its text is not that of its statements");
                Content::Statements(statements)
            }
            (Some(_), None, _) => bail!("its text is no text"),
            (Some(_), Some(_), _) => bail!("it holds several releases: name one by --field"),
            (None, ..) => bail!("there is no text, and no vectors, bits or statements: --field names where they are"),
        };
        Ok(Some(Self { content, guarantee: guarantee.cloned(), is_seeded }))
    }
}

/// Each as a text, or as an object with its text.
fn statements(value: &Value) -> Result<Vec<String>> {
    let text = |value: &Value| Some(value.as_str().or_else(|| value.get(TEXT)?.as_str())?.to_owned());
    value.as_array().and_then(|all| all.iter().map(text).collect()).context("its statements are damaged")
}

fn vectors(value: &Value) -> Option<Vec<Vec<f32>>> {
    let row = |row: &Value| numbers(row)?.into_iter().map(|x| Some(x as f32).filter(|x| x.is_finite())).collect();
    value.as_array()?.iter().map(row).collect()
}

/// Rows of digits, or of bytes with eight bits each, the first in the highest place; or the bytes of one row.
fn bits(value: &Value, length: Option<&Value>) -> Option<Vec<Vec<f32>>> {
    let digit = |digit| match digit {
        '0' => Some(0.0),
        '1' => Some(1.0),
        _ => None,
    };
    let row = |row: &Value| {
        if let Value::String(digits) = row {
            return digits.chars().map(digit).collect();
        }
        let length = usize::try_from(length?.as_u64()?).ok()?;
        let bytes: Option<Vec<u8>> = numbers(row)?.into_iter().map(byte).collect();
        let bytes = bytes.filter(|bytes| bytes.len() == length.div_ceil(8))?;
        let bit = |place: usize| f32::from(bytes.get(place / 8).map_or(0, |byte| byte >> (7 - place % 8) & 1));
        let is_padded_with_zeros = (length..8 * bytes.len()).all(|place| bit(place) == 0.0);
        is_padded_with_zeros.then(|| (0..length).map(bit).collect())
    };
    match value {
        Value::Array(rows) if !rows.first().is_some_and(Value::is_number) => rows.iter().map(row).collect(),
        _ => Some(vec![row(value)?]),
    }
}

fn byte(number: f64) -> Option<u8> {
    (0..=u8::MAX).find(|byte| f64::from(*byte) == number)
}

/// Numbers of a list, or of a typed array, which JSON has as an object with the keys "0", "1", ….
fn numbers(value: &Value) -> Option<Vec<f64>> {
    match value {
        Value::Array(numbers) => numbers.iter().map(Value::as_f64).collect(),
        Value::Object(numbers) => (0..numbers.len()).map(|place| numbers.get(&place.to_string())?.as_f64()).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sent(record: &Value, field: Option<&str>) -> Result<Sent> {
        let sent = Sent::of(record.as_object().expect("an object"), field)?;
        sent.context("null")
    }

    fn text_of(sent: Sent) -> (String, Option<Value>) {
        let Content::Text(text) = sent.content else { unreachable!("a text") };
        (text, sent.guarantee)
    }

    #[test]
    fn a_release_is_found_wherever_a_surface_puts_it() {
        let guarantee = json!({ "words": 2 });
        for (record, field) in [
            (json!({ "text": "a b", "guarantee": guarantee, "label": "x" }), None),
            (json!({ "text": "a b", "text-guarantee": guarantee }), None),
            (json!({ "comment": "a b", "comment-guarantee": guarantee, "text": "other" }), Some("comment")),
            (json!({ "release": { "text": "a b", "guarantee": guarantee }, "label": 1 }), Some("release")),
        ] {
            let found = text_of(sent(&record, field).expect("a release"));
            assert_eq!(found, ("a b".to_owned(), Some(guarantee.clone())), "{record}");
        }
        let of_another = json!({ "comment": "in clear", "text": "a b", "guarantee": guarantee });
        assert_eq!(text_of(sent(&of_another, Some("comment")).expect("a text")).1, None);
    }

    #[test]
    fn typed_arrays_and_digits_are_the_same_bits_and_vectors() {
        let rows = vec![vec![1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]];
        for record in [
            json!({ "bits": ["101100001"] }),
            json!({ "bits": [[0b1011_0000, 0b1000_0000]], "bitLength": 9 }),
            json!({ "bits": [{ "0": 0b1011_0000, "1": 0b1000_0000 }], "bitLength": 9 }),
            json!({ "bits": [0b1011_0000, 0b1000_0000], "bitLength": 9 }),
            json!({ "bits": { "0": 0b1011_0000, "1": 0b1000_0000 }, "bitLength": 9 }),
        ] {
            assert_eq!(sent(&record, None).expect("bits").content, Content::Bits(rows.clone()), "{record}");
        }
        let numbers: Vec<f32> = (0..12).map(|x| x as f32 / 2.0).collect();
        let object: serde_json::Map<_, _> = (0..12).map(|x| (x.to_string(), json!(f64::from(x) / 2.0))).collect();
        for record in [json!({ "vectors": [numbers] }), json!({ "vectors": [object] })] {
            assert_eq!(sent(&record, None).expect("vectors").content, Content::Vectors(vec![numbers.clone()]));
        }
    }

    #[test]
    fn statements_come_one_by_one_and_null_is_no_release() {
        let two = Content::Statements(vec!["It crashes.".to_owned(), "It is dear.".to_owned()]);
        for record in [
            json!({ "statements": ["It crashes.", "It is dear."] }),
            json!({ "statements": [{ "number": 0, "text": "It crashes." }, { "number": 7, "text": "It is dear." }] }),
            json!({ "text": "It crashes. It is dear.", "statements": ["It crashes.", "It is dear."] }),
        ] {
            assert_eq!(sent(&record, None).expect("statements").content, two, "{record}");
        }
        let null = json!({ "comment": null });
        assert_eq!(Sent::of(null.as_object().expect("an object"), Some("comment")).expect("no release"), None);
    }

    #[test]
    fn what_is_damaged_is_refused_without_a_word_of_it() {
        for (record, why) in [
            (json!({ "text": 7 }), "its text is no text"),
            (json!({ "text": "secret", "bits": [] }), "several releases"),
            (json!({ "secret": "secret" }), "no text"),
            (json!({ "text": "secret", "statements": ["It crashes."] }), "its text is not that of its statements"),
            (json!({ "statements": ["secret", 7] }), "its statements are damaged"),
            (json!({ "text": "secret", "statements": [], "bits": [] }), "several releases"),
            (json!({ "text": "secret", "deviceOnly": { "account": [] } }), "must not leave the device"),
            (json!({ "bits": ["0120"] }), "its bits are damaged"),
            (json!({ "bits": [[255]], "bitLength": 7 }), "its bits are damaged"),
            (json!({ "bits": [[255, 0]], "bitLength": 8 }), "its bits are damaged"),
            (json!({ "bits": [[0.5]], "bitLength": 8 }), "its bits are damaged"),
            (json!({ "vectors": "secret" }), "its vectors are damaged"),
            (json!({ "vectors": [["secret"]] }), "its vectors are damaged"),
            (json!({ "vectors": [[1e300]] }), "its vectors are damaged"),
            (json!({ "vectors": [{ "0": 1, "2": 1 }] }), "its vectors are damaged"),
        ] {
            let refusal = sent(&record, None).expect_err("damaged").to_string();
            assert!(refusal.contains(why) && !refusal.contains("secret"), "{refusal}");
        }
        let refusal = sent(&json!({ "text": "secret" }), Some("comment")).expect_err("not there").to_string();
        assert_eq!(refusal, "there is no field \"comment\"");
    }
}
