//! All pairs of a table's rows: their exact squared distances, a tile at a time, and the sums and maxima over
//! them for several channels at once.
//!
//! A squared lattice distance is an integer, so a channel looks up all it needs of a distance by that number. One
//! distance serves a channel in each lane. A row belongs to one thread, which adds its terms in the order of the
//! columns, a tile at a time. Sums are over fixed lanes, and no operation is fused. So results depend on neither the
//! number of threads nor the vector units.

use std::array;

use anyhow::{Result, ensure};
use indicatif::ProgressBar;
use libm::exp;
use multiversion::multiversion;
use rayon::prelude::*;
use textveil::Table;

use super::super::lattice::lattice_rows;

/// Channels worked on at once: an AVX-512 register of f64.
pub(super) const LANES: usize = 8;
/// Something of each channel.
pub(super) type Lanes<T> = [T; LANES];

/// Columns whose distances to a row are held at once.
const TILE: usize = 256;
/// Columns side by side in [`Pairs::points`].
const CHUNK: usize = 16;
/// Rows whose distances are computed side by side.
const GROUP: usize = 4;
/// Rows of a task, which share each tile while it is near.
const TASK: usize = 16 * GROUP;
/// Sums of single precision that run side by side.
const SUMS: usize = 4;
/// Longest table by squared distance: as much memory as is left to a look-up.
const MOST_SQUARED: u32 = 1 << 21;

/// e^(−β·(max(m, near) − near)) of each channel, m the distance or the channel's cut-off, whichever is less.
pub(super) struct Kernels {
    /// The length of a lattice step.
    scale: f64,
    /// β of each channel.
    pub(super) betas: Lanes<f64>,
    /// Distance from which all words are equally far; zero in lanes that are left.
    pub(super) cutoffs: Lanes<f64>,
    /// Distance up to which all words are equally near.
    pub(super) nears: Lanes<f64>,
}

impl Kernels {
    /// The weight at a distance.
    pub(super) fn weight(&self, lane: usize, distance: f64) -> f64 {
        let near = self.nears[lane];
        exp(-self.betas[lane] * (distance.min(self.cutoffs[lane]).max(near) - near))
    }
}

/// The rows of a table, laid out for the distances of all pairs.
pub(super) struct Pairs {
    count: usize,
    dims: usize,
    scale: f64,
    /// No squared distance is larger.
    farthest: u32,
    /// Chunks of columns: `[dimension][column]`, zeros behind the last.
    points: Vec<f32>,
    norms: Vec<i32>,
}

impl Pairs {
    /// The pairs of all rows.
    ///
    /// # Errors
    /// The table is so wide on its lattice that a look-up by squared distance would not fit.
    pub(super) fn of(table: &Table) -> Result<Self> {
        let (count, dims, scale) = (table.len(), table.dims(), table.scale());
        let farthest = (table.diameter_bound() / scale).ceil().powi(2);
        ensure!(farthest < f64::from(MOST_SQUARED), "the table is too wide: squared distances reach {farthest:.0}");
        let rows = lattice_rows(table, |_| true);
        let padded = count.next_multiple_of(TILE);
        let mut points = vec![0.0; padded * dims];
        let mut norms = vec![0; padded];
        for (place, row) in rows.chunks_exact(dims).enumerate() {
            let chunk = &mut points[place / CHUNK * CHUNK * dims..];
            for (dim, value) in row.iter().enumerate() {
                chunk[dim * CHUNK + place % CHUNK] = f32::from(*value);
            }
            norms[place] = row.iter().map(|value| i32::from(*value).pow(2)).sum();
        }
        Ok(Self { count, dims, scale, farthest: farthest as u32, points, norms })
    }

    /// Number of rows.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// The kernels of some channels over these rows.
    pub(super) const fn kernels(&self, betas: Lanes<f64>, cutoffs: Lanes<f64>, nears: Lanes<f64>) -> Kernels {
        Kernels { scale: self.scale, betas, cutoffs, nears }
    }

    /// `size` rows, evenly spread.
    pub(super) fn sample(&self, size: usize) -> Vec<usize> {
        let size = size.min(self.count);
        (0..size).map(|place| place * self.count / size).collect()
    }

    /// Number of columns, with those that stand for no row, at the end.
    pub(super) const fn columns(&self) -> usize {
        self.norms.len()
    }

    /// The distance of rows at that squared lattice distance.
    pub(super) fn distance(&self, squared: u32) -> f64 {
        self.scale * f64::from(squared).sqrt()
    }

    /// Weights by squared distance, up to the first beyond all cut-offs: those behind it are as the last.
    pub(super) fn by_square<T: Copy + Send>(&self, kernels: &Kernels, of: impl Fn(f64) -> T + Sync) -> Vec<Lanes<T>> {
        let cutoff = kernels.cutoffs.iter().copied().fold(0.0, f64::max);
        let squares: Vec<u32> = (0..=self.farthest).collect();
        let within = squares.partition_point(|squared| self.distance(*squared) < cutoff);
        let length = (within + 1).min(squares.len());
        let weights = |squared: &u32| array::from_fn(|lane| of(kernels.weight(lane, self.distance(*squared))));
        squares[..length].par_iter().map(weights).collect()
    }

    /// The distance up to which all words must be equally near, estimated by these rows. A word drawn from there is on
    /// average the word itself with probability `kept`.
    pub(super) fn near(&self, rows: &[usize], kept: f64) -> f64 {
        let count = self.count;
        let sorted = self.sweep(rows, &ProgressBar::hidden(), Vec::new, |all: &mut Vec<u32>, _, first, squares| {
            all.extend(squares.iter().take(count.saturating_sub(first)));
        });
        let sorted: Vec<Vec<u32>> = sorted
            .into_par_iter()
            .map(|mut squares| {
                squares.sort_unstable();
                squares
            })
            .collect();
        let share = |near: u32| -> f64 {
            let within = sorted.iter().map(|squares| squares.partition_point(|squared| *squared <= near));
            within.map(|within| 1.0 / within as f64).sum::<f64>() / sorted.len() as f64
        };
        let squares: Vec<u32> = (0..=self.farthest).collect();
        self.distance(squares.partition_point(|near| share(*near) >= kept) as u32)
    }

    /// The distance that half of all pairs do not reach, estimated by these rows.
    pub(super) fn median_distance(&self, rows: &[usize]) -> f64 {
        let count = self.count;
        let mut squares: Vec<u32> = self
            .sweep(rows, &ProgressBar::hidden(), Vec::new, |all: &mut Vec<u32>, _, first, squares| {
                all.extend(squares.iter().take(count.saturating_sub(first)));
            })
            .concat();
        let middle = squares.len() / 2;
        self.distance(*squares.select_nth_unstable(middle).1)
    }

    /// Goes through all pairs of `rows` with all columns: `visit` gets a row's state, the row, its first
    /// column and its squared distances from there on, padding included. The states come back in order.
    pub(super) fn sweep<S: Send>(
        &self,
        rows: &[usize],
        progress: &ProgressBar,
        start: impl Fn() -> S + Sync,
        visit: impl Fn(&mut S, usize, usize, &[u32]) + Sync,
    ) -> Vec<S> {
        let task = |rows: &[usize]| {
            let mut states: Vec<S> = rows.iter().map(|_| start()).collect();
            let points: Vec<Vec<f32>> = rows.iter().map(|row| self.point(*row)).collect();
            let mut squares = [[0; TILE]; GROUP];
            for first in (0..self.columns()).step_by(TILE) {
                for ((rows, states), points) in
                    rows.chunks(GROUP).zip(states.chunks_mut(GROUP)).zip(points.chunks(GROUP))
                {
                    // A group that is not full repeats its first row.
                    let point = |place: usize| points.get(place).unwrap_or(&points[0]).as_slice();
                    let norm = |place: usize| self.norms[*rows.get(place).unwrap_or(&rows[0])];
                    tile(
                        [point(0), point(1), point(2), point(3)],
                        [norm(0), norm(1), norm(2), norm(3)],
                        &self.points[first * self.dims..(first + TILE) * self.dims],
                        &self.norms[first..first + TILE],
                        &mut squares,
                    );
                    for ((row, state), squares) in rows.iter().zip(states).zip(&squares) {
                        visit(state, *row, first, squares);
                    }
                }
            }
            progress.inc(rows.len() as u64);
            states
        };
        rows.par_chunks(TASK).flat_map_iter(task).collect()
    }

    fn point(&self, row: usize) -> Vec<f32> {
        let chunk = &self.points[row / CHUNK * CHUNK * self.dims..];
        (0..self.dims).map(|dim| chunk[dim * CHUNK + row % CHUNK]).collect()
    }
}

/// Squared distances |x|² + |y|² − 2·x·y of a few rows to a tile. A product of vectors is at most 384·127²,
/// an integer that single precision holds exactly, as it does all sums on the way.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn tile(
    rows: [&[f32]; GROUP],
    norms: [i32; GROUP],
    points: &[f32],
    of_columns: &[i32],
    squares: &mut [[u32; TILE]; GROUP],
) {
    let dims = rows[0].len();
    for ((place, chunk), columns) in
        (0..TILE).step_by(CHUNK).zip(points.chunks_exact(CHUNK * dims)).zip(of_columns.chunks_exact(CHUNK))
    {
        let mut products = [[0f32; CHUNK]; GROUP];
        for (dim, values) in chunk.as_chunks::<CHUNK>().0.iter().enumerate() {
            for (products, row) in products.iter_mut().zip(rows) {
                let coordinate = row[dim];
                for (product, value) in products.iter_mut().zip(values) {
                    *product += coordinate * value;
                }
            }
        }
        for ((squares, products), norm) in squares.iter_mut().zip(&products).zip(norms) {
            for ((square, product), column) in squares[place..place + CHUNK].iter_mut().zip(products).zip(columns) {
                *square = (norm + column - 2 * (*product as i32)).cast_unsigned();
            }
        }
    }
}

/// Adds Σ weight(d)·base over a tile's columns to `totals`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(super) fn add_weights(squares: &[u32], weights: &[Lanes<f32>], base: &[Lanes<f32>], totals: &mut Lanes<f64>) {
    let Some(last) = weights.len().checked_sub(1) else { return };
    let mut sums = [[0f32; LANES]; SUMS];
    for (squares, base) in squares.as_chunks::<SUMS>().0.iter().zip(base.as_chunks::<SUMS>().0) {
        for ((square, base), sum) in squares.iter().zip(base).zip(&mut sums) {
            let weight = &weights[(*square as usize).min(last)];
            for ((sum, weight), base) in sum.iter_mut().zip(weight).zip(base) {
                *sum += weight * base;
            }
        }
    }
    for sum in sums {
        for (total, sum) in totals.iter_mut().zip(sum) {
            *total += f64::from(sum);
        }
    }
}

/// What [`add_moments`] adds up over all columns y, in double precision.
#[derive(Clone, Copy, Default)]
pub(super) struct Moments {
    /// Z = Σ g·K.
    pub(super) total: Lanes<f64>,
    /// Σ g·K·ln g.
    pub(super) log_base: Lanes<f64>,
    /// Σ g·K·(max(m, near) − near).
    pub(super) fall: Lanes<f64>,
    /// Σ g·K·d.
    pub(super) distance: Lanes<f64>,
}

/// Adds a tile's moments: within it first, which keeps rounding small.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(super) fn add_moments(
    squares: &[u32],
    Kernels { scale, cutoffs, nears, .. }: &Kernels,
    weights: &[Lanes<f64>],
    base: &[[Lanes<f64>; 2]],
    moments: &mut Moments,
) {
    let Some(last) = weights.len().checked_sub(1) else { return };
    let mut sums = [[0f64; LANES]; 4];
    for (square, [base, log_base]) in squares.iter().zip(base) {
        let distance = scale * f64::from(*square).sqrt();
        let weight = &weights[(*square as usize).min(last)];
        for lane in 0..LANES {
            let term = weight[lane] * base[lane];
            let metric = if distance > cutoffs[lane] { cutoffs[lane] } else { distance };
            let fall = if metric > nears[lane] { metric - nears[lane] } else { 0.0 };
            sums[0][lane] += term;
            sums[1][lane] += term * log_base[lane];
            sums[2][lane] += term * fall;
            sums[3][lane] += term * distance;
        }
    }
    let totals = [&mut moments.total, &mut moments.log_base, &mut moments.fall, &mut moments.distance];
    for (totals, sums) in totals.into_iter().zip(sums) {
        for (total, sum) in totals.iter_mut().zip(sums) {
            *total += sum;
        }
    }
}

/// The largest slope from a row x, (ln Z(x′) − ln Z(x) + slack)/m. And the largest loss, β·min(m, cut-off − near) + ln
/// Z(x′) − ln Z(x).
#[derive(Clone, Copy, Default)]
pub(super) struct Steepest {
    pub(super) slope: Lanes<f64>,
    pub(super) loss: Lanes<f64>,
}

/// Looks for them in a tile; pairs of alike vectors have the same distribution, and do not count.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(super) fn steepen(
    squares: &[u32],
    Kernels { scale, betas, cutoffs, nears }: &Kernels,
    logs: &[Lanes<f64>],
    from: &Lanes<f64>,
    slack: f64,
    steepest: &mut Steepest,
) {
    let Steepest { mut slope, mut loss } = *steepest;
    for (square, logs) in squares.iter().zip(logs) {
        // Not a number is never larger than anything.
        let distance = if *square == 0 { f64::NAN } else { scale * f64::from(*square).sqrt() };
        let mut steeper = false;
        let mut rise = [0f64; LANES];
        let mut metric = [0f64; LANES];
        for lane in 0..LANES {
            metric[lane] = if distance > cutoffs[lane] { cutoffs[lane] } else { distance };
            rise[lane] = logs[lane] - from[lane] + slack;
            let most = cutoffs[lane] - nears[lane];
            let total = betas[lane] * if metric[lane] > most { most } else { metric[lane] } + rise[lane];
            loss[lane] = if total > loss[lane] { total } else { loss[lane] };
            steeper |= rise[lane] > slope[lane] * metric[lane];
        }
        if steeper {
            for lane in 0..LANES {
                let here = rise[lane] / metric[lane];
                slope[lane] = if here > slope[lane] { here } else { slope[lane] };
            }
        }
    }
    *steepest = Steepest { slope, loss };
}

/// For a word that came out: the largest K(x, y)/Z(x) over words x, and the largest with x weighted by its
/// prior. `shares` holds both factors of K.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(super) fn likeliest(
    squares: &[u32],
    weights: &[Lanes<f64>],
    shares: &[[Lanes<f64>; 2]],
    best: &mut [Lanes<f64>; 2],
) {
    let Some(last) = weights.len().checked_sub(1) else { return };
    let mut bests = *best;
    for (square, shares) in squares.iter().zip(shares) {
        let weight = &weights[(*square as usize).min(last)];
        for (best, share) in bests.iter_mut().zip(shares) {
            for lane in 0..LANES {
                let here = weight[lane] * share[lane];
                best[lane] = if here > best[lane] { here } else { best[lane] };
            }
        }
    }
    *best = bests;
}
