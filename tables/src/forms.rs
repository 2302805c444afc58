//! Which inflected form a word is: by WordNet's morphology, where the word is chiefly that form.
//!
//! Each way to read a word weighs as often as its lemma occurs in WordNet's tagged texts, times the share of a lemma's
//! occurrences in such a form. A word is an inflected form if those readings weigh more than half; it is each form that
//! has a quarter of all. So "building" is no form and "meeting" is one, by how often "building" and "to build", "meeting" and "to meet" are tagged.

use std::collections::{HashMap, HashSet};

use textveil::Flags;

use super::vocabulary::Word;
use super::wordnet::{Form, PartOfSpeech, WordNet};

/// Added to a lemma's occurrences, so that one which was never tagged counts.
const SMOOTHING: f64 = 0.5;
/// The part of all readings that makes a word an inflected form, and each form one that it is.
const CHIEFLY: f64 = 0.5;
const ALSO: f64 = 0.25;
/// The function words that are forms: those of these verbs.
const AUXILIARIES: [&str; 3] = ["be", "have", "do"];
/// Past tenses whose participle is the lemma itself.
const PAST_ALONE: [&str; 5] = ["ran", "came", "became", "overcame", "outran"];

/// What tells the forms of words.
pub(crate) struct Forms<'a> {
    wordnet: &'a WordNet,
    /// The irregular forms of each verb.
    irregular: HashMap<&'a str, HashSet<&'a str>>,
}

impl<'a> Forms<'a> {
    pub(crate) fn new(wordnet: &'a WordNet) -> Self {
        let mut irregular: HashMap<&str, HashSet<&str>> = HashMap::new();
        for (form, lemmas) in wordnet.irregular_verbs().filter(|(form, _)| !form.ends_with("ing")) {
            for lemma in lemmas {
                irregular.entry(lemma).or_default().insert(form);
            }
        }
        Self { wordnet, irregular }
    }

    /// The forms that a word chiefly is.
    pub(crate) fn of(&self, word: &Word) -> Flags {
        let mut weights: Vec<(Flags, f64)> = Vec::new();
        for (lemma, part, form) in self.wordnet.readings(&word.text) {
            let is_auxiliary = part == PartOfSpeech::Verb && AUXILIARIES.contains(&lemma.as_str());
            if word.function_word && !is_auxiliary {
                continue;
            }
            let occurrences = f64::from(self.wordnet.occurrences(&lemma, part)) + SMOOTHING;
            weights.push((self.flags(&word.text, &lemma, part, form), occurrences * share(part, form)));
        }
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let inflected: f64 = weights.iter().filter(|(flags, _)| *flags != Flags::NONE).map(|(_, weight)| weight).sum();
        let mut forms = Flags::NONE;
        if inflected > CHIEFLY * total {
            for (flags, weight) in &weights {
                let same: f64 = weights.iter().filter(|(other, _)| other == flags).map(|(_, weight)| weight).sum();
                debug_assert!(same >= *weight);
                if same >= ALSO * total {
                    forms = forms.union(*flags);
                }
            }
        }
        forms
    }

    /// The form of a name: the plural of a people ("Americans"), or no form.
    pub(crate) fn of_name(&self, text: &str) -> Flags {
        let readings = self.wordnet.readings(text);
        let is_plural = !readings.is_empty()
            && readings.iter().all(|(lemma, part, form)| {
                (*part, *form) == (PartOfSpeech::Noun, Form::S) && lemma.len() > 3 && !lemma.ends_with('s')
            });
        if is_plural { Flags::PLURAL } else { Flags::NONE }
    }

    fn flags(&self, word: &str, lemma: &str, part: PartOfSpeech, form: Form) -> Flags {
        match (part, form) {
            (PartOfSpeech::Noun, Form::S) => Flags::PLURAL,
            (PartOfSpeech::Verb, Form::S) => Flags::THIRD_PERSON,
            (PartOfSpeech::Verb, Form::Ing) => Flags::ING,
            (PartOfSpeech::Verb, Form::Ed) => match (lemma, word) {
                // What WordNet's morphology gives no name.
                ("be", "am" | "are") => Flags::NONE,
                ("be", "were") => Flags::PAST,
                _ => self.past(word, lemma),
            },
            _ => Flags::NONE,
        }
    }

    /// Past tense, participle, or both: of two irregular forms, the one in -n, or with u where the other has a, is the
    /// participle.
    fn past(&self, word: &str, lemma: &str) -> Flags {
        let others = || self.irregular.get(lemma).into_iter().flatten().copied().filter(|other| *other != word);
        let in_n = |form: &str| form.ends_with('n') || form.ends_with("ne");
        let is_participle_of = |form: &str, past: &str| in_n(form) && !in_n(past) || form.replace('u', "a") == past;
        if PAST_ALONE.contains(&word) || others().any(|other| is_participle_of(other, word)) {
            Flags::PAST
        } else if word.ends_with("en") || word.ends_with("wn") || others().any(|other| is_participle_of(word, other)) {
            Flags::PARTICIPLE
        } else {
            Flags::PAST.union(Flags::PARTICIPLE)
        }
    }
}

/// The part of a lemma's occurrences that are in this form.
fn share(part: PartOfSpeech, form: Form) -> f64 {
    match (part, form) {
        (PartOfSpeech::Noun, Form::S) => 0.25,
        (PartOfSpeech::Noun, _) => 0.75,
        (PartOfSpeech::Verb, Form::S) => 0.12,
        (PartOfSpeech::Verb, Form::Ing) => 0.18,
        (PartOfSpeech::Verb, Form::Ed) => 0.3,
        (PartOfSpeech::Verb, _) => 0.4,
        (PartOfSpeech::Adjective | PartOfSpeech::Adverb, _) => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use textveil::Table;

    use super::*;

    #[test]
    fn the_built_in_table_knows_its_forms() {
        let table = Table::english().expect("the built-in table");
        let forms = |word: &str| {
            let flags = table.flags(table.find(word).expect("a word of the table"));
            flags.difference(Flags::FUNCTION_WORD).difference(Flags::NEVER_OFFERED).difference(Flags::NAME)
        };
        let both = Flags::PAST.union(Flags::PARTICIPLE);
        let expected = [
            ("sisters", Flags::PLURAL),
            ("women", Flags::PLURAL),
            ("americans", Flags::PLURAL),
            ("sister", Flags::NONE),
            ("lens", Flags::NONE),
            ("goes", Flags::THIRD_PERSON),
            ("plays", Flags::PLURAL.union(Flags::THIRD_PERSON)),
            ("stopped", both),
            ("found", both),
            ("left", both),
            ("won", both),
            ("saw", Flags::PAST),
            ("went", Flags::PAST),
            ("sang", Flags::PAST),
            ("ran", Flags::PAST),
            ("began", Flags::PAST),
            ("gone", Flags::PARTICIPLE),
            ("seen", Flags::PARTICIPLE),
            ("sung", Flags::PARTICIPLE),
            ("shown", Flags::PARTICIPLE),
            ("running", Flags::ING),
            ("meeting", Flags::ING),
            ("building", Flags::NONE),
            ("put", Flags::NONE),
            ("is", Flags::THIRD_PERSON),
            // By its last letter, as "is".
            ("was", Flags::THIRD_PERSON),
            ("been", Flags::PARTICIPLE),
            ("being", Flags::ING),
            ("has", Flags::THIRD_PERSON),
            ("had", both),
            ("this", Flags::NONE),
        ];
        for (word, expected) in expected {
            assert_eq!(forms(word), expected, "{word}");
        }
    }
}
