//! Which shares changed between two periods.

use crate::interval::{Confidence, Interval, Share, beyond};

/// How a share changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The later share less the earlier one.
    pub difference: f64,
    /// Where it lies, with the stated confidence for all changes together.
    pub together: Interval,
    /// The probability of a difference as large by chance, adjusted for all that are tested (Holm).
    pub p_value: f64,
    /// Whether the share changed: wrong for any of those tested with a probability of at most 1 − confidence.
    pub is_told: bool,
}

/// Tests for each pair of an earlier and a later share whether they differ. All tests together err with a probability of at
/// most 1 − confidence, however many shares did not change (Holm 1979).
#[must_use]
pub fn changes(pairs: &[(Share, Share)], confidence: Confidence) -> Vec<Change> {
    let deviations = confidence.of_all(pairs.len()).deviations();
    let mut changes: Vec<Change> = pairs
        .iter()
        .map(|(earlier, later)| {
            let difference = later.unbiased - earlier.unbiased;
            let deviation = earlier.deviation.hypot(later.deviation);
            let p_value = if deviation > 0.0 { beyond(difference / deviation) } else { 1.0 };
            Change {
                difference,
                together: Interval::around(difference, deviations * deviation),
                p_value,
                is_told: false,
            }
        })
        .collect();
    let mut order: Vec<usize> = (0..changes.len()).collect();
    order.sort_by(|a, b| changes[*a].p_value.total_cmp(&changes[*b].p_value));
    let mut least = 0.0_f64;
    for (place, index) in order.into_iter().enumerate() {
        let change = &mut changes[index];
        least = least.max((change.p_value * (pairs.len() - place) as f64).min(1.0));
        change.p_value = least;
        change.is_told = least <= 1.0 - confidence.get();
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(unbiased: f64, deviation: f64) -> Share {
        let interval = Interval::around(unbiased, 2.0 * deviation);
        Share { released: unbiased, estimate: unbiased, unbiased, deviation, interval, together: interval }
    }

    #[test]
    fn a_change_is_told_where_it_is_larger_than_chance_for_all_that_are_tested() {
        let pairs = [
            (share(0.1, 0.01), share(0.16, 0.01)),
            (share(0.1, 0.01), share(0.13, 0.01)),
            (share(0.1, 0.01), share(0.1, 0.01)),
        ];
        let found = changes(&pairs, Confidence::USUAL);
        // Of 0.03, z is 2.12: p = 0.034, twice that after the first.
        assert_eq!(found.iter().map(|change| change.is_told).collect::<Vec<_>>(), [true, false, false]);
        assert!((found[1].p_value - 2.0 * 0.033_895).abs() < 1e-4, "{found:?}");
        assert!(found[0].together.low > 0.0 && found[1].together.low < 0.0);
        assert!(changes(&pairs[1..2], Confidence::USUAL)[0].is_told);
        assert!(changes(&[], Confidence::USUAL).is_empty());
    }
}
