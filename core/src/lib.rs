//! Differential privacy for text, on the device that holds the text.
//!
//! A [`Table`] is a public vocabulary with int8 vectors. A [`Privatizer`] replaces every word of a text by a
//! word of the table, drawn by a [`Mechanism`], and returns a [`Release`]: the text that may leave the
//! device, the [`Guarantee`] that holds for it, and an account of every token for the device's eyes only.
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
//! The crate does no I/O and knows no global randomness, and no clock but that of a `Pace`. The same table,
//! options and keystream give the same bytes on every platform; `tests/reference/SPEC.md` in the repository
//! fixes them.
#![no_std]
#![deny(unsafe_code)] // `kernel` says where else
// What only the other mechanisms need stays in the source, and the linker leaves it out.
#![cfg_attr(not(feature = "all-mechanisms"), allow(dead_code))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod account;
mod bits;
mod bulk;
mod calibration;
mod channel;
mod code;
mod digest;
mod drawing;
mod error;
mod guarantee;
mod kernel;
mod ledger;
mod levels;
mod loss;
mod mechanism;
mod multivariate_laplace;
#[cfg(feature = "std")]
mod pace;
mod parameters;
mod privatizer;
mod random;
#[cfg(feature = "all-mechanisms")]
mod representation;
pub mod sampler;
mod space;
mod table;
mod text;
#[cfg(feature = "all-mechanisms")]
mod unary;
mod weights;

use digest::sha256;

pub use calibration::{BayesAttacker, Deniability, Gauge, Prior, Spread, Target, TokenDeniability};
pub use channel::EXPONENT_LIMIT;
pub use code::{BinaryCode, packed};
pub use drawing::Drawing;
pub use error::Error;
pub use guarantee::{Claim, Facts, Guarantee, InTheClear, Metric, Notion, Probability, RoundedUp, Unit};
pub use kernel::Kernel;
pub use ledger::{Budget, Ledger, MAX_SCOPE_BYTES, MAX_SCOPES, Snapshot, Spent};
pub use levels::LevelReport;
pub use loss::Loss;
pub use mechanism::{Mechanism, MechanismKind};
pub use multivariate_laplace::lattice_noise;
#[cfg(feature = "std")]
pub use pace::Pace;
pub use parameters::{Calibration, Parameter};
pub use privatizer::{Alternative, Alternatives, Privatizer, Release, TokenAccount};
#[cfg(feature = "insecure-seeded-rng")]
pub use random::seeded_rng;
pub use random::{ReleaseRng, release_rng};
#[cfg(feature = "all-mechanisms")]
pub use representation::{Dropout, Representation, Representer, Values};
pub use table::{Certificate, Level, Table, TableId, Word, WordClass, WordId};
#[cfg(feature = "normalize")]
pub use text::normalize;
pub use text::{Disclosure, Found, MAX_TEXT_BYTES, Piece, Reading, TokenKind, look_up};
#[cfg(feature = "all-mechanisms")]
pub use unary::{Frequencies, Share, Unary};
