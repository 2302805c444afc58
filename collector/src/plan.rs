//! `textveil-collector plan`: how many reports a question needs, before anything is collected.
//!
//! Without texts, the numbers follow from mechanisms and public frequencies. With texts that the owner may read, each way to
//! release them is tried ([`study`]), and what came of it is also a page ([`page`]).

#[cfg(feature = "train")]
mod page;
#[cfg(feature = "train")]
mod study;
#[cfg(feature = "train")]
mod texts;
#[cfg(feature = "train")]
mod ways;

use std::io::{Write, stdout};
#[cfg(feature = "train")]
use std::iter;
#[cfg(feature = "train")]
use std::path::Path;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, ensure};
use clap::{Args, value_parser};
use serde_json::{Value, json};
use textveil::{Disclosure, Mechanism, MechanismKind, Parameter, Privatizer, StatementList, Statements, Table, WordId};
use textveil_estimate::{Channel, Confidence, Question, Response, Variation, Words};
use textveil_toolkit::mechanism::{Request, Source};
use textveil_toolkit::number::{number, share};
use textveil_toolkit::progress::bar;
use textveil_toolkit::report::numbers::grouped;

use crate::estimate::{confidence, percent, percentage_points};
use crate::serve::list;
use crate::wrong_options;

/// Say how many reports a share needs, before anything is collected
///
/// Ask for a share within an interval (--within), or for a growth from one period to the next (--change). Or ask how
/// far an interval reaches with the answers that you have (--answers). For statements, name the list or its length. For
/// words, name them. For statements, the numbers fit the exact intervals and the exact test of `estimate`. By chance an
/// interval becomes a little wider or narrower. For words, the numbers follow from the variance of an estimate in
/// public text.
///
/// A share of a statement is the share of texts that it is near to, at every ε. At a small ε several statements are near
/// to a text, and `estimate` divides such a share by their number. A share of a topic of several statements (--entries) is
/// meant as `estimate` shows it.
///
/// With some thousand texts that you may read, each way to release them is tried: words at every preset, and a
/// statement of each list. With --label, a classifier is measured, too: how well it tells the label from releases. The
/// share in the texts replaces --share.
#[derive(Args)]
pub(crate) struct Plan {
    #[cfg(feature = "train")]
    #[command(flatten)]
    trial: Trial,
    /// The list of statements (.tvs). With texts, several lists
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What is asked")]
    statements: Vec<PathBuf>,
    /// A list with this number of statements
    #[cfg_attr(feature = "train", arg(conflicts_with = "Trial"))]
    #[arg(long, value_name = "N", conflicts_with = "statements", value_parser = value_parser!(u32).range(2..), help_heading = "What is asked")]
    length: Option<u32>,
    /// How many statements are near to a text. Without it one of a list of answers, and otherwise 6·M/e^ε of M statements,
    /// at least one
    #[cfg_attr(feature = "train", arg(conflicts_with = "Trial"))]
    #[arg(long, value_name = "K", conflicts_with = "words", value_parser = value_parser!(u32).range(1..), help_heading = "What is asked")]
    near: Option<u32>,
    /// The statements of the topic
    #[cfg_attr(feature = "train", arg(conflicts_with = "Trial"))]
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..), help_heading = "What is asked")]
    entries: u32,
    /// The words of a topic, instead of statements. With texts, as well as statements
    #[arg(
        long,
        value_name = "WORD,…",
        value_delimiter = ',',
        conflicts_with = "length",
        help_heading = "What is asked"
    )]
    words: Vec<String>,
    /// The ε of one statement or word, in nats. With texts, of statements alone [default: the usual one]
    #[arg(long, value_name = "E", value_parser = number, help_heading = "What is asked")]
    epsilon: Option<f64>,
    /// The share that is expected, as 0.05: of texts that the statement is near to, or of words [of words, default: in
    /// public text]
    #[cfg_attr(feature = "train", arg(conflicts_with = "Trial"))]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    share: Option<f64>,
    #[command(flatten)]
    precision: Precision,
    /// Write JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Texts to try ways to release on.
#[cfg(feature = "train")]
#[derive(Args)]
struct Trial {
    /// Texts that you may read: CSV, TSV, Parquet, or a text a line
    #[arg(value_name = "TEXTS")]
    texts: Option<PathBuf>,
    /// The column with the texts
    #[arg(long, value_name = "COLUMN", default_value = "text", requires = "texts", help_heading = "Texts")]
    column: String,
    /// The column with a label, to see how well it is told from releases
    #[arg(long, value_name = "COLUMN", requires = "texts", help_heading = "Texts")]
    label: Option<String>,
    /// The accuracy that is wanted, as 0.8
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "label", help_heading = "Texts")]
    accuracy: Option<f64>,
    /// Most texts that are looked at
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(50..), requires = "texts", help_heading = "Texts")]
    limit: usize,
    /// The seed of draws and of choices of texts. Nothing is released
    #[arg(long, value_name = "N", default_value_t = 0, requires = "texts", help_heading = "Texts")]
    seed: u64,
    /// Write a page, too. It holds none of the texts. Without --force it must not be there yet
    #[arg(long, value_name = "FILE", requires = "texts")]
    html: Option<PathBuf>,
    /// Replace an --html that is already there
    #[arg(long, requires = "html")]
    force: bool,
}

/// How well a share must be known.
#[derive(Args)]
struct Precision {
    /// How far an interval may reach to each side
    #[arg(long, value_name = "SHARE", value_parser = share)]
    within: Option<f64>,
    /// Say how far an interval reaches to each side with this number of answers. With --words and without texts, the
    /// number counts words
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    answers: Option<u64>,
    /// By how much a share grows from one period to the next
    #[arg(long, value_name = "SHARE", value_parser = share)]
    change: Option<f64>,
    /// How many shares are compared: all of them hold together [default: 1]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    compared: Option<u32>,
    /// With what probability a change is told
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, value_parser = share)]
    power: f64,
    /// With what probability intervals hold, and no share that did not change is told
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = confidence)]
    confidence: Confidence,
}

impl Precision {
    fn is_asked(&self) -> bool {
        self.within.is_some() || self.change.is_some() || self.answers.is_some()
    }

    /// How many shares must hold together.
    fn shares(&self) -> u32 {
        self.compared.unwrap_or(1)
    }

    fn confidence(&self) -> Confidence {
        self.confidence.of_all(self.shares() as usize)
    }

    /// Reports until the interval of a share is as narrow as asked, if it can be.
    fn for_width(&self, share: f64, variation: Variation) -> Option<u64> {
        let reports = variation.reports_for_width(share, self.within?, self.confidence());
        (reports < u64::MAX).then_some(reports)
    }

    /// How far the interval of a share reaches to each side with the answers that are there.
    fn half_width(&self, share: f64, variation: Variation) -> Option<f64> {
        Some(variation.half_width(share, self.answers?, self.confidence()))
    }

    /// How the share of words in clear varies. It is binomial, with `factor` times the variance.
    fn of_words(&self, share: f64, factor: f64) -> Variation {
        let grown = share + self.change.unwrap_or(0.0);
        let of_one = [share, grown].map(|share| share * (1.0 - share) * factor);
        Variation::Variances { of_one, of_all: [0.0; 2] }
    }

    /// Texts that an answer needs, where all that is asked can be reached.
    #[cfg(feature = "train")]
    fn texts(&self, [width, change]: [Option<u64>; 2]) -> Option<u64> {
        let [is_wide, is_small] = [self.within.is_some() && width.is_none(), self.change.is_some() && change.is_none()];
        width.max(change).filter(|_| !is_wide && !is_small)
    }

    /// Reports in each period until the growth of a share is found, if it can be.
    fn for_change(&self, share: f64, variation: Variation) -> Option<u64> {
        let shares = [share, share + self.change?];
        let reports = variation.reports_for_change(shares, self.power, self.confidence());
        (reports < u64::MAX).then_some(reports)
    }
}

/// What is counted of a list of answers.
const ANSWERS: &str = "answers";

/// What is known of a question.
struct Demand {
    /// What is counted.
    counted: &'static str,
    /// Of one statement or word.
    epsilon: f64,
    share: f64,
    /// How many statements are near to a text. A word is one by itself.
    near: usize,
    /// Of a statement, how many the list has: a report of shares shows all of them.
    listed: Option<u32>,
    note: Option<String>,
    variation: Variation,
    /// The same of texts in clear.
    clear: Variation,
}

/// An answer as JSON, and in lines.
type Told = (Value, Vec<String>);

impl Demand {
    /// Reports until the interval of the share is as narrow as this.
    fn width(&self, asked: &Precision, within: f64) -> Told {
        let reports = |asked: &Precision, variation| asked.for_width(self.share, variation);
        let [private, clear] = [self.variation, self.clear].map(|variation| reports(asked, variation));
        let mut found = json!({ "within": within, "reports": private, "withoutPrivacy": clear });
        let mut lines = vec![format!(
            "A share of {} within {} to each side, at epsilon {}: {} (without privacy {}).",
            percent(self.share),
            percentage_points(within),
            self.epsilon,
            self.shown(private),
            clearly(clear),
        )];
        if let Some((shares, asked)) = self.whole_list(asked) {
            let reports = reports(&asked, self.variation);
            found["wholeList"] = json!({ "shares": shares, "reports": reports });
            lines.push(self.of_whole_list(shares, &self.shown(reports)));
        }
        (found, lines)
    }

    /// How far the interval of the share reaches with this number of answers.
    fn half_width(&self, asked: &Precision, answers: u64) -> Told {
        let reach = |asked: &Precision, variation| asked.half_width(self.share, variation);
        let shown = |reach: Option<f64>| reach.map_or_else(String::new, percentage_points);
        let [private, clear] = [self.variation, self.clear].map(|variation| reach(asked, variation));
        let mut found = json!({ "answers": answers, "within": private, "withoutPrivacy": clear });
        let mut lines = vec![format!(
            "A share of {} with {} {}, at epsilon {}: within about {} to each side (without privacy {}).",
            percent(self.share),
            grouped(answers),
            self.counted,
            self.epsilon,
            shown(private),
            shown(clear),
        )];
        if let Some((shares, asked)) = self.whole_list(asked) {
            let reach = reach(&asked, self.variation);
            found["wholeList"] = json!({ "shares": shares, "within": reach });
            lines.push(self.of_whole_list(shares, &format!("within about {}", shown(reach))));
        }
        (found, lines)
    }

    /// Reports in each period until the share is seen to grow by this.
    fn growth(&self, asked: &Precision, change: f64) -> Told {
        let reports = |asked: &Precision, variation| asked.for_change(self.share, variation);
        let [private, clear] = [self.variation, self.clear].map(|variation| reports(asked, variation));
        let mut found = json!({
            "by": change,
            "power": asked.power,
            "reportsEachPeriod": private,
            "withoutPrivacy": clear,
        });
        let mut lines = vec![format!(
            "A share that grows from {} to {}, at epsilon {}: {} in each period, to tell it with a probability of {} \
             (without privacy {}).",
            percent(self.share),
            percent(self.share + change),
            self.epsilon,
            self.shown(private),
            percent(asked.power),
            clearly(clear),
        )];
        if let Some((shares, asked)) = self.whole_list(asked) {
            let reports = reports(&asked, self.variation);
            found["wholeList"] = json!({ "shares": shares, "reportsEachPeriod": reports });
            lines.push(self.of_whole_list(shares, &format!("{} in each period", self.shown(reports))));
        }
        (found, lines)
    }

    /// What is asked of all statements of the list together, unless the user said how many shares are compared.
    fn whole_list(&self, asked: &Precision) -> Option<(u32, Precision)> {
        let shares = self.listed.filter(|_| asked.compared.is_none())?;
        Some((shares, Precision { compared: Some(shares), ..*asked }))
    }

    /// For how many shares the numbers hold, where [`Demand::whole_list`] does not say it.
    fn scope(&self, asked: &Precision) -> Option<String> {
        match asked.compared {
            None if self.listed.is_none() => {
                Some("This is for one share. For several shares together, say --compared.".to_owned())
            }
            Some(shares @ 2..) => Some(format!("This is for {shares} shares together.")),
            _ => None,
        }
    }

    /// What a number is for one share, and for all shares of a list.
    fn of_whole_list(&self, shares: u32, number: &str) -> String {
        let listed = if self.counted == ANSWERS { ANSWERS } else { "statements" };
        format!("This is for one share. For all {shares} {listed} of the list together: {number}.")
    }

    /// "text", "word".
    fn one(&self) -> &str {
        self.counted.trim_end_matches('s')
    }

    /// "515 texts".
    fn shown(&self, reports: Option<u64>) -> String {
        reports.map_or_else(
            || format!("cannot be reached with any number of {}", self.counted),
            |reports| format!("{} {}", grouped(reports), if reports == 1 { self.one() } else { self.counted }),
        )
    }
}

/// A number of reports in clear.
fn clearly(reports: Option<u64>) -> String {
    reports.map_or_else(|| "neither".to_owned(), grouped)
}

/// How a share of texts varies that are counted in clear.
const IN_CLEAR: Variation = Variation::Hits { start: 0.0, slope: 1.0 };

/// What the share of a topic of several statements is, where several are near to a text.
fn of_topic(near: usize) -> Option<String> {
    (near > 1).then(|| {
        format!(
            "At this epsilon a text counts 1/{near} for each of the {near} statements that are nearest to it. The share of a topic is that \
             of these counts, as `estimate` shows it, and NOT that of those who said it. A larger epsilon counts fewer."
        )
    })
}

/// What a share is, and what it is not, where several statements are near to a text.
fn of_statement(near: usize) -> Option<String> {
    (near > 1).then(|| {
        format!(
            "At this epsilon a text counts for the {near} statements that are nearest to it. So a share is that of the texts near to a \
             statement, and NOT of those who said it. `estimate` shows it divided by {near}. A larger epsilon counts fewer."
        )
    })
}

impl Plan {
    pub(crate) fn run(&self) -> Result<()> {
        #[cfg(feature = "train")]
        if let Some(texts) = &self.trial.texts {
            return self.try_on(texts);
        }
        let asked = &self.precision;
        ensure!(asked.is_asked(), wrong_options(anyhow!("nothing is asked: say --within, --answers or --change")));
        let demand = if self.words.is_empty() { self.of_statements()? } else { self.of_words()? };
        let mut found = json!({
            "counted": demand.counted,
            "epsilon": demand.epsilon,
            "share": demand.share,
            "confidence": asked.confidence.get(),
            "compared": asked.shares(),
            "near": demand.near,
            "note": demand.note,
        });
        let mut lines = Vec::new();
        let mut tell = |name: &str, (value, told): Told| {
            found[name] = value;
            lines.extend(told);
        };
        if let Some(within) = asked.within {
            tell("width", demand.width(asked, within));
        }
        if let Some(answers) = asked.answers {
            tell("halfWidth", demand.half_width(asked, answers));
        }
        if let Some(change) = asked.change {
            ensure!(
                demand.share + change < 1.0,
                wrong_options(anyhow!("a share of {} cannot grow by {}", percent(demand.share), percent(change)))
            );
            tell("growth", demand.growth(asked, change));
        }
        lines.extend(demand.scope(asked));
        lines.extend(demand.note);
        let shown = if self.json { format!("{found:#}") } else { lines.join("\n") };
        writeln!(stdout(), "{shown}").context("nobody reads the plan")
    }

    /// Tries ways to release texts on these.
    #[cfg(feature = "train")]
    fn try_on(&self, path: &Path) -> Result<()> {
        let Trial { column, label, accuracy, limit, seed, html, force, .. } = &self.trial;
        ensure!(
            label.is_some() || self.precision.is_asked(),
            wrong_options(anyhow!(
                "nothing is asked: name a column by --label, or say --within, --answers or --change"
            ))
        );
        let inputs: Vec<&Path> = iter::once(path).chain(self.statements.iter().map(PathBuf::as_path)).collect();
        html.as_deref().map_or(Ok(()), |html| crate::estimate::check_new(html, &inputs, *force))?;
        let table = Table::english()?;
        let study = study::Study {
            texts: texts::Texts::read(path, column, label.as_deref(), *limit, *seed)?,
            lists: study::lists(&self.statements)?,
            epsilon: self.epsilon.unwrap_or(Statements::USUAL_EPSILON),
            topic: &self.topic(&table)?,
            accuracy: *accuracy,
            precision: &self.precision,
            seed: *seed,
        };
        let findings = study.run(&table)?;
        if let Some(path) = html {
            let page = page::page(&findings, study.texts.texts.len());
            textveil_toolkit::files::replace(path, page.into_string().as_bytes())?;
        }
        findings.print(self.json, &mut stdout().lock()).context("nobody reads the plan")
    }

    fn of_statements(&self) -> Result<Demand> {
        let listed = match self.statements.as_slice() {
            [path] => Some(list(path)?),
            _ => None,
        };
        let usual = listed.as_ref().map_or(Statements::USUAL_EPSILON, StatementList::usual_epsilon);
        let epsilon = self.epsilon.unwrap_or(usual);
        ensure!(
            Parameter::Epsilon.check(epsilon).is_ok_and(|epsilon| epsilon <= Statements::MOST_EPSILON),
            wrong_options(anyhow!(
                "--epsilon must be above 0, and the ε of a statement is at most {}",
                Statements::MOST_EPSILON
            ))
        );
        let (length, usual_near) = match (&listed, self.length) {
            (Some(list), _) => (list.len(), list.usual_near(epsilon)),
            (None, Some(length)) => (length as usize, Statements::usual_near(length as usize, epsilon)),
            (None, None) if self.statements.is_empty() => {
                let why = anyhow!("nothing is asked: name a list by --statements or --length, or words by --words");
                return Err(wrong_options(why));
            }
            (None, None) => {
                let why = anyhow!("several lists are compared by trying them: name a file with texts");
                return Err(wrong_options(why));
            }
        };
        let fewer_than_listed = |number: u32, why: &str| {
            let why = anyhow!("{why}");
            ensure!((number as usize) < length, if self.length.is_some() { wrong_options(why) } else { why });
            Ok(number as usize)
        };
        let entries = fewer_than_listed(self.entries, "a topic has fewer statements than the list")?;
        let near = match self.near {
            Some(near) if near > 1 && listed.as_ref().is_some_and(StatementList::is_of_answers) => {
                return Err(wrong_options(anyhow!("an answer is near to itself alone: leave out --near")));
            }
            Some(near) => fewer_than_listed(near, &format!("--near must be from 1 to {}", length - 1))?,
            None => usual_near,
        };
        let response = Response::of_length(length, near, epsilon);
        let share = self.share.ok_or_else(|| wrong_options(anyhow!("say by --share how large the share may be")))?;
        if entries == 1 {
            let variation = response.variation_of_values(entries);
            return Ok(Demand {
                counted: if listed.is_some_and(|list| list.is_of_answers()) { ANSWERS } else { "texts" },
                epsilon,
                share,
                near,
                listed: u32::try_from(length).ok(),
                note: of_statement(near),
                variation,
                clear: IN_CLEAR,
            });
        }
        let most = response.most(entries);
        let grown = share + self.precision.change.unwrap_or(0.0);
        ensure!(grown < most, "at this epsilon a share of this topic is below {}", percent(most));
        Ok(Demand {
            counted: "texts",
            epsilon,
            share,
            near,
            listed: None,
            note: of_topic(near),
            variation: response.variation(entries),
            clear: IN_CLEAR,
        })
    }

    fn of_words(&self) -> Result<Demand> {
        ensure!(
            self.statements.is_empty(),
            wrong_options(anyhow!("a topic is of words or of statements: leave out --words or --statements"))
        );
        let table = Table::english()?;
        let (kind, given) = (MechanismKind::Nearest, self.epsilon.map(|epsilon| (Parameter::Epsilon, epsilon)));
        let request = Request { kind, given: given.into_iter().collect(), source: Source::Table(&table) };
        let set = |mechanism: Mechanism, (parameter, value)| mechanism.with(parameter, value);
        let privatizer = given
            .into_iter()
            .try_fold(Mechanism::new(kind), set)
            .and_then(|mechanism| Privatizer::new(&table, mechanism, Disclosure::default()))
            .map_err(|error| request.explain(error))?;
        let words = self.topic(&table)?;
        let progress = bar("questions", Words::most_steps(1));
        let channel = Channel::new(&privatizer, false)?;
        let words = Words::new(channel, &table, vec![Question { name: String::new(), words }], &|| progress.inc(1));
        progress.finish_and_clear();
        let variance = words.variance(0);
        let share = self.share.unwrap_or_else(|| words.public_share(0));
        let grown = share + self.precision.change.unwrap_or(0.0);
        let of_all = [share, grown].map(|share| words.bias(&words.public_shares(0, share), 0));
        let variation = Variation::Variances { of_one: [variance; 2], of_all };
        let clear = self.precision.of_words(share, 1.0);
        let epsilon = privatizer.guarantee(1).epsilon_word;
        Ok(Demand { counted: "words", epsilon, share, near: 1, listed: None, note: None, variation, clear })
    }

    /// The rows of the words that are asked for.
    fn topic(&self, table: &Table) -> Result<Vec<WordId>> {
        let row = |word: &String| {
            let why = || wrong_options(anyhow!("\"{word}\" is not in the table{}", self.words_alone(word)));
            table.find(&word.to_lowercase()).ok_or_else(why)
        };
        self.words.iter().map(row).collect()
    }

    /// What to write instead of a topic with a name, as `estimate --topic` takes it.
    fn words_alone(&self, word: &str) -> String {
        if !word.contains('=') {
            return String::new();
        }
        let alone = |word: &String| word.split_once('=').map_or_else(|| word.clone(), |(_, word)| word.to_owned());
        let words = self.words.iter().map(alone).collect::<Vec<_>>().join(",");
        format!(". --words takes the words alone, without a name for the topic: --words {words}")
    }
}
