//! The papers' data sets as examples with labels, all of one shape.

use std::collections::HashSet;
use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::columns::Columns;
use super::manifest::{FileManifest, SetManifest, Split, papers};
use textveil_tables::Vectors;
use textveil_toolkit::files::hexadecimal;
use textveil_toolkit::sampling::stratified;

/// A folder with the papers' data sets. Nothing is read from it whose digest is not the manifest's.
pub(crate) struct Library {
    folder: PathBuf,
    sets: Vec<SetManifest>,
}

/// A labelled set.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    /// The set's name in the manifest.
    pub(crate) name: String,
    /// What the labels mean: label i is the i-th.
    pub(crate) labels: Vec<String>,
    /// What else is known of an example: attribute i is the i-th.
    pub(crate) attributes: Vec<String>,
    /// The examples to train on.
    pub(crate) train: Vec<Example>,
    /// The examples to choose settings by, if the set has any.
    pub(crate) dev: Option<Vec<Example>>,
    /// The examples to test on.
    pub(crate) test: Vec<Example>,
}

/// A text, or a pair of them, with its label.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Example {
    /// The text.
    pub(crate) text: String,
    /// The other text of a pair.
    pub(crate) second: Option<String>,
    /// The place of its label in [`Set::labels`].
    pub(crate) label: usize,
    /// Values in the order of [`Set::attributes`].
    pub(crate) attributes: Vec<String>,
}

/// Running text without labels, a paragraph a line.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    /// To train on.
    pub(crate) train: Vec<String>,
    /// To test on.
    pub(crate) test: Vec<String>,
}

impl Library {
    /// The papers' data sets, in this folder.
    ///
    /// # Errors
    /// There is no such folder.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        Self::of(folder, papers()?)
    }

    pub(super) fn of(folder: &Path, sets: Vec<SetManifest>) -> Result<Self> {
        ensure!(folder.is_dir(), "there is no folder {}", folder.display());
        Ok(Self { folder: folder.to_owned(), sets })
    }

    pub(super) fn manifests(&self) -> &[SetManifest] {
        &self.sets
    }

    pub(super) fn path(&self, file: &FileManifest) -> PathBuf {
        self.folder.join(&file.path)
    }

    /// Reads a labelled set.
    ///
    /// # Errors
    /// The manifest lacks a set of this name, or a file of it is missing or altered.
    pub(crate) fn set(&self, name: &str) -> Result<Set> {
        let set = self.manifest(name)?;
        ensure!(!set.texts.is_empty(), "{name} has no labels");
        Ok(Set {
            name: set.name.clone(),
            labels: set.classes.iter().map(|(_, meaning)| meaning.clone()).collect(),
            attributes: set.attributes.clone(),
            train: self.examples(set, Split::Train)?.unwrap_or_default(),
            dev: self.examples(set, Split::Dev)?,
            test: self.examples(set, Split::Test)?.unwrap_or_default(),
        })
    }

    /// Reads running text; empty lines are left out.
    ///
    /// # Errors
    /// As [`Self::set`].
    pub(crate) fn lines(&self, name: &str) -> Result<Lines> {
        let set = self.manifest(name)?;
        ensure!(set.texts.is_empty() && set.dims.is_none(), "{name} is no running text");
        let lines = |split| -> Result<Vec<String>> {
            let Some(file) = set.files.iter().find(|file| file.split == split) else { return Ok(Vec::new()) };
            let lines = super::reader(&self.verified(file)?)?.lines().collect::<Result<Vec<_>, _>>();
            let lines = lines.with_context(|| file.path.clone())?;
            Ok(lines.into_iter().filter(|line| !line.trim().is_empty()).collect())
        };
        Ok(Lines { train: lines(Split::Train)?, test: lines(Split::Test)? })
    }

    /// Reads word vectors: the words that a text can hold, ascending.
    ///
    /// # Errors
    /// As [`Self::set`].
    pub(crate) fn vectors(&self, name: &str) -> Result<Vectors> {
        let set = self.manifest(name)?;
        let dims = set.dims.with_context(|| format!("{name} has no vectors"))?;
        let file = set.files.first().with_context(|| format!("{name} has no file"))?;
        let vectors = textveil_tables::read_vectors(&self.verified(file)?).with_context(|| file.path.clone())?;
        ensure!(vectors.rows.ncols() == dims, "{} has vectors of {} dimensions", file.path, vectors.rows.ncols());
        Ok(vectors)
    }

    /// The place of a file of a set, by the end of its name, for who reads it as it is.
    ///
    /// # Errors
    /// As [`Self::set`].
    pub(crate) fn file(&self, name: &str, ending: &str) -> Result<PathBuf> {
        let file = self.manifest(name)?.files.iter().find(|file| file.path.ends_with(ending));
        self.verified(file.with_context(|| format!("{name} has no file {ending}"))?)
    }

    /// What the digests of all files of these sets are to be.
    ///
    /// # Errors
    /// The manifest lacks a set of one of these names, or a file is missing.
    pub(crate) fn digests(&self, names: &[&str]) -> Result<Map<String, Value>> {
        let sets = names.iter().map(|name| self.manifest(name)).collect::<Result<Vec<_>>>()?;
        let digest = |file: &FileManifest| {
            ensure!(self.path(file).is_file(), "{} is missing from {}", file.path, self.folder.display());
            Ok((file.path.clone(), file.sha256.clone().into()))
        };
        sets.iter().flat_map(|set| &set.files).map(digest).collect()
    }

    fn manifest(&self, name: &str) -> Result<&SetManifest> {
        self.sets.iter().find(|set| set.name == name).with_context(|| format!("there is no data set \"{name}\""))
    }

    fn examples(&self, set: &SetManifest, split: Split) -> Result<Option<Vec<Example>>> {
        let Some(file) = set.files.iter().find(|file| file.split == split) else { return Ok(None) };
        let columns = Columns::read(&self.verified(file)?)?;
        let all = |names: &[String]| -> Result<Vec<Vec<&str>>> {
            names.iter().map(|name| Ok(columns.column(name)?.collect())).collect()
        };
        let (texts, attributes) = (all(&set.texts)?, all(&set.attributes)?);
        let example = |(row, code): (usize, &str)| {
            let label = set.classes.iter().position(|(of, _)| of == code);
            let mut texts = texts.iter().map(|column| column[row].to_owned());
            Ok(Example {
                text: texts.next().unwrap_or_default(),
                second: texts.next(),
                label: label.with_context(|| format!("{} has a label \"{code}\"", file.path))?,
                attributes: attributes.iter().map(|column| column[row].to_owned()).collect(),
            })
        };
        columns.column("label")?.enumerate().map(example).collect::<Result<_>>().map(Some)
    }

    /// The place of a file that is what the manifest says.
    fn verified(&self, file: &FileManifest) -> Result<PathBuf> {
        let path = self.path(file);
        let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let is_same = hexadecimal(&Sha256::digest(content)) == file.sha256;
        ensure!(is_same, "{} is altered: `textveil-lab data check` says how", path.display());
        Ok(path)
    }
}

impl Set {
    /// The place of an attribute of this name.
    ///
    /// # Errors
    /// The set has no attribute of this name.
    pub(crate) fn attribute(&self, name: &str) -> Result<usize> {
        let place = self.attributes.iter().position(|attribute| attribute == name);
        place.with_context(|| format!("{} has no attribute \"{name}\"", self.name))
    }

    /// At most `count` examples of each part, in their order. Each label keeps its share, and the seed chooses the
    /// examples.
    #[must_use]
    pub(crate) fn limited(&self, count: usize, seed: u64) -> Self {
        let few = |examples: &Vec<Example>| -> Vec<Example> {
            let labels: Vec<usize> = examples.iter().map(|example| example.label).collect();
            stratified(&labels, count, seed).into_iter().map(|place| examples[place].clone()).collect()
        };
        Self { train: few(&self.train), dev: self.dev.as_ref().map(few), test: few(&self.test), ..self.clone() }
    }

    /// For each of these examples, whether its text (or pair of texts) stands among those to train on.
    pub(crate) fn seen_in_training(&self, examples: &[Example]) -> Vec<bool> {
        let trained: HashSet<_> = self.train.iter().map(Example::texts).collect();
        examples.iter().map(|example| trained.contains(&example.texts())).collect()
    }
}

impl Example {
    fn texts(&self) -> (&str, Option<&str>) {
        (&self.text, self.second.as_deref())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use tempfile::TempDir;

    use super::*;

    /// A folder that is gone when the test has ended, and what its files are.
    pub(crate) struct Toy {
        pub(crate) folder: TempDir,
        sets: Vec<SetManifest>,
    }

    impl Toy {
        pub(crate) fn new() -> Self {
            Self { folder: tempfile::tempdir().expect("a folder"), sets: Vec::new() }
        }

        /// Adds word vectors, a word and its numbers a line.
        pub(crate) fn vectors(&mut self, name: &str, dims: usize, content: &str) {
            self.set(name, &[], &[], &[(Split::Train, content)]);
            self.sets.last_mut().expect("a set").dims = Some(dims);
        }

        /// Adds a set whose files are read as they are.
        pub(crate) fn opaque(&mut self, name: &str, files: &[(&str, &[u8])]) {
            let file = |(path, content): &(&str, &[u8])| {
                fs::write(self.folder.path().join(path), content).expect("a file");
                FileManifest {
                    path: (*path).to_owned(),
                    split: Split::Train,
                    rows: 0,
                    bytes: content.len() as u64,
                    sha256: hexadecimal(&Sha256::digest(content)),
                    labels: BTreeMap::new(),
                }
            };
            let files: Vec<FileManifest> = files.iter().map(file).collect();
            self.set(name, &[], &[], &[]);
            let set = self.sets.last_mut().expect("a set");
            (set.opaque, set.files) = (true, files);
        }

        /// Adds a set with one text column; a file for each split, whose first column is the label.
        pub(crate) fn set(&mut self, name: &str, texts: &[&str], attributes: &[&str], files: &[(Split, &str)]) {
            let file = |(split, content): &(Split, &str)| {
                let path = format!("{name}-{}.tsv", split.name());
                fs::write(self.folder.path().join(&path), content).expect("a file");
                let rows = content.lines().skip(usize::from(!texts.is_empty()));
                let mut labels = BTreeMap::new();
                for row in rows.clone().filter(|_| !texts.is_empty()) {
                    *labels.entry(row.split('\t').next().unwrap_or_default().to_owned()).or_insert(0) += 1;
                }
                FileManifest {
                    path,
                    split: *split,
                    rows: rows.count(),
                    bytes: content.len() as u64,
                    sha256: hexadecimal(&Sha256::digest(content)),
                    labels,
                }
            };
            let classes = if texts.is_empty() { vec![] } else { vec![("n", "no"), ("y", "yes")] };
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
            let set = SetManifest {
                name: name.to_owned(),
                about: String::new(),
                license: String::new(),
                papers: vec!["OME".to_owned()],
                note: None,
                texts: owned(texts),
                dims: None,
                opaque: false,
                attributes: owned(attributes),
                classes: classes.into_iter().map(|(code, name)| (code.to_owned(), name.to_owned())).collect(),
                stated: Vec::new(),
                files: files.iter().map(file).collect(),
            };
            self.sets.push(set);
        }

        pub(crate) fn library(&self) -> Library {
            Library::of(self.folder.path(), self.sets.clone()).expect("a folder")
        }
    }

    const TRAIN: &str = "label\ttext\tage\ny\ta \"b\t10s\nn\tc\t30s\nn\td\t10s\nn\te\t10s\n";

    #[test]
    fn an_example_has_its_texts_its_label_and_what_else_is_known() {
        let mut toy = Toy::new();
        toy.set("blog", &["text"], &["age"], &[(Split::Train, TRAIN), (Split::Test, "label\ttext\tage\ny\tc\t10s\n")]);
        let pairs = "label\ttext2\ttext1\nn\tb\ta\n";
        toy.set("pairs", &["text1", "text2"], &[], &[(Split::Train, pairs), (Split::Dev, pairs), (Split::Test, pairs)]);
        let library = toy.library();
        let blog = library.set("blog").expect("a set");
        assert_eq!((blog.labels.join(" "), blog.train.len(), blog.dev.is_none()), ("no yes".to_owned(), 4, true));
        let Example { text, second, label, attributes } = &blog.train[0];
        assert_eq!((text.as_str(), second, *label, attributes[0].as_str()), ("a \"b", &None, 1, "10s"));
        assert_eq!((blog.attribute("age").ok(), blog.attribute("sex").is_err()), (Some(0), true));
        assert_eq!(blog.seen_in_training(&blog.test), [true]);
        let few = blog.limited(2, 0);
        assert_eq!((few.train.len(), few.test.len()), (2, 1));
        let pairs = library.set("pairs").expect("a set");
        assert_eq!((pairs.train[0].text.as_str(), pairs.train[0].second.as_deref()), ("a", Some("b")));
        assert!(pairs.dev.is_some() && library.set("other").is_err() && library.lines("pairs").is_err());
    }

    #[test]
    fn running_text_is_read_without_its_empty_lines() {
        let mut toy = Toy::new();
        toy.set("wiki", &[], &[], &[(Split::Train, " \n = a = \n\nb\n"), (Split::Test, "c\n")]);
        let Lines { train, test } = toy.library().lines("wiki").expect("lines");
        assert_eq!((train, test), (vec![" = a = ".to_owned(), "b".to_owned()], vec!["c".to_owned()]));
        assert!(toy.library().set("wiki").is_err());
    }

    #[test]
    fn a_file_that_is_read_as_it_is_has_its_digest_and_no_rows() {
        let mut toy = Toy::new();
        toy.opaque("users", &[("users.bin", &[255, 0, 7])]);
        let library = toy.library();
        assert!(library.file("users", ".bin").is_ok_and(|path| path.is_file()));
        let error = library.file("users", ".txt").expect_err("there is none").to_string();
        assert!(error.contains("users has no file .txt") && library.set("users").is_err(), "{error}");
        fs::write(toy.folder.path().join("users.bin"), [255, 0, 8]).expect("a file");
        assert!(library.file("users", ".bin").is_err());
    }

    #[test]
    fn altered_texts_are_not_read() {
        let mut toy = Toy::new();
        toy.set("blog", &["text"], &["age"], &[(Split::Train, TRAIN), (Split::Test, TRAIN)]);
        fs::write(toy.folder.path().join("blog-test.tsv"), TRAIN.replace("30s", "20s")).expect("a file");
        let error = toy.library().set("blog").expect_err("altered");
        assert!(error.to_string().contains("blog-test.tsv is altered"), "{error}");
    }
}
