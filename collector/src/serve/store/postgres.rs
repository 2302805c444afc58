//! A database in Postgres. Several servers may share it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use chrono::NaiveDate;
use serde_json::{Value, json};
use sqlx::postgres::{PgPool, PgPoolOptions, PgRow, PgTransaction};
use sqlx::{Row, query, query_scalar};
use tokio::runtime::{Builder, Runtime};

use super::{Entry, LISTED, LISTED_BYTES, OtherTable, Row as Stored};
use crate::address::{Address, Failure, beginning, within};
use crate::serve::refusal::Refusal;
use crate::serve::submission::Digest;

/// How many connections there are at most: one for each worker of the server.
const CONNECTIONS: u32 = 8;

/// One number for all collectors: who holds its lock makes the tables.
const LOCK: i64 = 0x7465_7874_7665_696c;

/// A table, and the statement that makes it.
struct Table {
    name: &'static str,
    made: &'static str,
    /// What `SHAPE` says of it.
    shape: &'static str,
}

/// As the tables of SQLite. `seen` numbers the submissions, since its rows are written first.
const TABLES: [Table; 2] = [
    Table {
        name: "textveil.seen",
        made: "CREATE TABLE textveil.seen (
            digest BYTEA PRIMARY KEY,
            submission BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY
        )",
        shape: "rp digest bytea, submission bigint; PRIMARY KEY (digest)",
    },
    Table {
        name: "textveil.entry",
        made: "CREATE TABLE textveil.entry (
            id BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY,
            submission BIGINT NOT NULL,
            day DATE NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
            field TEXT NOT NULL,
            text TEXT NOT NULL,
            guarantee TEXT,
            PRIMARY KEY (submission, id)
        )",
        shape: "rp id bigint, submission bigint, day date, field text, text text, guarantee text; \
                PRIMARY KEY (submission, id)",
    },
];

/// The kind of a table, its columns and its key. A table that is not logged loses its rows in a crash.
const SHAPE: &str = "
    SELECT relkind::text || relpersistence::text || ' '
        || coalesce((SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
            FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped), '')
        || coalesce((SELECT '; ' || pg_get_constraintdef(oid)
            FROM pg_constraint WHERE conrelid = pg_class.oid AND contype = 'p'), '')
    FROM pg_class WHERE oid = to_regclass($1)";

/// One statement, and so all of it or nothing. Of two servers that write one digest, the second waits for the first.
const KEEP: &str = "
    WITH kept AS (INSERT INTO textveil.seen (digest) VALUES ($1) ON CONFLICT DO NOTHING RETURNING submission)
    INSERT INTO textveil.entry (submission, field, text, guarantee)
    SELECT submission, field, text, guarantee
    FROM kept, unnest($2::text[], $3::text[], $4::text[]) AS part (field, text, guarantee)";

const LATEST: &str = "
    SELECT submission, to_char(day, 'YYYY-MM-DD'), field, text, guarantee
    FROM (
        SELECT *, sum(octet_length(text)) OVER (ORDER BY submission DESC, id DESC) AS bytes
        FROM (SELECT * FROM textveil.entry ORDER BY submission DESC, id DESC LIMIT $1) AS latest
    ) AS summed
    WHERE bytes <= $2 ORDER BY submission DESC, id DESC";

/// A pool of connections, with a thread that drives them.
pub(crate) struct Postgres {
    runtime: Runtime,
    pool: PgPool,
    patience: Duration,
}

impl Postgres {
    /// Makes the tables if they are not there.
    ///
    /// # Errors
    /// The server cannot be reached, has no place for the tables, does not write in UTF-8, or acknowledges what its disk
    /// does not have; [`OtherTable`].
    pub(super) fn open(address: &Address, patience: Duration) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        // The first connection is made without a pool, because a pool hides why a connection fails.
        let first = runtime.block_on(address.connect(patience)).map_err(Failure);
        drop(first.with_context(|| format!("cannot connect to {}", address.name))?);
        let options = PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(patience);
        let pool = {
            let _inside = runtime.enter();
            options.connect_lazy_with(address.options.clone())
        };
        let store = Self { runtime, pool, patience };
        store.check().and_then(|()| store.make_tables()).with_context(|| address.name.clone())?;
        Ok(store)
    }

    fn check(&self) -> Result<()> {
        for name in ["fsync", "full_page_writes"] {
            ensure!(self.setting(name)? == "on", "its setting {name} is off: it may lose what it has acknowledged");
        }
        ensure!(self.setting("server_encoding")? == "UTF8", "it does not write in UTF-8");
        Ok(())
    }

    /// What a setting is in a transaction.
    pub(super) fn setting(&self, name: &'static str) -> Result<String, Failure> {
        const SETTING: &str = "SELECT current_setting($1)";
        Ok(self.call(async |transaction| {
            query_scalar(SETTING).persistent(false).bind(name).fetch_one(&mut **transaction).await
        })?)
    }

    /// Who may not make tables can use those that are there.
    fn make_tables(&self) -> Result<()> {
        const LACKS_SCHEMA: &str = "SELECT to_regnamespace('textveil') IS NULL";
        let shapes = self.call(async |transaction| {
            query("SELECT pg_advisory_xact_lock($1)").persistent(false).bind(LOCK).execute(&mut **transaction).await?;
            let mut shapes = shapes(transaction).await?;
            if shapes == [None, None] {
                // Whoever may make tables in a schema may not be able to make one.
                if query_scalar(LACKS_SCHEMA).persistent(false).fetch_one(&mut **transaction).await? {
                    query("CREATE SCHEMA textveil").persistent(false).execute(&mut **transaction).await?;
                }
                for table in &TABLES {
                    query(table.made).persistent(false).execute(&mut **transaction).await?;
                }
                shapes = self::shapes(transaction).await?;
            }
            Ok(shapes)
        });
        for (table, shape) in TABLES.iter().zip(shapes.map_err(Failure)?) {
            ensure!(shape.as_deref() == Some(table.shape), OtherTable(table.name));
        }
        Ok(())
    }

    /// What is done in a transaction. A call ends a little later than the server's own limit, so that a server that
    /// still answers can say why.
    fn call<T>(&self, work: impl AsyncFnOnce(&mut PgTransaction<'static>) -> sqlx::Result<T>) -> sqlx::Result<T> {
        self.runtime.block_on(within(2 * self.patience, async {
            let mut transaction = self.pool.begin_with(beginning(self.patience)).await?;
            let done = work(&mut transaction).await?;
            transaction.commit().await?;
            Ok(done)
        }))
    }

    pub(super) fn keep(&self, entries: &[Entry], digest: Digest) -> Result<bool, Refusal> {
        // Postgres has no text with this character, and no release has it.
        if entries.iter().any(|entry| entry.text.contains('\0')) {
            return Err(Refusal::Malformed);
        }
        let fields: Vec<&str> = entries.iter().map(|entry| entry.field.as_str()).collect();
        let texts: Vec<&str> = entries.iter().map(|entry| entry.text.as_str()).collect();
        let guarantees: Vec<_> = entries.iter().map(|entry| entry.guarantee.as_ref().map(Value::to_string)).collect();
        let kept = query(KEEP).persistent(false).bind(digest.as_slice()).bind(fields).bind(texts).bind(guarantees);
        let kept = self.call(async |transaction| kept.execute(&mut **transaction).await)?;
        Ok(kept.rows_affected() > 0)
    }

    pub(super) fn list(&self) -> Result<Value, Refusal> {
        const COUNT: &str = "SELECT count(*) FROM textveil.entry";
        let (count, rows) = self.call(async |transaction| {
            let count: i64 = query_scalar(COUNT).persistent(false).fetch_one(&mut **transaction).await?;
            let latest = query(LATEST).persistent(false).bind(i64::from(LISTED)).bind(LISTED_BYTES as i64);
            let latest = latest.fetch_all(&mut **transaction).await?;
            Ok((count, latest.iter().map(stored).collect::<sqlx::Result<Vec<_>>>()?))
        })?;
        let entries = rows.into_iter().map(Stored::listed).collect::<Result<Vec<_>, Refusal>>()?;
        Ok(json!({ "count": count, "entries": entries }))
    }

    #[cfg(any(feature = "estimate", test))]
    pub(super) fn state(&self) -> Result<String, Refusal> {
        // No number of a submission comes again, and the oldest are deleted first.
        const STATE: &str = "SELECT concat_ws(' ', count(*), min(submission), max(submission)) FROM textveil.entry";
        Ok(self.call(async |transaction| query_scalar(STATE).persistent(false).fetch_one(&mut **transaction).await)?)
    }

    #[cfg(any(feature = "estimate", test))]
    pub(super) fn is_empty(&self) -> Result<bool, Refusal> {
        const EMPTY: &str = "SELECT NOT EXISTS (SELECT FROM textveil.entry)";
        Ok(self.call(async |transaction| query_scalar(EMPTY).persistent(false).fetch_one(&mut **transaction).await)?)
    }

    /// The server's log and its backups keep the rows until it writes over them.
    pub(super) fn delete_before(&self, day: NaiveDate) -> Result<(), Refusal> {
        // In portions: one statement for many rows could take longer than it may.
        const DELETE: &str = "DELETE FROM textveil.entry WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM textveil.entry WHERE day < $1::date LIMIT 10000))";
        let day = day.to_string();
        loop {
            let part = query(DELETE).persistent(false).bind(&day);
            if self.call(async |transaction| part.execute(&mut **transaction).await)?.rows_affected() == 0 {
                return Ok(());
            }
        }
    }

    /// The server's log and its backups keep the rows until it writes over them.
    pub(super) fn clear(&self) -> Result<(), Refusal> {
        const CLEAR: &str = "TRUNCATE textveil.entry, textveil.seen";
        self.call(async |transaction| query(CLEAR).persistent(false).execute(&mut **transaction).await)?;
        Ok(())
    }

    /// What a setting of a session is after a transaction, for whoever gets the session next.
    #[cfg(test)]
    pub(super) fn setting_of_session(&self, name: &'static str) -> String {
        use sqlx::Connection as _;

        let value = async {
            let mut session = self.pool.acquire().await?;
            session.begin_with(beginning(self.patience)).await?.commit().await?;
            query_scalar("SELECT current_setting($1)").persistent(false).bind(name).fetch_one(&mut *session).await
        };
        self.runtime.block_on(value).expect("a setting")
    }

    /// The sessions of the pool, and the statements that stay prepared in them.
    #[cfg(test)]
    pub(super) fn prepared(&self) -> (usize, i64) {
        let counted = async {
            // A session comes back a little later than its work is done.
            while self.pool.num_idle() < self.pool.size() as usize {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            let (mut sessions, mut prepared) = (Vec::new(), 0);
            while let Some(mut session) = self.pool.try_acquire() {
                let count = query_scalar::<_, i64>("SELECT count(*) FROM pg_prepared_statements").persistent(false);
                prepared += count.fetch_one(&mut *session).await?;
                sessions.push(session);
            }
            Ok::<_, sqlx::Error>((sessions.len(), prepared))
        };
        self.runtime.block_on(counted).expect("sessions")
    }
}

/// What `SHAPE` says of each of the tables that is there.
async fn shapes(transaction: &mut PgTransaction<'static>) -> sqlx::Result<[Option<String>; 2]> {
    let mut shapes = [None, None];
    for (table, shape) in TABLES.iter().zip(&mut shapes) {
        *shape = query_scalar(SHAPE).persistent(false).bind(table.name).fetch_optional(&mut **transaction).await?;
    }
    Ok(shapes)
}

fn stored(row: &PgRow) -> sqlx::Result<Stored> {
    Ok(Stored {
        submission: row.try_get(0)?,
        day: row.try_get(1)?,
        field: row.try_get(2)?,
        text: row.try_get(3)?,
        guarantee: row.try_get(4)?,
    })
}

impl From<sqlx::Error> for Refusal {
    fn from(error: sqlx::Error) -> Self {
        Self::of_postgres(&error)
    }
}

impl Refusal {
    pub(super) fn of_postgres(error: &sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(|error| error.code());
        let refusal = match (error, code.as_deref()) {
            (sqlx::Error::PoolTimedOut, _) => Self::StorageBusy,
            // Disk full.
            (_, Some("53100")) => Self::StorageFull,
            // A lock or a statement that took too long, a deadlock, too many connections.
            (_, Some("55P03" | "57014" | "40001" | "40P01" | "53300")) => Self::StorageBusy,
            _ => Self::StorageFailed,
        };
        refusal.told(cause(error))
    }
}

/// The SQLSTATE of an error, or its kind. Its message can quote a value.
fn cause(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => format!("SQLSTATE {}", error.code().unwrap_or("missing".into())),
        sqlx::Error::Io(error) => format!("the connection failed: {}", error.kind()),
        sqlx::Error::Tls(_) => "the connection failed: TLS".to_owned(),
        sqlx::Error::PoolTimedOut => "the server has not answered in time".to_owned(),
        _ => "the server has answered what this program cannot read".to_owned(),
    }
}
