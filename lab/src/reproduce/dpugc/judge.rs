//! How good a table is: similarities of words as people find them, and what classifiers of texts and authors tell.

use anyhow::{Context, Result};
use rayon::prelude::*;

use super::model::{DIMS, Vector, dot};
use super::text::{Text, Vocabulary};
use super::{SIMILARITY, TOPICS};
use crate::data::{Columns, NO_WORD};
use crate::logistic::Classifier;
use crate::reproduce::run::Run;

/// Vectors less their mean, of length 1.
pub(super) fn directions(rows: &[Vector]) -> Vec<Vector> {
    let mean: [f64; DIMS] = std::array::from_fn(|place| {
        rows.iter().map(|row| f64::from(row[place])).sum::<f64>() / rows.len().max(1) as f64
    });
    let direction = |row: &Vector| {
        let centred: Vector = std::array::from_fn(|place| row[place] - mean[place] as f32);
        let length = dot(&centred, &centred).sqrt().max(f32::MIN_POSITIVE);
        centred.map(|x| x / length)
    };
    rows.iter().map(direction).collect()
}

/// The mean vector of a text's words, or 0 without words.
pub(super) fn mean_vector(table: &[Vector], words: &[u16]) -> Vec<f64> {
    let words: Vec<&Vector> =
        words.iter().filter(|word| **word != NO_WORD).filter_map(|word| table.get(usize::from(*word))).collect();
    let mut sum = [0.0_f32; DIMS];
    words.iter().for_each(|vector| super::model::add(&mut sum, 1.0, vector));
    sum.iter().map(|x| f64::from(*x) / words.len().max(1) as f64).collect()
}

/// Spearman's correlation.
pub(super) fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let [a, b] = [a, b].map(ranks);
    let mean = (a.len() as f64 - 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

/// From 0; equal numbers share the mean of theirs.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|i, j| numbers[*i].total_cmp(&numbers[*j]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut start = 0;
    for equal in order.chunk_by(|i, j| numbers[*i] == numbers[*j]) {
        let rank = start as f64 + (equal.len() as f64 - 1.0) / 2.0;
        equal.iter().for_each(|place| ranks[*place] = rank);
        start += equal.len();
    }
    ranks
}

/// Texts by their words, with labels.
struct Task {
    train: Vec<(Vec<u16>, usize)>,
    test: Vec<(Vec<u16>, usize)>,
    classes: usize,
}

impl Task {
    fn accuracy(&self, table: &[Vector]) -> f64 {
        let vectors = |texts: &[(Vec<u16>, usize)]| -> Vec<Vec<f64>> {
            texts.par_iter().map(|(words, _)| mean_vector(table, words)).collect()
        };
        let (train, test) = (vectors(&self.train), vectors(&self.test));
        let rows: Vec<&[f64]> = train.iter().map(Vec::as_slice).collect();
        let labels: Vec<usize> = self.train.iter().map(|(_, label)| *label).collect();
        let classifier = Classifier::train(&rows, &labels, self.classes);
        let hits = test.iter().zip(&self.test).filter(|(row, (_, label))| classifier.predict(row) == *label).count();
        hits as f64 / test.len().max(1) as f64
    }

    /// The share of the commonest label.
    fn commonest(&self) -> f64 {
        let count = |class| self.test.iter().filter(|(_, label)| *label == class).count();
        (0..self.classes).map(count).max().unwrap_or(0) as f64 / self.test.len().max(1) as f64
    }
}

/// The tests of a table.
pub(super) struct Judge {
    /// Pairs of MEN and SimLex, with how alike people find the two words.
    pairs: [Vec<(f64, [u16; 2])>; 2],
    topics: Task,
    ages: Task,
}

/// MEN, SimLex, accuracy of topics, accuracy of age groups.
pub(super) type Scores = [f64; 4];

impl Judge {
    pub(super) const NAMES: [&str; 4] = ["MEN", "SimLex", "topic of a post", "age group of an author"];

    /// Judges words below `words`. `held_out` are authors that took no part.
    pub(super) fn of(
        run: &Run<'_>,
        vocabulary: &Vocabulary,
        words: usize,
        text: &Text,
        held_out: &[usize],
    ) -> Result<Self> {
        let find = |word: &str| vocabulary.find(&word.to_lowercase()).filter(|word| usize::from(*word) < words);
        let pairs = |file: &str| -> Result<Vec<(f64, [u16; 2])>> {
            let columns = Columns::read(&run.file(SIMILARITY, file)?)?;
            let [labels, first, second] =
                ["label", "text1", "text2"].map(|name| columns.column(name).map(Iterator::collect::<Vec<_>>));
            let mut pairs = Vec::new();
            for (row, ((label, first), second)) in labels?.into_iter().zip(first?).zip(second?).enumerate() {
                let label = label.parse().with_context(|| format!("{file}, row {}", row + 2))?;
                pairs.extend(find(first).zip(find(second)).map(|(a, b)| (label, [a, b])));
            }
            Ok(pairs)
        };
        let topics = run.set(TOPICS)?.limited(if run.is_quick() { 400 } else { 3000 }, run.seed("topics"));
        let texts = |examples: &[crate::data::Example]| {
            examples.iter().map(|example| (vocabulary.numbers(&example.text), example.label)).collect()
        };
        let author = |author: &usize| {
            let group = usize::from(text.ages[*author] / 10).clamp(1, 3) - 1;
            (text.words(*author).to_vec(), group)
        };
        let (train, test) = held_out.split_at(held_out.len() / 2);
        Ok(Self {
            pairs: [pairs("men3k.tsv")?, pairs("simlex999.tsv")?],
            topics: Task { train: texts(&topics.train), test: texts(&topics.test), classes: topics.labels.len() },
            ages: Task {
                train: train.iter().map(author).collect(),
                test: test.iter().map(author).collect(),
                classes: 3,
            },
        })
    }

    pub(super) fn scores(&self, table: &[Vector]) -> Scores {
        let table = directions(table);
        let [men, simlex] = [0, 1].map(|set| {
            let of = |(_, [a, b]): &(f64, [u16; 2])| dot(&table[usize::from(*a)], &table[usize::from(*b)]).into();
            let labels: Vec<f64> = self.pairs[set].iter().map(|(label, _)| *label).collect();
            spearman(&labels, &self.pairs[set].iter().map(of).collect::<Vec<f64>>())
        });
        [men, simlex, self.topics.accuracy(&table), self.ages.accuracy(&table)]
    }

    /// The accuracy without any features.
    pub(super) fn chance(&self) -> Scores {
        [0.0, 0.0, self.topics.commonest(), self.ages.commonest()]
    }

    /// Pairs of MEN and of SimLex.
    pub(super) fn counts(&self) -> [usize; 2] {
        [0, 1].map(|set| self.pairs[set].len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spearman_counts_ranks_and_equal_numbers_share_theirs() {
        assert!((spearman(&[1.0, 2.0, 30.0], &[-5.0, 0.0, 1.0]) - 1.0).abs() < 1e-12);
        // Ranks 0, 1.5, 1.5, 3 against 0, 2, 1, 3: the sum of products is 4.5, of squares 4.5 and 5.
        let found = spearman(&[1.0, 2.0, 2.0, 3.0], &[1.0, 4.0, 3.0, 9.0]);
        assert!((found - 4.5 / (4.5_f64 * 5.0).sqrt()).abs() < 1e-12, "{found}");
    }
}
