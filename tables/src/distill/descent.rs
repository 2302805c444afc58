//! Rows fitted so that their sums point where texts point.
//!
//! The vector of a text is the sum s of its rows, and only its direction counts. The rows minimise the mean of 1 −
//! cos(s, y) over all texts, where y is the direction wanted for a text. The method is Adam (Kingma and Ba 2015) over
//! mini-batches. So the length of a row is learned too: it says how much the word counts next to others.
//!
//! The bytes are the same on every machine and for every number of threads. Each sum has one order, and the only
//! operations are those that IEEE 754 rounds correctly.

use indicatif::ProgressBar;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::prelude::*;

use crate::fit::shuffle;

/// Texts behind a step.
const BATCH: usize = 1024;
/// Adam's decay of the mean gradient and of its mean square.
const DECAY: (f32, f32) = (0.9, 0.99);
const ADAM_EPSILON: f32 = 1e-8;
/// The learning rate falls linearly to this part of its first value.
const LAST_RATE: f64 = 0.02;
/// A sum that is no longer has no direction.
const SHORTEST: f32 = 1e-6;
/// Coordinates that a thread moves at once.
const SHARE: usize = 1 << 14;

/// A row of coordinates for each word.
pub(super) struct Rows {
    pub(super) dims: usize,
    pub(super) values: Vec<f32>,
}

impl Rows {
    fn place(&self, row: usize) -> std::ops::Range<usize> {
        row * self.dims..(row + 1) * self.dims
    }

    pub(super) fn row(&self, row: usize) -> &[f32] {
        &self.values[self.place(row)]
    }

    /// The sum of some rows.
    fn sum(&self, text: &[u32]) -> Vec<f32> {
        let mut sum = vec![0.0; self.dims];
        for row in text {
            sum.iter_mut().zip(self.row(*row as usize)).for_each(|(sum, x)| *sum += x);
        }
        sum
    }
}

/// A text to learn from.
pub(super) struct Lesson {
    /// The places of its rows.
    pub(super) rows: Vec<u32>,
    /// The direction that their sum is to have, of length 1.
    pub(super) direction: Vec<f32>,
}

/// How long it is learned, and how fast.
pub(super) struct Settings {
    /// How often each text is visited.
    pub(super) epochs: usize,
    /// Adam's first learning rate.
    pub(super) learning_rate: f64,
    /// What the order of the texts follows from.
    pub(super) seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { epochs: 4, learning_rate: 2e-3, seed: 0 }
    }
}

/// Steps that [`descend`] will report.
pub(super) fn steps(lessons: usize, settings: &Settings) -> usize {
    settings.epochs * lessons.div_ceil(BATCH)
}

/// Moves the rows until their sums point as the lessons say. Returns the mean cosine of each epoch.
pub(super) fn descend(rows: &mut Rows, lessons: &[Lesson], settings: &Settings, progress: &ProgressBar) -> Vec<f64> {
    let mut adam = Adam::new(rows.values.len());
    let mut rng = ChaCha20Rng::seed_from_u64(settings.seed);
    let mut order: Vec<usize> = (0..lessons.len()).collect();
    let (mut step, steps) = (0.0, steps(lessons.len(), settings) as f64);
    let mut cosines = Vec::with_capacity(settings.epochs);
    for _ in 0..settings.epochs {
        shuffle(&mut order, &mut rng);
        let mut total = 0.0;
        for batch in order.chunks(BATCH) {
            let batch: Vec<&Lesson> = batch.iter().map(|lesson| &lessons[*lesson]).collect();
            let (cosine, gradient) = gradient(rows, &batch);
            total += cosine;
            adam.step(&mut rows.values, &gradient, settings.learning_rate * (1.0 - step / steps).max(LAST_RATE));
            step += 1.0;
            progress.inc(1);
        }
        cosines.push(total / lessons.len().max(1) as f64);
    }
    cosines
}

/// The summed cosines of a batch, and the gradient of the mean of 1 − cosine.
fn gradient(rows: &Rows, batch: &[&Lesson]) -> (f64, Vec<f32>) {
    let share = 1.0 / batch.len() as f32;
    let of_lesson = |lesson: &&Lesson| {
        let mut sum = rows.sum(&lesson.rows);
        let length = dot(&sum, &sum).sqrt().max(SHORTEST);
        let cosine = dot(&sum, &lesson.direction) / length;
        // The slope of −cosine in the sum: (cosine·s/‖s‖ − y)/‖s‖.
        for (x, y) in sum.iter_mut().zip(&lesson.direction) {
            *x = (cosine * *x / length - y) * share / length;
        }
        (cosine, sum)
    };
    let slopes: Vec<(f32, Vec<f32>)> = batch.par_iter().map(of_lesson).collect();
    let mut gradient = vec![0.0; rows.values.len()];
    for (lesson, (_, slope)) in batch.iter().zip(&slopes) {
        for row in &lesson.rows {
            gradient[rows.place(*row as usize)].iter_mut().zip(slope).for_each(|(sum, x)| *sum += x);
        }
    }
    (slopes.iter().map(|(cosine, _)| f64::from(*cosine)).sum(), gradient)
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).fold(0.0, |dot, (a, b)| dot + a * b)
}

/// The state of Adam.
struct Adam {
    /// The mean slope of each coordinate, and its mean square.
    moments: Vec<[f32; 2]>,
    /// What the decays have left of the zeros at the start.
    left: (f32, f32),
}

impl Adam {
    fn new(length: usize) -> Self {
        Self { moments: vec![[0.0; 2]; length], left: (1.0, 1.0) }
    }

    fn step(&mut self, values: &mut [f32], gradient: &[f32], rate: f64) {
        self.left = (self.left.0 * DECAY.0, self.left.1 * DECAY.1);
        let (rate, unbias) = (rate as f32 / (1.0 - self.left.0), 1.0 / (1.0 - self.left.1));
        let shares = values.par_chunks_mut(SHARE).zip(gradient.par_chunks(SHARE));
        shares.zip(self.moments.par_chunks_mut(SHARE)).for_each(|((values, slopes), moments)| {
            for ((x, slope), [mean, square]) in values.iter_mut().zip(slopes).zip(moments) {
                *mean = DECAY.0 * *mean + (1.0 - DECAY.0) * slope;
                *square = DECAY.1 * *square + (1.0 - DECAY.1) * slope * slope;
                *x -= rate * *mean / ((*square * unbias).sqrt() + ADAM_EPSILON);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: Settings = Settings { epochs: 60, learning_rate: 0.02, seed: 0 };

    /// Two rows, and texts that are to point along the axes and between them.
    fn lessons() -> (Rows, Vec<Lesson>) {
        let lesson = |rows: &[u32], direction: [f32; 2]| Lesson { rows: rows.to_vec(), direction: direction.to_vec() };
        let lessons = vec![lesson(&[0], [1.0, 0.0]), lesson(&[1], [0.0, 1.0]), lesson(&[0, 1], [0.8, 0.6])];
        (Rows { dims: 2, values: vec![0.5, 0.4, 0.4, 0.5] }, lessons)
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_mean_cosine() {
        let (rows, lessons) = lessons();
        let batch: Vec<&Lesson> = lessons.iter().collect();
        let (_, slopes) = gradient(&rows, &batch);
        for (place, slope) in slopes.iter().enumerate() {
            let at = |step: f32| {
                let mut moved = Rows { dims: 2, values: rows.values.clone() };
                moved.values[place] += step;
                -gradient(&moved, &batch).0 / 3.0
            };
            assert!(((at(1e-2) - at(-1e-2)) / 2e-2 - f64::from(*slope)).abs() < 1e-3, "{place}");
        }
    }

    #[test]
    fn rows_turn_to_their_directions_and_the_weightier_becomes_longer() {
        let (mut rows, lessons) = lessons();
        let cosines = descend(&mut rows, &lessons, &SETTINGS, &ProgressBar::hidden());
        assert!(cosines[0] < 0.9 && cosines[59] > 0.999, "{cosines:?}");
        assert!(rows.values[0] > 1.2 * rows.values[3], "{:?}", rows.values);
    }

    #[test]
    fn what_is_learned_does_not_depend_on_the_number_of_threads() {
        let learned = |threads: usize| {
            let (mut rows, lessons) = lessons();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| descend(&mut rows, &lessons, &SETTINGS, &ProgressBar::hidden()));
            rows.values.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(learned(1), learned(3));
    }
}
