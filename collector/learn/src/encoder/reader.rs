//! A classifier of texts: an encoder that is trained further, together with a linear layer.

use anyhow::{Result, ensure};
use burn::module::Module;
use burn::tensor::activation::log_softmax;
use burn::tensor::{Tensor, TensorData};
use burn_optim::GradientsParams;

use super::layers::Classes;
use super::pretraining::optimizer;
use super::{DROPOUT, Encoder, Sequence, Sequences, Shape, found, rate_at, without};
use crate::chance::Chance;
use crate::device::of_encoders;
use crate::features::batches_of;
use crate::network::{Builder, Dropout, Slot};
use crate::scores::likeliest;

/// Everything that fixes a fine-tuning, except for the texts.
#[derive(Clone, Debug)]
pub struct FineTuning {
    /// How often each text is seen.
    pub epochs: u32,
    /// Texts a step.
    pub batch: usize,
    /// The highest learning rate of Adam.
    pub rate: f64,
    /// What the weights of the layer, the order of texts and dropout follow from.
    pub seed: u64,
}

/// A classifier of texts.
#[derive(Debug)]
pub struct TextReader {
    encoder: Encoder,
    module: Classes,
}

impl Encoder {
    /// Trains a classifier of texts, one label each.
    ///
    /// # Errors
    /// No texts, another number of labels, or labels that are not below `classes`. Texts that do not fit. No epochs, an
    /// empty batch, or a rate that is not above 0. A loss that is no longer finite.
    pub fn fine_tune(
        &self,
        how: &FineTuning,
        texts: &dyn Sequences,
        labels: &[usize],
        classes: usize,
    ) -> Result<TextReader> {
        let FineTuning { epochs, batch, rate, seed } = *how;
        let lengths = texts.lengths();
        ensure!(!labels.is_empty() && labels.len() == lengths.len(), "a label for each text");
        ensure!(classes >= 2 && labels.iter().all(|label| *label < classes), "labels are below the number of classes");
        ensure!(epochs > 0 && batch > 0 && rate > 0.0 && rate.is_finite(), "epochs, a batch and a rate above 0");
        let mut module = self.with_layer(classes, seed)?;
        let (mut optimizer, mut step) = (optimizer(), 0);
        let steps = u64::from(epochs) * labels.len().div_ceil(batch) as u64;
        for epoch in 0..epochs {
            let mut chance = Chance::of_epoch(seed, epoch);
            for places in batches_of(&lengths, batch, Some(&mut chance)) {
                let some: Vec<Sequence> = places.iter().map(|place| texts.sequence(*place)).collect();
                let batch = self.batch(&some.iter().collect::<Vec<_>>())?;
                let mut dropout = Dropout { chance: &mut chance, rate: DROPOUT };
                let pooled = module.stack.pooled(&batch, self.shape.heads, &mut dropout);
                let labels: Vec<usize> = places.iter().map(|place| labels[*place]).collect();
                let loss = cross_entropy(module.layer.forward(dropout.apply(pooled)), &labels);
                let value = loss.clone().into_scalar::<f32>();
                ensure!(value.is_finite(), "the loss is no longer a finite number: lower the rate");
                let gradients = GradientsParams::from_grads(loss.backward(), &module);
                module = optimizer.step(rate_at(rate, step, steps), module, gradients);
                step += 1;
            }
        }
        Ok(TextReader { encoder: self.clone(), module: module.valid() })
    }

    fn with_layer(&self, classes: usize, seed: u64) -> Result<Classes> {
        let (known, mut chance) = (self.weights()?, Chance::at_start(seed));
        let device = of_encoders().autodiff();
        let mut fill = |slot: &Slot<'_>| {
            Ok(found(&known, slot).map_or_else(|| slot.begin(&mut chance), |weights| weights.values.clone()))
        };
        Classes::build(&self.shape, classes, &mut Builder::new(&device, &mut fill))
    }
}

impl TextReader {
    /// The likeliest class of each text, the first of equals.
    ///
    /// # Errors
    /// Texts that do not fit.
    pub fn predict(&self, texts: &dyn Sequences) -> Result<Vec<usize>> {
        let Shape { heads, .. } = self.encoder.shape;
        let mut classes = vec![0; texts.lengths().len()];
        for (places, batch) in self.encoder.batches(texts) {
            let pooled = self.module.stack.pooled(&batch?, heads, &mut without(&mut Chance::at_start(0)));
            let scores = self.module.layer.forward(pooled);
            let [_, count] = scores.dims();
            let scores = scores.try_into_vec_as::<f32>()?;
            for (place, row) in places.iter().zip(scores.chunks_exact(count)) {
                classes[*place] = likeliest(row);
            }
        }
        Ok(classes)
    }
}

fn cross_entropy(scores: Tensor<2>, labels: &[usize]) -> Tensor<1> {
    let [count, classes] = scores.dims();
    let share = |(text, class)| if labels[text] == class { 1.0 / count as f32 } else { 0.0 };
    let places = (0..count).flat_map(|text| (0..classes).map(move |class| (text, class)));
    let shares = TensorData::new(places.map(share).collect::<Vec<f32>>(), [count, classes]);
    -(log_softmax(scores, 1) * Tensor::from_data(shares, &of_encoders())).sum()
}
