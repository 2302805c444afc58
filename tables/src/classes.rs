//! A partition of a vocabulary into named classes, as a table carries it.

use anyhow::{Context, Result, ensure};

use super::vocabulary::Word;

/// Which class each word of a vocabulary belongs to.
pub(crate) struct Classes {
    /// The classes' names, ascending.
    names: Vec<String>,
    /// For each word, its class as a position in `names`.
    of: Vec<u8>,
}

impl Classes {
    /// The class of a word when nothing else is known about it.
    pub(crate) const OTHER: &str = "other";

    /// The partition that gives each of `words` the class that `labels` has for it.
    ///
    /// # Errors
    /// There are more than 256 classes, or one of them has no word that may be put out.
    pub(crate) fn new(words: &[Word], labels: &[&str]) -> Result<Self> {
        let mut names: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        for name in &names {
            let offered = words.iter().zip(labels).any(|(word, label)| label == name && !word.never_offered);
            ensure!(offered, "the class \"{name}\" has no word that may be put out");
        }
        let position = |label: &&str| names.binary_search_by(|name| name.as_str().cmp(label)).unwrap_or_else(|at| at);
        let of = labels.iter().map(|label| u8::try_from(position(label))).collect::<Result<_, _>>();
        Ok(Self { of: of.context("there are more than 256 classes")?, names })
    }

    /// The section `CLAS`.
    pub(crate) fn section(&self) -> Vec<u8> {
        let mut bytes = (self.names.len() as u64).to_le_bytes().to_vec();
        bytes.extend(&self.of);
        bytes.extend(self.names.iter().flat_map(|name| format!("{name}\n").into_bytes()));
        bytes
    }
}
