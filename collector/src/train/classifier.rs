//! `textveil-collector train classifier`: releases and labels in, a model and its card out.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::builder::{RangedU64ValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use textveil_learn::{Diverged, Examples, Model, Optimizer, Recipe, Session, Trained, train};

use super::card::{Card, Data, Input};
use super::features::{Reader, View, WordFeatures, scale};
use super::folder::Folder;
use super::guarantee::Promise;
use super::options::Options;
use super::report::Metrics;
use super::set::{Kind, Labels, Line, Set};
use crate::reports::Source;
use textveil_toolkit::files::{digest, digest_of};
use textveil_toolkit::number::{number, share};
use textveil_toolkit::progress::bar;
use textveil_toolkit::report::numbers::counted;
use textveil_toolkit::sampling::stratified;

/// More classes are a sign that the column holds no labels.
const MOST_CLASSES: usize = 1000;
/// The share that is held out to see when to stop.
const TO_STOP: f64 = 0.1;

/// Train a classifier on releases and their labels, and test it on some that it has not seen
///
/// DATA is a file that `textveil privatize` wrote: .csv, .tsv and .parquet by columns, .jsonl by fields, others as
/// plain lines. Its guarantee is that of the file: FILE.guarantee.json next to it, or the metadata of a Parquet file.
/// Other files are JSON lines, a release each, as devices send them: what `textveil represent` writes of lines, what
/// JSON.stringify makes of a release or a representation of the npm package, the fields of a protected form (--field
/// comment), Swift's and Python's JSON, and what the collector lists. The database of a collector (serve --database)
/// is read too, while a collector writes to it. Texts, vectors and bits each for itself.
///
/// Writes into the folder OUT the model, model.safetensors, and card.json: what it reads, its classes, how good it is,
/// and the guarantee under which the lines came, which is that of the weakest. Training and predicting weaken no
/// guarantee of the lines. LABELS ARE NOT COVERED: they came in the clear.
///
/// Rows that are damaged, have no guarantee, or were drawn unlike each other (another mechanism, strength or table, or
/// with dropout of a fixed size another number of words) are refused, and named by their numbers. A row whose release
/// is null is skipped, and so is a submission without the field. A submission without a label is left out, and the
/// number of them is printed. Statements for whole texts are not classified.
#[derive(Args)]
pub(crate) struct Classifier {
    /// Files of releases to train on, or databases of collectors. "-" is standard input, as JSON lines
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    data: Vec<PathBuf>,
    /// The folder for the model, which is made
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The field or column with the label
    #[arg(long, default_value = "label", value_name = "NAME")]
    label: String,
    /// A file with the labels instead: for each line of DATA, which has no columns, a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["label", "test"])]
    labels: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
    /// Files of releases to test on
    #[arg(long, num_args = 1.., value_name = "FILE")]
    test: Vec<PathBuf>,
    /// Without --test, the share of DATA to test on, each class in its share
    #[arg(long, default_value_t = 0.2, value_name = "SHARE", value_parser = share, conflicts_with = "test")]
    hold_out: f64,
    #[command(flatten)]
    training: Training,
    /// Continue --out after the last step of a training that was interrupted, or begin it
    #[arg(long)]
    resume: bool,
    /// Print the card
    #[arg(long)]
    json: bool,
}

/// The model, and its training.
#[derive(Args)]
struct Training {
    /// The kind of model
    #[arg(long, value_enum, default_value_t = ModelName::Logistic, value_name = "NAME")]
    model: ModelName,
    /// How words of texts are read
    #[arg(long, value_enum, default_value_t = WordFeatures::Vectors, value_name = "NAME")]
    features: WordFeatures,
    /// How often each release is seen. Without it, 100 (logistic), 50 (mlp), 20 (bilstm)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    epochs: Option<u32>,
    /// Stop when this number of epochs was no better on a tenth of DATA that is held out for it, and take the best
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    patience: Option<u32>,
    /// Releases a step
    #[arg(long, default_value_t = 32, value_name = "N", value_parser = one_or_more())]
    batch: usize,
    /// The learning rate (of Adam). Without it, 0.01 (logistic), 0.001 (mlp), 0.002 (bilstm)
    #[arg(long, value_name = "RATE", value_parser = number)]
    rate: Option<f64>,
    /// For logistic, the weight of the penalty on squared weights. Without it, 0.01
    #[arg(long, value_name = "WEIGHT", value_parser = number)]
    l2: Option<f64>,
    /// For mlp, units in each hidden layer, separated by commas, 128 without it. For bilstm, units in each direction,
    /// 64
    #[arg(long, value_delimiter = ',', value_name = "N", value_parser = one_or_more())]
    hidden: Vec<usize>,
    /// For mlp and bilstm, the rate of dropout. Without it, 0.5
    #[arg(long, value_name = "RATE", value_parser = number)]
    dropout: Option<f64>,
    /// The seed of the split and of all draws of the training: the same number gives the same model
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModelName {
    /// Multinomial logistic regression on the mean of a release's rows
    Logistic,
    /// A perceptron with hidden layers, on the same
    Mlp,
    /// A bidirectional LSTM over the rows: for texts, and vectors or bits of words
    Bilstm,
}

fn one_or_more() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::new().range(1..)
}

impl Training {
    /// # Errors
    /// A number that the model does not take.
    fn recipe(&self) -> Result<Recipe> {
        let dropout = self.dropout.unwrap_or(0.5);
        let only_of = |given: bool, option: &str, models: &str| {
            ensure!(!given, "--{option} is for {models}");
            Ok(())
        };
        if self.model == ModelName::Logistic {
            only_of(!self.hidden.is_empty(), "hidden", "mlp and bilstm")?;
            only_of(self.dropout.is_some(), "dropout", "mlp and bilstm")?;
        } else {
            only_of(self.l2.is_some(), "l2", "logistic")?;
        }
        let (model, epochs, rate) = match (self.model, self.hidden.as_slice()) {
            (ModelName::Logistic, _) => (Model::Logistic { l2: self.l2.unwrap_or(0.01) }, 100, 0.01),
            (ModelName::Mlp, []) => (Model::Mlp { hidden: vec![128], dropout }, 50, 0.001),
            (ModelName::Mlp, hidden) => (Model::Mlp { hidden: hidden.to_vec(), dropout }, 50, 0.001),
            (ModelName::Bilstm, []) => (Model::BiLstm { hidden: 64, dropout }, 20, 0.002),
            (ModelName::Bilstm, [hidden]) => (Model::BiLstm { hidden: *hidden, dropout }, 20, 0.002),
            (ModelName::Bilstm, _) => bail!("a bilstm has one layer: --hidden takes one number"),
        };
        Ok(Recipe {
            model,
            optimizer: Optimizer::Adam { rate: self.rate.unwrap_or(rate) },
            epochs: self.epochs.unwrap_or(epochs),
            batch: self.batch,
            patience: self.patience,
            seed: self.seed,
        })
    }

    fn view(&self) -> View {
        if self.model == ModelName::Bilstm { View::Sequence } else { View::Mean }
    }
}

/// Releases by their places in the set.
struct Split {
    train: Vec<usize>,
    /// To stop by.
    dev: Vec<usize>,
    test: Vec<usize>,
}

/// The set to learn from, and what is promised about it.
struct Task {
    set: Set,
    guarantee: Promise,
    classes: Vec<String>,
    /// The class of each release.
    labels: Vec<usize>,
    split: Split,
    reader: Reader,
    input: Input,
    data: Data,
}

impl Classifier {
    pub(super) fn run(&self) -> Result<()> {
        let recipe = self.training.recipe()?;
        recipe.check()?;
        let task = self.task()?;
        // Before the folder is begun, which would have to be removed by hand.
        recipe.model.check_size(task.input.width(), task.classes.len())?;
        let folder = Folder::open(&self.out, &self.settings(&recipe, &task), self.resume)?;
        let tested = task.train(&recipe, &folder).and_then(|trained| Ok((task.test(&trained)?, trained)));
        if tested.as_ref().is_err_and(|error| error.is::<Diverged>()) {
            folder.give_up()?;
        }
        let (metrics, trained) = tested?;
        trained.save(&folder.model())?;
        let Task { guarantee, classes, input, data, .. } = task;
        let card = Card {
            textveil: env!("CARGO_PKG_VERSION").to_owned(),
            model: digest_of(&folder.model())?,
            input,
            classes,
            guarantee,
            recipe,
            taken: [trained.taken() + 1, trained.history().len()],
            data,
            metrics,
        };
        let json = format!("{}\n", serde_json::to_string_pretty(&card)?);
        folder.finish(json.as_bytes())?;
        let told = if self.json { json } else { told(&card, &self.out) };
        Ok(io::stdout().lock().write_all(told.as_bytes())?)
    }

    /// Reads the releases.
    ///
    /// # Errors
    /// Lines that are refused, or from which nothing can be learned.
    fn task(&self) -> Result<Task> {
        let table = textveil_tables::load(self.options.table.as_deref())?;
        let labels = self.labels.as_deref().map_or_else(|| Ok(Labels::Field(self.label.clone())), Labels::of_file)?;
        ensure!(self.labels.is_none() || self.data.len() == 1, "--labels is for one file of releases");
        let mut set = Set::default();
        self.data.iter().try_for_each(|path| set.read(path, &self.options, &table, &labels))?;
        let given = set.lines.len();
        self.test.iter().try_for_each(|path| set.read(path, &self.options, &table, &labels))?;
        if set.unlabelled > 0 {
            let unlabelled = counted(set.unlabelled, "submission");
            eprintln!("{unlabelled} without a label left out: the label is missing, empty or more than a line.");
        }
        self.check_files(&set.files)?;
        let (shape, guarantee) = (set.shape(&table)?, set.promise(&self.options)?);
        let view = self.training.view();
        ensure!(
            view == View::Mean || set.lines.iter().any(|line| line.drawn.has_order()),
            "a bilstm reads row after row, and each release is one row: take --model mlp"
        );
        let (classes, labels) = classes(&set, given, &self.asked_about_labels())?;
        let split = self.split(&labels, given);
        let seen: BTreeSet<usize> = split.train.iter().map(|place| labels[*place]).collect();
        let unseen = counted((classes.len() - seen.len()) as u64, "label");
        ensure!(
            seen.len() == classes.len(),
            "{unseen} without a release to train on, because {} were held out: {} If so, hold out fewer, or leave out the lines with \
             rare labels",
            counted((split.test.len() + split.dev.len()) as u64, "release"),
            self.asked_about_labels()
        );
        ensure!(!split.test.is_empty(), "no release is left to test on");
        let mut input = Input {
            kind: shape.0,
            dims: shape.1,
            view,
            features: self.training.features,
            scale: 1.0,
            table: (shape.0 == Kind::Text).then(|| table.id().to_string()),
        };
        let reader = input.reader(&guarantee, &table)?;
        let trained = split.train.iter().map(|place| &set.lines[*place].drawn);
        input.scale = scale(&reader.features(trained, input.scale)?);
        let data = Data {
            files: set.files.clone(),
            trained: split.train.len(),
            held_out_to_stop: split.dev.len(),
            tested: split.test.len(),
            held_out: self.test.is_empty().then_some(self.hold_out),
        };
        Ok(Task { set, guarantee, classes, labels, split, reader, input, data })
    }

    /// The question to the user if the labels do not look like labels.
    fn asked_about_labels(&self) -> String {
        match &self.labels {
            Some(path) => format!("does {} hold the labels?", path.display()),
            None => format!("is \"{}\" the field with the label?", self.label),
        }
    }

    /// Whether no file was given twice: what is tested would then be among what is trained on.
    ///
    /// # Errors
    /// The first two with the same content.
    fn check_files(&self, files: &[Source]) -> Result<()> {
        let mut seen = BTreeMap::new();
        for (path, file) in self.data.iter().chain(&self.test).zip(files).filter(|(_, file)| file.records > 0) {
            if let Some(earlier) = seen.insert(&file.sha256, path) {
                let (one, other) = (earlier.display(), path.display());
                bail!(
                    "{one} and {other} hold the same lines: what is tested must not be trained on, so give them once"
                );
            }
        }
        Ok(())
    }

    /// What two runs must have in common to be one training.
    fn settings(&self, recipe: &Recipe, task: &Task) -> Value {
        json!({
            "textveil": env!("CARGO_PKG_VERSION"),
            "recipe": recipe,
            "input": task.input,
            "data": task.data,
            "labels": digest(&json!([task.classes, task.labels])),
            "guarantee": task.guarantee,
        })
    }

    /// Divides the releases to train on from those to test. Training takes the first `given` releases, except for the
    /// held-out ones.
    fn split(&self, labels: &[usize], given: usize) -> Split {
        let seed = self.training.seed;
        let mut train: Vec<usize> = (0..given).collect();
        let test = if self.test.is_empty() {
            held_out(&mut train, labels, self.hold_out, seed)
        } else {
            (given..labels.len()).collect()
        };
        let dev = match self.training.patience {
            Some(_) => held_out(&mut train, labels, TO_STOP, seed.wrapping_add(1)),
            None => Vec::new(),
        };
        Split { train, dev, test }
    }
}

impl Task {
    fn examples(&self, places: &[usize]) -> Result<Examples> {
        let drawn = places.iter().map(|place| &self.set.lines[*place].drawn);
        let labels = places.iter().map(|place| self.labels[*place]).collect();
        Ok(Examples { features: self.reader.features(drawn, self.input.scale)?, labels })
    }

    fn train(&self, recipe: &Recipe, folder: &Folder) -> Result<Trained> {
        let dev = (!self.split.dev.is_empty()).then(|| self.examples(&self.split.dev)).transpose()?;
        let seen = self.examples(&self.split.train)?;
        let (progress, checkpoint) = (bar("training", recipe.epochs as usize), folder.checkpoint());
        let session = Session { progress: Some(&progress), checkpoint: Some(&checkpoint) };
        let trained = train(recipe, self.classes.len(), &seen, dev.as_ref(), &session);
        progress.finish_and_clear();
        trained
    }

    fn test(&self, trained: &Trained) -> Result<Metrics> {
        let test = self.examples(&self.split.test)?;
        let (scores, predictions) = (trained.evaluate(&test)?, trained.predict(&test.features)?);
        Ok(Metrics::of(scores, &predictions, &test.labels, most_frequent(&self.split.train, &self.labels)))
    }
}

/// Takes a share out of some releases, each label in its own.
fn held_out(places: &mut Vec<usize>, labels: &[usize], share: f64, seed: u64) -> Vec<usize> {
    let of_places: Vec<usize> = places.iter().map(|place| labels[*place]).collect();
    let count = (share * places.len() as f64).round() as usize;
    let chosen: BTreeSet<usize> = stratified(&of_places, count, seed).into_iter().map(|place| places[place]).collect();
    places.retain(|place| !chosen.contains(place));
    chosen.into_iter().collect()
}

/// The names of the classes, and the class of each release; `given` releases are to be trained on. No message names a
/// label: it may be a text that was taken for one.
fn classes(set: &Set, given: usize, asked: &str) -> Result<(Vec<String>, Vec<usize>)> {
    let names: BTreeSet<&String> = set.lines.iter().take(given).filter_map(|line| line.label.as_ref()).collect();
    let count = names.len();
    ensure!(count >= 2, "there is nothing to tell apart: all labels are the same");
    ensure!(count <= MOST_CLASSES, "there are {count} different labels: {asked}");
    let numbers: BTreeMap<&String, usize> = names.iter().copied().zip(0..).collect();
    let class = |Line { label, place: (file, place), .. }: &Line| {
        let file = set.files.get(*file).map_or("", |source| source.file.as_str());
        let number = label.as_ref().and_then(|label| numbers.get(label).copied());
        number.with_context(|| format!("{file}, {place}: its label is none to train on"))
    };
    let classed = set.lines.iter().map(class).collect::<Result<_>>()?;
    Ok((names.into_iter().cloned().collect(), classed))
}

/// The class that most of these releases have, the first of equals.
fn most_frequent(places: &[usize], labels: &[usize]) -> usize {
    let mut counts = BTreeMap::new();
    for place in places {
        *counts.entry(labels[*place]).or_insert(0_usize) += 1;
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map_or(0, |(class, _)| class)
}

/// How good it is, what was made, and what is promised.
fn told(card: &Card, out: &Path) -> String {
    let Data { trained, held_out_to_stop, .. } = card.data;
    let stop = match held_out_to_stop {
        0 => String::new(),
        count => format!(", {count} more to stop by"),
    };
    let [taken, epochs] = card.taken;
    let trained = counted(trained as u64, "release");
    format!(
        "{}\n{}: trained on {trained}{stop}, the weights after epoch {taken} of {epochs}\n{}\n",
        card.metrics.in_words(&card.classes),
        out.display(),
        card.guarantee.statement
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_out_has_every_class_in_its_share_and_is_not_trained_on() {
        let labels: Vec<usize> = (0..100).map(|i| usize::from(i % 5 == 0)).collect();
        let mut train: Vec<usize> = (0..90).collect();
        let test = held_out(&mut train, &labels, 0.2, 3);
        assert_eq!((train.len(), test.len()), (72, 18));
        assert!(test.iter().all(|place| !train.contains(place) && *place < 90));
        let rare = |places: &[usize]| places.iter().filter(|place| labels[**place] == 1).count();
        assert!((3..=4).contains(&rare(&test)), "{}", rare(&test));
        assert_eq!(most_frequent(&train, &labels), 0);
        assert_eq!(most_frequent(&[0, 5, 1, 2], &labels), 0);
        assert_eq!(most_frequent(&[0, 5, 1], &labels), 1);
    }
}
