//! n-grams that two texts share, for ROUGE and BLEU.

use std::collections::HashMap;

/// How many n-grams of `hypothesis` are matched, each as often at most as `reference` has it.
pub(super) fn matches(hypothesis: &[String], reference: &[String], n: usize) -> usize {
    let mut unmatched: HashMap<&[String], usize> = HashMap::new();
    for ngram in reference.windows(n) {
        *unmatched.entry(ngram).or_default() += 1;
    }
    let mut is_matched = |ngram: &[String]| match unmatched.get_mut(ngram) {
        Some(count @ 1..) => {
            *count -= 1;
            true
        }
        _ => false,
    };
    hypothesis.windows(n).filter(|ngram| is_matched(ngram)).count()
}

/// How many n-grams there are.
pub(super) fn count(tokens: &[String], n: usize) -> usize {
    tokens.windows(n).count()
}
