//! Reports: what devices have released, read row by row in constant memory.
//!
//! Rows come from files as `textveil privatize` and `textveil represent` write them, from lines as devices send them
//! ([`lines`]), from tables ([`table`]) and from the database of the collector ([`database`]). Each row has its release
//! ([`release`]) and what is promised of it ([`guarantee`]): its own guarantee, or that of its file. No message holds
//! anything of a row but its place.

mod database;
mod guarantee;
mod lines;
mod release;
mod table;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Error, Result, bail, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use textveil::{DeclaredDraw, Unit};
use textveil_bulk::parquet::Input as Parquet;
use textveil_toolkit::files::input;
use textveil_toolkit::format::Format;
use textveil_toolkit::report::numbers::counted;

#[cfg(feature = "estimate")]
use guarantee::{OfFile, read};
pub(crate) use release::Content;
use release::Sent;

use crate::address::{is_one, shown};
use crate::serve::submission::{GUARANTEE, TEXT};

/// The most releases that a row stands for: a number with a fraction holds any whole number up to it.
const MOST: u64 = 1 << 53;

/// The message for a release without a guarantee.
pub(crate) const NOT_STATED: &str = "the release has no guarantee: name the file that states it by --guarantee";

/// The message for a release that is read as clear text.
const NOT_CLEAR: &str = "it has a guarantee, so it is a release and no clear text: leave out --clear";

/// An object.
type Record = Map<String, Value>;

/// Where releases stand in their files.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Releases {
    /// The field or column with the release. In JSON, a text whose guarantee is in NAME-guarantee, as forms send it, or
    /// an object with text, vectors, bits or statements, and guarantee. Without it, the only column that the guarantee
    /// of the file names, else "text"
    #[arg(long, alias = "column", value_name = "NAME")]
    pub(crate) field: Option<String>,
    /// The guarantee of releases that have none of their own, as `textveil privatize` writes it. Without it, the one in
    /// the metadata of a Parquet file, or FILE.guarantee.json next to each FILE, if there is one. A FILE that has another
    /// guarantee of its own is refused
    #[arg(long, value_name = "FILE")]
    pub(crate) guarantee: Option<PathBuf>,
}

/// What is asked of each row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Where the release is.
    pub(crate) releases: Releases,
    /// Columns that were kept in clear. Every row must have them. Of a collector's, one of all must: a person who fills in
    /// a form leaves fields out.
    pub(crate) columns: Vec<String>,
    /// The column with the time. Of a collector's rows it is the day, if nothing is said.
    pub(crate) time: Option<String>,
    /// The column that says for how many equal releases a row stands.
    pub(crate) count: Option<String>,
    /// A missing field is null, in every row.
    pub(crate) may_miss: bool,
    /// It is one of several inputs. A collector's export may then lack a field that the others have.
    pub(crate) is_one_of_many: bool,
    /// A release without a guarantee is an error.
    pub(crate) needs_guarantee: bool,
    /// Rows hold clear text, and one with a guarantee is an error.
    pub(crate) is_clear: bool,
    /// A column that was released is an error: what was drawn makes no groups and no periods of people.
    pub(crate) is_by_clear: bool,
    /// It is the database of a collector that this process has open: nothing else may open its file.
    pub(crate) is_own_database: bool,
}

/// A row.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) place: Place,
    /// The release.
    pub(crate) content: Content,
    /// What is promised about it, if that is stated.
    pub(crate) guarantee: Option<Stated>,
    /// Whether its draws followed from a seed.
    pub(crate) is_seeded: bool,
    /// What the columns that were asked for hold, in their order. Null is `None`.
    pub(crate) columns: Vec<Option<String>>,
    /// What the column of time holds.
    pub(crate) time: Option<String>,
    /// For how many equal releases it stands.
    pub(crate) count: u64,
}

/// A guarantee, as it was declared.
#[derive(Clone, Debug)]
pub(crate) struct Stated {
    /// All rows that declare the same one share it.
    pub(crate) draw: Arc<DeclaredDraw>,
    /// It is that of the row with the most words of the file, and so holds for each.
    pub(crate) is_of_file: bool,
    /// The same of one column. The guarantee of a file adds up the statements of all its columns in a row. Of words it does
    /// so for the longest row, and no column has a number of its own.
    pub(crate) of_column: Arc<DeclaredDraw>,
}

impl Stated {
    /// What is declared of a release itself.
    fn of_release(draw: DeclaredDraw) -> Self {
        let draw = Arc::new(draw);
        Self { of_column: Arc::clone(&draw), draw, is_of_file: false }
    }

    /// What is declared of the rows of a file, in which this number of columns was released.
    fn of_file(draw: DeclaredDraw, columns: usize) -> Self {
        let draw = Arc::new(draw);
        let count = u32::try_from(columns).unwrap_or(u32::MAX);
        let has_words = draw.terms.unit == Unit::Word.name();
        let of_column = if count < 2 || has_words || !draw.losses.words.is_multiple_of(count) {
            Arc::clone(&draw)
        } else {
            let mut one = DeclaredDraw::clone(&draw);
            one.losses.words /= count;
            one.losses.epsilon_text = one.losses.epsilon_text.map(|epsilon| epsilon / f64::from(count));
            one.losses.delta_text /= f64::from(count);
            one.losses.total_variation /= f64::from(count);
            Arc::new(one)
        };
        Self { draw, is_of_file: true, of_column }
    }
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Source {
    /// Its name without folders.
    pub(crate) file: String,
    /// The digest of its bytes; of a database, of the rows.
    pub(crate) sha256: String,
    /// How many releases it holds.
    pub(crate) records: u64,
    /// How many of its rows hold none.
    #[serde(skip)]
    pub(crate) skipped: u64,
    /// How many rows `textveil privatize` left out of it.
    #[serde(skip)]
    pub(crate) left_out: u64,
}

/// Where a row stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// By the line, from 1.
    Line(u64),
    /// By the line where a record of CSV or TSV begins, from 1, which is that of the header.
    Record(u64),
    /// By the row of a Parquet file, from 1.
    Row(u64),
    /// By the collector's number.
    Submission(i64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) | Self::Record(number) => write!(f, "line {number}"),
            Self::Row(number) => write!(f, "row {number}"),
            Self::Submission(number) => write!(f, "submission {number}"),
        }
    }
}

/// What a file or database is called in messages.
pub(crate) fn named(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { shown(path) }
}

/// Whether it is the database of a collector.
pub(crate) fn is_database(path: &Path) -> bool {
    database::is_one(path)
}

/// Hands the rows of a collector's database to `take`, as `GET /releases` lists them, but all of them, the oldest first.
///
/// # Errors
/// It cannot be read, is no collector's or is damaged. The first error of `take`.
pub(crate) fn each_stored(path: &Path, take: &mut dyn FnMut(Value) -> Result<()>) -> Result<()> {
    database::entries(path, &mut |entry| take(entry.listed().with_context(|| named(path))?))
}

/// Hands each row of a file or database to `take`, in their order. It skips rows whose release is null, and submissions
/// of a database without the field of the release. "-" is standard input, as JSON lines, or plain lines of clear text.
///
/// # Errors
/// Input that cannot be read. A guarantee that is invalid, or that is not about the column. A column that is missing or
/// there twice. A row that is damaged, or does not stand for a whole number of releases from 1 to [`MOST`]. More
/// releases than the guarantee of the file is about. The first error of `take`. All errors name the file, and the row
/// if they are about one row.
pub(crate) fn each(path: &Path, wanted: &Wanted, take: &mut dyn FnMut(Report) -> Result<()>) -> Result<Source> {
    each_or(path, wanted, take, &mut Err)
}

/// The same, but hands the error of a row to `fault`, and goes on unless that returns an error.
///
/// # Errors
/// Those of `fault`, and those that are not about the content of one row.
pub(crate) fn each_or(
    path: &Path,
    wanted: &Wanted,
    take: &mut dyn FnMut(Report) -> Result<()>,
    fault: &mut dyn FnMut(Error) -> Result<()>,
) -> Result<Source> {
    let name = named(path);
    let last = path.file_name().filter(|_| path != Path::new("-") && !is_one(path));
    let file = last.map_or_else(|| name.clone(), |last| last.to_string_lossy().into_owned());
    if wanted.is_own_database || database::is_one(path) {
        ensure!(!wanted.is_clear, "{name} is a collector's database: it holds releases, and no clear text");
        let mut rows = Rows::new(&name, wanted, None, take, fault)?;
        let sha256 = database::each(path, &mut rows)?;
        return Ok(Source { file, sha256, records: rows.records, skipped: rows.skipped, left_out: 0 });
    }
    let parquet = if Format::of(path) == Format::Parquet { Some(Parquet::open(path)?) } else { None };
    let of_file = OfFile::of(path, parquet.as_ref().and_then(Parquet::note), wanted.releases.guarantee.as_deref())?;
    ensure!(of_file.is_none() || !wanted.is_clear, "{name}: {NOT_CLEAR}");
    if of_file.is_none() {
        table::check(path, parquet.as_ref(), &name, wanted)?;
    }
    let is_of_lines = wanted.is_clear || of_file.as_ref().is_some_and(OfFile::is_of_lines);
    let most = of_file.as_ref().map(|of_file| of_file.rows);
    let left_out = of_file.as_ref().map_or(0, |of_file| of_file.left_out);
    let dialect = of_file.as_ref().and_then(|of_file| of_file.dialect);
    let mut rows = Rows::new(&name, wanted, of_file, take, fault)?;
    let sha256 = match (parquet, Format::of(path)) {
        (Some(parquet), _) => table::parquet(&parquet, path, &mut rows),
        (None, format @ (Format::Csv | Format::Tsv)) => table::csv(path, (format, dialect), &mut rows),
        (None, Format::Lines) if is_of_lines => lines::plain(input(path)?.2, &mut rows),
        _ => lines::json(input(path)?.2, &mut rows),
    }?;
    let (records, skipped) = (rows.records, rows.skipped);
    if let Some(most) = most {
        ensure!(records <= most, "{name} has {}, its guarantee is about {most}", counted(records, "release"));
    }
    Ok(Source { file, sha256, records, skipped, left_out })
}

/// What gets the reports.
type Take<'a> = &'a mut dyn FnMut(Report) -> Result<()>;

/// What gets the errors of rows.
type Fault<'a> = &'a mut dyn FnMut(Error) -> Result<()>;

/// Makes reports of rows.
struct Rows<'a> {
    name: &'a str,
    wanted: &'a Wanted,
    /// The field or column of the release, or `None` if the object itself is one.
    field: Option<String>,
    of_file: Option<(Stated, bool)>,
    /// The columns that its guarantee says were released.
    released: Vec<String>,
    /// The own guarantee that was read last, and whether a seed of it was known: many rows have the same.
    last: Option<(Value, (Stated, bool))>,
    take: Take<'a>,
    fault: Fault<'a>,
    /// No object has come yet.
    is_first: bool,
    /// Which of the columns asked for an object has had.
    found: Vec<bool>,
    records: u64,
    /// Rows whose release is null, and submissions without its field.
    skipped: u64,
}

impl<'a> Rows<'a> {
    fn new(
        name: &'a str,
        wanted: &'a Wanted,
        of_file: Option<OfFile>,
        take: Take<'a>,
        fault: Fault<'a>,
    ) -> Result<Self> {
        let asked = wanted.releases.field.clone();
        let field = match &of_file {
            Some(of_file) => of_file.field(asked)?,
            None => asked,
        };
        let released = of_file.as_ref().map_or_else(Vec::new, |of_file| of_file.columns.clone());
        if let Some(of_file) = of_file.as_ref().filter(|_| wanted.is_by_clear) {
            wanted.columns.iter().chain(&wanted.time).try_for_each(|column| of_file.check_clear(column))?;
        }
        let stated =
            |OfFile { draw, is_seeded, columns, .. }: OfFile| (Stated::of_file(draw, columns.len()), is_seeded);
        let of_file = of_file.map(stated);
        let found = vec![false; wanted.columns.len()];
        Ok(Self {
            name,
            wanted,
            field,
            of_file,
            released,
            last: None,
            take,
            fault,
            is_first: true,
            found,
            records: 0,
            skipped: 0,
        })
    }

    /// The field of the release, if only one with a name will do.
    fn column(&self) -> &str {
        self.field.as_deref().unwrap_or(TEXT)
    }

    /// A column that was asked for and that no object has had.
    fn never_found(&self) -> Option<&str> {
        self.wanted.columns.iter().zip(&self.found).find(|(_, found)| !**found).map(|(name, _)| name.as_str())
    }

    /// The columns of a table that are read: the release's, those asked for, the time's, and the count's.
    fn columns(&self) -> Vec<String> {
        let Wanted { columns, time, count, .. } = self.wanted;
        [self.column().to_owned()].into_iter().chain(columns.iter().chain(time).chain(count).cloned()).collect()
    }

    /// Reports a row of a table, whose cells are those of [`Rows::columns`].
    fn cells(&mut self, place: Place, cells: impl IntoIterator<Item = Option<String>>) -> Result<()> {
        let mut cells = cells.into_iter();
        let Some(text) = cells.next().flatten() else {
            self.skipped += 1;
            return Ok(());
        };
        let columns = cells.by_ref().take(self.wanted.columns.len()).collect();
        let mut next = |asked: &Option<String>| asked.as_ref().and_then(|_| cells.next().flatten());
        let (time, held) = (next(&self.wanted.time), next(&self.wanted.count));
        let sent = Sent { content: Content::Text(text), guarantee: None, is_seeded: false };
        let count = self.count(place, held);
        let reported = count.and_then(|count| self.report(place, sent, (columns, time, count)));
        self.or_fault(place, reported).map(drop)
    }

    /// What came of a row, or nothing after its error was handed on with its place.
    fn or_fault<T>(&mut self, place: Place, result: Result<T>) -> Result<Option<T>> {
        match result.with_context(|| self.place(place)) {
            Ok(found) => Ok(Some(found)),
            Err(error) => (self.fault)(error).map(|()| None),
        }
    }

    /// Reports a record; a collector notes the day. `textveil privatize` lets fields be missing, except in the first
    /// object, and so do people who fill in a form.
    fn record(&mut self, place: Place, record: &Record, day: Option<&str>) -> Result<()> {
        let is_later = !std::mem::replace(&mut self.is_first, false);
        let is_submission = matches!(place, Place::Submission(_));
        let may_miss = is_later && self.of_file.is_some() || is_submission || self.wanted.may_miss;
        for (name, found) in self.wanted.columns.iter().zip(&mut self.found) {
            *found |= record.contains_key(name);
        }
        let is_null = |name: &str| may_miss && !record.contains_key(name);
        let is_by_clear = self.wanted.is_by_clear;
        let cell = |name: &String| {
            let is_released = is_by_clear && record.contains_key(&format!("{name}{GUARANTEE}"));
            ensure!(!is_released, "the field \"{name}\" was released, and what was drawn makes no groups of people");
            if is_null(name) { Ok(None) } else { cell(record, name) }
        };
        let mut report = || {
            let field = self.field.as_deref();
            let sent = if field.is_some_and(is_null) { None } else { Sent::of(record, field)? };
            let Some(sent) = sent else {
                self.skipped += 1;
                return Ok(());
            };
            let columns = self.wanted.columns.iter().map(cell).collect::<Result<_>>()?;
            let time = match &self.wanted.time {
                Some(name) => cell(name)?,
                None => day.map(str::to_owned),
            };
            let held = self.wanted.count.as_ref().map(cell).transpose()?.flatten();
            let count = self.count(place, held)?;
            self.report(place, sent, (columns, time, count))
        };
        let reported = report();
        self.or_fault(place, reported).map(drop)
    }

    fn report(
        &mut self,
        place: Place,
        Sent { content, guarantee, is_seeded }: Sent,
        (columns, time, count): (Vec<Option<String>>, Option<String>, u64),
    ) -> Result<()> {
        let stated = match guarantee {
            Some(own) => Some(self.own(own)?),
            None => self.of_file.clone(),
        };
        let (guarantee, of_known_seed) = stated.map_or((None, false), |(stated, seed)| (Some(stated), seed));
        let is_seeded = is_seeded || of_known_seed;
        ensure!(guarantee.is_some() || !self.wanted.needs_guarantee, NOT_STATED);
        ensure!(guarantee.is_none() || !self.wanted.is_clear, NOT_CLEAR);
        self.records = self.records.saturating_add(count);
        (self.take)(Report { place, content, guarantee, is_seeded, columns, time, count })
    }

    /// For how many equal releases a row stands, whose column of counts holds this.
    fn count(&self, place: Place, held: Option<String>) -> Result<u64> {
        let Some(column) = &self.wanted.count else { return Ok(1) };
        // A person who filled in a form could otherwise say for how many others it counts.
        ensure!(!matches!(place, Place::Submission(_)), "a submission counts once: group the rows first");
        // Some programs write whole numbers with a fraction of 0.
        let count = held.and_then(|held| held.strip_suffix(".0").unwrap_or(&held).parse().ok());
        let count = count.filter(|count| (1..=MOST).contains(count));
        count.with_context(|| format!("the column \"{column}\" holds no whole number from 1 to 2^53"))
    }

    fn own(&mut self, own: Value) -> Result<(Stated, bool)> {
        if let Some((last, stated)) = &self.last
            && *last == own
        {
            return Ok(stated.clone());
        }
        let (draw, is_seeded) = read(&own)?;
        let stated = Stated::of_release(draw);
        Ok(self.last.insert((own, (stated, is_seeded))).1.clone())
    }

    fn place(&self, place: Place) -> String {
        format!("{}, {place}", self.name)
    }
}

/// What a field holds that is in clear.
fn cell(record: &Record, name: &str) -> Result<Option<String>> {
    Ok(match record.get(name).with_context(|| format!("there is no field \"{name}\""))? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
        Value::Array(_) | Value::Object(_) => bail!("the field \"{name}\" is neither text, a number, true nor false"),
    })
}

#[cfg(test)]
mod tests;
