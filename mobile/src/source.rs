//! Where the randomness of releases comes from.

use getrandom::SysRng;
use textveil::{Error, ReleaseRng, release_rng};

/// The operating system; in a study, a seed.
#[derive(Default)]
pub(crate) struct Source {
    /// Of all releases, in a study.
    #[cfg(feature = "insecure-seeded-rng")]
    pub(crate) seed: Option<[u8; 32]>,
}

impl Source {
    /// The randomness of one release.
    pub(crate) fn rng<'a>(&self, input: impl IntoIterator<Item = &'a [u8]>) -> Result<ReleaseRng, Error> {
        #[cfg(feature = "insecure-seeded-rng")]
        if let Some(seed) = &self.seed {
            return Ok(crate::seeded::rng_of(seed, input));
        }
        let _ = input;
        release_rng(&mut SysRng)
    }
}

/// What the randomness of a text or of vectors is for, in a study: their bytes, and where there is a field a byte that
/// UTF-8 does not have and the field, so that no two texts look the same.
pub(crate) fn of_field<'a>(
    input: impl IntoIterator<Item = &'a [u8]>,
    field: Option<&'a str>,
) -> impl Iterator<Item = &'a [u8]> {
    let end: &[u8] = &[0xff];
    input.into_iter().chain(field.into_iter().flat_map(move |field| [end, field.as_bytes()]))
}
