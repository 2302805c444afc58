//! A classifier of noisy representations, and how it meets the noise while it is trained.

use std::fmt;

use anyhow::Result;
use ndarray::{Array2, Axis};
use textveil_learn::{Examples, Features, Model, Optimizer, Recipe, Session, Source, Trained, train};

use super::noise::{Device, Noise, Of};
use crate::reproduce::run::Run;

/// Where the noise of the training examples comes from. Those to choose by and to test on are always releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Regime {
    /// Drawn anew in each epoch by a server with texts in clear, as the paper's robust training does.
    Anew,
    /// Drawn once, by the devices: all that a collector has.
    Once,
}

impl Regime {
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Anew => "anew",
            Self::Once => "once",
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Anew => "clear texts, noise anew",
            Self::Once => "releases",
        }
    }
}

/// The paper's classifier is a softmax layer on an encoder that is trained with it; a hidden layer makes up for some
/// of an encoder that is not.
pub(super) fn main_recipe(run: &Run<'_>, key: &str) -> Recipe {
    recipe(run, key, Model::Mlp { hidden: vec![128], dropout: 0.2 })
}

/// The paper's attacker: two hidden layers of 512 rectified units.
pub(super) fn attack_recipe(run: &Run<'_>, key: &str) -> Recipe {
    recipe(run, key, Model::Mlp { hidden: vec![512, 512], dropout: 0.0 })
}

fn recipe(run: &Run<'_>, key: &str, model: Model) -> Recipe {
    Recipe {
        model,
        optimizer: Optimizer::Adam { rate: 1e-3 },
        epochs: if run.is_quick() { 8 } else { 20 },
        batch: 128,
        patience: Some(3),
        seed: run.seed(&format!("{key}/weights")),
    }
}

/// What a classifier tells from representations, and the training of that classifier.
pub(super) struct Task<'a> {
    pub(super) device: &'a Device<'a>,
    pub(super) regime: Regime,
    pub(super) classes: usize,
    /// Labels of the examples to train on, to choose by, and to test on.
    pub(super) labels: [&'a [usize]; 3],
    /// Whether each release's mean is taken off it before anything else.
    pub(super) is_centred: bool,
}

impl Task<'_> {
    /// The answers of a classifier, trained for the task, for the releases of the test texts.
    ///
    /// # Errors
    /// Those of the mechanism and of training.
    pub(super) fn predictions(&self, run: &Run<'_>, recipe: &Recipe, key: &impl fmt::Display) -> Result<Vec<usize>> {
        let released = |of: Of, what: &str| -> Result<Array2<f32>> {
            Ok(self.read(self.device.released(of, &mut run.rng(&format!("{key}/{what}")))?))
        };
        let simulated =
            |epoch: u32| self.read(self.device.simulated(Of::Train, &mut run.rng(&format!("{key}/{epoch}"))));
        let [of_train, of_dev, of_test] = self.labels;
        let examples = |rows: Array2<f32>, labels: &[usize], scaling: &Scaling| Examples {
            features: Features::Dense(scaling.apply(rows)),
            labels: labels.to_vec(),
        };
        let is_drawn_anew = self.regime == Regime::Anew && self.device.noise != Noise::Clear;
        let first = if is_drawn_anew { simulated(0) } else { released(Of::Train, "train")? };
        let scaling = Scaling::of(&first);
        let dev = examples(released(Of::Dev, "dev")?, of_dev, &scaling);
        let anew = |epoch: u32| Ok(examples(simulated(epoch), of_train, &scaling));
        let trained = if is_drawn_anew {
            self.train(recipe, &anew, &dev)?
        } else {
            self.train(recipe, &examples(first, of_train, &scaling), &dev)?
        };
        trained.predict(&examples(released(Of::Test, "test")?, of_test, &scaling).features)
    }

    fn train(&self, recipe: &Recipe, source: &dyn Source, dev: &Examples) -> Result<Trained> {
        train(recipe, self.classes, source, Some(dev), &Session::default())
    }

    fn read(&self, rows: Array2<f32>) -> Array2<f32> {
        if self.is_centred { centred(rows) } else { rows }
    }
}

/// Takes its mean off each row, which is all that one draw for all elements hides.
pub(super) fn centred(mut rows: Array2<f32>) -> Array2<f32> {
    for mut row in rows.rows_mut() {
        let mean = row.iter().map(|x| f64::from(*x)).sum::<f64>() / row.len().max(1) as f64;
        row.mapv_inplace(|x| (f64::from(x) - mean) as f32);
    }
    rows
}

/// Brings each element to mean 0 and deviation 1, as seen in training: what is sent may be thought about.
pub(super) struct Scaling(Vec<[f32; 2]>);

impl Scaling {
    pub(super) fn of(rows: &Array2<f32>) -> Self {
        let count = rows.nrows().max(1) as f64;
        let moments = rows.axis_iter(Axis(1)).map(|column| {
            let mean = column.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
            let variance = column.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / count;
            [mean as f32, if variance > 0.0 { variance.sqrt().recip() as f32 } else { 0.0 }]
        });
        Self(moments.collect())
    }

    pub(super) fn apply(&self, mut rows: Array2<f32>) -> Array2<f32> {
        for mut row in rows.rows_mut() {
            row.iter_mut().zip(&self.0).for_each(|(x, [mean, factor])| *x = (*x - mean) * factor);
        }
        rows
    }
}

/// The share of predictions that hit.
pub(super) fn accuracy<'a>(pairs: impl Iterator<Item = (&'a usize, &'a usize)>) -> f64 {
    let (mut hits, mut all) = (0_u32, 0_u32);
    for (prediction, label) in pairs {
        hits += u32::from(prediction == label);
        all += 1;
    }
    f64::from(hits) / f64::from(all)
}

/// The items that count, out of one for each test text.
pub(super) fn counted<T>(all: impl Iterator<Item = T>, counts: &[bool]) -> impl Iterator<Item = T> {
    all.zip(counts).filter(|(_, counts)| **counts).map(|(one, _)| one)
}
