//! The files of a site, and the files that no visitor may get: the database and the secrets of the operator.
//!
//! At the start, a folder that holds such a file is refused. Later, links and new files may appear in the folder. So
//! each file is looked up once more before it is opened. Three things must hold: it lies in the folder, no name on the
//! way to it begins with a dot, and it is not one of the files above under another name.

use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf, absolute};
use std::pin::Pin;
use std::sync::Arc;
use std::{fmt, io};

use anyhow::{Context, Result, ensure};
#[cfg(feature = "postgres")]
use sqlx::ConnectOptions;
use tokio::task::spawn_blocking;
use tower_http::services::fs::{Backend, TokioBackend, TokioFile};

use crate::address;

/// What SQLite appends to the name of a database: nothing, and the names of its logs.
const ENDINGS: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// The message for a database that cannot be used.
pub(crate) const UNOPENED: &str = "the database cannot be opened";

/// A file that the collector uses and no visitor may get. Tables and lists are public: clients have them.
#[derive(Debug)]
pub(crate) struct Private {
    what: &'static str,
    path: PathBuf,
}

impl Private {
    /// The files of a database, and that of a token.
    ///
    /// # Errors
    /// The folder of one cannot be found.
    pub(crate) fn all(database: Option<&Path>, token: Option<&Path>) -> Result<Arc<[Self]>> {
        let mut files = Vec::new();
        match database {
            Some(database) if address::is_one(database) => files.extend(of_server(database).context(UNOPENED)?),
            Some(database) => files.extend(ENDINGS.map(|ending| {
                let path = [database.as_os_str(), ending.as_ref()].into_iter().collect::<OsString>().into();
                Self { what: "the database", path }
            })),
            None => {}
        }
        if let Some(token) = token {
            // A pipe of a shell has a name that leads nowhere.
            let path = token.canonicalize().or_else(|_| absolute(token)).context("the token has no place")?;
            files.push(Self { what: "the token", path });
        }
        Ok(files.into())
    }

    /// Whether a file is this one. A hard link has another name and is the same file.
    fn is(&self, path: &Path) -> bool {
        self.path == path || is_same(&self.path, path)
    }
}

/// The secrets that a connection to Postgres reads.
#[cfg(feature = "postgres")]
fn of_server(database: &Path) -> Result<Vec<Private>> {
    let address = address::Address::of(database)?.options.to_url_lossy();
    // So `sqlx` writes a key that is a file. Others are given as text.
    let file = |value: &str| value.strip_prefix("file: ").map(PathBuf::from);
    let key = address.query_pairs().find_map(|(name, value)| file(&value).filter(|_| name == "sslkey"));
    let passwords = std::env::var_os("PGPASSFILE").map(PathBuf::from);
    let named = [("the key for Postgres", key), ("the passwords of Postgres", passwords)];
    let named = named.into_iter().filter_map(|(what, path)| Some((what, path?)));
    // Postgres does without a file that is not there.
    named.filter(|(_, path)| path.exists()).map(|(what, path)| Ok(Private { what, path: place(&path)? })).collect()
}

#[cfg(not(feature = "postgres"))]
fn of_server(_: &Path) -> Result<Vec<Private>> {
    anyhow::bail!(address::ABSENT)
}

/// Where the database is, without links on the way. SQLite would take some relative paths for addresses ("file:…").
///
/// # Errors
/// Its folder cannot be found, or the name means no file.
pub(crate) fn place_of_database(database: &Path) -> Result<PathBuf> {
    ensure!(database != Path::new(":memory:"), "leave out --database to keep releases in memory");
    if address::is_one(database) {
        return Ok(database.to_owned());
    }
    place(database).with_context(|| format!("{UNOPENED}: {}", database.display()))
}

/// Where a file is or will be, without links on the way.
fn place(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().or_else(|error| match (path.parent(), path.file_name(), path.read_link()) {
        _ if error.kind() != io::ErrorKind::NotFound => Err(error),
        // The file is made where the link leads.
        (Some(folder), _, Ok(target)) => place(&folder.join(target)),
        // The folder of a bare name is ".".
        (Some(folder), Some(name), Err(_)) => Ok(Path::new(".").join(folder).canonicalize()?.join(name)),
        _ => Err(error),
    })
}

/// A folder that would be served holds a file that no visitor may get.
#[derive(Debug)]
pub(crate) struct Exposed {
    folder: PathBuf,
    what: &'static str,
    file: PathBuf,
}

impl fmt::Display for Exposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folder, what, file } = self;
        let (folder, file) = (folder.display(), file.display());
        write!(f, "everybody could load {what} {file}, since all of {folder} is served: keep them in different folders")
    }
}

impl std::error::Error for Exposed {}

/// The files of a folder that visitors may get.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    root: PathBuf,
    private: Arc<[Private]>,
}

impl Files {
    /// # Errors
    /// The folder is not there, or [`Exposed`].
    pub(crate) fn of(folder: &Path, private: &Arc<[Private]>) -> Result<Self> {
        let root = folder.canonicalize().with_context(|| format!("cannot serve {}", folder.display()))?;
        match private.iter().find(|private| private.path.starts_with(&root)) {
            Some(Private { what, path }) => Err(Exposed { folder: root, what, file: path.clone() }.into()),
            None => Ok(Self { root, private: Arc::clone(private) }),
        }
    }

    /// The folder, without links on the way.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where a file is that visitors may get.
    fn public(&self, path: &Path) -> Option<PathBuf> {
        let found = path.canonicalize().ok()?;
        let is_public = self.is_within(path) && self.is_within(&found);
        (is_public && !self.private.iter().any(|private| private.is(&found))).then_some(found)
    }

    /// Whether a path leads into the folder, and no name on the way begins with a dot.
    fn is_within(&self, path: &Path) -> bool {
        path.strip_prefix(&self.root)
            .is_ok_and(|inner| inner.iter().all(|name| !name.as_encoded_bytes().starts_with(b".")))
    }

    async fn found(self, path: PathBuf) -> io::Result<PathBuf> {
        let found = spawn_blocking(move || self.public(&path)).await;
        found.ok().flatten().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// It is asked for each file that may be sent: a compressed one, or that of a directory, too.
impl Backend for Files {
    type File = TokioFile;
    type Metadata = Metadata;
    type OpenFuture = Pin<Box<dyn Future<Output = io::Result<TokioFile>> + Send>>;
    type MetadataFuture = Pin<Box<dyn Future<Output = io::Result<Metadata>> + Send>>;

    fn open(&self, path: PathBuf) -> Self::OpenFuture {
        let files = self.clone();
        Box::pin(async move { TokioBackend.open(files.found(path).await?).await })
    }

    fn metadata(&self, path: PathBuf) -> Self::MetadataFuture {
        let files = self.clone();
        Box::pin(async move { TokioBackend.metadata(files.found(path).await?).await })
    }
}

#[cfg(unix)]
fn is_same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let identity = |path: &Path| path.metadata().ok().map(|file| (file.dev(), file.ino()));
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

#[cfg(not(unix))]
fn is_same(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_error_names_the_folder_and_the_file() {
        let place = tempfile::tempdir().expect("a place for temporary files");
        let root = place.path().canonicalize().expect("a folder");
        fs::create_dir(root.join("site")).expect("a folder");
        let (site, database) = (root.join("site"), root.join("site/releases.db"));
        let exposed = |database: &Path| {
            let private = Private::all(Some(database), None).expect("a place");
            Files::of(&site, &private).err().map(|error| error.downcast::<Exposed>().expect("its type"))
        };
        let found = exposed(&place_of_database(&database).expect("a place")).expect("an error");
        assert_eq!((found.folder, found.what, found.file), (site.clone(), "the database", database));
        assert!(exposed(&root.join("site.db")).is_none());
        assert!(place_of_database(Path::new("")).is_err() && place_of_database(&root.join("a/b")).is_err());
    }
}
