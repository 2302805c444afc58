//! The linear map that comes nearest to what is wanted of it, by the same arithmetic on every machine.

use ndarray::Array2;
use rayon::prelude::*;

/// Columns of features that a thread sums at once.
const STRIP: usize = 16;

/// The matrix M with the least ‖F·M − Y‖² + `penalty`·‖M‖², F a row of features for each row of Y.
pub fn fit(features: &Array2<f64>, wanted: &Array2<f64>, penalty: f64) -> Array2<f64> {
    let mut squares = products(features, features);
    squares.diag_mut().iter_mut().for_each(|x| *x += penalty);
    let mut map = products(features, wanted);
    // L·(Lᵀ·M) = Fᵀ·Y.
    let lower = cholesky(squares);
    forth(&lower, &mut map);
    back(&lower, &mut map);
    map
}

/// M becomes L⁻¹·M, from the first row to the last.
pub(crate) fn forth(lower: &Array2<f64>, map: &mut Array2<f64>) {
    for i in 0..lower.nrows() {
        eliminate(map, i, (0..i).map(|k| (k, lower[[i, k]])), lower[[i, i]]);
    }
}

/// M becomes L⁻ᵀ·M, from the last row to the first.
pub(crate) fn back(lower: &Array2<f64>, map: &mut Array2<f64>) {
    for i in (0..lower.nrows()).rev() {
        eliminate(map, i, (i + 1..lower.nrows()).map(|k| (k, lower[[k, i]])), lower[[i, i]]);
    }
}

/// Row i without multiples of others, over `divisor`.
fn eliminate(rows: &mut Array2<f64>, i: usize, others: impl Iterator<Item = (usize, f64)>, divisor: f64) {
    let mut row = rows.row(i).to_owned();
    for (other, factor) in others {
        row.iter_mut().zip(rows.row(other)).for_each(|(x, y)| *x -= factor * y);
    }
    row.iter_mut().for_each(|x| *x /= divisor);
    rows.row_mut(i).assign(&row);
}

/// Aᵀ·B, summed over their rows in order.
fn products(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let strip = |first: usize| {
        let columns = first..a.ncols().min(first + STRIP);
        let mut sums = vec![0.0; columns.len() * b.ncols()];
        for (a, b) in a.rows().into_iter().zip(b.rows()) {
            for (sums, column) in sums.chunks_exact_mut(b.len()).zip(columns.clone()) {
                let factor = a[column];
                sums.iter_mut().zip(b).for_each(|(sum, x)| *sum += factor * x);
            }
        }
        sums
    };
    let strips: Vec<Vec<f64>> = (0..a.ncols().div_ceil(STRIP)).into_par_iter().map(|i| strip(i * STRIP)).collect();
    Array2::from_shape_fn((a.ncols(), b.ncols()), |(i, j)| strips[i / STRIP][i % STRIP * b.ncols() + j])
}

/// The lower triangle L of a positive definite matrix, L·Lᵀ.
pub(crate) fn cholesky(mut matrix: Array2<f64>) -> Array2<f64> {
    for i in 0..matrix.nrows() {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| matrix[[i, k]] * matrix[[j, k]]).sum();
            let rest = matrix[[i, j]] - known;
            matrix[[i, j]] = if i == j { rest.sqrt() } else { rest / matrix[[j, j]] };
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: usize, columns: usize, salt: usize) -> Array2<f64> {
        Array2::from_shape_fn((rows, columns), |(i, j)| ((i * 31 + j * 17 + i * j * 7 + salt) % 23) as f64 / 11.0 - 1.0)
    }

    #[test]
    fn a_map_is_found_from_what_it_does() {
        let (features, map) = (matrix(60, 20, 0), matrix(20, 3, 5));
        let found = fit(&features, &features.dot(&map), 1e-9);
        assert!(found.iter().zip(&map).all(|(a, b)| (a - b).abs() < 1e-6));
    }

    #[test]
    fn at_the_optimum_the_slope_is_zero() {
        let (features, wanted, penalty) = (matrix(60, 20, 0), matrix(60, 3, 9), 0.7);
        let map = fit(&features, &wanted, penalty);
        let slope = features.t().dot(&(features.dot(&map) - &wanted)) + penalty * &map;
        assert!(slope.iter().all(|x| x.abs() < 1e-10));
    }
}
