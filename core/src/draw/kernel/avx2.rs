//! AVX2: `vpmaddwd` on 16 rows, six queries at a time.

use alloc::vec;
use alloc::vec::Vec;
use core::arch::x86_64::{
    __m128i, __m256d, __m256i, _mm_cvtepi16_epi32, _mm_cvtsi64_si128, _mm256_add_epi32, _mm256_blendv_epi8,
    _mm256_cmpgt_epi16, _mm256_cmpgt_epi32, _mm256_cvtepi8_epi16, _mm256_cvtepi32_pd, _mm256_madd_epi16,
    _mm256_max_epi32, _mm256_min_epi32, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_sqrt_pd, _mm256_sub_epi32,
};
use core::f64::consts::LOG2_E;

use super::{Batch, LANES, PAGE, RUN, Rows, STRIDE, are_offered, ask_for, first, floors};
use crate::draw::weights::computed::{COEFFICIENTS, EACH_AT_LEAST, ROUNDS, SUM_AT_LEAST};
use crate::draw::weights::{Decay, Weights};

pub(super) const ROWS: usize = LANES;
type Floats = __m256d;
const FLOATS: usize = 4;

scan!(#[target_feature(enable = "avx2")] [__m256i; 2], groups: [6, 2, 1]);
tile!(#[target_feature(enable = "avx2")]);
compute!(#[target_feature(enable = "avx2,fma")]);
narrow!(#[target_feature(enable = "avx2")]);
mass!(
    #[target_feature(enable = "avx2")]
    __m256i,
    LANES
);

mod float {
    pub(super) use core::arch::x86_64::{
        _mm256_add_epi64 as add_integers, _mm256_add_pd as add, _mm256_cvtepi32_pd as from_integers,
        _mm256_fmadd_pd as fma, _mm256_fnmadd_pd as fnma, _mm256_max_pd as cut_off_below,
        _mm256_min_pd as cut_off_above, _mm256_mul_pd as mul, _mm256_set1_pd as set, _mm256_setzero_pd as zero,
        _mm256_slli_epi64 as shift, _mm256_sub_pd as sub,
    };
}

#[inline]
pub(super) fn steps(rows: Rows<'_>, tile: usize) -> impl Iterator<Item = &[u8; STRIDE]> {
    rows.block(tile).iter()
}

/// Has the caches fetch what will be read a page later: what they foresee by themselves ends with the page.
#[inline]
pub(super) fn ask_ahead(bytes: &[u8; STRIDE]) {
    ask_for(bytes.as_ptr().wrapping_add(PAGE));
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn widen(bytes: &[u8; STRIDE]) -> [__m256i; 2] {
    ask_ahead(bytes);
    let [low, high]: [__m128i; 2] = bytemuck::cast(*bytes);
    [_mm256_cvtepi8_epi16(low), _mm256_cvtepi8_epi16(high)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn accumulate([low, high]: Sums, rows: [__m256i; 2], pair: i32) -> Sums {
    let pair = _mm256_set1_epi32(pair);
    [_mm256_add_epi32(low, _mm256_madd_epi16(rows[0], pair)), _mm256_add_epi32(high, _mm256_madd_epi16(rows[1], pair))]
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn plus([low, high]: Sums, offset: i32) -> Sums {
    let offset = _mm256_set1_epi32(offset);
    [_mm256_add_epi32(low, offset), _mm256_add_epi32(high, offset)]
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn at_most([low, high]: Sums, most: i32) -> Sums {
    let most = _mm256_set1_epi32(most);
    [_mm256_min_epi32(low, most), _mm256_min_epi32(high, most)]
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn at_least(sums: Sums, least: &[i32; ROWS]) -> Sums {
    let least: Sums = bytemuck::cast(*least);
    [_mm256_max_epi32(sums[0], least[0]), _mm256_max_epi32(sums[1], least[1])]
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn smaller([low, high]: Sums, other: Sums) -> Sums {
    [_mm256_min_epi32(low, other[0]), _mm256_min_epi32(high, other[1])]
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn keep_less([mut best, mut numbers]: [Sums; 2], sums: Sums, number: i32) -> [Sums; 2] {
    for half in 0..2 {
        let is_less = _mm256_cmpgt_epi32(best[half], sums[half]);
        best[half] = _mm256_min_epi32(best[half], sums[half]);
        numbers[half] = _mm256_blendv_epi8(numbers[half], _mm256_set1_epi32(number), is_less);
    }
    [best, numbers]
}

#[inline]
#[target_feature(enable = "avx2")]
fn root(squared: Floats) -> Floats {
    _mm256_sqrt_pd(squared)
}

#[inline]
#[target_feature(enable = "avx2")]
fn from_factors(factors: [i16; FLOATS]) -> Floats {
    _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(_mm_cvtsi64_si128(bytemuck::cast(factors))))
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_beyond(sums: __m256i, distances: &[i16; LANES], base: &[i16; LANES], most: i16) -> __m256i {
    let is_beyond = _mm256_cmpgt_epi16(bytemuck::cast(*distances), _mm256_set1_epi16(most));
    _mm256_sub_epi32(sums, _mm256_madd_epi16(is_beyond, bytemuck::cast(*base)))
}
