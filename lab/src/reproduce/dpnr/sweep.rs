//! Tables 2 and 3: the accuracy of the main task against ε, and against the share of words left out.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::corpus::Corpus;
use super::embedding::Embedder;
use super::noise::{Device, Noise, Pool};
use super::training::{Regime, Task, accuracy, counted, main_recipe};
use super::{DATA, RUNS, SETS, TAKES, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::plot::{Axis, Panel, panels};
use textveil_toolkit::report::{Cell, Mean, Sheet};

pub(crate) static TABLE_2: Experiment = Experiment {
    paper: "dpnr",
    table: "table-2",
    about: "Accuracy against epsilon, no words left out (Lyu, He and Li, EMNLP Findings 2020)",
    data: &DATA,
    takes: &TAKES,
    runs: Some(RUNS),
    has_plot: true,
    why: WHY,
    compute: |run| compute(run, &EPSILONS),
};

pub(crate) static TABLE_3: Experiment = Experiment {
    paper: "dpnr",
    table: "table-3",
    about: "Accuracy against the share of words left out, at epsilon 1 (Lyu, He and Li, EMNLP Findings 2020)",
    data: &DATA,
    takes: &TAKES,
    runs: Some(RUNS),
    has_plot: true,
    why: WHY,
    compute: |run| compute(run, &SHARES),
};

/// A row of a table of the paper: an ε, and the share of words left out.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub(super) epsilon: f64,
    dropout: f64,
}

const fn setting(epsilon: f64, dropout: f64) -> Setting {
    Setting { epsilon, dropout }
}

/// Table 2.
pub(super) const EPSILONS: [Setting; 5] =
    [setting(0.05, 0.0), setting(0.1, 0.0), setting(0.5, 0.0), setting(1.0, 0.0), setting(5.0, 0.0)];
/// Table 3.
const SHARES: [Setting; 4] = [setting(1.0, 0.1), setting(1.0, 0.3), setting(1.0, 0.5), setting(1.0, 0.8)];

/// How representations are sent and learned from. What the released code draws is taken off, so that it makes no
/// difference how often it is drawn.
const WAYS: [(Noise, Regime); 7] = [
    (Noise::Published, Regime::Anew),
    (Noise::Published, Regime::Once),
    (Noise::Shared, Regime::Once),
    (Noise::Sound, Regime::Anew),
    (Noise::Sound, Regime::Once),
    (Noise::Pooled, Regime::Anew),
    (Noise::Pooled, Regime::Once),
];

/// A classifier that is trained and tested once.
struct SweepTraining {
    set: usize,
    /// The setting, by its place in the table; nothing without noise.
    setting: Option<usize>,
    way: (Noise, Regime),
    key: String,
}

impl fmt::Display for SweepTraining {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.key)
    }
}

/// Its accuracy.
#[derive(Serialize, Deserialize)]
struct Outcome {
    all: f64,
    /// On texts that do not stand among those to train on.
    new: f64,
}

/// What it is on, of one column: nothing without noise.
type Column = (Option<usize>, (Noise, Regime));

fn columns(settings: &[Setting]) -> Vec<Column> {
    let noisy = (0..settings.len()).flat_map(|setting| WAYS.into_iter().map(move |way| (Some(setting), way)));
    [(None, (Noise::Clear, Regime::Once))].into_iter().chain(noisy).collect()
}

fn compute(run: &Run<'_>, settings: &[Setting]) -> Result<Report> {
    let settings: Vec<Setting> = match settings {
        // The ends and what is between.
        [first, .., last] if run.is_quick() => vec![*first, settings[settings.len() / 2], *last],
        _ => settings.to_vec(),
    };
    let settings = settings.as_slice();
    let (embedder, table) = (Embedder::of(run)?, run.table()?);
    let mut corpora = BTreeMap::new();
    for (set, (name, _)) in SETS.into_iter().enumerate() {
        for dropout in settings.iter().map(|setting| setting.dropout).chain([0.0]) {
            if let Entry::Vacant(place) = corpora.entry((set, dropout.to_bits())) {
                place.insert(Corpus::read(run, &embedder, name, dropout).context(name)?);
            }
        }
    }
    let pool = |(at, corpus): (&(usize, u64), &Corpus)| {
        let mut rng = run.rng(&format!("{}/pool, dropout={}", SETS[at.0].0, corpus.dropout));
        Ok((*at, Pool::of(&table, corpus, &mut rng)?))
    };
    let pools: BTreeMap<_, _> = corpora.par_iter().map(pool).collect::<Result<_>>()?;
    let corpus = |set: usize, dropout: f64| corpora.get(&(set, dropout.to_bits())).context("a set that was not read");
    let device = |set: usize, (setting, (noise, _)): Column| {
        let Some(setting) = setting.map(|place| &settings[place]) else { return Ok(Device::clear(corpus(set, 0.0)?)) };
        let pool = pools.get(&(set, setting.dropout.to_bits()));
        Device::new(corpus(set, setting.dropout)?, noise, setting.epsilon, pool)
    };
    let columns = columns(settings);
    let places: Vec<(usize, Column)> =
        (0..SETS.len()).flat_map(|set| columns.iter().map(move |column| (set, *column))).collect();
    let mut devices = BTreeMap::new();
    for &(set, column) in &places {
        let place = (set, column.0, column.1.0);
        if let Entry::Vacant(vacant) = devices.entry(place) {
            vacant.insert(device(set, column)?);
        }
    }
    let trainings: Vec<SweepTraining> = places
        .iter()
        .flat_map(|(set, column)| (0..run.runs()).map(|run| SweepTraining::of(settings, *set, *column, run)))
        .collect();
    let outcomes = run.cells(&trainings, |training| {
        let SweepTraining { set, setting, way: (noise, _), .. } = training;
        devices.get(&(*set, *setting, *noise)).context("no device").and_then(|device| training.outcome(run, device))
    })?;
    let means = outcomes.chunks(run.runs() as usize).map(|outcomes| {
        let mean = |of: fn(&Outcome) -> f64| Mean::of(&outcomes.iter().map(of).collect::<Vec<_>>());
        (mean(|outcome| outcome.all), mean(|outcome| outcome.new))
    });
    let mut rows = Vec::new();
    for ((set, column), (all, new)) in places.into_iter().zip(means) {
        let device = devices.get(&(set, column.0, column.1.0)).context("no device")?;
        rows.push(Row { set, column, truth: device.truth()?, all, new });
    }
    Ok(report(settings, &rows))
}

impl SweepTraining {
    fn of(settings: &[Setting], set: usize, (setting, way): Column, run: u32) -> Self {
        let (name, (noise, regime)) = (SETS[set].0, way);
        let at = setting.map_or_else(
            || format!("{name}/clear"),
            |place| {
                let Setting { epsilon, dropout, .. } = settings[place];
                format!("{name}/{}/eps={epsilon}/mu={dropout}/{}", noise.key(), regime.key())
            },
        );
        Self { set, setting, way, key: format!("{at}/run={run}") }
    }

    fn outcome(&self, run: &Run<'_>, device: &Device<'_>) -> Result<Outcome> {
        let corpus = device.corpus();
        let task = Task {
            device,
            regime: self.way.1,
            classes: corpus.classes,
            labels: corpus.parts().map(|part| part.labels.as_slice()),
            is_centred: self.way.0 == Noise::Shared,
        };
        let predictions = task.predictions(run, &main_recipe(run, &self.key), self)?;
        let [all, new] = [false, true].map(|is_new_alone| {
            let counts = corpus.test.counts(is_new_alone);
            accuracy(counted(predictions.iter().zip(&corpus.test.labels), &counts))
        });
        Ok(Outcome { all, new })
    }
}

/// What came out of a column.
struct Row {
    set: usize,
    column: Column,
    truth: [f64; 2],
    all: Mean,
    new: Mean,
}

fn report(settings: &[Setting], rows: &[Row]) -> Report {
    let mut sheet = Sheet::new("Accuracy of the main task");
    for Row { set, column: (setting, (noise, regime)), truth: [word, text], all, new } in rows {
        let at = setting.map(|place| &settings[place]);
        sheet.row(cells![
            "set" => SETS[*set].1,
            "noise" => noise.name(),
            "trained on" => if *noise == Noise::Clear { "clear texts" } else { regime.name() },
            "eps claimed" => at.map_or_else(|| "none".into(), |at| Cell::from(at.epsilon)),
            "share left out" => at.map_or(0.0, |at| at.dropout),
            "eps true, a word" => *word,
            "eps true, a text" => *text,
            "accuracy" => *all,
            "on texts not in train" => *new,
        ]);
    }
    let of = |set: usize, way: (Noise, Regime)| -> Vec<f64> {
        rows.iter().filter(|row| row.set == set && row.column.1 == way).map(|row| row.all.mean).collect()
    };
    let is_over_epsilon = settings.windows(2).any(|pair| pair[0].dropout == pair[1].dropout);
    let mut claims = Vec::new();
    for (set, (_, name)) in SETS.into_iter().enumerate() {
        let clear = of(set, (Noise::Clear, Regime::Once)).first().copied().unwrap_or(f64::NAN);
        let found = of(set, WAYS[0]);
        if is_over_epsilon {
            let text = format!("{name}, noise as published: accuracy does not depend on eps");
            claims.push(Claim::flat(text, &found, 0.03));
            claims.push(Claim::near(format!("{name}, noise as published: as without noise"), &found, clear, 0.03));
        } else {
            for (way, what) in [(WAYS[0], "noise as published"), (WAYS[2], "the released code's, mean taken off")] {
                let falling: Vec<f64> = of(set, way).into_iter().rev().collect();
                let text = format!("{name}, {what}: the fewer words are left out, the better (from 0.8 to 0.1)");
                claims.push(Claim::rises(text, &falling, 0.01));
            }
        }
    }
    let shown = [(WAYS[0], "published"), (WAYS[2], "code"), (WAYS[5], "mean")];
    let x = |at: &Setting| if is_over_epsilon { at.epsilon } else { at.dropout };
    let line =
        |set: usize, (way, name)| (name, settings.iter().map(x).zip(of(set, way)).map(|(x, y)| [x, y]).collect());
    let panel = |(set, (_, title)): (usize, (&'static str, &'static str))| Panel {
        title,
        axis_title: if is_over_epsilon { "ε as claimed (logarithmic)" } else { "share of words left out" },
        x: if is_over_epsilon { Axis::logarithmic(0.01, 10.0) } else { Axis::linear(0.0, 1.0) },
        y: Axis::linear(0.0, 1.0),
        lines: shown.into_iter().map(|shown| line(set, shown)).collect(),
    };
    let drawn: Vec<Panel<'_>> = SETS.into_iter().enumerate().map(panel).collect();
    let drawing = panels("DPNR: accuracy of the main task, noise anew", &drawn);
    Report { claims, ..Report::of(vec![sheet], drawing) }
}

#[cfg(test)]
mod tests {
    use super::super::super::run::tests::with_library;
    use super::super::tests::two_topics;
    use super::*;

    #[test]
    fn topics_are_told_without_noise_and_not_under_sound_noise() {
        let toy = two_topics([200, 260, 340]);
        let report = with_library(&TABLE_2, 1, &toy.library(), |run| compute(run, &EPSILONS[..1])).expect("a report");
        let rows = &report.sheets[0].rows;
        assert_eq!(rows.len(), 2 * (1 + WAYS.len()));
        let accuracy = |row: usize| {
            let Cell::Mean(mean) = &rows[row][7] else { unreachable!("a mean") };
            mean.mean
        };
        assert!(accuracy(0) > 0.95, "in clear: {}", accuracy(0));
        assert!(accuracy(3) > 0.95, "one draw for all elements: {}", accuracy(3));
        assert!((accuracy(4) - 0.5).abs() < 0.3, "sound: {}", accuracy(4));
    }
}
