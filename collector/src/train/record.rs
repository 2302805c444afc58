//! JSON objects, a line each, as a server that takes in releases has stored them.
//!
//! The rows of the example collector, which keeps the fields of a form one by one, are put together again: a
//! submission is an object with its fields, and beside each private `FIELD` its `FIELD-guarantee`, as the browser sent
//! them. No message holds anything of a line but its number.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use textveil_toolkit::files::{hexadecimal, input};

/// An object.
pub(super) type Record = Map<String, Value>;

/// What a field's guarantee is called: the field's name, and this.
pub(super) const GUARANTEE: &str = "-guarantee";

/// What is said of plain lines and of CSV, too.
const NO_OBJECT: &str = "not a JSON object: releases are read as JSON lines, which `textveil privatize` makes of a file \
                         that ends in .jsonl, and `textveil represent` of any lines";

/// The longest line, in bytes: a vector for each of some thousand words, or what a collector lists.
const LONGEST: u64 = 64 << 20;

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Source {
    /// Its name without folders.
    pub(super) file: String,
    pub(super) sha256: String,
    /// How many it holds.
    pub(super) records: u64,
}

/// Where a record stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// By the line, from 1.
    Line(u64),
    /// By the collector's number.
    Submission(i64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Submission(number) => write!(f, "submission {number}"),
        }
    }
}

/// Hands each record of a file to `take`; blank lines are none.
///
/// # Errors
/// What cannot be read, a line that is no JSON object, and what `take` refuses, each with its place.
pub(super) fn each(path: &Path, take: &mut dyn FnMut(Place, &Record) -> Result<()>) -> Result<Source> {
    let (name, _, input) = input(path)?;
    let mut input = BufReader::new(input);
    let (mut hash, mut bytes, mut lines, mut records) = (Sha256::new(), Vec::new(), 0, 0);
    let mut take = |place, record: &Record| {
        records += 1;
        take(place, record)
    };
    let mut submissions = Submissions::default();
    loop {
        bytes.clear();
        let read = (&mut input).take(LONGEST).read_until(b'\n', &mut bytes);
        if read.with_context(|| format!("cannot read {name}"))? == 0 {
            break;
        }
        lines += 1;
        hash.update(&bytes);
        let place = Place::Line(lines);
        let whole = bytes.len() as u64 <= LONGEST && (bytes.ends_with(b"\n") || (bytes.len() as u64) < LONGEST);
        let mut taken = || -> Result<()> {
            ensure!(whole, "longer than {} MiB", LONGEST >> 20);
            let Some(record) = parse(&bytes, lines == 1)? else { return Ok(()) };
            if let Some(Value::Array(rows)) = record.get("entries") {
                rows.iter().try_for_each(|row| submissions.add(row.as_object().context("a row is no object")?))
            } else if is_row(&record) {
                submissions.add(&record)
            } else {
                take(place, &record)
            }
        };
        taken().with_context(|| format!("{name}, {place}"))?;
    }
    for (number, record) in submissions.0 {
        let place = Place::Submission(number);
        take(place, &record).with_context(|| format!("{name}, {place}"))?;
    }
    let file = path.file_name().map_or_else(|| name.clone(), |file| file.to_string_lossy().into_owned());
    Ok(Source { file, sha256: hexadecimal(&hash.finalize()), records })
}

/// The object of a line; none of a blank one.
fn parse(line: &[u8], is_first: bool) -> Result<Option<Record>> {
    let line = if is_first { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
    let line = line.trim_ascii();
    // A parser's own words may repeat what it stumbled over.
    let object = || serde_json::from_slice(line).map_err(|_| anyhow!(NO_OBJECT));
    if line.is_empty() { Ok(None) } else { object().map(Some) }
}

/// Whether it is a row of the collector's.
fn is_row(record: &Record) -> bool {
    ["submission", "field", "text", "guarantee"].iter().all(|name| record.contains_key(*name))
}

/// What came together, by the collector's number.
#[derive(Default)]
struct Submissions(BTreeMap<i64, Record>);

impl Submissions {
    fn add(&mut self, row: &Record) -> Result<()> {
        let number = row.get("submission").and_then(Value::as_i64).context("a row without its submission's number")?;
        let field = row.get("field").and_then(Value::as_str).context("a row without the field's name")?;
        let text = row.get("text").filter(|text| text.is_string()).context("a row without text")?;
        let fields = self.0.entry(number).or_default();
        let is_new = fields.insert(field.to_owned(), text.clone()).is_none();
        ensure!(is_new, "submission {number} has a field twice");
        if let Some(guarantee) = row.get("guarantee").filter(|guarantee| !guarantee.is_null()) {
            fields.insert(format!("{field}{GUARANTEE}"), guarantee.clone());
        }
        Ok(())
    }
}
