//! `textveil-lab statements`: what one release for a whole text leaves of what texts say.

mod quantized;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use ndarray::{Array2, Axis, s};
use rand_core::Rng;
use rayon::prelude::*;
use textveil::{
    Disclosure, Dropout, Error, Mechanism, MechanismKind, Parameter, Privatizer, Representer, Table, TextEncoder, Unit,
    normalize,
};

use crate::compare::{rng, words};
use crate::data::Library;
use crate::logistic::Classifier;
use quantized::{Code, Written, entropy};
use textveil_tables::embedding::Space;
use textveil_tables::medoids::groups;
use textveil_tables::{Encoder, axes_across_mean, general_sentences, lattice_rows, text_encoder, unit_rows};
use textveil_toolkit::cells;
use textveil_toolkit::progress::bar;
use textveil_toolkit::report::{Mean, Sheet};
use textveil_toolkit::sampling::{below, shuffled};

/// Measure what is left of texts that are released whole: a statement of a public list for each
///
/// The list is drawn from the texts to train on, or chosen from them with --suggested. A classifier is trained on releases
/// of all these texts. By the text encoder, a text has k nearest statements, where k = max(1, 6·M/e^ε) of M. Each of them
/// is e^ε times as likely as any other statement. A logistic regression is trained and tested on what was released. It is
/// compared with the texts in clear, with PrivUnit2 on vectors of texts, and with the default mechanism for words. There
/// each word has its part of ε. ε is always that of the whole text.
///
/// With --inputs, a statement that was released is classified by the vector that all-MiniLM-L6-v2 gives it, and the
/// cosine of that encoder says how near statements of a general list are to the texts.
///
/// Every run has its own list and its own draws. Intervals of accuracies hold 95 %, Student's, over the runs: the texts that
/// are tested are the same in all of them. Cosines are exact for one list. Their intervals are over the texts.
#[derive(Args)]
pub(crate) struct Statements {
    /// The folder with the papers' data sets
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// A text encoder, as "textveil table distill" writes it, instead of the built-in English one
    #[arg(long, value_name = "FILE")]
    encoder: Option<PathBuf>,
    /// The folder that "cargo xtask table-inputs" fills
    #[arg(long, value_name = "DIR")]
    inputs: Option<PathBuf>,
    /// Statements in a list
    #[arg(long, default_value_t = 500, value_name = "N")]
    statements: usize,
    /// Take the list as "textveil statements suggest" does, the texts that stand for most others, and not by chance
    #[arg(long)]
    suggested: bool,
    /// Statements in a general list
    #[arg(long, default_value_t = 8000, value_name = "N")]
    general: usize,
    /// Also measure privunit2 in fewer and more dimensions: along the axes in which the list differs most, and in the
    /// encoder's first coordinates
    #[arg(long)]
    dimensions: bool,
    /// Also write the encoder's rows in fewer bits, and by product quantization, and measure statements with what is read
    #[arg(long, requires = "inputs")]
    quantized: bool,
    /// Most texts of a set to train on, the list among them
    #[arg(long, default_value_t = 2500, value_name = "N")]
    limit: usize,
    /// Lists, each with draws of its own
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1000))]
    runs: u32,
    /// What every list and draw follows from
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
}

/// ε of a text.
const EPSILONS: [f64; 4] = [6.0, 8.0, 10.0, 12.0];
/// ε of a text where only one is measured: the usual one.
const USUAL_EPSILON: f64 = EPSILONS[1];
/// Coordinates of a part, and its bits.
const CODES: [(usize, u32); 6] = [(1, 4), (1, 2), (2, 4), (2, 8), (4, 8), (8, 8)];
/// Sets that are read together, and what they are called then.
const TASKS: [(&str, &[&str]); 2] = [("kotzias", &["imdb", "amazon", "yelp"]), ("snips", &["snips"])];
/// The L2 penalty of the classifiers, the same for all: releases are noisy and few.
const PENALTY: f64 = 0.1;
/// PrivUnit2 tells most in few dimensions.
const REDUCED: usize = 16;
/// The number of axes that "textveil table project" takes.
const OF_LIST: usize = 6;
/// Dimensions that are compared with each other.
const DIMENSIONS: [usize; 7] = [4, 6, 8, 12, 16, 24, 32];

/// Labelled texts.
struct Task {
    name: &'static str,
    texts: Vec<String>,
    labels: Vec<usize>,
    classes: usize,
    /// How many from the first are to train on.
    trained: usize,
    /// The vectors of the texts, of length 1: of the text encoder, and of MiniLM.
    own: Array2<f64>,
    large: Option<Array2<f64>>,
}

/// Which texts are the list, and which are trained and tested on.
struct Roles {
    run: u32,
    list: Vec<usize>,
    trained: Vec<usize>,
    tested: Vec<usize>,
}

/// What leaves of a text.
#[derive(Clone, Copy)]
enum Way<'a> {
    Clear(&'a Array2<f64>),
    /// A statement, chosen by the first vectors and classified by the second.
    Statement(&'a Array2<f64>, &'a Array2<f64>),
    /// The same, chosen by this number of axes of the first vectors: those in which the list differs most.
    StatementByAxes(&'a Array2<f64>, &'a Array2<f64>, usize),
    /// The direction of the text's vector, in this number of coordinates.
    Direction(&'a Array2<f64>, Coordinates, usize),
    Words(&'a English),
}

/// Which coordinates of a vector come first.
#[derive(Clone, Copy)]
enum Coordinates {
    /// The axes in which the list differs most, as "textveil table project" finds them.
    OfList,
    /// The encoder's own.
    OfEncoder,
}

/// The built-in table.
struct English {
    table: Table,
    space: Space,
}

impl Statements {
    pub(crate) fn run(&self) -> Result<()> {
        let encoder = text_encoder(self.encoder.as_deref())?;
        let large = self.inputs.as_ref().map(|inputs| Encoder::load(&inputs.join("encoder"))).transpose()?;
        let library = Library::open(&self.data)?;
        let tasks = TASKS.map(|(name, sets)| self.task(&library, name, sets, &encoder, large.as_ref()));
        let tasks = tasks.into_iter().collect::<Result<Vec<_>>>()?;
        let english = textveil_tables::load(None)?;
        let english = English { space: Space::of_table(&english), table: english };
        let mut out = io::stdout().lock();
        for task in &tasks {
            self.accuracies(task, &english)?.print(&mut out)?;
            if self.dimensions {
                self.of_dimensions(task)?.print(&mut out)?;
            }
        }
        if let (Some(inputs), Some(large)) = (&self.inputs, &large) {
            let sentences = general_sentences(inputs)?;
            let chosen = shuffled(sentences.len(), self.seed);
            let list: Vec<String> = chosen.iter().take(self.general).map(|place| sentences[*place].clone()).collect();
            let own = own_vectors(&encoder, &list)?;
            let large = large_vectors(large, &list);
            self.closeness(&tasks, &own, &large).print(&mut out)?;
            if self.quantized {
                self.of_codes(&tasks, &encoder, &list, &large)?.print(&mut out)?;
            }
        }
        Ok(())
    }

    fn roles(&self, task: &Task, run: u32) -> Result<Roles> {
        let order = shuffled(task.trained, self.seed.wrapping_add(u64::from(run)));
        ensure!(self.statements + 1 < order.len(), "{} has too few texts for such a list", task.name);
        let list = if self.suggested { self.suggested(task, run)? } else { order[..self.statements].to_vec() };
        Ok(Roles { run, list, trained: order, tested: task.tested() })
    }

    fn suggested(&self, task: &Task, run: u32) -> Result<Vec<usize>> {
        let trained = task.own.slice(s![..task.trained, ..]).to_owned();
        let groups = groups(&trained, self.statements, &mut rng(self.seed, run, 0));
        Ok(groups.into_iter().map(|group| group.medoid).collect())
    }

    fn accuracies(&self, task: &Task, english: &English) -> Result<Sheet> {
        let own = &task.own;
        let judge = task.large.as_ref().unwrap_or(own);
        let mut ways = vec![("clear, text encoder", Way::Clear(own))];
        if let Some(large) = &task.large {
            ways.push(("clear, MiniLM", Way::Clear(large)));
        }
        ways.push(("statement, text encoder", Way::Statement(own, judge)));
        if let Some(large) = &task.large {
            ways.push(("statement, MiniLM", Way::Statement(large, large)));
            ways.push(("privunit2, MiniLM, 6 axes of the list", Way::Direction(large, Coordinates::OfList, OF_LIST)));
        }
        ways.push(("privunit2, text encoder, 6 axes of the list", Way::Direction(own, Coordinates::OfList, OF_LIST)));
        ways.push((
            "privunit2, text encoder, first 16 coordinates",
            Way::Direction(own, Coordinates::OfEncoder, REDUCED),
        ));
        ways.push((
            "privunit2, text encoder, all dimensions",
            Way::Direction(own, Coordinates::OfEncoder, own.ncols()),
        ));
        ways.push(("words", Way::Words(english)));
        let roles = (0..self.runs).map(|run| self.roles(task, run)).collect::<Result<Vec<_>>>()?;
        let mut sheet = Sheet::new(format!("accuracy on {}, by epsilon of a text", task.name));
        let progress = bar(task.name, ways.len());
        for (name, way) in ways {
            let at = |epsilon: f64| {
                let run = |roles: &Roles| task.accuracy(way, epsilon, roles, self.seed);
                Ok::<_, anyhow::Error>(Mean::of(&roles.par_iter().map(run).collect::<Result<Vec<_>>>()?))
            };
            let [six, eight, ten, twelve] = match way {
                // No chance plays a part.
                Way::Clear(_) => [Mean::exact(at(0.0)?.mean); 4],
                _ => [at(EPSILONS[0])?, at(EPSILONS[1])?, at(EPSILONS[2])?, at(EPSILONS[3])?],
            };
            sheet.row(cells!["release" => name, "6" => six, "8" => eight, "10" => ten, "12" => twelve]);
            progress.inc(1);
        }
        progress.finish_and_clear();
        Ok(sheet)
    }

    /// The accuracy of PrivUnit2 by the number of dimensions, and what the list's own axes add to it, run by run.
    fn of_dimensions(&self, task: &Task) -> Result<Sheet> {
        let roles = (0..self.runs).map(|run| self.roles(task, run)).collect::<Result<Vec<_>>>()?;
        let mut sheet = Sheet::new(format!("accuracy of privunit2 on {}, by epsilon of a text", task.name));
        let progress = bar(task.name, DIMENSIONS.len());
        for dims in DIMENSIONS {
            let accuracies = |coordinates, epsilon: f64| {
                let run = |roles: &Roles| {
                    task.accuracy(Way::Direction(&task.own, coordinates, dims), epsilon, roles, self.seed)
                };
                roles.par_iter().map(run).collect::<Result<Vec<_>>>()
            };
            let (mut first, mut more) = (Vec::new(), Vec::new());
            for epsilon in [4.0, 6.0, 8.0, 10.0, 12.0] {
                let of_encoder = accuracies(Coordinates::OfEncoder, epsilon)?;
                let of_list = accuracies(Coordinates::OfList, epsilon)?;
                let differences: Vec<f64> = of_list.iter().zip(&of_encoder).map(|(a, b)| a - b).collect();
                first.push(Mean::of(&of_encoder));
                more.push(Mean::of(&differences));
            }
            let names = [format!("first {dims} coordinates"), format!("the list's {dims} axes: more by")];
            for (name, values) in names.into_iter().zip([first, more]) {
                let [four, six, eight, ten, twelve] = [0, 1, 2, 3, 4].map(|at| values[at]);
                sheet.row(cells!["vector" => name, "4" => four, "6" => six, "8" => eight, "10" => ten, "12" => twelve]);
            }
            progress.inc(1);
        }
        let judge = task.large.as_ref().unwrap_or(&task.own);
        for dims in DIMENSIONS {
            let accuracies = |epsilon: f64| {
                let run = |roles: &Roles| {
                    task.accuracy(Way::StatementByAxes(&task.own, judge, dims), epsilon, roles, self.seed)
                };
                Ok::<_, anyhow::Error>(Mean::of(&roles.par_iter().map(run).collect::<Result<Vec<_>>>()?))
            };
            let [four, six, eight, ten, twelve] = [4.0, 6.0, 8.0, 10.0, 12.0].map(accuracies);
            let name = format!("statement, the list's {dims} axes");
            sheet
                .row(cells!["vector" => name, "4" => four?, "6" => six?, "8" => eight?, "10" => ten?, "12" => twelve?]);
        }
        progress.finish_and_clear();
        Ok(sheet)
    }

    /// Statements at the usual ε by what is read of rows that were written in few bits.
    fn of_codes(&self, tasks: &[Task], encoder: &TextEncoder, list: &[String], large: &Array2<f64>) -> Result<Sheet> {
        let table = encoder.table();
        let whole = Array2::from_shape_vec((table.len(), table.dims()), lattice_rows(table, |_| true))?.mapv(f64::from);
        let steps = whole.iter().map(|step| (step + 128.0) as usize).collect::<Vec<_>>();
        let coordinates = whole.len() as f64;
        let mut written =
            vec![("int8".to_owned(), whole.clone(), coordinates, coordinates * entropy(&steps, 256) / 8.0)];
        let progress = bar("writing rows", CODES.len());
        for (share, bits) in CODES {
            let code = Code { parts: table.dims() / share, bits };
            let Written { rows, bytes, least_bytes } = code.write(&whole, self.seed);
            written.push((format!("{} parts of {bits} bits", code.parts), rows, bytes, least_bytes));
            progress.inc(1);
        }
        progress.finish_and_clear();
        let mut sheet = Sheet::new(format!("statements at epsilon {USUAL_EPSILON}, by how rows are written"));
        for (name, rows, bytes, least) in written {
            let own = vectors_of(encoder, &rows, list)?;
            let mut means = Vec::new();
            for task in tasks {
                let texts = vectors_of(encoder, &rows, &task.texts)?;
                let judge = task.large.as_ref().context("--inputs")?;
                let accuracy = |run| {
                    let roles = self.roles(task, run)?;
                    task.accuracy(Way::Statement(&texts, judge), USUAL_EPSILON, &roles, self.seed)
                };
                means.push(Mean::of(&(0..self.runs).into_par_iter().map(accuracy).collect::<Result<Vec<_>>>()?));
                let near = |text: usize| cosines([&texts, &own], [judge, large], text, [USUAL_EPSILON])[0];
                means.push(Mean::of(&task.tested().into_par_iter().map(near).collect::<Vec<_>>()));
            }
            let bytes = [bytes, least].map(|bytes| Mean::exact((bytes / 1000.0).round()));
            sheet.row(cells!["rows" => name, "kotzias" => means[0], "cosine" => means[1], "snips" => means[2],
                "cosine, snips" => means[3], "kB" => bytes[0], "kB, least" => bytes[1]]);
        }
        Ok(sheet)
    }

    /// The cosines of texts and what is released of them: exact means over the draws.
    fn closeness(&self, tasks: &[Task], own: &Array2<f64>, large: &Array2<f64>) -> Sheet {
        let title = format!("cosine of texts and statements, {} general ones, by epsilon of a text", own.nrows());
        let mut sheet = Sheet::new(title);
        for task in tasks {
            let Some(judge) = &task.large else { continue };
            for (name, chosen) in [("text encoder", [&task.own, own]), ("MiniLM", [judge, large])] {
                let of_text = |text: usize| cosines(chosen, [judge, large], text, EPSILONS);
                let cosines: Vec<[f64; 4]> = task.tested().into_par_iter().map(of_text).collect();
                let mean = |at: usize| Mean::of(&cosines.iter().map(|of| of[at]).collect::<Vec<_>>());
                let [six, eight, ten, twelve] = [0, 1, 2, 3].map(mean);
                let texts = format!("{}, {name}", task.name);
                sheet.row(cells!["texts" => texts, "6" => six, "8" => eight, "10" => ten, "12" => twelve]);
            }
        }
        sheet
    }

    fn task(
        &self,
        library: &Library,
        name: &'static str,
        sets: &[&str],
        encoder: &TextEncoder,
        large: Option<&Encoder>,
    ) -> Result<Task> {
        let limited = |set: &&str| Ok(library.set(set)?.limited(self.limit, self.seed));
        let sets = sets.iter().map(limited).collect::<Result<Vec<_>>>()?;
        let trained = || sets.iter().flat_map(|set| &set.train);
        let examples = || trained().chain(sets.iter().flat_map(|set| &set.test));
        let texts: Vec<String> = examples().map(|example| example.text.clone()).collect();
        Ok(Task {
            name,
            labels: examples().map(|example| example.label).collect(),
            classes: sets.first().map_or(0, |set| set.labels.len()),
            trained: trained().count(),
            own: own_vectors(encoder, &texts).context(name)?,
            large: large.map(|large| large_vectors(large, &texts)),
            texts,
        })
    }
}

impl Task {
    /// The places of the texts to test on.
    fn tested(&self) -> Vec<usize> {
        (self.trained..self.texts.len()).collect()
    }

    /// The accuracy of a classifier that is trained and tested on releases.
    fn accuracy(&self, way: Way<'_>, epsilon: f64, roles: &Roles, seed: u64) -> Result<f64> {
        let [trained, tested] =
            [&roles.trained, &roles.tested].map(|texts| self.released(way, epsilon, roles, texts, seed));
        let (trained, tested) = (trained?, tested?);
        let rows: Vec<&[f64]> = trained.iter().map(Vec::as_slice).collect();
        let labels: Vec<usize> = roles.trained.iter().map(|text| self.labels[*text]).collect();
        let classifier = Classifier::train_with(PENALTY, &rows, &labels, self.classes);
        let is_right = |(text, features): &(&usize, Vec<f64>)| classifier.predict(features) == self.labels[**text];
        let right = roles.tested.iter().zip(tested).filter(is_right).count();
        Ok(right as f64 / roles.tested.len() as f64)
    }

    /// What a classifier sees of a release of each text.
    fn released(&self, way: Way<'_>, epsilon: f64, roles: &Roles, texts: &[usize], seed: u64) -> Result<Vec<Vec<f64>>> {
        let rng = |text: usize| rng(seed, roles.run, text);
        match way {
            Way::Clear(vectors) => Ok(texts.iter().map(|text| vectors.row(*text).to_vec()).collect()),
            Way::StatementByAxes(vectors, features, dims) => {
                let mut reduced = axes_across_mean(&vectors.select(Axis(0), &roles.list)).project(vectors, dims);
                unit_rows(&mut reduced);
                self.released(Way::Statement(&reduced, features), epsilon, roles, texts, seed)
            }
            Way::Statement(vectors, features) => {
                let count = nearest_count(roles.list.len(), epsilon);
                let statement = |text: &usize| {
                    let near = nearest(vectors, *text, vectors, &roles.list, count);
                    let drawn = drawn(&near, roles.list.len(), epsilon, &mut rng(*text));
                    features.row(roles.list[drawn]).to_vec()
                };
                Ok(texts.iter().map(statement).collect())
            }
            Way::Direction(vectors, coordinates, dims) => {
                let of_texts = vectors.select(Axis(0), texts);
                let mut reduced = match coordinates {
                    Coordinates::OfList => {
                        axes_across_mean(&vectors.select(Axis(0), &roles.list)).project(&of_texts, dims)
                    }
                    Coordinates::OfEncoder => {
                        let dims = dims.min(of_texts.ncols());
                        of_texts.slice_move(s![.., ..dims])
                    }
                };
                unit_rows(&mut reduced);
                // As on a device: a text without a direction takes the first axis.
                reduced
                    .rows_mut()
                    .into_iter()
                    .filter(|row| row.iter().all(|x| *x == 0.0))
                    .for_each(|mut row| row[0] = 1.0);
                let mechanism = Mechanism::new(MechanismKind::Privunit2).with(Parameter::Epsilon, epsilon)?;
                let representer = Representer::of_vectors(reduced.ncols(), None, mechanism, Unit::Text)?;
                let release = |(text, vector): (&usize, ndarray::ArrayView1<'_, f64>)| {
                    let vector = vector.to_vec();
                    let release = representer.represent_vectors(&[&vector], &Dropout::None, &mut rng(*text))?;
                    Ok(release.vectors().concat())
                };
                texts.iter().zip(reduced.rows()).map(release).collect()
            }
            Way::Words(english) => {
                let mut privatizers = BTreeMap::new();
                let released = |text: &usize| {
                    let words = words(&english.table, &self.texts[*text])?;
                    let of_each = epsilon / words.len().max(1) as f64;
                    let privatizer = match privatizers.entry(words.len()) {
                        Entry::Occupied(entry) => entry.into_mut(),
                        Entry::Vacant(entry) => entry.insert(english.privatizer(of_each)?),
                    };
                    Ok(english.space.mean(&privatizer.draw_all(&words, &mut rng(*text))))
                };
                texts.iter().map(released).collect()
            }
        }
    }
}

impl English {
    /// The default mechanism at an ε of a word.
    fn privatizer(&self, epsilon: f64) -> Result<Privatizer, Error> {
        let mechanism = Mechanism::new(self.table.default_mechanism()).with(Parameter::Epsilon, epsilon)?;
        Privatizer::new(&self.table, mechanism, Disclosure::default())
    }
}

fn own_vectors(encoder: &TextEncoder, texts: &[String]) -> Result<Array2<f64>> {
    let vectors = texts.par_iter().map(|text| encoder.encode(&normalize(text))).collect::<Result<Vec<_>, _>>()?;
    let mut rows = Array2::from_shape_vec((texts.len(), encoder.table().dims()), vectors.concat())?;
    unit_rows(&mut rows);
    Ok(rows)
}

fn large_vectors(encoder: &Encoder, texts: &[String]) -> Array2<f64> {
    let progress = bar("encoding", texts.len());
    let mut rows = encoder.embed(texts, &progress).mapv(f64::from);
    progress.finish_and_clear();
    unit_rows(&mut rows);
    rows
}

fn dot(a: &Array2<f64>, row: usize, b: &Array2<f64>, other: usize) -> f64 {
    a.row(row).iter().zip(b.row(other)).map(|(a, b)| a * b).sum()
}

/// How many statements of a list count as near to a text.
fn nearest_count(list: usize, epsilon: f64) -> usize {
    (6.0 * list as f64 / libm::exp(epsilon)).round().clamp(1.0, list as f64) as usize
}

/// The places in a list of those that are nearest to a text, the nearest first.
fn nearest(texts: &Array2<f64>, text: usize, statements: &Array2<f64>, list: &[usize], count: usize) -> Vec<usize> {
    let cosines: Vec<f64> = list.iter().map(|statement| dot(texts, text, statements, *statement)).collect();
    let mut places: Vec<usize> = (0..list.len()).collect();
    places.sort_by(|a, b| cosines[*b].total_cmp(&cosines[*a]));
    places.truncate(count);
    places
}

/// The mean cosines of a text and its release, over the draws. `texts` and `list` are the vectors by which statements
/// are chosen, `judge` and `judged` those that are compared.
fn cosines<const N: usize>(
    [texts, list]: [&Array2<f64>; 2],
    [judge, judged]: [&Array2<f64>; 2],
    text: usize,
    epsilons: [f64; N],
) -> [f64; N] {
    let places: Vec<usize> = (0..list.nrows()).collect();
    let counts = epsilons.map(|epsilon| nearest_count(places.len(), epsilon));
    let near = nearest(texts, text, list, &places, counts.iter().copied().max().unwrap_or(0));
    let cosine = |place: &usize| dot(judge, text, judged, *place);
    let all = places.iter().map(cosine).sum::<f64>();
    epsilons.map(|epsilon| {
        let (count, gain) = (nearest_count(places.len(), epsilon), libm::expm1(epsilon));
        let inside = near.iter().take(count).map(cosine).sum::<f64>();
        (gain * inside + all) / (gain * count as f64 + places.len() as f64)
    })
}

/// The vectors of texts, by other rows of the same words.
fn vectors_of(encoder: &TextEncoder, rows: &Array2<f64>, texts: &[String]) -> Result<Array2<f64>> {
    let vector = |text: &String| {
        let mut sum = vec![0.0; rows.ncols()];
        for (row, turned) in encoder.rows(&normalize(text))? {
            let mut row = rows.row(row.row()).to_vec();
            if let Some(polarity) = row.last_mut().filter(|_| turned) {
                *polarity = -*polarity;
            }
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        Ok(sum)
    };
    let vectors = texts.par_iter().map(vector).collect::<Result<Vec<_>, Error>>()?;
    let mut vectors = Array2::from_shape_vec((texts.len(), rows.ncols()), vectors.concat())?;
    unit_rows(&mut vectors);
    Ok(vectors)
}

/// The place in a list that is drawn: one of those near, each e^ε times as likely as any other.
fn drawn(near: &[usize], list: usize, epsilon: f64, rng: &mut impl Rng) -> usize {
    let more = libm::expm1(epsilon) * near.len() as f64;
    let uniform = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    if uniform * (more + list as f64) < more { near[below(rng, near.len())] } else { below(rng, list) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_statement_is_drawn_by_its_epsilon() {
        let (epsilon, list, near) = (3.0, 50, [4, 7, 9]);
        let mut counts = vec![0_u32; list];
        let mut rng = rng(1, 0, 0);
        (0..200_000).for_each(|_| counts[drawn(&near, list, epsilon, &mut rng)] += 1);
        let inside: u32 = near.iter().map(|place| counts[*place]).sum();
        let ratio = (f64::from(inside) / 3.0) / (f64::from(200_000 - inside) / 47.0);
        assert!((ratio / epsilon.exp() - 1.0).abs() < 0.03, "{ratio}");
        assert_eq!([nearest_count(500, 6.0), nearest_count(500, 8.0), nearest_count(500, 20.0)], [7, 1, 1]);
    }

    #[test]
    fn the_nearest_stand_by_falling_cosine() {
        let texts = ndarray::array![[1.0, 0.0]];
        let statements = ndarray::array![[0.0, 1.0], [0.8, 0.6], [1.0, 0.0], [-1.0, 0.0]];
        assert_eq!(nearest(&texts, 0, &statements, &[3, 1, 0, 2], 3), [3, 1, 2]);
    }
}
