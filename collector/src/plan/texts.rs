//! Texts that the owner may read, with their labels.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use textveil::normalize;
use textveil_bulk::csv::{self, Dialect};
use textveil_bulk::parquet::Input;
use textveil_toolkit::files::open;
use textveil_toolkit::format::Format;
use textveil_toolkit::sampling::shuffled;

use crate::reports::Place;

/// The fewest texts that tell anything.
const FEWEST: usize = 50;
/// The fewest texts with a label.
const FEWEST_OF_LABEL: usize = 5;

/// Some texts.
pub(super) struct Texts {
    /// Normalized.
    pub(super) texts: Vec<String>,
    pub(super) labels: Option<Labels>,
}

/// What each text is.
pub(super) struct Labels {
    pub(super) classes: Vec<String>,
    /// The class of each text.
    pub(super) of: Vec<usize>,
}

impl Texts {
    /// The rows of CSV, TSV or Parquet, or plain lines; of more than `most`, some that the seed chooses. Rows without text are
    /// left out.
    ///
    /// # Errors
    /// A file that cannot be read, lacks a column, or has too few texts; a row with text and no label.
    pub(super) fn read(path: &Path, column: &str, label: Option<&str>, most: usize, seed: u64) -> Result<Self> {
        let name = path.display().to_string();
        let columns: Vec<String> = [column].into_iter().chain(label).map(str::to_owned).collect();
        let mut rows = Vec::new();
        let mut take = |place: Place, cells: Vec<Option<String>>| {
            let [text, label] =
                [0, 1].map(|at| cells.get(at).cloned().flatten().filter(|cell| !cell.trim().is_empty()));
            let Some(text) = text else { return Ok(()) };
            ensure!(columns.len() == 1 || label.is_some(), "{name}, {place}: it has no label");
            rows.push((normalize(&text), label.unwrap_or_default()));
            Ok(())
        };
        match Format::of(path) {
            Format::Parquet => {
                Input::open(path)?.each(&name, &columns, &mut |row, cells| take(Place::Row(row), cells))?
            }
            Format::Lines => {
                ensure!(label.is_none(), "plain lines have no labels: give a CSV file");
                let text = textveil_toolkit::files::text_of(path)?;
                text.lines()
                    .zip(1..)
                    .try_for_each(|(line, place)| take(Place::Line(place), vec![Some(line.to_owned())]))?;
            }
            Format::Csv | Format::Tsv => {
                let mut input = BufReader::new(open(path)?);
                let start = input.fill_buf().with_context(|| format!("cannot read {name}"))?;
                let is_tsv = Format::of(path) == Format::Tsv;
                let dialect = if is_tsv { Dialect::TSV } else { Dialect::of_start(start, &columns) };
                csv::each(input, &name, dialect, &columns, &mut |line, cells| {
                    take(Place::Record(line), cells.into_iter().map(|cell| Some(cell.to_owned())).collect())
                })?;
            }
            Format::Jsonl => bail!("{name}: texts to plan with come as CSV, TSV, Parquet or plain lines"),
        }
        ensure!(rows.len() >= FEWEST, "{name} has {} texts, and fewer than {FEWEST} tell nothing", rows.len());
        let (texts, labels) = shuffled(rows.len(), seed).into_iter().take(most).map(|row| rows[row].clone()).unzip();
        Ok(Self { texts, labels: label.map(|_| Labels::of(labels)).transpose().context(name)? })
    }
}

impl Labels {
    fn of(labels: Vec<String>) -> Result<Self> {
        let mut counts = BTreeMap::new();
        labels.iter().for_each(|label| *counts.entry(label.clone()).or_insert(0) += 1);
        ensure!(counts.len() > 1, "all texts have the same label");
        let rare = counts.values().filter(|count| **count < FEWEST_OF_LABEL).count();
        ensure!(
            rare == 0,
            "{rare} of {} labels stand at fewer than {FEWEST_OF_LABEL} texts: leave them out",
            counts.len()
        );
        let classes: Vec<String> = counts.into_keys().collect();
        // Every label is among the classes, which are sorted.
        let of = labels.iter().map(|label| classes.partition_point(|class| class < label)).collect();
        Ok(Self { classes, of })
    }

    /// The share of the most frequent class: what guessing comes to.
    pub(super) fn largest_share(&self) -> f64 {
        let count = |class: usize| self.of.iter().filter(|of| **of == class).count();
        let most = (0..self.classes.len()).map(count).max().unwrap_or(0);
        most as f64 / self.of.len() as f64
    }
}
