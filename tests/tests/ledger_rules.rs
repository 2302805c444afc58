//! What a ledger takes, refuses and restores.

use sha2::{Digest, Sha256};
use textveil::{Budget, Error, Ledger, Loss, MAX_SCOPE_BYTES, MAX_SCOPES, Parameter, Spent};

const DAY: u64 = 86_400;
/// The ledger counts ε in units of 2⁻⁶⁴.
const EPSILON_UNITS: f64 = (1_u128 << 64) as f64;
const CHECKSUM_BYTES: usize = 32;
const PLAIN: Budget = Budget { epsilon: 10.0, delta: 0.5, releases: None, period: None };
const DAILY: Budget = Budget { releases: Some(2), period: Some(DAY), ..PLAIN };

fn first(budgets: &[(&str, Budget)]) -> Ledger {
    Ledger::restore(budgets, None, 0).expect("sound budgets")
}

fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = Sha256::digest(&bytes);
    bytes.extend(checksum);
    bytes
}

#[test]
fn a_budget_is_spent_to_the_last_bit_and_no_further() {
    let mut ledger = first(&[("a", PLAIN)]);
    for _ in 0..4 {
        let _ = ledger.spend("a", Loss { epsilon: 2.5, delta: 0.125 }, 0).expect("within");
    }
    let spent = Spent { loss: Loss { epsilon: 10.0, delta: 0.5 }, releases: 4 };
    let before = ledger.snapshot();
    for loss in [Loss::pure(5e-324), Loss { epsilon: 0.0, delta: 5e-324 }, Loss::pure(f64::INFINITY)] {
        assert_eq!(ledger.spend("a", loss, 9), Err(Error::BudgetExhausted));
    }
    assert_eq!((ledger.snapshot(), ledger.spent("a", 9)), (before, Ok(spent)));
    assert!(ledger.spend("a", Loss::NONE, 9).is_ok());
}

#[test]
fn no_loss_is_too_small_to_count() {
    let unit = 1.0 / EPSILON_UNITS;
    let mut ledger = first(&[("a", Budget { epsilon: 2.0 * unit, ..PLAIN })]);
    assert!(ledger.spend("a", Loss::pure(5e-324), 0).is_ok());
    assert!(ledger.spend("a", Loss::pure(unit / 2.0), 0).is_ok());
    assert_eq!(ledger.spend("a", Loss::pure(5e-324), 0), Err(Error::BudgetExhausted));
}

#[test]
fn what_cannot_be_added_is_refused() {
    let largest = 2_f64.powi(64).next_down();
    let mut ledger = first(&[("a", Budget { epsilon: f64::MAX, delta: 1.0, ..PLAIN })]);
    assert_eq!(ledger.spend("a", Loss::pure(2_f64.powi(64)), 0), Err(Error::BudgetExhausted));
    let _ = ledger.spend("a", Loss { epsilon: largest, delta: 1.0 }, 0).expect("just below");
    assert_eq!(ledger.spend("a", Loss::pure(largest), 0), Err(Error::BudgetExhausted));
    assert_eq!(ledger.spend("a", Loss { epsilon: 0.0, delta: 1.0 }, 0), Err(Error::BudgetExhausted));
}

#[test]
fn a_loss_that_is_none_is_refused() {
    let mut ledger = first(&[("a", PLAIN)]);
    for (epsilon, delta, error) in [
        (f64::NAN, 0.0, Error::Invalid(Parameter::Epsilon)),
        (-1.0, 0.0, Error::Invalid(Parameter::Epsilon)),
        (1.0, f64::NAN, Error::Invalid(Parameter::Delta)),
        (1.0, -0.1, Error::Invalid(Parameter::Delta)),
        (1.0, 1.1, Error::Invalid(Parameter::Delta)),
    ] {
        assert_eq!(ledger.spend("a", Loss { epsilon, delta }, 0), Err(error));
    }
    assert_eq!(ledger.snapshot().sequence, 0);
}

#[test]
fn a_new_period_has_a_new_budget_and_no_period_comes_twice() {
    let mut ledger = first(&[("a", DAILY)]);
    let mut try_at = |now| ledger.spend("a", Loss::pure(1.0), now).map(|snapshot| snapshot.sequence);
    assert_eq!([try_at(0), try_at(DAY - 1), try_at(DAY - 1)], [Ok(1), Ok(2), Err(Error::BudgetExhausted)]);
    assert_eq!([try_at(DAY), try_at(0), try_at(0)], [Ok(3), Ok(4), Err(Error::BudgetExhausted)]);
    assert_eq!(try_at(2 * DAY - 1), Err(Error::BudgetExhausted));
    assert_eq!(try_at(u64::MAX), Ok(5));
}

#[test]
fn scopes_are_apart_and_need_a_budget() {
    let mut ledger = first(&[("a", DAILY), ("b", PLAIN)]);
    let _ = ledger.spend("a", Loss::pure(10.0), 0).expect("within");
    assert!(ledger.spend("b", Loss::pure(10.0), 0).is_ok());
    assert_eq!(ledger.spend("c", Loss::NONE, 0), Err(Error::InvalidBudget));
    assert_eq!(ledger.spent("c", 0), Err(Error::InvalidBudget));
}

#[test]
fn a_scope_without_a_budget_keeps_its_past() {
    let mut ledger = first(&[("a", PLAIN)]);
    let stored = ledger.spend("a", Loss::pure(10.0), 0).expect("within");
    let mut between = Ledger::restore(&[("b", PLAIN)], Some(&stored.bytes), 1).expect("sound");
    assert_eq!(between.spend("a", Loss::NONE, 0), Err(Error::InvalidBudget));
    let stored = between.spend("b", Loss::NONE, 0).expect("within");
    let mut again = Ledger::restore(&[("a", PLAIN)], Some(&stored.bytes), 2).expect("sound");
    assert_eq!(again.spend("a", Loss::pure(1.0), 0), Err(Error::BudgetExhausted));
}

#[test]
fn only_the_first_start_needs_no_state() {
    let mut ledger = first(&[("a", PLAIN)]);
    let old = ledger.spend("a", Loss::pure(1.0), 0).expect("within");
    let new = ledger.spend("a", Loss::pure(1.0), 0).expect("within");
    let restore = |stored, at_least| Ledger::restore(&[("a", PLAIN)], stored, at_least).map(|ledger| ledger.snapshot());
    assert_eq!(restore(Some(&new.bytes), 2), Ok(new.clone()));
    assert_eq!(restore(Some(&new.bytes), 1), Ok(new.clone()), "the host died between the two stores");
    assert_eq!(restore(Some(&old.bytes), 2), Err(Error::BadLedger("older than the last one known")));
    assert_eq!(restore(None, 2), Err(Error::BadLedger("missing")));
}

#[test]
fn an_exhausted_ledger_lets_nothing_through_in_its_period() {
    let budgets = [("forever", PLAIN), ("daily", DAILY)];
    let mut lost = first(&budgets);
    let lost = lost.spend("daily", Loss::NONE, 0).expect("within");
    let mut ledger = Ledger::exhausted(&budgets, DAY, lost.sequence).expect("sound budgets");
    assert_eq!(ledger.spent("daily", DAY).map(|spent| spent.loss.epsilon), Ok(f64::INFINITY));
    for (scope, now) in [("daily", 0), ("daily", 2 * DAY - 1), ("forever", 0), ("forever", u64::MAX)] {
        assert_eq!(ledger.spend(scope, Loss::NONE, now), Err(Error::BudgetExhausted));
    }
    assert!(Ledger::restore(&budgets, Some(&lost.bytes), ledger.snapshot().sequence).is_err());
    assert!(ledger.spend("daily", Loss::pure(1.0), 2 * DAY).is_ok());
}

#[test]
fn unusable_budgets_are_refused() {
    let long = "s".repeat(MAX_SCOPE_BYTES + 1);
    let names: Vec<String> = (0..=MAX_SCOPES).map(|number| format!("{number}")).collect();
    let many: Vec<(&str, Budget)> = names.iter().map(|name| (name.as_str(), PLAIN)).collect();
    let mut cases: Vec<Vec<(&str, Budget)>> = [f64::NAN, f64::INFINITY, -1.0]
        .into_iter()
        .flat_map(|bad| [Budget { epsilon: bad, ..PLAIN }, Budget { delta: bad, ..PLAIN }])
        .chain([Budget { delta: 1.5, ..PLAIN }, Budget { period: Some(0), ..PLAIN }])
        .map(|budget| vec![("a", budget)])
        .collect();
    cases.extend([vec![("", PLAIN)], vec![(&long, PLAIN)], vec![("a", PLAIN), ("a", DAILY)]]);
    cases.push(many.clone());
    for budgets in cases {
        assert_eq!(Ledger::restore(&budgets, None, 0).err(), Some(Error::InvalidBudget));
    }
    assert!(Ledger::restore(&many[1..], None, 0).is_ok());
}

#[test]
fn the_bytes_are_those_of_the_specification() {
    let mut ledger = first(&[("é", DAILY), ("a", PLAIN)]);
    let stored = ledger.spend("é", Loss { epsilon: 1.5, delta: 0.25 }, 258).expect("within");
    let mut expected = b"TVLEDGER\x01\0\x02\0\x01\0\0\0\0\0\0\0".to_vec();
    expected.extend(b"\x01a");
    expected.extend([0; 8 + 4 + 16 + 16]);
    expected.extend(b"\x02\xc3\xa9\x02\x01\0\0\0\0\0\0\x01\0\0\0");
    expected.extend((3_u128 << 63).to_le_bytes());
    expected.extend((1_u128 << 125).to_le_bytes());
    assert_eq!(stored.bytes, seal(expected));
}

#[test]
fn a_sealed_state_that_breaks_the_format_is_refused() {
    let sound = first(&[("a", PLAIN), ("b", PLAIN)]).snapshot().bytes;
    let body = &sound[..sound.len() - CHECKSUM_BYTES];
    let changed = |at: usize, byte| {
        let mut body = body.to_vec();
        body[at] = byte;
        seal(body)
    };
    let second = body.len() - 45;
    let no_name = [&body[..20], &[0][..], &body[22..]].concat();
    for (fault, bytes) in [
        ("magic", changed(0, b'X')),
        ("version", changed(8, 2)),
        ("fewer scopes than there are", changed(10, 1)),
        ("more scopes than there are", changed(10, 3)),
        ("too many scopes", changed(11, 5)),
        ("same name twice", changed(second, b'a')),
        ("names descend", changed(second, b'A')),
        ("no UTF-8", changed(second, 0xff)),
        ("no name", seal(no_name)),
        ("one byte more", seal([body, &[0]].concat())),
    ] {
        assert!(matches!(Ledger::restore(&[], Some(&bytes), 0), Err(Error::BadLedger(_))), "{fault}");
    }
    assert!(Ledger::restore(&[], Some(&changed(second, b'c')), 0).is_ok());
}
