//! A collector that runs, and what clients send to it.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json, to_value};
use textveil::{Disclosure, Mechanism, MechanismKind, Privatizer, Table, seeded_rng};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_textveil-collector");

/// How long a test waits for something that must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(240);

/// What a collector with a database and no token says first.
pub(crate) const NO_TOKEN: &str =
    "Without --token-file, anyone who reaches this address may see and delete what is held.\n";

/// A collector that is killed when it is dropped.
pub(crate) struct Collector {
    pub(crate) child: Child,
    pub(crate) address: String,
}

impl Collector {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::of(Command::new(PROGRAM), arguments)
    }

    pub(crate) fn on(database: &str) -> Self {
        Self::start(&["--database", database])
    }

    /// Starts `command`, which becomes the program.
    pub(crate) fn of(command: Command, arguments: &[&str]) -> Self {
        Self::telling(Stdio::piped(), command, arguments)
    }

    /// The same, with another standard error.
    pub(crate) fn telling(stderr: Stdio, mut command: Command, arguments: &[&str]) -> Self {
        command.args(["serve", "--until-input-ends", "--port", "0"]).args(arguments);
        // A token in the environment of the tests must not guard it.
        command.env_remove("TEXTVEIL_COLLECTOR_TOKEN");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        let mut child = command.spawn().expect("the program");
        let mut url = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut url).expect("the address");
        let address = url.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        assert!(!address.is_empty(), "the collector did not start");
        Self { child, address }
    }

    /// A connection on which an answer that does not come is an error.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit above zero");
        stream
    }

    pub(crate) fn head(&self, method: &str, path: &str, fields: &str) -> String {
        format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{fields}\r\n", self.address)
    }

    /// The status and the body of an answer to a request to `/releases`, or `None` if the connection breaks before.
    pub(crate) fn ask(&self, method: &str, content_type: &str, body: &str) -> Option<(u16, String)> {
        let (head, body) = self.request(method, "/releases", &[("Content-Type", content_type)], body)?;
        Some((status(&head), body))
    }

    /// The head and the body of an answer, or `None` if the connection breaks before.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        fields: &[(&str, &str)],
        body: &str,
    ) -> Option<(String, String)> {
        let fields = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect::<String>();
        let fields = format!("{fields}Content-Length: {}\r\n", body.len());
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        write!(stream, "{}{body}", self.head(method, path, &fields)).ok()?;
        answer(&mut stream)
    }

    pub(crate) fn post(&self, release: &Value) -> Option<(u16, String)> {
        self.ask("POST", "application/json", &release.to_string())
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().and_then(|()| self.child.wait()).expect("it runs");
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// Reads to the end of the connection.
fn answer(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut answer = Vec::new();
    // A connection that is reset behind an answer has brought the answer.
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.into(), body.into()))
}

/// The status in the head of an answer.
pub(crate) fn status(head: &str) -> u16 {
    head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status line")
}

/// Different releases of one text at the default level, as JSON bodies.
pub(crate) fn releases(count: u32) -> Vec<Value> {
    let table = Table::english().expect("the embedded table");
    let mechanism = Mechanism::new(MechanismKind::Nearest);
    let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("a mechanism for words");
    let mut texts = BTreeSet::new();
    let mut releases = Vec::new();
    for number in 0..2 * count {
        let mut seed = [0; 32];
        seed[..4].copy_from_slice(&number.to_le_bytes());
        let text = "The doctor told my sister about the results of her tests in March.";
        let mut release = privatizer.privatize(text, &mut seeded_rng(seed)).expect("a text of a sentence");
        // As on a device, whose seed is secret.
        release.guarantee.known_seed = false;
        if releases.len() < count as usize && texts.insert(release.text.clone()) {
            let guarantee = to_value(&release.guarantee).expect("a guarantee is JSON");
            releases.push(json!({ "text": release.text, "guarantee": guarantee, "nonce": format!("{number:032}") }));
        }
    }
    assert_eq!(releases.len(), count as usize);
    releases
}

pub(crate) fn text_of(release: &Value) -> String {
    release["text"].as_str().expect("a text").into()
}

/// The texts that a database holds, read by SQLite itself.
pub(crate) fn held(database: &str) -> Vec<String> {
    let connection =
        Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_WRITE).expect("the database is there");
    let mut texts = connection.prepare("SELECT text FROM entry ORDER BY text").expect("the table of rows");
    let texts = texts.query_map([], |row| row.get(0)).expect("rows");
    texts.collect::<Result<_, _>>().expect("texts")
}

pub(crate) fn sorted(releases: &[Value]) -> Vec<String> {
    let mut texts: Vec<_> = releases.iter().map(text_of).collect();
    texts.sort();
    texts
}
