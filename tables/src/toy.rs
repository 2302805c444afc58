//! Small tables, for tests and experiments on words whose meaning does not matter.

use anyhow::Result;
use ndarray::Array2;
use textveil::Table;

use super::quantize::Lattice;
use super::vocabulary::Word;
use super::writer::Draft;

/// A table of `rows` words and `dims` dimensions. Every seventh word is never offered, every fifth is a function word.
///
/// # Errors
/// There are more rows or dimensions than a table has.
pub fn example(rows: usize, dims: usize) -> Result<Table> {
    Ok(draft(rows, dims)?.encode()?.1)
}

/// A table of two words and nothing else, for experiments on chosen vectors.
///
/// # Errors
/// The vectors are not finite, or have more dimensions than a table has.
pub fn two_words(words: [&str; 2], vectors: &Array2<f64>) -> Result<Table> {
    super::bare(words.map(str::to_owned).into_iter(), vectors)
}

/// What [`example`] writes.
///
/// # Errors
/// The vectors make no lattice.
pub(crate) fn draft(rows: usize, dims: usize) -> Result<Draft> {
    let words = (0..rows).map(|i| Word {
        text: format!("w{i:05}"),
        zipf: (i % 160) as f64 / 20.0,
        never_offered: i % 7 == 3,
        function_word: i % 5 == 0,
    });
    let vectors =
        Array2::from_shape_fn((rows, dims), |(i, j)| f64::from(((i * 37 + j * 101 + i * j * 7) % 251) as u32) - 125.0);
    Ok(Draft {
        words: words.collect(),
        lattice: Lattice::nearest(&vectors)?,
        levels: Vec::new(),
        classes: None,
        meta: vec![("name", "example".to_owned()), ("language", "en".to_owned())],
    })
}
