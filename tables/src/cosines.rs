//! The products of all rows of a matrix with all, by the same arithmetic on every machine.

use ndarray::Array2;
use rayon::prelude::*;

use super::linear::{LANES, Linear, ROWS};

/// For each row, what `look` makes of the row's number and of its products with all rows: cosines, if the
/// rows have length 1.
pub(crate) fn of_rows<T: Send>(rows: &Array2<f64>, look: impl Fn(usize, &[f32]) -> T + Sync) -> Vec<T> {
    let (count, width) = rows.dim();
    let values: Vec<f32> = rows.iter().map(|x| *x as f32).collect();
    let padded = count.next_multiple_of(LANES);
    let mut weights = values.clone();
    weights.resize(padded * width, 0.0);
    let products = Linear::new(&weights, vec![0.0; padded]);
    let tiles = values.par_chunks(ROWS * width).enumerate().map(|(tile, rows)| {
        let mut inputs = rows.to_vec();
        inputs.resize(ROWS * width, 0.0);
        let mut outputs = vec![0f32; ROWS * padded];
        products.apply(&inputs, &mut outputs);
        let rows = (tile * ROWS..count).zip(outputs.chunks_exact(padded));
        rows.map(|(row, products)| look(row, &products[..count])).collect::<Vec<T>>()
    });
    tiles.collect::<Vec<_>>().into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_meets_every_row_once() {
        let rows = Array2::from_shape_fn((2 * LANES + 5, 3), |(i, j)| ((i * 7 + j * 3) % 11) as f64 - 5.0);
        let products = of_rows(&rows, |row, products| (row, products.to_vec()));
        assert_eq!(products.len(), rows.nrows());
        for (i, (row, products)) in products.into_iter().enumerate() {
            assert_eq!((row, products.len()), (i, rows.nrows()));
            for (j, product) in products.into_iter().enumerate() {
                let expected: f64 = rows.row(i).iter().zip(rows.row(j)).map(|(a, b)| a * b).sum();
                assert_eq!(f64::from(product), expected);
            }
        }
    }
}
