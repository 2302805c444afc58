//! Releases in a column of CSV, TSV or Parquet.

use std::fmt;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use textveil_bulk::csv::{self, Dialect};
use textveil_bulk::parquet::Input;
use textveil_toolkit::columns::missing;
use textveil_toolkit::files::{digest_of, open};
use textveil_toolkit::format::Format;

use super::{Place, Rows, Wanted};
use crate::serve::submission::TEXT;

/// What is not known of a table without a guarantee.
#[derive(Debug)]
struct Bare {
    name: String,
    /// No row of a table has a guarantee of its own.
    lacks_guarantee: bool,
    lacks_field: bool,
    /// The names of its columns. It is empty for CSV and TSV: without a header, the first row is somebody's text.
    columns: Vec<String>,
}

impl fmt::Display for Bare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, lacks_guarantee, lacks_field, columns } = self;
        write!(f, "{name}: ")?;
        if *lacks_guarantee {
            let missing = format!("there is no {name}.guarantee.json, which `textveil privatize` writes");
            write!(f, "the releases have no guarantee: {missing}. Name the file that states it by --guarantee")?;
        }
        if *lacks_field {
            let between = if *lacks_guarantee { ". And it" } else { "it" };
            write!(f, "{between} has no column \"{TEXT}\": name the column with the releases by --field")?;
        }
        if columns.is_empty() { Ok(()) } else { write!(f, ". Columns: {}", columns.join(", ")) }
    }
}

impl std::error::Error for Bare {}

/// Whether a table without a guarantee can be read.
///
/// # Errors
/// It needs one. Or it has no column "text", and the user names no column.
pub(super) fn check(path: &Path, parquet: Option<&Input>, name: &str, wanted: &Wanted) -> Result<()> {
    let dialect = match Format::of(path) {
        Format::Csv => Some(Dialect::CSV),
        Format::Tsv => Some(Dialect::TSV),
        _ => None,
    };
    let columns: Vec<String> = match (parquet, dialect) {
        (Some(parquet), _) => parquet.names().map(str::to_owned).collect(),
        (None, Some(dialect)) if path.is_file() => csv::names(open(path)?, name, dialect)?,
        _ => return Ok(()),
    };
    let lacks_field = wanted.releases.field.is_none() && !columns.iter().any(|column| column == TEXT);
    let columns = if parquet.is_some() { columns } else { Vec::new() };
    ensure!(
        !wanted.needs_guarantee && !lacks_field,
        Bare { name: name.to_owned(), lacks_guarantee: wanted.needs_guarantee, lacks_field, columns }
    );
    Ok(())
}

/// # Errors
/// A column of `asked` is not among these. `is_header` says whether they are known to be names, and no text of a row.
fn find(name: &str, asked: &[String], columns: &[String], is_header: bool) -> Result<()> {
    match asked.iter().find(|column| !columns.contains(column)) {
        Some(column) if is_header => bail!("{name} has no column \"{column}\". It has: {}", columns.join(", ")),
        Some(column) => Err(missing(name, column, columns.iter().map(String::as_str), "")),
        None => Ok(()),
    }
}

/// Reports the rows of CSV or TSV, which the guarantee of the file may state to be written in another way. Returns the digest
/// of the file.
///
/// # Errors
/// As [`csv::each`], and those of the rows.
pub(super) fn csv(path: &Path, (format, stated): (Format, Option<Dialect>), rows: &mut Rows<'_>) -> Result<String> {
    let usual = if format == Format::Tsv { Dialect::TSV } else { Dialect::CSV };
    let dialect = stated.unwrap_or(usual);
    let columns = rows.columns();
    // A pipe is read once. One column may be several, with another delimiter, which `csv::each` says.
    let names =
        if dialect.header && path.is_file() { csv::names(open(path)?, rows.name, dialect)? } else { Vec::new() };
    if names.len() > 1 {
        // A guarantee of other releases would not make names of a first row.
        let is_header = !rows.released.is_empty() && rows.released.iter().all(|released| names.contains(released));
        find(rows.name, &columns, &names, is_header)?;
    }
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
    let names: Vec<String> = input.names().map(str::to_owned).collect();
    find(rows.name, &columns, &names, true)?;
    input.each(rows.name, &columns, &mut |row, cells| rows.cells(Place::Row(row), cells))?;
    digest_of(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_known_to_be_columns_are_shown() {
        let told = |columns: &[&str]| {
            let columns = columns.iter().map(|column| (*column).to_owned()).collect();
            let bare = Bare { name: "a.parquet".to_owned(), lacks_guarantee: false, lacks_field: true, columns };
            bare.to_string()
        };
        let refused = "a.parquet: it has no column \"text\": name the column with the releases by --field";
        assert_eq!(told(&[]), refused);
        assert_eq!(told(&["review", "stars"]), format!("{refused}. Columns: review, stars"));
    }
}
