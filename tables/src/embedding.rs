//! The space in which replacements are judged and texts are classified: a vector of length 1 a word.
//!
//! Only words that came out are looked up in it, so that what a classifier sees is what a server has: a
//! release and public data.

use std::collections::HashMap;

use anyhow::{Context, Result};
use ndarray::{Array2, ArrayView1, Axis};
use textveil::{Piece, Table, WordId, look_up, normalize};

use super::lattice::lattice_vectors;
use super::rows::unit_rows;
use super::vectors::Vectors;

/// A row for each word of a table.
pub struct Space(Array2<f64>);

impl Space {
    /// The table's own vectors.
    pub fn of_table(table: &Table) -> Self {
        Self::of(lattice_vectors(table))
    }

    /// Other vectors of the table's words.
    ///
    /// # Errors
    /// A word of the table has no vector.
    pub fn of_vectors(vectors: &Vectors, table: &Table) -> Result<Self> {
        let places: HashMap<&str, usize> = vectors.words.iter().map(String::as_str).zip(0..).collect();
        let place = |word: &str| places.get(word).copied().with_context(|| format!("there is no vector of \"{word}\""));
        let rows = table.words().map(|(_, word)| place(&word)).collect::<Result<Vec<_>>>()?;
        Ok(Self::of(vectors.rows.select(Axis(0), &rows)))
    }

    fn of(mut rows: Array2<f64>) -> Self {
        unit_rows(&mut rows);
        Self(rows)
    }

    /// The cosine of two words.
    pub fn cosine(&self, a: WordId, b: WordId) -> f64 {
        self.0.row(a.row()).iter().zip(self.0.row(b.row())).map(|(a, b)| a * b).sum()
    }

    /// A word's vector.
    pub fn vector(&self, word: WordId) -> ArrayView1<'_, f64> {
        self.0.row(word.row())
    }

    /// The mean vector of some words, or zeros without words.
    pub fn mean(&self, words: &[WordId]) -> Vec<f64> {
        let mut mean = vec![0.0; self.0.ncols()];
        for word in words {
            mean.iter_mut().zip(self.0.row(word.row())).for_each(|(sum, x)| *sum += x);
        }
        mean.iter_mut().for_each(|sum| *sum /= words.len().max(1) as f64);
        mean
    }
}

/// A row for each token of a text: for experiments, whose figures are those of texts in which every token has one. An
/// unknown word has the row of a hash here; a release draws for it without looking at it.
pub fn rows(table: &Table, text: &str) -> Result<Vec<WordId>, textveil::Error> {
    let row = |piece| match piece {
        Piece::Token { kind, text } => look_up(table, kind, &text).row.or_else(|| hashed(table, &text)),
        Piece::Layout(_) => None,
    };
    Ok(Piece::split(&normalize(text))?.into_iter().filter_map(row).collect())
}

/// FNV-1a of the lower-case spelling, finished by the mixer of SplitMix64, spread over the rows.
fn hashed(table: &Table, token: &str) -> Option<WordId> {
    let spelling = token.chars().filter(|c| *c != '\u{200d}').flat_map(char::to_lowercase).collect::<String>();
    let fnv = spelling
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (fnv ^ fnv >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    let mixed = mixed ^ mixed >> 31;
    table.row(((u128::from(mixed) * table.len() as u128) >> 64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_belong_to_words_and_not_to_places() {
        let table = super::super::example(3, 2).expect("a table");
        let rows = ndarray::array![[0.0, 2.0], [1.0, 0.0], [3.0, 3.0], [4.0, 0.0]];
        let words = ["w00001", "other", "w00002", "w00000"].map(str::to_owned).to_vec();
        let space = Space::of_vectors(&Vectors { words, rows }, &table).expect("all words are there");
        let word = |row| table.row(row).expect("a row");
        assert!(space.cosine(word(0), word(1)).abs() < 1e-15);
        assert!((space.cosine(word(1), word(2)) - 0.5_f64.sqrt()).abs() < 1e-15);
        assert_eq!(space.mean(&[word(0), word(1)]), [0.5, 0.5]);
        assert_eq!(space.mean(&[]), [0.0, 0.0]);
        let without = Vectors { words: vec!["w00001".to_owned()], rows: ndarray::array![[1.0, 0.0]] };
        assert!(Space::of_vectors(&without, &table).is_err());
    }
}
