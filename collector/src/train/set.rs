//! Releases of one kind, with their labels and places, and how they were drawn.

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use textveil::{
    DeclaredDraw, DeclaredTerms, InTheClear, MechanismKind, Piece, Table, Unit, WordId, look_up, normalize,
};

use super::guarantee::{DrawnAlike, Promise};
use super::options::Options;
use crate::reports::{Content, NOT_STATED, Place, Report, Source, Stated, Wanted, each};
use textveil_tables::embedding::rows;
use textveil_toolkit::report::numbers::counted;

/// How many places are named of lines that do not belong.
const NAMED: usize = 5;
/// The messages for a choice and for a statement for a whole text.
const COUNTED: &str = "a statement or a choice is counted and not classified: see textveil-collector estimate";
const OVERSTATED: &str = "its guarantee promises more than its words lose together";

/// What releases are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Text,
    Vectors,
    Bits,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Vectors => "vectors",
            Self::Bits => "bits",
        })
    }
}

impl Kind {
    /// Whether the mechanism that is declared can have drawn it.
    fn can_come_of(self, terms: &DeclaredTerms) -> bool {
        let gives = if self == Self::Text { MechanismKind::gives_words } else { MechanismKind::gives_representations };
        terms.kind().is_some_and(gives)
    }
}

/// What was drawn for a line.
#[derive(Debug)]
pub(super) enum Drawn {
    /// The rows of the table that a text's words stand for.
    Words(Vec<WordId>),
    /// A row for each word, or one for the text.
    Rows(Vec<Vec<f32>>),
}

impl Drawn {
    /// Whether there is more than one row to read.
    pub(super) fn has_order(&self) -> bool {
        match self {
            Self::Words(words) => words.len() > 1,
            Self::Rows(rows) => rows.len() > 1,
        }
    }
}

/// Where labels are.
pub(super) enum Labels {
    /// The input has no labels.
    None,
    /// In a field of each line.
    Field(String),
    /// A line each, in a file of their own.
    Lines(Vec<String>),
}

impl Labels {
    /// # Errors
    /// What cannot be read.
    pub(super) fn of_file(path: &Path) -> Result<Self> {
        let content = textveil_toolkit::files::text_of(path)?;
        Ok(Self::Lines(content.trim_end().lines().map(|label| label.trim().to_owned()).collect()))
    }

    /// The column that they are in.
    fn column(&self) -> Option<&str> {
        if let Self::Field(field) = self { Some(field) } else { None }
    }

    /// The label of a row, whose column of labels holds this.
    fn of(&self, place: Place, held: Option<String>) -> Result<Option<String>> {
        let label = match (self, place) {
            (Self::None, _) => return Ok(None),
            (Self::Field(field), _) => {
                let label = held.with_context(|| format!("the field \"{field}\" holds no label, but null"))?;
                label.trim().to_owned()
            }
            (Self::Lines(labels), Place::Line(number)) => {
                let label = usize::try_from(number - 1).ok().and_then(|place| labels.get(place));
                label.context("the file of labels has no line for it")?.clone()
            }
            (Self::Lines(_), _) => bail!("a file of labels is for lines: name the column with the label by --label"),
        };
        ensure!(!label.is_empty(), "its label is empty");
        ensure!(!label.contains(char::is_control), "its label holds a line break or another control character");
        Ok(Some(label))
    }
}

/// The fewest draws that a text can have come out of. What stood side by side may read as one word now, but what is
/// drawn never reads as several.
///
/// # Errors
/// It is too long.
fn fewest_private(text: &str, terms: &DeclaredTerms, table: &Table) -> Result<usize> {
    let is_of_table = terms.table.as_ref().is_none_or(|of| *of == table.id().to_string());
    let in_clear = |word| terms.shows(InTheClear::FunctionWords) && (!is_of_table || table.is_function_word(word));
    let text = terms.placeholders().between(text).join(" ");
    Ok(rows(table, &text)?.into_iter().filter(|word| !in_clear(*word)).count())
}

/// The words of a clear text that the table knows, or that are spelled nearly like one.
///
/// # Errors
/// It is too long.
fn known(table: &Table, text: &str) -> Result<Vec<WordId>> {
    let row = |piece| match piece {
        Piece::Token { kind, text } => look_up(table, kind, &text).row,
        Piece::Layout(_) => None,
    };
    Ok(Piece::split(&normalize(text))?.into_iter().filter_map(row).collect())
}

/// The words of a released text.
///
/// # Errors
/// They belong to another table, are not what its guarantee is about, or lack a row.
fn words_of(text: &str, declared: Option<&DeclaredDraw>, options: &Options, table: &Table) -> Result<Vec<WordId>> {
    let of = declared.and_then(|declared| declared.terms.table.as_deref());
    let id = table.id().to_string();
    ensure!(
        of.is_none_or(|of| of == id) || options.allow_mixed,
        "its words are of another table than {}…, which it would be read by: name that by --table",
        &id[..8]
    );
    if let Some(DeclaredDraw { terms, losses }) = declared {
        ensure!(terms.kept_words.is_none(), "it shows words of a list in clear, which nobody drew");
        let count = fewest_private(text, terms, table)?;
        let words = counted(count as u64, "word");
        ensure!(
            count as u64 <= u64::from(losses.words),
            "it has {words} or more, its guarantee is about {}",
            losses.words
        );
        ensure!(losses.adds_up(), OVERSTATED);
    }
    let placeholders = declared.map(|declared| declared.terms.placeholders()).unwrap_or_default();
    Ok(rows(table, &placeholders.between(text).join(" "))?)
}

/// A release, or a clear text.
pub(super) struct Line {
    pub(super) drawn: Drawn,
    /// Its label, if labels were asked for.
    pub(super) label: Option<String>,
    /// The number of its file, and the place in it.
    pub(super) place: (usize, Place),
}

/// Releases of one kind, in their order.
#[derive(Default)]
pub(super) struct Set {
    pub(super) lines: Vec<Line>,
    pub(super) files: Vec<Source>,
    /// Submissions that have no label that can be one. Anybody can send such a submission.
    pub(super) unlabelled: u64,
    kind: Option<Kind>,
    dims: Option<usize>,
    groups: Vec<Group>,
    /// It holds clear texts, and no releases.
    is_clear: bool,
}

/// Lines that were drawn alike, and where the first of them are.
struct Group {
    alike: DrawnAlike,
    /// The first of them that declares something, and the first that differs from it in being of one word.
    firsts: Vec<DeclaredDraw>,
    places: Vec<String>,
}

impl Set {
    /// Adds the releases of a file. Submissions without a label are only counted.
    ///
    /// # Errors
    /// The first line that is damaged, of another kind, without what was asked for, or drawn from another table.
    pub(super) fn read(&mut self, path: &Path, options: &Options, table: &Table, labels: &Labels) -> Result<()> {
        let name = crate::address::shown(path);
        let mut last = 0;
        let source = each(path, &options.wanted(labels.column()), &mut |mut report| {
            let (place, held) = (report.place, report.columns.pop().flatten());
            let label = match labels.of(place, held) {
                Err(_) if matches!(place, Place::Submission(_)) => {
                    self.unlabelled += 1;
                    return Ok(());
                }
                label => label?,
            };
            let is_seeded = report.is_seeded;
            let (drawn, declared) = self.drawn(report, options, table)?;
            self.lines.push(Line { drawn, label, place: (self.files.len(), place) });
            self.count(declared, is_seeded, || format!("{name}, {place}"));
            if let Place::Line(line) = place {
                last = line;
            }
            Ok(())
        })?;
        if let Labels::Lines(labels) = labels {
            let count = labels.len();
            ensure!(
                count as u64 == last,
                "the last release of {name} is in line {last}, the last label in line {count}"
            );
        }
        self.files.push(source);
        Ok(())
    }

    /// Adds the clear texts of a file.
    ///
    /// # Errors
    /// The first row that is damaged, or is a release.
    pub(super) fn read_clear(&mut self, path: &Path, options: &Options, table: &Table) -> Result<()> {
        self.is_clear = true;
        let wanted = Wanted { is_clear: true, ..options.wanted(None) };
        let source = each(path, &wanted, &mut |Report { place, content, .. }| {
            let Content::Text(text) = content else { bail!("it holds no text") };
            let drawn = Drawn::Words(known(table, &text)?);
            self.lines.push(Line { drawn, label: None, place: (self.files.len(), place) });
            self.kind = Some(Kind::Text);
            Ok(())
        })?;
        self.files.push(source);
        Ok(())
    }

    /// What was drawn for a release, and what is declared of the draw.
    fn drawn(&mut self, report: Report, options: &Options, table: &Table) -> Result<(Drawn, Option<DeclaredDraw>)> {
        let Report { content, guarantee, .. } = report;
        ensure!(
            guarantee.is_some() || options.without_guarantee,
            "{NOT_STATED}, or take it for what it is by --without-guarantee"
        );
        let stands_alone = guarantee.as_ref().is_some_and(|stated| !stated.is_of_file);
        let declared = guarantee.map(|Stated { draw, .. }| DeclaredDraw::clone(&draw));
        let (kind, rows) = match content {
            Content::Text(text) => {
                self.admit(Kind::Text, declared.as_ref())?;
                let words = words_of(&text, declared.as_ref(), options, table)?;
                return Ok((Drawn::Words(words), declared));
            }
            Content::Vectors(rows) => (Kind::Vectors, rows),
            Content::Bits(rows) => (Kind::Bits, rows),
            Content::Statements(_) => bail!(COUNTED),
        };
        self.admit(kind, declared.as_ref())?;
        if let Some(DeclaredDraw { terms, losses }) = &declared {
            let is_of_text = terms.unit == Unit::Text.name();
            let (expected, count) = (if is_of_text { 1 } else { u64::from(losses.words) }, rows.len() as u64);
            let shown = counted(count, "row");
            ensure!(count == expected || !stands_alone, "it has {shown}, its guarantee is about {expected}");
            ensure!(is_of_text || losses.adds_up(), OVERSTATED);
        }
        for row in &rows {
            let dims = *self.dims.get_or_insert(row.len());
            ensure!(row.len() == dims, "a row has {} elements, and the rows before it {dims}", row.len());
        }
        Ok((Drawn::Rows(rows), declared))
    }

    /// # Errors
    /// Releases of this kind do not belong to the set, or are not what their guarantee is about.
    fn admit(&mut self, kind: Kind, declared: Option<&DeclaredDraw>) -> Result<()> {
        let before = *self.kind.get_or_insert(kind);
        ensure!(kind == before, "it holds {kind}, and the releases before it {before}");
        if let Some(DeclaredDraw { terms, .. }) = declared {
            ensure!([Unit::Word, Unit::Text].iter().any(|unit| unit.name() == terms.unit), COUNTED);
            ensure!(kind.can_come_of(terms), "its guarantee is about {}, which gives no {kind}", terms.mechanism);
        }
        Ok(())
    }

    fn count(&mut self, declared: Option<DeclaredDraw>, is_seeded: bool, place: impl Fn() -> String) {
        let is_like = |group: &&mut Group| {
            let same = match &declared {
                Some(declared) => !group.firsts.is_empty() && group.firsts.iter().all(|first| first.is_like(declared)),
                None => group.firsts.is_empty(),
            };
            same && group.alike.insecure_seed == is_seeded
        };
        if let Some(Group { alike, firsts, places }) = self.groups.iter_mut().find(is_like) {
            alike.releases += 1;
            if let Some((weakest, declared)) = alike.guarantee.as_mut().zip(declared) {
                weakest.losses = weakest.losses.weaker(declared.losses);
                if firsts.iter().all(|first| first.is_code_of_word() != declared.is_code_of_word()) {
                    firsts.push(declared);
                }
            }
            if places.len() < NAMED {
                places.push(place());
            }
        } else {
            let firsts = declared.iter().cloned().collect();
            let alike = DrawnAlike { releases: 1, insecure_seed: is_seeded, guarantee: declared };
            self.groups.push(Group { alike, firsts, places: vec![place()] });
        }
    }

    /// What releases are, and of how many elements; of text, as the table has them.
    ///
    /// # Errors
    /// There are no releases, or all of them lack words.
    pub(super) fn shape(&self, table: &Table) -> Result<(Kind, usize)> {
        let kind = self.kind.with_context(|| {
            let files: Vec<&str> = self.files.iter().map(|source| source.file.as_str()).collect();
            let what = if self.is_clear { "texts" } else { "releases" };
            format!("there are no {what} in {}", files.join(", "))
        })?;
        let dims = if kind == Kind::Text { Some(table.dims()) } else { self.dims };
        Ok((kind, dims.filter(|dims| *dims > 0).context("no release has a word")?))
    }

    /// What is promised of all lines.
    ///
    /// # Errors
    /// They were drawn unlike each other, and that is not allowed.
    pub(super) fn promise(&self, options: &Options) -> Result<Promise> {
        let mut groups: Vec<&Group> = self.groups.iter().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.alike.releases));
        if groups.len() > 1 && !options.allow_mixed {
            let named: Vec<String> = groups.iter().map(|group| group.in_short()).collect();
            bail!(
                "lines are not all drawn alike:\n  {}\nLeave out those that do not belong, or pass --allow-mixed: then the weakest is \
                 what is stated",
                named.join("\n  ")
            );
        }
        Promise::of(groups.into_iter().map(|group| group.alike.clone()).collect())
    }
}

impl Group {
    /// "12 releases by certified, …: releases.jsonl, line 3; … and 10 more".
    fn in_short(&self) -> String {
        let more = match self.alike.releases - self.places.len() as u64 {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        format!("{}: {}{more}", self.alike.in_short(), self.places.join("; "))
    }
}
