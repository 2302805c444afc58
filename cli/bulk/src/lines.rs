//! Plain lines, and the lines of JSONL.

use std::io::{BufRead, BufReader, Read};

use anyhow::{Context, Result};
use textveil::MAX_TEXT_BYTES;

use crate::partial::State;
use crate::rows::{Place, Reader, Rows, Run, Target, read_line};
use crate::{Fault, Release, Tally, released};
use textveil_toolkit::files::Input;
use textveil_toolkit::seed::Randomness;

/// Releases each line.
pub struct PlainLines<'a> {
    /// Makes the release of a text.
    pub release: &'a Release<'a>,
    /// What draws follow from.
    pub randomness: &'a Randomness,
    /// A last line without a break stays one.
    pub as_broken: bool,
}

impl PlainLines<'_> {
    /// # Errors
    /// As [`Run::rows`]. A line that is not UTF-8 is a bad row.
    pub fn run(&self, run: &Run<'_>, input: Input, target: &mut Target, state: &mut State) -> Result<()> {
        let work = |number: u64, cells: &[&[u8]], out: &mut Vec<u8>| {
            let (bytes, ending) = Ending::split(cells.first().copied().unwrap_or_default());
            // Without its bad bytes, it would be another text.
            let text = str::from_utf8(bytes).map_err(|_| Fault::of_row(crate::NOT_UTF8))?;
            let mut tally = Tally::default();
            let release = released(self.release, self.randomness, (text, number), &mut tally)?;
            // A line may hold breaks of other kinds (a lone carriage return, U+2028), which are line feeds in a
            // release.
            out.extend(release.bytes().map(|byte| if byte == b'\n' { b' ' } else { byte }));
            out.extend_from_slice(if self.as_broken { ending.as_str() } else { "\n" }.as_bytes());
            Ok(tally)
        };
        let too_long = (MAX_TEXT_BYTES, "the text is longer than one release may be (1 MiB)");
        let place = Place::new(state.input, state.line);
        run.rows(Lines::new(input, run, too_long, place), work, target, state)
    }
}

/// Reads lines, breaks included.
pub struct Lines<R> {
    input: BufReader<R>,
    name: String,
    /// The longest line in bytes, and the message for a longer one.
    longest: (usize, &'static str),
    /// Lines that are too long are left out, and the rest of such a line is skipped. Otherwise the rest is never read,
    /// and may be endless.
    skip_bad: bool,
    place: Place,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    /// Reads from `input`, whose first line stands at `place`.
    pub fn new(input: R, run: &Run<'_>, longest: (usize, &'static str), place: Place) -> Self {
        let (input, name) = (BufReader::new(input), run.name.to_owned());
        Self { input, name, longest, skip_bad: run.skip_bad, place, line: Vec::new() }
    }

    /// The line that was read last, or as much of it as was held.
    pub fn line(&self) -> &[u8] {
        &self.line
    }
}

impl<R: Read> Reader for Lines<R> {
    fn read(&mut self, rows: &mut Rows) -> Result<bool> {
        let (longest, too_long) = self.longest;
        let unreadable = || format!("cannot read {}", self.name);
        let mut read = read_line(&mut self.input, longest, &mut self.line).with_context(unreadable)?;
        if read == 0 {
            return Ok(false);
        }
        let (text, ending) = Ending::split(&self.line);
        let fits = text.len() <= longest;
        if !fits && self.skip_bad && ending == Ending::None {
            read += self.input.skip_until(b'\n').with_context(unreadable)?;
        }
        rows.push(self.place, if fits { Ok([&*self.line]) } else { Err(too_long) });
        self.place.byte += read as u64;
        self.place.line += 1;
        Ok(true)
    }

    fn place(&self) -> Place {
        self.place
    }
}

/// How a line ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With a break.
    Break,
    /// The input's end.
    None,
}

impl Ending {
    /// A line without its break.
    pub fn split(line: &[u8]) -> (&[u8], Self) {
        match line.strip_suffix(b"\n") {
            Some(text) => (text.strip_suffix(b"\r").unwrap_or(text), Self::Break),
            None => (line, Self::None),
        }
    }

    /// What stands there.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Break => "\n",
            Self::None => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;
    use textveil_toolkit::progress::Pace;

    use super::*;

    #[test]
    fn a_line_that_is_left_out_is_passed_over_at_once() {
        let input = ["good", &"a".repeat(99), "film"].join("\n");
        let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let pace = Pace::new(false);
        let run = Run { pool: &pool, pace: &pace, name: "", skip_bad: true };
        let mut lines = Lines::new(input.as_bytes(), &run, (9, "too long"), Place::new(0, 1));
        for end in [5, 105, 109] {
            assert!(lines.read(&mut Rows::default()).expect("bytes"));
            assert_eq!(lines.place().byte, end);
        }
    }
}
