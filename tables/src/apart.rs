//! A lattice on which no two words are nearer than they should be.
//!
//! Words at almost the same place share one fate: whatever mechanism draws, it hardly tells them apart. So words
//! that the fit has put too close are pushed apart, each half of the way, before their vectors are rounded, and
//! the rounded ones are measured.

use anyhow::{Result, bail};
use ndarray::Array2;

use super::cosines;
use super::quantize::Lattice;

/// Pairs are first pushed to this multiple of the wanted distance. Each try that rounding spoils adds the second
/// number.
const ALLOWANCE: (f64, f64) = (1.1, 0.05);
const TRIES: usize = 8;
/// A pair within this many times the distance may come too close while others are pushed.
const REACH: f64 = 1.5;
/// Times that all near pairs are visited in a try.
const SWEEPS: usize = 50;

/// The points of a lattice near `vectors` (rows of length 1), each at least `least` from the others.
///
/// # Errors
/// There is no room for all words, or a vector is not finite.
pub(crate) fn lattice(mut vectors: Array2<f64>, least: f64) -> Result<Lattice> {
    for attempt in 0..TRIES {
        push(&mut vectors, least * (ALLOWANCE.0 + ALLOWANCE.1 * attempt as f64));
        let lattice = Lattice::nearest(&vectors)?;
        if nearest_pair(&lattice) >= least {
            return Ok(lattice);
        }
    }
    let (words, dims) = vectors.dim();
    bail!("{words} words cannot be kept {least} apart in {dims} dimensions: ask for more")
}

/// The distance of the two points of the lattice that are nearest to each other.
fn nearest_pair(lattice: &Lattice) -> f64 {
    // Integers of up to seven bits: the sums of 260 of their products are exact in f32.
    let rows = lattice.rows.mapv(f64::from);
    let squares: Vec<f32> = rows.rows().into_iter().map(|row| row.iter().map(|x| x * x).sum::<f64>() as f32).collect();
    let nearest = cosines::of_rows(&rows, |row, products| {
        let others = products.iter().zip(&squares).enumerate().filter(|(other, _)| *other != row);
        others.map(|(_, (product, square))| squares[row] + square - 2.0 * product).fold(f32::INFINITY, f32::min)
    });
    let nearest = nearest.into_iter().fold(f32::INFINITY, f32::min);
    lattice.scale * f64::from(nearest).sqrt()
}

/// Moves pairs of rows of length 1 apart on the sphere until they are this far from each other, or for as long
/// as is worth it.
fn push(vectors: &mut Array2<f64>, distance: f64) {
    let reach = REACH * distance;
    let least_cosine = (1.0 - reach * reach / 2.0) as f32;
    let near = cosines::of_rows(vectors, |row, cosines| {
        let others = (row + 1..).zip(&cosines[row + 1..]).filter(|(_, cosine)| **cosine > least_cosine);
        others.map(|(other, _)| (row, other)).collect::<Vec<_>>()
    });
    let near: Vec<(usize, usize)> = near.into_iter().flatten().collect();
    for _ in 0..SWEEPS {
        let mut moved = false;
        for &(a, b) in &near {
            let (mut a, mut b) = vectors.multi_slice_mut((ndarray::s![a, ..], ndarray::s![b, ..]));
            let squared: f64 = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum();
            // Twins have no direction to leave each other: rounding moves one of them.
            if squared >= distance * distance * 0.999 || squared == 0.0 {
                continue;
            }
            let step = 0.5 * (distance / squared.sqrt() - 1.0);
            for (a, b) in a.iter_mut().zip(&mut b) {
                let shift = step * (*a - *b);
                (*a, *b) = (*a + shift, *b - shift);
            }
            // The sum of both is as before, at a right angle to the shift: both have grown alike.
            let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
            a.iter_mut().chain(&mut b).for_each(|x| *x /= length);
            moved = true;
        }
        if !moved {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::unit_rows;
    use super::*;

    fn crowd(words: usize, dims: usize) -> Array2<f64> {
        let mut vectors =
            Array2::from_shape_fn((words, dims), |(i, j)| 1.0 + ((i * 37 + j * 101 + i * j * 7) % 251) as f64 / 1000.0);
        unit_rows(&mut vectors);
        vectors
    }

    #[test]
    fn a_crowd_is_spread_to_the_distance_asked_for() {
        let vectors = crowd(100, 6);
        assert!(nearest_pair(&Lattice::nearest(&vectors).expect("finite")) < 0.05);
        assert!(nearest_pair(&lattice(vectors, 0.1).expect("there is room")) >= 0.1);
    }

    #[test]
    fn who_has_room_stays() {
        let vectors = ndarray::array![[1.0, 0.0], [0.0, 1.0], [-0.6, 0.8]];
        let before = Lattice::nearest(&vectors).expect("finite");
        assert_eq!(lattice(vectors, 0.1).expect("there is room").rows, before.rows);
    }

    #[test]
    fn the_nearest_pair_is_found() {
        let lattice = Lattice::nearest(&ndarray::array![[1.0, 0.0], [0.0, 1.0], [0.0, 0.5]]).expect("finite");
        assert!((nearest_pair(&lattice) - 63.0 / 127.0).abs() < 1e-12);
    }

    #[test]
    fn too_many_words_for_a_circle_are_refused() {
        assert!(lattice(crowd(200, 2), 0.1).is_err());
    }
}
