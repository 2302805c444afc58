//! What somebody says is promised, and whether it is so.
//!
//! A guarantee is what textveil says of a mechanism, its η, a table and a number of words. So a server can state
//! it anew from what it declares, and compare every field. That takes arithmetic with public bounds and
//! certificates. No mechanism is prepared for it: a client chooses what it declares, and must not choose how much
//! work the server does.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Deserializer};

use super::{Claim, Guarantee, InTheClear, Metric};
use crate::mechanism::Bounds;
use crate::{Disclosure, Error, Loss, Mechanism, MechanismKind, Parameter, Table};

/// A guarantee as JSON states it: read, and not believed. An ε of `None` is infinite, as JSON has no such number.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Declared {
    mechanism: String,
    calibration: String,
    parameters: BTreeMap<String, f64>,
    notion: String,
    unit: String,
    neighbours: String,
    #[serde(deserialize_with = "nullable")]
    eta: Option<f64>,
    #[serde(deserialize_with = "nullable")]
    metric: Option<String>,
    #[serde(deserialize_with = "nullable")]
    cutoff: Option<f64>,
    #[serde(deserialize_with = "nullable")]
    epsilon_word: Option<f64>,
    delta_word: f64,
    words: u32,
    #[serde(deserialize_with = "nullable")]
    epsilon_text: Option<f64>,
    delta_text: f64,
    #[serde(deserialize_with = "nullable")]
    claim: Option<DeclaredClaim>,
    exact_sampler: bool,
    total_variation: f64,
    clear: Vec<String>,
    #[serde(deserialize_with = "nullable")]
    table: Option<String>,
    statement: String,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredClaim {
    #[serde(deserialize_with = "nullable")]
    epsilon: Option<f64>,
    delta: f64,
    source: String,
    holds: bool,
}

/// A field that may be null, but not missing.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.is_finite())
}

impl From<&Guarantee> for Declared {
    /// What the JSON of a guarantee states.
    fn from(guarantee: &Guarantee) -> Self {
        let claim = |claim: Claim| DeclaredClaim {
            epsilon: finite(claim.epsilon),
            delta: claim.delta,
            source: claim.source.to_owned(),
            holds: claim.holds,
        };
        let parameters = guarantee.parameters.iter();
        Self {
            mechanism: guarantee.mechanism.name().to_owned(),
            calibration: guarantee.calibration.name().to_owned(),
            parameters: parameters.map(|(parameter, value)| (parameter.camel_case().to_owned(), *value)).collect(),
            notion: guarantee.notion().name().to_owned(),
            unit: guarantee.unit.name().to_owned(),
            neighbours: guarantee.neighbours().to_owned(),
            eta: guarantee.eta,
            metric: guarantee.metric.map(|metric| metric.name().to_owned()),
            cutoff: guarantee.metric.and_then(Metric::cutoff),
            epsilon_word: finite(guarantee.epsilon_word),
            delta_word: guarantee.delta_word,
            words: u32::try_from(guarantee.words).unwrap_or(u32::MAX),
            epsilon_text: finite(guarantee.epsilon_text),
            delta_text: guarantee.delta_text,
            claim: guarantee.claim.map(claim),
            exact_sampler: guarantee.has_exact_sampler(),
            total_variation: guarantee.total_variation,
            clear: guarantee.clear.iter().map(|item| item.name().to_owned()).collect(),
            table: guarantee.table.map(|table| format!("{table}")),
            statement: guarantee.to_string(),
        }
    }
}

/// What a server accepts. It is made once: bounds that take a scan of the table are found here.
pub struct Limits {
    mechanisms: Vec<MechanismKind>,
    word: Loss,
    text: Loss,
    clear: Disclosure,
    bounds: Bounds,
}

impl Limits {
    /// Accepts releases of words over `table` by these mechanisms that lose at most `word` a word and `text` in
    /// all, and that leave in clear at most `clear`.
    ///
    /// # Errors
    /// [`Error::NotOffered`] for a mechanism whose guarantee cannot be restated.
    pub fn new(
        table: &Table,
        mechanisms: Vec<MechanismKind>,
        word: Loss,
        text: Loss,
        clear: Disclosure,
    ) -> Result<Self, Error> {
        if !mechanisms.iter().all(|kind| kind.can_be_restated()) {
            return Err(Error::NotOffered);
        }
        let bounds = Bounds::new(table, &mechanisms)?;
        Ok(Self { mechanisms, word, text, clear, bounds })
    }
}

/// Why a declared guarantee is not taken for true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misstatement {
    /// It is not what textveil states of what it speaks of.
    NotStated,
    /// It declares other or weaker terms than are accepted.
    BeyondLimits,
}

impl Declared {
    /// The guarantee, stated anew from the table, if every field of it is as declared and it is within `limits`,
    /// which were made for the same table.
    ///
    /// # Errors
    /// A [`Misstatement`].
    pub fn restate(&self, table: &Table, limits: &Limits) -> Result<Guarantee, Misstatement> {
        let kind: MechanismKind = self.mechanism.parse().map_err(|_| Misstatement::NotStated)?;
        let clear = self.disclosure();
        // Every number that is declared is compared below with what holds.
        let number = |declared: Option<f64>| declared.ok_or(Misstatement::NotStated);
        if !limits.mechanisms.contains(&kind)
            || self.delta_word > limits.word.delta
            || number(self.epsilon_word)? > limits.word.epsilon
            || number(self.epsilon_text)? > limits.text.epsilon
            || self.delta_text > limits.text.delta
            || (clear.function_words && !limits.clear.function_words)
            || (clear.placeholders && !limits.clear.placeholders)
        {
            return Err(Misstatement::BeyondLimits);
        }
        let stated = self.stated(kind, clear, table, limits).ok_or(Misstatement::NotStated)?;
        if Self::from(&stated) == *self { Ok(stated) } else { Err(Misstatement::NotStated) }
    }

    /// What textveil states of a mechanism with the η that is declared. (A level is named by its η too.)
    fn stated(&self, kind: MechanismKind, clear: Disclosure, table: &Table, limits: &Limits) -> Option<Guarantee> {
        let mechanism = Mechanism::new(kind).with(Parameter::Eta, self.eta?).ok()?;
        let proof = mechanism.proof(table, &limits.bounds).ok()?;
        Some(Guarantee::of_words(&mechanism, &proof, table, clear, self.words as usize))
    }

    /// What it says is left in clear by choice.
    #[must_use]
    pub fn disclosure(&self) -> Disclosure {
        let says = |item: InTheClear| self.clear.iter().any(|said| said == item.name());
        Disclosure { function_words: says(InTheClear::FunctionWords), placeholders: says(InTheClear::Placeholders) }
    }
}

#[cfg(all(test, feature = "embedded-table", feature = "all-mechanisms"))]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::mechanism::PREPARED;
    use crate::{Privatizer, Representer};

    const KINDS: [MechanismKind; 4] =
        [MechanismKind::Certified, MechanismKind::Plateau, MechanismKind::Exponential, MechanismKind::LatticeLaplace];

    fn english() -> Table {
        Table::english().expect("the built-in table")
    }

    fn limits(table: &Table, epsilon: f64, clear: Disclosure) -> Limits {
        Limits::new(table, KINDS.to_vec(), Loss::pure(epsilon), Loss::pure(1e3 * epsilon), clear).expect("restated")
    }

    fn guarantee(table: &Table, kind: MechanismKind, disclosure: Disclosure) -> Guarantee {
        let mechanism = Mechanism::new(kind).with(Parameter::Eta, 60.0).expect("a number");
        Privatizer::new(table, mechanism, disclosure).expect("offered").guarantee(20)
    }

    #[test]
    fn what_textveil_states_is_stated_anew_and_nothing_is_prepared_for_it() {
        let table = english();
        let all = Disclosure { function_words: true, placeholders: true };
        let limits = limits(&table, 1e6, all);
        for kind in KINDS {
            for disclosure in [Disclosure::default(), all] {
                let guarantee = guarantee(&table, kind, disclosure);
                let declared = Declared::from(&guarantee);
                let before = PREPARED.get();
                assert_eq!(declared.restate(&table, &limits), Ok(guarantee.clone()), "{kind}");
                // Nor for an η that nobody has asked for before.
                for step in 0..100 {
                    let other = Declared { eta: Some(5.0 + f64::from(step) / 7.0), ..declared.clone() };
                    assert_eq!(other.restate(&table, &limits), Err(Misstatement::NotStated));
                }
                assert_eq!(PREPARED.get(), before, "{kind}");
            }
        }
        assert_ne!(PREPARED.get(), 0, "the counter counts");
    }

    #[test]
    fn what_differs_in_any_field_is_not_stated() {
        let table = english();
        let limits = limits(&table, 1e6, Disclosure::default());
        let guarantee = guarantee(&table, MechanismKind::Certified, Disclosure::default());
        let good = Declared::from(&guarantee);
        let no_claim = DeclaredClaim { epsilon: None, delta: 0.0, source: "a paper".to_owned(), holds: true };
        let other = |change: &dyn Fn(&mut Declared)| {
            let mut declared = good.clone();
            change(&mut declared);
            declared.restate(&table, &limits)
        };
        let changes: [&dyn Fn(&mut Declared); 20] = [
            &|it| it.mechanism = "exponential".to_owned(),
            &|it| it.calibration = "published".to_owned(),
            &|it| it.parameters = [("gamma".to_owned(), 1.0)].into(),
            &|it| it.notion = "pure-dp".to_owned(),
            &|it| it.unit = "text".to_owned(),
            &|it| it.neighbours = "any".to_owned(),
            &|it| it.eta = None,
            &|it| it.metric = None,
            &|it| it.cutoff = it.cutoff.map_or(Some(1.0), |_| None),
            &|it| it.epsilon_word = it.epsilon_word.map(f64::next_down),
            &|it| it.epsilon_word = None,
            &|it| it.words += 1,
            &|it| it.epsilon_text = it.epsilon_text.map(f64::next_down),
            &|it| it.delta_text = -1e-300,
            &|it| it.claim = Some(no_claim.clone()),
            &|it| it.exact_sampler = false,
            &|it| it.total_variation = 1e-300,
            &|it| it.clear.reverse(),
            &|it| it.table = None,
            &|it| it.statement.push(' '),
        ];
        for (place, change) in changes.into_iter().enumerate() {
            assert_eq!(other(change), Err(Misstatement::NotStated), "change {place}");
        }
        let mut known = guarantee;
        known.known_seed = true;
        assert_eq!(Declared::from(&known).restate(&table, &limits), Err(Misstatement::NotStated));
    }

    #[test]
    fn what_is_weaker_than_the_limits_is_told_from_what_is_false() {
        let table = english();
        let all = Disclosure { function_words: true, placeholders: true };
        let declared = Declared::from(&guarantee(&table, MechanismKind::Plateau, all));
        let restated = |limits: &Limits| declared.restate(&table, limits).map(|_| ());
        assert_eq!(restated(&limits(&table, 1e6, all)), Ok(()));
        let beyond = Err(Misstatement::BeyondLimits);
        assert_eq!(restated(&limits(&table, 1.0, all)), beyond);
        assert_eq!(restated(&limits(&table, 1e6, Disclosure { function_words: false, ..all })), beyond);
        assert_eq!(restated(&limits(&table, 1e6, Disclosure { placeholders: false, ..all })), beyond);
        let other = vec![MechanismKind::Exponential];
        let other = Limits::new(&table, other, Loss::pure(1e6), Loss::pure(1e9), all).expect("restated");
        assert_eq!(restated(&other), beyond);
    }

    #[test]
    fn a_mechanism_that_cannot_be_restated_is_not_accepted() {
        let table = english();
        for kind in MechanismKind::ALL {
            let limits = Limits::new(&table, vec![*kind], Loss::pure(1.0), Loss::pure(1.0), Disclosure::default());
            assert_eq!(limits.is_ok(), KINDS.contains(kind), "{kind}");
        }
        let mechanism = Mechanism::new(MechanismKind::Privunit2).with(Parameter::Epsilon, 4.0).expect("a number");
        let representer = Representer::of_table(&table, mechanism, crate::Unit::Text).expect("offered");
        let guarantee = representer.guarantee(20, &crate::Dropout::None).expect("a guarantee");
        let limits = limits(&table, 1e6, Disclosure::default());
        assert_eq!(Declared::from(&guarantee).restate(&table, &limits), Err(Misstatement::BeyondLimits));
    }
}
