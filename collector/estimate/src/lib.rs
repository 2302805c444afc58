//! Estimates from releases: how large a share is, how sure that is, and whether it grew.
//!
//! The noise of a release is public. So a collector can take it back on average. Every estimate here is a function of
//! releases and of public knowledge: it costs no ε.
//!
//! [`Knowledge`] is what is asked. With what a release declares it gives the [`Law`] of all releases, by which they are
//! [`Counted`], one by one or many equal ones at once. Then the law has their shares.
//!
//! A share has two intervals: one of its own, and one that holds for all shares of a list together (Bonferroni). Both
//! also count it as chance who happened to answer. The people who answered are a sample, and the intervals hold for the
//! people it was drawn from.

#![warn(missing_debug_implementations)]

mod channel;
mod interval;
mod laws;
mod plan;
mod posterior;
mod response;
mod trend;
mod words;

pub use channel::{Channel, Unsupported};
pub use interval::{Confidence, FEWEST_TEXTS, Interval, Share};
pub use laws::{Counted, Knowledge, Law, Refused, Released, Reported, Topics, privatizer};
pub use plan::Variation;
pub use posterior::posterior_means;
pub use response::{Response, Tally};
pub use trend::{Change, changes};
pub use words::{Question, WordTally, Words};
