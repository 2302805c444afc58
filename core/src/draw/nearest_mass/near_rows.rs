//! The same draw with fewer steps, whose number depends on the word: the rows around it are picked out once, by a distance
//! that a sample of the rows suggests.

use alloc::vec::Vec;

use super::{BITS, LARGEST, NearestMass, OUTSIDE_BITS, RUN};
use crate::draw::kernel::LANES;
use crate::{Table, WordId};

/// Blocks of each run that are in the sample.
const SAMPLED: usize = 2;
/// How many times the mass is looked for in the sample, so that it is seldom missed in all rows.
const ROOM: u64 = 3;

/// A row near a word.
struct NearRow {
    row: usize,
    distance: i16,
    q: u64,
}

/// The smallest distance of 15 bits within which there is so much mass, or the largest one.
fn reaches(mass: u64, within: impl Fn(i16) -> u64) -> i16 {
    (0..BITS).rev().fold(0, |rim, bit| {
        let farther = rim | 1 << bit;
        if within(farther - 1) < mass { farther } else { rim }
    })
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
        let runs = self.base.by_row.chunks(RUN).zip(&self.base.before_run);
        let (place, (run, before)) = runs.enumerate().take_while(|(_, (_, before))| **before <= unit).last()?;
        let sums = run.as_flattened().iter().scan(*before, |sum, q| {
            *sum += *q as u64;
            Some(*sum)
        });
        Some(place * RUN * LANES + sums.take_while(|sum| *sum <= unit).count())
    }

    /// The row that holds this unit of what is inside: first come rows nearer than the rim, then those on it.
    fn inside_unit(&self, table: &Table, distances: &[[i16; LANES]], unit: u64) -> Option<usize> {
        let near = self.near_rows(table, distances);
        let mass = |is_meant: &dyn Fn(i16) -> bool| -> u64 {
            near.iter().filter(|near| is_meant(near.distance)).map(|near| near.q).sum()
        };
        let rim = reaches(self.mass, |farthest| mass(&|distance| distance <= farthest));
        let within = mass(&|distance| distance < rim);
        let (is_on_rim, mut left) = (unit >= within, if unit >= within { unit - within } else { unit });
        let mut rows = near.iter().filter(|near| if is_on_rim { near.distance == rim } else { near.distance < rim });
        let holder = rows.find(|near| {
            let holds = left < near.q;
            left = left.saturating_sub(near.q);
            holds
        });
        holder.map(|near| near.row)
    }

    /// The rows around a word that hold the mass, and some more, ascending.
    fn near_rows(&self, table: &Table, distances: &[[i16; LANES]]) -> Vec<NearRow> {
        let kernel = table.kernel();
        let sampled = |farthest| -> u64 {
            let runs = distances.chunks(RUN).zip(self.base.by_row.chunks(RUN));
            runs.map(|(distances, base)| kernel.mass(&distances[..SAMPLED], &base[..SAMPLED], farthest)).sum()
        };
        let mut wanted = self.mass;
        loop {
            let farthest = reaches(wanted * ROOM * SAMPLED as u64 / RUN as u64, sampled);
            let near = self.rows_within(distances, farthest);
            if near.iter().map(|near| near.q).sum::<u64>() >= self.mass || farthest == LARGEST {
                return near;
            }
            wanted *= 4;
        }
    }

    fn rows_within(&self, distances: &[[i16; LANES]], farthest: i16) -> Vec<NearRow> {
        let mut near = Vec::new();
        for (block, (distances, base)) in distances.iter().zip(&self.base.by_row).enumerate() {
            if distances.iter().fold(LARGEST, |least, distance| least.min(*distance)) > farthest {
                continue;
            }
            for (lane, (distance, q)) in distances.iter().zip(base).enumerate() {
                if *distance <= farthest && *q > 0 {
                    near.push(NearRow { row: block * LANES + lane, distance: *distance, q: *q as u64 });
                }
            }
        }
        near
    }
}

#[cfg(all(test, feature = "embedded-table"))]
mod tests {
    use super::super::Base;
    use super::*;

    #[test]
    fn the_same_rows_are_drawn_as_with_the_same_steps_for_all_words() {
        let table = Table::english().expect("the built-in table");
        for (power, share, epsilon) in [(0.5, 0.003, 9.0), (0.5, 0.0003, 14.0), (0.0, 0.03, 4.0), (0.25, 0.7, 0.1)] {
            let base = Base::of_frequency(&table, power);
            let mass = base.units(share).expect("enough for a row");
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
