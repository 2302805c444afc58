//! What was released, counted by group and period.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use textveil::DeclaredDraw;
use textveil_estimate::{Counted, Knowledge, Law, Released};
use textveil_toolkit::progress::bar;

use super::period::Period;
use crate::reports::{Content, Report, Stated};

/// Whose releases are counted together: what the columns hold, and the period.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    pub(super) group: Vec<Option<String>>,
    pub(super) period: Option<String>,
}

/// The releases of a cell.
pub(super) struct Part {
    pub(super) counted: Counted,
    /// Words, statements or choices.
    pub(super) reports: u64,
    /// Texts.
    pub(super) releases: u64,
}

/// All that was counted.
pub(super) struct Counts {
    pub(super) knowledge: Knowledge,
    every: Option<Period>,
    /// How the first release was drawn, and so all of them.
    pub(super) law: Option<(Arc<DeclaredDraw>, Law)>,
    /// That of releases before: to build it takes long.
    known: Option<Law>,
    /// The guarantee that was checked last.
    checked: Option<Arc<DeclaredDraw>>,
    pub(super) cells: BTreeMap<Cell, Part>,
    /// Whether a draw followed from a seed.
    pub(super) is_seeded: bool,
}

impl Counts {
    pub(super) fn new(knowledge: Knowledge, every: Option<Period>) -> Self {
        Self { knowledge, every, law: None, known: None, checked: None, cells: BTreeMap::new(), is_seeded: false }
    }

    /// Nothing counted yet of the same. What is known of a law stays.
    pub(super) fn emptied(self) -> Self {
        let known = self.law.map(|(_, law)| law).or(self.known);
        Self { known, ..Self::new(self.knowledge, self.every) }
    }

    /// Counts the releases of a row.
    ///
    /// # Errors
    /// They are not what is asked for, have no time, were drawn unlike those before them, or in a way that nothing can be
    /// estimated from; or they are too many to be counted.
    pub(super) fn add(&mut self, report: Report) -> Result<()> {
        let Report { content, guarantee, is_seeded, columns, time, count, .. } = report;
        let Stated { draw, is_of_file, columns: of_columns } = guarantee.context("it has no guarantee")?;
        self.check(&draw)?;
        let (_, law) = self.law.as_ref().context("it has no guarantee")?;
        let period = match self.every {
            Some(every) => {
                Some(every.of(&time.context("it has no time: name its column by --time, or see that it has one")?)?)
            }
            None => None,
        };
        let cell = Cell { group: columns, period };
        // Of words, each has a number for every word of the table.
        let most_cells = if self.knowledge.is_counted_out() { 10_000 } else { 1_000 };
        ensure!(
            self.cells.len() < most_cells || self.cells.contains_key(&cell),
            "there are more than {most_cells} groups and periods"
        );
        let part = self.cells.entry(cell).or_insert_with(|| Part { counted: law.counted(), reports: 0, releases: 0 });
        // The guarantee of a file is about all its columns that were released, and about the row with the most words.
        let most = draw.losses.words as usize;
        let expected = if is_of_file && self.knowledge.is_counted_out() { most / of_columns.max(1) } else { most };
        let bits;
        let released = match &content {
            Content::Text(text) => Released::Text(text),
            Content::Statements(statements) => Released::Statements(statements),
            Content::Bits(rows) => {
                let [row] = &rows[..] else { bail!("it is not the report of one choice") };
                bits = row.iter().map(|bit| *bit > 0.5).collect::<Vec<_>>();
                Released::Bits(&bits)
            }
            Content::Vectors(_) => bail!("it holds no {}", self.knowledge.counted()),
        };
        part.reports += self.knowledge.count(law, &mut part.counted, (released, expected, count))?;
        part.releases += count;
        self.is_seeded |= is_seeded;
        Ok(())
    }

    /// # Errors
    /// The release was drawn unlike those before it, or its guarantee is not what textveil states.
    fn check(&mut self, draw: &Arc<DeclaredDraw>) -> Result<()> {
        if self.checked.as_ref().is_some_and(|checked| Arc::ptr_eq(checked, draw)) {
            return Ok(());
        }
        match &self.law {
            Some((first, law)) => {
                let has_as_many = first.losses.words == draw.losses.words || !self.knowledge.is_counted_out();
                ensure!(
                    first.is_like(draw) && has_as_many,
                    "it was drawn unlike the releases before it: {} instead of {}. Estimate each kind by itself",
                    shown(draw),
                    shown(first)
                );
                law.check(draw)?;
            }
            None => {
                let build = || {
                    let progress = bar("questions", self.knowledge.most_steps());
                    let law = self.knowledge.law(draw, &|| progress.inc(1));
                    progress.finish_and_clear();
                    law
                };
                let known = self.known.take().filter(|law| law.check(draw).is_ok());
                self.law = Some((Arc::clone(draw), known.map_or_else(build, Ok)?));
            }
        }
        self.checked = Some(Arc::clone(draw));
        Ok(())
    }
}

/// "nearest, epsilon 8".
fn shown(draw: &DeclaredDraw) -> String {
    let epsilon =
        draw.losses.epsilon_word.map_or_else(|| "no bound".to_owned(), |epsilon| format!("epsilon {epsilon:.4}"));
    format!("{}, {epsilon}, {} a release", draw.terms.mechanism, draw.losses.words)
}
