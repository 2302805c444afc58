//! Inversion: guessing the word from what came out.

use alloc::vec;
use alloc::vec::Vec;

use crate::draw::privatizer::most_probable;
use crate::{Error, Privatizer, Table, WordId};

/// How likely an attacker holds each word to be, before anything is seen. The shares add up to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Prior(Vec<f64>);

impl Prior {
    /// Every word of the table is as likely.
    #[must_use]
    pub fn uniform(table: &Table) -> Self {
        Self(vec![1.0 / table.len() as f64; table.len()])
    }

    /// Words are as likely as they are frequent. A word of unknown frequency counts as one in a billion.
    #[must_use]
    pub fn by_frequency(table: &Table) -> Self {
        let frequencies: Vec<f64> = table.rows().map(|row| libm::pow(10.0, table.zipf(row))).collect();
        let total: f64 = frequencies.iter().sum();
        Self(frequencies.into_iter().map(|frequency| frequency / total).collect())
    }

    /// The share of a word, or 0 for a row of another, larger table.
    #[must_use]
    pub fn share(&self, word: WordId) -> f64 {
        self.0.get(word.row()).copied().unwrap_or(0.0)
    }

    /// The success of an attacker who sees nothing: the largest share.
    #[must_use]
    pub fn blind_guess(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }
}

/// The attacker who guesses, for each output y, the input x with the largest π(x)·P(y|x).
///
/// # Security
/// By Bayes' rule **no one who knows the mechanism and the prior, and sees one output, is right more often**.
/// An attacker who knows more than the prior (the words around, a second release) may be.
#[derive(Clone, Debug, PartialEq)]
pub struct BayesAttacker {
    /// For each output, the largest π(x)·P(y|x) and its input; the lowest row of equals.
    best: Vec<(f64, WordId)>,
    /// For each output y, π(y)·P(y|y).
    itself: Vec<f64>,
    /// For each output y, the sum of π(x)·P(y|x).
    total: Vec<f64>,
}

impl BayesAttacker {
    /// One who has not learned of any input yet.
    #[must_use]
    pub fn new(table: &Table) -> Self {
        let zeros = || vec![0.0; table.len()];
        Self { best: vec![(0.0, WordId(0)); table.len()], itself: zeros(), total: zeros() }
    }

    /// Learns what `input`, of prior probability `prior`, may turn into.
    pub fn learn(&mut self, input: WordId, prior: f64, distribution: &[(WordId, f64)]) {
        for (output, p) in distribution {
            let joint = prior * p;
            if let (Some(best), Some(total)) = (self.best.get_mut(output.row()), self.total.get_mut(output.row())) {
                better(best, (joint, input));
                *total += joint;
            }
            if let Some(itself) = self.itself.get_mut(output.row()).filter(|_| *output == input) {
                *itself = joint;
            }
        }
    }

    /// Joins the knowledge of two attackers who have learned of different inputs.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        for (best, candidate) in self.best.iter_mut().zip(other.best) {
            better(best, candidate);
        }
        let sums = self.itself.iter_mut().chain(&mut self.total);
        sums.zip(other.itself.into_iter().chain(other.total)).for_each(|(sum, more)| *sum += more);
        self
    }

    /// The probability that a word stands in a release, if inputs follow the prior.
    #[must_use]
    pub fn stands(&self, output: WordId) -> f64 {
        self.total.get(output.row()).copied().unwrap_or(0.0)
    }

    /// How sure the attacker can be of a word in a release: the probability that it was written there. It is
    /// π(y)·P(y|y) / Σ_x π(x)·P(y|x), and `None` for a word that no input turns into.
    #[must_use]
    pub fn written(&self, output: WordId) -> Option<f64> {
        let total = self.stands(output);
        self.itself.get(output.row()).filter(|_| total > 0.0).map(|itself| itself / total)
    }

    /// The guess for an output, or `None` if no input turns into it.
    #[must_use]
    pub fn guess(&self, output: WordId) -> Option<WordId> {
        self.best.get(output.row()).filter(|(joint, _)| *joint > 0.0).map(|(_, input)| *input)
    }

    /// The probability that the guess is right, if inputs follow the prior and all of them were learned:
    /// Σ_y max_x π(x)·P(y|x).
    #[must_use]
    pub fn success(&self) -> f64 {
        self.best.iter().map(|(joint, _)| joint).sum()
    }

    /// The probability that the guess is right when the input is this one.
    #[must_use]
    pub fn success_on(&self, input: WordId, distribution: &[(WordId, f64)]) -> f64 {
        distribution.iter().filter(|(output, _)| self.guess(*output) == Some(input)).map(|(_, p)| p).sum()
    }
}

impl Privatizer {
    /// Which words may stand behind an output, and how likely each is: the posterior of an attacker who saw `output`.
    /// This attacker knows the mechanism and the prior, and considers the `candidates` words nearest to the output. The
    /// `most` most likely words are returned, or `None` if no candidate turns into it.
    ///
    /// **Each is an upper bound** of the posterior over the whole table, by Bayes' rule: words farther away count only
    /// with their least probability. By ε, any word turns into `output` at least e^(−ε) times as often as any other.
    /// (Where a δ or a class takes that away, nothing is counted.) One scan of the table a candidate.
    ///
    /// A word that is shown in clear (function words, words that are kept) turns into itself and nothing else. Where a
    /// release is mended ([`Privatizer::rewritten`]), `output` is the word as it was drawn.
    ///
    /// # Errors
    /// [`Error::NotOffered`] for a mechanism that does not state its probabilities
    /// ([`Privatizer::distribution`]).
    pub fn guesses(
        &self,
        output: WordId,
        prior: &Prior,
        candidates: usize,
        most: usize,
    ) -> Result<Vec<(WordId, f64)>, Error> {
        let mut joint = self.table().nearest(output, candidates);
        let drawn = self.table().rows().filter(|word| !self.is_in_clear(*word));
        let mut farther: f64 = drawn.map(|word| prior.share(word)).sum();
        let mut largest = 0.0_f64;
        for (input, share) in &mut joint {
            let p = if self.is_in_clear(*input) {
                f64::from(*input == output)
            } else {
                let outputs = self.distribution(*input).ok_or(Error::NotOffered)?;
                let found = outputs.binary_search_by_key(&output, |(word, _)| *word);
                let p = found.map_or(0.0, |at| outputs[at].1);
                farther -= prior.share(*input);
                largest = largest.max(p);
                p
            };
            *share = prior.share(*input) * p;
        }
        let least = largest * self.least_ratio() * farther.max(0.0);
        let total = least + joint.iter().map(|(_, share)| share).sum::<f64>();
        joint.retain(|(_, share)| *share > 0.0);
        joint.iter_mut().for_each(|(_, share)| *share /= total);
        Ok(most_probable(&joint, most))
    }
}

impl Table {
    /// The `most` rows nearest to a word, itself among them, nearest first; with minus their squared
    /// distances.
    fn nearest(&self, word: WordId, most: usize) -> Vec<(WordId, f64)> {
        let distances = self.rows().zip(self.distances_squared(word));
        let scores: Vec<_> = distances.map(|(row, squared)| (row, -f64::from(squared))).collect();
        most_probable(&scores, most)
    }
}

fn better(best: &mut (f64, WordId), candidate: (f64, WordId)) {
    if candidate.0 > best.0 || (candidate.0 == best.0 && candidate.1 < best.1) {
        *best = candidate;
    }
}
