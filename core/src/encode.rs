//! Vectors, bits and answers are encoded here.

pub(crate) mod bits;
pub(crate) mod code;
#[cfg(feature = "all-mechanisms")]
pub(crate) mod representation;
pub(crate) mod text;
#[cfg(feature = "all-mechanisms")]
pub(crate) mod unary;
