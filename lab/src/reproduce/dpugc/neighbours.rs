//! Table 2 and Figure 3 in kind: neighbours of words against those of a table that was learned without noise.

use std::fmt;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::judge::directions;
use super::model::{Vector, dot};
use super::published::{WORDS, Way, tables};
use super::text::{Text, Vocabulary};
use super::{PUBLIC, RUNS, WHY, WIKIPEDIA};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::metrics::average_precision::{average_precision, of_hits_by_character, of_hits_by_word};
use textveil_toolkit::report::numbers::short;
use textveil_toolkit::report::plot::{Axis, Panel, panels};
use textveil_toolkit::report::{Mean, Sheet};

pub(crate) static TABLE_2: Experiment = Experiment {
    paper: "dpugc",
    table: "table-2",
    about: "Neighbours of words in a table of Algorithm 1-a, against those of word2vec (Vu et al., CICLing 2019)",
    data: &[PUBLIC, WIKIPEDIA],
    takes: &[],
    runs: Some(RUNS),
    has_plot: false,
    why: WHY,
    compute: table_2,
};

pub(crate) static FIGURE_3: Experiment = Experiment {
    table: "figure-3",
    about: "Mean average precision of neighbours by step (Vu et al., CICLing 2019)",
    has_plot: true,
    compute: figure_3,
    ..TABLE_2
};

/// The first three are the paper's. It does not print the other eight.
pub(super) const QUERIES: [&str; 11] =
    ["three", "eight", "they", "city", "war", "music", "king", "water", "church", "german", "science"];
/// The paper's K.
const DEPTH: usize = 100;
/// Neighbours that are named.
const NAMED: usize = 4;
const STEPS: [u32; 4] = [20, 200, 1000, 10_000];
const FEW_STEPS: [u32; 2] = [20, 500];
const FEW_TOKENS: usize = 300_000;

struct Training {
    way: Way,
    run: u32,
}

impl fmt::Display for Training {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/run={}", self.way.name(), self.run)
    }
}

/// What a table's neighbours of a query are worth.
#[derive(Serialize, Deserialize)]
struct Scores {
    average_precision: f64,
    /// The accuracy as the released program counts it.
    by_word: f64,
    by_character: f64,
    nearest: Vec<String>,
}

/// The scores of each query after each number of steps, of each run of each way.
type Found = Vec<Vec<Vec<Scores>>>;

fn neighbours<'a>(rows: &[Vector], vocabulary: &'a Vocabulary, query: usize) -> Vec<&'a str> {
    let mut others: Vec<(f32, usize)> =
        (0..rows.len()).filter(|row| *row != query).map(|row| (dot(&rows[row], &rows[query]), row)).collect();
    others.sort_by(|(a, i), (b, j)| b.total_cmp(a).then(i.cmp(j)));
    others.into_iter().take(DEPTH).map(|(_, row)| vocabulary.words[row].as_str()).collect()
}

fn scores(table: &[Vector], reference: &[Vector], vocabulary: &Vocabulary) -> Result<Vec<Scores>> {
    let table = directions(table);
    let of = |query: &&str| {
        let row = usize::from(vocabulary.find(query).context("a query that is no word")?);
        let (found, gold) = (neighbours(&table, vocabulary, row), neighbours(reference, vocabulary, row));
        Ok(Scores {
            // No hits sum to −0.
            average_precision: average_precision(&found, &gold, DEPTH) + 0.0,
            by_word: of_hits_by_word(&found, &gold, DEPTH),
            by_character: of_hits_by_character(&found, &gold, DEPTH),
            nearest: found.iter().take(NAMED).map(|word| (*word).to_owned()).collect(),
        })
    };
    QUERIES.iter().map(of).collect()
}

/// The runs of each way, and the pairs of the text.
fn found(run: &Run<'_>, steps: &[u32]) -> Result<(Vec<Found>, u64)> {
    let vocabulary = Vocabulary::read(run, WORDS)?;
    let text = Text::of_wikipedia(run, &vocabulary, if run.is_quick() { FEW_TOKENS } else { usize::MAX / 32 })?;
    let reference = directions(&vocabulary.vectors);
    let trainings: Vec<Training> =
        Way::ALL.into_iter().flat_map(|way| (0..run.runs()).map(move |run| Training { way, run })).collect();
    let found = run.cells(&trainings, |training| {
        let generators = ["text", "noise"].map(|what| run.rng(&format!("{training}/{what}")));
        let tables = tables(&text, &vocabulary, training.way, steps, generators);
        tables.iter().map(|table| scores(table.centres(), &reference, &vocabulary)).collect::<Result<Vec<_>>>()
    })?;
    let mut found = found.into_iter();
    let runs = run.runs() as usize;
    Ok((Way::ALL.map(|_| found.by_ref().take(runs).collect()).into_iter().collect(), text.pairs()))
}

fn table_2(run: &Run<'_>) -> Result<Report> {
    let steps: &[u32] = if run.is_quick() { &FEW_STEPS[1..] } else { &STEPS[3..] };
    let (found, pairs) = found(run, steps)?;
    let mut sheet = Sheet::new("The 100 nearest words against word2vec's");
    for (way, runs) in Way::ALL.into_iter().zip(&found) {
        for (place, query) in QUERIES.iter().enumerate() {
            let of: Vec<&Scores> = runs.iter().map(|steps| &steps[0][place]).collect();
            let mean = |score: fn(&Scores) -> f64| Mean::of(&of.iter().map(|scores| score(scores)).collect::<Vec<_>>());
            sheet.row(cells![
                "table" => way.name(),
                "query" => *query,
                "average precision" => mean(|scores| scores.average_precision),
                "MAP-Word" => mean(|scores| scores.by_word),
                "MAP-Char" => mean(|scores| scores.by_character),
                "nearest" => of[0].nearest.join(", "),
            ]);
        }
    }
    let mut promised = Sheet::new("What is promised, delta 1e-5");
    promised.row(promise(steps[0], pairs)?);
    let at = |way: usize, score: fn(&Scores) -> f64| means(&found[way], 0, score);
    let precision = |way| at(way, |scores| scores.average_precision);
    let by_character = |way| at(way, |scores| scores.by_character);
    let claims = vec![
        difference(
            "Algorithm 1-a finds more neighbours than a random table (average precision)",
            &precision(0),
            &precision(2),
        ),
        difference("the same steps without noise do", &precision(1), &precision(2)),
        difference(
            "by MAP-Char, as the released program counts, Algorithm 1-a is above a random table",
            &by_character(0),
            &by_character(2),
        ),
    ];
    Ok(Report { sheets: vec![sheet, promised], claims, ..Report::default() })
}

fn promise(steps: u32, pairs: u64) -> Result<[(&'static str, textveil_toolkit::report::Cell); 4]> {
    Ok(cells![
        "steps" => f64::from(steps),
        "pairs of the text" => pairs as f64,
        "eps of one pair" => super::published::epsilon(pairs, steps, 1)?,
        "eps of who has 10,000 pairs" => super::published::epsilon(pairs, steps, 10_000.min(pairs))?,
    ])
}

/// The mean over the queries, of each run.
fn means(runs: &Found, step: usize, score: fn(&Scores) -> f64) -> Vec<f64> {
    let mean = |steps: &Vec<Vec<Scores>>| steps[step].iter().map(score).sum::<f64>() / QUERIES.len() as f64;
    runs.iter().map(mean).collect()
}

/// Claims that one is above the other, as far as runs of both can tell.
pub(super) fn difference(text: &str, ours: &[f64], other: &[f64]) -> Claim {
    let [ours, other] = [ours, other].map(Mean::of);
    let [a, b] = [ours, other].map(|mean| mean.half_width.unwrap_or(f64::INFINITY));
    let half = a.hypot(b);
    let evidence = format!("{} against {}", ours.ours(), other.ours());
    Claim::positive(text, ours.mean - other.mean, half, format!("{evidence}, open within {}", short(half)))
}

fn figure_3(run: &Run<'_>) -> Result<Report> {
    let steps: &[u32] = if run.is_quick() { &FEW_STEPS } else { &STEPS };
    let (found, pairs) = found(run, steps)?;
    let mut sheet = Sheet::new("Mean average precision of eleven queries, by step");
    let mut promised = Sheet::new("What is promised, delta 1e-5");
    for (place, step) in steps.iter().enumerate() {
        for (way, runs) in Way::ALL.into_iter().zip(&found) {
            let mean = |score: fn(&Scores) -> f64| Mean::of(&means(runs, place, score));
            sheet.row(cells![
                "steps" => f64::from(*step),
                "table" => way.name(),
                "mean average precision" => mean(|scores| scores.average_precision),
                "MAP-Word" => mean(|scores| scores.by_word),
                "MAP-Char" => mean(|scores| scores.by_character),
            ]);
        }
        promised.row(promise(*step, pairs)?);
    }
    let line = |way: usize, score: fn(&Scores) -> f64| -> Vec<[f64; 2]> {
        let mean = |place| Mean::of(&means(&found[way], place, score)).mean;
        steps.iter().enumerate().map(|(place, step)| [f64::from(*step), mean(place)]).collect()
    };
    let curve =
        |way: usize| -> Vec<f64> { line(way, |scores| scores.average_precision).iter().map(|[_, y]| *y).collect() };
    let panel = |title, score: fn(&Scores) -> f64| Panel {
        title,
        axis_title: "steps (logarithmic)",
        x: Axis::logarithmic(10.0, 100_000.0),
        y: Axis::linear(0.0, 0.5),
        lines: Way::ALL.iter().enumerate().map(|(way, of)| (of.name(), line(way, score))).collect(),
    };
    let panels = panels(
        "dpUGC, Figure 3 in kind",
        &[
            panel("mean average precision", |scores| scores.average_precision),
            panel("MAP-Word of the released program", |scores| scores.by_word),
        ],
    );
    let claims = vec![
        Claim::rises("under Algorithm 1-a average precision rises with the steps", &curve(0), 0.01),
        Claim::rises("without noise it does", &curve(1), 0.01),
    ];
    Ok(Report { claims, ..Report::of(vec![sheet, promised], panels) })
}
