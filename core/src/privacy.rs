//! What is lost, what is proved about it, and what is left of a budget.

pub(crate) mod guarantee;
pub(crate) mod ledger;
pub(crate) mod levels;
pub(crate) mod space;
