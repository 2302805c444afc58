//! textveil for Swift, Kotlin and Python: the only place that knows uniffi.
//!
//! [`TextVeil`], [`Statements`], [`TextVectors`] and [`Contributor`] are objects: synchronous, without callbacks, to be called from any thread. What is private
//! is decided in the core; this crate keeps what has been drawn, so that a text is drawn once, and gives its
//! results a shape that the three languages share. `wasm/npm/types.d.ts` is the same surface for JavaScript.
//!
//! `cargo xtask mobile` writes the bindings from a build of this crate.

mod columns;
mod contributions;
mod error;
mod ledger;
mod once;
mod options;
mod panics;
mod results;
#[cfg(feature = "insecure-seeded-rng")]
mod seeded;
#[cfg(feature = "estimate")]
mod shares;
mod source;
mod statements;
#[cfg(feature = "estimate")]
mod sums;
mod text_vectors;
mod veil;

pub use columns::{ReleaseColumn, TextColumn};
pub use contributions::{Contribution, ContributionGuarantee, ContributionNoise, Contributor};
pub use error::TextVeilError;
pub use ledger::{Ledger, ScopeBudget};
pub use options::{ChoiceOptions, Detected, DetectedSpan, Dropout, Options, RepresentationOptions};
pub use results::{
    Alternative, Alternatives, ChoiceReport, Claim, Deniability, Entry, Guarantee, MechanismInfo, Metric, Release,
    Representation, TokenDeniability, Values, WordList,
};
#[cfg(feature = "estimate")]
pub use shares::{Asked, EqualReleases, EstimatedShare, SharesError, Topic, shares};
pub use statements::{Statement, StatementRelease, Statements, build_statements, build_statements_of};
#[cfg(feature = "estimate")]
pub use sums::Sum;
pub use text_vectors::TextVectors;
pub use veil::TextVeil;

uniffi::setup_scaffolding!();
