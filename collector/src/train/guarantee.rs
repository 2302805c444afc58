//! The guarantees under which releases were drawn, as their lines declare them, and what holds for all lines together.
//!
//! What is computed from a release alone weakens no guarantee of it (post-processing), whoever sees the result. So each
//! line keeps its own guarantee in whatever is trained on it, and what holds for every line is the weakest of them:
//! the largest ε and the largest δ. A line that declares nothing leaves nothing to say of all.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, anyhow, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use textveil::{InTheClear, MechanismKind, RoundedUp, Unit};

use textveil_toolkit::report::numbers::{counted, shown};

/// A guarantee as a line declares it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Declared {
    #[serde(flatten)]
    pub(super) terms: Terms,
    #[serde(flatten)]
    pub(super) loss: Losses,
}

/// What it says of the draw, whatever the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Terms {
    pub(super) mechanism: String,
    calibration: String,
    parameters: BTreeMap<String, f64>,
    pub(super) unit: String,
    neighbours: String,
    eta: Option<f64>,
    metric: Option<String>,
    cutoff: Option<f64>,
    claim: Option<Claim>,
    clear: Vec<String>,
    pub(super) table: Option<String>,
}

/// What the mechanism's paper claims.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Claim {
    epsilon: Option<f64>,
    delta: f64,
    source: String,
    holds: bool,
}

/// What may be lost. An ε without a number is infinite, as JSON has no such number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Losses {
    epsilon_word: Option<f64>,
    delta_word: f64,
    pub(super) words: u64,
    epsilon_text: Option<f64>,
    delta_text: f64,
    total_variation: f64,
}

impl Declared {
    /// # Errors
    /// What no release of textveil says, or this version does not know.
    pub(super) fn parse(value: &Value) -> Result<Self> {
        let declared: Self =
            Self::deserialize(value).map_err(|_| anyhow!("its guarantee has not the form of a guarantee"))?;
        let Self { terms, loss } = &declared;
        let is_known = terms.mechanism.parse::<MechanismKind>().is_ok();
        ensure!(is_known, "its mechanism is not known to this version");
        ensure!(terms.unit != Unit::Value.name(), "the report of a choice is to be counted, not classified");
        ensure!([Unit::Word, Unit::Text].iter().any(|unit| unit.name() == terms.unit), "its unit is not known");
        let is_epsilon = |epsilon: Option<f64>| epsilon.is_none_or(|epsilon| epsilon >= 0.0);
        let is_share = |share: f64| (0.0..=1.0).contains(&share);
        let is_loss = is_epsilon(loss.epsilon_word) && is_epsilon(loss.epsilon_text);
        let are_shares = [loss.delta_word, loss.delta_text, loss.total_variation].into_iter().all(is_share);
        ensure!(is_loss && are_shares, "its guarantee has a number out of range");
        let word = (loss.epsilon_word, loss.delta_word);
        ensure!(loss.bounds(word), "its guarantee promises more for all its words than for one");
        Ok(declared)
    }

    /// Whether it is a code of the whole text, rather than of each word or with noise for each.
    fn is_code_of_text(&self) -> bool {
        let gives_words = self.terms.mechanism.parse().is_ok_and(MechanismKind::gives_words);
        self.terms.unit == Unit::Text.name() && !gives_words
    }

    /// Whether it is a code of a text of one word, which can change less than others.
    pub(super) fn is_code_of_word(&self) -> bool {
        self.is_code_of_text() && self.loss.words == 1
    }

    /// What is the same for all lines that were drawn alike, however many words they have: of a code of the whole text,
    /// its loss; else a word's.
    fn strength(&self) -> (Option<f64>, f64) {
        let Losses { epsilon_word, delta_word, epsilon_text, delta_text, .. } = self.loss;
        if self.is_code_of_text() { (epsilon_text, delta_text) } else { (epsilon_word, delta_word) }
    }

    /// Whether another line was drawn alike. A text of one word is encoded like others, the empty one too, but can change
    /// less: it may lose less than they.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let loses_no_more = |short: &Self, long: &Self| {
            let ((epsilon, delta), (most, most_delta)) = (short.strength(), long.strength());
            most.is_none_or(|most| epsilon.is_some_and(|epsilon| epsilon <= most)) && delta <= most_delta
        };
        let is_as_strong = match (self.is_code_of_word(), other.is_code_of_word()) {
            (true, false) => loses_no_more(self, other),
            (false, true) => loses_no_more(other, self),
            _ => self.strength() == other.strength(),
        };
        self.terms == other.terms && is_as_strong
    }
}

impl Terms {
    pub(super) fn shows(&self, item: InTheClear) -> bool {
        self.clear.iter().any(|shown| shown == item.name())
    }

    /// Whether what another mechanism puts out means the same: the same code, whatever its strength.
    pub(super) fn has_code_of(&self, other: &Self) -> bool {
        let code = |terms: &Self| {
            let Self { mechanism, calibration, parameters, unit, table, .. } = terms;
            (mechanism.clone(), calibration.clone(), parameters.clone(), unit.clone(), table.clone())
        };
        code(self) == code(other)
    }
}

impl Losses {
    /// Whether what all words may lose, if there are any, is at least this ε and this δ.
    fn bounds(&self, (epsilon, delta): (Option<f64>, f64)) -> bool {
        // None is infinite.
        let holds = self.epsilon_text.is_none_or(|text| epsilon.is_some_and(|epsilon| text >= epsilon));
        self.words == 0 || holds && self.delta_text >= delta
    }

    /// Whether all words may lose what each of them may lose, added up: so it is where each is drawn for itself.
    pub(super) fn adds_up(&self) -> bool {
        // Parsing may be off by a last digit.
        let words = self.words as f64 * (1.0 - 1e-9);
        self.bounds((self.epsilon_word.map(|epsilon| words * epsilon), (words * self.delta_word).min(1.0 - 1e-9)))
    }

    /// What holds for both.
    pub(super) fn weaker(self, other: Self) -> Self {
        // None is infinite.
        let more = |a: Option<f64>, b: Option<f64>| Some(a?.max(b?));
        Self {
            epsilon_word: more(self.epsilon_word, other.epsilon_word),
            delta_word: self.delta_word.max(other.delta_word),
            words: self.words.max(other.words),
            epsilon_text: more(self.epsilon_text, other.epsilon_text),
            delta_text: self.delta_text.max(other.delta_text),
            total_variation: self.total_variation.max(other.total_variation),
        }
    }
}

/// "at most epsilon 10.58", or that there is none.
fn bounded(epsilon: Option<f64>, delta: f64) -> String {
    match epsilon {
        Some(epsilon) if delta < 1.0 => format!("at most {}", shown(RoundedUp(epsilon), delta)),
        _ => "no bound".to_owned(),
    }
}

/// "certified, eta 8.497, word by word: at most epsilon 10.58 for one word, at most epsilon 52.9 for any line".
impl std::fmt::Display for Declared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { terms, loss } = self;
        write!(f, "{}", terms.mechanism)?;
        if let Some(eta) = terms.eta {
            write!(f, ", eta {}", RoundedUp(eta))?;
        }
        if let Some(Claim { epsilon, delta, holds, .. }) = &terms.claim {
            let holds = if *holds { "which holds" } else { "WHICH DOES NOT FOLLOW" };
            write!(f, ", PUBLISHED calibration (claims {}, {holds})", bounded(*epsilon, *delta))?;
        }
        let [word, line] = [(loss.epsilon_word, loss.delta_word), (loss.epsilon_text, loss.delta_text)]
            .map(|(epsilon, delta)| bounded(epsilon, delta));
        let drawn = if terms.unit == Unit::Word.name() { "word by word" } else { "the text as one" };
        write!(f, ", {drawn}: {word} for one word, {line} for any line")
    }
}

/// Lines that were drawn alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Share {
    pub(super) releases: u64,
    /// Draws that followed from a seed: whoever knows it can undo them.
    pub(super) insecure_seed: bool,
    /// The weakest of them; none if they declare nothing.
    pub(super) guarantee: Option<Declared>,
}

impl Share {
    /// "12 releases by certified, …".
    pub(super) fn in_short(&self) -> String {
        let seeded = if self.insecure_seed { ", DRAWN FROM A SEED, which undoes them" } else { "" };
        let guarantee = self
            .guarantee
            .as_ref()
            .map_or_else(|| " without a guarantee".to_owned(), |declared| format!(" by {declared}, in the worst case"));
        format!("{}{guarantee}{seeded}", counted(self.releases, "release"))
    }
}

/// What is promised of the lines that something was made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Promise {
    pub(super) releases: u64,
    /// The largest losses of any line; none if a line declares nothing.
    pub(super) weakest: Option<Losses>,
    /// What some line shows without noise.
    clear: BTreeSet<String>,
    /// Lines by how they were drawn.
    pub(super) drawn: Vec<Share>,
    /// The same in words.
    pub(super) statement: String,
}

impl Promise {
    /// # Errors
    /// There are no lines.
    pub(super) fn of(drawn: Vec<Share>) -> Result<Self> {
        let releases = drawn.iter().map(|share| share.releases).sum();
        let loss = |share: &Share| share.guarantee.as_ref().map(|declared| declared.loss);
        let first = drawn.first().context("there are no releases")?;
        let weakest = drawn.iter().try_fold(loss(first), |weakest, share| {
            // None of all, once one has none.
            let both = weakest.zip(loss(share));
            both.map(|(a, b)| Some(a.weaker(b)))
        });
        let weakest = weakest.flatten();
        let declared = || drawn.iter().filter_map(|share| share.guarantee.as_ref());
        let clear = declared().flat_map(|declared| declared.terms.clear.iter().cloned()).collect();
        let mut promise = Self { releases, weakest, clear, drawn, statement: String::new() };
        promise.statement = promise.in_words();
        Ok(promise)
    }

    /// How lines were drawn that declare it.
    pub(super) fn terms(&self) -> impl Iterator<Item = &Terms> {
        self.drawn.iter().filter_map(|share| share.guarantee.as_ref()).map(|declared| &declared.terms)
    }

    fn in_words(&self) -> String {
        let drawn: Vec<String> = self.drawn.iter().map(Share::in_short).collect();
        let all = match self.weakest {
            _ if self.drawn.len() == 1 => String::new(),
            None => " Of all of them together nothing is promised.".to_owned(),
            Some(loss) => {
                let word = bounded(loss.epsilon_word, loss.delta_word);
                let line = bounded(loss.epsilon_text, loss.delta_text);
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
    use textveil::{Calibration, Disclosure, Dropout, Mechanism, Parameter, Privatizer, Representer, Table};

    use super::*;

    fn english() -> Table {
        Table::english().expect("the built-in table")
    }

    fn declared(guarantee: &textveil::Guarantee) -> Declared {
        Declared::parse(&json!(guarantee)).expect("textveil's own")
    }

    fn certified(epsilon: f64, words: usize) -> Declared {
        let mechanism = Mechanism::new(MechanismKind::Certified).with(Parameter::Epsilon, epsilon).expect("a number");
        let privatizer = Privatizer::new(&english(), mechanism, Disclosure::default()).expect("a level");
        declared(&privatizer.guarantee(words))
    }

    fn share(releases: u64, guarantee: Option<Declared>) -> Share {
        Share { releases, insecure_seed: false, guarantee }
    }

    #[test]
    fn lines_that_are_drawn_alike_are_told_from_others_however_long_they_are() {
        assert!(certified(12.0, 3).is_like(&certified(12.0, 30)));
        assert!(!certified(12.0, 3).is_like(&certified(11.0, 3)));
        for (kind, numbers) in [
            (MechanismKind::Dpnr, &[(Parameter::Epsilon, 5.0)][..]),
            (MechanismKind::Ome, &[(Parameter::Epsilon, 5.0), (Parameter::Lambda, 10.0)]),
            (MechanismKind::Gaussian, &[(Parameter::Epsilon, 5.0), (Parameter::Delta, 1e-6)]),
            (MechanismKind::LatticeLaplace, &[(Parameter::Eta, 5.0)]),
        ] {
            let with = |mechanism: Mechanism, (parameter, x): &(Parameter, f64)| mechanism.with(*parameter, *x);
            let mechanism = numbers.iter().try_fold(Mechanism::new(kind), with).expect("numbers in range");
            for unit in [Unit::Word, Unit::Text] {
                let representer = Representer::of_table(&english(), mechanism, unit).expect("offered");
                let of = |words| declared(&representer.guarantee(words, &Dropout::None).expect("a guarantee"));
                for (one, other) in [(1, 40), (2, 3), (0, 1), (0, 40), (1, 1)] {
                    let [one, other] = [one, other].map(of);
                    assert!(one.is_like(&other) && other.is_like(&one), "{kind}, a {} a draw", unit.name());
                }
            }
        }
    }

    #[test]
    fn short_lines_of_another_strength_are_told_from_each_other() {
        let of = |epsilon, words| {
            let mechanism = Mechanism::new(MechanismKind::Dpnr).with(Parameter::Epsilon, epsilon).expect("a number");
            let representer = Representer::of_table(&english(), mechanism, Unit::Text).expect("offered");
            declared(&representer.guarantee(words, &Dropout::None).expect("a guarantee"))
        };
        for words in [0, 1] {
            assert!(!of(200.0, words).is_like(&of(100.0, words)), "{words}");
        }
        let (weak, strong) = (of(200.0, 1), of(10.0, 0));
        assert!(!weak.is_like(&strong) && !strong.is_like(&weak));
    }

    #[test]
    fn what_holds_for_all_is_the_weakest_and_nothing_where_a_line_declares_nothing() {
        let (short, long) = (certified(12.0, 3), certified(9.0, 30));
        let promise = Promise::of(vec![share(5, Some(short.clone())), share(2, Some(long.clone()))]).expect("lines");
        let weakest = promise.weakest.expect("both declare something");
        assert_eq!(weakest.epsilon_word, short.loss.epsilon_word);
        assert_eq!((weakest.epsilon_text, weakest.words), (long.loss.epsilon_text, 30));
        assert_eq!(promise.releases, 7);
        for undeclared in
            [vec![share(5, Some(short.clone())), share(1, None)], vec![share(1, None), share(5, Some(short))]]
        {
            let promise = Promise::of(undeclared).expect("lines");
            assert_eq!(promise.weakest, None);
            assert!(promise.statement.contains("nothing is promised"), "{}", promise.statement);
        }
        assert!(Promise::of(Vec::new()).is_err());
    }

    #[test]
    fn words_that_are_drawn_one_by_one_lose_what_each_loses_added_up() {
        for words in [0, 1, 7, 1000] {
            let mut loss = certified(11.3, words).loss;
            assert!(loss.adds_up(), "{words}");
            loss.epsilon_text = loss.epsilon_word.map(|epsilon| epsilon * (words as f64 - 0.1));
            assert!(!loss.adds_up() || words == 0, "{words}");
        }
    }

    #[test]
    fn an_epsilon_without_bound_stays_one() {
        let mechanism = Mechanism::new(MechanismKind::TruncatedLaplace)
            .calibrated(Calibration::Published)
            .and_then(|mechanism| mechanism.with(Parameter::Epsilon, 0.5)?.with(Parameter::Delta, 1e-5))
            .expect("numbers in range");
        let privatizer = Privatizer::new(&english(), mechanism, Disclosure::default()).expect("offered");
        let nothing = declared(&privatizer.guarantee(4));
        assert!(
            nothing
                .to_string()
                .contains("WHICH DOES NOT FOLLOW), word by word: no bound for one word, no bound for any line"),
            "{nothing}"
        );
        let promise =
            Promise::of(vec![share(1, Some(certified(12.0, 3))), share(1, Some(nothing.clone()))]).expect("lines");
        assert!(
            promise.statement.contains("Of all of them holds: no bound for one word, no bound"),
            "{}",
            promise.statement
        );
        let both = certified(12.0, 3).loss.weaker(Losses { epsilon_word: None, ..nothing.loss });
        assert_eq!((both.epsilon_word, both.delta_word), (None, 1.0));
    }

    #[test]
    fn what_is_no_guarantee_is_refused_without_a_word_of_it() {
        let good = json!(certified(12.0, 3));
        let with = |name: &str, value: Value| {
            let mut changed = good.clone();
            changed[name] = value;
            Declared::parse(&changed).expect_err("no guarantee").to_string()
        };
        for (name, value, why) in [
            ("mechanism", json!("secret"), "not known to this version"),
            ("unit", json!("secret"), "its unit is not known"),
            ("unit", json!("value"), "to be counted, not classified"),
            ("epsilonWord", json!("secret"), "not the form of a guarantee"),
            ("epsilonWord", json!(-1.0), "a number out of range"),
            ("deltaText", json!(1.5), "a number out of range"),
            ("epsilonText", json!(1.0), "promises more for all its words than for one"),
            ("deltaWord", json!(0.5), "promises more for all its words than for one"),
            ("words", json!(-3), "not the form of a guarantee"),
        ] {
            let refusal = with(name, value);
            assert!(refusal.contains(why) && !refusal.contains("secret"), "{refusal}");
        }
        assert!(Declared::parse(&json!("at most e^10 times likelier")).is_err());
    }
}
