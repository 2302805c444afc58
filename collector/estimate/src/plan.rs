//! How many reports a question needs, before anything is collected.

use crate::interval::{Confidence, quantile};

/// Reports until the interval of a share reaches at most `half_width` to each side. `variance` is that of an estimate from one
/// report.
#[must_use]
pub fn reports_for_width(variance: f64, half_width: f64, confidence: Confidence) -> u64 {
    (variance * (confidence.deviations() / half_width).powi(2)).ceil() as u64
}

/// Reports in each of two periods until a change of a share by `change` is found with probability `power`. `variances` are
/// those of an estimate from one report in each period.
#[must_use]
pub fn reports_for_change(variances: [f64; 2], change: f64, power: f64, confidence: Confidence) -> u64 {
    let deviations = confidence.deviations() + quantile(power);
    (variances.iter().sum::<f64>() * (deviations / change).powi(2)).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubling_of_a_binomial_share_takes_as_many_as_the_textbooks_say() {
        // From .01 to .02 at level .05 and power .9 (Fleiss, without correction for continuity): some 3,100 in each period.
        let reports = reports_for_change([0.01 * 0.99, 0.02 * 0.98], 0.01, 0.9, Confidence::USUAL);
        assert!((3050..3150).contains(&reports), "{reports}");
        assert_eq!(reports_for_width(0.25, 0.01, Confidence::USUAL), 9604);
    }
}
