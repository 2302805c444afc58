//! Which examples train and which test, so that no sentence is on both sides.
//!
//! SST-2 has sentences and phrases that were cut from them, and QQP has questions that stand in several pairs. A phrase that
//! is tested must not have been read in training within its sentence.

use std::collections::HashMap;

use rand_core::Rng;

use crate::data::Example;
use textveil_toolkit::sampling::below;

/// Where an example may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Train,
    /// With the number of the sentence, which related examples share.
    Test(usize),
    /// Its sentences are on both sides.
    Neither,
}

/// The side of each example, first of those that the paper tests on and then of the others. About `share` of the sentences
/// that the paper does not test on train.
pub(super) fn sides(tested: &[Example], others: &[Example], share: f64, rng: &mut impl Rng) -> Vec<Side> {
    let examples = || tested.iter().chain(others);
    let mut numbers = HashMap::new();
    for text in examples().flat_map(texts) {
        let next = numbers.len();
        numbers.entry(text).or_insert(next);
    }
    let whole = sentences(&numbers);
    let mut groups: Vec<usize> = (0..numbers.len()).collect();
    let of = |example: &Example| -> Vec<usize> {
        texts(example).flat_map(|text| whole[numbers[text]].iter().copied()).collect()
    };
    for pair in examples().filter(|example| example.second.is_some()) {
        let all = of(pair);
        for (one, other) in all.iter().zip(&all[1..]) {
            let (one, other) = (first(&groups, *one), first(&groups, *other));
            groups[other] = one;
        }
    }
    let mut trains: Vec<bool> = groups.iter().map(|_| (below(rng, 1 << 16) as f64) < share * 65_536.0).collect();
    for sentence in tested.iter().flat_map(of) {
        trains[first(&groups, sentence)] = false;
    }
    let side = |example: &Example| {
        let found: Vec<usize> = of(example).into_iter().map(|sentence| first(&groups, sentence)).collect();
        let count = found.iter().filter(|group| trains[**group]).count();
        match count {
            0 => Side::Test(found[0]),
            all if all == found.len() => Side::Train,
            _ => Side::Neither,
        }
    };
    examples().map(side).collect()
}

fn texts(example: &Example) -> impl Iterator<Item = &str> {
    std::iter::once(example.text.as_str()).chain(example.second.as_deref()).map(str::trim)
}

/// For each text, those that contain it and stand in no other; itself if none does.
fn sentences(numbers: &HashMap<&str, usize>) -> Vec<Vec<usize>> {
    let mut within = vec![Vec::new(); numbers.len()];
    for (text, number) in numbers {
        let starts = || std::iter::once(0).chain(text.match_indices(' ').map(|(at, _)| at + 1));
        let ends = || text.match_indices(' ').map(|(at, _)| at).chain([text.len()]);
        let parts = starts().enumerate().flat_map(|(at, start)| ends().skip(at).map(move |end| &text[start..end]));
        for part in parts.filter(|part| part.len() < text.len()) {
            if let Some(part) = numbers.get(part) {
                within[*part].push(*number);
            }
        }
    }
    let whole: Vec<bool> = within.iter().map(Vec::is_empty).collect();
    for (number, sentences) in within.iter_mut().enumerate() {
        sentences.retain(|sentence| whole[*sentence]);
        sentences.sort_unstable();
        sentences.dedup();
        if sentences.is_empty() {
            sentences.push(number);
        }
    }
    within
}

/// The text by which a group is known.
fn first(groups: &[usize], mut of: usize) -> usize {
    while groups[of] != of {
        of = groups[of];
    }
    of
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;
    use textveil::ReleaseRng;

    use super::*;

    fn examples(texts: &[(&str, Option<&str>)]) -> Vec<Example> {
        let example = |(text, second): &(&str, Option<&str>)| Example {
            text: (*text).to_owned(),
            second: second.map(str::to_owned),
            label: 0,
            attributes: Vec::new(),
        };
        texts.iter().map(example).collect()
    }

    fn sides_of(tested: &[Example], others: &[Example], seed: u64) -> Vec<Side> {
        sides(tested, others, 0.5, &mut ReleaseRng::seed_from_u64(seed))
    }

    #[test]
    fn a_phrase_is_where_all_its_sentences_are() {
        let tested = examples(&[("a fine film", None)]);
        let others = examples(&[("fine film", None), ("a dull play indeed", None), ("dull play", None), ("a", None)]);
        let (mut trained, mut mixed) = (0, 0);
        for seed in 0..40 {
            let sides = sides_of(&tested, &others, seed);
            assert!(matches!(sides[..2], [Side::Test(a), Side::Test(b)] if a == b), "{sides:?}");
            assert_eq!(sides[2], sides[3], "a phrase and the one sentence that it stands in");
            trained += usize::from(sides[2] == Side::Train);
            mixed += usize::from(sides[4] == Side::Neither);
        }
        assert!((10..30).contains(&trained) && mixed == trained, "{trained} {mixed}");
    }

    #[test]
    fn pairs_that_share_a_question_are_together() {
        let others = examples(&[("q one", Some("q two")), ("q two", Some("q three")), ("q four", Some("q three"))]);
        for seed in 0..20 {
            let sides = sides_of(&[], &others, seed);
            assert!(sides.iter().all(|side| *side == sides[0] && *side != Side::Neither), "{sides:?}");
        }
        assert!((0..20).any(|seed| sides_of(&[], &others, seed)[0] == Side::Train));
    }

    #[test]
    fn part_of_a_word_is_no_part() {
        let others = examples(&[("carpet", None), ("pet", None), ("a pet", None)]);
        let seeds = || (0..40).map(|seed| sides_of(&[], &others, seed));
        assert!(seeds().all(|sides| sides[1] == sides[2]) && seeds().any(|sides| sides[0] != sides[1]));
    }
}
