//! `textveil calibrate`: choosing the level from evidence.
//!
//! A guarantee bounds what anyone can learn. The effect of a level on the words that people write is another question.
//! How often do words come out unchanged? Among how many others do they hide? How often is an attacker right?
//! [`evidence`] measures it for a vocabulary, [`geometry`] shows why, and [`report`] and [`page`] tell it.

mod chart;
mod evidence;
mod geometry;
mod page;
mod report;

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use rand_core::SeedableRng;
use textveil::{
    Disclosure, Error, Gauge, Mechanism, MechanismKind, Parameter, Piece, Privatizer, ReleaseRng, Table, Target,
    WordId, look_up, normalize,
};

use evidence::{ByPrior, Evidence, Priors, Question, WordOdds, sample};
use geometry::Geometry;
use report::{LevelEvidence, Report, TokenEvidence, Vocabulary};
use textveil_toolkit::exit::wrong_options;
use textveil_toolkit::mechanism::{MechanismOptions, Request, Source, word_mechanisms};
use textveil_toolkit::number::{number, number_that};

/// Words that S_w is computed for at each of several levels, where probabilities are stated.
const SAMPLED: usize = 1024;
/// The same where every word has to be released many times, at one level as at several.
const SAMPLED_BY_DRAWS: usize = 64;
/// Words that are compared with all others for the geometry of a table.
const COMPARED: usize = 2048;
/// Words whose odds are shown if the user names no words.
const EXAMPLES: [&str; 10] =
    ["cancer", "diabetes", "pregnant", "depression", "divorce", "doctor", "money", "sister", "happy", "march"];

/// Choose the level from evidence: plausible deniability (N_w, S_w) and attack success
///
/// N_w is the probability that a word comes out as itself. S_w, the effective support, is the least number of words
/// that it turns into with probability 1 - q. Attackers guess the word from the result. For single words it tells how
/// sure such a reader can be: if "cancer" was drawn, how often was it written there? Readers who weigh the words
/// around know more. With a target, every level of the table is measured and the largest within it is chosen.
/// Otherwise the mechanism is measured as it is set. With --words or --text alone, only those are looked at.
#[derive(Args)]
pub(crate) struct Calibrate {
    /// The mechanism that replaces words. Without it, the table's usual one
    #[arg(long, value_parser = word_mechanisms(), value_name = "NAME")]
    mechanism: Option<MechanismKind>,
    #[command(flatten)]
    options: MechanismOptions,
    /// A table file instead of the built-in English table
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Choose the largest level at which no word is kept with a probability above this
    #[arg(long, value_name = "SHARE", value_parser = share, group = "target", conflicts_with = "strength")]
    worst_case: Option<f64>,
    /// Choose the largest level at which words are kept with a probability of at most this on average
    #[arg(long, value_name = "SHARE", value_parser = share, group = "target", conflicts_with = "strength")]
    average: Option<f64>,
    /// The same for words as frequent as in the language
    #[arg(long, value_name = "SHARE", value_parser = share, group = "target", conflicts_with = "strength")]
    average_by_frequency: Option<f64>,
    /// Look at these words
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    words: Vec<String>,
    /// Look at the words of this text
    #[arg(long, value_name = "FILE")]
    text: Option<PathBuf>,
    /// Compute S_w and its like for this number of words, drawn by --seed [default: all, or 64 if draws are needed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    sample: Option<u32>,
    /// q: the probability that S_w may leave out
    #[arg(long, default_value_t = Gauge::default().tail(), value_name = "SHARE", value_parser = number)]
    tail: f64,
    /// n: the number of draws in which distinct words are counted. Where a mechanism does not state its probabilities,
    /// they are estimated from these draws
    #[arg(long, default_value_t = Gauge::default().draws(), value_name = "N")]
    draws: u32,
    /// Seeds samples and simulated draws, which release nothing
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Print JSON. Everything about --words and --text stands under `deviceOnly`
    #[arg(long)]
    json: bool,
    /// Write a report with plots, all in one file. It holds the words of --words and --text
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Replace an --html that is already there
    #[arg(long, requires = "html")]
    force: bool,
}

/// A mechanism that is ready to be measured, with the number of its level if it is at one.
struct Candidate {
    level: Option<u32>,
    mechanism: Mechanism,
    privatizer: Privatizer,
}

impl Calibrate {
    pub(crate) fn run(&self) -> Result<()> {
        if let Some(path) = &self.html {
            crate::output::check(path, [self.text.as_ref(), self.table.as_ref()], self.force)?;
        }
        let table = textveil_tables::load(self.table.as_deref())?;
        let report = self.report(&table)?;
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
        } else {
            report.print(&mut out)?;
        }
        match &self.html {
            Some(path) => textveil_toolkit::files::replace(path, page::html(&report).as_bytes()),
            None => Ok(()),
        }
    }

    fn kind(&self, table: &Table) -> MechanismKind {
        self.mechanism.unwrap_or(table.default_mechanism())
    }

    fn target(&self) -> Option<Target> {
        let worst = self.worst_case.map(Target::WorstCase);
        let by_frequency = || self.average_by_frequency.map(Target::AverageByFrequency);
        worst.or_else(|| self.average.map(Target::Average)).or_else(by_frequency)
    }

    fn report(&self, table: &Table) -> Result<Report> {
        let gauge = Gauge::new(self.tail, self.draws).map_err(|_| {
            wrong_options(if (0.0..1.0).contains(&self.tail) {
                anyhow!("--draws must be from 1 to {}", Gauge::MOST_DRAWS)
            } else {
                anyhow!("--tail must be at least 0 and below 1")
            })
        })?;
        let asked = self.options.mechanism(self.kind(table), Source::Table(table))?;
        let target = self.target();
        let priors = Priors::of(table);
        let texts = self.texts()?;
        let levels = if target.is_some() || self.html.is_some() {
            Some(self.survey(table, asked, gauge, &priors)?)
        } else {
            None
        };
        let is_whole = texts.is_empty() || levels.is_some();
        let (levels, candidate) = match levels {
            Some(found) => found,
            None => (Vec::new(), self.candidate(table, asked)?),
        };
        let (vocabulary, odds) = if is_whole {
            let found = self.evidence(table, &candidate, gauge, &priors, &texts)?;
            let vocabulary = Vocabulary::new(&candidate.privatizer, &found, &priors, gauge, &mut self.rng())?;
            (Some(vocabulary), found.odds)
        } else {
            (None, self.odds(table, &candidate, gauge, &priors, &texts)?)
        };
        let tokens = self.tokens(&candidate.privatizer, gauge, &texts, &odds)?;
        let geometry = vocabulary.as_ref().map(|vocabulary| {
            let words = sample(table, COMPARED, self.seed);
            Geometry::of(table, &words, &candidate.privatizer.guarantee(1), Some(vocabulary.distance))
        });
        Ok(Report::new(table, &candidate, gauge, self.seed)
            .with_levels(target, levels)
            .with_vocabulary(vocabulary, geometry)
            .with_tokens(tokens))
    }

    /// Every level of the mechanism, and the one that is chosen or was asked for; that one alone where the
    /// table has no levels.
    fn survey(
        &self,
        table: &Table,
        asked: Mechanism,
        gauge: Gauge,
        priors: &Priors,
    ) -> Result<(Vec<LevelEvidence>, Candidate)> {
        let target = self.target();
        let candidates = self.levels(table, asked);
        if target.is_some() {
            ensure!(!candidates.is_empty(), self.refusal(table, Error::Invalid(Parameter::Level)));
        }
        let is_exact = candidates.first().is_some_and(|level| is_exact(table, &level.privatizer));
        ensure!(
            is_exact || !matches!(target, Some(Target::WorstCase(_))),
            "{} does not state its probabilities, and draws cannot show the worst of all words: use --average",
            self.kind(table)
        );
        let words = self.sample(table, if is_exact { SAMPLED } else { SAMPLED_BY_DRAWS });
        let examples = examples(table);
        let question = Question { gauge, words: &words, odds_of: &examples, priors, seed: self.seed };
        let steps = if is_exact { table.len() } else { words.len() };
        let progress = textveil_toolkit::progress::bar("levels", steps * candidates.len());
        let mut found = Vec::with_capacity(candidates.len());
        for Candidate { level, mechanism, privatizer } in &candidates {
            let evidence = Evidence::of(privatizer, *mechanism, &question, &progress)?;
            found.push(LevelEvidence::new(*level, privatizer, &evidence, priors));
        }
        progress.finish_and_clear();
        let Some(target) = target else { return Ok((found, self.candidate(table, asked)?)) };
        let place =
            target.choose(found.iter().map(LevelEvidence::kept)).ok_or_else(|| report::no_level(target, &found))?;
        let chosen = candidates.into_iter().nth(place).ok_or_else(|| report::no_level(target, &found))?;
        Ok((found, chosen))
    }

    /// The mechanism at each level of the table, ascending.
    fn levels(&self, table: &Table, asked: Mechanism) -> Vec<Candidate> {
        let unset = Mechanism::new(self.kind(table)).calibrated(asked.calibration());
        let others = || asked.parameters().filter(|(parameter, _)| !Parameter::STRENGTHS.contains(parameter));
        let at = |level: u32| {
            let mechanism = others()
                .chain([(Parameter::Level, f64::from(level))])
                .try_fold(unset.ok()?, |mechanism, (parameter, value)| mechanism.with(parameter, value).ok())?;
            let privatizer = Privatizer::new(table, mechanism, Disclosure::default()).ok()?;
            Some(Candidate { level: Some(level), mechanism, privatizer })
        };
        (0..).map_while(at).collect()
    }

    fn candidate(&self, table: &Table, mechanism: Mechanism) -> Result<Candidate> {
        let privatizer = Privatizer::new(table, mechanism, Disclosure::default())
            .map_err(|error| Request::of(&mechanism, Source::Table(table)).explain(error))?;
        // A level that was not named is the default.
        let has_strength = Parameter::STRENGTHS.iter().copied().any(|strength| mechanism.get(strength).is_some());
        let named = mechanism.get(Parameter::Level).map(|level| level as u32);
        let default = || {
            let reports = table.level_reports().ok().filter(|_| !has_strength)?;
            reports
                .iter()
                .find(|level| level.mechanism == mechanism.kind() && level.is_default)
                .map(|level| level.index)
        };
        Ok(Candidate { level: named.or_else(default), mechanism, privatizer })
    }

    fn refusal(&self, table: &Table, error: Error) -> anyhow::Error {
        let given = vec![(Parameter::Level, 0.0)];
        Request { kind: self.kind(table), given, source: Source::Table(table) }.explain(error)
    }

    fn sample(&self, table: &Table, size: usize) -> Vec<WordId> {
        let size = self.sample.map_or(size, |asked| size.min(asked as usize));
        sample(table, size, self.seed)
    }

    /// What the mechanism does to the vocabulary, and to the words of the texts.
    fn evidence(
        &self,
        table: &Table,
        candidate: &Candidate,
        gauge: Gauge,
        priors: &Priors,
        texts: &[(String, String)],
    ) -> Result<Evidence> {
        let is_exact = is_exact(table, &candidate.privatizer);
        let default = if is_exact { table.len() } else { SAMPLED_BY_DRAWS };
        let words = sample(table, self.sample.map_or(default, |asked| asked as usize), self.seed);
        let odds_of = examples_and_words_of(table, texts)?;
        let question = Question { gauge, words: &words, odds_of: &odds_of, priors, seed: self.seed };
        let progress = textveil_toolkit::progress::bar("words", if is_exact { table.len() } else { words.len() });
        let evidence = Evidence::of(&candidate.privatizer, candidate.mechanism, &question, &progress)?;
        progress.finish_and_clear();
        Ok(evidence)
    }

    /// The odds of the words of the texts, or `None` where draws would be needed.
    fn odds(
        &self,
        table: &Table,
        candidate: &Candidate,
        gauge: Gauge,
        priors: &Priors,
        texts: &[(String, String)],
    ) -> Result<Vec<WordOdds>> {
        if !is_exact(table, &candidate.privatizer) {
            return Ok(Vec::new());
        }
        let odds_of = words_of(table, texts)?;
        let question = Question { gauge, words: &[], odds_of: &odds_of, priors, seed: self.seed };
        let progress = textveil_toolkit::progress::bar("words", table.len());
        let odds = Evidence::odds(&candidate.privatizer, &question, &progress);
        progress.finish_and_clear();
        odds
    }

    /// The texts of --words and --text, and where each is from.
    fn texts(&self) -> Result<Vec<(String, String)>> {
        let mut texts = Vec::new();
        if !self.words.is_empty() {
            texts.push(("--words".to_owned(), normalize(&self.words.join(" "))));
        }
        if let Some(path) = &self.text {
            let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            texts.push((path.display().to_string(), normalize(&String::from_utf8_lossy(&text))));
        }
        Ok(texts)
    }

    /// The tokens of the texts, in order.
    fn tokens(
        &self,
        privatizer: &Privatizer,
        gauge: Gauge,
        texts: &[(String, String)],
        odds: &[WordOdds],
    ) -> Result<Vec<TokenEvidence>> {
        let written: HashMap<&str, ByPrior> = odds.iter().map(|odds| (odds.word.as_str(), odds.written)).collect();
        let mut rng = self.rng();
        let mut tokens = Vec::new();
        for (place, text) in texts {
            let found = privatizer.text_deniability(text, gauge, &mut rng).with_context(|| place.clone())?;
            tokens.extend(found.into_iter().map(|token| TokenEvidence::new(privatizer.table(), token, &written)));
        }
        Ok(tokens)
    }

    fn rng(&self) -> ReleaseRng {
        ReleaseRng::seed_from_u64(self.seed)
    }
}

/// The examples that the table has.
fn examples(table: &Table) -> Vec<WordId> {
    EXAMPLES.iter().filter_map(|word| table.find(word)).collect()
}

/// The words that the tokens of the texts stand for.
fn words_of(table: &Table, texts: &[(String, String)]) -> Result<Vec<WordId>> {
    let mut words = BTreeSet::new();
    for (place, text) in texts {
        for piece in Piece::split(text).with_context(|| place.clone())? {
            let Piece::Token { kind, text } = piece else { continue };
            words.extend(look_up(table, kind, &text).row);
        }
    }
    Ok(words.into_iter().collect())
}

/// The examples, and the other words of the texts.
fn examples_and_words_of(table: &Table, texts: &[(String, String)]) -> Result<Vec<WordId>> {
    let (examples, mut words) = (examples(table), words_of(table, texts)?);
    words.retain(|word| !examples.contains(word));
    Ok([examples, words].concat())
}

fn is_exact(table: &Table, privatizer: &Privatizer) -> bool {
    table.row(0).is_some_and(|row| privatizer.distribution(row).is_some())
}

fn share(text: &str) -> Result<f64, &'static str> {
    number_that(|share| (0.0..=1.0).contains(&share), text, "a share is a number from 0 to 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_that_is_asked_for_is_told_once() {
        let table = textveil_tables::load(None).expect("the built-in table");
        let texts = [("--words".to_owned(), "table cancer doctor table".to_owned())];
        let words = examples_and_words_of(&table, &texts).expect("words");
        let names: Vec<String> = words.iter().map(|word| table.word(*word).to_string()).collect();
        assert_eq!(names, [&EXAMPLES[..], &["table"]].concat());
    }
}
