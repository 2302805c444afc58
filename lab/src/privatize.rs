//! `textveil privatize`: lines in, privatized lines out.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use textveil::{Disclosure, MechanismKind, Privatizer, Release, Table, TokenAccount};

use crate::lines::{Lines, finish};
use crate::options::{MechanismOptions, Source, word_mechanisms};
use crate::refusal::Request;
use crate::statement::{counted, words_in_short};

/// Privatize text, a line at a time
#[derive(Args)]
pub(crate) struct Privatize {
    /// The mechanism that replaces words; without it the certified one, or the exponential mechanism if the
    /// table has no certificates
    #[arg(long, value_parser = word_mechanisms(), value_name = "NAME")]
    mechanism: Option<MechanismKind>,
    #[command(flatten)]
    options: MechanismOptions,
    /// Leave function words ("the", "of", "was") in clear
    #[arg(long)]
    keep_function_words: bool,
    /// Write `[email]`, `[url]` and `[number]` for addresses and long numbers: their kind is then public
    #[arg(long)]
    placeholders: bool,
    /// A table file instead of the built-in English table
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// One JSON object a line: text, guarantee, and under `deviceOnly` what became of each token, which must
    /// not be uploaded
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    lines: Lines,
}

impl Privatize {
    pub(crate) fn run(&self) -> Result<()> {
        let table = crate::table(self.table.as_deref())?;
        let disclosure = Disclosure { function_words: self.keep_function_words, placeholders: self.placeholders };
        let source = Source::Table(&table);
        let mechanism = self.options.mechanism(self.mechanism.unwrap_or(table.default_mechanism()), source)?;
        let privatizer = Privatizer::new(&table, mechanism, disclosure)
            .map_err(|error| Request::of(&mechanism, source).explain(error))?;
        let mut out = BufWriter::new(io::stdout().lock());
        let (mut released, mut words) = (0, 0);
        let result = self.lines.release(&mut |text, end, rng| {
            let release = privatizer.privatize(text, rng)?;
            released += 1;
            words += release.guarantee.words as u64;
            if self.json {
                writeln!(out, "{}", as_json(&table, &release, self.lines.are_seeded()))?;
            } else {
                // A line may hold breaks of other kinds (a lone carriage return, U+2028), which are line
                // feeds in a release.
                write!(out, "{}{end}", release.text.replace('\n', " "))?;
            }
            Ok(())
        });
        finish(result, &mut out, released, || {
            format!("{}; {}", counted(words, "private word"), words_in_short(&privatizer.guarantee(1)))
        })
    }
}

fn as_json(table: &Table, release: &Release, seeded: bool) -> Value {
    let mut value = json!({
        "text": release.text,
        "guarantee": release.guarantee,
        "deviceOnly": { "account": release.account.iter().map(|entry| token_json(table, entry)).collect::<Vec<_>>() },
    });
    if seeded {
        value["insecureSeed"] = Value::Bool(true);
    }
    value
}

fn token_json(table: &Table, entry: &TokenAccount) -> Value {
    json!({
        "token": entry.token,
        "kind": entry.kind,
        "found": entry.reading.map(|reading| reading.found),
        "input": entry.reading.map(|reading| table.word(reading.row).to_string()),
        "output": entry.output.map(|row| table.word(row).to_string()),
        "clear": entry.clear,
        "kept": entry.is_kept(),
    })
}
