//! What papers and their released programs do and the product does not offer, in a few lines each, on the
//! product's exact samplers.

use anyhow::Result;
use textveil::sampler::{Scale, Tail, discrete_laplace};
use textveil::{Loss, ReleaseRng};

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
