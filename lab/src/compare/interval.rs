//! What a quotient of sums over texts and privatizations is, and how far chance may have moved it.
//!
//! The percentile bootstrap: texts are drawn anew with replacement, and so are the privatizations (all texts
//! keep theirs together), and the quotient is taken again. The training texts stay as they are, so that the
//! interval speaks of other test texts and other noise, not of other training sets.

use std::fmt;

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde::Serialize;

use textveil_toolkit::sampling::below;

const REPLICATES: usize = 1000;
/// The share of replicates that lies beyond each end.
const TAIL: f64 = 0.025;

/// A numerator and a denominator.
pub(crate) type Part = [f64; 2];

/// A value, and the ends of its 95 % interval. Not a number if there was nothing to count.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Estimate {
    /// The interval of the sum of numerators over the sum of denominators. Each privatization has a part for each text.
    pub(crate) fn of(parts: &[Vec<Part>]) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(0);
        let texts = parts.first().map_or(0, Vec::len);
        let mut replicates: Vec<f64> = (0..if texts == 0 { 0 } else { REPLICATES })
            .map(|_| {
                let runs: Vec<&Vec<Part>> = parts.iter().map(|_| &parts[below(&mut rng, parts.len())]).collect();
                let drawn: Vec<usize> = (0..texts).map(|_| below(&mut rng, texts)).collect();
                quotient(runs.into_iter().flat_map(|run| drawn.iter().map(|text| run[*text])))
            })
            .collect();
        replicates.sort_unstable_by(f64::total_cmp);
        let beyond = (TAIL * replicates.len() as f64) as usize;
        let end = |place: Option<usize>| place.and_then(|place| replicates.get(place)).copied().unwrap_or(f64::NAN);
        Self {
            value: quotient(parts.iter().flatten().copied()),
            low: end(Some(beyond)),
            high: end(replicates.len().checked_sub(1 + beyond)),
        }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, low, high } = self;
        if value.is_nan() { write!(f, "-") } else { write!(f, "{value:.3} [{low:.3}, {high:.3}]") }
    }
}

fn quotient(parts: impl Iterator<Item = Part>) -> f64 {
    let [numerator, denominator] = parts.fold([0.0, 0.0], |[a, b], [c, d]| [a + c, b + d]);
    numerator / denominator
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coins that fall by a fixed pattern, a share of them heads.
    fn coins(count: usize, heads: usize, salt: usize) -> Vec<Part> {
        (0..count).map(|i| [f64::from(u8::from((i * 7919 + salt) % 10 < heads)), 1.0]).collect()
    }

    #[test]
    fn an_interval_is_as_wide_as_the_normal_law_of_a_share() {
        let Estimate { value, low, high } = Estimate::of(&[coins(1000, 3, 0)]);
        let half = 1.96 * (0.3 * 0.7 / 1000.0_f64).sqrt();
        assert!((value - 0.3).abs() < 1e-12);
        assert!((high - low - 2.0 * half).abs() < 0.15 * 2.0 * half, "{low} {high}");
        assert!(low < value && value < high);
    }

    #[test]
    fn privatizations_that_disagree_widen_the_interval() {
        let agreeing = Estimate::of(&[coins(1000, 5, 0), coins(1000, 5, 3)]);
        let disagreeing = Estimate::of(&[coins(1000, 3, 0), coins(1000, 7, 3)]);
        assert!(disagreeing.high - disagreeing.low > 3.0 * (agreeing.high - agreeing.low));
    }

    #[test]
    fn texts_count_by_their_denominators() {
        let Estimate { value, low, high } = Estimate::of(&[vec![[1.0, 1.0], [0.0, 3.0]]]);
        assert_eq!((value, low, high), (0.25, 0.0, 1.0));
        assert!(Estimate::of(&[vec![[0.0, 0.0]]]).value.is_nan());
    }
}
