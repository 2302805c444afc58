//! Lines: JSON objects as devices send them and as a server has stored them, and plain lines.
//!
//! The collector keeps the fields of a form one by one. This module puts its rows together again: a submission is an
//! object with its fields. Next to each private `FIELD` it has `FIELD-guarantee`, as the browser sent them.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::Value;
use sha2::{Digest, Sha256};
use textveil_toolkit::files::{Input, hexadecimal};

use super::{Place, Record, Rows};
use crate::serve::store::listed;
use crate::serve::submission::{GUARANTEE, object_of};

/// This message is for plain lines, too.
const NO_OBJECT: &str = "not a JSON object: a file that does not end in .csv, .tsv or .parquet is read as JSON lines, \
                         unless the guarantee next to it is about plain lines";

/// The longest line, in bytes: a vector for each of some thousand words, or what a collector lists.
const LONGEST: u64 = 64 << 20;

/// Reports each line, the empty one too. Returns the digest of the input.
///
/// # Errors
/// What cannot be read, a column that is asked for, and those of the rows.
pub(super) fn plain(input: Input, rows: &mut Rows<'_>) -> Result<String> {
    if let Some(column) = rows.columns().get(1) {
        return Err(anyhow!("{} has no column \"{column}\": it has plain lines", rows.name));
    }
    each(input, rows, &mut |rows, number, line| {
        // A release never begins so: what holds more than the release must not be read as one.
        ensure!(!line.starts_with('{'), "{}: an object among plain lines: end its name in .jsonl", rows.place(number));
        rows.cells(number, [Some(line.to_owned())])
    })
}

/// Reports each JSON object and skips blank lines. Returns the digest of the input.
///
/// # Errors
/// What cannot be read, a line that is no JSON object, and those of the rows.
pub(super) fn json(input: Input, rows: &mut Rows<'_>) -> Result<String> {
    let mut submissions = Submissions::default();
    let digest = each(input, rows, &mut |rows, place, line| {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let Some(record) = rows.or_fault(place, object(line))? else { return Ok(()) };
        let mut add = |rows: &mut Rows<'_>, row: Option<&Record>| {
            let row = row.context("a row is no object").and_then(Entry::of);
            rows.or_fault(place, row)?.map_or(Ok(()), |row| submissions.add(row, rows))
        };
        if let Some(Value::Array(listed)) = record.get("entries") {
            listed.iter().try_for_each(|row| add(rows, row.as_object()))
        } else if is_row(&record) {
            add(rows, Some(&record))
        } else {
            rows.record(place, &record, None)
        }
    })?;
    submissions.end(rows)?;
    Ok(digest)
}

/// Hands each line without its end to `take`. Returns the digest of the input.
fn each(
    input: Input,
    rows: &mut Rows<'_>,
    take: &mut dyn FnMut(&mut Rows<'_>, Place, &str) -> Result<()>,
) -> Result<String> {
    let mut input = BufReader::new(input);
    let (mut hash, mut bytes, mut number) = (Sha256::new(), Vec::new(), 0);
    loop {
        bytes.clear();
        let read = (&mut input).take(LONGEST).read_until(b'\n', &mut bytes);
        if read.with_context(|| format!("cannot read {}", rows.name))? == 0 {
            return Ok(hexadecimal(&hash.finalize()));
        }
        number += 1;
        hash.update(&bytes);
        let place = Place::Line(number);
        let is_whole = bytes.ends_with(b"\n") || (bytes.len() as u64) < LONGEST;
        ensure!(is_whole, "{}: longer than {} MiB", rows.place(place), LONGEST >> 20);
        let line = str::from_utf8(&bytes).map_err(|_| anyhow!("not UTF-8"));
        let Some(line) = rows.or_fault(place, line)? else { continue };
        let line = if number == 1 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
        let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        take(rows, place, line)?;
    }
}

/// The object of a line.
///
/// # Errors
/// It is not a JSON object, or has a field twice. The message leaves out the parser's own words, which may repeat the
/// input.
fn object(line: &str) -> Result<Record> {
    object_of(line).context(NO_OBJECT)?.context("a field stands there twice")
}

/// Whether it is a row of the collector's.
fn is_row(record: &Record) -> bool {
    ["submission", "field", "text", "guarantee"].iter().all(|name| record.contains_key(*name))
}

/// A row of the collector's.
pub(super) struct Entry {
    pub(super) submission: i64,
    pub(super) day: Option<String>,
    pub(super) field: String,
    pub(super) text: String,
    /// As an object or as JSON.
    pub(super) guarantee: Option<Value>,
}

impl Entry {
    /// As the collector lists it.
    ///
    /// # Errors
    /// Its guarantee is damaged. Without it, a release would be listed as a public field.
    pub(super) fn listed(self) -> Result<Value> {
        let Self { submission, day, field, text, guarantee } = self;
        let object = |guarantee: Value| match guarantee {
            Value::String(text) => serde_json::from_str(&text),
            guarantee => serde_json::from_value(guarantee),
        };
        let damaged = |_| anyhow!("the guarantee of submission {submission} is damaged");
        let guarantee = guarantee.map(object).transpose().map_err(damaged)?;
        Ok(listed(submission, day.as_deref(), &field, &text, guarantee))
    }

    fn of(row: &Record) -> Result<Self> {
        let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        Ok(Self {
            submission: row
                .get("submission")
                .and_then(Value::as_i64)
                .context("a row without its submission's number")?,
            day: text("day"),
            field: text("field").context("a row without the field's name")?,
            text: text("text").context("a row without text")?,
            guarantee: row.get("guarantee").filter(|guarantee| !guarantee.is_null()).cloned(),
        })
    }
}

/// What came together, by the collector's number. One submission is held at a time.
#[derive(Default)]
pub(super) struct Submissions {
    open: Option<Submission>,
    /// How numbers follow each other.
    order: Option<Ordering>,
    /// The fields that hold releases.
    private: BTreeSet<String>,
    has_any: bool,
}

struct Submission {
    number: i64,
    day: Option<String>,
    fields: Record,
}

impl Submissions {
    /// Takes a row in, and reports the submission before it if it was the last of that.
    ///
    /// # Errors
    /// Rows of a submission that do not stand together, a field that it has twice, and those of the report.
    pub(super) fn add(&mut self, row: Entry, rows: &mut Rows<'_>) -> Result<()> {
        let Entry { submission: number, day, field, text, guarantee } = row;
        let place = || rows.place(Place::Submission(number));
        let order = self.open.as_ref().map(|open| number.cmp(&open.number)).filter(|order| order.is_ne());
        if let Some(order) = order {
            let is_new = *self.order.get_or_insert(order) == order;
            ensure!(is_new, "{}: its rows do not stand together, or rows are not in their order", place());
            self.report(rows)?;
        }
        self.has_any = true;
        if guarantee.is_some() && !self.private.contains(&field) {
            self.private.insert(field.clone());
        }
        let open = self.open.get_or_insert_with(|| Submission { number, day, fields: Record::new() });
        let is_new = open.fields.insert(field.clone(), Value::String(text)).is_none();
        ensure!(is_new, "{}: a field stands there twice", rows.place(Place::Submission(number)));
        if let Some(guarantee) = guarantee {
            open.fields.insert(format!("{field}{GUARANTEE}"), guarantee);
        }
        Ok(())
    }

    /// Reports the last submission.
    ///
    /// # Errors
    /// Those of the report. There are releases, and none of them is of the field that is asked for. No submission has a
    /// column that is asked for.
    pub(super) fn end(mut self, rows: &mut Rows<'_>) -> Result<()> {
        self.report(rows)?;
        if rows.wanted.may_miss || rows.wanted.is_one_of_many || !self.has_any {
            return Ok(());
        }
        if rows.records == 0 && !self.private.is_empty() {
            let held: Vec<&str> = self.private.iter().map(String::as_str).collect();
            bail!(
                "{}: no release of the field {}. Name one of these by --field: {}",
                rows.name,
                rows.column(),
                held.join(", ")
            );
        }
        if let Some(column) = rows.never_found().filter(|_| rows.records > 0) {
            bail!("{}: no submission has the field \"{column}\"", rows.name);
        }
        Ok(())
    }

    /// Reports the submission that is open, if it has the field of the release.
    ///
    /// # Errors
    /// Those of the report.
    fn report(&mut self, rows: &mut Rows<'_>) -> Result<()> {
        let Some(Submission { number, day, mut fields }) = self.open.take() else { return Ok(()) };
        if !fields.contains_key(rows.column()) {
            rows.skipped += 1;
            return Ok(());
        }
        if let Some(day) = &day {
            fields.entry("day").or_insert_with(|| Value::String(day.clone()));
        }
        rows.record(Place::Submission(number), &fields, day.as_deref())
    }
}
