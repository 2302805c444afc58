//! A directory outside the checkout for what is fetched once and used by many runs.

use std::path::PathBuf;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// `$XDG_CACHE_HOME/textveil`, or the platform's usual place.
pub(crate) fn directory() -> Result<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = variable("XDG_CACHE_HOME")
        .or_else(|| variable("LOCALAPPDATA"))
        .or_else(|| variable("HOME").map(|home| home.join(".cache")))
        .context("neither XDG_CACHE_HOME nor HOME is set: nowhere to keep a cache")?;
    Ok(base.join("textveil"))
}

/// SHA-256 in lower-case hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
