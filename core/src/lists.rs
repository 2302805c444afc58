//! Words that an app always shows, and words that it never shows. Both lists are public: a guarantee names them.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::digest::Hex;
use crate::text::clean;
use crate::{Error, FileId, Piece, Table, TokenKind, WordId, sha256, spelling};

/// The most words of a list.
const MOST_WORDS: usize = 1000;
/// The longest word of a list, in bytes.
const LONGEST_WORD: usize = 64;

/// Which list a guarantee speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListId {
    /// How many words it has, without repetitions.
    pub words: u32,
    /// SHA-256 of its words in the order of their spellings, each with a line feed behind it (SPEC.md, section 4.2).
    pub digest: [u8; 32],
}

impl ListId {
    /// The digest in hexadecimal.
    #[must_use]
    pub fn to_hex(&self) -> String {
        Hex(&self.digest).to_string()
    }

    /// A list by its number of words and its digest; none if there can be no such list.
    #[must_use]
    pub fn from_hex(words: u32, digest: &str) -> Option<Self> {
        let digest = *FileId::from_hex(digest)?.as_bytes();
        (1..=MOST_WORDS as u32).contains(&words).then_some(Self { words, digest })
    }
}

impl fmt::Debug for ListId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} words, {}", self.words, Hex(&self.digest))
    }
}

/// Words that an app shows wherever they stand, and words that no release has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WordLists {
    /// The words to keep.
    kept: Vec<Listed>,
    /// The forbidden words.
    never_said: Vec<Listed>,
}

/// A word of a list, which is in the order of spellings. (A map is kilobytes of code.)
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Listed {
    spelling: String,
    form: String,
    /// Its place in the list as it was given.
    place: usize,
}

impl WordLists {
    /// Words that **stay in clear** where they stand in a text, in the form that the list has (names of products). NFKC is the
    /// caller's part. Each word must be one token of SPEC.md, section 2.3, of at most 64 bytes.
    ///
    /// # Errors
    /// [`Error::InvalidKeepWords`] for what is no such word, for another form of a word before it, and for more than 1,000
    /// of them.
    pub fn keeping(words: &[impl AsRef<str>]) -> Result<Self, Error> {
        let kept = listed(words, |before, form| before == form).map_err(Error::InvalidKeepWords)?;
        Ok(Self { kept, never_said: Vec::new() })
    }

    /// The same with words that **come out of no draw**, however they are written.
    ///
    /// # Errors
    /// [`Error::InvalidNeverSay`] for what is no such word, for a word that is kept, and for more than 1,000 of them.
    pub fn never_saying(self, words: &[impl AsRef<str>]) -> Result<Self, Error> {
        let Self { kept, .. } = self;
        let never_said = listed(words, |_, _| true).map_err(Error::InvalidNeverSay)?;
        match never_said.iter().filter(|word| find(&kept, &word.spelling).is_some()).map(|word| word.place).min() {
            Some(place) => Err(Error::InvalidNeverSay(place)),
            None => Ok(Self { kept, never_said }),
        }
    }

    /// The list of words that are kept, if there are any.
    #[must_use]
    pub fn kept_id(&self) -> Option<ListId> {
        id(self.kept.iter().map(|word| &word.form))
    }

    /// The words that are kept, in the order of their spellings.
    pub fn kept_words(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().map(|word| word.form.as_str())
    }

    /// The list of words that are never said, if there are any.
    #[must_use]
    pub fn never_said_id(&self) -> Option<ListId> {
        id(self.never_said.iter().map(|word| &word.spelling))
    }

    /// Whether a word is never said.
    #[must_use]
    pub fn never_says(&self, word: &str) -> bool {
        find(&self.never_said, &spelling(word)).is_some()
    }

    /// The form in which a token is kept.
    pub(crate) fn kept(&self, token: &str) -> Option<&str> {
        if self.kept.is_empty() { None } else { find(&self.kept, &spelling(token)).map(|word| word.form.as_str()) }
    }
}

/// The words of a list in the order of their spellings. Or the place of one that is no word, is one too many, or comes
/// after another form that it does not go with.
fn listed(words: &[impl AsRef<str>], goes_with: impl Fn(&str, &str) -> bool) -> Result<Vec<Listed>, usize> {
    let mut listed: Vec<Listed> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let (spelling, form) = one_word(word.as_ref()).filter(|_| place < MOST_WORDS).ok_or(place)?;
        match listed.binary_search_by(|known| known.spelling.cmp(&spelling)) {
            Ok(at) if listed.get(at).is_some_and(|before| goes_with(&before.form, &form)) => {}
            Ok(_) => return Err(place),
            Err(at) => listed.insert(at, Listed { spelling, form, place }),
        }
    }
    Ok(listed)
}

fn find<'a>(listed: &'a [Listed], spelling: &str) -> Option<&'a Listed> {
    listed.get(listed.binary_search_by(|known| known.spelling.as_str().cmp(spelling)).ok()?)
}

/// The spelling and the form of a word, if it is one token and nothing else.
fn one_word(word: &str) -> Option<(String, String)> {
    let form = clean(word);
    let is_short = form.len() <= LONGEST_WORD;
    let is_word =
        || matches!(&Piece::split(&form).ok()?[..], [Piece::Token { kind: TokenKind::Word, .. }]).then_some(());
    let spelling = spelling(&form);
    (is_short && !spelling.is_empty()).then(is_word)??;
    Some((spelling, form))
}

fn id<'a>(words: impl ExactSizeIterator<Item = &'a String>) -> Option<ListId> {
    let count = words.len() as u32;
    let parts: Vec<&[u8]> = words.flat_map(|word| [word.as_bytes(), b"\n"]).collect();
    (count > 0).then(|| ListId { words: count, digest: sha256(&parts) })
}

/// What is written instead of words of a table that are never said. It is a function of the drawn word alone, so it
/// costs no ε.
#[derive(Default)]
pub(crate) struct Substitutes(Vec<(WordId, WordId)>);

impl Substitutes {
    /// For each offered word of the list the nearest offered one that is not in it, the first of equals.
    pub(crate) fn new(lists: &WordLists, table: &Table) -> Result<Self, Error> {
        if lists.never_said.is_empty() {
            return Ok(Self::default());
        }
        let (mut said, mut never_said, mut last) = (Vec::new(), Vec::new(), 0);
        for (row, word) in table.words().filter(|(row, _)| table.is_offered(*row)) {
            match find(&lists.never_said, &spelling(&word)) {
                Some(forbidden) => {
                    never_said.push(row);
                    last = last.max(forbidden.place);
                }
                None => said.push(row),
            }
        }
        let nearest = |row: WordId| {
            let distances = table.distances_squared(row);
            let distance = |other: &WordId| distances.get(other.row()).copied().unwrap_or(i32::MAX);
            Some((row, said.iter().copied().min_by_key(distance)?))
        };
        let found: Option<Vec<_>> = never_said.into_iter().map(nearest).collect();
        found.map(Self).ok_or(Error::InvalidNeverSay(last))
    }

    /// The word that is said where this one was drawn.
    pub(crate) fn said(&self, drawn: WordId) -> WordId {
        let found = self.0.binary_search_by_key(&drawn, |(row, _)| *row).ok();
        found.and_then(|place| self.0.get(place)).map_or(drawn, |(_, said)| *said)
    }

    /// Whether a word is never said.
    pub(crate) fn has(&self, word: WordId) -> bool {
        self.said(word) != word
    }

    /// A distribution, which is in the order of rows, with the share of each word at the one that is said for it.
    pub(crate) fn moved(&self, mut shares: Vec<(WordId, f64)>) -> Vec<(WordId, f64)> {
        for (row, said) in &self.0 {
            let Ok(from) = shares.binary_search_by_key(row, |(word, _)| *word) else { continue };
            let (_, share) = shares.remove(from);
            match shares.binary_search_by_key(said, |(word, _)| *word) {
                Ok(to) => shares[to].1 += share,
                Err(to) => shares.insert(to, (*said, share)),
            }
        }
        shares
    }
}
