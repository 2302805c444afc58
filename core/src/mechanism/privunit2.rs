//! PrivUnit2: a random unit vector, with probability p from the cap around the representation's direction. A large ε is
//! split over several vectors, and their sum is the result.
//!
//! Over a table, the direction leads from the mean of all words of the table to the mean of the words of the text. The
//! first mean is weighted by how often words are used. Without that subtraction, all texts would have most of the
//! direction in common, and little of ε would be left for their differences. The vectors of another encoder are not
//! changed.
//!
//! # Privacy
//! Pure ε-DP for any two unit vectors, ε = ε₀ + ε₁, plus a δ for floating-point error. Proof: let A be the share of the
//! sphere in a cap {v: ⟨v, u⟩ ≥ γ}. The density is p/A inside and (1 − p)/(1 − A) outside. So the largest ratio for two
//! directions is p·(1 − A)/((1 − p)·A). Take p = 1/(1 + e^(−ε₀)), and A = 1/(1 + e^(ε₁)) **exactly**, not by the bounds
//! of the first paper. Then the ratio is e^(ε₀ + ε₁). The mean of the output is m·u, and output/m is an unbiased
//! estimate.
//!
//! The subtracted mean is public, so the subtraction costs no privacy: the result is again a unit vector. A word that
//! is left out adds neither its vector nor that mean. For each choice of left-out words, the direction therefore does
//! not depend on them.
//!
//! The output is put on a grid by stochastic rounding. This keeps its mean, and makes small errors of floating point
//! harmless. δ includes the remaining error, times e^ε (see `total_variation`). For one vector of a large ε that would
//! be 1. So every draw keeps δ at 10⁻⁵ or less. The mechanism draws k vectors, each for ε/k or for as much as δ allows,
//! and releases only their sum. By composition the sum loses the sum of their ε and of their δ.
//!
//! The number k has the least mean squared error, (1/m² − 1)/k. So the error never rises with ε, even if not all of ε
//! can be spent. In 24 dimensions one vector serves up to an ε of 11.9. For ε = 50 there are five, which tell as much
//! as one vector of ε = 22 would.
//!
//! Source: Bhowmick, Duchi, Freudiger, Kapoor and Rogers, 2018. The exact cap: Asi, Feldman and Talwar, ICML 2022.

use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use super::{AIM, Card, Code, Domain, Encoding, Gives, Inputs, Mechanism, Prepared, Proof, Randomizer, Sum};
use crate::account::privunit::PrivUnit2;
use crate::random::uniform;
use crate::sampler::multivariate_laplace::{norm, normals};
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
/// The most δ of a draw.
const DELTA: f64 = 1e-5;
/// The most vectors in a draw, which bounds its time.
const MOST_VECTORS: u32 = 32;

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let epsilon = mechanism.required(Parameter::Epsilon)?;
    let dims = inputs.dims();
    // One dimension has no caps. In two, the error of the direction has no finite mean.
    if dims < 3 {
        return Err(Error::NotOffered);
    }
    let (vectors, cap) = plan(dims, epsilon)?;
    // Below this, the part of the direction is lost in the rounding of a float, and only noise is left.
    if cap.mean < 1e-12 {
        return Err(Error::Invalid(Parameter::Epsilon));
    }
    let center = match inputs {
        Inputs::Table(table) => table.mean_by_frequency(),
        Inputs::Vectors(_) => vec![0.0; dims],
    };
    let loss = Loss::pure(cap.epsilon).off_by(total_variation(dims)).times(vectors as usize);
    let proof = Proof { total_variation: f64::from(vectors) * total_variation(dims), ..Proof::of(loss) };
    Ok(Prepared { proof, randomizer: Randomizer::encoding(Cap { cap, vectors, center }) })
}

/// How many vectors are drawn, and from which cap, so that at most ε is spent and at most [`DELTA`].
fn plan(dims: usize, epsilon: f64) -> Result<(u32, PrivUnit2), Error> {
    let mut best: Option<(f64, u32, PrivUnit2)> = None;
    for vectors in 1..=MOST_VECTORS {
        let count = f64::from(vectors);
        let most = libm::log(DELTA / (count * total_variation(dims)) - 1.0);
        if most > 0.0 {
            let cap = PrivUnit2::optimal(dims as u64, most.min(epsilon / count) * AIM)?;
            let error = cap.mean_squared_error() / count;
            if best.is_none_or(|(least, ..)| error < least) {
                best = Some((error, vectors, cap));
            }
        }
        if epsilon <= count * most {
            break;
        }
    }
    best.map(|(_, vectors, cap)| (vectors, cap)).ok_or(Error::Invalid(Parameter::Epsilon))
}

/// A bound of the total variation between one vector that is computed and the ideal one, both rounded.
///
/// Rounding with a uniform share makes one integer of two points that are e apart in a coordinate, except
/// with probability `GRID`·|e|: so `GRID`·√dims times the mean distance between the computed point and the
/// ideal one bounds the total variation. The angle: a share A of the sphere within it that is off by a
/// relative ρ moves it by at most ρ·A/A′ ≤ 1.26·ρ/√(dims − 1.5), as A is log-concave and A/A′ largest at a
/// right angle; ρ is taken as 2⁻⁴⁶ + dims·2⁻⁵⁰, more than twice what the incomplete beta function was seen to be off from
/// values of 30 digits in 3 to 4096 dimensions (`shares_of_caps_have_half_the_error_that_a_proof_allows` in
/// `accounting/src/special.rs` has some), and the grid of the uniform share costs less than 2⁻⁴⁷ on average. The
/// direction: dot products and normal variates are off by a relative 2⁻⁵⁰ + dims·2⁻⁵³, which is relative to
/// the variates' length, 1.6 times that of what lies across at most in the mean from three dimensions on; the grid
/// of the uniforms behind the variates adds √dims·2⁻⁵⁰, and lengths that are not quite 1 add dims·2⁻⁵³. The sum of
/// all, and of the rounding of what is rounded, is below (96 + dims)·2⁻⁵¹: in units of 2⁻⁵¹ the terms come to
/// 1.26·(32 + 2·dims)/√(dims − 1.5) + 16 + 1.6·(2 + dims/4) + 2·√dims + dims/4, which is 64 of 99 in 3 dimensions, 360 of
/// 480 in 384, and 2,975 of 4,192 in 4096.
fn total_variation(dims: usize) -> f64 {
    let (dims, unit) = (dims as f64, 1.0 / (1_u64 << 51) as f64);
    GRID * unit * libm::sqrt(dims) * (96.0 + dims)
}

struct Cap {
    /// Of each vector.
    cap: PrivUnit2,
    vectors: u32,
    /// The public mean that is subtracted from the vector of every word, in lattice steps.
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
        Some(1.0 / (GRID * self.cap.mean * f64::from(self.vectors)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_epsilon_never_tells_less_nor_spends_less_and_no_release_has_more_delta() {
        for dims in [3, 24, 300, 4096] {
            let (mut least, mut spent) = (f64::INFINITY, 0.0);
            for step in 0..48 {
                let epsilon = 0.1 * libm::pow(1.22, f64::from(step));
                let (vectors, cap) = plan(dims, epsilon).expect("a plan");
                let error = cap.mean_squared_error() / f64::from(vectors);
                let loss = Loss::pure(cap.epsilon).off_by(total_variation(dims)).times(vectors as usize);
                assert!(error <= least * (1.0 + 1e-12), "{dims} dimensions, epsilon {epsilon}: {error} after {least}");
                assert!(loss.epsilon <= epsilon && loss.delta <= DELTA, "{dims} dimensions: {loss:?} for {epsilon}");
                assert!(loss.epsilon >= spent, "{dims} dimensions, epsilon {epsilon}: {loss:?} after {spent}");
                (least, spent) = (error, loss.epsilon);
            }
        }
    }
}
