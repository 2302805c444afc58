//! What the large encoder reads: the examples of use in WordNet, and bags of words.
//!
//! An example shows what words mean together. A third of the vocabulary is in no example, and no example sounds like
//! the words that people type into a form. So bags of frequent words, drawn at random, teach the weight of a word next
//! to words of any kind.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use textveil_toolkit::sampling::below;

use crate::vocabulary::Word;
use crate::wordnet::WordNet;

/// A word stands in a bag by this power of its frequency.
const FREQUENCY_POWER: f64 = 0.6;
/// Words in a bag.
const WORDS: std::ops::RangeInclusive<usize> = 2..=6;
/// Words in a sentence of a general list.
const SENTENCE: std::ops::RangeInclusive<usize> = 5..=22;

/// WordNet, in the folder of inputs.
pub(super) fn wordnet(inputs: &Path) -> Result<WordNet> {
    let dictionary = fs::read_to_string(inputs.join("american-english")).context("cannot read american-english")?;
    WordNet::load(&inputs.join("wordnet"), &dictionary)
}

/// General sentences that may be shown to anyone, each once: the examples of WordNet that have 5 to 22 words.
///
/// # Errors
/// An input that is not there or cannot be read.
pub fn general(inputs: &Path) -> Result<Vec<String>> {
    let mut sentences = examples(&wordnet(inputs)?);
    sentences.retain(|sentence| SENTENCE.contains(&sentence.split_whitespace().count()));
    Ok(sentences)
}

/// The examples of use, each once.
pub(super) fn examples(wordnet: &WordNet) -> Vec<String> {
    let mut seen = HashSet::new();
    wordnet.examples().map(str::trim).filter(|example| seen.insert(*example)).map(str::to_owned).collect()
}

/// `count` bags of words, drawn by frequency and without numbers.
pub(super) fn bags(words: &[Word], count: usize, seed: u64) -> Vec<String> {
    let mut total = 0.0;
    let weighed = |word: &Word| {
        let is_word = word.text.starts_with(|c: char| c.is_ascii_alphabetic());
        total += if is_word { libm::pow(10.0, FREQUENCY_POWER * (word.zipf - 9.0)) } else { 0.0 };
        total
    };
    let upto: Vec<f64> = words.iter().map(weighed).collect();
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    // A fraction of 32 bits of the whole.
    let fraction = |rng: &mut ChaCha20Rng| below(rng, 1 << 32) as f64 / (1_u64 << 32) as f64;
    let mut bag = || {
        let length = WORDS.start() + below(&mut rng, WORDS.end() - WORDS.start() + 1);
        let word = |rng: &mut ChaCha20Rng| {
            let at = fraction(rng) * total;
            words[upto.partition_point(|upto| *upto <= at)].text.as_str()
        };
        (0..length).map(|_| word(&mut rng)).collect::<Vec<_>>().join(" ")
    };
    (0..count).map(|_| bag()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Flags;

    #[test]
    fn a_bag_has_frequent_words_more_often_and_no_number() {
        let word = |(text, zipf): (&str, f64)| Flags::none().word(text.to_owned(), zipf);
        let words: Vec<Word> = [("1987", 9.0), ("rare", 3.0), ("the", 5.0), ("unseen", 0.0)].map(word).into();
        let bags = bags(&words, 2000, 7);
        let count = |text: &str| bags.iter().flat_map(|bag| bag.split(' ')).filter(|word| *word == text).count();
        assert!(bags.len() == 2000 && bags.iter().all(|bag| WORDS.contains(&bag.split(' ').count())));
        let ratio = count("the") as f64 / count("rare") as f64;
        assert!((ratio / libm::pow(100.0, FREQUENCY_POWER) - 1.0).abs() < 0.2, "{ratio}");
        assert_eq!(count("1987"), 0);
        assert_eq!(bags, super::bags(&words, 2000, 7));
    }
}
