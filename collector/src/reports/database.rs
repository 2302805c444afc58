//! The database of `textveil-collector serve`. It is only read, while a collector may write to it.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::Value;
use sha2::{Digest, Sha256};
use textveil_toolkit::files::hexadecimal;

use super::Rows;
use super::lines::{Entry, Submissions};

/// How every database of SQLite begins.
const BEGINNING: [u8; 16] = *b"SQLite format 3\0";

/// How long to wait for a collector that clears its database.
const PATIENCE: Duration = Duration::from_secs(10);

/// The rows of a submission stand together: they were written at once.
const ROWS: &str = "SELECT submission, day, field, text, guarantee FROM entry ORDER BY id";

/// Whether a file is a database. No text and no Parquet file begins so.
pub(super) fn is_one(path: &Path) -> bool {
    let mut beginning = [0; BEGINNING.len()];
    path.is_file()
        && File::open(path).is_ok_and(|mut file| file.read_exact(&mut beginning).is_ok())
        && beginning == BEGINNING
}

/// Reports the submissions that have the field of the release. Returns the digest of the rows.
///
/// # Errors
/// A database that is no collector's, or is damaged, and those of the rows.
pub(super) fn each(path: &Path, rows: &mut Rows<'_>) -> Result<String> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(PATIENCE)?;
    let mut entries = connection.prepare(ROWS).context("not the database of a collector")?;
    let mut entries = entries.query([])?;
    let (mut hash, mut submissions) = (Sha256::new(), Submissions::default());
    while let Some(row) = entries.next()? {
        let entry = entry(row)?;
        update(&mut hash, &entry);
        submissions.add(entry, rows)?;
    }
    submissions.end(rows)?;
    Ok(hexadecimal(&hash.finalize()))
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
