//! The same of a real Postgres. The step `postgres` of the checks runs these: it sees that there is one.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use textveil_tests::postgres::Postgres as Server;

use super::super::OtherTable;
use super::super::postgres::Postgres;
use super::*;
use crate::address::Address;

fn open(address: &str) -> Result<Store> {
    Store::open(Some(Path::new(address)))
}

/// A store that soon gives up. On a busy machine it may do so while it is opened. Then it is opened again.
fn impatient(address: &str, patience: Duration) -> Postgres {
    let address = Address::of(Path::new(address)).expect("an address");
    let since = Instant::now();
    loop {
        match Postgres::open(&address, patience) {
            Ok(store) => return store,
            Err(error) => assert!(since.elapsed() < Duration::from_secs(60), "{error:#}"),
        }
    }
}

#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn postgres_keeps_its_promises() {
    let server = Server::start(&[], &[]);
    for round in 0..3 {
        let address = server.database(&format!("promises{round}"));
        keeps_its_promises(&|| open(&address).expect("a database"));
    }
}

#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn a_commit_waits_for_the_disk_of_postgres_whatever_its_settings_are() {
    for (setting, commits) in [("off", "on"), ("on", "on"), ("local", "local"), ("remote_apply", "remote_apply")] {
        let server = Server::start(&[&format!("synchronous_commit={setting}")], &[]);
        let Store::Postgres(store) = open(&server.database("commits")).expect("a database") else { unreachable!() };
        assert_eq!(store.setting("synchronous_commit").expect("a setting"), commits);
        assert_eq!(store.setting_of_session("synchronous_commit"), setting, "a pooler gives the session to others");
        if setting == "on" {
            assert_eq!(store.setting("lock_timeout").expect("a setting"), "10s");
            assert_eq!(store.setting_of_session("lock_timeout"), "0");
            server.query("postgres", "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
            let refused = open(&server.address("latin")).err().expect("another encoding");
            assert!(format!("{refused:#}").contains("UTF-8"), "{refused:#}");
        }
    }
    for setting in ["fsync", "full_page_writes"] {
        let server = Server::start(&[&format!("{setting}=off")], &[]);
        let refused = open(&server.database("loses")).err().expect("it may lose rows");
        assert!(format!("{refused:#}").contains(&format!("its setting {setting} is off")), "{refused:#}");
    }
}

/// A pooler gives a session to others, who would meet its statements.
#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn no_statement_stays_prepared_in_a_session_of_postgres() {
    let server = Server::start(&[], &[]);
    let store = impatient(&server.database("prepared"), Duration::from_secs(10));
    thread::scope(|scope| {
        for number in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for again in 0..8 {
                    store.keep(&[entry("happy")], digest(8 * number + again)).expect("space");
                    store.list().and_then(|_| store.state()).and_then(|_| store.is_empty()).expect("rows");
                }
            });
        }
    });
    store.clear().expect("rows");
    let (sessions, prepared) = store.prepared();
    assert!(sessions > 0 && prepared == 0, "{prepared} in {sessions} sessions");
}

#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn who_is_kept_from_postgres_is_told_so_and_what_it_cannot_hold_is_refused() {
    let server = Server::start(&[], &[]);
    let address = server.database("busy");
    // Only the refusals are for the store that soon gives up.
    let patient = open(&address).expect("a database");
    let store = impatient(&address, Duration::from_millis(1500));
    thread::scope(|scope| {
        let held = "BEGIN; LOCK TABLE textveil.entry IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(12); COMMIT";
        let other = scope.spawn(|| server.query("busy", held));
        while server.query("busy", "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock'") == "0" {
            thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(store.keep(&[entry("happy")], digest(1)), Err(Refusal::StorageBusy));
        assert_eq!(store.clear(), Err(Refusal::StorageBusy));
        assert!(!other.is_finished(), "nobody held the lock");
        other.join().expect("a query");
    });
    assert_eq!(patient.keep(&[entry("a\0b")], digest(2)), Err(Refusal::Malformed));
    assert_eq!(patient.keep(&[entry("happy")], digest(1)), Ok(true), "nothing of it was kept before");
}

#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn who_may_not_make_tables_in_postgres_can_use_those_that_are_there() {
    let server = Server::start(&[], &[]);
    let address = server.database("shared");
    let of_writer = address.replace("textveil:", "writer:");
    let password = textveil_tests::postgres::PASSWORD.replace("%40", "@");
    server.query("shared", &format!("CREATE ROLE writer LOGIN PASSWORD '{password}'"));
    assert!(open(&of_writer).is_err(), "it may not make tables");
    drop(open(&address).expect("a database"));
    server.query("shared", "GRANT USAGE ON SCHEMA textveil TO writer");
    server.query("shared", "GRANT SELECT, INSERT ON textveil.entry, textveil.seen TO writer");
    let store = open(&of_writer).expect("tables");
    assert_eq!(store.keep(&[entry("happy")], digest(1)), Ok(true));
    assert_eq!(store.clear(), Err(Refusal::StorageFailed));
    assert_eq!(count(&store), 1);
}

#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn what_was_acknowledged_outlives_a_crash_of_postgres_and_the_store_goes_on() {
    let mut server = Server::start(&[], &[]);
    let store = open(&server.database("crash")).expect("a database");
    let kept =
        (0..200).filter(|number| store.keep(&[entry("happy"), entry("sad")], digest(*number)) == Ok(true)).count();
    server.crash();
    let down = store.keep(&[entry("happy")], digest(1000));
    assert!(matches!(down, Err(Refusal::StorageFailed | Refusal::StorageBusy)), "{down:?}");
    server.go_on();
    assert_eq!((kept, count(&store)), (200, 400));
    assert_eq!(store.keep(&[entry("happy")], digest(199)), Ok(false));
    assert_eq!(store.keep(&[entry("happy")], digest(1000)), Ok(true), "what was refused can be sent again");
}

#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn tables_of_other_programs_in_postgres_are_left_alone_or_named() {
    let server = Server::start(&[], &[]);
    let address = server.database("theirs");
    server.query("theirs", "CREATE TABLE entry (mine TEXT); CREATE TABLE seen (mine TEXT)");
    server.query("theirs", "ALTER DATABASE theirs SET search_path = public");
    let store = open(&address).expect("a schema of its own");
    assert_eq!(store.keep(&[entry("happy")], digest(1)), Ok(true));
    let rows = "SELECT (SELECT count(*) FROM public.entry), (SELECT count(*) FROM textveil.entry)";
    assert_eq!(server.query("theirs", rows), "0|1");
    for (number, (change, table)) in [
        ("ALTER TABLE textveil.entry ADD mine TEXT", "textveil.entry"),
        ("ALTER TABLE textveil.entry ALTER text TYPE VARCHAR(9)", "textveil.entry"),
        ("ALTER TABLE textveil.entry SET UNLOGGED", "textveil.entry"),
        ("DROP TABLE textveil.entry", "textveil.entry"),
        ("ALTER TABLE textveil.seen DROP CONSTRAINT seen_pkey", "textveil.seen"),
        ("DROP TABLE textveil.seen; CREATE VIEW textveil.seen AS SELECT 1 AS digest", "textveil.seen"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("changed{number}");
        let address = server.database(&name);
        drop(open(&address).expect("a database"));
        server.query(&name, change);
        let refused = open(&address).err().expect(change);
        assert!(refused.is::<OtherTable>() && format!("{refused:#}").contains(table), "{change}: {refused:#}");
    }
}

#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn a_postgres_that_does_not_answer_is_given_up_and_nothing_is_acknowledged() {
    let server = Server::start(&[], &[]);
    let address = server.database("silent");
    // Only the refusal is for the store that soon gives up.
    let patient = open(&address).expect("a database");
    let store = impatient(&address, Duration::from_secs(2));
    server.query(
        "silent",
        "CREATE FUNCTION sleeps() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(30); RETURN NEW; END';
         CREATE TRIGGER sleeps BEFORE INSERT ON textveil.entry FOR EACH ROW EXECUTE FUNCTION sleeps()",
    );
    let since = Instant::now();
    assert_eq!(store.keep(&[entry("happy")], digest(1)), Err(Refusal::StorageBusy));
    println!("given up after {:?}", since.elapsed());
    assert!(since.elapsed() < Duration::from_secs(15));
    server.end_sessions();
    server.query("silent", "DROP TRIGGER sleeps ON textveil.entry");
    assert_eq!(patient.keep(&[entry("happy")], digest(1)), Ok(true), "what was refused can be sent again");
}

/// The file of the table is one to which nothing can be written: the system says that there is no space left.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn without_space_postgres_acknowledges_nothing_and_with_space_it_goes_on() {
    let mut server = Server::start(&[], &[]);
    let store = open(&server.database("filled")).expect("a database");
    // Nobody has the file open, and nothing of it waits for the disk.
    server.crash();
    server.go_on();
    let file = server.file("filled", "textveil.entry");
    let aside = file.with_extension("aside");
    fs::rename(&file, &aside).and_then(|()| symlink("/dev/full", &file)).expect("our file");
    assert_eq!(store.keep(&[entry("happy")], digest(1)), Err(Refusal::StorageFull));
    assert_eq!(server.query("filled", "SELECT count(*) FROM textveil.seen"), "0", "a part is kept");
    server.end_sessions();
    fs::rename(&aside, &file).expect("our file");
    assert_eq!(store.keep(&[entry("happy")], digest(1)), Ok(true), "what was refused can be sent again");
    assert_eq!(store.list().expect("rows")["count"], 1);
}
