//! How tokens were read, for those that come again.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hash::BuildHasher;
use core::iter;
use std::collections::hash_map::RandomState;
use std::sync::OnceLock;

use crate::{Reading, Table, TokenKind, look_up};

/// How many readings are kept at most: with their tokens, 4 MB.
const SLOTS: usize = 1 << 16;
/// In how many places a token may be kept.
const PLACES: usize = 4;
/// The longest token that is kept, in bytes. Most tokens that come again are shorter.
const LONGEST: usize = 24;

/// Readings of tokens, each kept in the first free one of the places that its hash names. What is kept stays.
pub(super) struct Readings {
    hasher: RandomState,
    slots: Vec<OnceLock<(Box<str>, Reading)>>,
}

impl Readings {
    pub(super) fn new() -> Self {
        Self { hasher: RandomState::new(), slots: iter::repeat_with(OnceLock::new).take(SLOTS).collect() }
    }

    /// What [`look_up`] finds.
    pub(super) fn read(&self, table: &Table, kind: TokenKind, token: &str) -> Reading {
        if kind != TokenKind::Word || token.len() > LONGEST {
            return look_up(table, kind, token);
        }
        let first = self.hasher.hash_one(token) as usize;
        for slot in (0..PLACES).map(|place| &self.slots[first.wrapping_add(place) % SLOTS]) {
            let (kept, reading) = slot.get_or_init(|| (token.into(), look_up(table, kind, token)));
            if **kept == *token {
                return *reading;
            }
        }
        look_up(table, kind, token)
    }
}
