//! `textveil reproduce`: the papers' tables and figures, computed anew.
//!
//! One module a figure or group of tables. Each gives [`Sheet`]s, and a drawing where a paper has one.

mod channels;
mod mechanisms;
mod ome_figure_3;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

/// Compute a paper's table or figure anew
#[derive(Args)]
pub(crate) struct Reproduce {
    /// What to compute
    what: What,
    /// For channels: the table instead of the built-in English one
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// For channels: how many words of the table, evenly spread; the time grows with their third power
    #[arg(long, value_name = "N")]
    words: Option<usize>,
    /// Write the numbers as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a plot
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// The probabilities of OME against ε and λ: figure 3 of Lyu et al., SIGIR 2020
    #[value(name = "ome-figure-3")]
    OmeFigure3,
    /// What five papers claim for their mechanisms, and what is true
    Mechanisms,
    /// What a share of words kept costs by the shape of the channel: noise, half, tight, flat
    Channels,
}

impl Reproduce {
    pub(crate) fn run(&self) -> Result<()> {
        for path in [&self.json, &self.svg].into_iter().flatten() {
            crate::table::check_place(path)?;
        }
        if !matches!(self.what, What::Channels) {
            ensure!(self.table.is_none() && self.words.is_none(), "--table and --words are for channels alone");
        }
        let (sheets, drawing) = match self.what {
            What::OmeFigure3 => ome_figure_3::compute()?,
            What::Mechanisms => mechanisms::compute()?,
            What::Channels => {
                channels::compute(&crate::table(self.table.as_deref())?, self.words.unwrap_or(channels::WORDS))?
            }
        };
        let mut out = io::stdout().lock();
        for sheet in &sheets {
            sheet.print(&mut out)?;
        }
        let write = |path: &Option<PathBuf>, text: &str| match path {
            Some(path) => fs::write(path, text).with_context(|| format!("cannot write {}", path.display())),
            None => Ok(()),
        };
        let json = Value::from(sheets.iter().map(Sheet::json).collect::<Vec<_>>());
        write(&self.json, &(serde_json::to_string_pretty(&json)? + "\n"))?;
        write(&self.svg, &drawing)
    }
}

/// A table of a paper.
pub(crate) struct Sheet {
    title: String,
    columns: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

/// An entry of a table.
#[derive(Clone)]
pub(crate) enum Cell {
    Text(String),
    Number(f64),
}

impl From<f64> for Cell {
    fn from(x: f64) -> Self {
        Self::Number(x)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Cell {
    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(x) => crate::statement::short(*x),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Number(x) if x.is_finite() => json!(x),
            // JSON has no infinity.
            Self::Number(x) => json!(x.to_string()),
        }
    }
}

impl Sheet {
    pub(crate) fn new(title: impl Into<String>, columns: &[&'static str]) -> Self {
        Self { title: title.into(), columns: columns.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [Cell; N]) {
        self.rows.push(cells.into());
    }

    pub(crate) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let shown: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(Cell::shown).collect()).collect();
        let width = |column: usize| {
            let head = self.columns.get(column).map_or(0, |head| head.chars().count());
            shown.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).fold(head, usize::max)
        };
        let line = |cells: &[String]| {
            let padded =
                cells.iter().enumerate().map(|(column, text)| format!("{text:>width$}", width = width(column)));
            padded.collect::<Vec<_>>().join("  ")
        };
        writeln!(out, "{}\n", self.title)?;
        writeln!(out, "{}", line(&self.columns.iter().map(ToString::to_string).collect::<Vec<_>>()))?;
        for row in &shown {
            writeln!(out, "{}", line(row))?;
        }
        writeln!(out)
    }

    pub(crate) fn json(&self) -> Value {
        let object = |row: &Vec<Cell>| {
            let entries = self.columns.iter().zip(row);
            Value::Object(entries.map(|(column, cell)| ((*column).to_owned(), cell.json())).collect::<Map<_, _>>())
        };
        json!({ "title": self.title, "rows": self.rows.iter().map(object).collect::<Vec<_>>() })
    }
}
