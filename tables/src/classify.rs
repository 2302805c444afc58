//! The rule that gives each word of the English table its class.
//!
//! Function words and numbers in digits are told by their form. For every other word the sources vote, in one
//! currency: occurrences in the texts that WordNet's authors tagged by sense.
//! - Each of the word's senses in WordNet votes with its weight for the class of its lexicographer's file.
//!   What is written with a capital votes for names, places and affiliations; a place votes the more, the
//!   more WordNet says of it.
//! - A place of two words ("Los Angeles") votes for each of them that is no common word of its own.
//! - Names vote with the share of people who bear them, times [`NAME_OCCURRENCES`].
//!
//! So a word that is chiefly an ordinary one stays ordinary (`mark`, `rose`), and one that is chiefly a name
//! is a name (`john`, `smith`). A spelling dictionary settles which of the two exist: a word that it knows only without
//! a capital is no name. A word that it knows only with a capital is always a name. A word that pleases or displeases
//! goes to its pole, unless it names a person, a place, a people, a number or a matter of health.

use std::collections::HashSet;

use super::classes::Classes;
use super::lexicons::{Names, Pole, Ratings};
use super::vocabulary::Word;
use super::wordnet::PartOfSpeech::{self, Adjective, Adverb, Noun, Verb};
use super::wordnet::{Sense, Synset, WordNet};

/// How often a name that one person in a hundred bears would have been tagged: tuned on words that are both,
/// such as `bill`, `frank` and `brown`.
const NAME_OCCURRENCES: f64 = 25.0;
/// The vote of each pointer of a place to other synsets.
const POINTER_OF_PLACE: f64 = 0.1;
/// The vote of a place for each of the two words of its name: that of a name which one person in ten thousand
/// bears.
const WORD_OF_PLACE: f64 = 0.25;

/// The most general nouns stand in a file of their own; these of them head the files of that number.
const MOST_GENERAL: u8 = 3;
const HEADS_OF_FILES: [(&str, u8); 25] = [
    ("act", 4),
    ("animal", 5),
    ("artifact", 6),
    ("attribute", 7),
    ("body", 8),
    ("cognition", 9),
    ("communication", 10),
    ("event", 11),
    ("feeling", 12),
    ("food", 13),
    ("group", 14),
    ("location", 15),
    ("motivation", 16),
    ("object", 17),
    ("person", 18),
    ("phenomenon", 19),
    ("plant", 20),
    ("possession", 21),
    ("process", 22),
    ("quantity", 23),
    ("relation", 24),
    ("shape", 25),
    ("state", 26),
    ("substance", 27),
    ("time", 28),
];

/// A lemma's n-th sense, which stands for itself and all that it covers.
type Root = (&'static str, PartOfSpeech, usize);

const NUMBERS: [Root; 3] = [("integer", Noun, 1), ("cardinal", Adjective, 2), ("ordinal", Adjective, 2)];
const HEALTH: [Root; 4] =
    [("ill_health", Noun, 1), ("symptom", Noun, 1), ("mental_illness", Noun, 1), ("drug", Noun, 1)];
/// What stands in the lexicographer's file of food is food, though WordNet also counts wine among the drugs.
const FOOD_FILE: u8 = 13;
/// The lexicographer's file of people.
const PERSON_FILE: u8 = 18;
const LANGUAGES: [Root; 1] = [("language", Noun, 1)];
const DEITIES: [Root; 1] = [("spiritual_being", Noun, 1)];

/// A class of the English table; of classes with equal votes, the first here wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Function,
    Number,
    GivenName,
    Surname,
    Place,
    /// A nation, a faith, a party, a language, and who belongs to it.
    Affiliation,
    Positive,
    Negative,
    Person,
    /// The body, its illnesses and what is taken for them.
    Health,
    Food,
    /// Animals and plants.
    Nature,
    /// What is made or found: artifacts, substances, parts of a landscape.
    Thing,
    /// What is done or happens.
    Event,
    /// What is said, thought or felt, and what something is like.
    Idea,
    /// People together, and what they own.
    Society,
    /// When, how long, how much.
    TimeMeasure,
    Verb,
    Adjective,
    Adverb,
    Other,
}

impl Class {
    /// All classes in the order above, with their names in the table.
    const ALL: [(Self, &'static str); 21] = [
        (Self::Function, "function"),
        (Self::Number, "number"),
        (Self::GivenName, "given-name"),
        (Self::Surname, "surname"),
        (Self::Place, "place"),
        (Self::Affiliation, "affiliation"),
        (Self::Positive, "positive"),
        (Self::Negative, "negative"),
        (Self::Person, "person"),
        (Self::Health, "health"),
        (Self::Food, "food"),
        (Self::Nature, "nature"),
        (Self::Thing, "thing"),
        (Self::Event, "event"),
        (Self::Idea, "idea"),
        (Self::Society, "society"),
        (Self::TimeMeasure, "time-measure"),
        (Self::Verb, "verb"),
        (Self::Adjective, "adjective"),
        (Self::Adverb, "adverb"),
        (Self::Other, Classes::OTHER),
    ];

    fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The class of a lexicographer's file, by the numbers of lexnames(5WN).
    const fn of_file(part: PartOfSpeech, file: u8) -> Self {
        match (part, file) {
            (Noun, 4 | 11 | 19 | 22) => Self::Event,
            (Noun, 5 | 20) => Self::Nature,
            (Noun, 6 | 15 | 17 | 27) => Self::Thing,
            (Noun, 7 | 9 | 10 | 12 | 16 | 24 | 25 | 26) => Self::Idea,
            (Noun, 8) => Self::Health,
            (Noun, 13) => Self::Food,
            (Noun, 14 | 21) => Self::Society,
            (Noun, 18) => Self::Person,
            (Noun, 23 | 28) => Self::TimeMeasure,
            // Entities that head no file: things, causes, beings.
            (Noun, _) => Self::Thing,
            (Verb, _) => Self::Verb,
            (Adjective, _) => Self::Adjective,
            (Adverb, _) => Self::Adverb,
        }
    }

    /// Whether a word of this class keeps it, however pleasant or unpleasant it is.
    const fn outweighs_sentiment(self) -> bool {
        matches!(self, Self::Number | Self::GivenName | Self::Surname | Self::Place | Self::Affiliation | Self::Health)
    }
}

/// What one source takes a word for.
pub(crate) struct Vote {
    class: Class,
    /// In occurrences in the texts that WordNet's authors tagged.
    pub(crate) weight: f64,
    pub(crate) sort: Sort,
}

/// How what a vote is for is written, and how widely it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Without a capital.
    Common,
    /// Someone's name: a given name or a surname.
    Person,
    /// A well-known person or a god.
    Famous,
    Place,
    /// A nation, a language, a month, an institution.
    Other,
    /// Written in capitals throughout.
    Acronym,
    /// What looks like a form of a symbol ("bis" of "Bi").
    Symbol,
}

impl Sort {
    /// All sorts, in the order above.
    pub(crate) const ALL: [Self; 7] =
        [Self::Common, Self::Person, Self::Famous, Self::Place, Self::Other, Self::Acronym, Self::Symbol];

    /// The vote of a word that WordNet writes with a capital in one of its senses.
    fn of_name(word: &str, written: &str, synset: &Synset) -> Self {
        if written.to_lowercase() != word && written.len() < 4 {
            Self::Symbol
        } else if is_acronym(written) {
            Self::Acronym
        } else if is_place(synset) {
            Self::Place
        } else if synset.is_instance && synset.file == PERSON_FILE {
            Self::Famous
        } else {
            Self::Other
        }
    }
}

/// The sources of the classes, ready to be asked.
pub(crate) struct Classifier<'a> {
    wordnet: &'a WordNet,
    names: &'a Names,
    ratings: &'a Ratings,
    spellings: HashSet<&'a str>,
    /// The words of the names of places that have two.
    words_of_places: HashSet<String>,
}

impl<'a> Classifier<'a> {
    /// `dictionary` is a spelling dictionary in which names are capitalized, a word a line.
    pub(crate) fn new(wordnet: &'a WordNet, names: &'a Names, ratings: &'a Ratings, dictionary: &'a str) -> Self {
        let names_of_places = wordnet.synsets().filter(|synset| is_place(synset)).flat_map(|place| &place.synonyms);
        let words_of_places = names_of_places
            .filter_map(|name| name.split_once('_').filter(|(_, rest)| !rest.contains('_')))
            .flat_map(|(first, last)| [first.to_lowercase(), last.to_lowercase()])
            .collect();
        Self { wordnet, names, ratings, spellings: dictionary.lines().collect(), words_of_places }
    }

    /// The partition of a vocabulary.
    ///
    /// # Errors
    /// A class has no word that may be put out.
    pub(crate) fn partition(&self, words: &[Word]) -> anyhow::Result<Classes> {
        let labels: Vec<&str> = words.iter().map(|word| self.class(word).name()).collect();
        Classes::new(words, &labels)
    }

    fn class(&self, word: &Word) -> Class {
        let text = word.text.as_str();
        if word.function_word || text.contains('\'') {
            return Class::Function;
        }
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            return Class::Number;
        }
        let elected = self.elected(text);
        match self.ratings.pole(text) {
            Some(Pole::Positive) if !elected.outweighs_sentiment() => Class::Positive,
            Some(Pole::Negative) if !elected.outweighs_sentiment() => Class::Negative,
            _ => elected,
        }
    }

    /// The class with the most votes; `Other` without any.
    fn elected(&self, word: &str) -> Class {
        let mut votes = [0.0; Class::ALL.len()];
        for vote in self.votes(word) {
            votes[vote.class as usize] += vote.weight;
        }
        let mut elected = Class::Other;
        for (class, _) in Class::ALL {
            if votes[class as usize] > votes[elected as usize] {
                elected = class;
            }
        }
        elected
    }

    /// What the sources take a word for.
    pub(crate) fn votes(&self, word: &str) -> Vec<Vote> {
        let mut votes = Vec::new();
        let (common, capitalized) = (self.is_common(word), self.is_capitalized(word));
        let (may_be_common, may_be_name) = (common || !capitalized, capitalized || !common);
        let lemmas = self.wordnet.lemmas_of(word);
        for (sense, weight) in self.wordnet.senses(word) {
            let Some(synset) = self.wordnet.synset(sense) else { continue };
            let lemmas = lemmas.iter().filter(|(_, part)| *part == sense.0);
            let Some(written) = lemmas.filter_map(|(lemma, _)| synset.spelling_of(lemma)).next() else { continue };
            let (is_name, is_acronym) = (written.starts_with(char::is_uppercase), is_acronym(written));
            // A plural of one individual is something else, as is an acronym that is spelled like a word.
            if synset.is_instance && written.to_lowercase() != word || common && is_acronym {
                continue;
            }
            if is_name && may_be_name {
                let class = self.class_of_name(word, sense, synset);
                let told = if class == Class::Place && !is_acronym { vote_of_pointers(synset) } else { 0.0 };
                votes.push(Vote { class, weight: weight + told, sort: Sort::of_name(word, written, synset) });
            } else if !is_name && may_be_common {
                votes.push(Vote { class: self.class_of_sense(sense, synset), weight, sort: Sort::Common });
            }
        }
        if may_be_name {
            let (given, surname) = (self.names.given(word), self.names.surname(word));
            let name = |class, weight, sort| Vote { class, weight, sort };
            votes.push(name(Class::GivenName, NAME_OCCURRENCES * given, Sort::Person));
            votes.push(name(Class::Surname, NAME_OCCURRENCES * surname, Sort::Person));
            if !common && self.words_of_places.contains(word) {
                votes.push(name(Class::Place, WORD_OF_PLACE, Sort::Place));
            }
        }
        votes
    }

    /// Whether the dictionary has a word as it stands.
    pub(crate) fn is_common(&self, word: &str) -> bool {
        self.spellings.contains(word)
    }

    /// Whether the dictionary has a word with a capital.
    pub(crate) fn is_capitalized(&self, word: &str) -> bool {
        self.spellings.contains(capitalized(word).as_str())
    }

    /// Whether the dictionary has a word in capitals throughout.
    pub(crate) fn is_in_capitals(&self, word: &str) -> bool {
        word.len() > 1 && self.spellings.contains(word.to_uppercase().as_str())
    }

    /// The class of a sense that is written with a capital.
    fn class_of_name(&self, word: &str, sense: Sense, synset: &Synset) -> Class {
        let is_family_name = || synset.synonyms.iter().any(|name| name.to_lowercase().ends_with(&format!("_{word}")));
        if is_place(synset) {
            Class::Place
        } else if synset.is_instance && synset.file == PERSON_FILE && !self.is_one_of(sense, &DEITIES) {
            if is_family_name() { Class::Surname } else { Class::GivenName }
        } else if sense.0 == Adjective
            || matches!(synset.file, 9 | 18) && !synset.is_instance
            || self.is_one_of(sense, &LANGUAGES)
        {
            Class::Affiliation
        } else {
            self.class_of_sense(sense, synset)
        }
    }

    fn class_of_sense(&self, sense: Sense, synset: &Synset) -> Class {
        if self.is_one_of(sense, &NUMBERS) {
            Class::Number
        } else if synset.file != FOOD_FILE && self.is_one_of(sense, &HEALTH) {
            Class::Health
        } else {
            let head = HEADS_OF_FILES.iter().find(|(word, _)| synset.synonyms.iter().any(|synonym| synonym == word));
            let headed = head.filter(|_| sense.0 == Noun && synset.file == MOST_GENERAL).map(|(_, file)| *file);
            Class::of_file(sense.0, headed.unwrap_or(synset.file))
        }
    }

    fn is_one_of(&self, sense: Sense, roots: &[Root]) -> bool {
        let root = |&(lemma, part, n): &Root| self.wordnet.sense(lemma, part, n);
        roots.iter().filter_map(root).any(|root| self.wordnet.is_a(sense, root))
    }
}

/// One spot of the earth or the sky, by its name.
fn is_place(synset: &Synset) -> bool {
    synset.is_instance && matches!(synset.file, 15 | 17)
}

fn vote_of_pointers(place: &Synset) -> f64 {
    POINTER_OF_PLACE * place.pointers as f64
}

/// Written in capitals throughout.
fn is_acronym(written: &str) -> bool {
    written.len() > 1 && !written.contains(char::is_lowercase)
}

/// The word as it stands at the head of a sentence.
fn capitalized(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use textveil::Table;

    use super::super::{lexicons, wordnet};
    use super::*;

    const NOUNS: &str = "\
        00000001 23 n 01 integer 0 000 | a whole number  \n\
        00000002 23 n 01 seven 0 001 @ 00000001 n 0000 | 7  \n\
        00000003 05 n 01 dog 0 000 | a canine  \n\
        00000004 06 n 01 john 0 000 | a toilet  \n\
        00000005 15 n 02 London 0 Greater_London 0 001 @i 00000009 n 0000 | a capital  \n\
        00000006 15 n 02 Los_Angeles 0 LA 0 001 @i 00000009 n 0000 | a city  \n\
        00000007 20 n 01 rose 0 000 | a shrub  \n\
        00000008 18 n 03 Einstein 0 Albert_Einstein 0 genius 0 001 @i 00000010 n 0000 | a physicist  \n\
        00000009 03 n 02 location 0 loc 0 000 | a point in space  \n\
        00000010 03 n 02 person 0 soul 0 000 | a human being  \n";
    const NOUN_INDEX: &str = "\
        integer n 1 0 1 0 00000001  \nseven n 1 0 1 1 00000002  \ndog n 1 0 1 1 00000003  \n\
        john n 1 0 1 1 00000004  \nlondon n 1 0 1 1 00000005  \nlos_angeles n 1 0 1 1 00000006  \n\
        la n 1 0 1 0 00000006  \nrose n 1 0 1 1 00000007  \neinstein n 1 0 1 0 00000008  \n\
        location n 1 0 1 0 00000009  \nsoul n 1 0 1 0 00000010  \n";
    const VERBS: &str = "\
        00000001 38 v 01 run 0 000 | move fast  \n\
        00000002 38 v 01 mark 0 000 | make a sign  \n";
    const ADJECTIVES: &str = "\
        00000001 00 a 01 good 0 000 | having good qualities  \n\
        00000002 01 a 01 French 0 000 | of France  \n\
        00000003 00 a 01 wooden 0 000 | made of wood  \n";
    const COUNTS: &str = "mark%2:38:00:: 1 40\nrose%1:20:00:: 1 5\n";
    const DICTIONARY: &str = "dog\nJohn\njohn\nMark\nmark\nRose\nrose\nla\nrun\nsmith\nSmith\nhey\nEinstein\nLondon\n";

    fn class(word: &str) -> &'static str {
        let verbs = "run v 1 0 1 0 00000001  \nmark v 1 0 1 1 00000002  \n";
        let adjectives = "good a 1 0 1 1 00000001  \nfrench a 1 0 1 1 00000002  \nwooden a 1 0 1 0 00000003  \n";
        let files = [(Noun, NOUNS, NOUN_INDEX), (Verb, VERBS, verbs), (Adjective, ADJECTIVES, adjectives)];
        let wordnet = wordnet::tests::database(&files, COUNTS);
        let names = lexicons::tests::names("JOHN 3.2\nMARK 0.9\nROSE 0.3\n", "SMITH 1.0\nHEY 0.002\nLA 0.001\n");
        let ratings = lexicons::tests::ratings("good\t1.9\t0.9\nterrible\t-2.1\t0.8\nlondon\t2.0\t0.5\n");
        let word = Word { text: word.to_owned(), function_word: word == "the", ..Word::default() };
        Classifier::new(&wordnet, &names, &ratings, DICTIONARY).class(&word).name()
    }

    #[test]
    fn classes_are_listed_in_their_order() {
        assert!(Class::ALL.iter().enumerate().all(|(n, (class, _))| *class as usize == n));
    }

    #[test]
    fn form_comes_first() {
        assert_eq!(["the", "don't", "7", "21st"].map(class), ["function", "function", "number", "number"]);
    }

    #[test]
    fn a_sense_votes_for_what_it_is() {
        let expected = [("seven", "number"), ("dog", "nature"), ("run", "verb"), ("wooden", "adjective")];
        expected.into_iter().for_each(|(word, expected)| assert_eq!(class(word), expected, "{word}"));
        assert_eq!(class("french"), "affiliation");
        // The most general nouns that head a file stand for it.
        assert_eq!(["location", "soul"].map(class), ["thing", "person"]);
    }

    #[test]
    fn the_more_frequent_use_decides_between_a_name_and_a_word() {
        assert_eq!(["john", "smith"].map(class), ["given-name", "surname"]);
        assert_eq!(["mark", "rose"].map(class), ["verb", "nature"]);
    }

    #[test]
    fn the_dictionary_decides_what_may_be_a_name() {
        // Both are rare surnames; the second is an acronym in WordNet, too.
        assert_eq!(["hey", "la"].map(class), ["other", "other"]);
    }

    #[test]
    fn places_and_people_are_told_by_their_full_names() {
        assert_eq!(["london", "angeles", "los"].map(class), ["place", "place", "place"]);
        assert_eq!(class("einstein"), "surname");
    }

    #[test]
    fn feeling_decides_about_words_but_not_about_places() {
        assert_eq!(["good", "terrible", "london"].map(class), ["positive", "negative", "place"]);
    }

    #[test]
    fn the_built_in_table_has_the_classes_that_a_reader_expects() {
        let table = Table::english().expect("the built-in table");
        let expected = [
            ("john", "given-name"),
            ("smith", "surname"),
            ("london", "place"),
            ("paris", "place"),
            ("german", "affiliation"),
            ("good", "positive"),
            ("terrible", "negative"),
            ("seven", "number"),
            ("1987", "number"),
            ("the", "function"),
            ("dog", "nature"),
            ("doctor", "person"),
            ("diabetes", "health"),
            ("monday", "time-measure"),
            ("run", "verb"),
            ("mark", "verb"),
            ("quickly", "adverb"),
            ("iphone", "other"),
        ];
        for (word, expected) in expected {
            let class = table.class_of(table.find(word).expect("a word of the table")).expect("a class");
            assert_eq!(table.class_name(class), Some(expected), "{word}");
        }
        assert_eq!(table.classes().len(), Class::ALL.len());
    }
}
