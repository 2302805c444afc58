//! The vocabulary: sorted, front-coded in blocks of 16 words, searched without being unpacked.
//!
//! u32 number of blocks; a u32 offset for each block into the coded bytes; then the coded bytes. A word is a
//! u8 length shared with the word before (0 for the first of a block), a u8 length of the rest, and the rest.

use core::ops::Deref;

use super::bytes::u32_at;
use crate::text::is_ignorable;

const BLOCK: usize = 16;

/// A word of the vocabulary, held on the stack. Dereferences to `str`.
#[derive(Clone, Copy)]
pub struct Word {
    bytes: [u8; Word::MAX_BYTES],
    length: u8,
}

impl Word {
    /// The longest word, in UTF-8 bytes.
    pub const MAX_BYTES: usize = 63;

    const EMPTY: Self = Self { bytes: [0; Self::MAX_BYTES], length: 0 };

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.length)).unwrap_or_default()
    }

    /// Becomes the word that follows in the coded bytes. Returns what is left of them.
    fn follow<'a>(&mut self, coded: &'a [u8]) -> Option<&'a [u8]> {
        let ([shared, fresh], coded) = coded.split_first_chunk()?;
        let (shared, fresh) = (usize::from(*shared), usize::from(*fresh));
        let (rest, coded) = coded.split_at_checked(fresh)?;
        if shared > usize::from(self.length) || fresh == 0 {
            return None;
        }
        self.bytes.get_mut(shared..shared + fresh)?.copy_from_slice(rest);
        self.length = (shared + fresh) as u8;
        Some(coded)
    }
}

impl Deref for Word {
    type Target = str;

    fn deref(&self) -> &str {
        core::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

impl core::fmt::Debug for Word {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Debug::fmt(&**self, f)
    }
}

impl core::fmt::Display for Word {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self)
    }
}

/// The coded bytes of a block.
fn block(section: &[u8], index: usize) -> Option<&[u8]> {
    let blocks = u32_at(section, 0)? as usize;
    let offset = u32_at(section, 4 + 4 * index).filter(|_| index < blocks)? as usize;
    section.get((4 + 4 * blocks).checked_add(offset)?..)
}

/// The first word of a block, which is coded as it is.
fn first_of(section: &[u8], index: usize) -> Option<&[u8]> {
    let ([_, length], coded) = block(section, index)?.split_first_chunk()?;
    coded.get(..usize::from(*length))
}

/// The words of a block, in order, as long as they decode.
fn block_words(section: &[u8], index: usize) -> impl Iterator<Item = Word> + '_ {
    let mut coded = block(section, index).unwrap_or_default();
    let mut word = Word::EMPTY;
    (0..BLOCK).map_while(move |_| {
        coded = word.follow(coded)?;
        Some(word)
    })
}

pub(super) fn at(section: &[u8], row: usize) -> Word {
    block_words(section, row / BLOCK).nth(row % BLOCK).unwrap_or(Word::EMPTY)
}

pub(super) fn iter(section: &[u8], rows: usize) -> impl Iterator<Item = Word> + '_ {
    (0..rows.div_ceil(BLOCK)).flat_map(|index| block_words(section, index)).take(rows)
}

/// The last block whose first word is not above `word`, else the first.
fn block_of(section: &[u8], rows: usize, word: &[u8]) -> Option<usize> {
    let (mut low, mut high) = (0, rows.div_ceil(BLOCK));
    while high - low > 1 {
        let middle = low.midpoint(high);
        if first_of(section, middle)? <= word { low = middle } else { high = middle }
    }
    Some(low)
}

/// Hands out the words that begin with this byte, with their rows. (Not an iterator: its states weigh 2 kB.)
pub(super) fn with_first(section: &[u8], rows: usize, first: u8, found: &mut dyn FnMut(usize, &Word)) {
    let start = block_of(section, rows, &[first]).unwrap_or_default();
    for index in start..rows.div_ceil(BLOCK) {
        for (row, word) in (index * BLOCK..rows).zip(block_words(section, index)) {
            match word.as_bytes() {
                [begin, ..] if *begin > first => return,
                [begin, ..] if *begin == first => found(row, &word),
                _ => {}
            }
        }
    }
}

pub(super) fn find(section: &[u8], rows: usize, word: &str) -> Option<usize> {
    let low = block_of(section, rows, word.as_bytes())?;
    let inside = block_words(section, low).position(|candidate| candidate.as_bytes() == word.as_bytes())?;
    Some(low * BLOCK + inside).filter(|row| *row < rows)
}

/// Every word decodes, is UTF-8 without white space, control or invisible characters, and the order is
/// strictly ascending.
pub(super) fn check(section: &[u8], rows: usize) -> Result<(), &'static str> {
    let blocks = rows.div_ceil(BLOCK);
    if u32_at(section, 0) != Some(blocks as u32) {
        return Err("WORD has the wrong number of blocks");
    }
    let coded = section.get(4 + 4 * blocks..).ok_or("WORD is cut off")?;
    let mut left = coded;
    let mut before = Word::EMPTY;
    for row in 0..rows {
        if row % BLOCK == 0 {
            let offset = u32_at(section, 4 + 4 * (row / BLOCK)).ok_or("WORD is cut off")? as usize;
            if offset != coded.len() - left.len() || left.first() != Some(&0) {
                return Err("a block of WORD does not start where the one before ends");
            }
        }
        let mut word = before;
        left = word.follow(left).ok_or("a word is cut off, empty or too long")?;
        let text = core::str::from_utf8(word.as_bytes()).map_err(|_| "a word is not UTF-8")?;
        if text.chars().any(|c| c.is_whitespace() || c.is_control() || is_ignorable(c)) {
            return Err("a word holds white space, a control character or one that is not seen");
        }
        if row > 0 && before.as_bytes() >= word.as_bytes() {
            return Err("the words are out of order");
        }
        before = word;
    }
    if left.is_empty() { Ok(()) } else { Err("bytes behind the last word") }
}
