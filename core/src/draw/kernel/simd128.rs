//! WebAssembly's SIMD: `i32x4.dot_i16x8_s` on eight rows, four queries at a time.

use alloc::vec;
use alloc::vec::Vec;
use core::arch::wasm32::{
    i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i16x8_gt, i16x8_le, i16x8_narrow_i32x4, i16x8_shuffle,
    i16x8_splat, i32x4_add, i32x4_dot_i16x8, i32x4_lt, i32x4_max, i32x4_min, i32x4_shr, i32x4_splat, i32x4_sub,
    u32x4_max, u64x2, v128, v128_any_true, v128_bitselect, v128_or,
};

use super::{Batch, LANES, PAIR, RUN, Rows, are_offered, first, floors, packed};
use crate::draw::weights::{Limbs, Weights, without_rest};

/// Sums of four queries fill half of the registers of an x86 machine.
const ROWS: usize = 8;
type LimbSums = v128;

scan!([v128; 2], groups: [4, 1]);
tile!();
look_up!();
mass!([v128; 2], LANES);

/// A half of each stride. (Written so that the loop over them counts one number.)
#[inline]
fn steps(rows: Rows<'_>, tile: usize) -> impl Iterator<Item = &[u8; ROWS * PAIR]> {
    let half = tile % 2;
    rows.block(tile / 2).iter().map(move |stride| &stride.as_chunks().0[half])
}

#[inline]
fn widen(bytes: &[u8; ROWS * PAIR]) -> [v128; 2] {
    let bytes: v128 = bytemuck::cast(*bytes);
    [i16x8_extend_low_i8x16(bytes), i16x8_extend_high_i8x16(bytes)]
}

#[inline]
fn accumulate([low, high]: Sums, rows: [v128; 2], pair: i32) -> Sums {
    let pair = i32x4_splat(pair);
    [i32x4_add(low, i32x4_dot_i16x8(rows[0], pair)), i32x4_add(high, i32x4_dot_i16x8(rows[1], pair))]
}

#[inline]
fn plus([low, high]: Sums, offset: i32) -> Sums {
    [i32x4_add(low, i32x4_splat(offset)), i32x4_add(high, i32x4_splat(offset))]
}

#[inline]
fn at_most([low, high]: Sums, most: i32) -> Sums {
    [i32x4_min(low, i32x4_splat(most)), i32x4_min(high, i32x4_splat(most))]
}

#[inline]
fn at_least([low, high]: Sums, least: &[i32; ROWS]) -> Sums {
    let least: Sums = bytemuck::cast(*least);
    [i32x4_max(low, least[0]), i32x4_max(high, least[1])]
}

#[inline]
fn larger([low, high]: Sums, other: Sums) -> Sums {
    [u32x4_max(low, other[0]), u32x4_max(high, other[1])]
}

#[inline]
fn smaller([low, high]: Sums, other: Sums) -> Sums {
    [i32x4_min(low, other[0]), i32x4_min(high, other[1])]
}

#[inline]
fn keep_less([mut best, mut numbers]: [Sums; 2], sums: Sums, number: i32) -> [Sums; 2] {
    for half in 0..2 {
        let is_less = i32x4_lt(sums[half], best[half]);
        best[half] = i32x4_min(best[half], sums[half]);
        numbers[half] = v128_bitselect(i32x4_splat(number), numbers[half], is_less);
    }
    [best, numbers]
}

/// Limbs of two rows side by side: one multiply–add for both.
#[inline]
fn weigh_pair(sums: LimbSums, a: &Limbs, b: &Limbs, factors: [i16; 2]) -> LimbSums {
    let (a, b) = (u64x2(bytemuck::cast(*a), 0), u64x2(bytemuck::cast(*b), 0));
    // The order of an instruction that machines have; another would be looked up for each pair.
    let pairs = i16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>(a, b);
    i32x4_add(sums, i32x4_dot_i16x8(pairs, i32x4_splat(packed(factors))))
}

/// A comparison gives −1 where it holds.
#[inline]
fn add_beyond(sums: [v128; 2], distances: &[i16; LANES], base: &[i16; LANES], most: i16) -> [v128; 2] {
    let (distances, base): ([v128; 2], [v128; 2]) = (bytemuck::cast(*distances), bytemuck::cast(*base));
    let add = |half: usize| {
        let is_beyond = i16x8_gt(distances[half], i16x8_splat(most));
        i32x4_sub(sums[half], i32x4_dot_i16x8(is_beyond, base[half]))
    };
    [add(0), add(1)]
}

/// Whether any distance of a block is at most this.
#[inline]
pub(crate) fn is_any_within(distances: &[i16; LANES], most: i16) -> bool {
    let halves: [v128; 2] = bytemuck::cast(*distances);
    let [low, high] = halves.map(|half| i16x8_le(half, i16x8_splat(most)));
    v128_any_true(v128_or(low, high))
}

/// See [`Kernel::narrow`].
pub(super) fn narrow(squared: &[[i32; LANES]], shift: u32, out: &mut [[i16; LANES]]) {
    for (squared, out) in squared.iter().zip(out) {
        let quarters: [v128; 4] = bytemuck::cast(*squared);
        let [a, b, c, d] = quarters.map(|quarter| i32x4_shr(quarter, shift));
        *out = bytemuck::cast([i16x8_narrow_i32x4(a, b), i16x8_narrow_i32x4(c, d)]);
    }
}
