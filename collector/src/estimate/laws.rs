//! How releases were drawn, and what is asked about them.
//!
//! All releases of a run are drawn alike: one report of another law could outweigh all others. The law is built anew from what
//! is declared, and what textveil states of it must be what each row declares: a guarantee that is forged or out of date would
//! give wrong shares.

use anyhow::{Context, Result, bail, ensure};
use textveil::{
    DeclaredDraw, Guarantee, Mechanism, Parameter, Piece, StatementList, Table, Unary, Unit, WordId, look_up, normalize,
};
use textveil_estimate::{Channel, Confidence, Question, Response, Share, Tally, WordTally, Words};
use textveil_toolkit::progress::bar;

use super::topics::Topics;
use crate::reports::Content;
use crate::reports::law::{FORGED, ROUNDED, is_stated, privatizer};

/// What is asked, and what is public about it.
pub(super) enum Knowledge {
    Statements { list: StatementList, asked: Vec<Entries> },
    Choices(Vec<Entries>),
    Words { table: Box<Table>, asked: Vec<Question>, as_drawn: bool },
}

/// Entries of a list whose share is asked for together.
pub(super) struct Entries {
    name: String,
    entries: Vec<usize>,
}

/// How releases were drawn.
pub(super) struct Law {
    kind: Kind,
    /// What is stated of a release of so many words or statements.
    stated: Box<dyn Fn(usize) -> Option<Guarantee> + Send>,
}

enum Kind {
    Response(Response),
    Words(Box<Words>),
}

/// What was counted of one law.
pub(super) enum Counted {
    Entries(Tally),
    Words(WordTally),
}

impl Knowledge {
    /// # Errors
    /// A topic names a statement that the list lacks.
    pub(super) fn of_statements(list: StatementList, topics: &Topics) -> Result<Self> {
        let number = |topic: &str, statement: &String| {
            let place = list.iter().position(|other| other == statement);
            place.with_context(|| format!("the topic \"{topic}\" names \"{statement}\", which is not in the list"))
        };
        let topic = |(name, statements): (&str, &[String])| {
            let mut entries = statements.iter().map(|statement| number(name, statement)).collect::<Result<Vec<_>>>()?;
            entries.sort_unstable();
            entries.dedup();
            Ok(Entries { name: name.to_owned(), entries })
        };
        let asked = if topics.is_empty() {
            list.iter()
                .enumerate()
                .map(|(number, name)| Entries { name: name.to_owned(), entries: vec![number] })
                .collect()
        } else {
            topics.iter().map(topic).collect::<Result<_>>()?
        };
        Ok(Self::Statements { list, asked })
    }

    pub(super) fn of_choices(names: Vec<String>) -> Self {
        Self::Choices(
            names.into_iter().enumerate().map(|(number, name)| Entries { name, entries: vec![number] }).collect(),
        )
    }

    /// # Errors
    /// There is no topic, or one names a word that the table lacks.
    pub(super) fn of_words(table: Table, topics: &Topics, as_drawn: bool) -> Result<Self> {
        ensure!(
            !topics.is_empty(),
            "nothing is asked: name a list by --statements, the values of a choice by --choices, or topics of words by --topic"
        );
        let row = |topic: &str, word: &String| {
            let lower = word.to_lowercase();
            table.find(&lower).with_context(|| format!("the topic \"{topic}\" names \"{word}\", which the table lacks"))
        };
        let question = |(name, words): (&str, &[String])| -> Result<Question> {
            let words = words.iter().map(|word| row(name, word)).collect::<Result<Vec<WordId>>>()?;
            Ok(Question { name: name.to_owned(), words })
        };
        let asked = topics.iter().map(question).collect::<Result<_>>()?;
        Ok(Self::Words { table: Box::new(table), asked, as_drawn })
    }

    /// The names of what is asked.
    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            Self::Statements { asked, .. } | Self::Choices(asked) => {
                asked.iter().map(|asked| asked.name.as_str()).collect()
            }
            Self::Words { asked, .. } => asked.iter().map(|asked| asked.name.as_str()).collect(),
        }
    }

    /// Most groups times periods: of words, each has a number for every word of the table.
    pub(super) fn most_cells(&self) -> usize {
        if matches!(self, Self::Words { .. }) { 1_000 } else { 10_000 }
    }

    /// Whether all releases have the same number of what is counted. Texts have any number of words.
    pub(super) fn is_counted_out(&self) -> bool {
        !matches!(self, Self::Words { .. })
    }

    /// What is counted.
    pub(super) fn counted(&self) -> &'static str {
        match self {
            Self::Statements { .. } => "statements",
            Self::Choices(_) => "choices",
            Self::Words { .. } => "words",
        }
    }

    /// The law that is declared.
    ///
    /// # Errors
    /// It is about something else than what is asked, or it is not what textveil states, or it has no known probabilities.
    pub(super) fn law(&self, draw: &DeclaredDraw) -> Result<Law> {
        let DeclaredDraw { terms, losses } = draw;
        let unit = |expected: Unit| {
            ensure!(
                terms.unit == expected.name(),
                "its guarantee is about a {}, and {} are asked for",
                terms.unit,
                self.counted()
            );
            Ok(())
        };
        let law = match self {
            Self::Statements { list, .. } => {
                unit(Unit::WholeText)?;
                let id = list.id().to_string();
                ensure!(terms.table.as_deref() == Some(&*id), "it is of another list than {}…", &id[..8]);
                let statements = terms.statements(losses, list).context(FORGED)?;
                let kind = Kind::Response(Response::of_statements(&statements));
                let of_draws = move |count| statements.guarantee_of(count);
                Law { kind, stated: Box::new(move |count| Some(of_draws(count))) }
            }
            Self::Choices(asked) => {
                unit(Unit::Value)?;
                let unary = choice(draw, asked.len()).context(FORGED)?;
                let kind = Kind::Response(Response::of_choice(&unary, asked.len()));
                Law { kind, stated: Box::new(move |count| Some(unary.guarantee()).filter(|_| count == 1)) }
            }
            Self::Words { table, asked, as_drawn } => {
                unit(Unit::Word)?;
                let privatizer = privatizer(draw, table)?;
                let progress = bar("questions", Words::most_steps(asked.len()));
                let channel = Channel::new(&privatizer, *as_drawn)?;
                let words = Words::new(channel, table, asked.clone(), &|| progress.inc(1));
                progress.finish_and_clear();
                Law {
                    kind: Kind::Words(Box::new(words)),
                    stated: Box::new(move |count| Some(privatizer.guarantee(count))),
                }
            }
        };
        if let Kind::Response(response) = &law.kind {
            ensure!(response.tells(), "its epsilon is so small that nothing can be estimated from it");
        }
        ensure!(law.states(draw), FORGED);
        Ok(law)
    }

    /// Counts a release.
    ///
    /// # Errors
    /// It is not of the kind that its guarantee is about.
    pub(super) fn count(
        &self,
        law: &Law,
        counted: &mut Counted,
        (content, expected): (&Content, usize),
    ) -> Result<u64> {
        match (self, &law.kind, counted, content) {
            (Self::Words { table, .. }, Kind::Words(words), Counted::Words(tally), Content::Text(text)) => {
                let text = rows(table, text)?;
                ensure!(text.len() <= expected, "it has more words than its guarantee is about");
                ensure!(words.add(tally, &text), "it has a word that the mechanism does not put out");
                Ok(text.len() as u64)
            }
            (Self::Statements { list, .. }, _, Counted::Entries(tally), content) => {
                let numbers = match content {
                    Content::Text(text) => statements_of(list, text, expected),
                    Content::Statements(statements) => statements.iter().map(|text| number_of(list, text)).collect(),
                    Content::Vectors(_) | Content::Bits(_) => None,
                };
                let numbers = numbers.context("it is no statement of the list")?;
                ensure!(
                    numbers.len() == expected,
                    "it has {} statements, its guarantee is about {expected}",
                    numbers.len()
                );
                ensure!(numbers.iter().all(|number| tally.add(*number)), "it is no statement of the list");
                Ok(numbers.len() as u64)
            }
            (Self::Choices(_), _, Counted::Entries(tally), Content::Bits(rows)) => {
                let [row] = &rows[..] else { bail!("it is not the report of one choice") };
                let bits: Vec<bool> = row.iter().map(|bit| *bit > 0.5).collect();
                ensure!(tally.add_bits(&bits), "it has {} bits, and --choices names others", bits.len());
                Ok(1)
            }
            _ => bail!("it holds no {}", self.counted()),
        }
    }
}

impl Law {
    /// Whether a draw is declared as it is stated.
    pub(super) fn states(&self, draw: &DeclaredDraw) -> bool {
        (self.stated)(draw.losses.words as usize).is_some_and(|stated| is_stated(draw, &stated))
    }

    /// How many statements are near to a text, if it is more than one.
    pub(super) fn near(&self) -> Option<usize> {
        match &self.kind {
            Kind::Response(response) => Some(response.near()).filter(|near| *near > 1),
            Kind::Words(_) => None,
        }
    }

    /// Nothing counted yet.
    pub(super) fn counted(&self) -> Counted {
        match &self.kind {
            Kind::Response(response) => Counted::Entries(response.tally()),
            Kind::Words(words) => Counted::Words(words.tally()),
        }
    }

    /// The shares of what is asked; none if nothing was counted.
    pub(super) fn shares(&self, knowledge: &Knowledge, counted: &Counted, confidence: Confidence) -> Vec<Share> {
        match (&self.kind, counted, knowledge) {
            (Kind::Words(words), Counted::Words(tally), _) => words.estimates(tally, &words.shares(tally), confidence),
            (
                Kind::Response(response),
                Counted::Entries(tally),
                Knowledge::Statements { asked, .. } | Knowledge::Choices(asked),
            ) => asked
                .iter()
                .filter_map(|asked| response.share(tally, &asked.entries, confidence, knowledge.names().len()))
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// The number of a statement.
fn number_of(list: &StatementList, text: &str) -> Option<usize> {
    list.iter().position(|statement| statement == text)
}

/// The numbers of so many statements that make up a text, with a space between them.
fn statements_of(list: &StatementList, text: &str, count: usize) -> Option<Vec<usize>> {
    if count <= 1 {
        return Some(vec![number_of(list, text)?]);
    }
    list.iter().enumerate().find_map(|(number, statement)| {
        let rest = text.strip_prefix(statement)?.strip_prefix(' ')?;
        Some([vec![number], statements_of(list, rest, count - 1)?].concat())
    })
}

/// The rows of a released text's words.
///
/// # Errors
/// The table lacks one.
fn rows(table: &Table, text: &str) -> Result<Vec<WordId>> {
    let pieces = Piece::split(&normalize(text))?;
    let row = |piece| match piece {
        // The table has a long number, which is looked up as one.
        Piece::Token { kind, text } => Some(look_up(table, kind, &text).row.or_else(|| table.find(&text))),
        Piece::Layout(_) => None,
    };
    let rows: Option<_> = pieces.into_iter().filter_map(row).collect();
    rows.context("it has a word that the table lacks")
}

/// The choice that is declared, among so many values. Its ε is a little less than the one that was asked for.
fn choice(DeclaredDraw { terms, losses }: &DeclaredDraw, size: usize) -> Option<Unary> {
    let asked = losses.epsilon_word? * (1.0 + ROUNDED);
    let mechanism = Mechanism::new(terms.kind()?).with(Parameter::Epsilon, asked).ok()?;
    Unary::new(mechanism, size).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_that_can_be_put_out_is_read_as_itself_and_no_other_is_guessed() {
        let table = Table::english().expect("the built-in table");
        for row in table.rows().filter(|row| table.is_offered(*row)) {
            assert_eq!(rows(&table, &table.word(row)).ok(), Some(vec![row]), "{}", table.word(row));
        }
        assert!(rows(&table, "the zzxqy").is_err());
    }
}
