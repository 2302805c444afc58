//! The ledger, its state kept by the host.

use std::sync::{Mutex, MutexGuard, PoisonError};

use textveil::{Budget, Loss, Snapshot, Spent};

use crate::TextVeilError;

/// What has been released so far, by scope: a form field, an app, whatever has a budget of its own.
///
/// The host stores what `spend` returns before the release leaves: the bytes in one atomic write, then the
/// sequence number in a second place. A crash in between loses budget and never gains it. If more than one
/// process of the host can spend, they share one lock. For each release, one takes it, reads both places, opens the ledger, spends,
/// stores both, and gives it back: a ledger does not see what another process spends.
#[derive(Debug, uniffi::Object)]
pub struct Ledger(Mutex<textveil::Ledger>);

/// A scope and what it may lose.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct ScopeBudget {
    /// The scope's name: at most 64 bytes of UTF-8.
    pub scope: String,
    /// What it may lose in a period.
    pub budget: Budget,
}

#[uniffi::export]
impl Ledger {
    /// Resumes from what was stored, or starts if nothing ever was. `stored` and `sequence` are the last snapshot's: none
    /// and 0 before the first.
    ///
    /// # Errors
    /// `InvalidBudget`; `BadLedger` if the state is damaged, older than `sequence`, or missing although
    /// `sequence` is not 0: then nothing may be released, and [`Ledger::exhausted`] is the way on.
    #[uniffi::constructor(default(stored = None, sequence = 0))]
    pub fn new(budgets: Vec<ScopeBudget>, stored: Option<Vec<u8>>, sequence: u64) -> Result<Self, TextVeilError> {
        let ledger = textveil::Ledger::restore(&pairs(&budgets), stored.as_deref(), sequence)?;
        Ok(Self(Mutex::new(ledger)))
    }

    /// A ledger in place of one that could not be restored: every budget counts as spent, a periodic one
    /// until the period after `now` (in seconds), any other for good.
    ///
    /// # Errors
    /// `InvalidBudget`.
    #[uniffi::constructor]
    pub fn exhausted(budgets: Vec<ScopeBudget>, now: u64, sequence: u64) -> Result<Self, TextVeilError> {
        Ok(Self(Mutex::new(textveil::Ledger::exhausted(&pairs(&budgets), now, sequence)?)))
    }

    /// Records a release of this loss, or refuses it and changes nothing. `now` is in seconds since a fixed
    /// moment. The release may leave once the snapshot is stored.
    ///
    /// # Errors
    /// `BudgetExhausted`; `InvalidBudget` if no budget was given for the scope; `InvalidEpsilon`,
    /// `InvalidDelta`.
    pub fn spend(&self, scope: &str, loss: Loss, now: u64) -> Result<Snapshot, TextVeilError> {
        Ok(self.lock().spend(scope, loss, now)?)
    }

    /// What a scope has spent in the period of `now`.
    ///
    /// # Errors
    /// `InvalidBudget` if no budget was given for the scope.
    pub fn spent(&self, scope: &str, now: u64) -> Result<Spent, TextVeilError> {
        Ok(self.lock().spent(scope, now)?)
    }

    /// The state as it is now.
    pub fn snapshot(&self) -> Snapshot {
        self.lock().snapshot()
    }
}

impl Ledger {
    /// The core changes a ledger as its last step: it is whole even if a thread died with the lock.
    fn lock(&self) -> MutexGuard<'_, textveil::Ledger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn pairs(budgets: &[ScopeBudget]) -> Vec<(&str, Budget)> {
    budgets.iter().map(|ScopeBudget { scope, budget }| (scope.as_str(), *budget)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::thread;

    use super::*;

    #[test]
    fn threads_that_share_a_ledger_spend_its_budget_once() {
        let budget = Budget { epsilon: 16.0, delta: 0.0, releases: None, period: None };
        let budgets = vec![ScopeBudget { scope: "comment".into(), budget }];
        let ledger = Ledger::new(budgets, None, 0).expect("a first ledger");
        let spend = || (0..3).filter_map(|now| ledger.spend("comment", Loss::pure(1.0), now).ok()).collect::<Vec<_>>();
        let granted: Vec<Snapshot> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(spend)).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
        });
        let sequence: HashSet<u64> = granted.iter().map(|snapshot| snapshot.sequence).collect();
        assert_eq!(sequence, (1..=16).collect());
        assert_eq!(granted.len(), 16);
    }
}
