//! Whether an encoder that is adapted to releases tells more than the same encoder as it was, at equal ε (the mechanism is
//! nearest-mass randomized response, the default).
//!
//! Two encoders are made of all-MiniLM-L6-v2, and neither sees a label. That of *words* places each word of the table alone;
//! adapted, a released word stands for the mean of the words that may have been typed, by the mechanism and by how frequent
//! words are. That of *texts* places a whole released text; adapted, a linear layer behind it is fitted to public sentences
//! that are privatized here, and leads from the release to where the sentence stood in clear (denoising).
//!
//! A logistic regression reads each of them next to what `textveil-collector train --features posterior` reads: the mean vector
//! of the released words, and of the words that may have been typed. So a gain is one over what there is today.

use std::fmt;

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use ndarray::Array2;
use textveil::{Preset, WordId, normalize};
use textveil_estimate::posterior_means;

use super::claim::Claim;
use super::experiment::{Experiment, Runs};
use super::report::Report;
use super::run::Run;
use crate::compare::{Dataset, Estimate};
use crate::transfer::{Level, Vectors, mean, right};
use textveil_tables::embedding::{Space, rows};
use textveil_tables::least_squares;
use textveil_toolkit::cells;
use textveil_toolkit::report::Sheet;
use textveil_toolkit::sampling::shuffled;

pub(super) static EXPERIMENT: Experiment = Experiment {
    paper: "adapted",
    table: "",
    about: "What classifiers of releases gain by an encoder that is adapted to releases",
    data: &[SETS[0].0, SETS[1].0, CORPUS],
    takes: &["encoder", "at-most", "only"],
    runs: Some(Runs { quick: 2, usual: 3, paper: None }),
    has_plot: false,
    why: "",
    compute: |run| match run.encoder()? {
        Some(encoder) => compute(run, &|texts| Ok(encoder.embed(texts, &ProgressBar::hidden()))),
        None => without_encoder(run),
    },
};

/// Sets, and how many texts of each are drawn.
const SETS: [(&str, usize); 2] = [("sst2", 1500), ("ag_dpnr", 800)];
const CORPUS: &str = "wiki_sentences";
const PRESETS: [Preset; 2] = [Preset::Balanced, Preset::Readable];
/// Sentences that an encoder of texts is adapted on.
const PUBLIC: usize = 2000;
/// Texts of a set and public sentences with `--quick`.
const FEW: usize = 200;
/// Of the linear layer, over the mean square of what it reads.
const PENALTY: f64 = 0.1;
/// What a classifier reads.
const READ: [&str; 5] = ["today", "words", "words, adapted", "texts", "texts, adapted"];
/// Pairs. The first of each is hoped to tell more.
const GAINS: [(usize, usize); 4] = [(2, 1), (4, 3), (2, 0), (4, 0)];

/// A sentence encoder.
type Embed<'a> = &'a (dyn Fn(&[String]) -> Result<Array2<f32>> + Sync);

/// Texts that are privatized once.
#[derive(Clone, Copy)]
struct Trial {
    /// By its place in [`SETS`].
    set: usize,
    preset: Preset,
    run: u32,
}

impl fmt::Display for Trial {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/level={}/run={}", SETS[self.set].0, self.preset.level(), self.run)
    }
}

/// What is adapted to a level.
struct Adapted {
    level: Level,
    /// For each row of the table, where the encoder of words places what may have been typed.
    words: Vectors,
    /// From what is known of a released text to where it stood in clear.
    layer: Array2<f64>,
}

struct Laboratory<'a> {
    run: &'a Run<'a>,
    embed: Embed<'a>,
    sets: Vec<Dataset>,
    /// The table's vectors.
    vectors: Vectors,
    /// Where the encoder places each word of the table.
    words: Vectors,
    adapted: Vec<Adapted>,
}

/// The mean of a text's vectors in the table stands for an encoder.
fn without_encoder(run: &Run<'_>) -> Result<Report> {
    let table = run.table()?;
    let space = Space::of_table(&table);
    compute(run, &|texts| {
        let means: Vectors = texts.iter().map(|text| Ok(space.mean(&rows(&table, text)?))).collect::<Result<_>>()?;
        Ok(Array2::from_shape_fn((means.len(), table.dims()), |(text, element)| means[text][element] as f32))
    })
}

fn compute(run: &Run<'_>, embed: Embed<'_>) -> Result<Report> {
    let of_set = |set: usize| PRESETS.into_iter().map(move |preset| (set, preset));
    let of_kind = |(set, preset)| (0..run.runs()).map(move |run| Trial { set, preset, run });
    let trials: Vec<Trial> = (0..SETS.len()).flat_map(of_set).flat_map(of_kind).collect();
    let mut laboratory = Laboratory::new(run, embed)?;
    if !trials.iter().all(|trial| run.has(trial)) {
        laboratory.adapt()?;
    }
    let right = run.some_cells(&trials, |trial| laboratory.right(trial))?;
    Ok(report(&laboratory, &trials, &right))
}

impl<'a> Laboratory<'a> {
    fn new(run: &'a Run<'a>, embed: Embed<'a>) -> Result<Self> {
        let set = |(name, count): (&str, usize)| {
            let seed = run.seed(&format!("adapted/{name}"));
            Ok(Dataset::of(run.set(name)?.limited(if run.is_quick() { FEW } else { count }, seed), seed))
        };
        let sets = SETS.into_iter().map(set).collect::<Result<_>>()?;
        Ok(Self { run, embed, sets, vectors: Vec::new(), words: Vec::new(), adapted: Vec::new() })
    }

    fn adapt(&mut self) -> Result<()> {
        let table = self.run.table()?;
        let space = Space::of_table(&table);
        self.vectors = table.rows().map(|word| space.vector(word).to_vec()).collect();
        let words: Vec<String> = table.rows().map(|word| table.word(word).to_string()).collect();
        self.words = vectors_of(&(self.embed)(&words)?);
        let sentences = self.run.library()?.lines(CORPUS)?.train;
        let chosen = shuffled(sentences.len(), self.run.seed("adapted/public")).into_iter();
        let chosen = chosen.take(if self.run.is_quick() { FEW } else { PUBLIC });
        let sentences: Vec<String> = chosen.map(|place| sentences[place].clone()).collect();
        let clear = (self.embed)(&sentences)?.mapv(f64::from);
        for preset in PRESETS {
            let level = Level::new(preset, &table, &self.vectors)?;
            let words = posterior_means(&level.channel, &table, &self.words);
            let name = format!("public/level={}", preset.level());
            let (today, placed, _) = self.released(&level, &sentences, &name)?;
            let known: Vectors = today.iter().zip(&placed).map(|(today, placed)| known(today, placed)).collect();
            let known = Array2::from_shape_fn((known.len(), known[0].len()), |(i, j)| known[i][j]);
            let square = known.iter().map(|x| x * x).sum::<f64>() / known.ncols() as f64;
            self.adapted.push(Adapted { level, words, layer: least_squares(&known, &clear, PENALTY * square) });
        }
        Ok(())
    }

    /// Releases of texts: what is read of them today, where the encoder places them, and their words.
    fn released(&self, level: &Level, texts: &[String], name: &str) -> Result<(Vectors, Vectors, Vec<Vec<WordId>>)> {
        let (mut today, mut releases, mut words) = (Vec::new(), Vec::new(), Vec::new());
        for (number, text) in texts.iter().enumerate() {
            let mut rng = self.run.rng(&format!("{name}/{number}"));
            let release = level.privatizer.privatize(&normalize(text), &mut rng)?;
            let came_out = rows(level.privatizer.table(), &release.text)?;
            today.push([mean(&self.vectors, &came_out), mean(&level.typed, &came_out)].concat());
            releases.push(release.text);
            words.push(came_out);
        }
        Ok((today, vectors_of(&(self.embed)(&releases)?), words))
    }

    /// For each text, whether it is classified right by what is read of its release.
    fn right(&self, trial: &Trial) -> Result<Vec<[f64; READ.len()]>> {
        let set = &self.sets[trial.set];
        let adapted = self.adapted.iter().find(|adapted| adapted.level.preset == trial.preset).context("a level")?;
        let (today, placed, words) = self.released(&adapted.level, &set.texts, &trial.to_string())?;
        let beside = |more: &dyn Fn(usize) -> Vec<f64>| -> Vectors {
            today.iter().enumerate().map(|(text, today)| [today.clone(), more(text)].concat()).collect()
        };
        let read = [
            today.clone(),
            beside(&|text| mean(&self.words, &words[text])),
            beside(&|text| mean(&adapted.words, &words[text])),
            beside(&|text| placed[text].clone()),
            beside(&|text| through(&adapted.layer, &known(&today[text], &placed[text]))),
        ];
        let right: Vec<Vec<[f64; 1]>> = read.iter().map(|read| right(set, read, [read])).collect();
        Ok((0..set.texts.len()).map(|text| std::array::from_fn(|of| right[of][text][0])).collect())
    }
}

/// What the linear layer reads.
fn known(today: &[f64], placed: &[f64]) -> Vec<f64> {
    [today, placed, &[1.0]].concat()
}

fn through(layer: &Array2<f64>, known: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; layer.ncols()];
    for (factor, row) in known.iter().zip(layer.rows()) {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += factor * x);
    }
    sums
}

fn vectors_of(rows: &Array2<f32>) -> Vectors {
    rows.outer_iter().map(|row| row.iter().copied().map(f64::from).collect()).collect()
}

fn report(laboratory: &Laboratory<'_>, trials: &[Trial], right: &[Option<Vec<[f64; READ.len()]>>]) -> Report {
    let mut accuracy = Sheet::new("Accuracy, trained and tested on releases, by what is read of them");
    let mut gains = Sheet::new("Gains");
    let mut claims = Vec::new();
    for (at, set) in laboratory.sets.iter().enumerate() {
        for preset in PRESETS {
            let of = trials.iter().zip(right).filter(|(trial, _)| trial.set == at && trial.preset == preset);
            let runs: Vec<_> = of.filter_map(|(_, right)| right.as_ref()).collect();
            let estimate = |value: &dyn Fn(&[f64; READ.len()]) -> f64| {
                Estimate::of(
                    &runs.iter().map(|run| run.iter().map(|of| [value(of), 1.0]).collect()).collect::<Vec<_>>(),
                )
            };
            let name = format!("{}, level {}", set.name, preset.level());
            let read = |of: usize| estimate(&|right| right[of]).to_string();
            accuracy.row(cells![
                "set" => name.clone(),
                "texts" => set.texts.len() as f64,
                "runs" => runs.len() as f64,
                READ[0] => read(0),
                READ[1] => read(1),
                READ[2] => read(2),
                READ[3] => read(3),
                READ[4] => read(4),
            ]);
            for (more, less) in GAINS {
                let gain = estimate(&|right| right[more] - right[less]);
                let (of, over) = (READ[more], READ[less]);
                gains.row(cells!["set" => name.clone(), "of" => of, "over" => over, "gain" => gain.to_string()]);
                let holds = if gain.low > 0.0 { Some(true) } else { Some(false).filter(|_| gain.high < 0.0) };
                let text = format!("{name}: {of} tells more than {over}");
                claims.push(Claim { text, holds, evidence: gain.to_string() });
            }
        }
    }
    Report { sheets: vec![accuracy, gains], claims, ..Report::default() }
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::with_library;
    use super::*;
    use crate::data::toy::{Split, Toy};

    /// Places a text by its letters.
    fn by_letters(texts: &[String]) -> Result<Array2<f32>> {
        let share = |text: &String, letter: u8| {
            text.bytes().filter(|byte| *byte == letter).count() as f32 / text.len().max(1) as f32
        };
        Ok(Array2::from_shape_fn((texts.len(), 26), |(text, letter)| share(&texts[text], b'a' + letter as u8)))
    }

    #[test]
    fn classifiers_read_what_was_adapted_and_gains_are_paired() {
        let mut toy = Toy::new();
        let (good, bad) = (["great", "lovely", "wonderful", "perfect"], ["awful", "terrible", "bad", "worst"]);
        let row = |i: usize| {
            let (label, words) = if i.is_multiple_of(2) { ("y", good) } else { ("n", bad) };
            format!("{label}\tthe {} film was {} and {}\n", words[i / 2 % 4], words[i / 8 % 4], words[i / 3 % 4])
        };
        let file = format!("label\ttext\n{}", (0..60).map(row).collect::<String>());
        for (set, _) in SETS {
            toy.set(set, &["text"], &[], &[(Split::Train, &file), (Split::Test, "label\ttext\nn\tbad\ny\tgreat\n")]);
        }
        let sentences: String = (0..60).map(|i| row(i).replace(['\t', '\n'], " ") + "\n").collect();
        toy.set(CORPUS, &[], &[], &[(Split::Train, &sentences)]);
        let report = with_library(&EXPERIMENT, 1, &toy.library(), |run| compute(run, &by_letters)).expect("a report");
        let rows = &report.sheets[0].rows;
        assert_eq!((rows.len(), report.claims.len()), (4, 16));
        let told = |of: usize| -> f64 {
            rows[1][3 + of].shown().split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
        };
        let accuracies: Vec<f64> = (0..READ.len()).map(told).collect();
        assert!(accuracies.iter().all(|accuracy| *accuracy > 0.7), "three words tell the label: {accuracies:?}");
        let gain = report.sheets[1].rows[4][3].shown();
        let gain: f64 = gain.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
        assert!((gain - (accuracies[2] - accuracies[1])).abs() < 0.0016, "{gain} {accuracies:?}");
    }
}
