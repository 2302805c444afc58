//! A mechanism on the command line: its options, what it works on, and why the core refused it.

mod explain;
mod options;
pub mod published;
mod source;

pub use explain::Request;
pub use options::{
    MechanismOptions, mechanisms, parametrized, representing_mechanisms, word_mechanisms,
    word_mechanisms_and_randomized_response,
};
pub use source::Source;
