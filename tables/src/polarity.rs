//! How much a word pleases: as people rated it, or as the words near it let expect.
//!
//! A linear regression on the reference space's principal axes predicts the rating of every other word. Coordinates on
//! those axes are uncorrelated, so that each axis has a coefficient of its own.

use ndarray::Array2;

use super::lexicons::Ratings;
use super::vocabulary::Word;

/// A mean rating of this or more (of 4) is full polarity: that of "good" is 1.9.
const FULL: f64 = 2.0;
/// Added to each axis' variance (ridge regression): axes that hardly vary have no say.
const RIDGE: f64 = 0.001;

/// For each word its polarity, from −1 to 1; `coordinates` are its reference vector's along the principal axes.
pub(crate) fn of(words: &[Word], ratings: &Ratings, coordinates: &Array2<f64>) -> Vec<f64> {
    let rated: Vec<Option<f64>> =
        words.iter().map(|word| ratings.mean(&word.text).map(|mean| (mean / FULL).clamp(-1.0, 1.0))).collect();
    let mut coefficients = vec![0.0; coordinates.ncols()];
    let mut squares = vec![0.0; coordinates.ncols()];
    for (row, rated) in coordinates.rows().into_iter().zip(&rated) {
        let rated = rated.unwrap_or(0.0);
        for ((x, coefficient), square) in row.iter().zip(&mut coefficients).zip(&mut squares) {
            *coefficient += x * rated;
            *square += x * x;
        }
    }
    let ridge = RIDGE * words.len() as f64;
    coefficients.iter_mut().zip(&squares).for_each(|(coefficient, square)| *coefficient /= square + ridge);
    let predicted: Vec<f64> =
        coordinates.rows().into_iter().map(|row| row.iter().zip(&coefficients).map(|(x, c)| x * c).sum()).collect();
    // Most words count as rated 0 in the regression, so that its values are too small: on the rated, they are
    // to be right in the mean.
    let products: f64 = rated.iter().zip(&predicted).filter_map(|(rated, p)| rated.map(|rated| rated * p)).sum();
    let ratings: f64 = rated.iter().flatten().map(|rated| rated * rated).sum();
    let stretch = if products > 0.0 { ratings / products } else { 0.0 };
    rated.into_iter().zip(predicted).map(|(rated, p)| rated.unwrap_or((p * stretch).clamp(-1.0, 1.0))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::lexicons::tests::ratings;
    use super::*;

    #[test]
    fn the_rated_keep_their_rating_and_others_follow_the_words_near_them() {
        let words = ["awful", "bad", "good", "great", "superb", "table"];
        let words = words.map(|text| Word { text: text.to_owned(), ..Word::default() });
        let ratings = ratings("awful\t-2.0\t0.5\nbad\t-1.0\t0.5\ngood\t1.0\t0.5\ngreat\t3.1\t0.5\n");
        let coordinates = ndarray::array![[-1.0, 0.1], [-0.8, -0.1], [0.8, 0.2], [1.0, -0.1], [0.9, 0.0], [0.0, -0.1]];
        let polarity = of(&words, &ratings, &coordinates);
        assert_eq!(polarity[..4], [-1.0, -0.5, 0.5, 1.0]);
        assert!(polarity[4] > 0.5 && polarity[5].abs() < 0.1, "{polarity:?}");
    }
}
