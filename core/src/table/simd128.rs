//! The two scans in WebAssembly's 128-bit SIMD: the same integers as the portable ones, which compilers do not turn into the
//! multiply–add instruction for this target. All safe: loads go through integers.

use core::arch::wasm32::{i16x8, i16x8_extend_low_i8x16, i16x8_sub, i32x4, i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane, u64x2, v128};

use super::rows::{LANES, PAIR, Query, STRIDE};

/// Rows in a vector of 32-bit sums.
const ROWS: usize = 4;
type Sums = [v128; LANES / ROWS];

pub(super) fn distances(block: &[u8], query: &Query) -> [u32; LANES] {
    let zero = [i32x4(0, 0, 0, 0); LANES / ROWS];
    let step = |pairs, point| {
        let difference = i16x8_sub(pairs, point);
        i32x4_dot_i16x8(difference, difference)
    };
    lanes(scan(block, query, zero, 1, step)).map(i32::cast_unsigned)
}

pub(super) fn scores(block: &[u8], query: &Query, start: &[i32; LANES]) -> [i32; LANES] {
    let start = core::array::from_fn(|at| {
        let [a, b, c, d] = core::array::from_fn(|row| start[at * ROWS + row]);
        i32x4(a, b, c, d)
    });
    lanes(scan(block, query, start, -2, |rows, point| i32x4_dot_i16x8(rows, point)))
}

/// Adds `step` of each pair of dimensions and the query times `factor` to the sums of 16 rows.
#[inline(always)]
fn scan(block: &[u8], query: &Query, mut sums: Sums, factor: i16, step: impl Fn(v128, v128) -> v128) -> Sums {
    for (pairs, [x, y]) in block.as_chunks::<STRIDE>().0.iter().zip(&query.0) {
        let (x, y) = (x * factor, y * factor);
        let point = i16x8(x, y, x, y, x, y, x, y);
        for (sum, rows) in sums.iter_mut().zip(pairs.as_chunks::<{ ROWS * PAIR }>().0) {
            let rows = i16x8_extend_low_i8x16(u64x2(u64::from_le_bytes(*rows), 0));
            *sum = i32x4_add(*sum, step(rows, point));
        }
    }
    sums
}

fn lanes(sums: Sums) -> [i32; LANES] {
    let mut out = [0; LANES];
    for (four, sum) in out.as_chunks_mut::<ROWS>().0.iter_mut().zip(sums) {
        *four = [i32x4_extract_lane::<0>(sum), i32x4_extract_lane::<1>(sum), i32x4_extract_lane::<2>(sum), i32x4_extract_lane::<3>(sum)];
    }
    out
}
