//! What is kept: the texts, their guarantees, and the day.
//!
//! No address, no user agent, no time of day: with the hour, a row could be matched with a person's visit. The order in
//! which rows came is kept, as any table keeps it.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, params};
use serde_json::{Value, json};

/// A field, fit to be kept.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) field: String,
    pub(crate) text: String,
    /// As JSON; none for a public field.
    pub(crate) guarantee: Option<Value>,
}

/// The database.
pub(crate) struct Store(Mutex<Connection>);

/// How many rows are listed.
const LISTED: u32 = 200;

/// What is deleted is overwritten; a submission is the entries that came together.
const SCHEMA: &str = "
    PRAGMA secure_delete = ON;
    CREATE TABLE IF NOT EXISTS entry (
        id INTEGER PRIMARY KEY,
        submission INTEGER NOT NULL,
        day TEXT NOT NULL DEFAULT (date('now')),
        field TEXT NOT NULL,
        text TEXT NOT NULL,
        guarantee TEXT
    ) STRICT;
";

impl Store {
    /// The database of a file, made if there is none; without one, one in memory.
    ///
    /// # Errors
    /// SQLite's.
    pub(crate) fn open(file: Option<&Path>) -> rusqlite::Result<Self> {
        let connection = match file {
            Some(file) => Connection::open(file)?,
            None => Connection::open_in_memory()?,
        };
        connection.execute_batch(SCHEMA)?;
        Ok(Self(Mutex::new(connection)))
    }

    /// Keeps what came together, all of it or nothing.
    ///
    /// # Errors
    /// SQLite's.
    pub(crate) fn keep(&self, entries: &[Entry]) -> rusqlite::Result<()> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let submission: i64 =
            transaction.query_row("SELECT coalesce(max(submission), 0) + 1 FROM entry", [], |row| row.get(0))?;
        for Entry { field, text, guarantee } in entries {
            let guarantee = guarantee.as_ref().map(Value::to_string);
            transaction.execute(
                "INSERT INTO entry (submission, field, text, guarantee) VALUES (?1, ?2, ?3, ?4)",
                params![submission, field, text, guarantee],
            )?;
        }
        transaction.commit()
    }

    /// The latest rows, newest first, as JSON; and how many there are.
    ///
    /// # Errors
    /// SQLite's.
    pub(crate) fn list(&self) -> rusqlite::Result<Value> {
        let connection = self.connection();
        let count: i64 = connection.query_row("SELECT count(*) FROM entry", [], |row| row.get(0))?;
        let mut latest = connection
            .prepare("SELECT submission, day, field, text, guarantee FROM entry ORDER BY id DESC LIMIT ?1")?;
        let rows = latest.query_map([LISTED], |row| {
            let guarantee: Option<String> = row.get(4)?;
            Ok(json!({
                "submission": row.get::<_, i64>(0)?,
                "day": row.get::<_, String>(1)?,
                "field": row.get::<_, String>(2)?,
                "text": row.get::<_, String>(3)?,
                "guarantee": guarantee.and_then(|guarantee| serde_json::from_str::<Value>(&guarantee).ok()),
            }))
        })?;
        Ok(json!({ "count": count, "entries": rows.collect::<rusqlite::Result<Vec<_>>>()? }))
    }

    /// Deletes every row.
    ///
    /// # Errors
    /// SQLite's.
    pub(crate) fn clear(&self) -> rusqlite::Result<()> {
        self.connection().execute_batch("DELETE FROM entry; VACUUM;")
    }

    /// A panic elsewhere has rolled its transaction back: the connection is as good as before.
    fn connection(&self) -> std::sync::MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
