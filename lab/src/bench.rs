//! `textveil bench`: how fast one thread of this machine privatizes, as JSON: the same measure as in Node and
//! browsers.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use getrandom::SysRng;
use serde_json::{Map, json};
use textveil::{Disclosure, Mechanism, MechanismKind, Parameter, Privatizer, Table, release_rng};

/// Measure releases on one thread, as JSON
#[derive(Args)]
pub(crate) struct Bench {}

/// Twenty words of the vocabulary.
const SENTENCE: &str = "the doctor said that my sister should rest at home for a week and call her if the fever came";
const SENTENCES: usize = 60;
/// A long text is the sentence so many times.
const REPEATED: usize = 200;
const LONG_TEXTS: usize = 3;

impl Bench {
    pub(crate) fn run(&self) -> Result<()> {
        let table = Table::english()?;
        let mut sentences = times(&table, table.default_mechanism(), SENTENCE, SENTENCES)?;
        sentences.sort_unstable();
        let long = [SENTENCE; REPEATED].join(" ");
        let words = SENTENCE.split(' ').count() * REPEATED;
        let rate = |kind| {
            let fastest = times(&table, kind, &long, LONG_TEXTS)?.into_iter().min().unwrap_or(Duration::MAX);
            Ok((kind.name().to_owned(), json!(words as f64 / fastest.as_secs_f64())))
        };
        let report = json!({
            "sentenceMs": sentences[SENTENCES / 2].as_secs_f64() * 1e3,
            "tokensPerSecond": timed().map(rate).collect::<Result<Map<_, _>>>()?,
        });
        Ok(writeln!(io::stdout(), "{report:#}")?)
    }
}

/// The mechanisms that tables store levels of.
fn timed() -> impl Iterator<Item = MechanismKind> {
    MechanismKind::ALL.iter().copied().filter(|kind| kind.parameters().contains(&Parameter::Level))
}

/// How long each of so many releases of a text took at the mechanism's default level.
fn times(table: &Table, kind: MechanismKind, text: &str, releases: usize) -> Result<Vec<Duration>> {
    let privatizer = Privatizer::new(table, Mechanism::new(kind), Disclosure::default())?;
    let time = |_| {
        let start = Instant::now();
        privatizer.privatize(text, &mut release_rng(&mut SysRng)?)?;
        Ok(start.elapsed())
    };
    (0..releases).map(time).collect()
}
