//! Reading the table that an option names.

use std::path::Path;

use anyhow::{Context, Result};
use textveil::Table;

/// Reads a table file, or the built-in English table without one.
pub fn load(path: Option<&Path>) -> Result<Table> {
    let Some(path) = path else { return Ok(Table::english()?) };
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Table::parse(bytes).with_context(|| path.display().to_string())
}
