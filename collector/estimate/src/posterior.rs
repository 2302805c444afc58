//! What was typed where a word came out, on average.

use std::array;

use textveil::Table;

use crate::channel::{Channel, LANES, Lanes};
use crate::words::prior;

/// Means are multiples of 1/[`STEPS`]: so they do not depend on the order in which cores add.
const STEPS: f64 = 1_048_576.0;

/// For each row of the table, the mean of the words that may have been typed when it came out (Bayes). The prior is how
/// frequent words are in public text. `vectors` has a vector for each row of the table. An unknown word counts as
/// zeros, and so does the mean where a word never comes out.
#[must_use]
pub fn posterior_means(channel: &Channel, table: &Table, vectors: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let prior = prior(table);
    let released = channel.released(&prior);
    let dims = vectors.first().map_or(0, Vec::len);
    let mut means = vec![Vec::with_capacity(dims); vectors.len()];
    for start in (0..dims).step_by(LANES) {
        let lanes = |(input, share): (usize, &f64)| -> Lanes {
            let vector = vectors.get(input).and_then(|vector| vector.get(start..)).unwrap_or_default();
            array::from_fn(|lane| vector.get(lane).map_or(0.0, |x| share * x))
        };
        let sums = channel.released_lanes(&prior.iter().enumerate().map(lanes).collect::<Vec<_>>());
        for (mean, word) in means.iter_mut().zip(table.rows()) {
            let class = channel.class(word).map_or(0, |class| class as usize);
            let share = released[class];
            let of_lane = |sum: &f64| if share > 0.0 { (sum / share * STEPS).round() / STEPS } else { 0.0 };
            mean.extend(sums[class].iter().map(of_lane).take(dims - start));
        }
    }
    means
}
