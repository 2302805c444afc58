//! What was found, as data, and as text for a terminal.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use anyhow::{Result, anyhow};
use rand_core::CryptoRng;
use serde::Serialize;
use textveil::{
    Deniability, Found, Gauge, Guarantee, Privatizer, Spread, Table, Target, TokenDeniability, TokenKind, WordId,
};

use super::evidence::{ByPrior, Evidence, Inversion, Priors, WordOdds, Written};
use super::geometry::Geometry;
use super::{Candidate, EXAMPLES};
use textveil_toolkit::report::numbers::{counted, epsilon_in_cell, short, short_up, worst_case};

/// Words that stand for those kept most, and for those kept least.
const SHOWN: usize = 12;
/// Other words that a word is shown to become.
const BECOMES: usize = 4;
/// Tokens in a table for people.
const TOKENS_SHOWN: usize = 60;
/// Bars of the histogram of N_w.
const BARS: usize = 25;
/// Bars of that of S_w for each power of ten.
const BARS_A_DECADE: usize = 4;

/// The report of a calibration.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    version: &'static str,
    pub(super) table: TableName,
    /// The number of the level that was chosen or asked for, if it is one.
    pub(super) level: Option<u32>,
    /// What the choice was made by.
    pub(super) target: Option<Target>,
    /// The guarantee of one word, at this level.
    pub(super) guarantee: Guarantee,
    /// q of S_w.
    pub(super) tail: f64,
    /// n of distinct words, and of simulations.
    pub(super) draws: u32,
    pub(super) seed: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) levels: Vec<LevelEvidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) vocabulary: Option<Vocabulary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) geometry: Option<Geometry>,
    #[serde(skip_serializing_if = "DeviceOnly::is_empty")]
    pub(super) device_only: DeviceOnly,
}

#[derive(Serialize)]
pub(super) struct TableName {
    pub(super) name: String,
    pub(super) id: String,
    pub(super) words: usize,
}

/// What speaks of the words of a text.
#[derive(Default, Serialize)]
pub(super) struct DeviceOnly {
    pub(super) tokens: Vec<TokenEvidence>,
}

impl DeviceOnly {
    fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }
}

/// What a level does.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LevelEvidence {
    pub(super) level: Option<u32>,
    pub(super) eta: Option<f64>,
    pub(super) epsilon_word: f64,
    pub(super) delta_word: f64,
    /// N_w.
    pub(super) kept: Spread,
    /// The word with the largest N_w, of those that were looked at.
    pub(super) worst_word: String,
    /// S_w.
    pub(super) support: Option<Spread>,
    pub(super) distance: Option<Spread>,
    pub(super) inversion: Inversion,
    pub(super) written: Option<Written>,
    pub(super) odds: Vec<WordOdds>,
}

impl LevelEvidence {
    pub(super) fn new(level: Option<u32>, privatizer: &Privatizer, evidence: &Evidence, priors: &Priors) -> Self {
        let guarantee = privatizer.guarantee(1);
        let worst = evidence.kept_by_word.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        Self {
            level,
            eta: guarantee.eta,
            epsilon_word: guarantee.epsilon_word,
            delta_word: guarantee.delta_word,
            kept: evidence.kept,
            worst_word: worst.map_or_else(String::new, |(word, _)| privatizer.table().word(*word).to_string()),
            support: evidence.spread(priors, |found| found.support as f64),
            distance: evidence.spread(priors, |found| found.distance),
            inversion: evidence.inversion,
            written: evidence.written,
            odds: evidence.odds.clone(),
        }
    }

    pub(super) fn kept(&self) -> &Spread {
        &self.kept
    }
}

/// What the level does to the words of the vocabulary.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Vocabulary {
    /// Whether everything was estimated from draws.
    pub(super) estimated: bool,
    /// How many words S_w and its like are of.
    pub(super) words: usize,
    /// How many words were released, for the means of N_w and the attacks, where those are estimated.
    pub(super) released: Option<usize>,
    pub(super) kept: Spread,
    pub(super) support: Spread,
    pub(super) distinct: Spread,
    pub(super) perplexity: Spread,
    pub(super) distance: Spread,
    pub(super) inversion: Inversion,
    pub(super) written: Option<Written>,
    /// The odds of some words that people may not want to be read.
    pub(super) odds: Vec<WordOdds>,
    pub(super) kept_histogram: Vec<Bar>,
    pub(super) support_histogram: Vec<Bar>,
    pub(super) kept_most: Vec<WordEvidence>,
    pub(super) kept_least: Vec<WordEvidence>,
}

/// The share of words with a number in `from..to`.
#[derive(Serialize)]
pub(super) struct Bar {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) share: f64,
}

/// A word of the vocabulary.
#[derive(Serialize)]
pub(super) struct WordEvidence {
    pub(super) word: String,
    #[serde(flatten)]
    pub(super) found: Deniability,
    /// The other words that it most often becomes.
    pub(super) becomes: Vec<Output>,
}

#[derive(Serialize)]
pub(super) struct Output {
    pub(super) word: String,
    pub(super) probability: f64,
}

impl Vocabulary {
    /// # Errors
    /// There is nothing to report on.
    pub(super) fn new<R: CryptoRng>(
        privatizer: &Privatizer,
        evidence: &Evidence,
        priors: &Priors,
        gauge: Gauge,
        rng: &mut R,
    ) -> Result<Self> {
        let spread = |number: fn(&Deniability) -> f64| {
            evidence.spread(priors, number).ok_or_else(|| anyhow!("no word was looked at"))
        };
        let support = spread(|found| found.support as f64)?;
        let table = privatizer.table();
        // A word that never comes out is never kept: that tells nothing of the level.
        let mut ranked: Vec<(WordId, f64)> =
            evidence.kept_by_word.iter().copied().filter(|(word, _)| table.is_offered(*word)).collect();
        ranked.sort_by(|(a, one), (b, two)| two.total_cmp(one).then(a.cmp(b)));
        let mut described = |(word, _): &(WordId, f64)| describe(privatizer, evidence, *word, gauge, rng);
        let shown = SHOWN.min(ranked.len() / 2);
        let kept_most = ranked.iter().take(shown).map(&mut described).collect::<Result<_>>()?;
        let kept_least = ranked.iter().rev().take(shown).map(&mut described).collect::<Result<_>>()?;
        let supports = || evidence.words.iter().map(|(_, found)| (found.support as f64).log10());
        Ok(Self {
            estimated: evidence.released.is_some(),
            words: evidence.words.len(),
            released: evidence.released,
            kept: evidence.kept,
            support,
            distinct: spread(|found| found.distinct)?,
            perplexity: spread(|found| found.perplexity)?,
            distance: spread(|found| found.distance)?,
            inversion: evidence.inversion,
            written: evidence.written,
            odds: evidence.odds.iter().filter(|odds| EXAMPLES.contains(&odds.word.as_str())).cloned().collect(),
            kept_histogram: histogram(evidence.kept_by_word.iter().map(|(_, kept)| *kept), BARS as f64, BARS),
            support_histogram: {
                let decades = (table.len() as f64).log10().ceil().max(1.0) as usize;
                let mut bars = histogram(supports(), BARS_A_DECADE as f64, decades * BARS_A_DECADE);
                for bar in &mut bars {
                    (bar.from, bar.to) = (10_f64.powf(bar.from), 10_f64.powf(bar.to));
                }
                bars
            },
            kept_most,
            kept_least,
        })
    }
}

fn describe<R: CryptoRng>(
    privatizer: &Privatizer,
    evidence: &Evidence,
    word: WordId,
    gauge: Gauge,
    rng: &mut R,
) -> Result<WordEvidence> {
    let table = privatizer.table();
    let known = evidence.words.iter().find(|(known, _)| *known == word).map(|(_, found)| *found);
    let text = table.word(word).to_string();
    let alternatives = privatizer.alternatives(&text, BECOMES + 1, rng)?;
    // A few words of a vocabulary are read as others, or as several.
    let outputs = if alternatives.reading.row == Some(word) { alternatives.outputs } else { Vec::new() };
    let others = outputs.into_iter().filter(|output| output.word != word).take(BECOMES);
    let becomes =
        others.map(|output| Output { word: table.word(output.word).to_string(), probability: output.probability });
    Ok(WordEvidence {
        word: text,
        found: known.unwrap_or_else(|| privatizer.deniability(word, gauge, rng)),
        becomes: becomes.collect(),
    })
}

/// Shares of numbers from zero up, in `bars` bars, `density` of them to a unit; the last has what is beyond.
fn histogram(numbers: impl Iterator<Item = f64>, density: f64, bars: usize) -> Vec<Bar> {
    let mut counts = vec![0_usize; bars];
    for number in numbers {
        counts[((number * density) as usize).min(bars - 1)] += 1;
    }
    let total = counts.iter().sum::<usize>().max(1) as f64;
    let bar = |(place, count): (usize, usize)| Bar {
        from: place as f64 / density,
        to: (place + 1) as f64 / density,
        share: count as f64 / total,
    };
    counts.into_iter().enumerate().map(bar).collect()
}

/// A token of a text.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenEvidence {
    pub(super) token: String,
    kind: TokenKind,
    found: Option<Found>,
    /// The word that it stands for, or `None` if it is unknown.
    pub(super) input: Option<String>,
    pub(super) deniability: Option<Deniability>,
    /// The probability that this word was written where it stands in a release; where probabilities are stated.
    pub(super) written: Option<ByPrior>,
}

impl TokenEvidence {
    pub(super) fn new(table: &Table, token: TokenDeniability, written: &HashMap<&str, ByPrior>) -> Self {
        let input = token.reading.and_then(|reading| reading.row).map(|row| table.word(row).to_string());
        Self {
            written: input.as_deref().and_then(|word| written.get(word)).copied(),
            token: token.token,
            kind: token.kind,
            found: token.reading.map(|reading| reading.found),
            input,
            deniability: token.deniability,
        }
    }
}

impl TokenEvidence {
    /// How sure a reader is of it: by frequency, and all words alike.
    pub(super) fn written_in_percent(&self) -> [String; 2] {
        self.written.map_or_else(Default::default, |written| [written.by_frequency, written.uniform].map(percent))
    }
}

/// Distinct tokens, those kept most first, each with how often it stands in the text.
pub(super) fn distinct_tokens(tokens: &[TokenEvidence]) -> Vec<(&TokenEvidence, Deniability, usize)> {
    let mut seen: BTreeMap<&str, (&TokenEvidence, Deniability, usize)> = BTreeMap::new();
    for token in tokens {
        let Some(found) = token.deniability else { continue };
        seen.entry(&token.token).or_insert((token, found, 0)).2 += 1;
    }
    let mut tokens: Vec<_> = seen.into_values().collect();
    tokens.sort_by(|(_, one, _), (_, two, _)| two.kept.total_cmp(&one.kept));
    tokens.truncate(TOKENS_SHOWN);
    tokens
}

impl Report {
    pub(super) fn new(table: &Table, candidate: &Candidate, gauge: Gauge, seed: u64) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            table: TableName {
                name: table.meta("name").unwrap_or("a table without a name").to_owned(),
                id: table.id().to_string(),
                words: table.len(),
            },
            level: candidate.level,
            target: None,
            guarantee: candidate.privatizer.guarantee(1),
            tail: gauge.tail(),
            draws: gauge.draws(),
            seed,
            levels: Vec::new(),
            vocabulary: None,
            geometry: None,
            device_only: DeviceOnly::default(),
        }
    }

    pub(super) fn with_levels(self, target: Option<Target>, levels: Vec<LevelEvidence>) -> Self {
        Self { target, levels, ..self }
    }

    pub(super) fn with_vocabulary(self, vocabulary: Option<Vocabulary>, geometry: Option<Geometry>) -> Self {
        Self { vocabulary, geometry, ..self }
    }

    pub(super) fn with_tokens(self, tokens: Vec<TokenEvidence>) -> Self {
        Self { device_only: DeviceOnly { tokens }, ..self }
    }

    /// "level 5 of exponential, eta 14.6".
    pub(super) fn setting(&self) -> String {
        let level = self.level.map_or_else(String::new, |level| format!("level {level} of "));
        let eta = self.guarantee.eta.map_or_else(String::new, |eta| format!(", eta {}", short_up(eta)));
        format!("{level}{}{eta}", self.guarantee.mechanism)
    }

    /// Why this level.
    pub(super) fn reason(&self) -> Option<String> {
        self.target.map(|target| {
            format!("the largest of {} at which {}", counted(self.levels.len() as u64, "level"), in_words(target))
        })
    }

    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "{} over {}, {}",
            self.guarantee.mechanism,
            self.table.name,
            counted(self.table.words as u64, "word")
        )?;
        if !self.levels.is_empty() {
            self.print_levels(out)?;
        }
        writeln!(out, "\n{}: {}", self.setting(), worst_case(&self.guarantee))?;
        if let Some(reason) = self.reason() {
            writeln!(out, "  chosen: {reason}")?;
        }
        if let Some(vocabulary) = &self.vocabulary {
            self.print_vocabulary(vocabulary, out)?;
        }
        if let Some(geometry) = &self.geometry {
            print_geometry(geometry, out)?;
        }
        if !self.device_only.tokens.is_empty() {
            self.print_tokens(out)?;
        }
        writeln!(out, "\n{}", self.guarantee.statement())?;
        writeln!(out, "The other numbers describe; only these are guaranteed.")
    }

    fn print_levels(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "\n  {:>5} {:>9} {:>9} {:>7} {:>7} {:>7}  {:18} {:>7} {:>9} {:>9} {:>9}",
            "", "", "epsilon", "words", "tokens", "worst", "", "S_w", "guessed,", "guessed,", "written,"
        )?;
        writeln!(
            out,
            "  {:>5} {:>9} {:>9} {:>7} {:>7} {:>7}  {:18} {:>7} {:>9} {:>9} {:>9}",
            "level", "eta", "a word", "kept", "kept", "N_w", "of", "median", "uniform", "frequency", "frequency"
        )?;
        for level in &self.levels {
            let mark = if level.level == self.level { "*" } else { " " };
            let number = level.level.map_or_else(String::new, |level| level.to_string());
            let eta = level.eta.map_or_else(String::new, short);
            let support = level.support.map_or_else(String::new, |support| short(support.median()));
            let guessed = level.inversion.best();
            writeln!(
                out,
                "{mark} {number:>5} {eta:>9} {:>9} {:>7} {:>7} {:>7}  {:18} {support:>7} {:>9} {:>9} {:>9}",
                epsilon_in_cell(level.epsilon_word, level.delta_word),
                percent(level.kept.mean),
                percent(level.kept.weighted_mean),
                percent(level.kept.greatest),
                level.worst_word,
                percent(guessed.uniform),
                percent(guessed.by_frequency),
                level.written.map_or_else(String::new, |written| percent(written.by_frequency.mean)),
            )?;
        }
        Ok(())
    }

    fn print_vocabulary(&self, vocabulary: &Vocabulary, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "  {}\n", method(self, vocabulary))?;
        let head = ["mean", "by freq.", "least", "5 %", "25 %", "50 %", "75 %", "95 %", "greatest"];
        write!(out, "  {:30}", "")?;
        head.iter().try_for_each(|name| write!(out, " {name:>8}"))?;
        writeln!(out)?;
        for (name, spread) in rows(self, vocabulary) {
            write!(out, "  {name:30}")?;
            let ends = [spread.mean, spread.weighted_mean, spread.least];
            for value in ends.into_iter().chain(spread.quantiles).chain([spread.greatest]) {
                write!(out, " {:>8}", short(value))?;
            }
            writeln!(out)?;
        }
        writeln!(out, "\n  {:50} {:>9} {:>9}", "guesses that are right", "uniform", "frequency")?;
        for (attacker, success) in vocabulary.inversion.attackers() {
            writeln!(out, "  {attacker:50} {:>9} {:>9}", percent(success.uniform), percent(success.by_frequency))?;
        }
        if let Some(WordOdds { word, written, .. }) = vocabulary.odds.first() {
            writeln!(out, "\n  {}", sentence(word, *written))?;
            writeln!(out, "\n  {:20} {:>7} {:>11} {:>9}", "if it stands there", "N_w", "was written", "uniform")?;
        }
        for WordOdds { word, kept, written } in &vocabulary.odds {
            let [by_frequency, uniform] = [written.by_frequency, written.uniform].map(percent);
            writeln!(out, "  {word:20} {:>7} {by_frequency:>11} {uniform:>9}", percent(*kept))?;
        }
        for (title, words) in [("kept most", &vocabulary.kept_most), ("kept least", &vocabulary.kept_least)] {
            writeln!(out, "\n  {title:20} {:>7} {:>7}  becomes", "N_w", "S_w")?;
            for WordEvidence { word, found, becomes } in words {
                let becomes: Vec<&str> = becomes.iter().map(|output| output.word.as_str()).collect();
                writeln!(out, "  {word:20} {:>7} {:>7}  {}", percent(found.kept), found.support, becomes.join(" "))?;
            }
        }
        Ok(())
    }

    fn print_tokens(&self, out: &mut impl Write) -> io::Result<()> {
        let tokens = &self.device_only.tokens;
        let kept: f64 = tokens.iter().filter_map(|token| token.deniability).map(|found| found.kept).sum();
        writeln!(
            out,
            "\n  {}, of which {} are kept on average; for your eyes only:",
            counted(tokens.len() as u64, "token"),
            short(kept)
        )?;
        writeln!(
            out,
            "  {:20} {:20} {:>5} {:>7} {:>7} {:>9} {:>9} {:>11} {:>9}",
            "token", "read as", "times", "N_w", "S_w", "distinct", "distance", "was written", "uniform"
        )?;
        for (token, found, times) in distinct_tokens(tokens) {
            let [by_frequency, uniform] = token.written_in_percent();
            writeln!(
                out,
                "  {:20} {:20} {times:>5} {:>7} {:>7} {:>9} {:>9} {by_frequency:>11} {uniform:>9}",
                token.token,
                token.input.as_deref().unwrap_or_default(),
                percent(found.kept),
                found.support,
                short(found.distinct),
                short(found.distance),
            )?;
        }
        Ok(())
    }
}

fn print_geometry(geometry: &Geometry, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\n  {:30} {:>8} {:>8} {:>8}", "distances", "5 %", "50 %", "95 %")?;
    for neighbour in &geometry.neighbours {
        let [low, _, median, _, high] = neighbour.distance.quantiles;
        let name = format!("neighbour {}", neighbour.k);
        writeln!(out, "  {name:30} {:>8} {:>8} {:>8}", short(low), short(median), short(high))?;
    }
    let lengths = [
        ("noise of metric-laplace at eta", geometry.noise),
        ("output, expected", geometry.output.map(|spread| spread.quantiles)),
    ];
    for (name, lengths) in lengths {
        let Some([low, _, median, _, high]) = lengths else { continue };
        writeln!(out, "  {name:30} {:>8} {:>8} {:>8}", short(low), short(median), short(high))?;
    }
    Ok(())
}

/// The rows of a table of spreads.
pub(super) fn rows(report: &Report, vocabulary: &Vocabulary) -> Vec<(String, Spread)> {
    let mut rows = vec![
        ("N_w, kept".to_owned(), vocabulary.kept),
        (format!("S_w, words that hold {}", percent(1.0 - report.tail)), vocabulary.support),
        (format!("distinct words in {} draws", report.draws), vocabulary.distinct),
        ("e to the entropy, words".to_owned(), vocabulary.perplexity),
        ("distance of the output".to_owned(), vocabulary.distance),
    ];
    if let Some(Written { uniform, by_frequency }) = vocabulary.written {
        rows.push(("was written, by frequency".to_owned(), by_frequency));
        rows.push(("was written, uniform".to_owned(), uniform));
    }
    rows
}

/// How sure a reader can be of a word.
pub(super) fn sentence(word: &str, ByPrior { uniform, by_frequency }: ByPrior) -> String {
    format!(
        "If \"{word}\" was drawn, it was written there in {}, for a reader who takes each word alone and knows how \
         frequent words are (in {} if all words are as frequent). Readers who weigh the words around know more.",
        cases(by_frequency),
        cases(uniform)
    )
}

/// A share as "1 of 8 cases", or "7 of 10 cases".
fn cases(share: f64) -> String {
    let out_of = |all: f64| format!("{} of {all} cases", (share * all).round());
    match share {
        share if share <= 0.0 => "no case".to_owned(),
        share if share < 0.4 => format!("1 of {} cases", (1.0 / share).round()),
        share if share < 0.95 => out_of(10.0),
        _ => out_of(100.0),
    }
}

/// How the numbers came about.
pub(super) fn method(report: &Report, vocabulary: &Vocabulary) -> String {
    let words = vocabulary.words;
    match vocabulary.released {
        None if words == report.table.words => "Exact, summed over all pairs of words.".to_owned(),
        None => format!(
            "Exact, summed over all pairs of words; S_w and its like for {words} words drawn by seed {}.",
            report.seed
        ),
        Some(released) => format!(
            "Estimated with seed {}: means of N_w and attacks from {released} words released once (standard error at most \
             {}), the rest from {} draws of each of {words} words, where S_w is an underestimate.",
            report.seed,
            percent(0.5 / (released as f64).sqrt()),
            report.draws,
        ),
    }
}

impl Inversion {
    /// The attackers by name.
    pub(super) fn attackers(&self) -> Vec<(&'static str, ByPrior)> {
        let named = [
            ("Bayes: knows the mechanism and the frequencies", self.bayes),
            ("takes the word nearest to the noisy vector", self.nearest),
            ("takes the word that came out", Some(self.output_word)),
            ("sees nothing", Some(self.blind)),
        ];
        named.into_iter().filter_map(|(name, success)| Some((name, success?))).collect()
    }

    /// The best of the attacks that see a release.
    pub(super) fn best(&self) -> ByPrior {
        let seen = [self.bayes, self.nearest, Some(self.output_word)].into_iter().flatten();
        let larger = |a: ByPrior, b: ByPrior| ByPrior {
            uniform: a.uniform.max(b.uniform),
            by_frequency: a.by_frequency.max(b.by_frequency),
        };
        seen.fold([0.0; 2].into(), larger)
    }
}

/// A share as "12.3%".
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 0.0 && percent < 0.1 { format!("{}%", short(percent)) } else { format!("{percent:.1}%") }
}

pub(super) fn in_words(target: Target) -> String {
    match target {
        Target::WorstCase(most) => format!("no word is kept with a probability above {most}"),
        Target::Average(most) => format!("words are kept with a probability of at most {most} on average"),
        Target::AverageByFrequency(most) => {
            format!("words as frequent as in the language are kept with a probability of at most {most} on average")
        }
    }
}

/// No level is within the target: what the lowest does.
pub(super) fn no_level(target: Target, levels: &[LevelEvidence]) -> anyhow::Error {
    let lowest = levels.first().map_or_else(String::new, |lowest| {
        let LevelEvidence { kept, worst_word, .. } = lowest;
        let (mean, tokens, worst) = (percent(kept.mean), percent(kept.weighted_mean), percent(kept.greatest));
        format!(": the lowest keeps {mean} of the words, {tokens} of the tokens and \"{worst_word}\" in {worst}; name a strength instead of a target")
    });
    anyhow!("the table has no level at which {}{lowest}", in_words(target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_has_every_number_once() {
        let bars = histogram([0.0, 0.04, 0.5, 0.999, 1.0].into_iter(), 4.0, 4);
        let shares: Vec<f64> = bars.iter().map(|bar| bar.share).collect();
        assert_eq!(shares, [0.4, 0.0, 0.2, 0.4]);
        assert_eq!((bars[2].from, bars[2].to), (0.5, 0.75));
    }

    #[test]
    fn shares_are_told_as_cases() {
        let told = [0.0, 0.0097, 0.1326, 0.3999, 0.45, 0.704, 0.949, 0.97, 1.0].map(cases);
        let cases = [
            "no case",
            "1 of 103 cases",
            "1 of 8 cases",
            "1 of 3 cases",
            "5 of 10 cases",
            "7 of 10 cases",
            "9 of 10 cases",
            "97 of 100 cases",
            "100 of 100 cases",
        ];
        assert_eq!(told, cases);
    }

    #[test]
    fn small_shares_stay_above_zero() {
        assert_eq!([0.5, 0.0, 1.0, 0.0001].map(percent), ["50.0%", "0.0%", "100.0%", "0.01%"]);
    }
}
