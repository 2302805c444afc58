//! `textveil table evaluate`: how well distances in a table agree with people's judgement of words, and how
//! good the replacements are that its mechanisms put out.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use ndarray::{Array2, ArrayView1, s};
use rayon::prelude::*;
use serde::Serialize;
use textveil::Table;

use textveil_tables::{Replacements, Vectors, load, measure_replacements, unit_rows};

/// Words whose nearest neighbor is compared with the reference's, at most.
const COMPARED_WORDS: usize = 1024;

/// Measure a table against human judgement of word similarity
#[derive(Args)]
pub(crate) struct Evaluate {
    /// Table file instead of the built-in English table
    file: Option<PathBuf>,
    /// Folder of word-similarity sets: .tsv files with a header line and the columns label, text1, text2
    #[arg(long, value_name = "DIR")]
    wordsim: PathBuf,
    /// The reference vectors that the table was made from, as "table build --float" writes them, along their principal
    /// axes. Adds the scores of the first axes, as many as the table has dimensions, and of all axes. Also adds how
    /// near in meaning replacements are to the words
    #[arg(long, value_name = "VECTORS")]
    against: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Evaluation {
    sets: Vec<SetReport>,
    /// Share of words whose nearest neighbor is the reference's.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest_kept: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacements: Option<Vec<Replacements>>,
}

/// Spearman's rank correlation of cosine and judgement, over the pairs whose words the vocabulary has.
#[derive(Serialize)]
struct SetReport {
    name: String,
    pairs: usize,
    covered: usize,
    table: f64,
    /// As many of the reference's principal axes as the table has dimensions.
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<f64>,
    /// All of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<f64>,
}

impl Evaluate {
    pub(crate) fn run(&self) -> Result<()> {
        let report = self.report()?;
        let mut out = io::stdout().lock();
        if self.json {
            Ok(writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?)
        } else {
            Ok(report.print(&mut out)?)
        }
    }

    fn report(&self) -> Result<Evaluation> {
        let table = load(self.file.as_deref())?;
        let vectors: Vec<Vec<i8>> = table.words().map(|(id, _)| table.vector(id)).collect();
        let quantized = Array2::from_shape_fn((table.len(), table.dims()), |(i, j)| f64::from(vectors[i][j]));
        let against = self.against.as_ref().map(|path| Against::read(path, &table)).transpose()?;
        let sets = sets(&self.wordsim)?.into_iter().map(|set| set.measure(&table, &quantized, against.as_ref()));
        Ok(Evaluation {
            sets: sets.collect(),
            nearest_kept: against.as_ref().map(|against| nearest_kept(&quantized, &against.all)),
            replacements: against.as_ref().map(|against| measure_replacements(&table, &against.all)).transpose()?,
        })
    }
}

impl Evaluation {
    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "{:24} {:>6} {:>8} {:>9} {:>12} {:>10}",
            "set", "pairs", "covered", "Spearman", "principal", "reference"
        )?;
        let show = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.4}"));
        for set in &self.sets {
            let [principal, reference] = [set.principal, set.reference].map(show);
            writeln!(
                out,
                "{:24} {:>6} {:>8} {:>9.4} {principal:>12} {reference:>10}",
                set.name, set.pairs, set.covered, set.table
            )?;
        }
        if let Some(kept) = self.nearest_kept {
            writeln!(out, "nearest neighbor as in the reference: {:.2}%", 100.0 * kept)?;
        }
        if let Some(replacements) = &self.replacements {
            writeln!(out, "\n{:24} {:>6} {:>8} {:>28}", "mechanism", "kept", "eta", "similarity of replacements")?;
            for row in replacements {
                let Replacements { mechanism, kept, eta, similarity } = row;
                writeln!(out, "{mechanism:24} {kept:>6.2} {eta:>8.2} {similarity:>28.3}")?;
            }
        }
        Ok(())
    }
}

/// The vectors that a table was made from, rows of length 1.
struct Against {
    /// As many dimensions as the table has.
    reduced: Array2<f64>,
    all: Array2<f64>,
}

impl Against {
    fn read(path: &Path, table: &Table) -> Result<Self> {
        let Vectors { words, rows } = Vectors::read(path, None)?;
        let same = words.len() == table.len() && words.iter().zip(table.words()).all(|(a, (_, b))| **a == *b);
        ensure!(
            same && rows.ncols() >= table.dims(),
            "{} does not hold the words of the table in their order",
            path.display()
        );
        let [mut reduced, mut all] = [table.dims(), rows.ncols()].map(|dims| rows.slice(s![.., ..dims]).to_owned());
        unit_rows(&mut reduced);
        unit_rows(&mut all);
        Ok(Self { reduced, all })
    }
}

/// Pairs of words with the judgement of people.
struct Set {
    name: String,
    pairs: Vec<(f64, String, String)>,
}

/// The sets in a folder, by name.
fn sets(folder: &Path) -> Result<Vec<Set>> {
    let listing = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = listing.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "tsv"));
    paths.sort();
    ensure!(!paths.is_empty(), "{} has no .tsv file", folder.display());
    paths.iter().map(|path| Set::read(path)).collect()
}

impl Set {
    fn read(path: &Path) -> Result<Self> {
        let text = textveil_toolkit::files::text_of(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Self::parse(name, &text).with_context(|| format!("{} is not a word-similarity set", path.display()))
    }

    fn parse(name: String, text: &str) -> Result<Self> {
        let mut lines = (1..).zip(text.lines());
        ensure!(
            lines.next().is_some_and(|(_, header)| header == "label\ttext1\ttext2"),
            "its header is not label, text1, text2"
        );
        let pair = |(number, line): (usize, &str)| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [label, a, b] = fields[..] else { return Err(anyhow!("line {number} has not three columns")) };
            let label = label.parse().map_err(|_| anyhow!("line {number}: \"{label}\" is not a number"))?;
            Ok((label, a.to_lowercase(), b.to_lowercase()))
        };
        Ok(Self { name, pairs: lines.map(pair).collect::<Result<_>>()? })
    }

    fn measure(self, table: &Table, quantized: &Array2<f64>, against: Option<&Against>) -> SetReport {
        let find = |word: &str| table.find(word).map(|id| id.row());
        let covered: Vec<(f64, usize, usize)> =
            self.pairs.iter().filter_map(|(label, a, b)| Some((*label, find(a)?, find(b)?))).collect();
        let labels: Vec<f64> = covered.iter().map(|(label, ..)| *label).collect();
        let correlation = |rows: &Array2<f64>| {
            let cosines: Vec<f64> = covered.iter().map(|(_, a, b)| cosine(rows.row(*a), rows.row(*b))).collect();
            spearman(&labels, &cosines)
        };
        SetReport {
            name: self.name,
            pairs: self.pairs.len(),
            covered: covered.len(),
            table: correlation(quantized),
            principal: against.map(|against| correlation(&against.reduced)),
            reference: against.map(|against| correlation(&against.all)),
        }
    }
}

fn dot(a: ArrayView1<'_, f64>, b: ArrayView1<'_, f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn cosine(a: ArrayView1<'_, f64>, b: ArrayView1<'_, f64>) -> f64 {
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Spearman's rank correlation; equal values share the mean of their ranks. 0 for fewer than two values.
fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 + 1.0) / 2.0;
    let covariance = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum() };
    let scale = (covariance(&a, &a) * covariance(&b, &b)).sqrt();
    if scale > 0.0 { covariance(&a, &b) / scale } else { 0.0 }
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut rank = 1.0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        equal.iter().for_each(|&i| ranks[i] = rank + (equal.len() as f64 - 1.0) / 2.0);
        rank += equal.len() as f64;
    }
    ranks
}

/// The share of (evenly chosen) words whose nearest other word is the same in both spaces.
fn nearest_kept(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let count = a.nrows().min(COMPARED_WORDS);
    let kept = (0..count).into_par_iter().filter(|i| {
        let row = i * a.nrows() / count;
        nearest(a, row) == nearest(b, row)
    });
    kept.count() as f64 / count.max(1) as f64
}

fn nearest(rows: &Array2<f64>, row: usize) -> Option<usize> {
    let distance =
        |other: usize| -> f64 { rows.row(row).iter().zip(rows.row(other)).map(|(a, b)| (a - b) * (a - b)).sum() };
    (0..rows.nrows())
        .filter(|other| *other != row)
        .map(|other| (distance(other), other))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 0.5]), [3.5, 2.0, 3.5, 1.0]);
    }

    #[test]
    fn spearman_sees_order_alone() {
        assert_eq!(spearman(&[1.0, 2.0, 3.0, 4.0], &[0.1, 0.2, 7.0, 1e9]), 1.0);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[9.0, 5.0, -1.0]), -1.0);
        // One swap among five: 1 − 6·2/(5·24).
        assert!((spearman(&[1.0, 2.0, 3.0, 4.0, 5.0], &[1.0, 3.0, 2.0, 4.0, 5.0]) - 0.9).abs() < 1e-15);
        assert_eq!(spearman(&[1.0], &[1.0]), 0.0);
    }

    #[test]
    fn a_set_needs_its_header_and_numbers() {
        let set = Set::parse("set".into(), "label\ttext1\ttext2\n7.35\tTiger\tcat\n").expect("a set");
        assert_eq!(set.pairs, [(7.35, "tiger".to_owned(), "cat".to_owned())]);
        assert!(Set::parse("set".into(), "7.35\ttiger\tcat\n").is_err());
        assert!(Set::parse("set".into(), "label\ttext1\ttext2\nhigh\ttiger\tcat\n").is_err());
    }

    #[test]
    fn the_nearest_neighbor_is_compared() {
        let a = ndarray::array![[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]];
        let b = ndarray::array![[0.0, 0.0], [1.0, 0.0], [0.4, 0.0]];
        assert_eq!(nearest_kept(&a, &a), 1.0);
        assert_eq!(nearest_kept(&a, &b), 0.0);
    }
}
