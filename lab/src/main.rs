//! `textveil-lab`: the papers' tables and figures computed anew, and mechanisms side by side.

#![warn(clippy::print_stdout)]

mod compare;
mod data;
mod learn;
mod levels;
mod logistic;
mod new_words;
mod opposites;
mod reader;
mod reproduce;
mod shares;
mod statements;
mod transfer;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use textveil_toolkit::exit::ended;

/// Measure differential privacy for text: the papers' experiments, mechanisms side by side
#[derive(Parser)]
#[command(version, max_term_width = 120)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Reproduce(Box<reproduce::Reproduce>),
    Compare(Box<compare::Compare>),
    Data(data::Data),
    Learn(learn::Learn),
    Levels(levels::Levels),
    NewWords(new_words::NewWords),
    Opposites(opposites::Opposites),
    Reader(reader::Reader),
    Shares(shares::Shares),
    Statements(statements::Statements),
    Transfer(transfer::Transfer),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Reproduce(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::Data(command) => return ended("textveil-lab", command.run()),
        Command::Learn(command) => command.run(),
        Command::Levels(command) => command.run(),
        Command::NewWords(command) => command.run(),
        Command::Opposites(command) => command.run(),
        Command::Reader(command) => command.run(),
        Command::Shares(command) => command.run(),
        Command::Statements(command) => command.run(),
        Command::Transfer(command) => command.run(),
    };
    ended("textveil-lab", result.map(|()| ExitCode::SUCCESS))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn options_are_consistent() {
        Cli::command().debug_assert();
    }
}
