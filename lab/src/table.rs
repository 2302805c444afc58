//! `textveil table`: tables are built, imported, looked into and measured here.
//!
//! The way of an English table:
//! 1. [`frequency`] and [`vocabulary`] choose the words;
//! 2. [`mod@reference`] places them by meaning ([`wordnet`], [`encoder`]);
//! 3. [`targets`] says which words are good replacements for each ([`wordnet`], [`polarity`]);
//! 4. [`fit`] moves the words, from their principal axes ([`pca`]), until the mechanism puts out those;
//!    [`apart`] and [`quantize`] round them to the lattice;
//! 5. [`levels`] measures what the mechanisms do there;
//! 6. [`classify`] says what each word is ([`lexicons`], [`classes`]), and [`writer`] writes the file.

mod apart;
mod build;
mod certify;
mod classes;
mod classify;
mod cosines;
pub(crate) mod embedding;
mod encoder;
mod evaluate;
mod fit;
mod frequency;
mod import;
mod inspect;
mod lattice;
mod levels;
mod lexicons;
mod linear;
mod load;
mod odds;
mod pca;
mod polarity;
mod quantize;
mod record;
mod reference;
mod replacements;
mod rows;
mod targets;
mod vectors;
mod vocabulary;
mod wordnet;
mod wordpiece;
mod writer;

use anyhow::Result;
use clap::Subcommand;
use ndarray::Array2;
use textveil::{Table, WordId};

pub(crate) use encoder::Encoder;
pub(crate) use import::read_vectors;
pub(crate) use lattice::{lattice_rows, lattice_vectors, squared_distances};
pub(crate) use levels::{drawn_from, noise_that_keeps, words_to_release};
pub(crate) use load::load;
pub(crate) use pca::Axes;
pub(crate) use rows::unit_rows;
pub(crate) use vectors::Vectors;

/// What to do with a table.
#[derive(Subcommand)]
pub(crate) enum TableCommand {
    Build(build::Build),
    Import(Box<import::Import>),
    Inspect(inspect::Inspect),
    Certify(certify::Certify),
    Evaluate(evaluate::Evaluate),
}

/// Some words of a table, ascending, with their vectors, and nothing else.
///
/// # Errors
/// There are none, or they do not ascend.
pub(crate) fn part(table: &Table, words: &[WordId]) -> Result<Table> {
    let flags = vocabulary::Flags::none();
    let rows = words.iter().flat_map(|word| table.vector(*word)).collect();
    let draft = writer::Draft {
        words: words.iter().map(|word| flags.word(table.word(*word).to_string(), table.zipf(*word))).collect(),
        lattice: quantize::Lattice {
            rows: Array2::from_shape_vec((words.len(), table.dims()), rows)?,
            scale: table.scale(),
            moved: 0,
        },
        levels: Vec::new(),
        classes: None,
        meta: Vec::new(),
    };
    Ok(draft.encode()?.1)
}

/// A table for experiments on words whose meaning does not matter.
#[cfg(test)]
pub(crate) fn example(rows: usize, dims: usize) -> Table {
    writer::tests::example(rows, dims).encode().expect("a good draft").1
}

/// A table of words, ascending, with their vectors scaled to length 1, and nothing else.
///
/// # Errors
/// The words do not ascend, or their vectors make no lattice.
pub(crate) fn of_vectors(vectors: &Vectors) -> Result<Table> {
    let mut rows = vectors.rows.clone();
    unit_rows(&mut rows);
    bare(vectors.words.iter().cloned(), &rows)
}

/// A table of two words and nothing else, for experiments on chosen vectors.
///
/// # Errors
/// The vectors are not finite, or more dimensions than a table has.
#[cfg(test)]
pub(crate) fn two_words(words: [&str; 2], vectors: &Array2<f64>) -> Result<Table> {
    bare(words.map(str::to_owned).into_iter(), vectors)
}

fn bare(words: impl Iterator<Item = String>, vectors: &Array2<f64>) -> Result<Table> {
    let flags = vocabulary::Flags::none();
    let draft = writer::Draft {
        words: words.map(|word| flags.word(word, 0.0)).collect(),
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
            Self::Certify(certify) => certify.run(),
            Self::Evaluate(evaluate) => evaluate.run(),
        }
    }
}
