//! What papers and their released programs do, or others might, and the product does not offer, in a few lines each, on
//! the product's exact samplers.

use std::num::NonZero;

use anyhow::{Context, Result};
use textveil::sampler::{Scale, Tail, below, discrete_laplace};
use textveil::{Loss, ReleaseRng, Table, WordId};

use super::case::{Case, Event, Expectation, Input, Trial};
use super::product::{STEPS, UNIT_STEPS, diagonal, farthest_coordinate, opposite, unit_corner};
use textveil_toolkit::mechanism::published::{AveragedBudget, released_radius};

/// DPNR's released program: one scalar of noise for all coordinates, so that their differences come through
/// exactly.
pub(super) struct OneScalar {
    scale: Scale,
}

impl OneScalar {
    /// # Errors
    /// The scale is beyond the sampler.
    pub(super) fn case(name: String, epsilon: f64, samples: usize) -> Result<Case> {
        Ok(Case {
            name,
            claimed: Loss::pure(epsilon),
            proved: None,
            expectation: Expectation::Refuted,
            samples,
            attack: "(1, 0) and (0, 1); first coordinate above the second".to_owned(),
            event: Event::Above(0.0),
            trial: Box::new(Self { scale: Scale::at_least(f64::from(UNIT_STEPS) / epsilon)? }),
        })
    }
}

impl Trial for OneScalar {
    fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64> {
        let noise = discrete_laplace(self.scale, rng);
        let noisy = unit_corner(2, matches!(input, Input::First)).into_iter().map(|x| i64::from(x) + noise);
        Ok(noisy.reduce(|first, second| first - second).unwrap_or(0) as f64)
    }
}

/// The truncated Laplace mechanism with the radius of its released program. The program does not clip its
/// vectors; here they are clipped, as the paper says.
pub(super) struct ReleasedRadius {
    noise: Tail,
    inputs: [Vec<i32>; 2],
}

impl ReleasedRadius {
    /// # Errors
    /// Noise beyond the sampler.
    pub(super) fn case(name: String, dims: usize, claimed: Loss, samples: usize) -> Result<Case> {
        let noise = released_radius(dims as u64, STEPS, claimed.epsilon)?;
        Ok(Case {
            name,
            claimed,
            proved: None,
            expectation: Expectation::Refuted,
            samples,
            attack: format!("{dims} dimensions, ±(1, …, 1)/√n; outside the other's support"),
            event: Event::Above((noise.radius() + 0.5).floor()),
            trial: Box::new(Self {
                noise: Tail::truncated_laplace(noise.rate(), noise.radius())?,
                inputs: opposite(diagonal(dims)),
            }),
        })
    }
}

impl Trial for ReleasedRadius {
    fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64> {
        let noisy: Vec<i32> = self.inputs[input as usize].iter().map(|x| x + self.noise.draw(rng) as i32).collect();
        Ok(farthest_coordinate(&noisy, &self.inputs[1]))
    }
}

/// dpUGC's Algorithm 1-b, as one user sees it: a gradient of the clipping norm in a direction of its own in
/// every step, or nothing.
pub(super) struct SummedSteps {
    steps: u64,
    noise: Tail,
}

impl SummedSteps {
    /// Lattice steps to the clipping norm.
    const GRID: f64 = 1024.0;

    /// # Errors
    /// Noise beyond the sampler.
    pub(super) fn case(name: String, budget: AveragedBudget, samples: usize) -> Result<Case> {
        let [claimed, proved] = budget.losses()?;
        let AveragedBudget { steps, sigma, .. } = budget;
        Ok(Case {
            name,
            claimed,
            proved: Some(proved),
            expectation: Expectation::Refuted,
            samples,
            attack: format!("a gradient of the clipping norm in {steps} steps, or none; sum above a pilot's threshold"),
            event: Event::Pilot,
            trial: Box::new(Self { steps, noise: Tail::gaussian(sigma * Self::GRID)? }),
        })
    }
}

impl Trial for SummedSteps {
    fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64> {
        let gradient = if matches!(input, Input::First) { Self::GRID } else { 0.0 };
        Ok((0..self.steps).map(|_| gradient + self.noise.draw(rng) as f64).sum())
    }
}

/// `nearest` without the rows outside: one of the rows nearest to a word, and never another. What chooses among a word's
/// neighbours alone tells words with other neighbours apart for certain, whatever its weights are.
pub(super) struct NeighboursAlone {
    neighbours: [Vec<WordId>; 2],
}

impl NeighboursAlone {
    const MANY: NonZero<u128> = NonZero::new(16).expect("above zero");

    /// # Errors
    /// The table lacks one of the two words.
    pub(super) fn case(name: String, table: &Table, words: [&str; 2], claimed: Loss, samples: usize) -> Result<Case> {
        let [one, other] = words.map(|word| table.find(word).context("the table lacks a word of the pair"));
        let neighbours = |word| Self::neighbours(table, word);
        Ok(Case {
            name,
            claimed,
            proved: None,
            expectation: Expectation::Refuted,
            samples,
            attack: format!("\"{}\" and \"{}\"; none of the other's neighbours comes out", words[0], words[1]),
            event: Event::Above(0.5),
            trial: Box::new(Self { neighbours: [neighbours(one?), neighbours(other?)] }),
        })
    }

    fn neighbours(table: &Table, word: WordId) -> Vec<WordId> {
        let mut rows: Vec<WordId> = table.rows().filter(|row| table.is_offered(*row)).collect();
        rows.sort_by_key(|row| table.distance_squared(*row, word));
        rows.truncate(Self::MANY.get() as usize);
        rows
    }
}

impl Trial for NeighboursAlone {
    fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64> {
        let drawn = self.neighbours[input as usize].get(below(Self::MANY, rng) as usize).context("a small table")?;
        Ok(f64::from(u8::from(!self.neighbours[1].contains(drawn))))
    }
}

#[cfg(test)]
mod tests {
    use indicatif::ProgressBar;

    use super::*;

    #[test]
    fn neighbours_alone_tell_words_apart_by_more_than_any_claim_that_samples_can_refute() {
        let table = Table::english().expect("the built-in table");
        let case = NeighboursAlone::case(String::new(), &table, ["cancer", "diabetes"], Loss::pure(4.0), 2_000);
        let outcome = case.expect("two words").run(1, &ProgressBar::hidden()).expect("draws");
        assert_eq!(outcome.hits, [2_000, 0]);
        assert!(outcome.claim_refuted && outcome.is_as_expected(), "{:?}", outcome.epsilon);
    }
}
