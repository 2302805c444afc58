//! The mechanism of the authors' program. It adds noise made for vectors of norm C = 0.005 to vectors that nothing has
//! clipped, with one draw for all words of a text.
//!
//! It is proved not to be private. The difference of two words of a text comes out unchanged. So texts of two words or
//! more have disjoint outputs, and δ is 1 under each of its laws. Under TrLaplace's law no draw reaches another word's
//! vector, so that one word is enough ([`Program::least_gap`]).

use std::collections::BTreeMap;

use anyhow::Result;
use ndarray::Array2;
use rand_core::Rng;
use rayon::prelude::*;
use textveil::account::truncated_laplace::ClippedVectors;
use textveil::{ReleaseRng, Table, WordId};

use textveil_toolkit::mechanism::published::released_radius;

/// C.
const NORM: f64 = 0.005;

/// The program over vectors as they were trained.
pub(super) struct Program {
    vectors: Vec<Vec<f32>>,
    /// ‖v‖² − 2⟨w, v⟩ for each w, a row, and each v.
    distances: Vec<Vec<f32>>,
}

/// A law of its noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Law {
    Gaussian,
    Laplace,
    TruncatedLaplace,
}

impl Law {
    pub(super) const ALL: [Self; 3] = [Self::Gaussian, Self::Laplace, Self::TruncatedLaplace];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "gaussian",
            Self::Laplace => "laplace",
            Self::TruncatedLaplace => "truncated-laplace",
        }
    }
}

/// A law at an ε: what a coordinate gets.
#[derive(Clone, Copy)]
pub(super) enum Noise {
    /// Gaussian noise of this deviation.
    Gaussian(f64),
    /// Noise of density ∝ e^(−rate·|x|) up to a radius.
    Laplace { rate: f64, radius: f64 },
}

impl Noise {
    fn draw(self, rng: &mut ReleaseRng) -> f64 {
        let sign = if rng.next_u64() & 1 == 1 { 1.0 } else { -1.0 };
        match self {
            // Box and Muller's.
            Self::Gaussian(deviation) => {
                let length = (-2.0 * libm::log(1.0 - fraction(rng))).sqrt();
                deviation * length * libm::cos(std::f64::consts::TAU * fraction(rng))
            }
            Self::Laplace { rate, radius } => sign * -libm::log1p(fraction(rng) * libm::expm1(-rate * radius)) / rate,
        }
    }
}

/// Uniform in [0, 1).
fn fraction(rng: &mut ReleaseRng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

impl Program {
    /// Prepares vectors, a row a word.
    pub(super) fn of(vectors: &Array2<f64>) -> Self {
        let vectors: Vec<Vec<f32>> = vectors.outer_iter().map(|row| row.iter().map(|x| *x as f32).collect()).collect();
        let squares: Vec<f32> = vectors.iter().map(|row| dot(row, row)).collect();
        let distances =
            |w: &Vec<f32>| vectors.iter().zip(&squares).map(|(v, square)| square - 2.0 * dot(w, v)).collect();
        let distances = vectors.par_iter().map(distances).collect();
        Self { vectors, distances }
    }

    /// The noise of a law at this ε.
    ///
    /// # Errors
    /// An ε at which the radius is not defined.
    pub(super) fn noise(&self, law: Law, epsilon: f64) -> Result<Noise> {
        let dims = self.dims() as u64;
        let scale = ClippedVectors::new(dims, NORM)?.l1() / epsilon;
        Ok(match law {
            Law::Gaussian => Noise::Gaussian(scale),
            Law::Laplace => Noise::Laplace { rate: 1.0 / scale, radius: f64::INFINITY },
            Law::TruncatedLaplace => Noise::Laplace { rate: 1.0 / scale, radius: self.radius(epsilon)? },
        })
    }

    /// The farthest that TrLaplace's noise moves a coordinate.
    ///
    /// # Errors
    /// As [`Self::noise`].
    pub(super) fn radius(&self, epsilon: f64) -> Result<f64> {
        Ok(released_radius(self.dims() as u64, NORM, epsilon)?.radius())
    }

    fn dims(&self) -> usize {
        self.vectors.first().map_or(0, Vec::len)
    }

    /// The words nearest to those of a text and one draw of the noise.
    pub(super) fn release(&self, table: &Table, text: &[WordId], noise: Noise, rng: &mut ReleaseRng) -> Vec<WordId> {
        let drawn: Vec<f32> = (0..self.dims()).map(|_| noise.draw(rng) as f32).collect();
        let along: Vec<f32> = self.vectors.iter().map(|row| 2.0 * dot(row, &drawn)).collect();
        let nearest = |word: &WordId| {
            let distances = self.distances[word.row()].iter().zip(&along).map(|(at, along)| at - along);
            let better = |best: (usize, f32), (row, at): (usize, f32)| if at < best.1 { (row, at) } else { best };
            let (row, _) = distances.enumerate().fold((word.row(), f32::INFINITY), better);
            table.row(row).unwrap_or(*word)
        };
        let mut found: BTreeMap<WordId, WordId> = BTreeMap::new();
        text.iter().map(|word| *found.entry(*word).or_insert_with(|| nearest(word))).collect()
    }

    /// The least distance of any two words in the coordinate where they are farthest apart. Noise of a radius below
    /// half of it never leads from one word to a place where the other may come out.
    pub(super) fn least_gap(&self) -> f64 {
        let of_row = |(place, w): (usize, &Vec<f32>)| {
            self.vectors[..place].iter().fold(f32::INFINITY, |least, v| {
                let mut farthest = 0.0_f32;
                for (a, b) in w.iter().zip(v) {
                    farthest = farthest.max((a - b).abs());
                    if farthest >= least {
                        return least;
                    }
                }
                farthest
            })
        };
        f64::from(self.vectors.par_iter().enumerate().map(of_row).reduce(|| f32::INFINITY, f32::min))
    }
}

/// In eight sums, which a processor forms at once.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0_f32; 8];
    for (a, b) in a.iter().zip(b) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    const EPSILON: f64 = 0.5;

    fn program() -> Program {
        Program::of(&Array2::from_shape_fn((12, 40), |(i, j)| ((i * 7 + j * j * 3) % 13) as f64 / 13.0))
    }

    #[test]
    fn the_noise_is_as_wide_as_its_law_says() {
        let (program, mut rng) = (program(), ReleaseRng::seed_from_u64(7));
        let scale = 2.0 * NORM * 40.0_f64.sqrt() / EPSILON;
        let truncated = released_radius(40, NORM, EPSILON).expect("in range");
        let variances = [scale * scale, 2.0 * scale * scale, truncated.variance()];
        for (law, variance) in Law::ALL.into_iter().zip(variances) {
            let noise = program.noise(law, EPSILON).expect("in range");
            let draws: Vec<f64> = (0..40_000).map(|_| noise.draw(&mut rng)).collect();
            let found = draws.iter().map(|x| x * x).sum::<f64>() / draws.len() as f64;
            // Six standard errors of the widest, whose fourth moment is 24 times its scale's.
            assert!((found / variance - 1.0).abs() < 6.0 * (5.0_f64 / 40_000.0).sqrt(), "{law:?}: {found} {variance}");
            let farthest = draws.iter().map(|x| x.abs()).fold(0.0, f64::max);
            assert_eq!(farthest <= truncated.radius(), law == Law::TruncatedLaplace);
        }
    }

    #[test]
    fn noise_that_reaches_no_other_word_changes_none_and_a_word_comes_out_alike_throughout_a_text() {
        let (program, table) = (program(), textveil_tables::example(12, 3).expect("a table"));
        let text: Vec<WordId> = table.rows().chain(table.rows()).collect();
        let release = |law, epsilon| {
            let noise = program.noise(law, epsilon).expect("in range");
            program.release(&table, &text, noise, &mut ReleaseRng::seed_from_u64(3))
        };
        assert!(program.least_gap() > 2.0 * released_radius(40, NORM, EPSILON).expect("in range").radius());
        assert_eq!(release(Law::TruncatedLaplace, EPSILON), text);
        let noisy = release(Law::Gaussian, 0.01);
        assert!(noisy != text && noisy[..12] == noisy[12..]);
    }
}
