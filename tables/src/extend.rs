//! New words for a table, from the texts of many users under user-level differential privacy.
//!
//! The words are named by a file or by a [`Union`]. Each user's contribution is what a device would send
//! (`textveil_contribute`); the sum is released once under noise. A [`Space`] turns the noisy mean contexts into directions by a map
//! that was fitted on public text, and [`Extended`] has the words in the table. All of that comes after the noise, and costs
//! nothing more.

mod place;
mod space;
mod union;

use anyhow::{Result, ensure};
use textveil::account::zcdp;
use textveil::{Loss, ReleaseRng};
use textveil_contribute::{Contributor, Guarantee, Noise, Request, Sum, Terms};

pub use place::{Answers, Drowned, Extended, Learned, without};
pub use space::Space;
pub use union::{Candidates, Union};

/// Words of one user that count, at most.
pub const WORDS_EACH: u32 = 60;
/// The norm of a contribution in lattice steps. Rounding to them moves it by less than a hundredth.
pub const NORM: u32 = 4096;

/// ε and δ of every user, and how they are spent.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// ε for a user without a budget of their own.
    pub epsilon: f64,
    /// δ of every user.
    pub delta: f64,
    /// The share of ρ that naming the words takes, from 0 (they are public) to below 1.
    pub naming: f64,
}

impl Budget {
    /// The δ that words of one user alone may be named with: nothing if the words are public.
    fn delta_of_naming(&self) -> f64 {
        if self.naming > 0.0 { 0.2 * self.delta } else { 0.0 }
    }

    fn rho(&self) -> Result<f64> {
        ensure!((0.0..1.0).contains(&self.naming), "the share for naming words is not from 0 to below 1");
        Ok(zcdp::largest_rho(Loss { epsilon: self.epsilon, delta: self.delta - self.delta_of_naming() })?)
    }

    /// What collects the words that may be named.
    ///
    /// # Errors
    /// Numbers out of range, or no share for it.
    pub fn union(&self, most: u32) -> Result<Union> {
        Union::new(most, self.naming * self.rho()?, self.delta_of_naming())
    }

    /// The request for the contexts of `words`, with the rest of the budget.
    ///
    /// # Errors
    /// Numbers out of range, and invalid or too many words.
    pub fn request(&self, space: &Space, words: Vec<String>, noise: Noise) -> Result<Request> {
        let delta = self.delta - self.delta_of_naming();
        let epsilon =
            if self.naming > 0.0 { zcdp::epsilon((1.0 - self.naming) * self.rho()?, delta)? } else { self.epsilon };
        Ok(Request::new(Terms {
            table: space.table.clone(),
            dims: space.mean.len() as u32,
            window: space.window,
            mean: space.mean.clone(),
            words,
            words_each: WORDS_EACH,
            norm: NORM,
            noise,
            epsilon,
            delta,
        })?)
    }
}

/// Adds up what users' texts say, one user after the other.
pub struct Learning {
    contributor: Contributor,
    sum: Sum,
}

impl Learning {
    /// A sum without contributions yet.
    #[must_use]
    pub fn new(contributor: Contributor) -> Self {
        let sum = Sum::new(contributor.request().clone());
        Self { contributor, sum }
    }

    /// Adds a user. `share` is the part of the norm that the user's own budget allows, 1 without one.
    ///
    /// # Errors
    /// A text that is too long.
    pub fn add(&mut self, texts: &[String], share: f64) -> Result<()> {
        let mut gathered = self.contributor.gathered();
        for text in texts {
            self.contributor.read(&textveil::normalize(text), &mut gathered)?;
        }
        let norm = (f64::from(self.contributor.request().norm()) * share) as u32;
        let contribution = self.contributor.clipped(&gathered, norm.min(self.contributor.request().norm()));
        Ok(self.sum.add(contribution.exact())?)
    }

    /// The noisy sum, with what is proved of it: nothing if the seed of `rng` is known.
    ///
    /// # Errors
    /// The request has its noise from devices.
    pub fn release(self, rng: &mut ReleaseRng) -> Result<(Vec<i64>, Guarantee)> {
        let guarantee = self.contributor.request().guarantee().of_draw(rng);
        Ok((self.sum.release(rng)?, guarantee))
    }
}

/// The part of every norm that a user's own ε allows.
///
/// # Errors
/// An ε that is not above 0, or above that of all.
pub fn share(budget: &Budget, epsilon: f64) -> Result<f64> {
    ensure!(epsilon > 0.0 && epsilon <= budget.epsilon, "an epsilon is not above 0 and at most {}", budget.epsilon);
    let delta = budget.delta - budget.delta_of_naming();
    let rho = |epsilon| zcdp::largest_rho(Loss { epsilon, delta });
    Ok((rho(epsilon)? / rho(budget.epsilon)?).sqrt() * (1.0 - 1e-9))
}
