//! Evidence to choose a level by: plausible deniability of a word, a text or a vocabulary, and inversion.
//!
//! A guarantee bounds what anyone can learn from a release, whatever the word is and whatever is known
//! already. These numbers describe: how often a word comes out as itself (N_w), how many words it may turn
//! into (S_w), how often a guess is right. They depend on the word. They bound no other attacker and no other prior,
//! with the exception that is stated at [`BayesAttacker`].
//!
//! Where a mechanism states its probabilities ([`Privatizer::distribution`]), sums here are exact, in one scan of the
//! table a word. Elsewhere they are estimated from draws, which release nothing.
//!
//! Source: Feyisetan, Balle, Drake and Diethe, WSDM 2020 (N_w, S_w); Qu et al., CIKM 2021 (inversion).

mod attacker;
mod spread;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use rand_core::CryptoRng;

use crate::draw::stretch::Fate;
use crate::{Error, Piece, Privatizer, Reading, Table, TokenKind, WordId, look_up};
pub use attacker::{BayesAttacker, Prior};
pub use spread::{Spread, Target};

/// How closely outputs are looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gauge {
    tail: f64,
    draws: u32,
}

impl Default for Gauge {
    /// q = 0.05 and n = 1000, the papers' number of draws.
    fn default() -> Self {
        Self { tail: 0.05, draws: 1000 }
    }
}

impl Gauge {
    /// The effective support may leave out a probability of `tail` (the q of S_w). `draws` is the n of distinct
    /// outputs, and of a simulation.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] unless 0 ≤ `tail` < 1 and `draws` is from 1 to [`Gauge::MOST_DRAWS`].
    pub fn new(tail: f64, draws: u32) -> Result<Self, Error> {
        let fits = (0.0..1.0).contains(&tail) && (1..=Self::MOST_DRAWS).contains(&draws);
        if fits { Ok(Self { tail, draws }) } else { Err(Error::InvalidArgument) }
    }

    /// Most draws.
    pub const MOST_DRAWS: u32 = 1 << 20;

    /// q: what S_w may leave out.
    #[must_use]
    pub const fn tail(self) -> f64 {
        self.tail
    }

    /// n: how many draws distinct outputs are counted in.
    #[must_use]
    pub const fn draws(self) -> u32 {
        self.draws
    }
}

/// Plausible deniability of one word under a mechanism. For the device's eyes only where the word is the
/// user's.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
pub struct Deniability {
    /// N_w: the probability that it comes out as itself. It is 0 for an unknown word, which cannot.
    pub kept: f64,
    /// S_w, the effective support: the least number of words that hold a probability of 1 − q together.
    pub support: usize,
    /// The expected number of distinct outputs in n draws, Σ 1 − (1 − p)ⁿ: what the papers count for S_w.
    pub distinct: f64,
    /// e to the entropy of the output: as many equally likely words would be as uncertain.
    pub perplexity: f64,
    /// The expected distance of the output, in units of the table (see [`Privatizer::distance`]).
    pub distance: f64,
    /// Whether it was estimated from n draws. Then `kept` and `distance` are off by the chance of n draws, and
    /// `distinct` is the count in one run. `support` and `perplexity` belong to the n outputs: they are too small
    /// unless n exceeds them by far.
    pub estimated: bool,
}

impl Deniability {
    /// Sums over the probabilities of `word`'s outputs, as [`Privatizer::distribution`] gives them.
    #[must_use]
    pub fn of(table: &Table, word: WordId, distribution: &[(WordId, f64)], gauge: Gauge) -> Self {
        Self::summed(Some(word), table.expected_distance(word, distribution), distribution, gauge)
    }

    fn summed(word: Option<WordId>, distance: f64, distribution: &[(WordId, f64)], gauge: Gauge) -> Self {
        let (mut kept, mut distinct, mut entropy) = (0.0, 0.0, 0.0);
        for (output, p) in distribution {
            if Some(*output) == word {
                kept = *p;
            }
            distinct += 1.0 - power(1.0 - p, gauge.draws);
            entropy -= p * libm::log(*p);
        }
        Self {
            kept,
            support: support(distribution.iter().map(|(_, p)| *p).collect(), gauge.tail),
            distinct,
            perplexity: libm::exp(entropy),
            distance,
            estimated: false,
        }
    }
}

/// Plausible deniability of one token of a text.
#[derive(Clone)]
#[non_exhaustive]
pub struct TokenDeniability {
    /// The token as it stood in the text.
    pub token: String,
    /// The kind of the token.
    pub kind: TokenKind,
    /// The reading of the token, or `None` for a placeholder, which is not looked up.
    pub reading: Option<Reading>,
    /// Its protection, or `None` for a token that the options leave in clear or show by its kind.
    pub deniability: Option<Deniability>,
}

impl fmt::Debug for TokenDeniability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenDeniability").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Privatizer {
    /// The protection of a word. It is exact if the mechanism states its probabilities, and otherwise estimated from
    /// draws of `rng`, which release nothing. `None` stands for any word that the vocabulary lacks.
    pub fn deniability<R: CryptoRng + ?Sized>(
        &self,
        word: impl Into<Option<WordId>>,
        gauge: Gauge,
        rng: &mut R,
    ) -> Deniability {
        let word = word.into();
        let of = |distribution: &[(WordId, f64)]| match word {
            Some(word) => Deniability::of(self.table(), word, distribution, gauge),
            None => {
                let distance = distribution.iter().map(|(output, p)| p * self.distance(None, *output)).sum();
                Deniability::summed(None, distance, distribution, gauge)
            }
        };
        if let Some(distribution) = self.distribution(word) {
            return of(&distribution);
        }
        let shares = self.simulated(word, gauge.draws, rng);
        Deniability { distinct: shares.len() as f64, estimated: true, ..of(&shares) }
    }

    /// The protection of each token of a text, in order. Equal rows are computed once, and so are unknown words.
    ///
    /// # Errors
    /// [`Error::TextTooLong`] above [`crate::MAX_TEXT_BYTES`].
    pub fn text_deniability<R: CryptoRng + ?Sized>(
        &self,
        text: &str,
        gauge: Gauge,
        rng: &mut R,
    ) -> Result<Vec<TokenDeniability>, Error> {
        let mut seen = alloc::collections::BTreeMap::new();
        let mut tokens = Vec::new();
        for piece in self.pieces(&text.into())? {
            let Piece::Token { kind, text: token } = piece else { continue };
            let Fate { reading, clear, .. } = self.fate(kind, || look_up(self.table(), kind, &token));
            let private = reading.filter(|_| !clear);
            let deniability = private
                .map(|Reading { row, .. }| *seen.entry(row).or_insert_with(|| self.deniability(row, gauge, rng)));
            tokens.push(TokenDeniability { token, kind, reading, deniability });
        }
        Ok(tokens)
    }
}

impl Table {
    /// Σ p·d(word, output).
    fn expected_distance(&self, word: WordId, distribution: &[(WordId, f64)]) -> f64 {
        let distances = self.distances_squared(word);
        // A row of another table has no distance here.
        let terms = distribution.iter().filter_map(|(output, p)| {
            let squared = distances.get(output.row())?;
            Some(p * libm::sqrt(f64::from(*squared)))
        });
        self.scale() * terms.fold(0.0, |sum, term| sum + term)
    }
}

/// xⁿ by squaring: for probabilities and the n of a gauge off by less than 10⁻⁹, at a tenth of the cost of
/// `pow`.
fn power(mut x: f64, mut n: u32) -> f64 {
    let mut product = 1.0;
    while n > 0 {
        if n & 1 == 1 {
            product *= x;
        }
        x *= x;
        n >>= 1;
    }
    product
}

/// The least number of shares that hold 1 − `tail` together, to twelve digits.
///
/// The bits of a float that is not negative ascend with it. Halving their range parts the shares into those
/// that belong to the sum and those that do not, with ever fewer between.
fn support(mut open: Vec<f64>, tail: f64) -> usize {
    let wanted = (1.0 - tail) * (1.0 - 1e-12);
    let (mut low, mut high) = (0, f64::INFINITY.to_bits());
    let (mut held, mut count) = (0.0, 0);
    while high - low > 1 && !open.is_empty() {
        let middle = low + (high - low) / 2;
        let (large, small): (Vec<f64>, Vec<f64>) = open.into_iter().partition(|share| share.to_bits() >= middle);
        let sum: f64 = large.iter().sum();
        if held + sum >= wanted {
            (open, low) = (large, middle);
        } else {
            held += sum;
            count += large.len();
            (open, high) = (small, middle);
        }
    }
    // What is left is equal.
    let needed = libm::ceil((wanted - held) / f64::from_bits(low)) as usize;
    count + needed.min(open.len())
}

#[cfg(all(test, feature = "embedded-table"))]
mod tests {
    use super::*;

    #[test]
    fn the_support_is_the_least_number_of_words_that_hold_the_share() {
        let shares = || alloc::vec![0.1, 0.5, 0.05, 0.2, 0.15];
        for (tail, least) in [(0.0, 5), (0.04, 5), (0.05, 4), (0.2, 3), (0.3, 2), (0.31, 2), (0.5, 1), (0.9, 1)] {
            assert_eq!(support(shares(), tail), least, "{tail}");
        }
        for (equal, tail, least) in [(10, 0.1, 9), (10, 0.05, 10), (1000, 0.05, 950), (3, 0.0, 3), (7, 0.5, 4)] {
            assert_eq!(support(alloc::vec![1.0 / f64::from(equal); equal as usize], tail), least, "{equal} {tail}");
        }
    }

    #[test]
    fn a_row_of_another_table_has_no_distance() {
        let table = Table::english().expect("the built-in table");
        let own = Deniability::of(&table, WordId(0), &[(WordId(1), 0.5)], Gauge::default());
        let with_foreign = [(WordId(1), 0.5), (WordId(u32::MAX), 0.5)];
        assert_eq!(Deniability::of(&table, WordId(0), &with_foreign, Gauge::default()).distance, own.distance);
    }

    #[test]
    fn a_power_by_squaring_is_the_product() {
        for (x, n) in [(0.5, 3), (0.999, 1000), (1.0, 7), (0.0, 1), (1.0 - 1e-9, 1 << 20)] {
            assert!((power(x, n) - libm::pow(x, f64::from(n))).abs() < 1e-9, "{x} {n}");
        }
        assert_eq!(power(0.3, 0), 1.0);
    }

    #[test]
    fn a_gauge_refuses_what_is_no_share_or_no_number_of_draws() {
        for (tail, draws) in [(1.0, 1), (-0.1, 1), (f64::NAN, 1), (0.1, 0), (0.1, Gauge::MOST_DRAWS + 1)] {
            assert_eq!(Gauge::new(tail, draws), Err(Error::InvalidArgument), "{tail} {draws}");
        }
        assert_eq!(Gauge::new(0.05, 1000), Ok(Gauge::default()));
    }
}
