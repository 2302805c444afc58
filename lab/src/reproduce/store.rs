//! Finished cells, kept in a file as they finish, so that an interrupted run resumes where it stopped.
//!
//! The file is JSON lines. The first is the identity of the experiment: what its numbers follow from. Each
//! other is a cell with its value and a checksum. A run whose identity is another is refused, since two
//! must not be mixed silently. A line that is cut off or altered counts as absent, so that its cell is
//! computed anew.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use textveil_toolkit::files::hexadecimal;

/// Where finished cells are kept.
pub(super) struct Store {
    path: PathBuf,
    file: Mutex<File>,
    /// What earlier runs have finished.
    earlier: HashMap<String, Finished>,
}

/// A cell's value.
pub(super) struct Finished {
    /// The value as JSON.
    pub(super) value: String,
    /// How long it took.
    pub(super) seconds: f64,
}

/// A cell as a line.
#[derive(Serialize, Deserialize)]
struct Line<'a> {
    cell: String,
    #[serde(borrow)]
    value: &'a RawValue,
    seconds: f64,
    /// The checksum of the first two.
    sum: String,
}

impl Store {
    /// Opens a file of cells of this identity, or begins one.
    ///
    /// # Errors
    /// The file cannot be read or written, is of another identity, or another run is at it.
    pub(super) fn open(path: &Path, identity: &Map<String, Value>) -> Result<Self> {
        let shown = path.display();
        let mut options = File::options();
        let file = options.read(true).append(true).create(true).open(path);
        let mut file = file.with_context(|| format!("cannot write {shown}"))?;
        ensure!(file.try_lock().is_ok(), "another run is at {shown}");
        let mut content = Vec::new();
        file.read_to_end(&mut content).with_context(|| format!("cannot read {shown}"))?;
        let content = String::from_utf8_lossy(&content);
        let (first, rest) = content.split_once('\n').unwrap_or_default();
        if first.is_empty() {
            // Whatever there is was cut off before a cell could follow.
            file.set_len(0).with_context(|| format!("cannot write {shown}"))?;
            writeln!(file, "{}", Value::from(identity.clone())).with_context(|| format!("cannot write {shown}"))?;
        } else {
            let earlier: Map<String, Value> =
                serde_json::from_str(first).with_context(|| format!("{shown} does not begin as a file of cells"))?;
            check(path, &earlier, identity)?;
            if !content.ends_with('\n') {
                writeln!(file).with_context(|| format!("cannot write {shown}"))?;
            }
        }
        let lines: Vec<Option<(String, Finished)>> = rest.lines().filter(|line| !line.is_empty()).map(parse).collect();
        let damaged = lines.iter().filter(|line| line.is_none()).count();
        if damaged > 0 {
            let damaged = textveil_toolkit::report::numbers::counted(damaged as u64, "line");
            eprintln!("{shown}: {damaged} cut off or altered, to be computed anew");
        }
        Ok(Self { path: path.to_owned(), file: Mutex::new(file), earlier: lines.into_iter().flatten().collect() })
    }

    /// A cell that an earlier run has finished.
    pub(super) fn get(&self, cell: &str) -> Option<&Finished> {
        self.earlier.get(cell)
    }

    /// Keeps a cell, its value JSON of one line.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn keep(&self, cell: &str, Finished { value, seconds }: &Finished) -> Result<()> {
        let (sum, seconds) = (sum(cell, value), *seconds);
        let value = serde_json::from_str(value)?;
        let line = serde_json::to_string(&Line { cell: cell.to_owned(), value, seconds, sum })? + "\n";
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes()).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// The digest of this program, by which one build is told from another.
///
/// # Errors
/// The program's own file cannot be read.
pub(super) fn program() -> Result<String> {
    let path = std::env::current_exe().context("where is this program?")?;
    let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(hexadecimal(&Sha256::digest(content)))
}

/// The program whose cells a file holds.
///
/// # Errors
/// It cannot be read, or does not begin as a file of cells.
pub(super) fn author(path: &Path) -> Result<String> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
    let mut first = String::new();
    BufReader::new(file).read_line(&mut first).with_context(|| format!("cannot read {shown}"))?;
    let identity: Map<String, Value> = serde_json::from_str(&first).unwrap_or_default();
    let program = identity.get("program").and_then(Value::as_str);
    program.map(str::to_owned).with_context(|| format!("{shown} does not begin as a file of cells"))
}

fn parse(line: &str) -> Option<(String, Finished)> {
    let Line { cell, value, seconds, sum: expected } = serde_json::from_str(line).ok()?;
    (sum(&cell, value.get()) == expected).then(|| (cell, Finished { value: value.get().to_owned(), seconds }))
}

/// Eight bytes of a digest, against accidents.
fn sum(cell: &str, value: &str) -> String {
    hexadecimal(&Sha256::digest(format!("{cell}\n{value}"))[..8])
}

fn check(path: &Path, earlier: &Map<String, Value>, identity: &Map<String, Value>) -> Result<()> {
    let mut names: Vec<&String> = earlier.keys().chain(identity.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let other: Vec<&str> =
        names.into_iter().filter(|name| earlier.get(*name) != identity.get(*name)).map(String::as_str).collect();
    if other.is_empty() {
        return Ok(());
    }
    let (shown, other) = (path.display(), other.join(", "));
    bail!("the cells of {shown} were computed with another {other}: choose another folder, or remove the file")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

    fn identity(seed: u64) -> Map<String, Value> {
        [("experiment".to_owned(), json!("ome")), ("seed".to_owned(), json!(seed))].into_iter().collect()
    }

    /// A folder for one file.
    struct Place(TempDir);

    impl Place {
        fn new() -> Self {
            Self(tempfile::tempdir().expect("a folder"))
        }

        fn file(&self) -> PathBuf {
            self.0.path().join("cells.jsonl")
        }

        fn open(&self, seed: u64) -> Result<Store> {
            Store::open(&self.file(), &identity(seed))
        }

        fn edit(&self, change: impl Fn(String) -> String) {
            let content = fs::read_to_string(self.file()).expect("a file");
            fs::write(self.file(), change(content)).expect("a file");
        }
    }

    fn finished(value: &str) -> Finished {
        Finished { value: value.to_owned(), seconds: 0.0 }
    }

    fn keep(place: &Place, cell: &str, value: &str) {
        place.open(1).expect("a store").keep(cell, &finished(value)).expect("room");
    }

    fn value<'a>(store: &'a Store, cell: &str) -> Option<&'a str> {
        store.get(cell).map(|finished| finished.value.as_str())
    }

    #[test]
    fn what_is_kept_is_there_for_the_next_run_digit_by_digit() {
        let place = Place::new();
        let store = place.open(1).expect("a store");
        let finished = Finished { value: "{\"accuracy\":0.1000000000000000055}".to_owned(), seconds: 1.25 };
        store.keep("a/run=1", &finished).expect("room");
        drop(store);
        keep(&place, "a/run=2", "[1,null]");
        let store = place.open(1).expect("a store");
        assert_eq!(value(&store, "a/run=1"), Some("{\"accuracy\":0.1000000000000000055}"));
        assert_eq!(store.get("a/run=1").map(|finished| finished.seconds), Some(1.25));
        assert_eq!((value(&store, "a/run=2"), value(&store, "a/run=3")), (Some("[1,null]"), None));
    }

    #[test]
    fn another_identity_is_refused_and_says_in_what() {
        let place = Place::new();
        drop(place.open(1).expect("a store"));
        let error = place.open(2).err().expect("refused").to_string();
        assert!(error.contains("with another seed: choose another folder"), "{error}");
        place.edit(|_| "a,b\n".to_owned());
        assert!(place.open(1).is_err());
    }

    #[test]
    fn two_runs_do_not_write_to_one_file() {
        let place = Place::new();
        let _first = place.open(1).expect("a store");
        assert!(place.open(1).err().expect("refused").to_string().starts_with("another run is at"));
    }

    #[test]
    fn a_line_that_is_cut_off_or_altered_counts_as_absent() {
        let place = Place::new();
        let store = place.open(1).expect("a store");
        for (cell, value) in [("a", "0.25"), ("b", "0.5"), ("c", "0.75")] {
            store.keep(cell, &finished(value)).expect("room");
        }
        drop(store);
        place.edit(|content| content.replace("0.5", "0.6")[..content.len() - 5].to_owned());
        let store = place.open(1).expect("a store");
        assert_eq!(["a", "b", "c"].map(|cell| value(&store, cell)), [Some("0.25"), None, None]);
        drop(store);
        keep(&place, "c", "0.75");
        let store = place.open(1).expect("a store");
        assert_eq!(value(&store, "c"), Some("0.75"), "not joined to what was cut off");
    }

    #[test]
    fn a_first_line_that_was_cut_off_is_begun_anew() {
        let place = Place::new();
        fs::write(place.file(), "{\"experi").expect("a file");
        keep(&place, "a", "1");
        assert_eq!(value(&place.open(1).expect("a store"), "a"), Some("1"));
    }
}
