//! `textveil-collector serve`: takes in privatized text, and refuses everything else.
//!
//! A release reaches it as JSON or as fields of a form, with its guarantee. It is stored if the guarantee is one that
//! textveil itself states, for terms that the operator accepts, and if the text has the shape that such a release has.
//! `terms` and `shape` are those two questions, `submission` reads what is sent, `store` keeps it. `files` serves a site.
//!
//! A submission that has a nonce is counted once, however often it comes. Without a nonce it is counted each time: an equal
//! one may be somebody else's.
//!
//! Whoever shows the token of the operator may list and delete what is held, and see the shares in it (`shares`).
//!
//! What no server can see is whether a text of common words was drawn or typed. So this is a net for mistakes (a field
//! that was never protected, a script that was blocked, a page of another version) and no proof against a client that lies.

mod files;
mod refusal;
mod releases;
mod server;
mod shape;
#[cfg(feature = "estimate")]
mod shares;
pub(crate) mod store;
pub(crate) mod submission;
mod terms;
mod token;

use std::io::{Read, Write};
use std::num::NonZeroU32;
use std::panic::{self, Location};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, anyhow, ensure};
use chrono::{DateTime, Days, Utc};
use clap::{Args, ValueEnum, value_parser};
use textveil::{MechanismKind, StatementList, Statements, Table};
#[cfg(feature = "reports")]
use textveil_toolkit::words;
use tokio::sync::oneshot;

use crate::serve::files::{Files, Private};
use crate::serve::refusal::{Lines, Refusal};
use crate::serve::releases::{Collector, Fields};
use crate::serve::server::{Limits, Mount, Server};
use crate::serve::store::Store;
use crate::serve::submission::TEXT;
use crate::serve::terms::{Stated, Terms};
use crate::serve::token::Token;
use crate::wrong_options;

/// Take in privatized text, on this machine alone
///
/// A submission without a nonce is counted each time that it comes: an equal one may be somebody else's. A client that
/// may send one twice adds a field "nonce" of 128 random bits (22 to 64 letters, digits, - or _), new for each
/// release, and the same one if it sends a release again. Only a digest of it is kept. In a form, put <input
/// type="hidden" name="nonce">: textveil/form fills it in. Without textveil/form, a script can put crypto.randomUUID()
/// there.
#[derive(Args)]
#[command(after_long_help = answers(), after_help = answers())]
pub(crate) struct Serve {
    /// The port on 127.0.0.1 (0 = any port that is free)
    #[arg(long, value_name = "N", default_value_t = 8787, help_heading = "Where")]
    port: u16,
    /// Keep releases in a file instead of in memory: FILE, FILE-wal and FILE-shm belong together. Or in Postgres, by a
    /// connection string, as postgres://USER@HOST/DATABASE. Add ?sslmode=verify-full if it is elsewhere. Give its
    /// password by the environment variable PGPASSWORD or in ~/.pgpass: an argument stands in the list of processes.
    /// Several collectors may use one database
    #[arg(long, value_name = "FILE or postgres://…", help_heading = "Where")]
    database: Option<PathBuf>,
    /// Delete releases N days after the day on which they came, by the clock of this machine and in UTC [default: keep
    /// them]. The collector looks when it starts, and each hour
    #[arg(long, value_name = "N", value_parser = days, help_heading = "Where")]
    keep_days: Option<NonZeroU32>,
    /// Serve the files of DIR, too, except those whose names begin with a dot. Links out of DIR lead nowhere. The database
    /// and the token must be elsewhere. A browser that takes them gets FILE.br or FILE.gz instead of FILE, where they are
    #[arg(long, value_name = "DIR", help_heading = "Where")]
    site: Option<PathBuf>,
    /// Serve the files of DIR under an address, by the same rules
    #[arg(long, value_name = "/NAME/=DIR", value_parser = mount, help_heading = "Where")]
    mount: Vec<Folder>,
    /// The fields whose releases are accepted [default: text, the field of a release as JSON]. Every other name is
    /// refused, since a name can say as much as a text
    #[arg(long, value_name = "NAME", num_args = 1.., help_heading = "What is accepted")]
    field: Vec<String>,
    /// Fields of forms that are stored as they come
    #[arg(long, value_name = "NAME", num_args = 1.., help_heading = "What is accepted")]
    public_field: Vec<String>,
    /// Where a browser goes on after a form was stored, instead of showing the answer: a page of --site. Scripts get the
    /// answer as before. If a form is refused, the browser shows a page that says so
    #[arg(long, value_name = "/PAGE", value_parser = page, help_heading = "Where")]
    thanks: Option<String>,
    /// The mechanisms of accepted releases: nearest, certified, plateau, exponential, lattice-laplace [default: the
    /// table's default, nearest]
    #[arg(long, value_name = "NAME", num_args = 1.., value_parser = mechanism, help_heading = "What is accepted")]
    mechanism: Vec<MechanismKind>,
    /// The table of the words, instead of the built-in English one: the file that the devices have
    #[arg(long, value_name = "FILE", conflicts_with = "statements", help_heading = "What is accepted")]
    table: Option<PathBuf>,
    /// Lists of statements (.tvs): statements of these lists are accepted, and no words
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What is accepted")]
    statements: Vec<PathBuf>,
    /// The most ε that one word or statement may lose, in nats [default: that of the table's default level, and 2 for
    /// an answer of a question]
    #[arg(long, value_name = "E", value_parser = positive, help_heading = "What is accepted")]
    max_epsilon: Option<f64>,
    /// The most ε that one text may lose, in nats [default: that of 200 words at --max-epsilon, or with
    /// --statements that of one statement]
    #[arg(long, value_name = "E", value_parser = positive, help_heading = "What is accepted")]
    max_text_epsilon: Option<f64>,
    /// The parts that a release may leave in clear by choice. Redactions are the places of spans that a detector took out
    #[arg(
        long,
        value_name = "WHAT",
        num_args = 1..,
        value_enum,
        default_values_t = [Clear::Placeholders],
        help_heading = "What is accepted"
    )]
    allow_clear: Vec<Clear>,
    /// The list of words that a release may leave in clear: the file that clients have for --keep-words
    #[cfg(feature = "reports")]
    #[arg(long, value_name = "FILE", conflicts_with = "statements", help_heading = "What is accepted")]
    keep_words: Option<PathBuf>,
    /// The list that a release may name as words that never come out: the file that clients have for --never-say. A
    /// release that names no list is accepted, too
    #[cfg(feature = "reports")]
    #[arg(long, value_name = "FILE", conflicts_with = "statements", help_heading = "What is accepted")]
    never_say: Option<PathBuf>,
    /// The file of the token, of at least 16 characters that were drawn at random. Without it, the environment variable
    /// TEXTVEIL_COLLECTOR_TOKEN. With a token, only who shows it may see, list and delete what is held
    #[arg(long, value_name = "FILE", help_heading = "Who may see what is held")]
    token_file: Option<PathBuf>,
    #[cfg(feature = "estimate")]
    #[command(flatten)]
    shares: shares::Options,
    /// How long the head of a request, or its body, may take to arrive. If the head is late, the connection is closed
    /// without an answer. Every connection is closed after 12 times as long
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = value_parser!(u32).range(1..), help_heading = "Time and connections")]
    time_limit: u32,
    /// How many connections are served at once. Others wait
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = value_parser!(u16).range(1..), help_heading = "Time and connections")]
    connections: u16,
    /// End when standard input ends: for a program that starts this one
    #[arg(long)]
    until_input_ends: bool,
}

/// A part that a release may leave in clear by choice.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Clear {
    FunctionWords,
    Placeholders,
    Redactions,
    Nothing,
}

/// A directory under an address.
#[derive(Clone)]
struct Folder {
    /// `/`, or `/name/`.
    prefix: String,
    directory: PathBuf,
}

impl Serve {
    pub(crate) fn run(self) -> Result<()> {
        // It is dropped last. So the operator also reads why the end fails, and where this function panics.
        let _lines = Lines::begin();
        // The message of a panic can quote a text: that of a failed slice does. Its place cannot.
        panic::set_hook(Box::new(|panic| {
            Refusal::Internal.told(told_of(panic.location()));
        }));
        let fields = self.fields()?;
        let table = self.table.as_deref().map(table).transpose()?;
        let lists = self.statements.iter().map(|path| list(path)).collect::<Result<Vec<_>>>()?;
        let token = Token::read(self.token_file.as_deref())?.map(Arc::new);
        let has_token = token.is_some();
        let database = self.database.as_deref().map(files::place_of_database).transpose()?;
        let mounts = self.mounts(database.as_deref())?;
        self.check_thanks()?;
        #[cfg(feature = "estimate")]
        let question = self.shares.question(
            database.as_deref(),
            &fields,
            &shares::TakenIn {
                lists: &lists,
                table: table.as_ref(),
                shows_clear: self.allow_clear.contains(&Clear::FunctionWords)
                    || self.keep_words.is_some()
                    || self.never_say.is_some(),
            },
            token.as_ref(),
        )?;
        let terms = self.terms(table, lists)?;
        let limits = Limits { time: Duration::from_secs(self.time_limit.into()), connections: self.connections.into() };
        let server = Server::bind(self.port, limits)?;
        // Without a port, no database is made or touched.
        let store = Arc::new(Store::open(database.as_deref()).context(files::UNOPENED)?);
        let held = Arc::clone(&store);
        if let Some(days) = self.keep_days {
            keep_for(&store, days)?;
        }
        let collector = Collector { terms, store, fields, time_limit: limits.time, token, thanks: self.thanks };
        #[cfg(feature = "estimate")]
        let shares = question.map(|question| shares::Shares::new(question, &collector));
        let routes = collector.routes();
        #[cfg(feature = "estimate")]
        let routes = shares.into_iter().fold(routes, |routes, shares| routes.merge(shares.routes()));
        note_risks(database.is_some(), has_token);
        if let Some(needless) = most_of_statements(&self.statements, self.max_epsilon) {
            eprintln!("{needless}");
        }
        let mut stdout = std::io::stdout();
        writeln!(stdout, "{}", server.url()).and_then(|()| stdout.flush()).context("nobody reads the address")?;
        server.serve(routes, mounts, self.until_input_ends.then(end_of_input));
        let is_whole = held.finish().is_ok();
        ensure!(is_whole, "what is held is in the files next to --database, too: keep them together");
        Ok(())
    }

    /// # Errors
    /// `--thanks` names a page that would be missing. A person would read that, and send the form once more.
    fn check_thanks(&self) -> Result<()> {
        let Some(page) = &self.thanks else { return Ok(()) };
        let path = page.split(['?', '#']).next().unwrap_or_default();
        let sites = self.site.iter().map(|directory| ("/", directory));
        let mounts = self.mount.iter().map(|Folder { prefix, directory }| (prefix.as_str(), directory));
        let served =
            sites.chain(mounts).filter_map(|(prefix, directory)| Some((path.strip_prefix(prefix)?, directory)));
        // Without one, another server has the page. A quoted name is not looked for, nor is a page of our own.
        let is_own = path == releases::ADDRESS;
        #[cfg(feature = "estimate")]
        let is_own = is_own || shares::ADDRESSES.contains(&path);
        let served = served.min_by_key(|(rest, _)| rest.len()).filter(|_| !is_own);
        let Some((rest, directory)) = served else { return Ok(()) };
        let file = directory.join(rest);
        let file = if file.is_dir() { file.join("index.html") } else { file };
        let is_hidden = rest.split('/').any(|name| name.starts_with('.'));
        ensure!(rest.contains('%') || file.is_file() && !is_hidden, "--thanks: there is no {}", file.display());
        Ok(())
    }

    /// What is served of `--site` and `--mount`.
    fn mounts(&self, database: Option<&Path>) -> Result<Vec<Mount>> {
        let private = Private::all(database, self.token_file.as_deref())?;
        let sites = self.site.iter().map(|directory| ("/", directory));
        let others = self.mount.iter().map(|Folder { prefix, directory }| (prefix.as_str(), directory));
        let mount = |(prefix, directory): (&str, &PathBuf)| {
            Ok(Mount { prefix: prefix.into(), files: Files::of(directory, &private)? })
        };
        let mut seen = Vec::new();
        for (prefix, _) in sites.clone().chain(others.clone()) {
            let is_new = !seen.contains(&prefix);
            ensure!(is_new, wrong_options(anyhow!("two folders are to be served at {prefix}")));
            seen.push(prefix);
        }
        sites.chain(others).map(mount).collect()
    }

    fn terms(&self, table: Option<Table>, lists: Vec<StatementList>) -> Result<Terms> {
        let allows = |clear| self.allow_clear.contains(&clear);
        ensure!(
            !allows(Clear::Nothing) || self.allow_clear.len() == 1,
            wrong_options(anyhow!("--allow-clear: nothing, or something"))
        );
        let mut stated = Stated {
            redactions: allows(Clear::Redactions),
            #[cfg(feature = "reports")]
            words: words::lists(self.keep_words.as_deref(), self.never_say.as_deref())?,
            mechanisms: self.mechanism.clone(),
            epsilon: self.max_epsilon,
            text_epsilon: self.max_text_epsilon,
            table,
            lists,
            ..Stated::default()
        };
        stated.clear.function_words = allows(Clear::FunctionWords);
        stated.clear.placeholders = allows(Clear::Placeholders);
        Terms::new(stated).context("--mechanism: not one whose releases can be checked (--help names them)")
    }

    fn fields(&self) -> Result<Fields> {
        let mut fields = Fields { private: self.field.clone(), public: self.public_field.clone() };
        if fields.private.is_empty() {
            fields.private.push(TEXT.into());
        }
        if let Some((name, why)) = fields.ambiguous() {
            return Err(wrong_options(anyhow!("--field and --public-field: \"{name}\" {why}")));
        }
        Ok(fields)
    }
}

/// What the operator reads of a panic.
fn told_of(place: Option<&Location<'_>>) -> String {
    let place = place.map_or_else(String::new, |place| format!(", at {}:{}", place.file(), place.line()));
    format!("an error in the code{place}")
}

/// Says what the operator may lose, or give away.
fn note_risks(has_database: bool, has_token: bool) {
    if !has_token {
        eprintln!("Without --token-file, anyone who reaches this address may see and delete what is held.");
    }
    if !has_database {
        eprintln!("Without --database, what is held is lost when this program ends.");
    }
}

/// What a bound says that no statement reaches.
fn most_of_statements(lists: &[PathBuf], bound: Option<f64>) -> Option<String> {
    let most = Statements::MOST_EPSILON;
    let bound = bound.filter(|bound| !lists.is_empty() && *bound > most)?;
    Some(format!(
        "--max-epsilon {bound}: a statement loses at most {most}, so that this accepts statements of any epsilon."
    ))
}

/// Brings the end of standard input.
fn end_of_input() -> oneshot::Receiver<()> {
    let (end, input) = oneshot::channel();
    thread::spawn(move || {
        // An input that breaks has ended, too. Whoever waits for the end may have ended before.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        let _ = end.send(());
    });
    input
}

/// How long to wait before old releases are looked for again.
const BETWEEN_DELETIONS: Duration = Duration::from_secs(3600);

/// Deletes old releases now, and each hour as long as there is the store.
///
/// # Errors
/// The database is full, or has failed.
fn keep_for(store: &Arc<Store>, days: NonZeroU32) -> Result<()> {
    match delete_old(store, days) {
        // Another program may read the database at the moment.
        Ok(()) | Err(Refusal::StorageBusy) => {}
        Err(refusal) => return Err(anyhow!(refusal.message()).context("--keep-days")),
    }
    let store = Arc::downgrade(store);
    thread::spawn(move || {
        loop {
            thread::sleep(BETWEEN_DELETIONS);
            let Some(store) = store.upgrade() else { break };
            // The operator was told why it failed. Old releases go an hour later.
            let _ = delete_old(&store, days);
        }
    });
    Ok(())
}

/// Deletes what came `days` days ago or earlier.
fn delete_old(store: &Store, days: NonZeroU32) -> Result<(), Refusal> {
    let today = DateTime::<Utc>::from(SystemTime::now()).date_naive();
    let last = today.checked_sub_days(Days::new(days.get().into())).and_then(|day| day.succ_opt());
    // Before the first day of the calendar nothing came.
    last.map_or(Ok(()), |day| store.delete_before(day))
}

/// The answers that a client may get.
fn answers() -> String {
    let refusal =
        |refusal: Refusal| format!("\n  {} {:23}{}", refusal.status().as_u16(), refusal.code(), refusal.message());
    let refusals: String = Refusal::ALL.into_iter().map(refusal).collect();
    format!(
        "Answers of POST /releases: 201 if the submission was stored, 200 with the code \"already-held\" if it was held \
         before. Everything else was not acknowledged: status, code, reason. Those of /shares and of GET and DELETE \
         /releases are among them.{refusals}"
    )
}

/// A table of words. This program can be built without `textveil_tables`, which has the same loader.
fn table(path: &Path) -> Result<Table> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Table::parse(bytes).with_context(|| path.display().to_string())
}

/// A list of statements. The loader is here, and not with other files of programs, because a server is built without
/// `textveil_toolkit`.
pub(crate) fn list(path: &Path) -> Result<StatementList> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let (shown, is_text) = (path.display(), std::str::from_utf8(&bytes).is_ok());
    StatementList::parse(bytes).map_err(|error| match error {
        textveil::Error::BadStatements(_) if is_text => {
            anyhow!(
                "{shown}: {error}. Make a list of a text file: textveil statements build {shown} --out LIST.tvs. For the answers of a \
                 question, add --answers"
            )
        }
        _ => anyhow!(error).context(shown.to_string()),
    })
}

fn mount(text: &str) -> Result<Folder, String> {
    let (prefix, directory) = text.split_once('=').ok_or("it is /NAME/=DIR")?;
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
    };
    let inner = prefix.strip_prefix('/').map(|rest| rest.strip_suffix('/').unwrap_or(rest));
    if prefix != "/" && !(prefix.ends_with('/') && inner.is_some_and(|inner| inner.split('/').all(is_name))) {
        return Err("an address begins and ends with /, and its names have letters, digits, - . _ and ~".to_owned());
    }
    Ok(Folder { prefix: prefix.into(), directory: directory.into() })
}

/// An address on this server.
fn page(text: &str) -> Result<String, String> {
    let is_here = text.starts_with('/') && !text.starts_with("//");
    if is_here && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
        Ok(text.to_owned())
    } else {
        Err("a page begins with one /, as /thanks.html, and has no white space".to_owned())
    }
}

fn mechanism(name: &str) -> Result<MechanismKind, String> {
    name.parse().map_err(|error: textveil::Error| error.to_string())
}

/// A number of days.
fn days(text: &str) -> Result<NonZeroU32, &'static str> {
    text.parse::<NonZeroU32>().map_err(|_| "it must be a whole number of days, at least 1")
}

/// A number above zero; infinity is one.
fn positive(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|value| *value > 0.0).ok_or("it must be a number above zero, with a point before decimals")
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::process::Command;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Given {
        #[command(flatten)]
        serve: Serve,
    }

    #[test]
    fn a_bound_that_no_statement_reaches_is_told() {
        let lists = [PathBuf::from("list.tvs")];
        assert!(most_of_statements(&lists, Some(1000.0)).is_some_and(|told| told.contains("at most 20")));
        assert_eq!(most_of_statements(&lists, Some(20.0)).or(most_of_statements(&lists, None)), None);
        assert_eq!(most_of_statements(&[], Some(1000.0)), None);
    }

    #[test]
    fn a_panic_is_told_by_its_place() {
        let (place, line) = (Location::caller(), line!());
        assert_eq!(told_of(Some(place)), format!("an error in the code, at {}:{line}", file!()));
        assert_eq!(told_of(None), "an error in the code");
    }

    /// A hook is the whole process's, so that the server has one of its own here: this test, run once more.
    #[test]
    fn the_operator_reads_nothing_of_what_a_panic_says() {
        const TEST: &str = "serve::tests::the_operator_reads_nothing_of_what_a_panic_says";
        const IS_SERVER: &str = "TEXTVEIL_TEST_OF_PANICS";
        const SECRET: &str = "Zebulon has cancer";
        if env::var_os(IS_SERVER).is_some() {
            let _lines = Lines::begin();
            // It ends at a table that is not there.
            let Given { serve } = Given::try_parse_from(["serve", "--table", "absent/table.tvt"]).expect("options");
            assert!(serve.run().is_err());
            assert!(thread::spawn(|| -> u32 { unreachable!("{SECRET}") }).join().is_err());
            return;
        }
        let binary = env::current_exe().expect("a test binary has a path");
        let run = Command::new(binary).args(["--exact", TEST, "--nocapture"]).env(IS_SERVER, "1").output();
        let run = run.expect("a test binary can be run");
        let [printed, told] = [&run.stdout, &run.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        assert!(printed.contains("running 1 test\n") && run.status.success(), "{printed}{told}");
        let place = format!("textveil-collector: internal: an error in the code, at {}:", file!());
        assert!(told.starts_with(&place) && told.lines().count() == 1, "{told}");
        assert!(!printed.contains(SECRET) && !told.contains(SECRET), "{printed}{told}");
    }

    #[test]
    fn the_help_names_every_code_with_its_status() {
        let (_, reasons) = include_str!("serve/refusal.rs").split_once("pub(crate) enum Refusal {\n").expect("an enum");
        let (reasons, _) = reasons.split_once("\n}").expect("its end");
        let reasons = reasons.lines().map(str::trim).filter(|line| !line.starts_with("///"));
        let named: String = Refusal::ALL.iter().map(|refusal| format!("{refusal:?},")).collect();
        assert_eq!(named, reasons.collect::<String>());

        let help = Serve::augment_args(clap::Command::new("serve")).render_long_help().to_string();
        assert!(help.contains("\"already-held\""), "{help}");
        for refusal in Refusal::ALL {
            let line = format!("\n  {} {} ", refusal.status().as_u16(), refusal.code());
            assert_eq!(help.matches(&line).count(), 1, "{line}");
        }
    }
}
