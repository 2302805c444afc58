//! The golden vectors of samplers, mechanisms, representations, choices and refusals, as the independent
//! Python reference wrote them.
#![allow(clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::num::NonZero;

use rand_core::{Rng, SeedableRng, TryRng};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use textveil::sampler::{
    Scale, Tail, Variance, below, bernoulli, bernoulli_exp, bernoulli_ratio, discrete_gaussian, discrete_laplace,
};
use textveil::{
    Calibration, Claim, Disclosure, Dropout, Error, Guarantee, Mechanism, MechanismKind, Notion, Parameter, Privatizer,
    ReleaseRng, Representer, TextEncoder, Unary, Unit, Values,
};
use textveil_tests::{rng, table, vectors};

/// Counts the words that are read.
struct Counting {
    rng: ReleaseRng,
    words: u64,
}

impl Counting {
    fn new(seed: &str) -> Self {
        Self { rng: rng(seed), words: 0 }
    }
}

impl TryRng for Counting {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        panic!("every draw is of 64 bits")
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        self.words += 1;
        Ok(self.rng.next_u64())
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
        panic!("every draw is of 64 bits")
    }
}

impl rand_core::TryCryptoRng for Counting {}

/// A number, as itself, or in a string if JSON cannot write it.
#[derive(Deserialize, Debug, Clone)]
#[serde(untagged)]
enum Number {
    Plain(f64),
    Text(String),
}

impl Number {
    fn get(&self) -> f64 {
        match self {
            Self::Plain(number) => *number,
            Self::Text(text) => text.parse().expect("a number"),
        }
    }
}

#[derive(Deserialize, Debug, Clone)]
#[serde(untagged)]
enum Choice {
    Number(f64),
    Text(String),
}

type Options = BTreeMap<String, Choice>;

/// The mechanism that a vector asks for.
fn mechanism(kind: &str, options: &Options) -> Result<Mechanism, Error> {
    let mut mechanism = Mechanism::new(kind.parse::<MechanismKind>()?);
    for (name, choice) in options {
        mechanism = match choice {
            Choice::Text(text) if name == "calibration" => mechanism.calibrated(text.parse::<Calibration>()?)?,
            Choice::Text(text) if name == "preset" => mechanism.with_preset(text.parse()?)?,
            choice => {
                let value = match choice {
                    Choice::Number(number) => *number,
                    Choice::Text(text) => text.parse().expect("a number"),
                };
                let known =
                    Parameter::ALL.iter().copied().find(|parameter| parameter.name().replace('-', "_") == *name);
                mechanism.with(known.unwrap_or_else(|| panic!("a parameter {name}")), value)?
            }
        };
    }
    Ok(mechanism)
}

#[derive(Deserialize)]
struct Stated {
    words: usize,
    #[serde(default)]
    epsilon_word: Option<f64>,
    #[serde(default)]
    delta_word: Option<f64>,
    #[serde(default)]
    epsilon_text: Option<f64>,
    #[serde(default)]
    delta_text: Option<f64>,
}

/// To what the specification's numbers are stated, relatively.
fn tolerance(guarantee: &Guarantee) -> f64 {
    let sampled = [MechanismKind::Gaussian, MechanismKind::TruncatedLaplace].contains(&guarantee.mechanism);
    if sampled && guarantee.calibration == Calibration::Published { 1e-5 } else { 2e-8 }
}

impl Stated {
    fn hold(&self, guarantee: &Guarantee, case: &str) {
        assert_eq!(guarantee.words, self.words, "{case}");
        let numbers = [
            (guarantee.epsilon_word, self.epsilon_word),
            (guarantee.delta_word, self.delta_word),
            (guarantee.epsilon_text, self.epsilon_text),
            (guarantee.delta_text, self.delta_text),
        ];
        for (ours, theirs) in numbers {
            let Some(theirs) = theirs else { continue };
            assert!(
                (ours - theirs).abs() <= tolerance(guarantee) * theirs.abs() + 1e-14,
                "{case}: {ours} against {theirs}"
            );
        }
    }
}

#[derive(Deserialize)]
struct Mechanisms {
    cases: Vec<WordCase>,
    unknown: Vec<UnknownCase>,
    weights: Vec<WeightsCase>,
}

#[derive(Deserialize)]
struct WeightsCase {
    table: String,
    mechanism: String,
    options: Options,
    inputs: Vec<Weights>,
}

#[derive(Deserialize)]
struct Weights {
    /// `None` is an unknown word.
    row: Option<usize>,
    /// The sum over all rows: integers that may be too large for JSON.
    weights: Vec<String>,
}

#[derive(Deserialize)]
struct UnknownCase {
    table: String,
    mechanism: String,
    options: Options,
    seed: String,
    /// `None` is an unknown word.
    inputs: Vec<Option<usize>>,
    outputs: Vec<usize>,
    words_read: u64,
}

#[derive(Deserialize)]
struct WordCase {
    table: String,
    mechanism: String,
    options: Options,
    guarantees: Vec<Stated>,
    seed: String,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    words_read: u64,
}

#[test]
fn words_are_drawn_as_the_reference_draws_them() {
    for case in vectors::<Mechanisms>("mechanisms.json").cases {
        let table = table(&case.table);
        let name = format!("{} {:?} on {}", case.mechanism, case.options, case.table);
        let mechanism = mechanism(&case.mechanism, &case.options).expect("valid");
        let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("valid");
        for stated in &case.guarantees {
            stated.hold(&privatizer.guarantee(stated.words), &name);
        }
        let mut rng = Counting::new(&case.seed);
        let draw = |row: &usize| privatizer.draw(table.row(*row).expect("a row"), &mut rng).row();
        let ours: Vec<usize> = case.inputs.iter().map(draw).collect();
        assert_eq!(ours, case.outputs, "{name}");
        assert_eq!(rng.words, case.words_read, "{name}");
    }
}

#[test]
fn what_is_stated_of_a_draw_is_in_proportion_to_the_references_weights() {
    let cases = vectors::<Mechanisms>("mechanisms.json").weights;
    assert!(!cases.is_empty());
    for case in cases {
        let table = table(&case.table);
        let mechanism = mechanism(&case.mechanism, &case.options).expect("valid");
        let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("valid");
        for input in case.inputs {
            let weights: Vec<f64> = input.weights.iter().map(|weight| weight.parse().expect("a number")).collect();
            let total: f64 = weights.iter().sum();
            let mut stated = vec![0.0; table.len()];
            for (word, p) in privatizer.distribution(input.row.and_then(|row| table.row(row))).expect("stated") {
                stated[word.row()] += p;
            }
            for (p, weight) in stated.iter().zip(&weights) {
                assert!(
                    (p * total / weight.max(1.0) - weight.min(1.0)).abs() < 1e-12,
                    "{:?}, {:?}",
                    case.options,
                    input.row
                );
            }
        }
    }
}

#[test]
fn unknown_words_are_drawn_as_the_reference_draws_them() {
    let mut mechanisms = std::collections::BTreeSet::new();
    for case in vectors::<Mechanisms>("mechanisms.json").unknown {
        let table = table(&case.table);
        let name = format!("{} {:?} on {}", case.mechanism, case.options, case.table);
        let mechanism = mechanism(&case.mechanism, &case.options).expect("valid");
        let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("valid");
        let inputs: Vec<_> = case.inputs.iter().map(|row| row.and_then(|row| table.row(row))).collect();
        let mut rng = Counting::new(&case.seed);
        let ours: Vec<usize> = privatizer.draw_all(&inputs, &mut rng).into_iter().map(|row| row.row()).collect();
        assert_eq!((ours, rng.words), (case.outputs, case.words_read), "{name}");
        mechanisms.insert(case.mechanism);
    }
    let all = MechanismKind::ALL.iter().filter(|kind| kind.gives_words()).count();
    assert_eq!(mechanisms.len(), all, "every mechanism that puts out words");
}

#[derive(Deserialize)]
struct Representations {
    cases: Vec<RowCase>,
    whole_texts: Vec<RowCase>,
}

#[derive(Deserialize)]
struct RowCase {
    #[serde(flatten)]
    input: Input,
    mechanism: String,
    options: Options,
    unit: String,
    dropout: Option<Left>,
    seed: String,
    scale: Option<f64>,
    integers: Option<Vec<Vec<i32>>>,
    bits: Option<Vec<String>>,
    guarantee: Stated,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Input {
    Text { table: String, text: String },
    WholeText { encoder: String, dims: Option<usize>, text: String },
    Vectors { dims: usize, clip: Number, vectors: Vec<Vec<Number>> },
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Left {
    Bernoulli(Number),
    Fixed(Number),
    Mask(Vec<bool>),
}

fn dropout(left: Option<&Left>) -> Dropout {
    match left {
        None => Dropout::None,
        Some(Left::Bernoulli(rate)) => Dropout::Bernoulli(rate.get()),
        Some(Left::Fixed(rate)) => Dropout::FixedSize(rate.get()),
        Some(Left::Mask(mask)) => Dropout::Chosen(mask.clone()),
    }
}

fn unit(name: &str) -> Unit {
    [Unit::Word, Unit::Text, Unit::WholeText].into_iter().find(|unit| unit.name() == name).expect("a unit")
}

/// What represents whole texts.
fn of_encoder(name: &str, dims: Option<usize>, mechanism: Mechanism) -> Result<Representer, Error> {
    Representer::of_encoder(&TextEncoder::new(table(name))?, dims, mechanism)
}

/// What the core makes of an input.
fn represent(
    input: &Input,
    kind: &str,
    options: &Options,
    of: &str,
    left: Option<&Left>,
    rng: &mut ReleaseRng,
) -> Result<textveil::Representation, Error> {
    let mechanism = mechanism(kind, options)?;
    match input {
        Input::Text { table: name, text } => {
            Representer::of_table(&table(name), mechanism, unit(of))?.represent(text, &dropout(left), rng)
        }
        Input::WholeText { encoder, dims, text } => {
            let representer = of_encoder(encoder, *dims, mechanism)?;
            assert_eq!(unit(of), Unit::WholeText);
            representer.represent(text, &dropout(left), rng)
        }
        Input::Vectors { dims, clip, vectors } => {
            let vectors: Vec<Vec<f64>> =
                vectors.iter().map(|vector| vector.iter().map(Number::get).collect()).collect();
            let vectors: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
            Representer::of_vectors(*dims, Some(clip.get()), mechanism, unit(of))?.represent_vectors(
                &vectors,
                &dropout(left),
                rng,
            )
        }
    }
}

#[test]
fn representations_are_the_references() {
    let Representations { cases, whole_texts } = vectors("representations.json");
    assert!(!whole_texts.is_empty());
    for case in cases.into_iter().chain(whole_texts) {
        let name = format!("{} {:?} {} {}", case.mechanism, case.options, case.unit, case.seed);
        let mut rng = rng(&case.seed);
        let ours = represent(&case.input, &case.mechanism, &case.options, &case.unit, case.dropout.as_ref(), &mut rng);
        let ours = ours.unwrap_or_else(|error| panic!("{name}: {error}"));
        case.guarantee.hold(&ours.guarantee, &name);
        assert_eq!(ours.guarantee.notion(), Notion::KnownSeed, "{name}");
        match ours.values {
            Values::Lattice { rows, scale } => {
                assert_eq!(Some(rows), case.integers, "{name}");
                let theirs = case.scale.expect("a scale");
                assert!((scale - theirs).abs() <= 1e-8 * theirs, "{name}: {scale} {theirs}");
            }
            Values::Bits(rows) => {
                let rows: Vec<String> = rows.iter().map(|row| digits(row)).collect();
                assert_eq!(Some(rows), case.bits, "{name}");
            }
        }
    }
}

#[test]
fn the_guarantee_of_a_whole_text_is_one_for_any_two_texts_and_shows_nothing() {
    let mechanism = Mechanism::new(MechanismKind::Privunit2).with(Parameter::Epsilon, 8.0).expect("in range");
    let representer = of_encoder("wide.tvt", None, mechanism).expect("offered");
    let guarantee = representer.guarantee(0, &Dropout::None).expect("a guarantee");
    assert_eq!(guarantee, representer.guarantee(7, &Dropout::None).expect("a guarantee"));
    assert_eq!((guarantee.unit, guarantee.words, &*guarantee.clear), (Unit::WholeText, 1, &[][..]));
    assert_eq!((guarantee.epsilon_word, guarantee.delta_word), (guarantee.epsilon_text, guarantee.delta_text));
    assert_eq!((guarantee.notion(), guarantee.neighbours()), (Notion::ApproximateDp, "any two texts".to_owned()));
    assert_eq!(guarantee.table, Some(table("wide.tvt").id()));
    let said = guarantee.statement();
    let first = "The text is replaced by one random draw (privunit2 mechanism). Take any two texts, of any \
        allowed length. Any set of outcomes is at most e^8.00 times as likely for the one as for the other, plus a probability of ";
    assert!(said.starts_with(first), "{said}");
    assert!(
        said.ends_with(
            ". Not protected: that there is a text. Every further release of the same text adds its own loss."
        )
    );
    assert_eq!(representer.check("Приложение 我们"), Ok(()));
    let vectors =
        representer.represent_vectors(&[&[0.0, 0.6, 0.8, 0.0, 0.0]], &Dropout::None, &mut rng(&"00".repeat(32)));
    assert_eq!(vectors.err(), Some(Error::NotOffered));
}

fn digits(bits: &[bool]) -> String {
    bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect()
}

#[derive(Deserialize)]
struct Keys {
    words: Vec<WordKey>,
    texts: Vec<RepresentationKey>,
    vectors: Vec<RepresentationKey>,
    whole_texts: Vec<RepresentationKey>,
    choices: Vec<ChoiceKey>,
}

#[derive(Deserialize)]
struct WordKey {
    table: String,
    mechanism: String,
    options: Options,
    text: String,
    field: Option<String>,
    keep_function_words: bool,
    placeholders: bool,
    plain_layout: bool,
    as_drawn: bool,
    key: String,
}

#[derive(Deserialize)]
struct RepresentationKey {
    #[serde(flatten)]
    input: Input,
    mechanism: String,
    options: Options,
    unit: String,
    dropout: Option<Left>,
    field: Option<String>,
    key: String,
}

#[derive(Deserialize)]
struct ChoiceKey {
    mechanism: String,
    options: Options,
    size: usize,
    value: usize,
    question: String,
    key: String,
}

#[test]
fn a_release_is_remembered_by_the_references_key() {
    let keys: Keys = vectors("keys.json");
    for case in keys.words {
        let mechanism = mechanism(&case.mechanism, &case.options).expect("valid");
        let disclosure = Disclosure {
            function_words: case.keep_function_words,
            placeholders: case.placeholders,
            plain_layout: case.plain_layout,
        };
        let privatizer = Privatizer::new(&table(&case.table), mechanism, disclosure).expect("valid");
        let privatizer = if case.as_drawn { privatizer.as_drawn() } else { privatizer };
        let key = privatizer.key(&case.text, case.field.as_deref()).to_hex();
        assert_eq!(key, case.key, "{} {:?} on {}", case.mechanism, case.options, case.table);
    }
    for case in keys.texts.into_iter().chain(keys.vectors).chain(keys.whole_texts) {
        let mechanism = mechanism(&case.mechanism, &case.options).expect("valid");
        let (unit, dropout, field) = (unit(&case.unit), dropout(case.dropout.as_ref()), case.field.as_deref());
        let key = match &case.input {
            Input::Text { table: name, text } => Representer::of_table(&table(name), mechanism, unit)
                .and_then(|of_table| of_table.key(text, &dropout, field)),
            Input::WholeText { encoder, dims, text } => {
                of_encoder(encoder, *dims, mechanism).and_then(|of_encoder| of_encoder.key(text, &dropout, field))
            }
            Input::Vectors { dims, clip, vectors } => {
                let vectors: Vec<Vec<f64>> =
                    vectors.iter().map(|vector| vector.iter().map(Number::get).collect()).collect();
                let vectors: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
                Representer::of_vectors(*dims, Some(clip.get()), mechanism, unit)
                    .and_then(|of_vectors| of_vectors.key_of_vectors(&vectors, &dropout, field))
            }
        };
        let key = key.unwrap_or_else(|error| panic!("{}: {error}", case.mechanism)).to_hex();
        assert_eq!(key, case.key, "{} {:?}, {}", case.mechanism, case.options, case.unit);
    }
    for case in keys.choices {
        let mechanism = mechanism(&case.mechanism, &case.options).expect("valid");
        let key = Unary::new(mechanism, case.size).expect("valid").key(&case.question, case.value).to_hex();
        assert_eq!(key, case.key, "{} {:?}, {} of {}", case.mechanism, case.options, case.value, case.size);
    }
}

#[derive(Deserialize)]
struct Choices {
    cases: Vec<ChoiceCase>,
    refused: Vec<ChoiceRefusal>,
}

#[derive(Deserialize)]
struct ChoiceCase {
    mechanism: String,
    options: Options,
    size: usize,
    value: usize,
    seed: String,
    bits: String,
    guarantee: Stated,
    claim: Option<StatedClaim>,
}

#[derive(Deserialize, Debug, PartialEq)]
struct StatedClaim {
    epsilon: f64,
    delta: f64,
    holds: bool,
}

#[derive(Deserialize, Debug)]
struct ChoiceRefusal {
    mechanism: String,
    options: Options,
    size: usize,
    value: usize,
    error: Option<String>,
}

#[test]
fn choices_are_reported_as_the_reference_reports_them() {
    for case in vectors::<Choices>("choices.json").cases {
        let name = format!("{} {:?} {} of {}", case.mechanism, case.options, case.value, case.size);
        let mechanism = mechanism(&case.mechanism, &case.options).expect("valid");
        let unary = Unary::new(mechanism, case.size).expect("valid");
        let mut rng = rng(&case.seed);
        let report = unary.report(case.value, &mut rng).expect("a value");
        assert_eq!(digits(&report), case.bits, "{name}");
        assert_eq!(unary.guarantee().notion(), Notion::PureDp, "{name}");
        let guarantee = unary.guarantee().of_draw(&rng);
        assert_eq!(guarantee.notion(), Notion::KnownSeed, "{name}");
        assert_eq!(guarantee.unit, Unit::Value, "{name}");
        case.guarantee.hold(&guarantee, &name);
        let claim = guarantee.claim.map(|Claim { epsilon, delta, holds, .. }| StatedClaim { epsilon, delta, holds });
        assert_eq!(claim, case.claim, "{name}");
    }
}

#[test]
fn what_cannot_be_a_choice_gets_its_own_code() {
    for case in vectors::<Choices>("choices.json").refused {
        let ours = mechanism(&case.mechanism, &case.options)
            .and_then(|mechanism| Unary::new(mechanism, case.size))
            .and_then(|unary| unary.report(case.value, &mut ReleaseRng::from_seed([0; 32])));
        assert_eq!(ours.err().map(Error::code), case.error.as_deref(), "{case:?}");
    }
}

#[derive(Deserialize)]
struct Refusals {
    words: Vec<WordRefusal>,
    texts: Vec<RowRefusal>,
    vectors: Vec<RowRefusal>,
    whole_texts: Vec<RowRefusal>,
}

#[derive(Deserialize)]
struct WordRefusal {
    table: String,
    mechanism: String,
    options: Options,
    error: Option<String>,
}

#[derive(Deserialize)]
struct RowRefusal {
    #[serde(flatten)]
    input: Input,
    mechanism: String,
    options: Options,
    unit: String,
    #[serde(default)]
    dropout: Option<Left>,
    error: Option<String>,
}

#[test]
fn bad_input_gets_its_own_code() {
    let Refusals { words, texts, vectors, whole_texts } = vectors("refusals.json");
    for case in words {
        let ours = mechanism(&case.mechanism, &case.options)
            .and_then(|mechanism| Privatizer::new(&table(&case.table), mechanism, Disclosure::default()));
        let code = ours.err().map(Error::code);
        assert_eq!(code, case.error.as_deref(), "{} {:?} on {}", case.mechanism, case.options, case.table);
    }
    for case in texts.into_iter().chain(vectors).chain(whole_texts) {
        let mut rng = ReleaseRng::from_seed([0; 32]);
        let ours = represent(&case.input, &case.mechanism, &case.options, &case.unit, case.dropout.as_ref(), &mut rng);
        let code = ours.err().map(Error::code);
        assert_eq!(code, case.error.as_deref(), "{} {:?} {}", case.mechanism, case.options, case.unit);
    }
}

#[derive(Deserialize)]
struct Samplers {
    #[serde(flatten)]
    by_name: BTreeMap<String, Vec<Value>>,
}

/// A field, which may be a string where it is a large integer.
fn field<T: DeserializeOwned + std::str::FromStr>(case: &Value, name: &str) -> T {
    match &case[name] {
        Value::String(text) => text.parse().ok().unwrap_or_else(|| panic!("{name} of {case}")),
        value => serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{name} of {case}: {error}")),
    }
}

fn nonzero(case: &Value, name: &str) -> NonZero<u128> {
    NonZero::new(field(case, name)).expect("above zero")
}

fn tail(sampler: &str, case: &Value) -> Result<Tail, Error> {
    match sampler {
        "gaussian" => Tail::gaussian(field(case, "deviation")),
        _ => Tail::truncated_laplace(field(case, "rate"), field(case, "radius")),
    }
}

/// One draw, as the vectors write it.
fn draw(sampler: &str, case: &Value, rng: &mut Counting) -> Result<Value, Error> {
    Ok(match sampler {
        "below" => below(nonzero(case, "n"), rng).to_string().into(),
        "bernoulli" => bernoulli(field(case, "p"), rng).into(),
        "bernoulli_ratio" => bernoulli_ratio(field(case, "p"), nonzero(case, "q"), rng).into(),
        "bernoulli_exp" => bernoulli_exp(field(case, "p"), nonzero(case, "q"), rng).into(),
        "discrete_laplace" => discrete_laplace(Scale::at_least(field(case, "scale"))?, rng).into(),
        "discrete_gaussian" => discrete_gaussian(Variance::at_least(field(case, "variance"))?, rng).into(),
        "gaussian" | "truncated_laplace" => tail(sampler, case)?.draw(rng).into(),
        other => panic!("a sampler {other}"),
    })
}

#[test]
fn samplers_draw_what_the_reference_draws() {
    for (sampler, cases) in vectors::<Samplers>("samplers.json").by_name {
        for case in cases {
            if sampler == "refused" {
                let name: String = field(&case, "sampler");
                let code = draw(&name, &case, &mut Counting::new(&"00".repeat(32))).err().map(Error::code);
                assert_eq!(code, Some("invalid-scale"), "{case}");
                continue;
            }
            let mut rng = Counting::new(case["seed"].as_str().expect("a seed"));
            for theirs in case["draws"].as_array().expect("draws") {
                let ours = draw(&sampler, &case, &mut rng).expect("valid");
                // Integers beyond a float's are strings.
                assert!(ours == *theirs || theirs.as_str() == Some(&ours.to_string()), "{sampler}: {ours} in {case}");
            }
            assert_eq!(rng.words, field::<u64>(&case, "words_read"), "{sampler} {case}");
            if let Some(weights) = case["w"].as_array() {
                let tail = tail(&sampler, &case).expect("valid");
                for (ours, name) in [(tail.slack(), "slack"), (tail.beyond(), "beyond")] {
                    let theirs: f64 = field(&case, name);
                    assert!((ours - theirs).abs() <= 1e-6 * theirs, "{sampler} {name}: {ours} against {theirs}");
                }
                let weight = |pair: &Value| -> f64 { pair[1].as_str().expect("an integer").parse().expect("one") };
                for pair in weights.windows(2) {
                    let at = pair[0][0].as_i64().expect("an integer");
                    if pair[1][0].as_i64() == Some(at + 1) {
                        let theirs = (weight(&pair[0]) - weight(&pair[1])) * 2.0_f64.powi(-110);
                        let ours = tail.probability(at) * if at == 0 { 1.0 } else { 2.0 };
                        assert!(
                            (ours - theirs).abs() <= 1e-9 * theirs + 1e-15,
                            "{sampler} {at}: {ours} against {theirs}"
                        );
                    }
                }
            }
        }
    }
}
