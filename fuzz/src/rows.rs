//! Any bytes as a file of CSV, TSV or JSON lines: the code of `textveil privatize`, with another reader that says what must
//! come out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{fmt, fs};

use anyhow::Result;
use clap::Parser;
use csv::{ByteRecord, ReaderBuilder};
use rand_core::Rng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tempfile::TempDir;
use textveil::{Bulk, Disclosure, Mechanism, MechanismKind, Parameter, Privatizer, ReleaseRng, Table, normalize};

use crate::progress::Quiet;
use textveil_bulk::csv::{Dialect, Table as Csv, each};
use textveil_bulk::jsonl::Jsonl;
use textveil_bulk::partial::{Partial, Standing, State};
use textveil_bulk::rows::{Run, Target};
use textveil_bulk::{Fault, Release};
use textveil_toolkit::seed::Randomness;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    randomness: Randomness,
}

/// The same draws in every run.
pub(crate) static RANDOMNESS: LazyLock<Randomness> =
    LazyLock::new(|| Arguments::parse_from(["", "--seed", &"5e".repeat(32)]).randomness);

/// One thread: what finds an input has to find it again.
pub(crate) static POOL: LazyLock<ThreadPool> =
    LazyLock::new(|| ThreadPoolBuilder::new().num_threads(1).build().expect("a thread"));

static PRIVATIZER: LazyLock<Privatizer> = LazyLock::new(|| {
    let table = Table::parse(include_bytes!("../../tests/tables/toy.tvt").as_slice()).expect("a table of the tests");
    let mechanism = Mechanism::new(MechanismKind::Exponential).with(Parameter::Eta, 2.0).expect("a number in range");
    Privatizer::new(&table, mechanism, Disclosure::default()).expect("offered")
});

static BULK: LazyLock<Bulk<'_>> = LazyLock::new(|| Bulk::new(&PRIVATIZER));

thread_local! {
    /// Where inputs and outputs are written: in memory, where that can be had.
    static DIRECTORY: TempDir =
        tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a directory for outputs");
}

/// A release that holds nothing of its text, and tells which stream it was drawn from.
pub(crate) fn mark(text: &str, rng: &mut ReleaseRng) -> Result<(String, usize), Fault> {
    Ok(if text.is_empty() { (String::new(), 0) } else { (format!("R{:016x}", rng.next_u64()), 1) })
}

/// A release as `textveil privatize` makes it.
fn privatize(text: &str, rng: &mut ReleaseRng) -> Result<(String, usize), Fault> {
    Ok(BULK.privatize_text(text, rng)?)
}

/// What must come out for the text of this number.
pub(crate) fn expected(release: &Release<'_>, text: &str, number: u64) -> String {
    let mut rng = RANDOMNESS.rng(number).expect("a seed");
    let Ok((text, _)) = release(&normalize(text), &mut rng) else { panic!("a short text is refused") };
    text
}

/// What a run left.
struct Ran {
    out: Vec<u8>,
    state: State,
    result: Result<()>,
}

/// Runs over some rows.
fn run(skip_bad: bool, state: State, work: impl FnOnce(&Run<'_>, &mut Target, &mut State) -> Result<()>) -> Ran {
    let run = Run { pool: &POOL, pace: &Quiet, name: "input", skip_bad };
    in_the_making(|target, output| {
        let (mut target, mut state) = (Target::File(Box::new(target)), state);
        let result = work(&run, &mut target, &mut state);
        Ran { out: fs::read(output).expect("what was written"), state, result }
    })
}

/// A file that holds these bytes, until the next one.
pub(crate) fn file(bytes: &[u8]) -> PathBuf {
    let path = DIRECTORY.with(|directory| directory.path().join("input"));
    fs::write(&path, bytes).expect("a file for the input");
    path
}

/// Hands out an output in the making and the path of its data, and removes it.
pub(crate) fn in_the_making<T>(work: impl FnOnce(Partial, &Path) -> T) -> T {
    DIRECTORY.with(|directory| {
        let output = directory.path().join("output");
        let partial = directory.path().join("output.partial");
        // What an input that broke a promise left.
        let _ = fs::remove_dir_all(&partial);
        let (target, _) = Partial::open(&output, Standing::Refuse, Value::Null, None, false).expect("a new output");
        let result = work(target, &partial.join("data"));
        fs::remove_dir_all(&partial).expect("the output is there");
        result
    })
}

/// A run that leaves bad rows out, and one that ends at the first and is then gone on with: both write the same.
fn whole_and_resumed(input: &[u8], work: impl Fn(&Run<'_>, &[u8], &mut Target, &mut State) -> Result<()>) -> Ran {
    let begin = State { line: 1, ..State::default() };
    let whole = run(true, begin.clone(), |run, target, state| work(run, input, target, state));
    let until = run(false, begin, |run, target, state| work(run, input, target, state));
    assert!(whole.out.starts_with(&until.out), "what comes out depends on whether bad rows are left out");
    if until.result.is_ok() {
        assert!(whole.out == until.out && whole.state.tally == until.state.tally && whole.result.is_ok());
    } else if until.state.tally.releases > 0 {
        let rest = run(true, until.state, |run, target, state| work(run, input, target, state));
        assert!([until.out, rest.out].concat() == whole.out, "a run that is gone on with writes something else");
        assert!(rest.state.tally == whole.state.tally && rest.result.is_ok() == whole.result.is_ok());
        assert_eq!((rest.state.rows, rest.state.input), (whole.state.rows, whole.state.input));
    }
    whole
}

/// Any bytes as CSV or TSV. The first byte says how it is written and which columns are named.
///
/// # Panics
/// A cell comes out that is neither released nor kept, a row is lost, or a release is another one than that of its row.
pub fn csv(data: &[u8]) {
    let Some((options, input)) = data.split_first() else { return };
    let (delimiter, quotes) = [(b',', true), (b';', true), (b'\t', true), (b'\t', false)][usize::from(options & 3)];
    let dialect = Dialect { delimiter, quotes, header: options & 4 == 0 };
    let release: &Release<'_> = if options & 8 == 0 { &mark } else { &privatize };
    let names = |header: &[&str], numbers: &[&str]| -> Vec<String> {
        let names = if dialect.header { header } else { numbers };
        names.iter().map(|name| (*name).to_owned()).collect()
    };
    let columns = if options & 16 == 0 { names(&["a"], &["1"]) } else { names(&["c", "a"], &["3", "1"]) };
    let keep = if options & 32 == 0 { names(&["b"], &["2"]) } else { Vec::new() };
    let table = Csv { dialect, columns: &columns, keep: &keep, release, randomness: &RANDOMNESS, needs_all: false };
    let ran = whole_and_resumed(input, |run, input, target, state| {
        let whole = Box::new(std::io::Cursor::new(input.to_vec()));
        let done = usize::try_from(state.input).expect("a place in the input");
        let rest =
            (done > 0).then(|| Box::new(std::io::Cursor::new(input[done - 1..].to_vec())) as Box<dyn std::io::Read>);
        table.run(run, (whole, rest), target, state)
    });
    // What cannot be read to its end is refused with what was released before.
    if ran.result.is_err() {
        return;
    }
    let read = |bytes: &[u8]| -> Vec<ByteRecord> {
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter).quoting(quotes);
        builder.from_reader(bytes).into_byte_records().collect::<Result<_, _>>().expect("bytes are records")
    };
    let records = read(input);
    let is_well = |record: &ByteRecord| !quotes || is_quoted_well(input, record, delimiter);
    let first = records.first().expect("a file that was read has a row");
    let place = |name: &String| match dialect.header {
        true => first.iter().position(|field| field == name.as_bytes()),
        false => name.parse::<usize>().ok().map(|number| number - 1),
    };
    if dialect.header {
        let fields: Vec<usize> = columns.iter().map(|name| place(name).expect("a column that was found")).collect();
        cells(input, dialect, &columns, (&records, &fields));
    }
    let mut picked: Vec<(usize, Option<u64>)> = columns
        .iter()
        .zip(0..)
        .map(|(c, at)| (place(c), Some(at)))
        .chain(keep.iter().map(|name| (place(name), None)))
        .map(|(place, fate)| (place.expect("a column that was found"), fate))
        .collect();
    picked.sort_unstable();
    let mut rows = Vec::new();
    if dialect.header {
        rows.push(picked.iter().map(|(place, _)| first[*place].to_vec()).collect::<Vec<_>>());
    }
    let (mut number, mut left_out) = (0, 0);
    for record in records.iter().skip(usize::from(dialect.header)) {
        let row: Option<Vec<Vec<u8>>> = picked
            .iter()
            .map(|(place, fate)| {
                let cell = record.get(*place).filter(|_| record.len() == first.len() && is_well(record))?;
                match fate {
                    Some(at) => {
                        let text = std::str::from_utf8(cell).ok()?;
                        let text = expected(release, text, number * columns.len() as u64 + at);
                        Some(if quotes { text } else { text.replace('\n', " ") }.into_bytes())
                    }
                    None => Some(cell.to_vec()).filter(|cell| !cell.iter().any(|byte| b"\r\n".contains(byte))),
                }
            })
            .collect();
        match row {
            // A blank line would be no row.
            Some(row) if !quotes && row == [b""] => rows.push(vec![b" ".to_vec()]),
            Some(row) => rows.push(row),
            None => left_out += 1,
        }
        number += 1;
    }
    let written: Vec<Vec<Vec<u8>>> =
        read(&ran.out).iter().map(|record| record.iter().map(<[u8]>::to_vec).collect()).collect();
    assert_eq!(shown(&written), shown(&rows), "not what stands in the columns that are named");
    let tally = ran.state.tally;
    assert_eq!((ran.state.rows, tally.skipped), (number, left_out));
    assert_eq!(tally.releases, (number - left_out) * columns.len() as u64);
}

/// Who reads columns gets what stands in their fields, up to the first record that is not whole or not UTF-8.
fn cells(input: &[u8], dialect: Dialect, columns: &[String], (records, fields): (&[ByteRecord], &[usize])) {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let read = each(input, "input", dialect, columns, &mut |_, cells| {
        rows.push(cells.into_iter().map(str::to_owned).collect());
        Ok(())
    });
    let whole = |record: &ByteRecord| -> Option<Vec<String>> {
        let cell = |field: &usize| String::from_utf8(record.get(*field)?.to_vec()).ok();
        let is_read =
            record.len() == records[0].len() && (!dialect.quotes || is_quoted_well(input, record, dialect.delimiter));
        fields.iter().map(cell).collect::<Option<_>>().filter(|_| is_read)
    };
    let expected: Vec<_> = records[1..].iter().map_while(whole).collect();
    assert_eq!(rows, expected, "not what stands in the columns that are named");
    assert_eq!(read.is_ok(), rows.len() == records.len() - 1, "a record is passed over");
}

/// Whether a record stands in the input as RFC 4180 has it: each cell bare and without quotes, or whole between quotes.
fn is_quoted_well(input: &[u8], record: &ByteRecord, delimiter: u8) -> bool {
    let start = record.position().map_or(0, |position| position.byte() as usize);
    let mut rest = input[start..].strip_prefix(b"\xef\xbb\xbf").filter(|_| start == 0).unwrap_or(&input[start..]);
    while let [b'\r' | b'\n', behind @ ..] = rest {
        rest = behind;
    }
    record.iter().enumerate().all(|(place, cell)| {
        let doubled = cell.iter().flat_map(|byte| if *byte == b'"' { vec![b'"'; 2] } else { vec![*byte] });
        let quoted: Vec<u8> = [b'"'].into_iter().chain(doubled).chain([b'"']).collect();
        let before: &[u8] = if place == 0 { b"" } else { &[delimiter] };
        let Some(behind) = rest.strip_prefix(before) else { return false };
        let bare = behind.strip_prefix(cell).filter(|_| !cell.contains(&b'"'));
        let Some(behind) = behind.strip_prefix(quoted.as_slice()).or(bare) else { return false };
        rest = behind;
        true
    }) && matches!(rest, [] | [b'\r' | b'\n', ..])
}

/// Rows as a person can read them.
fn shown(rows: &[Vec<Vec<u8>>]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|cell| cell.escape_ascii().to_string()).collect()).collect()
}

/// Any bytes as JSON lines. The first byte says which fields are named.
///
/// # Panics
/// A field comes out that is neither released nor kept, a row is lost, or a release is another one than that of its row.
pub fn jsonl(data: &[u8]) {
    let Some((options, input)) = data.split_first() else { return };
    let names = |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    let columns = if options & 1 == 0 { names(&["a"]) } else { names(&["c", "a"]) };
    let keep = if options & 2 == 0 { names(&["b"]) } else { Vec::new() };
    let release: &Release<'_> = if options & 4 == 0 { &mark } else { &privatize };
    let objects =
        Jsonl { columns: &columns, keep: &keep, release, spans: None, randomness: &RANDOMNESS, needs_all: false };
    let ran = whole_and_resumed(input, |run, input, target, state| {
        let done = usize::try_from(state.input).expect("a place in the input");
        objects.run(run, Box::new(std::io::Cursor::new(input[done..].to_vec())), target, state)
    });
    let mut lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    // Behind the last break is no line.
    lines.pop_if(|last| last.is_empty());
    let read = lines.iter().zip(0..ran.state.rows);
    let rows: Vec<Option<String>> = read.map(|(line, number)| row(number, line, &columns, &keep, release)).collect();
    let expected: String = rows.iter().flatten().flat_map(|row| [row.as_str(), "\n"]).collect();
    assert_eq!(ran.out.escape_ascii().to_string(), expected.as_bytes().escape_ascii().to_string());
    assert_eq!(ran.state.tally.skipped, rows.iter().filter(|row| row.is_none()).count() as u64);
    if ran.result.is_ok() {
        assert_eq!(ran.state.rows, lines.len() as u64);
    }
}

/// An object's fields, in their order, as they stand.
struct Fields(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// What must come out for a line; nothing for one that is left out.
fn row(number: u64, line: &[u8], columns: &[String], keep: &[String], release: &Release<'_>) -> Option<String> {
    let line = if number == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
    let line = str::from_utf8(line).ok()?;
    if line.trim_ascii().is_empty() {
        return Some(String::new());
    }
    let Fields(fields) = serde_json::from_str(line).ok()?;
    let (mut names, mut out) = (BTreeSet::new(), Vec::new());
    for (name, value) in fields {
        let place = columns.iter().position(|column| *column == name);
        if place.is_none() && !keep.contains(&name) {
            continue;
        }
        let value = match place {
            Some(place) => {
                let text: Option<String> = serde_json::from_str(value.get()).ok()?;
                let release = |text: String| expected(release, &text, number * columns.len() as u64 + place as u64);
                json!(text.map(release)).to_string()
            }
            None => value.get().to_owned(),
        };
        out.push(format!("{}:{value}", json!(name)));
        if !names.insert(name) {
            return None;
        }
    }
    Some(format!("{{{}}}", out.join(",")))
}
