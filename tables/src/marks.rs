//! Which words of the English table are offered as outputs, which are written with a capital, and which forms they are.
//!
//! A row is offered if it reads as a word or as a name that many people know. The sources decide:
//! - A word that the spelling dictionary or WordNet has without a capital reads as a word.
//! - A word that they have only with a capital, or chiefly (by the votes of [`classify`](super::classify)), is a name.
//!   A given name or surname must be borne by many people; a place, a nation or a month must be frequent; a famous
//!   person more so. A name that the dictionary alone has is a brand or a rare name.
//! - What the sources do not have is a fragment ("ofthe"), a misspelling ("dont") or a foreign word.
//! - Function words, contractions and numbers are always offered.
//!
//! `data/words_and_names.txt` lists what that misses; `data/never_offered.txt` lists words that nobody should be told.
//! The second list takes part in the fit ([`targets`](super::targets)). This rule does not: vectors do not depend on
//! it.

use std::collections::HashSet;

use anyhow::{Result, bail};
use textveil::Flags;

use super::classify::{Classifier, Sort};
use super::forms::Forms;
use super::lexicons::Names;
use super::vocabulary::{Word, entries};

/// Shares of people, in percent, and Zipf frequencies: a name is known from both of a pair on.
const KNOWN_GIVEN_NAMES: [(f64, f64); 2] = [(0.02, 0.0), (0.003, 4.2)];
const KNOWN_SURNAMES: [(f64, f64); 2] = [(0.04, 0.0), (0.01, 4.3)];
/// Zipf frequency from which a place, a nation, a language or an institution is known.
const KNOWN_PLACE: f64 = 3.3;
/// The same for famous people, who are odd as replacements of others.
const KNOWN_PERSON: f64 = 4.3;
/// The same for what is written in capitals throughout.
const KNOWN_ACRONYM: f64 = 4.0;

/// What marks the words of a vocabulary.
pub(crate) struct Marks<'a> {
    classifier: &'a Classifier<'a>,
    names: &'a Names,
    forms: Forms<'a>,
    lists: Lists,
}

/// How a word reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Word,
    /// A name, and whether it is written with a capital.
    Name {
        capital: bool,
        known: bool,
    },
    Nothing,
}

impl<'a> Marks<'a> {
    /// # Errors
    /// The list of exceptions is malformed.
    pub(crate) fn new(classifier: &'a Classifier<'a>, names: &'a Names, forms: Forms<'a>) -> Result<Self> {
        Ok(Self { classifier, names, forms, lists: Lists::english()? })
    }

    /// All flags of a word.
    pub(crate) fn flags(&self, word: &Word) -> Flags {
        let mut flags = if word.function_word { Flags::FUNCTION_WORD } else { Flags::NONE };
        let reading = self.reading(word);
        let is_offered = match reading {
            Reading::Word => true,
            Reading::Name { known, .. } => known,
            Reading::Nothing => false,
        };
        if word.never_offered || !is_offered {
            flags = flags.union(Flags::NEVER_OFFERED);
        }
        match reading {
            Reading::Name { capital: true, .. } => flags.union(Flags::NAME).union(self.forms.of_name(&word.text)),
            Reading::Name { .. } => flags,
            _ => flags.union(self.forms.of(word)),
        }
    }

    fn reading(&self, word: &Word) -> Reading {
        let text = word.text.as_str();
        if word.function_word || !text.bytes().all(|byte| byte.is_ascii_lowercase()) || self.lists.words.contains(text)
        {
            return Reading::Word;
        }
        let (common, capitalized) = (self.classifier.is_common(text), self.classifier.is_capitalized(text));
        let mut votes = [0.0; Sort::ALL.len()];
        for vote in self.classifier.votes(text) {
            votes[vote.sort as usize] += vote.weight;
        }
        let is_word = votes[Sort::Common as usize] > 0.0;
        let names = || Sort::ALL.into_iter().filter(|sort| !matches!(sort, Sort::Common | Sort::Symbol));
        let as_name: f64 = names().map(|sort| votes[sort as usize]).sum();
        let is_listed = self.lists.names.contains(text);
        if is_listed || as_name > votes[Sort::Common as usize] || capitalized && !common && !is_word {
            let sort = names().rev().max_by(|a, b| votes[*a as usize].total_cmp(&votes[*b as usize]));
            let sort = sort.filter(|_| as_name > 0.0);
            let known = sort.is_some_and(|sort| self.is_known(sort, word)) && !self.lists.withheld.contains(text);
            // What is a word, too, is no unknown name.
            if !(common && is_word && !is_listed && (!known || sort == Some(Sort::Famous))) {
                return Reading::Name { capital: sort != Some(Sort::Acronym), known };
            }
        }
        if self.lists.withheld.contains(text) {
            Reading::Nothing
        } else if common || is_word {
            Reading::Word
        } else if self.classifier.is_in_capitals(text) {
            Reading::Name { capital: false, known: self.is_known(Sort::Acronym, word) }
        } else {
            Reading::Nothing
        }
    }

    /// Whether many people know a name of a sort.
    fn is_known(&self, sort: Sort, word: &Word) -> bool {
        let reaches = |share: f64, limits: [(f64, f64); 2]| {
            limits.iter().any(|(least, zipf)| share >= *least && word.zipf >= *zipf)
        };
        let is_common_name = reaches(self.names.given(&word.text), KNOWN_GIVEN_NAMES)
            || reaches(self.names.surname(&word.text), KNOWN_SURNAMES);
        match sort {
            Sort::Person => is_common_name,
            Sort::Famous => is_common_name || word.zipf >= KNOWN_PERSON,
            Sort::Place | Sort::Other => word.zipf >= KNOWN_PLACE,
            Sort::Acronym => word.zipf >= KNOWN_ACRONYM,
            Sort::Common | Sort::Symbol => false,
        }
    }
}

/// The reviewed exceptions.
#[derive(Default)]
struct Lists {
    words: HashSet<&'static str>,
    names: HashSet<&'static str>,
    withheld: HashSet<&'static str>,
}

impl Lists {
    fn english() -> Result<Self> {
        let mut lists = Self::default();
        let mut list = &mut lists.words;
        for line in entries(include_str!("../data/words_and_names.txt")) {
            match line {
                "[words]" => list = &mut lists.words,
                "[names]" => list = &mut lists.names,
                "[withheld]" => list = &mut lists.withheld,
                _ if line.starts_with('[') => bail!("words_and_names.txt: there is no list {line}"),
                _ => list.extend(line.split_whitespace()),
            }
        }
        Ok(lists)
    }
}

#[cfg(test)]
mod tests {
    use textveil::Table;

    use super::*;

    /// The marks that the built-in table carries.
    fn marks(word: &str) -> Flags {
        let table = Table::english().expect("the built-in table");
        table.flags(table.find(word).expect("a word of the table"))
    }

    #[test]
    fn what_is_no_word_is_never_offered() {
        for word in ["ofthe", "atleast", "youre", "tos", "ing", "aswell", "dont", "alot", "facebook", "sturridge"] {
            assert!(marks(word).intersects(Flags::NEVER_OFFERED), "{word}");
        }
    }

    #[test]
    fn words_and_well_known_names_are_offered() {
        let words = ["the", "don't", "42", "21st", "sister", "cancer", "gameplay", "colour", "apologised", "god"];
        let names = ["mary", "john", "smith", "london", "france", "october", "monday", "german", "jesus"];
        for word in words.into_iter().chain(names) {
            assert!(!marks(word).intersects(Flags::NEVER_OFFERED), "{word}");
        }
    }

    #[test]
    fn names_have_a_capital_and_what_is_chiefly_a_word_has_none() {
        for word in ["mary", "smith", "london", "france", "october", "monday", "german", "christmas", "nick"] {
            assert!(marks(word).intersects(Flags::NAME), "{word}");
        }
        for word in ["may", "march", "will", "mark", "bill", "sister", "rose", "south", "moon", "tv", "42"] {
            assert!(!marks(word).intersects(Flags::NAME), "{word}");
        }
    }

    #[test]
    fn no_word_stands_in_two_lists() {
        let Lists { words, names, withheld } = Lists::english().expect("the list parses");
        assert!(words.is_disjoint(&names) && words.is_disjoint(&withheld) && names.is_disjoint(&withheld));
    }
}
