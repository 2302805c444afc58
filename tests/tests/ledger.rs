//! Losses are never rounded down, and no order of releases, restarts and clocks gets more than a budget. All
//! sums here are exact.

use proptest::prelude::*;
use sha2::{Digest, Sha256};
use textveil::{Budget, Error, Ledger, Loss};

/// A sum of floats from zero up, without any rounding: an integer of 2176 bits, in units of the smallest
/// float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Exact([u64; 34]);

impl Exact {
    const ZERO: Self = Self([0; 34]);

    fn of(x: f64) -> Self {
        Self::ZERO.plus(x)
    }

    fn plus(mut self, x: f64) -> Self {
        assert!(x.is_finite() && x >= 0.0);
        let (exponent, fraction) = (x.to_bits() >> 52, x.to_bits() & ((1 << 52) - 1));
        let significand = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        let shift = exponent.saturating_sub(1);
        let mut carry = u128::from(significand) << (shift % 64);
        // The highest limb comes first, so that the derived order is that of the numbers.
        for limb in self.0.iter_mut().rev().skip(shift as usize / 64) {
            carry += u128::from(*limb);
            *limb = carry as u64;
            carry >>= 64;
        }
        self
    }
}

/// Floats of every size from zero up.
fn any_size() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 0.0..8.0, (-1074..1000_i32, 1.0..2.0).prop_map(|(e, m)| m * 2_f64.powi(e))]
}

/// ε as releases have it, some of them finer than a ledger counts.
fn nats() -> impl Strategy<Value = f64> {
    prop_oneof![4 => (0..8_u8).prop_map(|x| f64::from(x) / 10.0), 4 => 1e-3..2.0, 1 => 0.0..1e-18]
}

/// δ as releases have it.
fn odds() -> impl Strategy<Value = f64> {
    prop_oneof![4 => Just(0.0), 2 => Just(1e-3), 2 => 1e-9..1e-2, 1 => 0.0..1e-40]
}

/// Whether a ledger does not round them.
fn is_counted_exactly(epsilon: f64, delta: f64) -> bool {
    (epsilon == 0.0 || epsilon >= 2_f64.powi(-12)) && (delta == 0.0 || delta >= 2_f64.powi(-75))
}

fn is_smallest_above(found: f64, exact: Exact) -> bool {
    Exact::of(found) >= exact && (found == 0.0 || Exact::of(found.next_down()) < exact)
}

/// What a scope has spent, without any rounding.
#[derive(Clone, Copy)]
struct Model {
    time: u64,
    epsilon: Exact,
    delta: Exact,
    releases: u32,
    exact: bool,
}

const EMPTY: Model = Model { time: 0, epsilon: Exact::ZERO, delta: Exact::ZERO, releases: 0, exact: true };

fn budget() -> impl Strategy<Value = Budget> {
    (nats().prop_map(|x| 4.0 * x), odds().prop_map(|x| 4.0 * x), prop::option::of(0..9_u32), prop::option::of(1..9_u64))
        .prop_map(|(epsilon, delta, releases, period)| Budget { epsilon, delta, releases, period })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn composition_gives_the_smallest_float_above(a in any_size(), b in any_size(), n in 0..300_usize) {
        prop_assert!(is_smallest_above(Loss::pure(a).then(Loss::pure(b)).epsilon, Exact::of(a).plus(b)));
        let releases = (0..n).fold(Exact::ZERO, |sum, _| sum.plus(a));
        prop_assert!(is_smallest_above(Loss::pure(a).times(n).epsilon, releases));
        let delta = |x: f64| Loss { epsilon: 0.0, delta: x / 8.0 };
        let (a, b) = (a.min(8.0), b.min(8.0));
        let sum = delta(a).then(delta(b)).delta;
        prop_assert!(sum == 1.0 || is_smallest_above(sum, Exact::of(a / 8.0).plus(b / 8.0)));
        prop_assert_eq!(delta(a).group(n), delta(a).times(n));
    }

    /// By Jensen's inequality and by leaving out a term: (1 − rate)·ε ≤ ε′ and ε + ln(1 − rate) ≤ ε′ ≤ ε.
    #[test]
    fn dropout_lies_between_its_simple_bounds(epsilon in any_size(), delta in 0.0..=1.0, rate in 0.0..1.0) {
        let after = Loss { epsilon, delta }.after_dropout(rate);
        prop_assert!(after.epsilon <= epsilon && after.delta <= delta);
        prop_assert!(after.epsilon >= (1.0 - rate) * epsilon * (1.0 - 1e-15));
        prop_assert!(after.epsilon >= (epsilon + (1.0 - rate).ln()) * (1.0 - 1e-15));
        prop_assert!(after.delta >= (1.0 - rate) * delta);
    }

    /// To a few units in the last place, where results are rounded up.
    #[test]
    fn losses_are_monotone(
        epsilon in any_size(), delta in 0.0..=1.0, rate in 0.0..1.0, n in 1..50_usize, more in 0.0..1.0,
    ) {
        let (loss, larger) = (Loss { epsilon, delta }, Loss { epsilon: epsilon * (1.0 + more), delta });
        let up = |x: f64| x * (1.0 + 1e-14);
        let is_below = |a: Loss, b: Loss| a.epsilon <= up(b.epsilon) && a.delta <= up(b.delta);
        prop_assert!(is_below(loss.after_dropout(rate), larger.after_dropout(rate)));
        prop_assert!(is_below(loss.after_dropout(rate + (1.0 - rate) * more), loss.after_dropout(rate)));
        prop_assert!(is_below(loss.group(n), larger.group(n)) && is_below(loss.group(n), loss.group(n + 1)));
        prop_assert!(is_below(loss.times(n), loss.group(n)) && is_below(loss.times(n), loss.times(n + 1)));
    }

    #[test]
    fn no_sequence_of_releases_restarts_and_clocks_exceeds_a_budget(
        budgets in [budget(), budget()],
        steps in prop::collection::vec((0..2_usize, nats(), odds(), 0..40_u64, any::<bool>()), 1..60),
    ) {
        let scopes = [("left", budgets[0]), ("right", budgets[1])];
        let mut ledger = Ledger::restore(&scopes, None, 0).expect("sound budgets");
        let mut models = [EMPTY; 2];
        for (which, epsilon, delta, now, restart) in steps {
            let (loss, (scope, budget)) = (Loss { epsilon, delta }, scopes[which]);
            let is_exact_budget = is_counted_exactly(budget.epsilon, budget.delta);
            let mut next = models[which];
            let time = next.time.max(now);
            if budget.period.is_some_and(|length| time / length > next.time / length) {
                next = EMPTY;
            }
            next = Model {
                time,
                epsilon: next.epsilon.plus(epsilon),
                delta: next.delta.plus(delta),
                releases: next.releases + 1,
                exact: next.exact && is_counted_exactly(epsilon, delta),
            };
            let fits = next.epsilon <= Exact::of(budget.epsilon)
                && next.delta <= Exact::of(budget.delta)
                && budget.releases.is_none_or(|most| next.releases <= most);
            let before = ledger.snapshot();
            match ledger.spend(scope, loss, now) {
                Ok(stored) => {
                    prop_assert!(fits);
                    prop_assert_eq!(stored.sequence, before.sequence + 1);
                    models[which] = next;
                    let spent = ledger.spent(scope, now).expect("a scope with a budget");
                    prop_assert!(Exact::of(spent.loss.epsilon) >= next.epsilon);
                    prop_assert!(Exact::of(spent.loss.delta) >= next.delta);
                    prop_assert_eq!(spent.releases, next.releases);
                }
                Err(error) => {
                    prop_assert_eq!(error, Error::BudgetExhausted);
                    prop_assert!(!fits || !next.exact || !is_exact_budget);
                    prop_assert_eq!(&ledger.snapshot(), &before);
                }
            }
            if restart {
                let stored = ledger.snapshot();
                ledger = Ledger::restore(&scopes, Some(&stored.bytes), stored.sequence).expect("just stored");
                prop_assert_eq!(ledger.snapshot(), stored);
            }
        }
    }

    #[test]
    fn any_bytes_are_a_ledger_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400), at_least: u64) {
        prop_assert!(matches!(Ledger::restore(&[], Some(&bytes), at_least), Err(Error::BadLedger(_))));
    }

    /// Behind the checksum: what is accepted is exactly what would be stored again.
    #[test]
    fn a_damaged_ledger_is_refused_or_taken_to_the_letter(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = used();
        bytes.truncate(bytes.len() - 32);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        bytes.extend(Sha256::digest(&bytes));
        if let Ok(ledger) = Ledger::restore(&[], Some(&bytes), 0) {
            prop_assert_eq!(ledger.snapshot().bytes, bytes);
        }
    }
}

/// A stored ledger of two scopes and three releases.
fn used() -> Vec<u8> {
    let budget = Budget { epsilon: 10.0, delta: 1e-6, releases: None, period: Some(60) };
    let mut ledger = Ledger::restore(&[("name", budget), ("comment", budget)], None, 0).expect("sound budgets");
    for (scope, now) in [("name", 100), ("comment", 110), ("name", 170)] {
        let _ = ledger.spend(scope, Loss { epsilon: 2.2, delta: 1e-7 }, now).expect("within");
    }
    ledger.snapshot().bytes
}

#[test]
fn a_ledger_with_one_changed_bit_or_another_length_is_refused() {
    let stored = used();
    assert!(Ledger::restore(&[], Some(&stored), 3).is_ok());
    let is_refused = |bytes: &[u8]| matches!(Ledger::restore(&[], Some(bytes), 0), Err(Error::BadLedger(_)));
    for bit in 0..stored.len() * 8 {
        let mut changed = stored.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(is_refused(&changed), "bit {bit}");
    }
    for length in 0..stored.len() {
        assert!(is_refused(&stored[..length]) && is_refused(&stored[stored.len() - length..]), "{length} bytes");
    }
    for byte in 0..=u8::MAX {
        assert!(is_refused(&[&stored[..], &[byte]].concat()) && is_refused(&[&[byte], &stored[..]].concat()));
    }
}

/// A rolled-back state is refused from the first release on that it does not know.
#[test]
fn every_older_state_is_refused() {
    let scopes = [("a", Budget { epsilon: 100.0, delta: 0.0, releases: None, period: None })];
    let mut ledger = Ledger::restore(&scopes, None, 0).expect("sound budgets");
    let states: Vec<_> = (0..50).map(|now| ledger.spend("a", Loss::pure(0.5), now).expect("within")).collect();
    for (at, state) in states.iter().enumerate() {
        for counter in 0..=50 {
            let restored = Ledger::restore(&scopes, Some(&state.bytes), counter);
            assert_eq!(restored.is_ok(), at as u64 + 1 >= counter, "state {at}, counter {counter}");
        }
    }
}
