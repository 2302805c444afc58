//! The files that a command makes.

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
    /// The path, unless [`check`] refuses it.
    pub(crate) fn checked<'a>(&self, inputs: impl IntoIterator<Item = Option<&'a PathBuf>>) -> Result<&Path> {
        check(&self.out, inputs, self.force)?;
        Ok(&self.out)
    }
}

/// Refuses an output that is an input or, without --force, a file. Commands call it before long work.
pub(crate) fn check<'a>(
    output: &Path,
    inputs: impl IntoIterator<Item = Option<&'a PathBuf>>,
    is_forced: bool,
) -> Result<()> {
    let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
    check_output(output, &inputs)?;
    ensure!(is_forced || !output.is_file(), "{} is there already: --force replaces it", output.display());
    Ok(())
}
