//! Differential privacy for text, on the device that holds the text.
//!
//! A [`Table`] is a public vocabulary with int8 vectors. A [`Privatizer`] replaces every word of a text by a word of
//! the table, drawn by a [`Mechanism`], and returns a [`Release`]. That has the text that may leave the device and the
//! [`Guarantee`] that holds for it. Its account of every token is for the device's eyes only.
//!
//! ```
//! # #[cfg(all(feature = "embedded-table", feature = "normalize"))]
//! # fn main() -> Result<(), textveil::Error> {
//! use textveil::{Disclosure, Mechanism, Privatizer, Table, normalize, release_rng};
//!
//! let table = Table::english()?;
//! let mechanism = Mechanism::new(table.default_mechanism());
//! let privatizer = Privatizer::new(&table, mechanism, Disclosure::default())?;
//! let text = normalize("The doctor was kind.");
//! let release = privatizer.privatize(&text, &mut release_rng(&mut getrandom::SysRng)?)?;
//! println!("{}\n{}", release.text, release.guarantee);
//! # Ok(())
//! # }
//! # #[cfg(not(all(feature = "embedded-table", feature = "normalize")))]
//! # fn main() {}
//! ```
//!
//! The crate does no I/O and knows no global randomness, and no clock but that of a `Pace`. The same table, options and
//! keystream give the same bytes on every platform. `tests/reference/SPEC.md` in the repository fixes them.
//!
//! Results that are only read may get more fields (`#[non_exhaustive]`). A guarantee, its parts and the kinds of tokens name
//! all their cases instead: a program that shows them must not skip a new one.
//!
//! # Features
//! On by default:
//! - `all-mechanisms`: all mechanisms, vectors and reports of choices. Without it there are `nearest`, `certified`, `plateau`
//!   and `exponential`, for words and statements.
//! - `embedded-table`: the English table, 1.7 MB.
//! - `std`: the fastest kernel is chosen when the program runs, and there is `Pace`. Without it the crate needs `alloc` alone.
//!
//! Off by default:
//! - `normalize`: NFKC before a text is split.
//! - `serde`: results as data. `json`: guarantees from JSON and in their short form.
//! - `bulk`: `Bulk`, for the texts of many people on a server.
//! - `insecure-seeded-rng`: draws from a known seed, for tests and research. A known seed undoes every guarantee.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)] // `kernel` says where else
#![warn(missing_debug_implementations)]
// What only the other mechanisms need stays in the source, and the linker leaves it out.
#![cfg_attr(not(feature = "all-mechanisms"), allow(dead_code))]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod deniability;
mod digest;
mod draw;
mod encode;
mod error;
mod lists;
mod mechanism;
mod memory;
mod parameters;
mod privacy;
mod random;
pub mod sampler;
mod statements;
mod table;
mod text;

use digest::sha256;

/// The traits of the generators that the crate takes, in the version that fits.
pub use rand_core;

pub use deniability::{BayesAttacker, Deniability, Gauge, Prior, Spread, Target, TokenDeniability};
pub use digest::Hex;
#[cfg(feature = "bulk")]
pub use draw::bulk::Bulk;
pub use draw::channel::EXPONENT_LIMIT;
pub use draw::drawing::Drawing;
pub use draw::kernel::Kernel;
#[cfg(feature = "std")]
pub use draw::pace::Pace;
pub use draw::privatizer::{Alternative, Alternatives, Privatizer, Release, TokenAccount};
pub use encode::code::{BinaryCode, packed};
#[cfg(feature = "all-mechanisms")]
pub use encode::representation::{Dropout, Representation, Representer, Values};
pub use encode::text::TextEncoder;
#[cfg(feature = "all-mechanisms")]
pub use encode::unary::{Frequencies, Share, Unary};
pub use error::Error;
pub use lists::{ListId, WordLists};
pub use mechanism::{Mechanism, MechanismKind};
pub use memory::{Prepared, ReleaseKey};
pub use parameters::{Calibration, Parameter};
#[cfg(feature = "serde")]
pub use privacy::guarantee::declared::{
    Declared, DeclaredClaim, DeclaredDraw, DeclaredList, DeclaredLosses, DeclaredTerms, Placeholders,
};
#[cfg(feature = "serde")]
pub use privacy::guarantee::restated::{Limits, Misstatement};
pub use privacy::guarantee::{
    Claim, ClaimSource, Facts, Guarantee, InTheClear, Metric, Notion, Probability, RoundedUp, Unit,
};
pub use privacy::ledger::{Budget, Ledger, MAX_SCOPE_BYTES, MAX_SCOPES, Snapshot, Spent};
pub use privacy::levels::{LevelReport, Preset};
#[cfg(feature = "insecure-seeded-rng")]
pub use random::seeded_rng;
pub use random::{ReleaseRng, release_rng};
pub use sampler::multivariate_laplace::lattice_noise;
pub use statements::{Otherwise, Stated, StatementList, StatementRelease, Statements};
pub use table::{Certificate, FileId, Flags, Level, Table, Word, WordClass, WordId};
#[cfg(feature = "normalize")]
pub use text::normalize;
pub use text::{
    Disclosure, Found, MAX_TEXT_BYTES, Offsets, Piece, Reading, Redacted, Span, TokenKind, look_up, spelling,
};
pub use textveil_accounting::{self as account, Loss};
