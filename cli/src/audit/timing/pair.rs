//! What an observer with a clock might want to know: pairs of classes of inputs.

use std::ops::RangeInclusive;

use anyhow::{Context, Result, ensure};
use rand_core::Rng;
use textveil::{Found, ReleaseRng, Table, TokenKind, WordId, look_up};

/// Inputs of a class; were they few, what is special about single words would count as the class's.
const POOL: usize = 4096;
/// Letters of the words in texts; from four on, a misspelt word is looked for among all words.
const LETTERS: RangeInclusive<usize> = 4..=9;
/// Spellings that are tried for one that the vocabulary lacks.
const ATTEMPTS: usize = 1_000_000;

/// What is timed once.
#[derive(Clone)]
pub(super) enum Input {
    /// [`textveil::Privatizer::draw`], or `None` for an unknown word.
    Row(Option<WordId>),
    /// [`textveil::Privatizer::privatize`] of one word.
    Text(String),
    /// A search of the table that stops at the word.
    StopAt(WordId),
}

/// What sorts a time into a class.
#[derive(Clone, Copy)]
pub(super) enum Class {
    /// Which class the input was taken from, by a coin.
    Input,
    /// Whether the word came out as itself.
    Outcome,
}

/// Two classes.
pub(super) struct Pair {
    pub(super) name: &'static str,
    pub(super) names: [&'static str; 2],
    pub(super) class: Class,
    /// Whether it must be told, or must not be: what the test itself is tested by.
    pub(super) is_told: Option<bool>,
    pub(super) inputs: fn(&mut Inputs<'_>) -> Result<[Vec<Input>; 2]>,
}

impl Pair {
    const fn of(
        name: &'static str,
        names: [&'static str; 2],
        inputs: fn(&mut Inputs<'_>) -> Result<[Vec<Input>; 2]>,
    ) -> Self {
        Self { name, names, class: Class::Input, is_told: None, inputs }
    }
}

/// The two that show what the test can do, then draws, then whole texts.
pub(super) const PAIRS: &[Pair] = &[
    Pair {
        is_told: Some(true),
        ..Pair::of("control", ["a search that stops early", "one that stops late"], |inputs| {
            let all = inputs.all();
            let halves = all.split_at(all.len() / 2);
            Ok([halves.0, halves.1].map(|rows| inputs.some(POOL, rows).into_iter().map(Input::StopAt).collect()))
        })
    },
    Pair { is_told: Some(false), ..Pair::of("null", ["any word", "any word"], any) },
    Pair::of("draw", ["one word", "any word"], |inputs| {
        let any = inputs.some(POOL, &inputs.all());
        Ok([draws(vec![any[0]; any.len()]), draws(any)])
    }),
    Pair::of("draw-frequent", ["frequent word", "rare word"], |inputs| {
        let table = inputs.table;
        let mut rows = inputs.all();
        rows.sort_by(|a, b| table.zipf(*b).total_cmp(&table.zipf(*a)));
        let some = rows.len().div_ceil(16);
        let ends = [&rows[..some], &rows[rows.len() - some..]];
        Ok(ends.map(|rows| draws(inputs.some(POOL, rows))))
    }),
    Pair::of("draw-unknown", ["known word", "unknown word"], |inputs| {
        let known = inputs.some(POOL, &inputs.all());
        let unknown = vec![Input::Row(None); known.len()];
        Ok([draws(known), unknown])
    }),
    Pair { class: Class::Outcome, ..Pair::of("draw-kept", ["kept", "replaced"], any) },
    Pair::of("text", ["one word", "any of its length"], |inputs| {
        let mut known = inputs.known(POOL)?;
        let one = known[0].clone();
        known.retain(|word| word.len() == one.len());
        Ok([vec![one; known.len()], known].map(texts))
    }),
    Pair::of("text-misspelt", ["known word", "misspelt word"], |inputs| inputs.known_beside(Found::Near)),
    Pair::of("text-unknown", ["known word", "unknown word"], |inputs| inputs.known_beside(Found::Unknown)),
];

fn any(inputs: &mut Inputs<'_>) -> Result<[Vec<Input>; 2]> {
    let any = inputs.some(POOL, &inputs.all());
    Ok([draws(any.clone()), draws(any)])
}

fn draws(rows: Vec<WordId>) -> Vec<Input> {
    rows.into_iter().map(|row| Input::Row(Some(row))).collect()
}

fn texts(words: Vec<String>) -> Vec<Input> {
    words.into_iter().map(Input::Text).collect()
}

/// Chooses inputs.
pub(super) struct Inputs<'a> {
    table: &'a Table,
    rng: &'a mut ReleaseRng,
}

impl<'a> Inputs<'a> {
    pub(super) fn new(table: &'a Table, rng: &'a mut ReleaseRng) -> Self {
        Self { table, rng }
    }

    /// All rows.
    fn all(&self) -> Vec<WordId> {
        self.table.rows().collect()
    }

    /// `count` of them, drawn at random.
    fn some<T: Clone>(&mut self, count: usize, of: &[T]) -> Vec<T> {
        (0..count).map(|_| pick(self.rng, of).clone()).collect()
    }

    /// Words of the vocabulary.
    fn known(&mut self, count: usize) -> Result<Vec<String>> {
        let is_plain =
            |word: &String| LETTERS.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
        let words: Vec<String> = self.table.words().map(|(_, word)| word.to_string()).filter(is_plain).collect();
        ensure!(!words.is_empty(), "the table has no words of 4 to 9 letters from a to z");
        Ok(self.some(count, &words))
    }

    /// Words of the same lengths that are looked up so: with one letter exchanged, or of random letters.
    fn unknown(&mut self, words: &[String], found: Found) -> Result<Vec<String>> {
        let other = |word: &String| {
            let candidate = |_| {
                let place = (self.rng.next_u64() % word.len() as u64) as usize;
                let letters = word.char_indices().map(|(at, letter)| {
                    let is_exchanged = at == place || found == Found::Unknown;
                    if is_exchanged { char::from(b'a' + (self.rng.next_u64() % 26) as u8) } else { letter }
                });
                letters.collect()
            };
            (0..ATTEMPTS)
                .map(candidate)
                .find(|other: &String| look_up(self.table, TokenKind::Word, other).found == found)
                .context("every spelling is known")
        };
        words.iter().map(other).collect()
    }

    /// Known words, and unknown ones of the same lengths.
    fn known_beside(&mut self, found: Found) -> Result<[Vec<Input>; 2]> {
        let known = self.known(POOL)?;
        let unknown = self.unknown(&known, found)?;
        Ok([known, unknown].map(texts))
    }
}

/// One of them, all equally likely up to 2⁻⁴⁸. `of` must not be empty.
pub(super) fn pick<'a, T>(rng: &mut ReleaseRng, of: &'a [T]) -> &'a T {
    &of[(rng.next_u64() % of.len() as u64) as usize]
}
