//! An example of the other end: a server that takes in privatized text, and refuses everything else.
//!
//! A release reaches it as JSON or as fields of a form, with its guarantee. It is stored if the guarantee is one that
//! textveil itself states, for terms that this collector accepts, and if the text has the shape that such a release has.
//! `terms` and `shape` are those two questions, `submission` reads what is sent, `store` keeps it.
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

use anyhow::{Context, Result, ensure};
use lexopt::prelude::*;

use crate::releases::Collector;
use crate::server::{Mount, Server};
use crate::store::Store;
use crate::terms::Terms;

const HELP: &str = "\
textveil-collector: takes in privatized text, on this machine alone

  --port N               where it listens on 127.0.0.1 (8787; 0 = any port that is free)
  --database FILE        where releases are kept (without it, in memory)
  --site DIR             files to serve beside them
  --mount /NAME/=DIR     files under an address
  --max-epsilon E        the most that one word of an accepted release may lose, in nats
  --public-field NAME…   fields of forms that are stored as they come
  --until-input-ends     ends when standard input does: for a program that starts it
";

/// What the command line asks for.
struct Settings {
    port: u16,
    database: Option<PathBuf>,
    mounts: Vec<Mount>,
    max_epsilon: f64,
    public_fields: Vec<String>,
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
        return Ok(());
    };
    let store = Store::open(settings.database.as_deref()).context("the database cannot be opened")?;
    let terms = Terms::new(settings.max_epsilon)?;
    let collector = Collector::new(terms, store, settings.public_fields);
    let server = Server::bind(settings.port, collector.routes(), settings.mounts)?;
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
        max_epsilon: f64::INFINITY,
        public_fields: Vec::new(),
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
            Long("max-epsilon") => settings.max_epsilon = args.value()?.parse()?,
            Long("public-field") => {
                for name in args.values()? {
                    settings.public_fields.push(name.string()?);
                }
            }
            Long("until-input-ends") => settings.until_input_ends = true,
            other => return Err(other.unexpected().into()),
        }
    }
    ensure!(settings.max_epsilon > 0.0, "--max-epsilon must be above zero");
    Ok(Some(settings))
}
