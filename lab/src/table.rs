//! `textveil table`: tables are built, imported, looked into and measured here.
//!
//! The way of an English table: [`frequency`] and [`vocabulary`] choose the words, [`mod@reference`] places
//! them by meaning ([`wordnet`], [`encoder`]), [`pca`] and [`quantize`] make the vectors small, [`levels`]
//! measures what the mechanisms do on them, [`classify`] says what each word is ([`lexicons`], [`classes`]),
//! and [`writer`] writes the file.

mod build;
mod classes;
mod classify;
mod encoder;
mod evaluate;
mod frequency;
mod import;
mod inspect;
mod levels;
mod lexicons;
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

pub(crate) use writer::check_place;

/// What to do with a table.
#[derive(Subcommand)]
pub(crate) enum TableCommand {
    Build(build::Build),
    Import(Box<import::Import>),
    Inspect(inspect::Inspect),
    Evaluate(evaluate::Evaluate),
}

/// A table of two words and nothing else, for experiments on chosen vectors.
///
/// # Errors
/// The vectors are not finite, or more dimensions than a table has.
#[cfg(test)]
pub(crate) fn two_words(words: [&str; 2], vectors: &ndarray::Array2<f64>) -> Result<textveil::Table> {
    let draft = writer::Draft {
        words: words.map(|word| vocabulary::Flags::none().word(word.to_owned(), 0.0)).into(),
        lattice: quantize::Lattice::nearest(vectors)?,
        levels: Vec::new(),
        classes: None,
        meta: Vec::new(),
    };
    Ok(draft.encode()?.1)
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
