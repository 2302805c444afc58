//! Lines in, releases out, in constant memory: every line is a release of its own.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use getrandom::SysRng;
use textveil::{MAX_TEXT_BYTES, ReleaseRng, normalize, release_rng, seeded_rng};

use crate::statement::counted;

/// Where the lines come from, and what the draws follow from.
#[derive(Args)]
pub(crate) struct Lines {
    /// 64 hexadecimal digits that fix every draw. INSECURE: whoever knows them can undo the release. For
    /// research and tests only.
    #[arg(long, value_name = "HEX")]
    seed: Option<Seed>,
    /// Files to read; standard input without any, or for "-".
    #[arg(value_name = "FILES")]
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy)]
struct Seed([u8; 32]);

impl std::str::FromStr for Seed {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits: Option<Vec<u8>> = text.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
        let digits = digits.filter(|digits| digits.len() == 64).ok_or("a seed is 64 hexadecimal digits")?;
        Ok(Self(std::array::from_fn(|i| digits[2 * i] << 4 | digits[2 * i + 1])))
    }
}

/// Releases one line: its text in NFKC, its line break, and a generator of its own.
type Release<'a> = dyn FnMut(&str, &str, &mut ReleaseRng) -> Result<()> + 'a;

impl Lines {
    /// Whether a seed fixes the draws.
    pub(crate) fn are_seeded(&self) -> bool {
        self.seed.is_some()
    }

    /// Releases every line, up to the first failure.
    ///
    /// # Errors
    /// What cannot be read, a line that is too long, what `release` returns.
    pub(crate) fn release(&self, release: &mut Release<'_>) -> Result<()> {
        if self.are_seeded() {
            eprintln!("warning: every draw follows from --seed; whoever knows it can undo this release");
        }
        let standard_input = [PathBuf::from("-")];
        let files = if self.files.is_empty() { &standard_input[..] } else { &self.files };
        let mut released = 0;
        files.iter().try_for_each(|path| self.release_file(path, &mut released, release))
    }

    fn release_file(&self, path: &Path, released: &mut u64, release: &mut Release<'_>) -> Result<()> {
        let (name, size, input): (_, _, Box<dyn Read>) = if path == Path::new("-") {
            ("standard input".to_string(), None, Box::new(io::stdin().lock()))
        } else {
            let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
            (path.display().to_string(), Some(file.metadata()?.len()), Box::new(file))
        };
        let progress = crate::progress::bytes(size);
        let mut input = BufReader::new(progress.wrap_read(input));
        let mut line = Vec::new();
        let mut is_utf8 = true;
        for number in 1_u64.. {
            line.clear();
            // One byte more than may be released, and a line break: enough to see that a line is too long
            // without reading it all.
            let read = input
                .by_ref()
                .take(MAX_TEXT_BYTES as u64 + 3)
                .read_until(b'\n', &mut line)
                .with_context(|| format!("cannot read {name}"))?;
            if read == 0 {
                break;
            }
            let place = || format!("{name}, line {number}");
            let (bytes, end) = line_and_end(&line);
            if bytes.len() > MAX_TEXT_BYTES {
                return Err(textveil::Error::TextTooLong).with_context(place);
            }
            // Bytes that are not UTF-8 become U+FFFD, a token like any other.
            let text = String::from_utf8_lossy(bytes);
            if is_utf8 && matches!(text, Cow::Owned(_)) {
                is_utf8 = false;
                let warning = "is not UTF-8; each bad byte or cut-off character counts as a symbol";
                progress.suspend(|| eprintln!("warning: {name} {warning} (first in line {number})"));
            }
            let mut rng = self.rng(*released)?;
            release(&normalize(&text), end, &mut rng).with_context(place)?;
            *released += 1;
        }
        progress.finish_and_clear();
        Ok(())
    }

    /// A generator for a release; under a seed, the stream that has the release's number.
    fn rng(&self, number: u64) -> Result<ReleaseRng> {
        let Some(Seed(seed)) = self.seed else { return Ok(release_rng(&mut SysRng)?) };
        let mut rng = seeded_rng(seed);
        rng.set_stream(number);
        Ok(rng)
    }
}

/// Ends a run: what was released before a failure is out, so that it is written and summed up like the rest.
///
/// # Errors
/// The run's own, or what cannot be written.
pub(crate) fn finish(
    run: Result<()>,
    out: &mut impl Write,
    releases: u64,
    summary: impl FnOnce() -> String,
) -> Result<()> {
    let flushed = out.flush();
    if flushed.is_ok() && (run.is_ok() || releases > 0) {
        eprintln!("{}, {}", counted(releases, "release"), summary());
    }
    run.and(flushed.map_err(Into::into))
}

fn line_and_end(line: &[u8]) -> (&[u8], &'static str) {
    match line.strip_suffix(b"\n") {
        Some(text) => (text.strip_suffix(b"\r").unwrap_or(text), "\n"),
        None => (line, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_digits_and_nothing_else() {
        let seed = |text: &str| text.parse::<Seed>().map(|Seed(bytes)| bytes);
        assert_eq!(seed(&"0F".repeat(32)), Ok([15; 32]));
        for wrong in ["+f".repeat(32), "0f".repeat(31), "0f".repeat(33), "é".repeat(32)] {
            assert!(seed(&wrong).is_err());
        }
    }
}
