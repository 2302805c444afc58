//! A release in the making, drawn token by token, so that a host with one thread can do something else
//! between.

use alloc::string::String;
use alloc::vec::Vec;
use core::borrow::{Borrow, BorrowMut};
use core::{fmt, mem};

use crate::draw::stretch::{Fate, Stretch};
use crate::{Error, Piece, Privatizer, Redacted, Release, ReleaseRng, Table, TokenAccount, look_up};

/// A text in the middle of its drawing: some tokens are drawn and the others are not.
///
/// Nobody can read from it before [`Drawing::finish`]: only a whole release leaves it. However it is sliced, it takes
/// the same keystream in the same order and gives the same release: [`Privatizer::privatize`] is one slice.
///
/// # Security
/// To drop one releases nothing and spends nothing, since nobody has seen any of it.
pub struct Drawing<P, R> {
    privatizer: P,
    rng: R,
    pieces: Vec<Piece>,
    /// How many of them have been gone through; their tokens are in the account.
    passed: usize,
    account: Vec<TokenAccount>,
    /// Bytes of the text.
    length: usize,
    is_detected: bool,
}

impl<P, R> fmt::Debug for Drawing<P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drawing").finish_non_exhaustive()
    }
}

impl<P: Borrow<Privatizer>, R: BorrowMut<ReleaseRng>> Drawing<P, R> {
    /// Splits a text (NFKC is the caller's part) and draws nothing yet. `rng` should be fresh for each
    /// release ([`crate::release_rng`]).
    ///
    /// # Errors
    /// As [`Privatizer::privatize`].
    pub fn begin<'a>(privatizer: P, text: impl Into<Redacted<'a>>, rng: R) -> Result<Self, Error> {
        let text = text.into();
        let pieces = privatizer.borrow().accepted(&text)?;
        let (length, is_detected) = (text.len(), text.is_detected());
        Ok(Self { privatizer, rng, pieces, passed: 0, account: Vec::new(), length, is_detected })
    }

    /// The table that words are drawn from.
    pub fn table(&self) -> &Table {
        self.privatizer.borrow().table()
    }

    /// Draws for up to `most` more tokens, several of them at once: slices of 24 take the least time a token.
    /// Returns whether all are drawn.
    pub fn advance(&mut self, most: usize) -> bool {
        let privatizer = self.privatizer.borrow();
        let mut stretch = Stretch::new();
        while stretch.len() < most
            && let Some(piece) = self.pieces.get_mut(self.passed)
        {
            self.passed += 1;
            if let Piece::Token { kind, text } = piece {
                let (kind, token) = (*kind, mem::take(text));
                let fate = privatizer.fate(kind, || look_up(privatizer.table(), kind, &token));
                stretch.add((kind, token), Some(fate));
            }
        }
        let rng = self.rng.borrow_mut();
        stretch.draw(
            |inputs| privatizer.draw_all(inputs, rng),
            |(kind, token), fate| {
                let account = |Fate { reading, output, clear }| TokenAccount {
                    token,
                    kind,
                    reading,
                    output,
                    written: output,
                    clear,
                };
                self.account.extend(fate.map(account));
            },
        );
        self.passed == self.pieces.len()
    }

    /// Draws whatever is left, and hands out the release.
    pub fn finish(mut self) -> Release {
        self.advance(usize::MAX);
        let private = self.account.iter().filter(|entry| !entry.clear).count();
        let guarantee = self.privatizer.borrow().guarantee(private).of_draw(self.rng.borrow());
        let guarantee = if self.is_detected { guarantee.of_redacted() } else { guarantee };
        Release { text: self.write(), guarantee, account: self.account }
    }

    /// What the pieces have become. The account gets the words as they are written.
    fn write(&mut self) -> String {
        let privatizer = self.privatizer.borrow();
        let mut assembler = privatizer.assembler(self.length);
        let (mut written, mut entries) = (None::<&mut TokenAccount>, self.account.iter_mut());
        for piece in &self.pieces {
            match piece {
                Piece::Layout(run) => assembler.layout(run),
                Piece::Token { kind, .. } => {
                    let mut entry = entries.next();
                    let output = entry.as_ref().and_then(|entry| entry.output);
                    let token = entry.as_ref().map_or("", |entry| &entry.token);
                    let spell = |word| privatizer.table().word(word);
                    if let Some(mended) = assembler.token((*kind, token), output, spell) {
                        if let (Some(before), Some(article)) = (&mut written, mended.article) {
                            before.written = Some(article);
                        }
                        if let Some(entry) = &mut entry {
                            entry.written = Some(mended.word);
                        }
                    }
                    written = entry;
                }
            }
        }
        assembler.finish()
    }
}
