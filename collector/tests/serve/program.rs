//! The collector as a program: several on one database, killed, without space, and with clients that are slow.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};
use textveil_tests::Folder;

use crate::collector::{Collector, NO_TOKEN, PATIENCE, PROGRAM, held, releases, sorted, status, text_of};

#[test]
fn two_servers_on_one_database_keep_every_release() {
    let database = Folder::new();
    kept_by_two_servers(&database.path("releases.db"), || held(&database.path("releases.db")));
}

/// Checks that two collectors on one database keep all that clients send to them.
pub(crate) fn kept_by_two_servers(database: &str, held: impl Fn() -> Vec<String>) {
    // Both make the tables at once.
    let servers = thread::scope(|scope| {
        let starting = [(); 2].map(|()| scope.spawn(|| Collector::on(database)));
        starting.map(|server| server.join().expect("it starts"))
    });
    let releases = releases(120);
    let statuses = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for (client, part) in releases.chunks(releases.len() / 6).enumerate() {
            let (server, statuses) = (&servers[client % servers.len()], &statuses);
            scope.spawn(move || {
                for release in part {
                    let status = patiently_posted(server, release);
                    statuses.lock().expect("no client panics").push(status);
                }
            });
        }
    });
    let statuses = statuses.into_inner().expect("no client panics");
    let kept = statuses.iter().filter(|status| **status == Some(201)).count();
    println!("two servers: {kept} of {} releases kept", releases.len());
    assert_eq!(kept, releases.len(), "{:?}", statuses.iter().collect::<BTreeSet<_>>());
    assert_eq!(held(), sorted(&releases));
}

/// The status for a release that is sent again while the database is busy: where two servers share it, one may wait too
/// long for the other. What was sent again may have been kept before, and still counts as kept.
fn patiently_posted(server: &Collector, release: &Value) -> Option<u16> {
    let started = Instant::now();
    let mut again = false;
    loop {
        match server.post(release)? {
            (503, body) if body.contains("\"storage-busy\"") && started.elapsed() < PATIENCE => again = true,
            (200, _) if again => return Some(201),
            (status, _) => return Some(status),
        }
    }
}

#[test]
fn what_was_acknowledged_outlives_kill_9() {
    let database = Folder::new();
    acknowledged_through_kill_9(&database.path("releases.db"), || held(&database.path("releases.db")));
}

/// A person copies the file that they have named, and no other.
#[cfg(unix)]
#[test]
fn the_named_file_alone_holds_everything_once_the_collector_has_ended() {
    // A supervisor may do both.
    for (closes, signal) in [(false, Some("-INT")), (false, Some("-TERM")), (true, Some("-TERM")), (true, None)] {
        let folder = Folder::new();
        let mut server = Collector::on(&folder.path("releases.db"));
        let releases = releases(12);
        for release in &releases {
            assert_eq!(server.post(release).map(|(status, _)| status), Some(201));
        }
        let input = server.child.stdin.take().filter(|_| !closes);
        if let Some(signal) = signal {
            let id = server.child.id().to_string();
            assert!(Command::new("kill").args([signal, &id]).status().expect("kill").success());
        }
        let ended = server.child.wait().expect("it runs");
        drop(input);
        assert!(ended.success(), "{closes} {signal:?}: {ended}");
        let copy = folder.path("copy.db");
        fs::copy(folder.path("releases.db"), &copy).expect("a file");
        assert_eq!(held(&copy), sorted(&releases), "{closes} {signal:?}");
    }
}

/// A request that is not understood must not delete all.
#[test]
fn releases_before_a_day_are_deleted_and_nothing_by_a_request_that_names_no_day() {
    let folder = Folder::new();
    let database = folder.path("releases.db");
    let mut server = Collector::on(&database);
    let releases = releases(4);
    for release in &releases {
        assert_eq!(server.post(release).map(|(status, _)| status), Some(201));
    }
    let aged = |day: &str, first: u32, last: u32| {
        let database = Connection::open(&database).expect("a database");
        let aged = "UPDATE entry SET day = ?1 WHERE submission BETWEEN ?2 AND ?3";
        database.execute(aged, rusqlite::params![day, first, last]).expect("rows");
    };
    aged("2025-12-31", 1, 1);
    aged("2026-01-01", 2, 2);
    let delete = |query: &str| {
        let (head, body) = server.request("DELETE", &format!("/releases{query}"), &[], "").expect("an answer");
        (status(&head), body.contains("\"invalid-day\"") && body.contains("Nothing was deleted"))
    };
    let unclear = [
        "?before=",
        "?before=2026",
        "?before=26-11-01",
        "?before=2026-1-5",
        "?before=2026-02-30",
        "?befor=2026-01-01",
        "?before=2026-01-01&field=text",
    ];
    for query in unclear.into_iter().chain(["?before=2025-01-01&before=2026-01-01"]) {
        assert_eq!(delete(query), (400, true), "{query}");
    }
    assert_eq!(held(&database), sorted(&releases));
    assert_eq!(delete("?before=2026-01-01"), (204, false));
    assert_eq!(held(&database), sorted(&releases[1..]));
    // As the operator says so at the start: today is the first of two days.
    let ago = |days: u32| format!("date('now', '-{days} days')");
    Connection::open(&database)
        .and_then(|database| {
            let set = [(2, 2), (3, 1)]
                .map(|(number, days)| format!("UPDATE entry SET day = {} WHERE submission = {number};", ago(days)));
            database.execute_batch(&set.concat())
        })
        .expect("rows");
    server.kill();
    let _server = Collector::start(&["--database", &database, "--keep-days", "2"]);
    assert_eq!(held(&database), sorted(&releases[2..]));
}

/// Without them, nobody would notice a client whose answers are all lost.
#[test]
fn the_operator_reads_how_many_were_refused_and_why_and_of_each_reason_once() {
    const TOKEN: &str = "correct-horse-battery";
    let folder = Folder::new();
    let mut server = Collector::start(&["--token-file", &folder.write("token", TOKEN)]);
    for text in ["The text that somebody wrote", "Another one"] {
        assert_eq!(server.post(&json!({ "text": text })).map(|(status, _)| status), Some(422));
    }
    let ask = |method: &str, path: &str, fields: &[(&str, &str)]| {
        let (head, body) = server.request(method, path, fields, "").expect("an answer");
        (status(&head), body)
    };
    for accepted in ["*/*", "text/html"] {
        let fields = [("Content-Type", "text/plain"), ("Accept", accepted)];
        assert_eq!(ask("POST", "/releases", &fields).0, 415);
    }
    // Somebody guesses the token.
    for method in ["GET", "DELETE", "GET"] {
        assert_eq!(ask(method, "/releases", &[("Authorization", "Bearer wrong-horse-battery")]).0, 401);
    }
    let bearer = format!("Bearer {TOKEN}");
    let own = ("Authorization", bearer.as_str());
    assert_eq!(ask("DELETE", "/releases?before=today", &[own]).0, 400);
    assert_eq!(ask("DELETE", "/releases", &[own, ("Origin", "https://attacker.example")]).0, 403);
    let listed: Value = serde_json::from_str(&ask("GET", "/releases", &[own]).1).expect("JSON");
    let expected = json!({
        "cross-origin": 1,
        "invalid-day": 1,
        "unmarked": 2,
        "unsupported-media-type": 2,
        "wrong-token": 3,
    });
    assert_eq!(listed["refused"], expected);
    // They come from a thread of their own, perhaps a little later.
    let mut told = BufReader::new(server.child.stderr.take().expect("a pipe")).lines().map(|line| line.expect("text"));
    let lines: Vec<String> = told.by_ref().take(6).collect();
    server.kill();
    let lines = [lines, told.collect()].concat();
    assert!(lines[0].starts_with("Without --database, what is held is lost"), "{lines:?}");
    assert!(
        lines[1].starts_with("textveil-collector: unmarked: 1 refused so far. A text has no guarantee"),
        "{lines:?}"
    );
    let codes = ["unmarked", "unsupported-media-type", "wrong-token", "invalid-day", "cross-origin"];
    assert!(
        codes.iter().zip(&lines[1..]).all(|(code, line)| line.contains(&format!(": {code}: 1 refused so far."))),
        "{lines:?}"
    );
    assert!(lines.len() == 6 && !lines.concat().contains("somebody"), "{lines:?}");
}

/// A full pipe makes its writer wait. No request does, also if the database fails, and no end.
#[cfg(target_os = "linux")]
#[test]
fn an_operator_who_reads_nothing_stops_nobody() {
    let folder = Folder::new();
    let token = folder.write("token", "correct-horse-battery");
    let (_unread, mut full) = std::io::pipe().expect("a pipe");
    full.write_all(&[b'.'; 1 << 16]).expect("as much as a pipe of Linux holds");
    let database = folder.path("releases.db");
    let arguments = ["--database", &database, "--token-file", &token];
    let mut server = Collector::telling(full.into(), Command::new(PROGRAM), &arguments);
    for release in [json!({ "text": "raw" }), json!({ "other": "raw" }), json!({ "text": "raw" })] {
        assert_eq!(server.post(&release).map(|(status, _)| status), Some(422));
    }
    let release = &releases(1)[0];
    let other = Connection::open(&database).expect("a database");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes");
    assert_eq!(server.post(release).map(|(status, _)| status), Some(503), "another program writes");
    drop(other);
    assert_eq!(server.post(release).map(|(status, _)| status), Some(201));
    drop(server.child.stdin.take());
    assert!(server.child.wait().expect("it runs").success());
}

/// Checks that a database holds all that a collector acknowledged before it was killed under load, three times.
pub(crate) fn acknowledged_through_kill_9(database: &str, held: impl Fn() -> Vec<String>) {
    let releases = releases(120);
    let acknowledged = Mutex::new(Vec::new());
    for (round, part) in releases.chunks(40).enumerate() {
        let mut server = Collector::on(database);
        let enough = acknowledged.lock().expect("no client panics").len() + 10;
        thread::scope(|scope| {
            for client in part.chunks(10) {
                let (server, acknowledged) = (&server, &acknowledged);
                // Later ones fail: the server is gone.
                scope.spawn(move || {
                    for release in client {
                        if let Some((201, _)) = server.post(release) {
                            acknowledged.lock().expect("no client panics").push(text_of(release));
                        }
                    }
                });
            }
            let started = Instant::now();
            while acknowledged.lock().expect("no client panics").len() < enough && started.elapsed() < PATIENCE {
                thread::sleep(Duration::from_millis(1));
            }
            // The clients borrow the server: the signal goes by its number.
            let id = server.child.id().to_string();
            assert!(Command::new("kill").args(["-9", &id]).status().expect("kill").success());
        });
        server.kill();
        let (held, acknowledged) = (held(), acknowledged.lock().expect("no client panics"));
        println!("kill -9, round {round}: {} acknowledged, {} held", acknowledged.len(), held.len());
        assert!(acknowledged.len() >= enough);
        let lost: Vec<_> = acknowledged.iter().filter(|text| held.binary_search(text).is_err()).collect();
        assert!(lost.is_empty(), "{lost:?}");
    }
    let server = Collector::on(database);
    let listed = server.ask("GET", "", "").expect("an answer").1;
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed["count"], held().len());
}

#[test]
fn the_operator_reads_why_the_database_has_failed_and_no_text() {
    let folder = Folder::new();
    let database = folder.path("releases.db");
    told_why_and_no_text(&database, "Error code ", || {
        let sql = "CREATE TRIGGER quotes BEFORE INSERT ON entry BEGIN SELECT RAISE(ABORT, NEW.text); END;
            UPDATE entry SET guarantee = substr(guarantee, 2);";
        Connection::open(&database).and_then(|connection| connection.execute_batch(sql)).expect("a trigger");
    });
}

/// Checks what a collector prints after `harm`, which makes the database quote each new text in an error, and damages the
/// guarantees that are stored.
pub(crate) fn told_why_and_no_text(database: &str, cause: &str, harm: impl FnOnce()) {
    let mut server = Collector::on(database);
    let releases = releases(2);
    assert_eq!(server.post(&releases[0]).map(|(status, _)| status), Some(201));
    harm();
    for (method, body) in [("POST", releases[1].to_string()), ("GET", String::new())] {
        let (status, body) = server.ask(method, "application/json", &body).expect("an answer");
        let refusal: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!((status, refusal["code"].as_str()), (503, Some("storage-failed")));
    }
    // They come from a thread of their own, perhaps a little later.
    let mut stderr = BufReader::new(server.child.stderr.take().expect("a pipe"));
    let mut told = String::new();
    for _ in 0..3 {
        stderr.read_line(&mut told).expect("text");
    }
    server.kill();
    stderr.read_to_string(&mut told).expect("text");
    let lines: Vec<_> = told.strip_prefix(NO_TOKEN).expect("a warning").lines().collect();
    assert_eq!(lines.len(), 2, "{told}");
    assert!(lines[0].starts_with(&format!("textveil-collector: storage-failed: {cause}")), "{told}");
    assert_eq!(lines[1], "textveil-collector: storage-failed: a guarantee of submission 1 is damaged");
    assert!(releases.iter().all(|release| !told.contains(&text_of(release))), "{told}");
}

/// A file that cannot grow stands for a disk that is full: the program's writes fail.
#[cfg(target_os = "linux")]
#[test]
fn without_space_nothing_is_acknowledged_that_is_not_held_and_with_space_it_goes_on() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let folder = Folder::new();
    let database = folder.path("releases.db");
    // Without this, the system would end the program instead of failing its writes.
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", PROGRAM]);
    let server = Collector::of(shell, &["--database", &database]);
    let id = Pid::from_raw(server.child.id().cast_signed()).expect("a process");
    let largest_file = |bytes| prlimit(Some(id), Resource::Fsize, Rlimit { current: bytes, maximum: None });
    largest_file(Some(100_000)).expect("it is our process");
    let releases = releases(60);
    let (mut acknowledged, mut refused) = (Vec::new(), Vec::new());
    for release in &releases {
        match server.post(release).expect("an answer") {
            (201, _) => acknowledged.push(release.clone()),
            (status, body) => {
                let body: Value = serde_json::from_str(&body).expect("JSON");
                assert!(matches!(
                    (status, body["code"].as_str()),
                    (503, Some("storage-failed")) | (507, Some("storage-full"))
                ));
                refused.push(release);
            }
        }
    }
    println!("no space: {} acknowledged, {} refused", acknowledged.len(), refused.len());
    assert!(!acknowledged.is_empty() && !refused.is_empty());
    assert_eq!(held(&database), sorted(&acknowledged));
    largest_file(None).expect("it is our process");
    for release in &refused {
        assert_eq!(server.post(release).map(|(status, _)| status), Some(201));
    }
    for release in &acknowledged {
        assert_eq!(server.post(release).map(|(status, _)| status), Some(200), "it is held already");
    }
    drop(server);
    assert_eq!(held(&database), sorted(&releases));
}

/// How long it takes until the server ends a connection on which `write` goes on writing, and what it answered. The time
/// begins before the connection does: on a busy machine the server may know of the connection before the client goes on.
fn ended(started: Instant, mut stream: TcpStream, mut write: impl FnMut(&mut TcpStream)) -> (Duration, String) {
    stream.set_read_timeout(Some(Duration::from_millis(100))).expect("a limit above zero");
    let mut answer = Vec::new();
    while started.elapsed() < PATIENCE {
        write(&mut stream);
        let mut some = [0; 4096];
        match stream.read(&mut some) {
            Ok(0) => break,
            Ok(length) => answer.extend(&some[..length]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
    }
    (started.elapsed(), String::from_utf8_lossy(&answer).into_owned())
}

#[test]
fn a_client_that_is_slow_is_cut_off() {
    let server = Collector::start(&["--time-limit", "1"]);
    let quick = Duration::from_millis(900)..Duration::from_secs(60);
    let drip = |stream: &mut TcpStream| drop(stream.write(b"a"));

    let (silent, _) = ended(Instant::now(), server.connect(), |_| {});
    let started = Instant::now();
    let mut head = server.connect();
    write!(head, "POST /releases HTTP/1.1\r\nX-Slow: ").expect("it reads");
    let (head, answer) = ended(started, head, drip);
    println!("cut off: silent after {silent:?}, in the head after {head:?}");
    assert!(quick.contains(&silent) && quick.contains(&head));
    assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");

    for (content_type, start) in [
        ("application/json", "{"),
        ("application/x-www-form-urlencoded", "text="),
        ("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n"),
    ] {
        let started = Instant::now();
        let mut body = server.connect();
        let fields = format!("Content-Type: {content_type}\r\nContent-Length: 100000\r\n");
        write!(body, "{}{start}", server.head("POST", "/releases", &fields)).expect("it reads");
        let (body, answer) = ended(started, body, drip);
        println!("cut off: in the body of {content_type} after {body:?}");
        assert!(quick.contains(&body));
        assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("\"too-slow\""), "{answer}");
    }
    // Between two requests, too.
    let started = Instant::now();
    let mut kept = server.connect();
    write!(kept, "GET /releases HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).expect("it reads");
    let (kept, answer) = ended(started, kept, |_| {});
    println!("cut off: between requests after {kept:?}");
    assert!(quick.contains(&kept) && answer.starts_with("HTTP/1.1 200"));
}

#[test]
fn clients_that_hold_every_connection_lose_them_and_others_are_answered() {
    let folder = Folder::new();
    // It takes no space, and more than the system holds between two programs.
    let large = fs::File::create(folder.path("large")).and_then(|file| file.set_len(1 << 30));
    large.expect("a place for temporary files");
    let site = folder.0.path().to_str().expect("a path of letters");
    let server = Collector::start(&["--time-limit", "1", "--connections", "3", "--site", site]);
    let silent = [(); 3].map(|()| server.connect());
    let started = Instant::now();
    assert_eq!(server.ask("GET", "", "").map(|(status, _)| status), Some(200));
    println!("three silent clients held three connections for {:?}", started.elapsed());
    assert!(started.elapsed() > Duration::from_millis(500), "a fourth connection was served");
    drop(silent);

    let unread = [(); 3].map(|()| {
        let mut stream = server.connect();
        write!(stream, "{}", server.head("GET", "/large", "")).expect("it reads");
        stream
    });
    thread::sleep(Duration::from_millis(500));
    let started = Instant::now();
    assert_eq!(server.ask("GET", "", "").map(|(status, _)| status), Some(200));
    println!("three clients that do not read held three connections for {:?}", started.elapsed());
    assert!(started.elapsed() > Duration::from_secs(5), "a fourth connection was served");
    drop(unread);
}

#[test]
fn nothing_of_what_is_refused_is_in_an_answer_a_log_or_the_database() {
    const SECRET: &str = "zebulon";
    let folder = Folder::new();
    let database = folder.path("releases.db");
    let mut server = Collector::on(&database);
    let release = &releases(1)[0];
    let with = |name: &str, value: Value| {
        let mut body = release.clone();
        body[name] = value;
        body.to_string()
    };
    let bodies = [
        ("application/json", SECRET.into(), "malformed"),
        ("application/json", with("text", json!(SECRET)), "not-a-release"),
        ("application/json", with("guarantee", json!(SECRET)), "not-stated"),
        ("application/json", with("guarantee", json!({ "words": 1, "mechanism": SECRET })), "not-stated"),
        ("application/json", with(SECRET, json!(1)), "unknown-field"),
        ("application/json", with("nonce", json!(SECRET)), "invalid-nonce"),
        ("application/x-www-form-urlencoded", format!("{SECRET}=1"), "unknown-field"),
        ("application/x-www-form-urlencoded", format!("text={SECRET}"), "unmarked"),
        (SECRET, SECRET.into(), "unsupported-media-type"),
    ];
    for (content_type, body, code) in bodies {
        let (status, answer) = server.ask("POST", content_type, &body).expect("an answer");
        assert!(status >= 400 && answer.contains(&format!("\"{code}\"")), "{status} {answer}");
        assert!(!answer.contains(SECRET), "{answer}");
    }
    server.kill();
    let mut said = String::new();
    server.child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert!(said.starts_with(NO_TOKEN) && !said.contains(SECRET), "{said}");
    for file in fs::read_dir(&folder.0).expect("it is there") {
        let bytes = fs::read(file.expect("a file").path()).expect("readable");
        assert!(!String::from_utf8_lossy(&bytes).contains(SECRET));
    }
    assert_eq!(held(&database), Vec::<String>::new());
}

#[test]
fn whoever_starts_it_without_a_token_is_warned_also_without_a_database() {
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/../statements/product-feedback.tvs");
    let mut server = Collector::start(&["--statements", list, "--max-epsilon", "1000"]);
    server.kill();
    let mut said = String::new();
    server.child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    let lines: Vec<&str> = said.strip_prefix(NO_TOKEN).expect("a warning").lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("Without --database"), "{said}");
    assert!(lines[1].contains("a statement loses at most 20"), "{said}");
}

#[test]
fn the_help_names_every_code_and_mistakes_end_at_the_start() {
    let output = |arguments: &[&str]| Command::new(PROGRAM).arg("serve").args(arguments).output().expect("the program");
    let help = String::from_utf8(output(&["--help"]).stdout).expect("text");
    for code in ["already-held", "unknown-field", "invalid-nonce", "too-slow", "storage-busy", "storage-full"] {
        assert!(help.contains(code), "{code}");
    }
    for arguments in [
        &["--field", "note", "note"][..],
        &["--field", "nonce"],
        &["--public-field", "text"],
        &["--mechanism", "metric-laplace"],
        &["--mechanism", "unknown"],
        &["--max-epsilon", "0"],
        &["--max-text-epsilon", "nan"],
        &["--allow-clear", "everything"],
        &["--time-limit", "0"],
        &["--connections", "0"],
        &["--keep-days", "0"],
    ] {
        let output = output(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        // The first prefix is that of clap.
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.starts_with("error: ") || told.starts_with("textveil-collector: "), "{arguments:?}: {told}");
    }
}
