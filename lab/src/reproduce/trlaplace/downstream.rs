//! What a classifier learns: trained on texts as they came out, tested on others that came out.

use anyhow::{Context, Result};

use super::corpus::{CLASSES, EmbeddedSet, Split, embeddings};
use super::draws::{Found, by_epsilon, drawing, found};
use super::noise::{PUBLISHED, RELEASED, SOUND, Way};
use super::{DATA, RUNS, WHY};
use crate::logistic::Classifier;
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::numbers::short;
use textveil_toolkit::report::{Mean, Sheet};

pub(crate) static DOWNSTREAM: Experiment = Experiment {
    paper: "trlaplace",
    table: "downstream",
    about: "Accuracy of a classifier trained on texts under TrLaplace, Laplace and Gaussian noise (Huang et al., EMNLP \
            2024)",
    data: &DATA,
    takes: &[],
    runs: Some(RUNS),
    has_plot: true,
    why: WHY,
    compute,
};

/// Texts to train on and to test on, at most.
const TEXTS: [usize; 2] = [800, 400];
/// With `--quick`.
const FEW_TEXTS: [usize; 2] = [200, 200];
/// About two standard errors of an accuracy on 400 texts.
const ACCURACY_TOLERANCE: f64 = 0.05;

/// What is drawn.
const SHOWN: [(Way, &str); 5] = [
    (PUBLISHED[2], "TrLaplace"),
    (RELEASED[0], "program, Gaussian"),
    (RELEASED[2], "program, TrLaplace"),
    (SOUND[0], "sound Gaussian"),
    (SOUND[3], "exponential"),
];

type Accuracy<'a> = Found<'a, 1>;

fn compute(run: &Run<'_>) -> Result<Report> {
    let embeddings = embeddings(run)?;
    let corpora = EmbeddedSet::all(run, &embeddings, if run.is_quick() { FEW_TEXTS } else { TEXTS })?;
    let found = found(run, &corpora, |place, device, rng| {
        let corpus = corpora.get(place).context("a corpus")?;
        let [train, test] = [&corpus.train, &corpus.test].map(|split| {
            let drawn = |text: &Vec<_>| corpus.embedding.space.mean(&device.draw(text, rng));
            split.texts.iter().map(drawn).collect::<Vec<_>>()
        });
        let rows: Vec<&[f64]> = train.iter().map(Vec::as_slice).collect();
        let classifier = Classifier::train(&rows, &corpus.train.labels, CLASSES);
        let hits = test.iter().zip(&corpus.test.labels).filter(|(row, label)| classifier.predict(row) == **label);
        Ok([hits.count() as f64 / test.len().max(1) as f64])
    })?;
    let mut sheet = Sheet::new("Accuracy of logistic regression on the mean vector of words");
    for found in &found {
        let [accuracy] = found.means;
        sheet.row(found.head().into_iter().chain(cells!["accuracy" => accuracy]));
    }
    let claims = corpora.iter().flat_map(|corpus| claims_of(corpus, &found)).collect();
    let shown: Vec<&EmbeddedSet<'_>> = corpora.iter().collect();
    let drawing = drawing("TrLaplace: accuracy", &found, &shown, &SHOWN, 0);
    Ok(Report { claims, ..Report::of(vec![texts(&corpora), sheet], drawing) })
}

fn texts(corpora: &[EmbeddedSet<'_>]) -> Sheet {
    let mut sheet = Sheet::new("Texts");
    for corpus in corpora {
        sheet.row(cells![
            "set" => corpus.set,
            "vectors" => corpus.embedding.name,
            "texts to train on" => corpus.train.texts.len() as f64,
            "texts to test on" => corpus.test.texts.len() as f64,
            "words covered" => corpus.covered,
            "commonest class" => commonest(&corpus.test),
        ]);
    }
    sheet
}

/// The share of the commonest label.
fn commonest(split: &Split) -> f64 {
    let count = |label: usize| split.labels.iter().filter(|of| **of == label).count();
    let most = split.labels.iter().map(|label| count(*label)).max().unwrap_or(0);
    most as f64 / split.labels.len().max(1) as f64
}

fn claims_of(corpus: &EmbeddedSet<'_>, found: &[Accuracy<'_>]) -> Vec<Claim> {
    let of = |way| by_epsilon(found, corpus, way, 0);
    let mean = |numbers: &[f64]| Mean::of(numbers).mean;
    let name = corpus.title();
    let clear = mean(&of(Way::Clear));
    let mut claims = Vec::new();
    if corpus.embedding.program.is_some() {
        for (ways, what) in [(PUBLISHED, "as published"), (RELEASED, "released program")] {
            let [gaussian, laplace, truncated] = ways.map(of);
            let [a, b, c] = [&gaussian, &laplace, &truncated].map(|numbers| mean(numbers));
            claims.push(Claim::positive(
                format!("{name}, {what}: over all eps TrLaplace leaves more accuracy than Laplace and Gaussian"),
                c - a.max(b),
                ACCURACY_TOLERANCE,
                format!("{} against {} and {}, open within {ACCURACY_TOLERANCE}", short(c), short(b), short(a)),
            ));
            let text = format!("{name}, {what}: under TrLaplace accuracy is nearly that in clear");
            claims.push(Claim::near(text, &truncated, clear, ACCURACY_TOLERANCE));
        }
    }
    let bound = commonest(&corpus.test) + ACCURACY_TOLERANCE;
    let sound: Vec<f64> = SOUND.iter().map(|way| of(*way)).filter(|of| !of.is_empty()).map(|of| mean(&of)).collect();
    let most = sound.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    claims.push(Claim::new(
        format!("{name}: over all eps nothing that keeps the claim teaches anything"),
        !sound.is_empty() && most <= bound,
        format!("{} at most, {} in the commonest class", short(most), short(commonest(&corpus.test))),
    ));
    claims
}

#[cfg(test)]
mod tests {
    use super::super::super::run::tests::with_library;
    use super::super::corpus::toy;
    use super::*;
    use textveil_toolkit::report::Cell;

    #[test]
    fn topics_are_told_under_the_released_program_and_not_under_what_keeps_the_claim() {
        let report = with_library(&DOWNSTREAM, 1, &toy().library(), compute).expect("a report");
        let accuracies = |noise: &str| -> Vec<f64> {
            let rows = report.sheets[1].rows.iter().filter(|row| row[2].shown() == noise);
            let number = |row: &Vec<Cell>| match &row[7] {
                Cell::Mean(mean) => mean.mean,
                cell => unreachable!("{}", cell.shown()),
            };
            rows.map(number).collect()
        };
        let (clear, released) = (accuracies("none"), accuracies("truncated-laplace, released program"));
        assert!(clear.len() == 6 && released.len() == 16);
        assert!(clear.into_iter().chain(released).all(|accuracy| accuracy > 0.95));
        let sound = accuracies("gaussian, sound");
        assert!((sound.iter().sum::<f64>() / sound.len() as f64 - 0.5).abs() < 0.2, "{sound:?}");
    }
}
