//! `textveil-lab transfer`: what classifiers that are trained on releases do on clear text.

use std::io;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use rayon::prelude::*;
use textveil::{Disclosure, Mechanism, MechanismKind, Preset, Privatizer, Table, WordId, normalize};
use textveil_estimate::{Channel, posterior_means};

use crate::compare::{Dataset, Estimate, Reading, rng};
use crate::logistic::Classifier;
use textveil_tables::embedding::{Space, rows};
use textveil_toolkit::cells;
use textveil_toolkit::progress::bar;
use textveil_toolkit::report::Sheet;

/// Measure classifiers that are trained on releases and used on clear text
///
/// A logistic regression (as in "levels") is trained in five parts, on texts in clear or on their releases. It is tested
/// on texts in clear or on releases of them. It sees the mean vector of the words. With "posterior" it also sees the mean
/// vector of the words that may have been typed. That follows from the mechanism and from how frequent words are. For
/// clear text it is the mean vector again. "gain" is how much more accurate the classifier is then, on the same releases.
///
/// Intervals hold 95 %: the percentile bootstrap over the texts that are tested and over the runs.
#[derive(Args)]
pub(crate) struct Transfer {
    /// Labelled texts with a header, as "compare" reads them
    #[arg(required = true, value_name = "FILE")]
    data: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// How often all texts are privatized
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1000))]
    runs: u32,
    /// The seed of every draw, part and choice of texts
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
}

/// A level, and what was typed where each word came out, on average.
pub(crate) struct Level {
    pub(crate) preset: Preset,
    pub(crate) privatizer: Privatizer,
    pub(crate) channel: Channel,
    pub(crate) typed: Vectors,
}

/// A vector for each text, or for each row of the table.
pub(crate) type Vectors = Vec<Vec<f64>>;

/// Whether texts are classified right: on releases, and in clear.
type Right = [f64; 2];

/// The same of one text, by vectors, and with posterior means.
#[derive(Clone, Copy)]
struct Both {
    plain: Right,
    posterior: Right,
}

impl Transfer {
    pub(crate) fn run(&self) -> Result<()> {
        let table = Table::english()?;
        let space = Space::of_table(&table);
        let vectors: Vectors = table.rows().map(|word| space.vector(word).to_vec()).collect();
        let sets = self.data.iter().map(|path| Dataset::read(path, None, &self.reading, self.seed));
        let sets = sets.collect::<Result<Vec<_>>>()?;
        let levels = Preset::ALL.iter().copied().map(|preset| Level::new(preset, &table, &vectors));
        let levels = levels.collect::<Result<Vec<_>>>()?;
        let progress = bar("runs", sets.len() * levels.len() * self.runs as usize);
        let mut sheet = Sheet::new("accuracy, by what was trained on → what was tested on");
        for set in &sets {
            let words = set.words(&table)?;
            let known = words.iter().map(|text| text.iter().flatten().copied().collect::<Vec<_>>());
            let clear: Vectors = known.map(|text| mean(&vectors, &text)).collect();
            let of_clear = right(set, &clear, [&clear]);
            for level in &levels {
                let run = |run: u32| {
                    let right = self.right(run, set, &clear, level, &vectors);
                    progress.inc(1);
                    right
                };
                let runs = (0..self.runs).into_par_iter().map(run).collect::<Result<Vec<_>>>()?;
                let shown = |of: &dyn Fn(&Both) -> f64| {
                    let parts = |run: &Vec<Both>| run.iter().map(|both| [of(both), 1.0]).collect();
                    Estimate::of(&runs.iter().map(parts).collect::<Vec<_>>()).to_string()
                };
                let gain = |place: usize| shown(&|both| both.posterior[place] - both.plain[place]);
                sheet.row(cells![
                    "set" => set.name.as_str(),
                    "texts" => set.texts.len() as f64,
                    "level" => format!("{}, ε {}", level.preset.name(), level.privatizer.guarantee(1).epsilon_word),
                    "clear → clear" => Estimate::of(&[of_clear.iter().map(|[right]| [*right, 1.0]).collect()]).to_string(),
                    "releases → releases" => shown(&|both| both.plain[0]),
                    "releases → clear" => shown(&|both| both.plain[1]),
                    "posterior, → releases" => shown(&|both| both.posterior[0]),
                    "gain" => gain(0),
                    "posterior, → clear" => shown(&|both| both.posterior[1]),
                    "gain in clear" => gain(1),
                ]);
            }
        }
        progress.finish_and_clear();
        Ok(sheet.print(&mut io::stdout().lock())?)
    }

    /// Whether each text is classified right by classifiers that saw releases of others.
    fn right(&self, run: u32, set: &Dataset, clear: &Vectors, level: &Level, vectors: &Vectors) -> Result<Vec<Both>> {
        let (mut released, mut with_typed) = (Vec::new(), Vec::new());
        for (number, text) in set.texts.iter().enumerate() {
            let release = level.privatizer.privatize(&normalize(text), &mut rng(self.seed, run, number))?;
            let words = rows(level.privatizer.table(), &release.text)?;
            let plain = mean(vectors, &words);
            with_typed.push([plain.clone(), mean(&level.typed, &words)].concat());
            released.push(plain);
        }
        let twice: Vectors = clear.iter().map(|vector| vector.repeat(2)).collect();
        let plain = right(set, &released, [&released, clear]);
        let posterior = right(set, &with_typed, [&with_typed, &twice]);
        Ok(plain.into_iter().zip(posterior).map(|(plain, posterior)| Both { plain, posterior }).collect())
    }
}

impl Level {
    pub(crate) fn new(preset: Preset, table: &Table, vectors: &Vectors) -> Result<Self> {
        let mechanism = Mechanism::new(MechanismKind::Nearest).with_preset(preset)?;
        let privatizer = Privatizer::new(table, mechanism, Disclosure::default())?.of_any_language();
        let channel = Channel::new(&privatizer, false)?;
        let typed = posterior_means(&channel, table, vectors);
        Ok(Self { preset, privatizer, channel, typed })
    }
}

/// The mean vector of some words, or zeros without words.
pub(crate) fn mean(vectors: &Vectors, words: &[WordId]) -> Vec<f64> {
    let mut mean = vec![0.0; vectors.first().map_or(0, Vec::len)];
    for word in words {
        mean.iter_mut().zip(&vectors[word.row()]).for_each(|(sum, x)| *sum += x);
    }
    mean.iter_mut().for_each(|sum| *sum /= words.len().max(1) as f64);
    mean
}

/// For each text and each version of it in `tested`: 1 if it is classified right, else 0. The classifier learned other
/// texts in the version `trained`.
pub(crate) fn right<const N: usize>(set: &Dataset, trained: &Vectors, tested: [&Vectors; N]) -> Vec<[f64; N]> {
    let mut right = vec![[0.0; N]; set.texts.len()];
    for split in &set.splits {
        let rows: Vec<&[f64]> = split.train.iter().map(|text| trained[*text].as_slice()).collect();
        let labels: Vec<usize> = split.train.iter().map(|text| set.labels[*text]).collect();
        let classifier = Classifier::train(&rows, &labels, set.names.len());
        let is_right = |text: usize, as_seen: &Vectors| classifier.predict(&as_seen[text]) == set.labels[text];
        for text in &split.test {
            right[*text] = tested.map(|as_seen| f64::from(u8::from(is_right(*text, as_seen))));
        }
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Split;

    #[test]
    fn a_classifier_is_tested_on_what_it_is_asked_about() {
        let labels: Vec<usize> = (0..40).map(|text| text % 2).collect();
        let seen = |sign: f64| -> Vectors { labels.iter().map(|label| vec![sign * (*label as f64 - 0.5)]).collect() };
        let splits = [0, 1].map(|part| {
            let of = |is_test: bool| (0..40).filter(|text| (text / 20 == part) == is_test).collect();
            Split { train: of(false), test: of(true) }
        });
        let names = ["no", "yes"].map(str::to_owned).to_vec();
        let texts = vec![String::new(); 40];
        let set = Dataset { name: String::new(), texts, labels: labels.clone(), names, splits: splits.into() };
        assert_eq!(right(&set, &seen(1.0), [&seen(1.0), &seen(-1.0)]), vec![[1.0, 0.0]; 40]);
    }
}
