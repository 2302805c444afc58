//! `textveil-lab levels`: what nearest-mass randomized response leaves of texts, for many ε, γ and m.

mod law;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Args;
use rayon::prelude::*;
use textveil::{Disclosure, Error, Mechanism, MechanismKind, Parameter, Privatizer, Table, WordId, normalize};

use crate::compare::{Dataset, Reading, rng};
use crate::data::Library;
use crate::logistic::Classifier;
use crate::reader::{Knowledge, Success};
use law::{Law, Spot};
use textveil_tables::embedding::Space;

/// Search the levels of nearest-mass randomized response
///
/// A level is a frequency power (γ), a mass (m) and an ε. The command measures the accuracy of a logistic regression on
/// the mean vector of the words that came out. It is trained and tested on releases, in five parts. For the first set,
/// three numbers are exact: the shares of words and of content words that come out as themselves, and the mean distance
/// of what comes out. Unknown words are replaced too, and count for accuracy alone.
///
/// All levels are printed, and then those on the frontier. A level is there if no other level of the same ε is better in
/// one of three and at least as good in the others. The three are accuracy on the first set, distance, and content words
/// kept.
///
/// With --read, the reader with context (see "reader") reads each level on the frontier whose accuracy is at least that.
#[derive(Args)]
pub(crate) struct Levels {
    /// Labelled texts with a header, as "compare" reads them. The frontier is that of the first file
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    data: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// A table file instead of the built-in English table
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// ε of a word
    #[arg(long, value_delimiter = ',', default_value = "4,5,6,7,8,9,10,10.58,11,12,13,14", value_name = "NUMBERS")]
    epsilon: Vec<f64>,
    /// γ
    #[arg(long, value_delimiter = ',', default_value = "0,0.25,0.5,0.75,1", value_name = "NUMBERS")]
    frequency_power: Vec<f64>,
    /// m
    #[arg(long, value_delimiter = ',', default_value = "0.0003,0.001,0.003,0.01,0.03", value_name = "NUMBERS")]
    mass: Vec<f64>,
    /// How often all texts are privatized
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Read what is on the frontier and at least so accurate
    #[arg(long, requires_all = ["papers", "corpus"], value_name = "SHARE")]
    read: Option<f64>,
    /// The folder with the papers' data sets, for the reader
    #[arg(long, value_name = "DIR")]
    papers: Option<PathBuf>,
    /// Public English text for the reader, as "reader" takes it
    #[arg(long, value_name = "FILE")]
    corpus: Option<PathBuf>,
    /// Print 20 releases of this text at each level that is on the frontier
    #[arg(long, value_name = "TEXT")]
    example: Option<String>,
    /// The seed of every draw, part and choice of texts
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
}

/// Any ε at which probabilities are asked for: the sets do not depend on it.
const REFERENCE: f64 = 10.0;
/// Words of each of the two kinds of texts that the reader reads.
const WORDS_READ: usize = 700;
/// Releases of an example.
const EXAMPLES: usize = 20;

/// A set whose texts are words of the table, none where a word is unknown.
struct Task {
    dataset: Dataset,
    texts: Vec<Vec<Option<WordId>>>,
}

/// A level, and what it leaves.
struct Measured {
    epsilon: f64,
    power: f64,
    mass: f64,
    /// For each set.
    accuracy: Vec<f64>,
    spot: Spot,
    content_kept: f64,
}

impl Measured {
    /// Whether this row is at least as good everywhere, and better somewhere.
    fn beats(&self, other: &Self) -> bool {
        let goods = |row: &Self| [row.accuracy[0], -row.spot.distance, -row.content_kept];
        let (ours, theirs) = (goods(self), goods(other));
        ours != theirs && ours.iter().zip(&theirs).all(|(ours, theirs)| ours >= theirs)
    }

    fn mechanism(&self) -> Result<Mechanism> {
        mechanism(self.epsilon, self.power, self.mass)
    }
}

fn mechanism(epsilon: f64, power: f64, mass: f64) -> Result<Mechanism> {
    let mechanism = Mechanism::new(MechanismKind::Nearest).with(Parameter::Epsilon, epsilon)?;
    Ok(mechanism.with(Parameter::FrequencyPower, power)?.with(Parameter::Mass, mass)?)
}

impl Levels {
    pub(crate) fn run(&self) -> Result<()> {
        let table = textveil_tables::load(self.table.as_deref())?;
        let space = Space::of_table(&table);
        let tasks = self.data.iter().map(|path| self.task(&table, path)).collect::<Result<Vec<_>>>()?;
        let knowledge = match (self.read, &self.papers, &self.corpus) {
            (Some(_), Some(papers), Some(corpus)) => {
                Some(Knowledge::gather(&table, &Library::open(papers)?, corpus, WORDS_READ)?)
            }
            _ => None,
        };
        let mut out = io::stdout().lock();
        let names: Vec<&str> = tasks.iter().map(|task| task.dataset.name.as_str()).collect();
        let clear: Vec<String> = tasks.iter().map(|task| format!("{:.3}", in_clear(task, &space))).collect();
        writeln!(out, "accuracy of {}; in clear {}", names.join(", "), clear.join(" "))?;
        writeln!(out, "epsilon\tgamma\tm\taccuracy\tkept\tcontent\tdistance")?;
        let words: BTreeSet<WordId> =
            tasks.iter().flat_map(|task| task.texts.iter().flatten().flatten()).copied().collect();
        let words: Vec<WordId> = words.into_iter().collect();
        let mut rows = Vec::new();
        for power in &self.frequency_power {
            for mass in &self.mass {
                let mechanism = mechanism(REFERENCE, *power, *mass)?;
                let privatizer = match Privatizer::new(&table, mechanism, Disclosure::default()) {
                    Err(Error::Invalid(Parameter::Mass)) => {
                        writeln!(out, "-\t{power}\t{mass}\tno row is so light")?;
                        continue;
                    }
                    privatizer => privatizer?,
                };
                let law = Law::of(&privatizer, &table, &words)?;
                for epsilon in &self.epsilon {
                    let row = self.row(&table, &space, &tasks, &law, [*epsilon, *power, *mass]);
                    print(&mut out, &row, "")?;
                    rows.push(row);
                }
            }
        }
        writeln!(out, "the frontier")?;
        for row in frontier(&rows) {
            let privatizer = Privatizer::new(&table, row.mechanism()?, Disclosure::default())?.of_any_language();
            let is_read = self.read.is_some_and(|least| row.accuracy[0] >= least);
            let end = match knowledge.as_ref().filter(|_| is_read) {
                Some(knowledge) => {
                    let Success { words, content } = knowledge.read(&privatizer, &table, self.seed)?;
                    let [[.., all], [.., content]] = [words, content];
                    format!("\tread {:.3} ±{:.3}, content {:.3} ±{:.3}", all[0], all[1], content[0], content[1])
                }
                None => String::new(),
            };
            print(&mut out, row, &end)?;
            let example = self.example.as_deref().map(normalize);
            for (draw, text) in example.iter().flat_map(|text| std::iter::repeat_n(text, EXAMPLES)).enumerate() {
                let release = privatizer.privatize(text, &mut rng(self.seed, 0, draw))?;
                writeln!(out, "  {}", release.text)?;
            }
        }
        Ok(())
    }

    fn task(&self, table: &Table, path: &Path) -> Result<Task> {
        let dataset = Dataset::read(path, None, &self.reading, self.seed)?;
        let texts = dataset.words(table)?;
        ensure!(texts.iter().flatten().any(Option::is_some), "{} has no word of the table", dataset.name);
        Ok(Task { dataset, texts })
    }

    fn row(&self, table: &Table, space: &Space, tasks: &[Task], law: &Law, level: [f64; 3]) -> Measured {
        let [epsilon, power, mass] = level;
        let accuracy = |task: &Task| {
            let run = |run: u32| {
                let mut rng = rng(self.seed, run, 0);
                let mut draw = |word: &Option<WordId>| law.draw(*word, epsilon, &mut rng);
                let texts: Vec<Vec<WordId>> =
                    task.texts.iter().map(|text| text.iter().map(&mut draw).collect()).collect();
                accuracy(&task.dataset, &texts, space)
            };
            let runs: Vec<f64> = (0..self.runs).into_par_iter().map(run).collect();
            runs.iter().sum::<f64>() / runs.len() as f64
        };
        let known = || tasks[0].texts.iter().flatten().flatten();
        let content = known().filter(|word| !table.is_function_word(**word));
        Measured {
            epsilon,
            power,
            mass,
            accuracy: tasks.iter().map(accuracy).collect(),
            spot: law.mean(known(), epsilon),
            content_kept: law.mean(content, epsilon).kept,
        }
    }
}

/// The rows that no other of the same ε beats, by ε and distance.
fn frontier(rows: &[Measured]) -> Vec<&Measured> {
    let is_beaten = |row: &Measured| rows.iter().any(|other| other.epsilon == row.epsilon && other.beats(row));
    let mut left: Vec<&Measured> = rows.iter().filter(|row| !is_beaten(row)).collect();
    left.sort_by(|a, b| a.epsilon.total_cmp(&b.epsilon).then(a.spot.distance.total_cmp(&b.spot.distance)));
    left
}

fn in_clear(task: &Task, space: &Space) -> f64 {
    let texts: Vec<Vec<WordId>> = task.texts.iter().map(|text| text.iter().flatten().copied().collect()).collect();
    accuracy(&task.dataset, &texts, space)
}

/// The accuracy of classifiers that are trained on these texts and tested on others of them.
fn accuracy(dataset: &Dataset, texts: &[Vec<WordId>], space: &Space) -> f64 {
    let features: Vec<Vec<f64>> = texts.iter().map(|words| space.mean(words)).collect();
    let mut right = 0;
    for split in &dataset.splits {
        let rows: Vec<&[f64]> = split.train.iter().map(|text| features[*text].as_slice()).collect();
        let labels: Vec<usize> = split.train.iter().map(|text| dataset.labels[*text]).collect();
        let classifier = Classifier::train(&rows, &labels, dataset.names.len());
        right +=
            split.test.iter().filter(|text| classifier.predict(&features[**text]) == dataset.labels[**text]).count();
    }
    right as f64 / dataset.tested() as f64
}

fn print(out: &mut impl Write, row: &Measured, end: &str) -> Result<()> {
    let accuracy: Vec<String> = row.accuracy.iter().map(|accuracy| format!("{accuracy:.3}")).collect();
    let Measured { epsilon, power, mass, spot: Spot { kept, distance }, content_kept, .. } = row;
    let accuracy = accuracy.join(" ");
    Ok(writeln!(out, "{epsilon}\t{power}\t{mass}\t{accuracy}\t{kept:.3}\t{content_kept:.3}\t{distance:.3}{end}")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(epsilon: f64, accuracy: f64, distance: f64, content_kept: f64) -> Measured {
        let spot = Spot { kept: 0.0, distance };
        Measured { epsilon, power: 0.0, mass: 0.1, accuracy: vec![accuracy], spot, content_kept }
    }

    #[test]
    fn a_row_is_beaten_by_one_that_is_nowhere_worse_and_somewhere_better() {
        let one = row(8.0, 0.7, 0.5, 0.1);
        assert!(row(8.0, 0.7, 0.5, 0.05).beats(&one));
        assert!(row(8.0, 0.8, 0.4, 0.1).beats(&one));
        assert!(!row(8.0, 0.7, 0.5, 0.1).beats(&one));
        assert!(!row(8.0, 0.8, 0.6, 0.1).beats(&one) && !one.beats(&row(8.0, 0.8, 0.6, 0.1)));
        let rows = [one, row(8.0, 0.7, 0.5, 0.05), row(8.0, 0.8, 0.6, 0.1), row(9.0, 0.6, 0.6, 0.1)];
        let left: Vec<f64> = frontier(&rows).iter().map(|row| row.accuracy[0]).collect();
        assert_eq!(left, [0.7, 0.8, 0.6]);
    }
}
