//! How a command ends.

use std::io;
use std::process::ExitCode;

use anyhow::{Error, Result};

/// The exit code of a program. Writes an error to standard error, behind the program's name.
pub fn ended(program: &str, result: Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) if reader_has_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{program}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the program that reads our output has stopped reading, as `head` does. That is not a failure.
pub fn reader_has_gone(error: &Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}
