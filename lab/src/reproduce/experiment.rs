//! What there is to say about a table or figure before it is computed.

use anyhow::Result;

use super::report::Report;
use super::run::Run;

/// A table or figure of a paper.
pub(crate) struct Experiment {
    /// The paper, in a word.
    pub(crate) paper: &'static str,
    /// Which of its tables or figures; nothing if there is but one.
    pub(crate) table: &'static str,
    /// What it shows, in a line.
    pub(crate) about: &'static str,
    /// The data sets that it reads.
    pub(crate) data: &'static [&'static str],
    /// Options that it takes in addition to those of every experiment: `table`, `words`, `encoder`, `share`,
    /// `tokens`, `at-most`, `only`.
    pub(crate) takes: &'static [&'static str],
    /// How often each number is computed; `None` where chance plays no part.
    pub(crate) runs: Option<Runs>,
    /// Whether its report has a drawing.
    pub(crate) has_plot: bool,
    /// Why ours differ from the paper's numbers.
    pub(crate) why: &'static str,
    /// Computes it.
    pub(crate) compute: fn(&Run<'_>) -> Result<Report>,
}

/// How often a number is computed, from other seeds.
#[derive(Clone, Copy)]
pub(crate) struct Runs {
    /// With `--quick`.
    pub(crate) quick: u32,
    /// The default number of runs.
    pub(crate) usual: u32,
    /// In the paper, if it says.
    pub(crate) paper: Option<u32>,
}

impl Experiment {
    /// "ome figure-3".
    pub(crate) fn name(&self) -> String {
        self.called(" ")
    }

    /// The start of a file's name, such as "ome-figure-3".
    pub(crate) fn file(&self) -> String {
        self.called("-")
    }

    fn called(&self, separator: &str) -> String {
        if self.table.is_empty() { self.paper.to_owned() } else { format!("{}{separator}{}", self.paper, self.table) }
    }
}
