//! `textveil`: bulk text, tables and measurements for the textveil SDK, on the command line.

#![warn(clippy::print_stdout)]

mod audit;
mod bulk;
mod calibrate;
mod compare;
mod data;
mod learn;
mod options;
mod plot;
mod privatize;
mod progress;
mod published;
mod refusal;
mod represent;
mod reproduce;
mod score;
mod seed;
mod statement;
mod table;
mod train;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Error, Result};
use clap::{Parser, Subcommand};
use textveil::Table;

/// Differential privacy for text: privatize files, build tables, measure
#[derive(Parser)]
#[command(version, max_term_width = 120)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Privatize(Box<privatize::Privatize>),
    Represent(represent::Represent),
    Score(score::Score),
    Reproduce(reproduce::Reproduce),
    Calibrate(calibrate::Calibrate),
    Audit(audit::Audit),
    Compare(Box<compare::Compare>),
    Data(data::Data),
    Learn(learn::Learn),
    #[command(subcommand)]
    Train(train::Train),
    /// Build, import, inspect and evaluate tables
    #[command(subcommand)]
    Table(table::TableCommand),
}

/// Reads a table file, or the built-in English table without one.
fn table(path: Option<&Path>) -> Result<Table> {
    let Some(path) = path else { return Ok(Table::english()?) };
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Table::parse(bytes).with_context(|| path.display().to_string())
}

/// Whether the program that reads our output wants no more of it: the usual end of `| head`, not a failure.
fn reader_has_gone(error: &Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Privatize(command) => command.run(),
        Command::Represent(command) => command.run(),
        Command::Score(command) => command.run(),
        Command::Reproduce(command) => command.run(),
        Command::Calibrate(command) => command.run(),
        Command::Audit(command) => return ended(command.run()),
        Command::Compare(command) => command.run(),
        Command::Data(command) => return ended(command.run()),
        Command::Learn(command) => command.run(),
        Command::Train(command) => command.run(),
        Command::Table(command) => command.run(),
    };
    ended(result.map(|()| ExitCode::SUCCESS))
}

fn ended(result: Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) if reader_has_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("textveil: {error:#}");
            ExitCode::FAILURE
        }
    }
}
