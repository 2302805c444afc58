//! A generator whose words are written down, for tests that run through them.

use core::convert::Infallible;

use alloc::vec::Vec;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng, TryRng};

/// The words given, then others.
pub(super) struct Script {
    words: Vec<u64>,
    taken: usize,
    others: ChaCha20Rng,
}

impl Script {
    pub(super) fn new(words: impl IntoIterator<Item = u64>) -> Self {
        Self { words: words.into_iter().collect(), taken: 0, others: ChaCha20Rng::from_seed([0; 32]) }
    }

    /// How many words were taken, including those after the end of the script.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }
}

impl TryRng for Script {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.try_next_u64()? >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let word = self.words.get(self.taken).copied();
        self.taken += 1;
        Ok(word.unwrap_or_else(|| self.others.next_u64()))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let word = self.try_next_u64()?.to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}
