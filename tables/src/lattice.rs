//! The vectors of a table in lattice steps, unpacked once for work on many pairs of words.

use multiversion::multiversion;
use ndarray::Array2;
use textveil::{Table, WordId};

/// The vectors of the words with some property, one behind the other.
pub fn lattice_rows(table: &Table, property: impl Fn(WordId) -> bool) -> Vec<i16> {
    table
        .words()
        .filter(|(id, _)| property(*id))
        .flat_map(|(id, _)| table.vector(id).into_iter().map(i16::from))
        .collect()
}

/// Squared lattice distances of a point to the rows.
///
/// `Table::distance_squared` unpacks one pair; here, all pairs of a vocabulary are compared (10⁹), from
/// vectors that were unpacked once.
#[multiversion(targets("x86_64+avx512f+avx512bw", "x86_64+avx2"))]
pub fn squared_distances(point: &[i16], rows: &[i16], distances: &mut [u32]) {
    for (distance, row) in distances.iter_mut().zip(rows.chunks_exact(point.len())) {
        let steps = row.iter().zip(point).map(|(a, b)| i32::from(a - b));
        *distance = steps.map(|step| step * step).sum::<i32>().cast_unsigned();
    }
}

/// The vectors of all words, a row a word.
pub fn lattice_vectors(table: &Table) -> Array2<f64> {
    let rows: Vec<Vec<i8>> = table.rows().map(|row| table.vector(row)).collect();
    Array2::from_shape_fn((table.len(), table.dims()), |(i, j)| f64::from(rows[i][j]))
}
