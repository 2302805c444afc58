//! `textveil table build`: the English table from public inputs, the same bytes on every machine.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use textveil::Table;
use textveil_tables::English;
use textveil_toolkit::files::{check_place, is_same_place};

use crate::output::Output;

/// Build the English table
///
/// 1. The vocabulary: the most frequent words, contractions and numbers.
/// 2. A reference space: where the sentence encoder and WordNet's glosses place each word.
/// 3. Replacements: for each word a distribution over about 40 others that can stand for it.
/// 4. A fit: vectors of few dimensions, from which the exponential mechanism puts out those, as bytes.
/// 5. Levels: what the mechanisms do on the table.
///
/// The folder of inputs, which "cargo xtask table-inputs DIR" fills, holds
/// - encoder/model.safetensors, encoder/vocab.txt: the sentence encoder all-MiniLM-L6-v2
/// - wordfreq/large_en.msgpack.gz: the word frequencies of wordfreq 3
/// - wordnet/{data,index}.{noun,verb,adj,adv}, wordnet/{noun,verb,adj,adv}.exc and
///   wordnet/cntlist.rev: WordNet 3.0
/// - american-english: the spelling dictionary of Debian's package wamerican
/// - names/dist.{all.last,female.first,male.first}: the names of the United States' census of 1990
/// - vader/vader_lexicon.txt: the sentiment lexicon VADER
///
/// The same inputs and options give the same bytes, whatever the machine and the number of threads.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Build {
    /// Folder of inputs
    #[arg(long, value_name = "DIR")]
    inputs: PathBuf,
    #[command(flatten)]
    out: Output,
    /// Number of most frequent words. Contractions and numbers come on top
    #[arg(long, default_value_t = English::default().words as u32, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    words: u32,
    /// Dimensions of the vectors
    #[arg(long, default_value_t = English::default().dims as u16, value_parser = clap::value_parser!(u16).range(1..=Table::MAX_DIMS as i64))]
    dims: u16,
    /// How often the fit visits each word. 0 leaves the words on the reference's principal axes
    #[arg(long, default_value_t = English::default().epochs as u32)]
    epochs: u32,
    /// Also write a record of the build: inputs, parameters and output by SHA-256, as JSON
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Also write the vectors of the reference space, with all dimensions, along their principal axes:
    /// safetensors, a matrix "vectors" of F32 and the words in the metadata, as "table evaluate
    /// --against" and "table import" read them
    #[arg(long, value_name = "FILE")]
    float: Option<PathBuf>,
    /// Do not measure levels (they take a large part of the time)
    #[arg(long)]
    no_levels: bool,
}

impl Build {
    pub(crate) fn run(&self) -> Result<()> {
        let out = self.out.checked([])?;
        let mut written = vec![out];
        for path in [&self.record, &self.float].into_iter().flatten() {
            check_place(path)?;
            let is_taken = written.iter().any(|other| is_same_place(path, other));
            ensure!(!is_taken, "{} cannot hold two outputs", path.display());
            written.push(path);
        }
        let english = English {
            words: self.words as usize,
            dims: usize::from(self.dims),
            epochs: self.epochs as usize,
            levels: !self.no_levels,
        };
        let built = english.build(&self.inputs, self.float.as_deref())?;
        let (table, line) = built.write(out)?;
        if let Some(path) = &self.record {
            built.record(path, self.command(), &self.inputs, (out, &table))?;
        }
        Ok(writeln!(io::stdout(), "{line}")?)
    }

    /// The command, with the place of the inputs and of the output left open.
    fn command(&self) -> String {
        let levels = if self.no_levels { " --no-levels" } else { "" };
        let Self { words, dims, epochs, .. } = self;
        format!("textveil table build --inputs DIR --out FILE --words {words} --dims {dims} --epochs {epochs}{levels}")
    }
}
