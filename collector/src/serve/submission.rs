//! What a request sends, as fields: JSON with one release, or a form with a field and its guarantee side by side. Either may
//! have a nonce, which tells a submission that is sent again from an equal one of somebody else.

use std::fmt;

use axum::RequestExt;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, FormRejection};
use axum::extract::{Form, Multipart, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::{Deserializer, Map, Value};
use sha2::{Digest as _, Sha256};

use crate::serve::refusal::Refusal;
use crate::serve::store::Entry;

/// A field's name and what it was given.
pub(crate) type Field = (String, String);

/// The field of a release that comes as JSON.
pub(crate) const TEXT: &str = "text";
/// What a field's guarantee is called: the field's name, and this.
pub(crate) const GUARANTEE: &str = "-guarantee";
/// The field of a nonce.
pub(crate) const NONCE: &str = "nonce";

/// Names of a release's parts. Whoever reads stored releases would take a field of such a name for a part of the one in `text`.
pub(crate) const OF_RELEASES: [&str; 7] =
    ["guarantee", "vectors", "bits", "bitLength", "statements", "deviceOnly", "insecureSeed"];

/// Names a submission. One that is sent again has the same.
pub(crate) type Digest = [u8; 32];

/// The digest of a submission: its nonce and its entries in the order of their names. Nothing else of the nonce is kept.
/// Without a nonce, or with an empty one, which a form sends before its script has run, it is random. Then nobody knows
/// whether an equal submission is somebody else's, and each counts.
///
/// # Errors
/// The nonce has another length, or other characters, than one may have. The system has no random numbers.
pub(crate) fn digest(nonce: Option<&str>, entries: &[Entry]) -> Result<Digest, Refusal> {
    let is_nonce = |nonce: &str| {
        // 22 characters of base64url hold 128 bits; hexadecimal digits and a UUID are longer.
        (22..=64).contains(&nonce.len())
            && nonce.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    let Some(nonce) = nonce.filter(|nonce| !nonce.is_empty()) else {
        let mut digest = Digest::default();
        return getrandom::fill(&mut digest).map(|()| digest).map_err(|_| Refusal::Internal);
    };
    if !is_nonce(nonce) {
        return Err(Refusal::InvalidNonce);
    }
    let mut hash = Sha256::new();
    // With its length before it, no part can be mistaken for the end of another.
    let mut add = |part: &str| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    add(nonce);
    for Entry { field, text, guarantee } in entries {
        add(field);
        add(text);
        add(&guarantee.as_ref().map(Value::to_string).unwrap_or_default());
    }
    Ok(hash.finalize().into())
}

/// The fields of a request, in their order.
///
/// # Errors
/// It has another type, is not what it says, or is too large.
pub(crate) async fn read(request: Request) -> Result<Vec<Field>, Refusal> {
    let content_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "application/json" => {
            let body: Result<Bytes, BytesRejection> = request.extract().await;
            json(&body.map_err(|rejection| refusal(rejection.status()))?)
        }
        "application/x-www-form-urlencoded" => {
            let form: Result<Form<Vec<Field>>, FormRejection> = request.extract().await;
            form.map(|Form(fields)| unwrapped(fields)).map_err(|rejection| refusal(rejection.status()))
        }
        "multipart/form-data" => {
            multipart(request.extract().await.map_err(|_| Refusal::Malformed)?).await.map(unwrapped)
        }
        _ => Err(Refusal::UnsupportedMediaType),
    }
}

/// `{ "text": …, "guarantee": … }`, as a release becomes by `JSON.stringify`, and perhaps a `"nonce"`. The text of a release
/// of statements has all of its `"statements"`, so their list is left out.
fn json(body: &[u8]) -> Result<Vec<Field>, Refusal> {
    let object = str::from_utf8(body).map_err(|_| Refusal::Malformed)?;
    let object = object_of(object).ok_or(Refusal::Malformed)?.ok_or(Refusal::UnknownField)?;
    let field = |(name, value): (String, Value)| match (name.as_str(), value) {
        ("text", Value::String(text)) => Ok((TEXT.into(), text)),
        ("nonce", Value::String(nonce)) => Ok((NONCE.into(), nonce)),
        ("text" | "nonce", _) => Err(Refusal::Malformed),
        ("guarantee", guarantee) => Ok((format!("{TEXT}{GUARANTEE}"), guarantee.to_string())),
        _ => Err(Refusal::UnknownField),
    };
    object.into_iter().filter(|(name, value)| !(name == "statements" && value.is_array())).map(field).collect()
}

/// The object that this JSON is, if it is one. `Some(None)` if it has a field twice.
pub(crate) fn object_of(json: &str) -> Option<Option<Map<String, Value>>> {
    let mut parser = Deserializer::from_str(json);
    let fields = parser.deserialize_map(Fields).ok()?;
    parser.end().ok()?;
    Some(fields)
}

/// Reads an object, and refuses one that has a field twice.
struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Option<Map<String, Value>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut fields, mut has_one_each) = (Map::new(), true);
        while let Some((name, value)) = map.next_entry()? {
            has_one_each &= fields.insert(name, value).is_none();
        }
        Ok(has_one_each.then_some(fields))
    }
}

/// A form's parts. A file is no field of ours.
async fn multipart(mut form: Multipart) -> Result<Vec<Field>, Refusal> {
    let mut fields = Vec::new();
    while let Some(part) = form.next_field().await.map_err(|error| refusal(error.status()))? {
        let name = part.name().filter(|_| part.file_name().is_none()).ok_or(Refusal::UnknownField)?.to_owned();
        fields.push((name, part.text().await.map_err(|error| refusal(error.status()))?));
    }
    Ok(fields)
}

/// Browsers send every line break of a form's values as two characters.
fn unwrapped(fields: Vec<Field>) -> Vec<Field> {
    fields.into_iter().map(|(name, value)| (name, value.replace("\r\n", "\n"))).collect()
}

fn refusal(status: StatusCode) -> Refusal {
    if status == StatusCode::PAYLOAD_TOO_LARGE { Refusal::TooLarge } else { Refusal::Malformed }
}
