//! Where the coordinates of a table lie, and what follows from them all.

use alloc::vec;
use alloc::vec::Vec;

use crate::draw::kernel::{Kernel, LANES, PAIR, Query, Rows, STRIDE};

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

/// All coordinates of one row.
pub(super) fn vector(vectors: &[u8], dims: usize, row: usize) -> Vec<i8> {
    (0..dims).map(|dim| value(vectors, dims, row, dim)).collect()
}

/// One coordinate of one row.
pub(super) fn value(vectors: &[u8], dims: usize, row: usize, dim: usize) -> i8 {
    vectors.get(place(dims, row, dim)).map_or(0, |byte| *byte as i8)
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

/// The squared norms of all rows, by block.
pub(super) fn norms(vectors: &[u8], dims: usize) -> Vec<[i32; LANES]> {
    let norms = |block: &[u8]| {
        let mut norms = [0; LANES];
        for stride in block.as_chunks::<STRIDE>().0 {
            for (norm, pair) in norms.iter_mut().zip(stride.as_chunks::<PAIR>().0) {
                *norm += pair.map(|v| i32::from(v as i8).pow(2)).iter().sum::<i32>();
            }
        }
        norms
    };
    vectors.chunks_exact(block_bytes(dims)).map(norms).collect()
}

/// The rounded mean of all rows.
pub(super) fn mean(vectors: &[u8], dims: usize, rows: usize) -> Vec<i8> {
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
    sums.iter().flatten().map(|sum| (2 * sum + count).div_euclid(2 * count) as i8).collect()
}

/// The row that is farthest from a point, and its squared distance.
#[inline(never)]
pub(super) fn farthest(rows: Rows<'_>, dims: usize, count: usize, point: &[i8]) -> (usize, u32) {
    let kernel = Kernel::fastest();
    let point = Query::word(dims, point.iter().map(|x| i16::from(*x)));
    let mut distances = vec![[0; LANES]; count.div_ceil(LANES).next_multiple_of(2)];
    kernel.distances(rows, &kernel.single(&point), i32::MAX, &mut distances);
    let distances = distances.as_flattened().iter().take(count).enumerate();
    distances.max_by_key(|(_, squared)| **squared).map_or((0, 0), |(row, squared)| (row, squared.cast_unsigned()))
}
