//! JSON lines: the named fields of each object are released, and no other field is written unless asked for.

use std::fmt;
use std::sync::OnceLock;

use anyhow::Result;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use textveil::{MAX_TEXT_BYTES, Offsets, Redacted, Span, normalize};

use super::lines::{Ending, Lines};
use crate::partial::State;
use crate::rows::{Place, Reader, Rows, Run, Target};
use crate::{Fault, LONGEST_ROW, Reason, Release, ReleaseOfRedacted, Tally, released};
use textveil_toolkit::files::Input;
use textveil_toolkit::seed::Randomness;

/// What is made of the fields.
pub struct Jsonl<'a> {
    /// The fields that are released.
    pub columns: &'a [String],
    /// The fields that pass as they are.
    pub keep: &'a [String],
    /// Makes the release of a text.
    pub release: &'a Release<'a>,
    /// Where a detector's spans stand, if there is one.
    pub spans: Option<Spans<'a>>,
    /// What draws follow from.
    pub randomness: &'a Randomness,
    /// Each row must have a text: which rows have one is not to show.
    pub needs_all: bool,
}

/// What a detector found in the texts of the one column that is released.
pub struct Spans<'a> {
    /// The field of the spans, which is not written.
    pub field: &'a str,
    /// Makes the release of a text without them.
    pub release: &'a ReleaseOfRedacted<'a>,
}

/// A span as a field has it. Places count code points, as in Python.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FoundSpan {
    start: usize,
    end: usize,
    kind: String,
}

/// The rule that a span of a text breaks.
fn broken_rule(text: &str, span: &Span<'_>) -> &'static str {
    let alone = [Span { start: 0, end: 1, kind: span.kind }];
    if span.start >= span.end {
        "a span must not be empty"
    } else if span.end > text.chars().count() {
        "a span must lie within the text"
    } else if Redacted::new("x", &alone, Offsets::CodePoints).is_err() {
        "the kind of a span must be a letter and up to 23 letters, digits or hyphens"
    } else {
        "a span must not overlap one of another kind"
    }
}

/// The fields of an object that have one of the names, as they stand, by the name's place.
struct Picked<'a>(&'a [&'a str]);

impl<'de> Visitor<'de> for Picked<'_> {
    type Value = Vec<(usize, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            match self.0.iter().position(|picked| *picked == name) {
                Some(place) => fields.push((place, map.next_value()?)),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(fields)
    }
}

/// The fields of a row that have one of the names. A blank line has no fields.
///
/// # Errors
/// Why it is no object.
fn fields<'l>(number: u64, line: &'l [u8], names: &[&str]) -> Result<Option<Vec<(usize, &'l RawValue)>>, &'static str> {
    let (line, _) = Ending::split(line);
    let line = if number == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
    let line = str::from_utf8(line).map_err(|_| crate::NOT_UTF8)?;
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let mut parser = serde_json::Deserializer::from_str(line);
    let fields = parser.deserialize_map(Picked(names)).map_err(|_| "not a JSON object")?;
    parser.end().map_err(|_| "not one JSON object")?;
    Ok(Some(fields))
}

/// Reads lines, and finds the first that is an object.
struct Objects<'a> {
    lines: Lines<Input>,
    /// The next row's number.
    number: u64,
    /// The number of the first object's row, once it is known.
    first: &'a OnceLock<u64>,
}

impl Reader for Objects<'_> {
    fn read(&mut self, rows: &mut Rows) -> Result<bool> {
        let is_there = self.lines.read(rows)?;
        if self.first.get().is_none() && matches!(fields(self.number, self.lines.line(), &[]), Ok(Some(_))) {
            self.first.get_or_init(|| self.number);
        }
        self.number += 1;
        Ok(is_there)
    }

    fn place(&self) -> Place {
        self.lines.place()
    }
}

impl Jsonl<'_> {
    /// # Errors
    /// As [`Run::rows`]; a field that the first object has not.
    pub fn run(&self, run: &Run<'_>, input: Input, target: &mut Target, state: &mut State) -> Result<()> {
        let place = Place::new(state.input, state.line);
        let lines = Lines::new(input, run, (LONGEST_ROW, "the row is longer than 4 MiB"), place);
        // A resumed run has already found it.
        let first = if state.rows == 0 { OnceLock::new() } else { OnceLock::from(0) };
        let work = |number: u64, cells: &[&[u8]], out: &mut Vec<u8>| {
            let is_first = first.get() == Some(&number);
            self.row((number, is_first), cells.first().copied().unwrap_or_default(), out)
        };
        run.rows(Objects { lines, number: state.rows, first: &first }, work, target, state)
    }

    /// Writes the release of a line, whose number is the row's; a blank line stays one.
    ///
    /// # Errors
    /// A line that is no object, a field that is no text. What the line holds is in no message.
    fn row(&self, (number, is_first): (u64, bool), line: &[u8], out: &mut Vec<u8>) -> Result<Tally, Fault> {
        let mut tally = Tally::default();
        let names = self.columns.iter().chain(self.keep).map(String::as_str);
        let names: Vec<&str> = names.chain(self.spans.as_ref().map(|spans| spans.field)).collect();
        let Some(fields) = fields(number, line, &names).map_err(Fault::of_row)? else {
            if self.needs_all {
                return Err(Fault::Row(Reason::NoAnswer));
            }
            out.push(b'\n');
            return Ok(tally);
        };
        for (place, name) in names.iter().enumerate() {
            match fields.iter().filter(|(field, _)| *field == place).count() {
                // Else a misspelled name would be noticed when all is done.
                0 if is_first => {
                    let message =
                        format!("the first object has no field \"{name}\": it must have all, if only as null");
                    return Err(Fault::Run(anyhow::Error::msg(message)));
                }
                0 if self.needs_all && place < self.columns.len() => return Err(Fault::Row(Reason::NoAnswer)),
                0 | 1 => {}
                _ => return Err(Fault::of_row(format!("the field \"{name}\" stands there twice"))),
            }
        }
        let found = fields.iter().find(|(place, _)| *place == self.columns.len() + self.keep.len());
        let mut separator = b'{';
        for (place, value) in fields.iter().filter(|(place, _)| *place < self.columns.len() + self.keep.len()) {
            out.push(separator);
            write(out, names[*place])?;
            out.push(b':');
            if *place < self.columns.len() {
                let text: Option<String> = serde_json::from_str(value.get()).map_err(|_| {
                    Fault::of_row(format!("the field \"{}\" is neither Unicode text nor null", names[*place]))
                })?;
                let text_number = number * self.columns.len() as u64 + *place as u64;
                let release = |text: String| match &self.spans {
                    Some(spans) => {
                        let found =
                            found.ok_or_else(|| Fault::of_row(format!("it has no field \"{}\"", spans.field)))?.1;
                        self.released_without(spans, found, (&text, text_number), &mut tally)
                    }
                    None => released(self.release, self.randomness, (&text, text_number), &mut tally),
                };
                if self.needs_all && text.is_none() {
                    return Err(Fault::Row(Reason::NoAnswer));
                }
                write(out, text.map(release).transpose()?)?;
            } else {
                out.extend_from_slice(value.get().as_bytes());
            }
            separator = b',';
        }
        out.extend_from_slice(if separator == b'{' { b"{}\n" } else { b"}\n" });
        Ok(tally)
    }

    /// Releases a text without the spans that a field says were found in it.
    ///
    /// # Errors
    /// The field is no list of spans, or one of them lies outside of the text.
    fn released_without(
        &self,
        spans: &Spans<'_>,
        found: &RawValue,
        (text, number): (&str, u64),
        tally: &mut Tally,
    ) -> Result<String, Fault> {
        let bad = |reason: &str| Fault::of_row(format!("the field \"{}\": {reason}", spans.field));
        let found: Vec<FoundSpan> = serde_json::from_str(found.get())
            .map_err(|_| bad("it is no list of objects with the fields start, end and kind"))?;
        let list: Vec<_> =
            found.iter().map(|FoundSpan { start, end, kind }| Span { start: *start, end: *end, kind }).collect();
        let text = Redacted::new(text, &list, Offsets::CodePoints).map_err(|error| match error {
            textveil::Error::InvalidSpan(number) => {
                let rule = list.get(number).map_or("", |span| broken_rule(text, span));
                bad(&format!("{rule} (span {} of the list)", number + 1))
            }
            _ => bad(&error.to_string()),
        })?;
        if text.text().len() > MAX_TEXT_BYTES {
            return Err(textveil::Error::TextTooLong.into());
        }
        let (text, words) = (spans.release)(&text.map(normalize), &mut self.randomness.rng(number)?)?;
        tally.release(words);
        Ok(text)
    }
}

fn write(out: &mut Vec<u8>, value: impl serde::Serialize) -> Result<(), Fault> {
    serde_json::to_writer(out, &value).map_err(|error| Fault::Run(error.into()))
}
