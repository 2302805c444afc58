//! The same of a real Postgres. The step `postgres` of the checks runs these: it sees that there is one.

use std::path::Path;
use std::thread;
use std::time::Duration;

use textveil_tests::postgres::Postgres as Server;

use super::super::postgres::Postgres;
use super::*;
use crate::address::Address;

fn open(address: &str) -> Result<Store> {
    Store::open(Some(Path::new(address)))
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
        assert_eq!(store.setting("synchronous_commit"), commits);
        if setting == "on" {
            assert_eq!(store.setting("lock_timeout"), "10s");
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

#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn who_is_kept_from_postgres_is_told_so_and_what_it_cannot_hold_is_refused() {
    let server = Server::start(&[], &[]);
    let address = server.database("busy");
    let store = Postgres::open(&Address::of(Path::new(&address)).expect("an address"), Duration::from_millis(200));
    let store = store.expect("a database");
    thread::scope(|scope| {
        let held = "BEGIN; LOCK TABLE entry IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(4); COMMIT";
        let other = scope.spawn(|| server.query("busy", held));
        while server.query("busy", "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock'") == "0" {
            thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(store.keep(&[entry("happy")], digest(1)), Err(Refusal::StorageBusy));
        assert_eq!(store.clear(), Err(Refusal::StorageBusy));
        assert!(!other.is_finished(), "nobody held the lock");
        other.join().expect("a query");
    });
    assert_eq!(store.keep(&[entry("a\0b")], digest(2)), Err(Refusal::Malformed));
    assert_eq!(store.keep(&[entry("happy")], digest(1)), Ok(true), "nothing of it was kept before");
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
    server.query("shared", "GRANT SELECT, INSERT ON entry, seen TO writer");
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
