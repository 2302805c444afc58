//! Multivariate Laplace noise shaped like the vocabulary, then the nearest word: more noise along the
//! directions in which words spread.
//!
//! # Privacy
//! Metric DP with constant η **in the norm ‖z‖_M = ‖L⁻¹z‖**, where L·Lᵀ = Σ = λ·C/τ + (1 − λ)·I, C is the
//! covariance of the table's rows and τ its mean variance. Proof: z = L·w with w of density ∝ e^(−η‖w‖) has
//! density ∝ e^(−η‖L⁻¹z‖); the rest is the proof of `metric-laplace` with that norm. It is **not** a bound in the
//! Euclidean distance: ‖z‖_M ≤ ‖z‖/√(least eigenvalue of Σ), and no better. The worst-case ε is over all pairs
//! of rows in ‖·‖_M, by a ball around their mean.
//!
//! Source: Xu, Aggarwal, Feyisetan and Teissier, PrivateNLP 2020.

use alloc::vec::Vec;

use rand_core::CryptoRng;

use super::{Card, Inputs, Mechanism, Metric, Noise, Prepared, Proof, Randomizer, UPWARDS};
use crate::multivariate_laplace::{continuous_noise, to_lattice, total_variation};
use crate::space::Moments;
use crate::{Error, Parameter, Table};

pub(super) const CARD: Card = Card {
    name: "mahalanobis",
    parameters: &[Parameter::Eta, Parameter::Epsilon, Parameter::Lambda],
    has_published: false,
    prepare,
};

/// The least square of a diagonal element of L: below, rows would look far apart by rounding alone.
const FLATTEST: f64 = 1e-6;
/// Above the relative rounding error of a norm ‖L⁻¹z‖ under that condition.
const ROUNDING: f64 = 1.0 + 1e-9;

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let table = inputs.table()?;
    let lambda = mechanism.required(Parameter::Lambda)?;
    let shape = (lambda <= 1.0).then(|| Shape::new(table, lambda)).flatten();
    let shape = shape.ok_or(Error::Invalid(Parameter::Lambda))?;
    let diameter = shape.diameter(table);
    let eta = mechanism.eta(inputs, diameter)?;
    let proof = Proof {
        // Each coordinate is a sum of up to `dims` terms.
        total_variation: (table.dims() as f64 * total_variation(eta, table.dims(), table.scale())).min(1.0),
        ..Proof::metric(eta, Metric::Mahalanobis(lambda), eta * diameter * UPWARDS)
    };
    let noise = Mahalanobis { eta, step: table.scale(), shape };
    Ok(Prepared { proof, randomizer: Randomizer::noise(noise, None) })
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
    /// The Cholesky factor of Σ; none if it is too flat.
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
                } else if rest > FLATTEST {
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
