//! Many texts: read in small chunks, released on all cores, written in their order, in constant memory.
//!
//! One thread reads and writes; the others work, each on a chunk of its own. What is read and not yet written is
//! bounded in bytes, so that memory depends neither on the input's length nor, by much, on the number of threads.

#![warn(clippy::print_stdout)]

pub mod csv;
pub mod guaranteed;
pub mod jsonl;
pub mod lines;
pub mod parquet;
pub mod partial;
pub mod rows;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use anyhow::{Context, Result};
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use textveil::{Redacted, ReleaseRng, normalize};

use textveil_toolkit::progress::Pace;
use textveil_toolkit::seed::Randomness;

/// Why a text or a cell is refused that is no text.
pub const NOT_UTF8: &str = "not UTF-8";
/// How a file becomes UTF-8.
pub const TO_UTF8: &str = "Convert the file to UTF-8, as \"iconv -f WINDOWS-1252 -t UTF-8\" does, or save it as \"CSV UTF-8\" where a \
                           spreadsheet offers that";

/// A chunk is handed to a thread when it has as many bytes.
const CHUNK: usize = 8 << 10;
/// The most bytes of input that are read and not yet written: two of the longest texts. Each may grow tenfold on its
/// way, by NFKC or as one-letter words that become long ones.
const IN_FLIGHT: usize = 2 << 20;
/// The longest row of a table, in bytes: several texts, with escapes.
const LONGEST_ROW: usize = 4 << 20;

/// Listens to the progress of a run.
pub trait Watch {
    /// The run has read the input up to `position`, in bytes (for Parquet, in rows), and released `rows` rows.
    fn reached(&self, position: u64, rows: u64);

    /// The run has something to tell a person.
    fn say(&self, message: &str);
}

impl Watch for Pace {
    fn reached(&self, position: u64, rows: u64) {
        Self::reached(self, position, rows);
    }

    fn say(&self, message: &str) {
        Self::say(self, message);
    }
}

/// What has been released so far.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Texts.
    pub releases: u64,
    /// Private words.
    pub words: u64,
    /// Private words of the row that has the most.
    pub most: u64,
    /// Rows that could not be read and were left out.
    pub skipped: u64,
}

impl Tally {
    /// What one more text of a row adds.
    pub fn release(&mut self, words: usize) {
        *self += Self { releases: 1, words: words as u64, ..Self::default() };
    }

    /// A row as a whole: its texts are one person's.
    pub fn row(self) -> Self {
        Self { most: self.words, ..self }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.releases += other.releases;
        self.words += other.words;
        self.most = self.most.max(other.most);
        self.skipped += other.skipped;
    }
}

/// Why a row has no release. The reason holds nothing of the row.
pub enum Fault {
    /// The row is to blame; the next one may be fine.
    Row(Reason),
    /// Nothing more can be released.
    Run(anyhow::Error),
}

impl Fault {
    /// A row that cannot be read.
    pub(crate) fn of_row(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::Row(Reason::Unreadable(reason.into()))
    }
}

/// What is wrong with a row. It holds nothing of the row.
#[derive(Debug)]
pub enum Reason {
    /// textveil refuses a text of the row.
    Refused(textveil::Error),
    /// The list of answers lacks a text of the row.
    NoAnswer,
    /// The row cannot be read.
    Unreadable(Cow<'static, str>),
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => write!(formatter, "{error}"),
            Self::NoAnswer => formatter.write_str("its answer is not among those of the list"),
            Self::Unreadable(reason) => formatter.write_str(reason),
        }
    }
}

/// The row that ended a run. It has nothing from the row.
#[derive(Debug)]
pub struct BadRow {
    /// The file, and the line or the number of the row.
    pub place: String,
    /// Why it ended the run.
    pub reason: Reason,
}

impl fmt::Display for BadRow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.reason)
    }
}

impl std::error::Error for BadRow {}

impl From<textveil::Error> for Fault {
    fn from(error: textveil::Error) -> Self {
        match error {
            textveil::Error::TextTooLong | textveil::Error::OtherLanguage => Self::Row(Reason::Refused(error)),
            _ => Self::Run(error.into()),
        }
    }
}

impl From<anyhow::Error> for Fault {
    fn from(error: anyhow::Error) -> Self {
        Self::Run(error)
    }
}

/// Makes a release of a text in NFKC: what is written, and how many private words it has.
pub type Release<'a> = dyn Fn(&str, &mut ReleaseRng) -> Result<(String, usize), Fault> + Sync + 'a;

/// Makes a release of a text in NFKC that a detector has seen.
pub type ReleaseOfRedacted<'a> = dyn Fn(&Redacted<'_>, &mut ReleaseRng) -> Result<(String, usize), Fault> + Sync + 'a;

/// Releases the text with this number and counts it in `tally`. Returns the text to write.
pub fn released(
    release: &Release<'_>,
    randomness: &Randomness,
    (text, number): (&str, u64),
    tally: &mut Tally,
) -> Result<String, Fault> {
    if text.len() > textveil::MAX_TEXT_BYTES {
        return Err(textveil::Error::TextTooLong.into());
    }
    let (text, words) = release(&normalize(text), &mut randomness.rng(number)?)?;
    tally.release(words);
    Ok(text)
}

/// Hands what `next` reads to all threads of the pool, and what `work` makes of it to `write`, in the same order.
/// `next` also says how many bytes it has read.
///
/// # Errors
/// The first of `next` and `write`; what was read before a failure of `next` is written.
pub fn in_order<C: Send, D: Send>(
    pool: &ThreadPool,
    mut next: impl FnMut() -> Result<Option<(C, usize)>>,
    work: impl Fn(C) -> D + Sync,
    mut write: impl FnMut(D) -> Result<()>,
) -> Result<()> {
    let (work, over) = (&work, &AtomicBool::new(false));
    pool.in_place_scope(|scope| {
        let (mut queue, mut in_flight) = (VecDeque::new(), 0);
        let mut read_error = None;
        let mut open = true;
        let result = loop {
            if open && in_flight < IN_FLIGHT {
                match next() {
                    Ok(Some((chunk, size))) => {
                        let (sender, receiver) = mpsc::sync_channel(1);
                        scope.spawn(move |_| {
                            if !over.load(Ordering::Relaxed) {
                                // Nobody waits for it if something has failed meanwhile.
                                let _ = sender.send(work(chunk));
                            }
                        });
                        queue.push_back((receiver, size));
                        in_flight += size;
                    }
                    Ok(None) => open = false,
                    Err(error) => (open, read_error) = (false, Some(error)),
                }
            } else {
                let Some((receiver, size)) = queue.pop_front() else { break Ok(()) };
                in_flight -= size;
                let written = receiver.recv().context("a thread has died").and_then(&mut write);
                if written.is_err() {
                    break written;
                }
            }
        };
        over.store(true, Ordering::Relaxed);
        result.and(read_error.map_or(Ok(()), Err))
    })
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use anyhow::{anyhow, ensure};
    use rayon::ThreadPoolBuilder;

    use super::*;

    fn pool(threads: usize) -> ThreadPool {
        ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
    }

    #[test]
    fn what_is_written_has_the_order_of_what_was_read_however_long_each_takes() {
        for threads in [1, 2, 7] {
            let mut numbers = 0..500_u64;
            let mut written = Vec::new();
            let slow_if_even = |number: u64| {
                if number.is_multiple_of(2) {
                    thread::sleep(Duration::from_micros(50));
                }
                number
            };
            let read = || Ok(numbers.next().map(|number| (number, CHUNK)));
            let write = |number| {
                written.push(number);
                Ok(())
            };
            in_order(&pool(threads), read, slow_if_even, write).expect("nothing fails");
            assert!(written.into_iter().eq(0..500));
        }
    }

    #[test]
    fn no_more_is_read_than_may_be_in_flight() {
        let (read, written) = (std::cell::Cell::new(0_usize), std::cell::Cell::new(0_usize));
        let next = || {
            read.set(read.get() + 1);
            assert!((read.get() - written.get()) * CHUNK <= IN_FLIGHT + CHUNK);
            Ok((read.get() <= 1000).then_some(((), CHUNK)))
        };
        let write = |()| {
            written.set(written.get() + 1);
            Ok(())
        };
        in_order(&pool(2), next, |()| (), write).expect("nothing fails");
        assert_eq!(written.get(), 1000);
    }

    #[test]
    fn what_was_read_before_a_failure_is_written_and_nothing_behind_a_failed_write() {
        let mut numbers = 0..;
        let mut written = Vec::new();
        let next = || match numbers.next() {
            Some(number @ ..10) => Ok(Some((number, 1))),
            _ => Err(anyhow!("unreadable")),
        };
        let write = |number| {
            written.push(number);
            Ok(())
        };
        let result = in_order(&pool(2), next, |number: u32| number, write);
        assert_eq!(result.expect_err("a failure").to_string(), "unreadable");
        assert!(written.iter().copied().eq(0..10));
        let (mut written, mut numbers) = (Vec::new(), 0..100);
        let full = |number| {
            ensure!(number != 3, "full");
            written.push(number);
            Ok(())
        };
        let result = in_order(&pool(2), || Ok(numbers.next().map(|number| (number, 1))), |number| number, full);
        assert_eq!(result.expect_err("a failure").to_string(), "full");
        assert_eq!(written, [0, 1, 2]);
    }
}
