//! `textveil-collector train predict`: a trained model, applied to other releases or to clear text.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};

use super::card::Card;
use super::options::Options;
use super::set::{Labels, Set};
use crate::reports::Place;
use textveil_toolkit::report::numbers::counted;

/// The message for clear text.
const CLEAR: &str = "These are texts in clear, and no releases. No guarantee covers them, or the classes that were named: \
                     keep both where the texts are.";

/// Name the classes of releases, or of clear text, by a trained model, a line each
///
/// Releases are read as `train classifier` reads them, from JSON lines, CSV, TSV, Parquet, plain lines and databases.
/// The releases must be what the model has learned from: texts over the same table, or vectors or bits by the same
/// code. The named classes follow from the releases alone, and weaken no guarantee of theirs.
///
/// With --clear, DATA holds texts that were not released: .csv, .tsv and .parquet by columns, .jsonl by fields, others
/// as plain lines. The model reads the words that the table knows, and those spelled nearly like one. It skips others.
/// So an owner can classify mail that stays with them. A text with a guarantee is refused, because it is a release.
#[derive(Args)]
pub(crate) struct Predict {
    /// The folder of the model
    #[arg(long, value_name = "DIR")]
    model: PathBuf,
    /// Files of releases, or databases of collectors. "-" is standard input, as JSON lines (of clear text, plain lines)
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    data: Vec<PathBuf>,
    #[command(flatten)]
    options: Options,
    /// Read clear text, and no releases. Nothing is promised of it
    #[arg(long, conflicts_with_all = ["guarantee", "allow_mixed", "without_guarantee"])]
    clear: bool,
    /// Print JSON lines: file, line (or row, or submission), class and the probability of each. For clear text, also
    /// that it is clear
    #[arg(long)]
    json: bool,
}

impl Predict {
    pub(super) fn run(&self) -> Result<()> {
        let (card, trained) = Card::load(&self.model)?;
        let table = textveil_tables::load(self.options.table.as_deref())?;
        let mut set = Set::default();
        let (reader, statement) = if self.clear {
            self.data.iter().try_for_each(|path| set.read_clear(path, &self.options, &table))?;
            card.reads(set.shape(&table)?, &table)?;
            (card.input.reader_of_clear_text(&table), CLEAR.to_owned())
        } else {
            self.data.iter().try_for_each(|path| set.read(path, &self.options, &table, &Labels::None))?;
            let promise = set.promise(&self.options)?;
            card.admits(set.shape(&table)?, &promise, &table)?;
            (card.input.reader(&promise, &table)?, promise.statement)
        };
        let features = reader.features(set.lines.iter().map(|line| &line.drawn), card.input.scale)?;
        let predictions = trained.predict(&features)?;
        let mut out = BufWriter::new(io::stdout().lock());
        let probabilities = if self.json { Some(trained.probabilities(&features)?) } else { None };
        for (number, (class, of)) in predictions.iter().zip(&set.lines).enumerate() {
            let (file, place) = &of.place;
            let class = card.classes.get(*class).map_or("", String::as_str);
            let Some(probabilities) = &probabilities else {
                writeln!(out, "{class}")?;
                continue;
            };
            let row = probabilities.row(number);
            let probabilities: Map<String, Value> =
                card.classes.iter().cloned().zip(row.iter().map(|probability| json!(probability))).collect();
            let (unit, at) = match place {
                Place::Line(line) | Place::Record(line) => ("line", json!(line)),
                Place::Row(row) => ("row", json!(row)),
                Place::Submission(number) => ("submission", json!(number)),
            };
            let file = set.files.get(*file).map(|source| source.file.as_str());
            let mut line = json!({ "file": file, unit: at, "class": class, "probabilities": probabilities });
            if self.clear {
                line["clear"] = json!(true);
            }
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        let skipped: u64 = set.files.iter().map(|source| source.skipped).sum();
        if skipped > 0 {
            let places =
                if self.json { "" } else { ", so lines do not stand as rows do. --json names the place of each" };
            eprintln!("{} without a release skipped{places}.", counted(skipped, "row"));
        }
        eprintln!("{statement}");
        Ok(())
    }
}
