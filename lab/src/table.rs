//! `textveil table`: tables are built, imported, looked into and measured here.
//!
//! The way of an English table: [`frequency`] and [`vocabulary`] choose the words, [`mod@reference`] places
//! them by meaning ([`wordnet`], [`encoder`]), [`pca`] and [`quantize`] make the vectors small, [`levels`]
//! measures what the mechanisms do on them, and [`writer`] writes the file.

mod build;
mod encoder;
mod evaluate;
mod frequency;
mod import;
mod inspect;
mod levels;
mod linear;
mod pca;
mod quantize;
mod record;
mod reference;
mod rows;
mod vectors;
mod vocabulary;
mod wordnet;
mod wordpiece;
mod writer;

use anyhow::Result;
use clap::Subcommand;

/// What to do with a table.
#[derive(Subcommand)]
pub(crate) enum TableCommand {
    Build(build::Build),
    Import(Box<import::Import>),
    Inspect(inspect::Inspect),
    Evaluate(evaluate::Evaluate),
}

impl TableCommand {
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Build(build) => build.run(),
            Self::Import(import) => import.run(),
            Self::Inspect(inspect) => inspect.run(),
            Self::Evaluate(evaluate) => evaluate.run(),
        }
    }
}
