//! From releases to what a classifier sees.
//!
//! A text is read as the vectors of the words that were drawn, each of length 1 in the table's space; vectors are taken
//! as they are, bits as zeros and ones. Most models see the mean of a release's rows, an LSTM one row after another.

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use textveil::Table;
use textveil_learn::Features;

use super::set::{Drawn, Kind};
use textveil_tables::embedding::Space;

/// What is made of a release's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum View {
    /// Their mean; zeros where there are none.
    Mean,
    /// All of them, in their order.
    Sequence,
}

/// Makes features.
pub(super) struct Reader {
    /// Of texts, the vectors of words.
    space: Option<Space>,
    view: View,
    dims: usize,
}

impl Reader {
    /// A reader of releases of this kind, with so many elements a row.
    pub(super) fn new((kind, dims): (Kind, usize), view: View, table: &Table) -> Self {
        Self { space: (kind == Kind::Text).then(|| Space::of_table(table)), view, dims }
    }

    /// What a classifier sees of releases, each element times `scale`.
    pub(super) fn features<'a>(&self, releases: impl Iterator<Item = &'a Drawn>, scale: f64) -> Features {
        let matrices = releases.map(|drawn| self.rows(drawn, scale));
        match self.view {
            View::Sequence => Features::Sequences(matrices.collect()),
            View::Mean => {
                let means: Vec<f32> = matrices.flat_map(|rows| mean(&rows)).collect();
                let shape = (means.len() / self.dims, self.dims);
                Features::Dense(Array2::from_shape_vec(shape, means).unwrap_or_else(|_| Array2::zeros((0, self.dims))))
            }
        }
    }

    /// A row for each of a release's.
    fn rows(&self, drawn: &Drawn, scale: f64) -> Array2<f32> {
        match (drawn, &self.space) {
            (Drawn::Words(words), Some(space)) => {
                let vectors: Vec<_> = words.iter().map(|word| space.vector(*word)).collect();
                Array2::from_shape_fn((words.len(), self.dims), |(i, j)| (vectors[i][j] * scale) as f32)
            }
            (Drawn::Rows(rows), _) => {
                Array2::from_shape_fn((rows.len(), self.dims), |(i, j)| (f64::from(rows[i][j]) * scale) as f32)
            }
            (Drawn::Words(_), None) => Array2::zeros((0, self.dims)),
        }
    }
}

fn mean(rows: &Array2<f32>) -> Vec<f32> {
    let count = rows.nrows().max(1) as f32;
    rows.columns().into_iter().map(|column| column.sum() / count).collect()
}

/// What brings the elements of features to a mean square of 1: noise and codes have any size, and steps of a training
/// should not depend on it. It is a single number, so that directions and distances stay what they are.
pub(super) fn scale(features: &Features) -> f64 {
    let squares = |matrix: &Array2<f32>| matrix.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
    let (total, count) = match features {
        Features::Dense(rows) => (squares(rows), rows.len()),
        Features::Sequences(texts) => (texts.iter().map(squares).sum(), texts.iter().map(Array2::len).sum()),
    };
    let scale = (count as f64 / total).sqrt();
    if scale.is_finite() && scale > 0.0 { scale } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(view: View, rows: &[Vec<f32>], scale: f64) -> Features {
        let reader = Reader { space: None, view, dims: 2 };
        reader.features([Drawn::Rows(rows.to_vec()), Drawn::Rows(Vec::new())].iter(), scale)
    }

    #[test]
    fn a_release_is_the_mean_of_its_rows_or_all_of_them_and_an_empty_one_is_none() {
        let rows = [vec![1.0, 2.0], vec![3.0, 6.0]];
        let Features::Dense(means) = dense(View::Mean, &rows, 0.5) else { unreachable!("rows") };
        assert_eq!(means, ndarray::array![[1.0, 2.0], [0.0, 0.0]]);
        let Features::Sequences(texts) = dense(View::Sequence, &rows, 0.5) else { unreachable!("sequences") };
        assert_eq!((&texts[0], texts[1].dim()), (&ndarray::array![[0.5, 1.0], [1.5, 3.0]], (0, 2)));
    }

    #[test]
    fn elements_are_brought_to_a_mean_square_of_one() {
        let rows = [vec![30.0, 40.0]];
        let of = |view| scale(&dense(view, &rows, 1.0));
        // The empty release has zeros as its mean, and no rows.
        assert!((of(View::Mean) - (4.0_f64 / 2500.0).sqrt()).abs() < 1e-9);
        assert!((of(View::Sequence) - (2.0_f64 / 2500.0).sqrt()).abs() < 1e-9);
        assert_eq!(scale(&dense(View::Mean, &[vec![0.0, 0.0]], 1.0)), 1.0);
    }
}
