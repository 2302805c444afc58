//! A stand-in for BERTScore (Zhang et al., ICLR 2020). It has the same greedy matching by cosine, but by words' own
//! vectors instead of BERT's vectors in context. It does not rescale, so words that have nothing in common are not at
//! 0.

use textveil::WordId;

use textveil_tables::embedding::Space;

/// The harmonic mean of how near the words of one text come to the other's, and those to its.
pub(super) fn greedy_cosine(space: &Space, text: &[WordId], reference: &[WordId]) -> f64 {
    let towards = |from: &[WordId], to: &[WordId]| {
        let nearest = |a: &WordId| to.iter().map(|b| space.cosine(*a, *b)).fold(-1.0, f64::max);
        from.iter().map(nearest).sum::<f64>() / from.len() as f64
    };
    let [precision, recall] = [towards(text, reference), towards(reference, text)];
    if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_does_not_count_and_a_word_that_is_missing_does() {
        let table = textveil_tables::two_words(["a", "b"], &ndarray::array![[1.0, 0.0], [0.6, 0.8]]).expect("a table");
        let space = Space::of_table(&table);
        let [a, b] = [0, 1].map(|row| table.row(row).expect("a row"));
        let near = |x: f64, y: f64| (x - y).abs() < 0.01;
        assert!(near(greedy_cosine(&space, &[a, b], &[b, a]), 1.0));
        // Precision 1, recall (1 + 0.6)/2.
        assert!(near(greedy_cosine(&space, &[a, a], &[a, b]), 1.6 / 1.8));
    }
}
