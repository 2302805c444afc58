//! Intervals of shares.

use statrs::distribution::{ContinuousCDF, Normal};

/// How sure an interval is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence(f64);

impl Confidence {
    /// Of 100 intervals 95 hold.
    pub const USUAL: Self = Self(0.95);

    /// None unless it lies between 0 and 1.
    #[must_use]
    pub fn new(confidence: f64) -> Option<Self> {
        (confidence > 0.0 && confidence < 1.0).then_some(Self(confidence))
    }

    /// The share of intervals that hold.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// What each of `count` intervals needs, so that with this confidence all of them hold.
    #[must_use]
    pub fn of_all(self, count: usize) -> Self {
        Self(1.0 - (1.0 - self.0) / count.max(1) as f64)
    }

    /// How many standard deviations lie on each side.
    #[must_use]
    pub fn deviations(self) -> f64 {
        quantile(0.5 + self.0 / 2.0)
    }
}

/// The standard normal distribution's quantile.
pub(crate) fn quantile(share: f64) -> f64 {
    Normal::standard().inverse_cdf(share)
}

/// The probability that a standard normal number is farther from 0 than this.
pub(crate) fn beyond(deviations: f64) -> f64 {
    2.0 * Normal::standard().sf(deviations.abs())
}

/// Where a number lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether it holds this number.
    #[must_use]
    pub fn holds(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// What of it lies in 0…1. An interval that lies outside becomes the end that is next to it.
    #[must_use]
    pub(crate) fn of_share(self) -> Self {
        Self { low: self.low.clamp(0.0, 1.0), high: self.high.clamp(0.0, 1.0) }
    }

    pub(crate) fn around(center: f64, half: f64) -> Self {
        Self { low: center - half, high: center + half }
    }

    /// Wilson's interval for a probability, from `hits` of `count` independent trials: unlike the one of the normal
    /// approximation it holds for few trials and for rare hits, too.
    pub(crate) fn wilson(hits: f64, count: f64, deviations: f64) -> Self {
        let (share, square) = (hits / count, deviations * deviations);
        let center = (share + square / (2.0 * count)) / (1.0 + square / count);
        let spread = share * (1.0 - share) / count + square / (4.0 * count * count);
        Self::around(center, deviations * spread.sqrt() / (1.0 + square / count))
    }

    /// What becomes of it where a number x is exchanged for (x − start)/slope, slope > 0.
    pub(crate) fn unmapped(self, start: f64, slope: f64) -> Self {
        Self { low: (self.low - start) / slope, high: (self.high - start) / slope }
    }
}

/// An estimated share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// What the share is among the releases themselves, which the noise has changed.
    pub released: f64,
    /// The estimate, in 0…1.
    pub estimate: f64,
    /// Unbiased, and below 0 or above 1 by chance.
    pub unbiased: f64,
    /// The standard deviation of `unbiased`.
    pub deviation: f64,
    /// Where this share lies.
    pub interval: Interval,
    /// Where it lies, with the same confidence for all shares of the list together.
    pub together: Interval,
}

impl Share {
    /// The share among reports that came under several laws, by the number of reports under each; none of no report. It is one of
    /// `listed` that are looked at together.
    #[must_use]
    pub fn of_parts(parts: &[(u64, Self)], confidence: Confidence, listed: usize) -> Option<Self> {
        if let [(_, share)] = parts {
            return Some(*share);
        }
        let reports: u64 = parts.iter().map(|(reports, _)| reports).sum();
        if reports == 0 {
            return None;
        }
        let mean = |of: fn(&Self) -> f64| {
            parts.iter().map(|(count, share)| *count as f64 / reports as f64 * of(share)).sum::<f64>()
        };
        let variance = parts.iter().map(|(count, share)| (*count as f64 / reports as f64 * share.deviation).powi(2));
        let (unbiased, deviation) = (mean(|share| share.unbiased), variance.sum::<f64>().sqrt());
        let interval =
            |confidence: Confidence| Interval::around(unbiased, confidence.deviations() * deviation).of_share();
        let own = interval(confidence);
        Some(Self {
            released: mean(|share| share.released),
            estimate: mean(|share| share.estimate).clamp(own.low, own.high),
            unbiased,
            deviation,
            interval: own,
            together: interval(confidence.of_all(listed)),
        })
    }

    /// Whether the releases do not tell it from 0.
    #[must_use]
    pub fn is_below_noise(&self) -> bool {
        self.interval.low <= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_has_the_deviations_of_the_textbooks() {
        assert!((Confidence::USUAL.deviations() - 1.959_963_985).abs() < 1e-9);
        assert!((Confidence::USUAL.of_all(10).deviations() - 2.807_033_768).abs() < 1e-8);
        assert!((beyond(1.959_963_985) - 0.05).abs() < 1e-9);
        assert_eq!(Confidence::new(1.0), None);
    }

    /// Newcombe, Statistics in Medicine 17 (1998), Table I, method 3.
    #[test]
    fn wilsons_interval_is_the_printed_one() {
        for (hits, count, low, high) in
            [(81.0, 263.0, 0.2553, 0.3662), (15.0, 148.0, 0.0624, 0.1605), (0.0, 20.0, 0.0, 0.1611)]
        {
            let interval = Interval::wilson(hits, count, Confidence::USUAL.deviations());
            assert!((interval.low - low).abs() < 5e-5 && (interval.high - high).abs() < 5e-5, "{interval:?}");
        }
    }
}
