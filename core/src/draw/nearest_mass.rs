//! Draws that favour the rows nearest to a word, whatever their number, until they hold a given share of a public base
//! measure. The proof is in `mechanism/nearest.rs`; the steps are in SPEC.md, section 8.11.
//!
//! All weights are integers. The draw multiplies 128 random bits with their sum. This shifts a probability by less than
//! a relative 2⁻⁶⁴, as the sum is below 2⁸², and no weight is below 2²⁰. The factor e^ε is rounded down by more than
//! that.
//!
//! The nearest rows are found without sorting. 15 sums over all rows give the distance at which the mass is reached, bit
//! by bit. The steps are the same whatever the word. In WebAssembly with SIMD, where time tells of words anyway
//! (SECURITY.md), a sample of the rows leads to them sooner (`near_rows`).

#[cfg(any(all(target_arch = "wasm32", target_feature = "simd128"), test))]
mod near_rows;
#[cfg(feature = "bulk")]
pub(crate) mod sets;

use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::draw::kernel::{Kernel, LANES};
use crate::random::{multiply_high, wide};
use crate::{Table, WordId};

/// Blocks of a run. The row that is drawn is looked for in one run.
const RUN: usize = 32;
/// Words whose distances are kept at once: those of more would not stay in the second cache.
const AT_ONCE: usize = 12;
/// Bits of a base measure, and of a distance.
const BITS: u32 = 15;
const LARGEST: i16 = i16::MAX;
/// Steps of a frequency: the values of a byte.
const STEPS: usize = 256;
/// What a unit of the base measure weighs outside, as a power of two.
pub(crate) const OUTSIDE_BITS: u32 = 20;

/// Which rows are near to a word, and what is drawn among them and all others.
pub(crate) struct NearestMass {
    base: Base,
    /// Units of the base measure that weigh more.
    mass: u64,
    /// By how much more.
    extra: u128,
    /// Squared lattice distances are compared without this number of their lowest bits.
    shift: u32,
}

/// How many rows of a table are offered, by the step of their frequency.
#[derive(Debug)]
pub(crate) struct Offered([u32; STEPS]);

impl Offered {
    pub(crate) fn of(table: &Table) -> Self {
        let mut counts = [0; STEPS];
        for row in table.rows().filter(|row| table.is_offered(*row)) {
            counts[usize::from(table.zipf_step(row))] += 1;
        }
        Self(counts)
    }
}

/// A base measure q by the step of a word's frequency, as whole numbers of at least 1.
pub(crate) struct Masses {
    by_step: Vec<i16>,
    /// The sum over all rows that are offered.
    total: u64,
    /// The least q of a row that is offered.
    least: u64,
}

impl Masses {
    /// q in proportion to the frequency of a word to this power.
    pub(crate) fn of_frequency(Offered(counts): &Offered, power: f64) -> Self {
        let highest = counts.iter().rposition(|count| *count > 0).unwrap_or(0);
        let slope = power * (core::f64::consts::LN_10 / 20.0);
        let q = |step: usize| {
            let share = libm::exp(-(slope * highest.saturating_sub(step) as f64));
            libm::rint(f64::from(LARGEST) * share).max(1.0) as i16
        };
        let by_step: Vec<i16> = (0..STEPS).map(q).collect();
        let total = by_step.iter().zip(counts).map(|(q, count)| *q as u64 * u64::from(*count)).sum();
        // q grows with the step.
        let lowest = counts.iter().position(|count| *count > 0);
        Self { least: lowest.map_or(0, |step| by_step[step] as u64), by_step, total }
    }

    /// A share of all, in whole units, or `None` if it is less than the lightest row has, or all.
    pub(crate) fn units(&self, share: f64) -> Option<u64> {
        let units = (share * self.total as f64) as u64;
        (self.least..self.total).contains(&units).then_some(units)
    }
}

/// The base measure of each row: 0 for one that is never offered.
pub(crate) struct Base {
    by_row: Vec<[i16; LANES]>,
    #[cfg(any(all(target_arch = "wasm32", target_feature = "simd128"), test))]
    index: near_rows::Index,
    total: u64,
}

impl Base {
    pub(crate) fn new(table: &Table, masses: &Masses) -> Self {
        let q = |row| if table.is_offered(row) { masses.by_step[usize::from(table.zipf_step(row))] } else { 0 };
        let mut by_row = table.by_block(q);
        by_row.resize(by_row.len().next_multiple_of(RUN), [0; LANES]);
        Self {
            #[cfg(any(all(target_arch = "wasm32", target_feature = "simd128"), test))]
            index: near_rows::Index::new(&by_row),
            by_row,
            total: masses.total,
        }
    }
}

/// By how much more a unit weighs inside than outside: at most (e^ε − 1) times 2^[`OUTSIDE_BITS`].
pub(crate) fn extra_weight(epsilon: f64) -> u128 {
    // Rounded down, so that the ratio is at most e^ε: exp and each product are within an ulp, and the draw is within
    // a relative 2⁻⁶⁴.
    const DOWNWARDS: f64 = 1.0 - 1.0 / (1_u64 << 50) as f64;
    let inside = (libm::exp(epsilon) * DOWNWARDS * (1_u64 << OUTSIDE_BITS) as f64) as u128;
    inside.saturating_sub(1 << OUTSIDE_BITS)
}

/// The rows around a word.
struct Near {
    /// The distance at which the mass is reached.
    rim: i16,
    /// The mass of the rows that are nearer.
    within: u64,
}

/// The least distance, of 15 bits, within which there is this mass, or else the largest distance. `total` is the mass
/// of all these rows.
fn near(kernel: Kernel, distances: &[[i16; LANES]], base: &[[i16; LANES]], total: u64, mass: u64) -> Near {
    let mut near = Near { rim: 0, within: 0 };
    for bit in (0..BITS).rev() {
        let rim = near.rim | 1 << bit;
        let within = total - kernel.beyond(distances, base, rim - 1);
        let is_less = within < mass;
        near.rim = if is_less { rim } else { near.rim };
        near.within = if is_less { within } else { near.within };
    }
    near
}

impl NearestMass {
    /// The largest ε that can be drawn.
    pub(crate) const MOST_EPSILON: f64 = 20.0;

    /// A unit of the base measure weighs up to e^ε times as much inside as outside.
    pub(crate) fn new(table: &Table, base: Base, mass: u64, epsilon: f64) -> Self {
        // Twice the radius bounds every distance.
        let farthest = 4 * table.radius_squared();
        let shift = (u32::BITS - farthest.leading_zeros()).saturating_sub(BITS);
        Self { base, mass, extra: extra_weight(epsilon), shift }
    }

    /// The sum of all weights.
    fn total(&self, mass: u64) -> u128 {
        (u128::from(self.base.total) << OUTSIDE_BITS) + u128::from(mass) * self.extra
    }

    /// Units that weigh more for this input: 0 for an unknown word.
    fn mass_of(&self, input: Option<WordId>) -> u64 {
        self.mass * u64::from(input.is_some())
    }

    /// Draws the words that take the places of `inputs`: each takes 128 random bits, in their order.
    pub(crate) fn draw(&self, table: &Table, inputs: &[Option<WordId>], rng: &mut dyn CryptoRng) -> Vec<WordId> {
        table.ask_for(inputs);
        let mut places = inputs.iter().map(|input| self.place(*input, rng)).collect::<Vec<_>>().into_iter();
        let mut drawn = Vec::with_capacity(inputs.len());
        self.each_near(table, inputs, |input, distances| {
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            let choose = Self::choose;
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            let choose = Self::choose_among_near;
            drawn.extend(places.next().map(|place| choose(self, table, distances, place, input)));
        });
        drawn
    }

    /// A place of all weights, drawn from 128 random bits.
    fn place(&self, input: Option<WordId>, rng: &mut dyn CryptoRng) -> u128 {
        multiply_high(wide(rng), self.total(self.mass_of(input)))
    }

    /// Hands out each input with its distances to all rows, by block.
    fn each_near(
        &self,
        table: &Table,
        inputs: &[Option<WordId>],
        mut each: impl FnMut(Option<WordId>, &[[i16; LANES]]),
    ) {
        let kernel = table.kernel();
        let queries: Vec<_> = inputs.iter().map(|input| table.query(*input)).collect();
        let blocks = self.base.by_row.len();
        let mut inputs = inputs.iter();
        for batch in queries.chunks(AT_ONCE).flat_map(|queries| kernel.batches(queries)) {
            let mut squared = vec![[0; LANES]; RUN * batch.len()];
            let mut distances = vec![[0; LANES]; blocks * batch.len()];
            for run in 0..blocks / RUN {
                let rows = table.scanned().run(run * RUN..(run + 1) * RUN);
                let farthest = (i32::from(LARGEST) << self.shift) | ((1 << self.shift) - 1);
                kernel.distances(rows, &batch, farthest, &mut squared);
                for (squared, distances) in squared.chunks(RUN).zip(distances.chunks_mut(blocks)) {
                    kernel.narrow(squared, self.shift, &mut distances[run * RUN..(run + 1) * RUN]);
                }
            }
            for (distances, input) in distances.chunks(blocks).zip(&mut inputs) {
                each(*input, distances);
            }
        }
    }

    /// Where the nearest rows reach the mass.
    fn near(&self, table: &Table, distances: &[[i16; LANES]]) -> Near {
        near(table.kernel(), distances, &self.base.by_row, self.base.total, self.mass)
    }

    /// The row at which the sum of weights passes `place`. Whichever part of the weights that is, the steps are the same:
    /// they do not tell whether the row is near.
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    fn choose(&self, table: &Table, distances: &[[i16; LANES]], place: u128, input: Option<WordId>) -> WordId {
        let near = self.near(table, distances);
        let within = u128::from(near.within) * self.extra;
        let more = u128::from(self.mass_of(input)) * self.extra;
        // First comes the extra weight of rows nearer than the rim, then the extra weight of rows on the rim. Last is
        // the weight of all rows outside. Each has its distances, its first place and the weight of a unit.
        let parts = [
            ([-1, near.rim - 1], 0, self.extra),
            ([near.rim - 1, near.rim], within, self.extra),
            ([-1, LARGEST], more, 1 << OUTSIDE_BITS),
        ];
        // All near rows lie before `more`, which is 0 for an unknown word.
        let part = usize::from(place >= within.min(more)) + usize::from(place >= more);
        let ([nearer, farthest], start, unit) = parts[part];
        let is_passed = |sum: u64| u128::from(sum) * unit <= place - start;
        let kernel = table.kernel();
        let runs = || distances.chunks(RUN).zip(self.base.by_row.chunks(RUN));
        let (mut run, mut before, mut sum) = (0, 0, 0);
        for (distances, base) in runs() {
            sum += kernel.beyond(distances, base, nearer) - kernel.beyond(distances, base, farthest);
            run += usize::from(is_passed(sum));
            before = if is_passed(sum) { sum } else { before };
        }
        // From here on the reads depend on the result alone.
        let (mut row, mut sum) = (run * RUN * LANES, before);
        if let Some((distances, base)) = runs().nth(run) {
            for (distance, q) in distances.as_flattened().iter().zip(base.as_flattened()) {
                sum += u64::from((*distance > nearer) & (*distance <= farthest)) * *q as u64;
                row += usize::from(is_passed(sum));
            }
        }
        WordId(row as u32)
    }

    /// The probability that a word comes out as itself: it is the nearest to itself. (Where several rows have one
    /// vector, the first of them counts.)
    pub(crate) fn kept(&self, word: WordId) -> f64 {
        let q = self.base.by_row.as_flattened().get(word.row()).map_or(0, |q| *q as u64);
        self.weight((q, q.min(self.mass))) as f64 / self.total(self.mass) as f64
    }

    /// The weight of a row with these units of the base measure, and these of them inside.
    fn weight(&self, (q, inside): (u64, u64)) -> u128 {
        (u128::from(q) << OUTSIDE_BITS) + self.extra(inside)
    }

    /// By how much more units weigh that are inside.
    fn extra(&self, inside: u64) -> u128 {
        u128::from(inside) * self.extra
    }

    /// The probability of each word that may come out and is asked for.
    pub(crate) fn distribution(
        &self,
        table: &Table,
        input: Option<WordId>,
        is_asked: impl Fn(WordId) -> bool,
    ) -> Vec<(WordId, f64)> {
        let total = self.total(self.mass_of(input)) as f64;
        let mut inside = vec![0; table.len()];
        self.each_inside(table, input, |row, units| inside[row.row()] = units);
        let mut shares = Vec::new();
        for (row, (q, inside)) in table.rows().zip(self.base.by_row.as_flattened().iter().zip(inside)) {
            if *q > 0 && is_asked(row) {
                shares.push((row, self.weight((*q as u64, inside)) as f64 / total));
            }
        }
        shares
    }

    /// The same as a multiple of the distribution of an unknown word, and what the words inside have in addition.
    pub(crate) fn surplus(&self, table: &Table, input: Option<WordId>) -> (f64, Vec<(WordId, f64)>) {
        let total = self.total(self.mass_of(input)) as f64;
        let mut surplus = Vec::new();
        self.each_inside(table, input, |row, units| surplus.push((row, self.extra(units) as f64 / total)));
        (self.total(0) as f64 / total, surplus)
    }

    /// Hands out each row that has units of the base measure inside, with their number.
    fn each_inside(&self, table: &Table, input: Option<WordId>, mut each: impl FnMut(WordId, u64)) {
        self.each_near(table, &[input], |input, distances| {
            let near = self.near(table, distances);
            // What the rows nearer than the rim may hold, and what those on it may; they hold no more than that.
            let mass = self.mass_of(input);
            let mut left = [near.within.min(mass), mass.saturating_sub(near.within)];
            let units = distances.as_flattened().iter().zip(self.base.by_row.as_flattened());
            for (row, (distance, q)) in table.rows().zip(units).filter(|(_, (distance, _))| **distance <= near.rim) {
                let left = &mut left[usize::from(*distance == near.rim)];
                let inside = (*left).min(*q as u64);
                *left -= inside;
                if inside > 0 {
                    each(row, inside);
                }
            }
        });
    }
}

#[cfg(all(test, feature = "embedded-table"))]
mod tests {
    use super::*;

    impl NearestMass {
        fn inside(&self, table: &Table, input: Option<WordId>) -> Vec<(u64, u64)> {
            let q = self.base.by_row.as_flattened();
            let mut units: Vec<_> = table.rows().map(|row| (q[row.row()] as u64, 0)).collect();
            self.each_inside(table, input, |row, inside| units[row.row()].1 = inside);
            units
        }
    }

    fn english() -> Table {
        Table::english().expect("the built-in table")
    }

    fn nearest(table: &Table, power: f64, share: f64, epsilon: f64) -> NearestMass {
        let masses = Masses::of_frequency(&Offered::of(table), power);
        let (base, mass) = (Base::new(table, &masses), masses.units(share).expect("enough for a row"));
        NearestMass::new(table, base, mass, epsilon)
    }

    /// Counts over every `step`th input, and over all rows for each. The weights have one sum, and no row weighs less
    /// than outside or more than inside. No two inputs, unknown words included, give a row weights whose ratio is above
    /// e^ε.
    fn enumerate(table: &Table, (power, share, epsilon): (f64, f64, f64), step: usize) {
        let nearest = nearest(table, power, share, epsilon);
        let (outside, inside) = (1_u128 << OUTSIDE_BITS, nearest.extra + (1 << OUTSIDE_BITS));
        assert!(inside as f64 / outside as f64 <= epsilon.exp());
        let weights = |input| nearest.inside(table, input).into_iter().map(|units| (units, nearest.weight(units)));
        let mut bounds = vec![(u128::MAX, 0); table.len()];
        for input in table.rows().step_by(step) {
            let (mut sum, mut own) = (0, 0);
            for (row, ((q, units), weight)) in weights(Some(input)).enumerate() {
                sum += weight;
                own += units * u64::from(row == input.row());
                assert!((u128::from(q) * outside..=u128::from(q) * inside).contains(&weight), "{input:?} {row}");
                bounds[row] = (weight.min(bounds[row].0), weight.max(bounds[row].1));
            }
            assert_eq!(sum, nearest.total(nearest.mass), "{input:?}");
            assert!(own > 0 || !table.is_offered(input) || is_crowded(table, input), "{input:?}");
        }
        assert!(bounds.iter().all(|(least, most)| most * outside <= least * inside));
        // For an unknown word each row has its least weight, and the sum of all is at most e^ε times as small.
        let (known, unknown) = (nearest.total(nearest.mass), nearest.total(0));
        assert!(weights(None).all(|((q, _), weight)| weight == u128::from(q) * outside));
        assert_eq!(weights(None).map(|(_, weight)| weight).sum::<u128>(), unknown);
        assert!(unknown <= known && known * outside <= unknown * inside);
    }

    /// (γ, m, ε) of every level, and of a k-nearest response, where all rows count alike.
    fn settings(table: &Table) -> Vec<(f64, f64, f64)> {
        let levels = crate::mechanism::levels::level_reports(table);
        let of_level = |level: crate::LevelReport| Some((level.frequency_power?, level.mass?, level.epsilon_word));
        levels.into_iter().filter_map(of_level).chain([(0.0, 0.003, 8.0)]).collect()
    }

    #[test]
    fn whatever_the_word_weights_have_one_sum_and_no_ratio_above_e_to_epsilon() {
        let table = english();
        assert_eq!(settings(&table).len(), 13);
        for setting in settings(&table) {
            enumerate(&table, setting, 53);
        }
    }

    /// `cargo test --release -p textveil nearest_mass -- --ignored`
    #[test]
    #[ignore = "it enumerates 13 times a billion weights"]
    fn the_same_for_every_word() {
        let table = english();
        settings(&table).into_iter().for_each(|setting| enumerate(&table, setting, 1));
    }

    /// Whether a word before it is as near to it as itself, to a few steps.
    fn is_crowded(table: &Table, input: WordId) -> bool {
        table.distances_squared(input)[..input.row()].iter().any(|squared| *squared < 4)
    }

    #[test]
    fn the_rows_inside_are_the_nearest() {
        let table = english();
        let nearest = nearest(&table, 0.5, 0.001, 8.0);
        for input in table.rows().step_by(601) {
            let mut rows: Vec<_> =
                table.distances_squared(input).iter().map(|squared| squared >> nearest.shift).zip(0..).collect();
            rows.sort_unstable();
            let units = nearest.inside(&table, Some(input));
            let mut left = nearest.mass;
            for (_, row) in rows {
                let (q, inside) = units[row];
                assert_eq!(inside, q.min(left), "{input:?} {row}");
                left -= inside;
            }
        }
    }

    #[test]
    fn every_unit_leads_to_its_row_however_rows_are_scanned() {
        for kernel in Kernel::available() {
            let table = english().with_kernel(kernel);
            let nearest = nearest(&table, 1.0, 0.02, 5.0);
            for input in [Some(WordId(7)), Some(WordId(20_011)), None] {
                let units = nearest.inside(&table, input);
                nearest.each_near(&table, &[input], |input, distances| {
                    let mass = nearest.mass_of(input);
                    let row = |place| nearest.choose(&table, distances, place, input).row();
                    let mut counts = vec![(0, 0); table.len()];
                    for unit in 0..mass {
                        counts[row(u128::from(unit) * nearest.extra)].1 += 1;
                        assert!(
                            unit % 997 > 0
                                || row((u128::from(unit) + 1) * nearest.extra - 1)
                                    == row(u128::from(unit) * nearest.extra)
                        );
                    }
                    let start = u128::from(mass) * nearest.extra;
                    let sums: Vec<u64> = units
                        .iter()
                        .scan(0, |sum, (q, _)| {
                            *sum += q;
                            Some(*sum)
                        })
                        .collect();
                    for (row_of_sum, sum) in sums.iter().enumerate().step_by(499) {
                        let last = start + (u128::from(*sum) << OUTSIDE_BITS) - 1;
                        let is_offered = table.is_offered(WordId(row_of_sum as u32));
                        assert!(row(last) == row_of_sum || !is_offered);
                        assert!(row(last) != row(last + 1) || *sum == nearest.base.total);
                    }
                    counts.iter_mut().zip(&units).for_each(|(count, (q, _))| count.0 = *q);
                    assert_eq!(counts, units, "{kernel}");
                });
            }
        }
    }
}
