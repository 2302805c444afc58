//! Public words, and texts as their numbers.

use std::collections::HashMap;
use std::io::{BufRead, Read};
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use rand_core::Rng;

use super::model::{DIMS, NEGATIVES, Pair, Vector, fraction};
use super::{AUTHORS, PUBLIC, WIKIPEDIA};
use crate::data::{Authors, NO_WORD, unpacked};
use crate::reproduce::run::Run;

/// Words to each side that are contexts.
const WINDOW: usize = 5;
/// Places for all contexts of a word.
const PLACES: u64 = 2 * WINDOW as u64;
/// Words with a share of the text above this are often skipped, as in word2vec.
const FREQUENT: f64 = 1e-3;

/// Words of public vectors, the most frequent first. What users write has no part in it.
pub(super) struct Vocabulary {
    pub(super) words: Vec<String>,
    /// The public vectors.
    pub(super) vectors: Vec<Vector>,
    numbers: HashMap<String, u16>,
    /// Words as often as they serve as negatives.
    negatives: Vec<u16>,
    kept: Vec<f32>,
}

impl Vocabulary {
    /// The `count` most frequent words of Wikipedia.
    pub(super) fn read(run: &Run<'_>, count: usize) -> Result<Self> {
        let path = run.file(PUBLIC, ".txt.gz")?;
        let mut entries = Vec::new();
        for (row, line) in (1..=count).zip(textveil_toolkit::files::reader(&path)?.lines()) {
            let at = || format!("{PUBLIC}, row {row}");
            let line = line.with_context(at)?;
            let mut cells = line.split_whitespace();
            let word = cells.next().with_context(at)?.to_owned();
            let numbers = cells.map(str::parse).collect::<Result<Vec<f32>, _>>().with_context(at)?;
            let vector = numbers.try_into().ok().with_context(|| format!("{}: not {DIMS} numbers", at()))?;
            entries.push((word, vector));
        }
        Self::of(entries)
    }

    pub(super) fn of(entries: Vec<(String, Vector)>) -> Result<Self> {
        ensure!((2..usize::from(NO_WORD)).contains(&entries.len()), "a vocabulary of {} words", entries.len());
        let (words, vectors): (Vec<String>, Vec<Vector>) = entries.into_iter().unzip();
        let numbers = (0..).zip(&words).map(|(number, word)| (word.clone(), number)).collect();
        // A word's share of a text falls with its rank (Zipf).
        let weights: Vec<f64> = (0..words.len()).map(|rank| 1.0 / (rank as f64 + 3.0)).collect();
        let all: f64 = weights.iter().sum();
        let kept = weights.iter().map(|weight| (FREQUENT * all / weight).sqrt().min(1.0) as f32).collect();
        // As word2vec: by the power 3/4.
        let tempered: Vec<f64> = weights.iter().map(|weight| weight.powf(0.75)).collect();
        let unit = tempered.iter().sum::<f64>() / (64.0 * words.len() as f64);
        let copies = |(word, weight): (u16, &f64)| std::iter::repeat_n(word, (weight / unit).ceil() as usize);
        let negatives = (0..).zip(&tempered).flat_map(copies).collect();
        Ok(Self { words, vectors, numbers, negatives, kept })
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn find(&self, word: &str) -> Option<u16> {
        self.numbers.get(word).copied()
    }

    /// The number of each word of a text, and [`NO_WORD`] for an unknown word.
    pub(super) fn numbers(&self, text: &str) -> Vec<u16> {
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_ascii_alphabetic() && c != '\'').filter(|word| !word.is_empty());
        words.map(|word| self.find(word).unwrap_or(NO_WORD)).collect()
    }

    /// A pair with negatives of its own.
    pub(super) fn pair(&self, [centre, context]: [u16; 2], rng: &mut impl Rng) -> Pair {
        let mut draw = || self.negatives[textveil_toolkit::sampling::below(rng, self.negatives.len())];
        let negatives: [u16; NEGATIVES] = std::array::from_fn(|_| draw());
        Pair { centre, context, negatives }
    }

    /// Whether a frequent word is skipped.
    pub(super) fn passes_over(&self, word: u16, rng: &mut impl Rng) -> bool {
        fraction(rng) >= self.kept[usize::from(word)]
    }
}

/// A text, or one of many authors.
pub(super) struct Text {
    tokens: Vec<u16>,
    /// The tokens of each author.
    pub(super) authors: Vec<Range<usize>>,
    /// In years.
    pub(super) ages: Vec<u8>,
}

impl Text {
    /// The beginning of Wikipedia's text.
    pub(super) fn of_wikipedia(run: &Run<'_>, vocabulary: &Vocabulary, words: usize) -> Result<Self> {
        let path = run.file(WIKIPEDIA, ".txt.zst")?;
        let mut text = String::new();
        // No word with its space takes more than 20 bytes in the mean.
        unpacked(&path)?.take(20 * words as u64).read_to_string(&mut text).with_context(|| WIKIPEDIA.to_owned())?;
        let number = |word| vocabulary.find(word).unwrap_or(NO_WORD);
        Ok(Self::of(&[text.split_whitespace().take(words).map(number).collect()], vec![0]))
    }

    /// What authors of blogs have written.
    pub(super) fn of_authors(run: &Run<'_>, vocabulary: &Vocabulary, most: Option<usize>) -> Result<Self> {
        let files = ["users.safetensors.zst", "vocabulary.txt"].map(|file| run.file(AUTHORS, file));
        let [words, names] = files;
        let authors = Authors::read(&words?, &names?, most)?;
        let numbers: Vec<u16> =
            authors.vocabulary.iter().map(|word| vocabulary.find(word).unwrap_or(NO_WORD)).collect();
        let number = |word: &u16| numbers.get(usize::from(*word)).copied().unwrap_or(NO_WORD);
        let texts: Vec<Vec<u16>> = authors.each().map(|words| words.iter().map(number).collect()).collect();
        Ok(Self::of(&texts, authors.ages))
    }

    pub(super) fn of(texts: &[Vec<u16>], ages: Vec<u8>) -> Self {
        let mut tokens = Vec::new();
        let mut authors = Vec::new();
        for text in texts {
            let start = tokens.len();
            tokens.extend(text);
            authors.push(start..tokens.len());
            // No window reaches from one author to the next.
            tokens.extend([NO_WORD; WINDOW]);
        }
        Self { tokens, authors, ages }
    }

    /// The words of an author.
    pub(super) fn words(&self, author: usize) -> &[u16] {
        &self.tokens[self.authors[author].clone()]
    }

    /// The pair at a place, if there are two words.
    fn at(&self, place: u64) -> Option<[u16; 2]> {
        let (token, offset) = ((place / PLACES) as usize, (place % PLACES) as usize);
        let other = if offset < WINDOW { token.checked_sub(WINDOW - offset)? } else { token + offset - WINDOW + 1 };
        let is_word = |word: &&u16| **word != NO_WORD;
        Some([*self.tokens.get(token).filter(is_word)?, *self.tokens.get(other).filter(is_word)?])
    }

    /// How many pairs of a centre and a context some tokens have as centres.
    pub(super) fn pairs_of(&self, tokens: Range<usize>) -> u64 {
        let places = tokens.start as u64 * PLACES..tokens.end as u64 * PLACES;
        places.filter(|place| self.at(*place).is_some()).count() as u64
    }

    /// All pairs.
    pub(super) fn pairs(&self) -> u64 {
        self.pairs_of(0..self.tokens.len())
    }

    /// Each pair by itself with this probability (Poisson sampling): the gaps between those taken are geometric.
    pub(super) fn lot(&self, rate: f64, rng: &mut impl Rng, mut take: impl FnMut([u16; 2])) {
        let (places, denominator) = (self.tokens.len() as f64 * PLACES as f64, libm::log1p(-rate));
        let mut place = -1.0;
        loop {
            let uniform = ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
            place += 1.0 + (libm::log(uniform) / denominator).floor();
            if place >= places {
                return;
            }
            if let Some(pair) = self.at(place as u64) {
                take(pair);
            }
        }
    }

    /// A pair of one author at random, if there is one at the place drawn.
    pub(super) fn random_pair(&self, tokens: &Range<usize>, rng: &mut impl Rng) -> Option<[u16; 2]> {
        let places = tokens.len() * PLACES as usize;
        if places == 0 {
            return None;
        }
        self.at(tokens.start as u64 * PLACES + textveil_toolkit::sampling::below(rng, places) as u64)
    }

    /// All tokens.
    pub(super) fn all(&self) -> Range<usize> {
        0..self.tokens.len()
    }
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;
    use textveil::ReleaseRng;

    use super::*;

    #[test]
    fn windows_end_with_their_author_and_a_lot_takes_each_pair_at_its_rate() {
        let text = Text::of(&[vec![0, 1, NO_WORD, 2], vec![3], vec![4, 4]], vec![0; 3]);
        // 0-1, 0-2 and 1-2 both ways, and one word next to itself.
        assert_eq!((text.pairs(), text.pairs_of(text.authors[0].clone())), (8, 6));
        let (mut taken, mut rng) = (0, ReleaseRng::seed_from_u64(1));
        for _ in 0..20_000 {
            text.lot(0.25, &mut rng, |pair| {
                assert!(pair != [3, 3] && (pair[0] < 3) == (pair[1] < 3));
                taken += 1;
            });
        }
        // 40,000 in the mean, six standard deviations.
        assert!((f64::from(taken) - 40_000.0).abs() < 6.0 * (160_000.0_f64 * 0.25 * 0.75).sqrt(), "{taken}");
    }
}
