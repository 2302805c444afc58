//! At equal true ε: which encoding of a representation, and which classifier, is best for a collector?
//!
//! Every encoding but OME's published one is in its sound calibration, so that what is asked for is what is
//! proved; ε is that of exchanging all of an example, and of a pair of texts each gets half of it. Beside
//! round numbers stands the ε that OME really spends at the largest of the paper's λ.

use std::fmt;

use anyhow::{Context, Result};
use textveil::{Error, Mechanism, MechanismKind, Parameter};

use super::corpus::Input;
use super::{
    Claim, Classifier, Corpus, Experiment, LAMBDAS, Mean, Report, Run, Runs, SETS, Seen, Sheet, published_ome, sound,
};
use crate::plot::{Axis, Panel, panels};
use crate::reproduce::Cell;
use crate::statement::short;

pub(in crate::reproduce) static EXPERIMENT: Experiment = Experiment {
    paper: "ome",
    table: "equal-epsilon",
    about: "Which encoding and classifier is best at equal true epsilon, OME among sound ones",
    data: &SETS,
    takes: &["table", "encoder"],
    runs: Some(Runs { quick: 1, usual: 3, paper: None }),
    compute,
};

/// The sets with `--quick`.
const FEW_SETS: [&str; 2] = ["imdb", "snips"];
const EPSILONS: [f64; 6] = [1.0, 5.0, 10.0, 50.0, 100.0, 500.0];
const COLUMNS: [&str; 6] = ["eps 1", "eps 5", "eps 10", "eps 50", "eps 100", "eps 500"];
/// One of them, that is small beside what OME spends.
const LITTLE: f64 = 50.0;
/// ε that OME claims where its true ε is taken; any would do.
const CLAIMED: f64 = 1.0;
/// δ of the Gaussian noise, for a text.
const DELTA: f64 = 1e-5;
/// How far below OME an encoding may be and still count as no worse: three standard errors of a difference of
/// means of three runs on 200 texts.
const SLACK: f64 = 0.09;

/// A sound encoding.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// All bits of the paper's code alike; symmetric unary encoding, made sound, is the same.
    PaperBits,
    /// Optimized unary encoding on the paper's code.
    Oue,
    /// Optimized multiple encoding, λ = 10, on the paper's code.
    Ome,
    /// The signs alone, as far as ε goes.
    Signs,
    /// PrivUnit2 on the direction of the mean vector as it is.
    Uncentered,
    PrivUnit,
    Laplace,
    Gaussian,
}

const WAYS: [Way; 8] =
    [Way::PaperBits, Way::Oue, Way::Ome, Way::Signs, Way::Uncentered, Way::PrivUnit, Way::Laplace, Way::Gaussian];

impl fmt::Display for Way {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Way {
    const fn name(self) -> &'static str {
        match self {
            Self::PaperBits => "randomized-response",
            Self::Oue => "oue",
            Self::Ome => "ome, lambda 10",
            Self::Signs => "randomized-response, signs",
            Self::Uncentered => "privunit2, uncentered",
            Self::PrivUnit => "privunit2",
            Self::Laplace => "laplace",
            Self::Gaussian => "discrete-gaussian",
        }
    }

    const fn input(self) -> Input {
        match self {
            Self::PaperBits | Self::Oue | Self::Ome | Self::PrivUnit => Input::Mean,
            Self::Uncentered => Input::Uncentered,
            Self::Signs | Self::Laplace | Self::Gaussian => Input::Direction,
        }
    }

    fn at(self, epsilon: f64) -> Result<Mechanism, Error> {
        match self {
            Self::PaperBits => sound(MechanismKind::RandomizedResponse, epsilon),
            Self::Oue => sound(MechanismKind::Oue, epsilon),
            Self::Ome => sound(MechanismKind::Ome, epsilon)?.with(Parameter::Lambda, 10.0),
            // Zero has no sign of its own, so that a bit of magnitude must be there; it gets next to nothing of ε.
            Self::Signs => sound(MechanismKind::RandomizedResponse, epsilon)?
                .with(Parameter::IntegerBits, 0.0)?
                .with(Parameter::FractionBits, 1.0)?
                .with(Parameter::Tilt, 1000.0),
            Self::Uncentered | Self::PrivUnit => sound(MechanismKind::Privunit2, epsilon),
            Self::Laplace => sound(MechanismKind::Laplace, epsilon),
            Self::Gaussian => sound(MechanismKind::DiscreteGaussian, epsilon)?.with(Parameter::Delta, DELTA),
        }
    }

    /// Whether it is tried on this set: an encoder's many elements make the paper's code long, and one of its
    /// kind is enough.
    fn is_for(self, corpus: &Corpus) -> bool {
        match self {
            // There is no uncentered mean.
            Self::Uncentered | Self::Oue | Self::Ome => !corpus.is_encoded(),
            _ => true,
        }
    }
}

/// What is released.
#[derive(Clone, Copy)]
enum Sent {
    Sound(Way, f64),
    Published { lambda: f64 },
}

/// Both classifiers, trained once on the same releases.
struct Training<'a> {
    corpus: &'a Corpus,
    sent: Sent,
    run: u32,
}

impl fmt::Display for Training<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { corpus: Corpus { name, .. }, sent, run } = self;
        match sent {
            Sent::Sound(way, epsilon) => write!(formatter, "{name}/{way}/eps={epsilon}/run={run}"),
            Sent::Published { lambda } => write!(formatter, "{name}/published/lambda={lambda}/run={run}"),
        }
    }
}

/// In the order of what a training gives.
const CLASSIFIERS: [&str; 2] = ["perceptron", "logistic"];

impl Training<'_> {
    /// The accuracy of each classifier.
    fn accuracies(&self, run: &Run<'_>) -> Result<[f64; 2]> {
        let Self { corpus, sent, run: number } = self;
        let mut rng = run.rng(&format!("{self}/noise"));
        // OME goes to the paper's perceptron as it does in the paper.
        let (input, mechanism, by_perceptron) = match sent {
            Sent::Sound(way, epsilon) => (way.input(), way.at(epsilon / corpus.releases() as f64)?, Seen::Standardized),
            Sent::Published { lambda } => (Input::Mean, published_ome(CLAIMED, *lambda)?, Seen::AsSent),
        };
        let features = corpus.released(input, mechanism, &mut rng)?;
        let (split, seed) = (corpus.split(run, *number), run.seed(&self.to_string()));
        let accuracy = |classifier: Classifier, seen| classifier.accuracy(corpus, &features, seen, &split, seed);
        Ok([accuracy(Classifier::Perceptron, by_perceptron)?, accuracy(Classifier::Logistic, Seen::Standardized)?])
    }
}

/// What came of one set.
struct Found<'a> {
    corpus: &'a Corpus,
    /// What OME really spends, by λ.
    truth: Vec<f64>,
    trained: Vec<(Sent, [Mean; 2])>,
}

impl<'a> Found<'a> {
    /// What is to be trained on a set: all that is offered.
    fn planned(corpus: &'a Corpus) -> Result<(Vec<f64>, Vec<Sent>)> {
        let truth = |lambda| Ok(corpus.loss(Input::Mean, published_ome(CLAIMED, lambda)?)?.epsilon);
        let truth: Vec<f64> = LAMBDAS.into_iter().map(truth).collect::<Result<_>>()?;
        let mut sent: Vec<Sent> = LAMBDAS.map(|lambda| Sent::Published { lambda }).into();
        for way in WAYS.into_iter().filter(|way| way.is_for(corpus)) {
            for epsilon in EPSILONS.into_iter().chain(truth.last().copied()) {
                if is_offered(corpus, way, epsilon)? {
                    sent.push(Sent::Sound(way, epsilon));
                }
            }
        }
        Ok((truth, sent))
    }

    fn sound(&self, way: Way, epsilon: f64) -> Option<[Mean; 2]> {
        let is_it = |sent: &Sent| matches!(sent, Sent::Sound(of, at) if (*of, *at) == (way, epsilon));
        self.trained.iter().find(|(sent, _)| is_it(sent)).map(|(_, means)| *means)
    }

    fn published(&self, lambda: f64) -> Option<[Mean; 2]> {
        let is_it = |sent: &Sent| matches!(sent, Sent::Published { lambda: of } if *of == lambda);
        self.trained.iter().find(|(sent, _)| is_it(sent)).map(|(_, means)| *means)
    }

    /// The better classifier's accuracy by true ε, ascending.
    fn line(&self, way: Option<Way>) -> Vec<[f64; 2]> {
        let place = |(sent, means): &(Sent, [Mean; 2])| {
            let epsilon = match (sent, way) {
                (Sent::Sound(of, epsilon), Some(way)) if *of == way => *epsilon,
                (Sent::Published { lambda }, None) => *self.truth.get(LAMBDAS.iter().position(|of| of == lambda)?)?,
                _ => return None,
            };
            Some([epsilon, better(means)])
        };
        let mut points: Vec<[f64; 2]> = self.trained.iter().filter_map(place).collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        points
    }
}

/// Whether a mechanism can spend so much; of other errors nothing is forgiven.
fn is_offered(corpus: &Corpus, way: Way, epsilon: f64) -> Result<bool> {
    let loss = way.at(epsilon / corpus.releases() as f64).map_err(Into::into);
    match loss.and_then(|mechanism| corpus.loss(way.input(), mechanism)) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.downcast_ref(), Some(Error::Invalid(Parameter::Epsilon))) => Ok(false),
        Err(error) => Err(error),
    }
}

fn better(means: &[Mean; 2]) -> f64 {
    means.iter().map(|mean| mean.mean).fold(f64::NEG_INFINITY, f64::max)
}

fn compute(run: &Run<'_>) -> Result<Report> {
    let corpora = Corpus::all(run, if run.is_quick() { &FEW_SETS } else { &SETS })?;
    let planned = corpora.iter().map(Found::planned).collect::<Result<Vec<_>>>()?;
    let trainings = corpora.iter().zip(&planned).flat_map(|(corpus, (_, sent))| {
        sent.iter().flat_map(move |sent| (0..run.runs()).map(move |run| Training { corpus, sent: *sent, run }))
    });
    let trainings: Vec<Training<'_>> = trainings.collect();
    let accuracies = run.cells(&trainings, |training| training.accuracies(run))?;
    let mut means = accuracies.chunks(run.runs() as usize).map(|runs| {
        [0, 1].map(|classifier| Mean::of(&runs.iter().map(|accuracies| accuracies[classifier]).collect::<Vec<_>>()))
    });
    let found = corpora.iter().zip(planned).map(|(corpus, (truth, sent))| {
        let trained = sent.into_iter().zip(means.by_ref()).collect();
        Found { corpus, truth, trained }
    });
    let found: Vec<Found<'_>> = found.collect();
    let (over_all, best) = over_all(&found);
    let sheets = vec![best, over_all, by_set(&found), beside_ome(&found)];
    let claims = found.iter().map(beside_lambda_100).collect::<Result<Vec<_>>>()?.concat();
    Ok(Report { claims, ..Report::of(sheets, drawing(&found)) })
}

fn cell(mean: Option<Mean>) -> Cell {
    mean.map_or_else(|| Cell::from("not offered"), Cell::from)
}

/// The mean over the sets by the table, for which all encodings are offered, and the best for each ε.
fn over_all(found: &[Found<'_>]) -> (Sheet, Sheet) {
    let columns = [&["encoding", "classifier"][..], &COLUMNS].concat();
    let mut sheet = Sheet::new("Accuracy at equal true epsilon, mean over the sets", &columns);
    let mut best = Sheet::new("The best for a collector", &["true eps", "encoding", "classifier", "accuracy"]);
    let mut leaders: [Option<(f64, Way, &str)>; EPSILONS.len()] = [None; EPSILONS.len()];
    let by_table = || found.iter().filter(|found| !found.corpus.is_encoded());
    for way in WAYS {
        for (place, name) in CLASSIFIERS.into_iter().enumerate() {
            let over_sets = |epsilon| {
                let of_sets: Option<Vec<f64>> =
                    by_table().map(|found| found.sound(way, epsilon).map(|means| means[place].mean)).collect();
                of_sets.map(|of_sets| of_sets.iter().sum::<f64>() / of_sets.len() as f64)
            };
            let row = EPSILONS.map(over_sets);
            if row.iter().all(Option::is_none) {
                continue;
            }
            for (leader, accuracy) in leaders.iter_mut().zip(row) {
                if let Some(accuracy) = accuracy.filter(|accuracy| leader.is_none_or(|(most, ..)| *accuracy > most)) {
                    *leader = Some((accuracy, way, name));
                }
            }
            let [a, b, c, d, e, f] = row.map(|accuracy| cell(accuracy.map(Mean::exact)));
            sheet.row([way.name().into(), name.into(), a, b, c, d, e, f]);
        }
    }
    for (epsilon, leader) in EPSILONS.into_iter().zip(leaders) {
        if let Some((accuracy, way, classifier)) = leader {
            best.row([epsilon.into(), way.name().into(), classifier.into(), accuracy.into()]);
        }
    }
    (sheet, best)
}

fn by_set(found: &[Found<'_>]) -> Sheet {
    let columns = [&["set", "encoding", "classifier"][..], &COLUMNS].concat();
    let mut sheet = Sheet::new("Accuracy at equal true epsilon", &columns);
    for found in found {
        for way in WAYS.into_iter().filter(|way| way.is_for(found.corpus)) {
            for (place, classifier) in CLASSIFIERS.into_iter().enumerate() {
                let [a, b, c, d, e, f] =
                    EPSILONS.map(|epsilon| cell(found.sound(way, epsilon).map(|means| means[place])));
                sheet.row([found.corpus.name.as_str().into(), way.name().into(), classifier.into(), a, b, c, d, e, f]);
            }
        }
    }
    sheet
}

/// OME as published at its largest λ, and what sound encodings do at the ε that it really spends.
fn beside_ome(found: &[Found<'_>]) -> Sheet {
    let columns = [&["set", "lambda", "true eps", "OME as published"][..], &WAYS.map(Way::name)].concat();
    let mut sheet = Sheet::new("At OME's own true epsilon, accuracy of the paper's perceptron", &columns);
    for found in found {
        if let Some((lambda, truth)) = LAMBDAS.into_iter().zip(&found.truth).next_back() {
            let perceptron = |means: Option<[Mean; 2]>| cell(means.map(|[perceptron, _]| perceptron));
            let ome = perceptron(found.published(lambda));
            let [a, b, c, d, e, f, g, h] = WAYS.map(|way| perceptron(found.sound(way, *truth)));
            sheet.row([found.corpus.name.as_str().into(), lambda.into(), (*truth).into(), ome, a, b, c, d, e, f, g, h]);
        }
    }
    sheet
}

/// What can be had for what OME spends at its largest λ, and for far less.
fn beside_lambda_100(found: &Found<'_>) -> Result<Vec<Claim>> {
    let (lambda, truth) = LAMBDAS.into_iter().zip(&found.truth).next_back().context("a lambda")?;
    let ome = found.published(lambda).map(|means| better(&means)).context("OME")?;
    let sound = WAYS.into_iter().filter_map(|way| Some((better(&found.sound(way, *truth)?), way)));
    let (best, way) = sound.max_by(|a, b| a.0.total_cmp(&b.0)).context("a sound encoding")?;
    let name = &found.corpus.name;
    let of_ome = format!("OME {} at {}", short(ome), short(*truth));
    let mut claims = vec![Claim::new(
        format!("{name}: at the true epsilon of OME, lambda {lambda}, a sound encoding tells no less"),
        best >= ome - SLACK,
        format!("{way} {}, {of_ome}", short(best)),
    )];
    claims.extend(found.sound(Way::PrivUnit, LITTLE).map(|means| {
        let accuracy = better(&means);
        let text = format!("{name}: so does PrivUnit2 at epsilon {LITTLE}");
        Claim::new(text, accuracy >= ome - SLACK, format!("{}, {of_ome}", short(accuracy)))
    }));
    Ok(claims)
}

fn drawing(found: &[Found<'_>]) -> String {
    panels("Accuracy of the better classifier at equal true ε", &found.iter().map(panel).collect::<Vec<_>>())
}

fn panel<'a>(found: &'a Found<'_>) -> Panel<'a> {
    const SHOWN: [Way; 6] = [Way::PrivUnit, Way::Gaussian, Way::Signs, Way::Laplace, Way::Uncentered, Way::PaperBits];
    let sound = SHOWN.into_iter().map(|way| (way.name(), found.line(Some(way))));
    let lines = sound.chain([("OME as published", found.line(None))]).filter(|(_, line)| !line.is_empty());
    Panel {
        title: &found.corpus.name,
        axis_title: "true ε in nats (logarithmic)",
        x: Axis::logarithmic(1.0, 10_000.0),
        y: Axis::linear(0.0, 1.0),
        lines: lines.collect(),
    }
}
