//! The layers of an encoder, and of what is read from it.

use anyhow::Result;
use burn::module::{Module, Param};
use burn::tensor::activation::{gelu, log_softmax, softmax};
use burn::tensor::{Int, Tensor};

use super::Shape;
use crate::network::{Builder, Dropout, Layer};

/// BERT's; it keeps a row of equal numbers from division by 0.
const NORM_EPSILON: f64 = 1e-12;

/// The constants of the head, one a word piece.
pub(super) const BIAS: &str = "bias";

/// Texts as the network takes them.
pub(super) struct Batch {
    /// Text × token × width.
    pub(super) vectors: Tensor<3>,
    /// Text × token × 1: 0 in the first text of a pair, 1 in the second.
    pub(super) segments: Tensor<3>,
    /// Text × 1 × 1 × token: what is added to the scores of attention, far below 0 where there is no token.
    pub(super) hidden: Tensor<4>,
}

/// A row less its mean, over its standard deviation, times a factor, plus a constant.
#[derive(Module, Debug)]
pub(super) struct Norm {
    gain: Param<Tensor<1>>,
    bias: Param<Tensor<1>>,
}

impl Norm {
    fn build(name: &str, width: usize, builder: &mut Builder<'_>) -> Result<Self> {
        let gain = builder.ones(&format!("{name}.gain"), [width])?;
        Ok(Self { gain, bias: builder.constants(&format!("{name}.bias"), [width])? })
    }

    fn forward(&self, rows: Tensor<2>) -> Tensor<2> {
        let centred = rows.clone() - rows.mean_dim(1);
        let variance = centred.clone().square().mean_dim(1);
        centred / (variance + NORM_EPSILON).sqrt() * self.gain.val().unsqueeze() + self.bias.val().unsqueeze()
    }
}

/// Attention, then two layers for each token.
#[derive(Module, Debug)]
struct Block {
    query: Layer,
    key: Layer,
    value: Layer,
    attention: Layer,
    attention_norm: Norm,
    inner: Layer,
    outer: Layer,
    outer_norm: Norm,
}

impl Block {
    fn build(name: &str, shape: &Shape, builder: &mut Builder<'_>) -> Result<Self> {
        let Shape { width, inner, .. } = *shape;
        let at = |part: &str| format!("{name}.{part}");
        Ok(Self {
            query: Layer::build(&at("query"), [width, width], builder)?,
            key: Layer::build(&at("key"), [width, width], builder)?,
            value: Layer::build(&at("value"), [width, width], builder)?,
            attention: Layer::build(&at("attention"), [width, width], builder)?,
            attention_norm: Norm::build(&at("attention_norm"), width, builder)?,
            inner: Layer::build(&at("inner"), [width, inner], builder)?,
            outer: Layer::build(&at("outer"), [inner, width], builder)?,
            outer_norm: Norm::build(&at("outer_norm"), width, builder)?,
        })
    }

    /// A row for each token of each text.
    fn forward(&self, rows: Tensor<2>, hidden: &Tensor<4>, heads: usize, dropout: &mut Dropout<'_>) -> Tensor<2> {
        let [count, _, _, tokens] = hidden.dims();
        let [_, width] = rows.dims();
        let by_head =
            |layer: &Layer| layer.forward(rows.clone()).reshape([count, tokens, heads, width / heads]).swap_dims(1, 2);
        let (query, key, value) = (by_head(&self.query), by_head(&self.key), by_head(&self.value));
        let scale = 1.0 / ((width / heads) as f64).sqrt();
        let scores = query.matmul(key.swap_dims(2, 3)) * scale + hidden.clone();
        let seen = dropout.apply(softmax(scores, 3)).matmul(value).swap_dims(1, 2).reshape([count * tokens, width]);
        let rows = self.attention_norm.forward(rows + dropout.apply(self.attention.forward(seen)));
        let change = self.outer.forward(gelu(self.inner.forward(rows.clone())));
        self.outer_norm.forward(rows + dropout.apply(change))
    }
}

/// All behind the word vectors.
#[derive(Module, Debug)]
pub(super) struct Stack {
    positions: Param<Tensor<2>>,
    segments: Param<Tensor<2>>,
    norm: Norm,
    layers: Vec<Block>,
    pooler: Layer,
}

impl Stack {
    pub(super) fn build(shape: &Shape, builder: &mut Builder<'_>) -> Result<Self> {
        let Shape { width, layers, positions, .. } = *shape;
        Ok(Self {
            positions: builder.rows("positions", [positions, width])?,
            segments: builder.rows("segments", [2, width])?,
            norm: Norm::build("norm", width, builder)?,
            layers: (0..layers)
                .map(|layer| Block::build(&format!("layers.{layer}"), shape, builder))
                .collect::<Result<_>>()?,
            pooler: Layer::build("pooler", [width, width], builder)?,
        })
    }

    /// A row for each token of each text. Dropout is where BERT has it: on what goes in, on attention, and before what each
    /// half of a block adds.
    pub(super) fn forward(&self, batch: &Batch, heads: usize, dropout: &mut Dropout<'_>) -> Tensor<2> {
        let [count, tokens, width] = batch.vectors.dims();
        let positions = self.positions.val().narrow(0, 0, tokens).unsqueeze::<3>();
        let segment = |of: usize| self.segments.val().narrow(0, of, 1).unsqueeze::<3>();
        let segments = segment(0) + (segment(1) - segment(0)) * batch.segments.clone();
        let rows = (positions + segments + batch.vectors.clone()).reshape([count * tokens, width]);
        let rows = dropout.apply(self.norm.forward(rows));
        self.layers.iter().fold(rows, |rows, block| block.forward(rows, &batch.hidden, heads, dropout))
    }

    /// A row for each text: its first token's behind the pooling layer.
    pub(super) fn pooled(&self, batch: &Batch, heads: usize, dropout: &mut Dropout<'_>) -> Tensor<2> {
        self.pool(self.forward(batch, heads, dropout), batch.vectors.dims()[0])
    }

    /// The same for known rows of `count` texts.
    pub(super) fn pool(&self, rows: Tensor<2>, count: usize) -> Tensor<2> {
        let [all, width] = rows.dims();
        let first = rows.reshape([count, all / count, width]).narrow(1, 0, 1).reshape([count, width]);
        self.pooler.forward(first).tanh()
    }
}

/// An encoder and what names hidden words, and says whether a second text follows the first.
#[derive(Module, Debug)]
pub(super) struct Pretrainer {
    pub(super) stack: Stack,
    transform: Layer,
    head_norm: Norm,
    /// A constant for each word piece.
    bias: Param<Tensor<1>>,
    follows: Layer,
}

/// What is asked of hidden places.
pub(super) struct HiddenTargets {
    /// Rows of the batch.
    pub(super) places: Tensor<1, Int>,
    /// Place × candidate.
    pub(super) pieces: Tensor<2, Int>,
    /// The share of each candidate over the number of places, or 0 without a candidate.
    pub(super) shares: Tensor<2>,
    /// Text × 2: for whether the second text follows, one over the number of texts; else 0.
    pub(super) follows: Tensor<2>,
}

impl Pretrainer {
    /// The encoder first, then a head that names `words` word pieces.
    pub(super) fn build(shape: &Shape, words: usize, builder: &mut Builder<'_>) -> Result<Self> {
        let width = shape.width;
        Ok(Self {
            stack: Stack::build(shape, builder)?,
            transform: Layer::build("transform", [width, width], builder)?,
            head_norm: Norm::build("head_norm", width, builder)?,
            bias: builder.constants(BIAS, [words])?,
            follows: Layer::build("follows", [width, 2], builder)?,
        })
    }

    /// The cross-entropies of hidden words and of what follows. `words` is width × word piece.
    pub(super) fn losses(
        &self,
        batch: &Batch,
        heads: usize,
        words: &Tensor<2>,
        asked: &HiddenTargets,
        dropout: &mut Dropout<'_>,
    ) -> [Tensor<1>; 2] {
        let rows = self.stack.forward(batch, heads, dropout);
        let hidden = gelu(self.transform.forward(rows.clone().select(0, asked.places.clone())));
        let scores = self.head_norm.forward(hidden).matmul(words.clone()) + self.bias.val().unsqueeze();
        let named = log_softmax(scores, 1).gather(1, asked.pieces.clone()) * asked.shares.clone();
        let follows = self.follows.forward(self.stack.pool(rows, batch.vectors.dims()[0]));
        [-named.sum(), -(log_softmax(follows, 1) * asked.follows.clone()).sum()]
    }
}

/// An encoder and a linear layer that reads the class of a text.
#[derive(Module, Debug)]
pub(super) struct Classes {
    pub(super) stack: Stack,
    pub(super) layer: Layer,
}

impl Classes {
    pub(super) fn build(shape: &Shape, classes: usize, builder: &mut Builder<'_>) -> Result<Self> {
        let stack = Stack::build(shape, builder)?;
        Ok(Self { stack, layer: Layer::build("layer", [shape.width, classes], builder)? })
    }
}
