//! How a number is spread over words, and the choice of a level by it.

use alloc::vec::Vec;

/// How a number of each word is spread over words.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
pub struct Spread {
    /// The mean over words.
    pub mean: f64,
    /// The mean with every word weighted.
    pub weighted_mean: f64,
    /// The least.
    pub least: f64,
    /// The values that the shares [`Spread::SHARES`] of the words do not exceed.
    pub quantiles: [f64; 5],
    /// The greatest.
    pub greatest: f64,
}

impl Spread {
    /// The shares that the quantiles are of.
    pub const SHARES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

    /// The spread of values with weights, or `None` without values. The weights need not add up to 1.
    #[must_use]
    pub fn of(weighted: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let (mut values, mut product, mut weights) = (Vec::new(), 0.0, 0.0);
        for (value, weight) in weighted {
            values.push(value);
            product += weight * value;
            weights += weight;
        }
        values.sort_unstable_by(f64::total_cmp);
        let (least, greatest) = (*values.first()?, *values.last()?);
        let count = values.len() as f64;
        let quantile = |share: f64| {
            let place = (libm::ceil(share * count) as usize).saturating_sub(1);
            values.get(place).copied().unwrap_or(greatest)
        };
        let mean = values.iter().sum::<f64>() / count;
        let weighted_mean = if weights > 0.0 { product / weights } else { mean };
        Some(Self { mean, weighted_mean, least, quantiles: Self::SHARES.map(quantile), greatest })
    }

    /// The middle value.
    #[must_use]
    pub const fn median(&self) -> f64 {
        self.quantiles[2]
    }
}

/// How much of a text a level may leave as it is: a bound of N_w, the probability that a word comes out as
/// itself.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
pub enum Target {
    /// The bound holds for every word.
    WorstCase(f64),
    /// The bound holds for the mean over words.
    Average(f64),
    /// The bound holds for the mean over words as frequent as in the language.
    AverageByFrequency(f64),
}

impl Target {
    /// Whether N_w with this spread, weighted by frequency, is within the bound.
    #[must_use]
    pub fn is_met(self, kept: &Spread) -> bool {
        match self {
            Self::WorstCase(most) => kept.greatest <= most,
            Self::Average(most) => kept.mean <= most,
            Self::AverageByFrequency(most) => kept.weighted_mean <= most,
        }
    }

    /// The last of the levels, ascending, that is within the bound.
    pub fn choose<'a>(self, levels: impl IntoIterator<Item = &'a Spread>) -> Option<usize> {
        levels.into_iter().enumerate().filter(|(_, kept)| self.is_met(kept)).map(|(place, _)| place).last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_tells_the_ends_the_middle_and_both_means() {
        let spread = Spread::of([(0.4, 1.0), (0.1, 3.0), (0.3, 0.0), (0.2, 0.0)]).expect("values");
        assert_eq!((spread.least, spread.median(), spread.greatest), (0.1, 0.2, 0.4));
        assert!((spread.mean - 0.25).abs() < 1e-15 && (spread.weighted_mean - 0.175).abs() < 1e-15);
        assert_eq!(
            Spread::of((1..=100).map(|n| (f64::from(n), 1.0))).expect("values").quantiles,
            [5.0, 25.0, 50.0, 75.0, 95.0]
        );
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn a_target_chooses_the_last_level_within_its_bound() {
        let level =
            |mean, weighted_mean, greatest| Spread { mean, weighted_mean, least: 0.0, quantiles: [mean; 5], greatest };
        let levels = [level(0.1, 0.2, 0.5), level(0.3, 0.4, 0.8), level(0.5, 0.7, 1.0)];
        for (target, chosen) in [
            (Target::WorstCase(0.5), Some(0)),
            (Target::WorstCase(0.4), None),
            (Target::Average(0.5), Some(2)),
            (Target::Average(0.49), Some(1)),
            (Target::AverageByFrequency(0.5), Some(1)),
        ] {
            assert_eq!(target.choose(&levels), chosen, "{target:?}");
        }
    }
}
