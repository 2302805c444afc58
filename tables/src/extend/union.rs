//! The new words that have enough users to be named.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Result, ensure};
use rand_core::Rng;
use textveil::account::partition;
use textveil::sampler::{Variance, discrete_gaussian};
use textveil::{Piece, Table, TokenKind, Word, normalize, spelling};

use super::NORM;

/// Different new words of all users, at most.
const MOST_CANDIDATES: usize = 1 << 24;

/// Collects new words, and names those that many users have.
///
/// Its memory grows with the different words, not with the users.
#[derive(Clone)]
pub struct Union {
    /// In order, so that draws follow from a seed.
    weights: BTreeMap<String, i64>,
    most: u32,
    variance: Variance,
    threshold: i64,
}

/// One user's new words, in the order in which they were met.
#[derive(Default)]
pub struct Candidates {
    words: Vec<String>,
    seen: HashSet<String>,
}

impl Candidates {
    /// Adds what a text has of words that `table` lacks, until there are `most`: letters, with apostrophes and hyphens inside.
    ///
    /// # Errors
    /// A text that is too long.
    pub fn read(&mut self, table: &Table, text: &str, most: usize) -> Result<()> {
        for piece in Piece::split(&normalize(text))? {
            let Piece::Token { kind: TokenKind::Word, text } = piece else { continue };
            let word = spelling(&text);
            let is_word = word.len() <= Word::MAX_BYTES && word.chars().filter(|c| c.is_alphabetic()).count() > 1;
            let letters = word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-'));
            if self.words.len() < most
                && is_word
                && letters
                && table.find(&word).is_none()
                && self.seen.insert(word.clone())
            {
                self.words.push(word);
            }
        }
        Ok(())
    }
}

impl Union {
    /// For users of at most `most` words each, within ρ and δ.
    ///
    /// # Errors
    /// Numbers out of range.
    pub(super) fn new(most: u32, rho: f64, delta: f64) -> Result<Self> {
        ensure!(rho > 0.0 && delta > 0.0, "no part of the budget is for naming words");
        ensure!(most > 0, "no word of a user counts");
        let norm = f64::from(NORM);
        let variance = Variance::at_least(norm * norm / (2.0 * rho) * (1.0 + 1e-9))?;
        let threshold = partition::threshold(NORM, most, variance.get(), delta)?;
        Ok(Self { weights: BTreeMap::new(), most, variance, threshold })
    }

    /// Words of a user that count, at most.
    #[must_use]
    pub const fn most(&self) -> u32 {
        self.most
    }

    /// Adds a user's words. `share` is the part of the norm that the user's own budget allows, 1 without one.
    ///
    /// # Errors
    /// More different words than fit.
    pub fn add(&mut self, candidates: Candidates, share: f64) -> Result<()> {
        let words = candidates.words.into_iter().take(self.most as usize);
        let norm = (f64::from(NORM) * share) as u32;
        let weight = i64::from(partition::weight(norm.min(NORM), words.len() as u32));
        for word in words {
            *self.weights.entry(word).or_default() += weight;
        }
        ensure!(
            self.weights.len() <= MOST_CANDIDATES,
            "more than {MOST_CANDIDATES} different new words: name them by a file"
        );
        Ok(())
    }

    /// The words whose noisy weight reaches the threshold, ascending, at most `count`: those of the largest noisy weight.
    #[must_use]
    pub fn release<R: Rng + ?Sized>(self, count: usize, rng: &mut R) -> Vec<String> {
        let noisy =
            self.weights.into_iter().map(|(word, weight)| (weight + discrete_gaussian(self.variance, rng), word));
        let mut named: Vec<_> = noisy.filter(|(weight, _)| *weight >= self.threshold).collect();
        named.sort_unstable_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.cmp(y)));
        named.truncate(count);
        let mut words: Vec<String> = named.into_iter().map(|(_, word)| word).collect();
        words.sort_unstable();
        words
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use textveil::seeded_rng;

    use super::*;

    /// σ² of the noise, and the threshold.
    pub(crate) fn numbers(union: &Union) -> (f64, i64) {
        (union.variance.get(), union.threshold)
    }

    #[test]
    fn words_are_named_as_often_as_noise_of_the_stated_variance_lets_them() {
        const WORDS: usize = 20_000;
        for rho in [0.005, 0.5] {
            let union = Union::new(60, rho, 1e-6).expect("a union");
            // Noise of variance σ² on weights that move by Δ costs ρ = Δ²/2σ².
            let sigma = 4096.0 / (2.0 * rho).sqrt();
            // Gaussian noise is above one deviation with probability .1587.
            for (seed, missing, expected) in [(1, sigma, 0.1587), (2, -sigma, 0.8413)] {
                let mut union = union.clone();
                let weight = union.threshold - missing as i64;
                union.weights = (0..WORDS).map(|number| (format!("w{number}"), weight)).collect();
                let named = union.release(WORDS, &mut seeded_rng([seed; 32])).len() as f64 / WORDS as f64;
                // A share of 20,000: standard deviation .0026. A variance a seventh off moves it by more than .015.
                assert!((named - expected).abs() < 0.015, "{rho} {missing}: {named}");
            }
        }
    }

    #[test]
    fn all_words_of_a_user_together_weigh_no_more_than_the_share_of_the_norm() {
        for share in [1.0, 0.5, 0.01] {
            for count in [1_usize, 2, 7, 60, 200] {
                let words = (0..count).map(|number| format!("w{number}")).collect();
                let mut union = Union::new(60, 0.05, 1e-6).expect("a union");
                union.add(Candidates { words, seen: HashSet::new() }, share).expect("few words");
                assert_eq!(union.weights.len(), count.min(60));
                let norm = union.weights.values().map(|weight| (*weight as f64) * (*weight as f64)).sum::<f64>().sqrt();
                // The norm is rounded down, and so is each weight.
                let most = 4096.0 * share;
                assert!(norm <= most && norm > most - 1.0 - (count.min(60) as f64).sqrt(), "{share} {count}: {norm}");
            }
        }
    }
}
