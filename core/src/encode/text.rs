//! A static text encoder: a table whose rows add up to the vector of a text.
//!
//! Only the direction of the sum counts, so that the weight of a word is the length of its row. A row may stand for two
//! neighbouring words: its word is those two with `_` between them (`not_good`).

use alloc::vec;
use alloc::vec::Vec;

use crate::{Error, Piece, Table, TableId, WordId, look_up};

/// Turns texts into vectors. The table says `kind=text-encoder`.
#[derive(Clone)]
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
    pub fn id(&self) -> TableId {
        self.0.id()
    }

    /// Its rows.
    #[must_use]
    pub const fn table(&self) -> &Table {
        &self.0
    }

    /// The sum of the rows of a text, in lattice steps. It is all 0 if no word is known. (NFKC is the caller's part.)
    ///
    /// # Errors
    /// [`Error::TextTooLong`] above [`crate::MAX_TEXT_BYTES`].
    pub fn encode(&self, text: &str) -> Result<Vec<f64>, Error> {
        Ok(self.sum(&Piece::split(text)?))
    }

    /// The rows that add up to the vector of a text, in its order.
    ///
    /// # Errors
    /// [`Error::TextTooLong`] above [`crate::MAX_TEXT_BYTES`].
    pub fn rows(&self, text: &str) -> Result<Vec<WordId>, Error> {
        Ok(self.rows_of(&Piece::split(text)?))
    }

    /// The same of a text that is split.
    pub(crate) fn sum(&self, pieces: &[Piece]) -> Vec<f64> {
        let mut sum = vec![0.0; self.0.dims()];
        for row in self.rows_of(pieces) {
            sum.iter_mut().zip(self.0.vector(row)).for_each(|(sum, step)| *sum += f64::from(step));
        }
        sum
    }

    fn rows_of(&self, pieces: &[Piece]) -> Vec<WordId> {
        let tokens = pieces.iter().filter_map(|piece| match piece {
            Piece::Token { kind, text } => Some(look_up(&self.0, *kind, text).row),
            Piece::Layout(_) => None,
        });
        let mut rows = Vec::new();
        // The row before, unless a pair has used it or it is not next to this token.
        let mut before = None;
        for token in tokens {
            match before.zip(token).and_then(|(first, second)| self.pair(first, second)) {
                Some(pair) => {
                    rows.pop();
                    rows.push(pair);
                    before = None;
                }
                None => {
                    rows.extend(token);
                    before = token;
                }
            }
        }
        rows
    }

    fn pair(&self, first: WordId, second: WordId) -> Option<WordId> {
        self.0.find(&alloc::format!("{}_{}", self.0.word(first), self.0.word(second)))
    }
}
