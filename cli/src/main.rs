//! `textveil`: privatizes files, builds and measures tables, audits what is claimed.

#![warn(clippy::print_stdout)]

mod audit;
mod calibrate;
mod levels;
mod output;
mod privatize;
mod represent;
mod score;
mod statements;
mod table;
mod threads;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use textveil_toolkit::exit::{STATUS, ended};
use textveil_toolkit::shell::{Completions, Manual};

/// Differential privacy for text: privatize files, build tables, measure
#[derive(Parser)]
#[command(name = "textveil", version, max_term_width = 120, after_help = below())]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Privatize(Box<privatize::Privatize>),
    Levels(levels::Levels),
    Represent(represent::Represent),
    Score(score::Score),
    Calibrate(calibrate::Calibrate),
    Audit(audit::Audit),
    /// Build, suggest and inspect lists of statements. One statement replaces a whole text
    #[command(subcommand)]
    Statements(statements::StatementsCommand),
    /// Build, import, inspect and evaluate tables
    #[command(subcommand)]
    Table(table::TableCommand),
    Completions(Completions),
    Manual(Manual),
}

/// What stands below the help.
fn below() -> String {
    format!("{STATUS} An audit ends with 1, too, if it does not find what it expects.")
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Privatize(command) => command.run(),
        Command::Levels(command) => command.run(),
        Command::Represent(command) => command.run(),
        Command::Score(command) => command.run(),
        Command::Calibrate(command) => command.run(),
        Command::Audit(command) => return ended("textveil", command.run()),
        Command::Statements(command) => command.run(),
        Command::Table(command) => command.run(),
        Command::Completions(command) => command.run(Cli::command()),
        Command::Manual(command) => command.run(Cli::command()),
    };
    ended("textveil", result.map(|()| ExitCode::SUCCESS))
}
