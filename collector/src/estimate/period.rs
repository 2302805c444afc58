//! Periods that dates fall into.

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
    /// It does not begin with a date, or with none from 1970 to tomorrow.
    pub(super) fn of(self, time: &str) -> Result<String> {
        let date = time.get(..10).and_then(|date| NaiveDate::parse_from_str(date, "%Y-%m-%d").ok());
        let date = date.context("its time does not begin with a date as 2026-11-25")?;
        let day = date.num_days_from_ce() - DAYS_BEFORE_1970;
        let today = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
        ensure!((0..=today as i32 + 1).contains(&day), "its date is before 1970 or in the future");
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
        assert_eq!(of("2021-01-01T10:00:00Z"), ["2021-01-01", "2020-W53", "2021-01"]);
        for time in ["", "25.11.2026", "2026-13-01", "2026-1-1", "yesterday…", "9999-12-31", "0026-11-25"] {
            assert!(Period::Day.of(time).is_err(), "{time}");
        }
    }
}
