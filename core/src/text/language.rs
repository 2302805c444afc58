//! Whether a text is mostly of another language than the table: then what comes out would be nonsense.
//!
//! # Privacy
//! It is decided before anything is drawn, and it depends on the words. No guarantee covers a refusal: it tells
//! everyone who sees it that the table does not know most words of the text.

use super::lookup::exactly;
use super::lowercase::lowercase;
use super::{Part, Piece, TokenKind};
use crate::{Error, Table, WordId};

/// Texts of fewer words are not judged.
const FEWEST_WORDS: u64 = 6;
/// The least mean frequency of words of the table's language, in steps of ZIPF. An unknown word counts as 0. (An
/// English sentence has about 110. A sentence of another language, read as English, has about 35.)
const LEAST_FREQUENCY: u64 = 50;
/// A table that has fewer words of this frequency or more knows too little of its language.
const FREQUENT: (usize, u8) = (500, 100);

/// What has been seen of a text.
pub(crate) struct Judge<'a> {
    table: &'a Table,
    words: u64,
    /// Without names.
    counted: u64,
    frequency: u64,
}

impl<'a> Judge<'a> {
    pub(crate) const fn new(table: &'a Table) -> Self {
        Self { table, words: 0, counted: 0, frequency: 0 }
    }

    /// Judges a text that has been split.
    pub(crate) fn judge(table: &'a Table, pieces: &[Piece]) -> Result<(), Error> {
        let mut judge = Self::new(table);
        for piece in pieces {
            if let Piece::Token { kind, text } = piece {
                judge.see(&Part::Token(*kind, text), |token| exactly(table, token));
            }
        }
        judge.verdict()
    }

    /// Takes the next part of the text into account. `exact` finds the word of the table that a token is.
    pub(crate) fn see(&mut self, part: &Part<'_>, exact: impl Fn(&str) -> Option<WordId>) {
        let Part::Token(TokenKind::Word, token) = part else { return };
        if !token.chars().any(is_letter) || token.contains(|c: char| c.is_ascii_digit()) {
            return;
        }
        self.words += 1;
        let frequency = exact(token).map(|row| self.table.zipf_step(row));
        // A word that the table does not know is no sign of anything where it may be a name.
        if frequency.is_some() || !looks_like_a_name(token) {
            self.counted += 1;
            self.frequency += u64::from(frequency.unwrap_or(0));
        }
    }

    /// Whether the text may be released.
    pub(crate) fn verdict(&self) -> Result<(), Error> {
        let is_other = self.words >= FEWEST_WORDS
            && self.frequency < LEAST_FREQUENCY * self.counted
            && self.table.has_frequent_words(FREQUENT);
        if is_other { Err(Error::OtherLanguage) } else { Ok(()) }
    }
}

/// A letter or a sign that is written like one, of any script: by whole blocks, which need no table.
fn is_letter(c: char) -> bool {
    matches!(c,
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{1fff}' | '\u{2c00}'..='\u{2dff}'
        | '\u{3040}'..='\u{d7ff}' | '\u{f900}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{ff21}'..='\u{ffdc}'
        | '\u{10000}'..='\u{1cfff}' | '\u{1e000}'..='\u{1efff}' | '\u{20000}'..='\u{3ffff}')
}

/// The first letter is a capital, and no other.
fn looks_like_a_name(token: &str) -> bool {
    let mut letters = token.chars();
    let is_capital = |c: char| !lowercase(core::iter::once(c)).eq([c]);
    letters.next().is_some_and(is_capital) && !letters.any(is_capital)
}
