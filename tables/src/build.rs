//! The English table from public inputs, the same bytes on every machine.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
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
use textveil_toolkit::progress;

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

/// How the English table is made. The same inputs and settings give the same bytes, whatever the machine and the number
/// of threads.
pub struct English {
    /// Number of most frequent words; contractions and numbers come on top.
    pub words: usize,
    /// Dimensions of the vectors.
    pub dims: usize,
    /// How often the fit visits each word; 0 leaves the words on the reference's principal axes.
    pub epochs: usize,
    /// Whether the table states what the mechanisms do on it. To measure that takes a large part of the time.
    pub levels: bool,
}

impl Default for English {
    fn default() -> Self {
        Self { words: 32_000, dims: 24, epochs: Settings::default().epochs, levels: true }
    }
}

/// A table that was made and not yet written.
pub struct Built {
    draft: Draft,
    losses: Vec<f64>,
}

impl English {
    /// Makes the table of a folder of inputs. Also writes the vectors of the reference space to `float`, if asked to.
    ///
    /// # Errors
    /// An input that is not there or cannot be read; what cannot be written.
    pub fn build(&self, inputs: &Path, float: Option<&Path>) -> Result<Built> {
        let input = |name: &str| inputs.join(name);
        let missing: Vec<&str> = INPUTS.into_iter().filter(|name| !input(name).is_file()).collect();
        let folder = inputs.display();
        ensure!(
            missing.is_empty(),
            "{folder} lacks {}: `cargo xtask table-inputs {folder}` fetches all inputs",
            missing.join(", ")
        );
        let frequencies = Frequencies::load(&input("wordfreq/large_en.msgpack.gz"))?;
        let words = vocabulary::english(&frequencies, self.words)?;
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
        if let Some(path) = float {
            let words = words.iter().map(|word| word.text.clone()).collect();
            Vectors { words, rows: coordinates.clone() }.write(path)?;
        }

        let polarity = polarity::of(&words, &ratings, &coordinates);
        let bar = progress::bar("replacements", words.len());
        let targets = Relations::new(&words, &wordnet, &polarity).targets(&reference, &bar);
        bar.finish();

        let dims = self.dims.min(coordinates.ncols());
        let mut start = coordinates.slice(s![.., ..dims]).to_owned();
        unit_rows(&mut start);
        let settings = Settings { epochs: self.epochs, ..Settings::default() };
        let bar = progress::bar("fitting", fit::steps(words.len(), &settings));
        let fitted = fit::fit(&start, &targets, &settings, &bar);
        bar.finish();
        let lattice = apart::lattice(fitted.vectors, LEAST_DISTANCE)?;
        let mut draft = Draft { words, lattice, levels: Vec::new(), classes: Some(classes), meta: meta() };

        if self.levels {
            let bar = progress::bar("measuring levels", 0);
            draft.levels = levels::measure(&draft.encode()?.1, levels::DRAWS, &bar)?;
            bar.finish();
        }
        Ok(Built { draft, losses: fitted.losses })
    }
}

impl Built {
    /// Writes the table. Returns it with a line for the person who asked for it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, out: &Path) -> Result<(Table, String)> {
        self.draft.write(out)
    }

    /// Writes the record of the build: inputs, command and output by SHA-256, as JSON.
    ///
    /// # Errors
    /// An input or the output cannot be read; the record cannot be written.
    pub fn record(&self, path: &Path, command: String, inputs: &Path, (out, table): (&Path, &Table)) -> Result<()> {
        let record = Record {
            tool: format!("textveil {}", env!("CARGO_PKG_VERSION")),
            command,
            inputs: INPUTS.iter().map(|name| FileIdentity::of(&inputs.join(name), name)).collect::<Result<_>>()?,
            output: FileIdentity::of(out, &out.file_name().unwrap_or_default().to_string_lossy())?,
            table: TableSummary::of(table, self.draft.lattice.moved, self.losses.clone()),
        };
        let json = serde_json::to_string_pretty(&record)? + "\n";
        fs::write(path, json).with_context(|| format!("cannot write {}", path.display()))
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
