//! Whether a declared guarantee is true, and good enough.
//!
//! A guarantee is nothing but what textveil says about some terms and a number of words. So it is stated anew, for the
//! mechanism, the η and the number of words that it speaks of, and compared in every field, the sentence included. No mechanism
//! is prepared for that.

use serde::Deserialize;
use serde_json::Value;
use textveil::{
    Declared, Disclosure, Error, Guarantee, Limits, Loss, Mechanism, MechanismKind, Misstatement, StatementList, Table,
    WordLists,
};

use crate::serve::refusal::Refusal;
use crate::serve::shape::Shape;

/// How many words a text may have at the weakest level, if the operator does not say how much ε it may lose. That is a long
/// comment of some 1,200 characters. An operator who expects longer texts states another bound.
const WORDS: usize = 200;

/// What the operator says of the terms.
#[derive(Clone, Default)]
pub(crate) struct Stated {
    /// The table of the words; the built-in English one if nothing is said.
    pub(crate) table: Option<Table>,
    /// The mechanisms; none stands for the table's default one.
    pub(crate) mechanisms: Vec<MechanismKind>,
    /// The most ε that a word may lose, in nats; that of the table's default level if nothing is said.
    pub(crate) epsilon: Option<f64>,
    /// The most ε that a text may lose, in nats; if nothing is said, that of 200 words at `epsilon`, or of one statement.
    pub(crate) text_epsilon: Option<f64>,
    /// What a release may leave in clear by choice.
    pub(crate) clear: Disclosure,
    /// Whether a detector may have taken spans out.
    pub(crate) redactions: bool,
    /// The words that may stay in clear, and those that may be left out of all draws.
    pub(crate) words: WordLists,
    /// The lists of accepted statements; with any, words are not accepted.
    pub(crate) lists: Vec<StatementList>,
}

/// What this collector accepts.
pub(crate) struct Terms {
    table: Table,
    limits: Limits,
    /// The most ε that a word may lose, and that a text may lose, in nats.
    most: [f64; 2],
    /// Whether the operator has said what a word may lose.
    is_stated: bool,
    words: WordLists,
    kept: Vec<String>,
    lists: Vec<StatementList>,
}

impl Terms {
    /// What the operator states, and the table's defaults elsewhere.
    ///
    /// # Errors
    /// A mechanism is not known here, or the embedded table is damaged.
    pub(crate) fn new(stated: Stated) -> Result<Self, Error> {
        let table = stated.table.map_or_else(Table::english, Ok)?;
        let usual = table.default_mechanism();
        let mechanisms = if stated.mechanisms.is_empty() { vec![usual] } else { stated.mechanisms };
        let is_stated = stated.epsilon.is_some();
        let epsilon = match stated.epsilon {
            Some(epsilon) => epsilon,
            None => Mechanism::new(usual).loss(&table)?.epsilon,
        };
        // Whoever takes statements expects one for each text.
        let draws = if stated.lists.is_empty() { WORDS } else { 1 };
        let text_epsilon = stated.text_epsilon.unwrap_or_else(|| Loss::pure(epsilon).times(draws).epsilon);
        let (word, text) = (Loss::pure(epsilon), Loss { epsilon: text_epsilon, delta: 1.0 });
        let limits = Limits::new(&table, mechanisms, word, text, stated.clear)?.with_lists(&stated.words);
        let limits = if stated.redactions { limits.with_redactions() } else { limits };
        let mut kept: Vec<String> = stated.words.kept_words().map(str::to_owned).collect();
        kept.sort_unstable();
        let most = [epsilon, text_epsilon];
        Ok(Self { table, limits, most, is_stated, words: stated.words, kept, lists: stated.lists })
    }

    /// The guarantee of a release, as textveil states it.
    ///
    /// # Errors
    /// What is declared is not a guarantee of textveil's, is not on these terms, or is not about this text.
    pub(crate) fn check(&self, text: &str, declared: &Value) -> Result<Guarantee, Refusal> {
        let declared = Declared::deserialize(declared).map_err(|_| Refusal::NotStated)?;
        let refusal = |misstatement| match misstatement {
            Misstatement::BeyondLimits => Refusal::TermsNotAccepted,
            _ => Refusal::NotStated,
        };
        if !self.lists.is_empty() || declared.list().is_some() {
            let list = self.list(declared.list()).ok_or(Refusal::TermsNotAccepted)?;
            let stated = declared.restate_statements(list, &self.limits).map_err(refusal)?;
            if stated.epsilon_word > self.most_of(Some(list))[0] {
                return Err(Refusal::TermsNotAccepted);
            }
            return if list.has_made(text, stated.words) { Ok(stated) } else { Err(Refusal::NotARelease) };
        }
        let stated = declared.restate(&self.table, &self.limits).map_err(refusal)?;
        let kept = if stated.kept_words.is_some() { &self.kept[..] } else { &[] };
        let shape = Shape {
            table: &self.table,
            clear: declared.disclosure(),
            placeholders: declared.placeholders(),
            kept,
            never_said: stated.never_said.map(|_| &self.words),
        };
        if shape.fits(text, stated.words) { Ok(stated) } else { Err(Refusal::NotARelease) }
    }

    fn list(&self, id: Option<&str>) -> Option<&StatementList> {
        self.lists.iter().find(|list| id == Some(&*list.id().to_string()))
    }

    /// The most ε that a word and a text may lose, by a list or without one. An answer may lose what it usually does, unless
    /// the operator says more.
    fn most_of(&self, list: Option<&StatementList>) -> [f64; 2] {
        let of_answers = list.filter(|list| list.is_of_answers() && !self.is_stated);
        of_answers.map_or(self.most, |list| self.most.map(|most| most.min(list.usual_epsilon())))
    }

    /// The declared and the accepted ε, if a guarantee is refused for its terms and declares more. A text plays no part.
    pub(crate) fn why(&self, refusal: Refusal, declared: &Value) -> Option<String> {
        let [word, text] = ["epsilonWord", "epsilonText"].map(|name| declared[name].as_f64());
        let list = Declared::deserialize(declared).ok().and_then(|declared| self.list(declared.list()));
        let [most_word, most_text] = self.most_of(list);
        let (word, text) = (word?, text?);
        (refusal == Refusal::TermsNotAccepted && (word > most_word || text > most_text)).then(|| {
            format!(
                "The guarantee declares an epsilon of {word} for a word and of {text} for the text. This collector \
                 accepts at most {most_word} and {most_text}."
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::to_value;
    use textveil::{FileId, Offsets, Parameter, Privatizer, Redacted, Span, Statements, seeded_rng};

    use super::*;

    /// The CPU time of this thread, in nanoseconds.
    fn cpu() -> u64 {
        let times = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
        times.split(' ').next().and_then(|time| time.parse().ok()).expect("a number")
    }

    #[test]
    fn statements_of_a_known_list_are_accepted_and_nothing_else() {
        let list = |last: &str| {
            let lines = ["The app crashes.", "The price is high.", last];
            let file = StatementList::file(&lines, &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0], 2, FileId::new([9; 32]), None);
            StatementList::parse(file.expect("a list")).expect("a list")
        };
        let (known, unknown) = (list("Something else."), list("Anything else."));
        let stated = || Stated { lists: vec![known.clone()], ..Stated::default() };
        let usual = Terms::new(stated()).expect("in range");
        let terms = Terms::new(Stated { text_epsilon: Some(20.0), ..stated() }).expect("in range");
        let of = |list: &StatementList, epsilon| Statements::new(list, epsilon).expect("in range");
        let check = |text: &str, guarantee: &Guarantee| {
            terms.check(text, &to_value(guarantee).expect("JSON")).map(|stated| stated.words)
        };
        let good = of(&known, 8.0).guarantee();
        assert_eq!(check("The app crashes.", &good), Ok(1));
        assert_eq!(check("Something else.", &good), Ok(1));
        for text in ["My app crashes.", "", "The app crashes. The app crashes.", "Anything else."] {
            assert_eq!(check(text, &good), Err(Refusal::NotARelease), "{text}");
        }
        let two = of(&known, 8.0).guarantee_of(2);
        assert_eq!(check("The app crashes. Something else.", &two), Ok(2));
        let refused = usual.check("The app crashes. Something else.", &to_value(&two).expect("JSON"));
        assert_eq!(refused.err(), Some(Refusal::TermsNotAccepted), "several statements are taken only if asked for");
        assert!(usual.check("The app crashes.", &to_value(of(&known, 9.0).guarantee()).expect("JSON")).is_ok());
        let any = of(&known, 8.0).of_any_language().guarantee();
        assert_eq!(check("The app crashes.", &any), Ok(1));
        assert_eq!(check("Anything else.", &of(&unknown, 8.0).guarantee()), Err(Refusal::TermsNotAccepted));
        assert_eq!(check("The app crashes.", &of(&known, 12.0).guarantee()), Err(Refusal::TermsNotAccepted));
        let seeded = Guarantee { known_seed: true, ..good.clone() };
        assert_eq!(check("The app crashes.", &seeded), Err(Refusal::NotStated));
        let table = Table::english().expect("the built-in table");
        let mechanism = Mechanism::new(table.default_mechanism());
        let words = Privatizer::new(&table, mechanism, Disclosure::default()).expect("the default").guarantee(3);
        assert_eq!(check("The app crashes.", &words), Err(Refusal::TermsNotAccepted));
        let of_words = Terms::new(Stated::default()).expect("in range");
        let declared = to_value(&good).expect("JSON");
        assert_eq!(of_words.check("The app crashes.", &declared).err(), Some(Refusal::TermsNotAccepted));
    }

    #[test]
    fn an_answer_loses_what_is_usual_unless_the_operator_says_more() {
        let file = StatementList::file(&["Yes", "No"], &[1.0, 0.0, 0.0, 1.0], 2, StatementList::NO_ENCODER, None);
        let list = StatementList::parse(file.expect("a list")).expect("a list");
        let declared = |epsilon| {
            let statements = Statements::new(&list, epsilon).and_then(|statements| statements.with_near(1));
            to_value(statements.expect("in range").guarantee()).expect("JSON")
        };
        let stated = |epsilon| Stated { lists: vec![list.clone()], epsilon, ..Stated::default() };
        let [usual, more] = [None, Some(3.0)].map(|epsilon| Terms::new(stated(epsilon)).expect("in range"));
        assert!(usual.check("Yes", &declared(2.0)).is_ok() && more.check("Yes", &declared(3.0)).is_ok());
        let refused = usual.check("Yes", &declared(3.0)).expect_err("beyond the usual");
        assert_eq!(refused, Refusal::TermsNotAccepted);
        assert!(usual.why(refused, &declared(3.0)).is_some_and(|why| why.ends_with("at most 2 and 2.")));
    }

    #[test]
    fn spans_and_kept_words_are_accepted_only_where_the_operator_says_so() {
        let table = Table::english().expect("the built-in table");
        let lists =
            |kept: &[&str]| WordLists::keeping(kept).and_then(|lists| lists.never_saying(&["damn"])).expect("words");
        let mechanism = Mechanism::new(table.default_mechanism());
        let privatizer = Privatizer::new(&table, mechanism, Disclosure::for_people()).expect("the default");
        let privatizer = privatizer.with_lists(lists(&["TextVeil"])).expect("words are left");
        let spans = [Span { start: 16, end: 26, kind: "PERSON" }];
        let text = Redacted::new("TEXTVEIL called Anna Meier yesterday", &spans, Offsets::Bytes).expect("a span");
        let (text, words) = privatizer.privatize_text(&text, &mut seeded_rng([7; 32])).expect("short");
        let declared = to_value(privatizer.guarantee(words).of_redacted()).expect("JSON");
        let check = |redactions, kept: &[&str], text: &str| {
            let clear = Disclosure::for_people();
            let stated = Stated { clear, redactions, words: lists(kept), ..Stated::default() };
            Terms::new(stated).expect("in range").check(text, &declared).map(|stated| stated.words)
        };
        assert_eq!((check(true, &["TextVeil"], &text), words), (Ok(2), 2));
        for (redactions, kept) in [(false, &["TextVeil"][..]), (true, &["Textveil"]), (true, &[])] {
            assert_eq!(check(redactions, kept, &text), Err(Refusal::TermsNotAccepted));
        }
        for (from, to) in [("TextVeil", "Textveil"), ("[person]", "Anna"), ("[person]", "[Anna Meier]")] {
            assert_eq!(check(true, &["TextVeil"], &text.replace(from, to)), Err(Refusal::NotARelease), "{to}");
        }
        // A word of the list, two placeholders side by side, and more brackets than anything could read one by one.
        let brackets = "[".repeat(textveil::MAX_TEXT_BYTES);
        for odd in [&text.replace("[person]", "[person] damn"), &text.replace("[person]", "[person][url]"), &brackets] {
            assert_eq!(check(true, &["TextVeil"], odd), Err(Refusal::NotARelease));
        }
        let (clear, words) = (
            Disclosure::for_people(),
            WordLists::keeping(&["TextVeil"]).and_then(|lists| lists.never_saying(&["darn"])).expect("words"),
        );
        let other = Terms::new(Stated { clear, redactions: true, words, ..Stated::default() }).expect("in range");
        assert_eq!(other.check(&text, &declared).err(), Some(Refusal::TermsNotAccepted));
    }

    #[test]
    fn words_of_the_stated_table_are_accepted_and_those_of_another_are_not() {
        let own = Table::parse(include_bytes!("../../../tests/tables/mend.tvt").as_slice()).expect("a table");
        let terms = |table| {
            let (epsilon, text_epsilon) = (Some(f64::MAX), Some(f64::MAX));
            let mechanisms = vec![MechanismKind::Exponential];
            Terms::new(Stated { table, mechanisms, epsilon, text_epsilon, ..Stated::default() }).expect("in range")
        };
        let mechanism = Mechanism::new(MechanismKind::Exponential).with(Parameter::Eta, 20.0).expect("a number");
        let privatizer = Privatizer::new(&own, mechanism, Disclosure::default()).expect("offered").of_any_language();
        let word = own.rows().find(|row| own.is_offered(*row)).expect("a word");
        let (text, words) = privatizer.privatize_text(&*own.word(word), &mut seeded_rng([7; 32])).expect("short");
        let declared = to_value(privatizer.guarantee(words)).expect("JSON");
        let stated = |table| terms(table).check(&text, &declared).map(|stated| stated.words);
        assert_eq!(stated(Some(own.clone())), Ok(1));
        assert_eq!(stated(None), Err(Refusal::NotStated));
    }

    /// `cargo test --release -p textveil-collector how_long_a_release -- --ignored --nocapture`
    #[test]
    #[ignore = "measures; run it with --release"]
    fn how_long_a_release_of_twenty_words_takes_to_check() {
        const TIMES: u32 = 200;
        let stated = Stated { epsilon: Some(f64::MAX), text_epsilon: Some(f64::MAX), ..Stated::default() };
        for kind in MechanismKind::ALL.iter().filter(|kind| kind.can_be_restated()) {
            let terms = Terms::new(Stated { mechanisms: vec![*kind], ..stated.clone() }).expect("the embedded table");
            let mechanism = Mechanism::new(*kind).with(Parameter::Eta, 60.0).expect("a number");
            let privatizer = Privatizer::new(&terms.table, mechanism, Disclosure::default()).expect("offered");
            let mut guarantee = privatizer.guarantee(20);
            let (text, words) =
                privatizer.privatize_text(&"word ".repeat(20), &mut seeded_rng([7; 32])).expect("short");
            assert_eq!(words, 20);
            guarantee.known_seed = false;
            let (declared, start) = (to_value(&guarantee).expect("JSON"), cpu());
            for _ in 0..TIMES {
                assert!(terms.check(text.trim(), &declared).is_ok(), "{kind}");
            }
            let each = (cpu() - start) / u64::from(TIMES) / 1000;
            println!("{kind}: {each} µs of CPU");
            assert!(each < 1000, "{kind}: {each} µs");
        }
    }
}
