//! Authors of blogs as numbers of words.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use safetensors::SafeTensors;

use super::unpacked;

/// What stands for a word that is not in the vocabulary.
pub(crate) const NO_WORD: u16 = u16::MAX;

/// What authors have written, as numbers of words.
pub(crate) struct Authors {
    words: Vec<u16>,
    offsets: Vec<usize>,
    /// In years, an author each.
    pub(crate) ages: Vec<u8>,
    /// The word of each number.
    pub(crate) vocabulary: Vec<String>,
}

impl Authors {
    /// Reads the first `most` authors, or all.
    ///
    /// # Errors
    /// A file cannot be read or does not say where authors begin.
    pub(crate) fn read(words: &Path, vocabulary: &Path, most: Option<usize>) -> Result<Self> {
        let mut bytes = Vec::new();
        unpacked(words)?.read_to_end(&mut bytes).with_context(|| words.display().to_string())?;
        let tensors = SafeTensors::deserialize(&bytes).with_context(|| words.display().to_string())?;
        let numbers = tensors.tensor("words")?.data().as_chunks().0.iter().map(|x| u16::from_le_bytes(*x)).collect();
        let offsets = tensors.tensor("offsets")?.data().as_chunks().0.iter().map(|x| u32::from_le_bytes(*x) as usize);
        let offsets: Vec<usize> = offsets.take(most.map_or(usize::MAX, |most| most.saturating_add(1))).collect();
        let ages = tensors.tensor("age")?.data().iter().copied().take(offsets.len().saturating_sub(1)).collect();
        let names = std::fs::read_to_string(vocabulary).with_context(|| vocabulary.display().to_string())?;
        let authors = Self { words: numbers, offsets, ages, vocabulary: names.lines().map(str::to_owned).collect() };
        let is_sound = authors.offsets.is_sorted()
            && authors.offsets.last().is_some_and(|last| *last <= authors.words.len())
            && authors.ages.len() + 1 == authors.offsets.len();
        ensure!(is_sound, "{} does not say where authors begin", words.display());
        Ok(authors)
    }

    /// The words of each author.
    pub(crate) fn each(&self) -> impl ExactSizeIterator<Item = &[u16]> {
        self.offsets.windows(2).map(|ends| &self.words[ends[0]..ends[1]])
    }

    /// How many authors use each word.
    pub(crate) fn users(&self) -> Vec<usize> {
        let mut users = vec![0; self.vocabulary.len()];
        for words in self.each() {
            let words: HashSet<u16> = words.iter().copied().filter(|word| *word != NO_WORD).collect();
            words.into_iter().for_each(|word| users[usize::from(word)] += 1);
        }
        users
    }
}
