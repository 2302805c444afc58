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
mod table;
mod text;

use declared::{Declared, Promise, Share};
use serde_json::{Value, json};
use textveil::Guarantee;

pub use columns::parquet;
pub use ledger::ledger;
pub use mechanism::options;
pub use rows::{csv, jsonl};
pub use table::table;
pub use text::text;

/// A fuzz target.
pub type Target = fn(&[u8]);

/// All of them, by name.
pub const TARGETS: [(&str, Target); 8] = [
    ("table", table),
    ("text", text),
    ("options", options),
    ("ledger", ledger),
    ("guarantee", guarantee),
    ("csv", csv),
    ("jsonl", jsonl),
    ("parquet", parquet),
];

// The collector is a program. This file of it is compiled here from its place.
#[allow(dead_code, reason = "not all that the file holds is used here")]
#[path = "../../collector/src/train/guarantee.rs"]
mod declared;

/// Reads a guarantee as `textveil-collector train` does. Returns whether it is one.
fn reads(value: &Value) -> bool {
    let Ok(declared) = Declared::parse(value) else { return false };
    let written = json!(declared);
    let again = Declared::parse(&written).unwrap_or_else(|error| panic!("{written}: {error}"));
    assert!(again == declared, "a guarantee does not survive being written: {written}");
    assert!(declared.is_like(&declared), "a guarantee is not like itself: {written}");
    let both = declared.loss.weaker(again.loss);
    assert!(both == declared.loss, "a guarantee together with itself is another one: {written}");
    let share = |releases| Share { releases, insecure_seed: false, guarantee: Some(declared.clone()) };
    let promise = Promise::of(vec![share(1), share(2)]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((promise.releases, promise.weakest), (3, Some(declared.loss)));
    assert!(promise.statement.contains(&declared.to_string()));
    let undeclared = Share { releases: 1, insecure_seed: false, guarantee: None };
    let promise = Promise::of(vec![share(1), undeclared]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(promise.weakest, None, "a line without a guarantee leaves a promise: {written}");
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
    let is_of_text = guarantee.unit != textveil::Unit::Value;
    assert_eq!(reads(&value), is_of_text, "`textveil-collector train` misreads {value}");
}
