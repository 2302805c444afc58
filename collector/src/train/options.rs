//! How releases are read, the same for training and for predicting.

use std::path::PathBuf;

use clap::Args;

use crate::reports::{Releases, Wanted};

#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    pub(super) releases: Releases,
    /// Take rows that were drawn unlike each other, or from another table. The weakest guarantee is stated
    #[arg(long)]
    pub(super) allow_mixed: bool,
    /// Take releases without a guarantee. Nothing is promised then
    #[arg(long)]
    pub(super) without_guarantee: bool,
    /// The table that texts are read by, instead of the built-in English table
    #[arg(long, value_name = "FILE")]
    pub(super) table: Option<PathBuf>,
}

impl Options {
    /// What is asked of each row: the release, and the label if there is a column with it.
    pub(super) fn wanted(&self, label: Option<&str>) -> Wanted {
        let columns = label.into_iter().map(str::to_owned).collect();
        Wanted { releases: self.releases.clone(), columns, ..Wanted::default() }
    }
}
