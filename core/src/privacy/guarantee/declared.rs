//! What somebody says is promised, as data.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::de::value::{self, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Claim, ClaimSource, Guarantee, InTheClear, Metric, Notion, Unit};
use crate::{Disclosure, Error, FileId, ListId, Mechanism, MechanismKind, Parameter, StatementList, Statements};

/// A guarantee as JSON states it, long or [short](Guarantee::short): read, and not believed. Every field must be there,
/// and no other.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(Deserialize), serde(try_from = "serde_json::Map<String, serde_json::Value>"))]
pub struct Declared {
    /// What does not depend on the text.
    pub terms: DeclaredTerms,
    /// What may be lost.
    pub losses: DeclaredLosses,
    /// The name of the notion of privacy.
    pub notion: String,
    /// Whether draws follow the proved law exactly.
    pub exact_sampler: bool,
    /// The guarantee in plain English.
    pub statement: String,
}

/// What a declared guarantee says of a draw: all but what follows from it, which is the notion and the sentences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeclaredDraw {
    /// What does not depend on the text.
    #[serde(flatten)]
    pub terms: DeclaredTerms,
    /// What may be lost.
    #[serde(flatten)]
    pub losses: DeclaredLosses,
}

/// What a declared guarantee says whatever the text. The fields are those of a [`Guarantee`], as JSON has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "they are described at Guarantee")]
pub struct DeclaredTerms {
    pub mechanism: String,
    pub calibration: String,
    pub parameters: BTreeMap<String, f64>,
    pub unit: String,
    pub neighbours: String,
    #[serde(deserialize_with = "nullable")]
    pub eta: Option<f64>,
    #[serde(deserialize_with = "nullable")]
    pub metric: Option<String>,
    #[serde(deserialize_with = "nullable")]
    pub cutoff: Option<f64>,
    #[serde(deserialize_with = "nullable")]
    pub claim: Option<DeclaredClaim>,
    pub clear: Vec<String>,
    #[serde(deserialize_with = "nullable")]
    pub table: Option<String>,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub kept_words: Option<DeclaredList>,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub never_said: Option<DeclaredList>,
}

/// Which placeholders a guarantee says that releases have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placeholders {
    /// Those of addresses and long numbers.
    pub tokens: bool,
    /// Those of spans that a detector took out.
    pub redactions: bool,
}

impl Placeholders {
    /// What stands between them. Drawn words never read as one: between a mark and a word a space would stand.
    #[must_use]
    pub fn between(self, text: &str) -> Vec<&str> {
        let (mut stretches, mut begin) = (Vec::new(), 0);
        for (start, _) in text.match_indices('[') {
            // A kind is short: whoever sends only opening brackets must not make the rest be read for each.
            let inside = text.as_bytes().get(start + 1..).unwrap_or_default();
            let end = inside.iter().take(crate::text::LONGEST_KIND + 1).position(|byte| *byte == b']');
            let Some(end) = end.map(|length| start + 1 + length) else { continue };
            if text.get(start + 1..end).is_some_and(|kind| self.has(kind)) {
                stretches.extend(text.get(begin..start));
                begin = end + 1;
            }
        }
        stretches.extend(text.get(begin..));
        stretches
    }

    fn has(self, kind: &str) -> bool {
        let is_of_token = ["email", "url", "number"].contains(&kind);
        let is_kind = || crate::text::placeholder(kind).is_some_and(|it| it.get(1..it.len() - 1) == Some(kind));
        self.tokens && is_of_token || self.redactions && is_kind()
    }
}

/// Which list of words a declared guarantee speaks of: the fields of a [`ListId`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "they are described at ListId")]
pub struct DeclaredList {
    pub words: u32,
    pub digest: String,
}

impl DeclaredList {
    /// The list, if it can be one.
    pub(super) fn id(&self) -> Option<ListId> {
        ListId::from_hex(self.words, &self.digest)
    }
}

/// What a declared guarantee says of the paper's claim: the fields of a [`Claim`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "they are described at Claim")]
pub struct DeclaredClaim {
    #[serde(deserialize_with = "nullable")]
    pub epsilon: Option<f64>,
    pub delta: f64,
    pub source: String,
    pub holds: bool,
}

/// What may be lost, as a [`Guarantee`] has it. An ε of `None` is infinite, as JSON has no such number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "they are described at Guarantee")]
pub struct DeclaredLosses {
    #[serde(deserialize_with = "nullable")]
    pub epsilon_word: Option<f64>,
    pub delta_word: f64,
    pub words: u32,
    #[serde(deserialize_with = "nullable")]
    pub epsilon_text: Option<f64>,
    pub delta_text: f64,
    pub total_variation: f64,
}

/// A field that may be null, but not missing.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// A field that may be missing, but not null.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl From<ListId> for DeclaredList {
    fn from(list: ListId) -> Self {
        Self { words: list.words, digest: list.to_hex() }
    }
}

fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.is_finite())
}

/// Whether one bound on ε covers another. `None` is infinite.
fn covers(bound: Option<f64>, epsilon: Option<f64>) -> bool {
    bound.is_none_or(|bound| epsilon.is_some_and(|epsilon| epsilon <= bound))
}

impl DeclaredTerms {
    /// The mechanism, if this version knows it.
    #[must_use]
    pub fn kind(&self) -> Option<MechanismKind> {
        self.mechanism.parse().ok()
    }

    /// Whether it says that releases show this without noise.
    #[must_use]
    pub fn shows(&self, item: InTheClear) -> bool {
        self.clear.iter().any(|shown| shown == item.name())
    }

    /// The mechanism by its declared η, or else by the ε of a word and its parameters. The rest is not checked.
    #[must_use]
    pub fn mechanism(&self, losses: &DeclaredLosses) -> Option<Mechanism> {
        let mechanism = Mechanism::new(self.kind()?);
        if let Some(eta) = self.eta {
            return mechanism.with(Parameter::Eta, eta).ok();
        }
        let named = |name: &str| Parameter::ALL.iter().copied().find(|parameter| parameter.camel_case() == name);
        let mechanism = mechanism.with(Parameter::Epsilon, losses.epsilon_word?).ok()?;
        self.parameters.iter().try_fold(mechanism, |mechanism, (name, value)| mechanism.with(named(name)?, *value).ok())
    }

    /// Statements of this list with the ε and the mass that are declared; the rest is not checked.
    #[must_use]
    pub fn statements(&self, losses: &DeclaredLosses, list: &StatementList) -> Option<Statements> {
        let near = libm::rint(self.parameters.get(Parameter::Mass.camel_case())? * list.len() as f64);
        let statements = Statements::new(list, losses.epsilon_word?).ok()?.with_near(near as usize).ok()?;
        // A client declares the number: it must be one that a text can have, so that it does not choose how long this takes.
        let statements = statements.per_sentence(losses.words as usize).ok()?;
        Some(if self.shows(InTheClear::Language) { statements } else { statements.of_any_language() })
    }

    /// What it says is left in clear by choice.
    #[must_use]
    pub fn disclosure(&self) -> Disclosure {
        let says = |item| self.shows(item);
        Disclosure {
            function_words: says(InTheClear::FunctionWords),
            placeholders: says(InTheClear::Placeholders),
            plain_layout: says(InTheClear::SentenceEnds),
        }
    }

    /// The placeholders that releases have.
    #[must_use]
    pub fn placeholders(&self) -> Placeholders {
        let [tokens, redactions] = [InTheClear::Placeholders, InTheClear::Redactions].map(|item| self.shows(item));
        Placeholders { tokens, redactions }
    }

    /// Whether vectors or bits under these terms mean the same as under others: the code is the same, whatever its
    /// strength.
    #[must_use]
    pub fn has_code_of(&self, other: &Self) -> bool {
        self.mechanism == other.mechanism
            && self.calibration == other.calibration
            && self.parameters == other.parameters
            && self.unit == other.unit
            && self.table == other.table
    }
}

impl DeclaredLosses {
    /// Whether every number is in its range.
    #[must_use]
    pub fn are_in_range(&self) -> bool {
        let Self { epsilon_word, delta_word, words: _, epsilon_text, delta_text, total_variation } = self;
        let is_share = |share: &f64| (0.0..=1.0).contains(share);
        [epsilon_word, epsilon_text].into_iter().flatten().all(|epsilon| *epsilon >= 0.0)
            && [delta_word, delta_text, total_variation].into_iter().all(is_share)
    }

    /// Whether all words, if there are any, may lose what one of them may lose.
    #[must_use]
    pub fn text_covers_word(&self) -> bool {
        self.text_covers(self.epsilon_word, self.delta_word)
    }

    fn text_covers(&self, epsilon: Option<f64>, delta: f64) -> bool {
        self.words == 0 || covers(self.epsilon_text, epsilon) && self.delta_text >= delta
    }

    /// Whether all words may lose what each of them may lose, added up. That holds where each word is drawn for
    /// itself.
    #[must_use]
    pub fn adds_up(&self) -> bool {
        // Parsing may be off by a last digit.
        let words = f64::from(self.words) * (1.0 - 1e-9);
        let epsilon = self.epsilon_word.map(|epsilon| words * epsilon);
        self.text_covers(epsilon, (words * self.delta_word).min(1.0 - 1e-9))
    }

    /// What holds for both.
    #[must_use]
    pub fn weaker(self, other: Self) -> Self {
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

impl DeclaredDraw {
    /// Whether it is a code of the whole text, rather than of each word or with noise for each.
    fn is_code_of_text(&self) -> bool {
        let gives_words = self.terms.kind().is_some_and(MechanismKind::gives_words);
        self.terms.unit == Unit::Text.name() && !gives_words
    }

    /// Whether it is a code of a text of one word, which can change less than others.
    #[must_use]
    pub fn is_code_of_word(&self) -> bool {
        self.is_code_of_text() && self.losses.words == 1
    }

    /// What is the same for all releases that were drawn alike, however many words they have: of a code of the whole
    /// text, its loss; else a word's.
    fn strength(&self) -> (Option<f64>, f64) {
        let DeclaredLosses { epsilon_word, delta_word, epsilon_text, delta_text, .. } = self.losses;
        if self.is_code_of_text() { (epsilon_text, delta_text) } else { (epsilon_word, delta_word) }
    }

    /// Whether another release was drawn alike. A text of one word is encoded like others, the empty one too, but can
    /// change less: it may lose less than they.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let loses_no_more = |short: &Self, long: &Self| {
            let ((epsilon, delta), (most, most_delta)) = (short.strength(), long.strength());
            covers(most, epsilon) && delta <= most_delta
        };
        let is_as_strong = match (self.is_code_of_word(), other.is_code_of_word()) {
            (true, false) => loses_no_more(self, other),
            (false, true) => loses_no_more(other, self),
            _ => self.strength() == other.strength(),
        };
        self.terms == other.terms && is_as_strong
    }
}

impl From<&Guarantee> for Declared {
    /// What the JSON of a guarantee states.
    fn from(guarantee: &Guarantee) -> Self {
        let claim = |claim: Claim| DeclaredClaim {
            epsilon: finite(claim.epsilon),
            delta: claim.delta,
            source: claim.source.name().to_owned(),
            holds: claim.holds,
        };
        let parameters = guarantee.parameters.iter();
        let terms = DeclaredTerms {
            mechanism: guarantee.mechanism.name().to_owned(),
            calibration: guarantee.calibration.name().to_owned(),
            parameters: parameters.map(|(parameter, value)| (parameter.camel_case().to_owned(), *value)).collect(),
            unit: guarantee.unit.name().to_owned(),
            neighbours: guarantee.neighbours(),
            eta: guarantee.eta,
            metric: guarantee.metric.map(|metric| metric.name().to_owned()),
            cutoff: guarantee.metric.and_then(Metric::cutoff),
            claim: guarantee.claim.map(claim),
            clear: guarantee.clear.iter().map(|item| item.name().to_owned()).collect(),
            table: guarantee.table.map(|table| format!("{table}")),
            kept_words: guarantee.kept_words.map(DeclaredList::from),
            never_said: guarantee.never_said.map(DeclaredList::from),
        };
        let losses = DeclaredLosses {
            epsilon_word: finite(guarantee.epsilon_word),
            delta_word: guarantee.delta_word,
            words: u32::try_from(guarantee.words).unwrap_or(u32::MAX),
            epsilon_text: finite(guarantee.epsilon_text),
            delta_text: guarantee.delta_text,
            total_variation: guarantee.total_variation,
        };
        Self {
            terms,
            losses,
            notion: guarantee.notion().name().to_owned(),
            exact_sampler: guarantee.has_exact_sampler(),
            statement: guarantee.to_string(),
        }
    }
}

impl TryFrom<&Declared> for Guarantee {
    type Error = Error;

    /// The guarantee with these fields. What follows from them is not compared: the neighbours, the sentences, and the notion,
    /// except that a known seed is one. Whether anybody proved the numbers, only [`Declared::restate`] tells.
    ///
    /// # Errors
    /// [`Error::InvalidOptions`] for what no guarantee can have: an unknown name, or an invalid table, list or cutoff.
    fn try_from(declared: &Declared) -> Result<Self, Error> {
        declared.guarantee().ok_or(Error::InvalidOptions)
    }
}

impl Declared {
    fn guarantee(&self) -> Option<Guarantee> {
        let Self { terms, losses, notion, exact_sampler: _, statement: _ } = self;
        let given = |parameter: Parameter| terms.parameters.get(parameter.camel_case()).copied();
        let parameters: Vec<_> = Parameter::ALL.iter().filter_map(|it| Some((*it, given(*it)?))).collect();
        if parameters.len() < terms.parameters.len() {
            return None;
        }
        let metric = match terms.metric.as_deref() {
            None => None,
            Some("euclidean") => Some(Metric::Euclidean),
            Some("truncated-euclidean") => Some(Metric::Truncated(terms.cutoff?)),
            Some("mahalanobis") => Some(Metric::Mahalanobis(given(Parameter::Lambda)?)),
            Some(_) => return None,
        };
        let epsilon = |finite: Option<f64>| finite.unwrap_or(f64::INFINITY);
        let claim = |claim: &DeclaredClaim| {
            let source = ClaimSource::named(&claim.source)?;
            Some(Claim { epsilon: epsilon(claim.epsilon), delta: claim.delta, source, holds: claim.holds })
        };
        Some(Guarantee {
            mechanism: terms.kind()?,
            calibration: terms.calibration.parse().ok()?,
            parameters,
            unit: named(&terms.unit)?,
            eta: terms.eta,
            metric,
            epsilon_word: epsilon(losses.epsilon_word),
            delta_word: losses.delta_word,
            words: losses.words as usize,
            epsilon_text: epsilon(losses.epsilon_text),
            delta_text: losses.delta_text,
            claim: each(terms.claim.as_ref(), claim)?,
            total_variation: losses.total_variation,
            clear: terms.clear.iter().map(|name| named(name)).collect::<Option<_>>()?,
            table: each(terms.table.as_ref(), |hex| FileId::from_hex(hex))?,
            kept_words: each(terms.kept_words.as_ref(), DeclaredList::id)?,
            never_said: each(terms.never_said.as_ref(), DeclaredList::id)?,
            known_seed: notion == Notion::KnownSeed.name(),
        })
    }
}

/// Nothing where nothing is declared; none at all where what is declared cannot be one.
fn each<T, U>(declared: Option<T>, read: impl FnOnce(T) -> Option<U>) -> Option<Option<U>> {
    declared.map_or(Some(None), |declared| read(declared).map(Some))
}

/// The case that JSON calls so.
fn named<T: DeserializeOwned>(name: &str) -> Option<T> {
    let name: StrDeserializer<'_, value::Error> = name.into_deserializer();
    T::deserialize(name).ok()
}

impl Declared {
    /// The list, if the guarantee is about statements for whole texts.
    #[must_use]
    pub fn list(&self) -> Option<&str> {
        let Self { terms, .. } = self;
        let is_of_list = terms.unit == Unit::WholeText.name() && terms.kind() == Some(MechanismKind::Nearest);
        terms.table.as_deref().filter(|_| is_of_list)
    }

    /// What it says is left in clear by choice.
    #[must_use]
    pub fn disclosure(&self) -> Disclosure {
        self.terms.disclosure()
    }

    /// The placeholders that it says releases have.
    #[must_use]
    pub fn placeholders(&self) -> Placeholders {
        self.terms.placeholders()
    }

    /// What it says of the draw.
    #[must_use]
    pub fn into_draw(self) -> DeclaredDraw {
        DeclaredDraw { terms: self.terms, losses: self.losses }
    }
}

#[cfg(all(test, feature = "embedded-table", feature = "all-mechanisms"))]
mod tests {
    use super::*;
    use crate::{Dropout, Privatizer, Representer, Table};

    fn english() -> Table {
        Table::english().expect("the built-in table")
    }

    fn draw_of(guarantee: &Guarantee) -> DeclaredDraw {
        Declared::from(guarantee).into_draw()
    }

    fn certified(epsilon: f64, words: usize) -> DeclaredDraw {
        let mechanism = Mechanism::new(MechanismKind::Certified).with(Parameter::Epsilon, epsilon).expect("a number");
        let privatizer = Privatizer::new(&english(), mechanism, Disclosure::default()).expect("a level");
        draw_of(&privatizer.guarantee(words))
    }

    #[test]
    fn releases_that_are_drawn_alike_are_told_from_others_however_long_they_are() {
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
                let of = |words| draw_of(&representer.guarantee(words, &Dropout::None).expect("a guarantee"));
                for (one, other) in [(1, 40), (2, 3), (0, 1), (0, 40), (1, 1)] {
                    let [one, other] = [one, other].map(of);
                    assert!(one.is_like(&other) && other.is_like(&one), "{kind}, a {} a draw", unit.name());
                }
            }
        }
    }

    #[test]
    fn short_texts_of_another_strength_are_told_from_each_other() {
        let of = |epsilon, words| {
            let mechanism = Mechanism::new(MechanismKind::Dpnr).with(Parameter::Epsilon, epsilon).expect("a number");
            let representer = Representer::of_table(&english(), mechanism, Unit::Text).expect("offered");
            draw_of(&representer.guarantee(words, &Dropout::None).expect("a guarantee"))
        };
        for words in [0, 1] {
            assert!(!of(200.0, words).is_like(&of(100.0, words)), "{words}");
        }
        let (weak, strong) = (of(200.0, 1), of(10.0, 0));
        assert!(!weak.is_like(&strong) && !strong.is_like(&weak));
    }

    #[test]
    fn words_that_are_drawn_one_by_one_lose_what_each_loses_added_up() {
        for words in [0_u16, 1, 7, 1000] {
            let mut losses = certified(11.3, words.into()).losses;
            assert!(losses.adds_up(), "{words}");
            losses.epsilon_text = losses.epsilon_word.map(|epsilon| epsilon * (f64::from(words) - 0.1));
            assert!(!losses.adds_up() || words == 0, "{words}");
        }
    }
}
