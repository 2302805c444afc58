//! The file that a command makes.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Args;
use textveil_toolkit::files::check_output;

/// Where a command writes.
#[derive(Args)]
pub(crate) struct Output {
    /// The file to write. Without --force it must not be there yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Replace an --out that is already there
    #[arg(long)]
    force: bool,
}

impl Output {
    /// The path, unless it is an input or, without --force, a file. Commands call it before long work.
    pub(crate) fn checked<'a>(&self, inputs: impl IntoIterator<Item = Option<&'a PathBuf>>) -> Result<&Path> {
        let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
        check_output(&self.out, &inputs)?;
        ensure!(self.force || !self.out.is_file(), "{} is there already: --force replaces it", self.out.display());
        Ok(&self.out)
    }
}
