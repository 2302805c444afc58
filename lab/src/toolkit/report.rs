//! How results are shown: numbers in words, tables of means, plots, the style of pages.

mod mean;
pub(crate) mod numbers;
pub(crate) mod plot;
mod sheet;

pub(crate) use mean::Mean;
pub(crate) use sheet::{Cell, Sheet};

/// The style that all pages share, in CSS.
pub(crate) const STYLE: &str = include_str!("report/page.css");
