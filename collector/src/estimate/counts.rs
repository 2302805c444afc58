//! What was released, counted by group, period and law.

use std::collections::BTreeMap;
use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use textveil::DeclaredDraw;

use super::laws::{Counted, Knowledge, Law};
use super::period::Period;
use crate::reports::{Report, Stated};

/// Most groups times periods times laws: each holds numbers of all words.
const MOST_CELLS: usize = 10_000;

/// Whose releases are counted together: what the columns hold, and the period.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    pub(super) group: Vec<Option<String>>,
    pub(super) period: Option<String>,
}

/// The releases of a cell that were drawn alike.
pub(super) struct Part {
    /// The place of the law.
    pub(super) law: usize,
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
    pub(super) laws: Vec<(Rc<DeclaredDraw>, Law)>,
    pub(super) cells: BTreeMap<Cell, Vec<Part>>,
    /// Whether a draw followed from a seed.
    pub(super) is_seeded: bool,
}

impl Counts {
    pub(super) fn new(knowledge: Knowledge, every: Option<Period>) -> Self {
        Self { knowledge, every, laws: Vec::new(), cells: BTreeMap::new(), is_seeded: false }
    }

    /// Counts a release.
    ///
    /// # Errors
    /// It is not what is asked for, has no time, or is drawn in a way that nothing can be estimated from.
    pub(super) fn add(&mut self, report: Report) -> Result<()> {
        let Report { content, guarantee, is_seeded, columns, time, .. } = report;
        let Stated { draw, .. } = guarantee.context("it has no guarantee")?;
        let law = self.law(&draw)?;
        let period = match self.every {
            Some(every) => Some(every.of(&time.context("it has no time: name its column by --time")?)?),
            None => None,
        };
        let cells = self.cells.values().map(Vec::len).sum::<usize>();
        let parts = self.cells.entry(Cell { group: columns, period }).or_default();
        let place = match parts.iter().position(|part| part.law == law) {
            Some(place) => place,
            None => {
                ensure!(cells < MOST_CELLS, "there are more than {MOST_CELLS} groups and periods");
                parts.push(Part { law, counted: self.laws[law].1.counted(), reports: 0, releases: 0 });
                parts.len() - 1
            }
        };
        let part = &mut parts[place];
        part.reports += self.knowledge.count(&self.laws[law].1, &mut part.counted, &content)?;
        part.releases += 1;
        self.is_seeded |= is_seeded;
        Ok(())
    }

    /// The place of the law of a draw. How many words a release has is no matter of the law.
    fn law(&mut self, draw: &Rc<DeclaredDraw>) -> Result<usize> {
        let is_it = |(known, _): &(Rc<DeclaredDraw>, Law)| Rc::ptr_eq(known, draw) || known.is_like(draw);
        if let Some(place) = self.laws.iter().position(is_it) {
            return Ok(place);
        }
        let law = self.knowledge.law(draw)?;
        self.laws.push((Rc::clone(draw), law));
        Ok(self.laws.len() - 1)
    }
}
