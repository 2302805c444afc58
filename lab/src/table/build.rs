//! `textveil table build`: the English table from public inputs, the same bytes on every machine.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use ndarray::s;
use textveil::Table;

use super::classify::Classifier;
use super::encoder::Encoder;
use super::fit::{self, Settings};
use super::frequency::Frequencies;
use super::lexicons::{Names, Ratings};
use super::pca::Axes;
use super::record::{FileIdentity, Record, TableSummary};
use super::reference::Plan;
use super::rows::unit_rows;
use super::targets::Relations;
use super::vectors::Vectors;
use super::wordnet::WordNet;
use super::writer::Draft;
use super::{apart, levels, polarity, vocabulary};
use crate::toolkit::files::check_place;
use crate::toolkit::progress;

/// No two words are nearer than this, where the sphere's diameter is 2: farther, and replacements become worse.
const LEAST_DISTANCE: f64 = 0.08;

/// The files in the folder of inputs, as read and as recorded.
const INPUTS: [&str; 21] = [
    "american-english",
    "encoder/model.safetensors",
    "encoder/vocab.txt",
    "names/dist.all.last",
    "names/dist.female.first",
    "names/dist.male.first",
    "vader/vader_lexicon.txt",
    "wordfreq/large_en.msgpack.gz",
    "wordnet/adj.exc",
    "wordnet/adv.exc",
    "wordnet/cntlist.rev",
    "wordnet/data.adj",
    "wordnet/data.adv",
    "wordnet/data.noun",
    "wordnet/data.verb",
    "wordnet/index.adj",
    "wordnet/index.adv",
    "wordnet/index.noun",
    "wordnet/index.verb",
    "wordnet/noun.exc",
    "wordnet/verb.exc",
];

/// Build the English table
///
/// 1. The vocabulary: the most frequent words, contractions and numbers.
/// 2. A reference space: where the sentence encoder and WordNet's glosses place each word.
/// 3. Replacements: for each word a distribution over about 40 others that can stand for it.
/// 4. A fit: vectors of few dimensions, from which the exponential mechanism puts out those; then bytes.
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
    /// Table file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of most frequent words; contractions and numbers come on top
    #[arg(long, default_value_t = 32_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    words: u32,
    /// Dimensions of the vectors
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=Table::MAX_DIMS as i64))]
    dims: u16,
    /// How often the fit visits each word; 0 leaves the words on the reference's principal axes
    #[arg(long, default_value_t = Settings::default().epochs as u32)]
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
        let input = |name: &str| self.inputs.join(name);
        let missing: Vec<&str> = INPUTS.into_iter().filter(|name| !input(name).is_file()).collect();
        let folder = self.inputs.display();
        ensure!(
            missing.is_empty(),
            "{folder} lacks {}: `cargo xtask table-inputs {folder}` fetches all inputs",
            missing.join(", ")
        );
        [Some(&self.out), self.record.as_ref(), self.float.as_ref()]
            .into_iter()
            .flatten()
            .try_for_each(|path| check_place(path))?;

        let frequencies = Frequencies::load(&input("wordfreq/large_en.msgpack.gz"))?;
        let words = vocabulary::english(&frequencies, self.words as usize)?;
        let dictionary = fs::read_to_string(input("american-english")).context("cannot read american-english")?;
        let wordnet = WordNet::load(&input("wordnet"), &dictionary)?;
        let names = Names::load(&input("names"))?;
        let ratings = Ratings::load(&input("vader/vader_lexicon.txt"))?;
        let classes = Classifier::new(&wordnet, &names, &ratings, &dictionary).partition(&words)?;
        let plan = Plan::new(&words, &wordnet, &dictionary);
        let encoder = Encoder::load(&input("encoder"))?;

        let bar = progress::bar("encoding", plan.len());
        let reference = plan.encode(&encoder, &bar);
        bar.finish();
        let coordinates = Axes::of(&reference).project(&reference, reference.ncols());
        if let Some(path) = &self.float {
            let words = words.iter().map(|word| word.text.clone()).collect();
            Vectors { words, rows: coordinates.clone() }.write(path)?;
        }

        let polarity = polarity::of(&words, &ratings, &coordinates);
        let bar = progress::bar("replacements", words.len());
        let targets = Relations::new(&words, &wordnet, &polarity).targets(&reference, &bar);
        bar.finish();

        let dims = usize::from(self.dims).min(coordinates.ncols());
        let mut start = coordinates.slice(s![.., ..dims]).to_owned();
        unit_rows(&mut start);
        let settings = Settings { epochs: self.epochs as usize, ..Settings::default() };
        let bar = progress::bar("fitting", fit::steps(words.len(), &settings));
        let fitted = fit::fit(&start, &targets, &settings, &bar);
        bar.finish();
        let lattice = apart::lattice(fitted.vectors, LEAST_DISTANCE)?;
        let mut draft = Draft { words, lattice, levels: Vec::new(), classes: Some(classes), meta: meta() };

        if !self.no_levels {
            let bar = progress::bar("measuring levels", 0);
            draft.levels = levels::measure(&draft.encode()?.1, levels::DRAWS, &bar)?;
            bar.finish();
        }
        let (table, line) = draft.write(&self.out)?;

        if let Some(path) = &self.record {
            self.write_record(path, TableSummary::of(&table, draft.lattice.moved, fitted.losses))?;
        }
        Ok(writeln!(io::stdout(), "{line}")?)
    }

    fn write_record(&self, path: &PathBuf, table: TableSummary) -> Result<()> {
        let record = Record {
            tool: format!("textveil {}", env!("CARGO_PKG_VERSION")),
            command: self.command(),
            inputs: INPUTS.iter().map(|name| FileIdentity::of(&self.inputs.join(name), name)).collect::<Result<_>>()?,
            output: FileIdentity::of(&self.out, &self.out.file_name().unwrap_or_default().to_string_lossy())?,
            table,
        };
        let json = serde_json::to_string_pretty(&record)? + "\n";
        fs::write(path, json).with_context(|| format!("cannot write {}", path.display()))
    }

    fn command(&self) -> String {
        let levels = if self.no_levels { " --no-levels" } else { "" };
        let Self { words, dims, epochs, .. } = self;
        format!("textveil table build --inputs DIR --out FILE --words {words} --dims {dims} --epochs {epochs}{levels}")
    }
}

fn meta() -> Vec<(&'static str, String)> {
    let lines = [
        ("name", "english"),
        ("language", "en"),
        ("source", "all-MiniLM-L6-v2; WordNet 3.0; wordfreq 3; SCOWL (wamerican); US census of 1990 (names); VADER"),
        ("license", "CC-BY-SA-4.0; attribution in NOTICE.md"),
    ];
    lines.map(|(key, value)| (key, value.to_owned())).into()
}
