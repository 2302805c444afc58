//! Spans that somebody's detector found, taken out before anything else sees the text.
//!
//! # Privacy
//! What stood in a span is not kept. A release is a function of what is left, of where spans stood in it, and of their
//! kinds: a span has no length, no words and no capital. Where spans stand is the detector's choice, which may depend on
//! the words around them. No guarantee covers it.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};
use core::fmt;

use super::segment::{Part, parts};
use super::{MAX_TEXT_BYTES, TokenKind, clean};
use crate::lists::WordLists;
use crate::{Error, Piece};

/// A span of a text that must not leave the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<'a> {
    /// Where it begins.
    pub start: usize,
    /// Where it ends: the place behind its last character.
    pub end: usize,
    /// What it is, as a name that leaves in clear: a letter, then up to 23 letters, digits and `-`. Capitals become small and
    /// `_` becomes `-`.
    pub kind: &'a str,
}

/// What the places of a [`Span`] count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offsets {
    /// Bytes of UTF-8, as in Rust.
    #[default]
    Bytes,
    /// Code points, as in Python.
    CodePoints,
    /// Units of UTF-16, as in JavaScript and Kotlin.
    Utf16,
}

impl Offsets {
    /// The byte at which a place lies, if a character of the text begins or the text ends there.
    fn byte_of(self, text: &str) -> impl Fn(usize) -> Option<usize> {
        let length: fn(char) -> usize = match self {
            Self::Bytes => char::len_utf8,
            Self::CodePoints => |_| 1,
            Self::Utf16 => char::len_utf16,
        };
        let mut places = Vec::new();
        let (mut place, mut byte) = (0, 0);
        for c in text.chars() {
            places.push((place, byte));
            (place, byte) = (place + length(c), byte + c.len_utf8());
        }
        places.push((place, byte));
        move |place| places.get(places.binary_search_by_key(&place, |(place, _)| *place).ok()?).map(|(_, byte)| *byte)
    }
}

/// A text from which spans were taken out. One that is made of a string alone has lost nothing, and no detector saw it.
#[derive(Clone)]
pub struct Redacted<'a> {
    /// What stands before, between and behind the spans.
    stretches: Vec<Cow<'a, str>>,
    /// What takes the place of each span: `[kind]`.
    placeholders: Vec<String>,
    is_detected: bool,
}

impl fmt::Debug for Redacted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redacted").finish_non_exhaustive()
    }
}

impl<'a> From<&'a str> for Redacted<'a> {
    fn from(text: &'a str) -> Self {
        Self { stretches: Vec::from([text.into()]), placeholders: Vec::new(), is_detected: false }
    }
}

impl<'a> From<&'a String> for Redacted<'a> {
    fn from(text: &'a String) -> Self {
        text.as_str().into()
    }
}

impl<'a> From<&'a Redacted<'_>> for Redacted<'a> {
    fn from(text: &'a Redacted<'_>) -> Self {
        let stretches = text.stretches.iter().map(|stretch| Cow::Borrowed(&**stretch)).collect();
        Self { stretches, placeholders: text.placeholders.clone(), ..*text }
    }
}

impl<'a> Redacted<'a> {
    /// Takes spans out, in whatever order they are given. Spans of one kind that overlap are one. A span inside another
    /// one goes with it. Without spans, the guarantee says all the same that a detector chose.
    ///
    /// # Errors
    /// [`Error::InvalidSpan`] for a span that is empty, out of range, ends within a character, or overlaps another one of
    /// another kind unless it lies inside; and for a kind that is no such name.
    pub fn new(text: &'a str, spans: &[Span<'_>], offsets: Offsets) -> Result<Self, Error> {
        let mut taken = Self { stretches: Vec::new(), placeholders: Vec::new(), is_detected: true };
        let mut at = 0;
        for Found { start, end, placeholder, .. } in merged(found(text, spans, offsets)?)? {
            taken.stretches.push(text.get(at..start).unwrap_or_default().into());
            taken.placeholders.push(placeholder);
            at = end;
        }
        taken.stretches.push(text.get(at..).unwrap_or_default().into());
        Ok(taken)
    }

    /// With each stretch in another form: for NFKC, which is the caller's part. It sees no span.
    #[must_use]
    pub fn map(self, form: impl Fn(&str) -> String) -> Redacted<'static> {
        let stretches = self.stretches.iter().map(|stretch| form(stretch).into()).collect();
        Redacted { stretches, placeholders: self.placeholders, is_detected: self.is_detected }
    }

    /// The text with a placeholder instead of each span.
    #[must_use]
    pub fn text(&self) -> String {
        let parts = self.stretches().flat_map(|(stretch, placeholder)| [stretch, placeholder.unwrap_or_default()]);
        parts.collect()
    }

    /// Whether a detector saw it.
    #[must_use]
    pub const fn is_detected(&self) -> bool {
        self.is_detected
    }

    /// What stands outside the spans, and what takes the place of the span behind it.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.stretches.iter().enumerate().map(|(place, stretch)| {
            let placeholder = self.placeholders.get(place).map(String::as_str);
            (&**stretch, placeholder)
        })
    }

    /// How many bytes it has without the spans.
    pub(crate) fn len(&self) -> usize {
        self.stretches.iter().map(|stretch| stretch.len()).sum()
    }

    /// In the form that is split.
    pub(crate) fn cleaned(&self) -> Result<Cleaned<'_>, Error> {
        if self.len() > MAX_TEXT_BYTES {
            return Err(Error::TextTooLong);
        }
        let (mut text, mut marks) = (String::with_capacity(self.len()), Vec::new());
        for (stretch, placeholder) in self.stretches() {
            text.push_str(&clean(stretch));
            if placeholder.is_some() {
                marks.push(text.len());
                text.push(MARK);
            }
        }
        Ok(Cleaned { text, marks, placeholders: &self.placeholders })
    }
}

/// What stands for a span while the text is split: a letter, so that the rest of a word or an address goes with it.
const MARK: char = 'x';

/// A text that may be released, in the form that is split.
pub(crate) struct Cleaned<'a> {
    text: String,
    /// Where each span's mark stands.
    marks: Vec<usize>,
    placeholders: &'a [String],
}

impl Cleaned<'_> {
    /// Hands out its parts, from left to right: a placeholder for each span instead of the token that has its mark, and
    /// words of the list as the list has them.
    pub(crate) fn parts<'a>(&'a self, lists: &'a WordLists, out: &mut dyn FnMut(Part<'a>)) {
        let (mut at, mut marks) = (0, self.marks.iter().zip(self.placeholders).peekable());
        parts(&self.text, &mut |part| {
            let (Part::Layout(run) | Part::Token(_, run)) = part;
            at += run.len();
            let mut is_hidden = false;
            while let Some((_, placeholder)) = marks.next_if(|(mark, _)| **mark < at) {
                is_hidden = true;
                out(Part::Token(TokenKind::Redacted, placeholder));
            }
            let kept = if matches!(part, Part::Token(TokenKind::Word, _)) { lists.kept(run) } else { None };
            if !is_hidden {
                out(kept.map_or(part, |form| Part::Token(TokenKind::Kept, form)));
            }
        });
    }

    /// The same, as a list.
    pub(crate) fn pieces(&self, lists: &WordLists) -> Vec<Piece> {
        let mut pieces = Vec::new();
        self.parts(lists, &mut |part| pieces.push(part.into()));
        pieces
    }
}

/// A span by its bytes.
struct Found {
    start: usize,
    end: usize,
    placeholder: String,
    /// Its place in the list.
    number: usize,
}

/// The spans by their bytes.
fn found(text: &str, spans: &[Span<'_>], offsets: Offsets) -> Result<Vec<Found>, Error> {
    let byte_of = offsets.byte_of(if spans.is_empty() { "" } else { text });
    let found = spans.iter().enumerate().map(|(number, Span { start, end, kind })| {
        let bytes = || Some((byte_of(*start)?, byte_of(*end)?, placeholder(kind)?));
        let (start, end, placeholder) =
            bytes().filter(|(start, end, _)| start < end).ok_or(Error::InvalidSpan(number))?;
        Ok(Found { start, end, placeholder, number })
    });
    found.collect()
}

/// The same in the order of the text and without overlaps.
fn merged(mut found: Vec<Found>) -> Result<Vec<Found>, Error> {
    sort(&mut found, |a, b| (&a.placeholder, a.start, a.number).cmp(&(&b.placeholder, b.start, b.number)));
    found.dedup_by(|one, before| {
        let is_one = one.placeholder == before.placeholder && one.start < before.end;
        before.end = if is_one { before.end.max(one.end) } else { before.end };
        is_one
    });
    sort(&mut found, |a, b| (a.start, Reverse(a.end), &a.placeholder).cmp(&(b.start, Reverse(b.end), &b.placeholder)));
    let mut merged: Vec<Found> = Vec::with_capacity(found.len());
    for one in found {
        match merged.last().filter(|outer| one.start < outer.end) {
            None => merged.push(one),
            Some(outer) if one.end <= outer.end && (one.start, one.end) != (outer.start, outer.end) => {}
            Some(_) => return Err(Error::InvalidSpan(one.number)),
        }
    }
    Ok(merged)
}

/// One sort for both orders: each is kilobytes of code.
fn sort(found: &mut [Found], order: fn(&Found, &Found) -> Ordering) {
    found.sort_unstable_by(order);
}

/// The longest kind, in bytes.
pub(crate) const LONGEST_KIND: usize = 24;

/// What takes the place of a span of this kind, if that is a public name.
pub(crate) fn placeholder(kind: &str) -> Option<String> {
    let is_name = kind.len() <= LONGEST_KIND
        && kind.starts_with(|c: char| c.is_ascii_alphabetic())
        && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let small = kind.bytes().map(|byte| if byte == b'_' { '-' } else { char::from(byte.to_ascii_lowercase()) });
    is_name.then(|| ['['].into_iter().chain(small).chain([']']).collect())
}
