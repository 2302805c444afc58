//! Rows of a text encoder in fewer bits. Each row is cut into parts, and each part is written as the nearest of a few
//! stored parts. This is product quantization, and scalar quantization for parts of one coordinate.
//!
//! Source: Jégou, Douze and Schmid, *Product quantization for nearest neighbor search*, IEEE PAMI 33, 2011.

use ndarray::{Array2, ArrayView2, s};
use rand_core::Rng;
use rayon::prelude::*;
use textveil_toolkit::sampling::below;

use crate::compare::rng;

/// Rounds of Lloyd's algorithm.
const ROUNDS: usize = 15;

/// How rows are written.
#[derive(Clone, Copy)]
pub(super) struct Code {
    /// Parts of a row.
    pub(super) parts: usize,
    /// Bits of a part.
    pub(super) bits: u32,
}

/// What is read back, and the bytes that it takes.
pub(super) struct Written {
    pub(super) rows: Array2<f64>,
    /// Codes of fixed length, and a byte for each coordinate of what they stand for.
    pub(super) bytes: f64,
    /// The same with codes as short as their frequencies allow.
    pub(super) least_bytes: f64,
}

impl Code {
    /// Writes rows and reads them back. `parts` divides the number of columns.
    pub(super) fn write(self, rows: &Array2<f64>, seed: u64) -> Written {
        let (count, dims) = rows.dim();
        let width = dims / self.parts;
        let part = |part: usize| {
            let columns = rows.slice(s![.., part * width..(part + 1) * width]);
            means(columns, 1 << self.bits, &mut rng(seed, 0, part))
        };
        let parts: Vec<(Array2<f64>, Vec<usize>)> = (0..self.parts).into_par_iter().map(part).collect();
        let mut read = Array2::zeros((count, dims));
        for (at, (means, nearest)) in parts.iter().enumerate() {
            for (row, mean) in nearest.iter().enumerate() {
                read.slice_mut(s![row, at * width..(at + 1) * width]).assign(&means.row(*mean));
            }
        }
        let book = (dims << self.bits) as f64;
        let least: f64 = parts.iter().map(|(means, nearest)| entropy(nearest, means.nrows())).sum();
        let codes = |bits: f64| count as f64 * bits / 8.0;
        Written {
            rows: read,
            bytes: book + codes(self.parts as f64 * f64::from(self.bits)),
            least_bytes: book + codes(least),
        }
    }
}

/// `count` means, each of the rows that are nearest to it, and the place of the nearest of each row (k-means).
fn means(rows: ArrayView2<'_, f64>, count: usize, rng: &mut impl Rng) -> (Array2<f64>, Vec<usize>) {
    let mut means = Array2::from_shape_fn((count, rows.ncols()), |_| 0.0);
    for mut mean in means.rows_mut() {
        mean.assign(&rows.row(below(rng, rows.nrows())));
    }
    let mut nearest = assigned(rows, &means);
    for _ in 0..ROUNDS {
        let mut sums = Array2::<f64>::zeros(means.dim());
        let mut members = vec![0.0; count];
        for (row, place) in rows.rows().into_iter().zip(&nearest) {
            sums.row_mut(*place).iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
            members[*place] += 1.0;
        }
        for (place, members) in members.into_iter().enumerate() {
            // One that is nearest to nothing begins anew at a row.
            let fresh = rows.row(below(rng, rows.nrows()));
            let sum = sums.row(place);
            let mean = |(at, x): (usize, &f64)| if members > 0.0 { x / members } else { fresh[at] };
            let values: Vec<f64> = sum.iter().enumerate().map(mean).collect();
            means.row_mut(place).iter_mut().zip(values).for_each(|(to, from)| *to = from);
        }
        nearest = assigned(rows, &means);
    }
    (means, nearest)
}

fn assigned(rows: ArrayView2<'_, f64>, means: &Array2<f64>) -> Vec<usize> {
    let halves: Vec<f64> = means.rows().into_iter().map(|mean| mean.iter().map(|x| x * x).sum::<f64>() / 2.0).collect();
    let flat: Vec<f64> = means.iter().copied().collect();
    let nearest = |row: Vec<f64>| {
        let mut best = (f64::INFINITY, 0);
        for (place, (mean, half)) in flat.chunks_exact(row.len()).zip(&halves).enumerate() {
            let distance = half - row.iter().zip(mean).map(|(a, b)| a * b).sum::<f64>();
            if distance < best.0 {
                best = (distance, place);
            }
        }
        best.1
    };
    rows.rows().into_iter().map(|row| nearest(row.to_vec())).collect()
}

/// Bits that a code needs on average.
pub(super) fn entropy(codes: &[usize], count: usize) -> f64 {
    let mut counts = vec![0.0; count];
    codes.iter().for_each(|code| counts[*code] += 1.0);
    let share = |count: &f64| if *count > 0.0 { count / codes.len() as f64 } else { 1.0 };
    counts.iter().map(share).map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two clusters in each half of a row.
    fn rows() -> Array2<f64> {
        let of = |bit: usize| if bit == 1 { 10.0 } else { -10.0 };
        Array2::from_shape_fn((400, 4), |(i, j)| of(i >> (j / 2) & 1) + ((i * 7 + j * 3) % 5) as f64 / 10.0)
    }

    #[test]
    fn what_is_read_is_near_to_what_was_written_and_takes_the_bytes_that_are_said() {
        let rows = rows();
        let far = |code: Code| {
            let written = code.write(&rows, 1);
            (&written.rows - &rows).iter().map(|x| x.abs()).fold(0.0, f64::max)
        };
        assert!(far(Code { parts: 2, bits: 4 }) < 0.5 && far(Code { parts: 4, bits: 4 }) < 0.5);
        let written = Code { parts: 2, bits: 4 }.write(&rows, 1);
        assert!((written.bytes - (64.0 + 400.0)).abs() < 1e-9 && written.least_bytes <= written.bytes);
    }

    #[test]
    fn equal_shares_need_all_bits_and_a_certain_code_needs_none() {
        let codes: Vec<usize> = (0..64).map(|code| code % 8).collect();
        assert!((entropy(&codes, 8) - 3.0).abs() < 1e-12);
        assert_eq!(entropy(&[2; 9], 4), 0.0);
    }
}
