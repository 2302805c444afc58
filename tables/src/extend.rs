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

#[cfg(test)]
mod tests {
    use ndarray::array;
    use textveil::account::gaussian;
    use textveil::seeded_rng;

    use super::union::tests::numbers;
    use super::*;

    const BUDGETS: [Budget; 6] = [
        Budget { epsilon: 0.1, delta: 1e-6, naming: 0.2 },
        Budget { epsilon: 1.0, delta: 1e-9, naming: 0.2 },
        Budget { epsilon: 3.0, delta: 1e-6, naming: 0.0 },
        Budget { epsilon: 3.0, delta: 1e-6, naming: 0.2 },
        Budget { epsilon: 3.0, delta: 0.05, naming: 0.5 },
        Budget { epsilon: 8.0, delta: 1e-5, naming: 0.9 },
    ];

    fn request(budget: &Budget, space: &Space) -> Request {
        budget.request(space, ["bloop", "zorp"].map(String::from).into(), Noise::Sum).expect("a request")
    }

    /// ρ of a user who moves the weights of words and the sum of contexts by `norm` each: noise of variance σ² costs
    /// norm²/2σ², and ρ adds up.
    fn rho(budget: &Budget, norm: f64) -> f64 {
        let contexts = request(budget, &Space::english().expect("contexts")).variance().get();
        let naming = if budget.naming > 0.0 { numbers(&budget.union(60).expect("a union")).0 } else { f64::INFINITY };
        norm * norm / (2.0 * naming) + norm * norm / (2.0 * contexts)
    }

    /// δ without the fifth of it that naming words takes.
    fn delta_of_noise(budget: &Budget) -> f64 {
        budget.delta * if budget.naming > 0.0 { 0.8 } else { 1.0 }
    }

    #[test]
    fn naming_words_and_learning_them_cost_epsilon_together_and_hardly_less() {
        for budget in BUDGETS {
            let (rho, delta) = (rho(&budget, 4096.0), delta_of_noise(&budget));
            let lost = zcdp::epsilon(rho, delta).expect("a loss");
            assert!(lost <= budget.epsilon && lost > 0.999 * budget.epsilon, "{budget:?}: {lost}");
            // Both are one Gaussian mechanism, whose exact δ is below the bound by ρ.
            let exact = gaussian::delta(1.0, (2.0 * rho).sqrt(), budget.epsilon).expect("a loss");
            assert!(exact <= delta, "{budget:?}: {exact:e}");
        }
    }

    #[test]
    fn naming_takes_the_stated_share_of_rho() {
        for budget in BUDGETS.into_iter().filter(|budget| budget.naming > 0.0) {
            let (variance, _) = numbers(&budget.union(60).expect("a union"));
            let share = 4096.0 * 4096.0 / (2.0 * variance) / rho(&budget, 4096.0);
            assert!((share - budget.naming).abs() < 1e-6, "{budget:?}: {share}");
        }
    }

    #[test]
    fn words_of_one_user_alone_are_named_with_the_rest_of_delta_at_most() {
        for budget in BUDGETS.into_iter().filter(|budget| budget.naming > 0.0) {
            for most in [1, 60] {
                let (variance, threshold) = numbers(&budget.union(most).expect("a union"));
                let named = |words: u32| {
                    let weight = (4096.0 / f64::from(words).sqrt()).floor();
                    // A discrete Gaussian reaches m with the probability that a Gaussian exceeds m - 1, at most.
                    let missing = threshold as f64 - weight - 1.0;
                    let one = 0.5 * libm::erfc(missing / (2.0 * variance).sqrt());
                    -libm::expm1(f64::from(words) * libm::log1p(-one))
                };
                let worst = (1..=most).map(named).fold(0.0, f64::max);
                let rest = budget.delta - delta_of_noise(&budget);
                assert!(worst <= rest && worst > 0.9 * rest, "{budget:?} {most}: {worst:e}");
            }
        }
    }

    #[test]
    fn a_user_with_a_smaller_budget_loses_no_more_than_it_and_hardly_less() {
        for budget in BUDGETS {
            for epsilon in [0.01, 0.3, 0.999, 1.0].map(|part| part * budget.epsilon) {
                let part = share(&budget, epsilon).expect("within");
                let lost = zcdp::epsilon(rho(&budget, 4096.0 * part), delta_of_noise(&budget)).expect("a loss");
                assert!(lost <= epsilon && lost > 0.999 * epsilon, "{budget:?} {epsilon}: {lost}");
            }
            for epsilon in [0.0, -1.0, 1.001 * budget.epsilon, f64::NAN, f64::INFINITY] {
                assert!(share(&budget, epsilon).is_err(), "{budget:?} {epsilon}");
            }
        }
    }

    #[test]
    fn all_texts_of_a_user_together_move_the_sum_by_no_more_than_the_share_of_the_norm() {
        let vectors = array![[3.0, 4.0, 0.0], [0.0, -5.0, 12.0]];
        let table = crate::bare(["milk", "warm"].map(String::from).into_iter(), &vectors).expect("a table");
        let mut space = Space::english().expect("contexts");
        space.table = table.id().to_string();
        space.mean = vec![0; 3];
        let request = request(&BUDGETS[3], &space);
        let texts = ["A warm zorp.", "Milk in a bloop", "warm milk, and zorp"].map(String::from);
        // The seed gives both the same noise, which the difference takes off.
        let released = |texts: &[String], part| {
            let mut learning = Learning::new(Contributor::new(request.clone(), table.clone()).expect("its table"));
            learning.add(texts, part).expect("short texts");
            learning.release(&mut seeded_rng([1; 32])).expect("noise").0
        };
        let without = released(&[], 1.0);
        for part in [1.0, share(&BUDGETS[3], 1.0).expect("within"), 0.1] {
            let with = released(&texts, part);
            let squares = with.iter().zip(&without).map(|(with, without)| ((with - without) as f64).powi(2));
            let (norm, most) = (squares.sum::<f64>().sqrt(), 4096.0 * part);
            // The norm is rounded down, and so are six numbers.
            assert!(norm <= most && norm > most - 7.0, "{part}: {norm}");
        }
    }

    #[test]
    fn without_a_share_for_it_no_words_are_named() {
        for naming in [0.0, -0.1, 1.0, f64::NAN] {
            assert!(Budget { epsilon: 3.0, delta: 1e-6, naming }.union(60).is_err(), "{naming}");
        }
    }
}
