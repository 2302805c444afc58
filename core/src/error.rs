//! One small error type, without any of the user's text.

use core::fmt;

/// Everything that can be refused. [`Error::code`] is the contract in every language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The table's bytes break the format; the reason names the rule.
    BadTable(&'static str),
    /// η is not a finite number in the range that the table's scale allows.
    InvalidEta,
    /// ε is not a finite number above zero, or too small to be told from zero.
    InvalidEpsilon,
    /// The table has no such level.
    InvalidLevel,
    /// No mechanism has that name.
    InvalidMechanism,
    /// An option has the wrong type or contradicts another one.
    InvalidOptions,
    /// The text is longer than [`crate::MAX_TEXT_BYTES`].
    TextTooLong,
    /// The source of randomness failed: nothing is released.
    EntropyUnavailable,
}

impl Error {
    /// The stable name of the error, the same in every language.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::BadTable(_) => "bad-table",
            Self::InvalidEta => "invalid-eta",
            Self::InvalidEpsilon => "invalid-epsilon",
            Self::InvalidLevel => "invalid-level",
            Self::InvalidMechanism => "invalid-mechanism",
            Self::InvalidOptions => "invalid-options",
            Self::TextTooLong => "text-too-long",
            Self::EntropyUnavailable => "entropy-unavailable",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadTable(rule) => write!(f, "the table is unusable: {rule}"),
            Self::InvalidEta => f.write_str("eta must be a number from 1e-6 to a million lattice steps of the table"),
            Self::InvalidEpsilon => {
                f.write_str("epsilon must be a finite number above zero, and not too small or too large for the table")
            }
            Self::InvalidLevel => f.write_str("the table has no such level"),
            Self::InvalidMechanism => f.write_str("there is no mechanism of that name"),
            Self::InvalidOptions => f.write_str("an option has the wrong type, is unknown, or contradicts another one"),
            Self::TextTooLong => f.write_str("the text is longer than one release may be (1 MiB)"),
            Self::EntropyUnavailable => f.write_str("no secure randomness: nothing was released"),
        }
    }
}

impl core::error::Error for Error {}
