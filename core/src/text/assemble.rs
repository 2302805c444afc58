//! The released text: layout copied, words put in, sentences begun with a capital.
//!
//! A capital is a function of the layout before it and of the word drawn, never of how the word was typed: a
//! name's capital would tell the kind of the word.

use alloc::string::String;

/// Builds a release from left to right.
pub(crate) struct Assembler {
    out: String,
    /// The next word begins a sentence.
    start: bool,
    /// A sentence has ended; white space decides whether the next begins.
    pending: bool,
    after_token: bool,
}

impl Assembler {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { out: String::with_capacity(capacity), start: true, pending: false, after_token: false }
    }

    pub(crate) fn layout(&mut self, run: &str) {
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
        self.after_token = false;
    }

    pub(crate) fn word(&mut self, word: &str) {
        self.separate();
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if self.start || word == "i" || word.starts_with("i'") => {
                self.out.push(first.to_ascii_uppercase());
                self.out.push_str(letters.as_str());
            }
            _ => self.out.push_str(word),
        }
        self.token_written();
    }

    pub(crate) fn placeholder(&mut self, placeholder: &str) {
        self.separate();
        self.out.push_str(placeholder);
        self.token_written();
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    /// Two tokens side by side (CJK, emoji) must not run together into one.
    fn separate(&mut self) {
        if self.after_token {
            self.layout(" ");
        }
    }

    fn token_written(&mut self) {
        (self.start, self.pending, self.after_token) = (false, false, true);
    }
}
