//! What a channel with a rounded base measure is: its exact constants, and what it does to words.
//!
//! # What is certified
//! With Z(x) = Σ g(y)·e^(−β·m(x, y)) over all rows, and m the distance, cut off at some length (a metric):
//! - η* = β + max (ln Z(x′) − ln Z(x))/m(x, x′) over pairs x ≠ x′. It is the least η for which the channel is
//!   η-metric-DP in m, and so in d ≥ m. Proof: ln P(y|x) − ln P(y|x′) = β·(m(x′, y) − m(x, y)) + ln Z(x′) − ln Z(x).
//!   The first term is at most β·m(x, x′) by the triangle inequality, with equality at y = x.
//! - ε* = max β·m(x, x′) + ln Z(x′) − ln Z(x) is, for the same reason, the least ε of pure DP for any two
//!   words.
//!
//! With a plateau, f = β·(max(m, near) − near) replaces β·m in Z. It grows by at most β a unit of m and is at most
//! β·(cut-off − near). So the same η* holds, and ε* with min(m, cut-off − near) for m. Both are then bounds that need
//! not be reached.
//!
//! # Rounding
//! Weights of the base measure are integers, and squared distances are exact. A computed weight e^(−β·m) is within
//! 2⁻⁵³·(3·β·m + 2) of the exact weight, relatively. That is within 3·10⁻¹³ wherever the weight is above zero. Terms
//! are positive and added 256 at a time, at most 512 times. That adds 768·2⁻⁵³ < 10⁻¹³. The value of ln Z lies below 30
//! and is within 10⁻¹⁴ of the exact logarithm. So each ln Z is within [`LOG_SLACK`]/2 = 10⁻¹² of its true value, and
//! the slack is added to each difference. [`up`] covers the few operations after it. The law that a device draws from
//! is within ρ = 10⁻¹⁴ of this one, relatively. That adds at most 4ρ to a loss, and 4ρ over a lattice step to η.

use indicatif::ProgressBar;
use libm::{exp, log};
use serde::{Deserialize, Serialize};

use super::base;
use super::pairs::{LANES, Lanes, Moments, Pairs, add_moments, likeliest};
use super::solve::{columns, lanes, steepest};
use super::vocabulary::{Vocabulary, mean};

/// Sweeps of a certification.
pub(super) const SWEEPS: usize = 3;
/// What a difference of two ln Z is larger by than computed, at most.
const LOG_SLACK: f64 = 2e-12;

/// What a sampled probability is off by at most, relatively.
const DRAWN: f64 = 1.0001e-14;

/// A channel as it will be stored.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Draft {
    /// β, in nats per unit of distance.
    pub(crate) beta: f64,
    /// The distance from which all words are equally far; may be infinite.
    pub(crate) cutoff: f64,
    /// The distance up to which all words are as likely as the word itself.
    pub(crate) near: f64,
    /// Nats between two codes.
    pub(crate) step: f64,
    /// The base measure, a code a row.
    pub(crate) codes: Vec<u8>,
}

/// A channel with what is proved of it, and what it does.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Certified {
    /// The channel.
    pub(crate) draft: Draft,
    /// The least η, rounded up.
    pub(crate) eta: f64,
    /// The least ε of one word, rounded up.
    pub(crate) epsilon: f64,
    /// The mean probability of a word to come out as itself, all words alike.
    pub(crate) retention: f64,
    /// The same, each word weighted by its frequency.
    pub(crate) retention_by_frequency: f64,
    /// The mean of e^(entropy of what comes out): as how many equally likely words it is.
    pub(crate) support: f64,
    /// The mean distance of what comes out.
    pub(crate) expected_distance: f64,
    /// How often a reader who knows the mechanism guesses the word that went in, all words alike.
    pub(crate) inversion: f64,
    /// The same where words go in by their frequency, which the guesser knows.
    pub(crate) inversion_by_frequency: f64,
}

/// A result of a few operations, rounded up.
fn up(x: f64) -> f64 {
    x * (1.0 + 8.0 * f64::EPSILON)
}

/// Certifies at most [`LANES`] channels.
pub(super) fn certify(
    pairs: &Pairs,
    vocabulary: &Vocabulary,
    drafts: &[Draft],
    progress: &ProgressBar,
) -> Vec<Certified> {
    let rows: Vec<usize> = (0..pairs.count()).collect();
    let kernels = pairs.kernels(
        lanes(drafts, |draft| draft.beta, 0.0),
        lanes(drafts, |draft| draft.cutoff, 0.0),
        lanes(drafts, |draft| draft.near, 0.0),
    );
    let weights = pairs.by_square(&kernels, |weight| weight);
    let bases: Vec<Vec<f64>> = drafts.iter().map(|draft| base::decode(&draft.codes, draft.step)).collect();
    let both: Vec<[Lanes<f64>; 2]> = columns(pairs, &bases, |g| g, 0.0)
        .into_iter()
        .map(|base| [base, base.map(|g| if g > 0.0 { log(g) } else { 0.0 })])
        .collect();
    let moments = pairs.sweep(&rows, progress, Moments::default, |moments, _, first, squares| {
        add_moments(squares, &kernels, &weights, &both[first..], moments);
    });
    let totals: Vec<Vec<f64>> =
        (0..drafts.len()).map(|lane| moments.iter().map(|moments| moments.total[lane]).collect()).collect();
    let logs: Vec<Vec<f64>> = totals.iter().map(|totals| totals.iter().map(|total| log(*total)).collect()).collect();
    let steepest = steepest(pairs, &kernels, &logs, LOG_SLACK, progress);

    let by_frequency: Vec<Vec<f64>> = totals
        .iter()
        .map(|totals| totals.iter().zip(&vocabulary.prior).map(|(total, share)| share / total).collect())
        .collect();
    let shares: Vec<[Lanes<f64>; 2]> = columns(pairs, &totals, |total| 1.0 / total, 0.0)
        .into_iter()
        .zip(columns(pairs, &by_frequency, |share| share, 0.0))
        .map(|(uniform, by_frequency)| [uniform, by_frequency])
        .collect();
    let guesses = pairs.sweep(
        &rows,
        progress,
        || [[0.0; LANES]; 2],
        |best, _, first, squares| {
            likeliest(squares, &weights, &shares[first..], best);
        },
    );

    let of_lane = |(lane, draft): (usize, &Draft)| {
        let (base, totals) = (&bases[lane], &totals[lane]);
        let kept = vocabulary.kept(base, totals, |squared| kernels.weight(lane, pairs.distance(squared)));
        let mean_of = |of_row: &dyn Fn(&Moments) -> f64| mean(&moments.iter().map(of_row).collect::<Vec<_>>());
        let entropy = |of_row: &Moments| {
            let surprise = draft.beta * of_row.fall[lane] - of_row.log_base[lane];
            log(of_row.total[lane]) + surprise / of_row.total[lane]
        };
        let guessed =
            |prior: usize| -> f64 { guesses.iter().zip(base).map(|(best, base)| base * best[prior][lane]).sum() };
        Certified {
            draft: draft.clone(),
            // The proof of the exponential mechanism holds for every base measure: the constant is at most 2β.
            eta: up(draft.beta + up(steepest.slope[lane])).min(2.0 * draft.beta) + 4.0 * DRAWN / pairs.distance(1),
            epsilon: up(steepest.loss[lane]) + 4.0 * DRAWN,
            retention: mean(&kept),
            retention_by_frequency: kept.iter().zip(&vocabulary.prior).map(|(kept, share)| kept * share).sum(),
            support: mean_of(&|of_row| exp(entropy(of_row))),
            expected_distance: mean_of(&|of_row| of_row.distance[lane] / of_row.total[lane]),
            inversion: guessed(0) / pairs.count() as f64,
            inversion_by_frequency: guessed(1),
        }
    };
    drafts.iter().enumerate().map(of_lane).collect()
}
