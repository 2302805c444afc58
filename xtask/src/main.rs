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
mod tree;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Result, bail};
use lexopt::prelude::*;

use crate::project::Project;

/// A command.
struct Command {
    name: &'static str,
    options: &'static str,
    does: &'static str,
    run: fn(Project, lexopt::Parser) -> Result<ExitCode>,
}

const COMMANDS: [Command; 10] = [
    Command {
        name: "demo",
        options: "[--port N] [--no-open]",
        does: "serve the demo page, built here (port 8080; 0 = any that is free), and open it",
        run: |project, args| done(demo::command(&project, args)),
    },
    Command {
        name: "test",
        options: "[--strict] [--nightly DATA] [--only NAME…] [--list]",
        does: "every check in order; --strict: what cannot run here counts as failed; --nightly: the long ones too",
        run: test::command,
    },
    Command {
        name: "package",
        options: "",
        does: "the npm package, unpacked, in target/npm/textveil",
        run: |project, args| done(package::command(&project, args)),
    },
    Command {
        name: "mobile",
        options: "",
        does: "the packages of this machine: Swift in target/swift, a jar in target/kotlin, a wheel in target/wheels",
        run: |project, args| done(mobile::command(&project, args)),
    },
    Command {
        name: "dist",
        options: "",
        does: "the npm package as a tarball, bills of materials and digests, in target/dist",
        run: |project, args| done(dist::command(&project, args)),
    },
    Command {
        name: "bench",
        options: "[--peers] [--quick] [--json] [--write] | --page | --reviews DATA",
        does: "measure the speed in every language, with --peers next to other software, and print a page; --write: record \
               it, and write BENCHMARKS.md; --page: write BENCHMARKS.md from the record; --reviews: measure a million \
               reviews on the command line",
        run: |project, args| done(bench::command(&project, args)),
    },
    Command {
        name: "reproduce",
        options: "PAPER [TABLE] --data DIR […] | --write [PAPER[/TABLE]…] --data DIR | --page",
        does: "`textveil-lab reproduce` with the sentence encoder that some tables need; --write: all of it, or these, into lab/reproductions and REPRODUCTIONS.md; --page: that page anew",
        run: |project, args| done(reproduce::command(&project, args)),
    },
    Command {
        name: "budget",
        options: "[--write]",
        does: "what a word costs in instructions, beside the limits; --write makes them the limits",
        run: |project, args| done(budget::command(&project, args)),
    },
    Command {
        name: "certify-check",
        options: "[FILE]",
        does: "what the embedded table (or another) certifies, computed again by the reference: minutes",
        run: |project, args| done(test::certify_check(&project, args)),
    },
    Command {
        name: "table-inputs",
        options: "DIR",
        does: "fetch what the embedded English table is built from",
        run: |project, args| done(table_inputs::command(&project, args)),
    },
];

fn main() -> ExitCode {
    match dispatch() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch() -> Result<ExitCode> {
    let mut args = lexopt::Parser::from_env();
    let name = match args.next()? {
        Some(Value(name)) => name.string()?,
        Some(Short('h') | Long("help")) | None => {
            print!("{}", help(&COMMANDS));
            return Ok(ExitCode::SUCCESS);
        }
        Some(other) => return Err(other.unexpected().into()),
    };
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        bail!("no command '{name}'\n\n{}", help(&COMMANDS))
    };
    let rest: Vec<OsString> = args.raw_args()?.collect();
    if rest.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{}", help(std::slice::from_ref(command)));
        return Ok(ExitCode::SUCCESS);
    }
    (command.run)(Project::locate()?, lexopt::Parser::from_args(rest))
}

/// How to call some commands.
fn help(commands: &[Command]) -> String {
    let line = |Command { name, options, does, .. }: &Command| format!("  {:56} {does}\n", format!("{name} {options}"));
    format!("cargo xtask <command>\n\n{}", commands.iter().map(line).collect::<String>())
}

fn done(result: Result<()>) -> Result<ExitCode> {
    result.map(|()| ExitCode::SUCCESS)
}

/// For commands without arguments: whatever is left on the command line is an error.
fn no_more(mut args: lexopt::Parser) -> Result<()> {
    match args.next()? {
        Some(argument) => Err(argument.unexpected().into()),
        None => Ok(()),
    }
}
