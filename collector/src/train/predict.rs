//! `textveil-collector train predict`: a trained model, applied to other releases.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};

use super::card::Card;
use super::features::Reader;
use super::options::Options;
use super::set::{Labels, Set};
use crate::reports::Place;

/// Name the classes of releases by a trained model, a line each
///
/// The releases must be what the model has learned from: texts over the same table, or vectors or bits by the same
/// code. What is named follows from the releases alone, and weakens no guarantee of theirs.
#[derive(Args)]
pub(crate) struct Predict {
    /// The folder of the model
    #[arg(long, value_name = "DIR")]
    model: PathBuf,
    /// Files of releases; "-" is standard input
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    data: Vec<PathBuf>,
    #[command(flatten)]
    options: Options,
    /// Print JSON lines: file, line (or row, or submission), class and the probability of each
    #[arg(long)]
    json: bool,
}

impl Predict {
    pub(super) fn run(&self) -> Result<()> {
        let (card, trained) = Card::load(&self.model)?;
        let table = textveil_tables::load(self.options.table.as_deref())?;
        let mut set = Set::default();
        self.data.iter().try_for_each(|path| set.read(path, &self.options, &table, &Labels::None))?;
        let (shape, promise) = (set.shape(&table)?, set.promise(&self.options)?);
        card.admits(shape, &promise, &table)?;
        let features = Reader::new(shape, card.input.view, &table).features(set.drawn.iter(), card.input.scale);
        let predictions = trained.predict(&features)?;
        let mut out = BufWriter::new(io::stdout().lock());
        let probabilities = if self.json { Some(trained.probabilities(&features)?) } else { None };
        for (number, (class, (file, place))) in predictions.iter().zip(&set.places).enumerate() {
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
            writeln!(out, "{}", json!({ "file": file, unit: at, "class": class, "probabilities": probabilities }))?;
        }
        out.flush()?;
        eprintln!("{}", promise.statement);
        Ok(())
    }
}
