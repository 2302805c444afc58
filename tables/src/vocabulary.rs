//! The words that the English table knows, and the marks of each: its frequency, whether it may be offered, whether it
//! is a function word.
//!
//! The vocabulary is the most frequent words of plain letters, the common contractions, and a choice of numbers. The
//! numbers are counts, round numbers, years and ordinals, so that a number in a text finds a number near it.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Result, ensure};
use regex_lite::Regex;

use super::frequency::Frequencies;

const CONTRACTIONS: &str = "i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd \
    it'll we're we've we'd we'll they're they've they'd they'll that's that'll that'd there's there'll there'd here's \
    what's what're what'll who's who'd who'll how's how'd where's when's why's let's don't doesn't didn't isn't aren't \
    wasn't weren't won't wouldn't can't couldn't shouldn't haven't hasn't hadn't ain't mustn't needn't mightn't \
    should've would've could've might've must've o'clock ma'am y'all";

/// Words of one or two letters; others that short are mostly fragments.
const SHORT_WORDS: &str = "a i am an as at be by do go ha he hi id if in is it me my no of oh ok on or ox pa so to um \
    up us we ye yo ad ah aw ax ex er eh hm ma mm re uh ya tv uk us eu un dc la ny nyc mr ms dr st jr sr vs pm cd dvd \
    pc dj pr hr it ai ip os bc mp ph";

/// Words with three equal letters in a row; others are mostly emphasis ("sooo").
const TRIPLE_LETTER_WORDS: [&str; 4] = ["www", "iii", "viii", "xiii"];

/// The marks of a word in a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Word {
    /// The word itself, lower-case.
    pub(crate) text: String,
    /// Zipf frequency: logarithm to base 10 of occurrences in a billion words; 0 if unknown.
    pub(crate) zipf: f64,
    /// The word is never an output.
    pub(crate) never_offered: bool,
    /// The word belongs to a closed class of grammar.
    pub(crate) function_word: bool,
}

/// The `size` most frequent words, the contractions and the numbers, ascending by bytes.
///
/// # Errors
/// The list has fewer than `size` words.
pub(crate) fn english(frequencies: &Frequencies, size: usize) -> Result<Vec<Word>> {
    let contractions: HashSet<&str> = CONTRACTIONS.split_whitespace().collect();
    let mut texts: BTreeMap<String, f64> = BTreeMap::new();
    let common = frequencies.words().filter(|word| contractions.contains(word) || is_plain_word(word));
    texts.extend(common.take(size).map(|word| (word.to_owned(), 0.0)));
    ensure!(texts.len() == size, "the frequency list has only {} usable words, not {size}", texts.len());
    texts.extend(contractions.into_iter().map(|word| (word.to_owned(), 0.0)));
    texts.extend(numbers().map(|number| (number, 0.0)));
    for (text, zipf) in &mut texts {
        *zipf = frequencies.zipf(text).unwrap_or(0.0);
    }
    let flags = Flags::english()?;
    Ok(texts.into_iter().map(|(text, zipf)| flags.word(text, zipf)).collect())
}

fn is_plain_word(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.iter().all(u8::is_ascii_lowercase)
        && (bytes.len() > 2 || SHORT_WORDS.split_whitespace().any(|short| short == word))
        && (!bytes.windows(3).any(|w| w[0] == w[1] && w[1] == w[2]) || TRIPLE_LETTER_WORDS.contains(&word))
}

/// Counts, round numbers, years and ordinals, as digits.
fn numbers() -> impl Iterator<Item = String> {
    let counts = (0..=100).chain((110..1000).step_by(10)).chain((1000..=10_000).step_by(500));
    let known = [125, 175, 225, 250, 365, 360, 404, 500, 911, 747, 999];
    let large = [20_000, 25_000, 30_000, 40_000, 50_000, 75_000, 100_000, 200_000, 250_000, 500_000, 1_000_000];
    let years = (1900..2036).chain([1492, 1776, 1800, 1812, 1850, 1865, 1870, 1880, 1890]);
    let ordinals = (1..=31).chain([40, 50, 60, 100]).map(|n| format!("{n}{}", ordinal_suffix(n)));
    counts.chain(known).chain(large).chain(years).map(|n| n.to_string()).chain(ordinals)
}

fn ordinal_suffix(n: u32) -> &'static str {
    match (n % 100, n % 10) {
        (10..=20, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    }
}

/// The two lists that set a word's flags.
#[derive(Default)]
pub(crate) struct Flags {
    never_offered: Vec<Regex>,
    function_words: HashSet<&'static str>,
}

impl Flags {
    /// The lists for English, `data/never_offered.txt` and `data/function_words.txt`.
    ///
    /// # Errors
    /// A line of the first is not a regular expression.
    pub(crate) fn english() -> Result<Self> {
        let never_offered = entries(include_str!("../data/never_offered.txt"))
            .map(|pattern| Regex::new(&format!("^(?:{pattern})$")))
            .collect::<Result<_, _>>()?;
        let function_words =
            entries(include_str!("../data/function_words.txt")).flat_map(str::split_whitespace).collect();
        Ok(Self { never_offered, function_words })
    }

    /// No lists: for languages without lists here.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// A word with its flags.
    pub(crate) fn word(&self, text: String, zipf: f64) -> Word {
        let never_offered = self.never_offered.iter().any(|pattern| pattern.is_match(&text));
        let function_word = self.function_words.contains(text.as_str());
        Word { text, zipf, never_offered, function_word }
    }
}

/// The lines of a list, without empty lines and comments.
pub(crate) fn entries(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_and_emphasis_are_not_words() {
        for (word, plain) in
            [("of", true), ("qz", false), ("sooo", false), ("iii", true), ("don't", false), ("b2", false)]
        {
            assert_eq!(is_plain_word(word), plain, "{word}");
        }
    }

    #[test]
    fn numbers_have_the_right_ordinals() {
        let numbers: HashSet<String> = numbers().collect();
        for number in
            ["0", "17", "250", "1987", "1000000", "1st", "2nd", "3rd", "11th", "12th", "13th", "21st", "100th"]
        {
            assert!(numbers.contains(number), "{number}");
        }
    }

    #[test]
    fn a_flag_needs_the_whole_word() {
        let flags = Flags::english().expect("the lists parse");
        let word = |text: &str| flags.word(text.to_owned(), 0.0);
        assert!(word("rapist").never_offered && !word("therapist").never_offered);
        assert!(word("the").function_word && word("don't").function_word && !word("then-some").function_word);
    }

    #[test]
    fn no_function_word_is_withheld() {
        let flags = Flags::english().expect("the lists parse");
        for text in &flags.function_words {
            assert!(!flags.word((*text).to_owned(), 0.0).never_offered, "{text}");
        }
    }
}
