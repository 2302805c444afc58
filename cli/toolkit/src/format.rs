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
    /// Whether a name ends as that of a workbook or a document, which are neither read nor written.
    pub fn is_of_office(path: &Path) -> bool {
        const ENDINGS: [&str; 8] = ["doc", "docx", "numbers", "ods", "odt", "pdf", "xls", "xlsx"];
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        extension.is_some_and(|extension| ENDINGS.contains(&&*extension))
    }

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
