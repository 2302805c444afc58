//! Words with real vectors, as safetensors: tensor `vectors` (F32, a row a word), the words in the metadata.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ndarray::Array2;
use safetensors::tensor::{Metadata, TensorView};
use safetensors::{Dtype, SafeTensors};

const TENSOR: &str = "vectors";
const WORDS: &str = "words";

/// Words and a row of coordinates for each.
pub struct Vectors {
    /// The words.
    pub words: Vec<String>,
    /// A row for each word.
    pub rows: Array2<f64>,
}

impl Vectors {
    /// Writes the file, coordinates rounded to 32 bits.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let bytes: Vec<u8> = self.rows.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect();
        let tensor = TensorView::new(Dtype::F32, self.rows.shape().to_vec(), &bytes)?;
        let metadata = [(WORDS.to_owned(), self.words.join("\n"))].into_iter().collect();
        let file = safetensors::serialize([(TENSOR, tensor)], Some(metadata))?;
        fs::write(path, file).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Reads a file: its tensor `vectors`, or its only matrix. The words are those of its metadata unless
    /// given.
    ///
    /// # Errors
    /// The file cannot be read, has no matrix of F32, or not as many rows as words.
    pub fn read(path: &Path, words: Option<Vec<String>>) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&bytes, words).with_context(|| format!("{} is not a usable safetensors file", path.display()))
    }

    fn parse(bytes: &[u8], words: Option<Vec<String>>) -> Result<Self> {
        let (_, metadata): (usize, Metadata) = SafeTensors::read_metadata(bytes)?;
        let file = SafeTensors::deserialize(bytes)?;
        let matrices: Vec<_> = file.tensors().into_iter().filter(|(_, tensor)| tensor.shape().len() == 2).collect();
        let named = matrices.iter().find(|(name, _)| name == TENSOR);
        let (name, tensor) = named
            .or_else(|| matrices.first().filter(|_| matrices.len() == 1))
            .with_context(|| format!("it needs one matrix, or one called \"{TENSOR}\""))?;
        ensure!(tensor.dtype() == Dtype::F32, "the matrix \"{name}\" is not of type F32");
        let words = match words {
            Some(words) => words,
            None => {
                let joined = metadata.metadata().as_ref().and_then(|entries| entries.get(WORDS));
                joined
                    .context("its metadata have no words (of an import, --words-file names them)")?
                    .lines()
                    .map(str::to_owned)
                    .collect()
            }
        };
        let (rows, width) = (tensor.shape()[0], tensor.shape()[1]);
        ensure!(rows == words.len(), "there are {rows} vectors for {} words", words.len());
        let values = floats(tensor.data()).map(f64::from).collect();
        Ok(Self { words, rows: Array2::from_shape_vec((rows, width), values)? })
    }
}

/// The little-endian 32-bit floats that some bytes hold.
pub(crate) fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.as_chunks().0.iter().map(|float| f32::from_le_bytes(*float))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let vectors =
            Vectors { words: vec!["a".into(), "b".into()], rows: ndarray::array![[0.5, -1.0, 2.0], [0.25, 3.0, -8.0]] };
        vectors.write(file.path()).expect("written");
        let read = Vectors::read(file.path(), None).expect("the file");
        assert_eq!((read.words, read.rows), (vectors.words, vectors.rows));
        assert!(Vectors::read(file.path(), Some(vec!["a".into()])).is_err());
    }
}
