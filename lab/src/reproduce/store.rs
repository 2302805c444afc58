//! Finished cells, kept in a file as they finish, so that an interrupted run resumes where it stopped.
//!
//! The file is JSON lines. The first is the identity of the experiment: what its numbers follow from, apart from the
//! program. Each other is a cell with its value, the program that computed it, and a checksum. A run whose identity
//! or program is another is refused, since two must not be mixed silently. A caller may ask for cells of other
//! programs. A line that is cut off or altered counts as absent, so that its cell is computed anew.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read, Write};
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
    /// The digest of the program that computed it.
    pub(super) program: String,
}

/// A cell as a line.
#[derive(Serialize, Deserialize)]
struct Line<'a> {
    cell: String,
    #[serde(borrow)]
    value: &'a RawValue,
    seconds: f64,
    program: String,
    /// The checksum of the cell, its value and the program.
    sum: String,
}

impl Store {
    /// Opens a file of cells of this identity, or begins one. With a program, all cells have to be its own.
    ///
    /// # Errors
    /// The file cannot be read or written, is of another identity or program, or another run is at it.
    pub(super) fn open(path: &Path, identity: &Map<String, Value>, program: Option<&str>) -> Result<Self> {
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
        let earlier: HashMap<String, Finished> = lines.into_iter().flatten().collect();
        if program.is_some_and(|ours| earlier.values().any(|finished| finished.program != ours)) {
            bail!("cells of {shown} were computed by another build: choose another folder, or pass --other-builds");
        }
        Ok(Self { path: path.to_owned(), file: Mutex::new(file), earlier })
    }

    /// A cell that an earlier run has finished.
    pub(super) fn get(&self, cell: &str) -> Option<&Finished> {
        self.earlier.get(cell)
    }

    /// Keeps a cell, its value JSON of one line.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn keep(&self, cell: &str, finished: &Finished) -> Result<()> {
        let Finished { value, seconds, program } = finished;
        let (sum, program) = (sum(cell, value, program), program.clone());
        let value = serde_json::from_str(value)?;
        let line = Line { cell: cell.to_owned(), value, seconds: *seconds, program, sum };
        let line = serde_json::to_string(&line)? + "\n";
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

fn parse(line: &str) -> Option<(String, Finished)> {
    let Line { cell, value, seconds, program, sum: expected } = serde_json::from_str(line).ok()?;
    let value = value.get().to_owned();
    (sum(&cell, &value, &program) == expected).then_some((cell, Finished { value, seconds, program }))
}

/// Eight bytes of a digest, against accidents.
fn sum(cell: &str, value: &str, program: &str) -> String {
    hexadecimal(&Sha256::digest(format!("{cell}\n{value}\n{program}"))[..8])
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
            Store::open(&self.file(), &identity(seed), Some("ours"))
        }

        fn edit(&self, change: impl Fn(String) -> String) {
            let content = fs::read_to_string(self.file()).expect("a file");
            fs::write(self.file(), change(content)).expect("a file");
        }
    }

    fn finished(value: &str) -> Finished {
        Finished { value: value.to_owned(), seconds: 0.0, program: "ours".to_owned() }
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
        let finished = Finished { seconds: 1.25, ..finished("{\"accuracy\":0.1000000000000000055}") };
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
    fn cells_of_another_program_are_taken_only_where_that_is_asked_for() {
        let place = Place::new();
        keep(&place, "a", "1");
        let store = |program| Store::open(&place.file(), &identity(1), program);
        let error = store(Some("another")).err().expect("refused").to_string();
        assert!(error.contains("another build: choose another folder, or pass --other-builds"), "{error}");
        let both = store(None).expect("a store");
        both.keep("b", &Finished { program: "another".to_owned(), ..finished("2") }).expect("room");
        drop(both);
        assert!(place.open(1).is_err());
        let both = store(None).expect("a store");
        let program = |cell| both.get(cell).map(|finished| finished.program.as_str());
        assert_eq!((program("a"), program("b")), (Some("ours"), Some("another")));
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
