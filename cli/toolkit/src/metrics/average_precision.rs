//! Average precision of rankings, and what the program of dpUGC (Vu, Tran and Jiang, 2019) computes under
//! that name.
//!
//! The released program averages the precisions at the hits over *the hits*, not over the items that should have been
//! found. So a missed item costs nothing, and one hit at the first place gives 1. On characters, it does the same for
//! the characters of the joined lists. Both are here only for comparison with the standard metric.

use std::collections::HashSet;

/// Average precision at `depth` (AP@k). It sums the precisions at the distinct hits among the first `depth` of a
/// ranking, and divides by the hits of a perfect ranking there. It is 0 if there is nothing to find.
pub fn average_precision(ranking: &[&str], gold: &[&str], depth: usize) -> f64 {
    let mut missing: HashSet<&str> = gold.iter().copied().collect();
    let findable = missing.len().min(depth);
    let sum: f64 = precisions_at_hits(ranking.iter().take(depth), |_, item| missing.remove(*item)).iter().sum();
    // The sum of no numbers is -0.
    if findable == 0 { 0.0 } else { (sum + 0.0) / findable as f64 }
}

/// What dpUGC's program computes on words: the mean of the precisions at the hits, repeated ones included,
/// against the first `depth` of the gold list.
pub fn of_hits_by_word(ranking: &[&str], gold: &[&str], depth: usize) -> f64 {
    let gold = first(gold, depth);
    mean(&precisions_at_hits(first(ranking, depth), |_, item| gold.contains(item)))
}

/// The released program's number on characters. It does the same for the characters of the joined lists, and the i-th
/// is a hit if it is among the first i of gold.
///
/// Without a hit the original is undefined; this is 0.
pub fn of_hits_by_character(ranking: &[&str], gold: &[&str], depth: usize) -> f64 {
    let gold: Vec<char> = first(gold, depth).concat().chars().collect();
    let ranking = first(ranking, depth).concat();
    mean(&precisions_at_hits(ranking.chars(), |place, c| first(&gold, place).contains(&c)))
}

fn first<T>(items: &[T], count: usize) -> &[T] {
    items.get(..count).unwrap_or(items)
}

/// The share of hits up to each hit; places count from 1.
fn precisions_at_hits<T>(items: impl IntoIterator<Item = T>, mut is_hit: impl FnMut(usize, T) -> bool) -> Vec<f64> {
    let places = (1..).zip(items).filter_map(|(place, item)| is_hit(place, item).then_some(place));
    (1_u32..).zip(places).map(|(hits, place)| f64::from(hits) / place as f64).collect()
}

/// 0 of nothing.
fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}
