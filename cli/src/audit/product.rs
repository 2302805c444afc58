//! The mechanisms that the product offers, run by the product's own code, each on the worst pair of inputs
//! and the event that are known for its family.

use anyhow::{Context, Result, bail, ensure};
use textveil::account::truncated_laplace::ClippedVectors;
use textveil::{
    Disclosure, Dropout, Error, Guarantee, InTheClear, Loss, Mechanism, MechanismKind, Metric, Parameter, Privatizer,
    ReleaseRng, Representer, Table, Unary, Unit, Values, WordId,
};

use super::case::{Case, Event, Expectation, Input, Trial};
use textveil_toolkit::mechanism::{Request, Source};

/// Lattice steps to the norm 1 of vectors of other encoders.
pub(super) const STEPS: f64 = 4096.0;
/// Steps of DPNR's unit interval.
pub(super) const UNIT_STEPS: i32 = 1 << 16;
/// Above the share by which the core enlarges a radius for what its sampler costs.
const RADIUS_SLACK: f64 = 1.0 + 1e-5;
/// Words among which the worst pair is sought: where distributions are compared, and where distances are.
const COMPARED: usize = 64;
const MEASURED: usize = 512;

/// The audit of a mechanism.
///
/// # Errors
/// The mechanism refuses its parameters, or this source.
pub(super) fn case(
    name: String,
    mechanism: Mechanism,
    source: Source<'_>,
    samples: usize,
    expectation: Expectation,
) -> Result<Case> {
    let attack = match source {
        Source::Table(table) => on_words(mechanism, table, samples)?,
        Source::List(size) => on_values(mechanism, size)?,
        Source::Vectors(dims) if mechanism.kind() == MechanismKind::Dpnr => on_corners(mechanism, dims)?,
        Source::Vectors(dims) => on_vectors(mechanism, dims)?,
    };
    let Attack { claimed, proved, description, event, trial } = attack;
    Ok(Case { name, claimed, proved: Some(proved), expectation, samples, attack: description, event, trial })
}

/// A pair of inputs and an event.
struct Attack {
    claimed: Loss,
    proved: Loss,
    description: String,
    event: Event,
    trial: Box<dyn Trial>,
}

/// What is claimed of a guarantee's unit, by the paper if the calibration is its, and what is proved. Metric
/// DP claims a pure ε, of ideal noise; that the noise is computed is in the δ of what is proved, too small to
/// be sampled.
fn losses(guarantee: &Guarantee) -> [Loss; 2] {
    let proved = Loss { epsilon: guarantee.epsilon_word, delta: guarantee.delta_word };
    let claimed = match (guarantee.claim, guarantee.eta) {
        (Some(claim), _) => Loss { epsilon: claim.epsilon, delta: claim.delta },
        (None, Some(_)) => Loss::pure(proved.epsilon),
        (None, None) => proved,
    };
    [claimed, proved]
}

/// Scores what a representer puts out.
struct Represented<S> {
    representer: Representer,
    inputs: [Vec<f64>; 2],
    score: S,
}

impl<S: Fn(&Values) -> Option<f64> + Sync> Trial for Represented<S> {
    fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64> {
        let vector = &self.inputs[input as usize];
        let representation = self.representer.represent_vectors(&[vector], &Dropout::None, rng)?;
        match (self.score)(&representation.values) {
            Some(score) => Ok(score),
            None => bail!("the mechanism put out another kind of representation"),
        }
    }
}

/// The only row of a representation on the lattice.
fn row(values: &Values) -> Option<&[i32]> {
    match values {
        Values::Lattice { rows, .. } => rows.first().map(Vec::as_slice),
        Values::Bits(_) => None,
    }
}

/// Σ |y − x′| − |y − x|: the privacy loss of Laplace noise on coordinates, without its scale.
fn laplace_loss(y: &[i32], x: &[i32], other: &[i32]) -> f64 {
    let terms = y.iter().zip(x).zip(other);
    terms.map(|((y, x), other)| f64::from((y - other).abs()) - f64::from((y - x).abs())).sum()
}

/// How far y is from x in the coordinate where it is farthest.
pub(super) fn farthest_coordinate(y: &[i32], x: &[i32]) -> f64 {
    y.iter().zip(x).map(|(y, x)| f64::from((y - x).abs())).fold(0.0, f64::max)
}

fn euclidean(y: &[i32], x: &[i32]) -> f64 {
    y.iter().zip(x).map(|(y, x)| f64::from(y - x).powi(2)).sum::<f64>().sqrt()
}

/// The same steps in every coordinate, at most a norm of 1 from the origin.
pub(super) fn diagonal(dims: usize) -> Vec<i32> {
    vec![(STEPS / (dims as f64).sqrt()) as i32; dims]
}

fn axis(dims: usize) -> Vec<i32> {
    (0..dims).map(|j| if j == 0 { STEPS as i32 } else { 0 }).collect()
}

/// A vector and its negative.
pub(super) fn opposite(x: Vec<i32>) -> [Vec<i32>; 2] {
    let negative = x.iter().map(|step| -step).collect();
    [x, negative]
}

fn representer(mechanism: Mechanism, dims: usize) -> Result<Representer> {
    Representer::of_vectors(dims, Some(1.0), mechanism, Unit::Text)
        .map_err(|error| Request::of(&mechanism, Source::Vectors(dims)).explain(error))
}

/// Vectors of norm at most 1: for noise, two opposite ones; for bits, two whose codes differ as much as may
/// be.
fn on_vectors(mechanism: Mechanism, dims: usize) -> Result<Attack> {
    let kind = mechanism.kind();
    let representer = representer(mechanism, dims)?;
    let [claimed, proved] = losses(&representer.guarantee(1, &Dropout::None)?);
    let described = |pair: &str, event: &str| format!("{dims} dimensions, {pair}; {event}");
    type Score = Box<dyn Fn(&Values) -> Option<f64> + Sync>;
    let (pair, description, event, score): ([Vec<i32>; 2], String, Event, Score) = match kind {
        MechanismKind::Laplace | MechanismKind::LatticeLaplace => {
            let pair = opposite(diagonal(dims));
            let [x, other] = pair.clone();
            let score: Score = Box::new(move |values| Some(laplace_loss(row(values)?, &x, &other)));
            (pair, described("±(1, …, 1)/√n", "loss above a pilot's threshold"), Event::Pilot, score)
        }
        MechanismKind::TruncatedLaplace => {
            let pair = opposite(diagonal(dims));
            let other = pair[1].clone();
            let score: Score = Box::new(move |values| Some(farthest_coordinate(row(values)?, &other)));
            let event = Event::Above((radius(mechanism, dims)? * RADIUS_SLACK + 0.5).floor());
            (pair, described("±(1, …, 1)/√n", "outside the other's support"), event, score)
        }
        MechanismKind::MetricLaplace => {
            let pair = opposite(axis(dims));
            let [x, other] = pair.clone();
            let score: Score = Box::new(move |values| row(values).map(|y| euclidean(y, &other) - euclidean(y, &x)));
            (pair, described("±(1, 0, …, 0)", "loss above a pilot's threshold"), Event::Pilot, score)
        }
        MechanismKind::Gaussian | MechanismKind::DiscreteGaussian | MechanismKind::Privunit2 => {
            let score: Score = Box::new(|values| row(values)?.first().map(|y| f64::from(*y)));
            let pair = opposite(axis(dims));
            (pair, described("±(1, 0, …, 0)", "first coordinate above a pilot's threshold"), Event::Pilot, score)
        }
        MechanismKind::Sue | MechanismKind::Oue | MechanismKind::Ome | MechanismKind::RandomizedResponse => {
            let code = Code::new(mechanism)?;
            let pair = code.pair(dims)?;
            let bits = code.words[0].clone();
            let score: Score = Box::new(move |values| {
                let Values::Bits(rows) = values else { return None };
                let agreeing = rows.first()?.iter().zip(bits.iter().cycle()).filter(|(sent, bit)| sent == bit);
                Some(agreeing.count() as f64)
            });
            let pair_in_words =
                format!("1 on even bits and 0 on odd ones, and the complement ({} bits each)", code.length());
            (pair, described(&pair_in_words, "agreeing bits above a pilot's threshold"), Event::Pilot, score)
        }
        _ => bail!("no attack on {kind} on vectors is known here: leave --dims out"),
    };
    let inputs = pair.map(|x| x.into_iter().map(|step| f64::from(step) / STEPS).collect());
    Ok(Attack { claimed, proved, description, event, trial: Box::new(Represented { representer, inputs, score }) })
}

/// A in lattice steps.
fn radius(mechanism: Mechanism, dims: usize) -> Result<f64> {
    let required = |parameter| mechanism.get(parameter).ok_or(Error::Invalid(parameter));
    let (epsilon, delta) = (required(Parameter::Epsilon)?, required(Parameter::Delta)?);
    let ball = ClippedVectors::new(dims as u64, STEPS)?;
    let noise = match mechanism.calibration() {
        textveil::Calibration::Published => ball.published(epsilon, delta)?,
        textveil::Calibration::Sound => ball.exact(epsilon, delta)?,
    };
    Ok(match noise {
        Some(noise) => noise.radius(),
        None => ball.sound(epsilon, delta)?.radius(),
    })
}

/// The binary code of an element, and the two words of it that differ most.
struct Code {
    fraction: u32,
    words: [Vec<bool>; 2],
}

impl Code {
    /// Vectors of norm 1 never set the bits before the point, so that these are alike in both words.
    ///
    /// # Errors
    /// The mechanism says no number of bits, and no number is usual.
    fn new(mechanism: Mechanism) -> Result<Self, Error> {
        let bits = |parameter: Parameter| {
            let bits = mechanism.get(parameter).or(parameter.usual());
            bits.map(|bits| bits as u32).ok_or(Error::Invalid(parameter))
        };
        let (integer, fraction) = (bits(Parameter::IntegerBits)?, bits(Parameter::FractionBits)?);
        let word = |first: bool| {
            let bit = |place: u32| !(1..=integer).contains(&place) && place.is_multiple_of(2) == first;
            (0..1 + integer + fraction).map(bit).collect()
        };
        Ok(Self { fraction, words: [word(true), word(false)] })
    }

    fn length(&self) -> usize {
        self.words[0].len()
    }

    /// The two vectors whose every element has one of the words.
    fn pair(&self, dims: usize) -> Result<[Vec<i32>; 2]> {
        // Elements are written in units of the standard deviation of a direction on the sphere.
        let unit = STEPS / (dims as f64).sqrt() / f64::from(1_u32 << self.fraction);
        ensure!(unit >= 1.0, "too many --fraction-bits for vectors of {dims} dimensions");
        Ok(self.words.clone().map(|word| {
            let magnitude = word.iter().skip(1).fold(0_u32, |number, bit| number << 1 | u32::from(*bit));
            // The first step at or above that number.
            let steps = (f64::from(magnitude) * unit).ceil() as i32;
            vec![if word.first() == Some(&true) { -steps } else { steps }; dims]
        }))
    }
}

/// DPNR's worst pair, (1, 0, …, 0) and (0, 1, …, 1) once normalized: opposite corners of the box.
fn on_corners(mechanism: Mechanism, dims: usize) -> Result<Attack> {
    let representer = representer(mechanism, dims)?;
    let [claimed, proved] = losses(&representer.guarantee(1, &Dropout::None)?);
    let corner = |first: bool| (0..dims).map(|j| if (j == 0) == first { 1.0 } else { -1.0 }).collect();
    let [x, other] = [true, false].map(|first| unit_corner(dims, first));
    let score = move |values: &Values| Some(laplace_loss(row(values)?, &x, &other));
    let description = format!("{dims} dimensions, (1, 0, …, 0) and (0, 1, …, 1); loss above a pilot's threshold");
    let trial = Represented { representer, inputs: [true, false].map(corner), score };
    Ok(Attack { claimed, proved, description, event: Event::Pilot, trial: Box::new(trial) })
}

/// (1, 0, …, 0), or else (0, 1, …, 1), in steps.
pub(super) fn unit_corner(dims: usize, first: bool) -> Vec<i32> {
    (0..dims).map(|j| if (j == 0) == first { UNIT_STEPS } else { 0 }).collect()
}

/// Reports a value of a list: the first or the second.
struct Reported(Unary);

impl Trial for Reported {
    fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64> {
        let report = self.0.report(input as usize, rng)?;
        Ok(f64::from(u8::from(report.starts_with(&[true, false]))))
    }
}

/// Values of a list: the first two, which are as good as any.
fn on_values(mechanism: Mechanism, size: usize) -> Result<Attack> {
    let refused = |error| Request::of(&mechanism, Source::List(size)).explain(error);
    let unary = Unary::new(mechanism, size).map_err(refused)?;
    let [claimed, proved] = losses(&unary.guarantee());
    let description = format!("the first two of {size} values; the first bit is set and the second is not");
    Ok(Attack { claimed, proved, description, event: Event::Above(0.5), trial: Box::new(Reported(unary)) })
}

/// Replaces a word, and scores the one that comes out.
struct Replaced {
    privatizer: Privatizer,
    inputs: [WordId; 2],
    /// The score of each row.
    scores: Vec<f64>,
}

impl Trial for Replaced {
    fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64> {
        let output = self.privatizer.draw(self.inputs[input as usize], rng);
        self.scores.get(output.row()).copied().context("a word came out that the table does not have")
    }
}

/// Words of a table, the worst of a sample. If the mechanism states its probabilities, the event is one output for a
/// pair. For noise it takes the farthest pair, and the outputs nearer to the first word by a threshold.
fn on_words(mechanism: Mechanism, table: &Table, samples: usize) -> Result<Attack> {
    let privatizer = Privatizer::new(table, mechanism, Disclosure::default())
        .map_err(|error| Request::of(&mechanism, Source::Table(table)).explain(error))?;
    let states_probabilities = table.row(0).is_some_and(|word| privatizer.distribution(word).is_some());
    let (inputs, scores, event, shown) = if states_probabilities {
        let (inputs, output) = most_telling(&privatizer, samples)?;
        let scores = table.rows().map(|row| f64::from(u8::from(row == output))).collect();
        (inputs, scores, Event::Above(0.5), format!("\"{}\" comes out", table.word(output)))
    } else {
        let inputs = farthest(table).context(NO_PAIR)?;
        let [x, other] = inputs;
        let scores = table.rows().map(|row| table.distance(row, other) - table.distance(row, x)).collect();
        (inputs, scores, Event::Pilot, "nearer to the one by a pilot's threshold".to_owned())
    };
    let distance = table.distance(inputs[0], inputs[1]);
    let [claimed, proved] = losses_of_words(&privatizer.guarantee(1), distance);
    let [one, other] = inputs.map(|word| table.word(word));
    let description = format!("\"{one}\" and \"{other}\" at distance {distance:.3}; {shown}");
    let trial = Box::new(Replaced { privatizer, inputs, scores });
    Ok(Attack { claimed, proved, description, event, trial })
}

const NO_PAIR: &str = "the table has no two words to tell apart";
const NO_PROBABILITIES: &str = "the mechanism does not state its probabilities";

/// `nearest` with a claim that it does not make: that it tells two near words apart by η·d, as `certified` does. The
/// outputs that count are all that break the claim.
///
/// # Errors
/// The table lacks one of the words, or has no levels.
pub(super) fn metric_claim_of_nearest(table: &Table, words: [&str; 2], samples: usize) -> Result<Case> {
    let usual = |kind| Privatizer::new(table, Mechanism::new(kind), Disclosure::default());
    let (certified, privatizer) = (usual(MechanismKind::Certified)?, usual(MechanismKind::Nearest)?);
    let [one, other] = words.map(|word| table.find(word).context(NO_PAIR));
    let inputs = [one?, other?];
    let distance = table.distance(inputs[0], inputs[1]);
    let claimed = Loss::pure(certified.guarantee(1).eta.context("certified states an eta")? * distance);
    // Whatever the input, all offered rows may come out, in one order.
    let [first, second] = inputs.map(|word| privatizer.distribution(word).context(NO_PROBABILITIES));
    let mut scores = vec![f64::NEG_INFINITY; table.len()];
    for ((row, p), (_, q)) in first?.into_iter().zip(second?) {
        scores[row.row()] = libm::log(p / q);
    }
    let [_, proved] = losses(&privatizer.guarantee(1));
    Ok(Case {
        name: "nearest, metric claim of certified".to_owned(),
        claimed,
        proved: Some(proved),
        expectation: Expectation::Refuted,
        samples,
        attack: format!("\"{}\" and \"{}\" at distance {distance:.3}; loss above the claim", words[0], words[1]),
        event: Event::Above(claimed.epsilon),
        trial: Box::new(Replaced { privatizer, inputs, scores }),
    })
}

/// As [`losses`], of two words at this distance, about which metric DP may say more.
fn losses_of_words(guarantee: &Guarantee, distance: f64) -> [Loss; 2] {
    let [claimed, proved] = losses(guarantee);
    let nats = guarantee.eta.zip(guarantee.metric).and_then(|(eta, metric)| match metric {
        Metric::Euclidean => Some(eta * distance),
        Metric::Truncated(gamma) => Some(eta * distance.min(gamma)),
        Metric::Mahalanobis(_) => None,
    });
    match nats {
        Some(nats) if nats < proved.epsilon => {
            let pure = Loss::pure(nats);
            let claimed = if guarantee.claim.is_some() { claimed } else { pure };
            [claimed, pure.off_by(guarantee.total_variation)]
        }
        _ => [claimed, proved],
    }
}

/// The pair and the output, among a sample of words, with the best bound of ε from `samples` samples.
///
/// # Errors
/// The mechanism does not state its probabilities, or the table has no two words.
fn most_telling(privatizer: &Privatizer, samples: usize) -> Result<([WordId; 2], WordId)> {
    let table = privatizer.table();
    let words = spread(table, COMPARED);
    let shares_of = |word: &WordId| {
        let mut shares = vec![0.0; table.len()];
        for (output, share) in privatizer.distribution(*word).context(NO_PROBABILITIES)? {
            shares[output.row()] = share;
        }
        Ok(shares)
    };
    let distributions = words.iter().map(shares_of).collect::<Result<Vec<Vec<f64>>>>()?;
    // Roughly what the limits would be, to compare many.
    let n = samples as f64;
    let worth = |p: f64, q: f64| libm::log((p - 2.0 * (p / n).sqrt()).max(0.0) / (q + 2.0 * (q / n).sqrt() + 3.7 / n));
    let keeps_classes = privatizer.guarantee(1).clear.contains(&InTheClear::WordClasses);
    let mut best = ((f64::NEG_INFINITY, 0.0), None);
    for (one, first) in words.iter().zip(&distributions) {
        for (other, second) in words.iter().zip(&distributions) {
            // Only words of one class are neighbours where classes are public.
            if one == other || keeps_classes && table.class_of(*one) != table.class_of(*other) {
                continue;
            }
            for ((output, p), q) in table.rows().zip(first).zip(second) {
                // With few samples no output may have a bound above 0. Then the largest ratio counts.
                let rank = (worth(*p, *q), if *p > 0.0 { p / q } else { 0.0 });
                if best.1.is_none() || rank > best.0 {
                    best = (rank, Some(([*one, *other], output)));
                }
            }
        }
    }
    best.1.context(NO_PAIR)
}

/// The farthest pair of a sample of words.
fn farthest(table: &Table) -> Option<[WordId; 2]> {
    let words = spread(table, MEASURED);
    let pairs = words.iter().flat_map(|one| words.iter().map(move |other| [*one, *other]));
    pairs.max_by_key(|[one, other]| table.distance_squared(*one, *other))
}

/// Up to `size` words, evenly spread over the vocabulary.
fn spread(table: &Table, size: usize) -> Vec<WordId> {
    let size = size.min(table.len());
    (0..size).filter_map(|place| table.row(place * table.len() / size)).collect()
}

#[cfg(test)]
mod tests {
    use indicatif::ProgressBar;
    use textveil::Calibration;

    use super::super::case::Outcome;
    use super::*;
    use textveil_toolkit::mechanism::parametrized;

    fn audit(
        kind: MechanismKind,
        calibration: Calibration,
        parameters: &[(Parameter, f64)],
        source: Source<'_>,
        samples: usize,
    ) -> Outcome {
        let mechanism = parametrized(kind, calibration, parameters).expect("parameters in range");
        let case = case(kind.to_string(), mechanism, source, samples, Expectation::Open).expect("an audit");
        case.run(1, &ProgressBar::hidden()).expect("draws")
    }

    /// Few bits, so that what each of them does can be seen.
    const CODE: [(Parameter, f64); 2] = [(Parameter::IntegerBits, 0.0), (Parameter::FractionBits, 3.0)];

    #[test]
    fn the_two_words_of_a_code_are_complements_and_the_vectors_are_encoded_as_them() {
        // So large an ε that no bit is flipped.
        let parameters = [CODE[0], CODE[1], (Parameter::Epsilon, 1000.0)];
        let mechanism = parametrized(MechanismKind::Sue, Calibration::Sound, &parameters).expect("in range");
        let code = Code::new(mechanism).expect("as many bits as are asked for");
        let [first, second] = code.words.clone();
        assert!(first.iter().zip(&second).all(|(one, other)| one != other));
        let representer = Representer::of_vectors(7, Some(1.0), mechanism, Unit::Text).expect("a representer");
        for (vector, word) in code.pair(7).expect("coarse enough").into_iter().zip([first, second]) {
            let vector: Vec<f64> = vector.into_iter().map(|step| f64::from(step) / STEPS).collect();
            let sent = representer.represent_vectors(&[&vector], &Dropout::None, &mut textveil::seeded_rng([1; 32]));
            assert_eq!(sent.expect("bits").values, Values::Bits(vec![word.repeat(7)]));
        }
    }

    #[test]
    fn published_calibrations_that_are_false_are_refuted() {
        let ome = [CODE[0], CODE[1], (Parameter::Epsilon, 1.0), (Parameter::Lambda, 100.0)];
        let truncated = [(Parameter::Epsilon, 0.5), (Parameter::Delta, 1e-5)];
        let cases: [(_, &[_], _); 3] = [
            (MechanismKind::Ome, &ome, 8),
            (MechanismKind::TruncatedLaplace, &truncated, 20),
            (MechanismKind::Dpnr, &[(Parameter::Epsilon, 0.5)], 300),
        ];
        for (kind, parameters, dims) in cases {
            let outcome = audit(kind, Calibration::Published, parameters, Source::Vectors(dims), 2000);
            assert!(outcome.claim_refuted && !outcome.proof_refuted, "{kind}: {:?}", outcome.epsilon);
        }
    }

    #[test]
    fn near_words_are_told_apart_by_more_than_a_metric_claim_and_no_more_than_is_proved() {
        let table = Table::english().expect("the built-in table");
        let case = metric_claim_of_nearest(&table, ["happy", "joyful"], 2000).expect("two words");
        let outcome = case.run(1, &ProgressBar::hidden()).expect("draws");
        assert!(outcome.claim_refuted && !outcome.proof_refuted, "{:?} {:?}", outcome.claimed, outcome.epsilon);
    }

    #[test]
    fn the_audit_of_a_sound_mechanism_comes_near_its_bound_and_not_above() {
        let cases: [(_, &[_], _, _); 5] = [
            (MechanismKind::Laplace, &[(Parameter::Epsilon, 1.0)], 1, 0.8),
            (MechanismKind::MetricLaplace, &[(Parameter::Epsilon, 1.0)], 1, 0.8),
            (MechanismKind::Privunit2, &[(Parameter::Epsilon, 1.0)], 10, 0.3),
            // Two vectors.
            (MechanismKind::Privunit2, &[(Parameter::Epsilon, 30.0)], 3, 4.0),
            (MechanismKind::Gaussian, &[(Parameter::Epsilon, 1.0), (Parameter::Delta, 0.01)], 2, 0.4),
        ];
        for (kind, parameters, dims, near) in cases {
            let outcome = audit(kind, Calibration::Sound, parameters, Source::Vectors(dims), 20_000);
            let bound = outcome.epsilon.expect("a bound");
            assert!(!outcome.claim_refuted && !outcome.proof_refuted && bound > near, "{kind}: {bound}");
        }
    }

    #[test]
    fn a_mechanism_without_probabilities_has_no_most_telling_pair() {
        let table = textveil_tables::two_words(["one", "other"], &ndarray::array![[0.0], [1.0]]).expect("a table");
        let telling = |kind| {
            let mechanism = parametrized(kind, Calibration::Sound, &[(Parameter::Eta, 4.0)]).expect("in range");
            let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("a privatizer");
            most_telling(&privatizer, 100).map_err(|error| error.to_string())
        };
        assert!(telling(MechanismKind::Exponential).is_ok());
        assert_eq!(telling(MechanismKind::MetricLaplace).expect_err("noise"), NO_PROBABILITIES);
    }

    #[test]
    fn words_are_audited_on_a_telling_pair() {
        let table = textveil_tables::two_words(["one", "other"], &ndarray::array![[0.0], [1.0]]).expect("a table");
        let cases: [(_, &[_]); 2] = [
            (MechanismKind::Exponential, &[(Parameter::Eta, 4.0)]),
            (MechanismKind::Vickrey, &[(Parameter::Eta, 4.0), (Parameter::T, 0.0)]),
        ];
        for (kind, parameters) in cases {
            let outcome = audit(kind, Calibration::Sound, parameters, Source::Table(&table), 20_000);
            // With two words at distance 1, the exponential mechanism with β = 2 keeps e²/(1 + e²).
            assert!(!outcome.proof_refuted && outcome.proved.expect("a proof").epsilon <= 4.0);
            assert!(outcome.epsilon.expect("a bound") > 1.8, "{kind}");
        }
    }

    /// With this noise no single output tells much, yet the nearer half of the outputs does.
    #[test]
    fn noise_on_words_is_audited_by_how_near_they_come_out() {
        let table = Table::english().expect("the built-in table");
        for kind in [MechanismKind::MetricLaplace, MechanismKind::LatticeLaplace] {
            let parameters = [(Parameter::Epsilon, 8.0)];
            let outcome = audit(kind, Calibration::Sound, &parameters, Source::Table(&table), 2000);
            assert!(!outcome.claim_refuted && !outcome.proof_refuted && outcome.epsilon.is_some(), "{kind}");
            let mechanism = parametrized(kind, Calibration::Sound, &parameters).expect("in range");
            let (pair, any) = (outcome.proved.expect("a proof"), mechanism.loss(&table).expect("a loss"));
            // What is not exact about noise costs a pair that is nearer less: (1 + e^ε)·τ.
            let cost = |loss: Loss| 1.0 + libm::exp(loss.epsilon);
            assert!(
                pair.epsilon <= any.epsilon && pair.delta * cost(any) <= any.delta * cost(pair) * 1.000_001,
                "{kind}"
            );
        }
    }
}
