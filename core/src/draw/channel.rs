//! Exact draws from P(y|x) = g(y)·e^(−β·max(m(x,y), near)) / Z(x), m = min(d, cutoff): what the mechanisms of the
//! exponential family share. The base measure g is 1, or that of a certificate.
//!
//! Sampling is exact integer inversion: weights are integers, and the draw is one multiplication of 128 random bits
//! with their sum. The scan gives bounds of every sum. It computes weights in floating point on the vectors of x86-64
//! and 64-bit ARM. Elsewhere it looks up the upper 60 bits of each by distance. A draw between the bounds of a sum is
//! made again from whole weights. Only such a draw takes a number of steps that depends on more than the table
//! (SECURITY.md has the rates). It is at most one in 2²⁰ where weights are computed. Rounding remains. √, product and
//! exp are each within an ulp, and the integers are exact (every weight is at least 2⁵⁵, and g is an integer). The
//! multiplication shifts a probability by at most 2⁻¹²⁸. Together the relative error is below ρ = [`ROUNDING`]. A
//! channel that close to one of constant η has the constant η + 4ρ/d. Between different vectors d is at least the
//! scale, and equal vectors have equal weights, bit for bit.
//!
//! # Words that the vocabulary lacks
//! Such a word u is drawn by P(y|u) = g(y)/Σg, whatever it is, as if every row were equally far from it. Let f(x,y) be
//! the exponent, and M the largest exponent of a word and a row that may be drawn. So Z(x) = Σ g·e^(−f(x,y)) lies
//! between e^(−M)·Σg and Σg. Then ln P(y|x) − ln P(y|u) = ln(Σg/Z(x)) − f(x,y) lies between −M and M. That is within
//! the stated loss of two words, so no guarantee changes:
//! - ε is at least twice M where g is 1. Else every row may be drawn. Take two words x, x′ with the exponent M. They
//!   are so far apart that one loses at least M + |ln Z(x′) − ln Z(x)| to the other. ε is no less than that.
//! - η·m(x,u) ≥ M if u is as far from every word as words may be from each other. That is m(x,u) = cutoff, or the bound
//!   of the diameter if that is less. M is at most β·m(x,u), and β at most η. With u in it m is still a metric: no two
//!   words are farther apart than twice that.
//! - Where words stay in their class, u has no class. Unknown words are neighbours of each other alone, and lose
//!   nothing.
//!
//! The draw takes the same steps and the same random bits as for a known word. The scan for u starts beyond all rows,
//! and a distance above the farthest counts as the farthest.

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::draw::kernel::{Batch, LANES, Query};
use crate::draw::weights::{COMPUTED_BITS, Decay, Limbs, REST_BITS, STEEPEST, Weights, limbs, without_rest};
use crate::random::{multiply_high, wide};
use crate::{Certificate, Table, WordClass, WordId};

/// Where the exponent β·d is cut off, in nats.
pub const EXPONENT_LIMIT: f64 = 28.0;
/// Pure ε that the cut-off alone guarantees where g is 1.
pub(crate) const EPSILON_CEILING: f64 = 2.0 * EXPONENT_LIMIT + 1e-12;
/// Bound of the relative error of a sampled probability.
pub(crate) const ROUNDING: f64 = 1e-14;
/// Squared distances up to here have their weights stored (16 MB at most); of what falls more slowly each is computed
/// when it is asked for.
const MOST_STORED: i32 = 1 << 20;
/// Blocks that are weighed at once: their distances, and the weights that are looked up, stay in the first
/// cache.
const RUN: usize = 8;

/// One row of probabilities for each word of a table.
pub(crate) struct Channel {
    decay: Decay,
    /// The squared lattice distance from which on all count as equally far.
    farthest: i32,
    /// The upper bits of the weight by squared lattice distance, up to where it falls no more; empty if that is too
    /// far. A kernel that computes weights leaves them to whole ones.
    weights: Vec<Limbs>,
    /// Its lower bits.
    rests: Vec<u64>,
    /// One for all inputs; or one for each class that words stay in, and a last one for words without a class.
    bases: Vec<Base>,
}

/// A base measure g.
struct Base {
    /// g of each row, 0 if it may not be drawn, by block.
    by_row: Vec<[i16; LANES]>,
    /// Their sum: that of all rests is less, in units of 2^[`REST_BITS`].
    sum: u64,
}

/// What the words of a channel are exchanged for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Every offered word.
    Offered,
    /// The offered words of the same class.
    Class,
    /// Every word, with the g of this certificate. A word that is never offered comes out as its stand-in.
    All { certificate: usize },
}

/// All that a draw reads of a word, once and before the scan. A second read would be faster for a word among the rows
/// that were read last.
#[derive(Clone, Copy)]
struct Input<'a> {
    query: &'a Query,
    base: &'a Base,
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
        let parts = |weight| (limbs(weight), weight as u64 & ((1 << REST_BITS) - 1));
        let (weights, rests) = (0..stored).map(|squared| parts(decay.weight(squared))).unzip();
        let offered = |class: Option<WordClass>| {
            let is_in = move |word| class.is_none() || table.class_of(word) == class;
            table.by_block(|word| i16::from(table.is_offered(word) && is_in(word)))
        };
        let bases = match reach {
            Reach::Offered => vec![offered(None)],
            Reach::Class => table.classes().map(Some).chain([None]).map(offered).collect(),
            Reach::All { certificate } => {
                let step = table.certificates().get(certificate).map_or(0.0, |certificate| certificate.step);
                let by_code: Vec<_> = (0..=u8::MAX).map(|code| Certificate::base(step, code).cast_signed()).collect();
                let codes = table.base_codes(certificate);
                vec![table.by_block(|word| codes.get(word.row()).map_or(0, |code| by_code[usize::from(*code)]))]
            }
        };
        let with_sum =
            |by_row: Vec<[i16; LANES]>| Base { sum: by_row.as_flattened().iter().map(|g| *g as u64).sum(), by_row };
        Self { decay, farthest, weights, rests, bases: bases.into_iter().map(with_sum).collect() }
    }

    /// g of the rows for this input. Its class is read only if it is public, also whether it has one: the time of the
    /// read would tell the word.
    #[inline(never)] // once in a module that counts its bytes
    fn base(&self, table: &Table, input: Option<WordId>) -> &Base {
        let last = self.bases.len() - 1;
        let public = input.filter(|_| last > 0);
        &self.bases[public.and_then(|word| table.class_of(word)).map_or(last, |class| class.index().min(last))]
    }

    /// Squared distances of [`RUN`] blocks of rows from this one on to a batch of words, and what gives their weights.
    fn scan(&self, table: &Table, block: usize, batch: &Batch, squared: &mut [[i32; LANES]]) -> Cow<'_, [Limbs]> {
        let rows = table.scanned().run(block..block + RUN);
        let stored = if table.kernel().computes() { &[] } else { self.weights.as_slice() };
        table.kernel().distances(rows, batch, self.farthest, squared);
        if table.kernel().computes() || !stored.is_empty() {
            return Cow::Borrowed(stored);
        }
        let numbered = squared.as_flattened_mut().iter_mut().zip(0..);
        numbered.map(|(squared, number)| limbs(self.decay.weight(core::mem::replace(squared, number)))).collect()
    }

    /// Draws the words that take the places of `inputs`: each takes 128 random bits, in their order.
    pub(crate) fn draw(&self, table: &Table, inputs: &[Option<WordId>], rng: &mut dyn CryptoRng) -> Vec<WordId> {
        table.ask_for(inputs);
        let mut randoms = inputs.iter().map(|_| wide(rng)).collect::<Vec<_>>().into_iter();
        let queries: Vec<_> = inputs.iter().map(|input| table.query(*input)).collect();
        let bases = inputs.iter().map(|input| self.base(table, *input));
        let inputs: Vec<_> = queries.iter().zip(bases).map(|(query, base)| Input { query, base }).collect();
        let mut drawn = Vec::with_capacity(inputs.len());
        for batch in table.kernel().batches(&queries) {
            let inputs = &inputs[drawn.len()..][..batch.len()];
            let cumulative = self.cumulative(table, inputs, &batch);
            for ((input, cumulative), random) in inputs.iter().zip(cumulative).zip(&mut randoms) {
                let word = self.invert(table, *input, &cumulative, random);
                drawn.push(word.unwrap_or_else(|| self.invert_exactly(table, *input, random)));
            }
        }
        drawn
    }

    /// For each input, what the weights of all rows up to the end of each run add up to at least.
    fn cumulative(&self, table: &Table, inputs: &[Input<'_>], batch: &Batch) -> Vec<Vec<u128>> {
        let runs = table.blocks().div_ceil(RUN);
        let mut sums: Vec<_> = inputs.iter().map(|_| Vec::with_capacity(runs)).collect();
        let mut squared = vec![[0; LANES]; RUN * batch.len()];
        for run in 0..runs {
            let upper = self.scan(table, run * RUN, batch, &mut squared);
            let weights = Weights { decay: self.decay, upper: &upper };
            for ((input, squared), sums) in inputs.iter().zip(squared.chunks(RUN)).zip(&mut sums) {
                let sum =
                    table.kernel().sum(weights, squared, input.base.by_row.chunks(RUN).nth(run).unwrap_or_default());
                sums.push(sums.last().copied().unwrap_or(0) + sum);
            }
        }
        sums
    }

    /// What each row of [`RUN`] blocks from this one on weighs at least, and nothing if it is before this row.
    fn weights_from(&self, table: &Table, input: Input<'_>, block: usize, row: usize) -> Vec<u128> {
        let mut squared = [[0; LANES]; RUN];
        let upper = self.scan(table, block, &table.kernel().single(input.query), &mut squared);
        let mut bases: Vec<_> = input.base.by_row.iter().skip(block).take(RUN).copied().collect();
        for (place, base) in bases.as_flattened_mut().iter_mut().enumerate() {
            *base *= i16::from(block * LANES + place >= row);
        }
        table.kernel().each(Weights { decay: self.decay, upper: &upper }, &squared, &bases)
    }

    /// An exact sum exceeds one of [`Channel::cumulative`] by less than this. `total` is the last of those. `None` if
    /// that is not known.
    fn slack(&self, table: &Table, input: Input<'_>, total: u128) -> Option<u128> {
        if table.kernel().computes() {
            return (self.decay.start <= STEEPEST).then_some((total >> COMPUTED_BITS) + 1);
        }
        Some(u128::from(input.base.sum) << REST_BITS)
    }

    /// The word at which the sum of weights passes the share `random` of it all, if their bounds tell.
    fn invert(&self, table: &Table, input: Input<'_>, cumulative: &[u128], random: u128) -> Option<WordId> {
        // A sum of s belongs to an exact one of s + r, and that of all, T, to T + R, r ≤ R < slack. The share u of it
        // all is u·(T + R) < `most` + 1 ≤ s where s is above `most`; where s + slack ≤ `most` ≤ u·(T + slack), it is
        // at least s + slack − u·(slack − R) > s + r. Between them it is open.
        let total = cumulative.last().copied().unwrap_or(0);
        let slack = self.slack(table, input, total)?;
        let most = multiply_high(random, total + slack);
        let is_open = |sum: u128| most.wrapping_sub(sum) < slack;
        // Counting instead of searching: the same steps whatever the word.
        let (mut run, mut open) = (0, false);
        for sum in cumulative {
            run += usize::from(*sum <= most);
            open |= is_open(*sum);
        }
        let mut sum = run.checked_sub(1).map_or(0, |before| cumulative[before]);
        // The last run may be shorter. Then blocks of the run before it make up for it, whose rows weigh nothing here.
        let block = (run * RUN).min(table.blocks().saturating_sub(RUN));
        let mut row = block * LANES;
        for weight in self.weights_from(table, input, block, run * RUN * LANES) {
            sum += weight;
            row += usize::from(sum <= most);
            open |= is_open(sum);
        }
        // From here on all is public: what was drawn is what the guarantee covers.
        (!open).then(|| table.stand_in(WordId(row as u32)))
    }

    /// The same from whole weights.
    fn invert_exactly(&self, table: &Table, input: Input<'_>, random: u128) -> WordId {
        invert_sums(table, &self.exact_sums(table, input), random)
    }

    /// The sums of all whole weights up to each row.
    fn exact_sums(&self, table: &Table, input: Input<'_>) -> Vec<u128> {
        let squared = self.squared_distances(table, input.query);
        let rows = squared.as_flattened().iter().zip(input.base.by_row.as_flattened());
        let mut sum = 0;
        let add = |(squared, base): (&i32, &i16)| {
            sum += self.whole(*squared) * *base as u128;
            sum
        };
        rows.map(add).collect()
    }

    /// The distance from which on all count as equally far, in units of the table.
    pub(crate) fn farthest_distance(&self, table: &Table) -> f64 {
        table.scale() * libm::sqrt(f64::from(self.farthest))
    }

    /// The probability of each word that may come out and is asked for.
    pub(crate) fn distribution(
        &self,
        table: &Table,
        input: Option<WordId>,
        is_asked: impl Fn(WordId) -> bool,
    ) -> Vec<(WordId, f64)> {
        let squared = self.squared_distances(table, &table.query(input));
        let mut by_row = vec![0; table.len()];
        let rows = table.rows().zip(squared.as_flattened()).zip(self.base(table, input).by_row.as_flattened());
        for ((row, squared), base) in rows {
            let output = if table.is_offered(row) { row } else { table.stand_in(row) };
            by_row[output.row()] += self.whole(*squared) * *base as u128;
        }
        let total = by_row.iter().sum::<u128>() as f64;
        let shares = table.rows().zip(by_row).filter(|(row, weight)| *weight > 0 && is_asked(*row));
        shares.map(|(row, weight)| (row, weight as f64 / total)).collect()
    }

    /// All bits of a weight.
    fn whole(&self, squared: i32) -> u128 {
        let Some(last) = self.rests.len().checked_sub(1) else { return self.decay.weight(squared) };
        let place = last.min(squared as usize);
        without_rest(self.weights[place]) + u128::from(self.rests[place])
    }

    /// Squared distances of a query to every row, by block, as far as they count.
    fn squared_distances(&self, table: &Table, query: &Query) -> Vec<[i32; LANES]> {
        let mut squared = vec![[0; LANES]; table.blocks().next_multiple_of(2)];
        table.kernel().distances(table.scanned(), &table.kernel().single(query), self.farthest, &mut squared);
        squared
    }
}

/// The word whose part of the sums a random number falls in.
fn invert_sums(table: &Table, sums: &[u128], random: u128) -> WordId {
    let target = multiply_high(random, sums.last().copied().unwrap_or(0));
    table.stand_in(WordId(sums.partition_point(|sum| *sum <= target) as u32))
}

#[cfg(all(test, feature = "embedded-table"))]
mod tests {
    use super::*;
    use crate::{Kernel, ReleaseRng};
    use rand_core::SeedableRng;

    /// The least random number whose share of `whole` is `part`.
    fn least_for(part: u128, whole: u128) -> u128 {
        let (mut below, mut enough) = (0, u128::MAX);
        while below < enough {
            let middle = below + (enough - below) / 2;
            if multiply_high(middle, whole) < part { below = middle + 1 } else { enough = middle }
        }
        enough
    }

    /// A channel of each kind, and one without stored weights.
    fn channels(table: &Table) -> [Channel; 4] {
        let certified = Plan { beta: 9.0, cutoff: 2.0, near: 0.1, reach: Reach::All { certificate: 0 } };
        let half = |reach| Channel::new(&Plan::half(4.0, f64::INFINITY, reach, table), table);
        let unstored = Channel { weights: Vec::new(), rests: Vec::new(), ..half(Reach::Offered) };
        [Channel::new(&certified, table), half(Reach::Offered), half(Reach::Class), unstored]
    }

    #[test]
    fn bounds_draw_what_whole_weights_do_or_leave_it_open() {
        let english = Table::english().expect("the built-in table");
        // Ends of runs are looked at apart from those of other rows.
        let run = RUN * LANES;
        for table in Kernel::available().map(|kernel| english.clone().with_kernel(kernel)) {
            let has_class = |row: &WordId| table.is_offered(*row) && table.class_of(*row).is_some();
            let last = table.rows().filter(has_class).last().expect("an offered word with a class");
            assert!(last.row() > table.len() / run * run, "it is in the last run");
            let inputs = [Some(WordId(7)), Some(WordId(20_011)), Some(last), None];
            for (channel, row) in channels(&table).iter().flat_map(|channel| inputs.map(|row| (channel, row))) {
                let query = table.query(row);
                let input = Input { query: &query, base: channel.base(&table, row) };
                let cumulative = channel.cumulative(&table, &[input], &table.kernel().single(&query)).remove(0);
                let sums = channel.exact_sums(&table, input);
                let total = sums[sums.len() - 1];
                let slack = channel.slack(&table, input, cumulative[cumulative.len() - 1]).expect("it is flat enough");
                let ends = sums.chunks(run).map(|run| run[run.len() - 1]);
                assert!(cumulative.iter().zip(ends).all(|(sum, exact)| *sum <= exact && exact - sum < slack));
                let word = |random| channel.invert(&table, input, &cumulative, random);
                let ends = sums[run - 1..].iter().step_by(5 * run).chain(sums.iter().step_by(701));
                for end in ends.filter(|end| (1..total).contains(*end)) {
                    let edge = least_for(*end, total);
                    assert_eq!((word(edge - 1), word(edge)), (None, None), "where a row ends");
                    for random in [edge - edge / 1_000, edge.saturating_sub(1 << 90), edge.saturating_add(1 << 90)] {
                        let expected = invert_sums(&table, &sums, random);
                        assert!(word(random).is_none_or(|word| word == expected), "row of {end}, {random}");
                    }
                }
                for share in (1..1_000).step_by(3) {
                    assert!(word(u128::MAX / 1_000 * share).is_some(), "anywhere else");
                }
                // The last run is shorter, and some of the one before it is read with it.
                let mut found = false;
                for pair in sums[sums.len() - run..].windows(2).filter(|pair| pair[0] < pair[1]) {
                    let [start, end] = [pair[0], pair[1]].map(|sum| least_for(sum, total));
                    let random = start + (end - start) / 2;
                    let drawn = word(random);
                    assert!(drawn.is_none_or(|word| word == invert_sums(&table, &sums, random)));
                    found |= drawn == Some(last);
                }
                assert!(found || row != Some(last), "the heaviest is not left open");
            }
        }
    }

    #[test]
    fn what_is_too_steep_for_bounds_is_drawn_from_whole_weights() {
        let english = Table::english().expect("the built-in table");
        let plan = Plan { beta: 600.0, cutoff: 2.0, near: 0.1, reach: Reach::All { certificate: 0 } };
        let inputs = [Some(7), Some(400), None, Some(20_011)].map(|row| row.map(WordId));
        let drawn = |kernel| {
            let table = english.clone().with_kernel(kernel);
            let channel = Channel::new(&plan, &table);
            assert!(channel.decay.start > STEEPEST);
            channel.draw(&table, &inputs, &mut ReleaseRng::from_seed([9; 32]))
        };
        let all: Vec<_> = Kernel::available().map(drawn).collect();
        assert!(all.iter().all(|drawn| *drawn == all[0]), "{all:?}");
    }

    #[test]
    fn a_stored_weight_is_whole_and_where_it_falls_no_more_the_last_one_stands_for_all() {
        let table = Table::english().expect("the built-in table");
        let [cut_off, all, ..] = channels(&table);
        let last = cut_off.weights.len() as i32 - 1;
        for squared in [0, 1, 77, last / 2, last - 1, last, last + 1, last + 12_345] {
            assert_eq!(cut_off.whole(squared), cut_off.decay.weight(squared), "{squared} of {last}");
        }
        let farthest = 4 * table.radius_squared().cast_signed();
        for squared in [0, 1, 77, farthest / 2, farthest] {
            assert_eq!(all.whole(squared), all.decay.weight(squared), "{squared} of {farthest}");
        }
    }
}
