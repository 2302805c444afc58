//! Labelled texts as vectors, and what devices release of them.

use std::fmt;

use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;
use ndarray::Array2;
use rayon::prelude::*;
use textveil::{Dropout, Guarantee, Loss, Mechanism, MechanismKind, ReleaseRng, Representer, Table, Unit};

use super::sound;
use crate::data::{Example, Set};
use crate::reproduce::run::Run;
use textveil_tables::Encoder;
use textveil_tables::embedding::rows;
use textveil_toolkit::sampling::stratified;

/// Examples to train on with `--quick`, and of an encoder, whose vectors are sixteen times as wide as the table's; and at
/// most as many to test on.
const FEW: usize = 400;
/// The share of a set that comes without a test set of its own to train on, as in the authors' program.
const SHARE: f64 = 0.8;
/// The sets that are encoded by a sentence encoder as well, if there is one.
const ENCODED: [&str; 2] = ["snips", "mrpc"];
/// Texts that are embedded as one cell.
const TOGETHER: usize = 128;
/// Elements of embeddings are kept as multiples of 1/32,768, finer than the lattice that releases are on.
const STEPS: f32 = 32_768.0;
/// ε of a bit that is as good as never flipped: once in 10¹³ times.
const CERTAIN: f64 = 30.0;

/// A labelled set, each text of it a vector.
pub(super) struct Corpus {
    /// The set, and whether an encoder placed it.
    pub(super) name: String,
    pub(super) labels: Vec<usize>,
    pub(super) classes: usize,
    /// How many examples from the first are to train on, where the set says so.
    trained: Option<usize>,
    /// One or two texts an example.
    texts: Vec<Vec<String>>,
    /// The same as vectors of length 1: see [`Input::Direction`].
    vectors: Vec<Vec<Vec<f64>>>,
    /// Where the vectors come from, if not from an encoder; and [`Input::Uncentered`].
    table: Option<(Table, Vec<Vec<Vec<f64>>>)>,
}

/// What a mechanism is given of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// The mean of its words' vectors, as the product represents a text by a table: see the mechanism.
    Mean,
    /// A vector of length 1: the encoder's, or the direction that `privunit2` makes of that mean. The direction starts
    /// at the mean of all words of the table, each weighted by how often it is used.
    Direction,
    /// The direction of that mean as it is.
    Uncentered,
}

/// What makes a vector of a text.
#[derive(Clone, Copy)]
enum Placing<'a> {
    Table(&'a Table),
    Encoder(&'a Encoder),
}

/// A block of texts to embed.
struct Block<'a> {
    set: &'static str,
    number: usize,
    texts: &'a [String],
}

impl fmt::Display for Block<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/embedding/block={}", self.set, self.number)
    }
}

impl Corpus {
    /// Some sets, each by the table, and with an encoder those whose texts it encodes once more.
    ///
    /// # Errors
    /// A set, the table or the encoder cannot be read.
    pub(super) fn all(run: &Run<'_>, names: &[&'static str]) -> Result<Vec<Self>> {
        let (table, encoder) = (run.table()?, run.encoder()?);
        let by_table = names.iter().map(|name| (*name, Placing::Table(&table)));
        let encoded = encoder.iter().flat_map(|encoder| {
            names.iter().filter(|name| ENCODED.contains(name)).map(move |name| (*name, Placing::Encoder(encoder)))
        });
        let read = |(name, placing)| Self::read(run, name, placing).with_context(|| name.to_owned());
        by_table.chain(encoded).map(read).collect()
    }

    fn read(run: &Run<'_>, name: &'static str, placing: Placing<'_>) -> Result<Self> {
        let mut set = run.set(name)?;
        let is_divided = set.dev.is_some();
        set.train.extend(set.dev.take().unwrap_or_default());
        if run.is_quick() || matches!(placing, Placing::Encoder(_)) {
            set = set.limited(FEW, run.seed(&format!("{name}/few")));
        }
        let Set { train, test, labels: classes, .. } = set;
        let trained = is_divided.then_some(train.len());
        let examples: Vec<Example> = train.into_iter().chain(test).collect();
        let labels = examples.iter().map(|example| example.label).collect();
        let texts: Vec<Vec<String>> = examples.into_iter().map(texts_of).collect();
        let (name, vectors, table) = match placing {
            Placing::Encoder(encoder) => (format!("{name}, encoded"), embedded(run, name, encoder, &texts)?, None),
            Placing::Table(table) => {
                let uncentered = directions(table, &vec![0.0; table.dims()], &texts)?;
                let centered = directions(table, &table.mean_by_frequency(), &texts)?;
                (name.to_owned(), centered, Some((table.clone(), uncentered)))
            }
        };
        Ok(Self { name, labels, classes: classes.len(), trained, texts, vectors, table })
    }

    /// Whether its vectors are an encoder's.
    pub(super) fn is_encoded(&self) -> bool {
        self.table.is_none()
    }

    /// The number of releases that make an example. Each release spends ε.
    pub(super) fn releases(&self) -> usize {
        self.texts.first().map_or(1, Vec::len)
    }

    /// The share of the commonest label among the texts to test on.
    pub(super) fn majority(&self) -> f64 {
        let tested = &self.labels[self.trained.unwrap_or(0)..];
        let count = |class: usize| tested.iter().filter(|label| **label == class).count();
        (0..self.classes).map(count).max().unwrap_or(0) as f64 / tested.len() as f64
    }

    /// The number of test releases behind an accuracy over `runs` runs. A set's own division tests the same texts in
    /// every run.
    pub(super) fn judged(&self, runs: u32) -> usize {
        let all = self.labels.len();
        self.trained.map_or((all - (SHARE * all as f64) as usize) * runs as usize, |trained| all - trained)
    }

    /// The examples to train on and to test on: the set's own division, or another in each run.
    pub(super) fn split(&self, run: &Run<'_>, number: u32) -> [Vec<usize>; 2] {
        let all = 0..self.labels.len();
        if let Some(trained) = self.trained {
            return [(0..trained).collect(), (trained..self.labels.len()).collect()];
        }
        let seed = run.seed(&format!("{}/split/run={number}", self.name));
        let train = stratified(&self.labels, (SHARE * self.labels.len() as f64) as usize, seed);
        let test = all.filter(|example| train.binary_search(example).is_err()).collect();
        [train, test]
    }

    /// The vectors in clear, side by side where an example has two texts.
    pub(super) fn in_clear(&self) -> Result<Array2<f32>> {
        stacked(self.vectors.iter().map(|parts| Ok(parts.concat())))
    }

    /// The bits in clear.
    ///
    /// # Errors
    /// As [`Self::released`].
    pub(super) fn bits_in_clear(&self, input: Input, rng: &mut ReleaseRng) -> Result<Array2<f32>> {
        let bits = self.dims() as f64 * 10.0;
        self.released(input, sound(MechanismKind::RandomizedResponse, CERTAIN * bits)?, rng)
    }

    /// A release of each example: a row each, bits as 0 and 1; both releases of a pair side by side.
    ///
    /// # Errors
    /// The mechanism cannot be had for these vectors.
    pub(super) fn released(&self, input: Input, mechanism: Mechanism, rng: &mut ReleaseRng) -> Result<Array2<f32>> {
        let representer = self.representer(input, mechanism)?;
        let by_words = self.by_words(input).is_some();
        let vectors = match (&self.table, input) {
            (Some((_, uncentered)), Input::Uncentered) => uncentered,
            _ => &self.vectors,
        };
        let example = |(texts, vectors): (&Vec<String>, &Vec<Vec<f64>>)| -> Result<Vec<f64>> {
            let mut row = Vec::new();
            for (text, vector) in texts.iter().zip(vectors) {
                let release = if by_words {
                    representer.represent(text, &Dropout::None, rng)?
                } else {
                    representer.represent_vectors(&[vector], &Dropout::None, rng)?
                };
                release.vectors().into_iter().for_each(|part| row.extend(part));
            }
            Ok(row)
        };
        stacked(self.texts.iter().zip(vectors).map(example))
    }

    /// What is proved for an example: that it may be exchanged for any other.
    ///
    /// # Errors
    /// As [`Self::released`].
    pub(super) fn loss(&self, input: Input, mechanism: Mechanism) -> Result<Loss> {
        let Guarantee { epsilon_text, delta_text, .. } =
            self.representer(input, mechanism)?.guarantee(1, &Dropout::None)?;
        Ok(Loss { epsilon: epsilon_text, delta: delta_text }.times(self.releases()))
    }

    /// Elements of a text's vector.
    pub(super) fn dims(&self) -> usize {
        self.vectors.first().and_then(|parts| parts.first()).map_or(0, Vec::len)
    }

    fn by_words(&self, input: Input) -> Option<&Table> {
        self.table.as_ref().filter(|_| input == Input::Mean).map(|(table, _)| table)
    }

    fn representer(&self, input: Input, mechanism: Mechanism) -> Result<Representer> {
        Ok(match self.by_words(input) {
            Some(table) => Representer::of_table(table, mechanism, Unit::Text)?.of_any_language(),
            None => Representer::of_vectors(self.dims(), Some(1.0), mechanism, Unit::Text)?,
        })
    }
}

fn texts_of(example: Example) -> Vec<String> {
    let Example { text, second, .. } = example;
    std::iter::once(text).chain(second).map(|text: String| textveil::normalize(&text)).collect()
}

/// Where the mean of each text's words lies from a centre, in lattice steps.
fn directions(table: &Table, center: &[f64], texts: &[Vec<String>]) -> Result<Vec<Vec<Vec<f64>>>> {
    let direction = |text: &String| {
        let mut sum = vec![0.0; center.len()];
        for word in rows(table, text)? {
            sum.iter_mut().zip(table.vector(word)).zip(center).for_each(|((sum, x), c)| *sum += f64::from(x) - c);
        }
        Ok(directed(sum))
    };
    texts.iter().map(|parts| parts.iter().map(direction).collect()).collect()
}

/// The encoder's vectors, each block of texts a cell.
fn embedded(run: &Run<'_>, set: &'static str, encoder: &Encoder, texts: &[Vec<String>]) -> Result<Vec<Vec<Vec<f64>>>> {
    let flat: Vec<String> = texts.concat();
    let blocks = flat.chunks(TOGETHER).enumerate().map(|(number, texts)| Block { set, number, texts });
    let blocks: Vec<Block<'_>> = blocks.collect();
    let steps: Vec<Vec<Vec<i16>>> = run.cells(&blocks, |block| {
        let rows = encoder.embed(block.texts, &ProgressBar::hidden());
        let steps = |row: ndarray::ArrayView1<'_, f32>| {
            let norm = row.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
            row.iter().map(|x| (x / norm * STEPS) as i16).collect()
        };
        Ok(rows.outer_iter().map(steps).collect())
    })?;
    let vectors = steps.into_par_iter().flatten();
    let vectors = vectors.map(|row: Vec<i16>| directed(row.into_iter().map(f64::from).collect()));
    let mut vectors = vectors.collect::<Vec<_>>().into_iter();
    Ok(texts.iter().map(|parts| vectors.by_ref().take(parts.len()).collect()).collect())
}

/// The vector of length 1 in a direction, or the first axis without a direction.
fn directed(mut vector: Vec<f64>) -> Vec<f64> {
    let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm > 0.0 {
        vector.iter_mut().for_each(|x| *x /= norm);
    } else if let Some(first) = vector.first_mut() {
        *first = 1.0;
    }
    vector
}

/// Rows of one width as a matrix.
fn stacked(rows: impl Iterator<Item = Result<Vec<f64>>>) -> Result<Array2<f32>> {
    let (mut values, mut count) = (Vec::new(), 0);
    for row in rows {
        values.extend(row?.into_iter().map(|x| x as f32));
        count += 1;
    }
    ensure!(count > 0, "no texts");
    Ok(Array2::from_shape_vec((count, values.len() / count), values)?)
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;
    use textveil::account::flip::ome_epsilon;
    use textveil::{BinaryCode, Parameter};

    use super::super::published_ome;
    use super::*;

    fn corpus(vectors: Vec<Vec<Vec<f64>>>) -> Corpus {
        let texts = vectors.iter().map(|parts| vec!["a text".to_owned(); parts.len()]).collect();
        let labels = (0..vectors.len()).map(|example| example % 2).collect();
        Corpus { name: "test".to_owned(), labels, classes: 2, trained: None, texts, vectors, table: None }
    }

    fn vectors(texts: usize) -> Vec<Vec<f64>> {
        (0..texts).map(|text| directed((0..6).map(|i| ((text * 7 + i * 5) % 11) as f64 - 5.0).collect())).collect()
    }

    #[test]
    fn bits_in_clear_are_the_code_of_each_element() {
        let corpus = corpus(vec![vectors(2), vectors(2)]);
        let rows = corpus.bits_in_clear(Input::Mean, &mut ReleaseRng::seed_from_u64(1)).expect("bits");
        let code = BinaryCode::new(4, 5).expect("a code");
        // An element of a vector of length 1 is 1/√6 on average.
        let word = |x: f64| code.encode((x * 4096.0).trunc() / 4096.0 * 6_f64.sqrt()).expect("a number");
        let bits = vectors(2).concat().into_iter().flat_map(word).map(|bit| f32::from(u8::from(bit)));
        assert_eq!(rows.row(0).to_vec(), bits.collect::<Vec<f32>>());
    }

    #[test]
    fn two_texts_spend_twice_what_the_account_says_of_one() {
        let [one, two] = [1, 2].map(|texts| {
            let loss = corpus(vec![vectors(texts)]).loss(Input::Mean, published_ome(1.0, 100.0).expect("OME"));
            loss.expect("a loss").epsilon
        });
        let expected = ome_epsilon(1.0, 100.0, 60).expect("in range");
        assert!((one / expected - 1.0).abs() < 1e-6 && (two / one - 2.0).abs() < 1e-9, "{one} {two} {expected}");
    }

    #[test]
    fn a_release_is_near_the_vector_where_epsilon_is_large_and_far_from_it_where_it_is_small() {
        let corpus = corpus(vec![vectors(1)]);
        let error = |epsilon: f64| {
            let mechanism = Mechanism::new(MechanismKind::Laplace).with(Parameter::Epsilon, epsilon).expect("epsilon");
            let rows = corpus.released(Input::Direction, mechanism, &mut ReleaseRng::seed_from_u64(1)).expect("rows");
            let clear = corpus.in_clear().expect("vectors");
            rows.iter().zip(&clear).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
        };
        assert!(error(1e4) < 0.02 && error(1.0) > 0.5, "{} {}", error(1e4), error(1.0));
    }

    #[test]
    fn the_direction_is_what_privunit2_takes() {
        let texts = vec![vec!["The doctor was kind to me.".to_owned()]];
        let table = Table::english().expect("the built-in table");
        let [centered, uncentered] = [table.mean_by_frequency(), vec![0.0; table.dims()]]
            .map(|center| directions(&table, &center, &texts).expect("directions"));
        let corpus = Corpus { texts, table: Some((table, uncentered)), ..corpus(centered) };
        let [own, direction, uncentered] = [Input::Mean, Input::Direction, Input::Uncentered].map(|input| {
            let mechanism = sound(MechanismKind::Privunit2, 50.0).expect("epsilon");
            corpus.released(input, mechanism, &mut ReleaseRng::seed_from_u64(1)).expect("a release")
        });
        let apart = |one: &Array2<f32>| one.iter().zip(&own).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart(&direction) < 0.02 && apart(&uncentered) > 0.1, "{direction} {uncentered}");
    }

    #[test]
    fn a_direction_has_length_1_and_nothing_points_along_the_first_axis() {
        assert_eq!(directed(vec![3.0, 4.0]), [0.6, 0.8]);
        assert_eq!(directed(vec![0.0, 0.0]), [1.0, 0.0]);
    }
}
