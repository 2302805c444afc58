//! A trigram model with interpolated Kneser and Ney smoothing (Chen and Goodman, "An Empirical Study of Smoothing
//! Techniques for Language Modeling", 1998, section 4.1.6), one discount an order.
//!
//! P(w | u v) = max(c(uvw) − D, 0)/c(uv) + D·N(uv)/c(uv) · P(w | v), N the number of words seen behind a context. The
//! lower orders count in how many contexts an n-gram was seen, and below them all words are as likely.

use std::collections::HashMap;

use textveil::WordId;

/// Words of an n-gram at most.
const ORDER: usize = 3;
/// Bits that a word takes in a key.
const BITS: usize = 21;

/// Probabilities of words of a vocabulary, and of the end of a text.
pub(super) struct LanguageModel {
    vocabulary: usize,
    /// The counts of n-grams of one word, of two, of three.
    orders: [Order; ORDER],
}

#[derive(Default)]
struct Order {
    counts: HashMap<u64, u32>,
    contexts: HashMap<u64, Context>,
    /// D.
    discount: f64,
}

/// What was seen behind a context.
#[derive(Default)]
struct Context {
    total: u32,
    /// How many words.
    kinds: u32,
}

impl LanguageModel {
    /// The model of these texts over a vocabulary of this size.
    pub(super) fn train(texts: &[Vec<WordId>], vocabulary: usize) -> Self {
        let mut model = Self { vocabulary, orders: Default::default() };
        let mut counts: HashMap<u64, u32> = HashMap::new();
        for text in texts {
            for ngram in model.padded(text).windows(ORDER) {
                *counts.entry(key(ngram)).or_default() += 1;
            }
        }
        for n in (0..ORDER).rev() {
            let mut shorter: HashMap<u64, u32> = HashMap::new();
            for ngram in counts.keys() {
                *shorter.entry(ngram & ((1 << (BITS * n)) - 1)).or_default() += 1;
            }
            model.orders[n] = Order::of(std::mem::replace(&mut counts, shorter));
        }
        model
    }

    /// exp of the mean cross-entropy, in nats, of words and ends of texts.
    pub(super) fn perplexity(&self, texts: &[Vec<WordId>]) -> f64 {
        let (mut nats, mut outcomes) = (0.0, 0_usize);
        for text in texts {
            for ngram in self.padded(text).windows(ORDER) {
                nats -= libm::log(self.probability(ngram));
                outcomes += 1;
            }
        }
        libm::exp(nats / outcomes.max(1) as f64)
    }

    /// The probability of the last word behind the others.
    fn probability(&self, ngram: &[u64]) -> f64 {
        let mut probability = 1.0 / (self.vocabulary + 1) as f64;
        for (n, order) in self.orders.iter().enumerate() {
            let key = key(&ngram[ORDER - 1 - n..]);
            // What was not seen behind fewer words was not seen behind more.
            let Some(Context { total, kinds }) = order.contexts.get(&(key >> BITS)) else { break };
            let count = order.counts.get(&key).copied().unwrap_or(0);
            let kept = (f64::from(count) - order.discount).max(0.0);
            probability = (kept + order.discount * f64::from(*kinds) * probability) / f64::from(*total);
        }
        probability
    }

    /// The words between two marks of a beginning and one of an end.
    fn padded(&self, text: &[WordId]) -> Vec<u64> {
        let (end, beginning) = (self.vocabulary as u64, self.vocabulary as u64 + 1);
        let words = text.iter().map(|word| word.row() as u64);
        [beginning; ORDER - 1].into_iter().chain(words).chain([end]).collect()
    }
}

impl Order {
    fn of(counts: HashMap<u64, u32>) -> Self {
        let mut contexts: HashMap<u64, Context> = HashMap::new();
        for (ngram, count) in &counts {
            let context = contexts.entry(ngram >> BITS).or_default();
            context.total += count;
            context.kinds += 1;
        }
        let seen = |times: u32| counts.values().filter(|count| **count == times).count() as f64;
        let [once, twice] = [1, 2].map(seen);
        // Where nothing stands once there is nothing to estimate from.
        let discount = if once > 0.0 { once / (once + 2.0 * twice) } else { 0.5 };
        Self { counts, contexts, discount }
    }
}

fn key(ngram: &[u64]) -> u64 {
    ngram.iter().fold(0, |key, word| key << BITS | word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(rows: &[usize]) -> Vec<WordId> {
        let table = textveil_tables::example(20, 3).expect("a table");
        rows.iter().map(|row| table.row(*row).expect("a row")).collect()
    }

    #[test]
    fn what_may_follow_adds_up_to_one_behind_every_context() {
        let texts = [words(&[0, 1, 2, 0, 1, 3]), words(&[4, 1, 2]), words(&[0, 1, 2])];
        let model = LanguageModel::train(&texts, 20);
        for context in [[21, 21], [0, 1], [9, 1], [1, 9], [2, 20]] {
            let sum: f64 = (0..=20).map(|word| model.probability(&[context[0], context[1], word])).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{context:?}: {sum}");
        }
    }

    #[test]
    fn probabilities_are_those_that_a_hand_computes() {
        // Trigrams ..a, .aa, aab, abE and ..b, .bE, each once: all discounts but the first order's are 1.
        let model = LanguageModel::train(&[words(&[0, 0, 1]), words(&[1])], 3);
        // Bigrams .a, aa, ab, bE (behind a and the beginning), .b: one word is behind a twice, E behind b.
        let discounts: Vec<f64> = model.orders.iter().map(|order| order.discount).collect();
        // Behind nothing: a twice, b twice, E once; of one word, one stands once and two stand twice.
        assert!((discounts[0] - 0.2).abs() < 1e-15, "{discounts:?}");
        // Four pairs of words stand once, and one pair, bE, twice.
        assert!((discounts[1] - 4.0 / 6.0).abs() < 1e-15 && discounts[2] == 1.0, "{discounts:?}");
        // P(E) = 0.8/5 + 0.2·3/5·1/4, P(E | b) = (2 − 2/3)/2 + (2/3)/2·P(E), P(E | ab) = P(E | b).
        let end = 0.16 + 0.03;
        let expected = 2.0 / 3.0 + end / 3.0;
        assert!((model.probability(&[0, 1, 3]) - expected).abs() < 1e-15);
    }

    #[test]
    fn a_text_in_order_is_less_of_a_surprise_than_one_out_of_it() {
        let text = words(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let model = LanguageModel::train(&[text.clone(), text.clone(), words(&[0, 1, 5, 6])], 20);
        let reversed: Vec<WordId> = text.iter().rev().copied().collect();
        let [ordered, reversed] = [text, reversed].map(|text| model.perplexity(&[text]));
        assert!(ordered < 3.0 && reversed > 2.0 * ordered, "{ordered} {reversed}");
    }
}
