//! Every mechanism of the list, whatever it is: what it takes, what it refuses, what it promises.
#![allow(clippy::panic, reason = "a test fails by panicking")]

use proptest::prelude::*;
use serde::Deserialize;
use textveil::{
    BinaryCode, Calibration, Disclosure, Dropout, Error, Frequencies, Guarantee, Mechanism, MechanismKind, Parameter,
    Privatizer, Representer, Share, Table, Unary, Unit, Values,
};
use textveil_tests::{experiment, oracle, table};

/// The mechanisms that need certificates in the table.
const CERTIFIED: [MechanismKind; 2] = [MechanismKind::Certified, MechanismKind::Plateau];

/// A usual value of each parameter, or `None` for mechanisms with certified levels.
fn usual(kind: MechanismKind, parameter: Parameter) -> Option<f64> {
    match parameter {
        _ if CERTIFIED.contains(&kind) => None,
        Parameter::Epsilon => Some(0.5),
        Parameter::Delta => Some(1e-5),
        Parameter::Clip | Parameter::Gamma => Some(2.0),
        Parameter::Lambda if kind == MechanismKind::Ome => Some(10.0),
        Parameter::Lambda | Parameter::T | Parameter::Mass => Some(0.3),
        Parameter::FrequencyPower => Some(0.5),
        Parameter::Tilt => Some(1.0),
        Parameter::IntegerBits => Some(2.0),
        Parameter::FractionBits => Some(3.0),
        Parameter::Eta | Parameter::Level => None,
    }
}

/// The mechanism with usual parameters.
fn usually(kind: MechanismKind) -> Mechanism {
    kind.parameters()
        .iter()
        .filter_map(|parameter| Some((*parameter, usual(kind, *parameter)?)))
        .try_fold(Mechanism::new(kind), |mechanism, (parameter, value)| mechanism.with(parameter, value))
        .expect("usual values")
}

/// A table for which the mechanism can be prepared.
fn table_for(kind: MechanismKind) -> Table {
    table(if CERTIFIED.contains(&kind) { "toy.tvt" } else { "english.tvt" })
}

/// The guarantees of all that a mechanism puts out, for a text of some words.
fn guarantees(table: &Table, mechanism: Mechanism, words: usize) -> Result<Vec<Guarantee>, Error> {
    let text = Privatizer::new(table, mechanism, Disclosure::default()).map(|privatizer| privatizer.guarantee(words));
    let rows = |unit| Representer::of_table(table, mechanism, unit)?.guarantee(words, &Dropout::None);
    let all = [text, rows(Unit::Word), rows(Unit::Text)];
    let offered: Vec<_> = all.into_iter().filter(|guarantee| *guarantee != Err(Error::NotOffered)).collect();
    assert!(
        !offered.is_empty() || mechanism.kind() == MechanismKind::ClassExponential,
        "{mechanism:?} puts out nothing"
    );
    offered.into_iter().collect()
}

fn assert_sensible(guarantee: &Guarantee) {
    let Guarantee { epsilon_word, delta_word, epsilon_text, delta_text, .. } = *guarantee;
    assert!(epsilon_word.is_finite() && epsilon_word > 0.0 && epsilon_text.is_finite(), "{guarantee:?}");
    assert!((0.0..=1.0).contains(&delta_word) && (0.0..=1.0).contains(&delta_text), "{guarantee:?}");
    assert!((0.0..1e-3).contains(&guarantee.total_variation), "{guarantee:?}");
    assert!(guarantee.statement().ends_with("adds its own loss."), "{}", guarantee.statement());
}

#[test]
fn every_mechanism_puts_something_out_under_a_guarantee() {
    for kind in MechanismKind::ALL {
        let table = table_for(*kind);
        for calibration in [Calibration::Sound, Calibration::Published] {
            let Ok(mechanism) = usually(*kind).calibrated(calibration) else {
                assert!(!kind.has_published() && calibration == Calibration::Published);
                continue;
            };
            for guarantee in
                guarantees(&table, mechanism, 3).unwrap_or_else(|error| panic!("{kind} {calibration:?}: {error}"))
            {
                assert_sensible(&guarantee);
                assert_eq!(guarantee.claim.is_some(), calibration == Calibration::Published, "{kind}");
                let asked = usual(*kind, Parameter::Epsilon).unwrap_or(f64::INFINITY);
                assert!(calibration == Calibration::Published || guarantee.epsilon_word <= asked, "{guarantee:?}");
                assert!(calibration == Calibration::Published || guarantee.delta_word <= 1e-5, "{guarantee:?}");
            }
        }
    }
}

#[test]
fn published_calibrations_say_whether_their_claim_holds() {
    let table = table("english.tvt");
    for (kind, holds) in [
        (MechanismKind::TruncatedLaplace, false),
        (MechanismKind::Dpnr, false),
        (MechanismKind::Ome, false),
        (MechanismKind::Laplace, true),
        (MechanismKind::Gaussian, true),
    ] {
        let mechanism = usually(kind).calibrated(Calibration::Published).expect("it has one");
        for guarantee in guarantees(&table, mechanism, 1).expect("usual parameters") {
            assert_eq!(guarantee.claim.map(|claim| claim.holds), Some(holds), "{}", guarantee.statement());
            assert_eq!(guarantee.statement().contains("does not follow"), !holds);
            assert_eq!(guarantee.statement().contains("whose claim holds"), holds);
        }
    }
}

#[test]
fn every_parameter_is_taken_by_some_mechanism_and_refused_by_the_others() {
    for parameter in Parameter::ALL.iter().copied() {
        let value = usual(MechanismKind::Ome, parameter).unwrap_or(1.0);
        let takers = MechanismKind::ALL.iter().filter(|kind| kind.parameters().contains(&parameter)).count();
        assert!(takers > 0, "{parameter}");
        for kind in MechanismKind::ALL {
            let outcome = Mechanism::new(*kind).with(parameter, value).map(|_| ());
            let taken = kind.parameters().contains(&parameter);
            assert_eq!(outcome, if taken { Ok(()) } else { Err(Error::InvalidOptions) }, "{kind} {parameter}");
            for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
                assert_eq!(Mechanism::new(*kind).with(parameter, wrong).err(), Some(Error::Invalid(parameter)));
            }
        }
    }
}

#[test]
fn what_is_missing_has_its_own_code() {
    let table = table("classes.tvt");
    for kind in MechanismKind::ALL {
        for left_out in kind.parameters() {
            let strength = [Parameter::Eta, Parameter::Epsilon, Parameter::Level].contains(left_out);
            let optional = [Parameter::Clip, Parameter::Tilt, Parameter::IntegerBits, Parameter::FractionBits];
            let rest = kind.parameters().iter().filter(|parameter| *parameter != left_out);
            let mechanism = rest
                .filter_map(|parameter| Some((*parameter, usual(*kind, *parameter)?)))
                .try_fold(Mechanism::new(*kind), |mechanism, (parameter, value)| mechanism.with(parameter, value))
                .expect("usual values");
            let outcome = guarantees(&table, mechanism, 1);
            match outcome {
                Ok(_) => {
                    // The default level serves where there is one.
                    let level = strength && kind.parameters().contains(&Parameter::Level);
                    let needless = optional.contains(left_out) || usual(*kind, *left_out).is_none();
                    assert!(level || needless, "{kind} {left_out}");
                }
                Err(Error::Invalid(missing)) => {
                    assert!(missing == *left_out || strength, "{kind} {left_out}: {missing}")
                }
                Err(other) => panic!("{kind} without {left_out}: {other}"),
            }
        }
    }
}

#[test]
fn vectors_that_are_none_are_refused_by_every_mechanism() {
    let long = [vec![0.6, 0.8], vec![0.0, 1.0]];
    let long: Vec<&[f64]> = long.iter().map(Vec::as_slice).collect();
    for kind in MechanismKind::ALL {
        let mechanism: Mechanism = kind
            .parameters()
            .iter()
            .filter(|parameter| **parameter != Parameter::Clip)
            .filter_map(|parameter| Some((*parameter, usual(*kind, *parameter)?)))
            .try_fold(Mechanism::new(*kind), |mechanism, (parameter, value)| mechanism.with(parameter, value))
            .expect("usual values");
        for unit in [Unit::Word, Unit::Text] {
            let representer = match Representer::of_vectors(2, Some(1.0), mechanism, unit) {
                Ok(representer) => representer,
                Err(error) => {
                    assert_eq!(error, Error::NotOffered, "{kind}");
                    continue;
                }
            };
            let mut rng = experiment(1);
            let mut refusal =
                |vectors: &[&[f64]], dropout: &Dropout| representer.represent_vectors(vectors, dropout, &mut rng).err();
            assert_eq!(refusal(&long, &Dropout::None), None, "{kind}");
            assert_eq!(refusal(&[], &Dropout::None), Some(Error::InvalidVector), "{kind}");
            assert_eq!(refusal(&[&[]], &Dropout::None), Some(Error::InvalidVector), "{kind}");
            for x in [f64::NAN, f64::INFINITY] {
                assert_eq!(refusal(&[&[x, 0.0]], &Dropout::None), Some(Error::InvalidVector), "{kind}");
            }
            assert_eq!(refusal(&[&[1.0]], &Dropout::None), Some(Error::DimensionMismatch), "{kind}");
            assert_eq!(refusal(&long, &Dropout::Chosen(vec![true; 3])), Some(Error::InvalidMask), "{kind}");
            for rate in [f64::NAN, -0.1, 1.0] {
                assert_eq!(refusal(&long, &Dropout::Bernoulli(rate)), Some(Error::InvalidDropout), "{kind}");
                assert_eq!(refusal(&long, &Dropout::FixedSize(rate)), Some(Error::InvalidDropout), "{kind}");
            }
            let wants_length_one = *kind == MechanismKind::Privunit2;
            let refused = refusal(&[&[0.5, 0.5]], &Dropout::None);
            assert_eq!(refused, wants_length_one.then_some(Error::NotNormalized), "{kind}");
            assert_eq!(
                representer.represent("a text", &Dropout::None, &mut experiment(1)).err(),
                Some(Error::NotOffered)
            );
        }
    }
}

#[test]
fn vectors_need_a_norm_unless_it_is_known() {
    for kind in MechanismKind::ALL {
        let refused = Representer::of_vectors(3, None, usually(*kind), Unit::Text).err();
        let expected = (*kind != Representer::USUAL).then_some(Error::Invalid(Parameter::Clip));
        assert_eq!(refused, expected, "{kind}");
    }
}

#[test]
fn a_word_that_is_left_out_does_not_show() {
    for kind in MechanismKind::ALL.iter().filter(|kind| kind.gives_representations()) {
        for unit in [Unit::Word, Unit::Text] {
            let representer = Representer::of_table(&table_for(*kind), usually(*kind), unit).expect("usual values");
            let left_out = Dropout::Chosen(vec![false, true, false]);
            let values = |text| representer.represent(text, &left_out, &mut experiment(1)).expect("three words").values;
            assert_eq!(values("the kind doctor"), values("the cruel doctor"), "{kind} {unit:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn guarantees_are_finite_and_grow_with_what_weakens_them(
        which in 0..MechanismKind::ALL.len(), epsilon in 0.05..20.0_f64, delta in 1e-9..0.1_f64, words in 1..60_usize,
        rate in 0.0..0.9_f64,
    ) {
        let table = table("classes.tvt");
        let kind = MechanismKind::ALL[which];
        // Its guarantees are those of the levels that a table holds.
        prop_assume!(!CERTIFIED.contains(&kind));
        // It draws no ε above 20.
        let epsilon = if kind == MechanismKind::Nearest { epsilon * 0.6 } else { epsilon };
        let with = |epsilon: f64| {
            let given = |parameter: &Parameter| match parameter {
                Parameter::Epsilon => Some((Parameter::Epsilon, epsilon)),
                Parameter::Delta => Some((Parameter::Delta, delta)),
                other => Some((*other, usual(kind, *other)?)),
            };
            kind.parameters()
                .iter()
                .filter_map(given)
                .try_fold(Mechanism::new(kind), |mechanism, (parameter, value)| mechanism.with(parameter, value))
        };
        let (weaker, stronger) = (with(epsilon * 1.5)?, with(epsilon)?);
        let longer = guarantees(&table, stronger, words + 1)?;
        let all = guarantees(&table, stronger, words)?.into_iter().zip(guarantees(&table, weaker, words)?).zip(longer);
        for ((stronger, weaker), longer) in all {
            assert_sensible(&stronger);
            prop_assert!(stronger.epsilon_word <= weaker.epsilon_word && stronger.epsilon_text <= weaker.epsilon_text);
            // PrivUnit2 leaves what another vector would not repay.
            prop_assert!(kind == MechanismKind::Privunit2 || stronger.epsilon_text < weaker.epsilon_text);
            prop_assert!(stronger.epsilon_text <= longer.epsilon_text && stronger.delta_text <= longer.delta_text);
        }
        for unit in [Unit::Word, Unit::Text] {
            let representer = match Representer::of_table(&table, stronger, unit) {
                Ok(representer) => representer,
                Err(error) => {
                    prop_assert_eq!(error, Error::NotOffered);
                    continue;
                }
            };
            let plain = representer.guarantee(words, &Dropout::None)?;
            let masked = representer.guarantee(words, &Dropout::Chosen(vec![true; words]))?;
            prop_assert_eq!(plain.epsilon_word, masked.epsilon_word);
            for dropout in [Dropout::Bernoulli(rate), Dropout::FixedSize(rate)] {
                match representer.guarantee(words, &dropout) {
                    Ok(dropped) => prop_assert!(dropped.epsilon_word <= plain.epsilon_word && dropped.delta_word <= plain.delta_word),
                    Err(error) => prop_assert!(error == Error::NotOffered && plain.eta.is_some()),
                }
            }
        }
    }
}

#[test]
fn frequencies_are_estimated_without_bias_and_with_the_stated_deviation() {
    const RUNS: u32 = 200;
    let held: [u32; 4] = [150, 90, 60, 0];
    let reports = f64::from(held.iter().sum::<u32>());
    for (kind, calibration, epsilon) in [
        (MechanismKind::Sue, Calibration::Sound, 1.0),
        (MechanismKind::Oue, Calibration::Sound, 1.0),
        (MechanismKind::Oue, Calibration::Published, 2.0),
    ] {
        let mechanism = Mechanism::new(kind).with(Parameter::Epsilon, epsilon).expect("in range");
        let unary =
            Unary::new(mechanism.calibrated(calibration).expect("both have one"), held.len()).expect("in range");
        assert!((unary.guarantee().epsilon_text - 1.0).abs() < 1e-8);
        let mut rng = experiment(kind as u8);
        let mut runs = Vec::new();
        for _ in 0..RUNS {
            let mut frequencies = Frequencies::new(&unary);
            for (value, times) in held.into_iter().enumerate() {
                for _ in 0..times {
                    frequencies.add(&unary.report(value, &mut rng).expect("a value")).expect("as long as the list");
                }
            }
            runs.push(frequencies.shares());
        }
        for (value, times) in held.into_iter().enumerate() {
            let mean =
                |of: &dyn Fn(&Share) -> f64| runs.iter().map(|run| of(&run[value])).sum::<f64>() / f64::from(RUNS);
            let (share, stated) = (mean(&|one| one.share), mean(&|one| one.deviation));
            let spread = mean(&|one| (one.share - share).powi(2)).sqrt();
            let truth = f64::from(times) / reports;
            // Five standard errors of a mean, and five of a standard deviation, which is known to 5 % after 200 runs.
            let off = (share - truth).abs() * f64::from(RUNS).sqrt() / stated;
            assert!(off < 5.0, "{kind}, value {value}: {share} on average, truly {truth}");
            assert!((spread / stated - 1.0).abs() < 0.25, "{kind}, value {value}: {stated} stated, {spread} found");
        }
        assert_eq!(unary.report(held.len(), &mut rng), Err(Error::InvalidArgument));
        assert_eq!(Frequencies::new(&unary).add(&[true]), Err(Error::DimensionMismatch));
    }
}

#[test]
fn noise_that_is_cut_off_hides_what_it_was_added_to() {
    // Far beyond any bound of the output: what is cut off must not be "input ± bound".
    let (near, far) = ([1.0, 0.0], [-1.0, 0.0]);
    for (kind, parameter, value) in
        [(MechanismKind::MetricLaplace, Parameter::Eta, 1e-3), (MechanismKind::Laplace, Parameter::Epsilon, 2e-5)]
    {
        let mechanism = Mechanism::new(kind).with(parameter, value).expect("in range");
        let clip = if kind == MechanismKind::MetricLaplace { 1e-3 } else { 1.0 };
        let representer = Representer::of_vectors(2, Some(clip), mechanism, Unit::Text).expect("in range");
        let cut_off = |input: [f64; 2], number: u8| {
            let input = input.map(|x| x * clip);
            let drawn =
                representer.represent_vectors(&[&input], &Dropout::None, &mut experiment(number)).expect("valid");
            let Values::Lattice { rows, .. } = drawn.values else { panic!("integers") };
            rows[0].iter().copied().filter(|integer| integer.abs() >= 1 << 30).collect::<Vec<i32>>()
        };
        let outputs =
            |input| (0..100).flat_map(|number| cut_off(input, number)).collect::<std::collections::BTreeSet<_>>();
        assert!(!outputs(near).is_empty(), "{kind}: nothing was cut off");
        assert_eq!(outputs(near), outputs(far), "{kind}");
        assert!(outputs(near).into_iter().all(|integer| integer.abs() == 1 << 30), "{kind}");
    }
}

#[derive(Deserialize)]
struct Codes {
    cases: Vec<CodeCase>,
}

#[derive(Deserialize)]
struct CodeCase {
    x: f64,
    half_even: Rounded,
}

#[derive(Deserialize)]
struct Rounded {
    canonical: String,
    decoded: f64,
}

#[test]
fn numbers_have_the_binary_codes_of_the_oracle() {
    let oracle: Codes = oracle("binary_codes.json");
    let code = BinaryCode::new(4, 5).expect("the paper's");
    assert!(!oracle.cases.is_empty());
    for CodeCase { x, half_even } in oracle.cases {
        let bits: Vec<bool> = code.encode(x).expect("a number").collect();
        let digits: String = bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect();
        assert_eq!(digits, half_even.canonical, "{x}");
        assert_eq!(code.decode(&bits), Ok(half_even.decoded), "{x}");
    }
    for (infinite, digits) in [(f64::INFINITY, 511_u32), (f64::NEG_INFINITY, 1023)] {
        let word = code.encode(infinite).expect("a number").fold(0, |word, bit| word << 1 | u32::from(bit));
        assert_eq!(word, digits);
    }
    assert_eq!(code.encode(f64::NAN).err(), Some(Error::InvalidVector));
    assert_eq!(code.decode(&[true; 9]), Err(Error::DimensionMismatch));
}

#[test]
fn levels_have_the_numbers_that_mechanisms_take() {
    let table = table("english.tvt");
    let levels = table.level_reports().expect("levels that the table can serve");
    for level in &levels {
        let loss = |mechanism: Mechanism| mechanism.loss(&table).expect("a loss");
        let with = |parameter, value| Mechanism::new(level.mechanism).with(parameter, value).expect("in range");
        let at_level = loss(with(Parameter::Level, f64::from(level.index)));
        // A level stands for its η, or for its ε where distance does not count.
        let (parameter, value) =
            level.eta.map_or((Parameter::Epsilon, level.epsilon_word), |eta| (Parameter::Eta, eta));
        assert_eq!(at_level, loss(with(parameter, value)));
        assert_eq!((at_level.epsilon, at_level.delta), (level.epsilon_word, level.delta_word));
        assert_eq!(level.is_default, loss(Mechanism::new(level.mechanism)) == at_level);
    }
    let with_levels = MechanismKind::ALL.iter().filter(|kind| kind.parameters().contains(&Parameter::Level));
    let defaults = levels.iter().filter(|level| level.is_default);
    assert_eq!(defaults.count(), with_levels.count(), "one for each mechanism with levels");
}

#[test]
fn a_statement_says_where_eta_and_epsilon_are_bounds() {
    for (name, is_bound) in [("certified", false), ("plateau", true), ("exponential", true), ("lattice-laplace", true)]
    {
        let kind: MechanismKind = name.parse().expect("a mechanism");
        let mechanism = if CERTIFIED.contains(&kind) { Mechanism::new(kind) } else { usually(kind) };
        let privatizer = Privatizer::new(&table("english.tvt"), mechanism, Disclosure::default()).expect("offered");
        let statement = privatizer.guarantee(3).statement();
        assert_eq!(statement.contains("Both numbers are upper bounds"), is_bound, "{name}: {statement}");
    }
}

#[test]
fn every_mechanism_gives_what_it_says() {
    for kind in MechanismKind::ALL {
        let table = table_for(*kind);
        let offered = |gives: bool| if gives { Ok(()) } else { Err(Error::NotOffered) };
        let words = Privatizer::new(&table, usually(*kind), Disclosure::default()).map(|_| ());
        assert_eq!(words, offered(kind.gives_words()), "{kind}");
        let rows = Representer::of_table(&table, usually(*kind), Unit::Text).map(|_| ());
        assert_eq!(rows, offered(kind.gives_representations()), "{kind}");
    }
}
