//! `textveil table distill`: a small text encoder from public inputs, the same bytes on every machine.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use textveil::Table;
use textveil_tables::Distillation;

use crate::output::Output;

/// Distil a small text encoder from a large one
///
/// A text encoder is a table. The vector of a text is the sum of the vectors of its words, and only its direction counts.
/// all-MiniLM-L6-v2 reads the examples of use in WordNet, and bags of words. The vectors of the words are fitted so that
/// their sums point where that encoder places the texts. One more number of each word is its polarity, which a negation
/// turns: how far it lies in the direction in which WordNet's opposites lie apart.
///
/// The folder of inputs is that of "table build". The names and the sentiment lexicon in it are not read.
///
/// The same inputs and options give the same bytes, whatever the machine and the number of threads.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Distill {
    /// Folder of inputs
    #[arg(long, value_name = "DIR")]
    inputs: PathBuf,
    #[command(flatten)]
    out: Output,
    /// Number of most frequent words. Contractions and numbers come on top
    #[arg(long, default_value_t = Distillation::default().words as u32, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    words: u32,
    /// Dimensions of the vectors, without the polarity
    #[arg(long, default_value_t = Distillation::default().dims as u16, value_parser = clap::value_parser!(u16).range(1..=Table::MAX_DIMS as i64))]
    dims: u16,
    /// Bags of words that are read besides the examples
    #[arg(long, default_value_t = Distillation::default().bags as u32)]
    bags: u32,
    /// How often the fit visits each text
    #[arg(long, default_value_t = Distillation::default().epochs as u32)]
    epochs: u32,
    /// The seed of the bags and of the order of all texts
    #[arg(long, default_value_t = Distillation::default().seed, value_name = "N")]
    seed: u64,
}

impl Distill {
    pub(crate) fn run(&self) -> Result<()> {
        let out = self.out.checked([])?;
        let recipe = Distillation {
            words: self.words as usize,
            dims: usize::from(self.dims),
            bags: self.bags as usize,
            epochs: self.epochs as usize,
            seed: self.seed,
        };
        let distilled = recipe.distill(&self.inputs)?;
        let (_, line) = distilled.write(out)?;
        let last = distilled.cosines.last().map_or_else(String::new, |cosine| format!(", mean cosine {cosine:.4}"));
        Ok(writeln!(io::stdout(), "{line}{last}")?)
    }
}
