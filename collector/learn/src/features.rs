//! The features of examples that a classifier sees, and the batches made of them.

use anyhow::{Result, bail, ensure};
use burn::tensor::{Device, Tensor, TensorData};
use ndarray::Array2;

use super::chance::Chance;

/// Over how many batches sequences are sorted, so that those of a batch are about equally long.
const SORTED_TOGETHER: usize = 16;

/// What a classifier sees of examples.
#[derive(Clone, Debug)]
pub enum Features {
    /// A row for each example.
    Dense(Array2<f32>),
    /// A matrix for each example, a row a word; a text without words has no rows, but as many columns.
    Sequences(Vec<Array2<f32>>),
}

/// Examples with their labels.
#[derive(Clone, Debug)]
pub struct Examples {
    /// What is seen of each.
    pub features: Features,
    /// The class of each.
    pub labels: Vec<usize>,
}

/// Some examples as the network takes them.
pub(super) enum Input {
    /// A row for each example.
    Rows(Box<Tensor<2>>),
    /// As many examples, word by word up to the longest.
    Steps(usize, Vec<Step>),
}

/// The next word of each example of a batch, read forwards and backwards.
pub(super) struct Step {
    /// Direction × example × dimension. Reading backwards begins with an example's own last word, so that both
    /// directions end at the same step.
    pub(super) words: Tensor<3>,
    /// 1 × example × 1: one where the example still has a word, zero behind its end. `None` if all have one.
    pub(super) running: Option<Tensor<3>>,
}

impl Features {
    /// The number of examples.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Dense(rows) => rows.nrows(),
            Self::Sequences(texts) => texts.len(),
        }
    }

    /// Dimensions of a row.
    pub(super) fn inputs(&self) -> usize {
        self.matrices().first().map_or(0, Array2::ncols)
    }

    /// # Errors
    /// Rows of other than `inputs` dimensions, or with other than finite numbers.
    pub(super) fn check(&self, inputs: usize) -> Result<()> {
        for matrix in self.matrices() {
            ensure!(matrix.ncols() == inputs, "{} features for a model of {inputs}", matrix.ncols());
            ensure!(matrix.iter().all(|value| value.is_finite()), "a feature is not a finite number");
        }
        Ok(())
    }

    fn matrices(&self) -> &[Array2<f32>] {
        match self {
            Self::Dense(rows) => std::slice::from_ref(rows),
            Self::Sequences(texts) => texts,
        }
    }

    /// The examples in batches: drawn in random order, or each about as long as the next.
    pub(super) fn batches(&self, size: usize, chance: Option<&mut Chance>) -> Vec<Vec<usize>> {
        if let Self::Sequences(texts) = self {
            return batches_of(&texts.iter().map(Array2::nrows).collect::<Vec<_>>(), size, chance);
        }
        let mut order: Vec<usize> = (0..self.len()).collect();
        chance.into_iter().for_each(|chance| chance.shuffle(&mut order));
        order.chunks(size).map(<[usize]>::to_vec).collect()
    }

    /// These examples, for the network.
    pub(super) fn select(&self, examples: &[usize], device: &Device) -> Input {
        let (count, inputs) = (examples.len(), self.inputs());
        match self {
            Self::Dense(rows) => {
                let values: Vec<f32> = examples.iter().flat_map(|example| rows.row(*example)).copied().collect();
                Input::Rows(Box::new(Tensor::from_data(TensorData::new(values, [count, inputs]), device)))
            }
            Self::Sequences(texts) => {
                let texts: Vec<&Array2<f32>> = examples.iter().map(|example| &texts[*example]).collect();
                let longest = texts.iter().map(|text| text.nrows()).max().unwrap_or(0);
                Input::Steps(count, (0..longest).map(|place| Step::at(place, &texts, inputs, device)).collect())
            }
        }
    }
}

/// Sequences of these lengths in batches: drawn in random order, or each about as long as the next.
pub(super) fn batches_of(lengths: &[usize], size: usize, chance: Option<&mut Chance>) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    let length = |example: &usize| lengths[*example];
    let Some(chance) = chance else {
        order.sort_by_key(length);
        return order.chunks(size).map(<[usize]>::to_vec).collect();
    };
    chance.shuffle(&mut order);
    order.chunks_mut(size.saturating_mul(SORTED_TOGETHER)).for_each(|some| some.sort_by_key(length));
    let mut batches: Vec<Vec<usize>> = order.chunks(size).map(<[usize]>::to_vec).collect();
    chance.shuffle(&mut batches);
    batches
}

impl Step {
    fn at(place: usize, texts: &[&Array2<f32>], inputs: usize, device: &Device) -> Self {
        let count = texts.len();
        let mut words = vec![0.0; 2 * count * inputs];
        let (forwards, backwards) = words.split_at_mut(count * inputs);
        let rows = forwards.chunks_exact_mut(inputs).zip(backwards.chunks_exact_mut(inputs));
        for (text, (forwards, backwards)) in texts.iter().zip(rows).filter(|(text, _)| place < text.nrows()) {
            forwards.iter_mut().zip(text.row(place)).for_each(|(to, from)| *to = *from);
            backwards.iter_mut().zip(text.row(text.nrows() - 1 - place)).for_each(|(to, from)| *to = *from);
        }
        let running: Vec<f32> = texts.iter().map(|text| f32::from(u8::from(place < text.nrows()))).collect();
        let running =
            running.contains(&0.0).then(|| Tensor::from_data(TensorData::new(running, [1, count, 1]), device));
        Self { words: Tensor::from_data(TensorData::new(words, [2, count, inputs]), device), running }
    }
}

impl Examples {
    /// # Errors
    /// Examples that cannot train or score a classifier with this number of inputs and classes.
    pub(super) fn check(&self, inputs: usize, classes: usize) -> Result<()> {
        let (features, labels) = (self.features.len(), self.labels.len());
        ensure!(features == labels, "{features} examples, but {labels} labels");
        ensure!(labels > 0, "no examples");
        ensure!(inputs > 0, "examples without features");
        if let Some(label) = self.labels.iter().find(|label| **label >= classes) {
            bail!("label {label}, but {classes} classes");
        }
        self.features.check(inputs)
    }
}
