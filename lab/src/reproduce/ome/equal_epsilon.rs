//! At equal true ε: which encoding of a representation, and which classifier, is best for a collector?
//!
//! Every encoding except OME's published one is in its sound calibration. It spends at most the ε that is asked for,
//! with a δ of at most 10⁻⁵ a release. ε covers the exchange of a whole example, and each text of a pair gets half. The
//! sheets have round numbers, and the ε that OME really spends at the paper's largest λ.

use std::fmt;

use anyhow::{Context, Result};
use textveil::{Error, Mechanism, MechanismKind, Parameter};

use super::classifier::{Classifier, Seen};
use super::corpus::{Corpus, Input};
use super::{LAMBDAS, SETS, published_ome, sound};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::{Experiment, Runs};
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::numbers::short;
use textveil_toolkit::report::plot::{Axis, Panel, panels};
use textveil_toolkit::report::{Cell, Mean, Sheet};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    paper: "ome",
    table: "equal-epsilon",
    about: "Which encoding and classifier is best at equal true epsilon, OME among sound ones",
    data: &SETS,
    takes: &["table", "encoder"],
    runs: Some(Runs { quick: 1, usual: 3, paper: None }),
    has_plot: true,
    why: "",
    compute,
};

/// The sets with `--quick`.
const FEW_SETS: [&str; 2] = ["imdb", "snips"];
const EPSILONS: [f64; 6] = [1.0, 5.0, 10.0, 50.0, 100.0, 500.0];
const COLUMNS: [&str; 6] = ["eps 1", "eps 5", "eps 10", "eps 50", "eps 100", "eps 500"];
/// One of them, which is small compared with what OME spends.
const LITTLE: f64 = 50.0;
/// ε that OME claims where its true ε is taken; any would do.
const CLAIMED: f64 = 1.0;
/// The most δ for a release: of Gaussian noise, and of what PrivUnit2 computes in floating point.
const DELTA: f64 = 1e-5;
/// The least share of an ε that a mechanism must spend to stand under it: PrivUnit2 ends where more vectors would tell
/// no more.
const SPENT: f64 = 2.0 / 3.0;
/// How many standard errors of a difference leave open which is better.
const ERRORS: f64 = 3.0;

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

    /// The mechanism for each of an example's releases.
    fn of_each(self, epsilon: f64, releases: usize) -> Result<Mechanism, Error> {
        let epsilon = epsilon / releases as f64;
        match self {
            Self::PaperBits => sound(MechanismKind::RandomizedResponse, epsilon),
            Self::Oue => sound(MechanismKind::Oue, epsilon),
            Self::Ome => sound(MechanismKind::Ome, epsilon)?.with(Parameter::Lambda, 10.0),
            // Zero has no sign of its own, so there must be a bit of magnitude. It gets next to no part of ε.
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
        let (input, mechanism) = match sent {
            Sent::Sound(way, epsilon) => (way.input(), way.of_each(*epsilon, corpus.releases())?),
            Sent::Published { lambda } => (Input::Mean, published_ome(CLAIMED, *lambda)?),
        };
        let features = corpus.released(input, mechanism, &mut rng)?;
        let (split, seed) = (corpus.split(run, *number), run.seed(&self.to_string()));
        let accuracy =
            |classifier: Classifier| classifier.accuracy(corpus, &features, Seen::Standardized, &split, seed);
        Ok([accuracy(Classifier::Perceptron)?, accuracy(Classifier::Logistic)?])
    }
}

/// The results of one set.
struct Found<'a> {
    corpus: &'a Corpus,
    /// What OME really spends, by λ.
    truth: Vec<f64>,
    /// The accuracies of each run.
    trained: Vec<(Sent, Vec<[f64; 2]>)>,
}

impl<'a> Found<'a> {
    /// The trainings planned for a set: one for each mechanism that is offered.
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

    /// The accuracies of the runs.
    fn runs_of(&self, way: Way, epsilon: f64) -> Option<&[[f64; 2]]> {
        let is_it = |sent: &Sent| matches!(sent, Sent::Sound(of, at) if (*of, *at) == (way, epsilon));
        self.trained.iter().find(|(sent, _)| is_it(sent)).map(|(_, runs)| runs.as_slice())
    }

    fn sound(&self, way: Way, epsilon: f64) -> Option<[Mean; 2]> {
        self.runs_of(way, epsilon).map(means)
    }

    fn published(&self, lambda: f64) -> Option<[Mean; 2]> {
        let is_it = |sent: &Sent| matches!(sent, Sent::Published { lambda: of } if *of == lambda);
        self.trained.iter().find(|(sent, _)| is_it(sent)).map(|(_, runs)| means(runs))
    }

    /// The better classifier's accuracy by true ε, ascending.
    fn line(&self, way: Option<Way>) -> Vec<[f64; 2]> {
        let place = |(sent, runs): &(Sent, Vec<[f64; 2]>)| {
            let epsilon = match (sent, way) {
                (Sent::Sound(of, epsilon), Some(way)) if *of == way => *epsilon,
                (Sent::Published { lambda }, None) => *self.truth.get(LAMBDAS.iter().position(|of| of == lambda)?)?,
                _ => return None,
            };
            Some([epsilon, better(&means(runs))])
        };
        let mut points: Vec<[f64; 2]> = self.trained.iter().filter_map(place).collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        points
    }
}

/// Whether a mechanism spends this ε and at most the allowed δ. Every other error is returned.
fn is_offered(corpus: &Corpus, way: Way, epsilon: f64) -> Result<bool> {
    let mechanism = way.of_each(epsilon, corpus.releases()).map_err(Into::into);
    match mechanism.and_then(|mechanism| corpus.loss(way.input(), mechanism)) {
        Ok(loss) => {
            Ok(loss.epsilon >= SPENT * epsilon && loss.delta <= corpus.releases() as f64 * DELTA * (1.0 + 1e-9))
        }
        Err(error) if matches!(error.downcast_ref(), Some(Error::Invalid(Parameter::Epsilon))) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The mean of each classifier.
fn means(runs: &[[f64; 2]]) -> [Mean; 2] {
    [0, 1].map(|classifier| Mean::of(&runs.iter().map(|accuracies| accuracies[classifier]).collect::<Vec<_>>()))
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
    let mut runs = accuracies.chunks(run.runs() as usize).map(<[_]>::to_vec);
    let found = corpora.iter().zip(planned).map(|(corpus, (truth, sent))| {
        let trained = sent.into_iter().zip(runs.by_ref()).collect();
        Found { corpus, truth, trained }
    });
    let found: Vec<Found<'_>> = found.collect();
    let (over_all, best) = over_all(&found);
    let sheets = vec![best, over_all, by_set(&found), beside_ome(&found)];
    let claims = found.iter().map(|found| beside_lambda_100(found, run.runs()));
    let claims = claims.collect::<Result<Vec<_>>>()?.concat();
    Ok(Report { claims, ..Report::of(sheets, drawing(&found)) })
}

fn cell(mean: Option<Mean>) -> Cell {
    mean.map_or_else(|| Cell::from("not offered"), Cell::from)
}

/// The mean over the sets by the table, for which all encodings are offered, and the best for each ε.
fn over_all(found: &[Found<'_>]) -> (Sheet, Sheet) {
    let mut sheet = Sheet::new("Accuracy at equal true epsilon, mean over the sets");
    let mut best = Sheet::new("The best for a collector");
    let mut leaders: [Option<(Mean, Way, &str)>; EPSILONS.len()] = [None; EPSILONS.len()];
    let by_table: Vec<&Found<'_>> = found.iter().filter(|found| !found.corpus.is_encoded()).collect();
    let mean = |of_sets: &[f64]| of_sets.iter().sum::<f64>() / of_sets.len() as f64;
    let commonest = mean(&by_table.iter().map(|found| found.corpus.majority()).collect::<Vec<_>>());
    for way in WAYS {
        for (place, name) in CLASSIFIERS.into_iter().enumerate() {
            let over_sets = |epsilon| {
                let of_sets: Option<Vec<&[[f64; 2]]>> =
                    by_table.iter().map(|found| found.runs_of(way, epsilon)).collect();
                let of_sets = of_sets?;
                let of_run = |run: usize| mean(&of_sets.iter().map(|runs| runs[run][place]).collect::<Vec<_>>());
                Some(Mean::of(&(0..of_sets.first()?.len()).map(of_run).collect::<Vec<_>>()))
            };
            let row = EPSILONS.map(over_sets);
            if row.iter().all(Option::is_none) {
                continue;
            }
            for (leader, accuracy) in leaders.iter_mut().zip(row) {
                let leads = |accuracy: &Mean| leader.is_none_or(|(most, ..)| accuracy.mean > most.mean);
                if let Some(accuracy) = accuracy.filter(leads) {
                    *leader = Some((accuracy, way, name));
                }
            }
            let head = cells!["encoding" => way.name(), "classifier" => name];
            sheet.row(head.into_iter().chain(COLUMNS.into_iter().zip(row.map(cell))));
        }
    }
    for (epsilon, leader) in EPSILONS.into_iter().zip(leaders) {
        if let Some((accuracy, way, classifier)) = leader {
            best.row(cells![
                "true eps" => epsilon,
                "encoding" => way.name(),
                "classifier" => classifier,
                "accuracy" => accuracy,
                "always the commonest class" => commonest,
            ]);
        }
    }
    (sheet, best)
}

fn by_set(found: &[Found<'_>]) -> Sheet {
    let mut sheet = Sheet::new("Accuracy at equal true epsilon");
    for found in found {
        for way in WAYS.into_iter().filter(|way| way.is_for(found.corpus)) {
            for (place, classifier) in CLASSIFIERS.into_iter().enumerate() {
                let row = EPSILONS.map(|epsilon| cell(found.sound(way, epsilon).map(|means| means[place])));
                let set = found.corpus.name.as_str();
                let head = cells!["set" => set, "encoding" => way.name(), "classifier" => classifier];
                sheet.row(head.into_iter().chain(COLUMNS.into_iter().zip(row)));
            }
        }
    }
    sheet
}

/// OME as published at its largest λ, and what sound encodings do at the ε that it really spends.
fn beside_ome(found: &[Found<'_>]) -> Sheet {
    let mut sheet = Sheet::new("At OME's own true epsilon, accuracy of the paper's perceptron");
    for found in found {
        if let Some((lambda, truth)) = LAMBDAS.into_iter().zip(&found.truth).next_back() {
            let perceptron = |means: Option<[Mean; 2]>| cell(means.map(|[perceptron, _]| perceptron));
            let ome = perceptron(found.published(lambda));
            let of_way = |way: Way| match way.is_for(found.corpus) {
                true => (way.name(), perceptron(found.sound(way, *truth))),
                false => (way.name(), "not tried".into()),
            };
            let set = found.corpus.name.as_str();
            let head = cells!["set" => set, "lambda" => lambda, "true eps" => *truth, "OME as published" => ome];
            sheet.row(head.into_iter().chain(WAYS.map(of_way)));
        }
    }
    sheet
}

/// What can be had for what OME spends at its largest λ, by noise whose δ is 0 as OME's is; and for far less. Where OME
/// itself teaches nothing, nothing is claimed.
fn beside_lambda_100(found: &Found<'_>, runs: u32) -> Result<Vec<Claim>> {
    let (lambda, truth) = LAMBDAS.into_iter().zip(&found.truth).next_back().context("a lambda")?;
    let ome = found.published(lambda).map(|means| better(&means)).context("OME")?;
    let name = &found.corpus.name;
    let errors = |shares: &[f64]| {
        let variance = shares.iter().map(|p| p * (1.0 - p)).sum::<f64>() / found.corpus.judged(runs) as f64;
        ERRORS * variance.sqrt()
    };
    if ome <= found.corpus.majority() + errors(&[ome]) {
        return Ok(Vec::new());
    }
    let claim = |text: String, means: [Mean; 2]| {
        let ours = better(&means);
        let half_width = errors(&[ours, ome]);
        let [ours_shown, ome_shown, truth, within] = [ours, ome, *truth, half_width].map(short);
        let evidence = format!("{ours_shown}, OME {ome_shown} at {truth}, open within {within}");
        Claim::positive(format!("{name}: {text}"), ours - ome, half_width, evidence)
    };
    let laplace = found.sound(Way::Laplace, *truth);
    let laplace = laplace.map(|means| {
        claim(format!("at the true epsilon of OME, lambda {lambda}, sound Laplace noise tells more"), means)
    });
    let little = found.sound(Way::PrivUnit, LITTLE);
    let little = little.map(|means| claim(format!("PrivUnit2 at epsilon {LITTLE} tells more than OME"), means));
    Ok(laplace.into_iter().chain(little).collect())
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
        x: Axis::logarithmic(1.0, 100_000.0),
        y: Axis::linear(0.0, 1.0),
        lines: lines.collect(),
    }
}
