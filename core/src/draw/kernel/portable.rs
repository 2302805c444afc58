//! Plain integers: what runs where nothing else does.

use alloc::vec;
use alloc::vec::Vec;

use super::{Batch, LANES, PAIR, RUN, Rows, are_offered, first, floors};
use crate::draw::weights::{Limbs, Weights, without_rest};

const ROWS: usize = LANES;
type LimbSums = [i32; 4];

scan!([i32; ROWS], groups: [1]);
look_up!();
narrow!();
mass!([u64; 4], LANES);

/// The result of a scan for one tile, without the offsets. (Norms come last: so the compiler keeps to whole vectors.)
#[inline]
fn tile<const N: usize>(rows: Rows<'_>, place: usize, pairs: &[[i32; N]]) -> [Sums; N] {
    let mut sums = [[0; ROWS]; N];
    for (stride, pairs) in rows.block(place).iter().zip(pairs) {
        let rows: [[i8; PAIR]; ROWS] = bytemuck::cast(*stride);
        for (sums, pair) in sums.iter_mut().zip(pairs) {
            let [x, y]: [i16; PAIR] = bytemuck::cast(*pair);
            for (sum, [v, w]) in sums.iter_mut().zip(rows) {
                *sum += i32::from(v) * i32::from(x) + i32::from(w) * i32::from(y);
            }
        }
    }
    let norms = rows.norms::<ROWS>(place);
    for sums in &mut sums {
        for (sum, norm) in sums.iter_mut().zip(norms) {
            *sum += norm;
        }
    }
    sums
}

fn plus(sums: Sums, offset: i32) -> Sums {
    sums.map(|sum| sum + offset)
}

fn at_most(sums: Sums, most: i32) -> Sums {
    sums.map(|sum| sum.min(most))
}

fn at_least(mut sums: Sums, least: &[i32; ROWS]) -> Sums {
    for (sum, least) in sums.iter_mut().zip(least) {
        *sum = (*sum).max(*least);
    }
    sums
}

fn larger(mut a: Sums, b: Sums) -> Sums {
    for (a, b) in a.iter_mut().zip(b) {
        *a = a.cast_unsigned().max(b.cast_unsigned()).cast_signed();
    }
    a
}

fn smaller(mut a: Sums, b: Sums) -> Sums {
    for (a, b) in a.iter_mut().zip(b) {
        *a = (*a).min(b);
    }
    a
}

fn keep_less([mut best, mut numbers]: [Sums; 2], sums: Sums, number: i32) -> [Sums; 2] {
    for ((best, at), sum) in best.iter_mut().zip(&mut numbers).zip(sums) {
        let is_less = sum < *best;
        *best = if is_less { sum } else { *best };
        *at = if is_less { number } else { *at };
    }
    [best, numbers]
}

#[inline]
fn weigh_pair(mut sums: LimbSums, a: &Limbs, b: &Limbs, factors: [i16; 2]) -> LimbSums {
    let [f, g] = factors.map(i32::from);
    for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
        *sum += i32::from(*a) * f + i32::from(*b) * g;
    }
    sums
}

/// Four rows in a number. A distance is at most `most` if the highest bit stays where it is taken from that bit and `most`.
#[inline]
fn add_beyond(mut sums: [u64; 4], distances: &[i16; LANES], base: &[i16; LANES], most: i16) -> [u64; 4] {
    const ROW: u64 = 0x0001_0001_0001_0001;
    const HIGHEST: u64 = ROW << 15;
    const EVERY_OTHER: u64 = 0x0000_ffff_0000_ffff;
    let limit = u64::from((1_u16 << 15).wrapping_add_signed(most)) * ROW;
    let (distances, base): ([u64; 4], [u64; 4]) = (bytemuck::cast(*distances), bytemuck::cast(*base));
    for ((sum, distances), base) in sums.iter_mut().zip(distances).zip(base) {
        let is_beyond = (limit - distances) & HIGHEST ^ HIGHEST;
        let beyond = base & (is_beyond - (is_beyond >> 15));
        *sum += (beyond & EVERY_OTHER) + (beyond >> 16 & EVERY_OTHER);
    }
    sums
}
