//! The section `CERT` of a table file. It has, in this order:
//! - u32 count and u32 zero
//! - for each level twelve f64: β, cut-off, near, η, ε, step, retention, retention by frequency, support, expected
//!   distance, inversion, inversion by frequency. Levels without a plateau come first, each kind by ascending η.
//! - a code for each row, level after level
//! - the stand-ins of the rows that are never offered.

use super::measure::Certified;
use super::vocabulary::Vocabulary;

/// The section's bytes.
pub(super) fn section(levels: &[Certified], vocabulary: &Vocabulary) -> Vec<u8> {
    let mut levels: Vec<&Certified> = levels.iter().collect();
    levels.sort_by(|a, b| (a.draft.near > 0.0).cmp(&(b.draft.near > 0.0)).then(a.eta.total_cmp(&b.eta)));
    let mut bytes = Vec::new();
    bytes.extend((levels.len() as u32).to_le_bytes());
    bytes.extend([0; 4]);
    for level in &levels {
        let numbers = [
            level.draft.beta,
            level.draft.cutoff,
            level.draft.near,
            level.eta,
            level.epsilon,
            level.draft.step,
            level.retention,
            level.retention_by_frequency,
            level.support,
            level.expected_distance,
            level.inversion,
            level.inversion_by_frequency,
        ];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes.extend(levels.iter().flat_map(|level| &level.draft.codes));
    bytes.extend(vocabulary.stand_ins().flat_map(|row| (row as u32).to_le_bytes()));
    bytes
}
