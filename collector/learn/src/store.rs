//! Weights in a safetensors file, under their names, with what they mean as JSON in the metadata.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::network::{Slot, Weights};

/// The metadata's key for a description.
const DESCRIPTION: &str = "textveil";

/// A file to write.
pub(super) struct Store {
    tensors: Vec<(String, Dtype, Vec<usize>, Vec<u8>)>,
}

/// A file that was read.
pub(super) struct Stored<'a> {
    tensors: SafeTensors<'a>,
}

impl Store {
    pub(super) fn new() -> Self {
        Self { tensors: Vec::new() }
    }

    /// Adds weights, their names behind a prefix.
    pub(super) fn with_weights(mut self, prefix: &str, weights: Vec<Weights>) -> Self {
        self.tensors.extend(weights.into_iter().map(|Weights { name, dims, values }| {
            (format!("{prefix}{name}"), Dtype::F32, dims, values.into_iter().flat_map(f32::to_le_bytes).collect())
        }));
        self
    }

    /// Adds bytes.
    pub(super) fn with_bytes(mut self, name: &str, bytes: Vec<u8>) -> Self {
        self.tensors.push((name.into(), Dtype::U8, vec![bytes.len()], bytes));
        self
    }

    /// Writes the file as a whole, or not at all: if the machine stops meanwhile, the file has its old content or the new one.
    ///
    /// # Errors
    /// What cannot be written.
    pub(super) fn write(&self, path: &Path, description: &impl Serialize) -> Result<()> {
        let metadata = [(DESCRIPTION.to_owned(), serde_json::to_string(description)?)].into_iter().collect();
        let views = self
            .tensors
            .iter()
            .map(|(name, kind, dims, bytes)| Ok((name.as_str(), TensorView::new(*kind, dims.clone(), bytes)?)));
        let bytes = safetensors::serialize(views.collect::<Result<Vec<_>>>()?, Some(metadata))?;
        let mut fresh = path.to_owned().into_os_string();
        fresh.push(".new");
        let write = || -> io::Result<()> {
            let mut file = File::create(&fresh)?;
            file.write_all(&bytes)?;
            // The disk has the content before the file has the name.
            file.sync_all()?;
            fs::rename(&fresh, path)
        };
        write()
            .inspect_err(|_| drop(fs::remove_file(&fresh)))
            .with_context(|| format!("cannot write {}", path.display()))
    }
}

impl<'a> Stored<'a> {
    /// Parses a file and its description.
    ///
    /// # Errors
    /// What [`Store::write`] did not write.
    pub(super) fn parse<T: DeserializeOwned>(bytes: &'a [u8]) -> Result<(Self, T)> {
        let (_, metadata) = SafeTensors::read_metadata(bytes)?;
        let description = metadata.metadata().as_ref().and_then(|metadata| metadata.get(DESCRIPTION));
        let description = serde_json::from_str(description.context("no description of the model")?)?;
        Ok((Self { tensors: SafeTensors::deserialize(bytes)? }, description))
    }

    /// The weights for a slot, their name behind a prefix.
    ///
    /// # Errors
    /// Weights that are not there, have other dimensions, or are not finite numbers.
    pub(super) fn weights(&self, prefix: &str, slot: &Slot<'_>) -> Result<Vec<f32>> {
        numbers(&self.tensors, &format!("{prefix}{}", slot.name), slot.dims)
    }

    /// Bytes by their name.
    ///
    /// # Errors
    /// Bytes that are not there.
    pub(super) fn bytes(&self, name: &str) -> Result<&[u8]> {
        let tensor = self.tensors.tensor(name)?;
        ensure!(tensor.dtype() == Dtype::U8, "{name}: not bytes");
        Ok(tensor.data())
    }
}

/// The numbers of a tensor.
///
/// # Errors
/// A tensor that is not there, has other dimensions, or holds other than finite numbers.
pub(super) fn numbers(tensors: &SafeTensors<'_>, name: &str, dims: &[usize]) -> Result<Vec<f32>> {
    let tensor = tensors.tensor(name)?;
    ensure!(tensor.dtype() == Dtype::F32 && tensor.shape() == dims, "{name}: not {dims:?} numbers of F32");
    let (values, _) = tensor.data().as_chunks();
    let values: Vec<f32> = values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    ensure!(values.iter().all(|value| value.is_finite()), "{name}: a weight is not a finite number");
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_a_file_that_cannot_be_written() {
        let folder = tempfile::tempdir().expect("a place for temporary files");
        let path = folder.path().join("model");
        // No file takes the place of a folder.
        fs::create_dir(&path).expect("a folder");
        let error = Store::new().with_bytes("bytes", vec![1]).write(&path, &"a model").expect_err("a folder");
        assert!(error.to_string().contains("cannot write"), "{error:#}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }
}
