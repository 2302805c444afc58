//! Releases in a column of CSV, TSV or Parquet.

use std::path::Path;

use anyhow::Result;
use textveil_bulk::csv::{self, Dialect};
use textveil_bulk::parquet::Input;
use textveil_toolkit::files::{digest_of, open};
use textveil_toolkit::format::Format;

use super::{Place, Rows};

/// Reports the rows of CSV or TSV. Returns the digest of the file.
///
/// # Errors
/// As [`csv::each`], and those of the rows.
pub(super) fn csv(path: &Path, format: Format, rows: &mut Rows<'_>) -> Result<String> {
    let dialect = if format == Format::Tsv { Dialect::TSV } else { Dialect::CSV };
    let columns = rows.columns();
    csv::each(open(path)?, rows.name, dialect, &columns, &mut |line, cells| {
        rows.cells(Place::Record(line), cells.into_iter().map(|cell| Some(cell.to_owned())))
    })?;
    digest_of(path)
}

/// Reports the rows of a Parquet file. Returns the digest of the file.
///
/// # Errors
/// As [`Input::each`], and those of the rows.
pub(super) fn parquet(input: &Input, path: &Path, rows: &mut Rows<'_>) -> Result<String> {
    let columns = rows.columns();
    input.each(rows.name, &columns, &mut |row, cells| rows.cells(Place::Row(row), cells))?;
    digest_of(path)
}
