//! A word behind a negation: "not good" counts as "not" and what is opposite to "good".
//!
//! The large encoder places "it was not good" nearer to "it was good" than to "it was bad", and so do nearly all other
//! opposites. What it does not know cannot be distilled, and WordNet knows it.

use std::collections::{BTreeMap, BTreeSet};

use super::descent::Rows;
use crate::vocabulary::Word;
use crate::wordnet::{PartOfSpeech, WordNet};

/// What stands between the two words of a row that is a pair.
const JOINT: char = '_';

/// Two words that have a row together, as places among all words.
pub(super) struct Negated {
    negation: usize,
    word: usize,
    /// What the word is opposite to.
    opposites: Vec<usize>,
}

/// The most frequent pairs of a negation and an adjective or a verb that has opposites, at most `count`.
pub(super) fn pairs(words: &[Word], wordnet: &WordNet, count: usize) -> Vec<Negated> {
    let places: BTreeMap<&str, usize> = words.iter().map(|word| word.text.as_str()).zip(0..).collect();
    // "even" and "in" have opposites, but not behind a negation.
    let content = |text: &str| places.get(text).copied().filter(|place| !words[*place].function_word);
    let mut opposites: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (one, other, part) in wordnet.opposites() {
        if let (PartOfSpeech::Adjective | PartOfSpeech::Verb, Some(one), Some(other)) =
            (part, content(&one), content(&other))
        {
            opposites.entry(one).or_default().insert(other);
        }
    }
    let is_negation = |word: &Word| matches!(word.text.as_str(), "not" | "never") || word.text.ends_with("n't");
    let mut pairs: Vec<(f64, Negated)> = Vec::new();
    for (negation, first) in words.iter().enumerate().filter(|(_, word)| is_negation(word)) {
        for (word, opposites) in &opposites {
            let opposites = opposites.iter().copied().collect();
            pairs.push((first.zipf + words[*word].zipf, Negated { negation, word: *word, opposites }));
        }
    }
    pairs.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    pairs.into_iter().take(count).map(|(_, pair)| pair).collect()
}

impl Negated {
    pub(super) fn text(&self, words: &[Word]) -> String {
        format!("{}{JOINT}{}", words[self.negation].text, words[self.word].text)
    }

    /// The row of the negation and the mean row of the opposites, added up.
    pub(super) fn row(&self, rows: &Rows) -> Vec<f32> {
        let share = 1.0 / self.opposites.len() as f32;
        let mut row = rows.row(self.negation).to_vec();
        for opposite in &self.opposites {
            row.iter_mut().zip(rows.row(*opposite)).for_each(|(sum, x)| *sum += share * x);
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Flags;
    use crate::wordnet::tests::database;

    #[test]
    fn a_word_behind_a_negation_is_what_it_is_opposite_to() {
        let data = "00000010 00 a 01 wet 0 001 ! 00000020 a 0101 | with water\n\
            00000020 00 a 02 dry 0 arid 0 001 ! 00000010 a 0101 | without water\n";
        let wordnet = database(&[(PartOfSpeech::Adjective, data, "")], "");
        let word = |(text, zipf): (&str, f64)| Flags::none().word(text.to_owned(), zipf);
        let words: Vec<Word> =
            [("arid", 2.0), ("dry", 4.0), ("isn't", 4.5), ("not", 6.0), ("wet", 3.0)].map(word).into();
        let pairs = |count| pairs(&words, &wordnet, count);
        let texts: Vec<String> = pairs(9).iter().map(|pair| pair.text(&words)).collect();
        assert_eq!(texts, ["not_dry", "not_wet", "isn't_dry", "isn't_wet"]);
        let rows = Rows { dims: 2, values: vec![9.0, 9.0, 1.0, 2.0, 9.0, 9.0, 0.5, 0.25, -4.0, 8.0] };
        assert_eq!(pairs(1)[0].row(&rows), [-3.5, 8.25]);
    }
}
