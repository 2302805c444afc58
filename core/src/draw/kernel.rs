//! The scan of a table in the instructions of the machine: the only place with `unsafe`.
//!
//! Rows lie in blocks of 16, each `[⌈dimensions/2⌉][16][2]` int8: pairs of dimensions by lanes of rows. So one
//! multiply–add serves several rows, and no sum runs across lanes. For rows v and a query q a scan gives
//!
//! ```text
//! ‖v‖² − 2·v·q + offset
//! ```
//!
//! which ranks rows as their distance to q does, and is the squared distance where the offset is ‖q‖². Every
//! sum starts at the norms, and a pair of q is stored negated and doubled in 16 bits. Coordinates of q lie in
//! −16383…16383: what is summed stays below 384·(128² + 128·32766) < 2³¹, whatever the order, so that all of
//! it is exact in 32 bits.
//!
//! Several queries are scanned together: a block is widened to 16 bits once, and as many sums are kept in
//! registers as the machine's multiply–add needs to run at full rate. Steps depend on the number of rows, dimensions
//! and queries, and on which rows may come out, which are public. So do addresses, except for two. Without AVX2 and FMA
//! or 64-bit NEON, in WebAssembly too, weights are not computed but looked up. The place of a weight follows from its
//! distance, and the time depends on the caches (SECURITY.md has the measure of it). And the run of rows in which the
//! nearest lies is read once more: which one that is follows from the row that comes out.
//!
//! A level is a file of primitives; the loops over them are written once, by the macros below. Tests hold each
//! against sums in 64 bits, and against whole weights.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::draw::weights::Weights;

/// Rows in a block.
pub(crate) const LANES: usize = 16;
/// Dimensions side by side.
pub(crate) const PAIR: usize = 2;
/// Bytes of a block for one pair of dimensions.
pub(crate) const STRIDE: usize = LANES * PAIR;

/// Rows of a run. A search keeps each run's least scores alone, and looks for the row itself once, in the first run
/// that has the least.
const RUN: usize = 128;

/// The body for each query of a group, written down one after the other, so that their sums stay in registers however
/// few bytes the compiler is asked for. No group is larger than eight.
macro_rules! each {
    ($n:ident < $group:ident $body:block) => {
        each!($n < $group $body 0 1 2 3 4 5 6 7)
    };
    ($n:ident < $group:ident $body:block $($number:literal)+) => {
        $(
            let $n = $number;
            if $n < $group $body
        )+
    };
}

/// Writes the two scans over a level's `tile`, `plus`, `at_most`, `at_least`, `smaller` and `keep_less` on `Sums` of
/// `ROWS` rows, a tile. A group has one of the sizes of the list.
macro_rules! scan {
    ($(#[$features:meta])? $sums:ty, groups: [$($size:literal),+]) => {
        /// A number for each row of a tile.
        pub(super) type Sums = $sums;

        /// Sizes of a group of queries, descending to 1.
        pub(super) const GROUPS: &[usize] = &[$($size),+];

        /// See [`Kernel::distances`].
        $(#[$features])?
        pub(super) fn distances(rows: Rows<'_>, batch: &Batch, farthest: i32, out: &mut [[i32; LANES]]) {
            match batch.group {
                $($size => distances_of::<$size>(rows, batch, farthest, out),)+
                _ => {}
            }
        }

        $(#[$features])?
        fn distances_of<const N: usize>(rows: Rows<'_>, batch: &Batch, farthest: i32, out: &mut [[i32; LANES]]) {
            let out = out.as_flattened_mut().as_chunks_mut::<ROWS>().0;
            let length = out.len() / batch.len();
            for place in 0..rows.tiles::<ROWS>() {
                for (number, (steps, offsets)) in batch.groups::<N>().enumerate() {
                    let mut sums = tile::<N>(rows, place, steps);
                    each!(n < N { sums[n] = plus(sums[n], offsets[n]) });
                    for n in 0..N {
                        if let Some(out) = out.get_mut((number * N + n) * length + place) {
                            *out = bytemuck::cast(at_most(sums[n], farthest));
                        }
                    }
                }
            }
        }

        /// See [`Kernel::nearest`].
        $(#[$features])?
        pub(super) fn nearest(rows: Rows<'_>, offered: &[u8], batch: &Batch) -> Vec<usize> {
            let mut found = match batch.group {
                $($size => runs_of::<$size>(rows, offered, batch),)+
                _ => Vec::new(),
            };
            for (query, found) in found.iter_mut().enumerate() {
                *found = nearest_in_run(rows, offered, &batch.steps_of(query), *found);
            }
            found
        }

        /// For each query the first run that has the least score.
        $(#[$features])?
        fn runs_of<const N: usize>(rows: Rows<'_>, offered: &[u8], batch: &Batch) -> Vec<usize> {
            const { assert!(RUN.is_multiple_of(ROWS), "runs are whole tiles") };
            let none: Sums = bytemuck::cast([i32::MAX; ROWS]);
            // For each lane the least score, and the run that it is from.
            let mut best = vec![[[none, bytemuck::cast([0; ROWS])]; N]; batch.len() / N];
            let mut least = vec![[none; N]; batch.len() / N];
            let tiles = rows.tiles::<ROWS>();
            for run in 0..tiles.div_ceil(RUN / ROWS) {
                least.fill([none; N]);
                for place in run * RUN / ROWS..tiles.min((run + 1) * RUN / ROWS) {
                    let floors = (!are_offered::<ROWS>(offered, place)).then(|| floors::<ROWS>(offered, place));
                    for (least, (steps, _)) in least.iter_mut().zip(batch.groups::<N>()) {
                        // What a query adds to all rows alike is left out.
                        let mut sums = tile::<N>(rows, place, steps);
                        if let Some(floors) = &floors {
                            each!(n < N { sums[n] = at_least(sums[n], floors) });
                        }
                        each!(n < N { least[n] = smaller(least[n], sums[n]) });
                    }
                }
                for (best, least) in best.iter_mut().zip(&least) {
                    each!(n < N { best[n] = keep_less(best[n], least[n], run as i32) });
                }
            }
            best.as_flattened().iter().map(|best| first::<ROWS>(bytemuck::cast(*best)).1).collect()
        }

        /// The nearest offered row of a run, the first of equals, or 0 if no row is offered.
        #[inline(never)] // so that the scan has the registers to itself (not heeded beside `target_feature`)
        $(#[$features])?
        fn nearest_in_run(rows: Rows<'_>, offered: &[u8], steps: &[[i32; 1]], run: usize) -> usize {
            let mut best: [Sums; 2] = bytemuck::cast([[i32::MAX; ROWS], [0; ROWS]]);
            // The last run takes as many tiles. Some are of the run before, where no row is as near.
            let end = rows.tiles::<ROWS>().min((run + 1) * RUN / ROWS);
            for place in end.saturating_sub(RUN / ROWS)..end {
                let [sums] = tile::<1>(rows, place, steps);
                best = keep_less(best, at_least(sums, &floors::<ROWS>(offered, place)), place as i32);
            }
            let (lane, tile) = first::<ROWS>(bytemuck::cast(best));
            tile * ROWS + lane
        }
    };
}

/// Writes the scan of one tile, for levels with an instruction that multiplies pairs, over their `steps`, `widen` and
/// `accumulate`.
#[cfg(any(target_arch = "x86_64", target_feature = "neon", target_feature = "simd128"))]
macro_rules! tile {
    ($(#[$features:meta])?) => {
        /// The result of a scan for one tile, without the offsets.
        #[inline]
        $(#[$features])?
        fn tile<const N: usize>(rows: Rows<'_>, place: usize, pairs: &[[i32; N]]) -> [Sums; N] {
            let norms = rows.norms::<ROWS>(place);
            let mut sums: [Sums; N] = [bytemuck::cast(norms); N];
            for (step, pairs) in steps(rows, place).zip(pairs) {
                let rows = widen(step);
                each!(n < N { sums[n] = accumulate(sums[n], rows, pairs[n]) });
            }
            sums
        }
    };
}

/// Writes what shortens distances.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
macro_rules! narrow {
    ($(#[$features:meta])?) => {
        /// See [`Kernel::narrow`].
        $(#[$features])?
        pub(super) fn narrow(squared: &[[i32; LANES]], shift: u32, out: &mut [[i16; LANES]]) {
            for (squared, out) in squared.iter().zip(out) {
                for (squared, out) in squared.iter().zip(out) {
                    *out = (*squared >> shift) as i16;
                }
            }
        }
    };
}

/// Writes the search for the nearest rows by their mass, over a level's `add_beyond`. That adds `rows` rows to its sums
/// of 32 bits.
macro_rules! mass {
    ($(#[$features:meta])? $sums:ty, $rows:expr) => {
        /// See [`Kernel::beyond`].
        $(#[$features])?
        pub(super) fn beyond(distances: &[[i16; LANES]], base: &[[i16; LANES]], most: i16) -> u64 {
            const SUMS: usize = size_of::<$sums>() / size_of::<u32>();
            let mut sums: $sums = bytemuck::cast([0_u32; SUMS]);
            let parts = distances.as_flattened().as_chunks::<{ $rows }>().0.iter().zip(base.as_flattened().as_chunks().0);
            for (distances, base) in parts {
                sums = add_beyond(sums, distances, base, most);
            }
            let sums: [u32; SUMS] = bytemuck::cast(sums);
            sums.into_iter().map(u64::from).sum()
        }
    };
}

/// Writes the weighing of rows that looks weights up, over a level's `larger`, for numbers without signs, and its
/// `weigh_pair`. That adds two rows' limbs, each times its factor, to `LimbSums`.
#[cfg(not(all(target_arch = "aarch64", target_feature = "neon")))]
macro_rules! look_up {
    () => {
        pub(super) const COMPUTES: bool = false;

        /// See [`Kernel::sum`].
        pub(super) fn sum(weights: Weights<'_>, squared: &[[i32; LANES]], factors: &[[i16; LANES]]) -> u128 {
            const { assert!(LANES.is_multiple_of(ROWS), "blocks are whole tiles") };
            // Behind the last block, distances have no meaning.
            let squared = &squared[..squared.len().min(factors.len())];
            // One check for all: each by itself would take a third of the time.
            let mut farthest: Sums = bytemuck::cast([0; ROWS]);
            for places in squared.as_flattened().as_chunks::<ROWS>().0 {
                farthest = larger(farthest, bytemuck::cast(*places));
            }
            let farthest: [u32; ROWS] = bytemuck::cast(farthest);
            assert!(farthest.iter().all(|place| (*place as usize) < weights.upper.len()), "a distance has no weight");
            let weight = |place: i32| {
                #[expect(unsafe_code, reason = "the check of all places at once")]
                // SAFETY: each place, as an unsigned number, is at most the largest lane of `farthest`. The assertion above
                // keeps that lane below `weights.upper.len()`.
                unsafe {
                    weights.upper.get_unchecked(place.cast_unsigned() as usize)
                }
            };
            let mut totals = [0_u64; 4];
            for (squared, factors) in squared.iter().zip(factors) {
                let mut sums: LimbSums = bytemuck::cast([0_i32; 4]);
                for ([a, b], factors) in squared.as_chunks::<2>().0.iter().zip(factors.as_chunks::<2>().0) {
                    sums = weigh_pair(sums, weight(*a), weight(*b), *factors);
                }
                let sums: [u32; 4] = bytemuck::cast(sums);
                for (total, sum) in totals.iter_mut().zip(sums) {
                    *total += u64::from(sum);
                }
            }
            without_rest(totals)
        }

        /// See [`Kernel::each`].
        pub(super) fn each(weights: Weights<'_>, squared: &[[i32; LANES]], factors: &[[i16; LANES]]) -> Vec<u128> {
            let rows = squared.as_flattened().iter().zip(factors.as_flattened());
            rows.map(|(place, factor)| without_rest(weights.upper[*place as usize]) * *factor as u128).collect()
        }
    };
}

/// Writes the weighing of rows that looks nothing up, so that no address follows from a distance. It uses a level's
/// `root` and `from_factors` of `FLOATS` numbers side by side, and the instructions that it names in `float`.
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_feature = "neon")))]
macro_rules! compute {
    ($(#[$features:meta])?) => {
        pub(super) const COMPUTES: bool = true;

        /// See [`Kernel::sum`].
        $(#[$features])?
        pub(super) fn sum(weights: Weights<'_>, squared: &[[i32; LANES]], factors: &[[i16; LANES]]) -> u128 {
            let mut sum = float::zero();
            let (squared, factors) = (squared.as_flattened().as_chunks().0, factors.as_flattened().as_chunks().0);
            for (squared, factors) in squared.iter().zip(factors) {
                sum = float::fma(from_factors(*factors), weigh(weights, *squared), sum);
            }
            let sum: [f64; FLOATS] = bytemuck::cast(sum);
            (sum.iter().sum::<f64>() * SUM_AT_LEAST) as u128
        }

        /// See [`Kernel::each`].
        $(#[$features])?
        pub(super) fn each(weights: Weights<'_>, squared: &[[i32; LANES]], factors: &[[i16; LANES]]) -> Vec<u128> {
            let mut each = Vec::with_capacity(squared.len() * LANES);
            for (squared, factors) in squared.iter().zip(factors) {
                for part in 0..LANES / FLOATS {
                    let factors = from_factors(factors.as_chunks().0[part]);
                    let part = float::mul(factors, weigh(weights, squared.as_chunks().0[part]));
                    let part: [f64; FLOATS] = bytemuck::cast(part);
                    each.extend(part.map(|weight| (weight * EACH_AT_LEAST) as u128));
                }
            }
            each
        }

        /// The weights at these distances.
        #[inline]
        $(#[$features])?
        fn weigh(weights: Weights<'_>, squared: [i32; FLOATS]) -> Floats {
            use float::{add, add_integers, cut_off_above, cut_off_below, fma, fnma};
            use float::{from_integers, set, shift, sub, zero};
            let Decay { beta, start, limit } = weights.decay;
            let root = root(from_integers(bytemuck::cast(squared)));
            let power = fnma(set(beta * LOG2_E), root, set(start * LOG2_E));
            // If the first operand is NaN, the second is returned. Some roots of 0 and below are NaN.
            let power = cut_off_below(cut_off_above(power, zero()), set(-limit * LOG2_E));
            let shifted = add(power, set(ROUNDS));
            let fraction = sub(power, sub(shifted, set(ROUNDS)));
            let [highest, others @ ..] = COEFFICIENTS;
            let mut mantissa = set(highest);
            for coefficient in others {
                mantissa = fma(mantissa, fraction, set(coefficient));
            }
            // n is added to the exponent, which lies above the 52 bits of the mantissa.
            bytemuck::cast(add_integers(bytemuck::cast(mantissa), shift::<52>(bytemuck::cast(shifted))))
        }
    };
}

/// Whether the machine has the features: as it runs, or as the compiler knows it.
macro_rules! has {
    ($($feature:tt),*) => {{
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        let has = true $(&& std::arch::is_x86_feature_detected!($feature))*;
        #[cfg(all(feature = "std", target_arch = "aarch64"))]
        let has = true $(&& std::arch::is_aarch64_feature_detected!($feature))*;
        #[cfg(not(all(feature = "std", any(target_arch = "x86_64", target_arch = "aarch64"))))]
        let has = cfg!(all($(target_feature = $feature),*));
        has
    }};
}

/// Declares the levels: their modules, which use the macros above, what each needs of the machine, and the macros that
/// find what one of them has.
macro_rules! levels {
    ($dollar:tt $($(#[$compiled:meta])+ $level:ident = $file:ident needs [$($feature:tt),*],)+) => {
        $($(#[$compiled])+ mod $file;)+

        /// Slowest first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Level {
            $($(#[$compiled])+ $level,)+
        }

        impl Level {
            const ALL: &[Self] = &[$($(#[$compiled])+ Self::$level,)+];

            fn is_available(self) -> bool {
                match self {
                    $($(#[$compiled])+ Self::$level => has!($($feature),*),)+
                }
            }

            const fn name(self) -> &'static str {
                match self {
                    $($(#[$compiled])+ Self::$level => stringify!($file),)+
                }
            }
        }

        /// A constant of the kernel's level.
        macro_rules! constant {
            ($dollar kernel:expr, $dollar name:ident) => {
                match $dollar kernel.0 {
                    $($(#[$compiled])+ Level::$level => $file::$dollar name,)+
                }
            };
        }

        /// Calls a function of the kernel's level.
        macro_rules! call {
            ($dollar kernel:expr, $dollar function:ident($dollar($dollar argument:expr),*)) => {
                match $dollar kernel.0 {
                    $($(#[$compiled])+
                    #[allow(unused_unsafe, reason = "some levels need nothing of the machine")]
                    Level::$level => {
                        #[expect(unsafe_code, reason = "the call of what needs features of the machine")]
                        // SAFETY: a kernel comes from `Kernel::available`, which leaves out the levels that need
                        // features that the machine lacks, or is of the first level. That one needs none: its code has
                        // only instructions that every machine of the compiler's target has.
                        unsafe { $file::$dollar function($dollar($dollar argument),*) }
                    })+
                }
            };
        }
    };
}
levels! {
    $
    #[cfg(not(any(
        all(target_arch = "wasm32", target_feature = "simd128"),
        all(target_arch = "aarch64", target_feature = "neon")
    )))]
    Portable = portable needs [],
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128 = simd128 needs [],
    #[cfg(target_arch = "x86_64")]
    Avx2 = avx2 needs ["avx2", "fma"],
    #[cfg(target_arch = "x86_64")]
    AvxVnni = avxvnni needs ["avx2", "fma", "avxvnni"],
    #[cfg(target_arch = "x86_64")]
    Avx512 = avx512 needs ["avx2", "fma", "avx512f", "avx512bw", "avx512vnni"],
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    Neon = neon needs [],
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    Dotprod = dotprod needs ["dotprod"],
}

#[cfg(test)]
mod tests;

/// Some blocks of rows, with the squared norm of each row.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    strides: &'a [[u8; STRIDE]],
    norms: &'a [[i32; LANES]],
    /// Strides of a block.
    pairs: usize,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(bytes: &'a [u8], norms: &'a [[i32; LANES]], dims: usize) -> Self {
        Self { strides: bytes.as_chunks().0, norms, pairs: dims.div_ceil(PAIR) }
    }

    /// Some of the blocks, and an empty slice past the end.
    pub(crate) fn run(self, blocks: Range<usize>) -> Self {
        let blocks = blocks.start.min(self.norms.len())..blocks.end.min(self.norms.len());
        let strides = self.strides.get(blocks.start * self.pairs..blocks.end * self.pairs).unwrap_or_default();
        Self { strides, norms: self.norms.get(blocks).unwrap_or_default(), ..self }
    }

    /// The bytes of a block, and an empty slice past the end.
    #[inline]
    fn block(self, block: usize) -> &'a [[u8; STRIDE]] {
        self.strides.get(block * self.pairs..(block + 1) * self.pairs).unwrap_or_default()
    }

    /// Has the caches fetch what a scan begins with, and all of this block.
    pub(crate) fn ask_for(self, block: usize) {
        let first = self.strides.get(..PAGE / STRIDE).unwrap_or(self.strides);
        for stride in first.iter().chain(self.block(block)) {
            ask_for(stride.as_ptr());
        }
    }

    /// Number of tiles of `ROWS` rows. The last may be filled with rows of any kind.
    #[inline]
    fn tiles<const ROWS: usize>(self) -> usize {
        (self.norms.len() * LANES).div_ceil(ROWS)
    }

    #[inline]
    fn norms<const ROWS: usize>(self, tile: usize) -> [i32; ROWS] {
        let (whole, rest) = self.norms.as_flattened().as_chunks();
        let filled = || core::array::from_fn(|lane| rest.get(lane).copied().unwrap_or(0));
        whole.get(tile).copied().unwrap_or_else(filled)
    }
}

/// A lattice point with coordinates in −16383…16383.
pub(crate) struct Query {
    pairs: Vec<[i16; PAIR]>,
    offset: i32,
    /// Whether a coordinate may need more than eight bits.
    #[cfg_attr(not(target_arch = "aarch64"), allow(dead_code))]
    is_wide: bool,
}

/// No two rows have so large a squared distance; with the norm of a row added, it fits 31 bits.
pub(crate) const BEYOND: i32 = 1 << 30;

impl Query {
    /// Scans give the squared distance to this point less its squared norm. Missing coordinates are 0.
    pub(crate) fn point(dims: usize, mut point: impl Iterator<Item = i16>) -> Self {
        let mut pairs = Vec::with_capacity(dims.div_ceil(PAIR));
        for _ in 0..dims.div_ceil(PAIR) {
            pairs.push([point.next().unwrap_or(0), point.next().unwrap_or(0)]);
        }
        Self { pairs, offset: 0, is_wide: true }
    }

    /// Scans give the squared distance to this point, with coordinates in −128…127.
    pub(crate) fn word(dims: usize, point: impl Iterator<Item = i16>) -> Self {
        let query = Self::point(dims, point);
        let offset = query.pairs.iter().flatten().map(|x| i32::from(*x).pow(2)).sum();
        Self { offset, is_wide: false, ..query }
    }

    /// If it is to lie beyond all rows, scans give for every row [`BEYOND`] more, which is more than the squared distance
    /// of any two rows.
    pub(crate) fn beyond(self, is_beyond: bool) -> Self {
        Self { offset: self.offset + BEYOND * i32::from(is_beyond), ..self }
    }
}

/// Queries that are scanned together: groups that share registers, one after the other while the rows are in the
/// first cache.
pub(crate) struct Batch {
    /// Queries in a group.
    group: usize,
    /// Some coordinates in 32 bits each; group by group, step by step, the queries side by side.
    steps: Vec<i32>,
    offsets: Vec<i32>,
}

/// Steps and offsets.
type Group<'a, const N: usize> = (&'a [[i32; N]], &'a [i32; N]);

impl Batch {
    /// Some whole groups of queries. `length` steps of a query give its coordinates.
    fn new(queries: &[Query], group: usize, length: usize, step: impl Fn(&Query, usize) -> i32) -> Self {
        let mut steps = Vec::with_capacity(length * queries.len());
        for group in queries.chunks_exact(group) {
            for place in 0..length {
                steps.extend(group.iter().map(|query| step(query, place)));
            }
        }
        Self { group, steps, offsets: queries.iter().map(|query| query.offset).collect() }
    }

    /// Steps of two dimensions, −2·q in 16 bits each.
    fn of_pairs(queries: &[Query], group: usize) -> Self {
        let length = queries.first().map_or(0, |query| query.pairs.len());
        Self::new(queries, group, length, |query, place| packed(query.pairs[place].map(|x| -2 * x)))
    }

    /// Number of queries.
    pub(crate) fn len(&self) -> usize {
        self.offsets.len()
    }

    /// The steps of one of the queries alone.
    fn steps_of(&self, query: usize) -> Vec<[i32; 1]> {
        let length = self.steps.len() / self.len().max(1);
        let first = query / self.group * length * self.group + query % self.group;
        self.steps[first..].iter().step_by(self.group).take(length).map(|step| [*step]).collect()
    }

    #[inline]
    fn groups<const N: usize>(&self) -> impl Iterator<Item = Group<'_, N>> {
        let length = (self.steps.len() / self.offsets.len().max(1)).max(1);
        self.steps.as_chunks().0.chunks_exact(length).zip(self.offsets.as_chunks().0)
    }
}

/// Two numbers of 16 bits in one of 32, as they lie in memory.
#[inline]
fn packed(pair: [i16; PAIR]) -> i32 {
    bytemuck::cast(pair)
}

/// How far ahead of a scan the caches are asked to fetch, in bytes.
const PAGE: usize = 4096;

/// Has the caches fetch what lies at an address, on machines that can be asked.
#[inline]
fn ask_for(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[allow(unused_unsafe, reason = "from Rust 1.93 on the intrinsic is safe")]
        #[expect(unsafe_code, reason = "an intrinsic that older compilers take for unsafe")]
        // SAFETY: a prefetch reads nothing that a program sees, and never faults, whatever the address is.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address.cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Whether all rows of a tile may come out.
#[inline]
fn are_offered<const ROWS: usize>(offered: &[u8], tile: usize) -> bool {
    let bytes = offered.get(tile * ROWS / 8..(tile + 1) * ROWS / 8);
    bytes.is_some_and(|bytes| bytes.iter().all(|byte| *byte == u8::MAX))
}

/// For each row of a tile the least number, or the greatest if it may not come out.
#[inline(never)] // once in a module that counts its bytes
fn floors<const ROWS: usize>(offered: &[u8], tile: usize) -> [i32; ROWS] {
    let is_offered = |row: usize| offered.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1);
    core::array::from_fn(|lane| if is_offered(tile * ROWS + lane) { i32::MIN } else { i32::MAX })
}

/// Among the lanes with the least score, the one whose number comes first, and that number.
#[inline(never)] // as above
fn first<const ROWS: usize>([scores, numbers]: [[i32; ROWS]; 2]) -> (usize, usize) {
    let lanes = scores.into_iter().zip(numbers).zip(0..);
    lanes.min().map_or((0, 0), |((_, number), lane)| (lane, number as usize))
}

/// A way to scan tables that this machine has. Every kernel gives the same results, bit for bit. They differ in speed.
///
/// With the feature `std` the program finds the fastest when it runs. Otherwise the compiler's target decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Level);

impl Kernel {
    /// No kernel scans more queries at once.
    pub(crate) const LARGEST_BATCH: usize = 24;

    /// The kernels that this machine can run, slowest first.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        Level::ALL.iter().copied().filter(|level| level.is_available()).map(Self)
    }

    /// The fastest of them.
    #[must_use]
    pub fn fastest() -> Self {
        Self::available().next_back().unwrap_or(Self(Level::ALL[0]))
    }

    /// Its name, in small letters.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.name()
    }

    /// Queries in batches: those of large groups, and what is left in ever smaller ones.
    #[inline(never)] // once in a module that counts its bytes
    pub(crate) fn batches(self, mut queries: &[Query]) -> Vec<Batch> {
        let groups = constant!(self, GROUPS);
        let mut batches = Vec::new();
        while let Some(group) = groups.iter().find(|group| **group <= queries.len()) {
            let (batch, rest) = queries.split_at(queries.len().min(Self::LARGEST_BATCH) / group * group);
            queries = rest;
            batches.push(self.batch(batch, *group));
        }
        batches
    }

    /// A batch of one.
    pub(crate) fn single(self, query: &Query) -> Batch {
        self.batch(core::slice::from_ref(query), 1)
    }

    /// Some whole groups of queries, as the kernel reads them.
    fn batch(self, queries: &[Query], group: usize) -> Batch {
        match self.0 {
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Level::Dotprod => dotprod::batch(queries, group),
            _ => Batch::of_pairs(queries, group),
        }
    }

    /// What a scan gives, but at most `farthest`: row by row, in an equal part of `out` for each query. The parts
    /// are of an even number of blocks; what is left of one has no meaning.
    pub(crate) fn distances(self, rows: Rows<'_>, batch: &Batch, farthest: i32, out: &mut [[i32; LANES]]) {
        call!(self, distances(rows, batch, farthest, out));
    }

    /// For each query, the row for which a scan gives least, the first of equals, among those that are offered: a
    /// bit each, the lowest first. Row 0 if none is.
    pub(crate) fn nearest(self, rows: Rows<'_>, offered: &[u8], batch: &Batch) -> Vec<usize> {
        call!(self, nearest(rows, offered, batch))
    }

    /// Whether it computes weights; the others look them up.
    pub(crate) fn computes(self) -> bool {
        constant!(self, COMPUTES)
    }

    /// What Σ factor·weight is at least, of [`crate::draw::channel`]'s runs of rows, in units of 2⁻⁹⁶. Factors have 12 bits.
    ///
    /// A kernel that computes weights does so in the same steps and at the same addresses whatever the distances. The
    /// factors of distances without a meaning are 0. Other kernels look weights up, at places that have one.
    pub(crate) fn sum(self, weights: Weights<'_>, squared: &[[i32; LANES]], factors: &[[i16; LANES]]) -> u128 {
        call!(self, sum(weights, squared, factors))
    }

    /// The same for each row; together they are no less than that of all.
    pub(crate) fn each(self, weights: Weights<'_>, squared: &[[i32; LANES]], factors: &[[i16; LANES]]) -> Vec<u128> {
        call!(self, each(weights, squared, factors))
    }

    /// Squared distances without their `shift` lowest bits. The rest must fit 15 bits.
    pub(crate) fn narrow(self, squared: &[[i32; LANES]], shift: u32, out: &mut [[i16; LANES]]) {
        call!(self, narrow(squared, shift, out));
    }

    /// The sum of a base measure of 15 bits over the rows with a distance above `most`. It takes an even number of
    /// blocks, and at most 2¹⁷ rows.
    pub(crate) fn beyond(self, distances: &[[i16; LANES]], base: &[[i16; LANES]], most: i16) -> u64 {
        call!(self, beyond(distances, base, most))
    }
}

/// Whether any distance of a block is at most this.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use simd128::is_any_within;
#[cfg(all(test, not(target_feature = "simd128")))]
pub(crate) fn is_any_within(distances: &[i16; LANES], most: i16) -> bool {
    distances.iter().any(|distance| *distance <= most)
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
