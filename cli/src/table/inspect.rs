//! `textveil table inspect`: what a table file holds, and what follows from it.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use textveil::{
    Flags, Found, LevelReport, MAX_TEXT_BYTES, MechanismKind, Piece, Probability, RoundedUp, Table, WordId, look_up,
    normalize,
};

use textveil_tables::{Odds, in_words, lattice_rows, load, odds, squared_distances};
use textveil_toolkit::mechanism::word_mechanisms;

/// The keys of a table's description.
const DESCRIPTION: [&str; 10] = [
    "name",
    "language",
    "source",
    "license",
    "learned",
    "learned_from",
    "learned_epsilon",
    "learned_delta",
    "learned_promise",
    "learned_seed",
];

/// What a table may say of a word.
const MARKS: [(Flags, &str); 8] = [
    (Flags::NEVER_OFFERED, "never offered"),
    (Flags::FUNCTION_WORD, "function word"),
    (Flags::NAME, "name"),
    (Flags::PLURAL, "plural"),
    (Flags::THIRD_PERSON, "third person"),
    (Flags::PAST, "past"),
    (Flags::PARTICIPLE, "participle"),
    (Flags::ING, "-ing"),
];

/// Words that stand for a class.
const SAMPLE: usize = 8;

/// Show what a table holds
#[derive(Args)]
pub(crate) struct Inspect {
    /// Table file instead of the built-in English table
    file: Option<PathBuf>,
    /// Show the offered words nearest to this word
    #[arg(long, value_name = "WORD")]
    neighbors: Option<String>,
    /// How many neighbors to show
    #[arg(long, default_value_t = 10, value_name = "K", requires = "neighbors")]
    count: usize,
    /// Show which share of this text's tokens the vocabulary covers
    #[arg(long, value_name = "TEXTFILE")]
    coverage: Option<PathBuf>,
    /// Show how often these words come out as themselves, and how often a word that was drawn was written there,
    /// if words are as frequent as in the language
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    odds: Vec<String>,
    /// The levels of --odds [default: the mechanism's default level]
    #[arg(long, value_name = "LEVELS", value_delimiter = ',', requires = "odds")]
    levels: Vec<u32>,
    /// The mechanism of --odds. Without it, the table's usual one
    #[arg(long, value_parser = word_mechanisms(), value_name = "NAME", requires = "odds")]
    mechanism: Option<MechanismKind>,
    /// Show what the table says of these words: whether they are offered, names, and inflected forms
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    marks: Vec<String>,
    /// Compare all pairs of words: exact diameter, smallest distance
    #[arg(long)]
    verify: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Inspection {
    /// Length of the file, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    id: String,
    rows: usize,
    dims: usize,
    scale: f64,
    diameter_bound: f64,
    never_offered: usize,
    function_words: usize,
    frequency_known: usize,
    description: BTreeMap<&'static str, String>,
    most_frequent: Vec<String>,
    levels: Vec<LevelReport>,
    classes: Vec<ClassReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<Extremes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    neighbors: Option<Vec<Neighbor>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    odds: Vec<Odds>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marks: Vec<Marks>,
}

/// The marks of a word in a table.
#[derive(Serialize)]
struct Marks {
    word: String,
    marks: Vec<&'static str>,
}

/// A class of words.
#[derive(Serialize)]
struct ClassReport {
    name: String,
    words: usize,
    offered: usize,
    /// Offered words, evenly spaced in the order of the vocabulary.
    sample: Vec<String>,
}

/// The largest and the smallest distance between two rows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Extremes {
    diameter: f64,
    smallest_distance: f64,
    all_rows_differ: bool,
}

#[derive(Serialize)]
struct Neighbor {
    word: String,
    distance: f64,
}

/// How the tokens of a text find their rows.
#[derive(Default, Serialize)]
struct Coverage {
    tokens: usize,
    exact: usize,
    near: usize,
    unknown: usize,
}

impl Inspect {
    pub(crate) fn run(&self) -> Result<()> {
        let table = load(self.file.as_deref())?;
        let report = self.report(&table)?;
        let mut out = io::stdout().lock();
        if self.json {
            Ok(writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?)
        } else {
            Ok(report.print(&mut out, &table, self)?)
        }
    }

    fn report(&self, table: &Table) -> Result<Inspection> {
        let count = |property: &dyn Fn(WordId) -> bool| table.words().filter(|(id, _)| property(*id)).count();
        let mut by_frequency: Vec<WordId> = table.rows().collect();
        by_frequency.sort_by(|a, b| table.zipf(*b).total_cmp(&table.zipf(*a)));
        let levels = table.level_reports()?;
        Ok(Inspection {
            odds: self.odds(table, &levels)?,
            marks: self.marks.iter().map(|word| marks(table, word)).collect::<Result<_>>()?,
            bytes: self.file.as_ref().map(fs::metadata).transpose()?.map(|file| file.len()),
            id: table.id().to_string(),
            rows: table.len(),
            dims: table.dims(),
            scale: table.scale(),
            diameter_bound: table.diameter_bound(),
            never_offered: count(&|id| !table.is_offered(id)),
            function_words: count(&|id| table.is_function_word(id)),
            frequency_known: count(&|id| table.zipf(id) > 0.0),
            description: DESCRIPTION.iter().filter_map(|key| Some((*key, table.meta(key)?.to_owned()))).collect(),
            most_frequent: by_frequency.iter().take(12).map(|id| table.word(*id).to_string()).collect(),
            levels,
            classes: classes(table),
            verified: self.verify.then(|| extremes(table)),
            neighbors: self.neighbors.as_ref().map(|word| neighbors(table, word, self.count)).transpose()?,
            coverage: self.coverage.as_ref().map(|path| coverage(table, path)).transpose()?,
        })
    }
}

impl Inspect {
    fn odds(&self, table: &Table, levels: &[LevelReport]) -> Result<Vec<Odds>> {
        if self.odds.is_empty() {
            return Ok(Vec::new());
        }
        let kind = self.mechanism.unwrap_or(table.default_mechanism());
        let usual = levels.iter().filter(|level| level.mechanism == kind && level.is_default);
        let usual: Vec<u32> = usual.map(|level| level.index).collect();
        let asked = if self.levels.is_empty() { &usual } else { &self.levels };
        ensure!(!asked.is_empty(), "the table has no level of {kind}");
        odds(table, kind, asked, &self.odds)
    }
}

impl Inspection {
    fn print(&self, out: &mut impl Write, table: &Table, asked: &Inspect) -> io::Result<()> {
        writeln!(out, "{}", in_words(table, self.bytes))?;
        for (key, value) in &self.description {
            writeln!(out, "  {key}: {value}")?;
        }
        writeln!(out, "  scale {:.6e}, diameter at most {:.4}", self.scale, self.diameter_bound)?;
        writeln!(
            out,
            "  {} never offered, {} function words, {} with a frequency",
            self.never_offered, self.function_words, self.frequency_known
        )?;
        writeln!(out, "  most frequent: {}", self.most_frequent.join(" "))?;
        if !self.levels.is_empty() {
            writeln!(
                out,
                "\n  {:14} {:>5} {:>9} {:>14} {:>12} {:>20} {:>20}",
                "mechanism",
                "level",
                "eta",
                "epsilon a word",
                "delta a word",
                "different words kept",
                "words of a text kept"
            )?;
        }
        for level in &self.levels {
            let LevelReport { mechanism, index, eta, retention, retention_by_frequency, is_default, .. } = level;
            let eta = eta.map_or_else(|| "-".to_owned(), |eta| RoundedUp(eta).to_string());
            let epsilon = RoundedUp(level.epsilon_word).to_string();
            let delta = Probability(level.delta_word).to_string();
            let (words, tokens) = (100.0 * retention, 100.0 * retention_by_frequency);
            let preset = level.preset.map_or_else(String::new, |preset| format!("  {}", preset.name()));
            let mark = if *is_default { "  default" } else { "" };
            writeln!(
                out,
                "  {mechanism:14} {index:>5} {eta:>9} {epsilon:>14} {delta:>12} {words:>19.1}% {tokens:>19.1}%{preset}{mark}"
            )?;
        }
        if self.levels.iter().any(|level| level.mechanism == MechanismKind::Certified) {
            writeln!(out, "  eta and epsilon are exact for certified, and upper bounds for any other mechanism")?;
        }
        if !self.classes.is_empty() {
            writeln!(out, "\n  {:14} {:>7} {:>7}", "class", "words", "offered")?;
        }
        for ClassReport { name, words, offered, sample } in &self.classes {
            writeln!(out, "  {name:14} {words:>7} {offered:>7}  {}", sample.join(" "))?;
        }
        if let Some(Extremes { diameter, smallest_distance, all_rows_differ }) = &self.verified {
            let differ = if *all_rows_differ { "all rows differ" } else { "some rows are alike" };
            writeln!(out, "\n  diameter {diameter:.4}, smallest distance {smallest_distance:.4}: {differ}")?;
        }
        if let (Some(neighbors), Some(word)) = (&self.neighbors, &asked.neighbors) {
            writeln!(out, "\n  nearest to \"{word}\":")?;
            for Neighbor { word, distance } in neighbors {
                writeln!(out, "  {distance:.4}  {word}")?;
            }
        }
        if !self.odds.is_empty() {
            writeln!(out, "\n  {:5} {:20} {:>10} {:>16}", "level", "word", "comes out", "was written")?;
        }
        for Odds { word, level, kept, written } in &self.odds {
            writeln!(out, "  {level:>5} {word:20} {:>9.1}% {:>15.1}%", 100.0 * kept, 100.0 * written)?;
        }
        if !self.marks.is_empty() {
            writeln!(out)?;
        }
        for Marks { word, marks } in &self.marks {
            writeln!(out, "  {word:20} {}", marks.join(", "))?;
        }
        if let Some(Coverage { tokens, exact, near, unknown }) = &self.coverage {
            let share = |count: usize| 100.0 * count as f64 / (*tokens).max(1) as f64;
            writeln!(
                out,
                "\n  {tokens} tokens: {:.2}% exact, {:.2}% near, {:.2}% unknown",
                share(*exact),
                share(*near),
                share(*unknown)
            )?;
        }
        Ok(())
    }
}

fn classes(table: &Table) -> Vec<ClassReport> {
    let report = |class| {
        let words: Vec<WordId> = table.rows().filter(|id| table.class_of(*id) == Some(class)).collect();
        let offered: Vec<WordId> = words.iter().copied().filter(|id| table.is_offered(*id)).collect();
        let sample = offered.iter().step_by(offered.len().div_ceil(SAMPLE));
        Some(ClassReport {
            name: table.class_name(class)?.to_owned(),
            words: words.len(),
            offered: offered.len(),
            sample: sample.map(|id| table.word(*id).to_string()).collect(),
        })
    };
    table.classes().filter_map(report).collect()
}

fn extremes(table: &Table) -> Extremes {
    let rows = lattice_rows(table, |_| true);
    let dims = table.dims();
    let (smallest, largest) = (0..table.len())
        .into_par_iter()
        .map(|row| {
            let mut distances = vec![0; table.len() - row - 1];
            squared_distances(&rows[row * dims..(row + 1) * dims], &rows[(row + 1) * dims..], &mut distances);
            (distances.iter().copied().min().unwrap_or(u32::MAX), distances.iter().copied().max().unwrap_or(0))
        })
        .reduce(|| (u32::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    let real = |squared: u32| table.scale() * f64::from(squared).sqrt();
    let alone = table.len() < 2;
    Extremes {
        diameter: real(largest),
        smallest_distance: if alone { 0.0 } else { real(smallest) },
        all_rows_differ: alone || smallest > 0,
    }
}

fn neighbors(table: &Table, word: &str, count: usize) -> Result<Vec<Neighbor>> {
    let id = table.find(&word.to_lowercase()).with_context(|| format!("the vocabulary has no \"{word}\""))?;
    let mut others: Vec<(u32, WordId)> = table
        .words()
        .map(|(other, _)| other)
        .filter(|other| *other != id && table.is_offered(*other))
        .map(|other| (table.distance_squared(id, other), other))
        .collect();
    others.sort_unstable();
    Ok(others
        .into_iter()
        .take(count)
        .map(|(_, other)| Neighbor { word: table.word(other).to_string(), distance: table.distance(id, other) })
        .collect())
}

fn marks(table: &Table, word: &str) -> Result<Marks> {
    let id = table.find(&word.to_lowercase()).with_context(|| format!("the vocabulary has no \"{word}\""))?;
    let flags = table.flags(id);
    let named = MARKS.iter().filter(|(mark, _)| flags.intersects(*mark)).map(|(_, name)| *name);
    let offered = table.is_offered(id).then_some("offered");
    Ok(Marks { word: table.word(id).to_string(), marks: offered.into_iter().chain(named).collect() })
}

fn coverage(table: &Table, path: &Path) -> Result<Coverage> {
    let text = textveil_toolkit::files::text_of(path)?;
    let mut coverage = Coverage::default();
    let mut seen: HashMap<String, Found> = HashMap::new();
    for line in text.lines() {
        // NFKC may lengthen a text, at most eighteenfold.
        let pieces = Piece::split(&normalize(line))
            .map_err(|_| anyhow!("{} has a line of more than {MAX_TEXT_BYTES} bytes", path.display()))?;
        for piece in pieces {
            let Piece::Token { kind, text } = piece else { continue };
            coverage.tokens += 1;
            let key = format!("{kind:?} {text}");
            match seen.entry(key).or_insert_with(|| look_up(table, kind, &text).found) {
                Found::Exact => coverage.exact += 1,
                Found::Near => coverage.near += 1,
                Found::Unknown => coverage.unknown += 1,
            }
        }
    }
    Ok(coverage)
}

#[cfg(test)]
mod tests {
    use textveil_tables::example;

    use super::*;

    #[test]
    fn the_extremes_are_those_of_all_pairs_and_within_the_bound() {
        let table = example(40, 4).expect("a table");
        let pairs = table.words().flat_map(|(a, _)| {
            table.words().filter(move |(b, _)| a < *b).map(move |(b, _)| (a, b)).collect::<Vec<_>>()
        });
        let distances: Vec<f64> = pairs.map(|(a, b)| table.distance(a, b)).collect();
        let extremes = extremes(&table);
        assert_eq!(extremes.diameter, distances.iter().copied().fold(0.0, f64::max));
        assert_eq!(extremes.smallest_distance, distances.iter().copied().fold(f64::MAX, f64::min));
        assert!(extremes.all_rows_differ && extremes.diameter <= table.diameter_bound());
    }

    #[test]
    fn every_word_is_counted_in_one_class_and_samples_are_offered() {
        let table = Table::english().expect("the built-in table");
        let classes = classes(&table);
        assert_eq!(classes.iter().map(|class| class.words).sum::<usize>(), table.len());
        for ClassReport { name, offered, sample, .. } in &classes {
            assert!((1..=SAMPLE.min(*offered)).contains(&sample.len()), "{name}");
            assert!(sample.iter().all(|word| table.find(word).is_some_and(|id| table.is_offered(id))), "{name}");
        }
    }

    #[test]
    fn neighbors_are_offered_and_in_order() {
        let table = example(40, 4).expect("a table");
        let neighbors = neighbors(&table, "W00005", 10).expect("a word");
        assert_eq!(neighbors.len(), 10);
        assert!(neighbors.is_sorted_by(|a, b| a.distance <= b.distance));
        assert!(neighbors.iter().all(|n| n.word != "w00005" && table.is_offered(table.find(&n.word).expect("a row"))));
    }

    #[test]
    fn the_marks_of_a_word_are_named() {
        let table = Table::english().expect("the built-in table");
        let of = |word: &str| marks(&table, word).expect("a word").marks;
        assert_eq!(of("the"), ["offered", "function word"]);
        assert_eq!(of("Americans"), ["offered", "name", "plural"]);
        assert_eq!(of("stopped"), ["offered", "past", "participle"]);
        assert_eq!(of("ofthe"), ["never offered"]);
        assert!(marks(&table, "qzxv").is_err());
    }
}
