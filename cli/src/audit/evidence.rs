//! From counts to bounds that hold with 95 % confidence.
//!
//! Of n outputs for each input, k and k′ were in the event. Clopper and Pearson's limits, each one-sided at 97.5 %,
//! hold together with 95 %: P(S|x) ≥ p and P(S|x′) ≤ q. If M is (ε, δ)-DP then p ≤ e^ε·q + δ. So ε is at least ln((p −
//! δ)/q), and δ at least p − e^ε·q. Both come from the same two limits and are one statement.

use textveil::account::evidence::{lower_limit, upper_limit};
use textveil::{Error, Loss};

/// The confidence of each of the two limits.
const CONFIDENCE: f64 = 0.975;

/// What the limits say.
#[derive(Clone, Copy)]
pub(super) struct Evidence {
    /// P(S|x) is at least this.
    likely: f64,
    /// P(S|x′) is at most this.
    unlikely: f64,
}

impl Evidence {
    /// # Errors
    /// No samples, or more hits than samples.
    pub(super) fn new(hits: [u64; 2], samples: u64) -> Result<Self, Error> {
        let [first, second] = hits;
        Ok(Self {
            likely: lower_limit(first, samples, CONFIDENCE)?,
            unlikely: upper_limit(second, samples, CONFIDENCE)?,
        })
    }

    /// A lower bound of ε at this δ, if there is one above zero.
    pub(super) fn epsilon(self, delta: f64) -> Option<f64> {
        let bound = libm::log((self.likely - delta).max(0.0) / self.unlikely);
        (bound > 0.0).then_some(bound)
    }

    /// A lower bound of δ at this ε.
    pub(super) fn delta(self, epsilon: f64) -> f64 {
        // An infinite ε leaves nothing to bound.
        (self.likely - libm::exp(epsilon) * self.unlikely).max(0.0)
    }

    /// Whether these counts refute the loss: any mechanism with this loss leads to such counts at most one time in
    /// twenty.
    pub(super) fn refutes(self, loss: Loss) -> bool {
        self.delta(loss.epsilon) > loss.delta
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_limited_by_the_samples_alone_if_nothing_is_hidden() {
        // An event that is certain for the one and never seen for the other: ln(n/3.7).
        let evidence = Evidence::new([100_000, 0], 100_000).expect("counts");
        assert!((evidence.epsilon(0.0).expect("a bound") - (100_000.0 / 3.69_f64).ln()).abs() < 0.01);
        assert!(evidence.delta(1.0) > 0.9998);
    }

    #[test]
    fn equal_counts_say_nothing() {
        let evidence = Evidence::new([500, 500], 1000).expect("counts");
        assert_eq!((evidence.epsilon(0.0), evidence.delta(0.0)), (None, 0.0));
        assert!(!evidence.refutes(Loss::NONE));
    }

    #[test]
    fn a_loss_is_refuted_by_either_number_and_an_infinite_one_never() {
        let evidence = Evidence::new([600, 300], 1000).expect("counts");
        assert!(evidence.refutes(Loss::pure(0.4)) && !evidence.refutes(Loss::pure(0.7)));
        assert!(!evidence.refutes(Loss { epsilon: 0.4, delta: 0.3 }));
        assert!(!evidence.refutes(Loss::pure(f64::INFINITY)));
        // Both numbers say the same.
        let epsilon = evidence.epsilon(0.01).expect("a bound");
        assert!((evidence.delta(epsilon) - 0.01).abs() < 1e-12);
    }
}
