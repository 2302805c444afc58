//! Multivariate Laplace noise on the word's vector, then the nearest offered word (Qu et al., CIKM 2021;
//! Feyisetan et al., WSDM 2020).
//!
//! # Privacy
//! Metric DP with constant η, for the replacement of one word by another. Proof: the noise has density ∝
//! e^(−η‖z‖), so shifting its center from x to x′ changes the density by at most e^(η·d(x,x′)). Rounding the
//! noise to the lattice before it is added makes its law one table of probabilities that does not depend on
//! x; clamping the sum and taking the nearest word are post-processing with public data. Ties go to the
//! lowest row.
//!
//! The bound is that of the ideal noise. Here a radius r ~ Gamma(dimensions, 1/η), as a sum of exponentials,
//! and a direction uniform on the sphere, from normal variates, are computed from 53-bit uniforms: the
//! guarantee says "idealized". The number of random words and steps is the same for every word.

use alloc::vec::Vec;

use core::f64::consts::TAU;

use rand_core::CryptoRng;

use crate::random::uniform;
use crate::table::{LANES, Query};
use crate::{Eta, Table, WordId};

/// Noise beyond this is cut off; every vector would be clamped anyway.
const FARTHEST_NOISE: f64 = 20_000.0;
/// Coordinates of a noisy vector, small enough for the scan's 32-bit sums.
const FARTHEST_POINT: i16 = 16_383;

pub(crate) struct MetricLaplace {
    eta: Eta,
    /// Squared norm of each row, by block.
    norms: Vec<[i32; LANES]>,
    /// The rows of each block that may come out.
    offered: Vec<u16>,
}

impl MetricLaplace {
    pub(super) fn new(eta: Eta, table: &Table) -> Self {
        let origin = table.query(core::iter::empty());
        let norms =
            (0..table.blocks()).map(|block| table.block_distances(block, &origin).map(u32::cast_signed)).collect();
        Self { eta, norms, offered: table.offered_lanes() }
    }

    pub(super) fn draw<R: CryptoRng>(&self, table: &Table, input: WordId, rng: &mut R) -> WordId {
        let noise = lattice_noise(self.eta, table.dims(), table.scale(), rng);
        let point = table
            .vector(input)
            .into_iter()
            .zip(noise)
            .map(|(x, k)| (i32::from(x) + k).clamp(-i32::from(FARTHEST_POINT), i32::from(FARTHEST_POINT)) as i16);
        self.nearest(table, &table.query(point))
    }

    /// The nearest offered row: ‖v‖² − 2·v·y orders rows as ‖v − y‖² does.
    fn nearest(&self, table: &Table, query: &Query) -> WordId {
        let mut best = (i32::MAX, 0);
        for (block, (norms, offered)) in self.norms.iter().zip(&self.offered).enumerate() {
            let scores = table.block_scores(block, query, norms);
            for (lane, score) in scores.into_iter().enumerate() {
                if score < best.0 && offered >> lane & 1 == 1 {
                    best = (score, block * LANES + lane);
                }
            }
        }
        WordId(best.1 as u32)
    }
}

/// Noise with density ∝ e^(−η·scale·‖k‖), rounded to the lattice: one integer a dimension, at most 20,000
/// either way.
pub fn lattice_noise<R: CryptoRng>(eta: Eta, dims: usize, scale: f64, rng: &mut R) -> Vec<i32> {
    // A sum of `dims` exponentials is Gamma(dims).
    let exponentials: f64 = (0..dims).map(|_| -libm::log(uniform(rng))).sum();
    let radius = exponentials / eta.get();
    let mut direction: Vec<f64> = Vec::with_capacity(dims + 1);
    for _ in 0..dims.div_ceil(2) {
        let (u, v) = (uniform(rng), uniform(rng));
        let length = libm::sqrt(-2.0 * libm::log(u));
        direction.extend(on_circle(v).map(|coordinate| length * coordinate));
    }
    direction.truncate(dims);
    let norm = libm::sqrt(direction.iter().map(|g| g * g).sum());
    let steps = if norm > 0.0 { radius / (norm * scale) } else { 0.0 };
    direction.iter().map(|g| libm::rint(steps * g).clamp(-FARTHEST_NOISE, FARTHEST_NOISE) as i32).collect()
}

/// Cosine and sine of a share of a full turn, in 0…1, to the last bit or two. Taylor's series after an exact
/// reduction to an eighth of a turn: a maths library's own reduces any angle, and weighs three times as much
/// as this whole file.
fn on_circle(turn: f64) -> [f64; 2] {
    let quarters = libm::rint(4.0 * turn);
    let angle = TAU * (turn - 0.25 * quarters);
    let square = angle * angle;
    let (mut cosine, mut sine) = (1.0, 1.0);
    for n in (1..=9).rev() {
        let even = f64::from(2 * n);
        cosine = 1.0 - cosine * square / (even * (even - 1.0));
        sine = 1.0 - sine * square / (even * (even + 1.0));
    }
    let sine = sine * angle;
    match quarters as u8 % 4 {
        0 => [cosine, sine],
        1 => [-sine, cosine],
        2 => [-cosine, -sine],
        _ => [sine, -cosine],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circle_agrees_with_the_maths_library() {
        for step in 0..=10_000 {
            let turn = f64::from(step) / 10_000.0;
            let [cosine, sine] = on_circle(turn);
            assert!(
                (cosine - libm::cos(TAU * turn)).abs() < 1e-15 && (sine - libm::sin(TAU * turn)).abs() < 1e-15,
                "{turn}"
            );
        }
    }
}
