//! Matrices with a vector a row: their mean, and rows around it or of length 1.

use ndarray::Array2;

/// The mean of all rows, or zeros without rows.
pub(crate) fn mean_row(rows: &Array2<f64>) -> Vec<f64> {
    let mut mean = vec![0.0; rows.ncols()];
    for row in rows.rows() {
        mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    mean.iter_mut().for_each(|sum| *sum /= rows.nrows().max(1) as f64);
    mean
}

/// Subtracts the mean row from every row.
pub(crate) fn center_rows(rows: &mut Array2<f64>) {
    let mean = mean_row(rows);
    for mut row in rows.rows_mut() {
        row.iter_mut().zip(&mean).for_each(|(value, mean)| *value -= mean);
    }
}

/// Scales every row to length 1; a row of zeros stays.
pub fn unit_rows(rows: &mut Array2<f64>) {
    for mut row in rows.rows_mut() {
        let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm > 0.0 {
            row.iter_mut().for_each(|value| *value /= norm);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centred_rows_have_mean_zero_and_unit_rows_length_one() {
        let mut rows = ndarray::array![[1.0, 2.0], [3.0, 6.0], [5.0, 10.0]];
        center_rows(&mut rows);
        assert_eq!(rows, ndarray::array![[-2.0, -4.0], [0.0, 0.0], [2.0, 4.0]]);
        unit_rows(&mut rows);
        assert!((rows[[0, 0]] + 0.2f64.sqrt()).abs() < 1e-15);
        assert_eq!(rows.row(1).to_vec(), [0.0, 0.0]);
    }
}
