//! What can be told from texts in clear: the yardstick of the papers' sentiment sets, and a check of the
//! ways here.
//!
//! A logistic regression on the mean vector of a text's words, by the table's own vectors. Each run splits the 1,000
//! sentences of a set (Kotzias et al. 2015) anew. It trains on 800 of them, or on the first of those, and tests on 200.
//! With shuffled training labels there is nothing to learn. An accuracy above chance would then mean that test texts
//! leaked into training.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result};
use textveil::WordId;

use super::claim::Claim;
use super::experiment::{Experiment, Runs};
use super::report::Report;
use super::run::Run;
use crate::data::Set;
use crate::logistic::Classifier;
use textveil_tables::embedding::{Space, rows};
use textveil_toolkit::cells;
use textveil_toolkit::report::plot::{Axis, Panel, panels};
use textveil_toolkit::report::{Mean, Sheet};
use textveil_toolkit::sampling::{shuffled, stratified};

pub(super) static EXPERIMENT: Experiment = Experiment {
    paper: "baseline",
    table: "kotzias",
    about: "What a logistic regression on mean vectors tells in clear, by how many texts it is trained on",
    data: &SETS,
    takes: &["table"],
    runs: Some(Runs { quick: 3, usual: 10, paper: None }),
    has_plot: true,
    why: "",
    compute,
};

const SETS: [&str; 3] = ["imdb", "amazon", "yelp"];
/// Texts to train on.
const SIZES: [usize; 4] = [100, 200, 400, 800];
/// How many texts of a set are trained on at most; the others are tested.
const SHARE: f64 = 0.8;
/// Three standard errors of the mean of three runs, each tested on 200 texts.
const CHANCE: f64 = 0.06;

/// A classifier, trained once.
struct BaselineTraining {
    set: &'static str,
    size: usize,
    is_shuffled: bool,
    run: u32,
}

impl fmt::Display for BaselineTraining {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { set, size, is_shuffled, run } = self;
        let labels = if *is_shuffled { "shuffled" } else { "true" };
        write!(formatter, "{set}/train={size}/labels={labels}/run={run}")
    }
}

fn compute(run: &Run<'_>) -> Result<Report> {
    let table = run.table()?;
    let space = Space::of_table(&table);
    let mut sets = BTreeMap::new();
    for name in SETS {
        let words = |text: &str| rows(&table, text).map_err(anyhow::Error::from);
        sets.insert(name, Features::of(&run.set(name)?, &space, words).context(name)?);
    }
    let trainings = |set| {
        let sizes = SIZES.into_iter().map(|size| (size, false)).chain([(SIZES[3], true)]);
        sizes.flat_map(move |(size, is_shuffled)| {
            (0..run.runs()).map(move |run| BaselineTraining { set, size, is_shuffled, run })
        })
    };
    let cells: Vec<BaselineTraining> = SETS.into_iter().flat_map(trainings).collect();
    let accuracies = run.cells(&cells, |training| {
        sets.get(training.set).context("an unknown set").map(|features| features.accuracy(run, training))
    })?;
    // The runs of a column stand together, the columns of a set too.
    let means: Vec<Mean> = accuracies.chunks(run.runs() as usize).map(Mean::of).collect();
    Ok(report(&means))
}

/// The texts of a set as vectors.
struct Features {
    rows: Vec<Vec<f64>>,
    labels: Vec<usize>,
    classes: usize,
}

impl Features {
    fn of(set: &Set, space: &Space, words: impl Fn(&str) -> Result<Vec<WordId>>) -> Result<Self> {
        let examples = || set.train.iter().chain(&set.test);
        Ok(Self {
            rows: examples().map(|example| Ok(space.mean(&words(&example.text)?))).collect::<Result<_>>()?,
            labels: examples().map(|example| example.label).collect(),
            classes: set.labels.len(),
        })
    }

    /// The accuracy on a fifth of the texts, after training on some of the others.
    fn accuracy(&self, run: &Run<'_>, training: &BaselineTraining) -> f64 {
        let split = run.seed(&format!("{}/split/run={}", training.set, training.run));
        let most = (SHARE * self.rows.len() as f64) as usize;
        let mut is_trained = vec![false; self.rows.len()];
        let mut train = stratified(&self.labels, most, split);
        train.iter().for_each(|text| is_trained[*text] = true);
        let of_train: Vec<usize> = train.iter().map(|text| self.labels[*text]).collect();
        train = stratified(&of_train, training.size, split).into_iter().map(|place| train[place]).collect();
        let features: Vec<&[f64]> = train.iter().map(|text| self.rows[*text].as_slice()).collect();
        let mut labels: Vec<usize> = train.iter().map(|text| self.labels[*text]).collect();
        if training.is_shuffled {
            let order = shuffled(labels.len(), run.seed(&training.to_string()));
            labels = order.into_iter().map(|place| labels[place]).collect();
        }
        let classifier = Classifier::train(&features, &labels, self.classes);
        let tested = || (0..self.rows.len()).filter(|text| !is_trained[*text]);
        let hits = tested().filter(|text| classifier.predict(&self.rows[*text]) == self.labels[*text]).count();
        hits as f64 / tested().count() as f64
    }
}

/// Reports the means of each set, by size, with shuffled labels last.
fn report(means: &[Mean]) -> Report {
    let mut sheet = Sheet::new("Accuracy in clear on 200 texts, by how many it is trained on");
    let (mut claims, mut lines) = (Vec::new(), Vec::new());
    for (set, means) in SETS.into_iter().zip(means.chunks_exact(SIZES.len() + 1)) {
        if let [a, b, c, d, chance] = means {
            sheet.row(cells![
                "set" => set,
                "100 texts" => *a,
                "200 texts" => *b,
                "400 texts" => *c,
                "800 texts" => *d,
                "800, labels shuffled" => *chance,
            ]);
            let rising = [a, b, c, d].map(|mean| mean.mean);
            claims.push(Claim::rises(format!("{set}: accuracy rises with the texts to train on"), &rising, 0.02));
            claims.push(Claim::near(format!("{set}: shuffled labels teach nothing"), &[chance.mean], 0.5, CHANCE));
            lines.push((set, SIZES.into_iter().zip(rising).map(|(size, y)| [size as f64, y]).collect()));
        }
    }
    let panel = Panel {
        title: "mean over the runs",
        axis_title: "texts to train on (logarithmic)",
        x: Axis::logarithmic(100.0, 1000.0),
        y: Axis::linear(0.5, 1.0),
        lines,
    };
    let drawing = panels("Accuracy in clear", &[panel]);
    Report { claims, ..Report::of(vec![sheet], drawing) }
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::with_library;
    use super::*;
    use crate::data::toy::{Split, Toy};
    use textveil_toolkit::report::Cell;

    #[test]
    fn what_words_tell_is_learned_and_what_they_do_not_tell_is_not() {
        let mut toy = Toy::new();
        let (good, bad) = (["great", "lovely", "wonderful", "perfect"], ["awful", "terrible", "bad", "worst"]);
        let row = |i: usize| {
            let (label, words) = if i.is_multiple_of(2) { ("y", good) } else { ("n", bad) };
            format!("{label}\tthe {} film was {} number {i}\n", words[i / 2 % 4], words[i / 8 % 4])
        };
        let rows: String = (0..300).map(row).collect();
        let file = format!("label\ttext\n{rows}");
        for set in SETS {
            toy.set(set, &["text"], &[], &[(Split::Train, &file), (Split::Test, "label\ttext\nn\tbad\ny\tgreat\n")]);
        }
        let report = with_library(&EXPERIMENT, 2, &toy.library(), compute).expect("a report");
        let Cell::Mean(clear) = &report.sheets[0].rows[0][4] else { unreachable!("a mean") };
        assert!(clear.mean > 0.95, "{clear:?}");
        let shuffled = report.claims.iter().filter(|claim| claim.text.contains("shuffled"));
        assert_eq!(shuffled.count(), 3);
        let Cell::Mean(chance) = &report.sheets[0].rows[0][5] else { unreachable!("a mean") };
        assert!((chance.mean - 0.5).abs() < 0.3, "{chance:?}");
    }
}
