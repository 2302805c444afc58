//! Results as plain JavaScript objects; `wasm/npm/types.d.ts` describes each.

use serde::Serialize;
use textveil::{Alternatives, Error, Found, Guarantee, MechanismKind, Parameter, Release, Table, TokenKind, WordId};
use wasm_bindgen::JsValue;

#[cfg(not(feature = "all-mechanisms"))]
use textveil::{StatementList, StatementRelease};

#[cfg(feature = "all-mechanisms")]
use crate::all::results::plain;
#[cfg(not(feature = "all-mechanisms"))]
use crate::plain::plain;

#[derive(Serialize)]
struct ReleaseView<'a> {
    text: &'a str,
    guarantee: &'a Guarantee,
    account: Vec<TokenView<'a>>,
}

#[cfg(not(feature = "all-mechanisms"))]
#[derive(Serialize)]
struct StatementReleaseView<'a> {
    text: &'a str,
    guarantee: &'a Guarantee,
    statements: Vec<StatedView<'a>>,
}

#[cfg(not(feature = "all-mechanisms"))]
#[derive(Serialize)]
struct StatedView<'a> {
    number: u32,
    text: &'a str,
}

#[derive(Serialize)]
struct TokenView<'a> {
    token: &'a str,
    kind: TokenKind,
    found: Option<Found>,
    input: Option<String>,
    output: Option<String>,
    written: Option<String>,
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
    input: Option<String>,
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
        input: entry.reading.and_then(|reading| reading.row).map(word),
        output: entry.output.map(word),
        written: entry.written.map(word),
        clear: entry.clear,
        kept: entry.is_kept(),
    });
    plain(&ReleaseView { text: &release.text, guarantee: &release.guarantee, account: account.collect() })
}

/// The text is the statements, with a space between them.
#[cfg(not(feature = "all-mechanisms"))]
pub(crate) fn stated(release: &StatementRelease) -> JsValue {
    let statements =
        release.statements.iter().map(|stated| StatedView { number: stated.number as u32, text: &stated.statement });
    let statements: Vec<_> = statements.collect();
    let text = statements.iter().map(|stated| stated.text).collect::<Vec<_>>().join(" ");
    plain(&StatementReleaseView { text: &text, guarantee: &release.guarantee, statements })
}

/// Statements by their numbers.
#[cfg(not(feature = "all-mechanisms"))]
pub(crate) fn near(list: &StatementList, numbers: &[usize]) -> JsValue {
    let view = |&number: &usize| StatedView { number: number as u32, text: list.get(number).unwrap_or_default() };
    plain(&numbers.iter().map(view).collect::<Vec<_>>())
}

pub(crate) fn guarantee(guarantee: &Guarantee) -> JsValue {
    plain(guarantee)
}

pub(crate) fn levels(table: &Table) -> Result<JsValue, Error> {
    Ok(plain(&table.level_reports()?))
}

pub(crate) fn parameters() -> JsValue {
    plain(&names(Parameter::ALL))
}

fn names(parameters: &[Parameter]) -> Vec<&'static str> {
    parameters.iter().map(|parameter| parameter.camel_case()).collect()
}

pub(crate) fn mechanisms() -> JsValue {
    let view = |kind: &MechanismKind| MechanismView {
        name: *kind,
        parameters: names(kind.parameters()),
        has_published: kind.has_published(),
    };
    plain(&MechanismKind::ALL.iter().map(view).collect::<Vec<_>>())
}

pub(crate) fn alternatives(table: &Table, found: &Alternatives) -> JsValue {
    let distribution = found.outputs.iter().map(|output| AlternativeView {
        word: table.word(output.word).to_string(),
        probability: output.probability,
        distance: output.distance,
        factor: output.factor,
    });
    plain(&AlternativesView {
        input: found.reading.row.map(|row| table.word(row).to_string()),
        found: found.reading.found,
        estimated: found.estimated,
        distribution: distribution.collect(),
    })
}

#[cfg(feature = "insecure-seeded-rng")]
pub(crate) fn pieces(pieces: &[textveil::Piece]) -> JsValue {
    let pairs = pieces.iter().map(|piece| match piece {
        textveil::Piece::Layout(run) => vec!["layout", run],
        textveil::Piece::Token { kind, text } => vec![kind.name(), text],
    });
    plain(&pairs.collect::<Vec<_>>())
}
