//! The build driver: `cargo xtask <command>` builds the npm package, serves the demo, runs every test and
//! measures.
//!
//! One file a command; what several commands share is in [`project`] (paths, child processes), [`toolchain`]
//! (Rust targets), [`javascript`], [`python`] and [`browsers`] (the tools of other languages). The checks of
//! `cargo xtask test` are in `xtask/steps.json`. It depends on no crate of ours: it drives them.

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
mod server;
mod supply;
mod swift;
mod table_inputs;
mod test;
mod toolchain;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use crate::package::Flavour;
use crate::project::Project;

/// Builds the npm package, serves the demo, runs every test and measures
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Command {
    /// Serve the demo page, built here, and open it
    Demo {
        /// 0: any that is free
        #[arg(long, default_value_t = 8080)]
        port: u16,
        #[arg(long)]
        no_open: bool,
    },
    /// Run every check, in two lanes
    Test(test::Options),
    /// Build the npm package, unpacked, in target/npm/textveil
    Package,
    /// Build the packages of this machine: Swift in target/swift, Kotlin in target/kotlin/repository, Python in
    /// target/wheels
    Mobile {
        /// These packages
        #[arg(long, value_name = "PACKAGE", num_args = 1..)]
        only: Vec<mobile::Package>,
    },
    /// Build the npm package as a tarball, with bills of materials and digests, in target/dist
    Dist,
    /// Measure the speed in every language
    Bench(bench::Options),
    /// Run `textveil-lab reproduce` with the sentence encoder that some tables need
    Reproduce {
        /// `PAPER [TABLE] --data DIR […]` computes one. `--write [PAPER[/TABLE]…] --data DIR` computes all, or these, and
        /// writes lab/reproductions and REPRODUCTIONS.md. `--page` writes that page anew
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Count what a word costs in instructions, next to the limits
    Budget {
        /// Make the counts the limits
        #[arg(long)]
        write: bool,
    },
    /// Have the reference compute again what a table certifies: minutes
    CertifyCheck {
        /// Another than the embedded table
        table: Option<PathBuf>,
    },
    /// Fetch what the embedded English table is built from
    TableInputs { directory: PathBuf },
}

fn main() -> ExitCode {
    run(Command::parse()).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn run(command: Command) -> Result<ExitCode> {
    let project = Project::locate()?;
    match command {
        Command::Test(options) => return test::command(project, &options),
        Command::Demo { port, no_open } => demo::command(&project, port, !no_open)?,
        Command::Package => println!("{}", package::build(&project, Flavour::Release)?.display()),
        Command::Mobile { only } => mobile::command(&project, &only)?,
        Command::Dist => dist::command(&project)?,
        Command::Bench(options) => bench::command(&project, &options)?,
        Command::Reproduce { arguments } => reproduce::command(&project, arguments)?,
        Command::Budget { write } => println!("{}", budget::check(&project, write)?),
        Command::CertifyCheck { table } => test::certify_check(&project, table)?,
        Command::TableInputs { directory } => {
            println!("{}", table_inputs::fill(&project, &std::path::absolute(directory)?)?)
        }
    }
    Ok(ExitCode::SUCCESS)
}
