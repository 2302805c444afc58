//! Results as plain JavaScript objects; `wasm/npm/textveil.d.ts` describes each.

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use textveil::{
    Alternatives, Found, Guarantee, InTheClear, MechanismKind, Release, SamplerKind, Table, TokenKind, WordId,
};
use wasm_bindgen::JsValue;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReleaseView<'a> {
    text: &'a str,
    guarantee: GuaranteeView<'a>,
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
struct GuaranteeView<'a> {
    mechanism: MechanismKind,
    notion: &'static str,
    unit: &'static str,
    neighbours: &'static str,
    eta: f64,
    epsilon_word: f64,
    words: f64,
    epsilon_text: f64,
    exact_sampler: bool,
    clear: &'a [InTheClear],
    table: String,
    statement: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LevelView {
    mechanism: MechanismKind,
    index: u32,
    eta: f64,
    epsilon_word: f64,
    retention: f64,
    retention_by_frequency: f64,
    is_default: bool,
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
    object(&ReleaseView { text: &release.text, guarantee: view(&release.guarantee), account: account.collect() })
}

pub(crate) fn guarantee(guarantee: &Guarantee) -> JsValue {
    object(&view(guarantee))
}

fn view(guarantee: &Guarantee) -> GuaranteeView<'_> {
    GuaranteeView {
        mechanism: guarantee.mechanism,
        notion: Guarantee::NOTION,
        unit: Guarantee::UNIT,
        neighbours: Guarantee::NEIGHBOURS,
        eta: guarantee.eta,
        epsilon_word: guarantee.epsilon_word,
        words: guarantee.words as f64,
        epsilon_text: guarantee.epsilon_text,
        exact_sampler: guarantee.sampler == SamplerKind::Exact,
        clear: &guarantee.clear,
        table: guarantee.table.to_string(),
        statement: guarantee.statement(),
    }
}

pub(crate) fn levels(table: &Table) -> JsValue {
    let of_kind = |kind| {
        let default = table.default_level_of(kind);
        (0..).zip(table.levels_of(kind)).map(move |(index, level)| LevelView {
            mechanism: kind,
            index,
            eta: level.eta.get(),
            epsilon_word: level.mechanism().epsilon_word(table),
            retention: level.retention,
            retention_by_frequency: level.retention_by_frequency,
            is_default: default == Some(level),
        })
    };
    object(&MechanismKind::ALL.into_iter().flat_map(of_kind).collect::<Vec<_>>())
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
    shape.serialize(&Serializer::new().serialize_missing_as_null(true)).unwrap_or(JsValue::NULL)
}
