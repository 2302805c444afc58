//! Representations of texts: a sentence encoder's, or the mean vector of the words in the table.
//!
//! An encoder takes minutes for a set, and its vectors follow from its files, the texts and this program alone. Where
//! a run keeps its cells they are kept too, in a file that is named by the digest of all three, so that tables share
//! them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ndarray::Array2;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde_json::Value;
use sha2::{Digest, Sha256};
use textveil::Table;

use crate::reproduce::run::Run;
use textveil_tables::Encoder;
use textveil_tables::embedding::{Space, rows};
use textveil_toolkit::files::hexadecimal;
use textveil_toolkit::progress::bar;

/// What gives a text its representation.
pub(in crate::reproduce) enum Embedder {
    Encoder {
        encoder: Box<Encoder>,
        /// Everything except the texts that its vectors follow from.
        identity: String,
        /// Where they are kept.
        folder: Option<PathBuf>,
    },
    Words(Table, Space),
}

impl Embedder {
    /// The encoder that was passed, or the table.
    ///
    /// # Errors
    /// It cannot be read.
    pub(in crate::reproduce) fn of(run: &Run<'_>) -> Result<Self> {
        if let Some(encoder) = run.encoder()? {
            let digests = Value::from(run.encoder_digests().clone());
            return Ok(Self::Encoder {
                encoder: Box::new(encoder),
                identity: format!("{} {digests}", run.program()),
                folder: run.folder().map(Path::to_owned),
            });
        }
        let table = run.table()?;
        let space = Space::of_table(&table);
        Ok(Self::Words(table, space))
    }

    /// The representations of texts, a row each.
    ///
    /// # Errors
    /// A text that is too long; vectors that cannot be kept.
    pub(in crate::reproduce) fn embed(&self, texts: &[String]) -> Result<Array2<f32>> {
        match self {
            Self::Words(table, space) => {
                let mut means = Array2::zeros((texts.len(), table.dims()));
                for (text, mut mean) in texts.iter().zip(means.rows_mut()) {
                    let words = rows(table, text)?;
                    mean.iter_mut().zip(space.mean(&words)).for_each(|(to, from)| *to = from as f32);
                }
                Ok(means)
            }
            Self::Encoder { encoder, identity, folder } => {
                let path = folder.as_ref().map(|folder| folder.join(file(identity, texts)));
                if let Some(vectors) = path.as_deref().and_then(|path| fs::read(path).ok()) {
                    return parse(&vectors, texts.len()).context("kept vectors are damaged: remove their file");
                }
                let progress = bar("encoding", texts.len());
                let vectors = encoder.embed(texts, &progress);
                progress.finish_and_clear();
                path.map_or(Ok(()), |path| write(&path, &vectors))?;
                Ok(vectors)
            }
        }
    }
}

/// The file of these texts' vectors.
fn file(identity: &str, texts: &[String]) -> String {
    let mut digest = Sha256::new_with_prefix(identity);
    for text in texts {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    }
    format!("vectors-{}.safetensors", hexadecimal(&digest.finalize()[..12]))
}

const NAME: &str = "vectors";

fn write(path: &Path, vectors: &Array2<f32>) -> Result<()> {
    let bytes: Vec<u8> = vectors.iter().flat_map(|x| x.to_le_bytes()).collect();
    let tensor = TensorView::new(Dtype::F32, vectors.shape().to_vec(), &bytes)?;
    let content = safetensors::serialize([(NAME, tensor)], None)?;
    // Another table may be at the same texts; what is half written must not be read.
    let fresh = path.with_extension(format!("{}.new", std::process::id()));
    let written = fs::write(&fresh, content).and_then(|()| fs::rename(&fresh, path));
    written.with_context(|| format!("cannot write {}", path.display()))
}

fn parse(content: &[u8], texts: usize) -> Result<Array2<f32>> {
    let tensors = SafeTensors::deserialize(content)?;
    let tensor = tensors.tensor(NAME)?;
    let [rows, columns] = *tensor.shape() else { anyhow::bail!("no matrix") };
    ensure!(tensor.dtype() == Dtype::F32 && rows == texts, "{rows} rows for {texts} texts");
    let values = tensor.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    Ok(Array2::from_shape_vec((rows, columns), values)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_vectors_are_the_same_bits_and_damaged_ones_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, vectors) = (folder.path().join("a.safetensors"), ndarray::array![[0.1_f32, -0.0], [f32::MIN, 3.5]]);
        write(&path, &vectors).expect("written");
        let content = fs::read(&path).expect("a file");
        assert_eq!(parse(&content, 2).expect("two rows").mapv(f32::to_bits), vectors.mapv(f32::to_bits));
        assert!(parse(&content, 3).is_err() && parse(&content[..content.len() - 1], 2).is_err());
    }

    #[test]
    fn other_texts_or_another_encoder_have_another_file() {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let name = file("a", &texts(&["b", "cd"]));
        assert_eq!(name, file("a", &texts(&["b", "cd"])));
        for other in [file("x", &texts(&["b", "cd"])), file("a", &texts(&["bc", "d"])), file("a", &texts(&["b"]))] {
            assert_ne!(name, other);
        }
    }
}
