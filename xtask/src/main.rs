//! The build driver: `cargo xtask <command>` builds the npm package, serves the demo, runs every test and
//! measures.
//!
//! One file a command; what several commands share is in [`project`] (paths, child processes), [`toolchain`]
//! (Rust targets), [`javascript`], [`python`] and [`browsers`] (the tools of other languages). The checks of
//! `cargo xtask test` are in `xtask/steps.json`. It depends on none of our crates: it drives them.

mod bench;
mod browsers;
mod budget;
mod cache;
mod consumers;
mod cross;
mod demo;
mod dist;
mod fuzz;
mod javascript;
mod kotlin;
mod mobile;
mod package;
mod project;
mod python;
mod report;
mod reproduce;
mod reproducible;
mod sbom;
mod server;
mod size;
mod supply;
mod swift;
mod table_inputs;
mod test;
mod toolchain;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::project::Project;

/// How to call the commands, and what they do.
const HELP: &str = "cargo xtask <command>

  demo [--port N] [--no-open]
      serve the demo page, built here (port 8080; 0 = any that is free), and open it
  test [--strict] [--nightly DATA] [--only NAME…] [--list]
      every check in order; --strict: what cannot run here counts as failed; --nightly: the long ones too
  package
      the npm package, unpacked, in target/npm/textveil
  mobile
      the packages of this machine: Swift in target/swift, a jar in target/kotlin, a wheel in target/wheels
  dist
      the npm package as a tarball, bills of materials and digests, in target/dist
  bench [--peers] [--quick] [--json] [--write] | --page | --reviews DATA
      speed in every language, next to other software if asked for, as a page (BENCHMARKS.md: --write; --page: only the
      page anew); --reviews: of a million reviews through the command line
  reproduce PAPER [TABLE] --data DIR […] | --write [PAPER[/TABLE]…] --data DIR | --page
      `textveil-lab reproduce` with the sentence encoder that some tables need; --write: all of it, or these, into
      lab/reproductions and REPRODUCTIONS.md; --page: that page anew
  budget [--write]
      what a word costs in instructions, next to the limits; --write makes them the limits
  certify-check [FILE]
      the reference computes again what the embedded table (or another) certifies: minutes
  table-inputs DIR
      fetch what the embedded English table is built from
";

fn main() -> ExitCode {
    dispatch().unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn dispatch() -> Result<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let name = arguments.next().unwrap_or_default().to_string_lossy().into_owned();
    let rest: Vec<_> = arguments.collect();
    if ["", "-h", "--help"].contains(&&*name) || rest.iter().any(|word| word == "--help" || word == "-h") {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let (project, args) = (Project::locate()?, lexopt::Parser::from_args(rest));
    let command: fn(&Project, lexopt::Parser) -> Result<()> = match &*name {
        "test" => return test::command(project, args),
        "demo" => demo::command,
        "package" => package::command,
        "mobile" => mobile::command,
        "dist" => dist::command,
        "bench" => bench::command,
        "reproduce" => reproduce::command,
        "budget" => budget::command,
        "certify-check" => test::certify_check,
        "table-inputs" => table_inputs::command,
        _ => bail!("there is no command '{name}'\n\n{HELP}"),
    };
    command(&project, args).map(|()| ExitCode::SUCCESS)
}

/// For commands without arguments: whatever is left on the command line is an error.
fn no_more(mut args: lexopt::Parser) -> Result<()> {
    args.next()?.map_or(Ok(()), |argument| Err(argument.unexpected().into()))
}
