//! `textveil table import`: a table from vectors that others have trained.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use textveil::Table;
use textveil_tables::{Format, WordFrequencies};

use crate::output::Output;

/// How the input is written.
#[derive(Clone, Copy, ValueEnum)]
enum VectorFormat {
    /// A word and its values on each line
    Glove,
    /// Text or binary, with a header line of two numbers
    Word2vec,
    /// The text format (.vec), with a header line of two numbers
    Fasttext,
    /// One F32 matrix, a row a word
    Safetensors,
}

impl From<VectorFormat> for Format {
    fn from(format: VectorFormat) -> Self {
        match format {
            VectorFormat::Glove => Self::Glove,
            VectorFormat::Word2vec => Self::Word2vec,
            VectorFormat::Fasttext => Self::Fasttext,
            VectorFormat::Safetensors => Self::Safetensors,
        }
    }
}

/// Words of a table, at most, as an option.
const MAX_WORDS: u32 = Table::MAX_ROWS as u32;

/// Make a table from trained vectors
///
/// Text files may be gzipped. Words are lower-cased and brought to Unicode's form NFKC. Of several that
/// become the same word the first is kept. Rows that a text can never contain as one word are left out: more
/// than 63 bytes, white space, control characters, punctuation, hyphenated words, addresses, numbers of seven
/// digits. Vectors are reduced to their principal axes if fewer dimensions are asked for, scaled to length 1
/// unless told otherwise, and rounded to int8 on one scale. No two rows are left alike.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Import {
    /// File of vectors
    input: PathBuf,
    #[command(flatten)]
    out: Output,
    /// Format of the input. Without it, its name and first line decide
    #[arg(long)]
    format: Option<VectorFormat>,
    /// Keep only the words of this file (one a line, lower-cased)
    #[arg(long, value_name = "FILE")]
    vocabulary: Option<PathBuf>,
    /// Keep at most this many words, the first of the file
    #[arg(long, default_value_t = MAX_WORDS, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_WORDS)))]
    limit: u32,
    /// Reduce to this many dimensions
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u16).range(1..=Table::MAX_DIMS as i64))]
    dims: Option<u16>,
    /// Keep the lengths of the vectors
    #[arg(long)]
    no_normalize: bool,
    /// The words of a safetensors matrix, one a line, where its metadata do not hold them
    #[arg(long, value_name = "FILE")]
    words_file: Option<PathBuf>,
    /// Counts of words (a word and a number on each line), for the frequencies in the table
    #[arg(long, value_name = "FILE", conflicts_with = "ranked")]
    frequencies: Option<PathBuf>,
    /// The input lists words by falling frequency: estimate frequencies by Zipf's law
    #[arg(long)]
    ranked: bool,
    /// Classes of words (a word, a tab and its class on each line). Words that are not listed are "other"
    #[arg(long, value_name = "FILE")]
    classes: Option<PathBuf>,
    /// Language. The built-in lists of function words and of words never offered are for English ("en")
    #[arg(long, default_value = "en", value_name = "CODE")]
    language: String,
    /// Name of the table
    #[arg(long, default_value = "imported")]
    name: String,
    /// Where the vectors come from, for the table's description
    #[arg(long, default_value = "unknown")]
    source: String,
    /// Licence of the vectors, for the table's description
    #[arg(long, default_value = "unknown")]
    license: String,
    /// Do not measure levels (for large vocabularies, that takes minutes)
    #[arg(long)]
    no_levels: bool,
}

impl Import {
    pub(crate) fn run(self) -> Result<()> {
        let lists = [&self.vocabulary, &self.words_file, &self.frequencies, &self.classes].map(Option::as_ref);
        let out = self.out.checked([Some(&self.input)].into_iter().chain(lists))?;
        let frequencies = match self.frequencies {
            Some(counts) => WordFrequencies::Counts(counts),
            None if self.ranked => WordFrequencies::Ranked,
            None => WordFrequencies::Unknown,
        };
        let import = textveil_tables::Import {
            input: self.input,
            format: self.format.map(Format::from),
            vocabulary: self.vocabulary,
            limit: self.limit as usize,
            dims: self.dims.map(usize::from),
            normalize: !self.no_normalize,
            words_file: self.words_file,
            frequencies,
            classes: self.classes,
            language: self.language,
            name: self.name,
            source: self.source,
            license: self.license,
            levels: !self.no_levels,
        };
        let lines = import.make()?.write(out)?;
        Ok(writeln!(io::stdout(), "{lines}")?)
    }
}
