//! The sum of contributions, and its release under noise.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use textveil::ReleaseRng;
use textveil::sampler::discrete_gaussian;

use crate::contribution::check;
use crate::{Error, Noise, Request};

/// Contributions, in all: sums then fit into 64 bits with room to spare.
const MOST: u64 = 1 << 40;

/// Adds up contributions, in memory that does not grow with the users. It shows its numbers under noise alone.
pub struct Sum {
    request: Request,
    numbers: Vec<i64>,
    users: u64,
}

/// Without its numbers, which have no noise yet.
impl fmt::Debug for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sum").field("request", &self.request).field("users", &self.users).finish_non_exhaustive()
    }
}

impl Sum {
    /// A sum without contributions yet.
    #[must_use]
    pub fn new(request: Request) -> Self {
        let numbers = vec![0; request.len()];
        Self { request, numbers, users: 0 }
    }

    /// Adds one user's contribution. The caller must add each user once. A sum knows no users and cannot notice a repetition,
    /// and a user who is added twice loses more than the guarantee says.
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`] or [`Error::NormExceeded`] for an invalid contribution. [`Error::TooMany`] after
    /// 2⁴⁰.
    pub fn add(&mut self, contribution: &[i32]) -> Result<(), Error> {
        check(&self.request, contribution)?;
        if self.users == MOST {
            return Err(Error::TooMany);
        }
        self.users += 1;
        self.numbers.iter_mut().zip(contribution).for_each(|(sum, number)| *sum += i64::from(*number));
        Ok(())
    }

    /// The sum under exact discrete Gaussian noise. It takes the sum, which is released once. Its guarantee is that of
    /// [`Request::guarantee`], and [`crate::Guarantee::of_draw`] of the same generator.
    ///
    /// # Errors
    /// [`Error::NoiseElsewhere`] if the request has its noise from devices.
    pub fn release(self, rng: &mut ReleaseRng) -> Result<Vec<i64>, Error> {
        if self.request.terms().noise != Noise::Sum {
            return Err(Error::NoiseElsewhere);
        }
        Ok(self.numbers.iter().map(|number| number + discrete_gaussian(self.request.variance(), rng)).collect())
    }
}
