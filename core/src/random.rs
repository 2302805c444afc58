//! The randomness of a release: ChaCha20, seeded from the operating system, read as 64-bit words.

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng, TryCryptoRng};

use crate::Error;

/// The generator behind one release.
pub type ReleaseRng = ChaCha20Rng;

/// A fresh generator for one release, seeded with 256 bits from `entropy`.
///
/// # Errors
/// [`Error::EntropyUnavailable`] if the source fails; there is no fallback.
pub fn release_rng<E: TryCryptoRng>(entropy: &mut E) -> Result<ReleaseRng, Error> {
    ChaCha20Rng::try_from_rng(entropy).map_err(|_| Error::EntropyUnavailable)
}

/// A generator whose whole stream is known to whoever knows `seed`: golden vectors and research only.
#[cfg(feature = "insecure-seeded-rng")]
#[must_use]
pub fn seeded_rng(seed: [u8; 32]) -> ReleaseRng {
    ChaCha20Rng::from_seed(seed)
}

/// A number in (0, 1] with 53 bits; never 0, so that its logarithm exists.
pub(crate) fn uniform<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
    ((rng.next_u64() >> 11) + 1) as f64 * STEP
}

/// 128 bits, the first word of the stream on top.
pub(crate) fn wide<R: Rng + ?Sized>(rng: &mut R) -> u128 {
    let high = u128::from(rng.next_u64());
    high << 64 | u128::from(rng.next_u64())
}
