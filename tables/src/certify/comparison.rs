//! Compares certified channels with others that keep as many words, and with a bound that no channel can exceed.
//!
//! Take any λ ≥ 0 with Σ λ(y)·e^(−η·m(x, y)) ≥ 1 for all x. Then no channel that is η-metric-DP in m keeps more than Σ
//! λ/V of the words on average. Proof: r(y) = P(y|y) fulfils Σ e^(−η·m(x, y))·r(y) ≤ Σ P(y|x) = 1. So Σ r ≤ Σ λ·K·r ≤ Σ
//! λ. Here λ is the flat base measure at β = η over its least Z. Where K⁻¹·1 ≥ 0, it is K⁻¹·1, and the bound is
//! reached.

use anyhow::Result;
use textveil::Table;

use super::super::levels::{noise_that_keeps, words_to_release};
use super::Work;
use super::measure::Certified;
use super::solve::{Goal, Shape, Solution};
use super::vocabulary::mean;
use textveil_toolkit::cells;
use textveil_toolkit::report::Sheet;

/// Shares of words kept that are compared, if there is a level near them.
const KEPT: [f64; 2] = [0.5, 0.9];
/// How near.
const NEAR: f64 = 0.005;

/// The η of noise, half, tight and flat, and the most that could be kept at flat's η.
///
/// # Errors
/// The table refuses noise.
pub(super) fn compare(work: &Work, table: &Table, levels: &[Certified]) -> Result<Sheet> {
    let level_near =
        |kept: &f64| levels.iter().find(|level| level.draft.near == 0.0 && (level.retention - kept).abs() < NEAR);
    let compared: Vec<&Certified> = KEPT.iter().filter_map(level_near).collect();
    let mut sheet = Sheet::new("eta at which as many words come out unchanged");
    let others = |level: &&Certified| {
        let cutoff = level.draft.cutoff;
        let exponential = Shape::Exponential { retention: level.retention };
        // The exponential mechanism knows no cut-off.
        [
            Goal { shape: exponential, cutoff: f64::INFINITY, near: 0.0 },
            Goal { shape: Shape::FlatAt { beta: level.eta }, cutoff, near: 0.0 },
        ]
    };
    let goals: Vec<Goal> = compared.iter().flat_map(others).collect();
    let solutions = work.solve("comparing", &goals);
    for (level, solutions) in compared.iter().zip(solutions.as_chunks().0) {
        let [exponential, flat]: &[Solution; 2] = solutions;
        let noise = noise_that_keeps(table, &words_to_release(table), level.retention)?;
        let possible = most_kept(flat);
        sheet.row(cells![
            "words kept" => level.retention,
            "noise" => noise,
            "half" => 2.0 * exponential.beta,
            "tight" => exponential.eta,
            "flat" => level.eta,
            "noise / flat" => noise / level.eta,
            "most possible" => possible,
            "share of it" => level.retention / possible,
        ]);
    }
    Ok(sheet)
}

/// The bound of mean retention at η = β.
fn most_kept(Solution { log_base, logs, .. }: &Solution) -> f64 {
    let least = logs.iter().copied().fold(f64::INFINITY, f64::min);
    mean(&log_base.iter().map(|x| libm::exp(x - least)).collect::<Vec<_>>())
}
