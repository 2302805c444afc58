//! The table: a public vocabulary with int8 vectors on one scale. `file` has its format.

pub(crate) mod bytes;
mod certificates;
mod classes;
mod file;
mod flags;
mod nearest;
mod rows;
mod words;

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::digest::Hex;
use crate::draw::kernel::{Kernel, LANES, Query, Rows};
use crate::{Error, Mechanism, MechanismKind, Parameter, Prior, mechanism};
pub use certificates::Certificate;
use certificates::Certificates;
pub use classes::WordClass;
pub use flags::Flags;
#[cfg(feature = "all-mechanisms")]
pub(crate) use nearest::Nearest;
use nearest::clip;
pub use words::Word;

/// A row of the table, and the word that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordId(pub(crate) u32);

impl WordId {
    /// The row's number, from 0.
    #[inline]
    #[must_use]
    pub const fn row(self) -> usize {
        self.0 as usize
    }
}

/// The SHA-256 that stands in the header of a table, a text encoder or a list of statements: the file's public identity.
/// Shown as hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId([u8; 32]);

impl FileId {
    /// The identity of these bytes.
    #[must_use]
    pub const fn new(sha256: [u8; 32]) -> Self {
        Self(sha256)
    }

    /// Its bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The identity that is shown exactly like this: as 64 hexadecimal digits in small letters.
    #[must_use]
    pub fn from_hex(hex: &str) -> Option<Self> {
        let digit = |digit: u8| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        };
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks(2)) {
            let [high, low] = *pair else { return None };
            *byte = digit(high)? << 4 | digit(low)?;
        }
        (hex.len() == 64).then_some(Self(bytes))
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Hex(&self.0), f)
    }
}

impl fmt::Debug for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A point that a slider can stand on: a mechanism, its parameter, and what it does to words on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Which mechanism the level is for.
    pub kind: MechanismKind,
    /// Metric-DP parameter, per unit of the table's distance.
    pub eta: f64,
    /// Share of the vocabulary that comes out unchanged (uniform prior), as measured when the table was
    /// built.
    pub retention: f64,
    /// The same, with every word weighted by its frequency in the language.
    pub retention_by_frequency: f64,
}

impl Level {
    /// The mechanism at this level.
    ///
    /// # Errors
    /// None for a level that a table holds.
    pub fn mechanism(self) -> Result<Mechanism, Error> {
        Mechanism::new(self.kind).with(Parameter::Eta, self.eta)
    }
}

/// A vocabulary with its vectors. Cloning is cheap: the bytes are shared.
#[derive(Clone)]
pub struct Table {
    inner: Arc<Inner>,
    kernel: Kernel,
}

struct Inner {
    bytes: Cow<'static, [u8]>,
    dims: usize,
    rows: usize,
    scale: f64,
    id: FileId,
    vectors: Range<usize>,
    words: Range<usize>,
    flags: Range<usize>,
    zipf: Range<usize>,
    classes: Range<usize>,
    meta: Range<usize>,
    levels: Vec<Level>,
    certificate_section: Range<usize>,
    certificates: Certificates,
    /// Squared norm of each row, by block.
    norms: Vec<[i32; LANES]>,
    radius_squared: u32,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { rows, dims, id, .. } = &*self.inner;
        write!(f, "Table({rows} words, {dims} dimensions, {id})")
    }
}

impl Table {
    /// The English table that the crate carries.
    ///
    /// # Errors
    /// Never in a build whose tests pass. The checksum is verified all the same.
    #[cfg(feature = "embedded-table")]
    pub fn english() -> Result<Self, Error> {
        Self::parse(include_bytes!("../data/english.tvt").as_slice())
    }

    /// Most dimensions of a vector.
    pub const MAX_DIMS: usize = 384;
    /// Most words.
    pub const MAX_ROWS: usize = 1 << 17;

    /// Reads a table file, without copying it.
    ///
    /// # Errors
    /// [`Error::BadTable`] with the rule that the bytes break. No input makes it panic.
    pub fn parse(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, Error> {
        Inner::parse(bytes.into()).map_err(Error::BadTable).map(Self::of)
    }

    fn of(inner: Inner) -> Self {
        Self { inner: Arc::new(inner), kernel: Kernel::fastest() }
    }

    /// The same table, scanned by another kernel than the fastest: for measurements and tests.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }

    /// The kernel that scans the table.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.rows
    }

    /// Always false: a table has at least one word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of dimensions of a vector.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.inner.dims
    }

    /// Length of one lattice step: real coordinate = scale × int8.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.inner.scale
    }

    /// The table's checksum, by which a guarantee names it.
    #[must_use]
    pub fn id(&self) -> FileId {
        self.inner.id
    }

    /// The value of a `key=value` line of the table's description.
    #[must_use]
    pub fn meta(&self, key: &str) -> Option<&str> {
        let text = core::str::from_utf8(self.section(&self.inner.meta)).ok()?;
        text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
    }

    /// The certificates of the channels that the table stores, by mechanism and ascending η.
    #[must_use]
    pub fn certificates(&self) -> &[Certificate] {
        &self.inner.certificates.list
    }

    /// The certificates of one mechanism, with their places among all: the nth is its level n.
    pub fn certificates_of(&self, kind: MechanismKind) -> impl Iterator<Item = (usize, Certificate)> + '_ {
        self.certificates().iter().copied().enumerate().filter(move |(_, certificate)| certificate.kind() == kind)
    }

    /// The base measure of a certificate as codes, one a row: see [`Certificate::step`].
    #[must_use]
    pub fn base_codes(&self, certificate: usize) -> &[u8] {
        let section = self.section(&self.inner.certificate_section);
        certificates::codes(section, self.len(), self.certificates().len(), certificate)
    }

    /// The word that comes out where a certified channel drew this one: itself, unless it is never offered.
    #[must_use]
    pub fn stand_in(&self, word: WordId) -> WordId {
        WordId(self.inner.certificates.stand_in(word.0))
    }

    /// The levels stored in the table, by mechanism and ascending η.
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        &self.inner.levels
    }

    /// The levels of one mechanism, ascending η.
    pub fn levels_of(&self, kind: MechanismKind) -> impl Iterator<Item = Level> + '_ {
        self.levels().iter().copied().filter(move |level| level.kind == kind)
    }

    /// The mechanism that a surface should start with, at its default level: nearest-mass randomized response, unless
    /// the table is too small for its levels. Then it is the one that the table certifies, if it does.
    #[must_use]
    pub fn default_mechanism(&self) -> MechanismKind {
        if mechanism::levels::are_served(self) {
            return MechanismKind::Nearest;
        }
        match self.certificates_of(MechanismKind::Certified).next() {
            Some(_) => MechanismKind::Certified,
            None => MechanismKind::Exponential,
        }
    }

    /// The level of a mechanism that a surface should start with: the one that keeps a share of running words
    /// nearest to 0.3.
    #[must_use]
    pub fn default_level_of(&self, kind: MechanismKind) -> Option<Level> {
        self.levels_of(kind).nth(nearest_default(self.levels_of(kind).map(|level| level.retention_by_frequency))?)
    }

    /// An upper bound of the distance between any two words (up to float rounding), proved from the rows as read. It is
    /// twice the radius of a ball around their (rounded) mean that holds them all.
    #[must_use]
    pub fn diameter_bound(&self) -> f64 {
        2.0 * self.scale() * libm::sqrt(f64::from(self.radius_squared()))
    }

    pub(crate) fn radius_squared(&self) -> u32 {
        self.inner.radius_squared
    }

    /// Distance between two words: Euclidean, in units of the table (scale × lattice distance).
    #[must_use]
    pub fn distance(&self, a: WordId, b: WordId) -> f64 {
        self.scale() * libm::sqrt(f64::from(self.distance_squared(a, b)))
    }

    /// Exact squared distance on the int8 lattice.
    #[must_use]
    pub fn distance_squared(&self, a: WordId, b: WordId) -> u32 {
        let vectors = self.vectors();
        (0..self.dims())
            .map(|j| {
                let step = rows::value(vectors, self.dims(), a.row(), j).abs_diff(rows::value(
                    vectors,
                    self.dims(),
                    b.row(),
                    j,
                ));
                u32::from(step) * u32::from(step)
            })
            .sum()
    }

    /// The vector of a word on the lattice, one int8 a dimension.
    #[must_use]
    pub fn vector(&self, word: WordId) -> Vec<i8> {
        rows::vector(self.vectors(), self.dims(), word.row())
    }

    /// The vectors of all rows, ascending.
    pub(crate) fn vectors_by_row(&self) -> impl Iterator<Item = Vec<i8>> + '_ {
        self.rows().map(|row| self.vector(row))
    }

    /// The vector of a word, shortened to a norm of `limit` lattice steps if it is longer.
    pub(crate) fn clipped(&self, word: WordId, limit: Option<f64>) -> Vec<i8> {
        match limit {
            Some(limit) => clip(self.vector(word), limit),
            None => self.vector(word),
        }
    }

    /// The word of a row.
    #[must_use]
    pub fn word(&self, word: WordId) -> Word {
        words::at(self.section(&self.inner.words), word.row())
    }

    /// The row number `row`, if the table has it.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<WordId> {
        (row < self.len()).then_some(WordId(row as u32))
    }

    /// All rows, ascending.
    pub fn rows(&self) -> impl Iterator<Item = WordId> + use<> {
        (0..self.len() as u32).map(WordId)
    }

    /// The row of a word, exactly as spelled.
    #[must_use]
    pub fn find(&self, word: &str) -> Option<WordId> {
        words::find(self.section(&self.inner.words), self.len(), word).map(|row| WordId(row as u32))
    }

    /// All words with their rows, ascending.
    pub fn words(&self) -> impl Iterator<Item = (WordId, Word)> + '_ {
        self.rows().zip(words::iter(self.section(&self.inner.words), self.len()))
    }

    /// Hands out the words that begin with this byte, ascending, with their rows.
    pub(crate) fn words_with_first(&self, first: u8, found: &mut dyn FnMut(WordId, &Word)) {
        let word = &mut |row: usize, word: &Word| found(WordId(row as u32), word);
        words::with_first(self.section(&self.inner.words), self.len(), first, word);
    }

    /// Whether a mechanism may put this word out. (Every word is covered as input.)
    #[must_use]
    pub fn is_offered(&self, word: WordId) -> bool {
        !self.flags(word).intersects(Flags::NEVER_OFFERED)
    }

    /// Whether the word is on the table's public list of function words.
    #[must_use]
    pub fn is_function_word(&self, word: WordId) -> bool {
        self.flags(word).intersects(Flags::FUNCTION_WORD)
    }

    /// Whether the table says of any word which form of a noun or a verb it is.
    pub(crate) fn knows(&self, forms: Flags) -> bool {
        self.section(&self.inner.flags).iter().any(|byte| Flags::of(*byte).intersects(forms))
    }

    /// Zipf frequency of the word (log₁₀ of its occurrences in a billion words), in steps of 0.05. It is 0 if unknown.
    #[must_use]
    pub fn zipf(&self, word: WordId) -> f64 {
        f64::from(self.zipf_step(word)) / 20.0
    }

    pub(crate) fn zipf_step(&self, word: WordId) -> u8 {
        self.section(&self.inner.zipf).get(word.row()).copied().unwrap_or(0)
    }

    /// Whether at least `count` words have at least the frequency `least`, in steps.
    pub(crate) fn has_frequent_words(&self, (count, least): (usize, u8)) -> bool {
        self.section(&self.inner.zipf).iter().filter(|step| **step >= least).count() >= count
    }

    /// The mean of the vectors of all rows, each as often as it is used, in lattice steps: what texts have in common.
    #[must_use]
    pub fn mean_by_frequency(&self) -> Vec<f64> {
        let prior = Prior::by_frequency(self);
        let mut mean = alloc::vec![0.0; self.dims()];
        for row in self.rows() {
            let share = prior.share(row);
            for (mean, step) in mean.iter_mut().zip(self.vector(row)) {
                *mean += share * f64::from(step);
            }
        }
        mean
    }

    /// The word classes, ascending, or an empty list if the table does not divide its vocabulary.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = WordClass> + use<> {
        (0..classes::count(self.section(&self.inner.classes)) as u8).map(WordClass)
    }

    /// The name of a class, such as `place`: lower-case ASCII letters, digits and hyphens.
    #[must_use]
    pub fn class_name(&self, class: WordClass) -> Option<&str> {
        classes::name(self.section(&self.inner.classes), self.len(), class)
    }

    /// The class of a word, or `None` if the table has no classes.
    #[must_use]
    pub fn class_of(&self, word: WordId) -> Option<WordClass> {
        classes::of(self.section(&self.inner.classes), self.len(), word.row())
    }

    /// The flags of a word in the table.
    #[must_use]
    pub fn flags(&self, word: WordId) -> Flags {
        self.section(&self.inner.flags).get(word.row()).map_or(Flags::NEVER_OFFERED, |byte| Flags::of(*byte))
    }

    fn section(&self, range: &Range<usize>) -> &[u8] {
        self.inner.bytes.get(range.clone()).unwrap_or_default()
    }

    fn vectors(&self) -> &[u8] {
        self.section(&self.inner.vectors)
    }

    /// A number for each row, 0 for those that do not exist, by block.
    pub(crate) fn by_block(&self, number: impl Fn(WordId) -> i16) -> Vec<[i16; LANES]> {
        let at = |row| self.row(row).map_or(0, &number);
        (0..self.blocks()).map(|block| core::array::from_fn(|lane| at(block * LANES + lane))).collect()
    }

    /// Number of blocks of [`LANES`] rows.
    pub(crate) fn blocks(&self) -> usize {
        self.len().div_ceil(LANES)
    }

    /// An upper bound of the distance between any two words of a class, as [`Table::diameter_bound`] is one
    /// for all.
    #[must_use]
    pub fn class_diameter_bound(&self, class: WordClass) -> f64 {
        let members = || self.rows().filter(|row| self.class_of(*row) == Some(class)).map(|row| self.vector(row));
        let center = rounded_mean_of(members(), self.dims());
        let squared = |vector: Vec<i8>| -> u32 {
            vector.iter().zip(&center).map(|(v, c)| i32::from(*v).abs_diff(*c).pow(2)).sum()
        };
        2.0 * self.scale() * libm::sqrt(f64::from(members().map(squared).max().unwrap_or(0)))
    }

    /// The rounded mean of all rows, around which [`Table::diameter_bound`] takes its ball.
    #[cfg(feature = "all-mechanisms")]
    pub(crate) fn center(&self) -> Vec<i8> {
        rounded_mean_of(self.vectors_by_row(), self.dims()).into_iter().map(|step| step as i8).collect()
    }

    /// Exact squared lattice distances of all rows to a word.
    pub(crate) fn distances_squared(&self, word: WordId) -> Vec<i32> {
        let mut distances = alloc::vec![[0; LANES]; self.blocks().next_multiple_of(2)];
        let query = self.kernel.single(&self.query(word));
        self.kernel.distances(self.scanned(), &query, i32::MAX, &mut distances);
        let mut distances = distances.into_flattened();
        distances.truncate(self.len());
        distances
    }

    /// The vector of a word, to be scanned for; of a word that the vocabulary lacks, a place beyond all rows.
    pub(crate) fn query(&self, word: impl Into<Option<WordId>>) -> Query {
        let word = word.into();
        let factor = i16::from(word.is_some());
        let vector = self.vector(self.read_for(word)).into_iter();
        Query::word(self.dims(), vector.map(|x| i16::from(x) * factor)).beyond(word.is_none())
    }

    /// Has the caches fetch the rows of these words, for [`Table::query`]. What is done next should not need them: until
    /// they are there, time tells from how far they come.
    pub(crate) fn ask_for(&self, words: &[Option<WordId>]) {
        for word in words {
            self.scanned().ask_for(self.read_for(*word).row() / LANES);
        }
    }

    /// The row that is read for a word. One is read in any case, and not where scans begin, so that it takes no less time
    /// where none is meant.
    fn read_for(&self, word: Option<WordId>) -> WordId {
        word.unwrap_or(WordId(self.inner.rows as u32 / 2))
    }

    /// The rows, to be scanned.
    pub(crate) fn scanned(&self) -> Rows<'_> {
        Rows::new(self.vectors(), &self.inner.norms, self.dims())
    }
}

/// Whether a row with this flag may be put out.
const fn is_offered(flag: u8) -> bool {
    !Flags::of(flag).intersects(Flags::NEVER_OFFERED)
}

/// The level that keeps a share nearest to 0.3.
fn nearest_default(retentions: impl Iterator<Item = f64>) -> Option<usize> {
    let off = |(_, share): &(usize, f64)| libm::fabs(share - 0.3);
    retentions.enumerate().min_by(|a, b| off(a).total_cmp(&off(b))).map(|(place, _)| place)
}

/// The mean of vectors, rounded half up.
fn rounded_mean_of(vectors: impl Iterator<Item = Vec<i8>>, dims: usize) -> Vec<i32> {
    let mut sums = alloc::vec![0_i64; dims];
    let mut count = 0;
    for vector in vectors {
        count += 1;
        for (sum, v) in sums.iter_mut().zip(vector) {
            *sum += i64::from(v);
        }
    }
    rounded_mean(&sums, count)
}

/// The mean of `count` vectors from their sums, rounded half up.
pub(crate) fn rounded_mean(sums: &[i64], count: usize) -> Vec<i32> {
    let count = count.max(1) as i64;
    sums.iter().map(|sum| (2 * sum + count).div_euclid(2 * count) as i32).collect()
}
