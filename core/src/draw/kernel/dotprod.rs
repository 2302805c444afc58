//! NEON with dot products: `sdot` multiplies and adds 16 numbers of 8 bits at once, four of each of four rows.
//!
//! A coordinate q of a point is 256·h + l, with l and h in eight bits, so each takes two products. If all points are
//! words, h is 0 and one product is enough.

use alloc::vec;
use alloc::vec::Vec;
use core::arch::aarch64::{
    int8x16_t, int16x8_t, int32x4_t, vaddq_s32, vdupq_n_s32, vmlaq_n_s32, vsubq_s32, vzip1q_s16, vzip2q_s16,
};
use core::arch::asm;

pub(super) use super::neon::{COMPUTES, beyond, each, narrow, sum};
use super::neon::{ROWS, at_least, at_most, keep_less, plus, smaller};
use super::{Batch, LANES, PAIR, Query, RUN, Rows, STRIDE, are_offered, first, floors};

/// Dimensions of a step.
const QUAD: usize = 2 * PAIR;

scan!(#[target_feature(enable = "neon,dotprod")] [int32x4_t; 4], groups: [4, 1]);

/// Steps of four dimensions: the lower bytes, and behind them, if any query is wide, the upper ones.
pub(super) fn batch(queries: &[Query], group: usize) -> Batch {
    let quads = queries.first().map_or(0, |query| query.pairs.len().div_ceil(QUAD / PAIR));
    let parts = if queries.iter().any(|query| query.is_wide) { 2 } else { 1 };
    Batch::new(queries, group, parts * quads, |query, place| {
        let quad: [i16; QUAD] = {
            let x = query.pairs.as_flattened();
            core::array::from_fn(|dim| x.get(place / parts * QUAD + dim).copied().unwrap_or(0))
        };
        // The lower byte as a signed number, and what is left.
        let low = quad.map(|x| x as i8);
        let high = quad.map(|x| ((x - i16::from(x as i8)) / 256) as i8);
        bytemuck::cast(if place % parts == 0 { low } else { high })
    })
}

/// The result of a scan for one tile, without the offsets.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn tile<const N: usize>(rows: Rows<'_>, place: usize, steps: &[[i32; N]]) -> [Sums; N] {
    let none: Sums = [vdupq_n_s32(0); 4];
    let (mut low, mut high) = ([none; N], [none; N]);
    let block = rows.block(place);
    let is_wide = steps.len() > block.len().div_ceil(2);
    if is_wide {
        for (strides, [lower, upper]) in block.chunks(2).zip(steps.as_chunks().0) {
            let rows = quads(strides);
            each!(n < N { low[n] = accumulate(low[n], rows, lower[n]) });
            each!(n < N { high[n] = accumulate(high[n], rows, upper[n]) });
        }
    } else {
        for (strides, lower) in block.chunks(2).zip(steps) {
            let rows = quads(strides);
            each!(n < N { low[n] = accumulate(low[n], rows, lower[n]) });
        }
    }
    let norms: Sums = bytemuck::cast(rows.norms::<ROWS>(place));
    let mut sums = [norms; N];
    for n in 0..N {
        for quarter in 0..4 {
            let product = vmlaq_n_s32(low[n][quarter], high[n][quarter], 256);
            sums[n][quarter] = vsubq_s32(norms[quarter], vaddq_s32(product, product));
        }
    }
    sums
}

/// Four dimensions of rows 0–3, 4–7, 8–11 and 12–15; zeros for a stride that is missing.
#[inline]
#[target_feature(enable = "neon")]
fn quads(strides: &[[u8; STRIDE]]) -> [int8x16_t; 4] {
    let stride = |number: usize| strides.get(number).copied().unwrap_or([0; STRIDE]);
    let [[a, b], [c, d]]: [[int16x8_t; 2]; 2] = [bytemuck::cast(stride(0)), bytemuck::cast(stride(1))];
    bytemuck::cast([vzip1q_s16(a, c), vzip2q_s16(a, c), vzip1q_s16(b, d), vzip2q_s16(b, d)])
}

#[inline]
#[target_feature(enable = "neon,dotprod")]
fn accumulate(mut sums: Sums, rows: [int8x16_t; 4], quad: i32) -> Sums {
    let quad = bytemuck::cast(vdupq_n_s32(quad));
    for quarter in 0..4 {
        sums[quarter] = dot(sums[quarter], rows[quarter], quad);
    }
    sums
}

/// Adds to each number of 32 bits the products of the four of 8 bits in its place. (The compiler has no stable
/// intrinsic for it.)
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn dot(mut sums: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
    #[expect(unsafe_code, reason = "an instruction without a stable intrinsic")]
    // SAFETY: it reads and writes these registers and nothing else, and the caller sees to it that it exists.
    unsafe {
        asm!(
            "sdot {sums:v}.4s, {a:v}.16b, {b:v}.16b",
            sums = inout(vreg) sums, a = in(vreg) a, b = in(vreg) b,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sums
}
