//! From releases to what a classifier sees.
//!
//! A text is read as the vectors of the words that were drawn, each of length 1 in the table's space. Vectors are taken
//! as they are, and bits as zeros and ones. Most models see the mean of a release's rows, an LSTM one row after
//! another.

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use textveil::{DeclaredDraw, Table};
use textveil_estimate::{Channel, posterior_means, privatizer};
use textveil_learn::Features;

use super::card::Input;
use super::guarantee::Promise;
use super::set::{Drawn, Kind};
use textveil_tables::embedding::Space;

/// What is made of a release's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum View {
    /// Their mean, or zeros without rows.
    Mean,
    /// All of them, in their order.
    Sequence,
}

/// How a word of a text is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum WordFeatures {
    /// The vector of the word that was drawn
    #[default]
    Vectors,
    /// The same, and the mean vector of the words that may have been typed there. This follows from the mechanism, which
    /// must state its probabilities, and from how frequent words are. Clear text has the word's own vector twice
    Posterior,
}

/// What a row of a release is read as.
enum Rows {
    /// A word of a text: the vector that stands here for each word of the table.
    Words(Array2<f64>),
    /// Vectors and bits: themselves.
    Given,
}

/// Makes features.
pub(super) struct Reader {
    rows: Rows,
    view: View,
    /// Elements of what is made of a row.
    dims: usize,
}

impl Input {
    /// A reader of releases with this promise.
    ///
    /// # Errors
    /// Posterior means of what is no text, or of words whose law is not known.
    pub(super) fn reader(&self, promise: &Promise, table: &Table) -> Result<Reader> {
        Ok(match (self.kind, self.features) {
            (Kind::Text, WordFeatures::Vectors) => self.reader_of_clear_text(table),
            (Kind::Text, WordFeatures::Posterior) => {
                let vectors = vectors(table);
                let means = means(promise, table, &vectors).context("posterior means are asked for")?;
                self.with_words(&vectors, &means)
            }
            (kind, WordFeatures::Posterior) => bail!("posterior means are of the words of texts, and these are {kind}"),
            (_, WordFeatures::Vectors) => Reader { rows: Rows::Given, view: self.view, dims: self.dims },
        })
    }

    /// A reader of texts in which each word is the one that was typed.
    pub(super) fn reader_of_clear_text(&self, table: &Table) -> Reader {
        let vectors = vectors(table);
        self.with_words(&vectors, &vectors)
    }

    /// A reader of words by their vectors, and by what was typed, if that is read too.
    fn with_words(&self, vectors: &[Vec<f64>], typed: &[Vec<f64>]) -> Reader {
        let dims = self.width();
        let parts = [vectors, typed];
        let element = |(word, place): (usize, usize)| parts[place / self.dims][word][place % self.dims];
        let words = Array2::from_shape_fn((vectors.len(), dims), element);
        Reader { rows: Rows::Words(words), view: self.view, dims }
    }

    /// Elements of what a model sees of a row.
    pub(super) fn width(&self) -> usize {
        match self.features {
            WordFeatures::Vectors => self.dims,
            WordFeatures::Posterior => 2 * self.dims,
        }
    }
}

/// The vector of each word of the table, of length 1.
pub(super) fn vectors(table: &Table) -> Vec<Vec<f64>> {
    let space = Space::of_table(table);
    table.rows().map(|word| space.vector(word).to_vec()).collect()
}

/// # Errors
/// Releases were drawn by several laws, or by one that is not known.
fn means(promise: &Promise, table: &Table, vectors: &[Vec<f64>]) -> Result<Vec<Vec<f64>>> {
    let [alike] = promise.drawn.as_slice() else { bail!("not all releases were drawn alike") };
    let draw: &DeclaredDraw =
        alike.guarantee.as_ref().context("releases have no guarantee that says how they were drawn")?;
    let channel = Channel::new(&privatizer(draw, table)?, false)?;
    Ok(posterior_means(&channel, table, vectors))
}

impl Reader {
    /// What a classifier sees of releases, each element times `scale`.
    ///
    /// # Errors
    /// A release of another kind or with another number of elements than is read.
    pub(super) fn features<'a>(&self, releases: impl Iterator<Item = &'a Drawn>, scale: f64) -> Result<Features> {
        let matrices = releases.map(|drawn| self.rows(drawn, scale));
        Ok(match self.view {
            View::Sequence => Features::Sequences(matrices.collect::<Result<_>>()?),
            View::Mean => {
                let means = matrices.map(|rows| Ok(mean(&rows?))).collect::<Result<Vec<Vec<f32>>>>()?;
                Features::Dense(Array2::from_shape_vec((means.len(), self.dims), means.concat())?)
            }
        })
    }

    /// A row for each of a release's.
    fn rows(&self, drawn: &Drawn, scale: f64) -> Result<Array2<f32>> {
        match (drawn, &self.rows) {
            (Drawn::Words(words), Rows::Words(vectors)) => {
                let element = |(i, j): (usize, usize)| (vectors[[words[i].row(), j]] * scale) as f32;
                Ok(Array2::from_shape_fn((words.len(), self.dims), element))
            }
            (Drawn::Rows(rows), Rows::Given) => {
                if let Some(other) = rows.iter().find(|row| row.len() != self.dims) {
                    bail!("a row has {} elements, and {} are read", other.len(), self.dims);
                }
                let element = |(i, j): (usize, usize)| (f64::from(rows[i][j]) * scale) as f32;
                Ok(Array2::from_shape_fn((rows.len(), self.dims), element))
            }
            (Drawn::Words(_), Rows::Given) => bail!("it is a text, and no vectors or bits"),
            (Drawn::Rows(_), Rows::Words(_)) => bail!("it is no text"),
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
        let releases = [Drawn::Rows(rows.to_vec()), Drawn::Rows(Vec::new())];
        given(view).features(releases.iter(), scale).expect("two elements")
    }

    /// A reader of vectors or bits with two elements.
    fn given(view: View) -> Reader {
        Reader { rows: Rows::Given, view, dims: 2 }
    }

    #[test]
    fn a_release_that_is_not_what_is_read_is_an_error_and_not_left_out() {
        let words = |view| Reader { rows: Rows::Words(ndarray::array![[1.0, 0.0]]), view, dims: 2 };
        for view in [View::Mean, View::Sequence] {
            let fitting = Drawn::Rows(vec![vec![1.0, 2.0]]);
            for elements in [1, 3] {
                let other = Drawn::Rows(vec![vec![1.0, 2.0], vec![1.0; elements]]);
                let refused = given(view).features([&fitting, &other].into_iter(), 1.0).map(drop);
                let expected = format!("a row has {elements} elements, and 2 are read");
                assert!(refused.is_err_and(|error| error.to_string() == expected), "{elements}");
            }
            assert!(given(view).features([Drawn::Words(Vec::new())].iter(), 1.0).is_err(), "words without vectors");
            assert!(words(view).features([&fitting].into_iter(), 1.0).is_err(), "vectors instead of words");
            assert!(words(view).features([Drawn::Words(Vec::new())].iter(), 1.0).is_ok());
        }
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
