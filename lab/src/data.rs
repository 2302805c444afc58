//! `textveil-lab data`: the data sets of the papers' experiments, which nobody may ship and anybody may check.
//!
//! They are not part of this repository. A [`manifest`] names each file by its digest, so that every computer has the
//! same texts. [`check`] says which files a folder has, and a [`Library`] reads no other file.

mod authors;
mod check;
mod columns;
mod manifest;
mod sets;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};

pub(crate) use authors::{Authors, NO_WORD};
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
    /// Each file is compared with its SHA-256, its rows and labels are counted, and the counts are compared against
    /// what the papers state. Fails if a file is missing or altered.
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

/// What a file holds that zstd has packed.
///
/// # Errors
/// It cannot be read.
pub(crate) fn unpacked(path: &Path) -> Result<zstd::Decoder<'static, BufReader<File>>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut decoder = zstd::Decoder::new(file)?;
    decoder.window_log_max(27)?;
    Ok(decoder)
}

/// What a file of a set holds, packed or not.
fn reader(path: &Path) -> Result<Box<dyn BufRead>> {
    if path.extension().is_some_and(|extension| extension == "zst") {
        return Ok(Box::new(BufReader::new(unpacked(path)?)));
    }
    textveil_toolkit::files::reader(path)
}
