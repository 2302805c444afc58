//! From any text to layout and tokens, and from a token to a row of the table, if it has one. Total: every string has
//! a reading.
//!
//! Only *layout* is public: spaces, tabs, line breaks and ``. , ; : ! ? ' " ( ) - /``. Every other character
//! belongs to a token, and the mechanism covers every token, known word or not.

mod assemble;
mod clean;
#[cfg(feature = "bulk")]
mod deletions;
mod language;
mod lookup;
mod lowercase;
mod mend;
mod redact;
mod segment;
mod special;
mod word_bounds;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

pub(crate) use assemble::Assembler;
pub(crate) use clean::{clean, is_ignorable};
pub(crate) use language::Judge;
pub(crate) use lookup::exactly;
pub use lookup::{Found, Reading, look_up, spelling};
pub(crate) use mend::{Forms, Mended, Mender};
#[cfg(feature = "serde")]
pub(crate) use redact::{LONGEST_KIND, placeholder};
pub use redact::{Offsets, Redacted, Span};
pub(crate) use segment::{Part, pieces, sentences};
#[cfg(feature = "bulk")]
pub(crate) use {deletions::Deletions, lookup::look_up_by};

use crate::Error;

/// The longest text of one release, in UTF-8 bytes.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// The kind of a token, which decides how it is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum TokenKind {
    /// Everything else: a word, a short number, a symbol, an emoji, a word of another script.
    Word,
    /// A web address.
    Url,
    /// An e-mail address.
    Email,
    /// Seven digits or more: a phone, card or account number, a full date.
    Number,
    /// A span that a detector found, in whose place its kind stands.
    Redacted,
    /// A word that stays in clear because a public list of the app has it.
    Kept,
}

impl TokenKind {
    /// The kind's name in every language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Url => "url",
            Self::Email => "email",
            Self::Number => "number",
            Self::Redacted => "redacted",
            Self::Kept => "kept",
        }
    }
}

/// A stretch of a text: public layout, or a token that must not pass in clear.
#[derive(Clone, PartialEq, Eq)]
pub enum Piece {
    /// Characters of the layout alphabet, in canonical form.
    Layout(String),
    /// One unit of privacy.
    Token {
        /// What it is.
        kind: TokenKind,
        /// The token as it stands in the cleaned text; where its kind is `Redacted` or `Kept`, what takes its place.
        text: String,
    },
}

/// Shows layout, which is public, and no token.
impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layout(run) => f.debug_tuple("Layout").field(run).finish(),
            Self::Token { kind, .. } => f.debug_struct("Token").field("kind", kind).finish_non_exhaustive(),
        }
    }
}

impl Piece {
    /// Splits a text (NFKC is the caller's part) into layout and tokens.
    ///
    /// # Errors
    /// [`Error::TextTooLong`] above [`MAX_TEXT_BYTES`].
    pub fn split(text: &str) -> Result<Vec<Self>, Error> {
        Ok(pieces(&cleaned(text)?))
    }

    /// Whether another sentence may begin behind it: it is layout with a line break, or with white space behind a `.`, `!`
    /// or `?`.
    #[must_use]
    pub fn ends_sentence(&self) -> bool {
        matches!(self, Self::Layout(run) if segment::ends_sentence(run))
    }

    /// The words of a token, which are several where it has layout inside (`and/or`, `1983 1987`). For layout it is empty.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let token = match self {
            Self::Token { text, .. } => text,
            Self::Layout(_) => "",
        };
        token.split(clean::is_layout).filter(|word| !word.is_empty())
    }
}

/// A text in the form that is split, if it is not too long.
fn cleaned(text: &str) -> Result<String, Error> {
    if text.len() > MAX_TEXT_BYTES { Err(Error::TextTooLong) } else { Ok(clean(text)) }
}

/// The parts of a text besides layout that may leave in clear. By default nothing else does. A guarantee lists them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Disclosure {
    /// Words of the table's public list of function words ("the", "of", "was") stay as they are.
    pub function_words: bool,
    /// E-mail addresses, web addresses and long numbers become `[email]`, `[url]`, `[number]`.
    pub placeholders: bool,
    /// Less than unless told: of the layout only where sentences end. Words stand apart by one space.
    pub plain_layout: bool,
}

impl Disclosure {
    /// What people's texts start from: placeholders, since an address or a long number names somebody.
    #[must_use]
    pub const fn for_people() -> Self {
        Self { function_words: false, placeholders: true, plain_layout: false }
    }
}

/// Unicode normalization form NFKC: full-width letters, ligatures and compatibility forms become plain ones.
#[cfg(feature = "normalize")]
#[must_use]
pub fn normalize(text: &str) -> String {
    use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};
    match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => text.into(),
        _ => text.nfkc().collect(),
    }
}
