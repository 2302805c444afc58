//! The collector on a real Postgres. The step `postgres` of the checks runs these: it sees that there is one.

use std::path::Path;
use std::process::Command;

use textveil_tests::Folder;
use textveil_tests::postgres::{PASSWORD, Postgres};

use crate::collector::{Collector, PROGRAM};
use crate::program::{acknowledged_through_kill_9, kept_by_two_servers, told_why_and_no_text};
use crate::shares::{BEARER, LIST, TOKEN, get, post_all, statements};

/// The texts in a database, in their order.
fn held(server: &Postgres, database: &str) -> Vec<String> {
    let mut texts: Vec<String> =
        server.query(database, "SELECT text FROM textveil.entry").lines().map(str::to_owned).collect();
    texts.sort();
    texts
}

#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn two_servers_on_postgres_keep_every_release() {
    let server = Postgres::start(&[], &[]);
    kept_by_two_servers(&server.database("two"), || held(&server, "two"));
}

#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn what_was_acknowledged_is_in_postgres_after_kill_9() {
    let server = Postgres::start(&[], &[]);
    acknowledged_through_kill_9(&server.database("killed"), || held(&server, "killed"));
}

#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn the_operator_reads_why_postgres_has_failed_and_no_text() {
    let server = Postgres::start(&[], &[]);
    told_why_and_no_text(&server.database("failed"), "SQLSTATE P0001", || {
        server.query(
            "failed",
            "CREATE FUNCTION quotes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE '%', NEW.text; END $$;
             CREATE TRIGGER quotes BEFORE INSERT ON textveil.entry FOR EACH ROW EXECUTE FUNCTION quotes();
             UPDATE textveil.entry SET guarantee = substr(guarantee, 2);",
        );
    });
}

#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn shares_come_out_of_postgres_as_out_of_a_file() {
    let (server, folder) = (Postgres::start(&[], &[]), Folder::new());
    let token = folder.write("token", TOKEN);
    let releases = statements([0, 0, 1, 2, 0], 8.0);
    let arguments = ["--statements", LIST, "--token-file", &token, "--shares"];
    let shares = [server.database("shares"), folder.path("releases.db")].map(|database| {
        let collector = Collector::start(&[&["--database", &database], &arguments[..]].concat());
        post_all(&collector, &releases);
        let served = get(&collector, "/shares.csv", &[BEARER]).1;
        let csv = folder.path("shares.csv");
        let asked = ["estimate", &database, "--statements", LIST, "--csv", &csv, "--force"];
        let estimate = Command::new(PROGRAM).args(asked).output();
        let estimate = estimate.expect("the program");
        assert!(estimate.status.success(), "{}", String::from_utf8_lossy(&estimate.stderr));
        assert_eq!(std::fs::read_to_string(csv).expect("written"), served);
        served
    });
    assert_eq!(shares[0], shares[1]);
    assert!(shares[0].lines().nth(1).expect("a row").contains(",0.6,5,5,0,"));
}

#[test]
#[ignore = "needs Postgres: cargo xtask test --only postgres"]
fn no_message_has_the_password_and_no_file_is_made_of_a_connection_string() {
    let server = Postgres::start(&[], &[]);
    let (good, folder) = (server.address("postgres"), Folder::new());
    let secret = PASSWORD.split('%').next_back().expect("its end");
    for (address, why) in [
        (good.replace(PASSWORD, "wrong-p"), "cannot"),
        (good.replace("/postgres", "/absent"), "absent on 127.0.0.1"),
        (format!("postgres://textveil:{PASSWORD}@127.0.0.1:1/postgres"), "postgres on 127.0.0.1"),
        (format!("postgresql://textveil:{PASSWORD}/@127.0.0.1/postgres"), "not a connection string"),
        (format!("postgres://textveil:7/{PASSWORD}@127.0.0.1/postgres"), "not a connection string"),
        (format!("{good}?sslmode={PASSWORD}"), "not a connection string"),
        (format!("{good}?sslmode=require"), "TLS"),
        (good.clone(), "not the database of a collector"),
    ] {
        let serve = ["serve", "--until-input-ends", "--port", "0", "--database", &address];
        let estimate = ["estimate", &address, "--statements", LIST];
        for arguments in [&serve[..], &estimate] {
            if arguments[0] == "serve" && why == "not the database of a collector" {
                continue;
            }
            let output = Command::new(PROGRAM).args(arguments).current_dir(&folder.0).output().expect("the program");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success() && said.contains(why), "{arguments:?}: {said}");
            assert!(!said.contains(secret) && !said.contains("wrong-p"), "{said}");
        }
    }
    assert!(std::fs::read_dir(&folder.0).expect("a folder").next().is_none() && !Path::new("postgres:").exists());
}
