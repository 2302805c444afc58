//! What a file costs to download.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};

/// Sizes in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    /// As stored.
    pub(crate) raw: usize,
    /// As gzip, level 9.
    pub(crate) gzip: usize,
    /// As brotli, quality 11.
    pub(crate) brotli: usize,
}

impl Size {
    /// Measures a file.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&bytes)?;
        let mut brotli = Vec::new();
        let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
        brotli::BrotliCompress(&mut bytes.as_slice(), &mut brotli, &parameters)?;
        Ok(Self { raw: bytes.len(), gzip: gzip.finish()?.len(), brotli: brotli.len() })
    }
}
