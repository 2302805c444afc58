//! The public space in which contexts are read, and the map from mean contexts to vectors.

use std::fs;
use std::io::BufRead;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ndarray::{Array2, s};
use serde::{Deserialize, Serialize};
use textveil::{Piece, Table, TokenKind, normalize, spelling};
use textveil_contribute::{Contributor, MEAN_UNIT, Noise, Request, Terms, Token};

use crate::least_squares;
use crate::rows::{mean_row, unit_rows};

/// The most frequent words of a public text say little about how contexts and vectors agree.
const SKIPPED: usize = 300;
/// Words that the map is fitted on, at most and at least.
const FITTED: usize = 2700;
const LEAST: usize = 200;
/// How often a word must stand in the public text.
const OFTEN: u32 = 20;
/// A tenth of the words at a time is read as new words are: not as a part of contexts.
const FOLDS: usize = 10;
/// The ridge's penalty.
const PENALTY: f64 = 0.5;
/// Words of a public text that are read at once.
const CHUNK: usize = 1000;
/// Words at which the mean of their own contexts counts as much as that of public text.
const OWN_MEAN: f64 = 20.0;

/// What is public about contexts in the vectors of a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    /// The identity of the table.
    pub table: String,
    /// Words before and after a word that are its context.
    pub window: u32,
    /// The mean context of public text, in 1/[`MEAN_UNIT`]: a number for each dimension.
    pub mean: Vec<i32>,
    /// A row for each dimension and one more, times the dimensions: from a mean context and 1 to a direction.
    map: Vec<Vec<f32>>,
    /// The point around which directions are, in lattice steps.
    pub(super) centre: Vec<f32>,
    /// How far the words lie from it on average, in lattice steps.
    pub(super) length: f32,
    /// Where the public text comes from.
    pub source: String,
}

impl Space {
    /// The space of the built-in text encoder.
    ///
    /// # Errors
    /// Never in a build that passes its tests.
    pub fn english() -> Result<Self> {
        Ok(serde_json::from_str(include_str!("../../data/english-contexts.json"))?)
    }

    /// Reads what [`Self::write`] has written.
    ///
    /// # Errors
    /// The file cannot be read, or is invalid.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let space: Self = serde_json::from_str(&text).with_context(|| format!("{} has no contexts", path.display()))?;
        let dims = space.mean.len();
        let fits =
            space.centre.len() == dims && space.map.len() == dims + 1 && space.map.iter().all(|row| row.len() == dims);
        ensure!(fits && dims > 0, "{}: the numbers do not agree on the dimensions", path.display());
        Ok(space)
    }

    /// Writes it as JSON.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string(self)? + "\n";
        textveil_toolkit::files::replace(path, text.as_bytes())
    }

    /// Fits the map on public text of the language of the table.
    ///
    /// # Errors
    /// The text cannot be read, or has too few of the table's words; `dims` or `window` is out of range.
    pub fn fit(table: &Table, dims: usize, window: u32, text: &mut dyn BufRead, source: &str) -> Result<Self> {
        ensure!((1..=table.dims()).contains(&dims), "the table has {} dimensions, not {dims}", table.dims());
        let texts = rows_of(table, text)?;
        let words = fitted(table, &texts)?;
        let contexts = mean_contexts(table, dims, window, &texts, &words)?;
        let mean = mean_row(&contexts);
        let mut features = Array2::ones((contexts.nrows(), dims + 1));
        features.slice_mut(s![.., ..dims]).assign(&contexts);
        for mut row in features.rows_mut() {
            row.iter_mut().zip(&mean).for_each(|(x, mean)| *x -= mean);
        }
        let vectors: Vec<Vec<i8>> = words.iter().filter_map(|row| Some(table.vector(table.row(*row)?))).collect();
        let mut wanted = Array2::from_shape_fn((vectors.len(), dims), |(i, j)| f64::from(vectors[i][j]));
        let centre = mean_row(&wanted);
        for mut row in wanted.rows_mut() {
            row.iter_mut().zip(&centre).for_each(|(x, centre)| *x -= centre);
        }
        let lengths: f64 = wanted.rows().into_iter().map(|row| row.iter().map(|x| x * x).sum::<f64>().sqrt()).sum();
        let length = (lengths / vectors.len() as f64) as f32;
        unit_rows(&mut wanted);
        let map = least_squares::fit(&features, &wanted, PENALTY);
        Ok(Self {
            table: table.id().to_string(),
            window,
            mean: mean.iter().map(|x| (x * f64::from(MEAN_UNIT)).round() as i32).collect(),
            map: map.rows().into_iter().map(|row| row.iter().map(|x| *x as f32).collect()).collect(),
            centre: centre.iter().map(|x| *x as f32).collect(),
            length,
            source: source.to_owned(),
        })
    }

    /// The direction of a vector in lattice steps around the mean of the vectors, of length 1.
    #[must_use]
    pub fn direction_of(&self, vector: impl Iterator<Item = f64>) -> Vec<f64> {
        let around: Vec<f64> = vector.zip(&self.centre).map(|(x, centre)| x - f64::from(*centre)).collect();
        let length = around.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        around.into_iter().map(|x| x / length).collect()
    }

    /// The direction of each word around the mean of the vectors, of length 1, from the noisy sum: a row a word. A word without any
    /// context has zeros.
    #[must_use]
    pub fn directions(&self, sum: &[i64]) -> Array2<f64> {
        let dims = self.mean.len();
        let count = sum.len() / dims.max(1);
        let mut contexts = Array2::from_shape_fn((count, dims), |(i, j)| sum[i * dims + j] as f64);
        unit_rows(&mut contexts);
        let own = count as f64 / (count as f64 + OWN_MEAN);
        let mean = mean_row(&contexts);
        let map = |j: usize, k: usize| f64::from(self.map[j][k]);
        let mut directions = Array2::from_shape_fn((count, dims), |(i, k)| {
            let along: f64 = (0..dims).map(|j| (contexts[[i, j]] - own * mean[j]) * map(j, k)).sum();
            along + map(dims, k)
        });
        unit_rows(&mut directions);
        for (mut direction, context) in directions.rows_mut().into_iter().zip(contexts.rows()) {
            if context.iter().all(|x| *x == 0.0) {
                direction.fill(0.0);
            }
        }
        directions
    }
}

/// The rows of the words of a text, none for a word that the table lacks, in pieces.
fn rows_of(table: &Table, text: &mut dyn BufRead) -> Result<Vec<Vec<Option<usize>>>> {
    let mut texts = Vec::new();
    for line in text.lines() {
        let line = line.context("the public text is not UTF-8")?;
        let words: Vec<&str> = line.split_whitespace().collect();
        for chunk in words.chunks(CHUNK) {
            let pieces = Piece::split(&normalize(&chunk.join(" "))).context("a word of the public text is too long")?;
            let tokens = pieces.into_iter().filter_map(|piece| match piece {
                Piece::Token { kind: TokenKind::Word, text } => Some(table.find(&spelling(&text)).map(|id| id.row())),
                Piece::Token { .. } => Some(None),
                Piece::Layout(_) => None,
            });
            texts.push(tokens.collect());
        }
    }
    Ok(texts)
}

/// The rows of the words to fit on, ascending.
fn fitted(table: &Table, texts: &[Vec<Option<usize>>]) -> Result<Vec<usize>> {
    let mut counts = vec![0_u32; table.len()];
    texts.iter().flatten().flatten().for_each(|row| counts[*row] += 1);
    let mut rows: Vec<usize> = (0..table.len()).filter(|row| counts[*row] >= OFTEN).collect();
    rows.sort_unstable_by_key(|row| (std::cmp::Reverse(counts[*row]), *row));
    let mut rows: Vec<usize> = rows.into_iter().skip(SKIPPED).take(FITTED).collect();
    ensure!(
        rows.len() >= LEAST,
        "the public text has {} words of the table {OFTEN} times or more: {} are needed",
        rows.len() + SKIPPED.min(counts.iter().filter(|count| **count >= OFTEN).count()),
        LEAST + SKIPPED
    );
    rows.sort_unstable();
    Ok(rows)
}

/// The directions of the words' contexts in the texts: a row a word.
fn mean_contexts(
    table: &Table,
    dims: usize,
    window: u32,
    texts: &[Vec<Option<usize>>],
    words: &[usize],
) -> Result<Array2<f64>> {
    let mut contexts = Array2::zeros((words.len(), dims));
    for fold in 0..FOLDS {
        let fold: Vec<(usize, usize)> = words.iter().copied().enumerate().skip(fold).step_by(FOLDS).collect();
        let names = fold.iter().filter_map(|(_, row)| Some(table.word(table.row(*row)?).to_string()));
        let terms = Terms {
            table: table.id().to_string(),
            dims: dims as u32,
            window,
            mean: vec![0; dims],
            words: names.collect(),
            words_each: u32::MAX,
            norm: super::NORM,
            noise: Noise::Sum,
            epsilon: 1.0,
            delta: 0.5,
        };
        let reader = Contributor::new(Request::new(terms)?, table.clone())?;
        let known: Vec<Token> = (0..table.len()).map(|row| table.row(row).map_or(Token::Other, Token::Known)).collect();
        let mut tokens = known;
        fold.iter().enumerate().for_each(|(number, (_, row))| tokens[*row] = Token::New(number));
        let mut gathered = reader.gathered();
        for text in texts {
            let text: Vec<Token> = text.iter().map(|row| row.map_or(Token::Other, |row| tokens[row])).collect();
            reader.read_tokens(&text, &mut gathered);
        }
        for (number, sum) in gathered.sums() {
            contexts.row_mut(fold[number].0).iter_mut().zip(sum).for_each(|(to, x)| *to = *x);
        }
    }
    unit_rows(&mut contexts);
    Ok(contexts)
}
