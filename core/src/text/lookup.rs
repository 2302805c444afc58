//! From a token to a row: the word itself, else a word of near spelling, else `None`. Deterministic.
//!
//! A token without a row is unknown. Its output does not depend on what it is.

use alloc::string::{String, ToString};
use core::cmp::Reverse;
use core::fmt;

use super::TokenKind;
use super::lowercase::lowercase;
use super::segment::SIGNS;
use crate::{Table, WordId};

/// How a token came to its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Found {
    /// It is a word of the vocabulary.
    Exact,
    /// A word of the vocabulary is spelled nearly like it.
    Near,
    /// No word of the vocabulary is like it.
    Unknown,
}

impl Found {
    /// The name in every language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Near => "near",
            Self::Unknown => "unknown",
        }
    }
}

/// The part of a token that the mechanism sees. `Debug` shows how it was found, and not the row: a row is a word.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading {
    /// The row that it stands for, or `None` if it is unknown.
    pub row: Option<WordId>,
    /// How it was found.
    pub found: Found,
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading").field("found", &self.found).finish_non_exhaustive()
    }
}

/// No longer spelling is looked for in the vocabulary.
const LONGEST_SPELLING: usize = 64;

/// Looks a token up. Addresses and long numbers are unknown.
#[must_use]
pub fn look_up(table: &Table, kind: TokenKind, token: &str) -> Reading {
    look_up_by(table, kind, token, |spelling| one_edit_away(table, spelling))
}

/// The same, where `one_edit_away` finds the most frequent word at edit distance 1, the first of equals.
pub(crate) fn look_up_by(
    table: &Table,
    kind: TokenKind,
    token: &str,
    one_edit_away: impl Fn(&str) -> Option<WordId>,
) -> Reading {
    let spelling = spelling(token);
    if kind == TokenKind::Word {
        let exact = table.find(&spelling);
        if exact.is_some() {
            return Reading { row: exact, found: Found::Exact };
        }
        let near = nearly(table, &spelling, one_edit_away);
        if near.is_some() {
            return Reading { row: near, found: Found::Near };
        }
    }
    Reading { row: None, found: Found::Unknown }
}

/// The word of the vocabulary that a token is, if it is one.
pub(crate) fn exactly(table: &Table, token: &str) -> Option<WordId> {
    table.find(&spelling(token))
}

/// A token as vocabularies spell it: small letters, and no zero-width joiner, which only hides a word.
pub fn spelling(token: &str) -> String {
    lowercase(token.chars().filter(|c| *c != '\u{200d}')).collect()
}

fn nearly(table: &Table, spelling: &str, one_edit_away: impl Fn(&str) -> Option<WordId>) -> Option<WordId> {
    let amount = spelling.strip_prefix(SIGNS).unwrap_or(spelling);
    let amount = amount.strip_suffix('%').unwrap_or(amount);
    let found = table.find(amount);
    if found.is_some() || amount.len() > LONGEST_SPELLING {
        return found;
    }
    let plain = fold(amount);
    let stem = plain.strip_suffix("'s").or_else(|| plain.strip_suffix('\'')).unwrap_or(&plain);
    if let Some(row) = table.find(&plain).or_else(|| table.find(stem)) {
        return Some(row);
    }
    if stem.starts_with(|c: char| c.is_ascii_digit()) {
        return rounded(table, stem);
    }
    let squeezed = table.find(&squeezed(stem, 2)).or_else(|| table.find(&squeezed(stem, 1)));
    squeezed.or_else(|| if may_be_misspelt(stem) { one_edit_away(stem) } else { None })
}

/// A whole number, with fewer and fewer digits kept: 4711, 4710, 4700, 4000.
fn rounded(table: &Table, spelling: &str) -> Option<WordId> {
    let whole: String = spelling.chars().filter(|c| *c != ',').take_while(char::is_ascii_digit).collect();
    let digits = whole.trim_start_matches('0');
    let mut number = if digits.is_empty() { "0" } else { digits }.to_string();
    for kept in (1..=number.len()).rev() {
        number.replace_range(kept.., &"0".repeat(number.len() - kept));
        if let Some(row) = table.find(&number) {
            return Some(row);
        }
    }
    None
}

/// `spelling` with runs of three or more equal characters shortened to `keep`.
fn squeezed(spelling: &str, keep: usize) -> String {
    let mut out = String::with_capacity(spelling.len());
    let mut rest = spelling;
    while let Some(c) = rest.chars().next() {
        let tail = rest.trim_start_matches(c);
        let run = (rest.len() - tail.len()) / c.len_utf8();
        out.extend(core::iter::repeat_n(c, if run >= 3 { keep } else { run }));
        rest = tail;
    }
    out
}

/// Whether a word at edit distance 1 may be meant.
fn may_be_misspelt(spelling: &str) -> bool {
    spelling.len() >= 4 && spelling.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'\'')
}

/// The most frequent word at edit distance 1, the first of equals.
fn one_edit_away(table: &Table, spelling: &str) -> Option<WordId> {
    let [first, rest @ ..] = spelling.as_bytes() else { return None };
    let mut best = None;
    let mut consider = |row: WordId| best = best.max(Some((table.zipf_step(row), Reverse(row))));
    // An edit behind the first letter leaves it as it is.
    table.words_with_first(*first, &mut |row, word| {
        if is_one_edit(spelling.as_bytes(), word.as_bytes()) {
            consider(row);
        }
    });
    // One of the first letter leaves the others. (Words are UTF-8, so that a letter takes the place of a letter.)
    let mut edited = String::with_capacity(spelling.len() + 1);
    for (head, tail) in edits_of_first(*first, rest) {
        edited.clear();
        edited.extend(head.iter().chain(tail).filter(|byte| **byte != NONE).map(|byte| char::from(*byte)));
        table.find(&edited).into_iter().for_each(&mut consider);
    }
    best.map(|(_, Reverse(row))| row)
}

/// No letter.
const NONE: u8 = 0;

/// The spellings with another first letter that are one edit away from `first` and `rest`, which are ASCII: how each begins,
/// and goes on.
fn edits_of_first(first: u8, rest: &[u8]) -> impl Iterator<Item = ([u8; 2], &[u8])> {
    let others = (b'!'..=b'~').filter(move |other| *other != first);
    let replaced_or_inserted = others.flat_map(move |other| [([other, NONE], rest), ([other, first], rest)]);
    let second = rest.split_first().filter(|(second, _)| **second != first);
    let removed_or_swapped = second.map(|(second, behind)| [([NONE; 2], rest), ([*second, first], behind)]);
    replaced_or_inserted.chain(removed_or_swapped.into_iter().flatten())
}

/// One insertion, deletion, substitution, or transposition of neighbours, exactly.
pub(super) fn is_one_edit(a: &[u8], b: &[u8]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let shared = short.iter().zip(long).take_while(|(p, q)| p == q).count();
    match (&short[shared..], &long[shared..]) {
        ([], tail) => tail.len() == 1,
        ([_, p @ ..], [_, q @ ..]) if p == q => true,
        ([p, q, rest @ ..], [r, s, tail @ ..]) if p == s && q == r && rest == tail => true,
        (rest, [_, tail @ ..]) => rest == tail,
        _ => false,
    }
}

/// Latin letters without their marks: "café" is read as "cafe".
fn fold(spelling: &str) -> String {
    let mut out = String::with_capacity(spelling.len());
    for c in spelling.chars() {
        match c {
            '\u{300}'..='\u{36f}' => {}
            '\u{df}'..='\u{17f}' => match base_letters(c) {
                Some(letters) => out.push_str(letters),
                None => out.push(c),
            },
            _ => out.push(c),
        }
    }
    out
}

fn base_letters(c: char) -> Option<&'static str> {
    Some(match c {
        'à'..='å' | 'À'..='Å' | 'ā' | 'ă' | 'ą' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => "i",
        'ĳ' => "ij",
        'ĵ' => "j",
        'ķ' | 'ĸ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ŀ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' | 'ŉ' | 'ŋ' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => "o",
        'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ſ' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ŧ' => "t",
        'þ' => "th",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => "u",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}

#[cfg(all(test, feature = "embedded-table"))]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_printed_reading_names_no_word() {
        let table = Table::english().expect("the built-in table");
        for (token, found) in [("chemotherapy", "Exact"), ("chemotherapyy", "Near"), ("qzxvw", "Unknown")] {
            let reading = look_up(&table, TokenKind::Word, token);
            assert_eq!(alloc::format!("{reading:?}"), alloc::format!("Reading {{ found: {found}, .. }}"));
        }
    }

    /// What is looked for among the words that begin alike and by the edits of the first letter is what a scan of
    /// the whole vocabulary finds.
    #[test]
    fn the_word_one_edit_away_is_the_one_that_a_scan_finds() {
        let table = Table::english().expect("the built-in table");
        let scanned = |spelling: &str| {
            let near = table.words().filter(|(_, word)| is_one_edit(spelling.as_bytes(), word.as_bytes()));
            near.map(|(row, _)| row).max_by_key(|row| (table.zipf_step(*row), Reverse(*row)))
        };
        #[cfg(feature = "bulk")]
        let (deletions, words) =
            (crate::text::Deletions::new(&table), table.words().map(|(_, word)| word).collect::<Vec<_>>());
        let mut found = 0;
        for (row, word) in table.words().step_by(97) {
            let bytes = word.as_bytes();
            if bytes.len() < 5 || !bytes.iter().all(u8::is_ascii_lowercase) {
                continue;
            }
            let turn = row.row() % bytes.len();
            let edited = |edit: &dyn Fn(&mut Vec<u8>)| {
                let mut bytes = bytes.to_vec();
                edit(&mut bytes);
                String::from_utf8(bytes).expect("ASCII")
            };
            for spelling in [
                edited(&|bytes| bytes[turn] = b'q'),
                edited(&|bytes| bytes[0] = b'x'),
                edited(&|bytes| bytes.insert(turn, b'z')),
                edited(&|bytes| bytes.insert(0, b'\'')),
                edited(&|bytes| _ = bytes.remove(turn)),
                edited(&|bytes| _ = bytes.remove(0)),
                edited(&|bytes| bytes.swap(0, 1)),
                edited(&|bytes| bytes.reverse()),
                word.to_string(),
            ] {
                assert_eq!(one_edit_away(&table, &spelling), scanned(&spelling), "{spelling}");
                #[cfg(feature = "bulk")]
                assert_eq!(
                    deletions.one_edit_away(&table, &spelling, |row| &words[row.row()]),
                    scanned(&spelling),
                    "{spelling}"
                );
                found += usize::from(scanned(&spelling).is_some());
            }
        }
        assert!(found > 1000);
    }
}
