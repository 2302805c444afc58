//! Losses, guarantees, and budgets.

pub(crate) mod guarantee;
pub(crate) mod ledger;
pub(crate) mod levels;
pub(crate) mod space;
