//! `textveil-lab data`: the data sets of the papers' experiments, which nobody may ship and anybody may check.
//!
//! None of them is part of this repository. A [`manifest`] names each file by its digest, so that a number is
//! known to be about the same texts wherever it is computed: [`check`] says what a folder has of them, and a
//! [`Library`] reads nothing else.

mod authors;
mod check;
mod columns;
mod manifest;
mod sets;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

pub(crate) use authors::{Authors, NO_WORD, unpacked};
pub(crate) use columns::Columns;
pub(crate) use sets::{Example, Library, Set};

/// Data sets for tests.
#[cfg(test)]
pub(crate) mod toy {
    pub(crate) use super::manifest::Split;
    pub(crate) use super::sets::tests::Toy;
}

/// Check the data sets of the papers' experiments
#[derive(Args)]
pub(crate) struct Data {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Say which files of the papers' data sets a folder has, and whether they are the ones
    ///
    /// Each file is held against its SHA-256, its rows and labels are counted, and the counts are held
    /// against what the papers state. Fails if a file is missing or altered.
    Check {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

impl Data {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let Command::Check { folder, json } = &self.command;
        check::run(folder, *json)
    }
}
