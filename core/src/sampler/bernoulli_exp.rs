//! A coin of probability e^(−γ) for a rational γ, without an exponential.
//!
//! # Exactness
//! Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy", NeurIPS 2020, Algorithm 1.
//! For γ ≤ 1, count k = 1, 2, … as long as a coin of probability γ/k shows heads. The count passes k with
//! probability γᵏ/k!, so it stops at an odd k with probability Σ (−γ)ʲ/j! = e^(−γ). The coin of probability
//! γ/k is thrown as two, γ and 1/k, so that no product can overflow. For γ > 1 there comes first a coin of
//! probability 1/e for every whole unit, and all must show heads.

use core::num::NonZero;

use rand_core::Rng;

use super::{ONE, below, bernoulli_ratio};

/// True with probability exactly e^(−`numerator`/`denominator`), for any arguments.
#[must_use]
pub fn bernoulli_exp<R: Rng + ?Sized>(mut numerator: u128, denominator: NonZero<u128>, rng: &mut R) -> bool {
    while numerator > denominator.get() {
        if !bernoulli_exp_to_one(1, ONE, rng) {
            return false;
        }
        numerator -= denominator.get();
    }
    bernoulli_exp_to_one(numerator, denominator, rng)
}

/// The same for a quotient of at most 1.
fn bernoulli_exp_to_one<R: Rng + ?Sized>(numerator: u128, denominator: NonZero<u128>, rng: &mut R) -> bool {
    let mut k = ONE;
    while bernoulli_ratio(numerator, denominator, rng) && below(k, rng) == 0 {
        k = k.saturating_add(1);
    }
    k.get() % 2 == 1
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::sampler::script::Script;

    /// The probability of heads, as far as words of three bits decide it, and that of being undecided after
    /// `depth` words: every script of words is run.
    fn enumerate(numerator: u128, denominator: NonZero<u128>, depth: usize) -> (f64, f64) {
        let (mut heads, mut undecided) = (0.0, 0.0);
        let mut prefixes = vec![vec![]];
        while let Some(words) = prefixes.pop() {
            let mut script = Script::new(words.iter().copied());
            let outcome = bernoulli_exp(numerator, denominator, &mut script);
            let probability = libm::pow(0.125, words.len() as f64);
            if script.taken() <= words.len() {
                heads += if outcome { probability } else { 0.0 };
            } else if words.len() == depth {
                undecided += probability;
            } else {
                prefixes.extend((0..8_u64).map(|digit| [words.as_slice(), &[digit << 61]].concat()));
            }
        }
        (heads, undecided)
    }

    #[test]
    fn all_scripts_of_random_words_together_show_heads_with_probability_exp() {
        // Three bits do not resolve a ninth throw, which has a probability of at most 1/8!.
        const UNRESOLVED: f64 = 1.0 / 40_320.0;
        for (numerator, denominator) in [(0, 1), (1, 1), (1, 2), (2, 3), (3, 5), (5, 7), (7, 8), (3, 2), (2, 1)] {
            let (heads, undecided) = enumerate(numerator, NonZero::new(denominator).expect("above zero"), 8);
            let exact = libm::exp(-(numerator as f64) / denominator as f64);
            assert!(undecided < 0.06, "{numerator}/{denominator}: {undecided} undecided");
            assert!(
                (heads - UNRESOLVED..=heads + undecided + UNRESOLVED).contains(&exact),
                "{numerator}/{denominator}: {heads} and {undecided} undecided, against {exact}"
            );
        }
    }
}
