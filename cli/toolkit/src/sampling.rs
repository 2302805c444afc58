//! Samples that a seed fixes.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// A number below `end`, off from uniform by less than 2⁻³².
pub fn below(rng: &mut impl Rng, end: usize) -> usize {
    ((u128::from(rng.next_u64()) * end as u128) >> 64) as usize
}

/// 0 … size − 1 in an order that the seed fixes.
pub fn shuffled(size: usize, seed: u64) -> Vec<usize> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..size).collect();
    for place in (1..size).rev() {
        order.swap(place, below(&mut rng, place + 1));
    }
    order
}

/// Ascending places of at most `count` labels, each label having its share of them: the whole part of it,
/// and one more for those whose rest is greatest.
pub fn stratified(labels: &[usize], count: usize, seed: u64) -> Vec<usize> {
    let classes = labels.iter().max().map_or(0, |greatest| greatest + 1);
    let mut members = vec![Vec::new(); classes];
    for place in shuffled(labels.len(), seed) {
        members[labels[place]].push(place);
    }
    let count = count.min(labels.len());
    let share = |class: usize| members[class].len() * count;
    let mut by_rest: Vec<usize> = (0..classes).collect();
    by_rest.sort_by_key(|class| std::cmp::Reverse(share(*class) % labels.len().max(1)));
    let whole = |class: usize| share(class) / labels.len().max(1);
    let left = count - (0..classes).map(whole).sum::<usize>();
    let mut chosen: Vec<usize> = by_rest
        .iter()
        .enumerate()
        .flat_map(|(rank, class)| members[*class].iter().take(whole(*class) + usize::from(rank < left)))
        .copied()
        .collect();
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stratified_sample_has_every_label_in_its_share() {
        let labels: Vec<usize> = (0..1000).map(|i| [0, 0, 0, 0, 0, 1, 1, 1, 2, 2][i % 10]).collect();
        let counts =
            |chosen: &[usize]| [0, 1, 2].map(|class| chosen.iter().filter(|place| labels[**place] == class).count());
        let chosen = stratified(&labels, 100, 4);
        assert!(chosen.is_sorted() && chosen.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(counts(&chosen), [50, 30, 20]);
        // Seven examples: shares of 3.5, 2.1 and 1.4.
        assert_eq!(counts(&stratified(&labels, 7, 4)), [4, 2, 1]);
        assert_eq!(stratified(&labels, 5000, 4), (0..1000).collect::<Vec<_>>());
        assert_ne!(stratified(&labels, 100, 5), chosen);
        assert!(stratified(&[], 3, 0).is_empty());
    }
}
