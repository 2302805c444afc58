//! A labelled set, privatized several times by a mechanism: what is left of its words and of what a
//! classifier can tell by them.

use anyhow::Result;
use rayon::prelude::*;
use serde::Serialize;
use textveil::{Privatizer, Table, WordId};

use super::data::{Dataset, Split};
use super::interval::{Estimate, Part};
use super::keystream::rng;
use crate::logistic::Classifier;
use textveil_tables::embedding::Space;

/// A set as rows of a table, with what its texts would teach a classifier in clear.
pub(crate) struct Trial<'a> {
    dataset: &'a Dataset,
    table: &'a Table,
    space: &'a Space,
    /// The words of each text, and `None` for an unknown word.
    words: Vec<Vec<Option<WordId>>>,
    /// For each split, the classifier trained on its texts in clear.
    in_clear: Vec<Classifier>,
    /// The accuracy of training and testing in clear, without unknown words.
    pub(crate) accuracy_in_clear: Estimate,
}

/// What a mechanism makes of the texts that are tested.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outcome {
    /// The share of known words that came out as they went in.
    pub(crate) words_kept: Estimate,
    /// The mean cosine of the other words to what they went in as.
    pub(crate) similarity: Estimate,
    /// The mean distance of known words to what came out for them, in units of the table.
    pub(crate) distance: Estimate,
    /// Accuracy after training on privatized texts.
    pub(crate) trained_privatized: Estimate,
    /// Accuracy after training on texts in clear.
    pub(crate) trained_in_clear: Estimate,
}

/// What one privatization adds to each estimate: a part for each text that is tested.
struct Run {
    kept: Vec<Part>,
    similarity: Vec<Part>,
    distance: Vec<Part>,
    trained_privatized: Vec<Part>,
    trained_in_clear: Vec<Part>,
}

impl<'a> Trial<'a> {
    /// # Errors
    /// A text that is too long.
    pub(crate) fn new(dataset: &'a Dataset, table: &'a Table, space: &'a Space) -> Result<Self> {
        let words = dataset.words(table)?;
        let known: Vec<Vec<WordId>> = words.iter().map(|words| words.iter().flatten().copied().collect()).collect();
        let accuracy_in_clear = Estimate::of(&[Vec::new()]);
        let mut trial = Self { dataset, table, space, words, in_clear: Vec::new(), accuracy_in_clear };
        let features = trial.features(&known);
        trial.in_clear = trial.train(&features);
        trial.accuracy_in_clear = Estimate::of(&[trial.hits(&trial.in_clear, &features)]);
        Ok(trial)
    }

    /// Privatizes all texts in each of `runs` runs, each text a release of its own.
    pub(crate) fn run(&self, privatizer: &Privatizer, runs: u32, seed: u64) -> Outcome {
        let runs: Vec<Run> = (0..runs).map(|run| self.once(privatizer, run, seed)).collect();
        let estimate = |parts: fn(&Run) -> &Vec<Part>| {
            Estimate::of(&runs.iter().map(|run| parts(run).clone()).collect::<Vec<_>>())
        };
        Outcome {
            words_kept: estimate(|run| &run.kept),
            similarity: estimate(|run| &run.similarity),
            distance: estimate(|run| &run.distance),
            trained_privatized: estimate(|run| &run.trained_privatized),
            trained_in_clear: estimate(|run| &run.trained_in_clear),
        }
    }

    fn once(&self, privatizer: &Privatizer, run: u32, seed: u64) -> Run {
        // The draws of `Privatizer::privatize` for each text, from the same keystream.
        let released = |(text, words): (usize, &Vec<_>)| privatizer.draw_all(words, &mut rng(seed, run, text));
        let outputs: Vec<Vec<WordId>> = self.words.par_iter().enumerate().map(released).collect();
        let features = self.features(&outputs);
        let pairs = |text: &usize| {
            let pairs = self.words[*text].iter().zip(&outputs[*text]);
            pairs.filter_map(|(word, output)| Some(((*word)?, *output))).collect::<Vec<_>>()
        };
        let kept = |text| {
            let pairs = pairs(text);
            [pairs.iter().filter(|(a, b)| a == b).count() as f64, pairs.len() as f64]
        };
        let similarity = |text| {
            let pairs = pairs(text);
            let replaced = || pairs.iter().filter(|(a, b)| a != b);
            [replaced().map(|(a, b)| self.space.cosine(*a, *b)).sum(), replaced().count() as f64]
        };
        let distance = |text| {
            let pairs = pairs(text);
            [pairs.iter().map(|(a, b)| self.table.distance(*a, *b)).sum(), pairs.len() as f64]
        };
        Run {
            kept: self.tested().map(kept).collect(),
            similarity: self.tested().map(similarity).collect(),
            distance: self.tested().map(distance).collect(),
            trained_privatized: self.hits(&self.train(&features), &features),
            trained_in_clear: self.hits(&self.in_clear, &features),
        }
    }

    fn features(&self, texts: &[Vec<WordId>]) -> Vec<Vec<f64>> {
        texts.par_iter().map(|words| self.space.mean(words)).collect()
    }

    /// A classifier for each split.
    fn train(&self, features: &[Vec<f64>]) -> Vec<Classifier> {
        let of_split = |split: &Split| {
            let rows: Vec<&[f64]> = split.train.iter().map(|text| features[*text].as_slice()).collect();
            let labels: Vec<usize> = split.train.iter().map(|text| self.dataset.labels[*text]).collect();
            Classifier::train(&rows, &labels, self.dataset.names.len())
        };
        self.dataset.splits.par_iter().map(of_split).collect()
    }

    fn tested(&self) -> impl Iterator<Item = &usize> {
        self.dataset.splits.iter().flat_map(|split| &split.test)
    }

    /// Which of the texts that are tested their split's classifier labels rightly.
    fn hits(&self, classifiers: &[Classifier], features: &[Vec<f64>]) -> Vec<Part> {
        let hit = |(split, classifier): (&Split, &Classifier)| -> Vec<Part> {
            let is_hit = |text: &usize| classifier.predict(&features[*text]) == self.dataset.labels[*text];
            split.test.iter().map(|text| [f64::from(u8::from(is_hit(text))), 1.0]).collect()
        };
        self.dataset.splits.iter().zip(classifiers).flat_map(hit).collect()
    }
}

#[cfg(test)]
mod tests {
    use textveil::{Disclosure, Mechanism, MechanismKind, Parameter, normalize};

    use super::*;
    use crate::compare::data::words;

    fn privatizer(table: &Table, kind: MechanismKind, eta: f64) -> Privatizer {
        let mechanism = Mechanism::new(kind).with(Parameter::Eta, eta).expect("an eta");
        Privatizer::new(table, mechanism, Disclosure::default()).expect("a privatizer")
    }

    /// Forty texts about food and as many about weather.
    fn dataset() -> Dataset {
        let words = [["soup", "bread", "cheese", "salad", "butter"], ["rain", "storm", "snow", "wind", "sunshine"]];
        let text = |i: usize| format!("{} and {}.", words[i % 2][i / 2 % 5], words[i % 2][i / 7 % 5]);
        let split = |test: std::ops::Range<usize>| Split {
            train: (0..80).filter(|i| !test.contains(i)).collect(),
            test: test.collect(),
        };
        Dataset {
            name: "example".to_owned(),
            texts: (0..80).map(text).collect(),
            labels: (0..80).map(|i| i % 2).collect(),
            names: vec!["food".to_owned(), "weather".to_owned()],
            splits: vec![split(0..40), split(40..80)],
        }
    }

    #[test]
    fn the_words_that_are_measured_are_those_of_a_release() {
        let table = Table::english().expect("the built-in table");
        let text = "The doctor's café qzxvkjw cost $1,200, see?!";
        for kind in [MechanismKind::Exponential, MechanismKind::MetricLaplace] {
            let privatizer = privatizer(&table, kind, 12.0);
            let release = privatizer.privatize(&normalize(text), &mut rng(5, 1, 2)).expect("short enough");
            let words = words(&table, text).expect("short enough");
            assert!(words.contains(&None));
            let drawn: Vec<Option<WordId>> =
                privatizer.draw_all(&words, &mut rng(5, 1, 2)).into_iter().map(Some).collect();
            assert_eq!(drawn, release.account.iter().map(|token| token.output).collect::<Vec<_>>());
        }
    }

    #[test]
    fn without_noise_everything_is_as_in_clear_and_with_all_of_it_a_guess() {
        let (table, dataset) = (Table::english().expect("the built-in table"), dataset());
        let space = Space::of_table(&table);
        let trial = Trial::new(&dataset, &table, &space).expect("short texts");
        assert!(trial.accuracy_in_clear.value > 0.95);
        let Outcome { words_kept, similarity, distance, trained_privatized, trained_in_clear } =
            trial.run(&privatizer(&table, MechanismKind::Exponential, 1e4), 1, 0);
        assert!(words_kept.value == 1.0 && similarity.value.is_nan() && distance.value == 0.0);
        for accuracy in [trained_privatized, trained_in_clear] {
            assert_eq!(accuracy.value, trial.accuracy_in_clear.value);
        }
        let Outcome { words_kept, distance, trained_privatized, trained_in_clear, .. } =
            trial.run(&privatizer(&table, MechanismKind::Exponential, 1e-3), 3, 0);
        assert!(words_kept.value < 0.01 && distance.value > 1.0);
        for accuracy in [trained_privatized, trained_in_clear] {
            assert!((0.3..0.7).contains(&accuracy.value), "{accuracy:?}");
        }
    }
}
