//! `textveil table inspect`: what a table file holds, and what follows from it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use textveil::{Found, MAX_TEXT_BYTES, Piece, Table, WordId, normalize, read};

use super::levels::{lattice_rows, squared_distances};

/// Show what a table holds
#[derive(Args)]
pub(crate) struct Inspect {
    /// Table file
    file: PathBuf,
    /// Show the offered words nearest to this word
    #[arg(long, value_name = "WORD")]
    neighbors: Option<String>,
    /// How many neighbors to show
    #[arg(long, default_value_t = 10, value_name = "K")]
    count: usize,
    /// Show which share of this text's tokens the vocabulary covers
    #[arg(long, value_name = "TEXTFILE")]
    coverage: Option<PathBuf>,
    /// Compare all pairs of words: exact diameter, smallest distance
    #[arg(long)]
    verify: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    bytes: usize,
    id: String,
    rows: usize,
    dims: usize,
    scale: f64,
    diameter_bound: f64,
    never_offered: usize,
    function_words: usize,
    frequency_known: usize,
    description: Vec<(String, String)>,
    sections: Vec<Section>,
    most_frequent: Vec<String>,
    levels: Vec<LevelReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<Extremes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    neighbors: Option<Vec<Neighbor>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
}

#[derive(Serialize)]
struct Section {
    tag: String,
    offset: u32,
    bytes: u32,
}

#[derive(Serialize)]
struct LevelReport {
    mechanism: &'static str,
    eta: f64,
    retention: f64,
    retention_by_frequency: f64,
}

/// The largest and the smallest distance between two rows.
#[derive(Serialize)]
struct Extremes {
    diameter: f64,
    smallest_distance: f64,
    all_rows_differ: bool,
}

#[derive(Serialize)]
struct Neighbor {
    word: String,
    distance: f64,
}

/// How the tokens of a text find their rows.
#[derive(Default, Serialize)]
struct Coverage {
    tokens: usize,
    exact: usize,
    near: usize,
    hashed: usize,
}

impl Inspect {
    pub(crate) fn run(&self) -> Result<()> {
        let report = self.report()?;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&report)?);
        } else {
            report.print(self);
        }
        Ok(())
    }

    fn report(&self) -> Result<Report> {
        let bytes = fs::read(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        let (length, sections, description) = (bytes.len(), sections(&bytes), description(&bytes));
        let table = Table::parse(bytes).map_err(|error| anyhow!("{}: {error}", self.file.display()))?;
        let count = |property: &dyn Fn(WordId) -> bool| table.words().filter(|(id, _)| property(*id)).count();
        let mut by_frequency: Vec<WordId> = table.words().map(|(id, _)| id).collect();
        by_frequency.sort_by(|a, b| table.zipf(*b).total_cmp(&table.zipf(*a)));
        let levels = table.levels().iter().map(|level| LevelReport {
            mechanism: level.kind.name(),
            eta: level.eta.get(),
            retention: level.retention,
            retention_by_frequency: level.retention_by_frequency,
        });
        Ok(Report {
            bytes: length,
            id: table.id().to_string(),
            rows: table.len(),
            dims: table.dims(),
            scale: table.scale(),
            diameter_bound: table.diameter_bound(),
            never_offered: count(&|id| !table.is_offered(id)),
            function_words: count(&|id| table.is_function_word(id)),
            frequency_known: count(&|id| table.zipf(id) > 0.0),
            description,
            sections,
            most_frequent: by_frequency.iter().take(12).map(|id| table.word(*id).to_string()).collect(),
            levels: levels.collect(),
            verified: self.verify.then(|| extremes(&table)),
            neighbors: self.neighbors.as_ref().map(|word| neighbors(&table, word, self.count)).transpose()?,
            coverage: self.coverage.as_ref().map(|path| coverage(&table, path)).transpose()?,
        })
    }
}

impl Report {
    fn print(&self, asked: &Inspect) {
        println!("{} words, {} dimensions, {} bytes, id {}", self.rows, self.dims, self.bytes, self.id);
        self.description.iter().for_each(|(key, value)| println!("  {key}: {value}"));
        println!("  sections: {}", self.sections.iter().map(|s| format!("{} {}", s.tag, s.bytes)).collect::<Vec<_>>().join(", "));
        println!("  scale {:.6e}, diameter at most {:.4}", self.scale, self.diameter_bound);
        println!("  {} never offered, {} function words, {} with a frequency", self.never_offered, self.function_words, self.frequency_known);
        println!("  most frequent: {}", self.most_frequent.join(" "));
        if !self.levels.is_empty() {
            println!("\n  {:15} {:>8} {:>14} {:>17}", "level", "eta", "words kept", "tokens kept");
        }
        for level in &self.levels {
            println!("  {:15} {:>8} {:>13.1}% {:>16.1}%", level.mechanism, level.eta, 100.0 * level.retention, 100.0 * level.retention_by_frequency);
        }
        if let Some(Extremes { diameter, smallest_distance, all_rows_differ }) = &self.verified {
            let differ = if *all_rows_differ { "all rows differ" } else { "some rows are alike" };
            println!("\n  diameter {diameter:.4}, smallest distance {smallest_distance:.4}: {differ}");
        }
        if let (Some(neighbors), Some(word)) = (&self.neighbors, &asked.neighbors) {
            println!("\n  nearest to \"{word}\":");
            neighbors.iter().for_each(|neighbor| println!("  {:.4}  {}", neighbor.distance, neighbor.word));
        }
        if let Some(Coverage { tokens, exact, near, hashed }) = &self.coverage {
            let share = |count: usize| 100.0 * count as f64 / (*tokens).max(1) as f64;
            println!("\n  {tokens} tokens: {:.2}% exact, {:.2}% near, {:.2}% hashed", share(*exact), share(*near), share(*hashed));
        }
    }
}

/// The directory of a file; entries that do not fit are left out (the reader will say what is wrong).
fn sections(file: &[u8]) -> Vec<Section> {
    let number = |at: usize| file.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
    let entry = |i: usize| {
        let at = 64 + 16 * i;
        let tag = String::from_utf8_lossy(file.get(at..at + 4)?).into_owned();
        Some(Section { tag, offset: number(at + 8)?, bytes: number(at + 12)? })
    };
    (0..number(24).unwrap_or(0).min(16) as usize).map_while(entry).collect()
}

/// The `key=value` lines of a file.
fn description(file: &[u8]) -> Vec<(String, String)> {
    let meta = sections(file).into_iter().find(|section| section.tag == "META");
    let text = meta.and_then(|section| file.get(section.offset as usize..)?.get(..section.bytes as usize));
    let text = String::from_utf8_lossy(text.unwrap_or_default()).into_owned();
    text.lines().filter_map(|line| line.split_once('=')).map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn extremes(table: &Table) -> Extremes {
    let rows = lattice_rows(table, |_| true);
    let dims = table.dims();
    let (smallest, largest) = (0..table.len())
        .into_par_iter()
        .map(|row| {
            let mut distances = vec![0; table.len() - row - 1];
            squared_distances(&rows[row * dims..(row + 1) * dims], &rows[(row + 1) * dims..], &mut distances);
            (distances.iter().copied().min().unwrap_or(u32::MAX), distances.iter().copied().max().unwrap_or(0))
        })
        .reduce(|| (u32::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    let real = |squared: u32| table.scale() * f64::from(squared).sqrt();
    let alone = table.len() < 2;
    Extremes { diameter: real(largest), smallest_distance: if alone { 0.0 } else { real(smallest) }, all_rows_differ: alone || smallest > 0 }
}

fn neighbors(table: &Table, word: &str, count: usize) -> Result<Vec<Neighbor>> {
    let id = table.find(&word.to_lowercase()).with_context(|| format!("the vocabulary has no \"{word}\""))?;
    let mut others: Vec<(u32, WordId)> = table
        .words()
        .map(|(other, _)| other)
        .filter(|other| *other != id && table.is_offered(*other))
        .map(|other| (table.distance_squared(id, other), other))
        .collect();
    others.sort_unstable();
    Ok(others.into_iter().take(count).map(|(_, other)| Neighbor { word: table.word(other).to_string(), distance: table.distance(id, other) }).collect())
}

fn coverage(table: &Table, path: &Path) -> Result<Coverage> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut coverage = Coverage::default();
    let mut seen: HashMap<String, Found> = HashMap::new();
    for line in text.lines() {
        // NFKC may lengthen a text, at most eighteenfold.
        let pieces = Piece::split(&normalize(line)).map_err(|_| anyhow!("{} has a line of more than {MAX_TEXT_BYTES} bytes", path.display()))?;
        for piece in pieces {
            let Piece::Token { kind, text } = piece else { continue };
            coverage.tokens += 1;
            let key = format!("{kind:?} {text}");
            match seen.entry(key).or_insert_with(|| read(table, kind, &text).found) {
                Found::Exact => coverage.exact += 1,
                Found::Near => coverage.near += 1,
                Found::Hashed => coverage.hashed += 1,
            }
        }
    }
    Ok(coverage)
}

#[cfg(test)]
mod tests {
    use super::super::writer::tests::example;
    use super::*;

    #[test]
    fn the_directory_and_the_description_are_shown() {
        let (bytes, _) = example(20, 4).encode().expect("a good draft");
        let tags: Vec<String> = sections(&bytes).into_iter().map(|section| section.tag).collect();
        assert_eq!(tags, ["ROWS", "WORD", "FLAG", "ZIPF", "META"]);
        assert_eq!(description(&bytes)[1], ("language".to_owned(), "en".to_owned()));
    }

    #[test]
    fn the_extremes_are_those_of_all_pairs_and_within_the_bound() {
        let (_, table) = example(40, 4).encode().expect("a good draft");
        let pairs = table.words().flat_map(|(a, _)| table.words().filter(move |(b, _)| a < *b).map(move |(b, _)| (a, b)).collect::<Vec<_>>());
        let distances: Vec<f64> = pairs.map(|(a, b)| table.distance(a, b)).collect();
        let extremes = extremes(&table);
        assert_eq!(extremes.diameter, distances.iter().copied().fold(0.0, f64::max));
        assert_eq!(extremes.smallest_distance, distances.iter().copied().fold(f64::MAX, f64::min));
        assert!(extremes.all_rows_differ && extremes.diameter <= table.diameter_bound());
    }

    #[test]
    fn neighbors_are_offered_and_in_order() {
        let (_, table) = example(40, 4).encode().expect("a good draft");
        let neighbors = neighbors(&table, "W00005", 10).expect("a word");
        assert_eq!(neighbors.len(), 10);
        assert!(neighbors.is_sorted_by(|a, b| a.distance <= b.distance));
        assert!(neighbors.iter().all(|n| n.word != "w00005" && table.is_offered(table.find(&n.word).expect("a row"))));
    }
}
