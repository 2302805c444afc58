//! How releases were drawn, and what is asked about them.
//!
//! Releases of one run may be drawn under several laws, such as two levels. Each law is built anew from what is declared, and
//! the guarantee that textveil states of it must be the declared one: a guarantee that is forged or out of date would give
//! wrong shares.

use anyhow::{Context, Result, bail, ensure};
use textveil::{
    Declared, DeclaredDraw, Guarantee, Mechanism, Parameter, Privatizer, StatementList, Table, Unary, Unit, WordId,
};
use textveil_estimate::{Channel, Confidence, Question, Response, Share, Tally, WordTally, Words};
use textveil_tables::embedding::rows;
use textveil_toolkit::progress::bar;

use super::topics::Topics;
use crate::reports::Content;

const FORGED: &str = "its guarantee is not what textveil states of its mechanism";

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

/// How some releases were drawn.
pub(super) enum Law {
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
        match self {
            Self::Statements { list, .. } => {
                unit(Unit::WholeText)?;
                let id = list.id().to_string();
                ensure!(terms.table.as_deref() == Some(&*id), "it is of another list than {}…", &id[..8]);
                let statements = terms.statements(losses, list).context(FORGED)?;
                is_stated(draw, &statements.guarantee())?;
                Ok(Law::Response(Response::of_statements(&statements)))
            }
            Self::Choices(asked) => {
                unit(Unit::Value)?;
                let unary = choice(draw, asked.len()).context(FORGED)?;
                is_stated(draw, &unary.guarantee())?;
                Ok(Law::Response(Response::of_choice(&unary, asked.len())))
            }
            Self::Words { table, asked, as_drawn } => {
                unit(Unit::Word)?;
                let id = table.id().to_string();
                ensure!(terms.table.as_deref() == Some(&*id), "its words are of another table than {}…", &id[..8]);
                let disclosure = terms.disclosure();
                ensure!(
                    !disclosure.function_words && !disclosure.placeholders,
                    "it shows some words in clear: shares of such releases are not estimated"
                );
                let mechanism = terms.mechanism(losses).context(FORGED)?;
                let privatizer = Privatizer::new(table, mechanism, disclosure).context(FORGED)?;
                is_stated(draw, &privatizer.guarantee(losses.words as usize))?;
                let progress = bar("questions", Words::most_steps(asked.len()));
                let channel = Channel::new(&privatizer, *as_drawn)?;
                let words = Words::new(channel, table, asked.clone(), &|| progress.inc(1));
                progress.finish_and_clear();
                Ok(Law::Words(Box::new(words)))
            }
        }
    }

    /// Counts a release.
    ///
    /// # Errors
    /// It is not of the kind that its guarantee is about.
    pub(super) fn count(&self, law: &Law, counted: &mut Counted, content: &Content) -> Result<u64> {
        match (self, law, counted, content) {
            (Self::Words { table, .. }, Law::Words(words), Counted::Words(tally), Content::Text(text)) => {
                let text = rows(table, text)?;
                ensure!(words.add(tally, &text), "it has a word that the mechanism does not put out");
                Ok(text.len() as u64)
            }
            (Self::Statements { list, .. }, _, Counted::Entries(tally), Content::Text(text)) => {
                let numbers = statements_of(list, text).context("it is no statement of the list")?;
                ensure!(numbers.iter().all(|number| tally.add(*number)), "it is no statement of the list");
                Ok(numbers.len() as u64)
            }
            (Self::Statements { list, .. }, _, Counted::Entries(tally), Content::Statements(statements)) => {
                for text in statements {
                    let number = list.iter().position(|statement| statement == text);
                    ensure!(number.is_some_and(|number| tally.add(number)), "it is no statement of the list");
                }
                Ok(statements.len() as u64)
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
    /// Nothing counted yet.
    pub(super) fn counted(&self) -> Counted {
        match self {
            Self::Response(response) => Counted::Entries(response.tally()),
            Self::Words(words) => Counted::Words(words.tally()),
        }
    }

    /// The shares of what is asked; none if nothing was counted.
    pub(super) fn shares(&self, knowledge: &Knowledge, counted: &Counted, confidence: Confidence) -> Vec<Share> {
        match (self, counted, knowledge) {
            (Self::Words(words), Counted::Words(tally), _) => words.estimates(tally, &words.shares(tally), confidence),
            (
                Self::Response(response),
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

/// The numbers of the statements that make up a text, with a space between them.
fn statements_of(list: &StatementList, text: &str) -> Option<Vec<usize>> {
    if let Some(number) = list.iter().position(|statement| statement == text) {
        return Some(vec![number]);
    }
    list.iter().enumerate().find_map(|(number, statement)| {
        let rest = text.strip_prefix(statement)?.strip_prefix(' ')?;
        Some([vec![number], statements_of(list, rest)?].concat())
    })
}

/// The choice that is declared, among so many values.
fn choice(DeclaredDraw { terms, losses }: &DeclaredDraw, size: usize) -> Option<Unary> {
    let exact = terms.mechanism(losses).and_then(|mechanism| Unary::new(mechanism, size).ok());
    exact.or_else(|| {
        Unary::new(Mechanism::new(terms.kind()?).with(Parameter::Epsilon, losses.epsilon_word?).ok()?, size).ok()
    })
}

/// # Errors
/// The guarantee is not the declared one.
fn is_stated(draw: &DeclaredDraw, stated: &Guarantee) -> Result<()> {
    ensure!(Declared::from(stated).into_draw() == *draw, FORGED);
    Ok(())
}
