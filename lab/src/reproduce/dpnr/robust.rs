//! Table 2 with an encoder that is trained through the noise, as Algorithm 1 has it.

use std::fmt;

use anyhow::{Context, Result};
use ndarray::{Array2, Axis, concatenate};
use serde::{Deserialize, Serialize};
use textveil::{Calibration, Dropout, Mechanism, MechanismKind, Parameter, ReleaseRng, Representer, Table, Unit};
use textveil_learn::{Examples, Features, Model, Noised, Optimizer, Recipe, Robust, Session, train};
use textveil_tables::embedding::{Space, rows};
use textveil_toolkit::cells;
use textveil_toolkit::report::numbers::short;
use textveil_toolkit::report::plot::{Axis as PlotAxis, Panel, panels};
use textveil_toolkit::report::{Cell, Mean, Sheet};

use super::bound::{best_accuracy, capacity};
use super::corpus::{Corpus, Part};
use super::embedding::Embedder;
use super::printed::main_accuracy;
use super::sweep::EPSILONS;
use super::training::{Scaling, accuracy, counted};
use super::{DATA, RUNS, SETS, TAKES};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::printed::numbers;
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;

pub(crate) static TRAINED: Experiment = Experiment {
    paper: "dpnr",
    table: "table-2-robust",
    about: "Table 2 with an encoder trained through the noise, and what no encoder can exceed (Lyu, He and Li, EMNLP Findings 2020)",
    data: &DATA,
    takes: &TAKES,
    runs: Some(RUNS),
    has_plot: true,
    why: WHY,
    compute,
};

/// Elements of a representation in the paper.
pub(super) const DIMS: usize = 768;
/// Elements under noise that keeps the claim: the fewer, the less noise on each.
const FEW: usize = 8;
/// True ε at which ways are compared: the last two are those of the paper's least claims.
const TRUE: [f64; 5] = [1.0, 5.0, 8.0, 38.4, 76.8];
/// How far from clear the paper's noise may leave an encoder that was trained through it, from this ε on.
const NEAR: f64 = 0.03;
const ENOUGH: f64 = 0.5;

/// How a text is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sent {
    /// Without noise.
    Clear,
    /// The paper's noise on [`DIMS`] elements, at the ε that is claimed.
    Published(f64),
    /// Noise that keeps the claim, on [`FEW`] elements.
    Sound(f64),
}

/// An encoder and a classifier that are trained and tested once.
struct Training {
    set: usize,
    sent: Sent,
    run: u32,
}

impl fmt::Display for Training {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, run) = (SETS[self.set].0, self.run);
        match self.sent {
            Sent::Clear => write!(formatter, "{name}/clear/run={run}"),
            Sent::Published(epsilon) => write!(formatter, "{name}/published/eps={epsilon}/run={run}"),
            Sent::Sound(epsilon) => write!(formatter, "{name}/sound/eps={epsilon}/run={run}"),
        }
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct Outcome {
    all: f64,
    /// On texts that do not stand among those to train on.
    new: f64,
    /// The share of elements within a twentieth of 0 or 1.
    at_ends: f64,
    /// In clear: the accuracy of a classifier of PrivUnit2's releases of the representation, at each ε.
    directions: Vec<f64>,
}

/// What an encoder reads of a text, train, dev and test: the embedder's vector, and the mean, the greatest and the least
/// element of its words' vectors.
struct Inputs {
    corpus: Corpus,
    parts: [Array2<f32>; 3],
}

impl Inputs {
    fn read(run: &Run<'_>, embedder: &Embedder, table: &Table, set: usize) -> Result<Self> {
        let corpus = Corpus::read(run, embedder, SETS[set].0, 0.0)?;
        let space = Space::of_table(table);
        let of = |part: &Part| -> Result<Array2<f32>> {
            let pooled = part.texts.iter().map(|text| pooled(&space, table, text)).collect::<Result<Vec<_>>>()?;
            let pooled = Array2::from_shape_vec((part.texts.len(), 3 * table.dims()), pooled.concat())?;
            Ok(concatenate(Axis(1), &[part.rows.view(), pooled.view()])?)
        };
        let [train, dev, test] = corpus.parts();
        let (train, dev, test) = (of(train)?, of(dev)?, of(test)?);
        let scaling = Scaling::of(&train);
        let parts = [train, dev, test].map(|rows| scaling.apply(rows));
        Ok(Self { corpus, parts })
    }
}

fn pooled(space: &Space, table: &Table, text: &str) -> Result<Vec<f32>> {
    let words = rows(table, text)?;
    let mut ends = vec![[f64::INFINITY, f64::NEG_INFINITY]; table.dims()];
    for word in &words {
        for ([least, greatest], x) in ends.iter_mut().zip(space.vector(*word)) {
            (*least, *greatest) = (least.min(*x), greatest.max(*x));
        }
    }
    let ends = |of: usize| ends.iter().map(move |ends| if ends[of].is_finite() { ends[of] } else { 0.0 });
    Ok(space.mean(&words).into_iter().chain(ends(0)).chain(ends(1)).map(|x| x as f32).collect())
}

fn compute(run: &Run<'_>) -> Result<Report> {
    let (embedder, table) = (Embedder::of(run)?, run.table()?);
    let inputs: Vec<Inputs> =
        (0..SETS.len()).map(|set| Inputs::read(run, &embedder, &table, set)).collect::<Result<_>>()?;
    let epsilons: Vec<f64> =
        if run.is_quick() { vec![0.05, 0.5, 5.0] } else { EPSILONS.map(|row| row.epsilon).to_vec() };
    let ways: Vec<Sent> = [Sent::Clear]
        .into_iter()
        .chain(epsilons.iter().map(|epsilon| Sent::Published(*epsilon)))
        .chain(TRUE.into_iter().map(Sent::Sound))
        .collect();
    let trainings: Vec<Training> = (0..SETS.len())
        .flat_map(|set| {
            ways.iter().flat_map(move |sent| (0..run.runs()).map(move |run| Training { set, sent: *sent, run }))
        })
        .collect();
    let outcomes = run.cells(&trainings, |training| training.outcome(run, &inputs[training.set]))?;
    let mut found = Vec::new();
    for (group, outcomes) in trainings.chunks(run.runs() as usize).zip(outcomes.chunks(run.runs() as usize)) {
        let Training { set, sent, .. } = group.first().context("no runs")?;
        let shares = shares(&inputs[*set].corpus);
        found.push(Found { set: *set, sent: *sent, shares, outcomes: outcomes.to_vec() });
    }
    report(&epsilons, &found)
}

/// The share of each class among the test texts.
fn shares(corpus: &Corpus) -> Vec<f64> {
    let mut shares = vec![0.0; corpus.classes];
    corpus.test.labels.iter().for_each(|label| shares[*label] += 1.0 / corpus.test.labels.len() as f64);
    shares
}

impl Sent {
    /// The elements, and the mechanism for them.
    fn mechanism(self) -> Result<Option<(usize, Representer)>> {
        let of = |dims, epsilon, calibration| -> Result<_> {
            let mechanism = Mechanism::new(MechanismKind::Dpnr).with(Parameter::Epsilon, epsilon)?;
            let mechanism = mechanism.calibrated(calibration)?;
            Ok(Some((dims, Representer::of_vectors(dims, Some(1.0), mechanism, Unit::Text)?)))
        };
        match self {
            Self::Clear => Ok(None),
            Self::Published(epsilon) => of(DIMS, epsilon, Calibration::Published),
            Self::Sound(epsilon) => of(FEW, epsilon, Calibration::Sound),
        }
    }

    /// What is claimed, and what holds of a text.
    fn epsilons(self) -> Result<Option<[f64; 2]>> {
        let (Self::Published(claimed) | Self::Sound(claimed)) = self else { return Ok(None) };
        let mechanism = self.mechanism()?;
        mechanism.map(|(_, of)| Ok([claimed, of.guarantee(1, &Dropout::None)?.epsilon_text])).transpose()
    }
}

impl Training {
    fn outcome(&self, run: &Run<'_>, inputs: &Inputs) -> Result<Outcome> {
        let mechanism = self.sent.mechanism()?;
        let dims = mechanism.as_ref().map_or(DIMS, |(dims, _)| *dims);
        // A unit box in `dims` dimensions loses dims/scale.
        let scale = self.sent.epsilons()?.map_or(0.0, |[_, text]| dims as f64 / text);
        let recipe = Recipe {
            model: Model::Mlp { hidden: vec![256], dropout: 0.2 },
            optimizer: Optimizer::Adam { rate: 3e-3 },
            epochs: if run.is_quick() { 4 } else { 30 },
            batch: 128,
            patience: None,
            seed: run.seed(&format!("{self}/weights")),
        };
        let Inputs { corpus, parts: [train, _, test] } = inputs;
        let labels = corpus.train.labels.clone();
        let examples = Examples { features: Features::Dense(train.clone()), labels };
        let noised = Robust { recipe, dims, scale }.train(corpus.classes, &examples)?;
        let clear = noised.represent(test)?;
        let at_ends = clear.iter().filter(|x| !(0.05..=0.95).contains(*x)).count() as f64 / clear.len().max(1) as f64;
        let sent = match &mechanism {
            Some((_, representer)) => released(representer, &clear, &mut run.rng(&format!("{self}/noise")))?,
            None => clear,
        };
        let predictions = noised.predict(&sent)?;
        let [all, new] = [false, true].map(|is_new_alone| {
            let counts = corpus.test.counts(is_new_alone);
            accuracy(counted(predictions.iter().zip(&corpus.test.labels), &counts))
        });
        let directions = match self.sent {
            Sent::Clear => self.directions(run, &noised, inputs)?,
            _ => Vec::new(),
        };
        Ok(Outcome { all, new, at_ends, directions })
    }

    /// The accuracy of a classifier that is trained on PrivUnit2's releases of what an encoder gives, which was trained in
    /// clear, and tested on others.
    fn directions(&self, run: &Run<'_>, noised: &Noised, inputs: &Inputs) -> Result<Vec<f64>> {
        let parts = inputs.parts.each_ref().map(|rows| noised.represent(rows));
        let [train_rows, dev, test] = parts;
        let [mut train_rows, mut dev, mut test] = [train_rows?, dev?, test?];
        let mean = train_rows.mean_axis(Axis(0)).context("no texts")?;
        [&mut train_rows, &mut dev, &mut test].into_iter().for_each(|rows| *rows -= &mean);
        let Corpus { classes, train: of_train, dev: of_dev, test: of_test, .. } = &inputs.corpus;
        let one = |epsilon: f64| -> Result<f64> {
            let mechanism = Mechanism::new(MechanismKind::Privunit2).with(Parameter::Epsilon, epsilon)?;
            let representer = Representer::of_vectors(DIMS, None, mechanism, Unit::Text)?;
            let key = format!("{self}/directions/eps={epsilon}");
            let examples = |rows: &Array2<f32>, labels: &[usize], what: &str| -> Result<Examples> {
                let mut rng = run.rng(&format!("{key}/{what}"));
                let mut sent = rows.clone();
                for mut row in sent.rows_mut() {
                    let length = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
                    // Exactly the mean of all: any direction is as good.
                    let first = |place: usize| if place == 0 { 1.0 } else { 0.0 };
                    let direction: Vec<f64> = if length > 0.0 {
                        row.iter().map(|x| f64::from(*x) / length).collect()
                    } else {
                        (0..DIMS).map(first).collect()
                    };
                    let told = representer.represent_vectors(&[&direction], &Dropout::None, &mut rng)?.vectors();
                    let told = told.first().context("a release without a row")?;
                    row.iter_mut().zip(told).for_each(|(to, from)| *to = *from as f32);
                }
                Ok(Examples { features: Features::Dense(sent), labels: labels.to_vec() })
            };
            let [train_on, dev, test] = [
                examples(&train_rows, &of_train.labels, "train")?,
                examples(&dev, &of_dev.labels, "dev")?,
                examples(&test, &of_test.labels, "test")?,
            ];
            let recipe = Recipe {
                model: Model::Logistic { l2: 1e-2 },
                optimizer: Optimizer::Adam { rate: 1e-3 },
                epochs: 20,
                batch: 128,
                patience: Some(3),
                seed: run.seed(&key),
            };
            let trained = train(&recipe, *classes, &train_on, Some(&dev), &Session::default())?;
            Ok(trained.evaluate(&test)?.accuracy)
        };
        TRUE.into_iter().map(one).collect()
    }
}

/// What devices send, a release for each row.
fn released(representer: &Representer, clear: &Array2<f32>, rng: &mut ReleaseRng) -> Result<Array2<f32>> {
    let mut sent = clear.clone();
    for mut row in sent.rows_mut() {
        let wide: Vec<f64> = row.iter().map(|x| (2.0 * f64::from(*x) - 1.0).clamp(-1.0, 1.0)).collect();
        let noisy = representer.represent_vectors(&[&wide], &Dropout::None, rng)?.vectors();
        let noisy = noisy.first().context("a release without a row")?;
        row.iter_mut().zip(noisy).for_each(|(to, from)| *to = *from as f32);
    }
    Ok(sent)
}

/// The results of a way on a set.
struct Found {
    set: usize,
    sent: Sent,
    shares: Vec<f64>,
    outcomes: Vec<Outcome>,
}

impl Found {
    fn mean(&self, of: impl Fn(&Outcome) -> f64) -> Mean {
        Mean::of(&self.outcomes.iter().map(of).collect::<Vec<_>>())
    }

    /// What no encoder can exceed, without noise 1.
    fn bound(&self) -> f64 {
        match self.sent {
            Sent::Clear => 1.0,
            Sent::Published(epsilon) => best_accuracy(&self.shares, DIMS as f64 * capacity(1.0 / epsilon)),
            Sent::Sound(epsilon) => best_accuracy(&self.shares, FEW as f64 * capacity(FEW as f64 / epsilon)),
        }
    }
}

fn report(epsilons: &[f64], found: &[Found]) -> Result<Report> {
    let of = |set: usize, sent: Sent| found.iter().find(|found| (found.set, found.sent) == (set, sent));
    let mut paper = Sheet::new("Accuracy of an encoder trained through the noise");
    let mut equal = Sheet::new("Accuracy at the same true epsilon");
    let numbers = numbers("dpnr")?;
    let mut claims = Vec::new();
    let mut drawn = Vec::new();
    for (set, (_, name)) in SETS.into_iter().enumerate() {
        let clear = of(set, Sent::Clear).context("nothing in clear")?;
        let clear_mean = clear.mean(|outcome| outcome.all);
        let (mut near, mut bounded, mut lines) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
        for row in found.iter().filter(|found| found.set == set) {
            let claimed = match row.sent {
                Sent::Clear => None,
                Sent::Published(epsilon) => Some(epsilon),
                Sent::Sound(_) => continue,
            };
            let printed = main_accuracy(name, claimed, &numbers).context("not printed")?;
            let (all, bound) = (row.mean(|outcome| outcome.all), row.bound());
            let truth = row.sent.epsilons()?.map_or(f64::INFINITY, |[_, text]| text);
            paper.row(cells![
                "set" => name,
                "eps claimed" => claimed.map_or_else(|| "none".into(), Cell::from),
                "eps true, a text" => truth,
                "accuracy" => all,
                "on texts not in train" => row.mean(|outcome| outcome.new),
                "no encoder can exceed" => bound,
                "elements near 0 or 1" => row.mean(|outcome| outcome.at_ends),
            ]);
            let Some(epsilon) = claimed else { continue };
            lines[0].push([epsilon, all.mean]);
            lines[1].push([epsilon, bound]);
            if epsilon >= ENOUGH {
                near.push(all.mean);
            } else {
                bounded.push((epsilon, all.mean, bound, printed));
            }
        }
        let text = format!("{name}, trained through the noise: as in clear from eps {ENOUGH} on");
        claims.push(Claim::near(text, &near, clear_mean.mean, NEAR));
        for (epsilon, ours, bound, printed) in bounded {
            let text = format!("{name}, eps {epsilon}: below what no encoder can exceed");
            claims.push(Claim::new(text, ours <= bound, format!("{}, at most {}", short(ours), short(bound))));
            let text = format!(
                "{name}, eps {epsilon}: with classes such as ours the paper's number cannot come from the published mechanism"
            );
            claims.push(Claim::new(text, printed > bound, format!("{}, at most {}", short(printed), short(bound))));
        }
        for (place, epsilon) in TRUE.into_iter().enumerate() {
            let sound = of(set, Sent::Sound(epsilon)).context("nothing sound")?;
            let classes = clear.shares.len() as f64;
            let kept = epsilon.exp() / (epsilon.exp() + classes - 1.0);
            let told = |outcome: &Outcome| kept * outcome.all + (1.0 - kept) * (1.0 - outcome.all) / (classes - 1.0);
            let as_published = epsilons.iter().find(|claimed| (*claimed * DIMS as f64 / epsilon - 1.0).abs() < 1e-6);
            let published = as_published.and_then(|claimed| of(set, Sent::Published(*claimed)));
            equal.row(cells![
                "set" => name,
                "eps true, a text" => epsilon,
                "as published, 768 elements" => published
                    .map_or_else(|| "not in the paper".into(), |row| Cell::from(row.mean(|outcome| outcome.all))),
                "sound, 8 elements" => sound.mean(|outcome| outcome.all),
                "privunit2" => clear.mean(|outcome| outcome.directions.get(place).copied().unwrap_or(f64::NAN)),
                "told by the device" => clear.mean(told),
                "no encoder of 8 elements can exceed" => sound.bound(),
            ]);
        }
        let [ours, bound] = lines;
        drawn.push(Panel {
            title: name,
            axis_title: "ε as claimed (logarithmic)",
            x: PlotAxis::logarithmic(0.01, 10.0),
            y: PlotAxis::linear(0.0, 1.0),
            lines: vec![("through the noise", ours), ("no encoder can exceed", bound)],
        });
    }
    let drawing = panels("DPNR: an encoder trained through the noise", &drawn);
    Ok(Report { claims, ..Report::of(vec![paper, equal], drawing) })
}

const WHY: &str = "the encoder is a perceptron of 256 and 768 units that reads a text's vector and the mean, the greatest and \
the least element of its words' vectors, where the paper trains BERT; blog's topics are those of another run of LDA, so that \
its numbers compare in kind only. What no encoder can exceed follows from the noise and from the shares of the classes among \
our test texts (Blahut and Arimoto; Erokhin): it holds for BERT, too. Told by the device: the classifier runs on the device, and \
randomized response hides its answer, as it does a statement of a list; computed from the accuracy in clear. The sound noise \
and PrivUnit2 are those of the SDK.";

#[cfg(test)]
mod tests {
    use super::super::super::run::tests::with_library;
    use super::super::tests::two_topics;
    use super::*;

    #[test]
    fn topics_survive_little_noise_and_no_accuracy_exceeds_its_bound() {
        let toy = two_topics([200, 240, 300]);
        let report = with_library(&TRAINED, 1, &toy.library(), compute).expect("a report");
        let number = |row: usize, column: usize| match &report.sheets[0].rows[row][column] {
            Cell::Mean(mean) => mean.mean,
            Cell::Number(number) => *number,
            _ => unreachable!("a number"),
        };
        assert!(number(0, 3) > 0.95, "in clear: {}", number(0, 3));
        let last = report.sheets[0].rows.len() / 2 - 1;
        assert!(number(last, 3) > 0.9, "at eps 5: {}", number(last, 3));
        assert!(number(1, 5) < 0.9 && number(last, 5) > 0.99, "{} {}", number(1, 5), number(last, 5));
    }
}
