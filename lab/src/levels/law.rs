//! The laws of some words at any ε, from the stated probabilities of a mechanism at one ε.

use std::collections::HashMap;

use anyhow::{Context, Result};
use rand_core::Rng;
use rayon::prelude::*;
use textveil::{Privatizer, Table, WordId};

use textveil_toolkit::sampling::below;

/// Nearest-mass randomized response for some words. P(y|x) = (q(y) + (e^ε − 1)·i(x,y)) / (1 + (e^ε − 1)·m): q, i and m
/// do not depend on ε.
pub(super) struct Law {
    /// Rows with the sum of q up to each.
    base: Vec<(WordId, f64)>,
    mass: f64,
    words: HashMap<WordId, Inside>,
}

/// The rows that are inside for a word.
struct Inside {
    /// Rows with the sum of i/m up to each.
    sums: Vec<(WordId, f64)>,
    /// What comes out if it comes from all rows by q.
    anywhere: Spot,
    /// What comes out if it comes from the rows inside.
    near: Spot,
}

/// The mean over what comes out.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    /// The probability that it is the word that went in.
    pub(super) kept: f64,
    /// The distance to that word.
    pub(super) distance: f64,
}

impl Law {
    /// # Errors
    /// The mechanism does not state its probabilities.
    pub(super) fn of(privatizer: &Privatizer, table: &Table, words: &[WordId]) -> Result<Self> {
        let stated = |word: Option<WordId>| privatizer.distribution(word).context("no probabilities are stated");
        let base = stated(None)?;
        let gain = libm::expm1(privatizer.guarantee(1).epsilon_word);
        let inside = |word: &WordId| -> Result<(WordId, f64, Inside)> {
            let ratios: Vec<f64> = stated(Some(*word))?.iter().zip(&base).map(|((_, p), (_, q))| p / q).collect();
            // For a row outside, the ratio is 1/Z. Rows a hair above 1/Z are outside too: only rounding lifts them.
            let outside = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let of_row = |((row, q), ratio): (&(WordId, f64), &f64)| (*row, q * (ratio / outside - 1.0));
            let is_inside = |(_, ratio): &(&(WordId, f64), &f64)| **ratio > outside * (1.0 + 1e-9);
            let near: Vec<(WordId, f64)> = base.iter().zip(&ratios).filter(is_inside).map(of_row).collect();
            let sum: f64 = near.iter().map(|(_, share)| share).sum();
            let near: Vec<(WordId, f64)> = near.into_iter().map(|(row, share)| (row, share / sum)).collect();
            let spot = |shares: &[(WordId, f64)]| Spot {
                kept: shares.iter().filter(|(row, _)| row == word).map(|(_, share)| share).sum(),
                distance: shares.iter().map(|(row, share)| share * table.distance(*word, *row)).sum(),
            };
            Ok((*word, sum / gain, Inside { anywhere: spot(&base), near: spot(&near), sums: summed(&near) }))
        };
        let found = words.par_iter().map(inside).collect::<Result<Vec<_>>>()?;
        let mass = found.first().map_or(0.0, |(_, mass, _)| *mass);
        let words = found.into_iter().map(|(word, _, inside)| (word, inside)).collect();
        Ok(Self { base: summed(&base), mass, words })
    }

    /// The probability that what comes out for a known word comes from the rows inside.
    fn near(&self, epsilon: f64) -> f64 {
        let more = libm::expm1(epsilon) * self.mass;
        more / (1.0 + more)
    }

    /// The law of a word. `None` is any unknown word.
    pub(super) fn draw(&self, word: Option<WordId>, epsilon: f64, rng: &mut impl Rng) -> WordId {
        let near = word.and_then(|word| self.words.get(&word)).filter(|_| unit(rng) < self.near(epsilon));
        let sums = near.map_or(&self.base, |inside| &inside.sums);
        let place = unit(rng);
        sums[sums.partition_point(|(_, sum)| *sum <= place).min(sums.len() - 1)].0
    }

    /// The mean over words.
    pub(super) fn mean<'a>(&self, words: impl Iterator<Item = &'a WordId>, epsilon: f64) -> Spot {
        let near = self.near(epsilon);
        let mut sum = Spot { kept: 0.0, distance: 0.0 };
        let mut count = 0.0;
        for inside in words.filter_map(|word| self.words.get(word)) {
            sum.kept += near * inside.near.kept + (1.0 - near) * inside.anywhere.kept;
            sum.distance += near * inside.near.distance + (1.0 - near) * inside.anywhere.distance;
            count += 1.0;
        }
        Spot { kept: sum.kept / count, distance: sum.distance / count }
    }
}

/// Rows with the sum of the shares up to each.
fn summed(shares: &[(WordId, f64)]) -> Vec<(WordId, f64)> {
    let add = |sum: &mut f64, (row, share): &(WordId, f64)| {
        *sum += share;
        Some((*row, *sum))
    };
    shares.iter().scan(0.0, add).collect()
}

/// A number from 0 up to 1.
fn unit(rng: &mut impl Rng) -> f64 {
    const STEPS: usize = 1 << 53;
    below(rng, STEPS) as f64 / STEPS as f64
}

#[cfg(test)]
mod tests {
    use textveil::Disclosure;

    use super::*;
    use crate::compare::rng;

    fn privatizer(table: &Table, epsilon: f64) -> Privatizer {
        let mechanism = super::super::mechanism(epsilon, 0.5, 0.003).expect("in range");
        Privatizer::new(table, mechanism, Disclosure::default()).expect("enough for a row")
    }

    #[test]
    fn at_another_epsilon_it_is_what_the_mechanism_says_there() {
        let table = textveil_tables::load(None).expect("the built-in table");
        let words = ["the", "cancer", "sister"].map(|word| table.find(word).expect("a word"));
        let law = Law::of(&privatizer(&table, 10.0), &table, &words).expect("stated");
        for word in words {
            let stated = privatizer(&table, 6.0).distribution(word).expect("stated");
            let kept: f64 = stated.iter().filter(|(row, _)| *row == word).map(|(_, share)| share).sum();
            let distance: f64 = stated.iter().map(|(row, share)| share * table.distance(word, *row)).sum();
            let found = law.mean([word].iter(), 6.0);
            assert!((found.kept / kept - 1.0).abs() < 1e-9, "{} {kept}", found.kept);
            assert!((found.distance / distance - 1.0).abs() < 1e-9, "{} {distance}", found.distance);
        }
    }

    #[test]
    fn draws_are_as_frequent_as_their_probabilities_say() {
        const DRAWS: usize = 40_000;
        let table = textveil_tables::load(None).expect("the built-in table");
        let word = table.find("the").expect("a word");
        let law = Law::of(&privatizer(&table, 10.0), &table, &[word]).expect("stated");
        let mut rng = rng(1, 0, 0);
        for (input, epsilon) in [(Some(word), 7.0), (None, 7.0)] {
            let drawn = (0..DRAWS).filter(|_| law.draw(input, epsilon, &mut rng) == word).count() as f64;
            let stated = privatizer(&table, epsilon).distribution(input).expect("stated");
            let share: f64 = stated.iter().filter(|(row, _)| *row == word).map(|(_, share)| share).sum();
            let deviation = (share * (1.0 - share) * DRAWS as f64).sqrt();
            assert!((drawn - share * DRAWS as f64).abs() < 5.0 * deviation, "{drawn} {share}");
        }
    }
}
