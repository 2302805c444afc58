//! The polarity of words, which a negation turns: "not good" is "not" and "good" with the polarity of "bad".
//!
//! The large encoder places "it was not good" nearer to "it was good" than to "it was bad", and so do nearly all other
//! opposites. What it does not know cannot be distilled. WordNet knows it: the polarity is the direction in which its
//! opposites lie apart most, for how much all words differ along it.

use std::collections::BTreeMap;

use ndarray::{Array2, ArrayView1, Axis, concatenate, s};

use crate::least_squares::{back, cholesky, forth};
use crate::pca::largest_eigenvector;
use crate::quantize::LARGEST;
use crate::vocabulary::Word;
use crate::wordnet::WordNet;

/// Words that turn the polarity of the words behind them. So do all that end in "n't".
const NEGATORS: &str = "not never no nobody nothing none neither nor nowhere without cannot hardly barely scarcely cant dont \
    doesnt didnt isnt wasnt wont couldnt wouldnt";
/// Words at which a negation ends.
const STARTERS: &str = "but because since although though while when if so and or until that which who however yet";

/// A word's polarity is at most this share of its length.
const MOST: f64 = 1.1;
/// The polarity that counts as none, and that which counts as full: in root mean squares over all words.
const RANGE: std::ops::Range<f64> = 0.3..2.0;

/// The words of a vocabulary that turn polarities, and those at which that ends, as a table's description names them.
pub(super) fn words(words: &[Word]) -> [(&'static str, String); 2] {
    let negators = words.iter().map(|word| word.text.as_str()).filter(|text| is_negator(text));
    [("negators", negators.collect::<Vec<_>>().join(" ")), ("clause-starters", STARTERS.to_owned())]
}

fn is_negator(text: &str) -> bool {
    text.ends_with("n't") || NEGATORS.split(' ').any(|other| other == text)
}

/// The rows with one more coordinate: the polarity of the words, which are in the same order.
pub(super) fn with_polarity(rows: &Array2<i8>, words: &[Word], wordnet: &WordNet) -> Array2<i8> {
    let steps = rows.mapv(f64::from);
    let direction = direction(&steps, words, wordnet);
    let length = |row: ArrayView1<'_, f64>| row.iter().map(|x| x * x).sum::<f64>().sqrt();
    let lengths: Vec<f64> = steps.rows().into_iter().map(length).collect();
    let along = |(row, length): (ArrayView1<'_, f64>, &f64)| {
        row.iter().zip(&direction).map(|(x, y)| x * y).sum::<f64>() / length.max(1.0)
    };
    let along: Vec<f64> = steps.rows().into_iter().zip(&lengths).map(along).collect();
    let usual = (along.iter().map(|x| x * x).sum::<f64>() / along.len() as f64).sqrt();
    let polarity = |row: usize| {
        let (x, word) = (along[row] / usual, &words[row]);
        if word.function_word || is_negator(&word.text) || usual == 0.0 {
            return 0;
        }
        let share = (x.abs().min(RANGE.end) - RANGE.start).max(0.0) / (RANGE.end - RANGE.start);
        (MOST * lengths[row] * share * x.signum()).round().clamp(-LARGEST, LARGEST) as i8
    };
    let column = Array2::from_shape_fn((words.len(), 1), |(row, _)| polarity(row));
    concatenate![Axis(1), *rows, column]
}

/// The direction q with the greatest (q·S·q)/(q·T·q). S is the mean over opposites a and b of (a − b)(a − b)ᵀ − (a + b)(a +
/// b)ᵀ, and T that of r·rᵀ over all words, and 1 more along each axis.
fn direction(steps: &Array2<f64>, words: &[Word], wordnet: &WordNet) -> Vec<f64> {
    let places: BTreeMap<&str, usize> = words.iter().map(|word| word.text.as_str()).zip(0..).collect();
    let place = |text: &String| places.get(text.as_str()).copied();
    let pairs: Vec<(usize, usize)> = wordnet.antonyms().filter_map(|(a, b)| place(&a).zip(place(&b))).collect();
    let side = |of: fn(&(usize, usize)) -> usize| steps.select(Axis(0), &pairs.iter().map(of).collect::<Vec<_>>());
    // Sums of products of whole numbers, which are exact in any order.
    let products = side(|pair| pair.0).t().dot(&side(|pair| pair.1));
    let apart = (&products + &products.t()) * (-2.0 / pairs.len().max(1) as f64);
    let mut all = steps.t().dot(steps) / words.len() as f64;
    all.diag_mut().iter_mut().for_each(|x| *x += 1.0);
    let lower = cholesky(all);
    let mut half = apart;
    forth(&lower, &mut half);
    let mut whole = half.reversed_axes().as_standard_layout().to_owned();
    forth(&lower, &mut whole);
    let mut direction = largest_eigenvector(whole).insert_axis(Axis(1));
    back(&lower, &mut direction);
    direction.slice(s![.., 0]).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Flags;
    use crate::wordnet::PartOfSpeech::Adjective;
    use crate::wordnet::tests::database;

    #[test]
    fn opposites_have_opposite_polarities_and_words_of_grammar_none() {
        let pair = |n: usize, a: &str, b: &str| {
            format!(
                "{n:08} 00 a 01 {a} 0 001 ! {m:08} a 0101 | g\n{m:08} 00 a 01 {b} 0 001 ! {n:08} a 0101 | g\n",
                m = n + 1
            )
        };
        let data = pair(10, "good", "bad") + &pair(20, "happy", "sad") + &pair(30, "kind", "cruel");
        let wordnet = database(&[(Adjective, &data, "")], "");
        let rows = [
            ("bad", [40, 9, -12]),
            ("cruel", [-7, 50, -10]),
            ("don't", [9, 9, 30]),
            ("good", [40, 9, 12]),
            ("happy", [30, -30, 11]),
            ("kind", [-7, 50, 10]),
            ("not", [5, 5, 40]),
            ("sad", [30, -30, -11]),
            ("table", [60, 20, 0]),
            ("the", [1, 2, 20]),
        ];
        let words =
            rows.map(|(text, _)| Word { function_word: text == "the", ..Flags::none().word(text.to_owned(), 5.0) });
        let steps = Array2::from_shape_fn((rows.len(), 3), |(i, j)| rows[i].1[j]);
        let found = with_polarity(&steps, &words, &wordnet);
        assert_eq!(found.slice(s![.., ..3]), steps);
        let of = |text: &str| i32::from(found[[rows.iter().position(|(other, _)| *other == text).expect("a word"), 3]]);
        for (one, other) in [("good", "bad"), ("happy", "sad"), ("kind", "cruel")] {
            assert!(of(one) * of("good") > 0 && of(one) * of(other) < 0, "{found}");
        }
        assert_eq!(["table", "the", "not", "don't"].map(of), [0; 4], "{found}");
        let [negators, starters] = super::words(&words);
        assert_eq!(negators, ("negators", "don't not".to_owned()));
        assert!(starters.1.contains("but because"));
    }
}
