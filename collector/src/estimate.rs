//! `textveil-collector estimate`: how large shares are among what was released, and how sure that is.
//!
//! Releases are counted by group, period and law ([`counts`]): what was asked for is looked up first ([`topics`]), and the
//! numbers that go out are those of [`textveil_estimate`]. [`results`] holds them, as text, JSON and CSV; [`mod@page`] shows
//! them to people.

mod counts;
mod page;
mod period;
mod results;
mod topics;
mod twice;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, anyhow, bail, ensure};
use axum::body::Bytes;
use chrono::{DateTime, Utc};
use clap::Args;
use textveil::{StatementList, Table};
use textveil_bulk::guaranteed;
use textveil_estimate::{Confidence, Knowledge};
use textveil_tables::load;
use textveil_toolkit::files::{check_output, is_same_place, replace};
use textveil_toolkit::number::number;

use crate::reports::{Releases, Report, Wanted, each, each_or, is_database, named};
use crate::serve::list;
use crate::wrong_options;
use counts::{Counts, Kinds, Unlike};
use page::page;
pub(crate) use page::{CSV_ADDRESS, Home, STYLE_ADDRESS, shell, style};
use period::Period;
use results::Results;
pub(crate) use results::{NoReleases, percent, percentage_points};
use topics::Topics;
use twice::{Submissions, twice};

/// Estimate shares of statements, of words and topics, or of choices among what was released
///
/// How noise is drawn is public, so it can be removed from shares of statements and choices on average. Every share has an
/// interval that holds with the stated confidence, and one that holds for all shares of a list together. They are about all
/// people, if those who answered are a fair sample. A share of words is one of all words, not of texts. With few texts it
/// leans to how frequent the words are in public text: read its interval. Estimates are computed from releases alone and
/// weaken no guarantee.
///
/// For statements, name the list by --statements. Without topics, each statement is one. For words, name topics. All
/// forms of a word are counted (say, says, said), because a release may write another form than was drawn. For choices,
/// name the values by --choices, in the order of the list. All releases must have been drawn alike, at one ε.
#[derive(Args)]
pub(crate) struct Estimate {
    /// Files with releases, or the database of a collector: its file, or postgres://USER@HOST/DATABASE with the password
    /// in the environment variable PGPASSWORD or in ~/.pgpass. "-" is standard input, as JSON lines. Two inputs that hold
    /// the same submissions of a collector are refused
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    releases: Releases,
    /// The list that statements are of (.tvs)
    #[arg(long, value_name = "FILE", help_heading = "What is asked")]
    statements: Option<PathBuf>,
    /// The values of a choice, in the order of their list
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        conflicts_with = "statements",
        help_heading = "What is asked"
    )]
    choices: Vec<String>,
    #[command(flatten)]
    asked: QuestionOptions,
    /// The column that says for how many equal releases a row stands, where a program has grouped and counted them.
    /// Never name a column that devices send: one device could outweigh all others
    #[arg(long, value_name = "COLUMN", help_heading = "Among whom")]
    count: Option<String>,
    /// The column with the date of a release, as 2026-11-25. A date is taken as it is written, and times of Parquet are in
    /// UTC. Times whose offsets differ by more than an hour are refused [default: of a collector's database, the day]
    #[arg(long, value_name = "COLUMN", help_heading = "Among whom")]
    time: Option<String>,
    /// Leave out releases that were drawn unlike most, and what cannot be read or counted. Say how many, and why the first
    /// was. Without it the first of them ends the run. Files are read twice
    #[arg(long, help_heading = "Among whom")]
    leave_out: bool,
    /// The table of the words, instead of the built-in English one
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Write JSON instead of text
    #[arg(long)]
    json: bool,
    /// Write a page, too. Without --force the file must not be there yet
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the shares as CSV, too. Without --force the file must not be there yet
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Replace files of --html and --csv that are already there
    #[arg(long)]
    force: bool,
}

/// How many groups a page shows: devices may send any value of a public field.
const MOST_GROUPS: usize = 50;

/// The question, wherever the releases are.
#[derive(Args, Clone)]
pub(crate) struct QuestionOptions {
    /// A topic of words: "delivery=delivery,parcel,courier"
    #[arg(long, value_name = "NAME=WORD,…", help_heading = "What is asked")]
    topic: Vec<String>,
    /// Topics of words or of statements: each line has the name of a topic, a tab, and a word or a statement of it
    #[arg(long, value_name = "FILE", help_heading = "What is asked")]
    topics: Option<PathBuf>,
    /// Shares of each group that these columns make
    #[arg(long, value_name = "COLUMN", help_heading = "Among whom")]
    pub(crate) by: Vec<String>,
    /// Shares of each period, and which of them changed between the last two. A collector's day is that of UTC
    #[arg(long, value_enum, help_heading = "Among whom")]
    every: Option<Period>,
    /// Compare these two periods instead of the last two: "2026-W10,2026-W14"
    #[arg(long, value_name = "FIRST,LAST", value_parser = two_periods, requires = "every", help_heading = "Among whom")]
    between: Option<[String; 2]>,
    /// With what probability an interval holds
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = confidence, help_heading = "What is asked")]
    confidence: Confidence,
    /// The releases have words as they were drawn (`privatize --as-drawn`): count forms of a word apart. Nothing shows
    /// whether that is so. If it is not, shares are wrong
    #[arg(long, help_heading = "What is asked")]
    as_drawn: bool,
}

/// What shares are of.
#[derive(Clone, Copy)]
pub(crate) enum Of<'a> {
    /// The statements of a list, or topics of them.
    Statements(&'a StatementList),
    /// Topics of the words of a table, or of English ones.
    Words(Option<&'a Table>),
}

/// Shares, as a server shows them.
pub(crate) struct Shown {
    pub(crate) page: Bytes,
    pub(crate) csv: Bytes,
}

/// What is known of how releases were drawn: to find it out again takes long.
#[derive(Default)]
pub(crate) struct Known(Option<Counts>);

impl QuestionOptions {
    /// Whether a topic, a group or a period is named.
    pub(crate) fn asks(&self) -> bool {
        self.has_topics() || self.as_drawn || !self.by.is_empty() || self.every.is_some()
    }

    pub(crate) fn has_topics(&self) -> bool {
        !self.topic.is_empty() || self.topics.is_some()
    }

    /// Whether it can be asked of these statements or words.
    ///
    /// # Errors
    /// A topic cannot be read, or names what the list or the table lacks; what is compared is not two periods.
    pub(crate) fn check(&self, of: Of<'_>) -> Result<()> {
        self.check_periods().map_err(wrong_options)?;
        self.knowledge(of).map(drop)
    }

    /// # Errors
    /// What is compared is not two periods, the earlier one first. Names sort as periods do.
    fn check_periods(&self) -> Result<()> {
        let (Some(every), Some([first, last])) = (self.every, &self.between) else { return Ok(()) };
        every.check(first)?;
        every.check(last)?;
        ensure!(first < last, "--between: the first period must be the earlier one");
        Ok(())
    }

    fn knowledge(&self, of: Of<'_>) -> Result<Knowledge> {
        match of {
            Of::Statements(list) => {
                let topics = self.topics()?;
                topics.check(list)?;
                Ok(Knowledge::of_statements(list.clone(), topics.as_slice())?)
            }
            Of::Words(table) => self.of_words(table.cloned().map_or_else(Table::english, Ok)?),
        }
    }

    /// The shares of a field in the database of a collector. `known` is of the same question, and of the same list or table;
    /// `age` is how old the shares may be shown.
    ///
    /// # Errors
    /// Those of [`QuestionOptions::check`] and of reading; a release cannot be counted; [`NoReleases`].
    pub(crate) fn shown(
        &self,
        of: Of<'_>,
        database: &Path,
        field: &str,
        known: &mut Known,
        age: Duration,
    ) -> Result<Shown> {
        let mut counts = match known.0.take() {
            Some(counts) => counts,
            None => Counts::new(self.knowledge(of)?, self.every),
        };
        let releases = Releases { field: Some(field.to_owned()), guarantee: None };
        let wanted = Wanted { releases, may_miss: true, is_own_database: true, ..Wanted::default() };
        let results = self.results(&mut counts, &[database.to_owned()], wanted, true);
        known.0 = Some(counts.emptied());
        let results = results?.largest(MOST_GROUPS);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
        let now = DateTime::<Utc>::from_timestamp(now.cast_signed(), 0).context("the clock is wrong")?;
        let counted = format!("Counted on {now}. What came later shows after {} seconds at most.", age.as_secs());
        let page = page(&results, &Home::Server, Some(&counted))?.into_string();
        Ok(Shown { page: page.into(), csv: results.csv()?.into() })
    }

    fn of_words(&self, table: Table) -> Result<Knowledge> {
        let topics = self.topics()?;
        ensure!(
            !topics.is_empty(),
            wrong_options(anyhow!(
                "nothing is asked: name a list by --statements, the values of a choice by --choices, or topics of words by --topic"
            ))
        );
        Ok(Knowledge::of_words(table, topics.as_slice(), self.as_drawn)?)
    }

    fn topics(&self) -> Result<Topics> {
        let mut topics = self.topics.as_deref().map(Topics::read).transpose()?.unwrap_or_default();
        for topic in &self.topic {
            topics.add(topic)?;
        }
        Ok(topics)
    }

    /// With `leaves_out`, releases that were drawn unlike most are left out, and what cannot be counted.
    fn results(&self, counts: &mut Counts, files: &[PathBuf], wanted: Wanted, leaves_out: bool) -> Result<Results> {
        let wanted = Wanted {
            columns: self.by.clone(),
            needs_guarantee: true,
            is_by_clear: true,
            is_one_of_many: files.len() > 1,
            ..wanted
        };
        let is_a_database = |path: &Path| wanted.is_own_database || is_database(path);
        let mut before = Vec::new();
        if leaves_out {
            let mut kinds = Kinds::default();
            for path in files {
                let is_once = path == Path::new("-")
                    || path.exists() && !path.is_file() && !path.is_dir() && !is_a_database(path);
                ensure!(!is_once, ReadTwice::Once(named(path)));
                let add = &mut |report: Report| {
                    kinds.add(&report, &counts.knowledge);
                    Ok(())
                };
                let source = each_or(path, &wanted, add, &mut |_| Ok(()))?;
                before.push(source.sha256);
            }
            // What cannot be counted is left out, even if most releases are so.
            let mut first = Ok(());
            for draw in kinds.by_count() {
                match counts.expect(draw) {
                    Ok(()) => {
                        first = Ok(());
                        break;
                    }
                    refused => first = first.and(refused),
                }
            }
            first?;
        }
        let (mut read, mut inputs) = (BTreeMap::new(), Vec::new());
        for (number, path) in files.iter().enumerate() {
            let mut submissions = Submissions::of(named(path));
            // One input alone takes no memory for its rows.
            let mut note = |report: &Report| {
                if files.len() > 1 {
                    submissions.add(report);
                }
            };
            let source = if leaves_out {
                let (counts, name) = (RefCell::new(&mut *counts), named(path));
                let add = &mut |report: Report| {
                    note(&report);
                    counts.borrow_mut().add_or_leave_out(&name, &report);
                    Ok(())
                };
                let leave_out = &mut |error| {
                    counts.borrow_mut().leave_out(&error);
                    Ok(())
                };
                each_or(path, &wanted, add, leave_out)?
            } else {
                each(path, &wanted, &mut |report| {
                    note(&report);
                    counts.add(&report).map_err(|error| match error.is::<Unlike>() {
                        true => {
                            anyhow!("{error}. Estimate each kind by itself. --leave-out counts the larger kind alone")
                        }
                        false => error,
                    })
                })?
            };
            counts.never_drawn = counts.never_drawn.saturating_add(source.left_out);
            // Releases may come into a database meanwhile.
            let is_same = before.get(number).is_none_or(|before| *before == source.sha256) || is_a_database(path);
            ensure!(is_same, ReadTwice::Changed(named(path)));
            if let Some(before) = read.insert(source.sha256, source.file.clone()) {
                bail!("{} and {before} hold the same: each release counts once", source.file);
            }
            inputs.push(submissions);
        }
        if let Some([one, other]) = twice(&inputs) {
            bail!(
                "{one} and {other} hold the same submissions: each would count twice. Name the database alone, or one export of it"
            );
        }
        Results::of(counts, &self.by, self.between.as_ref(), self.confidence)
    }
}

impl Estimate {
    pub(crate) fn run(&self) -> Result<()> {
        self.check_outputs()?;
        let is_list = |file: &&PathBuf| file.extension().is_some_and(|extension| extension == "tvs");
        if let Some(list) = self.files.iter().find(is_list) {
            let why = anyhow!(
                "{} is a list of statements: name one, by --statements, and the releases before it",
                list.display()
            );
            return Err(wrong_options(why));
        }
        let results = self.results()?;
        if let Some(path) = &self.csv {
            replace(path, results.csv()?.as_bytes())?;
        }
        let shown = if self.json { serde_json::to_string_pretty(&results)? + "\n" } else { results.to_string() };
        if let Some(path) = &self.html {
            replace(path, page(&results.largest(MOST_GROUPS), &Home::File, None)?.into_string().as_bytes())?;
        }
        stdout().write_all(shown.as_bytes()).context("nobody reads the results")
    }

    /// # Errors
    /// A page or a table would take the place of a file that is read, of each other, or, without `--force`, of any file.
    fn check_outputs(&self) -> Result<()> {
        let beside: Vec<PathBuf> = self.files.iter().map(|file| guaranteed::place(file)).collect();
        let named = [&self.releases.guarantee, &self.statements, &self.table, &self.asked.topics];
        let inputs = self.files.iter().chain(&beside).chain(named.into_iter().flatten());
        let inputs: Vec<&Path> = inputs.map(PathBuf::as_path).collect();
        let both = self.html.as_ref().zip(self.csv.as_ref());
        let is_dash = |output: &&PathBuf| output.as_path() == Path::new("-");
        ensure!(
            ![&self.html, &self.csv].into_iter().flatten().any(|output| is_dash(&output)),
            wrong_options(anyhow!("--html and --csv name files, and \"-\" is none"))
        );
        ensure!(
            !both.is_some_and(|(html, csv)| is_same_place(html, csv)),
            wrong_options(anyhow!("--html and --csv name the same file"))
        );
        [&self.html, &self.csv].into_iter().flatten().try_for_each(|output| check_new(output, &inputs, self.force))
    }

    fn results(&self) -> Result<Results> {
        ensure!(
            self.time.is_none() || self.asked.every.is_some(),
            wrong_options(anyhow!("--time is the column of what --every asks for"))
        );
        self.asked.check_periods().map_err(wrong_options)?;
        let mut counts = Counts::new(self.knowledge()?, self.asked.every);
        let wanted = Wanted {
            releases: self.releases.clone(),
            time: self.time.clone(),
            count: self.count.clone(),
            ..Wanted::default()
        };
        self.asked.results(&mut counts, &self.files, wanted, self.leave_out)
    }

    fn knowledge(&self) -> Result<Knowledge> {
        if let Some(path) = &self.statements {
            return self.asked.knowledge(Of::Statements(&list(path)?));
        }
        if !self.choices.is_empty() {
            ensure!(
                !self.asked.has_topics(),
                wrong_options(anyhow!("the bits of a choice say nothing of several values together: leave out topics"))
            );
            return Ok(Knowledge::of_choices(self.choices.clone()));
        }
        self.asked.of_words(load(self.table.as_deref())?)
    }
}

/// Refuses an output that is one of the inputs or, without `--force`, a file.
///
/// # Errors
/// As [`check_output`], and the file is there already.
pub(crate) fn check_new(output: &Path, inputs: &[&Path], force: bool) -> Result<()> {
    check_output(output, inputs)?;
    ensure!(force || !output.is_file(), "{} is there already: --force replaces it", output.display());
    Ok(())
}

/// Why a file cannot be read twice, which `--leave-out` does.
#[derive(Debug)]
enum ReadTwice {
    /// It is a pipe.
    Once(String),
    /// It was another one the second time.
    Changed(String),
}

impl fmt::Display for ReadTwice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Once(name) => {
                write!(f, "--leave-out reads files twice, and {name} can be read once: write it to a file first")
            }
            Self::Changed(name) => write!(f, "{name} changed while it was read: run it again when nobody writes to it"),
        }
    }
}

impl std::error::Error for ReadTwice {}

fn two_periods(text: &str) -> Result<[String; 2], &'static str> {
    let (first, last) = text.split_once(',').ok_or("it must be FIRST,LAST")?;
    Ok([first, last].map(|period| period.trim().to_owned()))
}

/// A probability, as an option has it.
pub(crate) fn confidence(text: &str) -> Result<Confidence, &'static str> {
    number(text).and_then(|share| Confidence::new(share).ok_or("it must lie above 0 and be at most 0.9999"))
}
