//! Connection strings of Postgres.
//!
//! One may hold a password: no message repeats any of it but the host and the name of the database.

use std::path::Path;

#[cfg(feature = "postgres")]
pub(crate) use here::{Address, Failure, beginning, within};

/// The message for an address that nobody can use here.
#[cfg(not(feature = "postgres"))]
pub(crate) const ABSENT: &str = "this textveil-collector was built without Postgres (cargo's feature \"postgres\")";

/// Whether this is a connection string, and no file. One of another program is one, too: it may hold a password.
pub(crate) fn is_one(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains("://"))
}

/// A file or a database, for messages.
#[cfg(feature = "reports")]
pub(crate) fn shown(path: &Path) -> String {
    if !is_one(path) {
        return path.display().to_string();
    }
    #[cfg(feature = "postgres")]
    if let Ok(address) = Address::of(path) {
        return address.name;
    }
    "the database".to_owned()
}

#[cfg(feature = "postgres")]
mod here {
    use std::fmt;
    use std::path::Path;
    use std::time::Duration;

    use anyhow::{Context, Result, ensure};
    use sqlx::postgres::{PgConnectOptions, PgConnection};
    use sqlx::{AssertSqlSafe, ConnectOptions, Error};
    use tokio::time::timeout;

    /// An error of Postgres, said once.
    #[derive(Debug)]
    pub(crate) struct Failure(pub(crate) Error);

    impl fmt::Display for Failure {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self.0.as_database_error() {
                Some(error) => f.write_str(error.message()),
                None if matches!(self.0, Error::PoolTimedOut) => f.write_str("it does not answer in time"),
                None => self.0.fmt(f),
            }
        }
    }

    impl std::error::Error for Failure {}

    impl From<Error> for Failure {
        fn from(error: Error) -> Self {
            Self(error)
        }
    }

    /// The message for an invalid connection string.
    const INVALID: &str =
        "not a connection string as postgres://USER@HOST/DATABASE (a password has other signs as %40 for @)";

    /// How they begin. The parser takes any scheme, and would send the login of another database to a Postgres.
    const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

    /// Where a database is.
    pub(crate) struct Address {
        pub(crate) options: PgConnectOptions,
        /// "the database feedback on localhost".
        pub(crate) name: String,
    }

    impl Address {
        /// What a connection string says. What it leaves out, such as the password, comes from the environment
        /// (`PGPASSWORD`) or from `~/.pgpass`.
        ///
        /// # Errors
        /// The connection string is invalid.
        pub(crate) fn of(path: &Path) -> Result<Self> {
            // An error of the parser may repeat a part of a password.
            let text = path.to_str().filter(|text| SCHEMES.iter().any(|scheme| text.starts_with(scheme)));
            let options: Option<PgConnectOptions> = text.and_then(|text| text.parse().ok());
            let options = options.context(INVALID)?;
            let database = options.get_database().unwrap_or(options.get_username());
            // A part of a password that has a slash is taken for the database.
            ensure!(!database.contains(['@', '/']), INVALID);
            let name = format!("the database {database} on {}", options.get_host());
            // A pooler may give each transaction another session, which knows no statement of the one before. For the same
            // reason no query is persistent: its statement would also stay in the server's memory.
            Ok(Self { options: options.statement_cache_capacity(0), name })
        }

        /// # Errors
        /// The server cannot be reached, or lets nobody in.
        pub(crate) async fn connect(&self, patience: Duration) -> sqlx::Result<PgConnection> {
            within(patience, self.options.connect()).await
        }
    }

    /// What a call brings.
    ///
    /// # Errors
    /// Those of the call. [`Error::PoolTimedOut`] if it takes longer.
    pub(crate) async fn within<T>(limit: Duration, call: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
        timeout(limit, call).await.unwrap_or(Err(Error::PoolTimedOut))
    }

    /// How a transaction begins: its commit waits until the server's disk has it, and nobody waits for a lock for ever. Only
    /// the transaction has these settings, because a pooler gives the session to others.
    pub(crate) fn beginning(patience: Duration) -> AssertSqlSafe<String> {
        // A server may wait for more than its own disk.
        AssertSqlSafe(format!(
            "BEGIN; SET LOCAL lock_timeout = {};
             SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'",
            patience.as_millis()
        ))
    }
}

#[cfg(all(test, feature = "postgres"))]
mod tests {
    use super::*;

    #[test]
    fn a_login_of_another_database_goes_to_no_postgres_and_is_repeated_nowhere() {
        for other in ["mysql://u:secret@h/d", "http://u:secret@h/d", "POSTGRES://u:secret@h/d"] {
            let refusal = Address::of(Path::new(other)).err().expect("no address of Postgres").to_string();
            assert!(
                refusal.starts_with("not a connection string as postgres://") && !refusal.contains("secret"),
                "{refusal}"
            );
        }
        for known in ["postgres://u@h/d", "postgresql://u@h/d"] {
            assert_eq!(
                Address::of(Path::new(known)).map(|address| address.name).expect("an address"),
                "the database d on h"
            );
        }
    }
}
