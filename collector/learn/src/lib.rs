//! Classifiers trained on what devices send: logistic regression, perceptrons, a bidirectional LSTM, and encoders of the
//! shape of BERT.
//!
//! Tensors, gradients and optimizers are those of the framework Burn, on its processor backend without threads. A
//! training occupies one core, and many can run at once. All draws (initial weights, the order of examples, dropout)
//! come from generators of the training itself. So the same recipe on the same examples gives the same bits on a
//! machine. This holds whatever else runs there, and for a training that was interrupted and resumed.

// The derive macros of burn-core name it so.
extern crate burn_core as burn;

mod adversary;
mod bilstm;
mod chance;
mod checkpoint;
mod device;
mod encoder;
mod features;
mod network;
mod recipe;
mod robust;
mod scores;
mod store;
#[cfg(test)]
mod tests;
mod trained;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use burn::module::Module;
use burn::tensor::Device;
use burn_optim::{GradientsParams, ModuleOptimizer};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use chance::Chance;
use network::{Dropout, Network};
use trained::{Description, evaluate};

pub use adversary::{Disguise, Hiding};
pub use encoder::{
    Encoder, FineTuning, Masked, Pretrained, Pretraining, Sequence, Sequences, Shape, TextReader, word_vectors,
};
pub use features::{Examples, Features};
pub use recipe::{Model, Optimizer, Recipe};
pub use robust::{Noised, Robust};
pub use scores::{ClassScores, Scores};
pub use trained::{Linear, Trained};

/// Where the examples of an epoch come from: the same in each, or drawn anew, as robust training does.
pub trait Source {
    /// The examples of an epoch, counted from 0; the same for the same epoch, or a resumed training would differ.
    ///
    /// # Errors
    /// Whatever keeps them from being made.
    fn epoch(&self, epoch: u32) -> Result<Cow<'_, Examples>>;
}

impl Source for Examples {
    fn epoch(&self, _: u32) -> Result<Cow<'_, Examples>> {
        Ok(Cow::Borrowed(self))
    }
}

impl<F: Fn(u32) -> Result<Examples>> Source for F {
    fn epoch(&self, epoch: u32) -> Result<Cow<'_, Examples>> {
        self(epoch).map(Cow::Owned)
    }
}

/// A loss that is no longer a finite number: the same training would always end so.
#[derive(Clone, Copy, Debug)]
pub struct Diverged {
    /// From 0.
    epoch: u32,
}

impl fmt::Display for Diverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the loss is no longer a finite number in epoch {}: lower the rate", self.epoch + 1)
    }
}

impl Error for Diverged {}

/// What accompanies a training without changing what comes out.
#[derive(Clone, Copy, Default)]
pub struct Session<'a> {
    /// Moved on by one for each epoch, by all that are left when training stops early.
    pub progress: Option<&'a ProgressBar>,
    /// A file that is written after each epoch. A training resumes from it if it exists. It knows the recipe but not
    /// the examples: other examples need another file.
    pub checkpoint: Option<&'a Path>,
}

/// What an epoch gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Mean loss over the examples as they were seen: with dropout and penalty, before each step.
    loss: f64,
    /// Scores on the development set after the epoch, if there is one.
    dev: Option<Scores>,
}

/// Trains a classifier of examples with labels below `classes`.
///
/// With [`Recipe::patience`], training stops when the development set has seen no better epoch for that long. It then
/// keeps the weights of the best epoch (by accuracy, then by loss), and otherwise those of the last.
///
/// # Errors
/// A recipe out of range, or for more weights than 2²⁸. Patience without a development set. Sets that are empty, or
/// have labels or numbers out of range. Features of another kind or width than the model's. [`Diverged`]. A checkpoint
/// that is damaged, belongs to another recipe, or cannot be written.
pub fn train(
    recipe: &Recipe,
    classes: usize,
    train: &dyn Source,
    dev: Option<&Examples>,
    session: &Session<'_>,
) -> Result<Trained> {
    recipe.check()?;
    ensure!(classes >= 2, "a classifier needs two classes or more");
    ensure!(recipe.patience.is_none() || dev.is_some(), "patience needs a development set");
    dev.map_or(Ok(()), |dev| dev.check(dev.features.inputs(), classes)).context("development set")?;
    let mut run = session.checkpoint.map_or(Ok(None), |path| Run::read(path, recipe, classes))?;
    let done = run.as_ref().map_or(0, Run::epochs);
    session.advance(done);
    for epoch in done..recipe.epochs {
        if run.as_ref().is_some_and(|run| run.is_stopped(recipe)) {
            break;
        }
        let examples = train.epoch(epoch)?;
        if epoch == done || matches!(examples, Cow::Owned(_)) {
            let inputs = run.as_ref().map_or(examples.features.inputs(), |run| run.trained.description.inputs);
            examples.check(inputs, classes).context("training set")?;
        }
        let begun = run.take().map_or_else(|| Run::begin(recipe, classes, &examples), Ok)?;
        let run = run.insert(begun.after_epoch(recipe, &examples, dev)?);
        if let Some(path) = session.checkpoint {
            run.write(recipe, path)?;
        }
        session.advance(1);
    }
    let run = run.context("no epochs")?;
    session.advance(recipe.epochs - run.epochs());
    Ok(run.trained)
}

impl Session<'_> {
    fn advance(&self, epochs: u32) {
        if let Some(progress) = self.progress {
            progress.inc(u64::from(epochs));
        }
    }
}

/// A training under way.
struct Run {
    /// With gradients.
    network: Network,
    optimizer: ModuleOptimizer,
    /// Batches seen.
    steps: u64,
    /// What would be the result if it ended here: the best or the last weights, without gradients.
    trained: Trained,
}

impl Run {
    fn begin(recipe: &Recipe, classes: usize, examples: &Examples) -> Result<Self> {
        let inputs = examples.features.inputs();
        recipe.model.check_size(inputs, classes)?;
        let network = Network::draw(&recipe.model, inputs, classes, recipe.seed, &Device::flex().autodiff())?;
        let description = Description { model: recipe.model.clone(), inputs, classes, history: Vec::new(), taken: 0 };
        let trained = Trained { description, network: network.valid() };
        Ok(Self { network, optimizer: recipe.optimizer.build(), steps: 0, trained })
    }

    fn epochs(&self) -> u32 {
        self.trained.history().len() as u32
    }

    fn is_stopped(&self, recipe: &Recipe) -> bool {
        recipe.patience.is_some_and(|patience| self.epochs() as usize > self.trained.taken() + patience as usize)
    }

    /// The training when it has seen all examples once more.
    fn after_epoch(mut self, recipe: &Recipe, examples: &Examples, dev: Option<&Examples>) -> Result<Self> {
        let epoch = self.epochs();
        let mut chance = Chance::of_epoch(recipe.seed, epoch);
        let mut total = 0.0;
        for batch in examples.features.batches(recipe.batch, Some(&mut chance)) {
            let labels: Vec<usize> = batch.iter().map(|example| examples.labels[*example]).collect();
            let input = examples.features.select(&batch, &Device::flex());
            let dropout = Dropout { chance: &mut chance, rate: recipe.model.dropout() };
            let scores = self.network.forward(input, Some(dropout))?;
            let loss = self.network.loss(scores, &labels, recipe.model.l2());
            let value = f64::from(loss.clone().into_scalar::<f32>());
            ensure!(value.is_finite(), Diverged { epoch });
            total += value * batch.len() as f64;
            let gradients = GradientsParams::from_grads(loss.backward(), &self.network);
            self.network = self.optimizer.step(recipe.optimizer.rate(self.steps), self.network, gradients);
            self.steps += 1;
        }
        let network = self.network.valid();
        let scores = dev.map(|dev| evaluate(&network, &self.trained.description, dev, epoch)).transpose()?;
        let description = &mut self.trained.description;
        let best = description.history.get(description.taken).and_then(|epoch| epoch.dev.as_ref());
        let better = match (recipe.patience, best, &scores) {
            (Some(_), Some(best), Some(scores)) => scores.beats(best),
            _ => true,
        };
        if better {
            description.taken = description.history.len();
            self.trained.network = network;
        }
        description.history.push(Epoch { loss: total / examples.labels.len() as f64, dev: scores });
        Ok(self)
    }
}
