//! A database in Postgres. Several servers may share it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use sqlx::postgres::{PgPool, PgPoolOptions, PgRow};
use sqlx::{Row, query, query_scalar};
use tokio::runtime::{Builder, Runtime};

use super::{Entry, LISTED};
use crate::address::{Address, Failure, prepare};
use crate::serve::refusal::Refusal;
use crate::serve::submission::Digest;

/// How many connections there are at most: one for each worker of the server.
const CONNECTIONS: u32 = 8;

/// One number for all collectors: who holds its lock makes the tables.
const LOCK: i64 = 0x7465_7874_7665_696c;

/// As the tables of SQLite. `seen` numbers the submissions, since its rows are written first.
const SCHEMA: [&str; 2] = [
    "CREATE TABLE IF NOT EXISTS seen (
        digest BYTEA PRIMARY KEY,
        submission BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY
    )",
    "CREATE TABLE IF NOT EXISTS entry (
        id BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY,
        submission BIGINT NOT NULL,
        day DATE NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
        field TEXT NOT NULL,
        text TEXT NOT NULL,
        guarantee TEXT,
        PRIMARY KEY (submission, id)
    )",
];

/// One statement, and so all of it or nothing. Of two servers that write one digest, the second waits for the first.
const KEEP: &str = "
    WITH kept AS (INSERT INTO seen (digest) VALUES ($1) ON CONFLICT DO NOTHING RETURNING submission)
    INSERT INTO entry (submission, field, text, guarantee)
    SELECT submission, field, text, guarantee
    FROM kept, unnest($2::text[], $3::text[], $4::text[]) AS part (field, text, guarantee)";

const LATEST: &str = "
    SELECT submission, to_char(day, 'YYYY-MM-DD'), field, text, guarantee
    FROM entry ORDER BY submission DESC, id DESC LIMIT $1";

/// A pool of connections, with a thread that drives them.
pub(crate) struct Postgres {
    runtime: Runtime,
    pool: PgPool,
}

impl Postgres {
    /// Makes the tables if they are not there.
    ///
    /// # Errors
    /// The server cannot be reached, has no place for the tables, does not write in UTF-8, or acknowledges what its disk
    /// does not have.
    pub(super) fn open(address: &Address, patience: Duration) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let options = PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(patience);
        let options = options.after_connect(move |connection, _| Box::pin(prepare(connection, patience)));
        let pool = runtime
            .block_on(async {
                // The first connection is no pool's: a pool hides why there is none.
                drop(address.connect(patience).await?);
                Ok(options.connect_with(address.options.clone()).await?)
            })
            .map_err(|error: Failure| error)
            .with_context(|| format!("cannot connect to {}", address.name))?;
        let store = Self { runtime, pool };
        store.check().and_then(|()| Ok(store.make_tables().map_err(Failure)?)).with_context(|| address.name.clone())?;
        Ok(store)
    }

    fn check(&self) -> Result<()> {
        let setting = |name: &'static str| -> Result<String, Failure> {
            let value = query_scalar("SELECT current_setting($1)").bind(name);
            self.runtime.block_on(value.fetch_one(&self.pool)).map_err(Failure)
        };
        for name in ["fsync", "full_page_writes"] {
            ensure!(setting(name)? == "on", "its setting {name} is off: it may lose what it has acknowledged");
        }
        ensure!(setting("server_encoding")? == "UTF8", "it does not write in UTF-8");
        Ok(())
    }

    /// Who may not make tables can use those that are there.
    fn make_tables(&self) -> sqlx::Result<()> {
        const THERE: &str = "SELECT to_regclass('entry') IS NOT NULL AND to_regclass('seen') IS NOT NULL";
        self.runtime.block_on(async {
            let mut transaction = self.pool.begin().await?;
            query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *transaction).await?;
            if !query_scalar(THERE).fetch_one(&mut *transaction).await? {
                for table in SCHEMA {
                    query(table).execute(&mut *transaction).await?;
                }
            }
            transaction.commit().await
        })
    }

    pub(super) fn keep(&self, entries: &[Entry], digest: Digest) -> Result<bool, Refusal> {
        // Postgres has no text with this character, and no release has it.
        if entries.iter().any(|entry| entry.text.contains('\0')) {
            return Err(Refusal::Malformed);
        }
        let fields: Vec<&str> = entries.iter().map(|entry| entry.field.as_str()).collect();
        let texts: Vec<&str> = entries.iter().map(|entry| entry.text.as_str()).collect();
        let guarantees: Vec<_> = entries.iter().map(|entry| entry.guarantee.as_ref().map(Value::to_string)).collect();
        let kept = query(KEEP).bind(digest.as_slice()).bind(fields).bind(texts).bind(guarantees);
        Ok(self.runtime.block_on(kept.execute(&self.pool))?.rows_affected() > 0)
    }

    pub(super) fn list(&self) -> Result<Value, Refusal> {
        Ok(self.runtime.block_on(self.listed())?)
    }

    async fn listed(&self) -> sqlx::Result<Value> {
        let count: i64 = query_scalar("SELECT count(*) FROM entry").fetch_one(&self.pool).await?;
        let latest = query(LATEST).bind(i64::from(LISTED)).fetch_all(&self.pool).await?;
        let entries = latest.iter().map(listed).collect::<sqlx::Result<Vec<_>>>()?;
        Ok(json!({ "count": count, "entries": entries }))
    }

    #[cfg(any(feature = "estimate", test))]
    pub(super) fn state(&self) -> Result<String, Refusal> {
        // No number of a submission comes again.
        const STATE: &str = "SELECT count(*) || ' ' || coalesce(max(submission), 0) FROM entry";
        Ok(self.runtime.block_on(query_scalar(STATE).fetch_one(&self.pool))?)
    }

    /// The server's log and its backups keep the rows until it writes over them.
    pub(super) fn clear(&self) -> Result<(), Refusal> {
        self.runtime.block_on(query("TRUNCATE entry, seen").execute(&self.pool))?;
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn setting(&self, name: &str) -> String {
        let value = query_scalar("SELECT current_setting($1)").bind(name);
        self.runtime.block_on(value.fetch_one(&self.pool)).expect("a setting")
    }
}

fn listed(row: &PgRow) -> sqlx::Result<Value> {
    let guarantee: Option<String> = row.try_get(4)?;
    Ok(json!({
        "submission": row.try_get::<i64, _>(0)?,
        "day": row.try_get::<String, _>(1)?,
        "field": row.try_get::<String, _>(2)?,
        "text": row.try_get::<String, _>(3)?,
        "guarantee": guarantee.and_then(|guarantee| serde_json::from_str::<Value>(&guarantee).ok()),
    }))
}

impl From<sqlx::Error> for Refusal {
    fn from(error: sqlx::Error) -> Self {
        Self::of_postgres(&error)
    }
}

impl Refusal {
    pub(super) fn of_postgres(error: &sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(|error| error.code());
        match (error, code.as_deref()) {
            (sqlx::Error::PoolTimedOut, _) => Self::StorageBusy,
            // Disk full.
            (_, Some("53100")) => Self::StorageFull,
            // A lock or a statement that took too long, a deadlock, too many connections.
            (_, Some("55P03" | "57014" | "40001" | "40P01" | "53300")) => Self::StorageBusy,
            _ => Self::StorageFailed,
        }
    }
}
