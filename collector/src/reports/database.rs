//! The database of `textveil-collector serve`. It is only read, while a collector may write to it.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::Value;
use sha2::{Digest, Sha256};
use textveil_toolkit::files::hexadecimal;

use super::Rows;
use super::lines::{Entry, Submissions};
use crate::address;

/// How every database of SQLite begins.
const BEGINNING: [u8; 16] = *b"SQLite format 3\0";

/// How long to wait for a collector that clears its database.
const PATIENCE: Duration = Duration::from_secs(10);

/// The rows of a submission stand together: they were written at once.
const ROWS: &str = "SELECT submission, day, field, text, guarantee FROM entry ORDER BY id";

/// Whether it is a database. No text and no Parquet file begins as one of SQLite.
///
/// Never ask it of a database that this process has open. The file is closed again, and POSIX then takes all locks of the
/// process from it. Another program would take itself for the last one and delete the log, with what was just written.
pub(super) fn is_one(path: &Path) -> bool {
    let mut beginning = [0; BEGINNING.len()];
    address::is_one(path)
        || path.is_file()
            && File::open(path).is_ok_and(|mut file| file.read_exact(&mut beginning).is_ok())
            && beginning == BEGINNING
}

/// Reports the submissions that have the field of the release. Returns the digest of the rows.
///
/// # Errors
/// A database that is no collector's, or is damaged, and those of the rows.
pub(super) fn each(path: &Path, rows: &mut Rows<'_>) -> Result<String> {
    let mut read = Read::default();
    entries(path, &mut |entry| read.add(entry, rows))?;
    read.end(rows)
}

/// Hands on all rows, in the order in which they came.
///
/// # Errors
/// A database that cannot be read, is no collector's or is damaged, and those of `take`.
pub(super) fn entries(path: &Path, take: &mut dyn FnMut(Entry) -> Result<()>) -> Result<()> {
    if address::is_one(path) {
        return server::entries(path, take);
    }
    let unread = || format!("cannot read {}", path.display());
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).with_context(unread)?;
    connection.busy_timeout(PATIENCE).with_context(unread)?;
    let no_collector = || format!("{}: not the database of a collector", path.display());
    let mut entries = connection.prepare(ROWS).with_context(no_collector)?;
    let mut entries = entries.query([]).with_context(unread)?;
    while let Some(row) = entries.next().with_context(unread)? {
        take(entry(row).with_context(unread)?)?;
    }
    Ok(())
}

/// What has been read so far.
#[derive(Default)]
struct Read {
    hash: Sha256,
    submissions: Submissions,
}

impl Read {
    fn add(&mut self, entry: Entry, rows: &mut Rows<'_>) -> Result<()> {
        update(&mut self.hash, &entry);
        self.submissions.add(entry, rows)
    }

    /// The digest of the rows.
    fn end(self, rows: &mut Rows<'_>) -> Result<String> {
        self.submissions.end(rows)?;
        Ok(hexadecimal(&self.hash.finalize()))
    }
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        submission: row.get(0)?,
        day: row.get(1)?,
        field: row.get(2)?,
        text: row.get(3)?,
        guarantee: row.get::<_, Option<String>>(4)?.map(Value::String),
    })
}

fn update(hash: &mut Sha256, Entry { submission, day, field, text, guarantee }: &Entry) {
    hash.update(submission.to_le_bytes());
    let guarantee = guarantee.as_ref().and_then(Value::as_str);
    for part in [day.as_deref(), Some(field), Some(text), guarantee] {
        let part = part.unwrap_or_default();
        // With its length before it, no part can be mistaken for the end of another.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
}

#[cfg(not(feature = "postgres"))]
mod server {
    use super::{Entry, Path, Result, address};

    pub(super) fn entries(_: &Path, _: &mut dyn FnMut(Entry) -> Result<()>) -> Result<()> {
        anyhow::bail!(address::ABSENT)
    }
}

#[cfg(feature = "postgres")]
mod server {
    use futures_util::TryStreamExt;
    use sqlx::postgres::PgRow;
    use sqlx::{Connection as _, Row, query};
    use tokio::runtime::Builder;

    use super::{Duration, Entry, PATIENCE, Path, Result, Value};
    use crate::address::{Address, Failure, beginning, within};

    /// The key of the table has this order. One statement sees one state of the database.
    const ROWS: &str = "SELECT submission, to_char(day, 'YYYY-MM-DD'), field, text, guarantee FROM textveil.entry ORDER BY submission, id";

    /// The codes of Postgres for a missing table and a missing column.
    const ABSENT: [&str; 2] = ["42P01", "42703"];

    /// How long a row may take to come: it may have to sort all of them first.
    const LIMIT: Duration = Duration::from_secs(600);

    pub(super) fn entries(path: &Path, take: &mut dyn FnMut(Entry) -> Result<()>) -> Result<()> {
        let address = Address::of(path)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let unread = |error: sqlx::Error| {
            let is_absent =
                error.as_database_error().and_then(|error| error.code()).is_some_and(|code| ABSENT.contains(&&*code));
            let what = if is_absent { "not the database of a collector" } else { "it cannot be read" };
            anyhow::Error::new(Failure(error)).context(format!("{}: {what}", address.name))
        };
        let mut connection = runtime.block_on(address.connect(PATIENCE)).map_err(unread)?;
        let begun = within(PATIENCE, connection.begin_with(beginning(PATIENCE)));
        let mut transaction = runtime.block_on(begun).map_err(unread)?;
        let mut entries = query(ROWS).persistent(false).fetch(&mut *transaction);
        while let Some(row) = runtime.block_on(within(LIMIT, entries.try_next())).map_err(unread)? {
            take(entry(&row).map_err(unread)?)?;
        }
        Ok(())
    }

    fn entry(row: &PgRow) -> sqlx::Result<Entry> {
        Ok(Entry {
            submission: row.try_get(0)?,
            day: row.try_get(1)?,
            field: row.try_get(2)?,
            text: row.try_get(3)?,
            guarantee: row.try_get::<Option<String>, _>(4)?.map(Value::String),
        })
    }
}
