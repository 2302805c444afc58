//! Word classes: a public partition of the vocabulary (names, places, verbs, …).
//!
//! u32 count, u32 zero; a byte a row, its class; then the classes' names, each one line of
//! `[a-z][a-z0-9-]*` ended by `\n`.

use super::bytes::u32_at;
use super::is_offered;

const MAX_CLASSES: usize = 64;
const MAX_NAME_BYTES: usize = 31;
const HEAD: usize = 8;

/// A class of words of the table, such as its place names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordClass(pub(super) u8);

impl WordClass {
    /// The class's number, from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of classes; 0 if there is no section.
pub(super) fn count(section: &[u8]) -> usize {
    u32_at(section, 0).unwrap_or(0) as usize
}

pub(super) fn of(section: &[u8], rows: usize, row: usize) -> Option<WordClass> {
    section.get(HEAD..HEAD + rows)?.get(row).copied().map(WordClass)
}

pub(super) fn name(section: &[u8], rows: usize, class: WordClass) -> Option<&str> {
    let names = core::str::from_utf8(section.get(HEAD + rows..)?).ok()?;
    names.lines().nth(class.index())
}

/// Every row has a class, every class a row that may be put out and a name of its own.
pub(super) fn check(section: &[u8], flags: &[u8]) -> Result<(), &'static str> {
    let count = count(section);
    if !(1..=MAX_CLASSES).contains(&count) || u32_at(section, 4) != Some(0) {
        return Err("CLAS has a number of classes out of range, or a reserved field that is not zero");
    }
    let rest = section.get(HEAD..).unwrap_or_default();
    let (classes, names) = rest.split_at_checked(flags.len()).ok_or("CLAS is cut off")?;
    let mut offered = 0u64;
    for (class, flag) in classes.iter().zip(flags) {
        if usize::from(*class) >= count {
            return Err("a word of a class that is not there");
        }
        offered |= u64::from(is_offered(*flag)) << class;
    }
    if offered.count_ones() as usize != count {
        return Err("a class without a word that may be put out");
    }
    let mut left = names;
    for n in 0..count {
        let length = left.iter().position(|byte| *byte == b'\n').unwrap_or(0);
        let (name, rest) = left.split_at(length);
        let is_taken = names.split(|byte| *byte == b'\n').take(n).any(|before| before == name);
        if !is_name(name) || is_taken {
            return Err("a class has no name, one that is not allowed or that of another");
        }
        left = rest.get(1..).unwrap_or_default();
    }
    if left.is_empty() { Ok(()) } else { Err("bytes behind the last class's name") }
}

fn is_name(name: &[u8]) -> bool {
    name.len() <= MAX_NAME_BYTES
        && name.first().is_some_and(u8::is_ascii_lowercase)
        && name.iter().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}
