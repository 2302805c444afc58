//! Reading the table or the text encoder that an option names.

use std::path::Path;

use anyhow::{Context, Result};
use textveil::{Table, TextEncoder};

/// Reads a table file, or the built-in English table without one.
pub fn load(path: Option<&Path>) -> Result<Table> {
    let Some(path) = path else { return Ok(Table::english()?) };
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Table::parse(bytes).with_context(|| path.display().to_string())
}

/// Reads a text encoder, or the English one that is built in without a file.
///
/// # Errors
/// The file cannot be read, or is no text encoder.
pub fn text_encoder(path: Option<&Path>) -> Result<TextEncoder> {
    let Some(path) = path else {
        let english = Table::parse(include_bytes!("../data/english-text.tvt").as_slice())?;
        return Ok(TextEncoder::new(english)?);
    };
    TextEncoder::new(load(Some(path))?).with_context(|| format!("{} is no text encoder", path.display()))
}
