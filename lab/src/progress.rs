//! Progress of long work, on standard error when that is a terminal.

use std::borrow::Cow;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for `length` steps.
pub(crate) fn bar(what: impl Into<Cow<'static, str>>, length: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:16} {wide_bar} {pos}/{len} {eta:>4}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length as u64).with_style(style).with_message(what)
}

/// A bar for `size` bytes of input, a count without one.
pub(crate) fn bytes(size: Option<u64>) -> ProgressBar {
    let (bar, template) = match size {
        Some(size) => (ProgressBar::new(size), "{wide_bar} {bytes}/{total_bytes} {eta:>4}"),
        None => (ProgressBar::new_spinner(), "{spinner} {bytes}"),
    };
    bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
}
