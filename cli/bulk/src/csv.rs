//! CSV (RFC 4180, or with another delimiter) and TSV (without quotes): the named columns of each record are released,
//! and no other column is written unless asked for.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Error, Result, anyhow, ensure};
use csv::{ByteRecord, ReaderBuilder, WriterBuilder};
use serde::{Deserialize, Serialize};

use crate::partial::State;
use crate::rows::{Place, Reader, Rows, Run, Target};
use crate::{Fault, LONGEST_ROW, NOT_UTF8, Release, TO_UTF8, Tally, guaranteed, released};
use textveil_toolkit::columns;
use textveil_toolkit::files::Input;
use textveil_toolkit::seed::Randomness;

/// How a file is written.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Dialect {
    /// What stands between two cells: a character of ASCII.
    #[serde(with = "character")]
    pub delimiter: u8,
    /// What stands in quotes may hold delimiters and line breaks; else a quote is a character like others.
    pub quotes: bool,
    /// The first record names the columns; else their numbers do, from 1.
    pub header: bool,
}

/// A byte, as the character of ASCII that it is.
mod character {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
    pub(super) fn serialize<S: Serializer>(byte: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_char(char::from(*byte))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        let character = char::deserialize(deserializer)?;
        let is_delimiter = |byte: &u8| (byte.is_ascii_graphic() || b" \t".contains(byte)) && *byte != b'"';
        u8::try_from(character).ok().filter(is_delimiter).ok_or_else(|| D::Error::custom("no delimiter"))
    }
}

impl Dialect {
    /// Between commas and with quotes.
    pub const CSV: Self = Self { delimiter: b',', quotes: true, header: true };
    /// Between tabs and without quotes.
    pub const TSV: Self = Self { delimiter: b'\t', quotes: false, header: true };

    /// That of a CSV that begins so: with the delimiter by which its first record has all of these columns, or else with
    /// commas.
    #[must_use]
    pub fn of_start(start: &[u8], columns: &[String]) -> Self {
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        let has_all = |delimiter: &u8| {
            let mut reader = ReaderBuilder::new().delimiter(*delimiter).has_headers(false).from_reader(start);
            let mut first = ByteRecord::new();
            reader.read_byte_record(&mut first).is_ok_and(|is_there| is_there)
                && columns.iter().all(|column| first.iter().any(|cell| cell == column.as_bytes()))
        };
        let delimiter = DELIMITERS.into_iter().find(has_all).unwrap_or(b',');
        Self { delimiter, ..Self::CSV }
    }
}

/// What usually stands between two cells.
const DELIMITERS: [u8; 4] = [b',', b'|', b'\t', b';'];
/// Why a row with too many or too few fields is refused.
pub const OTHER_COUNT: &str = "another number of fields than in the first row";
/// Why a blank line is refused where each row must have a text.
const BLANK: &str = "a blank line, where the list of answers needs an answer. If it is no row, remove it";

/// What is made of the columns.
pub struct Table<'a> {
    /// How the file is written.
    pub dialect: Dialect,
    /// The columns that are released.
    pub columns: &'a [String],
    /// The columns that pass in clear.
    pub keep: &'a [String],
    /// Makes the release of a text.
    pub release: &'a Release<'a>,
    /// What draws follow from.
    pub randomness: &'a Randomness,
    /// Each row must have a text: which rows have one is not to show.
    pub needs_all: bool,
}

impl Table<'_> {
    /// Releases `input` from its beginning, or what `rest` of it is left. A rest begins with the last byte that was read.
    ///
    /// # Errors
    /// As [`Run::rows`]; a column that is not there, or there twice.
    pub fn run(
        &self,
        run: &Run<'_>,
        (input, rest): (Input, Option<Input>),
        target: &mut Target,
        state: &mut State,
    ) -> Result<()> {
        let (mut csv, columns) = Csv::new(input, run.name, self.dialect, (self.columns, self.keep), self.needs_all)?;
        match rest {
            Some(mut rest) => {
                let mut last = [0];
                rest.read_exact(&mut last).with_context(|| format!("cannot read {}", run.name))?;
                csv = csv.going_on(rest, self.dialect, Place::new(state.input, state.line), last == [b'\r']);
            }
            None => target.write(&columns.header)?,
        }
        let work = |number: u64, cells: &[&[u8]], out: &mut Vec<u8>| {
            columns.row(number, cells, (self.release, self.randomness), out)
        };
        run.rows(csv, work, target, state)
    }
}

/// Bytes behind every input, for the parser. If a quote was never closed, it adds all of them to the last text.
/// Otherwise it reads them as the end of a line and a line of their own.
const END: &[u8] = b"\n.";
/// The same where a point separates columns.
const END_OF_POINTS: &[u8] = b"\n,";

/// A source that gives at most the rest of a record, and [`END`] behind its end.
struct Bounded<R> {
    input: R,
    left: usize,
    /// How many bytes of the input it gave.
    given: u64,
    /// What it has not yet given of the end.
    end: &'static [u8],
    quotes: Option<Quotes>,
    feeds: Feeds,
    /// Where a blank line is an error.
    blanks: Option<Blanks>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let most = buffer.len().min(self.left);
        match self.input.read(&mut buffer[..most])? {
            0 => self.end.read(buffer),
            read => {
                if let Some(quotes) = &mut self.quotes {
                    quotes.follow(self.given, &buffer[..read]);
                }
                self.feeds.follow(self.given, &buffer[..read]);
                if let Some(blanks) = &mut self.blanks {
                    blanks.follow(self.given, &buffer[..read]);
                }
                self.left -= read;
                self.given += read as u64;
                Ok(read)
            }
        }
    }
}

/// Follows the line feeds that stand behind a carriage return. The parser ends a record at the return, and counts the line
/// with the feed, which it reads with the next record.
struct Feeds {
    is_behind_return: bool,
    /// Where they stand, from the last record on.
    places: VecDeque<u64>,
}

impl Feeds {
    /// `from` is where the bytes stand in the input.
    fn follow(&mut self, from: u64, bytes: &[u8]) {
        for (place, byte) in (from..).zip(bytes) {
            if *byte == b'\n' && self.is_behind_return {
                self.places.push_back(place);
            }
            self.is_behind_return = *byte == b'\r';
        }
    }

    /// How many lines the parser is behind where it stands: one before such a feed.
    fn missed(&self, byte: u64) -> u64 {
        u64::from(self.places.binary_search(&byte).is_ok())
    }

    fn forget_before(&mut self, byte: u64) {
        let before = self.places.partition_point(|place| *place < byte);
        self.places.drain(..before);
    }
}

/// Follows blank lines, which the parser skips. In a file of one column they are rows.
struct Blanks {
    has_quotes: bool,
    is_quoted: bool,
    is_at_start: bool,
    is_behind_return: bool,
    /// Where they stand that were not yet read.
    places: VecDeque<u64>,
}

impl Blanks {
    fn new(dialect: Dialect, is_behind_return: bool) -> Self {
        let (has_quotes, places) = (dialect.quotes, VecDeque::new());
        Self { has_quotes, is_quoted: false, is_at_start: true, is_behind_return, places }
    }

    /// `from` is where the bytes stand in the input.
    fn follow(&mut self, from: u64, bytes: &[u8]) {
        for (place, byte) in (from..).zip(bytes) {
            let is_second_half = *byte == b'\n' && self.is_behind_return;
            let is_break = b"\r\n".contains(byte) && !self.is_quoted;
            if is_break && self.is_at_start && !is_second_half {
                self.places.push_back(place);
            }
            // A doubled quote is two.
            self.is_quoted ^= *byte == b'"' && self.has_quotes;
            self.is_at_start = is_break;
            self.is_behind_return = is_break && *byte == b'\r';
        }
    }

    /// Whether one stands before this byte.
    fn are_before(&mut self, byte: u64) -> bool {
        let before = self.places.partition_point(|place| *place < byte);
        self.places.drain(..before).count() > 0
    }
}

/// Follows quotes through the bytes that the parser gets. RFC 4180 has quotes only around a whole cell, doubled within it. The
/// parser reads others as characters, so that one too many can move a part of a text into the next cell.
struct Quotes {
    delimiter: u8,
    within: Within,
    /// Whether this record has a stray quote, or text behind a closing one.
    is_stray: bool,
    /// Where the first of each such record stands that was not yet read.
    strays: VecDeque<u64>,
}

/// What the next byte belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Within {
    /// A cell that begins.
    Start,
    Bare,
    Quoted,
    /// A quoted cell that has ended, unless a quote follows.
    Closed,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Quotes {
    fn new(delimiter: u8) -> Self {
        Self { delimiter, within: Within::Start, is_stray: false, strays: VecDeque::new() }
    }

    /// `from` is where the bytes stand in the input.
    fn follow(&mut self, from: u64, bytes: &[u8]) {
        let mark = if from == 0 && bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        for (place, byte) in (from..).zip(bytes).skip(mark) {
            let (within, is_stray) = match (self.within, *byte) {
                (Within::Quoted, b'"') => (Within::Closed, false),
                (Within::Quoted, _) | (Within::Start | Within::Closed, b'"') => (Within::Quoted, false),
                (_, b'\r' | b'\n') => {
                    self.is_stray = false;
                    (Within::Start, false)
                }
                (_, byte) if byte == self.delimiter => (Within::Start, false),
                (before, byte) => (Within::Bare, before == Within::Closed || byte == b'"'),
            };
            self.within = within;
            if is_stray && !std::mem::replace(&mut self.is_stray, true) {
                self.strays.push_back(place);
            }
        }
    }

    /// Whether a record that ends here has a stray quote.
    fn has_stray(&mut self, end: u64) -> bool {
        let before = self.strays.partition_point(|place| *place < end);
        self.strays.drain(..before).count() > 0
    }
}

const STRAY: &str = "a quote within a cell, or text behind a closing quote: a cell with quotes begins and ends with one, and has \
    those within it twice";

/// Reads records.
struct Csv<R> {
    reader: csv::Reader<Bounded<R>>,
    name: String,
    /// Where the input begins.
    start: Place,
    /// Where the next record begins. The reader's own position is within it once it cannot be read.
    behind: Place,
    /// What every record has.
    fields: usize,
    /// The fields that are read, ascending.
    picked: Vec<usize>,
    /// Whether the last record has quotes where none belong.
    has_stray: bool,
    /// Whether blank lines stand above the last record.
    has_blank: bool,
    /// Whether a blank line is an error.
    refuses_blank: bool,
    /// The next record, if it was read to see how many fields there are.
    read: Option<ByteRecord>,
    record: ByteRecord,
}

/// What stands in the first record, which names the columns.
///
/// # Errors
/// It cannot be read, or is empty.
pub fn names(input: impl Read, name: &str, dialect: Dialect) -> Result<Vec<String>> {
    let mut csv = Csv::over(input, name, dialect, Place::new(0, 1));
    let mut first = ByteRecord::new();
    csv.first(&mut first)?;
    Ok(first.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect())
}

/// Hands the line of each record, and its cells in the named columns, to `take`. The first record names the columns, if
/// there is a header.
///
/// # Errors
/// The first error of `take`. Input that cannot be read, a column that is missing or there twice, a record with another
/// number of fields, and a cell that is not UTF-8. No message has the content of a record.
pub fn each(
    input: impl Read,
    name: &str,
    dialect: Dialect,
    columns: &[String],
    take: &mut dyn FnMut(u64, Vec<&str>) -> Result<()>,
) -> Result<()> {
    let mut csv = Csv::over(input, name, dialect, Place::new(0, 1));
    let mut record = ByteRecord::new();
    csv.first(&mut record)?;
    let (count, fields) =
        (record.len(), find(&record, name, dialect, columns.iter(), || Advice::of_names(&record, name))?);
    let mut is_first = !dialect.header;
    while std::mem::take(&mut is_first) || csv.next(&mut record)? {
        let line = record.position().map_or(csv.behind.line, |position| csv.start_of(position).shown());
        ensure!(record.len() == count, "{name}, line {line}: {OTHER_COUNT}");
        ensure!(!csv.has_stray, "{name}, line {line}: {STRAY}");
        let cell = |field: &usize| str::from_utf8(record.get(*field).unwrap_or_default());
        let cells = fields.iter().map(cell).collect::<Result<_, _>>();
        take(line, cells.map_err(|_| anyhow!("{name}, line {line}: {NOT_UTF8}. {TO_UTF8}"))?)?;
    }
    Ok(())
}

/// The fields that the columns are, by the first record.
///
/// # Errors
/// A column that is not there, or there twice.
fn find<'c>(
    first: &ByteRecord,
    name: &str,
    dialect: Dialect,
    columns: impl Iterator<Item = &'c String>,
    advice: impl Fn() -> Advice,
) -> Result<Vec<usize>> {
    let is_named = |field: usize, name: &str| match dialect.header {
        true => first.get(field) == Some(name.as_bytes()),
        false => (field + 1).to_string() == *name,
    };
    let field = |column: &String| {
        let mut fields = (0..first.len()).filter(|field| is_named(*field, column));
        let field = fields.next().ok_or_else(|| missing(first, name, dialect, column, &advice()))?;
        ensure!(fields.next().is_none(), "{name} has several columns \"{column}\"");
        Ok(field)
    };
    columns.map(field).collect()
}

/// Why a column is not there: another delimiter, or another name.
fn missing(first: &ByteRecord, name: &str, dialect: Dialect, column: &str, advice: &Advice) -> Error {
    let whole = first.get(0).unwrap_or_default();
    let other = DELIMITERS.into_iter().rev().find(|other| *other != dialect.delimiter && whole.contains(other));
    if let (1, Some(other)) = (first.len(), other) {
        let other = if other == b'\t' { "\\t".to_owned() } else { char::from(other).to_string() };
        let way = if advice.takes_delimiter { format!(", so add --delimiter '{other}'") } else { String::new() };
        return anyhow!("{name} has no column \"{column}\": \"{other}\" stands between its columns{way}");
    }
    if !dialect.header {
        return anyhow!("{name} has no column \"{column}\": its columns are numbered from 1 to {}", first.len());
    }
    if first.iter().any(|cell| str::from_utf8(cell).is_err()) {
        return anyhow!("{name}, line 1: {NOT_UTF8}. {TO_UTF8}");
    }
    let cells = first.iter().map(|cell| str::from_utf8(cell).unwrap_or_default());
    columns::missing(name, column, cells, &advice.header)
}

/// What else is said of a column that is not there.
struct Advice {
    /// Of a file with another delimiter: whether an option names it.
    takes_delimiter: bool,
    /// Of a header without the column.
    header: Cow<'static, str>,
}

impl Advice {
    /// In `textveil privatize`, which has options for both.
    const fn of_options() -> Self {
        Self {
            takes_delimiter: true,
            header: Cow::Borrowed(". If its first row is a row like the others, add --no-header"),
        }
    }

    /// Where columns are read alone: their names, if the guarantee of the file shows that its first record is a header. Otherwise
    /// that record may be a text.
    fn of_names(first: &ByteRecord, name: &str) -> Self {
        let released = guaranteed::columns(Path::new(name)).unwrap_or_default();
        let is_there = |column: &String| first.iter().any(|cell| cell == column.as_bytes());
        let is_header = !released.is_empty() && released.iter().all(is_there);
        let names = || first.iter().map(String::from_utf8_lossy).collect::<Vec<_>>().join(", ");
        let header = if is_header { Cow::Owned(format!(": {}", names())) } else { Cow::Borrowed("") };
        Self { takes_delimiter: false, header }
    }
}

/// What becomes of the columns that are read.
struct Columns {
    /// For each, ascending, its place among the released columns, or `None` if it passes unchanged.
    fates: Vec<Option<usize>>,
    released: u64,
    dialect: Dialect,
    /// The first record to write, if there is one.
    header: Vec<u8>,
}

impl<R: Read> Csv<R> {
    /// Reads `input` from its beginning, and finds the columns that are to be released and those to be kept.
    ///
    /// # Errors
    /// What cannot be read; a column that is not there, or there twice.
    fn new(
        input: R,
        name: &str,
        dialect: Dialect,
        (columns, keep): (&[String], &[String]),
        needs_all: bool,
    ) -> Result<(Self, Columns)> {
        let mut csv = Self::over(input, name, dialect, Place::new(0, 1));
        csv.reader.get_mut().blanks = needs_all.then(|| Blanks::new(dialect, false));
        let mut first = ByteRecord::new();
        csv.first(&mut first)?;
        csv.fields = first.len();
        csv.refuses_blank = needs_all && csv.fields == 1;
        // A header may stand below blank lines.
        ensure!(!csv.refuses_blank || dialect.header || !csv.has_blank, "{name}, line 1: {BLANK}");
        let found = find(&first, name, dialect, columns.iter().chain(keep), Advice::of_options)?;
        let fate = |place: usize| Some(place).filter(|place| *place < columns.len());
        let mut picked: Vec<_> = found.into_iter().enumerate().map(|(place, field)| (field, fate(place))).collect();
        picked.sort_unstable();
        csv.picked = picked.iter().map(|(field, _)| *field).collect();
        let mut header = Vec::new();
        match dialect.header {
            true => write(dialect, csv.picked.iter().filter_map(|field| first.get(*field)), &mut header)?,
            false => csv.read = Some(first).filter(|first| !first.is_empty()),
        }
        let fates = picked.into_iter().map(|(_, fate)| fate).collect();
        Ok((csv, Columns { fates, released: columns.len() as u64, dialect, header }))
    }

    /// The same columns, read on from `place`, where `input` now stands.
    fn going_on(self, input: R, dialect: Dialect, place: Place, is_behind_return: bool) -> Self {
        let Self { name, fields, picked, refuses_blank, .. } = self;
        let mut csv = Self { fields, picked, refuses_blank, ..Self::over(input, &name, dialect, place) };
        let source = csv.reader.get_mut();
        source.feeds.is_behind_return = is_behind_return;
        source.blanks = refuses_blank.then(|| Blanks::new(dialect, is_behind_return));
        csv
    }

    /// Where a record begins, as a person counts lines.
    fn start_of(&self, position: &csv::Position) -> Place {
        Place { uncounted: self.reader.get_ref().feeds.missed(position.byte()), ..self.start.after(position) }
    }

    fn over(input: R, name: &str, dialect: Dialect, start: Place) -> Self {
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(dialect.delimiter).quoting(dialect.quotes);
        let quotes = dialect.quotes.then(|| Quotes::new(dialect.delimiter));
        let end = if dialect.delimiter == b'.' { END_OF_POINTS } else { END };
        let feeds = Feeds { is_behind_return: false, places: VecDeque::new() };
        let reader = builder.from_reader(Bounded { input, left: 0, given: 0, end, quotes, feeds, blanks: None });
        let (name, record) = (name.to_owned(), ByteRecord::new());
        Self {
            reader,
            name,
            start,
            behind: start,
            fields: 0,
            picked: Vec::new(),
            has_stray: false,
            has_blank: false,
            refuses_blank: false,
            read: None,
            record,
        }
    }

    /// The record by which all others are judged.
    fn first(&mut self, record: &mut ByteRecord) -> Result<()> {
        ensure!(self.next(record)?, "{} is empty", self.name);
        ensure!(!self.has_stray, "{}, line 1: {STRAY}", self.name);
        Ok(())
    }

    fn next(&mut self, record: &mut ByteRecord) -> Result<bool> {
        self.reader.get_mut().left = LONGEST_ROW;
        let begins = self.reader.position().byte();
        self.reader.get_mut().feeds.forget_before(begins);
        let is_there = self.reader.read_byte_record(record);
        let line = self.behind.line + self.reader.get_ref().feeds.missed(begins);
        let bad = |reason: &str| anyhow!("{}, line {line}: {reason}", self.name);
        let is_there = is_there.map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                bad(&format!("a record of more than {LONGEST_ROW} bytes, or a quote that is never closed"))
            }
            csv::ErrorKind::Io(error) => anyhow!(error).context(format!("cannot read {}", self.name)),
            _ => bad("not CSV"),
        })?;
        let end = self.reader.position().byte();
        self.has_blank = self.reader.get_mut().blanks.as_mut().is_some_and(|blanks| blanks.are_before(end));
        ensure!(!(self.refuses_blank && self.has_blank), bad(BLANK));
        // All of the end was read: as the line that it holds, or into a text, and the texts of all rows before it too.
        let (position, given) = (self.reader.position(), self.reader.get_ref().given);
        if is_there && position.byte() == given + END.len() as u64 {
            let is_end = [END, END_OF_POINTS].iter().any(|end| record.iter().eq([&end[1..]]));
            ensure!(is_end, bad("a quote that is never closed"));
            record.clear();
            return Ok(false);
        }
        let behind = self.start.after(position);
        self.has_stray = self.reader.get_mut().quotes.as_mut().is_some_and(|quotes| quotes.has_stray(end));
        self.behind = Place { byte: behind.byte.min(self.start.byte + given), ..behind };
        Ok(is_there)
    }
}

impl<R: Read> Reader for Csv<R> {
    fn read(&mut self, rows: &mut Rows) -> Result<bool> {
        let mut record = std::mem::take(&mut self.record);
        let is_there = match self.read.take() {
            Some(first) => {
                record = first;
                true
            }
            None => self.next(&mut record)?,
        };
        if is_there {
            let position = record.position().map_or_else(|| self.place(), |position| self.start_of(position));
            let cells = self.picked.iter().filter_map(|field| record.get(*field));
            let is_whole = record.len() == self.fields;
            let cells = match (is_whole, self.has_stray) {
                (false, _) => Err(OTHER_COUNT),
                (true, true) => Err(STRAY),
                (true, false) => Ok(cells),
            };
            rows.push(position, cells);
        }
        self.record = record;
        Ok(is_there)
    }

    fn place(&self) -> Place {
        self.behind
    }
}

impl Place {
    fn after(self, position: &csv::Position) -> Self {
        Self::new(self.byte + position.byte(), self.line + position.line() - 1)
    }
}

impl Columns {
    /// Writes the release of a record, given by the fields that are read.
    ///
    /// # Errors
    /// A text that is not UTF-8 or too long. What the record holds is in no message.
    fn row(
        &self,
        number: u64,
        cells: &[&[u8]],
        (release, randomness): (&Release<'_>, &Randomness),
        out: &mut Vec<u8>,
    ) -> Result<Tally, Fault> {
        let mut tally = Tally::default();
        let mut record: Vec<Vec<u8>> = Vec::with_capacity(cells.len());
        for (cell, fate) in cells.iter().zip(&self.fates) {
            record.push(match fate {
                Some(place) => {
                    let text = str::from_utf8(cell).map_err(|_| Fault::of_row(NOT_UTF8))?;
                    let text_number = number * self.released + *place as u64;
                    let text = released(release, randomness, (text, text_number), &mut tally)?;
                    // Breaks of other kinds (U+2028, a form feed) are line feeds in a release. Without quotes one would end
                    // the row.
                    if self.dialect.quotes { text } else { text.replace('\n', " ") }.into_bytes()
                }
                // A quote that was never closed takes the texts of the rows behind it into such a cell.
                None if cell.iter().any(|byte| b"\r\n".contains(byte)) => {
                    return Err(Fault::of_row("a kept cell spans lines: use JSON Lines or Parquet for such"));
                }
                None => cell.to_vec(),
            });
        }
        write(self.dialect, &record, out)?;
        Ok(tally)
    }
}

fn write(dialect: Dialect, record: impl IntoIterator<Item = impl AsRef<[u8]>>, out: &mut Vec<u8>) -> Result<()> {
    const BUFFER: usize = 1 << 10;
    if !dialect.quotes {
        // No cell holds what separates them, or it would have been two.
        let start = out.len();
        for (place, cell) in record.into_iter().enumerate() {
            out.extend((place > 0).then_some(dialect.delimiter));
            out.extend_from_slice(cell.as_ref());
        }
        // A blank line is no row. One empty cell is therefore a space.
        out.extend((out.len() == start).then_some(b' '));
        out.push(b'\n');
        return Ok(());
    }
    let mut writer = WriterBuilder::new().delimiter(dialect.delimiter).buffer_capacity(BUFFER).from_writer(out);
    writer.write_record(record).context("cannot write a record")?;
    Ok(writer.flush()?)
}
