//! Rows of bytes: what lines, JSONL and CSV have in common.

use std::io::{self, BufRead, Read, Write};

use anyhow::Result;
use rayon::ThreadPool;

use crate::partial::{Partial, State};
use crate::{BadRow, CHUNK, Fault, Reason, Tally, Watch, in_order};

/// Rows that are worked on together.
#[derive(Default)]
pub struct Rows {
    /// The first row's number in the input, from 0.
    first: u64,
    /// All cells of all rows, one behind the other.
    bytes: Vec<u8>,
    /// Where each cell ends in them.
    ends: Vec<usize>,
    rows: Vec<Row>,
    /// Where the next row begins.
    behind: Place,
}

struct Row {
    place: Place,
    /// How many cells there are up to the end of this row, or why the row is invalid.
    cells: Result<usize, &'static str>,
}

impl Row {
    fn is_bad(&self) -> bool {
        self.cells.is_err()
    }
}

/// Where a row begins in its file.
#[derive(Clone, Copy, Default)]
pub struct Place {
    /// In bytes, from 0.
    pub byte: u64,
    /// The line, from 1, as the parser has counted.
    pub line: u64,
    /// The lines that it had then not yet counted.
    pub uncounted: u64,
}

impl Place {
    /// Where reading begins.
    #[must_use]
    pub const fn new(byte: u64, line: u64) -> Self {
        Self { byte, line, uncounted: 0 }
    }

    /// The line, as a person counts.
    #[must_use]
    pub const fn shown(self) -> u64 {
        self.line + self.uncounted
    }
}

impl Rows {
    /// Adds a row, or the reason why it is invalid.
    pub fn push<'a>(&mut self, place: Place, cells: Result<impl IntoIterator<Item = &'a [u8]>, &'static str>) {
        let cells = cells.map(|cells| {
            for cell in cells {
                self.bytes.extend_from_slice(cell);
                self.ends.push(self.bytes.len());
            }
            self.ends.len()
        });
        self.rows.push(Row { place, cells });
    }

    fn size(&self) -> usize {
        self.bytes.len() + size_of_val(&*self.ends) + size_of_val(&*self.rows)
    }

    /// The cells of each row, by the row's number and place.
    fn iter(&self) -> impl Iterator<Item = (u64, Place, Result<Vec<&[u8]>, &'static str>)> {
        let mut at = 0;
        let cell = |index: usize| {
            let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.bytes[start..self.ends[index]]
        };
        (self.first..).zip(&self.rows).map(move |(number, row)| {
            let cells = row.cells.map(|end| (std::mem::replace(&mut at, end)..end).map(cell).collect());
            (number, row.place, cells)
        })
    }
}

/// Reads rows of one kind of file.
pub trait Reader {
    /// Adds the next row. Returns whether there was one.
    ///
    /// # Errors
    /// What cannot be read, and what leaves no way to find the next row.
    fn read(&mut self, rows: &mut Rows) -> Result<bool>;

    /// Where the next row begins.
    fn place(&self) -> Place;
}

/// Where releases go.
pub enum Target {
    /// Standard output.
    Stdout(io::BufWriter<io::StdoutLock<'static>>),
    /// Standard output, once the run has succeeded: where it ends would tell of the row that ended it.
    Held(Vec<u8>),
    /// A file in the making.
    File(Box<Partial>),
}

impl Target {
    /// Standard output.
    pub fn stdout() -> Self {
        Self::Stdout(io::BufWriter::new(io::stdout().lock()))
    }

    /// Writes behind what was written.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Stdout(out) => Ok(out.write_all(bytes)?),
            Self::Held(held) => {
                held.extend_from_slice(bytes);
                Ok(())
            }
            Self::File(partial) => partial.write(bytes),
        }
    }

    /// Notes how far it is.
    fn reached(&mut self, state: &State) -> Result<()> {
        match self {
            Self::Stdout(_) | Self::Held(_) => Ok(()),
            Self::File(partial) => partial.reached(state),
        }
    }

    /// Writes out whatever waits, also when a run has failed.
    pub fn flush(&mut self, state: &State) -> Result<()> {
        match self {
            Self::Stdout(out) => Ok(out.flush()?),
            Self::Held(_) => Ok(()),
            Self::File(partial) => partial.save(state),
        }
    }

    /// Ends a run that must leave nothing, and removes all of it.
    pub fn give_up(&self) -> Result<()> {
        match self {
            Self::Stdout(_) | Self::Held(_) => Ok(()),
            Self::File(partial) => partial.give_up(),
        }
    }

    /// Ends a run that has succeeded: gives a file its name.
    pub fn finish(self) -> Result<()> {
        match self {
            Self::Stdout(_) => Ok(()),
            Self::Held(held) => {
                let mut out = io::stdout().lock();
                out.write_all(&held)?;
                Ok(out.flush()?)
            }
            Self::File(partial) => partial.finish(),
        }
    }
}

/// What a chunk came to.
struct Done {
    out: Vec<u8>,
    tally: Tally,
    /// How many rows were worked on, and where the next one begins.
    rows: u64,
    behind: Place,
    /// Rows that were left out, and the row that ended the run.
    faults: Vec<(Place, Reason)>,
    end: Option<(Place, Fault)>,
}

/// A run over one file.
pub struct Run<'a> {
    /// The threads that draw.
    pub pool: &'a ThreadPool,
    /// Listens to the progress of the run.
    pub pace: &'a dyn Watch,
    /// The file, for messages.
    pub name: &'a str,
    /// Leave out rows that cannot be read, instead of ending there.
    pub skip_bad: bool,
}

impl Run<'_> {
    /// Writes what `work` makes of each row (its number, its cells), and notes in `state` how far it is.
    ///
    /// # Errors
    /// The first row that has no release, with its place, unless such rows are left out; what cannot be read or
    /// written. What was released before is written.
    pub fn rows(
        &self,
        mut reader: impl Reader,
        work: impl Fn(u64, &[&[u8]], &mut Vec<u8>) -> Result<Tally, Fault> + Sync,
        target: &mut Target,
        state: &mut State,
    ) -> Result<()> {
        let skip_bad = self.skip_bad;
        let mut first = state.rows;
        let (mut unreadable, mut ended) = (None, false);
        let next = || {
            let mut rows = Rows { first, ..Rows::default() };
            while !ended && rows.size() < CHUNK {
                // Releases the rows before a failure, and then reports it.
                match reader.read(&mut rows) {
                    // The row that ends the run is the last that is read.
                    Ok(is_there) => ended = !is_there || !skip_bad && rows.rows.last().is_some_and(Row::is_bad),
                    Err(error) => (unreadable, ended) = (Some(error), true),
                }
            }
            first += rows.rows.len() as u64;
            rows.behind = reader.place();
            let size = rows.size();
            match unreadable.take_if(|_| rows.rows.is_empty()) {
                Some(error) => Err(error),
                None => Ok(Some((rows, size)).filter(|(rows, _)| !rows.rows.is_empty())),
            }
        };
        let write = |done: Done| {
            let written = target.write(&done.out);
            // Of what could not be written to standard output, some may have left. A file is cut off and written anew.
            if written.is_ok() || matches!(target, Target::Stdout(_)) {
                state.tally += done.tally;
                state.rows += done.rows;
            }
            written?;
            (state.input, state.line) = (done.behind.byte, done.behind.line);
            for (place, reason) in done.faults {
                self.pace.say(&format!("left out: {}, line {}: {reason}", self.name, place.shown()));
            }
            self.pace.reached(state.input, state.rows);
            let failure = done.end.map(|(place, fault)| match fault {
                Fault::Row(reason) => BadRow { place: format!("{}, line {}", self.name, place.shown()), reason }.into(),
                Fault::Run(error) => error,
            });
            failure.map_or_else(|| target.reached(state), Err)
        };
        in_order(self.pool, next, |rows: Rows| rows.work(&work, skip_bad), write)
    }
}

impl Rows {
    fn work(&self, work: impl Fn(u64, &[&[u8]], &mut Vec<u8>) -> Result<Tally, Fault>, skip_bad: bool) -> Done {
        let out = Vec::with_capacity(2 * self.bytes.len());
        let mut done =
            Done { out, tally: Tally::default(), rows: 0, behind: self.behind, faults: Vec::new(), end: None };
        for (number, place, cells) in self.iter() {
            let before = done.out.len();
            let result = cells.map_err(Fault::of_row);
            match result.and_then(|cells| work(number, &cells, &mut done.out)) {
                Ok(tally) => done.tally += tally.row(),
                Err(Fault::Row(reason)) if skip_bad => {
                    done.out.truncate(before);
                    done.tally.skipped += 1;
                    done.faults.push((place, reason));
                }
                Err(fault) => {
                    done.out.truncate(before);
                    (done.behind, done.end) = (place, Some((place, fault)));
                    break;
                }
            }
            done.rows += 1;
        }
        done
    }
}

/// A line of at most `most` bytes, its break included, into `line`. Of a longer one, that much and two bytes more.
///
/// # Errors
/// What cannot be read.
pub fn read_line(input: &mut impl BufRead, most: usize, line: &mut Vec<u8>) -> io::Result<usize> {
    line.clear();
    input.take(most as u64 + 2).read_until(b'\n', line)
}
