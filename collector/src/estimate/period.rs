//! Periods that dates fall into.

use anyhow::{Context, Result};
use chrono::{Datelike, NaiveDate};
use clap::ValueEnum;

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
    /// It does not begin with a date.
    pub(super) fn of(self, time: &str) -> Result<String> {
        let date = time.get(..10).and_then(|date| NaiveDate::parse_from_str(date, "%Y-%m-%d").ok());
        let date = date.context("its time does not begin with a date as 2026-11-25")?;
        Ok(match self {
            Self::Day => date.to_string(),
            Self::Week => format!("{}-W{:02}", date.iso_week().year(), date.iso_week().week()),
            Self::Month => format!("{}-{:02}", date.year(), date.month()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_falls_into_a_day_a_week_and_a_month() {
        let of = |time| [Period::Day, Period::Week, Period::Month].map(|period| period.of(time).expect("a date"));
        assert_eq!(of("2026-11-25"), ["2026-11-25", "2026-W48", "2026-11"]);
        // The first of January is a Friday: it belongs to the last week of the year before.
        assert_eq!(of("2027-01-01T10:00:00Z"), ["2027-01-01", "2026-W53", "2027-01"]);
        for time in ["", "25.11.2026", "2026-13-01", "2026-1-1", "yesterday…"] {
            assert!(Period::Day.of(time).is_err(), "{time}");
        }
    }
}
