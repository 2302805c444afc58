//! SHA-256, of tables, ledgers and releases.

use core::fmt;

use sha2::{Digest, Sha256};

/// The digest of these parts, one behind the other. (Never inlined: it is many bytes.)
#[inline(never)]
pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

/// Bytes in hexadecimal, as digests are written.
#[derive(Clone, Copy, Debug)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
