//! Which words are good replacements for a word, and how good each is compared with the others.
//!
//! Candidates are a word's nearest words in the reference space and its synonyms in WordNet, but never its opposites. A
//! candidate's score is its cosine, corrected by what a mean of texts cannot tell. A synonym gains. These lose: a mere
//! neighbour in spelling, another inflection or part of speech, another sentiment, a digit for a word, and a word that
//! is never offered. Scores become a distribution by a temperature, chosen for each word so that its perplexity is the
//! same for all.

use std::collections::{BTreeMap, HashMap, HashSet};

use indicatif::ProgressBar;
use ndarray::Array2;

use super::cosines;
use super::vocabulary::Word;
use super::wordnet::{Form, PartOfSpeech, Reading, WordNet};

/// For each word its replacements, the best first, with weights whose sum is 1.
pub(crate) type Targets = Vec<Vec<(usize, f64)>>;

/// Replacements of a word, at most.
const REPLACEMENTS: usize = 40;
/// Nearest words in the reference space that are looked at.
const NEAREST: usize = 80;
/// e to the entropy of each word's replacements.
const PERPLEXITY: f64 = 12.0;
/// The temperature that gives it is sought between these two, in units of cosine, by [`HALVINGS`] halvings.
const TEMPERATURES: (f64, f64) = (0.005, 0.5);
const HALVINGS: usize = 18;

/// Words that share a sense less often than this are no synonyms.
const LEAST_SHARED: f64 = 0.15;
/// A synset with more words in the vocabulary than this is a list, not a meaning.
const MOST_SYNONYMS: usize = 12;

/// What a synonym gains that always shares the sense; less often, less.
const SYNONYM: f64 = 0.12;
/// What a candidate loses: another form of the same lemma,
const SAME_LEMMA: f64 = 0.15;
/// a word that looks alike and is no synonym,
const SPELLED_ALIKE: f64 = 0.25;
/// one that has no part of speech and inflection in common,
const OTHER_FORM: f64 = 0.08;
/// one of two words when WordNet knows only one of them,
const ONE_UNKNOWN: f64 = 0.05;
/// one unit of polarity away,
const POLARITY: f64 = 0.08;
/// that on the other side of zero,
const OTHER_POLE: f64 = 0.25;
/// a number for a word, or a word for a number,
const NUMBER: f64 = 0.2;
/// one that is never an output.
const NEVER_OFFERED: f64 = 0.5;

/// Facts about the words of a vocabulary, in addition to their vectors.
pub(crate) struct Relations<'a> {
    words: &'a [Word],
    /// How much each word pleases, from −1 to 1.
    polarity: &'a [f64],
    readings: Vec<Vec<Reading>>,
    /// The lemma that each word most likely is a form of.
    lemmas: Vec<String>,
    /// How often each word shares a sense with others, in the same form.
    synonyms: Vec<BTreeMap<usize, f64>>,
    opposites: Vec<HashSet<usize>>,
}

impl<'a> Relations<'a> {
    pub(crate) fn new(words: &'a [Word], wordnet: &WordNet, polarity: &'a [f64]) -> Self {
        let readings: Vec<Vec<Reading>> = words.iter().map(|word| wordnet.readings(&word.text)).collect();
        let mut forms: HashMap<&Reading, Vec<usize>> = HashMap::new();
        for (word, reading) in readings.iter().enumerate().flat_map(|(i, list)| list.iter().map(move |r| (i, r))) {
            forms.entry(reading).or_default().push(word);
        }
        Self {
            lemmas: words.iter().zip(&readings).map(|(word, list)| lemma(&word.text, list, wordnet)).collect(),
            synonyms: readings.iter().enumerate().map(|(word, list)| synonyms(word, list, wordnet, &forms)).collect(),
            opposites: opposites(words.len(), wordnet, &forms),
            words,
            polarity,
            readings,
        }
    }

    /// The replacements of every word, from the cosines of the rows of `reference`, which have length 1.
    pub(crate) fn targets(&self, reference: &Array2<f64>, progress: &ProgressBar) -> Targets {
        cosines::of_rows(reference, |word, cosines| {
            progress.inc(1);
            self.replacements(word, cosines)
        })
    }

    /// The replacements of a word whose cosines with all words are these.
    fn replacements(&self, word: usize, cosines: &[f32]) -> Vec<(usize, f64)> {
        let mut others: Vec<usize> = (0..cosines.len()).filter(|other| *other != word).collect();
        let falling = |a: &usize, b: &usize| cosines[*b].total_cmp(&cosines[*a]).then(a.cmp(b));
        if others.len() > NEAREST {
            others.select_nth_unstable_by(NEAREST, falling);
            others.truncate(NEAREST);
        }
        others.sort_unstable_by(falling);
        let nearest: HashSet<usize> = others.iter().copied().collect();
        let synonyms =
            self.synonyms[word].iter().filter(|(_, shared)| **shared > LEAST_SHARED).map(|(other, _)| *other);
        others.extend(synonyms.filter(|synonym| !nearest.contains(synonym)));
        others.retain(|other| !self.opposites[word].contains(other));
        let scores: Vec<f64> =
            others.iter().map(|other| f64::from(cosines[*other]) + self.correction(word, *other)).collect();
        let mut weighted: Vec<(usize, f64)> = others.into_iter().zip(tempered(&scores)).collect();
        weighted.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        weighted.truncate(REPLACEMENTS);
        let total: f64 = weighted.iter().map(|(_, weight)| weight).sum();
        weighted.iter_mut().for_each(|(_, weight)| *weight /= total);
        weighted
    }

    /// What is added to the cosine of a word and a candidate.
    fn correction(&self, word: usize, other: usize) -> f64 {
        let [is_number, other_is_number] =
            [word, other].map(|word| self.words[word].text.starts_with(|first: char| first.is_ascii_digit()));
        let shared = self.synonyms[word].get(&other).copied().filter(|shared| *shared > LEAST_SHARED);
        let mut correction = shared.map_or(0.0, |shared| SYNONYM * (2.0 * shared).min(1.0));
        if self.lemmas[word] == self.lemmas[other] {
            correction -= SAME_LEMMA;
        } else if shared.is_none() && !is_number && spelled_alike(&self.words[word].text, &self.words[other].text) {
            correction -= SPELLED_ALIKE;
        }
        let (ours, theirs) = (&self.readings[word], &self.readings[other]);
        if ours.is_empty() != theirs.is_empty() {
            correction -= ONE_UNKNOWN;
        } else if !ours.is_empty() && !ours.iter().any(|a| theirs.iter().any(|b| (a.1, a.2) == (b.1, b.2))) {
            correction -= OTHER_FORM;
        }
        let gap = (self.polarity[word] - self.polarity[other]).abs();
        correction -= POLARITY * gap;
        if self.polarity[word] * self.polarity[other] < 0.0 {
            correction -= OTHER_POLE * gap.min(1.0);
        }
        if is_number != other_is_number {
            correction -= NUMBER;
        }
        if self.words[other].never_offered {
            correction -= NEVER_OFFERED;
        }
        correction
    }
}

/// The words of each way to read a word.
type Forms<'a> = HashMap<&'a Reading, Vec<usize>>;

/// The lemma that a word most likely is a form of: an inflected reading, unless the word as it stands is seen
/// more often.
fn lemma(word: &str, readings: &[Reading], wordnet: &WordNet) -> String {
    let occurrences = |reading: &Reading| wordnet.occurrences(&reading.0, reading.1);
    let base = readings.iter().filter(|reading| reading.2 == Form::Base).map(occurrences).max();
    let inflected = readings.iter().filter(|reading| reading.2 != Form::Base);
    // The first of the most frequent.
    let best = inflected.rev().max_by_key(|reading| occurrences(reading));
    match best {
        Some(best) if base.is_none_or(|base| base <= occurrences(best)) => best.0.clone(),
        _ => word.to_owned(),
    }
}

/// For each other word, the share of `word`'s occurrences in which it has a sense that the other has too, in
/// the same form.
fn synonyms(word: usize, readings: &[Reading], wordnet: &WordNet, forms: &Forms<'_>) -> BTreeMap<usize, f64> {
    let occurrences = |(lemma, part, _): &Reading| f64::from(wordnet.occurrences(lemma, *part)) + 0.5;
    let total: f64 = readings.iter().map(occurrences).sum();
    let mut shared = BTreeMap::new();
    for reading @ (lemma, part, form) in readings {
        let share_of_reading = occurrences(reading) / total;
        for (sense, share_of_sense) in wordnet.sense_shares(lemma, *part) {
            let lemmas: HashSet<String> = wordnet
                .synset(sense)
                .into_iter()
                .flat_map(|synset| &synset.synonyms)
                .map(|s| s.to_lowercase())
                .collect();
            if lemmas.len() > MOST_SYNONYMS {
                continue;
            }
            for other in lemmas.into_iter().filter(|other| other != lemma) {
                for &other in forms.get(&(other, *part, *form)).into_iter().flatten().filter(|other| **other != word) {
                    *shared.entry(other).or_insert(0.0) += share_of_sense * share_of_reading;
                }
            }
        }
    }
    shared
}

/// For each of the words, its opposites in the same form.
fn opposites(words: usize, wordnet: &WordNet, forms: &Forms<'_>) -> Vec<HashSet<usize>> {
    let mut lemmas: HashMap<(String, PartOfSpeech), Vec<String>> = HashMap::new();
    for (lemma, opposite, part) in wordnet.opposites() {
        lemmas.entry((lemma, part)).or_default().push(opposite);
    }
    let mut opposites = vec![HashSet::new(); words];
    for ((lemma, part, form), ours) in forms {
        for opposite in lemmas.get(&(lemma.clone(), *part)).into_iter().flatten() {
            let theirs = forms.get(&(opposite.clone(), *part, *form));
            ours.iter().for_each(|word| opposites[*word].extend(theirs.into_iter().flatten()));
        }
    }
    opposites
}

/// A long common beginning, or one word within the other.
fn spelled_alike(a: &str, b: &str) -> bool {
    let shared = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let shorter = a.len().min(b.len());
    (shared >= 4 && 5 * shared >= 3 * shorter)
        || (a.len() >= 4 && b.contains(a))
        || (b.len() >= 4 && a.contains(b))
        || (shorter == 3 && shared == 3)
}

/// Weights e^(score/T), their sum 1, with the T that gives them the perplexity that all words have (or the
/// nearest there is).
fn tempered(scores: &[f64]) -> Vec<f64> {
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights = |temperature: f64| {
        let weights: Vec<f64> = scores.iter().map(|score| libm::exp((score - best) / temperature)).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect::<Vec<f64>>()
    };
    let (mut low, mut high) = TEMPERATURES;
    for _ in 0..HALVINGS {
        let middle = (low * high).sqrt();
        let entropy: f64 = weights(middle).iter().filter(|w| **w > 0.0).map(|w| -w * libm::log(*w)).sum();
        if libm::exp(entropy) > PERPLEXITY { high = middle } else { low = middle }
    }
    weights((low * high).sqrt())
}

#[cfg(test)]
mod tests {
    use super::super::wordnet::PartOfSpeech::Adjective;
    use super::super::wordnet::tests::database;
    use super::*;

    const WORDS: [&str; 8] = ["17", "18", "awful", "cold", "hot", "scorching", "warm", "warmth"];
    const TEMPERATURE_ADJECTIVES: &str = "\
        00000010 00 a 01 hot 0 002 & 00000020 a 0000 ! 00000030 a 0101 | of high temperature\n\
        00000020 00 s 02 scorching 0 warm 0 001 & 00000010 a 0000 | hot enough to burn\n\
        00000030 00 a 01 cold 0 001 ! 00000010 a 0101 | of low temperature\n\
        00000040 00 a 01 awful 0 000 | exceptionally bad\n";
    const INDEX: &str = "hot a 1 2 & ! 1 0 00000010  \nscorching a 1 1 & 1 0 00000020  \n\
        warm a 1 1 & 1 0 00000020  \ncold a 1 1 ! 1 0 00000030  \nawful a 1 0 1 0 00000040  \n";

    /// The replacements of each word where all words are equally near to each other.
    fn replacements(never_offered: &str, polarity: [f64; 8]) -> BTreeMap<&'static str, BTreeMap<&'static str, f64>> {
        let wordnet = database(&[(Adjective, TEMPERATURE_ADJECTIVES, INDEX)], "");
        let word = |text: &str| Word { text: text.to_owned(), never_offered: text == never_offered, ..Word::default() };
        let words = WORDS.map(word);
        let relations = Relations::new(&words, &wordnet, &polarity);
        let mut reference = Array2::from_elem((8, 8), 0.2);
        reference.diag_mut().fill(1.0);
        super::super::rows::unit_rows(&mut reference);
        let targets = relations.targets(&reference, &ProgressBar::hidden());
        let named = |list: &Vec<(usize, f64)>| list.iter().map(|(word, weight)| (WORDS[*word], *weight)).collect();
        WORDS.into_iter().zip(targets.iter().map(named)).collect()
    }

    fn weight(of: &BTreeMap<&'static str, f64>, word: &str) -> f64 {
        of.get(word).copied().unwrap_or(0.0)
    }

    #[test]
    fn an_opposite_gets_nothing_nor_does_what_is_like_it() {
        let replacements = replacements("", [0.0; 8]);
        assert_eq!(weight(&replacements["hot"], "cold"), 0.0);
        assert_eq!(weight(&replacements["cold"], "hot"), 0.0);
        assert_eq!(weight(&replacements["cold"], "scorching"), 0.0);
        assert!(weight(&replacements["hot"], "scorching") > 0.0);
    }

    #[test]
    fn a_synonym_gets_more_than_a_stranger() {
        let of_warm = &replacements("", [0.0; 8])["warm"];
        assert!(weight(of_warm, "scorching") > 1.1 * weight(of_warm, "awful"));
    }

    #[test]
    fn a_number_goes_to_a_number() {
        let replacements = replacements("", [0.0; 8]);
        assert!(weight(&replacements["17"], "18") > 1.2 * weight(&replacements["17"], "hot"));
        assert!(weight(&replacements["hot"], "awful") > 1.2 * weight(&replacements["hot"], "17"));
    }

    #[test]
    fn a_look_alike_gets_less() {
        let of_warm = &replacements("", [0.0; 8])["warm"];
        assert!(weight(of_warm, "warmth") < weight(of_warm, "awful"));
    }

    #[test]
    fn the_other_pole_and_what_is_never_offered_get_less() {
        let before = replacements("", [0.0; 8]);
        let mut polarity = [0.0; 8];
        (polarity[2], polarity[6]) = (-1.0, 0.8);
        assert!(weight(&replacements("", polarity)["warm"], "awful") < weight(&before["warm"], "awful"));
        assert!(weight(&replacements("awful", [0.0; 8])["warm"], "awful") < weight(&before["warm"], "awful"));
    }

    #[test]
    fn every_word_has_the_same_perplexity() {
        for spread in [0.002, 0.005] {
            let scores: Vec<f64> = (0..80).map(|i| 0.7 - spread * f64::from(i)).collect();
            let entropy: f64 = tempered(&scores).iter().map(|w| -w * w.ln()).sum();
            assert!((entropy.exp() / PERPLEXITY - 1.0).abs() < 0.01, "{}", entropy.exp());
        }
    }

    #[test]
    fn words_alike_share_a_beginning_or_lie_within_each_other() {
        for (a, b, alike) in
            [("contract", "contrast", true), ("art", "artist", true), ("heat", "cheated", true), ("cat", "car", false)]
        {
            assert_eq!(spelled_alike(a, b), alike, "{a} {b}");
            assert_eq!(spelled_alike(b, a), alike, "{b} {a}");
        }
    }
}
