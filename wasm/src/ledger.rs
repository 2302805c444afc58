//! The ledger for a host that keeps its state: each call restores it, and hands out what to store.

use textveil::{Budget, Error, Loss, Snapshot};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::js::{Uint8Array, record};
use crate::thrown;

/// The budgets of a program, by scope.
#[wasm_bindgen]
#[derive(Default)]
pub struct Ledger {
    budgets: Vec<(String, Budget)>,
}

#[wasm_bindgen]
impl Ledger {
    /// A ledger that allows nothing yet.
    #[wasm_bindgen(constructor, skip_jsdoc)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a scope its budget.
    ///
    /// # Errors
    /// `invalid-budget`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn allow(
        &mut self,
        scope: String,
        epsilon: f64,
        delta: f64,
        releases: Option<f64>,
        period: Option<f64>,
    ) -> Result<(), JsValue> {
        let whole = |number: Option<f64>| number.map(|number| whole(number).ok_or(Error::InvalidBudget)).transpose();
        let budget = whole(releases).and_then(|releases| {
            let releases = releases.map(u32::try_from).transpose().map_err(|_| Error::InvalidBudget)?;
            Ok(Budget { epsilon, delta, releases, period: whole(period)? })
        });
        self.budgets.push((scope, budget.map_err(thrown)?));
        // Whatever is wrong with it is said at once.
        self.restored(None, 0.0).map(drop).map_err(thrown)
    }

    /// Resumes from what was stored and records a release at `now`, in seconds: gives what to store before it may leave.
    ///
    /// # Errors
    /// `bad-ledger`, `budget-exhausted`, `invalid-budget`, `invalid-epsilon`, `invalid-delta`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn spend(
        &self,
        bytes: Option<Vec<u8>>,
        sequence: f64,
        now: f64,
        scope: &str,
        epsilon: f64,
        delta: f64,
    ) -> Result<JsValue, JsValue> {
        let spent = self
            .restored(bytes, sequence)
            .and_then(|mut ledger| ledger.spend(scope, Loss { epsilon, delta }, now as u64));
        spent.map(snapshot).map_err(thrown)
    }

    /// What a scope has spent in the period of `now`, by what was stored.
    ///
    /// # Errors
    /// `bad-ledger`, `invalid-budget`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn spent(&self, bytes: Option<Vec<u8>>, sequence: f64, now: f64, scope: &str) -> Result<JsValue, JsValue> {
        let spent =
            self.restored(bytes, sequence).and_then(|ledger| ledger.spent(scope, now as u64)).map_err(thrown)?;
        Ok(record([
            ("epsilon", spent.loss.epsilon.into()),
            ("delta", spent.loss.delta.into()),
            ("releases", spent.releases.into()),
        ]))
    }

    /// What to store in place of a ledger that cannot be resumed: every budget counts as spent.
    ///
    /// # Errors
    /// None for budgets that were allowed.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn exhausted(&self, sequence: f64, now: f64) -> Result<JsValue, JsValue> {
        // An invalid sequence number counts as 0, so that a damaged store can still be replaced.
        let known = whole(sequence).unwrap_or(0);
        let exhausted = textveil::Ledger::exhausted(&self.budgets(), now as u64, known);
        exhausted.map(|ledger| snapshot(ledger.snapshot())).map_err(thrown)
    }

    fn restored(&self, bytes: Option<Vec<u8>>, sequence: f64) -> Result<textveil::Ledger, Error> {
        let sequence = whole(sequence).ok_or(Error::BadLedger("its sequence number is none"))?;
        textveil::Ledger::restore(&self.budgets(), bytes.as_deref(), sequence)
    }

    fn budgets(&self) -> Vec<(&str, Budget)> {
        self.budgets.iter().map(|(scope, budget)| (scope.as_str(), *budget)).collect()
    }
}

/// A count that JavaScript knows exactly.
fn whole(number: f64) -> Option<u64> {
    const LARGEST_EXACT: f64 = (1_u64 << 53) as f64;
    let whole = number as u64;
    (whole as f64 == number && number <= LARGEST_EXACT).then_some(whole)
}

fn snapshot(Snapshot { bytes, sequence }: Snapshot) -> JsValue {
    record([("bytes", Uint8Array::new(&bytes).into()), ("sequence", (sequence as f64).into())])
}
