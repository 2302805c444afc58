//! The description of a guarantee for people, compared with the reference.

use serde::Deserialize;
use textveil::{Calibration, Claim, ClaimSource, FileId, Guarantee, InTheClear, MechanismKind, Metric, Notion, Unit};
use textveil_tests::vectors;

#[derive(Deserialize)]
struct Vectors {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    guarantee: Promised,
    en: String,
    de: String,
    fr: String,
    es: String,
}

/// What a description reads.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Promised {
    notion: String,
    unit: String,
    words: usize,
    eta: Option<f64>,
    epsilon_word: f64,
    delta_word: f64,
    epsilon_text: f64,
    delta_text: f64,
    claim: Option<Claimed>,
    exact_sampler: bool,
    total_variation: f64,
    clear: Vec<String>,
    table: Option<String>,
}

#[derive(Deserialize)]
struct Claimed {
    epsilon: f64,
    delta: f64,
    holds: bool,
}

const CLEAR: [InTheClear; 11] = [
    InTheClear::WordCount,
    InTheClear::Punctuation,
    InTheClear::WhiteSpace,
    InTheClear::SentenceEnds,
    InTheClear::FunctionWords,
    InTheClear::Placeholders,
    InTheClear::WordClasses,
    InTheClear::Mask,
    InTheClear::KeptWords,
    InTheClear::Redactions,
    InTheClear::Language,
];

impl Promised {
    fn guarantee(&self) -> Guarantee {
        let unit =
            [Unit::Word, Unit::Text, Unit::WholeText, Unit::Value].into_iter().find(|unit| unit.name() == self.unit);
        let shown = |name: &String| CLEAR.into_iter().find(|shown| shown.name() == name).expect("a name of the core");
        let claim = |claim: &Claimed| {
            let Claimed { epsilon, delta, holds } = *claim;
            Claim { epsilon, delta, source: ClaimSource::HUANG_LAPLACE, holds }
        };
        Guarantee {
            mechanism: MechanismKind::Exponential,
            calibration: Calibration::Sound,
            parameters: Vec::new(),
            unit: unit.expect("a unit of the core"),
            eta: self.eta,
            metric: self.eta.map(|_| Metric::Euclidean),
            epsilon_word: self.epsilon_word,
            delta_word: self.delta_word,
            words: self.words,
            epsilon_text: self.epsilon_text,
            delta_text: self.delta_text,
            claim: self.claim.as_ref().map(claim),
            total_variation: self.total_variation,
            clear: self.clear.iter().map(shown).collect(),
            table: self.table.as_ref().map(|_| FileId::new([0; 32])),
            kept_words: None,
            never_said: None,
            known_seed: self.notion == Notion::KnownSeed.name(),
        }
    }
}

#[test]
fn every_description_is_the_reference_s() {
    let Vectors { cases } = vectors("describe.json");
    assert!(!cases.is_empty());
    for Case { guarantee, en, de, fr, es } in cases {
        let promised = guarantee.guarantee();
        assert_eq!(promised.has_exact_sampler(), guarantee.exact_sampler);
        for (locale, told) in [("en", en), ("de-AT", de), ("fr_FR", fr), ("ES", es)] {
            assert_eq!(promised.describe(locale), told);
        }
    }
}

#[test]
fn an_infinite_epsilon_proves_nothing() {
    let Vectors { cases } = vectors("describe.json");
    let promised = Guarantee { words: 2, ..cases[0].guarantee.guarantee() };
    let word = Guarantee { epsilon_word: f64::INFINITY, ..promised.clone() };
    assert!(word.describe("en").starts_with("Nothing is proved"));
    let text = Guarantee { epsilon_text: f64::INFINITY, ..promised };
    assert!(text.describe("en").contains("for all 2 together nothing is proved"));
}

#[test]
fn what_holds_for_two_releases_is_the_weaker_of_each_promise() {
    let one = vectors::<Vectors>("describe.json").cases[0].guarantee.guarantee();
    let one = Guarantee { clear: vec![InTheClear::WordCount], words: 3, known_seed: false, ..one };
    let other = Guarantee {
        epsilon_word: one.epsilon_word + 1.0,
        delta_word: 0.5,
        words: 2,
        epsilon_text: one.epsilon_text + 1.0,
        delta_text: 0.5,
        total_variation: 0.5,
        clear: vec![InTheClear::WordCount, InTheClear::Mask],
        known_seed: true,
        ..one.clone()
    };
    let weaker = Guarantee { words: 3, ..other.clone() };
    assert_eq!(one.clone().weaker(other.clone()), Some(weaker.clone()));
    assert_eq!(other.weaker(one.clone()), Some(weaker));
    assert_eq!(one.clone().weaker(one.clone()), Some(one.clone()));
    // No one statement holds for two η.
    let stronger = Guarantee { eta: one.eta.map_or(Some(1.0), |eta| Some(eta / 2.0)), ..one.clone() };
    assert_eq!(stronger.weaker(one), None);
}
