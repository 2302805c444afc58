//! Tables: built, imported, certified and measured.
//!
//! The way of an English table:
//! 1. `frequency` and `vocabulary` choose the words;
//! 2. `reference` places them by meaning (`wordnet`, `encoder`);
//! 3. `targets` says which words are good replacements for each (`wordnet`, `polarity`);
//! 4. `fit` moves the words, from their principal axes (`pca`), until the mechanism puts out those;
//!    `apart` and `quantize` round them to the lattice;
//! 5. `levels` measures what the mechanisms do there;
//! 6. `classify` says what each word is (`lexicons`, `classes`), and `writer` writes the file.
//!
//! `build` does all of that. `mark` marks the words of a finished table that are offered, that are names and that are
//! inflected (`marks`, `forms`). `import` makes a table of vectors that others have trained. `certify` adds channels
//! whose loss is computed over all pairs of words.

#![warn(clippy::print_stdout)]

mod apart;
mod build;
mod certify;
mod classes;
mod classify;
mod cosines;
mod distill;
pub mod embedding;
mod encoder;
pub mod extend;
mod fit;
mod forms;
mod frequency;
mod import;
mod lattice;
mod least_squares;
mod levels;
mod lexicons;
mod linear;
mod load;
mod mark;
mod marks;
pub mod medoids;
mod odds;
mod pca;
mod polarity;
mod project;
mod quantize;
mod record;
mod reference;
mod replacements;
mod rows;
mod targets;
mod toy;
mod vectors;
mod vocabulary;
mod wordnet;
mod wordpiece;
mod writer;

use anyhow::Result;
use ndarray::Array2;
use textveil::{Table, WordId};

pub use build::{Built, English};
pub use certify::{Certification, Channels, Cutoff};
pub use distill::{Distillation, Distilled, general_sentences};
pub use encoder::Encoder;
pub use import::{Format, Import, Imported, WordFrequencies, read_vectors};
pub use lattice::{lattice_rows, lattice_vectors, squared_distances};
pub use least_squares::fit as least_squares;
pub use levels::{drawn_from, noise_that_keeps, words_to_release};
pub use load::{load, text_encoder};
pub use mark::mark;
pub use odds::{Odds, odds};
pub use pca::Axes;
pub use project::{axes_across_mean, project};
pub use replacements::{Replacements, measure as measure_replacements};
pub use rows::unit_rows;
pub use toy::{example, two_words};
pub use vectors::Vectors;
pub use wordpiece::WordPiece;
pub use writer::in_words;

/// Some words of a table, ascending, with their vectors, and nothing else.
///
/// # Errors
/// There are no words, or they do not ascend.
pub fn part(table: &Table, words: &[WordId]) -> Result<Table> {
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

/// A table of words, ascending, with their vectors scaled to length 1, and nothing else.
///
/// # Errors
/// The words do not ascend, or their vectors make no lattice.
pub fn of_vectors(vectors: &Vectors) -> Result<Table> {
    let mut rows = vectors.rows.clone();
    unit_rows(&mut rows);
    bare(vectors.words.iter().cloned(), &rows)
}

/// A table of words, ascending, with their vectors as they are, and nothing else.
///
/// # Errors
/// The words do not ascend, or their vectors make no lattice.
pub fn bare(words: impl Iterator<Item = String>, vectors: &Array2<f64>) -> Result<Table> {
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
