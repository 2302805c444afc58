//! Near sets that are found once, for the texts of many people. A further draw takes one random number and one search.
//!
//! The draw is the same as that of a scan, bit by bit. Its time tells whether a word was met before, and how many rows
//! are near to it.

use alloc::vec::Vec;
use core::iter;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;

use rand_core::CryptoRng;

use super::{NearestMass, OUTSIDE_BITS};
use crate::draw::kernel::{Kernel, LANES};
use crate::{Table, WordId};

/// The rows that are near to a word, nearer ones first and those on the rim last, each in the order of rows.
struct NearSet {
    /// The sum of the base measure up to each of them, then their rows.
    ends_and_rows: Vec<u32>,
}

impl NearSet {
    fn row(&self, unit: u32) -> WordId {
        let (ends, rows) = self.ends_and_rows.split_at(self.ends_and_rows.len() / 2);
        WordId(rows[ends.partition_point(|end| *end <= unit)])
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.ends_and_rows)
    }
}

/// Which unit of the base measure was drawn.
enum Unit {
    /// One of those that are near.
    Near(u32),
    /// One of all.
    Any(u32),
}

/// What was found for words, and is kept for all threads.
pub(crate) struct Sets {
    by_word: Vec<OnceLock<NearSet>>,
    /// How many more bytes of sets may be kept.
    room: AtomicUsize,
    /// The sum of the base measure up to each row.
    ends: Vec<u32>,
}

impl Sets {
    /// How many bytes of sets are kept. All English words fit up to a mass of about 0.007 (at 0.003 they take 25 MB).
    /// At larger masses it keeps the words that come first, which are mostly the frequent ones.
    pub(crate) const MOST_BYTES: usize = 64 << 20;

    /// No sets yet, with room for at most `most_bytes`.
    pub(crate) fn new(nearest: &NearestMass, table: &Table, most_bytes: usize) -> Self {
        let by_word = iter::repeat_with(OnceLock::new).take(table.len()).collect();
        // At most 2¹⁷ rows of 15 bits each.
        let mut end = 0;
        let ends = nearest.base.by_row.as_flattened().iter().take(table.len()).map(|q| {
            end += *q as u32;
            end
        });
        Self { by_word, room: AtomicUsize::new(most_bytes), ends: ends.collect() }
    }

    /// Draws what [`NearestMass::draw`] draws for the same keystream.
    pub(crate) fn draw(
        &self,
        nearest: &NearestMass,
        table: &Table,
        inputs: &[Option<WordId>],
        rng: &mut dyn CryptoRng,
    ) -> Vec<WordId> {
        let places: Vec<u128> = inputs.iter().map(|input| nearest.place(*input, rng)).collect();
        let mut drawn: Vec<Option<WordId>> =
            inputs.iter().zip(&places).map(|(input, place)| self.look_up(nearest, *input, *place)).collect();
        let mut left: Vec<usize> = (0..inputs.len()).filter(|token| drawn[*token].is_none()).collect();
        if !left.is_empty() && self.room.load(Ordering::Relaxed) > 0 {
            self.find(nearest, table, left.iter().map(|token| inputs[*token]).collect());
            for token in &left {
                drawn[*token] = self.look_up(nearest, inputs[*token], places[*token]);
            }
            left.retain(|token| drawn[*token].is_none());
        }
        for left in left.chunks(Kernel::LARGEST_BATCH) {
            let words: Vec<_> = left.iter().map(|token| inputs[*token]).collect();
            let mut left = left.iter();
            nearest.each_near(table, &words, |input, distances| {
                if let Some(token) = left.next() {
                    drawn[*token] = Some(nearest.choose(table, distances, places[*token], input));
                }
            });
        }
        drawn.into_iter().flatten().collect()
    }

    /// The row at a place of all weights, unless it is near to a word whose set is not kept.
    fn look_up(&self, nearest: &NearestMass, input: Option<WordId>, place: u128) -> Option<WordId> {
        match (nearest.unit(input, place), input) {
            (Unit::Near(unit), Some(word)) => self.by_word[word.row()].get().map(|set| set.row(unit)),
            (Unit::Near(unit) | Unit::Any(unit), _) => {
                Some(WordId(self.ends.partition_point(|end| *end <= unit) as u32))
            }
        }
    }

    /// Finds the sets of these words, and keeps them as long as there is room.
    fn find(&self, nearest: &NearestMass, table: &Table, mut words: Vec<Option<WordId>>) {
        words.sort_unstable();
        words.dedup();
        for words in words.chunks(Kernel::LARGEST_BATCH) {
            nearest.each_near(table, words, |input, distances| {
                if let Some(word) = input {
                    self.keep(word, nearest.set(table, distances));
                }
            });
        }
    }

    /// Keeps a set. The first one for which there is no room ends that: every later word is then scanned for once.
    fn keep(&self, word: WordId, set: NearSet) {
        let bytes = set.bytes();
        let taken = self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(bytes));
        if taken.is_err() {
            self.room.store(0, Ordering::Relaxed);
        } else if self.by_word[word.row()].set(set).is_err() {
            // Another thread was faster.
            self.room.fetch_add(bytes, Ordering::Relaxed);
        }
    }
}

impl NearestMass {
    /// Which unit stands at a place of all weights.
    fn unit(&self, input: Option<WordId>, place: u128) -> Unit {
        let more = u128::from(self.mass_of(input)) * self.extra;
        if place < more {
            Unit::Near((place / self.extra) as u32)
        } else {
            Unit::Any(((place - more) >> OUTSIDE_BITS) as u32)
        }
    }

    /// The rows that are near, from the distances of all.
    fn set(&self, table: &Table, distances: &[[i16; LANES]]) -> NearSet {
        let near = self.near(table, distances);
        let (mut ends, mut rows, mut sum) = (Vec::new(), Vec::new(), 0_u32);
        for (nearer, farthest) in [(-1, near.rim - 1), (near.rim - 1, near.rim)] {
            let is_in = |distance: &i16| (*distance > nearer) & (*distance <= farthest);
            for (block, (distances, base)) in distances.iter().zip(&self.base.by_row).enumerate() {
                if !distances.iter().fold(false, |any, distance| any | is_in(distance)) {
                    continue;
                }
                for (lane, (distance, q)) in distances.iter().zip(base).enumerate() {
                    if is_in(distance) && *q > 0 && u64::from(sum) < self.mass {
                        sum += *q as u32;
                        ends.push(sum);
                        rows.push((block * LANES + lane) as u32);
                    }
                }
            }
        }
        ends.append(&mut rows);
        ends.shrink_to_fit();
        NearSet { ends_and_rows: ends }
    }
}

#[cfg(all(test, feature = "embedded-table"))]
mod tests {
    use super::super::{Base, Masses, Offered};
    use super::*;

    fn nearest(table: &Table, (power, share, epsilon): (f64, f64, f64)) -> NearestMass {
        let masses = Masses::of_frequency(&Offered::of(table), power);
        let (base, mass) = (Base::new(table, &masses), masses.units(share).expect("enough for a row"));
        NearestMass::new(table, base, mass, epsilon)
    }

    fn toy() -> Table {
        Table::parse(include_bytes!("../../../../tests/tables/toy.tvt").as_slice()).expect("a table of the tests")
    }

    /// Compares at the first, the last and a middle place of every `step`th near unit and row.
    fn assert_equal_at_places(nearest: &NearestMass, table: &Table, input: Option<WordId>, step: usize) {
        let sets = Sets::new(nearest, table, usize::MAX);
        sets.find(nearest, table, input.into_iter().map(Some).collect());
        let start = u128::from(nearest.mass_of(input)) * nearest.extra;
        let near = (0..nearest.mass_of(input)).map(|unit| u128::from(unit) * nearest.extra);
        let any = sets.ends.iter().map(|end| start + (u128::from(*end) << OUTSIDE_BITS));
        let firsts = near.step_by(step).chain([start]).chain(any.step_by(step)).filter(|place| *place > 0);
        let firsts: Vec<u128> = firsts.collect();
        nearest.each_near(table, &[input], |input, distances| {
            for first in &firsts {
                for place in [first - 1, *first, first + nearest.extra / 2] {
                    if place < nearest.total(nearest.mass_of(input)) {
                        let scanned = nearest.choose(table, distances, place, input);
                        assert_eq!(sets.look_up(nearest, input, place), Some(scanned), "{input:?} {place}");
                    }
                }
            }
        });
    }

    #[test]
    fn every_place_of_a_small_table_has_the_row_that_a_scan_finds() {
        let table = toy();
        for settings in [(1.0, 0.1, 5.0), (0.5, 0.03, 8.0), (0.0, 0.3, 0.5), (1.0, 0.01, 20.0), (1.0, 0.1, 1e-9)] {
            let nearest = nearest(&table, settings);
            for input in table.rows().map(Some).chain([None]) {
                assert_equal_at_places(&nearest, &table, input, 1);
            }
        }
    }

    #[test]
    fn places_of_english_words_have_the_rows_that_a_scan_finds() {
        let table = Table::english().expect("the built-in table");
        for settings in [(1.0, 0.0003, 8.0), (0.9, 0.002, 3.0)] {
            let nearest = nearest(&table, settings);
            for input in [Some(WordId(7)), Some(WordId(20_011)), None] {
                assert_equal_at_places(&nearest, &table, input, 41);
            }
        }
    }

    /// Near ones, others and unknown words, again and again, from sets that are all kept, some of them, or none.
    #[test]
    fn the_same_words_are_drawn_whatever_is_kept() {
        use chacha20::ChaCha20Rng;
        use rand_core::{Rng, SeedableRng};

        let table = Table::english().expect("the built-in table");
        let mut rng = ChaCha20Rng::from_seed([3; 32]);
        let mut word = || match rng.next_u64() {
            n if n % 7 == 0 => None,
            n => Some(WordId((n >> 8) as u32 % 500 * 61)),
        };
        let inputs: Vec<_> = iter::repeat_with(&mut word).take(1500).collect();
        for settings in [(0.25, 0.003, 8.0), (0.0, 0.001, 4.0), (0.5, 0.01, 12.0), (1.0, 0.02, 1.0)] {
            let nearest = nearest(&table, settings);
            let all = nearest.draw(&table, &inputs, &mut ChaCha20Rng::from_seed([4; 32]));
            for most_bytes in [usize::MAX, 100_000, 0] {
                let sets = Sets::new(&nearest, &table, most_bytes);
                let mut rng = ChaCha20Rng::from_seed([4; 32]);
                for (inputs, all) in inputs.chunks(300).zip(all.chunks(300)) {
                    assert!(sets.draw(&nearest, &table, inputs, &mut rng) == *all, "{settings:?} {most_bytes}");
                }
                let kept: usize = sets.by_word.iter().filter_map(|set| set.get()).map(NearSet::bytes).sum();
                assert!(kept <= most_bytes && (kept > 0) == (most_bytes > 0));
            }
        }
    }
}
