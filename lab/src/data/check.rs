//! What a folder has of the papers' data sets: found, missing or altered, and how many rows against how
//! many are stated.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::columns::Columns;
use super::manifest::{FileManifest, SetManifest, Split, Stated};
use super::reader;
use super::sets::{Library, Lines};
use textveil_toolkit::files::hexadecimal;
use textveil_toolkit::report::numbers::counted;

/// If an attribute has more values than this, their number is printed.
const MOST_VALUES: usize = 6;

/// Checks a folder and says what was found; fails if anything is missing or altered.
pub(super) fn run(folder: &Path, as_json: bool) -> Result<ExitCode> {
    let found = check(&Library::open(folder)?)?;
    let mut out = io::stdout().lock();
    if as_json {
        let complete = found.iter().all(FoundSet::is_complete);
        writeln!(out, "{:#}", json!({ "complete": complete, "sets": found }))?;
    } else {
        print(&found, &mut out)?;
    }
    Ok(if found.iter().all(FoundSet::is_complete) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What there is of a set.
#[derive(Serialize)]
struct FoundSet {
    #[serde(flatten)]
    set: SetManifest,
    found: Vec<FoundFile>,
    /// For each count that is stated, the count that was found.
    counted: Vec<Counts>,
    /// What is in the files, if all of them are what they should be.
    contents: Option<Contents>,
}

/// What there is of a file.
#[derive(Serialize)]
struct FoundFile {
    path: String,
    status: Status,
    #[serde(flatten)]
    counts: Counts,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// The parts of a set in addition to its rows and labels.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Contents {
    /// Examples whose text stands in train as well, by part.
    seen_in_training: BTreeMap<Split, usize>,
    /// How many examples have each value of an attribute.
    attributes: BTreeMap<String, BTreeMap<String, usize>>,
    /// Words of running text, between white space, by part.
    words: BTreeMap<Split, usize>,
}

/// How many rows there are, and how many of each label.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
struct Counts {
    rows: usize,
    labels: BTreeMap<String, usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Found,
    Missing,
    Altered,
}

impl Status {
    const fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Missing => "MISSING",
            Self::Altered => "ALTERED",
        }
    }
}

impl FoundSet {
    fn is_complete(&self) -> bool {
        self.found.iter().all(|file| file.status == Status::Found)
    }
}

fn check(library: &Library) -> Result<Vec<FoundSet>> {
    let files = library.manifests().iter().map(|set| set.files.len()).sum();
    let progress = textveil_toolkit::progress::bar("checking", files);
    let check = |set: &SetManifest| {
        let mut found = Vec::new();
        for file in &set.files {
            found.push(check_file(library, set, file));
            progress.inc(1);
        }
        let counts = |stated: &Stated| {
            let of = set.files.iter().zip(&found).filter(|(file, _)| stated.splits.contains(&file.split));
            of.fold(Counts::default(), |counts, (_, found)| counts.and(&found.counts))
        };
        let mut of =
            FoundSet { counted: set.stated.iter().map(counts).collect(), set: set.clone(), found, contents: None };
        if of.is_complete() {
            of.contents = Some(Contents::of(library, set)?);
        }
        Ok(of)
    };
    let found = library.manifests().iter().map(check).collect();
    progress.finish_and_clear();
    found
}

fn check_file(library: &Library, set: &SetManifest, file: &FileManifest) -> FoundFile {
    let path = library.path(file);
    let as_file = |status, counts, reason| FoundFile { path: file.path.clone(), status, counts, reason };
    let content = match fs::read(&path) {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return as_file(Status::Missing, Counts::default(), None);
        }
        Err(error) => return as_file(Status::Altered, Counts::default(), Some(error.to_string())),
    };
    let counts = match Counts::of(&path, set) {
        Ok(counts) => counts,
        Err(error) => return as_file(Status::Altered, Counts::default(), Some(format!("{error:#}"))),
    };
    let wanted = Counts { rows: file.rows, labels: file.labels.clone() };
    let bytes = content.len() as u64;
    let reason = if counts != wanted {
        format!("it should have {wanted}")
    } else if bytes != file.bytes {
        format!("{bytes} bytes instead of {}", file.bytes)
    } else if hexadecimal(&Sha256::digest(&content)) != file.sha256 {
        "another content of the same length".to_owned()
    } else {
        return as_file(Status::Found, counts, None);
    };
    as_file(Status::Altered, counts, Some(reason))
}

impl Contents {
    fn of(library: &Library, set: &SetManifest) -> Result<Self> {
        let mut contents = Self::default();
        if set.dims.is_some() || set.opaque {
            return Ok(contents);
        }
        if set.texts.is_empty() {
            let Lines { train, test } = library.lines(&set.name)?;
            let words = |lines: &[String]| lines.iter().map(|line| line.split_whitespace().count()).sum();
            contents.words = [(Split::Train, words(&train)), (Split::Test, words(&test))].into();
            return Ok(contents);
        }
        let set = library.set(&set.name)?;
        for (split, examples) in [(Split::Dev, set.dev.as_ref()), (Split::Test, Some(&set.test))] {
            let seen = examples.map(|examples| set.seen_in_training(examples).into_iter().filter(|seen| *seen).count());
            contents.seen_in_training.extend(seen.map(|seen| (split, seen)));
        }
        for name in &set.attributes {
            let place = set.attribute(name)?;
            let values = contents.attributes.entry(name.clone()).or_default();
            for example in set.train.iter().chain(set.dev.iter().flatten()).chain(&set.test) {
                *values.entry(example.attributes[place].clone()).or_insert(0) += 1;
            }
        }
        Ok(contents)
    }

    fn lines(&self, set: &SetManifest) -> Vec<String> {
        let seen = self.seen_in_training.iter().filter(|(_, seen)| **seen > 0).map(|(part, seen)| {
            let of: usize = set.files.iter().filter(|file| file.split == *part).map(|file| file.rows).sum();
            let share = 100.0 * *seen as f64 / of.max(1) as f64;
            format!("{seen} of the {of} {} texts ({share:.1} %) stand in train as well", part.name())
        });
        let attributes = self.attributes.iter().map(|(name, values)| {
            let shown: Vec<String> = values.iter().map(|(value, count)| format!("{value} {count}")).collect();
            if shown.len() > MOST_VALUES {
                format!("{name}: {} values", shown.len())
            } else {
                format!("{name}: {}", shown.join(", "))
            }
        });
        let words = self.words.iter().map(|(part, words)| format!("{}: {words} words", part.name()));
        seen.chain(attributes).chain(words).collect()
    }
}

impl Counts {
    fn of(path: &Path, set: &SetManifest) -> Result<Self> {
        if set.opaque {
            return Ok(Self::default());
        }
        if set.texts.is_empty() {
            let lines = reader(path)?.lines().collect::<Result<Vec<_>, _>>().context("cannot read it")?;
            return Ok(Self { rows: lines.len(), labels: BTreeMap::new() });
        }
        let mut labels = BTreeMap::new();
        for label in Columns::read(path)?.column("label")? {
            *labels.entry(label.to_owned()).or_insert(0) += 1;
        }
        Ok(Self { rows: labels.values().sum(), labels })
    }

    fn and(mut self, other: &Self) -> Self {
        self.rows += other.rows;
        for (label, count) in &other.labels {
            *self.labels.entry(label.clone()).or_insert(0) += count;
        }
        self
    }
}

/// "3 rows (no: 2, yes: 1)".
impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&counted(self.rows as u64, "row"))?;
        let labels: Vec<String> = self.labels.iter().map(|(label, count)| format!("{label}: {count}")).collect();
        if labels.is_empty() { Ok(()) } else { write!(formatter, " ({})", labels.join(", ")) }
    }
}

fn print(sets: &[FoundSet], out: &mut impl Write) -> Result<()> {
    let width = sets.iter().flat_map(|set| &set.found).map(|file| file.path.len()).max().unwrap_or(0);
    for set in sets {
        let SetManifest { name, about, license, papers, note, .. } = &set.set;
        writeln!(out, "{name}, for {}: {about}. License: {license}.", papers.join(", "))?;
        for FoundFile { path, status, counts, reason } in &set.found {
            let counts = if *status == Status::Missing { String::new() } else { format!("  {counts}") };
            let reason = reason.as_ref().map_or_else(String::new, |reason| format!("; {reason}"));
            let line = format!("  {:7}  {path:width$}{counts}{reason}", status.name());
            writeln!(out, "{}", line.trim_end())?;
        }
        for (stated, counts) in set.set.stated.iter().zip(&set.counted) {
            writeln!(out, "  {}", against(stated, counts))?;
        }
        for line in set.contents.iter().flat_map(|contents| contents.lines(&set.set)) {
            writeln!(out, "  {line}")?;
        }
        if let Some(note) = note {
            writeln!(out, "  {note}")?;
        }
        writeln!(out)?;
    }
    let of = |status| sets.iter().flat_map(|set| &set.found).filter(|file| file.status == status).count();
    let [found, missing, altered] = [Status::Found, Status::Missing, Status::Altered].map(of);
    let complete = sets.iter().filter(|set| set.is_complete()).count();
    let files = counted(found as u64, "file");
    writeln!(
        out,
        "{files} found, {missing} missing, {altered} altered; {complete} of {} sets are complete.",
        sets.len()
    )
    .map_err(Into::into)
}

/// "train + dev: 13784 rows, as stated".
fn against(stated: &Stated, counts: &Counts) -> String {
    let splits: Vec<&str> = stated.splits.iter().map(|split| split.name()).collect();
    let is_as_stated = counts.rows == stated.rows && (stated.labels.is_empty() || counts.labels == stated.labels);
    let verdict = if is_as_stated {
        "as stated".to_owned()
    } else {
        let share = 100.0 * counts.rows as f64 / stated.rows.max(1) as f64;
        format!("of {} that are stated ({share:.1} %)", stated.rows)
    };
    let labels = if stated.labels.is_empty() { BTreeMap::new() } else { counts.labels.clone() };
    format!("{}: {}, {verdict}", splits.join(" + "), Counts { rows: counts.rows, labels })
}

#[cfg(test)]
mod tests {
    use super::super::sets::tests::Toy;
    use super::*;

    const ROWS: &str = "label\ttext\ny\ta\nn\tb\n";

    fn printed(toy: &Toy) -> String {
        let mut out = Vec::new();
        print(&check(&toy.library()).expect("a check"), &mut out).expect("a string");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn files_are_found_and_their_repeats_counted() {
        let mut toy = Toy::new();
        toy.set("blog", &["text"], &[], &[(Split::Train, ROWS), (Split::Test, "label\ttext\nn\ta\nn\tc\n")]);
        let text = printed(&toy);
        assert!(text.contains("found    blog-train.tsv  2 rows (n: 1, y: 1)"), "{text}");
        assert!(text.contains("1 of the 2 test texts (50.0 %) stand in train"), "{text}");
        assert!(text.ends_with("2 files found, 0 missing, 0 altered; 1 of 1 sets are complete.\n"), "{text}");
    }

    #[test]
    fn what_is_altered_is_told_from_what_is_missing() {
        for (content, reason) in [
            ("label\ttext\ny\ta\n", "1 row (y: 1); it should have 2 rows (n: 1, y: 1)"),
            ("label\ttext\ny\tb\nn\ta\n", "another content of the same length"),
            ("label\ttext\ny\taa\nn\tb\n", "20 bytes instead of 19"),
            ("nothing\n", "no column \"label\" among nothing"),
            ("label\ttext\n\u{1}\n", "found record with 1 field"),
        ] {
            let mut toy = Toy::new();
            toy.set("blog", &["text"], &[], &[(Split::Train, ROWS), (Split::Test, ROWS)]);
            fs::write(toy.folder.path().join("blog-train.tsv"), content).expect("a file");
            fs::remove_file(toy.folder.path().join("blog-test.tsv")).expect("a file");
            let text = printed(&toy);
            assert!(text.contains("ALTERED  blog-train.tsv") && text.contains(reason), "{text}");
            assert!(text.contains("MISSING  blog-test.tsv\n"), "{text}");
            assert!(text.ends_with("0 files found, 1 missing, 1 altered; 0 of 1 sets are complete.\n"), "{text}");
        }
    }

    #[test]
    fn a_part_of_what_is_stated_is_not_called_the_whole() {
        let stated = Stated { splits: vec![Split::Train, Split::Dev], rows: 400, labels: BTreeMap::new() };
        let counts = |rows| Counts { rows, labels: BTreeMap::from([("y".to_owned(), rows)]) };
        assert_eq!(against(&stated, &counts(400)), "train + dev: 400 rows, as stated");
        assert_eq!(against(&stated, &counts(100)), "train + dev: 100 rows, of 400 that are stated (25.0 %)");
        let stated = Stated { labels: counts(399).labels, ..stated };
        assert_eq!(against(&stated, &counts(400)), "train + dev: 400 rows (y: 400), of 400 that are stated (100.0 %)");
    }
}
