//! How releases are read, the same for training and for predicting.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use textveil::DeclaredDraw;

use super::guarantee::parse;

#[derive(Args)]
pub(super) struct Options {
    /// The field with the release: a text whose guarantee is in NAME-guarantee, as forms send it, or an object with
    /// text, vectors or bits, and guarantee; without it, each line is such an object
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
    /// The guarantee of lines that have none of their own, as `textveil privatize` writes it; without it, FILE.guarantee.json
    /// beside each FILE, if there is one
    #[arg(long, value_name = "FILE")]
    guarantee: Option<PathBuf>,
    /// Take lines that were drawn unlike each other, or from another table; what is stated is the weakest
    #[arg(long)]
    pub(super) allow_mixed: bool,
    /// Take lines without a guarantee; nothing is promised then
    #[arg(long)]
    pub(super) without_guarantee: bool,
    /// The table that texts are read by, instead of the built-in English table
    #[arg(long, value_name = "FILE")]
    pub(super) table: Option<PathBuf>,
}

/// Where the releases of a file are, and what holds for those that do not say.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) field: Option<String>,
    pub(super) declared: Option<DeclaredDraw>,
    pub(super) is_seeded: bool,
    /// The most rows that the statement is about.
    pub(super) rows: Option<u64>,
}

/// What `textveil privatize` states of a file's columns.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Statement {
    guarantee: Value,
    columns: Vec<String>,
    rows: u64,
    #[serde(default)]
    insecure_seed: bool,
}

impl Options {
    /// # Errors
    /// A statement that cannot be read, or that is not about the field.
    pub(super) fn reading(&self, data: &Path) -> Result<Reading> {
        let mut beside = data.to_owned().into_os_string();
        beside.push(".guarantee.json");
        let beside = Some(PathBuf::from(beside)).filter(|path| path.is_file());
        let Some(path) = self.guarantee.clone().or(beside) else {
            return Ok(Reading { field: self.field.clone(), declared: None, is_seeded: false, rows: None });
        };
        self.stated(&path).with_context(|| path.display().to_string())
    }

    fn stated(&self, path: &Path) -> Result<Reading> {
        let bytes = fs::read(path).context("cannot be read")?;
        let statement: Statement =
            serde_json::from_slice(&bytes).map_err(|_| anyhow!("not a statement of `textveil privatize`"))?;
        let columns = &statement.columns;
        let field = match (&self.field, columns.as_slice()) {
            (Some(field), _) => field,
            (None, [column]) => column,
            (None, _) => anyhow::bail!("it is about the columns {}: name one by --field", columns.join(", ")),
        };
        ensure!(columns.contains(field), "\"{field}\" is not among the columns that were released: it is in clear");
        Ok(Reading {
            field: Some(field.clone()),
            declared: Some(parse(&statement.guarantee)?),
            is_seeded: statement.insecure_seed,
            rows: Some(statement.rows),
        })
    }
}
