//! Whether what somebody says is promised is so.
//!
//! A guarantee is what textveil says of a mechanism, its η, a table and a number of words. So a server can state
//! it anew from what it declares, and compare every field. That takes arithmetic with public bounds and
//! certificates. No mechanism is prepared for it: a client chooses what it declares, and must not choose how much
//! work the server does.

use alloc::vec::Vec;

use super::declared::{Declared, DeclaredList};
use super::{Guarantee, InTheClear};
use crate::mechanism::Bounds;
use crate::{Disclosure, Error, FileId, ListId, Loss, MechanismKind, StatementList, Table, WordLists};

/// What a server accepts. It is made once: bounds that take a scan of the table are found here.
#[derive(Debug)]
pub struct Limits {
    table: FileId,
    mechanisms: Vec<MechanismKind>,
    word: Loss,
    text: Loss,
    clear: Disclosure,
    redactions: bool,
    lists: (Option<ListId>, Option<ListId>),
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
        let table = table.id();
        Ok(Self { table, mechanisms, word, text, clear, redactions: false, lists: (None, None), bounds })
    }

    /// The same, also for texts that a detector took spans out of.
    #[must_use]
    pub fn with_redactions(self) -> Self {
        Self { redactions: true, ..self }
    }

    /// The same, also for texts in which words of these lists are in clear, or never come out.
    #[must_use]
    pub fn with_lists(self, lists: &WordLists) -> Self {
        Self { lists: (lists.kept_id(), lists.never_said_id()), ..self }
    }
}

/// Why a declared guarantee is not taken for true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misstatement {
    /// It is not what textveil states of what it speaks of.
    NotStated,
    /// It declares other or weaker terms than are accepted.
    BeyondLimits,
}

impl Declared {
    /// The guarantee, stated anew from the table, if every field of it is as declared and it is within `limits`.
    ///
    /// # Errors
    /// A [`Misstatement`], also for limits that were made for another table.
    pub fn restate(&self, table: &Table, limits: &Limits) -> Result<Guarantee, Misstatement> {
        if limits.table != table.id() {
            return Err(Misstatement::BeyondLimits);
        }
        self.check(limits)?;
        let clear = self.terms.disclosure();
        let is_other =
            |declared: &Option<DeclaredList>, known| declared.as_ref().is_some_and(|list| list.id() != known);
        if (clear.function_words && !limits.clear.function_words)
            || (clear.placeholders && !limits.clear.placeholders)
            || (self.terms.shows(InTheClear::Redactions) && !limits.redactions)
            || is_other(&self.terms.kept_words, limits.lists.0)
            || is_other(&self.terms.never_said, limits.lists.1)
        {
            return Err(Misstatement::BeyondLimits);
        }
        self.if_stated(self.stated(clear, table, limits))
    }

    /// The same of statements for a whole text, whose list the guarantee names.
    ///
    /// # Errors
    /// As [`Declared::restate`].
    pub fn restate_statements(&self, list: &StatementList, limits: &Limits) -> Result<Guarantee, Misstatement> {
        self.check(limits)?;
        self.if_stated(self.terms.statements(&self.losses, list).map(|statements| statements.guarantee()))
    }

    /// What is stated, if it is what is declared.
    fn if_stated(&self, stated: Option<Guarantee>) -> Result<Guarantee, Misstatement> {
        stated.filter(|stated| Self::from(stated) == *self).ok_or(Misstatement::NotStated)
    }

    /// Whether the mechanism and what may be lost are within the limits.
    fn check(&self, limits: &Limits) -> Result<(), Misstatement> {
        let Self { terms, losses, .. } = self;
        let kind = terms.kind().ok_or(Misstatement::NotStated)?;
        // Every number that is declared is compared below with what holds.
        let number = |declared: Option<f64>| declared.ok_or(Misstatement::NotStated);
        let (word, text) = (number(losses.epsilon_word)?, number(losses.epsilon_text)?);
        // A limit that is no number accepts nothing.
        let is_within = limits.mechanisms.contains(&kind)
            && word <= limits.word.epsilon
            && losses.delta_word <= limits.word.delta
            && text <= limits.text.epsilon
            && losses.delta_text <= limits.text.delta;
        if is_within { Ok(()) } else { Err(Misstatement::BeyondLimits) }
    }

    /// What textveil states of the mechanism that is declared.
    fn stated(&self, clear: Disclosure, table: &Table, limits: &Limits) -> Option<Guarantee> {
        let mechanism = self.terms.mechanism(&self.losses)?;
        let proof = mechanism.proof(table, &limits.bounds).ok()?;
        let list = |list: &Option<DeclaredList>| list.as_ref().and_then(DeclaredList::id);
        let lists = (list(&self.terms.kept_words), list(&self.terms.never_said));
        let stated = Guarantee::of_words(&mechanism, &proof, table, clear, lists, self.losses.words as usize)
            .of_language(!self.terms.shows(InTheClear::Language));
        Some(if self.terms.shows(InTheClear::Redactions) { stated.of_redacted() } else { stated })
    }
}

#[cfg(all(test, feature = "embedded-table", feature = "all-mechanisms"))]
mod tests {
    use alloc::borrow::ToOwned;
    use alloc::string::String;
    use alloc::vec;

    use super::*;
    use crate::mechanism::PREPARED;
    use crate::privacy::guarantee::declared::DeclaredClaim;
    use crate::{Dropout, Mechanism, Parameter, Privatizer, Representer, Statements, Unit};

    const KINDS: [MechanismKind; 5] = [
        MechanismKind::Certified,
        MechanismKind::Plateau,
        MechanismKind::Nearest,
        MechanismKind::Exponential,
        MechanismKind::LatticeLaplace,
    ];

    fn english() -> Table {
        Table::english().expect("the built-in table")
    }

    fn limits(table: &Table, epsilon: f64, clear: Disclosure) -> Limits {
        Limits::new(table, KINDS.to_vec(), Loss::pure(epsilon), Loss::pure(1e3 * epsilon), clear).expect("restated")
    }

    fn guarantee(table: &Table, kind: MechanismKind, disclosure: Disclosure) -> Guarantee {
        let given: &[_] = match kind {
            MechanismKind::Nearest => {
                &[(Parameter::Epsilon, 8.0), (Parameter::Mass, 0.003), (Parameter::FrequencyPower, 0.25)]
            }
            _ => &[(Parameter::Eta, 60.0)],
        };
        let with = |mechanism: Mechanism, (parameter, value): &(_, _)| mechanism.with(*parameter, *value);
        let mechanism = given.iter().try_fold(Mechanism::new(kind), with).expect("numbers");
        Privatizer::new(table, mechanism, disclosure).expect("offered").guarantee(20)
    }

    #[test]
    fn what_textveil_states_is_stated_anew_and_nothing_is_prepared_for_it() {
        let table = english();
        let all = Disclosure { function_words: true, placeholders: true, plain_layout: false };
        let limits = limits(&table, 1e6, all);
        for kind in KINDS {
            let plain = [Disclosure::default(), all].map(|clear| Disclosure { plain_layout: true, ..clear });
            for disclosure in [Disclosure::default(), all].into_iter().chain(plain) {
                let guarantee = guarantee(&table, kind, disclosure);
                let declared = Declared::from(&guarantee);
                let before = PREPARED.get();
                assert_eq!(declared.restate(&table, &limits), Ok(guarantee.clone()), "{kind}");
                // Nor for an η that nobody has asked for before.
                for step in 0..100 {
                    let mut other = declared.clone();
                    other.terms.eta = Some(5.0 + f64::from(step) / 7.0);
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
        let changes: [&dyn Fn(&mut Declared); 22] = [
            &|it| it.terms.mechanism = "exponential".to_owned(),
            &|it| it.terms.calibration = "published".to_owned(),
            &|it| it.terms.parameters = [("gamma".to_owned(), 1.0)].into(),
            &|it| it.notion = "pure-dp".to_owned(),
            &|it| it.terms.unit = "text".to_owned(),
            &|it| it.terms.neighbours = "any".to_owned(),
            &|it| it.terms.eta = None,
            &|it| it.terms.metric = None,
            &|it| it.terms.cutoff = it.terms.cutoff.map_or(Some(1.0), |_| None),
            &|it| it.losses.epsilon_word = it.losses.epsilon_word.map(f64::next_down),
            &|it| it.losses.epsilon_word = None,
            &|it| it.losses.words += 1,
            &|it| it.losses.epsilon_text = it.losses.epsilon_text.map(f64::next_down),
            &|it| it.losses.delta_text = -1e-300,
            &|it| it.terms.claim = Some(no_claim.clone()),
            &|it| it.exact_sampler = false,
            &|it| it.losses.total_variation = 1e-300,
            &|it| it.terms.clear.reverse(),
            &|it| it.terms.clear = ["word-count", "sentence-ends"].map(str::to_owned).to_vec(),
            &|it| it.terms.clear.push("sentence-ends".to_owned()),
            &|it| it.terms.table = None,
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
    fn a_guarantee_of_texts_of_one_language_and_of_any_are_both_stated_anew() {
        let table = english();
        let mechanism = Mechanism::new(MechanismKind::Plateau).with(Parameter::Eta, 60.0).expect("a number");
        let of = || Privatizer::new(&table, mechanism, Disclosure::default()).expect("offered");
        let [strict, any] = [of(), of().of_any_language()].map(|privatizer| privatizer.guarantee(20).of_redacted());
        let limits = limits(&table, 1e6, Disclosure::default()).with_redactions();
        for guarantee in [&strict, &any] {
            assert_eq!(Declared::from(guarantee).restate(&table, &limits).as_ref(), Ok(guarantee));
        }
        let [one, other] = [&strict, &any].map(Declared::from);
        assert!(one.terms.shows(InTheClear::Language) && !other.terms.shows(InTheClear::Language));
        assert!(!one.clone().into_draw().is_like(&other.clone().into_draw()));
        let neighbours = other.terms.neighbours.clone();
        assert_eq!(one.terms.neighbours, neighbours.clone() + ", if neither text is refused");
        let mut forged = one;
        forged.terms.neighbours = neighbours;
        assert_eq!(forged.restate(&table, &limits), Err(Misstatement::NotStated));
    }

    #[test]
    fn what_is_weaker_than_the_limits_is_told_from_what_is_false() {
        let table = english();
        let all = Disclosure { function_words: true, placeholders: true, plain_layout: false };
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
        // A limit that is no number accepts nothing, and neither do limits of another table.
        for limit in [Loss { epsilon: f64::NAN, delta: 0.0 }, Loss { epsilon: f64::INFINITY, delta: f64::NAN }] {
            assert_eq!(restated(&Limits { word: limit, ..limits(&table, 1e6, all) }), beyond);
            assert_eq!(restated(&Limits { text: limit, ..limits(&table, 1e6, all) }), beyond);
        }
        assert_eq!(restated(&Limits { table: FileId::new([0; 32]), ..limits(&table, 1e6, all) }), beyond);
    }

    #[test]
    fn redactions_and_lists_are_stated_anew_where_they_are_accepted() {
        let table = english();
        let mechanism = Mechanism::new(MechanismKind::Plateau).with(Parameter::Eta, 60.0).expect("a number");
        let lists =
            |kept: &[&str]| WordLists::keeping(kept).and_then(|lists| lists.never_saying(&["damn"])).expect("words");
        let of = |kept: &[&str]| {
            let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("offered");
            privatizer.with_lists(lists(kept)).expect("words are left").guarantee(20)
        };
        let without = || limits(&table, 1e6, Disclosure::default());
        let limits = || without().with_lists(&lists(&[]));
        let restated = |guarantee: &Guarantee, limits: Limits| Declared::from(guarantee).restate(&table, &limits);
        let beyond = Err(Misstatement::BeyondLimits);
        let never = of(&[]);
        assert_eq!(restated(&never, limits()), Ok(never.clone()));
        assert_eq!(restated(&never, without()), beyond);
        let redacted = never.of_redacted();
        assert_eq!(restated(&redacted, limits()), beyond);
        assert_eq!(restated(&redacted, limits().with_redactions()), Ok(redacted));
        let kept = of(&["TextVeil"]);
        for (accepted, outcome) in
            [(&["TextVeil"][..], Ok(kept.clone())), (&["Textveil"], beyond.clone()), (&[], beyond)]
        {
            assert_eq!(restated(&kept, limits().with_lists(&lists(accepted))), outcome);
        }
        let mut forged = Declared::from(&kept);
        let digest = forged.terms.kept_words.as_ref().map_or_else(String::new, |list| list.digest.to_uppercase());
        forged.terms.kept_words = Some(DeclaredList { words: 1, digest });
        assert_eq!(forged.restate(&table, &limits()), Err(Misstatement::NotStated));
    }

    #[test]
    fn a_mechanism_that_cannot_be_restated_is_not_accepted() {
        let table = english();
        for kind in MechanismKind::ALL {
            let limits = Limits::new(&table, vec![*kind], Loss::pure(1.0), Loss::pure(1.0), Disclosure::default());
            assert_eq!(limits.is_ok(), KINDS.contains(kind), "{kind}");
        }
        let mechanism = Mechanism::new(MechanismKind::Privunit2).with(Parameter::Epsilon, 4.0).expect("a number");
        let representer = Representer::of_table(&table, mechanism, Unit::Text).expect("offered");
        let guarantee = representer.guarantee(20, &Dropout::None).expect("a guarantee");
        let limits = limits(&table, 1e6, Disclosure::default());
        assert_eq!(Declared::from(&guarantee).restate(&table, &limits), Err(Misstatement::BeyondLimits));
    }

    #[test]
    fn statements_are_stated_anew_from_their_list_alone() {
        let file = |statements: &[&str]| {
            let vectors: Vec<f64> = (0..statements.len()).flat_map(|n| [n as f64, 1.0]).collect();
            let file = StatementList::file(statements, &vectors, 2, FileId::new([3; 32]), None).expect("a list");
            StatementList::parse(file).expect("a list")
        };
        let (list, other) = (file(&["One.", "Two.", "Three."]), file(&["One.", "Two.", "Four."]));
        let limits = limits(&english(), 8.0, Disclosure::default());
        for near in [1, 2] {
            let strict = || Statements::new(&list, 7.5).and_then(|it| it.with_near(near)).expect("in range");
            let any = Declared::from(&strict().of_any_language().guarantee());
            assert_eq!(any.restate_statements(&list, &limits), Ok(strict().of_any_language().guarantee()));
            let statements = strict();
            for draws in [1, 3] {
                let guarantee = statements.guarantee_of(draws);
                let declared = Declared::from(&guarantee);
                assert_eq!(declared.list(), Some(&*alloc::format!("{}", list.id())));
                assert_eq!(declared.restate_statements(&list, &limits), Ok(guarantee));
                assert_eq!(declared.restate_statements(&other, &limits), Err(Misstatement::NotStated));
                assert_eq!(declared.restate(&english(), &limits), Err(Misstatement::NotStated));
                for count in [0, 33, usize::MAX] {
                    let other = Declared::from(&statements.guarantee_of(count));
                    assert!(other.restate_statements(&list, &limits).is_err(), "{count}");
                }
                let mut less = declared.clone();
                less.losses.epsilon_text = Some(7.0);
                assert_eq!(less.restate_statements(&list, &limits), Err(Misstatement::NotStated));
            }
        }
        let strong = Declared::from(&Statements::new(&list, 9.0).expect("in range").guarantee());
        assert_eq!(strong.restate_statements(&list, &limits), Err(Misstatement::BeyondLimits));
        let words = Declared::from(&guarantee(&english(), MechanismKind::Nearest, Disclosure::default()));
        assert_eq!(words.list(), None);
        assert_eq!(words.restate_statements(&list, &limits), Err(Misstatement::NotStated));
    }
}
