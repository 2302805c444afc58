//! Layout and tokens: special tokens first, UAX #29 word boundaries between them.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::clean::is_layout;
use super::special::Finder;
use super::word_bounds::{Classes, word_bounds};
use super::{Piece, TokenKind};

/// A [`Piece`] where it stands in the cleaned text.
pub(crate) enum Part<'a> {
    Layout(&'a str),
    Token(TokenKind, &'a str),
}

impl From<Part<'_>> for Piece {
    fn from(part: Part<'_>) -> Self {
        match part {
            Part::Layout(run) => Self::Layout(run.to_string()),
            Part::Token(kind, token) => Self::Token { kind, text: token.to_string() },
        }
    }
}

/// Splits a cleaned text.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    parts(text, &mut |part| out.push(part.into()));
    out
}

/// Hands out the parts of a cleaned text, from left to right.
pub(super) fn parts<'a>(text: &'a str, out: &mut dyn FnMut(Part<'a>)) {
    let (mut at, mut classes) = (0, Classes::of_texts());
    for (kind, range) in Finder::new(text) {
        words(slice(text, (at, range.start)), &mut classes, out);
        at = range.end;
        out(Part::Token(kind, slice(text, (range.start, at))));
    }
    words(slice(text, (at, text.len())), &mut classes, out);
}

/// Behind which pieces a sentence ends and another one begins: layout with a line break, or with white space behind a
/// `.`, `!` or `?`, between tokens.
pub(crate) fn sentences(pieces: &[Piece]) -> Vec<usize> {
    let mut ends = Vec::new();
    let (mut end, mut has_token) = (None, false);
    for (place, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Layout(run) if has_token && ends_sentence(run) => end = Some(place + 1),
            Piece::Layout(_) => {}
            Piece::Token { .. } => {
                ends.extend(end.take());
                has_token = true;
            }
        }
    }
    ends
}

pub(super) fn ends_sentence(run: &str) -> bool {
    let behind = run.find(['.', '!', '?']).and_then(|place| run.get(place..)).unwrap_or_default();
    run.contains('\n') || behind.contains([' ', '\t'])
}

/// From where to where, in bytes.
type Span = (usize, usize);

fn slice(text: &str, (start, end): Span) -> &str {
    text.get(start..end).unwrap_or_default()
}

/// Segments a stretch without special tokens. Tokens merge only inside their stretch.
fn words<'a>(stretch: &'a str, classes: &mut Classes, out: &mut dyn FnMut(Part<'a>)) {
    // Neighbouring tokens. While this is empty, the bytes between `layout` and `at` are layout.
    let mut tokens: Vec<Span> = Vec::new();
    let (mut layout, mut at, mut after_symbols) = (0, 0, false);
    for segment in word_bounds(stretch, classes) {
        let span = (at, at + segment.len());
        at = span.1;
        let symbols = is_symbols(segment);
        if segment.chars().all(is_layout) {
            if !tokens.is_empty() {
                flush(stretch, &mut tokens, out);
                layout = span.0;
            }
        } else {
            if tokens.is_empty() && layout < span.0 {
                out(Part::Layout(slice(stretch, (layout, span.0))));
            }
            match tokens.last_mut() {
                Some(run) if symbols && after_symbols => run.1 = span.1,
                _ => tokens.push(span),
            }
        }
        after_symbols = symbols;
    }
    if tokens.is_empty() && layout < at {
        out(Part::Layout(slice(stretch, (layout, at))));
    }
    flush(stretch, &mut tokens, out);
}

/// Moves a run of neighbouring tokens out, signs joined to what they belong to.
fn flush<'a>(stretch: &'a str, tokens: &mut Vec<Span>, out: &mut dyn FnMut(Part<'a>)) {
    let mut emit = |span| out(Part::Token(TokenKind::Word, slice(stretch, span)));
    let mut joined: Option<Span> = None;
    for token in tokens.drain(..) {
        let joins = joined.is_some_and(|before| is_joined(slice(stretch, before), slice(stretch, token)));
        match &mut joined {
            Some(before) if joins => before.1 = token.1,
            _ => joined.replace(token).into_iter().for_each(&mut emit),
        }
    }
    joined.into_iter().for_each(emit);
}

/// Whether a token belongs to the one before: a name to its sign, a percent sign to its number.
fn is_joined(before: &str, token: &str) -> bool {
    is_sign_before(before, token) || token == "%" && starts_with_digit(before.strip_prefix(SIGNS).unwrap_or(before))
}

/// The signs that belong to what stands behind them: sums of money, handles, hashtags.
pub(super) const SIGNS: [char; 6] = ['$', '€', '£', '¥', '#', '@'];

/// `#` and `@` belong to any token, a currency sign to a number.
fn is_sign_before(sign: &str, token: &str) -> bool {
    match sign {
        "#" | "@" => true,
        "$" | "€" | "£" | "¥" => starts_with_digit(token),
        _ => false,
    }
}

fn starts_with_digit(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

/// Wholly of ASCII symbols outside the layout alphabet.
fn is_symbols(token: &str) -> bool {
    token.chars().all(|c| c.is_ascii_punctuation() && !is_layout(c))
}
