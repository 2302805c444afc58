//! What must hold for any bytes: a function for each fuzz target.
//!
//! A function takes bytes from anywhere, makes an input of them, and panics if the product breaks a promise. `cargo xtask
//! test --nightly DATA --only fuzz` searches for such bytes with libFuzzer. The inputs in `corpus/` are read by
//! `tests/corpus.rs` too, in every test run.
#![allow(clippy::panic, reason = "a promise that is broken is told by panicking")]

mod columns;
mod ledger;
mod mechanism;
mod progress;
mod rows;
mod statements;
mod table;
mod text;

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};
use textveil::{Declared, DeclaredDraw, DeclaredLosses, Disclosure, Guarantee, Limits, Loss, MechanismKind, Table};

pub use columns::parquet;
pub use ledger::ledger;
pub use mechanism::options;
pub use rows::{csv, jsonl};
pub use statements::statements;
pub use table::table;
pub use text::text;

/// A fuzz target.
pub type Target = fn(&[u8]);

/// All of them, by name.
pub const TARGETS: [(&str, Target); 9] = [
    ("table", table),
    ("text", text),
    ("options", options),
    ("ledger", ledger),
    ("guarantee", guarantee),
    ("statements", statements),
    ("csv", csv),
    ("jsonl", jsonl),
    ("parquet", parquet),
];

/// The built-in table, and limits that accept whatever can be stated anew over it.
static ENGLISH: LazyLock<(Table, Limits)> = LazyLock::new(|| {
    let table = Table::english().expect("the built-in table");
    let kinds = MechanismKind::ALL.iter().copied().filter(|kind| kind.can_be_restated()).collect();
    let all = Disclosure { function_words: true, placeholders: true, plain_layout: false };
    let anything = Loss { epsilon: f64::MAX, delta: 1.0 };
    let limits = Limits::new(&table, kinds, anything, anything, all).expect("mechanisms that can be restated");
    (table, limits)
});

/// Reads a guarantee as `textveil-collector` does. Returns whether it is one.
fn reads(value: &Value) -> bool {
    let Ok(declared) = Declared::deserialize(value) else { return false };
    let (table, limits) = &*ENGLISH;
    if let Ok(stated) = declared.restate(table, limits) {
        assert!(Declared::from(&stated) == declared, "another guarantee is stated: {value}");
    }
    let draw = declared.into_draw();
    let written = json!(draw);
    let again = DeclaredDraw::deserialize(&written).unwrap_or_else(|error| panic!("{written}: {error}"));
    assert!(again == draw, "a guarantee does not survive being written: {written}");
    if !draw.losses.are_in_range() || !draw.losses.text_covers_word() {
        return false;
    }
    assert!(draw.is_like(&draw), "a guarantee is not like itself: {written}");
    assert!(draw.terms.has_code_of(&draw.terms), "a code is not that of itself: {written}");
    assert!(draw.losses.weaker(again.losses) == draw.losses, "two equal losses are together another one: {written}");
    let nothing =
        DeclaredLosses { epsilon_word: None, delta_word: 1.0, epsilon_text: None, delta_text: 1.0, ..draw.losses };
    assert!(draw.losses.weaker(nothing) == nothing, "what promises nothing leaves a promise: {written}");
    true
}

/// Any bytes as a guarantee that came with a release: read, or refused.
///
/// # Panics
/// A guarantee changes on its way.
pub fn guarantee(data: &[u8]) {
    if let Ok(value) = serde_json::from_slice(data) {
        reads(&value);
    }
}

/// What holds for every guarantee that textveil states.
fn check(guarantee: &Guarantee) {
    let Guarantee { epsilon_word, delta_word, words, epsilon_text, delta_text, total_variation, .. } = *guarantee;
    let shown = guarantee.statement();
    for epsilon in [epsilon_word, epsilon_text] {
        assert!(epsilon >= 0.0, "epsilon {epsilon}: {shown}");
    }
    for share in [delta_word, delta_text, total_variation] {
        assert!((0.0..=1.0).contains(&share), "a probability of {share}: {shown}");
    }
    assert!(guarantee.eta.is_none_or(|eta| eta.is_finite() && eta > 0.0), "{shown}");
    assert!(words == 0 || epsilon_text >= epsilon_word && delta_text >= delta_word, "a word loses more: {shown}");
    assert!(!guarantee.describe("en").is_empty() && !shown.contains("NaN"), "{shown}");
    let value = serde_json::to_value(guarantee).unwrap_or_else(|error| panic!("{error}: {shown}"));
    assert!(reads(&value), "`textveil-collector` misreads {value}");
}
