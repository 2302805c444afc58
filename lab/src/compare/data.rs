//! Labelled texts: files with a header, tab-separated without quotes or comma-separated with them.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use clap::Args;
use rayon::prelude::*;
use textveil::{Piece, Table, WordId, look_up, normalize};

use crate::data::{Columns, Set};
use textveil_toolkit::sampling::shuffled;

/// Parts of a set that has no test file. Each part is the test of a classifier trained on the other parts.
const FOLDS: usize = 5;

/// Which columns are read, and of how many rows.
#[derive(Args)]
pub(crate) struct Reading {
    /// The column that holds the texts
    #[arg(long, default_value = "text", value_name = "COLUMN")]
    text: String,
    /// The column that holds their labels
    #[arg(long, default_value = "label", value_name = "COLUMN")]
    label: String,
    /// Take at most N texts of each file, chosen by the seed
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// Texts with their labels, and who is tested after training on whom.
#[derive(Debug)]
pub(crate) struct Dataset {
    pub(crate) name: String,
    pub(crate) texts: Vec<String>,
    /// For each text, the place of its label among `names`.
    pub(crate) labels: Vec<usize>,
    /// The distinct labels, ascending.
    pub(crate) names: Vec<String>,
    pub(crate) splits: Vec<Split>,
}

/// Places of texts. No text is tested in two splits of a set.
#[derive(Debug)]
pub(crate) struct Split {
    pub(crate) train: Vec<usize>,
    pub(crate) test: Vec<usize>,
}

impl Dataset {
    /// Reads a set: with a test file one split, without one as many as there are folds.
    ///
    /// # Errors
    /// A file that cannot be read, lacks a column or a label, or is too small to be split.
    pub(crate) fn read(data: &Path, test: Option<&Path>, reading: &Reading, seed: u64) -> Result<Self> {
        let mut rows = reading.rows(data, seed)?;
        let trained = rows.len();
        if let Some(test) = test {
            rows.extend(reading.rows(test, seed)?);
        }
        let names: Vec<String> =
            rows.iter().map(|(_, label)| label.clone()).collect::<BTreeSet<_>>().into_iter().collect();
        ensure!(names.len() > 1, "{} has one label alone: there is nothing to classify", data.display());
        let labels = rows.iter().filter_map(|(_, label)| names.binary_search(label).ok()).collect();
        let splits = if test.is_some() {
            vec![Split { train: (0..trained).collect(), test: (trained..rows.len()).collect() }]
        } else {
            ensure!(trained >= FOLDS, "{} has {trained} texts, too few for {FOLDS} parts", data.display());
            folds(trained, seed)
        };
        Ok(Self { name: name(data), texts: rows.into_iter().map(|(text, _)| text).collect(), labels, names, splits })
    }

    /// All texts of a set, tested in parts.
    pub(crate) fn of(set: Set, seed: u64) -> Self {
        let examples = || set.train.iter().chain(&set.test);
        let texts: Vec<String> = examples().map(|example| example.text.clone()).collect();
        let labels = examples().map(|example| example.label).collect();
        let splits = folds(texts.len(), seed);
        Self { name: set.name, texts, labels, names: set.labels, splits }
    }

    /// The words of each text, as rows of a table, and `None` for a word that the table does not know.
    ///
    /// # Errors
    /// A text that is too long.
    pub(crate) fn words(&self, table: &Table) -> Result<Vec<Vec<Option<WordId>>>> {
        let of_text = |text: &String| words(table, text).with_context(|| self.name.clone());
        self.texts.par_iter().map(of_text).collect()
    }

    /// The texts that are tested, over all splits.
    pub(crate) fn tested(&self) -> usize {
        self.splits.iter().map(|split| split.test.len()).sum()
    }
}

/// The words of a text, and `None` for an unknown word.
pub(crate) fn words(table: &Table, text: &str) -> Result<Vec<Option<WordId>>> {
    let word = |piece| match piece {
        Piece::Token { kind, text } => Some(look_up(table, kind, &text).row),
        Piece::Layout(_) => None,
    };
    Ok(Piece::split(&normalize(text))?.into_iter().filter_map(word).collect())
}

/// The folder and the name of a file, without what says its format.
fn name(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = file.split('.').next().unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).map(|folder| folder.to_string_lossy());
    folder.map_or_else(|| stem.to_owned(), |folder| format!("{folder}/{stem}"))
}

fn folds(texts: usize, seed: u64) -> Vec<Split> {
    let order = shuffled(texts, seed);
    let fold = |fold: usize| {
        let members = |is_test: bool| {
            let of = order.iter().enumerate().filter(move |(place, _)| (place % FOLDS == fold) == is_test);
            of.map(|(_, text)| *text).collect()
        };
        Split { train: members(false), test: members(true) }
    };
    (0..FOLDS).map(fold).collect()
}

impl Reading {
    fn rows(&self, path: &Path, seed: u64) -> Result<Vec<(String, String)>> {
        let columns = Columns::read(path)?;
        let pairs = columns.column(&self.text)?.zip(columns.column(&self.label)?);
        let mut rows: Vec<(String, String)> = pairs.map(|(text, label)| (text.to_owned(), label.to_owned())).collect();
        ensure!(!rows.is_empty(), "{} has no texts", path.display());
        if let Some(limit) = self.limit {
            let mut chosen: Vec<usize> = shuffled(rows.len(), seed).into_iter().take(limit).collect();
            chosen.sort_unstable();
            rows = chosen.into_iter().map(|row| std::mem::take(&mut rows[row])).collect();
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(limit: Option<usize>) -> Reading {
        Reading { text: "text".to_owned(), label: "label".to_owned(), limit }
    }

    fn dataset(file: &str, content: &str, limit: Option<usize>) -> Result<Dataset> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join(file);
        std::fs::write(&path, content)?;
        Dataset::read(&path, None, &reading(limit), 1)
    }

    #[test]
    fn quotes_are_text_in_one_format_and_marks_in_the_other() {
        let rows = |line: &str| line.repeat(3);
        let tabbed =
            dataset("q.tsv", &format!("label\ttext\textra\r\n{}", rows("0\t\"a\" \"b\t1\r\n1\tc, d\t2\r\n")), None);
        let tabbed = tabbed.expect("a set");
        assert_eq!(tabbed.texts[..2], ["\"a\" \"b", "c, d"]);
        assert_eq!(tabbed.labels, [0, 1].repeat(3));
        let quoted = dataset("q.csv", &format!("text,label\n{}", rows("\"c, \"\"d\"\"\nand e\",no\nf,yes\n")), None);
        let quoted = quoted.expect("a set");
        assert_eq!(quoted.texts[..2], ["c, \"d\"\nand e", "f"]);
        assert_eq!(quoted.names, ["no", "yes"]);
    }

    #[test]
    fn each_text_is_tested_once_and_never_by_a_classifier_that_saw_it() {
        let splits = folds(23, 5);
        let mut tested: Vec<usize> = splits.iter().flat_map(|split| split.test.clone()).collect();
        tested.sort_unstable();
        assert_eq!(tested, (0..23).collect::<Vec<_>>());
        for Split { train, test } in &splits {
            assert_eq!(train.len() + test.len(), 23);
            assert!(test.iter().all(|text| !train.contains(text)));
        }
    }

    #[test]
    fn what_is_no_labelled_set_is_refused_with_the_reason() {
        for (content, reason) in [
            ("label\tbody\n0\ta\n", "no column \"text\" among label, body"),
            ("label\ttext\n0\ta\n0\tb\n", "one label alone"),
            ("label\ttext\n0\ta\n1\tb\n", "too few for 5 parts"),
            ("label\ttext\n0\ta\tb\n", "found record with 3 fields"),
            ("label\ttext\n", "no texts"),
        ] {
            let error = dataset("wrong.tsv", content, None).expect_err(reason);
            assert!(format!("{error:#}").contains(reason), "{error:#}");
        }
    }

    #[test]
    fn unknown_words_have_a_place_and_no_row() {
        let table = textveil_tables::load(None).expect("the built-in table");
        let found = words(&table, "The doctor, qzxvkjw!").expect("short");
        assert_eq!(found, [table.find("the"), table.find("doctor"), None]);
    }

    #[test]
    fn a_limit_takes_so_many_in_their_order() {
        let content: String = (0..40).map(|row| format!("{}\t{row}\n", row % 2)).collect();
        let limited = dataset("limit.tsv", &format!("label\ttext\n{content}"), Some(20)).expect("a set");
        let numbers: Vec<usize> = limited.texts.iter().filter_map(|text| text.parse().ok()).collect();
        assert!(numbers.len() == 20 && numbers.is_sorted());
        assert!(numbers.iter().zip(&limited.labels).all(|(number, label)| number % 2 == *label));
    }
}
