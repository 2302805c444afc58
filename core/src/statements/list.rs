//! A public list of statements with their vectors.
//!
//! # File format, version 1 (`.tvs`, little-endian)
//! | bytes | field |
//! | --- | --- |
//! | 0–7 | magic `TVEILSTM` |
//! | 8–9 | u16 version = 1 |
//! | 10–11 | u16 dimensions, 1…4096 |
//! | 12–15 | u32 statements, 2…65535 |
//! | 16–47 | SHA-256 that names the encoder: the identity of a [`TextEncoder`](crate::TextEncoder), or whatever an app
//!   gives its own; zeros in a list of answers, which people choose |
//! | 48–79 | SHA-256 of bytes 0–47 and 80…end: the identity of the list |
//! | 80–83 | u32 number of the statement for texts that fit nothing; 2³² − 1 without such a statement |
//! | 84–87 | u32 last dimensions that do not count for the next number, less than all; 0 without such a statement |
//! | 88–95 | f64 least cosine of a text that fits, −1…1; 0 where there is no such statement |
//! | 96… | int8 vectors, one after the other, none of them null |
//! | | UTF-8 lines, one a statement, each ended by `\n`: not empty, no space at the beginning, no control characters, no two
//!   alike |

use alloc::borrow::Cow;
use alloc::collections::{BTreeSet, BinaryHeap};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

use super::fit::fitted;
use crate::table::bytes::{f64_at, u16_at, u32_at};
use crate::{Error, FileId, sha256};

const MAGIC: &[u8; 8] = b"TVEILSTM";
const VERSION: u16 = 1;
const HEADER: usize = 96;
const NONE: u32 = u32::MAX;

/// A list of statements. Cloning is cheap: what it holds is shared.
#[derive(Clone)]
pub struct StatementList(Arc<List>);

struct List {
    id: FileId,
    encoder: FileId,
    dims: usize,
    /// One after the other.
    vectors: Vec<i8>,
    statements: Vec<String>,
    otherwise: Option<Otherwise>,
}

/// The statement for texts that fit nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Otherwise {
    /// Its number in the list.
    pub statement: usize,
    /// A text fits if the cosine to some statement is at least this.
    pub least_cosine: f64,
    /// How many of the last dimensions do not count for that cosine: [`crate::TextEncoder::polarity_dims`]. 0 of other
    /// encoders.
    pub left_out: usize,
}

impl Otherwise {
    /// The least cosine where none is named, for the English encoder: most texts on the list's subject fit.
    pub const USUAL_LEAST_COSINE: f64 = 0.35;
}

impl fmt::Debug for StatementList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StatementList({} statements, {})", self.len(), self.id())
    }
}

impl StatementList {
    /// Most statements.
    pub const MAX_LENGTH: usize = 65_535;
    /// Most dimensions of a vector.
    pub const MAX_DIMS: usize = 4096;
    /// What a list of answers has in place of an encoder.
    pub const NO_ENCODER: FileId = FileId::new([0; 32]);

    /// Reads the file of a list.
    ///
    /// # Errors
    /// [`Error::BadStatements`] with the rule that the bytes break. No input makes it panic.
    pub fn parse<'a>(bytes: impl Into<Cow<'a, [u8]>>) -> Result<Self, Error> {
        List::parse(&bytes.into()).map(|list| Self(Arc::new(list))).map_err(Error::BadStatements)
    }

    /// The file of a list: `parse` reads it back. Each line is a statement or, if it [is indented](Self::is_phrasing),
    /// another phrasing of the statement above. `vectors` has `dims` values for each line, and only their direction counts.
    /// A list with phrasings has vectors that tell its statements apart (`fit.rs`). The phrasings are not in the file.
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`] for another number of values. [`Error::BadStatement`] with the first line that breaks a
    /// rule. [`Error::InvalidStatementVector`] with the line of a null vector, also one that opposite phrasings leave, or of what
    /// is no number. [`Error::BadStatements`] with the rule that the list breaks as a whole.
    pub fn file(
        lines: &[&str],
        vectors: &[f64],
        dims: usize,
        encoder: FileId,
        otherwise: Option<Otherwise>,
    ) -> Result<Vec<u8>, Error> {
        if vectors.len() != lines.len() * dims || dims == 0 {
            return Err(Error::DimensionMismatch);
        }
        check(lines)?;
        let numbered = (1_usize..).zip(lines.iter().copied()).filter(|(_, line)| !Self::is_phrasing(line));
        let (places, statements): (Vec<usize>, Vec<&str>) = numbered.unzip();
        let null = if statements.len() < lines.len() { CANCELLED } else { NULL };
        let fitted =
            if statements.len() < lines.len() { Some(fit(lines, vectors, statements.len(), dims)?) } else { None };
        let vectors = fitted.as_deref().unwrap_or(vectors);
        let mut file = MAGIC.to_vec();
        file.extend(VERSION.to_le_bytes());
        file.extend(u16::try_from(dims).map_err(|_| Error::BadStatements(DIMENSIONS))?.to_le_bytes());
        file.extend(u32::try_from(statements.len()).map_err(|_| Error::BadStatements(LENGTH))?.to_le_bytes());
        file.extend(encoder.as_bytes());
        file.extend([0; 32]);
        let number = |it| u32::try_from(it).ok().filter(|it| *it != NONE).ok_or(Error::BadStatements(OTHERWISE));
        let (number, left_out, least) = match otherwise {
            Some(it) => (number(it.statement)?, number(it.left_out)?, it.least_cosine),
            None => (NONE, 0, 0.0),
        };
        file.extend(number.to_le_bytes());
        file.extend(left_out.to_le_bytes());
        file.extend(least.to_le_bytes());
        for (line, vector) in places.into_iter().zip(vectors.chunks(dims)) {
            let direction = direction_of(line, vector, null)?;
            file.extend(steps(&direction).map(i8::cast_unsigned));
        }
        for statement in statements {
            file.extend(statement.bytes().chain([b'\n']));
        }
        let id = identity(&file);
        file.get_mut(48..80).ok_or(Error::BadStatements(SHORT))?.copy_from_slice(id.as_bytes());
        Self::parse(&*file)?;
        Ok(file)
    }

    /// Whether a line of [`StatementList::file`] begins with a space or a tab: then it is another phrasing of the statement
    /// above.
    #[must_use]
    pub fn is_phrasing(line: &str) -> bool {
        line.starts_with([' ', '\t'])
    }

    /// Its identity, by which a guarantee names it.
    #[must_use]
    pub fn id(&self) -> FileId {
        self.0.id
    }

    /// Whether the statements are the answers of a question: a person chooses one, and no encoder finds it.
    #[must_use]
    pub fn is_of_answers(&self) -> bool {
        self.0.encoder == Self::NO_ENCODER
    }

    /// The ε of one statement where none is named: [`Statements::USUAL_EPSILON`](super::Statements::USUAL_EPSILON), or that of
    /// an answer.
    #[must_use]
    pub fn usual_epsilon(&self) -> f64 {
        if self.is_of_answers() {
            super::Statements::USUAL_EPSILON_OF_ANSWERS
        } else {
            super::Statements::USUAL_EPSILON
        }
    }

    /// How many statements are near to a text, if nothing is said:
    /// [`Statements::usual_near`](super::Statements::usual_near). An answer is near to itself alone.
    #[must_use]
    pub fn usual_near(&self, epsilon: f64) -> usize {
        if self.is_of_answers() { 1 } else { super::Statements::usual_near(self.len(), epsilon) }
    }

    /// The identity of the encoder that made the vectors, or [`StatementList::NO_ENCODER`].
    #[must_use]
    pub fn encoder(&self) -> FileId {
        self.0.encoder
    }

    /// Number of statements: at least 2.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.statements.len()
    }

    /// Always false.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of dimensions of a vector.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.0.dims
    }

    /// The statement of a number, if there is one.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&str> {
        self.0.statements.get(number).map(String::as_str)
    }

    /// The number of the statement that a text is. White space around the text does not count.
    #[must_use]
    pub fn number_of(&self, text: &str) -> Option<usize> {
        self.iter().position(|statement| statement == text.trim())
    }

    /// Whether a text is `count` statements, with a space between them.
    #[must_use]
    pub fn has_made(&self, text: &str, count: usize) -> bool {
        self.parts(text, count).is_some()
    }

    /// The numbers of the `count` statements that make up a text, with a space between them. If a text can be cut in several
    /// ways, the smallest numbers come first. An empty text is made of 0 statements, and no other text is.
    #[must_use]
    pub fn parts(&self, text: &str, count: usize) -> Option<Vec<usize>> {
        // The ends that were reached, each with the cut before it and with the statement between both.
        let mut cuts = alloc::vec![Cut { left: text, before: 0, number: 0 }];
        // Those behind as many statements as were tried. Smaller numbers come first, so that the first cut at an end stays.
        let mut newest = 0..cuts.len();
        for place in 0..count {
            let mut ends = BTreeSet::new();
            for before in newest.clone() {
                let left = cuts[before].left;
                let rest = if place == 0 { Some(left) } else { left.strip_prefix(' ') };
                let Some(rest) = rest else { continue };
                for (number, statement) in self.iter().enumerate() {
                    if let Some(left) = rest.strip_prefix(statement)
                        && ends.insert(left.len())
                    {
                        cuts.push(Cut { left, before, number });
                    }
                }
            }
            newest = newest.end..cuts.len();
            if newest.is_empty() {
                return None;
            }
        }
        let mut cut = newest.find(|cut| cuts[*cut].left.is_empty())?;
        let mut numbers = Vec::new();
        for _ in 0..count {
            numbers.push(cuts[cut].number);
            cut = cuts[cut].before;
        }
        numbers.reverse();
        Some(numbers)
    }

    /// The statements, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.statements.iter().map(String::as_str)
    }

    /// The vector of a statement, if there is one.
    #[must_use]
    pub fn vector(&self, number: usize) -> Option<&[i8]> {
        self.0.vectors.chunks(self.0.dims).nth(number)
    }

    /// The statement for texts that fit nothing, if the list has one.
    #[must_use]
    pub fn otherwise(&self) -> Option<Otherwise> {
        self.0.otherwise
    }

    /// The cosine of a vector to each statement; none if the vector is null.
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`]; [`Error::InvalidVector`] for what is no number.
    pub fn cosines(&self, vector: &[f64]) -> Result<Option<Vec<f64>>, Error> {
        if vector.len() != self.dims() {
            return Err(Error::DimensionMismatch);
        }
        self.first_cosines(vector)
    }

    /// The largest cosine of a vector to a statement, by which a text fits or not. The last dimensions that a list leaves out
    /// do not count. `None`: the vector, or every statement, is null in the others.
    ///
    /// # Errors
    /// As [`StatementList::cosines`].
    pub fn largest_cosine(&self, vector: &[f64]) -> Result<Option<f64>, Error> {
        if vector.len() != self.dims() {
            return Err(Error::DimensionMismatch);
        }
        let left_out = self.otherwise().map_or(0, |otherwise| otherwise.left_out);
        let counted = &vector[..self.dims() - left_out];
        Ok(self
            .first_cosines(counted)?
            .and_then(|cosines| cosines.into_iter().filter(|x| !x.is_nan()).reduce(f64::max)))
    }

    /// The cosines in as many of the first dimensions as the vector has. The cosine to a null vector is NaN.
    fn first_cosines(&self, vector: &[f64]) -> Result<Option<Vec<f64>>, Error> {
        let Some(direction) = direction(vector).ok_or(Error::InvalidVector)? else { return Ok(None) };
        // Adding 0 takes the sign from a zero: equal cosines compare as equal.
        let cosine = |row: &[i8]| {
            let (mut product, mut square) = (0.0, 0.0);
            for (step, x) in row.iter().map(|step| f64::from(*step)).zip(&direction) {
                product += step * x;
                square += step * step;
            }
            product / libm::sqrt(square) + 0.0
        };
        Ok(Some(self.0.vectors.chunks(self.0.dims).map(cosine).collect()))
    }

    /// The statements by falling cosine, the first of equals first, as many as are asked for. A text that fits nothing
    /// is taken for its statement, if the list has one; none come of a null vector otherwise.
    ///
    /// # Errors
    /// As [`StatementList::cosines`].
    pub fn nearest(&self, vector: &[f64], count: usize) -> Result<Vec<usize>, Error> {
        let mut cosines = self.cosines(vector)?;
        if let Some(Otherwise { statement, least_cosine, .. }) = self.otherwise()
            && self.largest_cosine(vector)?.is_none_or(|cosine| cosine < least_cosine)
        {
            cosines = self.cosines(&self.direction(statement))?;
        }
        Ok(first(cosines.unwrap_or_default(), count))
    }

    /// What a person may have meant: the `count` statements of largest cosine, whether the text fits or not, and the one
    /// for texts that fit nothing, last. For the device alone: they say more of a text than a release.
    ///
    /// # Errors
    /// As [`StatementList::cosines`].
    pub fn suggested(&self, vector: &[f64], count: usize) -> Result<Vec<usize>, Error> {
        let otherwise = self.otherwise().map(|otherwise| otherwise.statement);
        let mut found = first(self.cosines(vector)?.unwrap_or_default(), count.saturating_add(1));
        found.retain(|number| Some(*number) != otherwise);
        found.truncate(count);
        found.extend(otherwise);
        Ok(found)
    }

    /// The `count` statements nearest to one of the list, itself among them.
    pub(super) fn around(&self, number: usize, count: usize) -> Result<Vec<usize>, Error> {
        let mut found = first(self.cosines(&self.direction(number))?.unwrap_or_default(), count);
        // Others may have the same vector.
        if !found.contains(&number) {
            found.pop();
            found.push(number);
        }
        Ok(found)
    }

    fn direction(&self, number: usize) -> Vec<f64> {
        self.vector(number).unwrap_or_default().iter().map(|step| f64::from(*step)).collect()
    }
}

/// An end of a statement in a text that is cut into statements.
struct Cut<'a> {
    /// What stands behind it.
    left: &'a str,
    /// The cut before it.
    before: usize,
    /// The statement between both.
    number: usize,
}

/// The numbers of the largest cosines, the first of equals first.
fn first(cosines: Vec<f64>, count: usize) -> Vec<usize> {
    // The farthest of those that are kept is on top. (A heap is a fifth of the code of a sort.)
    let mut kept = BinaryHeap::with_capacity(count.min(cosines.len()) + 1);
    for (number, cosine) in cosines.into_iter().enumerate() {
        kept.push(Far { cosine, number });
        if kept.len() > count {
            kept.pop();
        }
    }
    kept.into_sorted_vec().into_iter().map(|far| far.number).collect()
}

/// A statement by its distance: a larger cosine is less far, and so is the first of equals.
struct Far {
    cosine: f64,
    number: usize,
}

impl Ord for Far {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cosine.total_cmp(&self.cosine).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Far {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Far {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Far {}

/// A vector of length 1, up to rounding; `Some(None)` if it is null, none if it holds what is no number.
fn direction(vector: &[f64]) -> Option<Option<Vec<f64>>> {
    let largest = vector.iter().fold(0.0, |most: f64, x| most.max(libm::fabs(*x)));
    if vector.iter().any(|x| !x.is_finite()) {
        return None;
    }
    if largest == 0.0 {
        return Some(None);
    }
    // Neither overflows nor vanishes.
    let scaled: Vec<f64> = vector.iter().map(|x| x / largest).collect();
    let length = libm::sqrt(scaled.iter().map(|x| x * x).sum());
    Some(Some(scaled.into_iter().map(|x| x / length).collect()))
}

/// The direction of a line's vector. `null` says why it may be null.
fn direction_of(line: usize, vector: &[f64], null: &'static str) -> Result<Vec<f64>, Error> {
    let invalid = |rule| Error::InvalidStatementVector { line, rule };
    direction(vector).ok_or(invalid(NOT_FINITE))?.ok_or(invalid(null))
}

/// The vectors of the statements that come of all lines. The first line is a statement.
fn fit(lines: &[&str], vectors: &[f64], statements: usize, dims: usize) -> Result<Vec<f64>, Error> {
    let mut examples = Vec::with_capacity(vectors.len());
    for (line, vector) in (1..).zip(vectors.chunks(dims)) {
        examples.extend(direction_of(line, vector, NULL)?);
    }
    let mut seen = 0_usize;
    let of = lines.iter().map(|line| {
        seen += usize::from(!StatementList::is_phrasing(line));
        seen.saturating_sub(1)
    });
    Ok(fitted(&examples, &of.collect::<Vec<_>>(), statements, dims))
}

/// A direction as int8: its largest coordinate is 127 either way.
fn steps(direction: &[f64]) -> impl Iterator<Item = i8> {
    let largest = direction.iter().fold(0.0, |most: f64, x| most.max(libm::fabs(*x)));
    direction.iter().map(move |x| libm::rint(x / largest * 127.0) as i8)
}

/// Refuses lines that no list can have, by the first of them.
fn check(lines: &[&str]) -> Result<(), Error> {
    let mut statements = BTreeSet::new();
    for (line, text) in (1..).zip(lines.iter().copied()) {
        let rule = if StatementList::is_phrasing(text) {
            statements.is_empty().then_some("another phrasing, with no statement above it")
        } else {
            broken(text).or_else(|| (!statements.insert(text)).then_some(TWICE))
        };
        if let Some(rule) = rule {
            return Err(Error::BadStatement { line, rule });
        }
    }
    Ok(())
}

/// The rule that a statement breaks by itself, if it breaks one.
fn broken(statement: &str) -> Option<&'static str> {
    if statement.trim().is_empty() {
        return Some("a statement is empty");
    }
    if statement.starts_with(' ') {
        return Some("a statement begins with a space");
    }
    statement.chars().any(char::is_control).then_some("a statement holds a control character")
}

/// SHA-256 of the whole file but the checksum itself.
fn identity(file: &[u8]) -> FileId {
    FileId::new(sha256(&[file.get(..48).unwrap_or_default(), file.get(80..).unwrap_or_default()]))
}

const SHORT: &str = "shorter than its header and its vectors";
const DIMENSIONS: &str = "the number of dimensions is out of range";
const LENGTH: &str = "a list has 2 to 65535 statements";
const OTHERWISE: &str = "what stands for texts that fit nothing is out of range";
const TWICE: &str = "a statement appears twice";
const NULL: &str = "its vector is null, as that of a text without a word that the encoder knows";
const CANCELLED: &str = "the vectors of the statement and of its phrasings cancel each other out";
const NOT_FINITE: &str = "its vector holds what is not a finite number";

impl List {
    fn parse(file: &[u8]) -> Result<Self, &'static str> {
        let header = file.get(..HEADER).ok_or(SHORT)?;
        if !header.starts_with(MAGIC) {
            return Err("not a list of statements");
        }
        if u16_at(file, 8) != Some(VERSION) {
            return Err("a version that this reader does not know");
        }
        let [encoder, id] = [16, 48].map(|at| header.get(at..at + 32).and_then(|bytes| bytes.try_into().ok()));
        let (encoder, id) = (FileId::new(encoder.ok_or(SHORT)?), FileId::new(id.ok_or(SHORT)?));
        if id != identity(file) {
            return Err("the checksum does not match");
        }
        let dims = usize::from(u16_at(file, 10).unwrap_or(0));
        if !(1..=StatementList::MAX_DIMS).contains(&dims) {
            return Err(DIMENSIONS);
        }
        let length = u32_at(file, 12).unwrap_or(0) as usize;
        if !(2..=StatementList::MAX_LENGTH).contains(&length) {
            return Err(LENGTH);
        }
        let least_cosine = f64_at(file, 88).unwrap_or(f64::NAN);
        let left_out = u32_at(file, 84).unwrap_or(u32::MAX) as usize;
        let otherwise = match u32_at(file, 80) {
            Some(NONE) if least_cosine == 0.0 && left_out == 0 => None,
            Some(number) if (number as usize) < length && (-1.0..=1.0).contains(&least_cosine) && left_out < dims => {
                Some(Otherwise { statement: number as usize, least_cosine, left_out })
            }
            _ => return Err(OTHERWISE),
        };
        let (vectors, text) = file.get(HEADER..).and_then(|rest| rest.split_at_checked(dims * length)).ok_or(SHORT)?;
        let vectors: Vec<i8> = vectors.iter().map(|byte| byte.cast_signed()).collect();
        if vectors.chunks(dims).any(|row| row.iter().all(|step| *step == 0)) {
            return Err("a vector is null");
        }
        Ok(Self { id, encoder, dims, vectors, statements: statements(text, length)?, otherwise })
    }
}

fn statements(text: &[u8], length: usize) -> Result<Vec<String>, &'static str> {
    let text = core::str::from_utf8(text).map_err(|_| "the statements are not UTF-8")?;
    let lines = text.strip_suffix('\n').ok_or("the last statement is cut off")?;
    let statements: Vec<String> = lines.split('\n').map(String::from).collect();
    if statements.len() != length {
        return Err("there are not as many statements as vectors");
    }
    // One message for all three: a page's module counts its bytes, and only a file that textveil did not write breaks them.
    if statements.iter().any(|statement| broken(statement).is_some()) {
        return Err("a statement is empty, begins with a space or holds a control character");
    }
    let sorted = statements.iter().collect::<BinaryHeap<_>>().into_sorted_vec();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(TWICE);
    }
    Ok(statements)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(lines: &[&str]) -> StatementList {
        let vectors: Vec<f64> = (0..lines.len()).flat_map(|_| [1.0, 0.0]).collect();
        let file = StatementList::file(lines, &vectors, 2, FileId::new([3; 32]), None).expect("a list");
        StatementList::parse(file).expect("what was written")
    }

    #[test]
    fn a_text_that_can_be_cut_in_several_ways_has_the_smallest_numbers() {
        let list = list(&["A.", "A. A.", "A. A. A.", "B."]);
        assert_eq!(list.parts("B. A. A. B.", 3), Some(alloc::vec![3, 1, 3]));
        assert_eq!(list.parts("B. A. A. B.", 4), Some(alloc::vec![3, 0, 0, 3]));
        assert_eq!(list.parts("A. A. A. A.", 2), Some(alloc::vec![0, 2]), "not [1, 1] and not [2, 0]");
        assert_eq!(list.parts("A. A. A. A. A.", 3), Some(alloc::vec![0, 0, 2]));
        assert_eq!(list.parts("A.", 1), Some(alloc::vec![0]));
    }

    #[test]
    fn a_text_with_another_number_of_statements_or_with_something_else_has_no_parts() {
        let list = list(&["A.", "A. A.", "A. A. A.", "B."]);
        for (text, count) in [
            // Too few and too many.
            ("B. A. A. B.", 2),
            ("B. A. A. B.", 5),
            ("A.", usize::MAX),
            // Each cut ends before what is no statement.
            ("A. A. A. C.", 2),
            ("A. A. A. C.", 4),
            ("C. A.", 2),
            ("A.A.", 2),
            ("A. ", 1),
            ("A. ", 2),
            (" A.", 1),
            // A statement is never empty.
            ("", 1),
            ("A.", 0),
        ] {
            assert_eq!(list.parts(text, count), None, "{text:?} {count}");
            assert!(!list.has_made(text, count), "{text:?} {count}");
        }
        assert_eq!(list.parts("", 0), Some(Vec::new()));
        assert!(list.has_made("", 0));
    }

    /// Of both texts there are more ways than can be tried one by one.
    #[test]
    fn a_long_text_of_statements_that_begin_alike_is_cut_in_no_time() {
        let list = list(&["A.", "A. A.", "A. A. A.", "B."]);
        let long = "A. ".repeat(64);
        let parts = list.parts(&(long.clone() + "B."), 33).expect("statements");
        assert_eq!((parts.len(), parts[0], parts[32]), (33, 0, 3));
        let made: Vec<&str> = parts.iter().filter_map(|number| list.get(*number)).collect();
        assert_eq!(made.join(" "), long.clone() + "B.");
        assert_eq!(list.parts(&(long + "C."), 33), None);
    }
}
