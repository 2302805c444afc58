//! The golden vectors of the independent reference, in Rust. `tests/vectors/README.md` describes the fields.
#![allow(clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use base64::prelude::{BASE64_STANDARD, Engine};
use rand_core::Rng;
use serde::Deserialize;
use textveil::{
    Disclosure, Error, Flags, Mechanism, MechanismKind, Parameter, Piece, Privatizer, Release, Table, WordClass,
    WordId, lattice_noise, look_up, normalize, release_rng,
};
use textveil_tests::{mechanism, privatizer, rng, sha256, table, table_file, vectors};

#[derive(Deserialize)]
struct Tables {
    good: Vec<GoodTable>,
    bad: Vec<BadTable>,
}

#[derive(Deserialize)]
struct GoodTable {
    file: String,
    sha256: String,
    rows: usize,
    dims: usize,
    scale: f64,
    words: Vec<String>,
    values: Vec<Vec<i8>>,
    flags: Vec<u8>,
    zipf: Vec<u8>,
    levels: Option<Vec<GoodLevel>>,
    classes: Option<GoodClasses>,
    certificates: Option<GoodCertificates>,
    meta: Option<Vec<(String, String)>>,
    d_max: f64,
    distances: Vec<GoodDistance>,
}

#[derive(Deserialize)]
struct GoodLevel {
    mechanism: String,
    eta: f64,
    retention_uniform: f64,
    retention_by_frequency: f64,
}

#[derive(Deserialize)]
struct GoodClasses {
    names: Vec<String>,
    of: Vec<usize>,
}

#[derive(Deserialize)]
struct GoodCertificates {
    levels: Vec<BTreeMap<String, f64>>,
    codes: Vec<Vec<u8>>,
    stand_ins: Vec<(usize, usize)>,
}

impl GoodCertificates {
    fn are_those_of(&self, table: &Table) {
        let row = |row| table.row(row).expect("within the table");
        assert_eq!(table.certificates().len(), self.levels.len());
        for ((level, ours), (theirs, codes)) in
            table.certificates().iter().enumerate().zip(self.levels.iter().zip(&self.codes))
        {
            let fields = [
                ("beta", ours.beta),
                ("cutoff", ours.cutoff),
                ("near", ours.near),
                ("eta", ours.eta),
                ("epsilon", ours.epsilon),
                ("step", ours.step),
                ("retention", ours.retention),
                ("retention_by_frequency", ours.retention_by_frequency),
                ("support", ours.support),
                ("expected_distance", ours.expected_distance),
                ("inversion", ours.inversion),
                ("inversion_by_frequency", ours.inversion_by_frequency),
            ];
            assert_eq!(
                fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect::<BTreeMap<_, _>>(),
                *theirs
            );
            assert_eq!(table.base_codes(level), codes);
        }
        let stand_ins: Vec<(usize, usize)> = table
            .rows()
            .map(|word| (word.row(), table.stand_in(word).row()))
            .filter(|(word, stand_in)| word != stand_in)
            .collect();
        assert_eq!(stand_ins, self.stand_ins);
        assert!(self.stand_ins.iter().all(|(word, _)| !table.is_offered(row(*word))));
    }
}

#[derive(Deserialize)]
struct GoodDistance {
    a: usize,
    b: usize,
    squared: u32,
    distance: f64,
}

#[derive(Deserialize)]
struct BadTable {
    name: String,
    why: String,
    error: String,
    bytes: String,
}

#[test]
fn good_tables_are_read() {
    for good in vectors::<Tables>("table.json").good {
        let table = table(&good.file);
        let row = |row| table.row(row).expect("within the table");
        assert_eq!((table.len(), table.dims(), table.scale()), (good.rows, good.dims, good.scale), "{}", good.file);
        assert_eq!(sha256(&table_file(&good.file)), good.sha256);
        assert_eq!(
            table.id().as_bytes()[..],
            table_file(&good.file)[32..64],
            "a table is named by the checksum in its header"
        );
        assert_eq!(table.diameter_bound(), good.d_max);
        assert_eq!(table.words().map(|(_, word)| word.to_string()).collect::<Vec<_>>(), good.words);
        for (at, word) in good.words.iter().enumerate() {
            assert_eq!(table.find(word), Some(row(at)));
            assert_eq!(&*table.word(row(at)), word);
            assert_eq!(table.vector(row(at)), good.values[at]);
            assert_eq!(table.is_offered(row(at)), good.flags[at] & 1 == 0);
            assert_eq!(table.is_function_word(row(at)), good.flags[at] & 2 != 0);
            let forms = [Flags::NAME, Flags::PLURAL, Flags::THIRD_PERSON, Flags::PAST, Flags::PARTICIPLE, Flags::ING];
            for (bit, form) in (2..).zip(forms) {
                assert_eq!(table.flags(row(at)).intersects(form), good.flags[at] >> bit & 1 == 1);
            }
            assert_eq!(table.zipf(row(at)), f64::from(good.zipf[at]) / 20.0);
        }
        let levels = good.levels.unwrap_or_default();
        assert_eq!(table.levels().len(), levels.len() + table.certificates().len());
        match good.certificates {
            Some(certificates) => certificates.are_those_of(&table),
            None => assert!(table.certificates().is_empty()),
        }
        for (ours, theirs) in table.levels().iter().zip(&levels) {
            assert_eq!((ours.kind.name(), ours.eta), (theirs.mechanism.as_str(), theirs.eta));
            assert_eq!(
                (ours.retention, ours.retention_by_frequency),
                (theirs.retention_uniform, theirs.retention_by_frequency)
            );
        }
        let classes = good.classes;
        assert_eq!(table.classes().len(), classes.as_ref().map_or(0, |classes| classes.names.len()));
        for word in table.rows() {
            let class = table.class_of(word);
            assert_eq!(class.map(WordClass::index), classes.as_ref().map(|classes| classes.of[word.row()]));
            assert_eq!(class.and_then(|class| table.classes().nth(class.index())), class);
            let name = classes.as_ref().map(|classes| classes.names[classes.of[word.row()]].as_str());
            assert_eq!(class.and_then(|class| table.class_name(class)), name);
        }
        for (key, value) in &good.meta.unwrap_or_default() {
            assert_eq!(table.meta(key), Some(value.as_str()));
        }
        for pair in &good.distances {
            assert_eq!(table.distance_squared(row(pair.a), row(pair.b)), pair.squared);
            assert_eq!(table.distance(row(pair.a), row(pair.b)), pair.distance);
        }
    }
}

#[test]
fn bad_tables_are_refused() {
    let bad = vectors::<Tables>("table.json").bad;
    assert!(bad.len() >= 25);
    for bad in bad {
        let bytes = BASE64_STANDARD.decode(&bad.bytes).expect("base64");
        let error = Table::parse(bytes).expect_err(&format!("{}: {}", bad.name, bad.why));
        assert_eq!(error.code(), bad.error, "{}", bad.name);
    }
}

#[derive(Deserialize)]
struct Pipeline {
    table: String,
    cases: Vec<PipelineCase>,
}

#[derive(Deserialize)]
struct PipelineCase {
    text: String,
    pieces: Vec<ExpectedPiece>,
}

#[derive(Deserialize, Debug)]
#[serde(untagged)]
enum ExpectedPiece {
    Layout { layout: String },
    Token { kind: String, token: String, found: String, row: Option<usize> },
}

#[test]
fn texts_are_split_and_looked_up() {
    let pipeline: Pipeline = vectors("pipeline.json");
    let table = table(&pipeline.table);
    assert!(pipeline.cases.len() >= 150);
    for case in pipeline.cases {
        let pieces = Piece::split(&case.text).expect("short");
        assert_eq!(pieces.len(), case.pieces.len(), "{:?}: {pieces:?}", case.text);
        for (ours, theirs) in pieces.iter().zip(&case.pieces) {
            match (ours, theirs) {
                (Piece::Layout(run), ExpectedPiece::Layout { layout }) => assert_eq!(run, layout, "{:?}", case.text),
                (Piece::Token { kind, text }, ExpectedPiece::Token { kind: expected, token, found, row }) => {
                    assert_eq!((kind.name(), text), (expected.as_str(), token), "{:?}", case.text);
                    let reading = look_up(&table, *kind, text);
                    assert_eq!(
                        (reading.found.name(), reading.row.map(WordId::row)),
                        (found.as_str(), *row),
                        "{text:?} in {:?}",
                        case.text
                    );
                }
                _ => panic!("{:?}: {ours:?} against {theirs:?}", case.text),
            }
        }
    }
}

#[derive(Deserialize)]
struct Mechanisms {
    keystream: Vec<Keystream>,
    exponential: Vec<Channel>,
    noise: Vec<Noise>,
    draws: Vec<Draws>,
    epsilon: Vec<EpsilonCase>,
}

#[derive(Deserialize)]
struct Keystream {
    seed: String,
    words: Vec<String>,
}

#[derive(Deserialize)]
struct Channel {
    table: String,
    eta: f64,
    offered: Vec<usize>,
    inputs: Vec<ChannelRow>,
}

#[derive(Deserialize)]
struct ChannelRow {
    row: usize,
    weights: Vec<String>,
    total: String,
}

#[derive(Deserialize)]
struct Noise {
    table: String,
    eta: f64,
    vectors: Vec<NoiseVector>,
}

#[derive(Deserialize)]
struct NoiseVector {
    seed: String,
    noise: Vec<i64>,
}

#[derive(Deserialize)]
struct Draws {
    table: String,
    mechanism: String,
    eta: f64,
    seed: String,
    outputs: Vec<usize>,
}

#[derive(Deserialize)]
struct EpsilonCase {
    table: String,
    mechanism: String,
    epsilon: f64,
    eta: f64,
    epsilon_word: f64,
}

#[test]
fn the_keystream_is_chacha20() {
    for case in vectors::<Mechanisms>("mechanism.json").keystream {
        let mut rng = rng(&case.seed);
        for word in case.words {
            assert_eq!(rng.next_u64().to_string(), word);
        }
    }
}

#[test]
fn the_exponential_channel_has_the_references_weights() {
    for case in vectors::<Mechanisms>("mechanism.json").exponential {
        let table = table(&case.table);
        let privatizer = privatizer(&table, "exponential", case.eta);
        for input in case.inputs {
            let ours = privatizer.distribution(table.row(input.row).expect("a row")).expect("stated");
            assert_eq!(ours.iter().map(|(word, _)| word.row()).collect::<Vec<_>>(), case.offered);
            let total: f64 = input.total.parse().expect("a number");
            for ((_, probability), weight) in ours.iter().zip(&input.weights) {
                let weight: f64 = weight.parse().expect("a number");
                assert!((probability / (weight / total) - 1.0).abs() < 1e-14, "eta {}, row {}", case.eta, input.row);
            }
        }
    }
}

#[test]
fn noise_is_the_references_noise() {
    for case in vectors::<Mechanisms>("mechanism.json").noise {
        let table = table(&case.table);
        for vector in case.vectors {
            let noise = lattice_noise(case.eta, table.dims(), table.scale(), &mut rng(&vector.seed))
                .expect("a scale above zero");
            let noise: Vec<i64> = noise.into_iter().map(|k| k.clamp(-(1 << 30), 1 << 30)).collect();
            assert_eq!(noise, vector.noise, "seed {}", vector.seed);
        }
    }
}

#[test]
fn draws_are_the_references_draws() {
    for case in vectors::<Mechanisms>("mechanism.json").draws {
        let table = table(&case.table);
        let privatizer = privatizer(&table, &case.mechanism, case.eta);
        let mut rng = rng(&case.seed);
        let inputs = (0..table.len()).cycle().filter_map(|row| table.row(row));
        let ours: Vec<usize> =
            inputs.take(case.outputs.len()).map(|input| privatizer.draw(input, &mut rng).row()).collect();
        assert_eq!(ours, case.outputs, "{} on {} at {}", case.mechanism, case.table, case.eta);
    }
}

#[test]
fn a_requested_epsilon_is_never_exceeded() {
    for case in vectors::<Mechanisms>("mechanism.json").epsilon {
        let table = table(&case.table);
        let kind: MechanismKind = case.mechanism.parse().expect("a mechanism");
        let within = Mechanism::new(kind).with(Parameter::Epsilon, case.epsilon).expect("valid");
        let privatizer = Privatizer::new(&table, within, Disclosure::default()).expect("in range");
        let guarantee = privatizer.guarantee(1);
        assert_eq!((guarantee.eta, guarantee.epsilon_word), (Some(case.eta), case.epsilon_word));
        assert!(guarantee.epsilon_word <= case.epsilon);
    }
}

#[derive(Deserialize)]
struct Releases {
    cases: Vec<ReleaseCase>,
    #[serde(default)]
    known_seed: Vec<KnownSeed>,
}

/// The words in the guarantee of every seeded draw.
#[derive(Deserialize)]
struct KnownSeed {
    notion: String,
    statement: String,
}

#[derive(Deserialize)]
struct ReleaseCase {
    table: String,
    text: String,
    normalized: String,
    mechanism: String,
    eta: f64,
    options: Options,
    seed: String,
    release: String,
    private_tokens: usize,
    epsilon_word: f64,
    epsilon_text: f64,
    account: Vec<Entry>,
}

#[derive(Deserialize)]
struct Options {
    keep_function_words: bool,
    placeholders: bool,
    any_language: bool,
    plain_layout: bool,
    as_drawn: bool,
}

#[derive(Deserialize)]
struct Entry {
    token: String,
    kind: String,
    fate: String,
    found: Option<String>,
    row: Option<usize>,
    out: Option<usize>,
    written: Option<usize>,
}

fn release(case: &ReleaseCase) -> Release {
    let disclosure = Disclosure {
        function_words: case.options.keep_function_words,
        placeholders: case.options.placeholders,
        plain_layout: case.options.plain_layout,
    };
    let mechanism = mechanism(&case.mechanism, case.eta).expect("valid");
    let privatizer = Privatizer::new(&table(&case.table), mechanism, disclosure).expect("valid");
    let privatizer = if case.options.as_drawn { privatizer.as_drawn() } else { privatizer };
    let privatizer = if case.options.any_language { privatizer.of_any_language() } else { privatizer };
    let text = normalize(&case.text);
    assert_eq!(text, case.normalized);
    privatizer.privatize(&text, &mut rng(&case.seed)).expect("short")
}

fn releases_are_bit_identical(file: &str) {
    let cases = vectors::<Releases>(file).cases;
    assert!(cases.len() >= 60);
    let known_seed = vectors::<Releases>("release.json").known_seed;
    for case in cases {
        let release = release(&case);
        assert_eq!(known_seed.len(), 1);
        assert_eq!(release.guarantee.notion().name(), known_seed[0].notion);
        assert_eq!(release.guarantee.statement(), known_seed[0].statement);
        assert!(release.guarantee.loss().epsilon.is_infinite());
        // A draw from a secret seed leaves it known.
        let fresh = release_rng(&mut getrandom::SysRng).expect("randomness");
        assert!(release.guarantee.clone().of_draw(&fresh).known_seed);
        assert_eq!(release.text, case.release, "{:?}", case.text);
        assert_eq!(release.guarantee.words, case.private_tokens);
        assert_eq!(
            (release.guarantee.epsilon_word, release.guarantee.epsilon_text),
            (case.epsilon_word, case.epsilon_text)
        );
        assert_eq!(release.account.len(), case.account.len());
        for (ours, theirs) in release.account.iter().zip(&case.account) {
            assert_eq!((&ours.token, ours.kind.name()), (&theirs.token, theirs.kind.as_str()));
            assert_eq!(ours.reading.map(|reading| reading.found.name()), theirs.found.as_deref());
            assert_eq!(
                (ours.reading.and_then(|reading| reading.row).map(WordId::row), ours.output.map(WordId::row)),
                (theirs.row, theirs.out)
            );
            assert_eq!(ours.written.map(WordId::row), theirs.written);
            assert_eq!(ours.is_kept(), theirs.written.is_some() && theirs.written == theirs.row);
            assert_eq!(ours.clear, theirs.fate != "private");
        }
    }
}

#[test]
fn releases_are_bit_identical_on_small_tables() {
    releases_are_bit_identical("release.json");
}

#[cfg(feature = "english")]
#[test]
fn releases_are_bit_identical_on_the_english_table() {
    releases_are_bit_identical("release_english.json");
}

#[cfg(feature = "english")]
#[derive(Deserialize)]
struct Languages {
    languages: Vec<LanguageCase>,
}

#[cfg(feature = "english")]
#[derive(Deserialize)]
struct LanguageCase {
    table: String,
    text: String,
    error: Option<String>,
}

#[cfg(feature = "english")]
#[test]
fn a_text_of_another_language_is_refused_on_every_way() {
    use textveil::{Dropout, Representer, Unit};
    let cases = vectors::<Languages>("release_english.json").languages;
    assert!(cases.len() >= 80);
    for case in cases {
        let (table, text, expected) = (table(&case.table), normalize(&case.text), case.error.as_deref());
        let privatizer = privatizer(&table, "exponential", 2.0);
        let seed = "00".repeat(32);
        let code = |refused: Option<Error>| refused.map(Error::code);
        assert_eq!(code(privatizer.check(&text).err()), expected, "{text}");
        assert_eq!(code(privatizer.privatize(&text, &mut rng(&seed)).err()), expected, "{text}");
        assert_eq!(code(privatizer.privatize_text(&text, &mut rng(&seed)).err()), expected, "{text}");
        let mechanism = mechanism("lattice-laplace", 2.0).expect("valid");
        let representer = Representer::of_table(&table, mechanism, Unit::Text).expect("valid");
        assert_eq!(code(representer.represent(&text, &Dropout::None, &mut rng(&seed)).err()), expected, "{text}");
        assert!(privatizer.of_any_language().privatize(&text, &mut rng(&seed)).is_ok());
        assert!(representer.of_any_language().represent(&text, &Dropout::None, &mut rng(&seed)).is_ok());
    }
}

#[derive(Deserialize)]
struct Errors {
    privacy: Vec<PrivacyError>,
    texts: Vec<TextError>,
}

#[derive(Deserialize)]
struct PrivacyError {
    table: String,
    eta: Option<String>,
    epsilon: Option<String>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct TextError {
    unit: String,
    times: usize,
    error: Option<String>,
}

#[test]
fn parameters_out_of_range_are_refused() {
    for case in vectors::<Errors>("errors.json").privacy {
        let table = table(&case.table);
        let number = |text: &str| text.parse::<f64>().expect("a number");
        let mechanism = match (&case.eta, &case.epsilon) {
            (Some(eta), None) => mechanism("exponential", number(eta)),
            (None, Some(epsilon)) => {
                Mechanism::new(MechanismKind::Exponential).with(Parameter::Epsilon, number(epsilon))
            }
            _ => panic!("a case has either eta or epsilon"),
        };
        let outcome = mechanism.and_then(|mechanism| Privatizer::new(&table, mechanism, Disclosure::default()));
        assert_eq!(
            outcome.err().map(Error::code),
            case.error.as_deref(),
            "{:?} {:?} on {}",
            case.eta,
            case.epsilon,
            case.table
        );
    }
}

#[test]
fn texts_that_are_too_long_are_refused() {
    for case in vectors::<Errors>("errors.json").texts {
        let outcome = Piece::split(&case.unit.repeat(case.times));
        assert_eq!(outcome.err().map(Error::code), case.error.as_deref(), "{:?} × {}", case.unit, case.times);
    }
}
