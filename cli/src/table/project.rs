//! `textveil table project`: a text encoder for one subject, in few dimensions.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use textveil_toolkit::words::lines;

use crate::output::Output;
use crate::statements::EncoderOption;

/// Make a text encoder for one subject, in few dimensions
///
/// A noisy vector of a text ("textveil represent --unit whole-text") tells most in few dimensions, if they are those in
/// which texts of its subject differ. They are found from public texts on the subject, or from a list of statements.
/// The file gives away what it learned from them. Use it instead of the built-in text encoder.
#[derive(Args)]
pub(crate) struct Project {
    /// Public texts on the subject, one a line. Blank lines, and lines that begin with #, are skipped
    #[arg(required = true, value_name = "FILES")]
    texts: Vec<PathBuf>,
    #[command(flatten)]
    encoder: EncoderOption,
    /// Dimensions, from 3 up. The polarity of the built-in encoder comes on top
    #[arg(long, default_value_t = 6, value_name = "N")]
    dims: usize,
    #[command(flatten)]
    out: Output,
}

impl Project {
    pub(crate) fn run(&self) -> Result<()> {
        let inputs = self.texts.iter().map(Some).chain([self.encoder.file()]);
        let out = self.out.checked(inputs)?;
        let texts = self.texts.iter().map(|path| lines(path, true)).collect::<Result<Vec<_>>>()?.concat();
        let (_, line) = textveil_tables::project(&self.encoder.load()?, &texts, self.dims, out)?;
        Ok(writeln!(io::stdout(), "{line}")?)
    }
}
