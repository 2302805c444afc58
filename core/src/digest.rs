//! SHA-256, of tables, ledgers and releases.

use alloc::string::String;

use sha2::{Digest, Sha256};

/// The digest of these parts, one behind the other. (Never inlined: it is many bytes.)
#[inline(never)]
pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

/// A digest in hexadecimal. (Without the machinery of formatting, which is many bytes.)
#[inline(never)]
pub(crate) fn hexadecimal(digest: &[u8; 32]) -> String {
    let digit = |value: u8| char::from(if value < 10 { b'0' + value } else { b'a' - 10 + value });
    digest.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
