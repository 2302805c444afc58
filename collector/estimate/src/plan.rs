//! How many reports a question needs, before anything is collected.

use crate::interval::{Confidence, Interval, quantile};
use crate::trend;

/// How an estimate varies by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Variation {
    /// A report is a hit with probability start + slope · share, as of statements. Intervals and tests of hits are exact.
    Hits {
        /// The probability of a hit at a share of 0.
        start: f64,
        /// By how much it is larger at a share of 1, or would be there. It is above 0.
        slope: f64,
    },
    /// An estimate from n reports varies by `of_one`/n + `of_all`, before a growth and after it, as of words. It counts as
    /// normal.
    Variances {
        /// The variance of an estimate from one report.
        of_one: [f64; 2],
        /// The squared deviation that no number of reports makes smaller.
        of_all: [f64; 2],
    },
}

/// From this variance of hits on, the normal law says how wide an interval is.
const MOST_OF_INTERVAL: f64 = 1e8;

/// From this variance of hits on, a formula says how many reports a growth takes.
const MOST_OF_POWER: f64 = 5e3;

/// Less power than this is lost by rounding.
const ROUNDING: f64 = 1e-12;

impl Variation {
    /// The fewest reports from which the interval of `share` reaches at most `half_width` to each side. `u64::MAX`: no
    /// number of reports is enough.
    ///
    /// For hits this is the exact interval of the number of hits that is expected. By chance there are more or fewer hits,
    /// and the interval is a little wider or narrower. If the hits have a variance above 10⁸, the normal law is taken, which
    /// gives less than one report in 1,000 too few.
    #[must_use]
    pub fn reports_for_width(self, share: f64, half_width: f64, confidence: Confidence) -> u64 {
        let allowed = (half_width / confidence.deviations()).powi(2);
        let normal = |variance: f64| variance / allowed;
        let (start, slope) = match self {
            Self::Hits { start, slope } => (start, slope),
            Self::Variances { of_one: [of_one, _], of_all: [of_all, _] } => return reports(of_one, allowed - of_all),
        };
        let shown = (start + slope * share).min(1.0);
        let variance = shown * (1.0 - shown);
        let about = normal(variance) / (slope * slope);
        if about * variance > MOST_OF_INTERVAL {
            return about.ceil() as u64;
        }
        least(about, |reports| sides(share, [start, slope], reports, confidence).iter().all(|side| *side <= half_width))
    }

    /// How far the interval of `share` reaches to each side, from this number of reports: to the side on which it is longer.
    ///
    /// [`Variation::reports_for_width`] is the other way round, with the same intervals.
    #[must_use]
    pub fn half_width(self, share: f64, reports: u64, confidence: Confidence) -> f64 {
        let reports = reports as f64;
        let normal = |variance: f64| confidence.deviations() * variance.sqrt();
        let reach = match self {
            Self::Variances { of_one: [of_one, _], of_all: [of_all, _] } => normal(of_one / reports + of_all),
            Self::Hits { start, slope } => {
                let shown = (start + slope * share).min(1.0);
                let variance = shown * (1.0 - shown);
                if reports * variance > MOST_OF_INTERVAL {
                    normal(variance / reports) / slope
                } else {
                    let [below, above] = sides(share, [start, slope], reports, confidence);
                    below.max(above)
                }
            }
        };
        // No share is below 0 or above 1.
        reach.min(share.max(1.0 - share))
    }

    /// Reports in each of two periods, so that a growth from the first of `shares` to the second is told with probability
    /// `power` or a larger one. `u64::MAX`: no number of reports is enough.
    ///
    /// For hits the power is that of Fisher's exact test, added up over all outcomes. With one report less in each period
    /// it is below what is asked. Hits are whole numbers, so for common shares it falls a little at some larger numbers,
    /// too. If the hits of a period have a variance above 5,000, the number is that of Casagrande, Pike and Smith
    /// (Biometrics 34, 1978). Its power differs from what is asked by less than 0.2 percentage points.
    #[must_use]
    pub fn reports_for_change(self, shares: [f64; 2], power: f64, confidence: Confidence) -> u64 {
        let [of_test, of_power] = [confidence.deviations(), quantile(power)];
        let growth = shares[1] - shares[0];
        let (start, slope) = match self {
            Self::Hits { start, slope } => (start, slope),
            Self::Variances { of_one, of_all } => {
                let allowed = (growth / (of_test + of_power).max(0.0)).powi(2);
                let [of_one, of_all] = [of_one, of_all].map(|parts| parts.iter().sum::<f64>());
                return reports(of_one, allowed - of_all);
            }
        };
        let shown = shares.map(|share| (start + slope * share).min(1.0));
        let variance = |share: f64| share * (1.0 - share);
        let of_both = variance(shown.iter().sum::<f64>() / 2.0);
        let apart: f64 = shown.map(variance).iter().sum();
        let root = (of_test * (2.0 * of_both).sqrt() + of_power * apart.sqrt()).max(0.0);
        let shift = slope * growth;
        let about = ((root + (root * root + 4.0 * shift).sqrt()) / (2.0 * shift)).powi(2);
        if about * of_both > MOST_OF_POWER {
            return about.ceil() as u64;
        }
        least(about, |reports| trend::power(reports, shown, 1.0 - confidence.get()) + ROUNDING >= power)
    }
}

/// How far the exact interval of the hits that are expected reaches below a share, and above it.
fn sides(share: f64, [start, slope]: [f64; 2], reports: f64, confidence: Confidence) -> [f64; 2] {
    let hits = (start + slope * share).min(1.0) * reports;
    let Interval { low, high } = Interval::exact(hits, reports, confidence).unmapped(start, slope).of_share();
    [share - low, high - share]
}

/// Reports until the variance of an estimate, which is `of_one` for one report, is as small as `allowed`.
fn reports(of_one: f64, allowed: f64) -> u64 {
    if allowed > 0.0 { (of_one / allowed).ceil() as u64 } else { u64::MAX }
}

/// A number of reports that is enough, while one less is not. It is searched from `about` on.
fn least(about: f64, is_enough: impl Fn(f64) -> bool) -> u64 {
    let about = about.ceil().max(1.0);
    let ([mut low, mut high], mut step) = ([about; 2], (about / 1024.0).ceil());
    while low > 0.0 && is_enough(low) {
        (low, high) = ((low - step).max(0.0), low);
        step *= 2.0;
    }
    while high < u64::MAX as f64 && !is_enough(high) {
        (low, high) = (high, high + step);
        step *= 2.0;
    }
    loop {
        let middle = (0.5 * (low + high)).floor();
        if middle <= low || middle >= high {
            return high as u64;
        }
        *(if is_enough(middle) { &mut high } else { &mut low }) = middle;
    }
}

#[cfg(test)]
mod tests {
    use textveil::Statements;

    use super::*;
    use crate::Response;

    const CLEAR: Variation = Variation::Hits { start: 0.0, slope: 1.0 };

    fn of_statements(epsilon: f64) -> Variation {
        Response::of_length(119, Statements::usual_near(119, epsilon), epsilon).variation(1)
    }

    fn line(variation: Variation) -> [f64; 2] {
        match variation {
            Variation::Hits { start, slope } => [start, slope],
            Variation::Variances { .. } => [f64::NAN; 2],
        }
    }

    #[test]
    fn a_doubling_of_a_binomial_share_takes_as_many_as_the_textbooks_say() {
        // From .01 to .02 at level .05 and power .9 (Fleiss, without correction for continuity): some 3,100 in each period.
        let words = |of_one, bias: f64| Variation::Variances { of_one, of_all: [bias * bias; 2] };
        let growth =
            |bias| words([0.01 * 0.99, 0.02 * 0.98], bias).reports_for_change([0.01, 0.02], 0.9, Confidence::USUAL);
        assert!((3050..3150).contains(&growth(0.0)), "{}", growth(0.0));
        let width = |bias| words([0.25; 2], bias).reports_for_width(0.5, 0.01, Confidence::USUAL);
        assert_eq!(width(0.0), 9604);
        // A bias of .003 takes .003 · 1.96 = .0059 of the half-width: 9604/(1 − .346).
        assert_eq!(width(0.003), 14_679);
        // 1.96 · .0052 is more than .01, and 3.24 · .0022 · √2 is more than .01.
        assert_eq!((width(0.0052), growth(0.0022)), (u64::MAX, u64::MAX));
    }

    /// The numbers of statements at epsilon 8 and of texts in clear are by mpmath 1.4.1: `betainc`.
    #[test]
    fn the_exact_interval_is_as_narrow_as_planned_and_with_one_report_less_it_is_wider() {
        for (variation, share, within, expected) in [
            (of_statements(8.0), 0.05, 0.01, 2285),
            (of_statements(8.0), 0.005, 0.005, 1632),
            (CLEAR, 0.05, 0.01, 2181),
            (CLEAR, 0.005, 0.005, 1518),
        ] {
            assert_eq!(variation.reports_for_width(share, within, Confidence::USUAL), expected, "{share} {within}");
        }
        let variations = [4.0, 8.0, 12.0].map(of_statements).into_iter().chain([CLEAR]);
        for (variation, (share, within)) in variations.flat_map(|variation| {
            [(0.0001, 0.01), (0.01, 0.02), (0.07, 0.05), (0.07, 0.5)].map(|case| (variation, case))
        }) {
            let reports = variation.reports_for_width(share, within, Confidence::USUAL);
            let [start, slope] = line(variation);
            let is_narrow = |reports: &u64| {
                let (hits, reports) = ((start + slope * share) * *reports as f64, *reports as f64);
                let interval = Interval::exact(hits, reports, Confidence::USUAL).unmapped(start, slope).of_share();
                interval.low >= share - within && interval.high <= share + within
            };
            assert_eq!((1..10_000).find(is_narrow), Some(reports), "{variation:?} {share} {within}");
        }
    }

    #[test]
    fn the_number_of_reports_that_is_planned_is_the_fewest_with_an_interval_so_narrow() {
        let words = Variation::Variances { of_one: [0.25; 2], of_all: [9e-6; 2] };
        for (variation, share, within) in [
            (of_statements(8.0), 0.05, 0.01),
            (of_statements(4.0), 0.07, 0.05),
            (CLEAR, 0.005, 0.005),
            (words, 0.5, 0.01),
        ] {
            let reports = variation.reports_for_width(share, within, Confidence::USUAL);
            let [wider, found] =
                [reports - 1, reports].map(|reports| variation.half_width(share, reports, Confidence::USUAL));
            assert!(found <= within && wider > within, "{variation:?} {share}: {found}, {wider}");
        }
        // More shares together, and fewer reports, have wider intervals.
        let of = |reports, confidence| of_statements(8.0).half_width(0.1, reports, confidence);
        let usual = of(200, Confidence::USUAL);
        assert!(of(200, Confidence::USUAL.of_all(119)) > usual && of(100, Confidence::USUAL) > usual);
        // The exact law and the formula for many reports say the same.
        let [exact, formula] =
            [400_000_000, 400_000_004].map(|reports| CLEAR.half_width(0.5, reports, Confidence::USUAL));
        assert!((0.999..1.001).contains(&(formula / exact)), "{exact}, {formula}");
        // No interval of a share reaches below 0 or above 1.
        assert_eq!(words.half_width(0.2, 1, Confidence::USUAL), 0.8);
    }

    #[test]
    fn a_growth_is_told_as_often_as_planned_and_with_one_report_less_more_seldom() {
        let sure = Confidence::USUAL.of_all(10);
        for variation in [4.0, 8.0, 12.0].map(of_statements).into_iter().chain([CLEAR]) {
            let [start, slope] = line(variation);
            for (share, grown, power, confidence) in [
                (0.0005, 0.004, 0.9, Confidence::USUAL),
                (0.005, 0.02, 0.8, Confidence::USUAL),
                (0.05, 0.07, 0.9, Confidence::USUAL),
                (0.02, 0.06, 0.99, sure),
                (0.01, 0.07, 0.1, Confidence::USUAL),
                (0.3, 0.5, 0.9, sure),
                (0.5, 0.6, 0.9, Confidence::USUAL),
                (0.05, 0.95, 0.9, Confidence::USUAL),
            ] {
                let shown = [share, grown].map(|share| start + slope * share);
                if shown[1] >= 1.0 {
                    continue;
                }
                let reports = variation.reports_for_change([share, grown], power, confidence);
                let real = |reports: u64| trend::power(reports as f64, shown, 1.0 - confidence.get());
                let found = [reports - 1, reports].map(real);
                assert!(found[0] < power && found[1] >= power - ROUNDING, "{share} {grown}: {reports}, {found:?}");
            }
        }
    }

    #[test]
    fn the_formulas_for_many_reports_say_what_the_exact_law_says() {
        for (share, power) in [(0.5, 0.5), (0.5, 0.9), (0.05, 0.9), (0.001, 0.99)] {
            let deviations = Confidence::USUAL.deviations() + quantile(power);
            for variance in [5e3, 5.1e3, 5.3e3_f64] {
                let grown = share + share * (1.0 - share) * deviations * (2.0 / variance).sqrt();
                let reports = CLEAR.reports_for_change([share, grown], power, Confidence::USUAL) as f64;
                let mean = f64::midpoint(share, grown);
                assert!(reports * mean * (1.0 - mean) > MOST_OF_POWER, "{share} {variance}");
                let real = trend::power(reports, [share, grown], 0.05);
                assert!((real - power).abs() < 0.002, "{share} {grown}: {reports}, {real}");
            }
        }
        for share in [0.5, 0.01, 1e-5] {
            let within = share * (1.0 - share) * Confidence::USUAL.deviations() / MOST_OF_INTERVAL.sqrt();
            let [exact, formula] =
                [1.000_001, 0.999_999].map(|part| CLEAR.reports_for_width(share, within * part, Confidence::USUAL));
            assert!((0.999..1.001).contains(&(formula as f64 / exact as f64)), "{share}: {exact}, {formula}");
        }
    }

    #[test]
    fn what_cannot_be_told_takes_more_reports_than_there_are() {
        for (start, slope) in [(0.5, 0.0), (0.5, 1e-200)] {
            let flat = Variation::Hits { start, slope };
            assert_eq!(flat.reports_for_width(0.1, 0.01, Confidence::USUAL), u64::MAX);
            assert_eq!(flat.reports_for_change([0.1, 0.2], 0.9, Confidence::USUAL), u64::MAX);
        }
        // What an interval holds anyway takes one.
        assert_eq!(CLEAR.reports_for_width(0.5, 0.9, Confidence::USUAL), 1);
        assert_eq!(CLEAR.reports_for_width(1e-9, 1e-300, Confidence::USUAL), u64::MAX);
    }
}
