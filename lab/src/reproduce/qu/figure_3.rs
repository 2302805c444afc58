//! Figure 3 and what it explains. How long is the noise compared with the distances of words, in spaces of several
//! dimensions? How well does a BiLSTM classify noisy vectors and words there?
//!
//! In many dimensions noise hardly points to any other word. So the nearest word is still the true one when the noise
//! is several times as long as the distance. A classifier that is trained on few texts does not look for the nearest
//! word. So the more dimensions, the more it loses by noise on vectors at the same inversion.

use anyhow::{Context, Result};
use textveil::Table;

use super::accuracy::{ACCURACY_TOLERANCE, Outcome, Training};
use super::corpus::{Corpus, Input};
use super::setting::{Setting, median_distance};
use super::strengths::{Strength, strengths};
use super::{DATA, SETS, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::{Experiment, Runs};
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::{Mean, Sheet};

pub(crate) static FIGURE_3: Experiment = Experiment {
    paper: "qu",
    table: "figure-3",
    about: "Lengths of noise beside distances of words, and accuracy on SST-2, by dimension (Qu et al., CIKM 2021)",
    data: &[DATA[0], VECTORS[0], VECTORS[1]],
    takes: &[],
    runs: Some(Runs { quick: 1, usual: 3, paper: None }),
    has_plot: false,
    why: WHY,
    compute,
};

/// Spaces in addition to the table's.
const VECTORS: [&str; 2] = ["glove_50d", "word2vec_300d"];
/// The paper's η at which classifiers are trained.
const ETA: f64 = 175.0;
/// Words whose nearest neighbour is sought, evenly spread, at most.
const SAMPLE: usize = 1000;

struct Space {
    name: &'static str,
    table: Table,
    median: f64,
    /// The mean distance of a word to the nearest other one.
    nearest: f64,
    strengths: Vec<Strength>,
}

impl Space {
    fn of(run: &Run<'_>, name: &'static str, table: Table) -> Result<Self> {
        let median = median_distance(&table, &mut run.rng("distances"));
        let strengths = strengths(run, &format!("{name}/"), &table, median)?;
        let nearest = to_nearest(&table);
        Ok(Self { name, table, median, nearest, strengths })
    }
}

fn to_nearest(table: &Table) -> f64 {
    let sample: Vec<_> = table.rows().step_by(table.len().div_ceil(SAMPLE)).collect();
    let nearest = sample.iter().map(|word| {
        let others = table.rows().filter(|other| other != word);
        others.map(|other| table.distance(*word, other)).fold(f64::INFINITY, f64::min)
    });
    nearest.sum::<f64>() / sample.len() as f64
}

fn compute(run: &Run<'_>) -> Result<Report> {
    let trained = |name: &&'static str| Ok((*name, textveil_tables::of_vectors(&run.vectors(name)?)?));
    let tables = [Ok(("built-in", run.table()?))].into_iter().chain(VECTORS.iter().map(trained));
    let spaces = tables.map(|of| of.and_then(|(name, table)| Space::of(run, name, table)));
    let spaces = spaces.collect::<Result<Vec<_>>>()?;
    let (mut geometry, mut accuracy) = (Sheet::new("Lengths of noise and distances"), Sheet::new("Accuracy on SST-2"));
    let mut losses = Vec::new();
    for Space { name, table, median, nearest, strengths } in &spaces {
        for Strength { aim, paper, eta } in strengths {
            let length = table.dims() as f64 / eta;
            geometry.row(cells![
                "space" => *name,
                "dimensions" => table.dims() as f64,
                "paper's eta" => *paper,
                "inversion aimed at" => *aim,
                "eta" => *eta,
                "mean length of the noise" => length,
                "median distance of two words" => *median,
                "length over it" => length / median,
                "mean distance to the nearest word" => *nearest,
                "length over that" => length / nearest,
            ]);
        }
        let found = trained_at(run, name, table, strengths)?;
        let [clear, vectors, words] = found;
        losses.push(clear.mean - vectors.mean);
        accuracy.row(cells![
            "space" => *name,
            "dimensions" => table.dims() as f64,
            "words" => table.len() as f64,
            "vectors in clear" => clear,
            "noisy vectors" => vectors,
            "words that came out" => words,
            "words less noisy vectors" => words.mean - vectors.mean,
        ]);
    }
    let text =
        "the more dimensions, the more a BiLSTM loses by noise on vectors, at the inversion of the paper's eta 175";
    let claims = vec![Claim::rises(text, &losses, ACCURACY_TOLERANCE)];
    Ok(Report { sheets: vec![geometry, accuracy], claims, ..Report::default() })
}

/// Accuracy in clear, on noisy vectors and on words, at the strength of [`ETA`], or the largest of a quick run.
fn trained_at(run: &Run<'_>, name: &str, table: &Table, strengths: &[Strength]) -> Result<[Mean; 3]> {
    let at = strengths.iter().rfind(|strength| strength.paper <= ETA).context("no strength")?;
    let corpus = Corpus::read(run, table, SETS[0])?;
    let space = format!("{name}/");
    let inputs = [Input::Clear, Input::Representation(at.eta), Input::Text(Setting::noise(at.eta))];
    let trainings: Vec<Training<'_>> = inputs
        .into_iter()
        .flat_map(|input| (0..run.runs()).map(move |run| (input, run)))
        .map(|(input, run)| Training { space: &space, corpus: &corpus, input, run })
        .collect();
    let outcomes: Vec<Outcome> = run.cells(&trainings, |training| training.outcome(run))?;
    let accuracies: Vec<f64> = outcomes.iter().map(|outcome| outcome.accuracy).collect();
    let means: Vec<Mean> = accuracies.chunks(run.runs() as usize).map(Mean::of).collect();
    means.try_into().ok().context("a mean for each input")
}
