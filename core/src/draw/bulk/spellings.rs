//! The words of a table, unpacked.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Table, WordId};

/// All words in one string.
pub(super) struct Spellings {
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
}

impl Spellings {
    pub(super) fn new(table: &Table) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::with_capacity(table.len()));
        for (_, word) in table.words() {
            text.push_str(&word);
            ends.push(text.len() as u32);
        }
        Self { text, ends }
    }

    pub(super) fn of(&self, word: WordId) -> &str {
        let end = |row: Option<usize>| row.and_then(|row| self.ends.get(row)).map_or(0, |end| *end as usize);
        self.text.get(end(word.row().checked_sub(1))..end(Some(word.row()))).unwrap_or_default()
    }
}
