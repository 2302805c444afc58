//! A database of SQLite: a file, or memory.

#[cfg(unix)]
use std::fs::OpenOptions;
#[cfg(unix)]
use std::io::ErrorKind;
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(unix)]
use anyhow::Context as _;
use anyhow::{Result as Anyhow, ensure};
use chrono::NaiveDate;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, params};
use serde_json::{Value, json};

use super::{Entry, LISTED, LISTED_BYTES, OtherTable, PATIENCE, Row};
use crate::serve::refusal::Refusal;
use crate::serve::submission::Digest;

/// A commit waits until the disk has it (FULL; on a Mac, `fullfsync`). What is deleted is overwritten.
const SETTINGS: &str = "
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA secure_delete = ON;
";

/// A submission is the entries that came together. `seen` holds the digest of each. `number` has one row: the number of the
/// last submission, also if that is deleted. In a file of the version before, it begins with the last one that is held. By
/// the index, that one and the number of rows are found without a look at the texts.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS entry (
        id INTEGER PRIMARY KEY,
        submission INTEGER NOT NULL,
        day TEXT NOT NULL DEFAULT (date('now')),
        field TEXT NOT NULL,
        text TEXT NOT NULL,
        guarantee TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS entry_submission ON entry (submission);
    CREATE TABLE IF NOT EXISTS seen (digest BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS number (last INTEGER NOT NULL) STRICT;
    INSERT INTO number (last)
        SELECT (SELECT coalesce(max(submission), 0) FROM entry) WHERE NOT EXISTS (SELECT 1 FROM number);
";

/// Gives a submission a number that none had before. A collector of the version before may share the file. It looks at
/// `entry` alone, so this looks there, too.
pub(super) const NUMBER: &str = "
    UPDATE number SET last = max(last, (SELECT coalesce(max(submission), 0) FROM entry)) + 1 RETURNING last
";

/// The columns of these tables.
const TABLES: [(&str, &str); 3] = [
    ("entry", "id INTEGER, submission INTEGER, day TEXT, field TEXT, text TEXT, guarantee TEXT"),
    ("seen", "digest BLOB"),
    ("number", "last INTEGER"),
];

/// A database of SQLite. Several servers may share one file.
pub(crate) struct Sqlite(Mutex<Connection>);

impl Sqlite {
    /// The database of a file, made if it is missing. Without a file, a database in memory.
    ///
    /// # Errors
    /// Those of SQLite; [`OtherTable`], and then nothing is changed.
    pub(super) fn open(file: Option<&Path>) -> Anyhow<Self> {
        let mut connection = match file {
            Some(file) => {
                #[cfg(unix)]
                make(file)?;
                Connection::open(file)?
            }
            None => Connection::open_in_memory()?,
        };
        connection.busy_timeout(PATIENCE)?;
        for (table, columns) in TABLES {
            let found = patiently(|| columns_of(&connection, table))?;
            ensure!(found.is_none_or(|found| found == columns), OtherTable(table));
        }
        patiently(|| log_ahead(&connection))?;
        connection.execute_batch(SETTINGS)?;
        let transaction = immediate(&mut connection)?;
        transaction.execute_batch(SCHEMA)?;
        transaction.commit()?;
        // A program that was killed may have written a submission without waiting for the disk. We read it back and would
        // acknowledge it as held. So it goes to the disk now.
        connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        Ok(Self(Mutex::new(connection)))
    }

    pub(super) fn keep(&self, entries: &[Entry], digest: Digest) -> Result<bool, Refusal> {
        let mut connection = self.connection();
        let transaction = immediate(&mut connection)?;
        if transaction.execute("INSERT OR IGNORE INTO seen (digest) VALUES (?1)", [digest])? == 0 {
            return Ok(false);
        }
        let submission: i64 = transaction.query_row(NUMBER, [], |row| row.get(0))?;
        for Entry { field, text, guarantee } in entries {
            let guarantee = guarantee.as_ref().map(Value::to_string);
            transaction.execute(
                "INSERT INTO entry (submission, field, text, guarantee) VALUES (?1, ?2, ?3, ?4)",
                params![submission, field, text, guarantee],
            )?;
        }
        transaction.commit()?;
        Ok(true)
    }

    pub(super) fn list(&self) -> Result<Value, Refusal> {
        let connection = self.connection();
        let count: i64 = connection.query_row("SELECT count(*) FROM entry", [], |row| row.get(0))?;
        let mut latest = connection
            .prepare("SELECT submission, day, field, text, guarantee FROM entry ORDER BY id DESC LIMIT ?1")?;
        let rows = latest.query_map([LISTED], |row| {
            Ok(Row {
                submission: row.get(0)?,
                day: row.get(1)?,
                field: row.get(2)?,
                text: row.get(3)?,
                guarantee: row.get(4)?,
            })
        })?;
        let mut left = LISTED_BYTES;
        let fits = |row: &rusqlite::Result<Row>| {
            let bytes = row.as_ref().map_or(0, |row| row.text.len());
            left.checked_sub(bytes).map(|rest| left = rest).is_some()
        };
        let entries = rows.take_while(fits).map(|row| row?.listed()).collect::<Result<Vec<_>, Refusal>>()?;
        Ok(json!({ "count": count, "entries": entries }))
    }

    #[cfg(any(feature = "estimate", test))]
    pub(super) fn state(&self) -> Result<String, Refusal> {
        let connection = self.connection();
        // The first counts what others have changed, the second our own changes.
        let others: i64 = connection.query_row("PRAGMA data_version", [], |row| row.get(0))?;
        Ok(format!("{others} {}", connection.total_changes()))
    }

    #[cfg(any(feature = "estimate", test))]
    pub(super) fn is_empty(&self) -> Result<bool, Refusal> {
        Ok(self.connection().query_row("SELECT NOT EXISTS (SELECT 1 FROM entry)", [], |row| row.get(0))?)
    }

    /// From all files of the database.
    pub(super) fn delete_before(&self, day: NaiveDate) -> Result<(), Refusal> {
        let mut connection = self.connection();
        let transaction = immediate(&mut connection)?;
        transaction.execute("DELETE FROM entry WHERE day < ?1", [day.to_string()])?;
        transaction.commit()?;
        // Also if nothing was deleted now: an earlier deletion may have found the log busy.
        emptied(&connection)
    }

    /// From all files of the database.
    pub(super) fn clear(&self) -> Result<(), Refusal> {
        let mut connection = self.connection();
        let transaction = immediate(&mut connection)?;
        transaction.execute_batch("DELETE FROM entry; DELETE FROM seen;")?;
        transaction.commit()?;
        connection.execute_batch("VACUUM")?;
        // The log still holds the rows as they were written.
        emptied(&connection)
    }

    pub(super) fn finish(&self) -> Result<(), Refusal> {
        emptied(&self.connection())
    }

    /// A panic elsewhere has rolled its transaction back: the connection is as good as before.
    pub(super) fn connection(&self) -> std::sync::MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes an empty file that nobody else on this machine can read, if there is no file. SQLite gives its logs the same mode.
///
/// # Errors
/// The file cannot be made.
#[cfg(unix)]
fn make(file: &Path) -> Anyhow<()> {
    // Whoever closes a file takes the locks of the whole process from it. So this one is closed before another thread opens
    // it. A file that is there is not opened here.
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map(drop) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        made => made.with_context(|| format!("cannot make {}", file.display())),
    }
}

/// The columns of a table, if there is one.
fn columns_of(connection: &Connection, table: &str) -> rusqlite::Result<Option<String>> {
    const COLUMNS: &str = "SELECT group_concat(name || ' ' || type, ', ') FROM pragma_table_info(?1)";
    connection.query_row(COLUMNS, [table], |row| row.get(0))
}

/// Moves all of the log into the file.
fn emptied(connection: &Connection) -> Result<(), Refusal> {
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy { Err(Refusal::StorageBusy.told("another program reads the log")) } else { Ok(()) }
}

/// Lets readers read while another server writes.
fn log_ahead(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
}

/// Tries again while others are busy. SQLite does not always wait for them before its log is changed.
fn patiently<T>(work: impl Fn() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let started = Instant::now();
    loop {
        match work() {
            Err(error) if is_busy(&error) && started.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(10)),
            result => return result,
        }
    }
}

/// A transaction that may write from its start. One that asks for the right later is refused at once if another server
/// has written meanwhile.
pub(super) fn immediate(connection: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Self::of_sqlite(&error)
    }
}

impl Refusal {
    /// The operator reads the code of SQLite and what it stands for. The error's own message can quote a value.
    pub(super) fn of_sqlite(error: &rusqlite::Error) -> Self {
        let refusal = match error.sqlite_error_code() {
            _ if is_busy(error) => Self::StorageBusy,
            Some(ErrorCode::DiskFull) => Self::StorageFull,
            _ => Self::StorageFailed,
        };
        match error.sqlite_error() {
            Some(code) => refusal.told(code),
            None => refusal.told("a row is not as this program writes rows"),
        }
    }
}
