//! `textveil-collector export`: all that a database holds, as lines that `estimate` and `train` read.

use std::io::{BufWriter, Write, stdout};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::reports::each_stored;

/// Print all that a collector holds, as JSON lines, the oldest first
///
/// A line has the number of the submission, the day, the field, its text and its guarantee. A public field has no
/// guarantee. A collector may take in more meanwhile.
#[derive(Args)]
pub(crate) struct Export {
    /// The database of a collector: its file, or postgres://USER@HOST/DATABASE with the password in PGPASSWORD or ~/.pgpass
    #[arg(value_name = "DATABASE")]
    database: PathBuf,
}

impl Export {
    pub(crate) fn run(&self) -> Result<()> {
        let mut out = BufWriter::new(stdout().lock());
        each_stored(&self.database, &mut |row| Ok(writeln!(out, "{row}")?))?;
        Ok(out.flush()?)
    }
}
