//! Intervals of shares.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use statrs::function::beta::ln_beta;

/// How sure an interval is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence(f64);

impl Confidence {
    /// 95 of 100 intervals hold.
    pub const USUAL: Self = Self(0.95);

    /// One in a million such intervals lies too high, and one too low.
    pub(crate) const SURE: Self = Self(1.0 - 2e-6);

    /// `None` unless it lies above 0 and is at most 0.9999.
    #[must_use]
    pub fn new(confidence: f64) -> Option<Self> {
        (confidence > 0.0 && confidence <= 0.9999).then_some(Self(confidence))
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

    /// How many standard deviations lie on each side, if the deviation is itself estimated from `texts` equal texts.
    #[must_use]
    pub(crate) fn deviations_of(self, texts: f64) -> f64 {
        let freedom = (texts - 1.0).max(1.0);
        if freedom < MANY {
            return StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |law| law.inverse_cdf(0.5 + self.0 / 2.0));
        }
        let z = self.deviations();
        z + (z.powi(3) + z) / (4.0 * freedom)
    }

    /// How many standard deviations lie on each side.
    #[must_use]
    pub fn deviations(self) -> f64 {
        quantile(0.5 + self.0 / 2.0)
    }
}

/// From this number of degrees of freedom on, Student's quantile is the normal one and a term of its expansion (Fisher
/// and Cornish 1960). The next term is below 10⁻⁵. For 95 % the search of `statrs` 0.18 gives 1.827 instead of 1.960 at
/// 10⁷, and does not end at 2 · 10⁷.
const MANY: f64 = 1e4;

/// The standard normal distribution's quantile.
pub(crate) fn quantile(share: f64) -> f64 {
    Normal::standard().inverse_cdf(share)
}

/// The probability that Student's t is farther from 0 than this.
pub(crate) fn beyond(deviations: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |law| 2.0 * law.sf(deviations.abs()))
}

/// Fewer texts do not tell how texts differ: a few may be alike by chance. The interval of a word is then all of 0…1, and no
/// change is told. Texts of different lengths tell as much as fewer texts of one length.
pub const FEWEST_TEXTS: f64 = 10.0;

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

    /// The exact interval for a probability, from `hits` of `count` independent trials (Clopper and Pearson 1934). It
    /// holds at least as often as it says, also for few trials and for rare hits.
    pub(crate) fn exact(hits: f64, count: f64, confidence: Confidence) -> Self {
        let tail = (1.0 - confidence.get()) / 2.0;
        Self {
            low: if hits <= 0.0 { 0.0 } else { beta_quantile(hits, count - hits + 1.0, tail) },
            high: if hits >= count { 1.0 } else { 1.0 - beta_quantile(count - hits, hits + 1.0, tail) },
        }
    }

    /// What becomes of it where a number x is exchanged for (x − start)/slope, slope > 0.
    pub(crate) fn unmapped(self, start: f64, slope: f64) -> Self {
        Self { low: (self.low - start) / slope, high: (self.high - start) / slope }
    }
}

/// The number below which a draw of Beta(a, b) lies with the probability `share`. The search of `statrs` does not end for
/// millions of reports with rare hits.
fn beta_quantile(a: f64, b: f64, share: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        *(if beta_share(a, b, middle) < share { &mut low } else { &mut high }) = middle;
    }
}

/// The probability that a draw of Beta(a, b) lies below x: its continued fraction (Abramowitz and Stegun, 26.5.8), evaluated
/// as by Lentz (1976). For half of 10⁹ reports it takes 67 steps.
fn beta_share(a: f64, b: f64, x: f64) -> f64 {
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_share(b, a, 1.0 - x);
    }
    let first = 1.0 / (1.0 - (a + b) * x / (a + 1.0));
    let (mut numerator, mut denominator, mut fraction) = (1.0, first, first);
    for step in 1..MOST_STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            numerator = 1.0 + term / numerator;
            denominator = 1.0 / (1.0 + term * denominator);
            fraction *= numerator * denominator;
        }
        if (fraction - before).abs() <= f64::EPSILON * fraction {
            break;
        }
    }
    fraction * (a * x.ln() + b * (-x).ln_1p() - ln_beta(a, b)).exp() / a
}

/// Steps of a continued fraction, at most: what does not settle must end, too.
const MOST_STEPS: u32 = 1 << 21;

/// An estimated share.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
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
    pub(crate) evidence: Evidence,
}

/// What a share was estimated from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Evidence {
    /// Hits among independent reports, and how many reports there are.
    Reports([f64; 2]),
    /// Texts, whose words depend on each other: as many of one length as tell the same.
    Texts(f64),
}

impl Share {
    /// The same, where no share can be larger than this.
    pub(crate) fn at_most(self, most: f64) -> Self {
        let clipped = |Interval { low, high }: Interval| Interval { low: low.min(most), high: high.min(most) };
        Self {
            estimate: self.estimate.min(most),
            interval: clipped(self.interval),
            together: clipped(self.together),
            ..self
        }
    }

    /// Whether it comes from fewer than [`FEWEST_TEXTS`].
    #[must_use]
    pub fn is_of_few_texts(&self) -> bool {
        matches!(self.evidence, Evidence::Texts(texts) if texts < FEWEST_TEXTS)
    }

    /// Whether the releases do not tell it from 0, among all shares of the list.
    #[must_use]
    pub fn is_below_noise(&self) -> bool {
        self.together.low <= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_has_the_deviations_of_the_textbooks() {
        assert!((Confidence::USUAL.deviations() - 1.959_963_985).abs() < 1e-9);
        assert!((Confidence::USUAL.of_all(10).deviations() - 2.807_033_768).abs() < 1e-8);
        assert!((beyond(2.228_138_852, 10.0) - 0.05).abs() < 1e-9);
        assert_eq!(Confidence::new(1.0), None);
    }

    /// Newcombe, Statistics in Medicine 17 (1998), Table I, method 5.
    #[test]
    fn the_exact_interval_is_the_printed_one() {
        for (hits, count, low, high) in
            [(81.0, 263.0, 0.2527, 0.3676), (15.0, 148.0, 0.0578, 0.1617), (0.0, 20.0, 0.0, 0.1684)]
        {
            let interval = Interval::exact(hits, count, Confidence::USUAL);
            assert!((interval.low - low).abs() < 5e-5 && (interval.high - high).abs() < 5e-5, "{interval:?}");
        }
        assert!((Confidence::USUAL.deviations_of(5.0) - 2.776_445).abs() < 1e-5);
    }

    /// By SciPy 1.17.1: `beta.ppf`.
    #[test]
    fn the_exact_interval_holds_for_millions_of_reports() {
        for (hits, count, low, high) in [
            (3.0, 7.0, 0.098_988_278_442_507_86, 0.815_948_432_359_916_9),
            (99_999.0, 1e5, 0.999_944_284_839_652_3, 0.999_999_746_821_952_3),
            (151.0, 2_700_583.0, 4.735_153_834_002_219e-5, 6.557_694_302_229_347e-5),
            (0.0, 2e7, 0.0, 1.844_439_556_959_083e-7),
            (1.0, 2e7, 1.265_890_398_413_255e-9, 2.785_821_377_262_201e-7),
            (5e6, 1e7, 0.499_690_052_521_371_1, 0.500_309_947_478_628_9),
            (123_456_789.0, 1e9, 0.123_436_400_762_694_03, 0.123_477_179_417_043_34),
        ] {
            let interval = Interval::exact(hits, count, Confidence::USUAL);
            let is_near = |found: f64, expected: f64| (found - expected).abs() <= 1e-7 * expected;
            assert!(is_near(interval.low, low) && is_near(interval.high, high), "{interval:?} of {hits} in {count}");
        }
    }

    /// By SciPy 1.17.1: `t.ppf`.
    #[test]
    fn students_deviations_are_right_on_both_sides_of_many_texts() {
        let sure = Confidence::USUAL.of_all(10_000);
        for (texts, usual, of_all) in [
            (10_000.0, 1.960_201_263_621_357, 4.567_281_236_917_048),
            (20_000_001.0, 1.959_964_103_153_622, 4.564_788_976_312_056),
        ] {
            assert!((Confidence::USUAL.deviations_of(texts) - usual).abs() < 1e-7, "{texts}");
            assert!((sure.deviations_of(texts) - of_all).abs() < 1e-5, "{texts}");
        }
        let [before, after] = [10_000.0, 10_001.0].map(|texts| Confidence::USUAL.deviations_of(texts));
        assert!(before > after && before - after < 1e-7);
    }
}
