//! The guarantees under which releases were drawn, as their lines declare them, and what holds for all lines together.
//!
//! A computation from a release alone never weakens its guarantee (post-processing), whoever sees the result. So each
//! line keeps its own guarantee in everything that is trained on it. The weakest guarantee holds for every line: the
//! largest ε and the largest δ. If one line declares nothing, the whole set declares nothing.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use textveil::{DeclaredDraw, DeclaredLosses, DeclaredTerms, Unit};

use textveil_toolkit::report::numbers::{Claimed, bounded, counted, mechanism_in_words};

/// An ε that a guarantee declares: JSON has no infinite number.
fn or_infinite(epsilon: Option<f64>) -> f64 {
    epsilon.unwrap_or(f64::INFINITY)
}

/// "certified, eta 8.497, word by word: at most epsilon 10.58 for one word, at most epsilon 52.90 for any line".
fn in_words(DeclaredDraw { terms, losses }: &DeclaredDraw) -> String {
    let claim = terms.claim.as_ref();
    let claim = claim.map(|it| Claimed { epsilon: or_infinite(it.epsilon), delta: it.delta, holds: it.holds });
    let mechanism = mechanism_in_words(&terms.mechanism, terms.eta, claim);
    let [word, line] = bounds(*losses);
    let drawn = if terms.unit == Unit::Word.name() { "word by word" } else { "the text as one" };
    format!("{mechanism}, {drawn}: {word} for one word, {line} for any line")
}

/// What holds for one word, and for any line.
fn bounds(losses: DeclaredLosses) -> [String; 2] {
    [(losses.epsilon_word, losses.delta_word), (losses.epsilon_text, losses.delta_text)]
        .map(|(epsilon, delta)| bounded(or_infinite(epsilon), delta))
}

/// Lines that were drawn alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DrawnAlike {
    pub(super) releases: u64,
    /// Draws that followed from a seed: anyone who knows it can undo them.
    pub(super) insecure_seed: bool,
    /// The weakest of them, or `None` if they declare nothing.
    pub(super) guarantee: Option<DeclaredDraw>,
}

impl DrawnAlike {
    /// "12 releases by certified, …".
    pub(super) fn in_short(&self) -> String {
        let seeded = if self.insecure_seed { ", DRAWN FROM A SEED, which undoes them" } else { "" };
        let guarantee = self.guarantee.as_ref().map_or_else(
            || " without a guarantee".to_owned(),
            |draw| format!(" by {}, in the worst case", in_words(draw)),
        );
        format!("{}{guarantee}{seeded}", counted(self.releases, "release"))
    }
}

/// What is promised of the lines that something was made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Promise {
    pub(super) releases: u64,
    /// The largest losses of any line, or `None` if a line declares nothing or was drawn from a known seed.
    pub(super) weakest: Option<DeclaredLosses>,
    /// What some line shows without noise.
    clear: BTreeSet<String>,
    /// Lines by how they were drawn.
    pub(super) drawn: Vec<DrawnAlike>,
    /// The same in words.
    pub(super) statement: String,
}

impl Promise {
    /// # Errors
    /// There are no lines.
    pub(super) fn of(drawn: Vec<DrawnAlike>) -> Result<Self> {
        let releases = drawn.iter().map(|alike| alike.releases).sum();
        // A known seed undoes every draw that follows from it.
        let loss =
            |alike: &DrawnAlike| alike.guarantee.as_ref().filter(|_| !alike.insecure_seed).map(|draw| draw.losses);
        let first = drawn.first().context("there are no releases")?;
        let weakest = drawn.iter().try_fold(loss(first), |weakest, alike| {
            // If one line states no ε, the data set states none.
            let both = weakest.zip(loss(alike));
            both.map(|(a, b)| Some(a.weaker(b)))
        });
        let weakest = weakest.flatten();
        let draws = drawn.iter().filter_map(|alike| alike.guarantee.as_ref());
        let clear = draws.flat_map(|draw| draw.terms.clear.iter().cloned()).collect();
        let mut promise = Self { releases, weakest, clear, drawn, statement: String::new() };
        promise.statement = promise.in_words();
        Ok(promise)
    }

    /// How lines were drawn that declare it.
    pub(super) fn terms(&self) -> impl Iterator<Item = &DeclaredTerms> {
        self.drawn.iter().filter_map(|alike| alike.guarantee.as_ref()).map(|draw| &draw.terms)
    }

    fn in_words(&self) -> String {
        let drawn: Vec<String> = self.drawn.iter().map(DrawnAlike::in_short).collect();
        let all = match self.weakest {
            _ if self.drawn.len() == 1 => String::new(),
            None => " Of all of them together nothing is promised.".to_owned(),
            Some(losses) => {
                let [word, line] = bounds(losses);
                format!(" Of all of them holds: {word} for one word, {line} for any line.")
            }
        };
        let clear: Vec<&str> = self.clear.iter().map(String::as_str).collect();
        let clear = if clear.is_empty() { String::new() } else { format!(" ({})", clear.join(", ")) };
        format!(
            "As the lines declare: {}.{all} What is computed from releases alone, such as this model and its answers, \
             weakens none of this, whoever sees it. Not covered: labels, which came in the clear; that there is a line, \
             and what it shows without noise{clear}; what further lines of the same person add.",
            drawn.join("; ")
        )
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;
    use textveil::{Calibration, Declared, Disclosure, Mechanism, MechanismKind, Parameter, Privatizer, Table};

    use super::*;

    fn english() -> Table {
        Table::english().expect("the built-in table")
    }

    fn declared(guarantee: &textveil::Guarantee) -> DeclaredDraw {
        serde_json::from_value::<Declared>(json!(guarantee)).expect("textveil's own").into_draw()
    }

    fn guarantee(epsilon: f64, words: usize) -> textveil::Guarantee {
        let mechanism = Mechanism::new(MechanismKind::Certified).with(Parameter::Epsilon, epsilon).expect("a number");
        Privatizer::new(&english(), mechanism, Disclosure::default()).expect("a level").guarantee(words)
    }

    fn certified(epsilon: f64, words: usize) -> DeclaredDraw {
        declared(&guarantee(epsilon, words))
    }

    fn alike(releases: u64, guarantee: Option<DeclaredDraw>) -> DrawnAlike {
        DrawnAlike { releases, insecure_seed: false, guarantee }
    }

    #[test]
    fn what_holds_for_all_is_the_weakest_and_nothing_where_a_line_declares_nothing() {
        let (short, long) = (certified(12.0, 3), certified(9.0, 30));
        let promise = Promise::of(vec![alike(5, Some(short.clone())), alike(2, Some(long.clone()))]).expect("lines");
        let weakest = promise.weakest.expect("both declare something");
        assert_eq!(weakest.epsilon_word, short.losses.epsilon_word);
        assert_eq!((weakest.epsilon_text, weakest.words), (long.losses.epsilon_text, 30));
        assert_eq!(promise.releases, 7);
        for undeclared in
            [vec![alike(5, Some(short.clone())), alike(1, None)], vec![alike(1, None), alike(5, Some(short))]]
        {
            let promise = Promise::of(undeclared).expect("lines");
            assert_eq!(promise.weakest, None);
            assert!(promise.statement.contains("nothing is promised"), "{}", promise.statement);
        }
        let seeded = DrawnAlike { insecure_seed: true, ..alike(1, Some(long.clone())) };
        let promise = Promise::of(vec![alike(5, Some(long)), seeded.clone()]).expect("lines");
        assert_eq!(promise.weakest, None, "a known seed undoes what is drawn");
        assert!(promise.statement.contains("nothing is promised"), "{}", promise.statement);
        assert_eq!(Promise::of(vec![seeded]).expect("a line").weakest, None);
        assert!(Promise::of(Vec::new()).is_err());
    }

    #[test]
    fn an_epsilon_without_bound_stays_one() {
        let mechanism = Mechanism::new(MechanismKind::TruncatedLaplace)
            .calibrated(Calibration::Published)
            .and_then(|mechanism| mechanism.with(Parameter::Epsilon, 0.5)?.with(Parameter::Delta, 1e-5))
            .expect("numbers in range");
        let privatizer = Privatizer::new(&english(), mechanism, Disclosure::default()).expect("offered");
        let nothing = declared(&privatizer.guarantee(4));
        let shown = in_words(&nothing);
        let claimed = "(claims epsilon 0.5, delta 1e-5 for one word, WHICH DOES NOT FOLLOW), word by word: ";
        assert!(shown.contains(&format!("{claimed}no bound for one word, no bound for any line")), "{shown}");
        let promise =
            Promise::of(vec![alike(1, Some(certified(12.0, 3))), alike(1, Some(nothing.clone()))]).expect("lines");
        assert!(
            promise.statement.contains("Of all of them holds: no bound for one word, no bound"),
            "{}",
            promise.statement
        );
        let both = certified(12.0, 3).losses.weaker(DeclaredLosses { epsilon_word: None, ..nothing.losses });
        assert_eq!((both.epsilon_word, both.delta_word), (None, 1.0));
    }

    #[test]
    fn a_card_rounds_as_the_command_line_does() {
        let draw = certified(12.0, 3);
        assert_eq!(
            in_words(&draw),
            "certified, eta 9.009, word by word: at most epsilon 11.31 for one word, at most epsilon 33.92 for any line"
        );
        let losses = DeclaredLosses { epsilon_word: Some(0.003), epsilon_text: Some(0.009), ..draw.losses };
        assert_eq!(bounds(losses), ["at most epsilon 0.003", "at most epsilon 0.009"]);
    }

    #[test]
    fn what_a_card_says_of_lines_has_a_fixed_form() {
        let promise = Promise::of(vec![alike(2, Some(certified(12.0, 3))), alike(1, None)]).expect("lines");
        let written = serde_json::to_string(&promise).expect("JSON");
        let drawn = r#"{"releases":2,"insecureSeed":false,"guarantee":{"mechanism":"certified","calibration":"sound","parameters":{},"unit":"word","neighbours":"texts of the same layout that differ in one private word, if neither text is refused","eta":9.008149958120772,"metric":"truncated-euclidean","cutoff":1.2792117765427058,"claim":null,"clear":["word-count","punctuation","white-space","language"],"table":"16eadf98a7c50c30b5c99767ca1f3ba9fe370c7ac6428d7e741ff041b50cd7ff","epsilonWord":11.30511282023209,"deltaWord":0.0,"words":3,"epsilonText":33.91533846069627,"deltaText":0.0,"totalVariation":0.0}},{"releases":1,"insecureSeed":false,"guarantee":null}"#;
        let clear = r#"["language","punctuation","white-space","word-count"]"#;
        let before = format!(r#"{{"releases":3,"weakest":null,"clear":{clear},"drawn":[{drawn}],"statement":"#);
        assert!(written.starts_with(&before), "{written}");
        assert_eq!(serde_json::from_str::<Promise>(&written).expect("what was written"), promise);
    }
}
