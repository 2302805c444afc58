//! An encoder of the shape of BERT (Devlin, Chang, Lee and Toutanova, NAACL 2019), for a server that gets the vectors
//! of tokens and not the tokens. The table of word vectors stays on the user's side and is never trained. The user may
//! perturb vectors there (Qu et al., CIKM 2021).
//!
//! [`Encoder::pretrain`] fits it to texts with hidden places, [`Encoder::fine_tune`] to labels.

mod layers;
mod pretraining;
mod reader;
#[cfg(test)]
mod tests;

use anyhow::{Context, Result, bail, ensure};
use burn::tensor::{Tensor, TensorData};
use ndarray::Array2;
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};

use super::chance::Chance;
use super::device::of_encoders;
use super::features::batches_of;
use super::network::{Builder, Dropout, Slot, Weights};
use super::store::numbers;
use layers::{Batch, Stack};

pub use pretraining::{Masked, Pretrained, Pretraining};
pub use reader::{FineTuning, TextReader};

/// Texts that go through the encoder at once where nothing is learned.
const TOGETHER: usize = 32;
/// The share of steps in which the learning rate rises.
const RISE: f64 = 0.1;

/// The sizes of an encoder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Elements of a token's vector.
    pub width: usize,
    /// Heads of attention, which share the width.
    pub heads: usize,
    /// Elements of the inner layer of a block.
    pub inner: usize,
    /// Blocks.
    pub layers: usize,
    /// Tokens of a sequence, at most.
    pub positions: usize,
}

/// A text, or a pair of them, as a user sends it.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// A row for each token.
    pub vectors: Array2<f32>,
    /// For each token, 0 in the first text and 1 in the second.
    pub segments: Vec<u8>,
}

/// Texts that are made when they are asked for: their vectors take more memory than what they are made of.
pub trait Sequences: Sync {
    /// How many tokens each text has.
    fn lengths(&self) -> Vec<usize>;

    /// A text by its number; the same whenever it is asked for.
    fn sequence(&self, text: usize) -> Sequence;
}

/// An encoder behind a table of word vectors.
#[derive(Clone, Debug)]
pub struct Encoder {
    shape: Shape,
    /// Without gradients.
    stack: Stack,
}

impl Shape {
    fn check(&self) -> Result<()> {
        let Self { width, heads, inner, layers, positions } = self;
        ensure!([width, heads, inner, layers, positions].iter().all(|size| **size > 0), "an encoder with a size of 0");
        ensure!(width.is_multiple_of(*heads), "{heads} heads cannot share a width of {width}");
        let weights = layers.checked_mul(width.saturating_mul(*width).saturating_add(width.saturating_mul(*inner)));
        ensure!(weights.is_some_and(|weights| weights < 1 << 28), "an encoder with too many weights");
        Ok(())
    }
}

impl Encoder {
    /// An encoder that has learned nothing, its weights drawn from a seed.
    ///
    /// # Errors
    /// A size of 0, heads that cannot share the width, or too many weights.
    pub fn random(shape: Shape, seed: u64) -> Result<Self> {
        let mut chance = Chance::at_start(seed);
        Self::build(shape, &mut |slot| Ok(slot.begin(&mut chance)))
    }

    /// An encoder from a safetensors file with the plain names of BERT. Its word vectors are read by [`word_vectors`].
    ///
    /// # Errors
    /// A file that is damaged or lacks a tensor; heads that cannot share the width.
    pub fn of_bert(bytes: &[u8], heads: usize) -> Result<Self> {
        let tensors = SafeTensors::deserialize(bytes)?;
        let dims = |name: &str| -> Result<[usize; 2]> {
            let tensor = tensors.tensor(name).with_context(|| name.to_owned())?;
            tensor.shape().try_into().with_context(|| format!("{name} is no matrix"))
        };
        let [positions, width] = dims(&in_bert("positions")?)?;
        let [inner, _] = dims(&in_bert("layers.0.inner.weight")?)?;
        let is_there = |layer: &usize| {
            in_bert(&format!("layers.{layer}.inner.weight")).is_ok_and(|name| tensors.tensor(&name).is_ok())
        };
        let layers = (0..).take_while(is_there).count();
        let shape = Shape { width, heads, inner, layers, positions };
        Self::build(shape, &mut |slot| numbers(&tensors, &in_bert(slot.name)?, slot.dims))
    }

    fn build(shape: Shape, fill: &mut dyn FnMut(&Slot<'_>) -> Result<Vec<f32>>) -> Result<Self> {
        shape.check()?;
        let stack = Stack::build(&shape, &mut Builder::new(&of_encoders(), fill))?;
        Ok(Self { shape, stack })
    }

    fn weights(&self) -> Result<Vec<Weights>> {
        super::network::weights(&self.stack)
    }

    /// Its sizes.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// What it makes of the first token of each text, behind its pooling layer; a row a text.
    ///
    /// # Errors
    /// A text that is empty, too long, or of vectors of another width.
    pub fn pooled(&self, texts: &dyn Sequences) -> Result<Array2<f32>> {
        let mut rows = Array2::zeros((texts.lengths().len(), self.shape.width));
        for (places, batch) in self.batches(texts) {
            let pooled = self.stack.pooled(&batch?, self.shape.heads, &mut without(&mut Chance::at_start(0)));
            let values = pooled.try_into_vec_as::<f32>()?;
            for (place, row) in places.iter().zip(values.chunks_exact(self.shape.width)) {
                rows.row_mut(*place).iter_mut().zip(row).for_each(|(to, from)| *to = *from);
            }
        }
        Ok(rows)
    }

    fn batches<'a>(&'a self, texts: &'a dyn Sequences) -> impl Iterator<Item = (Vec<usize>, Result<Batch>)> + 'a {
        batches_of(&texts.lengths(), TOGETHER, None).into_iter().map(|places| {
            let some: Vec<Sequence> = places.iter().map(|place| texts.sequence(*place)).collect();
            let batch = self.batch(&some.iter().collect::<Vec<_>>());
            (places, batch)
        })
    }

    /// Texts as the network takes them: padded to the longest.
    fn batch(&self, texts: &[&Sequence]) -> Result<Batch> {
        let Shape { width, positions, .. } = self.shape;
        let longest = texts.iter().map(|text| text.vectors.nrows()).max().unwrap_or(0);
        for Sequence { vectors, segments } in texts {
            ensure!((1..=positions).contains(&vectors.nrows()), "a text has from 1 to {positions} tokens");
            ensure!(vectors.ncols() == width, "vectors of {} elements for a width of {width}", vectors.ncols());
            ensure!(segments.len() == vectors.nrows() && segments.iter().all(|one| *one < 2), "a token has no segment");
        }
        let (count, device) = (texts.len(), of_encoders());
        let (mut vectors, mut segments) = (vec![0.0; count * longest * width], vec![0.0; count * longest]);
        let mut hidden = vec![HIDDEN; count * longest];
        for (at, text) in texts.iter().enumerate() {
            let place = at * longest;
            vectors[place * width..].iter_mut().zip(&text.vectors).for_each(|(to, from)| *to = *from);
            segments[place..].iter_mut().zip(&text.segments).for_each(|(to, from)| *to = f32::from(*from));
            hidden[place..place + text.segments.len()].fill(0.0);
        }
        Ok(Batch {
            vectors: Tensor::from_data(TensorData::new(vectors, [count, longest, width]), &device),
            segments: Tensor::from_data(TensorData::new(segments, [count, longest, 1]), &device),
            hidden: Tensor::from_data(TensorData::new(hidden, [count, 1, 1, longest]), &device),
        })
    }
}

/// The rate of dropout while anything is learned: BERT's.
const DROPOUT: f64 = 0.1;

/// No dropout.
fn without(chance: &mut Chance) -> Dropout<'_> {
    Dropout { chance, rate: 0.0 }
}

/// What keeps attention from padding: its weight becomes 0 in 32 bits.
const HIDDEN: f32 = -1e9;

/// The weights for a slot among those that were collected, also from a module that holds the encoder as `stack`.
fn found<'a>(weights: &'a [Weights], slot: &Slot<'_>) -> Option<&'a Weights> {
    let is_meant = |weights: &&Weights| weights.name.strip_prefix("stack.").unwrap_or(&weights.name) == slot.name;
    weights.iter().find(is_meant).filter(|weights| weights.dims == slot.dims)
}

/// The learning rate at a step: it rises over the first tenth and falls to 0 over the rest.
fn rate_at(highest: f64, step: u64, steps: u64) -> f64 {
    let done = (step as f64 + 0.5) / steps as f64;
    highest * (done / RISE).min((1.0 - done) / (1.0 - RISE))
}

/// The word vectors of a safetensors file with the plain names of BERT, a row a word piece.
///
/// # Errors
/// A file that is damaged or lacks the tensor.
pub fn word_vectors(bytes: &[u8]) -> Result<Array2<f32>> {
    const NAME: &str = "embeddings.word_embeddings.weight";
    let tensors = SafeTensors::deserialize(bytes)?;
    let dims: [usize; 2] = tensors.tensor(NAME)?.shape().try_into().context("word vectors are no matrix")?;
    Ok(Array2::from_shape_vec(dims, numbers(&tensors, NAME, &dims)?)?)
}

/// The name that BERT has for weights of ours.
fn in_bert(name: &str) -> Result<String> {
    let (prefix, own) = match name.strip_prefix("layers.").and_then(|rest| rest.split_once('.')) {
        Some((layer, own)) => (format!("encoder.layer.{layer}."), own),
        None => (String::new(), name),
    };
    let own = own.replace(".gain", ".weight");
    let (part, kind) = own.split_once('.').unwrap_or((&own, "weight"));
    let part = match part {
        "positions" => "embeddings.position_embeddings",
        "segments" => "embeddings.token_type_embeddings",
        "norm" => "embeddings.LayerNorm",
        "pooler" => "pooler.dense",
        "query" | "key" | "value" => return Ok(format!("{prefix}attention.self.{part}.{kind}")),
        "attention" => "attention.output.dense",
        "attention_norm" => "attention.output.LayerNorm",
        "inner" => "intermediate.dense",
        "outer" => "output.dense",
        "outer_norm" => "output.LayerNorm",
        _ => bail!("BERT has no {name}"),
    };
    Ok(format!("{prefix}{part}.{kind}"))
}
