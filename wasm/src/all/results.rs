//! Representations and reports as JavaScript objects. Numbers are typed arrays: a list of JavaScript would box each.

use js_sys::{Array, Float64Array, Int32Array, Uint8Array};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use textveil::{
    Deniability, Found, Guarantee, Representation, Table, TokenDeniability, TokenKind, Values, WordId, packed,
};
use textveil_contribute::{Noise, Request};
use wasm_bindgen::JsValue;

use crate::js::{record, set};
use crate::results::guarantee;

/// The value as plain JavaScript, or `null` for a shape that results do not have. (The small module has a few
/// lines of its own for this: `plain.rs`.)
pub(crate) fn plain(shape: &(impl Serialize + ?Sized)) -> JsValue {
    shape.serialize(&Serializer::json_compatible()).unwrap_or(JsValue::NULL)
}

pub(crate) fn representation(representation: &Representation) -> JsValue {
    let promised = ("guarantee", guarantee(&representation.guarantee));
    match &representation.values {
        Values::Lattice { .. } => {
            let vectors = representation.vectors();
            record([("vectors", list(vectors.iter().map(|row| Float64Array::from(row.as_slice()).into()))), promised])
        }
        Values::Bits(rows) => {
            let length = rows.first().map_or(0, Vec::len);
            record([("bits", list(rows.iter().map(|row| bytes(row)))), ("bitLength", length.into()), promised])
        }
    }
}

#[derive(Serialize)]
struct DeniabilityView<'a> {
    token: &'a str,
    kind: TokenKind,
    found: Option<Found>,
    input: Option<String>,
    deniability: Option<Deniability>,
}

pub(crate) fn deniability(table: &Table, tokens: &[TokenDeniability]) -> JsValue {
    let views = tokens.iter().map(|token| DeniabilityView {
        token: &token.token,
        kind: token.kind,
        found: token.reading.map(|reading| reading.found),
        input: token.reading.and_then(|reading| reading.row).map(|row| table.word(row).to_string()),
        deniability: token.deniability,
    });
    plain(&views.collect::<Vec<_>>())
}

#[derive(Serialize)]
struct GuessesView {
    guess: Vec<GuessView>,
    written: f64,
    candidates: usize,
}

#[derive(Serialize)]
struct GuessView {
    word: String,
    probability: f64,
}

pub(crate) fn guesses(table: &Table, found: &[(WordId, f64)], written: f64, candidates: usize) -> JsValue {
    let view = |(word, probability): &(WordId, f64)| GuessView {
        word: table.word(*word).to_string(),
        probability: *probability,
    };
    plain(&GuessesView { guess: found.iter().map(view).collect(), written, candidates })
}

pub(crate) fn choice(report: &[bool], promised: &Guarantee) -> JsValue {
    record([("bits", bytes(report)), ("bitLength", report.len().into()), ("guarantee", guarantee(promised))])
}

fn bytes(bits: &[bool]) -> JsValue {
    Uint8Array::from(packed(bits).as_slice()).into()
}

pub(crate) fn contribution(request: &Request, vector: &[i32], guarantee: &textveil_contribute::Guarantee) -> JsValue {
    record([
        ("vector", Int32Array::from(vector).into()),
        ("id", request.id().into()),
        ("guarantee", promised(guarantee)),
        ("bits", request.bits().into()),
        ("largest", request.largest().into()),
    ])
}

/// What is proved of who contributes.
pub(crate) fn promised(guarantee: &textveil_contribute::Guarantee) -> JsValue {
    let noise = match guarantee.noise {
        Noise::Devices { least } => record([("by", "devices".into()), ("least", least.into())]),
        Noise::Sum => record([("by", "sum".into())]),
    };
    let promised = record([
        ("epsilon", guarantee.epsilon.into()),
        ("delta", guarantee.delta.into()),
        ("rho", guarantee.rho.into()),
        ("noise", noise),
        ("neighbours", guarantee.neighbours.into()),
        ("statement", guarantee.to_string().into()),
    ]);
    if guarantee.known_seed {
        set(&promised, "knownSeed", true.into());
    }
    promised
}

/// A word for each row; null where the row is missing.
pub(crate) fn words(table: &Table, rows: impl Iterator<Item = Option<WordId>>) -> JsValue {
    list(rows.map(|row| row.map_or(JsValue::NULL, |row| table.word(row).to_string().into())))
}

fn list(items: impl Iterator<Item = JsValue>) -> JsValue {
    items.collect::<Array>().into()
}
