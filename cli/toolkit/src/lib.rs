//! What textveil's programs share: files, progress, samples and seeds, reports, the options of a mechanism, metrics of
//! text, completions and manuals.
//!
//! This crate knows no command, no experiment, and not how tables are made.

#![warn(clippy::print_stdout)]

pub mod columns;
pub mod exit;
pub mod files;
pub mod format;
pub mod mechanism;
pub mod metrics;
pub mod number;
pub mod progress;
pub mod report;
pub mod sampling;
pub mod seed;
pub mod shell;
pub mod words;
