//! What a file of texts is.

use std::fmt;
use std::path::Path;

use clap::ValueEnum;

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
    /// By what the name ends in.
    pub fn of(path: &Path) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("jsonl" | "ndjson") => Self::Jsonl,
            Some("csv") => Self::Csv,
            Some("tsv") => Self::Tsv,
            Some("parquet" | "pq") => Self::Parquet,
            _ => Self::Lines,
        }
    }
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
