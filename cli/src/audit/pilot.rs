//! Choosing an event before the audit, from samples that the audit does not use.

use anyhow::Result;
use indicatif::ProgressBar;

use super::case::{Input, Phase, Stream, Trial, sample};
use super::evidence::Evidence;

/// Thresholds that are compared.
const CANDIDATES: usize = 200;

/// How many samples of each input a pilot takes for an audit of that size.
pub(super) const fn samples(audit: usize) -> usize {
    audit / 10
}

/// The threshold above which the pilot's scores bound ε best at this δ.
///
/// # Errors
/// As [`Trial::score`].
pub(super) fn threshold(trial: &dyn Trial, audit: usize, delta: f64, seed: u64, progress: &ProgressBar) -> Result<f64> {
    let size = samples(audit).max(1);
    let scores = |input| -> Result<Vec<f64>> {
        let stream = Stream { seed, phase: Phase::Pilot, input };
        let mut scores = sample(stream, size, progress, |rng| trial.score(input, rng))?;
        scores.sort_unstable_by(f64::total_cmp);
        Ok(scores)
    };
    let (first, second) = (scores(Input::First)?, scores(Input::Second)?);
    let above = |scores: &[f64], threshold: f64| (size - scores.partition_point(|score| *score <= threshold)) as u64;
    let mut candidates: Vec<f64> = [&first, &second]
        .iter()
        .flat_map(|scores| scores.iter().step_by(size.div_ceil(CANDIDATES / 2)))
        .copied()
        .collect();
    candidates.extend(second.last());
    candidates.dedup();
    let mut best = (f64::NEG_INFINITY, 0.0);
    for threshold in candidates {
        let evidence = Evidence::new([above(&first, threshold), above(&second, threshold)], size as u64)?;
        // Without a bound, what comes nearest to one.
        let worth = evidence.epsilon(delta).unwrap_or_else(|| evidence.delta(0.0) - 1.0);
        if worth > best.0 {
            best = (worth, threshold);
        }
    }
    // In the middle of the gap above it, where the audit's own scores are not expected.
    let next = |scores: &[f64]| scores.get(scores.partition_point(|score| *score <= best.1)).copied();
    let above = [next(&first), next(&second)].into_iter().flatten().reduce(f64::min);
    Ok(above.map_or(best.1, |above| above.midpoint(best.1)))
}
