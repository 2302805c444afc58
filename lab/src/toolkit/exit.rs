//! How a command ends.

use std::io;

use anyhow::Error;

/// Whether the program that reads our output has stopped reading, as `head` does. That is not a failure.
pub(crate) fn reader_has_gone(error: &Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}
