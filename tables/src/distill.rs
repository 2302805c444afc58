//! A small encoder of texts, distilled from a large one.
//!
//! A text encoder is a table. The vector of a text is the sum of the vectors of its words (`sums`), and only its direction
//! counts. So the length of a row says how much its word weighs, and nothing else has to be stored.
//!
//! 1. The large encoder reads sentences. Their vectors are cut to the axes along which examples of use differ most.
//! 2. The rows start where the large encoder places the words alone, by the map that suits the sentences best, each as
//!    long as its word is rare (`start`).
//! 3. The rows are moved until their sums point where the sentences do (`descent`).
//! 4. The coordinates are rounded to a few steps: a file of few different bytes is compressed well.
//! 5. One more coordinate is the polarity of a word, which a negation turns (`negation`).

mod descent;
mod negation;
mod sentences;
mod start;

use std::path::Path;

use anyhow::{Result, ensure};
use ndarray::{Array2, s};
use rayon::prelude::*;
use textveil::{Table, TextEncoder, normalize};

use super::encoder::Encoder;
use super::frequency::Frequencies;
use super::pca::Axes;
use super::quantize::Lattice;
use super::record::FileIdentity;
use super::rows::unit_rows;
use super::vocabulary::{self, Word};
use super::wordnet::WordNet;
use super::writer::Draft;
use descent::{Lesson, Rows, Settings};
pub use sentences::general as general_sentences;
use textveil_toolkit::progress;

/// What of the inputs is read.
const INPUTS: [&str; 8] = [
    "encoder/model.safetensors",
    "encoder/vocab.txt",
    "american-english",
    "wordfreq/large_en.msgpack.gz",
    "wordnet/data.adj",
    "wordnet/data.adv",
    "wordnet/data.noun",
    "wordnet/data.verb",
];
/// The root of the mean square of all coordinates, in steps.
const STEPS: f64 = 1.5;

/// How a text encoder is made. The same inputs and settings give the same bytes, whatever the machine and the number of
/// threads.
pub struct Distillation {
    /// Number of most frequent words; contractions and numbers come on top.
    pub words: usize,
    /// Dimensions of the vectors, without the polarity.
    pub dims: usize,
    /// Bags of words that are read in addition to the examples.
    pub bags: usize,
    /// How often the fit visits each sentence.
    pub epochs: usize,
    /// What the bags and the order of all sentences follow from.
    pub seed: u64,
}

impl Default for Distillation {
    fn default() -> Self {
        Self { words: 26_000, dims: 128, bags: 40_000, epochs: Settings::default().epochs, seed: 0 }
    }
}

/// A text encoder that was made and not yet written.
pub struct Distilled {
    draft: Draft,
    /// The mean cosine of sums and sentences in each epoch.
    pub cosines: Vec<f64>,
}

impl Distillation {
    /// Makes the text encoder of a folder of inputs.
    ///
    /// # Errors
    /// An input that is not there or cannot be read.
    pub fn distill(&self, inputs: &Path) -> Result<Distilled> {
        let missing: Vec<&str> = INPUTS.into_iter().filter(|name| !inputs.join(name).is_file()).collect();
        let folder = inputs.display();
        ensure!(
            missing.is_empty(),
            "{folder} lacks {}: `cargo xtask table-inputs {folder}` fetches all inputs",
            missing.join(", ")
        );
        let frequencies = Frequencies::load(&inputs.join("wordfreq/large_en.msgpack.gz"))?;
        let words = vocabulary::english(&frequencies, self.words)?;
        let wordnet = sentences::wordnet(inputs)?;
        let encoder = Encoder::load(&inputs.join("encoder"))?;
        let identity = |name: &&str| Ok(format!("{} {}", FileIdentity::of(&inputs.join(name), name)?.sha256, name));
        let digests = INPUTS.iter().map(identity).collect::<Result<Vec<_>>>()?;
        let mut distilled = self.of(words, &wordnet, |texts| embedded(&encoder, texts))?;
        distilled.draft.meta = self.meta(&digests, distilled.draft.meta);
        Ok(distilled)
    }

    /// The same of words, ascending, with a large encoder: a vector for each text.
    fn of(&self, words: Vec<Word>, wordnet: &WordNet, embed: impl Fn(&[String]) -> Array2<f64>) -> Result<Distilled> {
        let spelled = words_alone(&words)?;
        let mut texts = sentences::examples(wordnet);
        let examples = texts.len();
        texts.extend(sentences::bags(&words, self.bags, self.seed));
        let rows_of =
            |text: &String| Ok(spelled.rows(&normalize(text))?.iter().map(|(row, _)| row.row() as u32).collect());
        let rows: Vec<Vec<u32>> = texts.par_iter().map(rows_of).collect::<Result<_>>()?;

        let mut wanted = embed(&texts);
        unit_rows(&mut wanted);
        let axes = Axes::of(&wanted.slice(s![..examples, ..]).to_owned());
        let mut wanted = axes.project(&wanted, self.dims);
        unit_rows(&mut wanted);
        // A text without a known word teaches nothing.
        let known: Vec<usize> = (0..texts.len()).filter(|text| !rows[*text].is_empty()).collect();
        let wanted = wanted.select(ndarray::Axis(0), &known);
        let rows: Vec<&[u32]> = known.iter().map(|text| rows[*text].as_slice()).collect();

        let alone = embed(&words.iter().map(|word| word.text.clone()).collect::<Vec<_>>());
        let start = start::rows(alone, words.iter().map(|word| word.zipf), &rows, &wanted);
        let lesson = |(rows, wanted): (&&[u32], ndarray::ArrayView1<'_, f64>)| Lesson {
            rows: rows.to_vec(),
            direction: wanted.iter().map(|x| *x as f32).collect(),
        };
        let lessons: Vec<Lesson> = rows.iter().zip(wanted.rows()).map(lesson).collect();
        let mut fitted = Rows { dims: start.ncols(), values: start.iter().map(|x| *x as f32).collect() };
        let settings = Settings { epochs: self.epochs, seed: self.seed, ..Settings::default() };
        let progress = progress::bar("fitting", descent::steps(lessons.len(), &settings));
        let cosines = descent::descend(&mut fitted, &lessons, &settings, &progress);
        progress.finish_and_clear();
        let mut lattice = rounded(&fitted)?;
        lattice.rows = negation::with_polarity(&lattice.rows, &words, wordnet);
        let meta = std::iter::once(kind()).chain(negation::words(&words)).collect();
        Ok(Distilled { draft: Draft { words, lattice, levels: Vec::new(), classes: None, meta }, cosines })
    }

    fn meta(&self, digests: &[String], known: Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
        let Self { words, dims, bags, epochs, seed } = self;
        let line = |key, value: &str| (key, value.to_owned());
        let described = [
            line("name", "english-text"),
            line("language", "en"),
            line("source", "all-MiniLM-L6-v2; WordNet 3.0; wordfreq 3; SCOWL (wamerican)"),
            line("license", "CC-BY-SA-4.0; attribution in NOTICE.md"),
            ("recipe", format!("words {words}, dims {dims}, bags {bags}, epochs {epochs}, seed {seed}")),
            ("inputs", digests.join("; ")),
        ];
        known.into_iter().chain(described).collect()
    }
}

impl Distilled {
    /// Writes the text encoder. Returns it with a line for the person who asked for it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, out: &Path) -> Result<(Table, String)> {
        self.draft.write(out)
    }
}

/// A table of words whose vectors say nothing, to look words up in.
fn words_alone(words: &[Word]) -> Result<TextEncoder> {
    let lattice = Lattice { rows: Array2::zeros((words.len(), 1)), scale: 1.0, moved: 0 };
    let meta = vec![kind()];
    let draft = Draft { words: words.to_vec(), lattice, levels: Vec::new(), classes: None, meta };
    Ok(TextEncoder::new(draft.encode()?.1)?)
}

fn embedded(encoder: &Encoder, texts: &[String]) -> Array2<f64> {
    let progress = progress::bar("encoding", texts.len());
    let vectors = encoder.embed(texts, &progress).mapv(f64::from);
    progress.finish_and_clear();
    vectors
}

/// The line by which a table says that it is a text encoder.
pub(crate) fn kind() -> (&'static str, String) {
    ("kind", "text-encoder".to_owned())
}

/// The coordinates of rows, in steps. Rows may be alike: nothing is drawn from a text encoder.
fn rounded(rows: &Rows) -> Result<Lattice> {
    let squares: f64 = rows.values.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
    let scale = (squares / rows.values.len() as f64).sqrt() / STEPS;
    ensure!(scale > 0.0 && scale.is_finite(), "the fit has no finite coordinates");
    let step = |x: &f32| (f64::from(*x) / scale).round().clamp(-127.0, 127.0) as i8;
    let values: Vec<i8> = rows.values.iter().map(step).collect();
    Ok(Lattice { rows: Array2::from_shape_vec((values.len() / rows.dims, rows.dims), values)?, scale, moved: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Flags;
    use crate::wordnet::PartOfSpeech;
    use crate::wordnet::tests::database;

    /// Stands for a large encoder: the vector of a text is that of what it speaks of, and a little of its own.
    fn embed(texts: &[String]) -> Array2<f64> {
        let topics = ["rain storm snow wind wet", "soup bread cheese salad dry"];
        let of = |topic: &str, text: &str| topic.split(' ').filter(|word| text.contains(word)).count() as f64;
        Array2::from_shape_fn((texts.len(), 6), |(i, j)| match topics.get(j) {
            Some(topic) => of(topic, &texts[i]),
            None => ((texts[i].len() * (j + 3) * 7) % 11) as f64 / 50.0,
        })
    }

    fn distilled(threads: usize) -> Distilled {
        let names = "and bread cheese dry not rain salad snow soup storm the wet wind".split(' ');
        let words = names.map(|name| Flags::none().word(name.to_owned(), if name.len() == 3 { 7.0 } else { 4.0 }));
        let example = |i: usize| {
            let topic = [["rain", "storm", "snow", "wind"], ["soup", "bread", "cheese", "salad"]][i % 2];
            format!("; \"the {} and the {} {i}\"", topic[i / 2 % 4], topic[i / 3 % 4])
        };
        let examples: String = (0..60).map(example).collect();
        let data = format!(
            "00000010 00 a 01 wet 0 001 ! 00000020 a 0101 | with rain{examples}\n\
            00000020 00 a 01 dry 0 001 ! 00000010 a 0101 | without rain; \"dry bread\"; \"not dry\"\n"
        );
        let wordnet = database(&[(PartOfSpeech::Adjective, &data, "")], "");
        let recipe = Distillation { dims: 4, bags: 200, epochs: 40, ..Distillation::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| recipe.of(words.collect(), &wordnet, embed).expect("a text encoder"))
    }

    #[test]
    fn texts_point_where_the_large_encoder_says() {
        let distilled = distilled(2);
        let table = distilled.draft.encode().expect("a table").1;
        let encoder = TextEncoder::new(table.clone()).expect("an encoder");
        let cosine = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|text| encoder.encode(text).expect("short")[..4].to_vec());
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
        };
        assert!(distilled.cosines.is_sorted_by(|a, b| b - a > -0.01), "{:?}", distilled.cosines);
        assert!(cosine("the storm, and snow!", "rain") > cosine("the storm, and snow!", "bread") + 0.5);
        assert!(cosine("soup the salad", "cheese") > cosine("soup the salad", "wind") + 0.5);
        assert_eq!((table.dims(), table.meta("negators")), (5, Some("not")));
        let polarity = |word| table.find(word).and_then(|row| table.vector(row).last().copied()).map(i32::from);
        assert!(polarity("wet").zip(polarity("dry")).is_some_and(|(wet, dry)| wet * dry <= 0));
        assert_eq!(polarity("not"), Some(0));
    }

    #[test]
    fn the_bytes_do_not_depend_on_the_number_of_threads() {
        let bytes = |threads| distilled(threads).draft.encode().expect("a table").0;
        assert_eq!(bytes(1), bytes(3));
    }
}
