//! Coordinates fitted to the channel: where words have to lie so that it puts out good replacements.
//!
//! The words are points on the unit sphere. The channel Q(y|x) = e^(−β·d(x,y)) / Z(x) must meet the
//! [`targets`](super::targets): the word itself has a fixed share, and its replacements have theirs. The points
//! minimise the mean over all words x of the cross-entropy
//!
//! −Σ_y P(y|x)·ln Q(y|x) = β·Σ_y P(y|x)·d(x,y) + ln Z(x),
//!
//! by Adam (Kingma and Ba 2015) over mini-batches of x; Z(x) is summed over all words, always. This is
//! stochastic neighbour embedding (Hinton and Roweis 2002) with the mechanism's own kernel and the reference
//! space's targets. Every word asks for the same share of itself, Q(x|x) = 1/Z(x), and so Z becomes nearly flat. That
//! brings the channel's constant close to β: the constant exceeds β by the largest difference of ln Z over d.
//!
//! A step keeps to the sphere: of each gradient, the part along the word's own vector is taken out. All that
//! a pair (x, y) contributes is therefore β·(Q − P)/d times the other's vector.
//!
//! The bytes are the same on every machine and for every number of threads. Each sum has one order, and the only
//! operations are those that IEEE 754 rounds correctly.

use indicatif::ProgressBar;
use multiversion::multiversion;
use ndarray::Array2;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::linear::{LANES, ROWS, add_products};
use super::targets::Targets;

/// Words of a batch that a thread works on at once.
const SHARE: usize = 3 * ROWS;
/// Words behind a step.
const BATCH: usize = 14 * SHARE;
/// Squares of distances count as no less: the gradient's direction is lost there.
const CLOSEST_SQUARED: f32 = 1e-6;
/// A cosine that no two words have. What is so far away has no weight.
const FAR: f32 = -1e4;
/// Adam's decay of the mean gradient and of its mean square.
const DECAY: (f64, f64) = (0.9, 0.99);
const ADAM_EPSILON: f32 = 1e-8;
/// The learning rate falls linearly to this part of its first value.
const LAST_RATE: f64 = 0.05;
/// Seed of the order in which words are visited.
const SEED: u64 = 0;

/// What to fit for, and for how long.
pub(crate) struct Settings {
    /// Nats a unit of distance; the diameter of the sphere is 2.
    pub(crate) beta: f64,
    /// Probability with which a word is to come out as itself.
    pub(crate) self_mass: f64,
    /// How often each word is visited.
    pub(crate) epochs: usize,
    /// Adam's first learning rate.
    pub(crate) learning_rate: f64,
}

/// At β = 10 half of the words come out as themselves. Of the learning rates 0.003, 0.01, 0.02 and 0.05, the two
/// in the middle reach the lowest loss in a dozen epochs.
impl Default for Settings {
    fn default() -> Self {
        Self { beta: 10.0, self_mass: 0.5, epochs: 12, learning_rate: 0.02 }
    }
}

/// Words on the sphere.
pub(crate) struct Fitted {
    /// A row of length 1 for each word.
    pub(crate) vectors: Array2<f64>,
    /// Mean cross-entropy of each epoch, in nats.
    pub(crate) losses: Vec<f64>,
}

/// Steps that [`fit`] will report.
pub(crate) fn steps(words: usize, settings: &Settings) -> usize {
    settings.epochs * words.div_ceil(BATCH)
}

/// Moves the points from `start` (rows of length 1) until the channel's output is near its targets.
pub(crate) fn fit(start: &Array2<f64>, targets: &Targets, settings: &Settings, progress: &ProgressBar) -> Fitted {
    let mut points = Points::of(start);
    let mut adam = Adam::new(points.columns.len());
    let mut rng = ChaCha20Rng::seed_from_u64(SEED);
    let mut order: Vec<usize> = (0..points.words).collect();
    let mut losses = Vec::with_capacity(settings.epochs);
    let mut weights = vec![0f32; BATCH / SHARE * points.groups * SHARE * LANES];
    for epoch in 0..settings.epochs {
        shuffle(&mut order, &mut rng);
        let progressed = epoch as f64 / settings.epochs as f64;
        let rate = settings.learning_rate * (1.0 - progressed).max(LAST_RATE);
        let mut loss = 0.0;
        for batch in order.chunks(BATCH) {
            let (batch_loss, gradient) = points.gradient(batch, targets, settings, &mut weights);
            loss += batch_loss;
            adam.step(&mut points.columns, &gradient, points.padded_dims, rate);
            points.copy_rows();
            progress.inc(1);
        }
        losses.push(loss / points.words.max(1) as f64);
    }
    Fitted { vectors: points.vectors(), losses }
}

/// Puts the values into a random order (Fisher and Yates).
pub(crate) fn shuffle(values: &mut [usize], rng: &mut impl Rng) {
    for last in (1..values.len()).rev() {
        values.swap(last, (rng.next_u64() % (last as u64 + 1)) as usize);
    }
}

/// The words' vectors, in the two layouts that products need. What is beyond the words or beyond their
/// dimensions is zero.
struct Points {
    words: usize,
    dims: usize,
    /// The dimensions of a gradient, in whole tiles.
    padded_dims: usize,
    groups: usize,
    /// For each group of [`LANES`] words, for each of the padded dimensions, the coordinate of each word.
    columns: Vec<f32>,
    /// For each [`LANES`] dimensions, for each word of the groups, its coordinates.
    rows: Vec<f32>,
}

/// What a share of a batch adds to the gradient.
struct Push {
    /// Σ over its words of the cross-entropy.
    loss: f64,
    /// For each padded dimension, for each word of the share, the coordinate times β/(n·Z): the factor of the
    /// weights in the gradients of the others.
    factors: Vec<f32>,
    /// For each word of the share, for each dimension, the gradient that it gets itself.
    own: Vec<f32>,
    /// How strongly a word of the share and a replacement attract each other.
    pulls: Vec<(usize, usize, f32)>,
}

impl Points {
    fn of(start: &Array2<f64>) -> Self {
        let (words, dims) = start.dim();
        let (groups, padded_dims) = (words.div_ceil(LANES), dims.next_multiple_of(ROWS));
        let mut points = Self {
            words,
            dims,
            padded_dims,
            groups,
            columns: vec![0.0; groups * padded_dims * LANES],
            rows: vec![0.0; dims.next_multiple_of(LANES) * groups * LANES],
        };
        for ((word, dim), &value) in start.indexed_iter() {
            let place = points.place(word, dim);
            points.columns[place] = value as f32;
        }
        points.copy_rows();
        points
    }

    /// Where `columns` and a gradient have a coordinate.
    fn place(&self, word: usize, dim: usize) -> usize {
        (word / LANES * self.padded_dims + dim) * LANES + word % LANES
    }

    /// A word's coordinates.
    fn vector(&self, word: usize) -> impl Iterator<Item = f32> {
        self.rows
            .chunks(self.groups * LANES * LANES)
            .flat_map(move |panel| &panel[word * LANES..][..LANES])
            .copied()
            .take(self.dims)
    }

    fn copy_rows(&mut self) {
        let (padded_dims, columns) = (self.padded_dims, &self.columns);
        let panels = self.rows.chunks_mut(self.groups * LANES * LANES);
        for (panel, first_dim) in panels.zip((0..self.dims).step_by(LANES)) {
            let dims = LANES.min(self.dims - first_dim);
            let blocks = panel.par_chunks_mut(LANES * LANES).zip(columns.par_chunks(padded_dims * LANES));
            blocks.for_each(|(rows, columns)| {
                let columns = &columns[first_dim * LANES..];
                for (lane, row) in rows.chunks_exact_mut(LANES).enumerate() {
                    for (dim, value) in row.iter_mut().enumerate().take(dims) {
                        *value = columns[dim * LANES + lane];
                    }
                }
            });
        }
    }

    fn vectors(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.words, self.dims), |(word, dim)| f64::from(self.columns[self.place(word, dim)]))
    }

    /// The summed cross-entropy of a batch of words, and the gradient of its mean in the layout of `columns`.
    /// `weights` is room for e^(−β·d)/d of all pairs: for each share, for each group, for each word of the
    /// share, [`LANES`] values.
    fn gradient(
        &self,
        batch: &[usize],
        targets: &Targets,
        settings: &Settings,
        weights: &mut [f32],
    ) -> (f64, Vec<f32>) {
        let room = self.groups * SHARE * LANES;
        let shares: Vec<Push> = batch
            .par_chunks(SHARE)
            .zip(weights.par_chunks_mut(room))
            .map(|(share, weights)| self.push(share, batch.len(), targets, settings, weights))
            .collect();

        let mut gradient = vec![0f32; self.columns.len()];
        gradient.par_chunks_mut(self.padded_dims * LANES).enumerate().for_each(|(group, gradient)| {
            for (push, weights) in shares.iter().zip(weights.chunks(room)) {
                let panel = &weights[group * SHARE * LANES..][..SHARE * LANES];
                let tiles = push.factors.chunks_exact(ROWS * SHARE).zip(gradient.chunks_exact_mut(ROWS * LANES));
                tiles.for_each(|(factors, gradient)| add_products(factors, SHARE, panel, gradient, LANES));
            }
        });
        for (push, words) in shares.iter().zip(batch.chunks(SHARE)) {
            for (own, &word) in push.own.chunks_exact(self.dims.next_multiple_of(LANES)).zip(words) {
                own.iter().take(self.dims).enumerate().for_each(|(dim, x)| gradient[self.place(word, dim)] += x);
            }
            for &(a, b, pull) in &push.pulls {
                for (dim, (x, y)) in self.vector(a).zip(self.vector(b)).enumerate() {
                    gradient[self.place(a, dim)] -= pull * y;
                    gradient[self.place(b, dim)] -= pull * x;
                }
            }
        }
        (shares.iter().map(|push| push.loss).sum(), gradient)
    }

    fn push(&self, share: &[usize], batch: usize, targets: &Targets, settings: &Settings, weights: &mut [f32]) -> Push {
        let beta = settings.beta as f32;
        let width = self.dims.next_multiple_of(LANES);
        let mut vectors = vec![0f32; SHARE * self.dims];
        for (row, &word) in vectors.chunks_exact_mut(self.dims).zip(share) {
            row.iter_mut().zip(self.vector(word)).for_each(|(to, from)| *to = from);
        }
        let mut totals = vec![0f32; SHARE * LANES];
        let mut own = vec![0f32; SHARE * width];
        for (group, weights) in weights.chunks_exact_mut(SHARE * LANES).enumerate() {
            let columns = &self.columns[group * self.padded_dims * LANES..][..self.dims * LANES];
            weights.fill(0.0);
            for (vectors, cosines) in vectors.chunks_exact(ROWS * self.dims).zip(weights.chunks_exact_mut(ROWS * LANES))
            {
                add_products(vectors, self.dims, columns, cosines, LANES);
            }
            self.hide(group, share, weights);
            weigh(weights, beta, &mut totals);
            for (panel, first) in self.rows.chunks(self.groups * LANES * LANES).zip((0..).step_by(LANES)) {
                let panel = &panel[group * LANES * LANES..][..LANES * LANES];
                let tiles = weights.chunks_exact(ROWS * LANES).zip(own.chunks_exact_mut(ROWS * width));
                tiles.for_each(|(weights, own)| add_products(weights, LANES, panel, &mut own[first..], width));
            }
        }

        let mut push = Push { loss: 0.0, factors: vec![0.0; self.padded_dims * SHARE], own, pulls: Vec::new() };
        for (i, &word) in share.iter().enumerate() {
            // The word itself is at distance 0 and was hidden.
            let normaliser = 1.0 + totals[i * LANES..][..LANES].iter().map(|total| f64::from(*total)).sum::<f64>();
            push.loss += libm::log(normaliser);
            let factor = (settings.beta / (batch as f64 * normaliser)) as f32;
            push.own[i * width..][..width].iter_mut().for_each(|x| *x *= factor);
            self.vector(word).enumerate().for_each(|(dim, x)| push.factors[dim * SHARE + i] = factor * x);
            for &(other, weight) in &targets[word] {
                let cosine = self.vector(word).zip(self.vector(other)).fold(0.0, |sum, (a, b)| a.mul_add(b, sum));
                let distance = (2.0 - 2.0 * cosine).max(CLOSEST_SQUARED).sqrt();
                let attraction = settings.beta * (1.0 - settings.self_mass) * weight;
                push.loss += attraction * f64::from(distance);
                push.pulls.push((word, other, (attraction / batch as f64) as f32 / distance));
            }
        }
        push
    }

    /// Puts out of reach, in a group's cosines with the words of a share: those words themselves, and what is
    /// no word.
    fn hide(&self, group: usize, share: &[usize], cosines: &mut [f32]) {
        let words = LANES.min(self.words - group * LANES);
        for (row, &word) in cosines.chunks_exact_mut(LANES).zip(share) {
            row[words..].fill(FAR);
            if word / LANES == group {
                row[word % LANES] = FAR;
            }
        }
    }
}

/// Makes each cosine of two unit vectors e^(−β·d)/d, and adds e^(−β·d) to `totals`.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
fn weigh(cosines: &mut [f32], beta: f32, totals: &mut [f32]) {
    for (cosine, total) in cosines.iter_mut().zip(totals) {
        let distance = (2.0 - 2.0 * *cosine).max(CLOSEST_SQUARED).sqrt();
        let weight = exp(-beta * distance);
        *total += weight;
        *cosine = weight / distance;
    }
}

/// e^x for x ≤ 0, to two units in the last place, the same on every machine; e^−60 for what is less.
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// 1.5·2²³: a small number added to it leaves its nearest integer in the low bits.
    const ROUND: f32 = 12_582_912.0;
    /// ln 2 in two parts, the first with zeros behind.
    const LN_2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4);
    let x = x.max(-60.0);
    let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUND);
    let whole = shifted - ROUND;
    let rest = whole.mul_add(-LN_2.1, whole.mul_add(-LN_2.0, x));
    let series = [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let power = series.into_iter().fold(1.0 / 720.0, |sum: f32, term| sum.mul_add(rest, term));
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// The state of Adam over points on the sphere, in the layout of [`Points::columns`].
struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    /// What the decays have left of the zeros at the start.
    left: (f64, f64),
}

impl Adam {
    fn new(length: usize) -> Self {
        Self { mean: vec![0.0; length], square: vec![0.0; length], left: (1.0, 1.0) }
    }

    fn step(&mut self, columns: &mut [f32], gradient: &[f32], padded_dims: usize, rate: f64) {
        self.left = (self.left.0 * DECAY.0, self.left.1 * DECAY.1);
        let rate = (rate / (1.0 - self.left.0)) as f32;
        let unbias = (1.0 / (1.0 - self.left.1)) as f32;
        let group = padded_dims * LANES;
        columns
            .par_chunks_mut(group)
            .zip(gradient.par_chunks(group))
            .zip(self.mean.par_chunks_mut(group).zip(self.square.par_chunks_mut(group)))
            .for_each(|((points, gradient), (mean, square))| {
                let along = dots(points, gradient);
                for i in 0..points.len() {
                    let slope = gradient[i] - along[i % LANES] * points[i];
                    mean[i] = DECAY.0 as f32 * mean[i] + (1.0 - DECAY.0) as f32 * slope;
                    square[i] = DECAY.1 as f32 * square[i] + (1.0 - DECAY.1) as f32 * slope * slope;
                    points[i] -= rate * mean[i] / ((square[i] * unbias).sqrt() + ADAM_EPSILON);
                }
                // What is no word has length 0 and stays.
                let lengths = dots(points, points).map(|square| if square > 0.0 { square.sqrt() } else { 1.0 });
                points.iter_mut().enumerate().for_each(|(i, x)| *x /= lengths[i % LANES]);
            });
    }
}

/// For each word of a group, the product of its vectors in `a` and in `b`.
fn dots(a: &[f32], b: &[f32]) -> [f32; LANES] {
    let mut sums = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::super::rows::unit_rows;
    use super::*;

    /// Words in four families; each asks for the others of its family, the next one most.
    fn families(words: usize) -> (Array2<f64>, Targets) {
        let mut start =
            Array2::from_shape_fn((words, 5), |(i, j)| ((i * 37 + j * 101 + i * j * 7) % 251) as f64 - 125.0);
        unit_rows(&mut start);
        let targets = (0..words).map(|word| {
            let family = (word % 4..words).step_by(4).filter(|other| *other != word).collect::<Vec<_>>();
            let next = (word + 4) % words;
            let share = 0.6 / (family.len() - 1) as f64;
            family.into_iter().map(|other| (other, if other == next { 0.4 } else { share })).collect()
        });
        (start, targets.collect())
    }

    /// What the channel puts out for a word: e^(−β·d), normalised.
    fn output(vectors: &Array2<f64>, word: usize, beta: f64) -> Vec<f64> {
        let distance = |other: usize| -> f64 {
            vectors.row(word).iter().zip(vectors.row(other)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        let weights: Vec<f64> = (0..vectors.nrows()).map(|other| (-beta * distance(other)).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    }

    fn fitted(settings: &Settings) -> (Fitted, Targets) {
        // More than a group of words, and no whole number of them.
        let (start, targets) = families(52);
        (fit(&start, &targets, settings, &ProgressBar::hidden()), targets)
    }

    #[test]
    fn the_output_comes_to_match_the_targets() {
        let settings = Settings { epochs: 1500, ..Settings::default() };
        let (fitted, targets) = fitted(&settings);
        assert!(fitted.losses.last() < fitted.losses.first());
        let (mut kept, mut within, mut next) = (0.0, 0.0, 0.0);
        for word in 0..52 {
            let output = output(&fitted.vectors, word, settings.beta);
            kept += output[word] / 52.0;
            within += targets[word].iter().map(|(other, _)| output[*other]).sum::<f64>() / 52.0;
            next += output[(word + 4) % 52] / 52.0;
        }
        assert!((kept - 0.5).abs() < 0.02, "{kept}");
        assert!((within - 0.5).abs() < 0.03, "{within}");
        // Distances are symmetric and the wish is not: the next word shares it with the one before.
        assert!(next > 2.0 * within / 12.0, "{next}");
    }

    #[test]
    fn the_loss_reported_is_the_cross_entropy() {
        let settings = Settings { epochs: 1, learning_rate: 0.0, ..Settings::default() };
        let (fitted, targets) = fitted(&settings);
        let entropies = (0..52).map(|word| {
            let output = output(&fitted.vectors, word, settings.beta);
            let others = targets[word].iter().map(|(other, weight)| 0.5 * weight * output[*other].ln());
            -0.5 * output[word].ln() - others.sum::<f64>()
        });
        let expected = entropies.sum::<f64>() / 52.0;
        assert!((fitted.losses[0] - expected).abs() < 1e-5, "{} {expected}", fitted.losses[0]);
    }

    #[test]
    fn the_points_stay_on_the_sphere() {
        let (fitted, _) = fitted(&Settings::default());
        for row in fitted.vectors.rows() {
            assert!((row.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        let (start, targets) = families(2 * BATCH + 5);
        let settings = Settings { epochs: 2, ..Settings::default() };
        let bits = |threads: usize| -> Vec<u64> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let fitted = pool.install(|| fit(&start, &targets, &settings, &ProgressBar::hidden()));
            fitted.vectors.iter().chain(&fitted.losses).map(|x| x.to_bits()).collect()
        };
        let one = bits(1);
        assert!(one == bits(2) && one == bits(5));
    }

    #[test]
    fn the_exponential_is_that_of_libm() {
        for i in 0..=6000 {
            let x = -0.01 * i as f32;
            let exact = libm::exp(f64::from(x));
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 3e-7, "{x}");
        }
        assert_eq!(exp(-1e9), exp(-60.0));
    }
}
