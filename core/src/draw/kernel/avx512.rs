//! AVX-512 with VNNI: `vpdpwssd` multiplies and adds 32 numbers at once; two blocks, eight queries at a time.

use alloc::vec;
use alloc::vec::Vec;
use core::arch::x86_64::{
    __m256i, __m512d, __m512i, _mm256_cvtepi16_epi32, _mm512_add_epi32, _mm512_cmpgt_epi16_mask,
    _mm512_cmplt_epi32_mask, _mm512_cvtepi8_epi16, _mm512_cvtepi32_pd, _mm512_dpwssd_epi32, _mm512_fmadd_pd,
    _mm512_fnmadd_pd, _mm512_madd_epi16, _mm512_mask_mov_epi32, _mm512_maskz_mov_epi16, _mm512_max_epi32,
    _mm512_min_epi32, _mm512_mul_pd, _mm512_rsqrt14_pd, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_pd,
};
use core::f64::consts::LOG2_E;

use super::avx2::ask_ahead;
pub(super) use super::avx2::narrow;
use super::{Batch, LANES, RUN, Rows, STRIDE, are_offered, first, floors};
use crate::draw::weights::computed::{COEFFICIENTS, EACH_AT_LEAST, ROUNDS, SUM_AT_LEAST};
use crate::draw::weights::{Decay, Weights};

const ROWS: usize = 2 * LANES;
type Floats = __m512d;
const FLOATS: usize = 8;

scan!(#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vnni")] [__m512i; 2], groups: [8, 4, 2, 1]);
tile!(#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vnni")]);
compute!(#[target_feature(enable = "avx512f")]);
mass!(
    #[target_feature(enable = "avx512f,avx512bw")]
    __m512i,
    ROWS
);

mod float {
    pub(super) use core::arch::x86_64::{
        _mm512_add_epi64 as add_integers, _mm512_add_pd as add, _mm512_cvtepi32_pd as from_integers,
        _mm512_fmadd_pd as fma, _mm512_fnmadd_pd as fnma, _mm512_max_pd as cut_off_below,
        _mm512_min_pd as cut_off_above, _mm512_mul_pd as mul, _mm512_set1_pd as set, _mm512_setzero_pd as zero,
        _mm512_slli_epi64 as shift, _mm512_sub_pd as sub,
    };
}

/// The strides of two blocks; the last block stands in for one that is missing.
#[inline]
fn steps(rows: Rows<'_>, tile: usize) -> impl Iterator<Item = (&[u8; STRIDE], &[u8; STRIDE])> {
    let (first, second) = (rows.block(2 * tile), rows.block(2 * tile + 1));
    first.iter().zip(if second.is_empty() { first } else { second })
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn widen((first, second): (&[u8; STRIDE], &[u8; STRIDE])) -> [__m512i; 2] {
    ask_ahead(first);
    ask_ahead(second);
    let (first, second): (__m256i, __m256i) = (bytemuck::cast(*first), bytemuck::cast(*second));
    [_mm512_cvtepi8_epi16(first), _mm512_cvtepi8_epi16(second)]
}

#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn accumulate([first, second]: Sums, rows: [__m512i; 2], pair: i32) -> Sums {
    let pair = _mm512_set1_epi32(pair);
    [_mm512_dpwssd_epi32(first, rows[0], pair), _mm512_dpwssd_epi32(second, rows[1], pair)]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn plus([first, second]: Sums, offset: i32) -> Sums {
    let offset = _mm512_set1_epi32(offset);
    [_mm512_add_epi32(first, offset), _mm512_add_epi32(second, offset)]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn at_most([first, second]: Sums, most: i32) -> Sums {
    let most = _mm512_set1_epi32(most);
    [_mm512_min_epi32(first, most), _mm512_min_epi32(second, most)]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn at_least([first, second]: Sums, least: &[i32; ROWS]) -> Sums {
    let least: Sums = bytemuck::cast(*least);
    [_mm512_max_epi32(first, least[0]), _mm512_max_epi32(second, least[1])]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn smaller([first, second]: Sums, other: Sums) -> Sums {
    [_mm512_min_epi32(first, other[0]), _mm512_min_epi32(second, other[1])]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn keep_less([mut best, mut numbers]: [Sums; 2], sums: Sums, number: i32) -> [Sums; 2] {
    for half in 0..2 {
        let is_less = _mm512_cmplt_epi32_mask(sums[half], best[half]);
        best[half] = _mm512_min_epi32(best[half], sums[half]);
        numbers[half] = _mm512_mask_mov_epi32(numbers[half], is_less, _mm512_set1_epi32(number));
    }
    [best, numbers]
}

/// √s from r, which is 1/√s to a relative 2⁻¹⁴. With e = 1 − s·r² it is s·r·(1 + e/2 + 3e²/8 + 5e³/16), to a relative
/// 2⁻⁵¹. The machine's own root takes longer than the rest of a weight. NaN for 0.
#[inline]
#[target_feature(enable = "avx512f")]
fn root(squared: Floats) -> Floats {
    let reciprocal = _mm512_rsqrt14_pd(squared);
    let root = _mm512_mul_pd(squared, reciprocal);
    let e = _mm512_fnmadd_pd(root, reciprocal, _mm512_set1_pd(1.0));
    let series = _mm512_fmadd_pd(_mm512_set1_pd(0.3125), e, _mm512_set1_pd(0.375));
    let series = _mm512_fmadd_pd(series, e, _mm512_set1_pd(0.5));
    _mm512_fmadd_pd(_mm512_mul_pd(root, e), series, root)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn from_factors(factors: [i16; FLOATS]) -> Floats {
    _mm512_cvtepi32_pd(_mm256_cvtepi16_epi32(bytemuck::cast(factors)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_beyond(sums: __m512i, distances: &[i16; ROWS], base: &[i16; ROWS], most: i16) -> __m512i {
    let is_beyond = _mm512_cmpgt_epi16_mask(bytemuck::cast(*distances), _mm512_set1_epi16(most));
    let beyond = _mm512_maskz_mov_epi16(is_beyond, bytemuck::cast(*base));
    _mm512_add_epi32(sums, _mm512_madd_epi16(beyond, _mm512_set1_epi16(1)))
}
