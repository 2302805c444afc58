//! What the papers' data sets are: `data/papers.json`, read.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// The data sets of the papers' experiments.
///
/// # Errors
/// The manifest is invalid, which would be a fault of this program.
pub(super) fn papers() -> Result<Vec<SetManifest>> {
    serde_json::from_str(include_str!("../../data/papers.json")).context("the manifest of the papers' data sets")
}

/// A data set.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct SetManifest {
    pub(super) name: String,
    pub(super) about: String,
    /// What its owner allows, in short.
    pub(super) license: String,
    /// The papers whose experiments use it.
    pub(super) papers: Vec<String>,
    /// How it differs from what the papers had.
    #[serde(default)]
    pub(super) note: Option<String>,
    /// The columns that hold texts: one, two for pairs, none where each line is a text.
    pub(super) texts: Vec<String>,
    /// The numbers of a vector, if each line is a word and its vector.
    #[serde(default)]
    pub(super) dims: Option<usize>,
    /// Whether an experiment reads the files as they are: their rows are not counted.
    #[serde(default)]
    pub(super) opaque: bool,
    /// Columns that hold what else is known of an example.
    #[serde(default)]
    pub(super) attributes: Vec<String>,
    /// The labels as they stand in the files, and what they mean, in the order of their numbers.
    pub(super) classes: Vec<(String, String)>,
    /// How many examples the papers, or those who published the set, state.
    pub(super) stated: Vec<Stated>,
    pub(super) files: Vec<FileManifest>,
}

/// A count that is stated of some parts of a set together.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Stated {
    pub(super) splits: Vec<Split>,
    pub(super) rows: usize,
    #[serde(default)]
    pub(super) labels: BTreeMap<String, usize>,
}

/// What a file of a set is for.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Split {
    Train,
    Dev,
    Test,
}

impl Split {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Dev => "dev",
            Self::Test => "test",
        }
    }
}

/// A file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct FileManifest {
    /// From the folder that holds all sets.
    pub(super) path: String,
    pub(super) split: Split,
    /// Examples, or lines where the set has no columns; 0 in an opaque set.
    #[serde(default)]
    pub(super) rows: usize,
    pub(super) bytes: u64,
    pub(super) sha256: String,
    /// How often each label stands in it.
    #[serde(default)]
    pub(super) labels: BTreeMap<String, usize>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_manifest_agrees_with_itself() {
        let sets = papers().expect("a manifest");
        let paths: BTreeSet<&str> = sets.iter().flat_map(|set| &set.files).map(|file| file.path.as_str()).collect();
        assert_eq!(paths.len(), sets.iter().map(|set| set.files.len()).sum::<usize>(), "each file once");
        for SetManifest { name, texts, dims, classes, files, .. } in sets.iter().filter(|set| !set.opaque) {
            let has = |split| files.iter().filter(|file| file.split == split).count();
            assert_eq!(has(Split::Train), 1, "{name}");
            assert!(has(Split::Test) == usize::from(dims.is_none()) || texts.is_empty(), "{name}");
            assert!(dims.is_none() || texts.is_empty(), "{name}");
            assert!(has(Split::Dev) <= 1 && texts.len() <= 2 && texts.is_empty() == classes.is_empty(), "{name}");
            for FileManifest { path, rows, labels, sha256, .. } in files {
                assert_eq!(sha256.len(), 64);
                assert!(labels.keys().all(|label| classes.iter().any(|(code, _)| code == label)), "{path}");
                assert!(texts.is_empty() || labels.values().sum::<usize>() == *rows, "{path}");
            }
        }
    }

    #[test]
    fn what_the_papers_could_share_is_there_in_the_numbers_that_they_state() {
        let partial: Vec<String> = papers()
            .expect("a manifest")
            .into_iter()
            .filter(|set| {
                let rows =
                    |split: &Split| set.files.iter().filter(|f| f.split == *split).map(|f| f.rows).sum::<usize>();
                set.stated.iter().any(|stated| stated.splits.iter().map(rows).sum::<usize>() != stated.rows)
            })
            .map(|set| set.name)
            .collect();
        assert_eq!(partial, ["qqp", "yahoo_answers"]);
    }
}
