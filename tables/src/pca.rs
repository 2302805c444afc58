//! Principal axes: the directions along which vectors differ most, by the same arithmetic on every machine.

use ndarray::{Array1, Array2, ArrayView1};
use rayon::prelude::*;

use super::rows::mean_row;

/// Columns of the covariance matrix that a thread sums at once.
const STRIP: usize = 16;
/// Jacobi's method converges quadratically; real matrices need about ten sweeps.
const MAX_SWEEPS: usize = 60;

/// The mean of some vectors and the principal axes around it, by falling variance.
pub struct Axes {
    mean: Vec<f64>,
    /// One axis of length 1 a row. Its coordinate of largest size is positive.
    axes: Array2<f64>,
    /// Variance along each axis.
    pub variances: Vec<f64>,
}

impl Axes {
    /// The principal axes of the rows of `vectors`.
    pub fn of(vectors: &Array2<f64>) -> Self {
        let width = vectors.ncols();
        let mean = mean_row(vectors);
        let (variances, axes) = eigen(covariance(vectors, &mean));
        let mut order: Vec<usize> = (0..width).collect();
        order.sort_by(|&a, &b| variances[b].total_cmp(&variances[a]));
        let sorted = Array2::from_shape_fn((width, width), |(i, j)| sign(axes.row(order[i])) * axes[[order[i], j]]);
        Self { mean, axes: sorted, variances: order.into_iter().map(|i| variances[i]).collect() }
    }

    /// The coordinates of each row along the first `dims` axes.
    pub fn project(&self, vectors: &Array2<f64>, dims: usize) -> Array2<f64> {
        let dims = dims.min(self.axes.nrows());
        let projected: Vec<Vec<f64>> = (0..vectors.nrows())
            .into_par_iter()
            .map(|i| {
                let centred: Vec<f64> = vectors.row(i).iter().zip(&self.mean).map(|(x, mean)| x - mean).collect();
                let along = |axis| self.axes.row(axis).iter().zip(&centred).map(|(a, x)| a * x).sum();
                (0..dims).map(along).collect()
            })
            .collect();
        Array2::from_shape_fn((vectors.nrows(), dims), |(i, j)| projected[i][j])
    }
}

/// The sign of the coordinate of largest size, the first of them if several.
fn sign(axis: ArrayView1<'_, f64>) -> f64 {
    let largest = axis.iter().fold(0.0f64, |largest, &x| if x.abs() > largest.abs() { x } else { largest });
    if largest < 0.0 { -1.0 } else { 1.0 }
}

fn covariance(vectors: &Array2<f64>, mean: &[f64]) -> Array2<f64> {
    let (rows, width) = vectors.dim();
    let strips: Vec<Vec<f64>> = (0..width.div_ceil(STRIP))
        .into_par_iter()
        .map(|strip| {
            let columns = strip * STRIP..width.min((strip + 1) * STRIP);
            let mut sums = vec![0.0; columns.len() * width];
            let mut centred = vec![0.0; width];
            for row in vectors.rows() {
                centred.iter_mut().zip(row).zip(mean).for_each(|((to, x), mean)| *to = x - mean);
                for (sums, column) in sums.chunks_exact_mut(width).zip(columns.clone()) {
                    let factor = centred[column];
                    sums.iter_mut().zip(&centred).for_each(|(sum, x)| *sum += factor * x);
                }
            }
            sums
        })
        .collect();
    Array2::from_shape_fn((width, width), |(i, j)| strips[i / STRIP][i % STRIP * width + j] / rows.max(1) as f64)
}

/// The eigenvector of a symmetric matrix with the greatest eigenvalue.
pub(crate) fn largest_eigenvector(matrix: Array2<f64>) -> Array1<f64> {
    let (values, vectors) = eigen(matrix);
    let place = (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or_default();
    vectors.row(place).to_owned()
}

/// Eigenvalues and eigenvectors (rows) of a symmetric matrix, by cyclic Jacobi rotations.
///
/// Source: Golub and Van Loan, *Matrix Computations*, section 8.5.
fn eigen(mut matrix: Array2<f64>) -> (Vec<f64>, Array2<f64>) {
    let n = matrix.nrows();
    let mut vectors = Array2::eye(n);
    let negligible = f64::EPSILON * f64::EPSILON * matrix.iter().map(|x| x * x).sum::<f64>();
    for _ in 0..MAX_SWEEPS {
        let off: f64 = matrix.indexed_iter().filter(|((i, j), _)| i != j).map(|(_, x)| x * x).sum();
        if off <= negligible {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                let (c, s) = rotation(matrix[[p, p]], matrix[[p, q]], matrix[[q, q]]);
                if s != 0.0 {
                    for k in 0..n {
                        let (a, b) = (matrix[[k, p]], matrix[[k, q]]);
                        (matrix[[k, p]], matrix[[k, q]]) = (c * a - s * b, s * a + c * b);
                    }
                    rotate_rows(&mut matrix, p, q, c, s);
                    rotate_rows(&mut vectors, p, q, c, s);
                }
            }
        }
    }
    (matrix.diag().to_vec(), vectors)
}

/// Cosine and sine of the rotation that makes the off-diagonal element `pq` zero.
fn rotation(pp: f64, pq: f64, qq: f64) -> (f64, f64) {
    if pq == 0.0 {
        return (1.0, 0.0);
    }
    let tau = (qq - pp) / (2.0 * pq);
    let tangent = tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    (cosine, tangent * cosine)
}

fn rotate_rows(matrix: &mut Array2<f64>, p: usize, q: usize, c: f64, s: f64) {
    let (mut p, mut q) = matrix.multi_slice_mut((ndarray::s![p, ..], ndarray::s![q, ..]));
    for (a, b) in p.iter_mut().zip(q.iter_mut()) {
        (*a, *b) = (c * *a - s * *b, s * *a + c * *b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eigenvectors_of_a_known_matrix_are_found() {
        // Eigenvalues 1, 2 and 4.
        let matrix = ndarray::array![[3.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 1.0]];
        let (values, vectors) = eigen(matrix.clone());
        for (value, vector) in values.iter().zip(vectors.rows()) {
            for i in 0..3 {
                let image: f64 = matrix.row(i).iter().zip(vector).map(|(a, b)| a * b).sum();
                assert!((image - value * vector[i]).abs() < 1e-14);
            }
        }
        let mut sorted = values;
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.iter().zip([1.0, 2.0, 4.0]).all(|(a, b)| (a - b).abs() < 1e-14));
    }

    #[test]
    fn the_first_axis_is_the_longest_and_its_sign_is_fixed() {
        let vectors = ndarray::array![[10.0, 1.0], [10.2, -1.0], [-10.0, 1.1], [-10.1, -1.0]];
        let axes = Axes::of(&vectors);
        assert!(axes.variances[0] > axes.variances[1]);
        assert!(axes.axes[[0, 0]] > 0.99 && axes.axes[[1, 1]] > 0.99);
        let projected = axes.project(&vectors, 1);
        assert_eq!(projected.dim(), (4, 1));
        assert!(projected[[0, 0]] > 9.0 && projected[[2, 0]] < -9.0);
    }

    #[test]
    fn a_full_projection_keeps_distances() {
        let vectors = Array2::from_shape_fn((40, 20), |(i, j)| ((i * 31 + j * 17 + i * j) % 23) as f64);
        let projected = Axes::of(&vectors).project(&vectors, 20);
        let distance =
            |m: &Array2<f64>| -> f64 { m.row(3).iter().zip(m.row(29)).map(|(a, b)| (a - b) * (a - b)).sum() };
        assert!((distance(&vectors) - distance(&projected)).abs() < 1e-9);
    }
}
