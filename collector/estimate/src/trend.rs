//! Which shares changed between two periods.

use statrs::distribution::{Discrete, Hypergeometric};

use crate::interval::{Confidence, Evidence, FEWEST_TEXTS, Share, beyond};

/// How a share changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The later share less the earlier one.
    pub difference: f64,
    /// The probability of a difference as large by chance, adjusted for all that are tested (Holm).
    pub p_value: f64,
    /// Whether the share changed: wrong for any of those tested with a probability of at most 1 − confidence.
    pub is_told: bool,
}

/// Tests for each pair of an earlier and a later share, which were drawn alike, whether they differ. All tests together err
/// with a probability of at most 1 − confidence, however many shares did not change (Holm 1979). Of statements and choices each
/// test is exact (Fisher's). Of words it is Welch's (1947), because texts differ. Of fewer than [`FEWEST_TEXTS`] nothing
/// is told.
#[must_use]
pub fn changes(pairs: &[(Share, Share)], confidence: Confidence) -> Vec<Change> {
    let change = |(earlier, later): &(Share, Share)| Change {
        difference: later.unbiased - earlier.unbiased,
        p_value: p_value(earlier, later),
        is_told: false,
    };
    let mut changes: Vec<Change> = pairs.iter().map(change).collect();
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

fn p_value(earlier: &Share, later: &Share) -> f64 {
    match (earlier.evidence, later.evidence) {
        (Evidence::Reports(earlier), Evidence::Reports(later)) => {
            fisher(earlier.map(|count| count.round() as u64), later.map(|count| count.round() as u64))
        }
        (Evidence::Texts(before), Evidence::Texts(after)) if before.min(after) >= FEWEST_TEXTS => {
            let [a, b] = [earlier, later].map(|share| share.deviation.powi(2));
            let freedom = (a + b).powi(2) / (a.powi(2) / (before as f64 - 1.0) + b.powi(2) / (after as f64 - 1.0));
            if a + b > 0.0 { beyond((later.unbiased - earlier.unbiased) / (a + b).sqrt(), freedom) } else { 1.0 }
        }
        _ => 1.0,
    }
}

/// Fisher's exact test of two numbers of hits, each with its count. It is the probability of all outcomes that are at
/// most as likely as this one, if both have the same share.
fn fisher([hits, count]: [u64; 2], [other_hits, other_count]: [u64; 2]) -> f64 {
    let (all, all_hits) = (count + other_count, hits + other_hits);
    let Ok(law) = Hypergeometric::new(all, all_hits, count) else { return 1.0 };
    let own = law.ln_pmf(hits) + 1e-9;
    let outcomes = all_hits.saturating_sub(other_count)..=all_hits.min(count);
    let sum: f64 = outcomes.map(|outcome| law.ln_pmf(outcome)).filter(|chance| *chance <= own).map(f64::exp).sum();
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interval;

    fn share(unbiased: f64, deviation: f64, hits: Option<[f64; 2]>) -> Share {
        let interval = Interval::around(unbiased, 2.0 * deviation);
        let evidence = hits.map_or(Evidence::Texts(1_000_000), Evidence::Reports);
        Share { released: unbiased, estimate: unbiased, unbiased, deviation, interval, together: interval, evidence }
    }

    #[test]
    fn a_change_is_told_where_it_is_larger_than_chance_for_all_that_are_tested() {
        let pairs = [0.16, 0.13, 0.1].map(|later| (share(0.1, 0.01, None), share(later, 0.01, None)));
        let found = changes(&pairs, Confidence::USUAL);
        // For 0.03, z is 2.12: p = 0.034, and twice that after the first.
        assert_eq!(found.iter().map(|change| change.is_told).collect::<Vec<_>>(), [true, false, false]);
        assert!((found[1].p_value - 2.0 * 0.033_895).abs() < 1e-4, "{found:?}");
        assert!(changes(&pairs[1..2], Confidence::USUAL)[0].is_told);
        // Of 10 texts Welch's law has 18 degrees of freedom: p = 0.048.
        let with = |share, texts| Share { evidence: Evidence::Texts(texts), ..share };
        let of = |texts| (with(pairs[1].0, texts), with(pairs[1].1, texts));
        let few = changes(&[of(10)], Confidence::USUAL)[0];
        assert!(few.is_told && (few.p_value - 0.048038).abs() < 1e-4, "{few:?}");
        assert_eq!(changes(&[of(9)], Confidence::USUAL)[0].p_value, 1.0);
        assert!(changes(&[], Confidence::USUAL).is_empty());
    }

    /// The first is Fisher's lady who tastes tea.
    #[test]
    fn hits_are_compared_exactly() {
        assert!((fisher([3, 4], [1, 4]) - 0.485_714_285_7).abs() < 1e-9);
        assert!((fisher([0, 20], [1, 400]) - 1.0).abs() < 1e-9);
        assert!(fisher([10, 100], [90, 300]) < 1e-4);
        let nothing = (share(0.0, 0.0, Some([0.0, 20.0])), share(0.01, 0.001, Some([1.0, 400.0])));
        assert!(!changes(&[nothing], Confidence::USUAL)[0].is_told);
    }
}
