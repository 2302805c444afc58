//! The same draw with fewer steps, whose number depends on the word. The rows around it are picked out once, by a
//! distance that a sample of the rows suggests.

use alloc::vec::Vec;

use super::{LARGEST, Near, NearestMass, OUTSIDE_BITS, RUN, near};
use crate::draw::kernel::{LANES, is_any_within};
use crate::{Table, WordId};

/// One block in this many is in the sample.
const EVERY: usize = 16;
/// How many times the mass is looked for in the sample, so that it is seldom missed in all rows.
const ROOM: u64 = 3;

/// What is known of a base measure before any draw.
pub(super) struct Index {
    sample: Vec<[i16; LANES]>,
    /// What rows before each run weigh together.
    before_run: Vec<u64>,
}

impl Index {
    pub(super) fn new(base: &[[i16; LANES]]) -> Self {
        let before = |sum: &mut u64, run| Some(core::mem::replace(sum, *sum + total(run)));
        Self { sample: sample(base), before_run: base.chunks(RUN).scan(0, before).collect() }
    }
}

/// What rows weigh together.
fn total(base: &[[i16; LANES]]) -> u64 {
    base.as_flattened().iter().map(|q| *q as u64).sum()
}

/// Every [`EVERY`]th block.
fn sample(blocks: &[[i16; LANES]]) -> Vec<[i16; LANES]> {
    blocks.iter().step_by(EVERY).copied().collect()
}

/// Rows near a word, ascending, in an even number of blocks: the last ones are filled with rows that weigh nothing.
#[derive(Default)]
struct NearRows {
    rows: Vec<usize>,
    distances: Vec<[i16; LANES]>,
    base: Vec<[i16; LANES]>,
}

impl NearRows {
    fn push(&mut self, row: usize, distance: i16, q: i16) {
        let lane = self.rows.len() % LANES;
        if lane == 0 {
            self.distances.push([LARGEST; LANES]);
            self.base.push([0; LANES]);
        }
        for (blocks, value) in [(&mut self.distances, distance), (&mut self.base, q)] {
            blocks.last_mut().into_iter().for_each(|block| block[lane] = value);
        }
        self.rows.push(row);
    }
}

impl NearestMass {
    /// As `choose`.
    pub(super) fn choose_among_near(
        &self,
        table: &Table,
        distances: &[[i16; LANES]],
        place: u128,
        input: Option<WordId>,
    ) -> WordId {
        let more = u128::from(self.mass_of(input)) * self.extra;
        let row = match place.checked_sub(more) {
            Some(outside) => self.outside((outside >> OUTSIDE_BITS) as u64),
            None => self.inside_unit(table, distances, (place / self.extra) as u64),
        };
        WordId(row.unwrap_or(0) as u32)
    }

    /// The row that holds this unit of the base measure.
    fn outside(&self, unit: u64) -> Option<usize> {
        let runs = self.base.by_row.chunks(RUN).zip(&self.base.index.before_run);
        let (place, (run, before)) = runs.enumerate().take_while(|(_, (_, before))| **before <= unit).last()?;
        let sums = run.as_flattened().iter().scan(*before, |sum, q| {
            *sum += *q as u64;
            Some(*sum)
        });
        Some(place * RUN * LANES + sums.take_while(|sum| *sum <= unit).count())
    }

    /// The row that holds this unit of what is inside: first come rows nearer than the rim, then those on it.
    fn inside_unit(&self, table: &Table, distances: &[[i16; LANES]], unit: u64) -> Option<usize> {
        let (rows, Near { rim, within }) = self.near_rows(table, distances);
        let (nearest, farthest, before) = if unit < within { (-1, rim - 1, 0) } else { (rim - 1, rim, within) };
        let weights = rows.distances.as_flattened().iter().zip(rows.base.as_flattened());
        let sums = weights.scan(before, |sum, (distance, q)| {
            *sum += u64::from(*distance > nearest && *distance <= farthest) * *q as u64;
            Some(*sum)
        });
        rows.rows.get(sums.take_while(|sum| *sum <= unit).count()).copied()
    }

    /// The rows around a word that hold the mass, and some more; and where they reach it.
    fn near_rows(&self, table: &Table, distances: &[[i16; LANES]]) -> (NearRows, Near) {
        let find = |distances: &[_], base: &[_], mass| near(table.kernel(), distances, base, total(base), mass);
        let some = sample(distances);
        // Of a mass of a few units the sample may hold none: four times 0 would stay 0.
        let mut wanted = (self.mass * ROOM / EVERY as u64).max(1);
        loop {
            let farthest = find(&some, &self.base.index.sample, wanted).rim;
            let near = self.rows_within(distances, farthest);
            if total(&near.base) >= self.mass || farthest == LARGEST {
                let rim = find(&near.distances, &near.base, self.mass);
                return (near, rim);
            }
            wanted *= 4;
        }
    }

    fn rows_within(&self, distances: &[[i16; LANES]], farthest: i16) -> NearRows {
        let mut near = NearRows::default();
        for (block, (distances, base)) in distances.iter().zip(&self.base.by_row).enumerate() {
            if !is_any_within(distances, farthest) {
                continue;
            }
            for (lane, (distance, q)) in distances.iter().zip(base).enumerate() {
                if *distance <= farthest && *q > 0 {
                    near.push(block * LANES + lane, *distance, *q);
                }
            }
        }
        let even = near.base.len().next_multiple_of(2);
        near.distances.resize(even, [LARGEST; LANES]);
        near.base.resize(even, [0; LANES]);
        near
    }
}

#[cfg(all(test, feature = "embedded-table"))]
mod tests {
    use super::super::{Base, Masses, Offered};
    use super::*;

    #[test]
    fn the_same_rows_are_drawn_as_with_the_same_steps_for_all_words() {
        let table = Table::english().expect("the built-in table");
        let shares = [(0.5, 0.003, 9.0), (0.5, 0.0003, 14.0), (0.0, 0.03, 4.0), (0.25, 0.7, 0.1)];
        let of_shares = shares.map(|(power, share, epsilon)| (power, Ok(share), epsilon));
        // A mass of so few units that no row of the sample holds it.
        let of_units = [1, 3, 5, 6].map(|units| (1.0, Err(units), 12.0));
        for (power, share, epsilon) in of_shares.into_iter().chain(of_units) {
            let masses = Masses::of_frequency(&Offered::of(&table), power);
            let base = Base::new(&table, &masses);
            let mass = share.map_or_else(|units| units, |share| masses.units(share).expect("enough for a row"));
            let nearest = NearestMass::new(&table, base, mass, epsilon);
            let inputs: Vec<_> = table.rows().step_by(2003).map(Some).chain([None]).collect();
            nearest.each_near(&table, &inputs, |input, distances| {
                let total = nearest.total(nearest.mass_of(input));
                let places = (0..211).map(|step| total / 211 * step).chain([total - 1]);
                let inside = u128::from(nearest.mass) * nearest.extra;
                for place in places.chain((0..97).map(|step| inside / 97 * step)).filter(|place| *place < total) {
                    let row = nearest.choose_among_near(&table, distances, place, input);
                    assert_eq!(row, nearest.choose(&table, distances, place, input), "{input:?} {place}");
                }
            });
        }
    }
}
