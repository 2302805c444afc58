//! Texts as words that have a vector.

use anyhow::{Context, Result};
use rayon::prelude::*;
use textveil::{Piece, Table, TokenKind, WordId, normalize};

use super::released::Program;
use super::{GLOVE, SETS, WORD2VEC};
use crate::reproduce::run::Run;
use textveil_tables::embedding::Space;
use textveil_toolkit::sampling::stratified;

/// Words of a text, at most.
const LONGEST: usize = 64;

/// Word vectors, and what draws from them.
pub(super) struct Embedding {
    /// In keys and tables.
    pub(super) name: &'static str,
    /// At length 1, on the lattice.
    pub(super) table: Table,
    pub(super) space: Space,
    /// The authors' program on the vectors as they were trained; none on the SDK's own table.
    pub(super) program: Option<Program>,
}

/// The vectors of the papers' data sets, and last the built-in table; without word2vec in a quick run.
///
/// # Errors
/// They cannot be read.
pub(super) fn embeddings(run: &Run<'_>) -> Result<Vec<Embedding>> {
    let names: &[&'static str] = if run.is_quick() { &[GLOVE] } else { &[GLOVE, WORD2VEC] };
    let trained = |name: &&'static str| -> Result<Embedding> {
        let vectors = run.vectors(name)?;
        let table = textveil_tables::of_vectors(&vectors)?;
        let space = Space::of_table(&table);
        Ok(Embedding { name, table, space, program: Some(Program::of(&vectors.rows)) })
    };
    let mut all = names.iter().map(trained).collect::<Result<Vec<_>>>()?;
    let table = run.table()?;
    all.push(Embedding { name: "built-in", space: Space::of_table(&table), table, program: None });
    Ok(all)
}

/// Classes of each set.
pub(super) const CLASSES: usize = 2;

/// The class of a label: of five stars, one or two against four or five, without three; else the label itself.
fn class(labels: usize, label: usize) -> Option<usize> {
    match (labels, label) {
        (5, 2) => None,
        (5, stars) => Some(usize::from(stars > 2)),
        _ => Some(label),
    }
}

/// A text and its class.
type Labelled<'a> = (&'a str, usize);

/// Texts and their labels.
pub(super) struct Split {
    /// No text without words.
    pub(super) texts: Vec<Vec<WordId>>,
    pub(super) labels: Vec<usize>,
}

/// A set as one embedding reads it.
pub(super) struct EmbeddedSet<'a> {
    /// The set's name.
    pub(super) set: &'static str,
    pub(super) embedding: &'a Embedding,
    pub(super) train: Split,
    pub(super) test: Split,
    /// The share of the words of texts to test on that have a vector.
    pub(super) covered: f64,
}

impl<'a> EmbeddedSet<'a> {
    /// Every set by every embedding, with at most the same number of texts of each part.
    ///
    /// # Errors
    /// A set cannot be read, or a text is too long.
    pub(super) fn all(run: &Run<'_>, embeddings: &'a [Embedding], most: [usize; 2]) -> Result<Vec<Self>> {
        let mut all = Vec::new();
        for name in SETS {
            let set = run.set(name)?;
            let [train, test] = [(&set.train, "train"), (&set.test, "test")].map(|(examples, part)| {
                let all = examples
                    .iter()
                    .filter_map(|example| Some((&*example.text, class(set.labels.len(), example.label)?)));
                let (texts, labels): (Vec<&str>, Vec<usize>) = all.unzip();
                let count = most[usize::from(part == "test")];
                let chosen = stratified(&labels, count, run.seed(&format!("{name}/{part}")));
                chosen.into_iter().map(|place| (texts[place], labels[place])).collect::<Vec<_>>()
            });
            for embedding in embeddings {
                all.push(Self::of(name, embedding, [&train, &test]).context(name)?);
            }
        }
        Ok(all)
    }

    fn of(set: &'static str, embedding: &'a Embedding, [train, test]: [&[Labelled<'_>]; 2]) -> Result<Self> {
        let ((train, _), (test, covered)) = (split(&embedding.table, train)?, split(&embedding.table, test)?);
        Ok(Self { set, embedding, train, test, covered })
    }

    /// "yelp_full5, glove_50d".
    pub(super) fn title(&self) -> String {
        format!("{}, {}", self.set, self.embedding.name)
    }

    /// The words of a text, spaces between.
    pub(super) fn joined(&self, words: &[WordId]) -> String {
        words.iter().map(|word| self.embedding.table.word(*word).to_string()).collect::<Vec<_>>().join(" ")
    }
}

/// Texts as words, and the share of their words that have a vector.
fn split(table: &Table, examples: &[Labelled<'_>]) -> Result<(Split, f64)> {
    let read = |(text, _): &Labelled<'_>| -> Result<(Vec<WordId>, usize)> {
        let pieces = Piece::split(&normalize(text))?;
        let all = pieces.into_iter().filter_map(|piece| match piece {
            Piece::Token { kind: TokenKind::Word, text } => Some(text.to_lowercase()),
            _ => None,
        });
        let found: Vec<Option<WordId>> = all.map(|word| table.find(&word)).collect();
        let count = found.len();
        Ok((found.into_iter().flatten().collect(), count))
    };
    let read: Vec<(Vec<WordId>, usize)> = examples.par_iter().map(read).collect::<Result<_>>()?;
    let of = |count: fn(&(Vec<WordId>, usize)) -> usize| read.iter().map(count).sum::<usize>() as f64;
    let covered = of(|(words, _)| words.len()) / of(|(_, count)| *count).max(1.0);
    let (texts, labels) = read
        .into_iter()
        .zip(examples)
        .filter(|((words, _), _)| !words.is_empty())
        .map(|((mut words, _), (_, label))| {
            words.truncate(LONGEST);
            (words, *label)
        })
        .unzip();
    Ok((Split { texts, labels }, covered))
}

/// Texts for tests of both tables: those of food and those of weather, with vectors that tell them apart.
#[cfg(test)]
pub(super) fn toy() -> crate::data::toy::Toy {
    use crate::data::toy::{Split, Toy};

    let mut toy = Toy::new();
    let (food, rain) = (["soup", "bread", "cheese", "salad"], ["rain", "storm", "snow", "wind"]);
    let row = |i: usize| {
        let (label, words) = if i.is_multiple_of(2) { ("y", food) } else { ("n", rain) };
        format!("{label}\tthe {} and the {} of day {i}\n", words[i / 2 % 4], words[i / 8 % 4])
    };
    let file = |range: std::ops::Range<usize>| "label\ttext\n".to_owned() + &range.map(row).collect::<String>();
    for set in SETS {
        toy.set(set, &["text"], &[], &[(Split::Train, &file(0..80)), (Split::Test, &file(80..120))]);
    }
    let words = food.into_iter().chain(rain).chain(["the", "and", "of", "day"]);
    for (name, dims) in [(GLOVE, 50), (WORD2VEC, 300)] {
        // Each word lies in a corner of its own, two coordinates of its own apart from all others.
        let line = |(place, word): (usize, &str)| {
            let value = |j: usize| if j / 4 == place { " 2" } else { " 0.01" };
            format!("{word}{}\n", (0..dims).map(value).collect::<String>())
        };
        toy.vectors(name, dims, &words.clone().enumerate().map(line).collect::<String>());
    }
    toy
}
