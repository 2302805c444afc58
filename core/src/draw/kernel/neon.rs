//! NEON: widening multiply–adds on 16 rows, four queries at a time.

use alloc::vec;
use alloc::vec::Vec;
use core::arch::aarch64::{
    float64x2_t, int8x16_t, int16x4_t, int16x8_t, int32x4_t, vaddq_s32, vandq_s16, vbslq_s32, vcgtq_s16, vcltq_s32,
    vdup_n_s32, vdupq_n_s16, vdupq_n_s32, vget_low_s8, vget_low_s16, vmaxq_s32, vminq_s32, vmlal_high_lane_s16,
    vmlal_lane_s16, vmovl_high_s8, vmovl_s8, vpadalq_s16, vreinterpret_s16_s32, vsqrtq_f64, vuzp1q_s8, vuzp2q_s8,
};
use core::f64::consts::LOG2_E;

use super::{Batch, LANES, PAIR, RUN, Rows, STRIDE, are_offered, first, floors};
use crate::draw::weights::computed::{COEFFICIENTS, EACH_AT_LEAST, ROUNDS, SUM_AT_LEAST};
use crate::draw::weights::{Decay, Weights};

pub(super) const ROWS: usize = LANES;
type Floats = float64x2_t;
const FLOATS: usize = 2;

scan!(#[target_feature(enable = "neon")] [int32x4_t; 4], groups: [4, 1]);
tile!(#[target_feature(enable = "neon")]);
compute!(#[target_feature(enable = "neon")]);
narrow!(#[target_feature(enable = "neon")]);
mass!(
    #[target_feature(enable = "neon")]
    [int32x4_t; 2],
    LANES
);

#[inline]
fn steps(rows: Rows<'_>, tile: usize) -> impl Iterator<Item = &[u8; STRIDE]> {
    rows.block(tile).iter()
}

/// The first dimension of rows 0–7 and 8–15, and the second.
#[inline]
#[target_feature(enable = "neon")]
fn widen(bytes: &[u8; STRIDE]) -> [[int16x8_t; 2]; PAIR] {
    let [low, high]: [int8x16_t; 2] = bytemuck::cast(*bytes);
    let (first, second) = (vuzp1q_s8(low, high), vuzp2q_s8(low, high));
    [[vmovl_s8(vget_low_s8(first)), vmovl_high_s8(first)], [vmovl_s8(vget_low_s8(second)), vmovl_high_s8(second)]]
}

#[inline]
#[target_feature(enable = "neon")]
fn accumulate(mut sums: Sums, [first, second]: [[int16x8_t; 2]; PAIR], pair: i32) -> Sums {
    let pair = spread(pair);
    for half in 0..2 {
        let low = vmlal_lane_s16::<0>(sums[2 * half], vget_low_s16(first[half]), pair);
        let high = vmlal_high_lane_s16::<0>(sums[2 * half + 1], first[half], pair);
        sums[2 * half] = vmlal_lane_s16::<1>(low, vget_low_s16(second[half]), pair);
        sums[2 * half + 1] = vmlal_high_lane_s16::<1>(high, second[half], pair);
    }
    sums
}

/// Two numbers of 16 bits, twice.
#[inline]
#[target_feature(enable = "neon")]
fn spread(pair: i32) -> int16x4_t {
    vreinterpret_s16_s32(vdup_n_s32(pair))
}

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn plus(mut sums: Sums, offset: i32) -> Sums {
    for quarter in &mut sums {
        *quarter = vaddq_s32(*quarter, vdupq_n_s32(offset));
    }
    sums
}

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn at_most(mut sums: Sums, most: i32) -> Sums {
    for quarter in &mut sums {
        *quarter = vminq_s32(*quarter, vdupq_n_s32(most));
    }
    sums
}

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn at_least(mut sums: Sums, least: &[i32; ROWS]) -> Sums {
    let least: Sums = bytemuck::cast(*least);
    for quarter in 0..4 {
        sums[quarter] = vmaxq_s32(sums[quarter], least[quarter]);
    }
    sums
}

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn smaller(mut sums: Sums, other: Sums) -> Sums {
    for quarter in 0..4 {
        sums[quarter] = vminq_s32(sums[quarter], other[quarter]);
    }
    sums
}

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn keep_less([mut best, mut numbers]: [Sums; 2], sums: Sums, number: i32) -> [Sums; 2] {
    for quarter in 0..4 {
        let is_less = vcltq_s32(sums[quarter], best[quarter]);
        best[quarter] = vminq_s32(best[quarter], sums[quarter]);
        numbers[quarter] = vbslq_s32(is_less, vdupq_n_s32(number), numbers[quarter]);
    }
    [best, numbers]
}

#[inline]
#[target_feature(enable = "neon")]
fn root(squared: Floats) -> Floats {
    vsqrtq_f64(squared)
}

#[inline]
#[target_feature(enable = "neon")]
fn from_factors([first, second]: [i16; FLOATS]) -> Floats {
    bytemuck::cast([f64::from(first), f64::from(second)])
}

mod float {
    use core::arch::aarch64::{float64x2_t, int32x2_t, vcvtq_f64_s64, vdupq_n_f64, vfmaq_f64, vfmsq_f64, vmovl_s32};
    pub(super) use core::arch::aarch64::{
        vaddq_f64 as add, vaddq_s64 as add_integers, vdupq_n_f64 as set, vmaxnmq_f64 as cut_off_below,
        vminnmq_f64 as cut_off_above, vmulq_f64 as mul, vshlq_n_s64 as shift, vsubq_f64 as sub,
    };

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn zero() -> float64x2_t {
        vdupq_n_f64(0.0)
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn from_integers(integers: int32x2_t) -> float64x2_t {
        vcvtq_f64_s64(vmovl_s32(integers))
    }

    /// x·y + z, rounded once.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn fma(x: float64x2_t, y: float64x2_t, z: float64x2_t) -> float64x2_t {
        vfmaq_f64(z, x, y)
    }

    /// z − x·y, rounded once.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn fnma(x: float64x2_t, y: float64x2_t, z: float64x2_t) -> float64x2_t {
        vfmsq_f64(z, x, y)
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn add_beyond(sums: [int32x4_t; 2], distances: &[i16; LANES], base: &[i16; LANES], most: i16) -> [int32x4_t; 2] {
    let (distances, base): ([int16x8_t; 2], [int16x8_t; 2]) = (bytemuck::cast(*distances), bytemuck::cast(*base));
    let add = |half: usize| {
        let is_beyond = bytemuck::cast(vcgtq_s16(distances[half], vdupq_n_s16(most)));
        vpadalq_s16(sums[half], vandq_s16(is_beyond, base[half]))
    };
    [add(0), add(1)]
}
