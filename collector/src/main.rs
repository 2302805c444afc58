//! `textveil-collector`: an example of the other end. It takes in privatized text, estimates shares, and trains classifiers.

mod address;
#[cfg(feature = "estimate")]
mod estimate;
#[cfg(feature = "reports")]
mod export;
#[cfg(feature = "estimate")]
mod plan;
#[cfg(feature = "reports")]
#[cfg_attr(
    not(all(feature = "estimate", feature = "train")),
    allow(dead_code, reason = "each reads what the other does not")
)]
mod reports;
mod serve;
#[cfg(feature = "train")]
mod train;

use std::process::ExitCode;

use anyhow::{Error, Result};
#[cfg(feature = "reports")]
use clap::CommandFactory;
use clap::{Parser, Subcommand};
#[cfg(feature = "reports")]
use textveil_toolkit::exit;
#[cfg(feature = "reports")]
pub(crate) use textveil_toolkit::exit::wrong_options;
#[cfg(feature = "reports")]
use textveil_toolkit::shell::{Completions, Manual};

/// The name before an error.
const NAME: &str = "textveil-collector";

/// Take in privatized text, and learn from it
#[derive(Parser)]
#[command(version, max_term_width = 120, after_help = below())]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Serve(Box<serve::Serve>),
    #[cfg(feature = "estimate")]
    Estimate(Box<estimate::Estimate>),
    #[cfg(feature = "estimate")]
    Plan(plan::Plan),
    #[cfg(feature = "train")]
    #[command(subcommand)]
    Train(train::Train),
    #[cfg(feature = "reports")]
    Export(export::Export),
    #[cfg(feature = "reports")]
    Completions(Completions),
    #[cfg(feature = "reports")]
    Manual(Manual),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Serve(command) => ended(command.run()),
        #[cfg(feature = "estimate")]
        Command::Estimate(command) => ended(command.run()),
        #[cfg(feature = "estimate")]
        Command::Plan(command) => ended(command.run()),
        #[cfg(feature = "train")]
        Command::Train(command) => shared(command.run()),
        #[cfg(feature = "reports")]
        Command::Export(command) => shared(command.run()),
        #[cfg(feature = "reports")]
        Command::Completions(command) => shared(command.run(Cli::command())),
        #[cfg(feature = "reports")]
        Command::Manual(command) => shared(command.run(Cli::command())),
    }
}

/// What stands below the help.
fn below() -> String {
    #[cfg(feature = "reports")]
    let mut parts = vec![exit::STATUS];
    #[cfg(not(feature = "reports"))]
    let mut parts = Vec::new();
    if !cfg!(all(feature = "estimate", feature = "postgres", feature = "train")) {
        parts.push("This program was built without all of its features: estimate, postgres, train.");
    }
    parts.join("\n\n")
}

/// The end of a command whose output another program may stop reading.
#[cfg(feature = "reports")]
fn shared(result: Result<()>) -> ExitCode {
    exit::ended(NAME, result.map(|()| ExitCode::SUCCESS))
}

fn ended(result: Result<()>) -> ExitCode {
    result.map_or_else(|error| failed(&error), |()| ExitCode::SUCCESS)
}

#[cfg(feature = "reports")]
fn failed(error: &Error) -> ExitCode {
    exit::failed(NAME, error)
}

#[cfg(not(feature = "reports"))]
fn failed(error: &Error) -> ExitCode {
    eprintln!("{NAME}: {error:#}");
    ExitCode::FAILURE
}

/// Marks a mistake in the options. Only the whole program has a status of its own for it.
#[cfg(not(feature = "reports"))]
pub(crate) fn wrong_options(error: Error) -> Error {
    error
}
