//! Results as plain JavaScript objects; `wasm/npm/textveil.d.ts` describes each.

use js_sys::{Array, Float64Array, Object, Reflect, Uint8Array};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use textveil::{
    Alternatives, Error, Found, Guarantee, MechanismKind, Release, Representation, Table, TokenKind, Values, WordId,
    packed,
};
use wasm_bindgen::JsValue;

#[derive(Serialize)]
struct ReleaseView<'a> {
    text: &'a str,
    guarantee: &'a Guarantee,
    account: Vec<TokenView<'a>>,
}

#[derive(Serialize)]
struct TokenView<'a> {
    token: &'a str,
    kind: TokenKind,
    found: Option<Found>,
    input: Option<String>,
    output: Option<String>,
    clear: bool,
    kept: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MechanismView {
    name: MechanismKind,
    parameters: Vec<&'static str>,
    has_published: bool,
}

#[derive(Serialize)]
struct AlternativesView {
    input: String,
    found: Found,
    estimated: bool,
    distribution: Vec<AlternativeView>,
}

#[derive(Serialize)]
struct AlternativeView {
    word: String,
    probability: f64,
    distance: f64,
    factor: f64,
}

pub(crate) fn release(table: &Table, release: &Release) -> JsValue {
    let word = |row: WordId| table.word(row).to_string();
    let account = release.account.iter().map(|entry| TokenView {
        token: &entry.token,
        kind: entry.kind,
        found: entry.reading.map(|reading| reading.found),
        input: entry.reading.map(|reading| word(reading.row)),
        output: entry.output.map(word),
        clear: entry.clear,
        kept: entry.is_kept(),
    });
    object(&ReleaseView { text: &release.text, guarantee: &release.guarantee, account: account.collect() })
}

/// Numbers as typed arrays: a list of JavaScript would box each.
pub(crate) fn representation(representation: &Representation) -> JsValue {
    let promised = ("guarantee", guarantee(&representation.guarantee));
    match &representation.values {
        Values::Lattice { .. } => {
            let rows = representation.vectors();
            let vectors: Array = rows.iter().map(|row| Float64Array::from(row.as_slice())).collect();
            record(&[("vectors", vectors.into()), promised])
        }
        Values::Bits(rows) => {
            let bits: Array = rows.iter().map(|row| bytes(row)).collect();
            record(&[("bits", bits.into()), ("bitLength", rows.first().map_or(0, Vec::len).into()), promised])
        }
    }
}

pub(crate) fn choice(report: &[bool], promised: &Guarantee) -> JsValue {
    record(&[("bits", bytes(report).into()), ("bitLength", report.len().into()), ("guarantee", guarantee(promised))])
}

fn bytes(bits: &[bool]) -> Uint8Array {
    Uint8Array::from(packed(bits).as_slice())
}

/// An object of these properties.
fn record(properties: &[(&str, JsValue)]) -> JsValue {
    let record = Object::new();
    for (name, value) in properties {
        // Setting a property of a fresh object cannot fail.
        let _ = Reflect::set(&record, &(*name).into(), value);
    }
    record.into()
}

pub(crate) fn guarantee(guarantee: &Guarantee) -> JsValue {
    object(guarantee)
}

pub(crate) fn levels(table: &Table) -> Result<JsValue, Error> {
    Ok(object(&table.level_reports()?))
}

pub(crate) fn mechanisms() -> JsValue {
    let view = |kind: &MechanismKind| MechanismView {
        name: *kind,
        parameters: kind.parameters().iter().map(|parameter| parameter.camel_case()).collect(),
        has_published: kind.has_published(),
    };
    object(&MechanismKind::ALL.iter().map(view).collect::<Vec<_>>())
}

pub(crate) fn alternatives(table: &Table, found: &Alternatives) -> JsValue {
    let distribution = found.outputs.iter().map(|output| AlternativeView {
        word: table.word(output.word).to_string(),
        probability: output.probability,
        distance: output.distance,
        factor: output.factor,
    });
    object(&AlternativesView {
        input: table.word(found.reading.row).to_string(),
        found: found.reading.found,
        estimated: found.estimated,
        distribution: distribution.collect(),
    })
}

#[cfg(feature = "insecure-seeded-rng")]
pub(crate) fn pieces(pieces: &[textveil::Piece]) -> JsValue {
    let pairs = pieces.iter().map(|piece| match piece {
        textveil::Piece::Layout(run) => ("layout", run),
        textveil::Piece::Token { kind, text } => (kind.name(), text),
    });
    object(&pairs.collect::<Vec<_>>())
}

/// These shapes (strings, numbers, flags, lists) always serialize; what is absent is `null`.
fn object(shape: &impl Serialize) -> JsValue {
    shape
        .serialize(&Serializer::new().serialize_missing_as_null(true).serialize_maps_as_objects(true))
        .unwrap_or(JsValue::NULL)
}
