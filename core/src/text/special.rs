//! E-mail addresses, web addresses and long numbers: one token each, so that no part of them is layout.

use super::TokenKind;

/// A special token's kind and its byte range.
pub(super) type Special = (TokenKind, core::ops::Range<usize>);

/// Finds special tokens from the left, in linear time. A run that failed once is not tried again from its middle, where
/// the same end would refuse it again.
pub(super) struct Finder<'a> {
    text: &'a str,
    at: usize,
    no_email_before: usize,
    no_number_before: usize,
}

impl<'a> Finder<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, no_email_before: 0, no_number_before: 0 }
    }

    fn special_at(&mut self, start: usize) -> Option<Special> {
        let bytes = self.text.as_bytes();
        if let Some(end) = url(bytes, start) {
            return Some((TokenKind::Url, start..end));
        }
        if start >= self.no_email_before {
            match email(bytes, start) {
                Ok(end) => return Some((TokenKind::Email, start..end)),
                Err(run_end) => self.no_email_before = run_end,
            }
        }
        if start >= self.no_number_before && matches!(bytes.get(start), Some(b'+' | b'(' | b'0'..=b'9')) {
            match long_number(bytes, start) {
                Ok(end) => return Some((TokenKind::Number, start..end)),
                Err(run_end) => self.no_number_before = run_end,
            }
        }
        None
    }
}

impl Iterator for Finder<'_> {
    type Item = Special;

    fn next(&mut self) -> Option<Special> {
        while self.at < self.text.len() {
            let here = self.at;
            if may_start(self.text.as_bytes(), here)
                && let Some(special) = self.special_at(here)
            {
                self.at = special.1.end;
                return Some(special);
            }
            self.at += self.text.get(here..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        }
        None
    }
}

fn may_start(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"._%+-@".contains(byte))
}

/// The end of the run of bytes from `start` that `inside` accepts.
fn run(bytes: &[u8], start: usize, inside: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    start + rest.iter().position(|byte| !inside(*byte)).unwrap_or(rest.len())
}

/// `end`, moved back over bytes of `given_back`, not before `start`.
fn trimmed(bytes: &[u8], start: usize, mut end: usize, given_back: &[u8]) -> usize {
    while end > start && bytes.get(end - 1).is_some_and(|byte| given_back.contains(byte)) {
        end -= 1;
    }
    end
}

fn url(bytes: &[u8], start: usize) -> Option<usize> {
    const PREFIXES: [&[u8]; 4] = [b"http://", b"https://", b"ftp://", b"www."];
    let rest = bytes.get(start..)?;
    let prefix = PREFIXES
        .iter()
        .find(|prefix| rest.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix)))?;
    let body = start + prefix.len();
    let end = run(bytes, body, |byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'"' | b'<' | b'>'));
    let end = trimmed(bytes, body, end, b".,;:!?)'");
    (end > body).then_some(end)
}

/// The end of an e-mail address that starts here, or the end of a run without one.
fn email(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let run_end = run(bytes, start, |byte| !b" \t\n\"'<>()[]{},;:!?/\\|".contains(&byte));
    let end = trimmed(bytes, start, run_end, b".-");
    let address = bytes.get(start..end).unwrap_or_default();
    let domain = match address.iter().rposition(|byte| *byte == b'@') {
        Some(at) if at >= 1 => address.get(at + 1..).unwrap_or_default(),
        _ => return Err(run_end),
    };
    let inner = domain.get(1..domain.len().saturating_sub(1)).unwrap_or_default();
    if inner.contains(&b'.') { Ok(end) } else { Err(run_end) }
}

/// The end of seven digits or more that start here, or the end of the run of digits that is too short or goes
/// on as a word.
fn long_number(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let is = |at: usize, set: &[u8]| bytes.get(at).is_some_and(|byte| set.contains(byte));
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = start + usize::from(is(start, b"+"));
    at += usize::from(is(at, b"("));
    let mut digits = 0;
    let mut end = at;
    while is_digit(at) {
        end = run(bytes, at, |byte| byte.is_ascii_digit());
        digits += end - at;
        // A separator: `)`, one of `-.,'_ /` (spaces may stand around a dash or slash), `(`, in this order, at least one.
        at = end + usize::from(is(end, b")"));
        let is_spaced = is(at, b" ") && is(at + 1, b"-/") && is(at + 2, b" ");
        at += if is_spaced { 3 } else { usize::from(is(at, b"-.,'_ /")) };
        at += usize::from(is(at, b"("));
        if at == end {
            break;
        }
    }
    let goes_on = bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    if digits >= 7 && !goes_on { Ok(end) } else { Err(end) }
}
