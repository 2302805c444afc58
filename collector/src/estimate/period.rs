//! Periods that dates fall into.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use chrono::{Datelike, NaiveDate};
use clap::ValueEnum;

/// Days from the beginning of the first year to 1970.
const DAYS_BEFORE_1970: i32 = 719_163;

/// How long a period is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Period {
    /// 2026-11-25
    Day,
    /// 2026-W48, from Monday on (ISO 8601)
    Week,
    /// 2026-11
    Month,
}

impl Period {
    /// The name of the period of a time that begins with a date; names sort as periods do.
    ///
    /// # Errors
    /// It does not begin with a date from 1970 to tomorrow.
    pub(super) fn of(self, time: &str) -> Result<String> {
        let date = time.get(..10).and_then(|date| NaiveDate::parse_from_str(date, "%Y-%m-%d").ok());
        let date = date.context("its time does not begin with a date as 2026-11-25")?;
        let day = date.num_days_from_ce() - DAYS_BEFORE_1970;
        let today = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
        ensure!((0..=today as i32 + 1).contains(&day), "its date is before 1970 or in the future");
        Ok(self.name(date))
    }

    fn name(self, date: NaiveDate) -> String {
        match self {
            Self::Day => date.to_string(),
            Self::Week => format!("{}-W{:02}", date.iso_week().year(), date.iso_week().week()),
            Self::Month => format!("{}-{:02}", date.year(), date.month()),
        }
    }

    /// # Errors
    /// It is not the name of a period.
    pub(super) fn check(self, name: &str) -> Result<(), NoPeriod> {
        let (day, format) = match self {
            Self::Day => (name.to_owned(), "%Y-%m-%d"),
            // The year of a week is that of its Thursday.
            Self::Week => (format!("{name}-4"), "%G-W%V-%u"),
            Self::Month => (format!("{name}-01"), "%Y-%m-%d"),
        };
        let date = NaiveDate::parse_from_str(&day, format).ok().filter(|date| (1970..=9999).contains(&date.year()));
        let is_one = date.is_some_and(|date| self.name(date) == name);
        if is_one { Ok(()) } else { Err(NoPeriod { every: self, name: name.to_owned() }) }
    }
}

/// The text is not the name of a period.
#[derive(Debug)]
pub(super) struct NoPeriod {
    every: Period,
    name: String,
}

impl fmt::Display for NoPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (period, example) = match self.every {
            Period::Day => ("day", "2026-03-05"),
            Period::Week => ("week", "2026-W09"),
            Period::Month => ("month", "2026-03"),
        };
        write!(f, "--between: \"{}\" is not a {period}. A {period} is written as {example}", self.name)
    }
}

impl std::error::Error for NoPeriod {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_falls_into_a_day_a_week_and_a_month() {
        let of = |time| [Period::Day, Period::Week, Period::Month].map(|period| period.of(time).expect("a date"));
        assert_eq!(of("2026-11-25"), ["2026-11-25", "2026-W48", "2026-11"]);
        // The first of January is a Friday: it belongs to the last week of the year before.
        assert_eq!(of("2021-01-01T10:00:00Z"), ["2021-01-01", "2020-W53", "2021-01"]);
        for time in ["", "25.11.2026", "2026-13-01", "2026-1-1", "yesterday…", "9999-12-31", "0026-11-25"] {
            assert!(Period::Day.of(time).is_err(), "{time}");
        }
    }

    #[test]
    fn a_period_is_named_as_its_dates_are() {
        for (every, names) in [
            (Period::Day, ["2026-03-05", "2024-02-29", "1970-01-01"]),
            // 2026 begins on a Thursday and has 53 weeks.
            (Period::Week, ["2026-W09", "2026-W53", "1970-W01"]),
            (Period::Month, ["2026-03", "2026-12", "1970-01"]),
        ] {
            names.into_iter().for_each(|name| every.check(name).expect(name));
        }
        for (every, names) in [
            (Period::Day, ["2026-3-5", "2026-02-29", "2026-W09", "2026-03", " 2026-03-05", "12026-03-05", ""]),
            (Period::Week, ["2026-W9", "2025-W53", "2026-W00", "2026-03-05", "2026-w09", "2026-W09-1", ""]),
            (Period::Month, ["2026-3", "2026-13", "2026-00", "2026-03-05", "2026-W09", "0026-03", ""]),
        ] {
            names.into_iter().for_each(|name| assert!(every.check(name).is_err(), "{every:?} {name}"));
        }
        let refused = Period::Week.check("2026-W9").expect_err("one digit").to_string();
        assert_eq!(refused, "--between: \"2026-W9\" is not a week. A week is written as 2026-W09");
    }
}
