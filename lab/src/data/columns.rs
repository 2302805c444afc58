//! Files with a header: tab-separated without quotes, or comma-separated with them, gzipped or not.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use csv::{ReaderBuilder, StringRecord, Terminator};

/// The rows of a file, and the names of their columns.
#[derive(Debug)]
pub(crate) struct Columns {
    path: PathBuf,
    header: Vec<String>,
    rows: Vec<StringRecord>,
}

impl Columns {
    /// Reads a file: one whose name ends in `.csv` (or `.csv.gz`) has quotes, any other is tab-separated
    /// without, and breaks its lines at line feeds alone.
    ///
    /// # Errors
    /// It cannot be read, is not UTF-8, or a row has more or fewer fields than the header.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let read = || -> Result<Self> {
            let mut format = ReaderBuilder::new();
            let name = path.to_string_lossy().to_lowercase();
            if !name.trim_end_matches(".gz").ends_with(".csv") {
                format.delimiter(b'\t').quoting(false).terminator(Terminator::Any(b'\n'));
            }
            let mut reader = format.from_reader(textveil_toolkit::files::reader(path)?);
            let header = reader.headers()?.iter().map(|name| name.trim_end().to_owned()).collect();
            Ok(Self { path: path.to_owned(), header, rows: reader.into_records().collect::<Result<_, _>>()? })
        };
        read().with_context(|| format!("cannot use {}", path.display()))
    }

    /// The fields of a column, row by row, without white space at their ends.
    ///
    /// # Errors
    /// The file has no such column.
    pub(crate) fn column(&self, name: &str) -> Result<impl Iterator<Item = &str> + use<'_>> {
        let place = self.header.iter().position(|column| column == name).with_context(|| {
            let (path, header) = (self.path.display(), self.header.join(", "));
            format!("cannot use {path}: there is no column \"{name}\" among {header}")
        })?;
        Ok(self.rows.iter().map(move |row| row.get(place).unwrap_or_default().trim_end()))
    }
}
