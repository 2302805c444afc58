//! A release in the making, drawn token by token, so that a host with one thread can do something else
//! between.

use alloc::vec::{self, Vec};
use core::borrow::Borrow;

use rand_core::CryptoRng;

use crate::privatizer::placeholder;
use crate::text::Assembler;
use crate::{Error, Piece, Privatizer, Release, Table, TokenAccount};

/// A text of which some tokens are drawn and the others are not.
///
/// Nothing can be read from it before [`Drawing::finish`]: what leaves is a whole release or none. However it
/// is sliced, it takes the same keystream in the same order and gives the same release:
/// [`Privatizer::privatize`] is one slice.
///
/// # Security
/// To drop one releases nothing and spends nothing, since nobody has seen any of it.
pub struct Drawing<P, R> {
    privatizer: P,
    rng: R,
    pieces: vec::IntoIter<Piece>,
    assembler: Assembler,
    account: Vec<TokenAccount>,
}

impl<P: Borrow<Privatizer>, R: CryptoRng> Drawing<P, R> {
    /// Splits a text (NFKC is the caller's part) and draws nothing yet. `rng` should be fresh for each
    /// release ([`crate::release_rng`]).
    ///
    /// # Errors
    /// [`Error::TextTooLong`] above [`crate::MAX_TEXT_BYTES`].
    pub fn begin(privatizer: P, text: &str, rng: R) -> Result<Self, Error> {
        let pieces = Piece::split(text)?.into_iter();
        Ok(Self { privatizer, rng, pieces, assembler: Assembler::new(text.len()), account: Vec::new() })
    }

    /// The table that words are drawn from.
    pub fn table(&self) -> &Table {
        self.privatizer.borrow().table()
    }

    /// Draws for up to `most` more tokens. Returns whether there are none left.
    pub fn advance(&mut self, most: usize) -> bool {
        let privatizer = self.privatizer.borrow();
        let mut left = most;
        while left > 0 {
            match self.pieces.next() {
                None => return true,
                Some(Piece::Layout(run)) => self.assembler.layout(&run),
                Some(Piece::Token { kind, text }) => {
                    left -= 1;
                    let entry = privatizer.replace(kind, text, &mut self.rng);
                    match entry.output {
                        Some(word) => self.assembler.word(&privatizer.table().word(word)),
                        None => self.assembler.placeholder(placeholder(kind).unwrap_or_default()),
                    }
                    self.account.push(entry);
                }
            }
        }
        self.pieces.len() == 0
    }

    /// Draws whatever is left, and hands out the release.
    pub fn finish(mut self) -> Release {
        self.advance(usize::MAX);
        let private = self.account.iter().filter(|entry| !entry.clear).count();
        let guarantee = self.privatizer.borrow().guarantee(private);
        Release { text: self.assembler.finish(), guarantee, account: self.account }
    }
}
