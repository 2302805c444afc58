//! Every kernel of this machine against sums in 64 bits, written down as they are defined.

use alloc::vec;
use alloc::vec::Vec;
use core::iter;
use std::panic::catch_unwind;

use super::*;
use crate::draw::weights::{COMPUTED_BITS, Decay, Limbs, STEEPEST, without_rest};

/// Coordinates of rows, coordinates of points: the range of each.
const RANGES: &[(i16, i16)] =
    if cfg!(miri) { &[(127, 16_383)] } else { &[(127, 16_383), (127, 127), (1, 16_383), (16, 300)] };
#[cfg(miri)]
const SIZES: [(usize, usize); 1] = [(65, 3)];
#[cfg(not(miri))]
const SIZES: [(usize, usize); 14] = [
    (1, 1),
    (1, 384),
    (2, 3),
    (15, 2),
    (16, 64),
    (17, 63),
    (31, 17),
    (33, 4),
    (48, 33),
    (64, 5),
    (100, 300),
    (128, 3),
    (257, 16),
    (300, 383),
];
const BATCHES: &[usize] = if cfg!(miri) { &[7] } else { &[1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 24, 25] };

/// Numbers that follow from a seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// One in −most…most, every fourth time one of the two ends.
    fn within(&mut self, most: i16) -> i16 {
        let most = i64::from(most);
        let number = match self.next() % 8 {
            0 => most,
            1 => -most,
            _ => (self.next() % (2 * most as u64 + 1)) as i64 - most,
        };
        number as i16
    }

    fn point(&mut self, dims: usize, most: i16) -> Vec<i16> {
        (0..dims).map(|_| self.within(most)).collect()
    }
}

/// Rows as they are, and as kernels read them.
struct Fixture {
    rows: Vec<Vec<i16>>,
    bytes: Vec<u8>,
    norms: Vec<[i32; LANES]>,
    dims: usize,
}

impl Fixture {
    fn new(rows: Vec<Vec<i16>>, dims: usize) -> Self {
        let pairs = dims.div_ceil(PAIR);
        let mut bytes = vec![0; rows.len().div_ceil(LANES) * pairs * STRIDE];
        let mut norms = vec![[0; LANES]; rows.len().div_ceil(LANES)];
        for (row, vector) in rows.iter().enumerate() {
            norms[row / LANES][row % LANES] = vector.iter().map(|v| i32::from(*v).pow(2)).sum();
            for (dim, v) in vector.iter().enumerate() {
                let stride = row / LANES * pairs + dim / PAIR;
                bytes[stride * STRIDE + row % LANES * PAIR + dim % PAIR] = (*v as i8).cast_unsigned();
            }
        }
        Self { rows, bytes, norms, dims }
    }

    fn random(rows: usize, dims: usize, most: i16, numbers: &mut Numbers) -> Self {
        Self::new((0..rows).map(|_| numbers.point(dims, most)).collect(), dims)
    }

    fn scanned(&self) -> Rows<'_> {
        Rows::new(&self.bytes, &self.norms, self.dims)
    }

    fn point(&self, point: &[i16]) -> Query {
        Query::point(self.dims, point.iter().copied())
    }

    fn word(&self, point: &[i16]) -> Query {
        Query::word(self.dims, point.iter().copied())
    }

    /// ‖v − q‖² for each row.
    fn distances(&self, point: &[i16]) -> Vec<i64> {
        let squared = |row: &Vec<i16>| row.iter().zip(point).map(|(v, q)| (i64::from(*v) - i64::from(*q)).pow(2)).sum();
        self.rows.iter().map(squared).collect()
    }

    /// The results of a kernel for each row, query by query.
    fn scan(&self, kernel: Kernel, queries: &[Query], farthest: i32) -> Vec<Vec<i32>> {
        let scan = |batch: Batch| {
            let length = self.norms.len().next_multiple_of(2);
            let mut out = vec![[0; LANES]; batch.len() * length];
            kernel.distances(self.scanned(), &batch, farthest, &mut out);
            out.chunks(length).map(|out| out.as_flattened()[..self.rows.len()].to_vec()).collect::<Vec<_>>()
        };
        kernel.batches(queries).into_iter().flat_map(scan).collect()
    }
}

#[test]
fn the_machine_has_a_kernel_and_all_have_names() {
    let names: Vec<_> = Kernel::available().map(Kernel::name).collect();
    assert!(names.contains(&Kernel::fastest().name()));
    assert!(names.iter().all(|name| names.iter().filter(|other| other == &name).count() == 1), "{names:?}");
}

#[test]
fn every_kernel_gives_the_squared_distance_of_words_and_of_points_less_their_norms() {
    let mut numbers = Numbers(1);
    for ((rows, dims), (row, farthest)) in
        SIZES.into_iter().flat_map(|size| RANGES.iter().map(move |range| (size, *range)))
    {
        let fixture = Fixture::random(rows, dims, row, &mut numbers);
        let points: Vec<_> = iter::repeat_with(|| numbers.point(dims, farthest)).take(7).collect();
        let words: Vec<_> = iter::repeat_with(|| numbers.point(dims, 127)).take(7).collect();
        for kernel in Kernel::available() {
            let queries: Vec<_> = points.iter().map(|point| fixture.point(point)).collect();
            for (point, scores) in points.iter().zip(fixture.scan(kernel, &queries, i32::MAX)) {
                let norm: i64 = point.iter().map(|q| i64::from(*q).pow(2)).sum();
                let scores: Vec<_> = scores.into_iter().map(|score| i64::from(score) + norm).collect();
                assert_eq!(scores, fixture.distances(point), "{kernel}: {rows} rows, {dims} dimensions");
            }
            let queries: Vec<_> = words.iter().map(|word| fixture.word(word)).collect();
            for (word, distances) in words.iter().zip(fixture.scan(kernel, &queries, 9_999)) {
                let exact: Vec<_> =
                    fixture.distances(word).into_iter().map(|squared| squared.min(9_999) as i32).collect();
                assert_eq!(distances, exact, "{kernel}: {rows} rows, {dims} dimensions");
            }
        }
    }
}

#[test]
fn every_kernel_is_exact_where_all_coordinates_are_as_large_as_can_be() {
    let dims = if cfg!(miri) { 8 } else { 384 };
    for (row, point) in [(127, 16_383), (-128, 16_383), (-128, -16_383), (127, -16_383)] {
        let fixture = Fixture::new(vec![vec![row; dims]; 18], dims);
        let point = vec![point; dims];
        let norm: i64 = point.iter().map(|q| i64::from(*q).pow(2)).sum();
        for kernel in Kernel::available() {
            let queries: Vec<_> = (0..5).map(|_| fixture.point(&point)).collect();
            for scores in fixture.scan(kernel, &queries, i32::MAX) {
                let scores: Vec<_> = scores.into_iter().map(|score| i64::from(score) + norm).collect();
                assert_eq!(scores, fixture.distances(&point), "{kernel}");
            }
        }
    }
}

#[test]
fn every_kernel_finds_the_nearest_offered_row_and_the_first_of_equals() {
    let mut numbers = Numbers(2);
    for ((rows, dims), (row, farthest)) in
        SIZES.into_iter().flat_map(|size| RANGES.iter().map(move |range| (size, *range)))
    {
        let mut fixture = Fixture::random(rows, dims, row, &mut numbers);
        // Rows that are the same: ties.
        let twins = fixture.rows.iter().cycle().skip(rows / 2).take(rows).cloned().collect::<Vec<_>>();
        fixture = Fixture::new([fixture.rows, twins].concat(), dims);
        let one = numbers.next() as usize % fixture.rows.len();
        let offers: [&dyn Fn(usize) -> bool; 5] =
            [&|_| true, &|_| false, &|row| row == one, &|row| row % 3 != 0, &|row| row > one];
        for is_offered in offers {
            let mut offered = vec![0; fixture.norms.len() * LANES / 8];
            for row in (0..fixture.rows.len()).filter(|row| is_offered(*row)) {
                offered[row / 8] |= 1 << (row % 8);
            }
            let points: Vec<_> = iter::repeat_with(|| numbers.point(dims, farthest)).take(25).collect();
            let queries: Vec<_> = points.iter().map(|point| fixture.point(point)).collect();
            let exact = |point: &Vec<i16>| {
                let offered = fixture.distances(point).into_iter().zip(0..).filter(|(_, row)| is_offered(*row));
                offered.min().map_or(0, |(_, row)| row)
            };
            let exact: Vec<_> = points.iter().map(exact).collect();
            for (kernel, length) in Kernel::available().flat_map(|kernel| BATCHES.iter().map(move |n| (kernel, *n))) {
                let queries = &queries[..length];
                let found =
                    kernel.batches(queries).into_iter().flat_map(|b| kernel.nearest(fixture.scanned(), &offered, &b));
                assert_eq!(found.collect::<Vec<_>>(), exact[..queries.len()], "{kernel}: {rows} rows of {dims}");
            }
        }
    }
}

/// A decay that no weight is computed with.
const NONE: Decay = Decay { beta: 0.0, start: 0.0, limit: 0.0 };

/// The kernels that look weights up, and those that compute them.
fn kernels(compute: bool) -> impl Iterator<Item = Kernel> {
    Kernel::available().filter(move |kernel| kernel.computes() == compute)
}

#[test]
fn every_kernel_that_looks_up_weighs_exactly_up_to_the_largest_limbs_and_factors() {
    const LARGEST: i16 = i16::MAX;
    let mut numbers = Numbers(3);
    for (blocks, limb, factor) in [(1, LARGEST, 4095), (8, LARGEST, 4095), (3, 300, 1), (2, LARGEST, 0)] {
        let mut drawn = |most: i16| numbers.within(most).max(0);
        let mut upper: Vec<Limbs> = vec![[limb; 4]; 1];
        upper.extend(iter::repeat_with(|| [0; 4].map(|_: i16| drawn(limb))).take(40));
        let mut places = vec![[0; LANES]; blocks];
        places.iter_mut().flatten().for_each(|place| *place = i32::from(drawn(40)));
        // One block of nothing but the heaviest.
        places[0] = [0; LANES];
        let mut factors = vec![[factor; LANES]; blocks];
        factors.iter_mut().skip(1).flatten().for_each(|g| *g = drawn(factor));
        let exact: Vec<u128> = places
            .as_flattened()
            .iter()
            .zip(factors.as_flattened())
            .map(|(place, factor)| without_rest(upper[*place as usize]) * *factor as u128)
            .collect();
        let weights = Weights { decay: NONE, upper: &upper };
        for kernel in kernels(false) {
            assert_eq!(kernel.sum(weights, &places, &factors), exact.iter().sum::<u128>(), "{kernel}");
            assert_eq!(kernel.each(weights, &places, &factors), exact, "{kernel}");
        }
    }
}

#[test]
fn every_kernel_that_looks_up_refuses_a_distance_without_a_weight_in_whatever_lane() {
    for (distance, lane) in [5, -1, i32::MIN].into_iter().flat_map(|n| (0..2 * LANES).map(move |lane| (n, lane))) {
        let mut places = [[4; LANES]; 3];
        places.as_flattened_mut()[lane] = distance;
        for kernel in kernels(false) {
            let weights = Weights { decay: NONE, upper: &[[1; 4]; 5] };
            let weighed = catch_unwind(|| kernel.sum(weights, &places, &[[1; LANES]; 2]));
            assert!(weighed.is_err(), "{kernel}: {distance} in lane {lane}");
        }
    }
}

#[test]
fn no_kernel_looks_at_the_distances_behind_the_last_factor() {
    let upper = [[7; 4], [1, 2, 3, 4]];
    let weights = Weights { decay: Decay { beta: 1.0, limit: 9.0, ..NONE }, upper: &upper };
    for behind in [2, -1, i32::MIN] {
        let squared = [[1; LANES], [1; LANES], [behind; LANES]];
        let factors = [[5; LANES]; 2];
        for kernel in Kernel::available() {
            let weighed = kernel.sum(weights, &squared, &factors);
            assert_eq!(weighed, kernel.sum(weights, &squared[..2], &factors), "{kernel}: {behind}");
            assert_eq!(kernel.each(weights, &squared, &factors).len(), 2 * LANES, "{kernel}: {behind}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri has no kernel that computes, and no root")]
fn every_kernel_that_computes_stays_below_the_exact_weights_and_as_near_as_it_says() {
    let decays = [(0.15, 0.0, 28.0), (0.15, 3.0, 28.0), (0.01, 0.0, 5.5), (1e9, 0.0, 28.0), (f64::MAX, 0.0, 28.0)];
    let steep = [(0.3, STEEPEST, 28.0), (30.0, 31.0, 28.0), (0.0, 0.0, 0.0), (0.2, 20.0, 0.0)];
    let mut numbers = Numbers(5);
    let some = 200_000;
    for (beta, start, limit) in decays.into_iter().chain(steep) {
        let decay = Decay { beta, start, limit };
        let farthest = if beta > 1.0 { 1 << 17 } else { 1 << 25 };
        let all = (0..some).map(|n| if n < some / 4 { n } else { (numbers.next() % farthest) as i32 });
        let all: Vec<i32> = [i32::MAX, i32::MAX - 1, 1 << 24].into_iter().chain(all).collect();
        for squared in all.as_chunks::<{ 8 * LANES }>().0 {
            let squared: [[i32; LANES]; 8] = bytemuck::cast(*squared);
            let factors = [(); 8].map(|()| [(); LANES].map(|()| numbers.within(4095).max(0)));
            let exact: Vec<u128> = squared
                .as_flattened()
                .iter()
                .zip(factors.as_flattened())
                .map(|(squared, factor)| decay.weight(*squared) * *factor as u128)
                .collect();
            for kernel in kernels(true) {
                let weights = Weights { decay, upper: &[] };
                let (sum, each) = (kernel.sum(weights, &squared, &factors), kernel.each(weights, &squared, &factors));
                for (each, exact) in each.iter().zip(&exact) {
                    assert!(each <= exact && exact - each <= exact >> 38, "{kernel}: {each} for {exact}");
                }
                assert!(sum <= each.iter().sum(), "{kernel}: a sum of more than there is");
                let exact: u128 = exact.iter().sum();
                // In all runs together, as in one.
                assert!(exact - sum <= sum >> COMPUTED_BITS, "{kernel}: {sum} for {exact}");
            }
        }
    }
}

#[test]
fn no_kernel_that_computes_lets_what_has_no_meaning_in() {
    let weights = Weights { decay: Decay { beta: 0.15, start: 0.0, limit: 28.0 }, upper: &[] };
    let squared = [[0, -1, i32::MIN, i32::MAX, -5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, -17]];
    for kernel in kernels(true) {
        assert_eq!(kernel.sum(weights, &squared, &[[0; LANES]]), 0, "{kernel}");
        assert_eq!(kernel.each(weights, &squared, &[[0; LANES]]), [0; LANES], "{kernel}");
    }
}

#[test]
fn a_run_past_the_end_has_no_rows() {
    let fixture = Fixture::random(33, 3, 127, &mut Numbers(4));
    for (run, blocks) in [(0..3, 3), (1..8, 2), (3..8, 0), (7..9, 0)] {
        assert_eq!(fixture.scanned().run(run).tiles::<LANES>(), blocks);
    }
}

#[test]
fn every_kernel_adds_up_the_base_measure_of_the_rows_beyond_a_distance() {
    let mut numbers = Numbers(11);
    let mut block = |most: i16| -> [i16; LANES] { core::array::from_fn(|_| numbers.within(most).saturating_abs()) };
    for blocks in [0, 2, 6, if cfg!(miri) { 4 } else { 2048 }] {
        let squared: Vec<[i32; LANES]> = (0..blocks).map(|_| block(i16::MAX).map(|x| i32::from(x) << 3 | 5)).collect();
        let base: Vec<_> = (0..blocks).map(|_| block(i16::MAX)).collect();
        let rows = || squared.as_flattened().iter().map(|squared| squared >> 3).zip(base.as_flattened());
        for kernel in Kernel::available() {
            let mut distances = vec![[0; LANES]; blocks];
            kernel.narrow(&squared, 3, &mut distances);
            for most in [-1, 0, 1, 7_000, i16::MAX - 1, i16::MAX] {
                let beyond = rows().filter(|(distance, _)| *distance > i32::from(most));
                let expected: u64 = beyond.map(|(_, q)| *q as u64).sum();
                assert_eq!(kernel.beyond(&distances, &base, most), expected, "{kernel} {blocks} {most}");
            }
        }
    }
}
