//! Any operations on a ledger, and any bytes as what was stored of one.

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use sha2::{Digest, Sha256};
use textveil::{Budget, Error, Ledger, Loss};

const SCOPES: [&str; 3] = ["a", "comment", "été"];
/// What rounding to units may add up to over a run, in nats and as a probability.
const ROUNDING: f64 = 1e-15;

/// A scope as the tests of a budget see it: the release with its time, as the ledger counts it.
#[derive(Default)]
struct Seen {
    time: u64,
    releases: Vec<(u64, Loss)>,
}

impl Seen {
    /// What was released in the period of `now`.
    fn spent(&self, now: u64, budget: &Budget) -> (Loss, usize) {
        let period = |time: u64| budget.period.map_or(0, |length| time / length);
        let now = period(now.max(self.time));
        let of_period: Vec<&Loss> =
            self.releases.iter().filter(|(time, _)| period(*time) == now).map(|(_, loss)| loss).collect();
        let sum = |of: fn(&Loss) -> f64| of_period.iter().map(|loss| of(loss)).sum();
        (Loss { epsilon: sum(|loss| loss.epsilon), delta: sum(|loss| loss.delta) }, of_period.len())
    }
}

/// Any releases at any times never exceed a budget, and any bytes are the stored state of a ledger or are refused.
///
/// # Panics
/// A budget is exceeded, a release is refused that fits, or damage is not noticed.
pub fn ledger(data: &[u8]) {
    let Some((mode, bytes)) = data.split_first() else { return };
    if mode % 4 == 0 {
        stored(bytes);
    } else {
        // Where the bytes end, there are no more operations.
        let _ = operations(&mut Unstructured::new(bytes));
    }
}

/// Accepts exactly what a ledger stores.
fn stored(bytes: &[u8]) {
    let mut sealed = bytes.to_vec();
    sealed.extend(Sha256::digest(bytes));
    for bytes in [bytes, &sealed] {
        match Ledger::restore(&[], Some(bytes), 0) {
            Ok(ledger) => {
                let snapshot = ledger.snapshot();
                assert!(snapshot.bytes == bytes, "a ledger changes when it is stored again");
                damage(&snapshot.bytes, snapshot.sequence);
                if let Some(newer) = snapshot.sequence.checked_add(1) {
                    assert!(matches!(Ledger::restore(&[], Some(bytes), newer), Err(Error::BadLedger(_))));
                }
            }
            Err(error) => assert!(matches!(error, Error::BadLedger(_)), "{error}"),
        }
    }
}

/// Any one changed byte, and any missing end, is noticed.
fn damage(bytes: &[u8], sequence: u64) {
    let at = usize::try_from(sequence).unwrap_or(0) % bytes.len();
    let mut changed = bytes.to_vec();
    changed[at] ^= 1;
    for bytes in [&changed[..], &bytes[..at]] {
        assert!(matches!(Ledger::restore(&[], Some(bytes), 0), Err(Error::BadLedger(_))), "damage is not noticed");
    }
}

fn number(bytes: &mut Unstructured<'_>) -> Result<f64> {
    const USUAL: [f64; 8] = [0.0, 1e-12, 1e-5, 0.1, 0.5, 1.0, 2.5, 10.0];
    Ok(match bytes.int_in_range(0..=3)? {
        0..=2 => *bytes.choose(&USUAL)?,
        _ => f64::from_bits(bytes.arbitrary()?),
    })
}

fn budget(bytes: &mut Unstructured<'_>) -> Result<Budget> {
    let releases = if bytes.arbitrary()? { Some(u32::from(bytes.arbitrary::<u8>()?)) } else { None };
    let period = if bytes.arbitrary()? { Some(u64::from(bytes.arbitrary::<u8>()?)) } else { None };
    Ok(Budget { epsilon: number(bytes)?, delta: number(bytes)?, releases, period })
}

fn operations(bytes: &mut Unstructured<'_>) -> Result<()> {
    let budgets: Vec<(&str, Budget)> =
        SCOPES.into_iter().map(|scope| Ok((scope, budget(bytes)?))).collect::<Result<_>>()?;
    let is_sound = |budget: &Budget| {
        (0.0..f64::INFINITY).contains(&budget.epsilon)
            && (0.0..=1.0).contains(&budget.delta)
            && budget.period != Some(0)
    };
    let ledger = Ledger::restore(&budgets, None, 0);
    assert_eq!(ledger.is_ok(), budgets.iter().all(|(_, budget)| is_sound(budget)));
    let Ok(mut ledger) = ledger else { return Ok(()) };
    let mut seen: BTreeMap<&str, Seen> = BTreeMap::new();
    while !bytes.is_empty() {
        let (scope, budget) = bytes.choose(&budgets)?;
        let now = if bytes.arbitrary()? { bytes.arbitrary()? } else { u64::from(bytes.arbitrary::<u16>()?) };
        match bytes.int_in_range(0..=7)? {
            // What is stored is what goes on.
            0 => {
                let snapshot = ledger.snapshot();
                damage(&snapshot.bytes, snapshot.sequence);
                ledger = Ledger::restore(&budgets, Some(&snapshot.bytes), snapshot.sequence).expect("its own state");
                assert!(ledger.snapshot() == snapshot, "a ledger changes when it is stored");
            }
            // The state is lost: whatever was left of the period is.
            1 => {
                ledger = Ledger::exhausted(&budgets, now, ledger.snapshot().sequence).expect("sound budgets");
                for (scope, _) in &budgets {
                    assert!(ledger.spend(scope, Loss::pure(0.0), now).is_err(), "a lost ledger lets something through");
                }
                return Ok(());
            }
            _ => {
                let loss = Loss { epsilon: number(bytes)?, delta: number(bytes)? };
                spend(&mut ledger, (scope, budget), (loss, now), seen.entry(scope).or_default());
            }
        }
    }
    Ok(())
}

fn spend(ledger: &mut Ledger, (scope, budget): (&str, &Budget), (loss, now): (Loss, u64), seen: &mut Seen) {
    let before = ledger.snapshot();
    let (spent, releases) = seen.spent(now, budget);
    match ledger.spend(scope, loss, now) {
        Ok(snapshot) => {
            assert_eq!(snapshot.sequence, before.sequence + 1);
            seen.time = seen.time.max(now);
            seen.releases.push((seen.time, loss));
            let (spent, releases) = seen.spent(now, budget);
            let most = |budget: f64| budget * (1.0 + 1e-12);
            assert!(spent.epsilon <= most(budget.epsilon) && spent.delta <= most(budget.delta), "a budget is exceeded");
            assert!(budget.releases.is_none_or(|most| releases <= most as usize), "too many releases");
            let told = ledger.spent(scope, now).expect("a scope with a budget");
            let least = |spent: f64| spent * (1.0 - 1e-12);
            assert!(told.loss.epsilon >= least(spent.epsilon) && told.loss.delta >= least(spent.delta).min(1.0));
            assert_eq!(told.releases as usize, releases);
        }
        Err(error) => {
            assert!(ledger.snapshot() == before, "a refused release changes the ledger");
            let is_loss = (0.0..f64::INFINITY).contains(&loss.epsilon) && (0.0..=1.0).contains(&loss.delta);
            let fits = |spent: f64, loss: f64, budget: f64| spent + loss <= budget * (1.0 - 1e-12) - ROUNDING;
            let has_room = fits(spent.epsilon, loss.epsilon, budget.epsilon)
                && fits(spent.delta, loss.delta, budget.delta)
                && budget.releases.is_none_or(|most| releases < most as usize);
            // Beyond this, sums do not fit the units.
            let is_counted = budget.epsilon < 1e15;
            assert!(!(is_loss && has_room && is_counted), "a release that fits is refused: {error}");
        }
    }
}
