//! WordNet 3.0: the senses of an inflected word, with their glosses, what they are, how often each occurs,
//! which words share them and which are their opposites.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// A sense further down the list of its lemma says little of the word.
const MAX_SENSES: usize = 4;
/// Synonyms that a gloss is introduced by.
const MAX_SYNONYMS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum PartOfSpeech {
    Noun,
    Verb,
    Adjective,
    Adverb,
}

use PartOfSpeech::{Adjective, Adverb, Noun, Verb};

impl PartOfSpeech {
    const ALL: [Self; 4] = [Noun, Verb, Adjective, Adverb];

    fn file_extension(self) -> &'static str {
        match self {
            Noun => "noun",
            Verb => "verb",
            Adjective => "adj",
            Adverb => "adv",
        }
    }

    /// Endings of inflected forms, and what stands in the lemma instead.
    fn endings(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Noun => &[
                ("ses", "s"),
                ("xes", "x"),
                ("zes", "z"),
                ("ches", "ch"),
                ("shes", "sh"),
                ("men", "man"),
                ("ies", "y"),
                ("s", ""),
            ],
            Verb => {
                &[("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("s", "")]
            }
            Adjective => &[("er", ""), ("est", ""), ("er", "e"), ("est", "e")],
            Adverb => &[],
        }
    }
}

/// How a form of a word differs from its lemma.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Form {
    /// The lemma itself.
    Base,
    /// The plural of a noun, the third person of a verb.
    S,
    /// The past or its participle.
    Ed,
    Ing,
    Er,
    Est,
}

impl Form {
    /// The form of `part` that a word is which is not its lemma, by its letters.
    fn of(word: &str, part: PartOfSpeech) -> Self {
        match part {
            Noun => Self::S,
            Verb if word.ends_with("ing") => Self::Ing,
            Verb if word.ends_with('s') => Self::S,
            Verb => Self::Ed,
            Adjective | Adverb if word.ends_with("est") => Self::Est,
            Adjective | Adverb => Self::Er,
        }
    }
}

/// One way to read a word: the lemma that it is a form of.
pub(crate) type Reading = (String, PartOfSpeech, Form);

/// A synset: its part of speech and its offset in the data file, as written there.
pub(crate) type Sense = (PartOfSpeech, u32);

/// A synset as far as the table builder reads it.
#[derive(Default)]
pub(crate) struct Synset {
    /// The first synonyms and the gloss, as one text.
    definition: String,
    /// Sentences and phrases that show a use of it.
    examples: Vec<String>,
    /// Number of the lexicographer's file that it stands in: a coarse category, as lexnames(5WN) lists them.
    pub(crate) file: u8,
    /// The synonyms as written: names with capitals, `_` for a space.
    pub(crate) synonyms: Vec<String>,
    /// What it is a kind or an instance of; the adjectives that it is similar to.
    parents: Vec<u32>,
    /// Its opposites: the synset, and the two words (from 1; 0 for all), here and there.
    opposites: Vec<(u32, usize, usize)>,
    /// It is one individual (a city, a person), not a kind of them.
    pub(crate) is_instance: bool,
    /// How many pointers lead to other synsets: much is said of what is well known.
    pub(crate) pointers: usize,
}

impl Synset {
    /// How a lemma is written here, capitals included.
    pub(crate) fn spelling_of(&self, lemma: &str) -> Option<&str> {
        self.synonyms.iter().map(String::as_str).find(|word| word.to_lowercase() == lemma)
    }

    /// The n-th synonym, from 1; all for 0.
    fn chosen(&self, n: usize) -> impl Iterator<Item = &str> {
        (1..).zip(&self.synonyms).filter(move |(number, _)| n == 0 || *number == n).map(|(_, word)| word.as_str())
    }
}

/// The part of the database that the table builder uses.
#[derive(Default)]
pub(crate) struct WordNet {
    synsets: HashMap<Sense, Synset>,
    /// The senses of a lemma, the most frequent first.
    lemmas: HashMap<(String, PartOfSpeech), Vec<u32>>,
    /// Occurrences of a lemma's n-th sense (from 1) in the sense-tagged texts.
    counts: HashMap<(String, PartOfSpeech, usize), u32>,
    /// Lemmas of irregular forms.
    exceptions: HashMap<(String, PartOfSpeech), Vec<String>>,
    /// A spelling dictionary: it decides whether a form in -er or -est exists.
    spellings: HashSet<String>,
}

impl WordNet {
    /// Reads the database files in `folder`; `dictionary` is a spelling dictionary, a word a line.
    ///
    /// # Errors
    /// A file is missing or malformed.
    pub(crate) fn load(folder: &Path, dictionary: &str) -> Result<Self> {
        let read = |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
        let mut wordnet = Self::default();
        for part in PartOfSpeech::ALL {
            let extension = part.file_extension();
            let malformed = |file: &str| format!("{file} is malformed");
            let data = read(&folder.join(format!("data.{extension}")))?;
            wordnet.add_data(part, &data).with_context(|| malformed(&format!("data.{extension}")))?;
            let index = read(&folder.join(format!("index.{extension}")))?;
            wordnet.add_index(part, &index).with_context(|| malformed(&format!("index.{extension}")))?;
            wordnet.add_exceptions(part, &read(&folder.join(format!("{extension}.exc")))?);
        }
        wordnet.add_counts(&read(&folder.join("cntlist.rev"))?).context("cntlist.rev is malformed")?;
        wordnet.spellings = dictionary.lines().map(str::to_owned).collect();
        Ok(wordnet)
    }

    fn add_data(&mut self, part: PartOfSpeech, text: &str) -> Option<()> {
        for line in entries(text) {
            let (fields, gloss) = line.split_once(" | ")?;
            let fields: Vec<&str> = fields.split(' ').collect();
            let (head, fields) = fields.split_first_chunk::<4>()?;
            let (words, fields) = fields.split_at_checked(2 * usize::from_str_radix(head[3], 16).ok()?)?;
            let (pointers, fields) = fields.split_first()?;
            let synonyms: Vec<String> = words.iter().step_by(2).map(|word| without_marker(word)).collect();
            let shown: Vec<String> = synonyms.iter().take(MAX_SYNONYMS).map(|word| plain_spelling(word)).collect();
            let mut synset = Synset {
                definition: format!("{}: {}", shown.join(", "), gloss.trim().split("; \"").next()?),
                examples: gloss.split('"').skip(1).step_by(2).map(str::to_owned).collect(),
                file: head[1].parse().ok()?,
                synonyms,
                pointers: pointers.parse().ok()?,
                ..Synset::default()
            };
            for pointer in fields.chunks_exact(4).take(synset.pointers) {
                if matches!(pointer[0], "@" | "@i" | "&") {
                    synset.parents.push(pointer[1].parse().ok()?);
                    synset.is_instance |= pointer[0] == "@i";
                } else if pointer[0] == "!" {
                    let (here, there) = pointer[3].split_at_checked(2)?;
                    let number = |digits| usize::from_str_radix(digits, 16).ok();
                    synset.opposites.push((pointer[1].parse().ok()?, number(here)?, number(there)?));
                }
            }
            let offset = head[0].parse().ok()?;
            self.synsets.insert((part, offset), synset);
        }
        Some(())
    }

    fn add_index(&mut self, part: PartOfSpeech, text: &str) -> Option<()> {
        for line in entries(text) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let count: usize = fields.get(2)?.parse().ok()?;
            let senses = fields.get(fields.len().checked_sub(count)?..)?;
            let senses = senses.iter().map(|offset| offset.parse().ok()).collect::<Option<_>>()?;
            self.lemmas.insert((fields[0].to_owned(), part), senses);
        }
        Some(())
    }

    fn add_exceptions(&mut self, part: PartOfSpeech, text: &str) {
        for line in text.lines() {
            let mut words = line.split_whitespace().map(str::to_owned);
            if let Some(form) = words.next() {
                self.exceptions.insert((form, part), words.collect());
            }
        }
    }

    fn add_counts(&mut self, text: &str) -> Option<()> {
        for line in text.lines() {
            let mut fields = line.split_whitespace();
            let (lemma, key) = fields.next()?.split_once('%')?;
            let part = match key.as_bytes().first()? {
                b'1' => Noun,
                b'2' => Verb,
                b'3' | b'5' => Adjective,
                _ => Adverb,
            };
            let sense = fields.next()?.parse().ok()?;
            self.counts.insert((lemma.to_owned(), part, sense), fields.next()?.parse().ok()?);
        }
        Some(())
    }

    /// What a sense means: its first synonyms and its gloss, without the examples.
    pub(crate) fn definition(&self, sense: Sense) -> &str {
        self.synsets.get(&sense).map_or("", |synset| &synset.definition)
    }

    /// What is known of a sense.
    pub(crate) fn synset(&self, sense: Sense) -> Option<&Synset> {
        self.synsets.get(&sense)
    }

    /// All examples of use, by part of speech and offset.
    pub(crate) fn examples(&self) -> impl Iterator<Item = &str> {
        let mut synsets: Vec<_> = self.synsets.iter().collect();
        synsets.sort_unstable_by_key(|(sense, _)| **sense);
        synsets.into_iter().flat_map(|(_, synset)| &synset.examples).map(String::as_str)
    }

    /// All senses.
    pub(crate) fn synsets(&self) -> impl Iterator<Item = &Synset> {
        self.synsets.values()
    }

    /// The n-th sense (from 1) of a lemma.
    pub(crate) fn sense(&self, lemma: &str, part: PartOfSpeech, n: usize) -> Option<Sense> {
        let offsets = self.lemmas.get(&(lemma.to_owned(), part))?;
        Some((part, *offsets.get(n.checked_sub(1)?)?))
    }

    /// Whether a sense is a kind or an instance of another, at any distance.
    pub(crate) fn is_a(&self, sense: Sense, ancestor: Sense) -> bool {
        let (part, mut reached) = (sense.0, vec![sense.1]);
        let mut next = 0;
        while let Some(&offset) = reached.get(next) {
            if (part, offset) == ancestor {
                return true;
            }
            let parents = self.synsets.get(&(part, offset)).map_or(&[][..], |synset| &synset.parents);
            for parent in parents {
                if !reached.contains(parent) {
                    reached.push(*parent);
                }
            }
            next += 1;
        }
        false
    }

    /// The four weightiest senses of a word in any of its inflections. A weight grows with the occurrences of the sense
    /// and falls with its rank: (count + ½) / √rank.
    pub(crate) fn senses(&self, word: &str) -> Vec<(Sense, f64)> {
        let mut senses: Vec<(Sense, f64)> = Vec::new();
        for (lemma, part) in self.lemmas_of(word) {
            let key = (lemma, part);
            let Some(offsets) = self.lemmas.get(&key) else { continue };
            for (rank, &offset) in (1..).zip(offsets.iter().take(MAX_SENSES)) {
                let weight = (f64::from(self.count(&key, rank)) + 0.5) / (rank as f64).sqrt();
                match senses.iter_mut().find(|(sense, _)| *sense == (part, offset)) {
                    Some((_, heaviest)) => *heaviest = heaviest.max(weight),
                    None => senses.push(((part, offset), weight)),
                }
            }
        }
        senses.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        senses.truncate(MAX_SENSES);
        senses
    }

    /// All senses of a lemma, with the share of each in its occurrences: (count + 1/rank), over their sum.
    pub(crate) fn sense_shares(&self, lemma: &str, part: PartOfSpeech) -> Vec<(Sense, f64)> {
        let key = (lemma.to_owned(), part);
        let senses = (1..).zip(self.lemmas.get(&key).into_iter().flatten());
        let counted: Vec<(Sense, f64)> = senses
            .map(|(rank, &offset)| ((part, offset), f64::from(self.count(&key, rank)) + 1.0 / rank as f64))
            .collect();
        let total: f64 = counted.iter().map(|(_, count)| count).sum();
        counted.into_iter().map(|(sense, count)| (sense, count / total)).collect()
    }

    /// Occurrences of a lemma in the sense-tagged texts.
    pub(crate) fn occurrences(&self, lemma: &str, part: PartOfSpeech) -> u32 {
        let key = (lemma.to_owned(), part);
        (1..=self.lemmas.get(&key).map_or(0, Vec::len)).map(|rank| self.count(&key, rank)).sum()
    }

    fn count(&self, lemma: &(String, PartOfSpeech), rank: usize) -> u32 {
        self.counts.get(&(lemma.0.clone(), lemma.1, rank)).copied().unwrap_or(0)
    }

    /// Each word with what its entry names as the opposite.
    pub(crate) fn antonyms(&self) -> impl Iterator<Item = (String, String)> {
        let pair = |part: PartOfSpeech, synset: &Synset, (offset, here, there): (u32, usize, usize)| {
            let opposite = self.synsets.get(&(part, offset))?.chosen(there).next()?;
            Some((synset.chosen(here).next()?.to_lowercase(), opposite.to_lowercase()))
        };
        let of = move |((part, _), synset): (&Sense, &'_ Synset)| {
            synset.opposites.iter().filter_map(|named| pair(*part, synset, *named)).collect::<Vec<_>>()
        };
        self.synsets.iter().flat_map(of)
    }

    /// Lemmas that are opposites of each other, each pair both ways round. The adjectives that are similar to
    /// one of a pair are opposites of the other.
    pub(crate) fn opposites(&self) -> HashSet<(String, String, PartOfSpeech)> {
        let mut pairs = HashSet::new();
        for (&(part, _), synset) in &self.synsets {
            for &(offset, here, there) in &synset.opposites {
                let Some(opposite) = self.synsets.get(&(part, offset)) else { continue };
                let similar = synset.parents.iter().filter(|_| part == Adjective);
                let similar = similar.filter_map(|offset| self.synsets.get(&(part, *offset)));
                let ours = synset.chosen(here).chain(similar.flat_map(|synset| synset.chosen(0)));
                for (ours, theirs) in ours.flat_map(|ours| opposite.chosen(there).map(move |theirs| (ours, theirs))) {
                    let (ours, theirs) = (ours.to_lowercase(), theirs.to_lowercase());
                    pairs.insert((ours.clone(), theirs.clone(), part));
                    pairs.insert((theirs, ours, part));
                }
            }
        }
        pairs
    }

    /// The lemmas that a word may be a form of, itself included, by part of speech.
    pub(crate) fn lemmas_of(&self, word: &str) -> Vec<(String, PartOfSpeech)> {
        self.readings(word).into_iter().map(|(lemma, part, _)| (lemma, part)).collect()
    }

    /// The ways to read a word, by part of speech, a lemma once: WordNet's own morphology, and doubled
    /// consonants ("stopped").
    pub(crate) fn readings(&self, word: &str) -> Vec<Reading> {
        let mut readings: Vec<Reading> = Vec::new();
        for part in PartOfSpeech::ALL {
            let known = |lemma: &str| self.lemmas.contains_key(&(lemma.to_owned(), part));
            let mut add = |lemma: String| {
                if !readings.iter().any(|reading| (&reading.0, reading.1) == (&lemma, part)) && known(&lemma) {
                    let form = if lemma == word { Form::Base } else { Form::of(word, part) };
                    readings.push((lemma, part, form));
                }
            };
            add(word.to_owned());
            if let Some(irregular) = self.exceptions.get(&(word.to_owned(), part)) {
                irregular.iter().cloned().for_each(add);
                continue;
            }
            for (ending, replacement) in part.endings() {
                if let Some(stem) = word.strip_suffix(ending)
                    && stem.len() > 1
                    && self.compares(word, ending)
                {
                    add(format!("{stem}{replacement}"));
                    if let Some(single) = undoubled(stem, ending) {
                        add(single.to_owned());
                    }
                }
            }
        }
        readings
    }

    /// The irregular forms of verbs, each with its lemmas.
    pub(crate) fn irregular_verbs(&self) -> impl Iterator<Item = (&str, &[String])> {
        let verbs = self.exceptions.iter().filter(|((_, part), _)| *part == Verb);
        verbs.map(|((form, _), lemmas)| (form.as_str(), lemmas.as_slice()))
    }

    /// The rules make a comparative of any adjective: only forms that the dictionary has are believed.
    fn compares(&self, word: &str, ending: &str) -> bool {
        !matches!(ending, "er" | "est") || self.spellings.contains(word)
    }
}

/// The lines of a database file behind its licence, which is indented.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with("  "))
}

/// A word of a synset without the syntactic marker of adjectives ("(p)").
fn without_marker(word: &str) -> String {
    word.split('(').next().unwrap_or(word).to_owned()
}

/// A word of a synset in lower case, with spaces.
fn plain_spelling(word: &str) -> String {
    word.to_lowercase().replace('_', " ")
}

/// The stem with its doubled last consonant made single, where the ending doubles consonants.
fn undoubled<'a>(stem: &'a str, ending: &str) -> Option<&'a str> {
    let doubles = matches!(ending, "ed" | "ing" | "er" | "est");
    match stem.as_bytes() {
        [.., a, b] if doubles && a == b && b"bdgklmnprstvz".contains(a) => Some(&stem[..stem.len() - 1]),
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A database of a few entries; the data and index files' lines by part of speech.
    pub(crate) fn database(files: &[(PartOfSpeech, &str, &str)], counts: &str) -> WordNet {
        let mut wordnet = WordNet::default();
        for (part, data, index) in files {
            wordnet.add_data(*part, data).expect("data");
            wordnet.add_index(*part, index).expect("index");
        }
        wordnet.add_counts(counts).expect("counts");
        wordnet
    }

    fn example() -> WordNet {
        let data = "  1 licence\n\
            00000010 29 v 02 stop 0 halt 1 001 @ 00000020 v 0000 01 + 02 00 | come to a halt; \"it stopped\"  \n";
        let verbs = "stop v 2 1 @ 2 1 00000010 00000020  \ngo v 1 0 1 1 00000040  \nlate v 1 0 1 0 00000050  \n";
        let adjectives = "happy a 1 0 1 1 00000080  \nlate a 1 0 1 1 00000090  \n";
        let files = [
            (Verb, data, verbs),
            (Noun, "", "woman n 1 0 1 1 00000060  \nlens n 1 0 1 1 00000070  \n"),
            (Adjective, "00000030 00 a 01 galore(ip) 0 000 | in abundance  \n", adjectives),
        ];
        let counts = "stop%2:38:00:: 1 9\nstop%2:38:01:: 2 3\nhappy%3:00:00:: 1 37\n";
        let mut wordnet = database(&files, counts);
        wordnet.add_exceptions(Verb, "went go\n");
        wordnet.spellings = ["happier".to_owned()].into();
        wordnet
    }

    #[test]
    fn inflections_lead_to_lemmas() {
        let wordnet = example();
        let lemmas = |word: &str| wordnet.lemmas_of(word);
        assert_eq!(lemmas("stopped"), [("stop".to_owned(), Verb)]);
        assert_eq!(lemmas("stops"), [("stop".to_owned(), Verb)]);
        assert_eq!(lemmas("went"), [("go".to_owned(), Verb)]);
        assert_eq!(lemmas("women"), [("woman".to_owned(), Noun)]);
        assert_eq!(lemmas("lens"), [("lens".to_owned(), Noun)]);
        assert_eq!(lemmas("zzz"), []);
    }

    #[test]
    fn a_form_is_told_by_its_ending() {
        let forms = |word: &str| example().readings(word).into_iter().map(|(_, _, form)| form).collect::<Vec<_>>();
        for (word, form) in [("stop", Form::Base), ("stops", Form::S), ("stopping", Form::Ing), ("went", Form::Ed)] {
            assert_eq!(forms(word), [form], "{word}");
        }
        assert_eq!(forms("women"), [Form::S]);
        assert_eq!(Form::of("happier", Adjective), Form::Er);
    }

    #[test]
    fn the_shares_of_senses_make_one() {
        let shares = example().sense_shares("stop", Verb);
        assert_eq!(shares, [((Verb, 10), 10.0 / 13.5), ((Verb, 20), 3.5 / 13.5)]);
        assert_eq!(example().occurrences("stop", Verb), 12);
    }

    #[test]
    fn what_is_similar_to_one_of_a_pair_is_opposite_to_the_other() {
        let data = "00000010 00 a 01 hot 0 002 & 00000020 a 0000 ! 00000030 a 0101 | of high temperature\n\
            00000020 00 s 01 torrid 0 001 & 00000010 a 0000 | very hot\n\
            00000030 00 a 02 cold 0 icy 0 001 ! 00000010 a 0101 | of low temperature\n";
        let opposites = database(&[(Adjective, data, "")], "").opposites();
        let pair = |a: &str, b: &str| opposites.contains(&(a.to_owned(), b.to_owned(), Adjective));
        assert!(pair("hot", "cold") && pair("cold", "hot") && pair("torrid", "cold") && pair("cold", "torrid"));
        assert!(!pair("icy", "hot") && !pair("torrid", "hot"));
    }

    #[test]
    fn a_comparative_must_be_in_the_dictionary() {
        assert_eq!(example().lemmas_of("later"), []);
    }

    #[test]
    fn a_definition_is_synonyms_and_gloss_without_examples() {
        let wordnet = example();
        assert_eq!(wordnet.definition((Verb, 10)), "stop, halt: come to a halt");
        assert_eq!(wordnet.definition((Adjective, 30)), "galore: in abundance");
        assert_eq!(wordnet.examples().collect::<Vec<_>>(), ["it stopped"]);
    }

    #[test]
    fn frequent_senses_weigh_more() {
        let senses = example().senses("stopping");
        assert_eq!(senses, [((Verb, 10), 9.5), ((Verb, 20), 3.5 / 2f64.sqrt())]);
    }
}
