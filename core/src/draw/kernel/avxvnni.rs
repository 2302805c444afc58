//! AVX2 with VNNI: `vpdpwssd` multiplies and adds what AVX2 takes two instructions for.

use alloc::vec;
use alloc::vec::Vec;
use core::arch::x86_64::{__m256i, _mm256_dpwssd_avx_epi32, _mm256_set1_epi32};

pub(super) use super::avx2::{COMPUTES, beyond, each, narrow, sum};
use super::avx2::{ROWS, at_least, at_most, keep_less, plus, smaller, steps, widen};
use super::{Batch, LANES, RUN, Rows, are_offered, first, floors};

scan!(#[target_feature(enable = "avx2,avxvnni")] [__m256i; 2], groups: [6, 2, 1]);
tile!(#[target_feature(enable = "avx2,avxvnni")]);

#[inline]
#[target_feature(enable = "avx2,avxvnni")]
fn accumulate([low, high]: Sums, rows: [__m256i; 2], pair: i32) -> Sums {
    let pair = _mm256_set1_epi32(pair);
    [_mm256_dpwssd_avx_epi32(low, rows[0], pair), _mm256_dpwssd_avx_epi32(high, rows[1], pair)]
}
