//! The record of a build: from what, by what, to what. Who repeats it must get the same SHA-256.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use textveil::Table;
use textveil_toolkit::files::hexadecimal;

/// What `--record` writes.
#[derive(Serialize)]
pub(crate) struct Record {
    /// Name and version of the program.
    pub(crate) tool: String,
    /// The command, with the place of the inputs and of the output left open.
    pub(crate) command: String,
    pub(crate) inputs: Vec<FileIdentity>,
    pub(crate) output: FileIdentity,
    pub(crate) table: TableSummary,
}

/// Adds to the record of a table's build what was made of the table in another step, such as "certified".
///
/// # Errors
/// The record cannot be read or written, or is invalid.
pub(crate) fn add_step(record: &Path, step: &str, command: &str, output: &FileIdentity, table: &Table) -> Result<()> {
    let shown = record.display();
    let text = fs::read_to_string(record).with_context(|| format!("cannot read {shown}"))?;
    let mut content: Map<String, Value> =
        serde_json::from_str(&text).with_context(|| format!("{shown} is no record of a build"))?;
    let made = json!({ "command": command, "output": output, "id": table.id().to_string() });
    content.insert(step.to_owned(), made);
    let text = serde_json::to_string_pretty(&content)?;
    fs::write(record, text + "\n").with_context(|| format!("cannot write {shown}"))
}

/// A file by content.
#[derive(Serialize)]
pub(crate) struct FileIdentity {
    pub(crate) file: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// The table by its header.
#[derive(Serialize)]
pub(crate) struct TableSummary {
    pub(crate) id: String,
    pub(crate) rows: usize,
    pub(crate) dims: usize,
    pub(crate) scale: f64,
    pub(crate) never_offered: usize,
    pub(crate) function_words: usize,
    /// Rows that had to move to a neighbouring lattice point, so that no two are alike.
    pub(crate) moved: usize,
    /// Mean cross-entropy of the replacements asked for and the channel's output, in each epoch of the fit, in
    /// nats.
    pub(crate) losses: Vec<f64>,
}

impl FileIdentity {
    /// Measures the file at `path` and calls it `name`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn of(path: &Path, name: &str) -> Result<Self> {
        let content = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let sha256 = hexadecimal(&Sha256::digest(&content));
        Ok(Self { file: name.to_owned(), bytes: content.len() as u64, sha256 })
    }
}

impl TableSummary {
    pub(crate) fn of(table: &Table, moved: usize, losses: Vec<f64>) -> Self {
        Self {
            id: table.id().to_string(),
            rows: table.len(),
            dims: table.dims(),
            scale: table.scale(),
            never_offered: table.words().filter(|(id, _)| !table.is_offered(*id)).count(),
            function_words: table.words().filter(|(id, _)| table.is_function_word(*id)).count(),
            moved,
            losses,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_hash() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(&file, "abc").expect("written");
        let identity = FileIdentity::of(file.path(), "abc.txt").expect("the file");
        assert_eq!((identity.bytes, identity.file.as_str()), (3, "abc.txt"));
        assert_eq!(identity.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
