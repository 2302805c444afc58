//! `textveil`: bulk text, tables and measurements for the textveil SDK, on the command line.

#![warn(clippy::print_stdout)]

mod audit;
mod bulk;
mod calibrate;
mod compare;
mod data;
mod learn;
mod logistic;
mod privatize;
mod represent;
mod reproduce;
mod score;
mod seed;
mod table;
mod toolkit;
mod train;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use toolkit::exit::reader_has_gone;

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
