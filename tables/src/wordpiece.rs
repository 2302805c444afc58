//! The encoder's tokenizer: lower-cased ASCII text to word pieces, longest match first.
//!
//! The builder of tables encodes only English words in fixed prompts and the glosses of WordNet, which are ASCII. A
//! word with any other character becomes the unknown token.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Tokens a text may have, the two that frame it included; the rest is cut off.
const MAX_TOKENS: usize = 128;
/// A longer word is unknown as a whole.
const MAX_WORD_BYTES: usize = 100;

/// Word pieces and their numbers.
pub struct WordPiece {
    pieces: HashMap<String, u32>,
    start: u32,
    end: u32,
    unknown: u32,
}

impl WordPiece {
    /// Reads a `vocab.txt`: one piece a line, numbered from 0.
    ///
    /// # Errors
    /// The file cannot be read, or lacks `[CLS]`, `[SEP]` or `[UNK]`.
    pub fn load(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("{} is not a word-piece vocabulary", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        Self::of(text.lines().map(str::to_owned))
    }

    /// Word pieces, numbered from 0.
    ///
    /// # Errors
    /// There is no `[CLS]`, `[SEP]` or `[UNK]`.
    pub fn of(pieces: impl IntoIterator<Item = String>) -> Result<Self> {
        let pieces: HashMap<String, u32> = pieces.into_iter().zip(0..).collect();
        let special = |name: &str| pieces.get(name).copied().with_context(|| format!("there is no {name}"));
        Ok(Self { start: special("[CLS]")?, end: special("[SEP]")?, unknown: special("[UNK]")?, pieces })
    }

    /// The token numbers of a text, framed by `[CLS]` and `[SEP]`, at most 128.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let lower = text.to_ascii_lowercase();
        let mut tokens = vec![self.start];
        for word in words(&lower) {
            self.push_pieces(word, &mut tokens);
        }
        tokens.truncate(MAX_TOKENS - 1);
        tokens.push(self.end);
        tokens
    }

    fn push_pieces(&self, word: &str, tokens: &mut Vec<u32>) {
        let first = tokens.len();
        if word.len() <= MAX_WORD_BYTES && word.is_ascii() {
            let mut start = 0;
            while let Some((token, end)) = self.longest(word, start) {
                tokens.push(token);
                start = end;
            }
            if start == word.len() {
                return;
            }
        }
        tokens.truncate(first);
        tokens.push(self.unknown);
    }

    /// The longest piece of `word` that begins at `start`, and where it ends.
    fn longest(&self, word: &str, start: usize) -> Option<(u32, usize)> {
        (start + 1..=word.len()).rev().find_map(|end| {
            let piece = &word[start..end];
            let token = if start == 0 { self.pieces.get(piece) } else { self.pieces.get(&format!("##{piece}")) };
            token.map(|&token| (token, end))
        })
    }
}

/// Splits at white space, and around every ASCII punctuation mark.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().flat_map(|chunk| {
        let mut rest = chunk;
        std::iter::from_fn(move || {
            let mark = rest.find(|c: char| c.is_ascii_punctuation());
            let end = match mark {
                Some(0) => 1,
                Some(at) => at,
                None => rest.len(),
            };
            let (word, behind) = rest.split_at(end);
            rest = behind;
            (!word.is_empty()).then_some(word)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokenizer() -> WordPiece {
        WordPiece::parse("[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\naffable\n,\n?\ndon\n'\nt").expect("a vocabulary")
    }

    #[test]
    fn a_word_becomes_its_longest_pieces() {
        assert_eq!(tokenizer().encode("Unaffable affable"), [1, 3, 4, 5, 6, 2]);
    }

    #[test]
    fn punctuation_stands_alone() {
        assert_eq!(tokenizer().encode("don't,?"), [1, 9, 10, 11, 7, 8, 2]);
    }

    #[test]
    fn a_word_that_cannot_be_completed_is_unknown_as_a_whole() {
        assert_eq!(tokenizer().encode("unable affablex naïve"), [1, 3, 5, 0, 0, 2]);
    }

    #[test]
    fn a_long_text_is_cut_but_stays_framed() {
        let tokens = tokenizer().encode(&"un ".repeat(300));
        assert_eq!((tokens.len(), tokens[0], tokens[127]), (128, 1, 2));
    }
}
