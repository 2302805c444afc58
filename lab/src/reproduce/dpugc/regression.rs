//! Table 3 in kind: a number about authors, told from the mean vectors of their words.
//!
//! The paper predicts the extraversion of 250 users of myPersonality, which is not available. Here it is the age of
//! authors of blogs, on the same scale of 1 to 5. A random table is tested next to each table.

use std::fmt;

use anyhow::Result;
use rayon::prelude::*;

use super::judge::{directions, mean_vector};
use super::model::Vector;
use super::neighbours::difference;
use super::published::{WORDS, Way, epsilon, tables};
use super::text::{Text, Vocabulary};
use super::{AUTHORS, PUBLIC, RUNS, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::mechanisms::dpugc_delta;
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::{Mean, Sheet};
use textveil_toolkit::sampling::shuffled;

pub(crate) static TABLE_3: Experiment = Experiment {
    paper: "dpugc",
    table: "table-3",
    about: "Error of a regression on authors' mean vectors by step, beside that of a random table (Vu et al., CICLing 2019)",
    data: &[PUBLIC, AUTHORS],
    takes: &[],
    runs: Some(RUNS),
    has_plot: false,
    why: WHY,
    compute,
};

/// The paper's steps that are computed.
const STEPS: [u32; 6] = [20, 200, 500, 1000, 5000, 10_000];
const FEW_STEPS: [u32; 2] = [20, 200];
const FEW_AUTHORS: usize = 1000;
/// The paper's numbers of users to train on and to test on.
const USERS: [usize; 2] = [200, 50];
/// Authors in the pool from which each split draws.
const POOL: usize = 2000;
const SPLITS: u64 = 200;
const FEW_SPLITS: u64 = 20;
/// Ages that stand for 1 and 5.
const AGES: [f64; 2] = [13.0, 48.0];

/// What a regression reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Features {
    Of(Way),
    /// Public vectors, as the paper's baseline has them.
    Public,
    /// Nothing: the answer is the mean of the training users.
    Nothing,
}

struct Training {
    features: Features,
    run: u32,
}

impl fmt::Display for Training {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.features {
            Features::Of(way) => way.name(),
            Features::Public => "public table",
            Features::Nothing => "nothing",
        };
        write!(formatter, "{name}/run={}", self.run)
    }
}

const FEATURES: [Features; 5] = [
    Features::Of(Way::Private),
    Features::Of(Way::Clear),
    Features::Of(Way::Random),
    Features::Public,
    Features::Nothing,
];

fn target(age: u8) -> f64 {
    1.0 + 4.0 * (f64::from(age) - AGES[0]) / (AGES[1] - AGES[0])
}

/// Authors to draw from, and what is drawn.
struct Task<'a> {
    text: &'a Text,
    pool: Vec<usize>,
    splits: Vec<Vec<usize>>,
}

impl<'a> Task<'a> {
    fn of(run: &Run<'_>, text: &'a Text, number: u32) -> Self {
        let mut pool = shuffled(text.authors.len(), run.seed(&format!("pool/{number}")));
        pool.truncate(POOL);
        let splits = 0..if run.is_quick() { FEW_SPLITS } else { SPLITS };
        let split = |split: u64| shuffled(pool.len(), run.seed(&format!("split/{number}/{split}")));
        let splits = splits.map(split).collect();
        Self { text, pool, splits }
    }

    /// The error of least squares, the mean over the splits.
    fn error(&self, table: Option<&[Vector]>) -> f64 {
        let table = table.map(directions);
        let row = |author: &usize| -> (Vec<f64>, f64) {
            let features = table.as_ref().map_or_else(Vec::new, |table| mean_vector(table, self.text.words(*author)));
            (features, target(self.text.ages[*author]))
        };
        let rows: Vec<(Vec<f64>, f64)> = self.pool.par_iter().map(row).collect();
        let of_split = |split: &Vec<usize>| {
            let [train, test] = USERS;
            let chosen: Vec<&(Vec<f64>, f64)> = split.iter().take(train + test).map(|place| &rows[*place]).collect();
            let (train, test) = chosen.split_at(chosen.len() * train / (train + test));
            let weights = least_squares(train);
            let error = |(features, y): &&(Vec<f64>, f64)| (predicted(&weights, features) - y).powi(2);
            (test.iter().map(error).sum::<f64>() / test.len() as f64).sqrt()
        };
        self.splits.par_iter().map(of_split).collect::<Vec<f64>>().iter().sum::<f64>() / self.splits.len() as f64
    }
}

fn predicted(weights: &[f64], features: &[f64]) -> f64 {
    weights.iter().zip(features.iter().chain([&1.0])).map(|(weight, x)| weight * x).sum()
}

/// The weights of least squares, that of a constant last, by Cholesky's factors.
fn least_squares(rows: &[&(Vec<f64>, f64)]) -> Vec<f64> {
    let size = rows.first().map_or(0, |(features, _)| features.len()) + 1;
    let (mut matrix, mut right) = (vec![vec![0.0; size]; size], vec![0.0; size]);
    for (features, y) in rows {
        let features: Vec<f64> = features.iter().copied().chain([1.0]).collect();
        for (i, a) in features.iter().enumerate() {
            right[i] += a * y;
            (0..=i).for_each(|j| matrix[i][j] += a * features[j]);
        }
    }
    // Against features that depend on each other.
    let ridge = 1e-9 * (0..size).map(|i| matrix[i][i]).sum::<f64>() / size as f64;
    for i in 0..size {
        matrix[i][i] += ridge;
        for j in 0..=i {
            let inner: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let rest = matrix[i][j] - inner;
            matrix[i][j] = if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / matrix[j][j] };
        }
    }
    for i in 0..size {
        let inner: f64 = (0..i).map(|k| matrix[i][k] * right[k]).sum();
        right[i] = (right[i] - inner) / matrix[i][i];
    }
    for i in (0..size).rev() {
        let inner: f64 = (i + 1..size).map(|k| matrix[k][i] * right[k]).sum();
        right[i] = (right[i] - inner) / matrix[i][i];
    }
    right
}

fn compute(run: &Run<'_>) -> Result<Report> {
    let vocabulary = Vocabulary::read(run, WORDS)?;
    let text = Text::of_authors(run, &vocabulary, run.is_quick().then_some(FEW_AUTHORS))?;
    let steps: &[u32] = if run.is_quick() { &FEW_STEPS } else { &STEPS };
    let trainings: Vec<Training> =
        FEATURES.into_iter().flat_map(|features| (0..run.runs()).map(move |run| Training { features, run })).collect();
    let errors: Vec<Vec<f64>> = run.cells(&trainings, |training| {
        let task = Task::of(run, &text, training.run);
        Ok(match training.features {
            Features::Of(way) => {
                let generators = ["text", "noise"].map(|what| run.rng(&format!("{training}/{what}")));
                let tables = tables(&text, &vocabulary, way, steps, generators);
                tables.iter().map(|table| task.error(Some(table.centres()))).collect()
            }
            Features::Public => vec![task.error(Some(&vocabulary.vectors)); steps.len()],
            Features::Nothing => vec![task.error(None); steps.len()],
        })
    })?;
    let (pairs, most) = (text.pairs(), text.authors.iter().map(|author| text.pairs_of(author.clone())).max());
    let most = most.unwrap_or(1).clamp(1, 10_000);
    let runs = run.runs() as usize;
    let of = |features: usize, step: usize| -> Vec<f64> {
        errors[features * runs..][..runs].iter().map(|steps| steps[step]).collect()
    };
    let mut sheet = Sheet::new("Root mean squared error of an author's age, scaled to 1 to 5");
    let mut promised = Sheet::new("What is promised, delta 1e-5, and the paper's delta at eps 0.125");
    for (place, step) in steps.iter().enumerate() {
        let mean = |features| Mean::of(&of(features, place));
        sheet.row(cells![
            "steps" => f64::from(*step),
            "Algorithm 1-a" => mean(0),
            "without noise" => mean(1),
            "random table" => mean(2),
            "public table" => mean(3),
            "mean age alone" => mean(4),
        ]);
        promised.row(cells![
            "steps" => f64::from(*step),
            "eps of one pair" => epsilon(pairs, *step, 1)?,
            "most pairs of an author" => most as f64,
            "eps of that author" => epsilon(pairs, *step, most)?,
            "paper's delta" => dpugc_delta(u64::from(*step))?,
        ]);
    }
    let mut claims = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        let text = format!("after {step} steps a table of Algorithm 1-a errs less than a random one");
        claims.push(difference(&text, &of(2, place), &of(0, place)));
    }
    let last = steps.len() - 1;
    claims.push(difference("the last table without noise errs less than a random one", &of(2, last), &of(1, last)));
    claims.push(difference("public vectors err less than a random table", &of(2, last), &of(3, last)));
    let private: Vec<f64> = (0..steps.len()).map(|place| Mean::of(&of(0, place)).mean).collect();
    claims.push(Claim::flat("under Algorithm 1-a the error does not move with the steps", &private, 0.05));
    Ok(Report { sheets: vec![sheet, promised], claims, ..Report::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_squares_finds_the_line_that_there_is() {
        let rows: Vec<(Vec<f64>, f64)> = (0..20)
            .map(|i| {
                let (a, b) = (f64::from(i), f64::from(i * i % 7));
                (vec![a, b], 3.0 * a - 2.0 * b + 5.0)
            })
            .collect();
        let weights = least_squares(&rows.iter().collect::<Vec<_>>());
        for (weight, expected) in weights.iter().zip([3.0, -2.0, 5.0]) {
            assert!((weight - expected).abs() < 1e-4, "{weights:?}");
        }
        let alone = least_squares(&[&(vec![], 1.0), &(vec![], 4.0)]);
        assert!((predicted(&alone, &[]) - 2.5).abs() < 1e-6 && (target(48) - 5.0).abs() < 1e-12);
    }
}
