//! Exact noise: integers whose law is a formula, drawn from random words by integer arithmetic.
//!
//! A proof of differential privacy speaks of a law. Noise computed in floating point follows it only nearly,
//! and the gaps between floats have given private values away (Mironov, CCS 2012). The samplers here close
//! the gap in two ways:
//!
//! - [`below`], [`bernoulli`], [`bernoulli_ratio`], [`bernoulli_exp`], [`discrete_laplace`] and
//!   [`discrete_gaussian`] are exact: given uniform words, each outcome has the probability that is stated.
//! - [`Tail`] draws Gaussian and truncated Laplace noise rounded to integers by inversion, and states how far
//!   the law that it draws from can be from the ideal one.
//!
//! # Time
//! All but [`bernoulli`] and [`Tail`] reject: they repeat until a draw is accepted. The length of every such
//! loop depends on the noise alone, never on the private value that the noise is added to. But the length does
//! tell about the noise. An observer who sees a noisy value *and* can time its drawing to a few steps learns more
//! than the guarantee says. [`Tail`] takes two words and the same number of evaluations for every outcome.
//!
//! # Randomness
//! Any `R: Rng + ?Sized` serves, a `&mut dyn Rng` too. A release passes its [`crate::ReleaseRng`]. A generator that
//! repeats itself, as a stuck one does, may keep a rejection loop from ending.

mod bernoulli_exp;
mod discrete_gaussian;
mod discrete_laplace;
mod lattice;
pub(crate) mod multivariate_laplace;
#[cfg(test)]
mod script;
mod tail;

use core::num::NonZero;

use rand_core::Rng;

use crate::random::wide;

pub use bernoulli_exp::bernoulli_exp;
pub use discrete_gaussian::discrete_gaussian;
pub use discrete_laplace::discrete_laplace;
pub use lattice::{Scale, Variance};
pub use tail::Tail;

const ONE: NonZero<u128> = NonZero::<u128>::MIN;
const TWO: NonZero<u128> = ONE.saturating_add(1);

/// A uniform integer in [0, `n`).
///
/// As many bits as `n` − 1 has, from the top of one word or two, until they are below `n`: fewer than two
/// rounds on average. `n` = 1 draws nothing.
#[must_use]
pub fn below<R: Rng + ?Sized>(n: NonZero<u128>, rng: &mut R) -> u128 {
    let greatest = n.get() - 1;
    let bits = u128::BITS - greatest.leading_zeros();
    loop {
        let drawn = match bits {
            0 => 0,
            1..=64 => u128::from(rng.next_u64() >> (64 - bits)),
            _ => wide(rng) >> (128 - bits),
        };
        if drawn <= greatest {
            return drawn;
        }
    }
}

/// True with probability `numerator`·2⁻⁶⁴, for one random word. 0 means never, and no `numerator` means always.
#[must_use]
pub fn bernoulli<R: Rng + ?Sized>(numerator: u64, rng: &mut R) -> bool {
    rng.next_u64() < numerator
}

/// True with probability `numerator`/`denominator`, and always if that is 1 or more.
#[must_use]
pub fn bernoulli_ratio<R: Rng + ?Sized>(numerator: u128, denominator: NonZero<u128>, rng: &mut R) -> bool {
    below(denominator, rng) < numerator
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::script::Script;
    use super::*;

    fn n(n: u128) -> NonZero<u128> {
        NonZero::new(n).expect("above zero")
    }

    #[test]
    fn every_integer_below_n_comes_from_exactly_one_pattern_of_bits() {
        for limit in 2..=70_u64 {
            let bits = u64::BITS - (limit - 1).leading_zeros();
            let mut accepted: Vec<u128> = Vec::new();
            for pattern in 0..1_u64 << bits {
                // The low bits must not matter; a refused pattern is followed by the word zero.
                let mut script = Script::new([pattern << (64 - bits) | 1, 0]);
                let drawn = below(n(limit.into()), &mut script);
                if script.taken() == 1 {
                    accepted.push(drawn);
                }
            }
            assert!(accepted.into_iter().eq(0..limit.into()), "{limit}");
        }
    }

    #[test]
    fn one_takes_no_word_and_more_than_64_bits_take_two() {
        let mut script = Script::new([7, 9, 11]);
        assert_eq!(below(ONE, &mut script), 0);
        assert_eq!(script.taken(), 0);
        assert_eq!(below(n(1 << 64), &mut script), 7);
        assert_eq!(below(n(u128::MAX), &mut script), 9 << 64 | 11);
        assert_eq!(below(n((1 << 64) + 1), &mut Script::new([u64::MAX, 0, 1 << 62, 1 << 63, 0, 0])), 1 << 63 | 1);
    }

    #[test]
    fn a_bernoulli_draw_compares_one_word() {
        for (word, numerator, outcome) in [(0, 0, false), (0, 1, true), (5, 5, false), (4, 5, true)] {
            assert_eq!(bernoulli(numerator, &mut Script::new([word])), outcome);
        }
        assert!(!bernoulli(u64::MAX, &mut Script::new([u64::MAX])), "never quite certain");
    }

    #[test]
    fn a_trait_object_draws_what_its_generator_draws() {
        let [mut direct, mut behind] = [(); 2].map(|()| ChaCha20Rng::from_seed([1; 32]));
        let dynamic: &mut dyn Rng = &mut behind;
        let scale = Scale::at_least(30.0).expect("in range");
        let variance = Variance::at_least(900.0).expect("in range");
        let tail = Tail::gaussian(30.0).expect("in range");
        for limit in 1..100 {
            assert_eq!(below(n(limit), &mut direct), below(n(limit), dynamic));
            assert_eq!(bernoulli_exp(limit, n(50), &mut direct), bernoulli_exp(limit, n(50), dynamic));
            assert_eq!(discrete_laplace(scale, &mut direct), discrete_laplace(scale, dynamic));
            assert_eq!(discrete_gaussian(variance, &mut direct), discrete_gaussian(variance, dynamic));
            assert_eq!(tail.draw(&mut direct), tail.draw(dynamic));
        }
    }
}
