//! SHA-256, of tables and of ledgers.

use sha2::{Digest, Sha256};

/// The digest of these parts, one behind the other. (Never inlined: it is many bytes.)
#[inline(never)]
pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}
