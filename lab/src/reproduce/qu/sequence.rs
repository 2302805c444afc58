//! Sequence representations: noise on one vector for a whole text, and what a classifier then tells.
//!
//! The paper says in a sentence that accuracy is lost, and shows no table. Its vectors are BERT's and of any length; ours have
//! length 1, so that η is a rate per that length.

use std::fmt;

use anyhow::Result;
use textveil::lattice_noise;

use super::accuracy::ACCURACY_TOLERANCE;
use super::{DATA, SETS};
use crate::data::Example;
use crate::logistic::Classifier;
use crate::reproduce::claim::Claim;
use crate::reproduce::dpnr::embedding::Embedder;
use crate::reproduce::experiment::{Experiment, Runs};
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::{Mean, Sheet};

pub(crate) static SEQUENCE: Experiment = Experiment {
    paper: "qu",
    table: "sequence",
    about: "SST-2: accuracy on noisy vectors of whole texts by eta (Qu et al., CIKM 2021)",
    data: &[DATA[0]],
    takes: &["table", "encoder"],
    runs: Some(Runs { quick: 1, usual: 3, paper: None }),
    has_plot: false,
    why: WHY,
    compute,
};

const WHY: &str = "eta is a rate per unit of distance. Ours are vectors of length 1 and of 384 dimensions, by a small sentence \
encoder (without one, the mean vector of a text's words in 24 dimensions); the paper's are BERT's, of 768 dimensions and of no \
stated length. A logistic regression reads them, trained on 8,000 texts. Noise of length d/eta stands beside distances of at most \
2, so eta times 2 is what the paper's claim comes to for two texts: at every eta that leaves accuracy it is hundreds of nats.";

/// The paper's η, and larger ones.
const ETAS: [f64; 9] = [50.0, 75.0, 100.0, 125.0, 150.0, 175.0, 350.0, 700.0, 1400.0];
/// The paper says that at this η at least this much accuracy is lost.
const AT: f64 = 175.0;
const LOST: f64 = 0.30;
/// Texts to train on, at most, and with `--quick`.
const TEXTS: [usize; 2] = [8000, 400];
/// The step of the lattice on which noise is drawn, in units of length.
const STEP: f64 = 1e-3;
/// The distance of two vectors of length 1, at most.
const FARTHEST: f64 = 2.0;

/// Vectors of texts, of length 1, with their labels.
struct Part {
    rows: Vec<Vec<f64>>,
    labels: Vec<usize>,
}

impl Part {
    fn of(embedder: &Embedder, examples: &[Example]) -> Result<Self> {
        let texts: Vec<String> = examples.iter().map(|example| example.text.clone()).collect();
        let vectors = embedder.embed(&texts)?;
        let unit = |row: ndarray::ArrayView1<'_, f32>| {
            let length = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
            row.iter().map(|x| if length > 0.0 { f64::from(*x) / length } else { 0.0 }).collect()
        };
        let labels = examples.iter().map(|example| example.label).collect();
        Ok(Self { rows: vectors.rows().into_iter().map(unit).collect(), labels })
    }

    /// Each vector under noise of its own.
    fn under(&self, eta: Option<f64>, run: &Run<'_>, key: &str) -> Vec<Vec<f64>> {
        let mut rng = run.rng(key);
        let noisy = |row: &Vec<f64>| {
            let Some(eta) = eta else { return row.clone() };
            let noise = lattice_noise(eta, row.len(), STEP, &mut rng).expect("an η above zero");
            row.iter().zip(noise).map(|(x, noise)| x + STEP * noise as f64).collect()
        };
        self.rows.iter().map(noisy).collect()
    }
}

/// A classifier on noisy vectors, tested on others.
struct Fit {
    eta: Option<f64>,
    run: u32,
}

impl fmt::Display for Fit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.eta {
            Some(eta) => write!(formatter, "eta={eta}/run={}", self.run),
            None => write!(formatter, "clear/run={}", self.run),
        }
    }
}

fn compute(run: &Run<'_>) -> Result<Report> {
    let count = TEXTS[usize::from(run.is_quick())];
    let set = run.set(SETS[0].0)?.limited(count, run.seed("sequence/texts"));
    let embedder = Embedder::of(run)?;
    let (train, test) = (Part::of(&embedder, &set.train)?, Part::of(&embedder, &set.test)?);
    let etas = [None].into_iter().chain(ETAS.map(Some));
    let fits: Vec<Fit> = etas.flat_map(|eta| (0..run.runs()).map(move |run| Fit { eta, run })).collect();
    let accuracies: Vec<f64> = run.cells(&fits, |fit| {
        let [of_train, of_test] =
            [(&train, "train"), (&test, "test")].map(|(part, name)| part.under(fit.eta, run, &format!("{fit}/{name}")));
        let rows: Vec<&[f64]> = of_train.iter().map(Vec::as_slice).collect();
        let classifier = Classifier::train(&rows, &train.labels, set.labels.len());
        let right = of_test.iter().zip(&test.labels).filter(|(row, label)| classifier.predict(row) == **label).count();
        Ok(right as f64 / test.labels.len() as f64)
    })?;
    let dims = train.rows.first().map_or(0, Vec::len) as f64;
    let means: Vec<Mean> = accuracies.chunks(run.runs() as usize).map(Mean::of).collect();
    let mut sheet = Sheet::new("Accuracy of a logistic regression on noisy vectors of texts");
    for (at, mean) in means.iter().enumerate() {
        let eta = at.checked_sub(1).map(|at| ETAS[at]);
        sheet.row(cells![
            "eta" => eta.unwrap_or(f64::INFINITY),
            "dimensions" => dims,
            "mean length of the noise" => eta.map_or(0.0, |eta| dims / eta),
            "eps, any two texts" => eta.map_or(f64::INFINITY, |eta| FARTHEST * eta),
            "accuracy" => *mean,
            "lost" => means[0].mean - mean.mean,
        ]);
    }
    let lost: Vec<f64> = means[1..].iter().map(|mean| means[0].mean - mean.mean).collect();
    let at = ETAS.iter().position(|eta| *eta == AT).map_or(f64::NAN, |at| lost[at]);
    let accuracies: Vec<f64> = means[1..].iter().map(|mean| mean.mean).collect();
    let claims = vec![
        Claim::above(format!("SST-2: at eta {AT} at least {LOST} of accuracy is lost"), &[at], LOST),
        Claim::rises("SST-2: accuracy rises with eta", &accuracies, ACCURACY_TOLERANCE),
    ];
    Ok(Report { sheets: vec![sheet], claims, ..Report::default() })
}
