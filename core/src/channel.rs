//! Exact draws from P(y|x) = g(y)·e^(−β·max(m(x,y), near)) / Z(x), m = min(d, cutoff): what the mechanisms of the exponential
//! family share. The base measure g is 1, or that of a certificate.
//!
//! Sampling is exact integer inversion: weights are integers, the draw is one multiplication of 128 random
//! bits with their sum, and the number of steps depends on nothing but the table. What remains is rounding:
//! √, product and exp are each within an ulp, the integers are exact (every weight is at least 2⁵⁵, and g is
//! one itself), and the multiplication shifts a probability by at most 2⁻¹²⁸; together the relative error is
//! below ρ = [`ROUNDING`]. A channel that close to one of constant η has the constant η + 4ρ/d, and d is at
//! least the scale between different vectors (equal vectors have equal weights, bit for bit).

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::kernel::{Batch, LANES, LIMB_BITS, Limbs};
use crate::random::wide;
use crate::{Certificate, Table, WordId};

/// Where the exponent β·d is cut off, in nats.
pub const EXPONENT_LIMIT: f64 = 28.0;
/// Pure ε that the cut-off alone guarantees where g is 1.
pub(crate) const EPSILON_CEILING: f64 = 2.0 * EXPONENT_LIMIT + 1e-12;
/// Bits of the weight of distance zero: 2¹⁷ rows of it, each times a g of up to 12 bits, fit into 128.
const WEIGHT_BITS: u32 = 96;
/// Bound of the relative error of a sampled probability.
pub(crate) const ROUNDING: f64 = 1e-14;
/// Squared distances up to here have their weights stored (16 MB at most); what falls more slowly is computed in
/// the scan.
const MOST_STORED: i32 = 1 << 20;
/// Blocks that are weighed at once: their distances, and the weights that are looked up, stay in the first
/// cache.
const RUN: usize = 8;

/// One row of probabilities for each word of a table.
pub(crate) struct Channel {
    decay: Decay,
    /// Weight by squared lattice distance, up to where it falls no more; empty if that is too far.
    weights: Vec<Limbs>,
    /// g of each row, 0 if it may not be drawn, by block; one list for each class that words stay in, else one.
    bases: Vec<Vec<[i16; LANES]>>,
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
        let farthest = decay.farthest((4 * table.radius_squared()).cast_signed());
        let stored = if farthest < MOST_STORED { farthest + 1 } else { 0 };
        let weights = (0..stored).map(|squared| decay.limbs(squared)).collect();
        let bases = match reach {
            Reach::Offered => vec![table.by_block(|word| i16::from(table.is_offered(word)))],
            Reach::Class => {
                let members = |class| move |word| table.is_offered(word) && table.class_of(word) == Some(class);
                table.classes().map(|class| table.by_block(|word| i16::from(members(class)(word)))).collect()
            }
            Reach::All { certificate } => {
                let step = table.certificates().get(certificate).map_or(0.0, |certificate| certificate.step);
                let by_code: Vec<_> = (0..=u8::MAX).map(|code| Certificate::base(step, code).cast_signed()).collect();
                let codes = table.base_codes(certificate);
                vec![table.by_block(|word| codes.get(word.row()).map_or(0, |code| by_code[usize::from(*code)]))]
            }
        };
        Self { decay, weights, bases }
    }

    /// g of the rows for this input. (Its class is public.)
    fn bases(&self, table: &Table, input: WordId) -> &[[i16; LANES]] {
        match self.bases.as_slice() {
            [all] => all,
            classes => table.class_of(input).and_then(|class| classes.get(class.index())).map_or(&[], Vec::as_slice),
        }
    }

    /// Squared distances of a run of rows to a batch of words, and the weights that they index.
    fn scan(&self, table: &Table, run: usize, batch: &Batch, distances: &mut [[i32; LANES]]) -> Cow<'_, [Limbs]> {
        let rows = table.scanned().run(run * RUN..(run + 1) * RUN);
        let farthest = self.weights.len().checked_sub(1);
        table.kernel().distances(rows, batch, farthest.map_or(i32::MAX, |last| last as i32), distances);
        if farthest.is_some() {
            return Cow::Borrowed(&self.weights);
        }
        let numbered = distances.as_flattened_mut().iter_mut().zip(0..);
        numbered.map(|(squared, number)| self.decay.limbs(core::mem::replace(squared, number))).collect()
    }

    /// Draws the words that take the places of `inputs`: each takes 128 random bits, in their order.
    pub(crate) fn draw(&self, table: &Table, inputs: &[WordId], rng: &mut dyn CryptoRng) -> Vec<WordId> {
        let queries: Vec<_> = inputs.iter().map(|input| table.query(*input)).collect();
        let mut drawn = Vec::with_capacity(inputs.len());
        for batch in table.kernel().batches(&queries) {
            let inputs = &inputs[drawn.len()..][..batch.len()];
            for (input, cumulative) in inputs.iter().zip(self.cumulative(table, inputs, &batch)) {
                drawn.push(self.invert(table, *input, &cumulative, wide(rng)));
            }
        }
        drawn
    }

    /// For each input, the sums of all weights up to the end of each run.
    fn cumulative(&self, table: &Table, inputs: &[WordId], batch: &Batch) -> Vec<Vec<u128>> {
        let bases: Vec<_> = inputs.iter().map(|input| self.bases(table, *input)).collect();
        let runs = table.blocks().div_ceil(RUN);
        let mut sums: Vec<_> = inputs.iter().map(|_| Vec::with_capacity(runs)).collect();
        let mut distances = vec![[0; LANES]; RUN * batch.len()];
        for run in 0..runs {
            let weights = self.scan(table, run, batch, &mut distances);
            for ((bases, distances), sums) in bases.iter().zip(distances.chunks(RUN)).zip(&mut sums) {
                let weight = table.kernel().weigh(&weights, distances, of_run(bases, run));
                sums.push(sums.last().copied().unwrap_or(0) + whole(weight));
            }
        }
        sums
    }

    /// The word at which the sum of weights passes the share `random` of it all.
    fn invert(&self, table: &Table, input: WordId, cumulative: &[u128], random: u128) -> WordId {
        let target = multiply_high(random, cumulative.last().copied().unwrap_or(0));
        // Counting instead of searching: the same steps whatever the word.
        let run = cumulative.iter().map(|sum| usize::from(*sum <= target)).sum::<usize>();
        let mut sum = run.checked_sub(1).map_or(0, |before| cumulative[before]);
        let mut row = run * RUN * LANES;
        let mut distances = [[0; LANES]; RUN];
        let weights = self.scan(table, run, &table.kernel().single(&table.query(input)), &mut distances);
        let bases = of_run(self.bases(table, input), run).as_flattened();
        for (place, base) in distances.as_flattened().iter().zip(bases) {
            sum += weight(&weights[*place as usize], *base);
            row += usize::from(sum <= target);
        }
        // From here on all is public: what was drawn is what the guarantee covers.
        table.stand_in(WordId(row as u32))
    }

    /// The probability of every word that may come out.
    pub(crate) fn distribution(&self, table: &Table, input: WordId) -> Vec<(WordId, f64)> {
        let query = table.kernel().single(&table.query(input));
        let bases = self.bases(table, input);
        let mut by_row = vec![0_u128; table.len()];
        let mut distances = [[0; LANES]; RUN];
        for run in 0..table.blocks().div_ceil(RUN) {
            let weights = self.scan(table, run, &query, &mut distances);
            let bases = of_run(bases, run).as_flattened();
            let rows = table.rows().skip(run * RUN * LANES);
            for ((row, place), base) in rows.zip(distances.as_flattened()).zip(bases) {
                by_row[table.stand_in(row).row()] += weight(&weights[*place as usize], *base);
            }
        }
        let total = by_row.iter().sum::<u128>() as f64;
        let shares = table.rows().zip(by_row).filter(|(_, weight)| *weight > 0);
        shares.map(|(row, weight)| (row, weight as f64 / total)).collect()
    }
}

/// The part of a list by block that belongs to a run.
fn of_run(bases: &[[i16; LANES]], run: usize) -> &[[i16; LANES]] {
    bases.chunks(RUN).nth(run).unwrap_or_default()
}

/// The number that limbs, or sums of limbs, stand for.
fn whole(limbs: [u64; 8]) -> u128 {
    limbs.iter().rev().fold(0, |whole, limb| (whole << LIMB_BITS) + u128::from(*limb))
}

/// A weight times g.
fn weight(limbs: &Limbs, base: i16) -> u128 {
    whole(limbs.map(|limb| u64::from(limb.cast_unsigned()))) * u128::from(base.cast_unsigned())
}

impl Decay {
    fn exponent(self, squared: i32) -> f64 {
        (self.beta * libm::sqrt(f64::from(squared)) - self.start).max(0.0).min(self.limit)
    }

    fn weight(self, squared: i32) -> u128 {
        const UNIT: f64 = (1_u128 << WEIGHT_BITS) as f64;
        (libm::exp(-self.exponent(squared)) * UNIT) as u128
    }

    fn limbs(self, squared: i32) -> Limbs {
        const MASK: u128 = (1 << LIMB_BITS) - 1;
        let weight = self.weight(squared);
        let mut limbs = [0; 8];
        for (place, limb) in limbs.iter_mut().enumerate() {
            *limb = (weight >> (place as u32 * LIMB_BITS) & MASK) as i16;
        }
        limbs
    }

    /// The least squared distance beyond which the exponent grows no more, or `largest` if it grows until there.
    fn farthest(self, largest: i32) -> i32 {
        let (mut grows, mut grown) = (-1, largest);
        while grown - grows > 1 {
            let middle = grows + (grown - grows) / 2;
            if self.exponent(middle) < self.exponent(largest) { grows = middle } else { grown = middle }
        }
        grown
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
        assert!(decay(1e9).weight(i32::MAX) >= 1 << 55);
        let heaviest = decay(1.0).limbs(0);
        let largest = Certificate::LARGEST_BASE.cast_signed();
        assert_eq!(weight(&heaviest, largest), u128::from(Certificate::LARGEST_BASE) << WEIGHT_BITS);
        assert!(weight(&heaviest, largest).checked_mul(Table::MAX_ROWS as u128).is_some());
        let limb = (1 << LIMB_BITS) - 1;
        assert!((limb * i32::from(largest)).checked_mul(LANES as i32).is_some());
    }
}
