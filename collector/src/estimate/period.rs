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

/// The offset from UTC that a time states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offset {
    /// It states none, as a date does.
    Unstated,
    /// In minutes, to the east.
    Minutes(i32),
}

impl Offset {
    /// The offset of a time that begins with a date: of "2026-11-25T10:00:00Z" none in minutes, 0.
    pub(super) fn of(time: &str) -> Self {
        let clock = time.get(10..).unwrap_or_default().trim_end();
        // RFC 9557 writes the name of a zone behind the offset.
        let clock = clock.split_once('[').map_or(clock, |(clock, _)| clock);
        if clock.ends_with(['Z', 'z']) || clock.ends_with("UTC") || clock.ends_with("GMT") {
            return Self::Minutes(0);
        }
        // A second date behind the first is no offset.
        let stated = clock.rfind(['+', '-']).and_then(|sign| {
            let (before, offset) = clock.split_at_checked(sign)?;
            if before.contains('-') { None } else { minutes(offset) }
        });
        stated.map_or(Self::Unstated, Self::Minutes)
    }

    /// Whether the clocks of one place may state both.
    pub(super) fn is_of_the_place_of(self, other: Self) -> bool {
        match (self, other) {
            (Self::Minutes(one), Self::Minutes(other)) => (one - other).abs() <= SUMMER,
            (one, other) => one == other,
        }
    }
}

/// The most that two offsets of one place differ by, in minutes: in summer, clocks are set an hour forward.
const SUMMER: i32 = 60;

/// The minutes of "+05:30", "-0500" or "+05".
fn minutes(offset: &str) -> Option<i32> {
    let (sign, digits) = match offset.split_at_checked(1)? {
        ("+", digits) => (1, digits.replace(':', "")),
        ("-", digits) => (-1, digits.replace(':', "")),
        _ => return None,
    };
    let is_one = [2, 4].contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    let number = digits.parse::<i32>().ok().filter(|_| is_one)?;
    let (hours, minutes) = if digits.len() == 2 { (number, 0) } else { (number / 100, number % 100) };
    (hours < 24 && minutes < 60).then_some(sign * (60 * hours + minutes))
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unstated => f.write_str("no offset from UTC"),
            Self::Minutes(minutes) => {
                let sign = if *minutes < 0 { '-' } else { '+' };
                let minutes = minutes.unsigned_abs();
                write!(f, "the offset {sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        }
    }
}

/// A time states an offset that is not of the place of the times before it. The same instant could then fall into two periods.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OtherOffset {
    /// The offset of the times before it.
    pub(super) before: Offset,
    /// Its own.
    pub(super) own: Offset,
}

impl fmt::Display for OtherOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { before, own } = self;
        write!(
            f,
            "its time states {own}, and the first time states {before}: the same moment could fall on two days. Offsets may \
             differ by an hour, for summer time. Write all times for one place, or the dates alone"
        )
    }
}

impl std::error::Error for OtherOffset {}

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
    fn an_offset_is_what_a_time_states_however_it_is_written() {
        for (time, offset) in [
            ("2026-11-25", Offset::Unstated),
            ("2026-11-25 10:00:00.123", Offset::Unstated),
            ("2026-11-25T10:00:00-5", Offset::Unstated),
            ("2026-11-25 to 2026-12-05", Offset::Unstated),
            ("2026-11-25T10:00:00Z", Offset::Minutes(0)),
            ("2026-11-25 10:00:00 UTC", Offset::Minutes(0)),
            ("2026-11-25T10:00:00+00:00", Offset::Minutes(0)),
            ("2026-11-25T10:00:00-05:00", Offset::Minutes(-300)),
            ("2026-11-25T10:00:00-05:00[America/New_York]", Offset::Minutes(-300)),
            ("2026-11-25 10:00:00+0530 ", Offset::Minutes(330)),
            ("2026-11-25 10:00:00+05", Offset::Minutes(300)),
        ] {
            assert_eq!(Offset::of(time), offset, "{time}");
        }
        let [west, east, none] =
            [Offset::Minutes(-90), Offset::Minutes(330), Offset::Unstated].map(|at| at.to_string());
        assert_eq!([&*west, &*east], ["the offset -01:30", "the offset +05:30"]);
        assert_eq!(none, "no offset from UTC");
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
