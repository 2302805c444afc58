//! Which shares changed between two periods.

use std::iter::successors;

use crate::interval::{Confidence, Evidence, FEWEST_TEXTS, Share, beyond};

/// How a share changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The later share less the earlier one, as they are estimated.
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
        difference: later.estimate - earlier.estimate,
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
            let freedom = (a + b).powi(2) / (a.powi(2) / (before - 1.0) + b.powi(2) / (after - 1.0));
            if a + b > 0.0 { beyond((later.unbiased - earlier.unbiased) / (a + b).sqrt(), freedom) } else { 1.0 }
        }
        _ => 1.0,
    }
}

/// From this variance of hits on, the normal law is as good: its error is that of steps of 1 in a deviation of 100,000.
const MOST_VARIANCE: f64 = 1e10;

/// Outcomes that are this much less likely than the likeliest do not count.
const NEGLIGIBLE: f64 = 1e-280;

/// Fisher's exact test of two numbers of hits, each with its count. It is the probability of all outcomes that are at
/// most as likely as this one, if both have the same share.
fn fisher([hits, count]: [u64; 2], [other_hits, other_count]: [u64; 2]) -> f64 {
    let (all, all_hits) = (count as f64 + other_count as f64, hits as f64 + other_hits as f64);
    let share = all_hits / all;
    let [one, other] = [count, other_count].map(|count| count as f64);
    let variance = one * share * (1.0 - share) * other / all;
    if variance > MOST_VARIANCE {
        // Student's law of 10^10 degrees of freedom is the normal law.
        return beyond((hits as f64 - one * share) / variance.sqrt(), 1e10);
    }
    let ends = [(all_hits - other).max(0.0), all_hits.min(one)];
    let mode = ((one + 1.0) * (all_hits + 1.0) / (all + 2.0)).floor();
    let outcomes = || outcomes(mode, ends, NEGLIGIBLE, one_more(all_hits, [one, other]));
    let own = outcomes().find(|(k, _)| *k == hits as f64).map_or(0.0, |(_, weight)| weight * (1.0 + 1e-9));
    let (likely, total) = outcomes().fold((0.0, 0.0), |(likely, total), (_, weight)| {
        (if weight <= own { likely + weight } else { likely }, total + weight)
    });
    if total > 0.0 { likely / total } else { 1.0 }
}

/// Of hits that two samples have together, by how many lie in the first one: how much more likely one more is than this
/// number, if both samples have the same share. No factorial is needed, and so none is rounded.
fn one_more(all_hits: f64, [one, other]: [f64; 2]) -> impl Fn(f64) -> f64 + Copy {
    move |k| (all_hits - k) * (one - k) / ((k + 1.0) * (other - all_hits + k + 1.0))
}

/// The outcomes from `first` to `last` whose weights lie above `negligible`. The mode has weight 1, and k + 1 is
/// `one_more(k)` times as likely as k.
fn outcomes(
    mode: f64,
    [first, last]: [f64; 2],
    negligible: f64,
    one_more: impl Fn(f64) -> f64 + Copy,
) -> impl Iterator<Item = (f64, f64)> {
    let mode = mode.clamp(first, last);
    let next = move |(k, weight): &(f64, f64)| Some((k + 1.0, weight * one_more(*k)));
    let before = move |(k, weight): &(f64, f64)| Some((k - 1.0, weight / one_more(k - 1.0)));
    let counts = move |(k, weight): &(f64, f64)| (first..=last).contains(k) && *weight > negligible;
    let up = successors(Some((mode, 1.0)), next).take_while(counts);
    up.chain(successors(Some((mode, 1.0)), before).skip(1).take_while(counts))
}

/// The least weight that counts for [`power`]. Tests that err in one of 10¹³ cases still see their tails.
const LEAST_WEIGHT: f64 = 1e-20;

/// The probability that Fisher's exact test tells a growth, of this number of reports in each of two periods. `shown`
/// are the probabilities that a report is a hit, before the growth and after it. `error` is that of the test. All pairs of
/// numbers of hits are added up. That takes a time that grows with their variance.
pub(crate) fn power(reports: f64, shown: [f64; 2], error: f64) -> f64 {
    let [earlier, later] = shown.map(|share| binomial(reports, share));
    let sums = [earlier.first().zip(later.first()), earlier.last().zip(later.last())];
    let [least, most] = sums.map(|pair| pair.map_or(0.0, |((one, _), (other, _))| one + other));
    let sums = successors(Some(least), |hits| Some(hits + 1.0)).take_while(|hits| *hits <= most);
    let most_told: Vec<f64> = sums.map(|hits| most_told(hits, reports, error)).collect();
    let told = |after: f64| {
        let is_told = |(hits, _): &&(f64, f64)| *hits <= most_told[(hits + after - least) as usize];
        earlier.iter().take_while(is_told).map(|(_, chance)| chance).sum::<f64>()
    };
    later.iter().map(|(hits, chance)| chance * told(*hits)).sum()
}

/// The most hits in the earlier one of two periods with this number of reports, and `hits` in both, from which a growth is
/// told. It is below 0 if none is.
fn most_told(hits: f64, reports: f64, error: f64) -> f64 {
    let middle = (0.5 * hits).floor();
    let ends = [(hits - reports).max(0.0), middle];
    let lower: Vec<_> = outcomes(middle, ends, LEAST_WEIGHT, one_more(hits, [reports; 2])).collect();
    // Both periods have as many reports, so the other half of the outcomes mirrors this one.
    let half = lower.iter().map(|(_, weight)| weight).sum::<f64>() - if 2.0 * middle == hits { 0.5 } else { 0.0 };
    let mut tail = 0.0;
    let is_told = |(_, weight): &&(f64, f64)| {
        tail += weight;
        tail <= error * half
    };
    let count = lower.iter().rev().take_while(is_told).count();
    middle - (lower.len() - count) as f64
}

/// How many of these reports are hits, with the probability of each number.
fn binomial(reports: f64, share: f64) -> Vec<(f64, f64)> {
    let (mode, odds) = (((reports + 1.0) * share).floor(), share / (1.0 - share));
    let one_more = move |k| (reports - k) / (k + 1.0) * odds;
    let mut law: Vec<(f64, f64)> = outcomes(mode, [0.0, reports], LEAST_WEIGHT, one_more).collect();
    law.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = law.iter().map(|(_, weight)| weight).sum();
    law.into_iter().map(|(hits, weight)| (hits, weight / total)).collect()
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{Binomial, Discrete, Hypergeometric};

    use super::*;
    use crate::Interval;

    fn share(unbiased: f64, deviation: f64, hits: Option<[f64; 2]>) -> Share {
        let interval = Interval::around(unbiased, 2.0 * deviation);
        let evidence = hits.map_or(Evidence::Texts(1e6), Evidence::Reports);
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
        let few = changes(&[of(10.0)], Confidence::USUAL)[0];
        assert!(few.is_told && (few.p_value - 0.048038).abs() < 1e-4, "{few:?}");
        assert_eq!(changes(&[of(9.9)], Confidence::USUAL)[0].p_value, 1.0);
        assert!(changes(&[], Confidence::USUAL).is_empty());
    }

    /// The first is Fisher's lady who tastes tea.
    #[test]
    fn hits_are_compared_exactly() {
        assert!((fisher([3, 4], [1, 4]) - 0.485_714_285_7).abs() < 1e-9);
        assert!((fisher([0, 20], [1, 400]) - 1.0).abs() < 1e-9);
        assert!(fisher([10, 100], [90, 300]) < 1e-4);
        let all = |[hits, count]: [u64; 2], [other_hits, other_count]: [u64; 2]| {
            let law = Hypergeometric::new(count + other_count, hits + other_hits, count).expect("a law");
            let outcomes = (hits + other_hits).saturating_sub(other_count)..=(hits + other_hits).min(count);
            let own = law.ln_pmf(hits) + 1e-9;
            outcomes.filter(|outcome| law.ln_pmf(*outcome) <= own).map(|outcome| law.pmf(outcome)).sum::<f64>().min(1.0)
        };
        for (count, other_count) in [(1, 1), (5, 9), (40, 40), (37, 200)] {
            for (hits, other_hits) in (0..=count).flat_map(|hits| (0..=other_count).map(move |other| (hits, other))) {
                let pair = ([hits, count], [other_hits, other_count]);
                let (found, expected) = (fisher(pair.0, pair.1), all(pair.0, pair.1));
                assert!((found - expected).abs() <= 1e-9 * expected, "{pair:?}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn the_power_is_the_chance_of_all_outcomes_where_the_test_tells_a_growth() {
        for (reports, shown, error) in [
            (1, [0.1, 0.9], 0.05),
            (12, [0.05, 0.7], 0.005),
            (40, [0.05, 0.3], 0.05),
            (150, [0.5, 0.65], 0.05),
            (90, [0.9, 0.99], 0.2),
            (3188, [0.048_5, 0.067_5], 0.05),
        ] {
            let laws = shown.map(|share| Binomial::new(share, reports).expect("a law"));
            let pairs = (0..=reports).flat_map(|hits| (hits + 1..=reports).map(move |later| [hits, later]));
            let chance = |[hits, later]: [u64; 2]| laws[0].pmf(hits) * laws[1].pmf(later);
            let likely = pairs.map(|pair| (pair, chance(pair))).filter(|(_, chance)| *chance > 1e-14);
            let told = likely.filter(|([hits, later], _)| fisher([*hits, reports], [*later, reports]) <= error);
            let expected: f64 = told.map(|(_, chance)| chance).sum();
            let found = power(reports as f64, shown, error);
            assert!((found - expected).abs() < 1e-8, "{reports} {shown:?}: {found}, not {expected}");
        }
    }

    #[test]
    fn millions_of_hits_are_compared_at_once_and_agree_with_the_normal_law() {
        // Few hits among billions: twice the chance of at most 2 of 14, and of 0 of 9, with a share of one half.
        for (hits, other_hits, expected) in [(2, 12, 0.012_939_453), (0, 9, 0.003_906_25)] {
            let found = fisher([hits, 1 << 50], [other_hits, 1 << 50]);
            assert!((found - expected).abs() < 1e-8, "{found}, not {expected}");
        }
        for reports in [10_u64.pow(6), 10_u64.pow(9) / 2, 10_u64.pow(9), 1 << 52] {
            for step in [0.0, 1.0, 2.5, 5.0] {
                let off = (step * (reports as f64 * 0.5).sqrt()) as u64;
                let pair = ([reports / 2 + off, reports], [reports / 2, reports]);
                let deviation = (reports as f64 * 0.5).sqrt();
                let (found, expected) = (fisher(pair.0, pair.1), beyond(off as f64 / deviation, 1e10));
                assert!((found / expected).ln().abs() < 0.02, "{pair:?}: {found}, not {expected}");
            }
        }
        let nothing = (share(0.0, 0.0, Some([0.0, 20.0])), share(0.01, 0.001, Some([1.0, 400.0])));
        assert!(!changes(&[nothing], Confidence::USUAL)[0].is_told);
    }
}
