//! What the database promises: all of a submission or nothing, on the disk, and nothing left of what is deleted.

use std::{fs, thread};

use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use super::sqlite::{NUMBER, Sqlite, immediate};
use super::*;

#[cfg(feature = "postgres")]
mod postgres;

/// A directory with a database, deleted in the end.
struct Directory(TempDir);

impl Directory {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a place for temporary files"))
    }

    fn open(&self) -> Store {
        Store::open(Some(&self.0.path().join("releases.db"))).expect("a file")
    }

    /// How often `needle` stands in any file of it.
    fn count(&self, needle: &str) -> usize {
        let files = fs::read_dir(&self.0).expect("it is there");
        let files = files.map(|file| fs::read(file.expect("a file").path()).expect("readable"));
        files.map(|bytes| bytes.windows(needle.len()).filter(|window| *window == needle.as_bytes()).count()).sum()
    }
}

/// What only a file has.
fn sqlite(store: &Store) -> &Sqlite {
    match store {
        Store::Sqlite(store) => store,
        #[cfg(feature = "postgres")]
        Store::Postgres(_) => unreachable!("a file"),
    }
}

fn entry(text: &str) -> Entry {
    Entry { field: "topic".into(), text: text.into(), guarantee: None }
}

fn digest(number: u32) -> Digest {
    let mut digest = [0; 32];
    digest[..4].copy_from_slice(&number.to_le_bytes());
    digest
}

fn count(store: &Store) -> u64 {
    store.list().expect("rows")["count"].as_u64().expect("a number")
}

/// The number of the last submission that is held.
fn last(store: &Store) -> i64 {
    store.list().expect("rows")["entries"][0]["submission"].as_i64().expect("a number")
}

/// What every database promises; `open` opens the same one again.
fn keeps_its_promises(open: &(dyn Fn() -> Store + Sync)) {
    // Whoever opens it at once on an empty one, one keeps a submission.
    thread::scope(|scope| {
        let opening = [(); 8].map(|()| scope.spawn(|| open().keep(&[entry("happy")], digest(1))));
        let kept = opening.map(|store| store.join().expect("it opens"));
        assert_eq!(kept.iter().filter(|kept| **kept == Ok(true)).count(), 1);
        assert_eq!(kept.iter().filter(|kept| **kept == Ok(false)).count(), 7);
    });
    // Another one finds it, and what comes together stays together.
    let (store, other) = (open(), open());
    let text = "'); DROP TABLE entry; --";
    let guarantee = Some(json!({ "epsilonWord": 0.1 + 0.2, "statement": "“ε”" }));
    let release = || Entry { field: "note".into(), text: text.into(), guarantee: guarantee.clone() };
    assert_eq!(store.keep(&[entry("new"), release()], digest(2)), Ok(true));
    assert_eq!(other.keep(&[entry("new"), release()], digest(2)), Ok(false), "it has come before");
    let listed = other.list().expect("rows");
    let rows = [0, 1, 2].map(|row| &listed["entries"][row]);
    assert_eq!(listed["count"], 3);
    assert_eq!(
        (&rows[0]["field"], &rows[0]["text"], &rows[0]["guarantee"]),
        (&json!("note"), &json!(text), &json!(guarantee))
    );
    assert_eq!(
        (&rows[1]["text"], &rows[1]["guarantee"], &rows[2]["text"]),
        (&json!("new"), &Value::Null, &json!("happy"))
    );
    assert_eq!(rows[0]["submission"], rows[1]["submission"]);
    assert!(rows[1]["submission"].as_i64() > rows[2]["submission"].as_i64());
    let day = rows[0]["day"].as_str().expect("a day");
    assert!(day.len() == 10 && day.starts_with("20"), "{day}");
    // Whatever changes, by whomever, is seen.
    let mut states = vec![store.state().expect("a state")];
    let mut changes = |done: Result<bool, Refusal>, does: bool| {
        assert_eq!(done, Ok(does));
        let state = store.state().expect("a state");
        assert_eq!(states.contains(&state), !does);
        states.push(state);
    };
    changes(store.keep(&[entry("own")], digest(3)), true);
    changes(store.keep(&[entry("own")], digest(3)), false);
    changes(other.keep(&[entry("of another")], digest(4)), true);
    // A day may end while they come.
    let listed = store.list().expect("rows");
    let days = listed["entries"].as_array().expect("entries").iter().map(|row| row["day"].as_str().expect("a day"));
    let days: Vec<NaiveDate> = days.map(|day| day.parse().expect("a day")).collect();
    let (first, latest) = (*days.iter().min().expect("entries"), *days.iter().max().expect("entries"));
    assert!(days.len() == 5 && Some(latest) <= first.succ_opt(), "{days:?}");
    assert_eq!((other.delete_before(first), count(&store)), (Ok(()), 5), "none came before");
    let of_latest = days.iter().filter(|day| **day == latest).count() as u64;
    assert_eq!((other.delete_before(latest), count(&store)), (Ok(()), of_latest));
    let tomorrow = latest.succ_opt().expect("a day");
    let before = last(&store);
    assert_eq!((other.delete_before(tomorrow), count(&store)), (Ok(()), 0));
    assert_eq!(store.keep(&[entry("own")], digest(3)), Ok(false), "it has come before");
    changes(other.keep(&[entry("another")], digest(6)), true);
    let after = last(&store);
    assert!(after > before, "a number comes again: {after} after {before}");
    assert_eq!((other.clear(), count(&store), count(&other)), (Ok(()), 0, 0));
    changes(other.keep(&[entry("own")], digest(3)), true);
    assert!(last(&store) > after, "a number comes again");
    // Of long texts, the latest are listed.
    let long = "x".repeat(LISTED_BYTES / 2);
    let entries = [&*long, &long, "latest"].map(entry);
    changes(store.keep(&entries, digest(5)), true);
    let listed = store.list().expect("rows");
    let lengths: Vec<_> =
        listed["entries"].as_array().expect("entries").iter().map(|row| row["text"].as_str().map(str::len)).collect();
    assert_eq!((&listed["count"], &*lengths), (&json!(4), &[Some(6), Some(long.len())][..]));
    assert_eq!((store.clear(), count(&store), count(&other)), (Ok(()), 0, 0));
    changes(store.keep(&[entry("own")], digest(3)), true);
}

#[test]
fn a_file_keeps_its_promises() {
    let directory = Directory::new();
    keeps_its_promises(&|| directory.open());
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_a_file_that_is_made() {
    use std::os::unix::fs::PermissionsExt as _;

    let directory = Directory::new();
    let store = directory.open();
    assert_eq!(store.keep(&[entry("new")], digest(1)), Ok(true));
    let files: Vec<_> = fs::read_dir(&directory.0).expect("it is there").map(|file| file.expect("a file")).collect();
    assert_eq!(files.len(), 3);
    assert!(files.iter().all(|file| file.metadata().expect("a mode").permissions().mode() & 0o777 == 0o600));
    // A file that is there keeps its mode.
    let path = directory.0.path().join("shared.db");
    let shared = fs::Permissions::from_mode(0o640);
    fs::write(&path, []).and_then(|()| fs::set_permissions(&path, shared)).expect("a file");
    drop(Store::open(Some(&path)).expect("a file"));
    assert_eq!(path.metadata().expect("a mode").permissions().mode() & 0o777, 0o640);
}

/// Whoever opens a file while others may read it can read all that is written later.
#[cfg(unix)]
#[test]
fn nobody_else_may_read_a_file_at_any_moment() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::Instant;

    let directory = Directory::new();
    for round in 0..20 {
        let path = directory.0.path().join(format!("{round}.db"));
        let first_mode = || {
            let started = Instant::now();
            while started.elapsed() < PATIENCE {
                if let Ok(file) = path.metadata() {
                    return Some(file.permissions().mode() & 0o777);
                }
            }
            None
        };
        thread::scope(|scope| {
            let mode = scope.spawn(first_mode);
            drop(Store::open(Some(&path)).expect("a file"));
            assert_eq!(mode.join().expect("a mode"), Some(0o600));
        });
    }
}

/// A release without its guarantee would look like a public field.
#[test]
fn a_damaged_guarantee_is_an_error_and_not_a_public_field() {
    let directory = Directory::new();
    let store = directory.open();
    let guarantee = Some(json!({ "epsilonWord": 9 }));
    let release = Entry { field: "note".into(), text: "happy".into(), guarantee };
    assert_eq!(store.keep(&[entry("public"), release], digest(1)), Ok(true));
    assert_eq!(count(&store), 2);
    for damaged in ["{", "", "null"] {
        let damage = "UPDATE entry SET guarantee = ?1 WHERE guarantee IS NOT NULL";
        assert_eq!(sqlite(&store).connection().execute(damage, [damaged]), Ok(1));
        assert_eq!(store.list(), Err(Refusal::StorageFailed), "{damaged:?}");
    }
    assert_eq!((store.clear(), count(&store)), (Ok(()), 0));
}

#[test]
fn a_file_of_the_version_before_is_read_and_goes_on() {
    let directory = Directory::new();
    let before = Connection::open(directory.0.path().join("releases.db")).expect("a file");
    before
        .execute_batch(
            "CREATE TABLE entry (id INTEGER PRIMARY KEY, submission INTEGER NOT NULL, day TEXT NOT NULL DEFAULT \
             (date('now')), field TEXT NOT NULL, text TEXT NOT NULL, guarantee TEXT) STRICT; \
             INSERT INTO entry (submission, field, text) VALUES (1, 'topic', 'old');",
        )
        .expect("a table");
    drop(before);
    let store = directory.open();
    assert_eq!(store.keep(&[entry("new")], digest(1)), Ok(true));
    let entries = &store.list().expect("rows")["entries"];
    let rows = [0, 1].map(|row| (entries[row]["submission"].as_u64(), entries[row]["text"].as_str()));
    assert_eq!(rows, [(Some(2), Some("new")), (Some(1), Some("old"))]);
    // A collector of that version goes on, too, and another one deletes.
    let keeps = "INSERT INTO entry (submission, field, text) SELECT max(submission) + 1, 'topic', 'old' FROM entry";
    assert_eq!(sqlite(&store).connection().execute(keeps, []), Ok(1));
    assert_eq!((store.keep(&[entry("newer")], digest(2)), last(&store)), (Ok(true), 4));
    assert_eq!((directory.open().clear(), count(&store)), (Ok(()), 0));
    assert_eq!((store.keep(&[entry("newest")], digest(3)), last(&store)), (Ok(true), 5));
}

#[test]
fn no_number_of_a_file_of_the_version_before_comes_again() {
    let directory = Directory::new();
    drop(directory.open());
    let before = Connection::open(directory.0.path().join("releases.db")).expect("a file");
    before
        .execute_batch("DROP TABLE number; INSERT INTO entry (submission, field, text) VALUES (7, 'topic', 'old');")
        .expect("tables");
    drop(before);
    let store = directory.open();
    assert_eq!((store.clear(), count(&store)), (Ok(()), 0));
    assert_eq!((store.keep(&[entry("new")], digest(1)), last(&store)), (Ok(true), 8));
}

#[test]
fn a_commit_waits_for_the_disk() {
    let directory = Directory::new();
    let store = directory.open();
    let connection = sqlite(&store).connection();
    let number = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
    let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).expect("a mode");
    assert_eq!(mode, "wal");
    let settings = ["synchronous", "fullfsync", "secure_delete", "busy_timeout"].map(|name| number(name).expect(name));
    assert_eq!(settings, [2, 1, 1, 10_000]);
}

#[test]
fn without_space_nothing_is_acknowledged_and_with_space_it_goes_on() {
    let directory = Directory::new();
    let store = directory.open();
    let limit = |pages: u32| {
        let limit = format!("PRAGMA max_page_count = {pages}");
        sqlite(&store).connection().query_row(&limit, [], |_| Ok(())).expect("a limit");
    };
    limit(20);
    let text = "happy ".repeat(400);
    let kept = (0..100).filter(|number| match store.keep(&[entry(&text), entry(&text)], digest(*number)) {
        Ok(kept) => kept,
        Err(refusal) => {
            assert_eq!(refusal, Refusal::StorageFull);
            false
        }
    });
    let kept = kept.count() as u64;
    println!("a full database: {kept} of 100 submissions kept");
    assert!((1..100).contains(&kept));
    assert_eq!(count(&store), 2 * kept, "whole submissions");
    assert_eq!(count(&directory.open()), 2 * kept, "for others, too");
    limit(10_000);
    assert_eq!(store.keep(&[entry(&text)], digest(99)), Ok(true), "what was refused can be sent again");
}

#[test]
fn nothing_of_what_is_deleted_stays_in_any_file() {
    const WORD: &str = "antidisestablishmentarianism";
    let directory = Directory::new();
    let (store, other) = (directory.open(), directory.open());
    for number in 0..50 {
        assert_eq!(store.keep(&[entry(WORD)], digest(2 * number)), Ok(true));
        assert_eq!(other.keep(&[entry(WORD)], digest(2 * number + 1)), Ok(true));
    }
    let before = directory.count(WORD);
    assert_eq!((count(&store), count(&other)), (100, 100));
    assert_eq!(store.clear(), Ok(()));
    println!("deleted: the word stood in the files {before} times, then {} times", directory.count(WORD));
    assert!(before >= 100);
    assert_eq!(directory.count(WORD), 0);
    assert_eq!((count(&store), count(&other)), (0, 0));
    assert_eq!(other.keep(&[entry(WORD)], digest(1)), Ok(true), "what is deleted is forgotten");
}

#[test]
fn what_is_old_is_deleted_from_every_file_and_the_rest_is_kept() {
    const WORD: &str = "antidisestablishmentarianism";
    let directory = Directory::new();
    let store = directory.open();
    for number in 0..50 {
        assert_eq!(store.keep(&[entry(WORD), entry("public")], digest(number)), Ok(true));
    }
    assert_eq!(store.keep(&[entry("new")], digest(50)), Ok(true));
    let made_old = "UPDATE entry SET day = '2025-12-31' WHERE submission <= 50";
    assert_eq!(sqlite(&store).connection().execute(made_old, []), Ok(100));
    let day = |day: &str| day.parse::<NaiveDate>().expect("a day");
    assert_eq!((store.delete_before(day("2025-12-31")), count(&store)), (Ok(()), 101));
    assert!(directory.count(WORD) >= 50);
    assert_eq!((store.delete_before(day("2026-01-01")), count(&store)), (Ok(()), 1));
    assert_eq!(directory.count(WORD), 0);
    assert_eq!(store.keep(&[entry(WORD), entry("public")], digest(7)), Ok(false), "it has come before");
}

#[test]
fn who_is_kept_from_the_database_is_told_so() {
    let directory = Directory::new();
    let (store, other) = (directory.open(), directory.open());
    sqlite(&store).connection().busy_timeout(Duration::from_millis(50)).expect("a limit");
    let mut connection = sqlite(&other).connection();
    let writing = immediate(&mut connection).expect("nobody else writes");
    assert_eq!(store.keep(&[entry("happy")], digest(1)), Err(Refusal::StorageBusy));
    writing.commit().expect("nothing was written");
    assert_eq!(store.keep(&[entry("happy")], digest(1)), Ok(true));
}

#[test]
fn the_tables_of_another_program_are_left_alone() {
    let directory = Directory::new();
    let path = directory.0.path().join("releases.db");
    for table in ["entry (a, b)", "seen (x)", "number (last TEXT)", "entry (id INTEGER PRIMARY KEY, text TEXT)"] {
        let other = Connection::open(&path).expect("a file");
        other.execute_batch(&format!("CREATE TABLE {table}")).expect("a table");
        drop(other);
        let before = fs::read(&path).expect("a file");
        let refused = Store::open(Some(&path)).err().expect("another program's");
        assert!(refused.is::<OtherTable>(), "{refused:#}");
        assert_eq!(fs::read(&path).expect("a file"), before);
        fs::remove_file(&path).expect("a file");
    }
}

#[test]
fn a_submission_and_the_number_of_rows_are_found_without_a_look_at_all_texts() {
    let store = Store::open(None).expect("memory");
    let connection = sqlite(&store).connection();
    for query in [NUMBER, "SELECT count(*) FROM entry"] {
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {query}")).expect("a query");
        let steps = plan.query_map([], |row| row.get::<_, String>(3)).expect("a plan");
        let plan: Vec<_> = steps.map(|step| step.expect("a step")).collect();
        assert!(plan.iter().any(|step| step.contains("USING COVERING INDEX entry_submission")), "{query}: {plan:?}");
    }
}

#[test]
fn stores_that_are_opened_at_once_on_a_new_file_all_open() {
    for _ in 0..20 {
        let directory = Directory::new();
        thread::scope(|scope| {
            let opening = [(); 8].map(|()| scope.spawn(|| directory.open().keep(&[entry("happy")], digest(1))));
            let kept = opening.map(|store| store.join().expect("it opens"));
            assert_eq!(kept.iter().filter(|kept| **kept == Ok(true)).count(), 1);
            assert_eq!(kept.iter().filter(|kept| **kept == Ok(false)).count(), 7);
        });
    }
}
