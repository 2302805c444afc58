//! Layout and tokens: special tokens first, UAX #29 word boundaries between them.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::clean::is_layout;
use super::special::Finder;
use super::word_bounds::{Classes, word_bounds};
use super::{Piece, TokenKind};

/// Splits a cleaned text.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let (mut at, mut classes) = (0, Classes::default());
    for (kind, range) in Finder::new(text) {
        words(text.get(at..range.start).unwrap_or_default(), &mut classes, &mut out);
        at = range.end;
        out.push(Piece::Token { kind, text: text.get(range).unwrap_or_default().to_string() });
    }
    words(text.get(at..).unwrap_or_default(), &mut classes, &mut out);
    out
}

/// Segments a stretch without special tokens. Tokens merge only inside their stretch.
fn words(stretch: &str, classes: &mut Classes, out: &mut Vec<Piece>) {
    let mut tokens: Vec<String> = Vec::new();
    let mut after_symbols = false;
    for segment in word_bounds(stretch, classes) {
        let symbols = is_symbols(segment);
        if segment.chars().all(is_layout) {
            flush(&mut tokens, out);
            match out.last_mut() {
                Some(Piece::Layout(run)) => run.push_str(segment),
                _ => out.push(Piece::Layout(segment.to_string())),
            }
        } else {
            match tokens.last_mut() {
                Some(run) if symbols && after_symbols => run.push_str(segment),
                _ => tokens.push(segment.to_string()),
            }
        }
        after_symbols = symbols;
    }
    flush(&mut tokens, out);
}

/// Moves a run of neighbouring tokens out, signs joined to what they belong to.
fn flush(tokens: &mut Vec<String>, out: &mut Vec<Piece>) {
    let mut joined: Vec<String> = Vec::with_capacity(tokens.len());
    for token in tokens.drain(..) {
        match joined.last_mut() {
            Some(sign) if is_sign_before(sign, &token) => sign.push_str(&token),
            Some(amount) if token == "%" && starts_with_digit(amount.strip_prefix(SIGNS).unwrap_or(amount)) => {
                amount.push('%')
            }
            _ => joined.push(token),
        }
    }
    out.extend(joined.into_iter().map(|text| Piece::Token { kind: TokenKind::Word, text }));
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
