//! The sets' texts as words of the table, and as what a classifier reads.

use std::fmt;

use anyhow::Result;
use ndarray::Array2;
use textveil::{Privatizer, ReleaseRng, Table, WordId};
use textveil_learn::{Examples, Features};

use super::attack::noisy;
use super::setting::Setting;
use crate::data::Example;
use crate::reproduce::run::Run;
use textveil_tables::embedding::rows;
use textveil_toolkit::sampling::shuffled;

/// Texts of a part of a set that are used, at most: as many as leave a table within an hour on two cores.
const TEXTS: usize = 8000;
/// The same with `--quick`.
const FEW: usize = 600;
/// Words of a text that are read, at most.
const WORDS: usize = 40;

/// The words of the first texts in an order that the seed fixes, `count` of them.
///
/// # Errors
/// A text is too long.
pub(super) fn tokens(table: &Table, examples: &[Example], count: usize, seed: u64) -> Result<Vec<WordId>> {
    let mut words = Vec::new();
    for place in shuffled(examples.len(), seed) {
        for text in texts(&examples[place]) {
            words.extend(rows(table, text)?);
        }
        if words.len() >= count {
            break;
        }
    }
    words.truncate(count);
    Ok(words)
}

fn texts(example: &Example) -> impl Iterator<Item = &str> {
    std::iter::once(example.text.as_str()).chain(example.second.as_deref())
}

/// What a classifier reads of a word, when training as when tested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Input {
    /// Its vector.
    Clear,
    /// Its vector with noise of this η.
    Representation(f64),
    /// The vector of the word that a mechanism puts out for it.
    Text(Setting),
}

impl fmt::Display for Input {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clear => formatter.write_str("clear"),
            Self::Representation(eta) => write!(formatter, "representation/{}", Setting::noise(*eta)),
            Self::Text(setting) => write!(formatter, "text/{setting}"),
        }
    }
}

/// A set as words of the table.
pub(super) struct Corpus<'a> {
    table: &'a Table,
    pub(super) name: &'static str,
    pub(super) classes: usize,
    train: Part,
    test: Part,
}

/// Labelled texts, or pairs of them.
struct Part {
    words: Vec<Vec<Vec<WordId>>>,
    labels: Vec<usize>,
}

/// Examples as they reach the classifier.
pub(super) struct SentExamples {
    pub(super) examples: Examples,
    /// The share of words that came out as they went in; nothing where no words come out.
    pub(super) kept: Option<f64>,
}

impl<'a> Corpus<'a> {
    /// # Errors
    /// The set cannot be read.
    pub(super) fn read(run: &Run<'_>, table: &'a Table, (key, name): (&'static str, &'static str)) -> Result<Self> {
        let count = if run.is_quick() { FEW } else { TEXTS };
        let set = run.set(key)?.limited(count, run.seed(&format!("{key}/texts")));
        let part = |examples: &[Example]| Part::of(table, examples);
        let (train, test) = (part(&set.train)?, part(&set.test)?);
        Ok(Self { table, name, classes: set.labels.len(), train, test })
    }

    /// The share of the commonest label among the texts to test on.
    pub(super) fn majority(&self) -> f64 {
        let labels = &self.test.labels;
        let count = |class: usize| labels.iter().filter(|label| **label == class).count();
        (0..self.classes).map(count).max().unwrap_or(0) as f64 / labels.len() as f64
    }

    /// The examples to train on and those to test on, each text released once.
    ///
    /// # Errors
    /// Those of [`Setting::privatizer`].
    pub(super) fn sent(&self, input: Input, rng: &mut ReleaseRng) -> Result<[SentExamples; 2]> {
        let privatizer = match input {
            Input::Text(setting) => Some(setting.privatizer(self.table)?),
            Input::Clear | Input::Representation(_) => None,
        };
        let unit = 1.0 / root_mean_square(self.table);
        Ok([&self.train, &self.test].map(|part| self.part_sent(part, input, privatizer.as_ref(), unit, rng)))
    }

    fn part_sent(
        &self,
        part: &Part,
        input: Input,
        privatizer: Option<&Privatizer>,
        unit: f64,
        rng: &mut ReleaseRng,
    ) -> SentExamples {
        let (mut kept, mut all) = (0_usize, 0_usize);
        let mut vectors = |words: &Vec<WordId>| -> Vec<Vec<i64>> {
            let exact = |word: &WordId| self.table.vector(*word).into_iter().map(i64::from).collect();
            match (input, privatizer) {
                (Input::Representation(eta), _) => {
                    words.iter().map(|word| noisy(self.table, *word, eta, rng)).collect()
                }
                (_, Some(privatizer)) => {
                    let outputs = privatizer.draw_all(words, rng);
                    kept += words.iter().zip(&outputs).filter(|(word, output)| word == output).count();
                    all += words.len();
                    outputs.iter().map(exact).collect()
                }
                (_, None) => words.iter().map(exact).collect(),
            }
        };
        let dims = self.table.dims();
        let sequences = part.words.iter().map(|texts| {
            let texts: Vec<Vec<Vec<i64>>> = texts.iter().map(&mut vectors).collect();
            let steps = texts.join(&vec![0; dims]);
            Array2::from_shape_fn((steps.len(), dims), |(step, j)| (unit * steps[step][j] as f64) as f32)
        });
        let features = Features::Sequences(sequences.collect());
        let examples = Examples { features, labels: part.labels.clone() };
        SentExamples { examples, kept: (all > 0).then(|| kept as f64 / all as f64) }
    }
}

impl Part {
    fn of(table: &Table, examples: &[Example]) -> Result<Self> {
        let words = |text: &str| -> Result<Vec<WordId>> {
            let mut words = rows(table, text)?;
            words.truncate(WORDS);
            Ok(words)
        };
        let words = examples.iter().map(|example| texts(example).map(words).collect()).collect::<Result<_>>()?;
        Ok(Self { words, labels: examples.iter().map(|example| example.label).collect() })
    }
}

/// The root mean square of all elements of the table's vectors, in lattice steps. Elements divided by it have a size
/// that a network can learn from.
fn root_mean_square(table: &Table) -> f64 {
    let squares = table.rows().flat_map(|word| table.vector(word)).map(|x| f64::from(x).powi(2));
    (squares.sum::<f64>() / (table.len() * table.dims()) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    fn corpus(table: &Table) -> Corpus<'_> {
        let example = |text: &str, second: Option<&str>, label| Example {
            text: text.to_owned(),
            second: second.map(str::to_owned),
            label,
            attributes: Vec::new(),
        };
        let part = |second| {
            let examples = [example("w00001 w00002", second, 0), example("w00003", second, 1)];
            Part::of(table, &examples).expect("words")
        };
        Corpus { table, name: "test", classes: 2, train: part(None), test: part(Some("w00004")) }
    }

    fn sequences(sent: &SentExamples) -> &[Array2<f32>] {
        let Features::Sequences(sequences) = &sent.examples.features else { unreachable!("sequences") };
        sequences
    }

    #[test]
    fn a_pair_is_one_sequence_with_a_null_vector_between() {
        let table = textveil_tables::example(50, 4).expect("a table");
        let [train, test] = corpus(&table).sent(Input::Clear, &mut ReleaseRng::seed_from_u64(1)).expect("vectors");
        let lengths = |sent: &SentExamples| sequences(sent).iter().map(Array2::nrows).collect::<Vec<_>>();
        assert_eq!((lengths(&train), lengths(&test)), (vec![2, 1], vec![4, 3]));
        let pair = &sequences(&test)[0];
        let is_null: Vec<bool> = pair.rows().into_iter().map(|row| row.iter().all(|x| *x == 0.0)).collect();
        assert_eq!(is_null, [false, false, true, false]);
        assert!(train.kept.is_none());
    }

    #[test]
    fn much_noise_moves_vectors_and_changes_words_and_little_noise_hardly_does() {
        let table = textveil_tables::example(50, 4).expect("a table");
        let corpus = corpus(&table);
        let sent = |input| corpus.sent(input, &mut ReleaseRng::seed_from_u64(1)).expect("sent");
        let [clear, _] = sent(Input::Clear);
        let moved = |input| {
            let [train, _] = sent(input);
            let pairs = sequences(&train).iter().zip(sequences(&clear));
            pairs.map(|(a, b)| (a - b).iter().map(|x| x.abs()).sum::<f32>()).sum::<f32>()
        };
        let [weak, strong] = [0.01, 100.0].map(|nats| nats / table.scale());
        assert!(moved(Input::Representation(strong)) < 0.01 && moved(Input::Representation(weak)) > 1.0);
        let kept = |eta| sent(Input::Text(Setting::noise(eta)))[0].kept.expect("words");
        assert!(kept(strong) > 0.6 && kept(weak) < 0.6);
    }
}
