//! The randomness of a comparison.

use rand_core::SeedableRng;
use textveil::ReleaseRng;

/// The keystream of an item (a text, or a word) of a run.
pub(crate) fn rng(seed: u64, run: u32, item: usize) -> ReleaseRng {
    let mut rng = ReleaseRng::seed_from_u64(seed);
    rng.set_stream(u64::from(run) << 32 | item as u64);
    rng
}
