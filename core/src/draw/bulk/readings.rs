//! How tokens were read, for those that come again.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hash::BuildHasher;
use core::iter;
use std::collections::hash_map::RandomState;
use std::sync::OnceLock;

use super::spellings::Spellings;
use crate::text::{Deletions, look_up_by};
use crate::{Reading, Table, TokenKind};

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
    /// Made when the first token needs it.
    deletions: OnceLock<Deletions>,
}

impl Readings {
    pub(super) fn new() -> Self {
        let slots = iter::repeat_with(OnceLock::new).take(SLOTS).collect();
        Self { hasher: RandomState::new(), slots, deletions: OnceLock::new() }
    }

    /// What [`crate::look_up`] finds.
    pub(super) fn read(&self, table: &Table, spellings: &Spellings, kind: TokenKind, token: &str) -> Reading {
        let look_up = || {
            look_up_by(table, kind, token, |spelling| {
                let deletions = self.deletions.get_or_init(|| Deletions::new(table));
                deletions.one_edit_away(table, spelling, |row| spellings.of(row))
            })
        };
        if kind != TokenKind::Word || token.len() > LONGEST {
            return look_up();
        }
        let first = self.hasher.hash_one(token) as usize;
        for slot in (0..PLACES).map(|place| &self.slots[first.wrapping_add(place) % SLOTS]) {
            let (kept, reading) = slot.get_or_init(|| (token.into(), look_up()));
            if **kept == *token {
                return *reading;
            }
        }
        look_up()
    }
}
