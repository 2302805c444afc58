//! Where rows start: a linear map of where the large encoder places words alone.

use ndarray::Array2;

use crate::least_squares;
use crate::rows::{center_rows, unit_rows};

/// A word of this frequency weighs half of what a rare one does (Arora, Liang and Ma 2017).
const FREQUENCY: f64 = 1e-3;
/// Texts that the map is found by, at most.
const TEXTS: usize = 20_000;
const PENALTY: f64 = 10.0;

/// The weight of a word of a Zipf frequency, compared with a rare word.
fn weight(zipf: f64) -> f64 {
    FREQUENCY / (FREQUENCY + libm::pow(10.0, zipf - 9.0))
}

/// A row for each word: its vector by the large encoder, mapped so that weighted sums of them come near the directions
/// of the texts, times its weight.
pub(super) fn rows(
    mut words: Array2<f64>,
    zipf: impl Iterator<Item = f64>,
    texts: &[&[u32]],
    directions: &Array2<f64>,
) -> Array2<f64> {
    unit_rows(&mut words);
    center_rows(&mut words);
    for (mut row, zipf) in words.rows_mut().into_iter().zip(zipf) {
        row *= weight(zipf);
    }
    let chosen: Vec<usize> = (0..texts.len()).step_by(texts.len().div_ceil(TEXTS).max(1)).collect();
    let mut sums = Array2::zeros((chosen.len(), words.ncols()));
    for (mut sum, text) in sums.rows_mut().into_iter().zip(&chosen) {
        texts[*text].iter().for_each(|word| sum += &words.row(*word as usize));
    }
    unit_rows(&mut sums);
    let map = least_squares::fit(&sums, &directions.select(ndarray::Axis(0), &chosen), PENALTY);
    image(&words, &map)
}

/// The rows of a matrix, mapped.
fn image(rows: &Array2<f64>, map: &Array2<f64>) -> Array2<f64> {
    let mut image = Array2::zeros((rows.nrows(), map.ncols()));
    for (mut to, from) in image.rows_mut().into_iter().zip(rows.rows()) {
        for (factor, column) in from.iter().zip(map.rows()) {
            to.iter_mut().zip(column).for_each(|(sum, x)| *sum += factor * x);
        }
    }
    image
}
