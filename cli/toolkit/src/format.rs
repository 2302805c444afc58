//! What a file of texts is.

use std::fmt;
use std::path::Path;

use anyhow::{Result, ensure};
use clap::ValueEnum;

/// What to do with a file that is no plain lines, where nothing else is read.
pub const ONE_A_LINE: &str = "write its texts to a file, one a line";

/// How a file holds texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A text a line
    Lines,
    /// An object a line
    Jsonl,
    /// Comma-separated, with quotes
    Csv,
    /// Tab-separated, without quotes: one stands for itself
    Tsv,
    /// Columns, compressed
    Parquet,
}

impl Format {
    /// Whether a name ends as that of a workbook or a document, which are neither read nor written.
    pub fn is_of_office(path: &Path) -> bool {
        const ENDINGS: [&str; 8] = ["doc", "docx", "numbers", "ods", "odt", "pdf", "xls", "xlsx"];
        ends_in(path, &ENDINGS)
    }

    /// Whether a name ends as that of a compressed file. Parquet compresses within.
    pub fn is_compressed(path: &Path) -> bool {
        const ENDINGS: [&str; 6] = ["bz2", "gz", "lz4", "xz", "zip", "zst"];
        ends_in(path, &ENDINGS)
    }

    /// Whether a name ends as that of JSON, which may be JSON lines.
    pub fn is_json(path: &Path) -> bool {
        ends_in(path, &["json"])
    }

    /// Refuses a file that is read as plain lines, if its name says that it is something else. `way` says what to do instead.
    ///
    /// # Errors
    /// The name ends as that of CSV, TSV, JSON lines or Parquet.
    pub fn check_lines(path: &Path, way: &str) -> Result<()> {
        let format = Self::of(path);
        ensure!(format == Self::Lines, "{} is {format}, not plain lines: {way}", path.display());
        Ok(())
    }

    /// By what the name ends in.
    pub fn of(path: &Path) -> Self {
        match path {
            _ if ends_in(path, &["jsonl", "ndjson"]) => Self::Jsonl,
            _ if ends_in(path, &["csv"]) => Self::Csv,
            _ if ends_in(path, &["tsv"]) => Self::Tsv,
            _ if ends_in(path, &["parquet", "pq"]) => Self::Parquet,
            _ => Self::Lines,
        }
    }
}

fn ends_in(path: &Path, endings: &[&str]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| endings.iter().any(|ending| extension.eq_ignore_ascii_case(ending)))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lines => "lines",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
        })
    }
}
