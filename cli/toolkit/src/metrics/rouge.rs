//! ROUGE-1, ROUGE-2 and ROUGE-L (Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004), with
//! the numbers of Google's `rouge-score` 0.1.2 without its stemmer.

use serde::Serialize;

use super::ngrams;

/// Precision, recall and their harmonic mean, from 0 to 1.
#[derive(Clone, Copy, Default, Serialize)]
pub struct Rouge {
    /// The share of the text that the reference has.
    pub precision: f64,
    /// The share of the reference that the text has.
    pub recall: f64,
    /// Their harmonic mean.
    pub fmeasure: f64,
}

/// The three ROUGE scores of a text, or their means over texts.
#[derive(Clone, Copy, Serialize)]
pub struct Scores {
    /// The score of single words.
    pub rouge1: Rouge,
    /// The score of pairs of words.
    pub rouge2: Rouge,
    /// The score of the longest common subsequence.
    #[serde(rename = "rougeL")]
    pub rouge_l: Rouge,
}

impl Scores {
    /// Of a text against its reference.
    pub fn of(hypothesis: &str, reference: &str) -> Self {
        let (hypothesis, reference) = (&tokens(hypothesis)[..], &tokens(reference)[..]);
        let of_ngrams = |n| {
            let shared = ngrams::matches(hypothesis, reference, n);
            Rouge::of(shared, ngrams::count(hypothesis, n), ngrams::count(reference, n))
        };
        let in_common = longest_common_subsequence(hypothesis, reference);
        Self {
            rouge1: of_ngrams(1),
            rouge2: of_ngrams(2),
            rouge_l: Rouge::of(in_common, hypothesis.len(), reference.len()),
        }
    }

    /// The mean of each number by itself; the mean F is not the F of the means.
    pub fn mean(scores: &[Self]) -> Self {
        Self {
            rouge1: Rouge::mean(scores.iter().map(|scores| scores.rouge1)),
            rouge2: Rouge::mean(scores.iter().map(|scores| scores.rouge2)),
            rouge_l: Rouge::mean(scores.iter().map(|scores| scores.rouge_l)),
        }
    }
}

impl Rouge {
    /// The shared part of all that a text has, or 0 for an empty text.
    fn of(shared: usize, hypothesis: usize, reference: usize) -> Self {
        let [precision, recall] = [hypothesis, reference].map(|all| shared as f64 / all.max(1) as f64);
        let fmeasure = if shared > 0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
        Self { precision, recall, fmeasure }
    }

    fn mean(scores: impl ExactSizeIterator<Item = Self>) -> Self {
        let count = scores.len() as f64;
        let sum = scores.fold(Self::default(), |sum, score| Self {
            precision: sum.precision + score.precision,
            recall: sum.recall + score.recall,
            fmeasure: sum.fmeasure + score.fmeasure,
        });
        Self { precision: sum.precision / count, recall: sum.recall / count, fmeasure: sum.fmeasure / count }
    }
}

/// Runs of a–z and 0–9 in lower case; any other letter parts them, as in `rouge-score`.
fn tokens(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|token| !token.is_empty()).map(str::to_owned).collect()
}

/// The length of the longest sequence that both have in this order, gaps allowed.
fn longest_common_subsequence(one: &[String], other: &[String]) -> usize {
    // Lengths for what was read of `one`, and each beginning of `other`.
    let mut lengths = vec![0; other.len()];
    for a in one {
        let (mut diagonal, mut left) = (0, 0);
        for (length, b) in lengths.iter_mut().zip(other) {
            let above = *length;
            *length = if a == b { diagonal + 1 } else { above.max(left) };
            (diagonal, left) = (above, *length);
        }
    }
    lengths.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_outside_ascii_parts_words_unless_it_is_small_in_ascii() {
        assert_eq!(tokens("Déjà-VU 2x"), ["d", "j", "vu", "2x"]);
        // U+0130 becomes i and a dot above; U+212A, the Kelvin sign, becomes k.
        assert_eq!(tokens("\u{130}stanbul 3\u{212a}"), ["i", "stanbul", "3k"]);
    }

    #[test]
    fn the_longest_common_subsequence_keeps_order_and_leaves_gaps() {
        let length = |one: &str, other: &str| longest_common_subsequence(&tokens(one), &tokens(other));
        assert_eq!(length("a b c d", "x a c y d"), 3);
        assert_eq!(length("a b c", "c b a"), 1);
        assert_eq!(length("a a b", "a b a b"), 3);
        assert_eq!(length("", "a"), 0);
    }
}
