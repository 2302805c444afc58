//! An example of the other end: a server that takes in privatized text, and refuses everything else.
//!
//! A release reaches it as JSON or as fields of a form, with its guarantee. It is stored if the guarantee is one that
//! textveil itself states, for terms that the operator accepts, and if the text has the shape that such a release has.
//! `terms` and `shape` are those two questions, `submission` reads what is sent, `store` keeps it.
//!
//! A submission that comes twice is counted once. A client should draw a nonce at random for each release. Then an equal
//! submission of somebody else is another one, and is counted too.
//!
//! What no server can see is whether a text of common words was drawn or typed. So this is a net for mistakes (a field
//! that was never protected, a script that was blocked, a page of another version) and no proof against a client that lies.

mod refusal;
mod releases;
mod server;
mod shape;
mod store;
mod submission;
mod terms;

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use lexopt::prelude::*;

use crate::refusal::Refusal;
use crate::releases::{Collector, Fields};
use crate::server::{Limits, Mount, Server};
use crate::store::Store;
use crate::submission::TEXT;
use crate::terms::{Stated, Terms};

const HELP: &str = "\
textveil-collector: takes in privatized text, on this machine alone

Where
  --port N               the port on 127.0.0.1 (8787; 0 = any port that is free)
  --database FILE        keep releases in FILE (without it, in memory). FILE, FILE-wal and FILE-shm
                         belong together. Several collectors may use one FILE.
  --site DIR             serve the files of DIR, too
  --mount /NAME/=DIR     serve the files of DIR under an address

What is accepted
  --field NAME…          the fields whose releases are accepted (text, the field of a release as JSON).
                         Every other name is refused, since a name can say as much as a text.
  --public-field NAME…   fields of forms that are stored as they come
  --mechanism NAME…      the mechanisms of accepted releases: certified, plateau, exponential,
                         lattice-laplace (the table's default: certified)
  --max-epsilon E        the most ε that one word may lose, in nats (that of the table's default level)
  --max-text-epsilon E   the most ε that one text may lose, in nats (that of 200 words at --max-epsilon)
  --allow-clear WHAT…    what a release may leave in clear by choice: function-words, placeholders (nothing)

Time and connections
  --time-limit SECONDS   how long the head of a request, or its body, may take to arrive (10).
                         If the head is late, the connection is closed without an answer.
                         Every connection is closed after 12 times as long.
  --connections N        how many connections are served at once (64); others wait

  --until-input-ends     end when standard input ends: for a program that starts this one

A submission that comes twice is counted once. Two people can send equal texts; so a client should
send a field \"nonce\" of 128 random bits (22 to 64 letters, digits, - or _), new for each release, and
the same one if it sends a release again. Only a digest of it is kept. In a form, it is
<input type=\"hidden\" name=\"nonce\">, which a script fills in with crypto.randomUUID().

Answers of POST /releases: 201 if the submission was stored, 200 with the code \"already-held\" if it was
held before. Everything else was not acknowledged: status, code, reason.
";

/// What the command line asks for.
struct Settings {
    port: u16,
    database: Option<PathBuf>,
    mounts: Vec<Mount>,
    terms: Stated,
    fields: Fields,
    limits: Limits,
    until_input_ends: bool,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let Some(settings) = settings(lexopt::Parser::from_env())? else {
        print!("{HELP}");
        for refusal in Refusal::ALL {
            println!("  {} {:23}{}", refusal.status().as_u16(), refusal.code(), refusal.message());
        }
        return Ok(());
    };
    let store = Store::open(settings.database.as_deref()).context("the database cannot be opened")?;
    let terms =
        Terms::new(settings.terms).context("--mechanism: not one whose releases can be checked (--help names them)")?;
    let collector = Collector::new(terms, store, settings.fields, settings.limits.time);
    let server = Server::bind(settings.port, settings.limits, collector.routes(), settings.mounts)?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{}", server.url()).and_then(|()| stdout.flush()).context("nobody reads the address")?;
    if settings.until_input_ends {
        std::thread::spawn(|| {
            // An input that breaks has ended, too.
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            std::process::exit(0);
        });
    }
    server.serve();
    Ok(())
}

/// The settings; none if help is asked for.
fn settings(mut args: lexopt::Parser) -> Result<Option<Settings>> {
    let mut settings = Settings {
        port: 8787,
        database: None,
        mounts: Vec::new(),
        terms: Stated::default(),
        fields: Fields::default(),
        limits: Limits { time: Duration::from_secs(10), connections: 64 },
        until_input_ends: false,
    };
    while let Some(argument) = args.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("port") => settings.port = args.value()?.parse()?,
            Long("database") => settings.database = Some(args.value()?.into()),
            Long("site") => settings.mounts.push(Mount { prefix: "/".into(), directory: args.value()?.into() }),
            Long("mount") => {
                let value = args.value()?.string()?;
                let (prefix, directory) = value.split_once('=').context("--mount takes /NAME/=DIR")?;
                ensure!(
                    prefix.starts_with('/') && prefix.ends_with('/'),
                    "--mount {prefix}: an address begins and ends with /"
                );
                settings.mounts.push(Mount { prefix: prefix.into(), directory: directory.into() });
            }
            Long("field") => settings.fields.private.extend(names(&mut args)?),
            Long("public-field") => settings.fields.public.extend(names(&mut args)?),
            Long("mechanism") => {
                for name in names(&mut args)? {
                    let kind = name.parse().with_context(|| format!("--mechanism {name}"))?;
                    settings.terms.mechanisms.push(kind);
                }
            }
            Long("max-epsilon") => settings.terms.epsilon = Some(positive(&mut args, "--max-epsilon")?),
            Long("max-text-epsilon") => settings.terms.text_epsilon = Some(positive(&mut args, "--max-text-epsilon")?),
            Long("allow-clear") => {
                for item in names(&mut args)? {
                    match item.as_str() {
                        "function-words" => settings.terms.clear.function_words = true,
                        "placeholders" => settings.terms.clear.placeholders = true,
                        _ => bail!("--allow-clear takes function-words and placeholders"),
                    }
                }
            }
            Long("time-limit") => {
                let seconds: u32 = args.value()?.parse()?;
                ensure!(seconds > 0, "--time-limit must be above zero");
                settings.limits.time = Duration::from_secs(seconds.into());
            }
            Long("connections") => {
                settings.limits.connections = args.value()?.parse::<u16>()?.into();
                ensure!(settings.limits.connections > 0, "--connections must be above zero");
            }
            Long("until-input-ends") => settings.until_input_ends = true,
            other => return Err(other.unexpected().into()),
        }
    }
    if settings.fields.private.is_empty() {
        settings.fields.private.push(TEXT.into());
    }
    if let Some(name) = settings.fields.ambiguous() {
        bail!(
            "--field and --public-field: \"{name}\" is empty, is named twice, or is the name of a guarantee or of the nonce"
        );
    }
    Ok(Some(settings))
}

/// The values of an option that takes several.
fn names(args: &mut lexopt::Parser) -> Result<Vec<String>, lexopt::Error> {
    args.values()?.map(ValueExt::string).collect()
}

/// A number above zero; infinity is one.
fn positive(args: &mut lexopt::Parser, option: &str) -> Result<f64> {
    let value: f64 = args.value()?.parse()?;
    ensure!(value > 0.0, "{option} must be above zero");
    Ok(value)
}
