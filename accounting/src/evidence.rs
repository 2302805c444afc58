//! Tests a claimed guarantee by observations: bounds that no (ε, δ) mechanism escapes, and confidence limits for the
//! frequencies that an audit counts.

use libm::{exp, log};

use crate::special::beta_tails;
use crate::{Error, check, least};

/// The least δ with which an (ε, δ) mechanism over a vocabulary can leave a share `retention` of the words unchanged.
/// All words are equally frequent. It is 0 if ε alone explains the retention.
///
/// Summing P(w|w) ≤ e^ε·P(w|w′) + δ over all ordered pairs gives (V − 1)N ≤ e^ε(1 − N) + (V − 1)δ.
///
/// # Errors
/// [`Error::Argument`] (fewer than two words among them) or [`Error::Epsilon`] for a number out of range.
pub fn least_delta(retention: f64, epsilon: f64, vocabulary: u64) -> Result<f64, Error> {
    check::probability(retention, true)?;
    check::loss(epsilon)?;
    let others = check::count(vocabulary, 2)? - 1.0;
    // At full retention the second term is zero, even if e^ε is infinite.
    let explained = if retention < 1.0 { (1.0 - retention) * exp(epsilon) / others } else { 0.0 };
    Ok((retention - explained).max(0.0))
}

/// The least pure ε at which a share `retention` of the words can stay unchanged: ln(N(V − 1)/(1 − N)), or 0.
///
/// It bounds any inversion of any accuracy as well, since inverting is post-processing.
///
/// # Errors
/// [`Error::Argument`] for a share out of range or fewer than two words.
pub fn least_epsilon(retention: f64, vocabulary: u64) -> Result<f64, Error> {
    check::probability(retention, false)?;
    let others = check::count(vocabulary, 2)? - 1.0;
    Ok(log(retention / (1.0 - retention) * others).max(0.0))
}

/// Clopper and Pearson's lower confidence limit of a probability, given `successes` in `trials`. The true probability
/// lies below it with probability at most 1 − `confidence`. This is exact for any number of trials.
///
/// # Errors
/// [`Error::Argument`] for no trials, more successes than trials, or a confidence out of range.
pub fn lower_limit(successes: u64, trials: u64, confidence: f64) -> Result<f64, Error> {
    let (k, n) = counts(successes, trials, confidence)?;
    if successes == 0 {
        return Ok(0.0);
    }
    // The p at which k or more successes are just as unlikely as allowed; the float below it.
    Ok(least(0.0, 1.0, |p| beta_tails(k, n - k + 1.0, p, 1.0 - p).0 >= 1.0 - confidence).next_down())
}

/// Clopper and Pearson's upper confidence limit (see [`lower_limit`]). A two-sided interval of confidence c has the
/// limits of confidence (1 + c)/2.
///
/// # Errors
/// As [`lower_limit`].
pub fn upper_limit(successes: u64, trials: u64, confidence: f64) -> Result<f64, Error> {
    let (k, n) = counts(successes, trials, confidence)?;
    if successes == trials {
        return Ok(1.0);
    }
    Ok(least(0.0, 1.0, |p| beta_tails(k + 1.0, n - k, p, 1.0 - p).1 <= 1.0 - confidence))
}

fn counts(successes: u64, trials: u64, confidence: f64) -> Result<(f64, f64), Error> {
    check::probability(confidence, false)?;
    if successes > trials {
        return Err(Error::Argument);
    }
    Ok((successes as f64, check::count(trials, 1)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use libm::pow;

    #[test]
    fn limits_without_successes_or_failures_have_closed_forms() -> Result<(), Error> {
        for n in [1, 20, 1_000_000] {
            let edge = pow(0.05, 1.0 / n as f64);
            assert!((lower_limit(n, n, 0.95)? / edge - 1.0).abs() < 1e-12);
            assert!((upper_limit(0, n, 0.95)? / -libm::expm1(log(0.05) / n as f64) - 1.0).abs() < 1e-10);
            assert_eq!((lower_limit(0, n, 0.95)?, upper_limit(n, n, 0.95)?), (0.0, 1.0));
        }
        Ok(())
    }

    #[test]
    fn limits_mirror_each_other_and_enclose_the_frequency() -> Result<(), Error> {
        for (k, n) in [(1, 10), (3, 7), (400, 1000), (500_000, 1_000_000)] {
            let (low, high) = (lower_limit(k, n, 0.99)?, upper_limit(k, n, 0.99)?);
            let frequency = k as f64 / n as f64;
            assert!(low < frequency && frequency < high);
            assert!((upper_limit(n - k, n, 0.99)? - (1.0 - low)).abs() < 1e-12);
        }
        assert_eq!(lower_limit(2, 1, 0.9), Err(Error::Argument));
        Ok(())
    }

    #[test]
    fn retention_epsilon_and_delta_agree() -> Result<(), Error> {
        for (e, v) in [(0.05, 2), (3.0, 1000), (20.0, 30_522)] {
            // The largest mean retention of a pure ε-DP mechanism.
            let n = 1.0 / (1.0 + (v - 1) as f64 * exp(-e));
            assert!((least_epsilon(n, v)? / e - 1.0).abs() < 1e-6);
            assert!(least_delta(n * 0.999, e, v)? == 0.0 && least_delta((n * 1.001).min(1.0), e, v)? > 0.0);
        }
        assert_eq!(least_delta(1.0, 1000.0, 5)?, 1.0);
        Ok(())
    }
}
