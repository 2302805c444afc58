//! A mechanism on the command line: its options, what it works on, and why the core refused it.

mod explain;
mod options;
pub(crate) mod published;
mod source;

pub(crate) use explain::Request;
pub(crate) use options::{MechanismOptions, mechanisms, parametrized, representing_mechanisms, word_mechanisms};
pub(crate) use source::Source;
