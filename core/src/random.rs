//! The randomness of a release: ChaCha20, seeded from the operating system, read as 64-bit words.

use core::convert::Infallible;
use core::fmt;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng, TryCryptoRng, TryRng};

use crate::Error;

/// The generator behind one release. It knows whether its seed is known to anyone, and the guarantee of what is drawn
/// from it says so.
pub struct ReleaseRng {
    stream: ChaCha20Rng,
    has_known_seed: bool,
}

impl ReleaseRng {
    /// Whether a known seed decides every draw. Such draws protect nothing.
    #[must_use]
    pub const fn has_known_seed(&self) -> bool {
        self.has_known_seed
    }
}

/// Shows nothing of the stream.
impl fmt::Debug for ReleaseRng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReleaseRng").field("has_known_seed", &self.has_known_seed).finish_non_exhaustive()
    }
}

impl TryRng for ReleaseRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.stream.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.stream.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.stream.try_fill_bytes(bytes)
    }
}

impl TryCryptoRng for ReleaseRng {}

/// A fresh generator for one release, seeded with 256 bits from `entropy`.
///
/// # Security
/// `entropy` must be secret, as the operating system's is. This function cannot check that.
///
/// # Errors
/// [`Error::EntropyUnavailable`] if the source fails. There is no fallback.
pub fn release_rng<E: TryCryptoRng>(entropy: &mut E) -> Result<ReleaseRng, Error> {
    let stream = ChaCha20Rng::try_from_rng(entropy).map_err(|_| Error::EntropyUnavailable)?;
    Ok(ReleaseRng { stream, has_known_seed: false })
}

/// A generator for golden vectors and research only: everyone who knows `seed` knows its whole stream.
#[cfg(feature = "insecure-seeded-rng")]
#[must_use]
pub fn seeded_rng(seed: [u8; 32]) -> ReleaseRng {
    ReleaseRng::from_seed(seed)
}

/// From a seed that is known.
#[cfg(any(test, feature = "insecure-seeded-rng"))]
impl SeedableRng for ReleaseRng {
    type Seed = [u8; 32];

    fn from_seed(seed: [u8; 32]) -> Self {
        Self { stream: ChaCha20Rng::from_seed(seed), has_known_seed: true }
    }
}

#[cfg(feature = "insecure-seeded-rng")]
impl ReleaseRng {
    /// Goes to the start of another stream of the same seed.
    pub fn set_stream(&mut self, number: u64) {
        self.stream.set_stream(number);
    }
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

/// The upper 128 bits of a product of 256.
#[inline(never)] // once in a module that counts its bytes
pub(crate) fn multiply_high(a: u128, b: u128) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let middle = ((a0 * b0) >> 64) + ((a0 * b1) & LOW) + ((a1 * b0) & LOW);
    a1 * b1 + ((a0 * b1) >> 64) + ((a1 * b0) >> 64) + (middle >> 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplication_keeps_the_upper_half() {
        assert_eq!(multiply_high(u128::MAX, u128::MAX), u128::MAX - 1);
        assert_eq!(multiply_high(1 << 127, 6), 3);
        assert_eq!(multiply_high(u128::MAX, 1), 0);
        assert_eq!(multiply_high(0x0123_4567_89ab_cdef_fedc_ba98_7654_3210, 1 << 64), 0x0123_4567_89ab_cdef);
    }
}
