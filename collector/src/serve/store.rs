//! What is kept: the texts, their guarantees, and the day.
//!
//! No address, no user agent, no time of day: with the hour, a row could be matched with a person's visit. The order in
//! which rows came is kept, as any table keeps it.
//!
//! What [`Store::keep`] has returned from is on the disk: it outlives the program, and a loss of power if the disk tells
//! the truth about what it has written. Several servers may share one database.

#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use chrono::NaiveDate;
use serde_json::{Map, Value, json};

use crate::address;
use crate::serve::refusal::Refusal;
use crate::serve::submission::Digest;

/// A field, fit to be kept.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) field: String,
    pub(crate) text: String,
    /// As JSON; none for a public field.
    pub(crate) guarantee: Option<Value>,
}

/// A field, as it is stored.
struct Row {
    submission: i64,
    day: String,
    field: String,
    text: String,
    guarantee: Option<String>,
}

impl Row {
    /// The row as it is listed.
    ///
    /// # Errors
    /// Its guarantee is damaged. Without it, a release would be listed as a public field.
    fn listed(self) -> Result<Value, Refusal> {
        let Self { submission, day, field, text, guarantee } = self;
        let guarantee = guarantee.as_deref().map(serde_json::from_str::<Map<String, Value>>).transpose();
        let damaged = |_| Refusal::StorageFailed.told(format!("a guarantee of submission {submission} is damaged"));
        let guarantee = guarantee.map_err(damaged)?;
        Ok(listed(submission, Some(&day), &field, &text, guarantee))
    }
}

/// A row as `GET /releases` lists it and `export` writes it.
pub(crate) fn listed(
    submission: i64,
    day: Option<&str>,
    field: &str,
    text: &str,
    guarantee: Option<Map<String, Value>>,
) -> Value {
    json!({ "submission": submission, "day": day, "field": field, "text": text, "guarantee": guarantee })
}

/// The database.
pub(crate) enum Store {
    Sqlite(sqlite::Sqlite),
    #[cfg(feature = "postgres")]
    Postgres(postgres::Postgres),
}

/// A table has the name of a collector's, and another shape.
#[derive(Debug)]
struct OtherTable(&'static str);

impl fmt::Display for OtherTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its table {} is not one of a collector: rename it, or name another database", self.0)
    }
}

impl std::error::Error for OtherTable {}

/// How many rows are listed, and how many bytes of texts.
const LISTED: u32 = 200;
const LISTED_BYTES: usize = 4 << 20;

/// How long to wait for another server that uses the same database.
const PATIENCE: Duration = Duration::from_secs(10);

impl Store {
    /// The database of a file or of a connection string, made if it is missing. Without a place, a database in memory.
    ///
    /// # Errors
    /// Those of the database.
    pub(crate) fn open(place: Option<&Path>) -> Result<Self> {
        match place {
            Some(place) if address::is_one(place) => Self::of_server(place),
            place => Ok(Self::Sqlite(sqlite::Sqlite::open(place)?)),
        }
    }

    #[cfg(feature = "postgres")]
    fn of_server(place: &Path) -> Result<Self> {
        Ok(Self::Postgres(postgres::Postgres::open(&address::Address::of(place)?, PATIENCE)?))
    }

    #[cfg(not(feature = "postgres"))]
    fn of_server(_: &Path) -> Result<Self> {
        anyhow::bail!(address::ABSENT)
    }

    /// Keeps what came together, all of it or nothing; nothing if it has come before. Says whether it was kept.
    ///
    /// # Errors
    /// The database is busy or full, or has failed.
    pub(crate) fn keep(&self, entries: &[Entry], digest: Digest) -> Result<bool, Refusal> {
        match self {
            Self::Sqlite(store) => store.keep(entries, digest),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.keep(entries, digest),
        }
    }

    /// The latest rows, newest first, as JSON; and how many there are in all. Older rows are left out, so that no list fills
    /// the memory.
    ///
    /// # Errors
    /// The database has failed.
    pub(crate) fn list(&self) -> Result<Value, Refusal> {
        match self {
            Self::Sqlite(store) => store.list(),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.list(),
        }
    }

    /// It changes whenever a row comes or goes. One that was before comes again only when nothing is held.
    ///
    /// # Errors
    /// The database has failed.
    #[cfg(any(feature = "estimate", test))]
    pub(crate) fn state(&self) -> Result<String, Refusal> {
        match self {
            Self::Sqlite(store) => store.state(),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.state(),
        }
    }

    /// # Errors
    /// The database has failed.
    #[cfg(any(feature = "estimate", test))]
    pub(crate) fn is_empty(&self) -> Result<bool, Refusal> {
        match self {
            Self::Sqlite(store) => store.is_empty(),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.is_empty(),
        }
    }

    /// Moves what is held into the file that the operator has named, since the program ends. In Postgres there is nothing to move.
    ///
    /// # Errors
    /// The database is busy or full, or has failed. Nothing is lost: it is still in the log next to the file.
    pub(crate) fn finish(&self) -> Result<(), Refusal> {
        match self {
            Self::Sqlite(store) => store.finish(),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Deletes the rows that came before a day. Their submissions are still known: one that comes again is not kept again.
    ///
    /// # Errors
    /// The database is busy or full, or has failed. Rows may then be deleted, and still be in its log.
    pub(crate) fn delete_before(&self, day: NaiveDate) -> Result<(), Refusal> {
        match self {
            Self::Sqlite(store) => store.delete_before(day),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.delete_before(day),
        }
    }

    /// Deletes every row.
    ///
    /// # Errors
    /// The database is busy or full, or has failed. Rows may then be deleted, and still be in its log.
    pub(crate) fn clear(&self) -> Result<(), Refusal> {
        match self {
            Self::Sqlite(store) => store.clear(),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.clear(),
        }
    }
}

impl Refusal {
    /// What an error of the database means to a client; none if it is no error of a database.
    #[cfg(feature = "estimate")]
    pub(crate) fn of_storage(error: &anyhow::Error) -> Option<Self> {
        #[cfg(feature = "postgres")]
        if let Some(address::Failure(error)) = error.downcast_ref() {
            return Some(Self::of_postgres(error));
        }
        error.downcast_ref::<rusqlite::Error>().map(Self::of_sqlite)
    }
}

#[cfg(test)]
mod tests;
