//! How a command ends.

use std::io;
use std::process::ExitCode;
use std::{error, fmt};

use anyhow::{Error, Result};

/// What the help of a program says of its exit status.
pub const STATUS: &str = "Exit status: 0 if the command did its work. 2 if the options alone show that it cannot. 1 if \
                          anything else went wrong, as with a file, a text or the machine.";

/// The exit status for a mistake in the options, as that of clap.
const WRONG_OPTIONS: u8 = 2;

/// A mistake in the options, whatever the files hold. It shows as the error within.
#[derive(Debug)]
pub struct WrongOptions(Error);

impl fmt::Display for WrongOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}

impl error::Error for WrongOptions {}

/// Marks an error as a mistake in the options, so that the program ends with status 2.
pub fn wrong_options(error: Error) -> Error {
    WrongOptions(error).into()
}

/// The exit code of a program. Writes an error to standard error, behind the program's name.
pub fn ended(program: &str, result: Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) if reader_has_gone(&error) => ExitCode::SUCCESS,
        Err(error) => failed(program, &error),
    }
}

/// The exit code of a program that failed. Writes the error to standard error, behind the program's name.
pub fn failed(program: &str, error: &Error) -> ExitCode {
    eprintln!("{program}: {error:#}");
    if error.is::<WrongOptions>() { ExitCode::from(WRONG_OPTIONS) } else { ExitCode::FAILURE }
}

/// Whether the program that reads our output has stopped reading, as `head` does. That is not a failure.
pub fn reader_has_gone(error: &Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn a_mistake_in_the_options_keeps_its_words_and_its_mark_in_every_context() {
        let marked = wrong_options(anyhow!("above 20").context("--epsilon"));
        assert_eq!(format!("{marked:#}"), "--epsilon: above 20");
        let within = marked.context("with --statements");
        assert_eq!(format!("{within:#}"), "with --statements: --epsilon: above 20");
        assert!(within.is::<WrongOptions>() && !anyhow!("--epsilon: above 20").is::<WrongOptions>());
    }
}
