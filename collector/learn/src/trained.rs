//! A trained classifier: what it predicts, and its file.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use burn::tensor::Device;
use libm::{exp, log};
use ndarray::{Array2, ArrayView1, Axis};
use serde::{Deserialize, Serialize};

use super::features::{Examples, Features};
use super::network::{Builder, Network, Slot, Weights};
use super::recipe::Model;
use super::scores::{Scores, likeliest};
use super::store::{Store, Stored};
use super::{Diverged, Epoch};

/// Examples scored at a time.
const TOGETHER: usize = 256;

/// A trained classifier.
#[derive(Debug)]
pub struct Trained {
    pub(super) description: Description,
    /// Without gradients.
    pub(super) network: Network,
}

/// A linear layer: x ↦ W·x + b.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// W: outputs × inputs.
    pub weight: Array2<f32>,
    /// b: a number for each output.
    pub bias: Vec<f32>,
}

/// What its weights mean, and how they came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Description {
    pub(super) model: Model,
    /// Dimensions of what it reads.
    pub(super) inputs: usize,
    pub(super) classes: usize,
    pub(super) history: Vec<Epoch>,
    /// After which epoch the weights were taken, counted from 0.
    pub(super) taken: usize,
}

impl Trained {
    /// The likeliest class of each example, the first of equals.
    ///
    /// # Errors
    /// Features of another kind or width than it was trained on, or other than finite numbers.
    pub fn predict(&self, features: &Features) -> Result<Vec<usize>> {
        Ok(self.scores(features)?.axis_iter(Axis(0)).map(likeliest).collect())
    }

    /// The probability of each class, a row an example.
    ///
    /// # Errors
    /// As [`Self::predict`].
    pub fn probabilities(&self, features: &Features) -> Result<Array2<f32>> {
        let mut scores = self.scores(features)?;
        for mut row in scores.axis_iter_mut(Axis(0)) {
            let total = log_total(row.view());
            row.mapv_inplace(|score| exp(f64::from(score) - total) as f32);
        }
        Ok(scores)
    }

    /// What it does on examples.
    ///
    /// # Errors
    /// As [`Self::predict`]; labels out of range; no examples; [`Diverged`].
    pub fn evaluate(&self, examples: &Examples) -> Result<Scores> {
        evaluate(&self.network, &self.description, examples, u32::try_from(self.taken())?)
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.description.classes
    }

    /// What each epoch of the training gave.
    pub fn history(&self) -> &[Epoch] {
        &self.description.history
    }

    /// The epoch of the history that its weights are of.
    pub fn taken(&self) -> usize {
        self.description.taken
    }

    /// Its linear layers, with max(0, x) between them. An LSTM has no such layers.
    ///
    /// # Errors
    /// Weights that cannot be read back.
    pub fn layers(&self) -> Result<Option<Vec<Linear>>> {
        if matches!(self.description.model, Model::BiLstm { .. }) {
            return Ok(None);
        }
        let weights = self.network.weights()?;
        let layer = |pair: &[Weights]| match pair {
            [Weights { dims, values, .. }, bias] => {
                let shape = (bias.values.len(), dims.iter().product::<usize>() / bias.values.len().max(1));
                let weight = Array2::from_shape_vec(shape, values.clone())?;
                Ok(Linear { weight, bias: bias.values.clone() })
            }
            _ => bail!("a layer without constants"),
        };
        weights.chunks(2).map(layer).collect::<Result<_>>().map(Some)
    }

    /// Writes it as safetensors. Of linear layers, `layers.0.weight` is outputs × inputs; of an LSTM,
    /// `lstm.input_weight` is direction × gates × inputs, forwards first, gates in PyTorch's order.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        Store::new().with_weights("", self.network.weights()?).write(path, &self.description)
    }

    /// Reads what [`Self::save`] wrote.
    ///
    /// # Errors
    /// A file that cannot be read, is damaged, or holds no classifier.
    pub fn load(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&bytes).with_context(|| format!("{} is not a usable classifier", path.display()))
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self> {
        let (stored, description): (_, Description) = Stored::parse(bytes)?;
        let network = description.network("", &stored, &Device::flex())?;
        Ok(Self { description, network })
    }

    fn scores(&self, features: &Features) -> Result<Array2<f32>> {
        features.check(self.description.inputs)?;
        scores(&self.network, &self.description, features)
    }
}

impl Description {
    /// The network of weights in a file, their names behind a prefix.
    pub(super) fn network(&self, prefix: &str, stored: &Stored<'_>, device: &Device) -> Result<Network> {
        self.model.check()?;
        ensure!(self.inputs > 0 && self.classes >= 2, "a model without inputs or classes");
        self.model.check_size(self.inputs, self.classes)?;
        let mut fill = |slot: &Slot<'_>| stored.weights(prefix, slot);
        Network::build(&self.model, self.inputs, self.classes, &mut Builder::new(device, &mut fill))
    }
}

/// What a network of an epoch does on examples.
pub(super) fn evaluate(
    network: &Network,
    description: &Description,
    examples: &Examples,
    epoch: u32,
) -> Result<Scores> {
    examples.check(description.inputs, description.classes)?;
    let scores = scores(network, description, &examples.features)?;
    let predictions: Vec<usize> = scores.axis_iter(Axis(0)).map(likeliest).collect();
    let rows = scores.axis_iter(Axis(0)).zip(&examples.labels);
    let loss = |(row, label): (ArrayView1<'_, f32>, &usize)| {
        log_total(row) - f64::from(row.get(*label).copied().unwrap_or(f32::NAN))
    };
    let loss = rows.map(loss).sum::<f64>() / examples.labels.len() as f64;
    ensure!(loss.is_finite(), Diverged { epoch });
    Ok(Scores::of(&predictions, &examples.labels, description.classes, loss))
}

fn scores(network: &Network, description: &Description, features: &Features) -> Result<Array2<f32>> {
    let mut scores = Array2::zeros((features.len(), description.classes));
    for batch in features.batches(TOGETHER, None) {
        let values = network.forward(features.select(&batch, &Device::flex()), None)?.try_into_vec_as::<f32>()?;
        for (example, row) in batch.iter().zip(values.chunks_exact(description.classes)) {
            scores.row_mut(*example).iter_mut().zip(row).for_each(|(to, from)| *to = *from);
        }
    }
    Ok(scores)
}

/// ln Σ eˢ.
fn log_total(scores: ArrayView1<'_, f32>) -> f64 {
    let greatest = f64::from(scores.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    greatest + log(scores.iter().map(|score| exp(f64::from(*score) - greatest)).sum())
}
