//! How results are shown: numbers in words, tables of means, plots, the style of pages.

mod mean;
pub mod numbers;
pub mod plot;
mod sheet;

pub use mean::{Mean, Printed};
pub use sheet::{Cell, Sheet};

/// The style that all pages share, in CSS.
pub const STYLE: &str = include_str!("report/page.css");
