//! The randomness of releases: from the operating system, and for golden vectors from a seed.

#[cfg(feature = "insecure-seeded-rng")]
use std::cell::Cell;

use getrandom::SysRng;
use textveil::{Error, ReleaseRng, release_rng};

#[derive(Default)]
pub(crate) struct Randomness {
    /// Of the next release.
    #[cfg(feature = "insecure-seeded-rng")]
    seed: Cell<Option<[u8; 32]>>,
}

impl Randomness {
    /// A generator for one release.
    pub(crate) fn next(&self) -> Result<ReleaseRng, Error> {
        #[cfg(feature = "insecure-seeded-rng")]
        if let Some(seed) = self.seed.take() {
            return Ok(textveil::seeded_rng(seed));
        }
        release_rng(&mut SysRng)
    }

    /// Gives the next release the keystream of a known seed (64 hexadecimal digits).
    #[cfg(feature = "insecure-seeded-rng")]
    pub(crate) fn seed(&self, seed: &str) -> Result<(), Error> {
        let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = seed.as_bytes().chunks(2).map(byte).collect();
        let seed = bytes.and_then(|bytes| bytes.try_into().ok()).ok_or(Error::InvalidOptions)?;
        self.seed.set(Some(seed));
        Ok(())
    }
}
