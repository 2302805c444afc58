//! PrivUnit2: a random unit vector, with probability p from the cap around the representation's direction.
//!
//! # Privacy
//! Pure ε-DP for any two unit vectors, ε = ε₀ + ε₁. Proof: let A be the share of the sphere in a cap {v: ⟨v, u⟩ ≥ γ}.
//! The density is p/A inside and (1 − p)/(1 − A) outside, so the largest ratio for two directions is
//! p·(1 − A)/((1 − p)·A). With p = 1/(1 + e^(−ε₀)) and A = 1/(1 + e^(ε₁)) **exactly**, not by the bounds of the
//! first paper, that is e^(ε₀ + ε₁). The mean of the output is m·u, so that output/m is an unbiased estimate.
//!
//! Inversion of the cap's law and the direction are computed in floating point and the output is rounded to steps
//! of 2⁻¹²; the guarantee says how far off that may be.
//!
//! Source: Bhowmick, Duchi, Freudiger, Kapoor and Rogers, 2018; the exact cap: Asi, Feldman and Talwar, ICML 2022.

use alloc::vec::Vec;

use rand_core::CryptoRng;

use super::{AIM, Card, Code, Domain, Encoding, Inputs, Mechanism, Prepared, Proof, Randomizer};
use crate::account::privunit::PrivUnit2;
use crate::multivariate_laplace::{norm, normals};
use crate::random::uniform;
use crate::{Error, Loss, Parameter};

pub(super) const CARD: Card = Card { name: "privunit2", parameters: &[Parameter::Epsilon], has_published: false, prepare };

/// Steps of the output's coordinates from 0 to 1.
const GRID: f64 = 4096.0;
/// Halvings of an interval until it is no wider than a float's step.
const HALVINGS: usize = 60;

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let epsilon = mechanism.required(Parameter::Epsilon)?;
    let dims = match inputs {
        Inputs::Table(table) => table.dims(),
        Inputs::Vectors(outside) => outside.dims,
    };
    // On a line there is no cap.
    if dims < 2 {
        return Err(Error::NotOffered);
    }
    let cap = PrivUnit2::optimal(dims as u64, epsilon * AIM)?;
    let proof = Proof { total_variation: total_variation(dims), ..Proof::of(Loss::pure(cap.epsilon)) };
    Ok(Prepared { proof, randomizer: Randomizer::encoding(Cap { dims: dims as u64, cap }) })
}

/// The output's law is changed where a coordinate lies so near a rounding boundary that its error of at most 2⁻⁴⁴
/// crosses it: two sides, `GRID` boundaries a unit, a density of at most √dims a coordinate.
fn total_variation(dims: usize) -> f64 {
    let dims = dims as f64;
    (2.0 * GRID * dims * libm::sqrt(dims) / (1_u64 << 44) as f64).min(1.0)
}

struct Cap {
    dims: u64,
    cap: PrivUnit2,
}

impl Encoding for Cap {
    fn encode(&self, sum: &[i64], _words: usize, rng: &mut dyn CryptoRng) -> Code {
        let direction = direction(sum);
        let inside = uniform(rng) <= self.cap.cap_probability;
        let height = self.height(inside, uniform(rng));
        let round = normals(direction.len(), rng);
        let along: f64 = direction.iter().zip(&round).map(|(u, g)| u * g).sum();
        let across: Vec<f64> = direction.iter().zip(&round).map(|(u, g)| g - along * u).collect();
        let length = norm(&across);
        let reach = if length > 0.0 { libm::sqrt((1.0 - height * height).max(0.0)) / length } else { 0.0 };
        let values = direction.iter().zip(&across).map(|(u, g)| libm::rint(GRID * (height * u + reach * g)) as i32);
        Code::Lattice(values.collect())
    }

    fn scale(&self) -> Option<f64> {
        Some(1.0 / (GRID * self.cap.mean))
    }

    fn domain(&self) -> Domain {
        Domain::Sphere
    }
}

impl Cap {
    /// ⟨output, input⟩ from a uniform share: the inverse of its law inside the cap or outside.
    fn height(&self, inside: bool, share: f64) -> f64 {
        let area = self.cap.cap_share;
        let above = if inside { share * area } else { area + share * (1.0 - area) };
        let (mut low, mut high) = (-1.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            // Two dimensions at least: no error.
            if PrivUnit2::share_above(self.dims, middle).unwrap_or(0.0) > above {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// The unit vector along a sum; for the null vector, the first axis.
fn direction(sum: &[i64]) -> Vec<f64> {
    let sum: Vec<f64> = sum.iter().map(|s| *s as f64).collect();
    let length = norm(&sum);
    let first = (0..sum.len()).map(|j| if j == 0 { 1.0 } else { 0.0 });
    if length > 0.0 { sum.iter().map(|s| s / length).collect() } else { first.collect() }
}
