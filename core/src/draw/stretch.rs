//! What becomes of each token: the one place that decides what is shown in clear and what is drawn.

use alloc::vec::Vec;
use core::ops::Deref;

use crate::text::{Assembler, Mended};
use crate::{Disclosure, Found, Privatizer, Reading, TokenKind, WordId};

/// What became of a token.
#[derive(Clone, Copy)]
pub(crate) struct Fate {
    /// The reading of the token, or `None` for a placeholder and a kept word, which are not looked up.
    pub(crate) reading: Option<Reading>,
    /// The row that is put out, or `None` for a placeholder and a kept word.
    pub(crate) output: Option<WordId>,
    /// It is shown in clear because the options say so; no noise is drawn.
    pub(crate) clear: bool,
}

/// A stretch of a text that is read and not yet drawn. Tokens are drawn together, because that takes less time.
pub(crate) struct Stretch<T> {
    /// The caller's note of each token, with its fate. Layout has no fate.
    waiting: Vec<(T, Option<Fate>)>,
    /// What the tokens that are drawn stand for, in their order.
    inputs: Vec<Option<WordId>>,
}

impl<T> Stretch<T> {
    pub(crate) fn new() -> Self {
        Self { waiting: Vec::new(), inputs: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Adds a part of the text: a token with its fate, or layout without one.
    pub(crate) fn add(&mut self, known: T, fate: Option<Fate>) {
        if let Some(Fate { reading: Some(reading), clear: false, .. }) = fate {
            self.inputs.push(reading.row);
        }
        self.waiting.push((known, fate));
    }

    /// Draws all of it by `draw`, and hands out each part with what became of it. Returns how many words were drawn.
    pub(crate) fn draw(
        &mut self,
        draw: impl FnOnce(&[Option<WordId>]) -> Vec<WordId>,
        mut each: impl FnMut(T, Option<Fate>),
    ) -> usize {
        let words = self.inputs.len();
        let mut outputs = draw(&self.inputs).into_iter();
        for (known, fate) in self.waiting.drain(..) {
            let drawn = |fate: Fate| if fate.clear { fate } else { Fate { output: outputs.next(), ..fate } };
            each(known, fate.map(drawn));
        }
        self.inputs.clear();
        words
    }
}

impl Privatizer {
    /// What becomes of a token before anything is drawn: it has no output yet unless it is shown in clear. `read` looks
    /// it up.
    pub(crate) fn fate(&self, kind: TokenKind, read: impl FnOnce() -> Reading) -> Fate {
        let Disclosure { function_words, placeholders, plain_layout: _ } = self.disclosure();
        let is_in_place = matches!(kind, TokenKind::Redacted | TokenKind::Kept);
        if is_in_place || placeholders && placeholder(kind).is_some() {
            return Fate { reading: None, output: None, clear: true };
        }
        let reading = read();
        let is_exact = function_words && reading.found == Found::Exact;
        let output = reading.row.filter(|row| is_exact && self.is_shown_function_word(*row));
        Fate { reading: Some(reading), output, clear: output.is_some() }
    }

    /// Whether a word of the table, typed as the table has it, is shown in clear.
    pub(crate) fn is_in_clear(&self, word: WordId) -> bool {
        self.disclosure().function_words && self.is_shown_function_word(word)
            || self.lists().kept(&self.table().word(word)).is_some()
    }

    /// Whether it is shown where function words are.
    fn is_shown_function_word(&self, word: WordId) -> bool {
        let table = self.table();
        table.is_function_word(word) && !self.lists().never_says(&table.word(word))
    }
}

impl Assembler<'_> {
    /// Puts what came out of a token: a word, or what takes its place. Says what the word has become.
    pub(crate) fn token<W: Deref<Target = str>>(
        &mut self,
        (kind, token): (TokenKind, &str),
        output: Option<WordId>,
        spell: impl Fn(WordId) -> W,
    ) -> Option<Mended> {
        let Some(drawn) = output else {
            // A word without an output would be a fault: it must not stand there as it was typed.
            let in_place = if kind == TokenKind::Word { "" } else { token };
            self.placeholder(placeholder(kind).unwrap_or(in_place));
            return None;
        };
        Some(self.word(drawn, spell))
    }
}

/// What stands for a token of this kind, if the options say so.
fn placeholder(kind: TokenKind) -> Option<&'static str> {
    match kind {
        TokenKind::Word | TokenKind::Redacted | TokenKind::Kept => None,
        TokenKind::Url => Some("[url]"),
        TokenKind::Email => Some("[email]"),
        TokenKind::Number => Some("[number]"),
    }
}
