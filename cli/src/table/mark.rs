//! `textveil table mark`: which words of an English table are offered, which are names, which are inflected.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::output::Output;

/// Mark which words of an English table are offered, which are names and which are inflected forms
///
/// Rows that are no words, rare names and brands are never offered. Vectors, classes and certified channels stay as
/// they are. The shares of words that levels and channels keep are measured anew. The folder of inputs is that of
/// "table build". The encoder and the frequencies are not read.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Mark {
    /// Table file, as "table build" or "table certify" writes it
    table: PathBuf,
    /// Folder of inputs
    #[arg(long, value_name = "DIR")]
    inputs: PathBuf,
    #[command(flatten)]
    out: Output,
    /// Also add to the record of the table's build how it was marked
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

impl Mark {
    pub(crate) fn run(&self) -> Result<()> {
        let out = self.out.checked([Some(&self.table), self.record.as_ref()])?;
        let line = textveil_tables::mark(&self.table, &self.inputs, out, self.record.as_deref())?;
        Ok(writeln!(io::stdout(), "{line}")?)
    }
}
