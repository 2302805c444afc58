//! The words that are one edit away from a spelling, found by what both leave without one of their letters: for many
//! spellings. (Garbe's SymSpell finds words so.)

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::lookup::is_one_edit;
use crate::{Table, WordId};

/// The words of a table by what they leave.
pub(crate) struct Deletions {
    /// A hash of each word, and of it without each of its letters, with the word's row; in order.
    rows: Vec<(u32, WordId)>,
}

impl Deletions {
    /// The deletions of ASCII words. No other word is one edit away from an ASCII spelling.
    pub(crate) fn new(table: &Table) -> Self {
        let mut rows = Vec::new();
        for (row, word) in table.words().filter(|(_, word)| word.is_ascii()) {
            rows.extend(hashes(word.as_bytes()).map(|hash| (hash, row)));
        }
        rows.sort_unstable();
        rows.dedup();
        Self { rows }
    }

    /// The most frequent word at edit distance 1 from an ASCII spelling, the first of equals. `word` spells a row.
    pub(crate) fn one_edit_away<'a>(
        &self,
        table: &Table,
        spelling: &str,
        word: impl Fn(WordId) -> &'a str,
    ) -> Option<WordId> {
        let mut best = None;
        for hash in hashes(spelling.as_bytes()) {
            let first = self.rows.partition_point(|(other, _)| *other < hash);
            let alike = self.rows[first..].iter().take_while(|(other, _)| *other == hash);
            for (_, row) in alike {
                let candidate = Some((table.zipf_step(*row), Reverse(*row)));
                if candidate > best && is_one_edit(spelling.as_bytes(), word(*row).as_bytes()) {
                    best = candidate;
                }
            }
        }
        best.map(|(_, Reverse(row))| row)
    }
}

/// FNV-1a of a word, and of it without each of its letters.
fn hashes(word: &[u8]) -> impl Iterator<Item = u32> {
    (0..=word.len()).map(|deleted| {
        let kept = word.iter().enumerate().filter(move |(place, _)| *place != deleted);
        kept.fold(0x811c_9dc5, |hash, (_, byte)| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
    })
}
