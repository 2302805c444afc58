//! Progress of long work, on standard error when that is a terminal.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

/// A bar for `length` steps.
pub fn bar(what: impl Into<Cow<'static, str>>, length: usize) -> ProgressBar {
    ProgressBar::new(length as u64).with_style(style("{msg:16} {wide_bar} {pos}/{len} {eta:>4}")).with_message(what)
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// How often a line is written where there is no terminal to draw on.
const EVERY: Duration = Duration::from_secs(5);

/// How far a run over many rows is, and how fast: a bar on a terminal; elsewhere nothing, or lines if asked for.
pub struct Pace {
    bar: ProgressBar,
    in_lines: bool,
    said: Cell<Instant>,
    /// When a file was begun, and what was there then: position and rows.
    begun: Cell<(Instant, u64, u64)>,
}

impl Pace {
    /// A run. `asked`: write lines where there is no terminal.
    pub fn new(asked: bool) -> Self {
        let now = Instant::now();
        let in_lines = asked && !std::io::stderr().is_terminal();
        Self { bar: ProgressBar::new_spinner(), in_lines, said: Cell::new(now), begun: Cell::new((now, 0, 0)) }
    }

    /// Begins to count up to `length`, if that is known, from where and from which row an earlier run got to.
    pub fn begin(&self, length: Option<u64>, position: u64, rows: u64) {
        self.begun.set((Instant::now(), position, rows));
        match length {
            Some(length) => {
                self.bar.set_length(length);
                self.bar.set_style(style("{wide_bar} {percent:>3} % {msg}, {eta} left"));
            }
            None => self.bar.set_style(style("{spinner} {msg}")),
        }
        self.bar.set_position(position);
        self.bar.reset_eta();
    }

    /// Shows how far it is.
    pub fn reached(&self, position: u64, rows: u64) {
        let (begun, start, first) = self.begun.get();
        let seconds = begun.elapsed().as_secs_f64();
        let message = format!("{rows} rows, {:.0} a second", (rows - first.min(rows)) as f64 / seconds);
        if self.in_lines && self.said.get().elapsed() >= EVERY {
            self.said.set(Instant::now());
            let share = self.bar.length().filter(|length| *length > 0).map_or_else(String::new, |length| {
                let left = seconds * length.saturating_sub(position) as f64 / (position - start.min(position)) as f64;
                let left = Duration::try_from_secs_f64(left)
                    .map_or_else(|_| "?".into(), |left| HumanDuration(left).to_string());
                format!(", {} %, {left} left", 100 * position / length)
            });
            eprintln!("{message}{share}");
        }
        self.bar.set_position(position);
        self.bar.set_message(message);
    }

    /// Prints a line in addition to the progress.
    pub fn say(&self, message: &str) {
        self.bar.suspend(|| eprintln!("{message}"));
    }

    /// Removes the bar.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_file_is_timed_from_its_own_beginning() {
        let pace = Pace::new(false);
        pace.begin(None, 0, 0);
        thread::sleep(Duration::from_millis(50));
        let begun = Instant::now();
        pace.begin(None, 0, 100);
        pace.reached(9, 1100);
        let least = 1000.0 / begun.elapsed().as_secs_f64();
        let message = pace.bar.message();
        let rate = message.strip_prefix("1100 rows, ").and_then(|rest| rest.strip_suffix(" a second"));
        let rate: f64 = rate.and_then(|rate| rate.parse().ok()).expect("a number");
        assert!(rate >= least.floor(), "{message}, not {least}");
    }
}
