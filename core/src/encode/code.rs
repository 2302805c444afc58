//! Sign, integer and fraction bits of a number, as Lyu et al., SIGIR 2020, encode the elements of a vector.

use alloc::vec::Vec;

use crate::{Error, Parameter};

/// A fixed-point code: one sign bit, then integer and fraction bits, the highest first.
///
/// |x| is rounded to a multiple of 2^(−fraction bits), halves to the even one, and what is too large becomes the
/// largest number of the code. Zero has the sign 0. (The paper states no rounding.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinaryCode {
    integer: u32,
    fraction: u32,
}

impl BinaryCode {
    /// The most bits before, and behind, the point.
    const LARGEST_PART: u32 = 15;

    /// A code of 1 + `integer` + `fraction` bits.
    ///
    /// # Errors
    /// [`Error::Invalid`] above 15 bits of either kind.
    pub const fn new(integer: u32, fraction: u32) -> Result<Self, Error> {
        if integer > Self::LARGEST_PART {
            return Err(Error::Invalid(Parameter::IntegerBits));
        }
        if fraction > Self::LARGEST_PART {
            return Err(Error::Invalid(Parameter::FractionBits));
        }
        Ok(Self { integer, fraction })
    }

    /// Bits of a code word.
    #[must_use]
    pub const fn bits(self) -> u32 {
        1 + self.integer + self.fraction
    }

    /// The code word of `x`.
    ///
    /// # Errors
    /// [`Error::InvalidVector`] for what is not a number.
    pub fn encode(self, x: f64) -> Result<impl Iterator<Item = bool> + use<>, Error> {
        if x.is_nan() { Err(Error::InvalidVector) } else { Ok(self.word(x)) }
    }

    /// The code word of a number.
    pub(crate) fn word(self, x: f64) -> impl Iterator<Item = bool> + use<> {
        let places = self.integer + self.fraction;
        let largest = (1_u32 << places) - 1;
        // The cast brings what is out of range to the range's ends.
        let magnitude = (libm::rint(libm::fabs(x) * f64::from(1_u32 << self.fraction)) as u32).min(largest);
        let word = magnitude | u32::from(x < 0.0 && magnitude > 0) << places;
        (0..=places).rev().map(move |place| word >> place & 1 == 1)
    }

    /// The number that a code word stands for.
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`] unless there are [`BinaryCode::bits`] of them.
    pub fn decode(self, bits: &[bool]) -> Result<f64, Error> {
        match bits {
            [sign, places @ ..] if bits.len() == self.bits() as usize => {
                let magnitude = places.iter().fold(0_u32, |word, bit| word << 1 | u32::from(*bit));
                let value = f64::from(magnitude) / f64::from(1_u32 << self.fraction);
                Ok(if *sign { -value } else { value })
            }
            _ => Err(Error::DimensionMismatch),
        }
    }
}

/// Bits in bytes, the first in the highest place. The last byte is filled with zeros.
#[must_use]
pub fn packed(bits: &[bool]) -> Vec<u8> {
    bits.chunks(8).map(|byte| byte.iter().enumerate().map(|(place, bit)| u8::from(*bit) << (7 - place)).sum()).collect()
}
