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

#[cfg(test)]
mod tests {
    use textveil::account::zcdp;
    use textveil::{Loss, seeded_rng};

    use super::*;
    use crate::Terms;
    use crate::request::tests::terms;

    #[test]
    fn every_number_of_a_release_has_its_own_noise_as_large_as_the_terms_ask_for() {
        for (seed, epsilon, delta) in [(1, 0.5, 1e-6), (2, 3.0, 1e-6), (3, 8.0, 1e-9)] {
            let request = Request::new(Terms { epsilon, delta, ..terms() }).expect("a request");
            let mut rng = seeded_rng([seed; 32]);
            let runs: u32 = 400;
            let (mut squares, mut products) = (0.0, 0.0);
            for _ in 0..runs {
                let released = Sum::new(request.clone()).release(&mut rng).expect("noise");
                assert_eq!(released.len(), 6);
                squares += released.iter().map(|x| (*x as f64) * (*x as f64)).sum::<f64>();
                products += released.iter().zip(&released[1..]).map(|(x, y)| (*x as f64) * (*y as f64)).sum::<f64>();
            }
            // Noise of variance σ² on a sum that moves by Δ costs ρ = Δ²/2σ².
            let rho = zcdp::largest_rho(Loss { epsilon, delta }).expect("in range");
            let asked = 4096.0 * 4096.0 / (2.0 * rho);
            let ratio = squares / f64::from(6 * runs) / asked;
            // A chi-square of 2,400 degrees of freedom, over them: standard deviation .029.
            assert!((ratio - 1.0).abs() < 0.2, "{epsilon}: {ratio}");
            // The mean of 2,000 products of independent numbers: standard deviation .022.
            let correlation = products / f64::from(5 * runs) / asked;
            assert!(correlation.abs() < 0.15, "{epsilon}: {correlation}");
        }
    }

    #[test]
    fn under_the_same_noise_two_releases_differ_by_what_was_added() {
        let request = Request::new(terms()).expect("a request");
        let nothing = Sum::new(request.clone()).release(&mut seeded_rng([4; 32])).expect("noise");
        let mut sum = Sum::new(request);
        sum.add(&[4096, 0, 0, 0, 0, 0]).expect("a contribution");
        sum.add(&[1, -2, 3, -4, 5, -6]).expect("a contribution");
        let released = sum.release(&mut seeded_rng([4; 32])).expect("noise");
        let added: Vec<i64> = released.iter().zip(&nothing).map(|(with, without)| with - without).collect();
        assert_eq!(added, [4097, -2, 3, -4, 5, -6]);
    }
}
