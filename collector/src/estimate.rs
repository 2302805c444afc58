//! `textveil-collector estimate`: how large shares are among what was released, and how sure that is.
//!
//! Releases are counted by group, period and law ([`counts`]): what was asked for is looked up first ([`topics`]), and the
//! numbers that go out are those of [`textveil_estimate`]. [`results`] holds them, as text, JSON and CSV; [`page`] shows
//! them to people.

mod counts;
mod page;
mod period;
mod results;
mod topics;

use std::collections::BTreeMap;
use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use textveil::StatementList;
use textveil_estimate::{Confidence, Knowledge};
use textveil_tables::load;
use textveil_toolkit::files::replace;

use crate::reports::{Releases, Wanted, each};
use counts::Counts;
use period::Period;
use results::Results;
pub(crate) use results::percent;
use topics::Topics;

/// Estimate shares of statements, of words and topics, or of choices among what was released
///
/// The noise of releases is public, and is taken back on average. Every share has an interval that holds with the stated
/// confidence, and one that holds for all shares of a list together. They are about the people of whom those who answered
/// are a sample. A share of words is one of all words, not of texts. Estimates are computed from releases alone and weaken
/// no guarantee.
///
/// Of statements, name the list by --statements; without topics, each statement is one. Of words, name topics. Of a word all
/// its forms are counted (say, says, said), because a release may write another form than was drawn. Of choices, name the
/// values by --choices, in the order of the list. All releases must have been drawn alike, at one ε.
#[derive(Args)]
pub(crate) struct Estimate {
    /// Files with releases, or the database of a collector; "-" is standard input, as JSON lines
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
    /// A topic of words: "delivery=delivery,parcel,courier"
    #[arg(long, value_name = "NAME=WORD,…", help_heading = "What is asked")]
    topic: Vec<String>,
    /// Topics of words or of statements: each line has the name of a topic, a tab, and a word or a statement of it
    #[arg(long, value_name = "FILE", help_heading = "What is asked")]
    topics: Option<PathBuf>,
    /// The column that says for how many equal releases a row stands, where a program has grouped and counted them. Who
    /// can write it can outweigh all others: name none that devices send
    #[arg(long, value_name = "COLUMN", help_heading = "Among whom")]
    count: Option<String>,
    /// Shares of each group that these columns make
    #[arg(long, value_name = "COLUMN", help_heading = "Among whom")]
    by: Vec<String>,
    /// The column with the date of a release, as 2026-11-25 [default: of a collector's database, the day]
    #[arg(long, value_name = "COLUMN", help_heading = "Among whom")]
    time: Option<String>,
    /// Shares of each period, and which of them changed between the last two
    #[arg(long, value_enum, help_heading = "Among whom")]
    every: Option<Period>,
    /// With what probability an interval holds
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = confidence)]
    confidence: Confidence,
    /// The releases have words as they were drawn (`privatize --as-drawn`): count forms of a word apart. Nothing shows
    /// whether that is so; if it is not, shares are wrong
    #[arg(long)]
    as_drawn: bool,
    /// The table of the words, instead of the built-in English one
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Write JSON instead of text
    #[arg(long)]
    json: bool,
    /// Write a page, too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the shares as CSV, too
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

impl Estimate {
    pub(crate) fn run(&self) -> Result<()> {
        let results = self.results()?;
        if let Some(path) = &self.csv {
            replace(path, results.csv()?.as_bytes())?;
        }
        if let Some(path) = &self.html {
            replace(path, page::page(&results).into_string().as_bytes())?;
        }
        let shown = if self.json { serde_json::to_string_pretty(&results)? + "\n" } else { results.to_string() };
        stdout().write_all(shown.as_bytes()).context("nobody reads the results")
    }

    fn results(&self) -> Result<Results> {
        ensure!(self.time.is_none() || self.every.is_some(), "--time is the column of what --every asks for");
        let knowledge = self.knowledge()?;
        let wanted = Wanted {
            releases: self.releases.clone(),
            columns: self.by.clone(),
            time: self.time.clone(),
            count: self.count.clone(),
            needs_guarantee: true,
        };
        let mut counts = Counts::new(knowledge, self.every);
        let mut read = BTreeMap::new();
        for path in &self.files {
            let source = each(path, &wanted, &mut |report| counts.add(report))?;
            if let Some(before) = read.insert(source.sha256, source.file.clone()) {
                bail!("{} and {before} hold the same: each release counts once", source.file);
            }
        }
        Results::of(&counts, &self.by, self.confidence)
    }

    fn knowledge(&self) -> Result<Knowledge> {
        let mut topics = self.topics.as_deref().map(Topics::read).transpose()?.unwrap_or_default();
        for topic in &self.topic {
            topics.add(topic)?;
        }
        if let Some(path) = &self.statements {
            let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            let list = StatementList::parse(bytes).with_context(|| path.display().to_string())?;
            return Ok(Knowledge::of_statements(list, topics.as_slice())?);
        }
        if !self.choices.is_empty() {
            ensure!(topics.is_empty(), "the bits of a choice say nothing of several values together: leave out topics");
            return Ok(Knowledge::of_choices(self.choices.clone()));
        }
        ensure!(
            !topics.is_empty(),
            "nothing is asked: name a list by --statements, the values of a choice by --choices, or topics of words by --topic"
        );
        Ok(Knowledge::of_words(load(self.table.as_deref())?, topics.as_slice(), self.as_drawn)?)
    }
}

/// A probability, as an option has it.
pub(crate) fn confidence(text: &str) -> Result<Confidence, &'static str> {
    text.parse().ok().and_then(Confidence::new).ok_or("it must lie above 0 and be at most 0.9999")
}
