//! The channel that keeps a wanted share of words at the least constant. It consists of β and a base measure that makes
//! Z = Σ g·e^(−β·m) nearly the same for all words.
//!
//! The step g ← g/(K·g) leaves g unchanged exactly where Z = 1 everywhere, and it keeps g positive. Sometimes K⁻¹·1 is
//! not positive (little retention, words in the midst of many others), or K is not definite (a metric that is cut off).
//! There the step still flattens Z as far as it can. It minimizes ½·gᵀK·g − Σ g over g ≥ 0, which leaves Z = 1 except
//! for a few words of no weight. The plain step is slow. So each step is extrapolated from the last few (Anderson, J.
//! ACM 12, 1965), in ln g and ln β together. The step of ln β is the error in the log-odds of retention by their
//! measured slope.
//!
//! Everything here is in single precision and proves nothing: what comes out is rounded and then certified.

use std::array;
use std::collections::VecDeque;

use indicatif::ProgressBar;
use libm::{exp, log};
use textveil::Certificate;

use super::pairs::{Kernels, LANES, Lanes, Pairs, Steepest, add_weights, steepen};
use super::vocabulary::{Vocabulary, mean};

/// Nats a lattice step between which β is sought.
const BETA_RANGE: (f64, f64) = (1e-4, 1e2);
/// Words that stand for all while a first β is sought.
const SAMPLED_WORDS: usize = 512;
/// Halvings of the interval in which ln β lies.
const HALVINGS: usize = 20;
/// The step in ln β over which the slope of retention is measured.
const LOG_BETA_STEP: f64 = 0.02;
/// Steps that are extrapolated from.
const MEMORY: usize = 6;
/// Rounds behind which the constant is looked at; behind the last, nothing more is tried.
const LOOKS: [usize; 7] = [5, 8, 11, 14, 18, 22, 28];
/// Sweeps of a solution, at most.
pub(super) const SWEEPS: usize = LOOKS[LOOKS.len() - 1] + 1 + LOOKS.len();
/// The constant is near enough to β, relatively.
const NEAR: f64 = 0.003;
/// Where the constant's distance from β is still this share of what it was, it has stopped falling.
const STALLED: f64 = 0.9;
/// Log-odds of retention so far off that β has to be brought near first.
const FAR_OFF: f64 = 0.2;
/// Retention is near enough.
const RETENTION_ERROR: f64 = 0.001;
/// Largest step of ln g, and of ln β.
const LARGEST_STEP: (f64, f64) = (1.5, 0.2);
/// Largest over smallest value of a base measure.
pub(super) const LARGEST_RATIO: f64 = Certificate::LARGEST_BASE as f64;

/// The channel that is sought.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    /// What is fixed, and what may move.
    pub(super) shape: Shape,
    /// Distance from which all words are equally far.
    pub(super) cutoff: f64,
    /// Distance up to which all words are equally near.
    pub(super) near: f64,
}

/// Kinds of channels.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// Z as flat as it goes, and this mean retention.
    Flat { retention: f64 },
    /// g = 1, and this mean retention.
    Exponential { retention: f64 },
    /// Z as flat as it goes at this β.
    FlatAt { beta: f64 },
}

impl Shape {
    const fn retention(self) -> Option<f64> {
        match self {
            Self::Flat { retention } | Self::Exponential { retention } => Some(retention),
            Self::FlatAt { .. } => None,
        }
    }

    const fn is_flat(self) -> bool {
        !matches!(self, Self::Exponential { .. })
    }
}

/// A channel before its base measure is rounded.
#[derive(Clone)]
pub(super) struct Solution {
    /// β, in nats per unit of distance.
    pub(super) beta: f64,
    /// ln g, at most 0.
    pub(super) log_base: Vec<f64>,
    /// ln Z.
    pub(super) logs: Vec<f64>,
    /// The least η for which it is η-metric-DP, before rounding.
    pub(super) eta: f64,
    /// The least ε of pure DP, before rounding.
    pub(super) epsilon: f64,
}

/// A channel for each of at most [`LANES`] goals.
pub(super) fn solve(pairs: &Pairs, vocabulary: &Vocabulary, goals: &[Goal], progress: &ProgressBar) -> Vec<Solution> {
    let rows: Vec<usize> = (0..pairs.count()).collect();
    let mut searches = start(pairs, vocabulary, goals);
    for round in 0..=LOOKS[LOOKS.len() - 1] {
        let betas = lanes(&searches, |search| search.solution.beta, 0.0);
        let kernels = pairs.kernels(betas, lanes(goals, |goal| goal.cutoff, 0.0), lanes(goals, |goal| goal.near, 0.0));
        let base = |search: &Search| -> Vec<f64> { search.solution.log_base.iter().map(|x| exp(*x)).collect() };
        let bases: Vec<Vec<f64>> = searches.iter().map(base).collect();
        let totals = totals(pairs, &rows, &kernels, &bases, progress);
        for (lane, (search, totals)) in searches.iter_mut().zip(&totals).enumerate() {
            let weight = |squared| kernels.weight(lane, pairs.distance(squared));
            search.retention = mean(&vocabulary.kept(&bases[lane], totals, weight));
            search.solution.logs = totals.iter().map(|total| log(*total)).collect();
        }
        if LOOKS.contains(&round) {
            let logs: Vec<&[f64]> = searches.iter().map(|search| search.solution.logs.as_slice()).collect();
            let steepest = steepest(pairs, &kernels, &logs, 0.0, progress);
            for (lane, search) in searches.iter_mut().enumerate() {
                search.look(steepest.slope[lane], steepest.loss[lane]);
            }
            if searches.iter().all(|search| search.is_done) {
                break;
            }
        }
        if round < LOOKS[LOOKS.len() - 1] {
            searches.iter_mut().filter(|search| !search.is_done).for_each(Search::step);
        }
    }
    searches.into_iter().map(|search| search.solution).collect()
}

/// A value of each channel, and another for the lanes that are left.
pub(super) fn lanes<S, T: Copy>(of: &[S], value: impl Fn(&S) -> T, idle: T) -> Lanes<T> {
    array::from_fn(|lane| of.get(lane).map_or(idle, &value))
}

/// Columns of a value of each channel, padded.
pub(super) fn columns<U: Copy>(
    pairs: &Pairs,
    of: &[impl AsRef<[f64]>],
    value: impl Fn(f64) -> U,
    idle: U,
) -> Vec<Lanes<U>> {
    let column = |column: usize| lanes(of, |values| values.as_ref().get(column).map_or(idle, |x| value(*x)), idle);
    (0..pairs.columns()).map(column).collect()
}

/// Z of these rows for each channel.
fn totals(
    pairs: &Pairs,
    rows: &[usize],
    kernels: &Kernels,
    bases: &[Vec<f64>],
    progress: &ProgressBar,
) -> Vec<Vec<f64>> {
    // What is smaller than that adds nothing, and would be slow.
    let single = |x: f64| if x < 1e-30 { 0.0 } else { x as f32 };
    let weights = pairs.by_square(kernels, single);
    let base = columns(pairs, bases, single, 0.0);
    let totals = pairs.sweep(
        rows,
        progress,
        || [0.0; LANES],
        |totals, _, first, squares| add_weights(squares, &weights, &base[first..], totals),
    );
    (0..bases.len()).map(|lane| totals.iter().map(|totals| totals[lane]).collect()).collect()
}

/// The steepest slope and the worst loss of all pairs, for each channel.
pub(super) fn steepest(
    pairs: &Pairs,
    kernels: &Kernels,
    logs: &[impl AsRef<[f64]>],
    slack: f64,
    progress: &ProgressBar,
) -> Steepest {
    let rows: Vec<usize> = (0..pairs.count()).collect();
    let logs = columns(pairs, logs, |x| x, f64::NEG_INFINITY);
    let of_rows = pairs.sweep(&rows, progress, Steepest::default, |steepest, row, first, squares| {
        steepen(squares, kernels, &logs[first..], &logs[row], slack, steepest);
    });
    let larger = |a: Lanes<f64>, b: Lanes<f64>| array::from_fn(|lane| a[lane].max(b[lane]));
    of_rows
        .into_iter()
        .fold(Steepest::default(), |a, b| Steepest { slope: larger(a.slope, b.slope), loss: larger(a.loss, b.loss) })
}

/// Searches that start from g = 1, with a β by the retention of a few words.
fn start(pairs: &Pairs, vocabulary: &Vocabulary, goals: &[Goal]) -> Vec<Search> {
    let rows = pairs.sample(SAMPLED_WORDS);
    let (cutoffs, nears) = (lanes(goals, |goal| goal.cutoff, 0.0), lanes(goals, |goal| goal.near, 0.0));
    let ones = vec![vec![1.0; pairs.count()]; goals.len()];
    let odds = |log_betas: &[f64]| -> Vec<f64> {
        let kernels = pairs.kernels(lanes(log_betas, |x| exp(*x), 0.0), cutoffs, nears);
        let kept = |totals: Vec<f64>| mean(&totals.iter().map(|total| 1.0 / total).collect::<Vec<_>>());
        totals(pairs, &rows, &kernels, &ones, &ProgressBar::hidden())
            .into_iter()
            .map(|totals| log_odds(kept(totals)))
            .collect()
    };
    let unit = pairs.distance(1);
    let interval = |goal: &Goal| match goal.shape {
        Shape::FlatAt { beta } => [log(beta); 2],
        _ => [log(BETA_RANGE.0 / unit), log(BETA_RANGE.1 / unit)],
    };
    let mut intervals: Vec<[f64; 2]> = goals.iter().map(interval).collect();
    let share = vocabulary.share_offered();
    for _ in 0..HALVINGS {
        let middles: Vec<f64> = intervals.iter().map(|[low, high]| low.midpoint(*high)).collect();
        for (((interval, middle), odds), goal) in intervals.iter_mut().zip(&middles).zip(odds(&middles)).zip(goals) {
            let wanted = goal.shape.retention().map_or(0.0, |retention| log_odds(retention / share));
            interval[usize::from(odds >= wanted)] = *middle;
        }
    }
    let found: Vec<f64> = intervals.iter().map(|[low, high]| low.midpoint(*high)).collect();
    let beyond: Vec<f64> = found.iter().map(|x| x + LOG_BETA_STEP).collect();
    let slopes = odds(&found).into_iter().zip(odds(&beyond)).map(|(at, beyond)| (beyond - at) / LOG_BETA_STEP);
    let search = |((goal, log_beta), slope): ((&Goal, f64), f64)| Search {
        shape: goal.shape,
        solution: Solution {
            beta: exp(log_beta),
            log_base: vec![0.0; pairs.count()],
            logs: Vec::new(),
            eta: f64::INFINITY,
            epsilon: f64::INFINITY,
        },
        retention: 0.0,
        share_offered: share,
        slope,
        past: VecDeque::new(),
        is_done: false,
    };
    goals.iter().zip(found).zip(slopes).map(search).collect()
}

/// ln(p/(1 − p)): nearly linear in β, for a share p of words kept.
fn log_odds(p: f64) -> f64 {
    let p = p.clamp(1e-12, 1.0 - 1e-12);
    log(p / (1.0 - p))
}

/// A channel on its way.
struct Search {
    shape: Shape,
    solution: Solution,
    retention: f64,
    share_offered: f64,
    /// The slope of the log-odds of retention against ln β.
    slope: f64,
    /// States with their residuals, the newest last.
    past: VecDeque<[Vec<f64>; 2]>,
    is_done: bool,
}

impl Search {
    /// Decides whether it has arrived.
    fn look(&mut self, slope: f64, loss: f64) {
        if self.is_done {
            return;
        }
        let Solution { beta, eta, epsilon, .. } = &mut self.solution;
        let is_near = slope <= NEAR * *beta || slope > STALLED * (*eta - *beta) || !self.shape.is_flat();
        let keeps = self.shape.retention().is_none_or(|wanted| (self.retention - wanted).abs() <= RETENTION_ERROR);
        self.is_done = is_near && keeps;
        (*eta, *epsilon) = (*beta + slope, loss);
    }

    /// A step from the ln Z and the retention of the current solution.
    fn step(&mut self) {
        let Solution { beta, log_base, logs, .. } = &mut self.solution;
        // ln β weighs as much as all words together.
        let weight = (logs.len() as f64).sqrt();
        let odds = |retention: f64| log_odds(retention / self.share_offered);
        let log_beta_off =
            self.shape.retention().map_or(0.0, |wanted| (odds(wanted) - odds(self.retention)) / self.slope);
        if (self.slope * log_beta_off).abs() > FAR_OFF {
            // Steps so far back tell nothing about later steps.
            self.past.clear();
        }
        let level = mean(logs);
        let off = |x: &f64| if self.shape.is_flat() { level - x } else { 0.0 };
        let residual: Vec<f64> = logs.iter().map(off).chain([weight * log_beta_off]).collect();
        let state: Vec<f64> = log_base.iter().copied().chain([weight * log(*beta)]).collect();
        let mut step = residual.clone();
        for ([past_state, past_residual], share) in self.past.iter().zip(mix(&residual, &self.past)) {
            let changes = state.iter().zip(past_state).zip(residual.iter().zip(past_residual));
            for (step, ((a, b), (c, d))) in step.iter_mut().zip(changes) {
                *step -= share * ((a - b) + (c - d));
            }
        }
        let log_beta_step = step.pop().unwrap_or_default() / weight;
        *beta *= exp(log_beta_step.clamp(-LARGEST_STEP.1, LARGEST_STEP.1));
        for (x, step) in log_base.iter_mut().zip(&step) {
            *x += step.clamp(-LARGEST_STEP.0, LARGEST_STEP.0);
        }
        let top = log_base.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let floor = -log(LARGEST_RATIO);
        log_base.iter_mut().for_each(|x| *x = (*x - top).max(floor));
        self.past.push_back([state, residual]);
        if self.past.len() > MEMORY {
            self.past.pop_front();
        }
    }
}

/// The shares of the differences from past residuals that come nearest to a residual, by least squares.
fn mix(residual: &[f64], past: &VecDeque<[Vec<f64>; 2]>) -> Vec<f64> {
    let difference = |[_, old]: &[Vec<f64>; 2]| -> Vec<f64> { residual.iter().zip(old).map(|(a, b)| a - b).collect() };
    let differences: Vec<Vec<f64>> = past.iter().map(difference).collect();
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let equation =
        |a: &Vec<f64>| differences.iter().map(|b| product(a, b)).chain([product(a, residual)]).collect::<Vec<f64>>();
    let mut system: Vec<Vec<f64>> = differences.iter().map(equation).collect();
    for (place, row) in system.iter_mut().enumerate() {
        // Differences that are nearly alike tell nothing.
        row[place] = row[place] * (1.0 + 1e-8) + f64::MIN_POSITIVE;
    }
    for place in 0..system.len() {
        let pivot = system[place].clone();
        for (_, row) in system.iter_mut().enumerate().filter(|(other, _)| *other != place) {
            let factor = row[place] / pivot[place];
            row.iter_mut().zip(&pivot).for_each(|(x, pivot)| *x -= factor * pivot);
        }
    }
    system.iter().enumerate().map(|(place, row)| row[system.len()] / row[place]).collect()
}
