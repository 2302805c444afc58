//! The errors of this crate. No message has a word of a user.

use core::fmt;

/// Everything that can be refused. [`Error::code`] is the contract in every language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The request breaks a rule, which the reason names.
    BadRequest(&'static str),
    /// The table is not the one whose contexts the request asks for.
    OtherTable,
    /// A user's own ε is not a number above zero, or it is above the request's.
    InvalidEpsilon,
    /// A vector has not as many numbers as the request asks for.
    DimensionMismatch,
    /// A vector is longer than the request's norm: it is no contribution.
    NormExceeded,
    /// The request leaves the noise to others: to the devices, to more devices than a device counts on, or to the holder of the
    /// sum.
    NoiseElsewhere,
    /// More contributions than the sum has room for.
    TooMany,
    /// The device has answered the request already: a second answer would spend the user's ε again.
    AlreadyContributed,
    /// The sum was released already.
    AlreadyReleased,
    /// An error of `textveil` itself, such as a text that is too long.
    Text(textveil::Error),
}

impl Error {
    /// The stable name of the error, the same in every language.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::BadRequest(_) => "bad-request",
            Self::OtherTable => "other-table",
            Self::InvalidEpsilon => "invalid-epsilon",
            Self::DimensionMismatch => "dimension-mismatch",
            Self::NormExceeded => "norm-exceeded",
            Self::NoiseElsewhere => "noise-elsewhere",
            Self::TooMany => "too-many",
            Self::AlreadyContributed => "already-contributed",
            Self::AlreadyReleased => "already-released",
            Self::Text(error) => error.code(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadRequest(reason) => write!(f, "the request for new words is invalid: {reason}"),
            Self::OtherTable => f.write_str("the request reads contexts by another table"),
            Self::InvalidEpsilon => f.write_str("a user's epsilon must be above 0 and at most the request's"),
            Self::DimensionMismatch => f.write_str("the vector has another length than the request asks for"),
            Self::NormExceeded => f.write_str("the vector is longer than the request's norm"),
            Self::NoiseElsewhere => f.write_str("the request leaves the noise to another place"),
            Self::TooMany => f.write_str("the sum has no room for more contributions"),
            Self::AlreadyContributed => f.write_str("the request was answered already, and is answered once"),
            Self::AlreadyReleased => f.write_str("the sum was released already, and is released once"),
            Self::Text(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for Error {}

impl From<textveil::Error> for Error {
    fn from(error: textveil::Error) -> Self {
        Self::Text(error)
    }
}
