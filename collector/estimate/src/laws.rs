//! How releases were drawn, and what is asked about them.
//!
//! All releases of a run are drawn alike: one report of another law could outweigh all others. The law is built anew
//! from the declared terms. Then textveil states the guarantee of that law, and each release must declare the same. A
//! guarantee that is forged or out of date would give wrong shares.

use std::fmt;

use textveil::{
    Declared, DeclaredDraw, Guarantee, InTheClear, Mechanism, Parameter, Piece, Placeholders, Privatizer,
    StatementList, Table, Unary, Unit, WordId, normalize, spelling,
};

use crate::{Channel, Confidence, Question, Response, Share, Tally, WordTally, Words};

/// The most words, statements or choices that are counted together: a number with a fraction holds any whole one up to it.
const MOST: u64 = 1 << 53;

/// Why nothing is estimated, in words without any part of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// What is asked cannot be answered by any release.
    Question(String),
    /// A guarantee is not what textveil states, is about something else, or tells nothing.
    Guarantee(String),
    /// A release is not what its guarantee is about.
    Release(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Question(why) | Self::Guarantee(why) | Self::Release(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for Refused {}

fn forged() -> Refused {
    Refused::Guarantee("its guarantee is not what textveil states of its mechanism".to_owned())
}

/// Says why, unless it holds.
fn ensure(holds: bool, kind: fn(String) -> Refused, why: impl FnOnce() -> String) -> Result<(), Refused> {
    if holds { Ok(()) } else { Err(kind(why())) }
}

/// What is asked, and what is public about it.
#[derive(Debug)]
pub struct Knowledge(Asked);

#[derive(Debug)]
enum Asked {
    Statements { list: StatementList, asked: Vec<Entries> },
    Choices(Vec<Entries>),
    Words { table: Box<Table>, asked: Vec<Question>, as_drawn: bool },
}

/// Entries of a list whose joint share is asked for.
#[derive(Debug)]
struct Entries {
    name: String,
    entries: Vec<usize>,
}

/// Names of topics, each with its words or statements.
pub type Topics = [(String, Vec<String>)];

/// What was released.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Released<'a> {
    /// Words; or statements with a space between them.
    Text(&'a str),
    /// Statements one by one.
    Statements(&'a [String]),
    /// The report of a choice.
    Bits(&'a [bool]),
}

/// Equal releases that are counted at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reported<'a> {
    /// What each of them is.
    pub released: Released<'a>,
    /// How many words, statements or choices the guarantee of each is about.
    pub expected: usize,
    /// How many releases there are.
    pub times: u64,
}

/// How releases were drawn.
pub struct Law {
    kind: Kind,
    /// What releases have besides words.
    placeholders: Placeholders,
    /// The guarantee of a release with this number of words or statements.
    stated: Box<dyn Fn(usize) -> Option<Guarantee> + Send + Sync>,
}

impl fmt::Debug for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Law").field("placeholders", &self.placeholders).finish_non_exhaustive()
    }
}

enum Kind {
    Response(Response),
    Words(Box<Words>),
}

/// What was counted of one law.
#[derive(Debug)]
pub struct Counted {
    tally: KindOfTally,
    /// How many more words, statements or choices can be counted.
    room: u64,
}

#[derive(Debug)]
enum KindOfTally {
    Entries(Tally),
    Words(WordTally),
}

impl Knowledge {
    /// Shares of topics of statements; without topics, of each statement.
    ///
    /// # Errors
    /// A topic names a statement that the list lacks.
    pub fn of_statements(list: StatementList, topics: &Topics) -> Result<Self, Refused> {
        let numbers = |topic: &str, statement: &String| {
            let why = || {
                Refused::Question(format!(
                    "the topic \"{topic}\" names \"{statement}\", which is not in the list. \
                     \"textveil statements inspect LIST --all\" shows it. In --topic a comma ends a statement: --topics takes one with a \
                     comma"
                ))
            };
            list.parts(statement, 1).ok_or_else(why)
        };
        let topic = |(name, statements): &(String, Vec<String>)| {
            let found = statements.iter().map(|statement| numbers(name, statement));
            let mut entries = found.collect::<Result<Vec<_>, Refused>>()?.concat();
            entries.sort_unstable();
            entries.dedup();
            Ok(Entries { name: name.to_owned(), entries })
        };
        let asked = if topics.is_empty() {
            one_each(list.iter().map(str::to_owned))
        } else {
            topics.iter().map(topic).collect::<Result<_, _>>()?
        };
        Ok(Self(Asked::Statements { list, asked }))
    }

    /// Shares of the values of a choice, which these are in their order.
    #[must_use]
    pub fn of_choices(names: Vec<String>) -> Self {
        Self(Asked::Choices(one_each(names)))
    }

    /// Shares of topics of words. All forms of a word are counted as one, unless `as_drawn` says that none was changed.
    ///
    /// # Errors
    /// There is no topic, or one names a word that the table lacks.
    pub fn of_words(table: Table, topics: &Topics, as_drawn: bool) -> Result<Self, Refused> {
        ensure(!topics.is_empty(), Refused::Question, || "nothing is asked: name topics of words".to_owned())?;
        let row = |topic: &str, word: &String| {
            let why = || Refused::Question(format!("the topic \"{topic}\" names \"{word}\", which the table lacks"));
            table.find(&word.to_lowercase()).ok_or_else(why)
        };
        let question = |(name, words): &(String, Vec<String>)| {
            let words = words.iter().map(|word| row(name, word)).collect::<Result<Vec<WordId>, Refused>>()?;
            Ok(Question { name: name.to_owned(), words })
        };
        let asked = topics.iter().map(question).collect::<Result<_, _>>()?;
        Ok(Self(Asked::Words { table: Box::new(table), asked, as_drawn }))
    }

    /// The names of what is asked.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        match &self.0 {
            Asked::Statements { asked, .. } | Asked::Choices(asked) => {
                asked.iter().map(|asked| asked.name.as_str()).collect()
            }
            Asked::Words { asked, .. } => asked.iter().map(|asked| asked.name.as_str()).collect(),
        }
    }

    /// Whether all releases have the same number of what is counted. Texts have any number of words.
    #[must_use]
    pub fn is_counted_out(&self) -> bool {
        !matches!(self.0, Asked::Words { .. })
    }

    /// What is counted.
    #[must_use]
    pub fn counted(&self) -> &'static str {
        match &self.0 {
            Asked::Statements { list, .. } if list.is_of_answers() => "answers",
            Asked::Statements { .. } => "statements",
            Asked::Choices(_) => "choices",
            Asked::Words { .. } => "words",
        }
    }

    /// How often [`Knowledge::law`] calls `step` at most.
    #[must_use]
    pub fn most_steps(&self) -> usize {
        if self.is_counted_out() { 0 } else { Words::most_steps(self.names().len()) }
    }

    /// The law that is declared.
    ///
    /// # Errors
    /// It is about something else than what is asked, or it is not what textveil states, or it has no known probabilities.
    pub fn law(&self, draw: &DeclaredDraw, step: &dyn Fn()) -> Result<Law, Refused> {
        let DeclaredDraw { terms, losses } = draw;
        let placeholders = terms.placeholders();
        let unit = |expected: Unit| {
            ensure(terms.unit == expected.name(), Refused::Guarantee, || {
                let hint = if terms.unit == Unit::WholeText.name() { ". Statements need their list" } else { "" };
                format!("its guarantee is about a {}, and {} are asked for{hint}", terms.unit, self.counted())
            })
        };
        let law = match &self.0 {
            Asked::Statements { list, .. } => {
                unit(Unit::WholeText)?;
                is_of(draw, &list.id().to_string(), "it is of another list")?;
                let statements = terms.statements(losses, list).ok_or_else(forged)?;
                let kind = Kind::Response(Response::of_statements(&statements));
                let of_draws = move |count| statements.guarantee_of(count);
                Law { kind, placeholders, stated: Box::new(move |count| Some(of_draws(count))) }
            }
            Asked::Choices(asked) => {
                unit(Unit::Value)?;
                let unary = choice(draw, asked.len()).ok_or_else(forged)?;
                let kind = Kind::Response(Response::of_choice(&unary));
                Law {
                    kind,
                    placeholders,
                    stated: Box::new(move |count| Some(unary.guarantee()).filter(|_| count == 1)),
                }
            }
            Asked::Words { table, asked, as_drawn } => {
                unit(Unit::Word)?;
                let privatizer = privatizer(draw, table)?;
                let channel =
                    Channel::new(&privatizer, *as_drawn).map_err(|why| Refused::Guarantee(why.to_string()))?;
                let stated = move |count| Some(stated_of(&privatizer, placeholders, count));
                let kind = Kind::Words(Box::new(Words::new(channel, table, asked.clone(), step)));
                Law { kind, placeholders, stated: Box::new(stated) }
            }
        };
        if let Kind::Response(response) = &law.kind {
            let why = || "its epsilon is so small that nothing can be estimated from it".to_owned();
            ensure(response.tells(), Refused::Guarantee, why)?;
        }
        law.check(draw)?;
        Ok(law)
    }

    /// Counts equal releases. Each has as many words, statements or choices as its guarantee is about, and words may be
    /// fewer. Returns how many they have together.
    ///
    /// # Errors
    /// They are not of the kind that their guarantee is about, or too many to be counted.
    pub fn count(&self, law: &Law, counted: &mut Counted, reported: Reported<'_>) -> Result<u64, Refused> {
        let Counted { tally, room } = counted;
        let mut left = *room;
        let reports = self.count_within(law, tally, &mut left, reported)?;
        *room = left;
        Ok(reports)
    }

    /// Takes room even for what is refused after that.
    fn count_within(
        &self,
        law: &Law,
        tally: &mut KindOfTally,
        room: &mut u64,
        Reported { released, expected, times }: Reported<'_>,
    ) -> Result<u64, Refused> {
        let mut reports = |count: usize| {
            let reports = times.checked_mul(count as u64);
            let left = reports.and_then(|reports| room.checked_sub(reports.max(times)));
            *room = left.ok_or_else(|| Refused::Release(format!("there are more than 2^53 {}", self.counted())))?;
            Ok(reports.unwrap_or_default())
        };
        match (&self.0, &law.kind, tally, released) {
            (Asked::Words { table, .. }, Kind::Words(words), KindOfTally::Words(tally), Released::Text(text)) => {
                let text = rows(table, &law.placeholders.between(text))?;
                ensure(text.len() <= expected, Refused::Release, || {
                    "it has more words than its guarantee is about".to_owned()
                })?;
                let reports = reports(text.len())?;
                ensure(words.add(tally, &text, times), Refused::Release, || {
                    "it has a word that the mechanism does not put out".to_owned()
                })?;
                Ok(reports)
            }
            (Asked::Statements { list, .. }, _, KindOfTally::Entries(tally), released) => {
                let numbers = match released {
                    Released::Text(text) => list.parts(text, expected),
                    Released::Statements(statements) => {
                        let numbers = statements.iter().map(|text| list.parts(text, 1));
                        numbers.collect::<Option<Vec<_>>>().map(|numbers| numbers.concat())
                    }
                    Released::Bits(_) => None,
                };
                let none = || "it is no statement of the list".to_owned();
                // An empty text is 0 statements, which tell nothing.
                let numbers = numbers.filter(|numbers| !numbers.is_empty());
                let numbers = numbers.ok_or_else(|| Refused::Release(none()))?;
                ensure(numbers.len() == expected, Refused::Release, || {
                    format!("it has {} statements, its guarantee is about {expected}", numbers.len())
                })?;
                let reports = reports(numbers.len())?;
                ensure(numbers.iter().all(|number| tally.add(*number, times)), Refused::Release, none)?;
                Ok(reports)
            }
            (Asked::Choices(asked), _, KindOfTally::Entries(tally), Released::Bits(bits)) => {
                let reports = reports(1)?;
                ensure(tally.add_bits(bits, times), Refused::Release, || {
                    format!("it has {} bits, and {} choices are named", bits.len(), asked.len())
                })?;
                Ok(reports)
            }
            _ => Err(Refused::Release(format!("it holds no {}", self.counted()))),
        }
    }
}

/// Each by itself, in their order.
fn one_each(names: impl IntoIterator<Item = String>) -> Vec<Entries> {
    names.into_iter().enumerate().map(|(number, name)| Entries { name, entries: vec![number] }).collect()
}

impl Law {
    /// # Errors
    /// A draw is not declared as it is stated.
    pub fn check(&self, draw: &DeclaredDraw) -> Result<(), Refused> {
        let stated = (self.stated)(draw.losses.words as usize);
        if stated.is_some_and(|stated| is_stated(draw, &stated)) { Ok(()) } else { Err(forged()) }
    }

    /// How many statements are near to a text, if it is more than one.
    #[must_use]
    pub fn near(&self) -> Option<usize> {
        match &self.kind {
            Kind::Response(response) => Some(response.near()).filter(|near| *near > 1),
            Kind::Words(_) => None,
        }
    }

    /// The statements, or topics of them, that came out more often than this law allows, whatever people wrote. Then some
    /// releases were not drawn as their guarantee says, or one of them was counted many times.
    #[must_use]
    pub fn impossible<'a>(&self, knowledge: &'a Knowledge, counted: &Counted) -> Vec<&'a str> {
        match (&self.kind, &counted.tally, &knowledge.0) {
            (Kind::Response(response), KindOfTally::Entries(tally), Asked::Statements { asked, .. }) => {
                let is_impossible = |one: &&Entries| !response.is_possible(tally, &one.entries, asked.len());
                asked.iter().filter(is_impossible).map(|one| one.name.as_str()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Counts of no release yet.
    #[must_use]
    pub fn counted(&self) -> Counted {
        let tally = match &self.kind {
            Kind::Response(response) => KindOfTally::Entries(response.tally()),
            Kind::Words(words) => KindOfTally::Words(words.tally()),
        };
        Counted { tally, room: MOST }
    }

    /// The shares that were asked for. The list is empty if nothing was counted. A text that counts for several statements
    /// counts for a part of each, and no share or interval is larger than that part.
    #[must_use]
    pub fn shares(&self, knowledge: &Knowledge, counted: &Counted, confidence: Confidence) -> Vec<Share> {
        match (&self.kind, &counted.tally, &knowledge.0) {
            (Kind::Words(words), KindOfTally::Words(tally), _) => {
                words.estimates(tally, &words.shares(tally), confidence)
            }
            (
                Kind::Response(response),
                KindOfTally::Entries(tally),
                Asked::Statements { asked, .. } | Asked::Choices(asked),
            ) => {
                let share = |Entries { entries, .. }: &Entries| {
                    let share = response.share(tally, entries, confidence, asked.len())?;
                    Some(share.at_most(response.most(entries.len())))
                };
                asked.iter().filter_map(share).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The rows of a released text's words.
///
/// # Errors
/// The table lacks one, or the text is too long.
fn rows(table: &Table, stretches: &[&str]) -> Result<Vec<WordId>, Refused> {
    let row = |word: &str| table.find(&spelling(word));
    // A token is a word of the table. Or it is several that read as one now, such as two years.
    let rows_of = |piece: Piece| match &piece {
        Piece::Token { text, .. } => Some(row(text).map(|row| vec![row]).or_else(|| piece.words().map(row).collect())),
        Piece::Layout(_) => None,
    };
    let mut rows = Some(Vec::new());
    for stretch in stretches {
        let pieces = Piece::split(&normalize(stretch)).map_err(|why| Refused::Release(why.to_string()))?;
        let found: Option<Vec<Vec<WordId>>> = pieces.into_iter().filter_map(rows_of).collect();
        rows = rows.zip(found).map(|(mut rows, found)| {
            rows.extend(found.into_iter().flatten());
            rows
        });
    }
    rows.ok_or_else(|| Refused::Release("it has a word that the table lacks".to_owned()))
}

/// The declared choice among `size` values. Its ε is a little less than the ε asked for.
fn choice(DeclaredDraw { terms, losses }: &DeclaredDraw, size: usize) -> Option<Unary> {
    let asked = losses.epsilon_word? * (1.0 + ROUNDED);
    let mechanism = Mechanism::new(terms.kind()?).with(Parameter::Epsilon, asked).ok()?;
    Unary::new(mechanism, size).ok()
}

/// The mechanism for words that a guarantee declares, prepared anew.
///
/// # Errors
/// It is about words of another table, shows words in clear, or is not what textveil states.
pub fn privatizer(draw: &DeclaredDraw, table: &Table) -> Result<Privatizer, Refused> {
    let DeclaredDraw { terms, losses } = draw;
    is_of(draw, &table.id().to_string(), "its words are of another table")?;
    let disclosure = terms.disclosure();
    ensure(!disclosure.function_words && terms.kept_words.is_none(), Refused::Guarantee, || {
        "it shows some words in clear: nothing is estimated from such releases".to_owned()
    })?;
    ensure(terms.never_said.is_none(), Refused::Guarantee, || {
        "words of a list never come out of its draws, and others come instead: nothing is estimated from such releases"
            .to_owned()
    })?;
    let mechanism = terms.mechanism(losses).ok_or_else(forged)?;
    let privatizer = Privatizer::new(table, mechanism, disclosure).map_err(|_| forged())?;
    let privatizer = if terms.shows(InTheClear::Language) { privatizer } else { privatizer.of_any_language() };
    let stated = stated_of(&privatizer, terms.placeholders(), losses.words as usize);
    ensure(is_stated(draw, &stated), |_| forged(), String::new)?;
    Ok(privatizer)
}

fn stated_of(privatizer: &Privatizer, placeholders: Placeholders, words: usize) -> Guarantee {
    let stated = privatizer.guarantee(words);
    if placeholders.redactions { stated.of_redacted() } else { stated }
}

fn is_of(draw: &DeclaredDraw, id: &str, what: &str) -> Result<(), Refused> {
    let own = draw.terms.table.as_deref();
    ensure(own == Some(id), Refused::Guarantee, || {
        let own = own.and_then(|own| own.get(..8)).unwrap_or("none");
        format!("{what} ({own}…) than the one that is asked about ({}…)", &id[..8])
    })
}

/// By how much of itself an ε may differ.
const ROUNDED: f64 = 1e-9;

/// Whether a guarantee is the declared one, up to rounding.
fn is_stated(draw: &DeclaredDraw, stated: &Guarantee) -> bool {
    let mut stated = Declared::from(stated).into_draw();
    let is_near = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 10.0 * ROUNDED * a.abs(),
        (a, b) => a == b,
    };
    for (own, declared) in [
        (&mut stated.losses.epsilon_word, draw.losses.epsilon_word),
        (&mut stated.losses.epsilon_text, draw.losses.epsilon_text),
    ] {
        if is_near(*own, declared) {
            *own = declared;
        }
    }
    for (name, own) in &mut stated.terms.parameters {
        if let Some(declared) = draw.terms.parameters.get(name).filter(|declared| is_near(Some(*own), Some(**declared)))
        {
            *own = *declared;
        }
    }
    stated == *draw
}

#[cfg(test)]
mod tests {
    use textveil::{Disclosure, FileId, MechanismKind, Statements, WordLists};

    use super::*;

    /// A number of statements is what its guarantee is about, and 0 statements are no release, even if a guarantee says so.
    #[test]
    fn a_text_is_counted_as_the_statements_that_its_guarantee_is_about() {
        let lines = ["A.", "A. A.", "A. A. A.", "B."];
        let vectors = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, -1.0];
        let file = StatementList::file(&lines, &vectors, 2, FileId::new([3; 32]), None).expect("a list");
        let list = StatementList::parse(file).expect("a list");
        let statements = Statements::new(&list, 8.0).expect("in range");
        let knowledge = Knowledge::of_statements(list, &[]).expect("a question");
        let draw = Declared::from(&statements.guarantee_of(3)).into_draw();
        let law = knowledge.law(&draw, &|| ()).expect("textveil's own");
        let mut counted = law.counted();
        let mut count = |released: Released<'_>, expected: usize| {
            knowledge.count(&law, &mut counted, Reported { released, expected, times: 5 }).ok()
        };
        assert_eq!(count(Released::Text("B. A. A. B."), 3), Some(15));
        assert_eq!(count(Released::Text("B. A. A. B."), 4), Some(20));
        assert_eq!(count(Released::Text("B. A. A. B."), 2), None);
        let one_by_one = ["B.", "A. A.", "B."].map(str::to_owned);
        assert_eq!(count(Released::Statements(&one_by_one), 3), Some(15));
        assert_eq!(count(Released::Statements(&one_by_one), 4), None);
        assert_eq!(count(Released::Statements(&["A. B.".to_owned()]), 1), None);
        for expected in [0, 1] {
            assert_eq!(count(Released::Text(""), expected), None);
            assert_eq!(count(Released::Statements(&[]), expected), None);
        }
    }

    #[test]
    fn placeholders_are_left_out_and_lists_are_refused() {
        let table = Table::english().expect("the built-in table");
        let none: &[&str] = &[];
        let read = |kept: &[&str], never_said: &[&str], is_detected: bool| {
            let mechanism = Mechanism::new(MechanismKind::Nearest);
            let lists = WordLists::keeping(kept).and_then(|lists| lists.never_saying(never_said)).expect("words");
            let ours = Privatizer::new(&table, mechanism, Disclosure::for_people()).and_then(|it| it.with_lists(lists));
            let guarantee = ours.expect("words are left").guarantee(3);
            let guarantee = if is_detected { guarantee.of_redacted() } else { guarantee };
            let draw = Declared::from(&guarantee).into_draw();
            let words = "[person] the [email] good day [url].[number]";
            let found = rows(&table, &draw.terms.placeholders().between(words)).map(|rows| rows.len()).ok();
            (privatizer(&draw, &table).map(drop).map_err(|why| why.to_string()), found)
        };
        assert_eq!(read(none, none, true), (Ok(()), Some(3)));
        let (plain, found) = read(none, none, false);
        assert!(plain.is_ok() && found != Some(3), "a placeholder that is not stated is no placeholder");
        for (kept, never_said, why) in [(&["Textveil"][..], none, "in clear"), (none, &["damn"][..], "never come out")]
        {
            assert!(read(kept, never_said, false).0.is_err_and(|error| error.contains(why)), "{why}");
        }
    }

    #[test]
    fn every_word_that_can_be_put_out_is_read_as_itself_and_no_other_is_guessed() {
        let table = Table::english().expect("the built-in table");
        for row in table.rows().filter(|row| table.is_offered(*row)) {
            assert_eq!(rows(&table, &[&table.word(row)]).ok(), Some(vec![row]), "{}", table.word(row));
        }
        // Two years read as one long number, and two numbers with a comma as one.
        assert_eq!(rows(&table, &["in 1983 1987 or 7,20"]).map(|rows| rows.len()), Ok(6));
        assert!(rows(&table, &["the zzxqy"]).is_err());
    }
}
