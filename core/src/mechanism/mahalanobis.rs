//! Multivariate Laplace noise in the shape of the vocabulary, then the nearest word. There is more noise along the
//! directions in which words spread.
//!
//! # Privacy
//! Metric DP with constant η **in the norm ‖z‖_M = ‖L⁻¹z‖**. Here L·Lᵀ = Σ = λ·C/τ + (1 − λ)·I, with the covariance C
//! of the table's rows and their mean variance τ. Proof: let z = L·w, where w has density ∝ e^(−η‖w‖). Then z has
//! density ∝ e^(−η‖L⁻¹z‖). The rest is the proof of `metric-laplace` with that norm.
//!
//! It is **not** a bound in the Euclidean distance. There only ‖z‖_M ≤ ‖z‖/√(least eigenvalue of Σ) holds. The
//! worst-case ε covers all pairs of rows in ‖·‖_M, by a ball around their rounded mean. A word that the vocabulary
//! lacks stands at that mean.
//!
//! Source: Xu, Aggarwal, Feyisetan and Teissier, PrivateNLP 2020.

use alloc::vec::Vec;

use rand_core::CryptoRng;

use super::{Card, Gives, Inputs, Mechanism, Metric, Noise, Prepared, Proof, Randomizer, UPWARDS};
use crate::privacy::space::Moments;
use crate::sampler::multivariate_laplace::{continuous_noise, to_lattice};
use crate::{Error, Parameter, Table};

pub(super) const CARD: Card = Card {
    name: "mahalanobis",
    parameters: &[Parameter::Eta, Parameter::Epsilon, Parameter::Lambda],
    gives: Gives::WordsAndVectors,
    has_published: false,
    prepare,
};

/// The largest λ: Σ has no eigenvalue below 1 − λ, so that L is well enough conditioned for [`ROUNDING`].
const LARGEST_LAMBDA: f64 = 0.999;
/// An upper bound of the relative rounding error of a norm ‖L⁻¹z‖. It includes the errors of L and of the forward
/// substitution: dims²·2⁻⁵³ times the condition of L, which is at most √(dims/(1 − λ)).
const ROUNDING: f64 = 1.0 + 1e-7;

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let table = inputs.table()?;
    let lambda = mechanism.required(Parameter::Lambda)?;
    let shape = (lambda <= LARGEST_LAMBDA).then(|| Shape::new(table, lambda)).flatten();
    let shape = shape.ok_or(Error::Invalid(Parameter::Lambda))?;
    let diameter = shape.diameter(table);
    let eta = mechanism.eta(inputs, diameter)?;
    let proof = Proof::metric(eta, Metric::Mahalanobis(lambda), eta * diameter * UPWARDS);
    let proof = proof.off_by(total_variation(eta, table.dims(), table.scale()));
    // Rounding may make the norm by the computed L smaller than the norm by Σ, by this factor.
    let noise = Mahalanobis { eta: eta / ROUNDING, step: table.scale(), shape };
    Ok(Prepared { proof, randomizer: Randomizer::noise(noise, None) })
}

/// A bound of the total variation between the noise as computed and the ideal one, both rounded to the
/// lattice.
///
/// The argument of `multivariate_laplace`, with errors that are relative to the sum of a coordinate's terms,
/// not to the coordinate: below ρ·‖L_j‖·r/s with ρ = (3·dims + 128)·2⁻⁵³. The danger zones of coordinate j
/// then have the probability 2ρ·r·(‖g‖/|x| + ‖L_j‖/s), where x is a normal variate; the mean of min(1, c/|x|)
/// is below 32·c for every c that matters here, the mean of r is `dims`, ‖g‖ about √dims and Σ‖L_j‖ at most
/// dims (as Σ‖L_j‖² is).
fn total_variation(eta: f64, dims: usize, scale: f64) -> f64 {
    let dims = dims as f64;
    let unit = 1.0 / (1_u64 << 52) as f64;
    unit * (3.0 * dims + 128.0) * dims * dims * (32.0 * libm::sqrt(dims) + 1.0 / (eta * scale))
}

struct Mahalanobis {
    eta: f64,
    step: f64,
    shape: Shape,
}

impl Noise for Mahalanobis {
    fn draw(&self, dims: usize, rng: &mut dyn CryptoRng) -> Vec<i64> {
        let round = continuous_noise(self.eta, dims, self.step, rng);
        self.shape.0.iter().map(|row| to_lattice(row.iter().zip(&round).map(|(l, w)| l * w).sum())).collect()
    }
}

/// The lower triangle L, row by row.
struct Shape(Vec<Vec<f64>>);

impl Shape {
    /// The Cholesky factor of Σ; `None` if rounding destroys its positive definiteness.
    fn new(table: &Table, lambda: f64) -> Option<Self> {
        let covariance = Moments::of(table).covariance();
        let variances: f64 = covariance.iter().enumerate().map(|(j, row)| row[j]).sum();
        let mean = variances / table.dims() as f64;
        let mut factor: Vec<Vec<f64>> = Vec::with_capacity(table.dims());
        for (j, row) in covariance.iter().enumerate() {
            let mut shape: Vec<f64> = Vec::with_capacity(j + 1);
            for (k, c) in row.iter().take(j + 1).enumerate() {
                let spread = if mean > 0.0 { lambda * (c / mean) } else { 0.0 };
                let sigma = if j == k { spread + (1.0 - lambda) } else { spread };
                let above = factor.get(k).map_or(shape.as_slice(), Vec::as_slice);
                let rest = shape.iter().zip(above).take(k).fold(sigma, |rest, (a, b)| rest - a * b);
                if j != k {
                    shape.push(rest / above[k]);
                } else if rest > 0.0 {
                    shape.push(libm::sqrt(rest));
                } else {
                    return None;
                }
            }
            factor.push(shape);
        }
        Some(Self(factor))
    }

    /// An upper bound of the distance of two rows in ‖·‖_M, in units of the table.
    fn diameter(&self, table: &Table) -> f64 {
        let center = Moments::of(table).rounded_mean();
        let farthest = table.vectors_by_row().map(|row| {
            let offset = row.iter().zip(&center).map(|(v, c)| f64::from(i32::from(*v) - c));
            self.squared_norm(offset)
        });
        2.0 * table.scale() * libm::sqrt(farthest.fold(0.0, f64::max)) * ROUNDING
    }

    /// ‖L⁻¹z‖², by forward substitution.
    fn squared_norm(&self, z: impl Iterator<Item = f64>) -> f64 {
        let mut solved: Vec<f64> = Vec::with_capacity(self.0.len());
        for (row, z) in self.0.iter().zip(z) {
            let rest = row.iter().zip(&solved).fold(z, |rest, (l, y)| rest - l * y);
            solved.push(rest / row[solved.len()]);
        }
        solved.iter().map(|y| y * y).sum()
    }
}
