//! A static text encoder: a table whose rows add up to the vector of a text.
//!
//! Only the direction of the sum counts, so that the weight of a word is the length of its row. In a table that names
//! `negators`, the last coordinate is the polarity of a word, which a negation turns: "not good" is "not" and "good" with
//! the polarity of "bad".

use alloc::vec;
use alloc::vec::Vec;

use crate::{Error, FileId, Piece, Table, WordId, look_up};

/// Layout with one of these ends a negation.
const ENDS: [char; 9] = ['.', ',', ';', ':', '!', '?', '\n', '(', ')'];

/// Turns texts into vectors. The table says `kind=text-encoder`.
#[derive(Clone, Debug)]
pub struct TextEncoder(Table);

impl TextEncoder {
    /// The encoder that a table is.
    ///
    /// # Errors
    /// [`Error::OtherEncoder`] if the table is no text encoder.
    pub fn new(table: Table) -> Result<Self, Error> {
        if table.meta("kind") == Some("text-encoder") { Ok(Self(table)) } else { Err(Error::OtherEncoder) }
    }

    /// The identity by which a list of statements names it.
    #[must_use]
    pub fn id(&self) -> FileId {
        self.0.id()
    }

    /// Its rows.
    #[must_use]
    pub const fn table(&self) -> &Table {
        &self.0
    }

    /// How many of its last dimensions are the polarity: 1 or 0.
    #[must_use]
    pub fn polarity_dims(&self) -> usize {
        usize::from(self.0.meta("negators").is_some())
    }

    /// The sum of the rows of a text, in lattice steps. It is all 0 if no word is known. (NFKC is the caller's part.)
    ///
    /// # Errors
    /// [`Error::TextTooLong`] above [`crate::MAX_TEXT_BYTES`].
    pub fn encode(&self, text: &str) -> Result<Vec<f64>, Error> {
        Ok(self.sum(&Piece::split(text)?))
    }

    /// The rows that add up to the vector of a text, in its order, and whether the polarity of each is turned.
    ///
    /// # Errors
    /// [`Error::TextTooLong`] above [`crate::MAX_TEXT_BYTES`].
    pub fn rows(&self, text: &str) -> Result<Vec<(WordId, bool)>, Error> {
        let mut rows = Vec::new();
        self.each_row(&Piece::split(text)?, |row, turned| rows.push((row, turned)));
        Ok(rows)
    }

    /// The same of a text that is split.
    pub(crate) fn sum(&self, pieces: &[Piece]) -> Vec<f64> {
        let mut sum = vec![0.0; self.0.dims()];
        self.each_row(pieces, |row, turned| {
            let mut vector = self.0.vector(row);
            if let Some(polarity) = vector.last_mut().filter(|_| turned) {
                *polarity = -*polarity;
            }
            sum.iter_mut().zip(vector).for_each(|(sum, step)| *sum += f64::from(step));
        });
        sum
    }

    fn each_row(&self, pieces: &[Piece], mut each: impl FnMut(WordId, bool)) {
        let [negators, starters] = ["negators", "clause-starters"].map(|key| self.0.meta(key).unwrap_or_default());
        let mut turned = false;
        for piece in pieces {
            match piece {
                Piece::Layout(text) => turned &= !text.contains(ENDS),
                Piece::Token { kind, text } => {
                    let Some(row) = look_up(&self.0, *kind, text).row else { continue };
                    let word = self.0.word(row);
                    let is_of = |words: &str| words.split(' ').any(|other| other == &*word);
                    turned = turned && !is_of(starters);
                    turned ^= is_of(negators);
                    each(row, turned);
                }
            }
        }
    }
}
