//! The released text: layout copied, words put in and mended, sentences begun with a capital.
//!
//! A capital is a function of the layout before it and of the word drawn, never of how the word was typed: the capital
//! of a typed name would tell the kind of the word.

use alloc::string::String;
use core::mem;
use core::ops::Deref;

use super::mend::{Before, Forms, Mended, Mender};
use crate::{Flags, WordId};

/// Builds a release from left to right. Where the layout is plain, it is one space, or a full stop and a space where
/// a sentence ends, and none before the first word.
pub(crate) struct Assembler<'a> {
    forms: Forms<'a>,
    /// None where words are written as they were drawn.
    mender: Option<&'a Mender>,
    before: Before,
    out: String,
    /// The next word begins a sentence.
    start: bool,
    /// A sentence has ended; white space decides whether the next begins.
    pending: bool,
    after_token: bool,
    /// One space stands behind a token, and nothing else since.
    after_space: bool,
    plain: Option<Gap>,
}

/// What a plain layout keeps since the last token.
#[derive(Default)]
struct Gap {
    ends_sentence: bool,
}

impl<'a> Assembler<'a> {
    pub(crate) fn new(forms: Forms<'a>, mender: Option<&'a Mender>, is_plain: bool, capacity: usize) -> Self {
        Self {
            forms,
            mender,
            before: Before::default(),
            out: String::with_capacity(capacity),
            start: true,
            pending: false,
            after_token: false,
            after_space: false,
            plain: is_plain.then(Gap::default),
        }
    }

    pub(crate) fn layout(&mut self, run: &str) {
        match &mut self.plain {
            Some(gap) => gap.ends_sentence |= run.contains(['.', '!', '?']),
            None => self.write(run),
        }
    }

    fn write(&mut self, run: &str) {
        self.out.push_str(run);
        for c in run.chars() {
            match c {
                '\n' => self.start = true,
                '.' | '!' | '?' => self.pending = true,
                ' ' | '\t' => self.start |= self.pending,
                '"' | '\'' | ')' | '(' => {}
                _ => (self.pending, self.start) = (false, false),
            }
        }
        self.after_space = self.after_token && run == " ";
        self.after_token = false;
    }

    /// Writes what comes of a drawn word, and says what that is.
    pub(crate) fn word<W: Deref<Target = str>>(&mut self, drawn: WordId, spell: impl Fn(WordId) -> W) -> Mended {
        self.separate();
        if !self.after_space {
            self.before = Before::default();
        }
        let mended = match self.mender {
            Some(mender) => mender.next(self.forms, &mut self.before, drawn),
            None => Mended { article: None, word: drawn },
        };
        if let Some(article) = mended.article {
            self.rewrite_article(&spell(article));
        }
        let word = spell(mended.word);
        let word = &*word;
        let mut letters = word.chars();
        let is_name = self.forms.0.flags(mended.word).intersects(Flags::NAME);
        match letters.next() {
            Some(first) if self.start || is_name || word == "i" || word.starts_with("i'") => {
                self.out.push(first.to_ascii_uppercase());
                self.out.push_str(letters.as_str());
            }
            _ => self.out.push_str(word),
        }
        self.token_written();
        mended
    }

    /// The text ends with the other article and a space.
    fn rewrite_article(&mut self, article: &str) {
        self.out.pop();
        match article {
            "an" => self.out.push('n'),
            _ => drop(self.out.pop()),
        }
        self.out.push(' ');
    }

    pub(crate) fn placeholder(&mut self, placeholder: &str) {
        self.separate();
        self.before = Before::default();
        self.out.push_str(placeholder);
        self.token_written();
    }

    pub(crate) fn finish(mut self) -> String {
        if self.gap().is_some_and(|gap| gap.ends_sentence) && self.after_token {
            self.out.push('.');
        }
        self.out
    }

    /// Two tokens side by side (CJK, emoji) must not run together into one.
    fn separate(&mut self) {
        let gap = self.gap();
        if self.after_token {
            self.write(if gap.is_some_and(|gap| gap.ends_sentence) { ". " } else { " " });
        }
    }

    /// What a plain layout keeps before the next token.
    fn gap(&mut self) -> Option<Gap> {
        self.plain.as_mut().map(mem::take)
    }

    fn token_written(&mut self) {
        (self.start, self.pending, self.after_token, self.after_space) = (false, false, true, false);
    }
}
