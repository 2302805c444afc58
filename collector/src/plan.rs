//! `textveil-collector plan`: how many reports a question needs, before anything is collected.

use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::{Args, value_parser};
use textveil::{Disclosure, Mechanism, MechanismKind, Parameter, Privatizer, StatementList, Statements, Table};
use textveil_estimate::{Channel, Confidence, Question, Response, Words, reports_for_change, reports_for_width};
use textveil_toolkit::progress::bar;

use crate::estimate::{confidence, percent};

/// Say how many reports a share needs, before anything is collected
///
/// A share is asked for within an interval, or is to be told from a larger one in a later period. Of statements, name the list
/// or its length; of words, name them. The numbers come of the variance of an estimate from one report. Of words it is that
/// in public text.
#[derive(Args)]
pub(crate) struct Plan {
    /// The list of statements (.tvs)
    #[arg(long, value_name = "FILE", help_heading = "What is asked")]
    statements: Option<PathBuf>,
    /// A list of so many statements
    #[arg(long, value_name = "N", conflicts_with = "statements", value_parser = value_parser!(u32).range(2..), help_heading = "What is asked")]
    length: Option<u32>,
    /// The statements of the topic
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..), help_heading = "What is asked")]
    entries: u32,
    /// The words of a topic, instead of statements
    #[arg(long, value_name = "WORD", value_delimiter = ',', conflicts_with_all = ["statements", "length"], help_heading = "What is asked")]
    words: Vec<String>,
    /// The ε of one statement or word, in nats [default: the usual one]
    #[arg(long, value_name = "E", help_heading = "What is asked")]
    epsilon: Option<f64>,
    /// The share that is expected, as 0.05 [of words, default: in public text]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    share: Option<f64>,
    /// How far an interval may reach to each side
    #[arg(long, value_name = "SHARE", value_parser = share)]
    within: Option<f64>,
    /// By how much a share grows from one period to the next
    #[arg(long, value_name = "SHARE", value_parser = share)]
    change: Option<f64>,
    /// How many shares are compared: all of them hold together
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..))]
    compared: u32,
    /// With what probability a change is told
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, value_parser = share)]
    power: f64,
    /// With what probability intervals hold, and no share that did not change is told
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = confidence)]
    confidence: Confidence,
}

/// What is known of a question.
struct Asked {
    /// What is counted.
    counted: &'static str,
    share: f64,
    /// The variance of an estimate from one report, by the share.
    variance: Box<dyn Fn(f64) -> f64>,
}

impl Plan {
    pub(crate) fn run(&self) -> Result<()> {
        ensure!(self.within.is_some() || self.change.is_some(), "nothing is asked: say --within or --change");
        let Asked { counted, share, variance } =
            if self.words.is_empty() { self.of_statements()? } else { self.of_words()? };
        let confidence = self.confidence.of_all(self.compared as usize);
        let clear = |share: f64| share * (1.0 - share);
        let mut lines = Vec::new();
        if let Some(within) = self.within {
            let reports = |variance| reports_for_width(variance, within, confidence);
            lines.push(format!(
                "A share of {} within {} to each side: {} {counted} (without privacy {}).",
                percent(share),
                percent(within),
                reports(variance(share)),
                reports(clear(share)),
            ));
        }
        if let Some(change) = self.change {
            ensure!(share + change < 1.0, "a share of {} cannot grow by {}", percent(share), percent(change));
            let reports = |of: &dyn Fn(f64) -> f64| {
                reports_for_change([of(share), of(share + change)], change, self.power, confidence)
            };
            lines.push(format!(
                "A share that grows from {} to {}: {} {counted} in each period, to tell it with a probability of {} (without \
                 privacy {}).",
                percent(share),
                percent(share + change),
                reports(&variance),
                percent(self.power),
                reports(&clear),
            ));
        }
        writeln!(stdout(), "{}", lines.join("\n")).context("nobody reads the plan")
    }

    fn of_statements(&self) -> Result<Asked> {
        let epsilon = self.epsilon.unwrap_or(Statements::USUAL_EPSILON);
        let (response, length) = match (&self.statements, self.length) {
            (Some(path), _) => {
                let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
                let list = StatementList::parse(bytes).with_context(|| path.display().to_string())?;
                (Response::of_statements(&Statements::new(&list, epsilon)?), list.len())
            }
            (None, Some(length)) => {
                Parameter::Epsilon.check(epsilon)?;
                (Response::of_length(length as usize, epsilon), length as usize)
            }
            (None, None) => {
                anyhow::bail!("nothing is asked: name a list by --statements or --length, or words by --words")
            }
        };
        let entries = self.entries as usize;
        ensure!(entries < length, "a topic has fewer statements than the list");
        let share = self.share.context("say by --share how large the share may be")?;
        Ok(Asked { counted: "texts", share, variance: Box::new(move |share| response.variance(share, entries)) })
    }

    fn of_words(&self) -> Result<Asked> {
        let table = Table::english()?;
        let mut mechanism = Mechanism::new(MechanismKind::Nearest);
        if let Some(epsilon) = self.epsilon {
            mechanism = mechanism.with(Parameter::Epsilon, epsilon)?;
        }
        let row =
            |word: &String| table.find(&word.to_lowercase()).with_context(|| format!("\"{word}\" is not in the table"));
        let words = self.words.iter().map(row).collect::<Result<Vec<_>>>()?;
        let privatizer = Privatizer::new(&table, mechanism, Disclosure::default())?;
        let progress = bar("questions", Words::most_steps(1));
        let channel = Channel::new(&privatizer, false)?;
        let words = Words::new(channel, &table, vec![Question { name: String::new(), words }], &|| progress.inc(1));
        progress.finish_and_clear();
        let variance = words.variance(0);
        let share = self.share.unwrap_or_else(|| words.public_share(0));
        Ok(Asked { counted: "words", share, variance: Box::new(move |_| variance) })
    }
}

fn share(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|share| *share > 0.0 && *share < 1.0).ok_or("it must lie between 0 and 1")
}
