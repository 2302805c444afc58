//! Exact draws from P(y|x) = g(y)·e^(−β·max(m(x,y), near)) / Z(x), m = min(d, cutoff): what the mechanisms of the exponential
//! family share. The base measure g is 1, or that of a certificate.
//!
//! Sampling is exact integer inversion: weights are integers, the draw is one multiplication of 128 random
//! bits with their sum, and the number of steps depends on nothing but the table. What remains is rounding:
//! √, product and exp are each within an ulp, the integers are exact (every weight is at least 2⁵⁵, and g is
//! one itself), and the multiplication shifts a probability by at most 2⁻¹²⁸; together the relative error is
//! below ρ = [`ROUNDING`]. A channel that close to one of constant η has the constant η + 4ρ/d, and d is at
//! least the scale between different vectors (equal vectors have equal weights, bit for bit).

use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::random::wide;
use crate::table::{LANES, Query};
use crate::{Certificate, Table, WordId};

/// Where the exponent β·d is cut off, in nats.
pub const EXPONENT_LIMIT: f64 = 28.0;
/// Pure ε that the cut-off alone guarantees where g is 1.
pub(crate) const EPSILON_CEILING: f64 = 2.0 * EXPONENT_LIMIT + 1e-12;
/// Bits of the weight of distance zero: 2¹⁷ rows of it, each times a g of up to 12 bits, fit into 128.
const WEIGHT_BITS: u32 = 96;
/// Bound of the relative error of a sampled probability.
pub(crate) const ROUNDING: f64 = 1e-14;
/// Squared distances up to here have their weights stored (4 MB); wider tables compute them in the scan.
const MOST_STORED: usize = 1 << 18;

/// One row of probabilities for each word of a table.
pub(crate) struct Channel {
    decay: Decay,
    /// Weight by squared lattice distance; empty if the table is too wide.
    weights: Vec<Weight>,
    /// The rows of each block that may be drawn; one list for each class that words stay in, else one.
    drawn: Vec<Vec<u16>>,
    base: Option<Base>,
}

/// How weights fall with distance.
#[derive(Clone, Copy)]
struct Decay {
    /// β in nats per lattice step.
    beta: f64,
    /// Where the exponent starts to grow, in nats, and is 0.
    start: f64,
    /// Where it stops growing, in nats.
    limit: f64,
}

/// A weight in two halves of 48 bits (the greatest weight alone needs one more), so that the sums of a block
/// stay within 64, also after each was multiplied by a g of 12 bits.
#[derive(Clone, Copy, Default)]
struct Weight {
    high: u64,
    low: u64,
}

impl Weight {
    const HALF: u32 = WEIGHT_BITS / 2;

    fn at(decay: Decay, squared: u32) -> Self {
        let weight = decay.weight(squared);
        Self { high: (weight >> Self::HALF) as u64, low: (weight & ((1 << Self::HALF) - 1)) as u64 }
    }

    fn times(self, factor: u16) -> Self {
        let factor = u64::from(factor);
        Self { high: self.high * factor, low: self.low * factor }
    }

    fn whole(self) -> u128 {
        (u128::from(self.high) << Self::HALF) + u128::from(self.low)
    }
}

impl core::ops::Add for Weight {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { high: self.high + other.high, low: self.low + other.low }
    }
}

/// g by the codes of a certificate.
struct Base {
    certificate: usize,
    by_code: Vec<u16>,
}

impl Base {
    fn new(certificate: usize, table: &Table) -> Self {
        let step = table.certificates().get(certificate).map_or(0.0, |certificate| certificate.step);
        Self { certificate, by_code: (0..=u8::MAX).map(|code| Certificate::base(step, code)).collect() }
    }

    /// Multiplies the weights of a block's rows by their g.
    #[inline]
    fn apply(&self, table: &Table, block: usize, weights: &mut [Weight; LANES]) {
        let codes = table.base_codes(self.certificate).get(block * LANES..).unwrap_or_default();
        for (weight, code) in weights.iter_mut().zip(codes) {
            *weight = weight.times(self.by_code[usize::from(*code)]);
        }
    }
}

/// What the words of a channel are exchanged for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Every offered word.
    Offered,
    /// The offered words of the same class.
    Class,
    /// Every word, with the g of this certificate; one that is never offered comes out as its stand-in.
    All { certificate: usize },
}

/// What a channel is built from.
pub(crate) struct Plan {
    /// β in nats per unit of distance.
    pub(crate) beta: f64,
    /// The metric is min(d, cutoff).
    pub(crate) cutoff: f64,
    /// Up to here, all words are equally likely.
    pub(crate) near: f64,
    pub(crate) reach: Reach,
}

impl Plan {
    /// A channel with g = 1 that is proved to have the constant `eta`, rounding included.
    pub(crate) fn half(eta: f64, cutoff: f64, reach: Reach, table: &Table) -> Self {
        const DOWNWARDS: f64 = 1.0 - 1.0 / (1_u64 << 50) as f64;
        let beta = (0.5 * eta * DOWNWARDS - 2.0 * ROUNDING / table.scale()).max(0.0);
        Self { beta, cutoff, near: 0.0, reach }
    }
}

impl Channel {
    pub(crate) fn new(plan: &Plan, table: &Table) -> Self {
        let Plan { beta, cutoff, near, reach } = *plan;
        let beta = beta * table.scale();
        let start = beta * (near / table.scale());
        let decay = Decay { beta, start, limit: (beta * (cutoff / table.scale()) - start).min(EXPONENT_LIMIT) };
        // Twice the radius bounds every distance.
        let largest = 4 * table.radius_squared();
        let stored = if (largest as usize) < MOST_STORED { largest + 1 } else { 0 };
        let weights = (0..stored).map(|squared| Weight::at(decay, squared)).collect();
        let (drawn, base) = match reach {
            Reach::Offered => (vec![table.lanes(|word| table.is_offered(word))], None),
            Reach::Class => {
                let members = |class| move |word| table.is_offered(word) && table.class_of(word) == Some(class);
                (table.classes().map(|class| table.lanes(members(class))).collect(), None)
            }
            Reach::All { certificate } => (vec![table.lanes(|_| true)], Some(Base::new(certificate, table))),
        };
        Self { decay, weights, drawn, base }
    }

    /// Which rows may be drawn for this input. (Its class is public.)
    fn drawn(&self, table: &Table, input: WordId) -> &[u16] {
        match self.drawn.as_slice() {
            [all] => all,
            classes => table.class_of(input).and_then(|class| classes.get(class.index())).map_or(&[], Vec::as_slice),
        }
    }

    /// The weights of a block's rows, 0 for those that are not drawn.
    #[inline]
    fn block_weights(&self, table: &Table, block: usize, query: &Query, drawn: u16) -> [Weight; LANES] {
        let distances = table.block_distances(block, query);
        let mut weights = match self.weights.len().checked_sub(1) {
            // No distance is beyond the last weight; `min` tells the compiler.
            Some(last) => distances.map(|squared| self.weights[(squared as usize).min(last)]),
            None => distances.map(|squared| Weight::at(self.decay, squared)),
        };
        if let Some(base) = &self.base {
            base.apply(table, block, &mut weights);
        }
        // Which rows are drawn is public: the work may depend on it.
        if drawn != u16::MAX {
            for (lane, weight) in weights.iter_mut().enumerate() {
                if drawn >> lane & 1 == 0 {
                    *weight = Weight::default();
                }
            }
        }
        weights
    }

    /// Draws the word that takes the place of `input`.
    pub(crate) fn draw(&self, table: &Table, input: WordId, rng: &mut dyn CryptoRng) -> WordId {
        let query = table.query_of(input);
        let drawn = self.drawn(table, input);
        let mut cumulative = vec![0_u128; drawn.len()];
        let mut total = 0_u128;
        for (block, (sum, lanes)) in cumulative.iter_mut().zip(drawn).enumerate() {
            total += self
                .block_weights(table, block, &query, *lanes)
                .into_iter()
                .fold(Weight::default(), |sum, weight| sum + weight)
                .whole();
            *sum = total;
        }
        let target = multiply_high(wide(rng), total);
        // Counting instead of searching: the same steps whatever the word.
        let block = cumulative.iter().map(|sum| usize::from(*sum <= target)).sum::<usize>();
        let mut sum = if block == 0 { 0 } else { cumulative[block - 1] };
        let mut lane = 0;
        for weight in self.block_weights(table, block, &query, drawn[block]) {
            sum += weight.whole();
            lane += usize::from(sum <= target);
        }
        // From here on all is public: what was drawn is what the guarantee covers.
        table.stand_in(WordId((block * LANES + lane) as u32))
    }

    /// The probability of every word that may come out.
    pub(crate) fn distribution(&self, table: &Table, input: WordId) -> Vec<(WordId, f64)> {
        let query = table.query_of(input);
        let drawn = self.drawn(table, input).iter().enumerate();
        let weights = drawn.flat_map(|(block, lanes)| self.block_weights(table, block, &query, *lanes));
        let mut by_row = vec![0_u128; table.len()];
        for (row, weight) in table.rows().zip(weights) {
            by_row[table.stand_in(row).row()] += weight.whole();
        }
        let total = by_row.iter().sum::<u128>() as f64;
        let shares = table.rows().zip(by_row).filter(|(_, weight)| *weight > 0);
        shares.map(|(row, weight)| (row, weight as f64 / total)).collect()
    }
}

impl Decay {
    fn weight(self, squared: u32) -> u128 {
        const UNIT: f64 = (1_u128 << WEIGHT_BITS) as f64;
        let exponent = (self.beta * libm::sqrt(f64::from(squared)) - self.start).max(0.0).min(self.limit);
        (libm::exp(-exponent) * UNIT) as u128
    }
}

/// The upper 128 bits of a product of 256.
fn multiply_high(a: u128, b: u128) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let middle = ((a0 * b0) >> 64) + ((a0 * b1) & LOW) + ((a1 * b0) & LOW);
    a1 * b1 + ((a0 * b1) >> 64) + ((a1 * b0) >> 64) + (middle >> 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplication_keeps_the_upper_half() {
        assert_eq!(multiply_high(u128::MAX, u128::MAX), u128::MAX - 1);
        assert_eq!(multiply_high(1 << 127, 6), 3);
        assert_eq!(multiply_high(u128::MAX, 1), 0);
        assert_eq!(multiply_high(0x0123_4567_89ab_cdef_fedc_ba98_7654_3210, 1 << 64), 0x0123_4567_89ab_cdef);
    }

    #[test]
    fn every_weight_is_an_exact_integer_that_leaves_room_for_the_sums() {
        let decay = |beta| Decay { beta, start: 0.0, limit: EXPONENT_LIMIT };
        assert_eq!(decay(1.0).weight(0), 1 << WEIGHT_BITS);
        assert!(decay(1e9).weight(u32::MAX) >= 1 << 55);
        let heaviest = Weight::at(decay(1.0), 0).times(Certificate::LARGEST_BASE);
        assert!([heaviest.high, heaviest.low].iter().all(|half| half.checked_mul(LANES as u64).is_some()));
        assert!(heaviest.whole().checked_mul(Table::MAX_ROWS as u128).is_some());
    }
}
