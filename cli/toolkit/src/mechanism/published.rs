//! What papers and their released programs do that the product does not offer, in numbers: once for the
//! audits, which draw from it, and for the reproductions, which print it.

use textveil::account::gaussian;
use textveil::account::truncated_laplace::{ClippedVectors, TruncatedLaplace};
use textveil::{Error, Loss};

/// The noise of TrLaplace's released program, A = −(D₁/ε)·ln(1 − 2ε/√d), for vectors of that norm.
///
/// # Errors
/// No dimensions, an invalid norm, or an ε for which A is not defined.
pub fn released_radius(dims: u64, norm: f64, epsilon: f64) -> Result<TruncatedLaplace, Error> {
    let rate = epsilon / ClippedVectors::new(dims, norm)?.l1();
    Ok(TruncatedLaplace::new(rate, -libm::log1p(-2.0 * epsilon / (dims as f64).sqrt()) / rate)?)
}

/// dpUGC's Algorithm 1-b: Gaussian noise in each step. All L users take part in all steps, and each is charged an L-th
/// of them.
#[derive(Clone, Copy)]
pub struct AveragedBudget {
    /// Their number.
    pub users: u64,
    /// The steps of a training.
    pub steps: u64,
    /// The noise's standard deviation, in units of the clipping norm.
    pub sigma: f64,
    /// δ of all steps together, before it is divided among the users.
    pub delta: f64,
}

impl AveragedBudget {
    /// The example of audits and reproductions.
    pub const EXAMPLE: Self = Self { users: 1000, steps: 100, sigma: 5.0, delta: 1e-5 };

    /// What is claimed, and what a user loses **at the claim's δ**: the steps add up to one Gaussian.
    ///
    /// # Errors
    /// A number out of range.
    pub fn losses(self) -> Result<[Loss; 2], Error> {
        let (users, steps) = (self.users as f64, self.steps as f64);
        let step = gaussian::epsilon(self.sigma, 1.0, self.delta / steps)?;
        let claimed = Loss { epsilon: steps * step / users, delta: self.delta / users };
        let proved = Loss { epsilon: gaussian::epsilon(self.sigma, steps.sqrt(), claimed.delta)?, ..claimed };
        Ok([claimed, proved])
    }
}
