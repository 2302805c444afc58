//! The short form of a guarantee: the reference's vectors, and every mechanism.

use serde::Deserialize;
use serde_json::{Value, from_value, json};
use textveil::{
    Calibration, ClaimSource, Declared, Disclosure, Dropout, Error, FileId, Guarantee, ListId, Mechanism,
    MechanismKind, Metric, Parameter, Privatizer, Representer, Unary, Unit,
};
use textveil_tests::{table, vectors};

#[derive(Deserialize)]
struct Vectors {
    cases: Vec<Case>,
    refused: Vec<Refused>,
}

#[derive(Deserialize)]
struct Case {
    guarantee: Value,
    short: Value,
}

#[derive(Deserialize)]
struct Refused {
    why: String,
    short: Value,
}

#[test]
fn an_identity_is_read_only_as_it_is_shown() {
    let hex = "0f".repeat(32);
    assert_eq!(FileId::from_hex(&hex).map(|id| id.to_string()).as_ref(), Some(&hex));
    assert_eq!(ListId::from_hex(1, &hex).map(|id| id.to_hex()).as_ref(), Some(&hex));
    let first = |digits: &str| format!("{digits}{}", &hex[2..]);
    let longer = format!("{hex}0f");
    let others = [&hex[..62], &longer, &first("+f"), &first("0F"), &first("0g"), &first("é"), &hex.to_uppercase(), ""];
    for other in others {
        assert_eq!((FileId::from_hex(other), ListId::from_hex(1, other)), (None, None), "{other}");
    }
}

#[test]
fn the_whole_is_stated_from_the_reference_s_short_form() {
    let Vectors { cases, refused } = vectors("short.json");
    for Case { guarantee, short } in cases {
        let long: Declared = from_value(guarantee).expect("a guarantee");
        assert_eq!(from_value::<Declared>(short).expect("its short form"), long);
    }
    assert!(refused.len() > 30);
    for Refused { why, short } in refused {
        assert!(from_value::<Declared>(short).is_err(), "{why}");
    }
}

/// Mechanisms with numbers that they take.
fn mechanisms() -> Vec<Mechanism> {
    let given = [
        (Parameter::Delta, 0.05),
        (Parameter::Clip, 1.0),
        (Parameter::Gamma, 1.25),
        (Parameter::T, 0.25),
        (Parameter::Mass, 0.2),
        (Parameter::FrequencyPower, 0.5),
    ];
    let mut made = Vec::new();
    for kind in MechanismKind::ALL {
        for calibration in [Calibration::Sound, Calibration::Published] {
            for (strength, value, lambda) in
                [(Parameter::Eta, 6.0, 0.5), (Parameter::Epsilon, 6.0, 10.0), (Parameter::Epsilon, 0.01, 0.0)]
            {
                let mechanism = Mechanism::new(*kind).calibrated(calibration).and_then(|it| it.with(strength, value));
                let Ok(mechanism) = mechanism else { continue };
                let with =
                    |mechanism: Mechanism, (parameter, value)| mechanism.with(parameter, value).unwrap_or(mechanism);
                made.push(given.into_iter().chain([(Parameter::Lambda, lambda)]).fold(mechanism, with));
            }
        }
    }
    made
}

fn guarantees() -> Vec<Guarantee> {
    let tables = ["toy.tvt", "classes.tvt"].map(table);
    let all = Disclosure { function_words: true, placeholders: true, plain_layout: false };
    let mut stated = Vec::new();
    let mechanisms = mechanisms();
    for (table, mechanism) in
        tables.iter().flat_map(|table| mechanisms.iter().map(move |mechanism| (table, *mechanism)))
    {
        for words in [0, 1, 7] {
            for clear in [Disclosure::default(), all] {
                stated.extend(Privatizer::new(table, mechanism, clear).map(|privatizer| privatizer.guarantee(words)));
            }
            for unit in [Unit::Word, Unit::Text] {
                let representer = Representer::of_table(table, mechanism, unit);
                stated.extend(representer.and_then(|it| it.guarantee(words, &Dropout::None)));
            }
        }
        stated.extend(Unary::new(mechanism, 5).map(|unary| unary.guarantee()));
    }
    let seeded = stated.iter().map(|guarantee| Guarantee { known_seed: true, ..guarantee.clone() });
    stated.iter().cloned().chain(seeded).collect()
}

#[test]
fn every_guarantee_comes_back_from_what_it_declares() {
    let guarantees = guarantees();
    for source in ClaimSource::ALL {
        assert_eq!(ClaimSource::named(source.name()), Some(*source));
        assert!(
            guarantees.iter().any(|it| it.claim.is_some_and(|claim| claim.source == *source)),
            "nothing claims {source:?}"
        );
    }
    for guarantee in guarantees {
        assert_eq!(Guarantee::try_from(&Declared::from(&guarantee)).as_ref(), Ok(&guarantee));
    }
}

#[test]
fn what_no_guarantee_can_have_is_not_read() {
    let guarantees = guarantees();
    let of = |metric: &dyn Fn(&Metric) -> bool| {
        let found = guarantees.iter().find(|it| it.metric.as_ref().is_some_and(metric));
        Declared::from(found.expect("such a metric"))
    };
    let truncated = of(&|metric| metric.cutoff().is_some());
    let shaped = of(&|metric| matches!(metric, Metric::Mahalanobis(_)));
    let claimed = Declared::from(guarantees.iter().find(|it| it.claim.is_some()).expect("a claim"));
    let is_read = |declared: &Declared, change: fn(&mut Declared)| {
        let mut changed = declared.clone();
        change(&mut changed);
        Guarantee::try_from(&changed).map(drop)
    };
    for declared in [&truncated, &shaped, &claimed] {
        assert_eq!(is_read(declared, |_| {}), Ok(()));
    }
    for refused in [
        is_read(&truncated, |it| it.terms.cutoff = None),
        is_read(&truncated, |it| it.terms.metric = Some("manhattan".to_owned())),
        is_read(&truncated, |it| it.terms.mechanism = "magic".to_owned()),
        is_read(&truncated, |it| it.terms.unit = "letter".to_owned()),
        is_read(&truncated, |it| it.terms.clear.push("everything".to_owned())),
        is_read(&truncated, |it| it.terms.table = Some("the table".to_owned())),
        is_read(&shaped, |it| it.terms.parameters = [("rho".to_owned(), 1.0)].into()),
        is_read(&claimed, |it| it.terms.claim.as_mut().expect("a claim").source.push('!')),
    ] {
        assert_eq!(refused, Err(Error::InvalidOptions));
    }
}

#[test]
fn every_guarantee_is_stated_from_its_short_form() {
    let guarantees = guarantees();
    for kind in MechanismKind::ALL {
        assert!(guarantees.iter().any(|guarantee| guarantee.mechanism == *kind), "{kind}");
        let published = |guarantee: &&Guarantee| guarantee.mechanism == *kind && guarantee.claim.is_some();
        assert_eq!(guarantees.iter().any(|guarantee| published(&guarantee)), kind.has_published(), "{kind}");
    }
    for guarantee in guarantees {
        let short = guarantee.short();
        assert_eq!(from_value::<Declared>(short.clone()).ok(), Some(Declared::from(&guarantee)), "{short}");
        assert!(short.to_string().len() < json!(guarantee).to_string().len(), "{short}");
    }
}
