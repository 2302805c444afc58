//! The scan: 16 rows at a time, every distance an exact integer, the same work for every query.
//!
//! A block is `[dims/2][16][2]` int8: pairs of dimensions by lanes of rows, so that one multiply–add
//! instruction serves several rows and no sum runs across lanes.

use alloc::vec;
use alloc::vec::Vec;

use wide::{i16x16, i32x8};

/// Rows in a block.
pub(crate) const LANES: usize = 16;
/// Dimensions side by side.
const PAIR: usize = 2;
/// Bytes of a block for one pair of dimensions.
const STRIDE: usize = LANES * PAIR;

/// A lattice point, one pair of coordinates for each pair of dimensions.
pub(crate) struct Query(Vec<[i16; PAIR]>);

impl Query {
    pub(super) fn new(dims: usize, mut point: impl Iterator<Item = i16>) -> Self {
        let mut pairs = Vec::with_capacity(dims.div_ceil(PAIR));
        for _ in 0..dims.div_ceil(PAIR) {
            pairs.push([point.next().unwrap_or(0), point.next().unwrap_or(0)]);
        }
        Self(pairs)
    }
}

/// Vectors in blocks, as a table file holds them.
pub(super) fn layout(vectors: impl Iterator<Item = Vec<i8>>, dims: usize, rows: usize) -> Vec<u8> {
    let mut bytes = vec![0; rows.div_ceil(LANES) * block_bytes(dims)];
    for (row, vector) in vectors.enumerate() {
        for (dim, v) in vector.into_iter().enumerate() {
            if let Some(byte) = bytes.get_mut(place(dims, row, dim)) {
                *byte = v.cast_unsigned();
            }
        }
    }
    bytes
}

/// Where one coordinate of one row lies.
fn place(dims: usize, row: usize, dim: usize) -> usize {
    row / LANES * block_bytes(dims) + dim / PAIR * STRIDE + row % LANES * PAIR + dim % PAIR
}

fn block_bytes(dims: usize) -> usize {
    dims.div_ceil(PAIR) * STRIDE
}

/// The bytes of one block; empty past the end.
pub(super) fn block(vectors: &[u8], dims: usize, block: usize) -> &[u8] {
    let size = block_bytes(dims);
    vectors.get(block * size..(block + 1) * size).unwrap_or_default()
}

/// One coordinate of one row.
pub(super) fn value(vectors: &[u8], dims: usize, row: usize, dim: usize) -> i8 {
    vectors.get(place(dims, row, dim)).map_or(0, |byte| *byte as i8)
}

/// Squared distances of a block's rows to a point with coordinates in −127…127.
#[inline]
pub(super) fn distances(block: &[u8], query: &Query) -> [u32; LANES] {
    let squared_difference = |rows, point| {
        let difference: i16x16 = rows - point;
        difference.dot(difference)
    };
    scan(block, query, 1, [0; LANES], squared_difference).map(i32::cast_unsigned)
}

/// `start − 2·v·query` for a block's rows v and a point with coordinates in −16383…16383: below 2³¹ for up to
/// 384 dimensions.
#[inline]
pub(super) fn scores(block: &[u8], query: &Query, start: &[i32; LANES]) -> [i32; LANES] {
    scan(block, query, -2, *start, i16x16::dot)
}

/// Adds to each row's sum, for each pair of dimensions, what `term` makes of the row's two values and
/// `factor` times the query's.
#[inline(always)]
fn scan(
    block: &[u8],
    query: &Query,
    factor: i16,
    start: [i32; LANES],
    term: impl Fn(i16x16, i16x16) -> i32x8,
) -> [i32; LANES] {
    let [mut low, mut high]: [i32x8; 2] = bytemuck::cast(start);
    for (pairs, [x, y]) in block.as_chunks::<STRIDE>().0.iter().zip(&query.0) {
        let point = bytemuck::cast([[x * factor, y * factor]; 8]);
        let [first, second] = bytemuck::cast(*pairs);
        low += term(widened(first), point);
        high += term(widened(second), point);
    }
    bytemuck::cast([low, high])
}

/// Sixteen int8 in 16 bits each.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
fn widened(bytes: [i8; LANES]) -> i16x16 {
    i16x16::from_i8x16(bytes.into())
}

/// Sixteen int8 in 16 bits each, by the instruction that `wide` leaves unused on this target (five times
/// faster).
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
fn widened(bytes: [i8; LANES]) -> i16x16 {
    use core::arch::wasm32::{i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, v128};
    let bytes: v128 = bytemuck::cast(bytes);
    bytemuck::cast([i16x8_extend_low_i8x16(bytes), i16x8_extend_high_i8x16(bytes)])
}

/// The section has the right length, no −128, and zeros in its padding.
pub(super) fn check(vectors: &[u8], dims: usize, rows: usize) -> Result<(), &'static str> {
    if vectors.len() != rows.div_ceil(LANES) * block_bytes(dims) {
        return Err("ROWS has the wrong length");
    }
    if vectors.contains(&0x80) {
        return Err("a coordinate is -128");
    }
    let padded_rows = rows..rows.next_multiple_of(LANES);
    let padding_is_zero = padded_rows
        .flat_map(|row| (0..dims).map(move |dim| (row, dim)))
        .all(|(row, dim)| value(vectors, dims, row, dim) == 0);
    let dimension_is_zero =
        dims.is_multiple_of(PAIR) || (0..rows.next_multiple_of(LANES)).all(|row| value(vectors, dims, row, dims) == 0);
    if padding_is_zero && dimension_is_zero { Ok(()) } else { Err("the padding of ROWS is not zero") }
}

/// The largest squared distance of a row from the rounded mean of all rows.
pub(super) fn radius_squared(vectors: &[u8], dims: usize, rows: usize) -> u32 {
    let count = i64::try_from(rows).unwrap_or(i64::MAX);
    let mut sums = vec![[0_i64; PAIR]; dims.div_ceil(PAIR)];
    for block in vectors.chunks_exact(block_bytes(dims)) {
        for (sum, pairs) in sums.iter_mut().zip(block.as_chunks::<STRIDE>().0) {
            for pair in pairs.as_chunks::<PAIR>().0 {
                sum[0] += i64::from(pair[0] as i8);
                sum[1] += i64::from(pair[1] as i8);
            }
        }
    }
    // The mean, rounded half up: floor division, exact for negative sums.
    let mean = sums.iter().flatten().map(|sum| (2 * sum + count).div_euclid(2 * count) as i16);
    let center = Query::new(dims, mean);
    let farthest = vectors.chunks_exact(block_bytes(dims)).enumerate().map(|(index, block)| {
        let filled = (rows - index * LANES).min(LANES);
        distances(block, &center).into_iter().take(filled).max().unwrap_or(0)
    });
    farthest.max().unwrap_or(0)
}
