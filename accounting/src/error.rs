//! The errors of an accountant.

use core::fmt;

/// The kind of number that is out of its range. `textveil::Error` is made of it, with a code and a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An ε.
    Epsilon,
    /// A δ.
    Delta,
    /// An η or a β: nats by distance.
    Eta,
    /// The distance at which a metric is cut off.
    Gamma,
    /// A bound of what is protected: a norm, a sensitivity, a coordinate.
    Clip,
    /// A skew.
    Lambda,
    /// A scale of noise.
    Scale,
    /// A share of words to drop.
    Dropout,
    /// A count, a probability or an order.
    Argument,
    /// A coordinate.
    Vector,
    /// How many numbers there are.
    Dimensions,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Epsilon => "epsilon",
            Self::Delta => "delta",
            Self::Eta => "eta",
            Self::Gamma => "gamma",
            Self::Clip => "a bound",
            Self::Lambda => "lambda",
            Self::Scale => "the scale of noise",
            Self::Dropout => "the rate of word dropout",
            Self::Argument => "a count, a probability or an order",
            Self::Vector => "a coordinate",
            Self::Dimensions => "the number of dimensions",
        };
        write!(f, "{kind} is out of its range")
    }
}

impl core::error::Error for Error {}
