//! PrivUnit2: a random unit vector, with probability p from the cap around the representation's direction; of a
//! large ε, the sum of several, each for its part of it.
//!
//! Over a table, that is where the mean of the words lies from the mean of all words of the table, each as often
//! as it is used: most of a mean's length is what all texts have in common, and would leave little of ε for what
//! they differ in. The vectors of another encoder are taken as they are.
//!
//! # Privacy
//! Pure ε-DP for any two unit vectors, ε = ε₀ + ε₁, but for what floating point adds to δ. Proof: let A be
//! the share of the sphere in a cap {v: ⟨v, u⟩ ≥ γ}. The density is p/A inside and (1 − p)/(1 − A) outside,
//! so the largest ratio for two directions is p·(1 − A)/((1 − p)·A). With p = 1/(1 + e^(−ε₀)) and
//! A = 1/(1 + e^(ε₁)) **exactly**, not by the bounds of the first paper, that is e^(ε₀ + ε₁). The mean of the
//! output is m·u, so that output/m is an unbiased estimate.
//!
//! Nothing is lost by the mean that is subtracted, as it is public: what it leaves is some unit vector still. A
//! word that is left out adds neither its vector nor that mean, so that for each choice of them the direction
//! does not depend on what it was.
//!
//! The output is put on a grid by stochastic rounding, which keeps its mean and makes small errors of
//! floating point harmless: how far they may carry is in δ (see [`total_variation`]), times e^ε. A single vector
//! would have a δ of 1 from an ε of 25 on. So k = ⌈ε/8⌉ vectors are drawn, each for ε/k, and only their sum is
//! told: by composition that loses ε, and k times the δ of one. Little of the direction is lost, as the mean squared
//! error of one vector falls with 1/ε where ε is large, and that of the mean of k falls with k: of ε = 50 in 24
//! dimensions, seven vectors tell as much as one would of ε = 20, with a δ of 10⁻⁶.
//!
//! Source: Bhowmick, Duchi, Freudiger, Kapoor and Rogers, 2018; the exact cap: Asi, Feldman and Talwar, ICML
//! 2022.

use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use super::{AIM, Card, Code, Domain, Encoding, Gives, Inputs, Mechanism, Prepared, Proof, Randomizer, Sum};
use crate::account::privunit::PrivUnit2;
use crate::multivariate_laplace::{norm, normals};
use crate::random::uniform;
use crate::{Error, Loss, Parameter};

pub(super) const CARD: Card = Card {
    name: "privunit2",
    parameters: &[Parameter::Epsilon],
    gives: Gives::Encodings,
    has_published: false,
    prepare,
};

/// Steps of the output's coordinates from 0 to 1. Rounding adds at most dims/(4·256²) to a squared length of
/// 1.
const GRID: f64 = 256.0;
/// The most of ε for one vector, in nats.
const MOST: f64 = 8.0;
/// The most vectors in a release, which bounds its time.
const MOST_VECTORS: f64 = 128.0;

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let epsilon = mechanism.required(Parameter::Epsilon)?;
    let dims = inputs.dims();
    // On a line there is no cap; on a circle the direction's error has no finite mean.
    if dims < 3 {
        return Err(Error::NotOffered);
    }
    let vectors = libm::ceil(epsilon / MOST).max(1.0);
    if vectors > MOST_VECTORS {
        return Err(Error::Invalid(Parameter::Epsilon));
    }
    let cap = PrivUnit2::optimal(dims as u64, epsilon / vectors * AIM)?;
    // With so little of the direction in it, nothing but noise would be left of a float.
    if cap.mean < 1e-12 {
        return Err(Error::Invalid(Parameter::Epsilon));
    }
    let center = match inputs {
        Inputs::Table(table) => table.mean_by_frequency(),
        Inputs::Vectors(_) => vec![0.0; dims],
    };
    let loss = Loss::pure(cap.epsilon).off_by(total_variation(dims)).times(vectors as usize);
    let proof = Proof { total_variation: (vectors * total_variation(dims)).min(1.0), ..Proof::of(loss) };
    Ok(Prepared { proof, randomizer: Randomizer::encoding(Cap { cap, vectors: vectors as usize, center }) })
}

/// A bound of the total variation between one vector that is computed and the ideal one, both rounded.
///
/// Rounding with a uniform share makes of two points that are e apart in a coordinate the same integer but
/// with probability `GRID`·|e|: so `GRID`·√dims times the mean distance between the computed point and the
/// ideal one bounds the total variation. The angle: a share A of the sphere within it that is off by a
/// relative ρ moves it by at most ρ·A/A′ ≤ 1.26·ρ/√(dims − 1.5), as A is log-concave and A/A′ largest at a
/// right angle; ρ is taken as 2⁻⁴² + dims·2⁻⁵¹, more than twice what the incomplete beta function was seen to
/// be off in 3 to 4096 dimensions, and the grid of the uniform share costs less than 2⁻⁴⁷ on average. The
/// direction: dot products and normal variates are off by a relative 2⁻⁵⁰ + dims·2⁻⁵³, which is relative to
/// the variates' length, 1.6 times that of what lies across at most in the mean from three dimensions on. All
/// of it is below 2⁻⁴¹/√dims + dims·2⁻⁵¹.
fn total_variation(dims: usize) -> f64 {
    let (dims, unit) = (dims as f64, 1.0 / (1_u64 << 51) as f64);
    GRID * unit * (1024.0 + dims * libm::sqrt(dims))
}

struct Cap {
    /// Of each vector.
    cap: PrivUnit2,
    vectors: usize,
    /// What every word's vector is taken from, in lattice steps; public.
    center: Vec<f64>,
}

impl Encoding for Cap {
    fn encode(&self, sum: &Sum, rng: &mut dyn CryptoRng) -> Code {
        let kept = sum.kept as f64;
        let direction = direction(sum.steps.iter().zip(&self.center).map(|(s, c)| *s as f64 - kept * c).collect());
        let mut sum = vec![0; direction.len()];
        for _ in 0..self.vectors {
            self.add(&mut sum, &direction, rng);
        }
        Code::Lattice(sum)
    }

    fn scale(&self) -> Option<f64> {
        Some(1.0 / (GRID * self.cap.mean * self.vectors as f64))
    }

    fn domain(&self) -> Domain {
        Domain::Sphere
    }
}

impl Cap {
    /// Adds a vector on the grid.
    fn add(&self, sum: &mut [i32], direction: &[f64], rng: &mut dyn CryptoRng) {
        let inside = uniform(rng) <= self.cap.cap_probability;
        let [cosine, sine] = self.cap.angle(inside, uniform(rng));
        let round = normals(direction.len(), rng);
        let along: f64 = direction.iter().zip(&round).map(|(u, g)| u * g).sum();
        let across: Vec<f64> = direction.iter().zip(&round).map(|(u, g)| g - along * u).collect();
        let length = norm(&across);
        let reach = if length > 0.0 { sine / length } else { 0.0 };
        let point = direction.iter().zip(&across).map(|(u, g)| cosine * u + reach * g);
        sum.iter_mut().zip(point).for_each(|(sum, x)| *sum += libm::floor(GRID * x + uniform(rng)) as i32);
    }
}

/// The unit vector along a vector; for the null vector, the first axis.
fn direction(mut vector: Vec<f64>) -> Vec<f64> {
    let length = norm(&vector);
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    } else if let Some(first) = vector.first_mut() {
        *first = 1.0;
    }
    vector
}
