//! Masks of a fixed size: how many words a share of them is.
//!
//! Dropping words before a mechanism amplifies its guarantee. [`Loss::after_dropout`](crate::Loss::after_dropout) and
//! [`Loss::after_exchange`](crate::Loss::after_exchange) say by how much and when. The share that is really dropped
//! counts. Lyu, He and Li (Findings of EMNLP 2020) round the number of words down. That drops fewer words than their
//! guarantee assumes, and in a text of one word it drops no word at all.

use libm::{ceil, floor, rint};

use crate::{Error, check};

/// How a share of words becomes a whole number of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Down, as published: fewer words are dropped than the guarantee assumes.
    Floor,
    /// Up: the guarantee of the share holds.
    Ceil,
    /// To the nearest, ties to even.
    HalfEven,
}

/// A uniformly random set of words of a fixed size, all dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedMask {
    zeros: f64,
    words: f64,
}

impl FixedMask {
    /// The mask that drops `share` of that many words, rounded so.
    ///
    /// # Errors
    /// [`Error::Argument`] for no words, [`Error::Dropout`] for a share outside 0 to 1.
    pub fn new(words: u64, share: f64, rounding: Rounding) -> Result<Self, Error> {
        let words = check::count(words, 1)?;
        check::dropout(share)?;
        let zeros = match rounding {
            Rounding::Floor => floor(words * share),
            Rounding::Ceil => ceil(words * share),
            Rounding::HalfEven => rint(words * share),
        };
        Ok(Self { zeros, words })
    }

    /// How many words are dropped.
    #[must_use]
    pub const fn zeros(&self) -> u64 {
        self.zeros as u64
    }

    /// The share that is really dropped, z/n: the μ of the guarantee.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.zeros / self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_down_can_drop_nothing() -> Result<(), Error> {
        assert_eq!(FixedMask::new(1, 0.5, Rounding::Floor)?.zeros(), 0);
        assert_eq!(FixedMask::new(1, 0.5, Rounding::HalfEven)?.zeros(), 0);
        assert_eq!(FixedMask::new(1, 0.5, Rounding::Ceil)?.share(), 1.0);
        Ok(())
    }
}
