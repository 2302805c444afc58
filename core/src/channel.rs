//! Exact draws from P(y|x) ∝ e^(−β·min(d(x,y), cap)) over offered words: what the mechanisms of the
//! exponential family share.
//!
//! Sampling is exact integer inversion: weights are integers, the draw is one multiplication of 128 random
//! bits with their sum, and the number of steps depends on nothing but the table. What remains is rounding:
//! √, product and exp are each within an ulp, the integers are exact (every weight is at least 2⁵⁵), and the
//! multiplication shifts a probability by at most 2⁻¹²⁸; together the relative error is below ρ = 10⁻¹⁴. A
//! channel that close to one of constant 2β has the constant 2β + 4ρ/d, and d is at least the scale between
//! different vectors (equal vectors have equal weights, bit for bit); [`Channel::new`] chooses β so that this
//! is at most η.

use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::random::wide;
use crate::table::{LANES, Query};
use crate::{Table, WordId};

/// Where the exponent β·d is cut off, in nats.
pub const EXPONENT_LIMIT: f64 = 38.0;
/// Pure ε that the cut-off alone guarantees.
pub(crate) const EPSILON_CEILING: f64 = 2.0 * EXPONENT_LIMIT + 1e-12;
/// Bits of the weight of distance zero: 2¹⁷ rows of it still fit into 128 bits.
const WEIGHT_BITS: u32 = 110;
/// Bound of the relative error of a sampled probability.
const ROUNDING: f64 = 1e-14;
/// Squared distances up to here have their weights stored (4 MB); wider tables compute them in the scan.
const MOST_STORED: usize = 1 << 18;

/// One row of probabilities for each word of a table.
pub(crate) struct Channel {
    decay: Decay,
    /// Weight by squared lattice distance; empty if the table is too wide.
    weights: Vec<Weight>,
    /// The rows of each block that may come out; one list for each class that words stay in, else one.
    offered: Vec<Vec<u16>>,
}

/// How weights fall with distance.
#[derive(Clone, Copy)]
struct Decay {
    /// β in nats per lattice step.
    beta: f64,
    /// Where the exponent stops growing, in nats.
    limit: f64,
}

/// A weight in two halves of 55 bits (the greatest weight alone needs one more), so that the sums of a block
/// stay within 64.
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

/// What the words of a channel are exchanged for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Every offered word.
    Vocabulary,
    /// The offered words of the same class.
    Class,
}

/// What a channel is built from.
pub(crate) struct Plan {
    /// Metric-DP constant, in nats per unit of distance.
    pub(crate) eta: f64,
    /// γ of the metric min(d, γ).
    pub(crate) farthest: f64,
    pub(crate) reach: Reach,
}

impl Channel {
    pub(crate) fn new(plan: &Plan, table: &Table) -> Self {
        let Plan { eta, farthest, reach } = *plan;
        const DOWNWARDS: f64 = 1.0 - 1.0 / (1_u64 << 50) as f64;
        let beta = (0.5 * eta * DOWNWARDS - 2.0 * ROUNDING / table.scale()).max(0.0) * table.scale();
        let decay = Decay { beta, limit: (beta * (farthest / table.scale())).min(EXPONENT_LIMIT) };
        // Twice the radius bounds every distance.
        let largest = 4 * table.radius_squared();
        let stored = if (largest as usize) < MOST_STORED { largest + 1 } else { 0 };
        let weights = (0..stored).map(|squared| Weight::at(decay, squared)).collect();
        let offered = match reach {
            Reach::Vocabulary => vec![table.offered_lanes(None)],
            Reach::Class => table.classes().map(|class| table.offered_lanes(Some(class))).collect(),
        };
        Self { decay, weights, offered }
    }

    /// Which rows may come out for this input. (Its class is public.)
    fn offered(&self, table: &Table, input: WordId) -> &[u16] {
        match self.offered.as_slice() {
            [all] => all,
            classes => table.class_of(input).and_then(|class| classes.get(class.index())).map_or(&[], Vec::as_slice),
        }
    }

    /// The weights of a block's rows, 0 for those that may not come out.
    #[inline]
    fn block_weights(&self, table: &Table, block: usize, query: &Query, offered: u16) -> [Weight; LANES] {
        let distances = table.block_distances(block, query);
        let mut weights = match self.weights.len().checked_sub(1) {
            // No distance is beyond the last weight; `min` tells the compiler.
            Some(last) => distances.map(|squared| self.weights[(squared as usize).min(last)]),
            None => distances.map(|squared| Weight::at(self.decay, squared)),
        };
        // Which rows are offered is public: the work may depend on it.
        if offered != u16::MAX {
            for (lane, weight) in weights.iter_mut().enumerate() {
                if offered >> lane & 1 == 0 {
                    *weight = Weight::default();
                }
            }
        }
        weights
    }

    /// Draws the word that takes the place of `input`.
    pub(crate) fn draw(&self, table: &Table, input: WordId, rng: &mut dyn CryptoRng) -> WordId {
        let query = table.query_of(input);
        let offered = self.offered(table, input);
        let mut cumulative = vec![0_u128; offered.len()];
        let mut total = 0_u128;
        for (block, (sum, lanes)) in cumulative.iter_mut().zip(offered).enumerate() {
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
        for weight in self.block_weights(table, block, &query, offered[block]) {
            sum += weight.whole();
            lane += usize::from(sum <= target);
        }
        WordId((block * LANES + lane) as u32)
    }

    /// The probability of every word that may come out.
    pub(crate) fn distribution(&self, table: &Table, input: WordId) -> Vec<(WordId, f64)> {
        let query = table.query_of(input);
        let offered = self.offered(table, input).iter().enumerate();
        let weights: Vec<u128> = offered
            .flat_map(|(block, lanes)| self.block_weights(table, block, &query, *lanes))
            .map(Weight::whole)
            .collect();
        let total = weights.iter().sum::<u128>() as f64;
        table
            .rows()
            .zip(weights)
            .filter(|(_, weight)| *weight > 0)
            .map(|(row, weight)| (row, weight as f64 / total))
            .collect()
    }
}

impl Decay {
    fn weight(self, squared: u32) -> u128 {
        const UNIT: f64 = (1_u128 << WEIGHT_BITS) as f64;
        let exponent = (self.beta * libm::sqrt(f64::from(squared))).min(self.limit);
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
    fn every_weight_is_an_exact_integer_that_leaves_room_for_the_sum() {
        let decay = |beta| Decay { beta, limit: EXPONENT_LIMIT };
        assert_eq!(decay(1.0).weight(0), 1 << WEIGHT_BITS);
        assert!(decay(1e9).weight(u32::MAX) >= 1 << 55);
        assert!((1_u128 << WEIGHT_BITS).checked_mul(1 << 17).is_some());
    }
}
