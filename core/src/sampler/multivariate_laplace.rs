//! Noise with density ∝ e^(−η‖z‖) in any number of dimensions, rounded to the lattice: what the metric
//! mechanisms share.
//!
//! A radius r ~ Gamma(dimensions, 1/η), as a sum of exponentials, and a direction uniform on the **sphere**,
//! from normal variates. (In the ball, as one paper's text has it, no finite η would hold: the density's
//! slope is unbounded at 0.) All of it is computed from 53-bit uniforms, so that the law is only near the ideal one.
//! [`total_variation`] says how near. The number of random words and steps is the same for every word.

use alloc::vec::Vec;

use core::f64::consts::TAU;

use rand_core::CryptoRng;

use crate::random::uniform;
use crate::{Error, Parameter};

/// Noise with density ∝ e^(−η·scale·‖k‖), rounded to the lattice: one integer a dimension. η is in nats per unit of
/// distance, and `scale` is the distance between neighbours of the lattice. The noise must be added before anything is
/// cut off: noise that is cut off by itself shows what it is added to.
///
/// # Errors
/// [`Error::Invalid`] and [`Error::InvalidScale`] unless η and `scale` are finite and above zero. Otherwise there would be
/// no noise at all.
pub fn lattice_noise<R: CryptoRng + ?Sized>(eta: f64, dims: usize, scale: f64, rng: &mut R) -> Result<Vec<i64>, Error> {
    let is_positive = |number: f64| number.is_finite() && number > 0.0;
    if !is_positive(eta) {
        return Err(Error::Invalid(Parameter::Eta));
    }
    if !is_positive(scale) {
        return Err(Error::InvalidScale);
    }
    Ok(rounded_noise(eta, dims, scale, rng))
}

/// The same for numbers that are known to be finite and above zero.
pub(crate) fn rounded_noise<R: CryptoRng + ?Sized>(eta: f64, dims: usize, scale: f64, rng: &mut R) -> Vec<i64> {
    continuous_noise(eta, dims, scale, rng).into_iter().map(to_lattice).collect()
}

/// The same before rounding, in lattice steps.
pub(crate) fn continuous_noise<R: CryptoRng + ?Sized>(eta: f64, dims: usize, scale: f64, rng: &mut R) -> Vec<f64> {
    // A sum of `dims` exponentials is Gamma(dims).
    let exponentials: f64 = (0..dims).map(|_| -libm::log(uniform(rng))).sum();
    let radius = exponentials / eta;
    let direction = normals(dims, rng);
    let norm = norm(&direction);
    let steps = if norm > 0.0 { radius / (norm * scale) } else { 0.0 };
    direction.into_iter().map(|g| steps * g).collect()
}

/// The integer of a coordinate in lattice steps.
pub(crate) fn to_lattice(coordinate: f64) -> i64 {
    libm::rint(coordinate) as i64
}

/// Independent standard normal variates, two from two random words (Box and Muller).
pub(crate) fn normals<R: CryptoRng + ?Sized>(count: usize, rng: &mut R) -> Vec<f64> {
    let mut normals: Vec<f64> = Vec::with_capacity(count + 1);
    for _ in 0..count.div_ceil(2) {
        let (u, v) = (uniform(rng), uniform(rng));
        let length = libm::sqrt(-2.0 * libm::log(u));
        normals.extend(on_circle(v).map(|coordinate| length * coordinate));
    }
    normals.truncate(count);
    normals
}

/// Euclidean norm.
pub(crate) fn norm(vector: &[f64]) -> f64 {
    libm::sqrt(vector.iter().map(|x| x * x).sum())
}

/// A bound of the total variation between [`lattice_noise`] and the ideal noise rounded to the lattice, in
/// the mean over all draws.
///
/// A coordinate in steps is v = r·g/(‖g‖·s). Here r is the radius in units of 1/η, g one of the normal variates, and s
/// = η·scale. Its error is at most ρ·|v| + κ·r·p/(‖g‖·s). The sums, the roots and the grid of the uniforms of r cost a
/// relative ρ = (2·dims + 96)·2⁻⁵³. The angle of the pair that g comes from is off by κ = 2⁻⁴⁹, which moves g by κ
/// times the pair's length p. The coordinate comes out as another integer only where a half-integer is as near as that
/// error. Given all other draws, v runs along an exponential variate E with the slope w = g/(‖g‖·s). The half-integers
/// are 1/|w| apart in E, and the danger zone of each is twice the error by |w| wide. So the probability is at most
/// 2r·(ρ·(1 +
/// |w|) + κ·(p/|g| + p/(‖g‖·s))). The mean of r is `dims`, Σ|w| ≤ √dims/s, and Σp ≤ √(2·dims)·‖g‖. The ratio p/|g| is
/// 1/|cos φ| with φ uniform, and the mean of min(1, c/|cos φ|) is below 32·c for every c that matters. The sum over the
/// coordinates is 2·dims·(ρ·(dims + √dims/s) + κ·(32·dims + √(2·dims)/s)).
pub(crate) fn total_variation(eta: f64, dims: usize, scale: f64) -> f64 {
    let unit = 1.0 / (1_u64 << 53) as f64;
    let (dims, steps) = (dims as f64, 1.0 / (eta * scale));
    let [radius, angle] = [(2.0 * dims + 96.0) * unit, 16.0 * unit];
    let root = libm::sqrt(dims);
    2.0 * dims * (radius * (dims + root * steps) + angle * (32.0 * dims + libm::sqrt(2.0 * dims) * steps))
}

/// Cosine and sine of a share of a full turn, in 0…1, to the last bit or two. It takes Taylor's series after an exact
/// reduction to an eighth of a turn. The functions of a maths library reduce angles of any size, and weigh three times
/// as much as this file.
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
