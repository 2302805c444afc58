//! The sentence encoder all-MiniLM-L6-v2: text to a vector of 384, the mean of its token vectors.
//!
//! The forward pass is its own for one reason: a table must be the same bit for bit on every machine. General matrix
//! libraries choose their order of summation by CPU. Here every sum has one order, `exp` and `erf` come from `libm`,
//! and threads only ever share out whole texts. Texts are concatenated, not padded.

use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;
use multiversion::multiversion;
use ndarray::Array2;
use rayon::prelude::*;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::linear::{Linear, ROWS};
use super::vectors::floats;
use super::wordpiece::WordPiece;
use textveil_toolkit::files::hexadecimal;

/// Coordinates of a text's vector.
pub(crate) const WIDTH: usize = 384;
const HEADS: usize = 12;
const HEAD_WIDTH: usize = WIDTH / HEADS;
const INNER: usize = 1536;
const LAYERS: usize = 6;
/// Tokens worked on at once by a thread: their activations stay near the core.
const BATCH_TOKENS: usize = 20 * ROWS;
const LAYER_NORM_EPSILON: f64 = 1e-12;

/// The encoder with its weights.
pub struct Encoder {
    tokenizer: WordPiece,
    words: Vec<f32>,
    positions: Vec<f32>,
    segment: Vec<f32>,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

struct Layer {
    query_key_value: Linear,
    attention: Linear,
    attention_norm: LayerNorm,
    inner: Linear,
    outer: Linear,
    outer_norm: LayerNorm,
}

struct LayerNorm {
    gain: Vec<f32>,
    bias: Vec<f32>,
}

/// Its files in a folder.
const VOCABULARY: &str = "vocab.txt";
const MODEL: &str = "model.safetensors";

impl Encoder {
    /// Reads `model.safetensors` and `vocab.txt` in `folder`.
    ///
    /// # Errors
    /// A file is missing or is not this encoder's.
    pub fn load(folder: &Path) -> Result<Self> {
        let tokenizer = WordPiece::load(&folder.join(VOCABULARY))?;
        let path = folder.join(MODEL);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::from_weights(tokenizer, &bytes)
            .with_context(|| format!("{} does not hold the weights of all-MiniLM-L6-v2", path.display()))
    }

    /// The SHA-256 of each of its files, by name.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn digests(folder: &Path) -> Result<Map<String, Value>> {
        let digest = |name: &str| {
            let path = folder.join(name);
            let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            Ok((name.to_owned(), hexadecimal(&Sha256::digest(content)).into()))
        };
        [MODEL, VOCABULARY].into_iter().map(digest).collect()
    }

    fn from_weights(tokenizer: WordPiece, bytes: &[u8]) -> Result<Self> {
        let weights = Weights(SafeTensors::deserialize(bytes)?);
        let layers = (0..LAYERS)
            .map(|layer| {
                let at = |name: &str| format!("encoder.layer.{layer}.{name}");
                Ok(Layer {
                    query_key_value: weights.linear(
                        &["query", "key", "value"].map(|name| at(&format!("attention.self.{name}"))),
                        WIDTH,
                        WIDTH,
                    )?,
                    attention: weights.linear(&[at("attention.output.dense")], WIDTH, WIDTH)?,
                    attention_norm: weights.norm(&at("attention.output.LayerNorm"))?,
                    inner: weights.linear(&[at("intermediate.dense")], WIDTH, INNER)?,
                    outer: weights.linear(&[at("output.dense")], INNER, WIDTH)?,
                    outer_norm: weights.norm(&at("output.LayerNorm"))?,
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            tokenizer,
            words: weights.get("embeddings.word_embeddings.weight", None)?,
            positions: weights.get("embeddings.position_embeddings.weight", None)?,
            segment: weights.get("embeddings.token_type_embeddings.weight", Some(2 * WIDTH))?[..WIDTH].to_vec(),
            norm: weights.norm("embeddings.LayerNorm")?,
            layers,
        })
    }

    /// The vectors of `texts`, a row each; `progress` advances by one a text.
    pub fn embed(&self, texts: &[String], progress: &ProgressBar) -> Array2<f32> {
        let tokens: Vec<Vec<u32>> = texts.par_iter().map(|text| self.tokenizer.encode(text)).collect();
        let mut means = Array2::zeros((texts.len(), WIDTH));
        let batches = batches(&tokens);
        let results: Vec<Vec<f32>> = batches
            .par_iter()
            .map(|batch| {
                let result = self.embed_batch(&tokens[batch.clone()]);
                progress.inc(batch.len() as u64);
                result
            })
            .collect();
        for (mut row, mean) in means.rows_mut().into_iter().zip(results.iter().flat_map(|r| r.chunks_exact(WIDTH))) {
            row.iter_mut().zip(mean).for_each(|(to, from)| *to = *from);
        }
        means
    }

    fn embed_batch(&self, texts: &[Vec<u32>]) -> Vec<f32> {
        let rows = texts.iter().map(Vec::len).sum::<usize>().next_multiple_of(ROWS);
        let mut state = vec![0f32; rows * WIDTH];
        let mut query_key_value = vec![0f32; rows * 3 * WIDTH];
        let mut context = vec![0f32; rows * WIDTH];
        let mut change = vec![0f32; rows * WIDTH];
        let mut inner = vec![0f32; rows * INNER];

        let places = texts.iter().flat_map(|text| text.iter().zip(0..));
        for (state, (&token, position)) in state.chunks_exact_mut(WIDTH).zip(places) {
            let word = &self.words[token as usize * WIDTH..][..WIDTH];
            let position = &self.positions[position * WIDTH..][..WIDTH];
            for i in 0..WIDTH {
                state[i] = word[i] + position[i] + self.segment[i];
            }
        }
        self.norm.apply(&mut state);
        for layer in &self.layers {
            layer.query_key_value.apply(&state, &mut query_key_value);
            let mut start = 0;
            for text in texts {
                let end = start + text.len();
                attend(&query_key_value[3 * WIDTH * start..3 * WIDTH * end], &mut context[WIDTH * start..WIDTH * end]);
                start = end;
            }
            layer.attention.apply(&context, &mut change);
            add(&mut state, &change);
            layer.attention_norm.apply(&mut state);
            layer.inner.apply(&state, &mut inner);
            gelu(&mut inner);
            layer.outer.apply(&inner, &mut change);
            add(&mut state, &change);
            layer.outer_norm.apply(&mut state);
        }

        let mut means = vec![0f32; texts.len() * WIDTH];
        let mut tokens = state.chunks_exact(WIDTH);
        for (mean, text) in means.chunks_exact_mut(WIDTH).zip(texts) {
            for token in tokens.by_ref().take(text.len()) {
                add(mean, token);
            }
            mean.iter_mut().for_each(|value| *value /= text.len() as f32);
        }
        means
    }
}

/// Consecutive texts that have at most `BATCH_TOKENS` tokens together, or one text that has more.
fn batches(texts: &[Vec<u32>]) -> Vec<Range<usize>> {
    let (mut batches, mut start, mut tokens) = (Vec::new(), 0, 0);
    for (i, text) in texts.iter().enumerate() {
        if tokens + text.len() > BATCH_TOKENS && start < i {
            batches.push(start..i);
            (start, tokens) = (i, 0);
        }
        tokens += text.len();
    }
    batches.push(start..texts.len());
    batches
}

fn add(to: &mut [f32], from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

fn gelu(values: &mut [f32]) {
    for x in values {
        *x *= 0.5 * (1.0 + libm::erff(*x * std::f32::consts::FRAC_1_SQRT_2));
    }
}

impl LayerNorm {
    fn apply(&self, rows: &mut [f32]) {
        for row in rows.chunks_exact_mut(WIDTH) {
            let mean = sum(row, |x| x) / WIDTH as f64;
            let variance = sum(row, |x| (x - mean) * (x - mean)) / WIDTH as f64;
            let (mean, inverse) = (mean as f32, (1.0 / (variance + LAYER_NORM_EPSILON).sqrt()) as f32);
            for ((x, gain), bias) in row.iter_mut().zip(&self.gain).zip(&self.bias) {
                *x = ((*x - mean) * inverse).mul_add(*gain, *bias);
            }
        }
    }
}

/// Σ f(x), in eight interleaved chains.
fn sum(row: &[f32], f: impl Fn(f64) -> f64) -> f64 {
    let mut chains = [0f64; 8];
    for chunk in row.chunks_exact(8) {
        for (chain, &x) in chains.iter_mut().zip(chunk) {
            *chain += f(f64::from(x));
        }
    }
    chains.iter().sum()
}

/// Multi-head self-attention within one text: `qkv` has query, key and value side by side, a row a token.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
fn attend(qkv: &[f32], context: &mut [f32]) {
    let scale = 1.0 / (HEAD_WIDTH as f32).sqrt();
    let mut weights = vec![0f32; context.len() / WIDTH];
    for head in (0..WIDTH).step_by(HEAD_WIDTH) {
        for (token, context) in qkv.chunks_exact(3 * WIDTH).zip(context.chunks_exact_mut(WIDTH)) {
            let query = &token[head..head + HEAD_WIDTH];
            let mut highest = f32::NEG_INFINITY;
            for (weight, other) in weights.iter_mut().zip(qkv.chunks_exact(3 * WIDTH)) {
                let key = &other[WIDTH + head..][..HEAD_WIDTH];
                let mut chains = [0f32; 8];
                for (q, k) in query.chunks_exact(8).zip(key.chunks_exact(8)) {
                    for i in 0..8 {
                        chains[i] = q[i].mul_add(k[i], chains[i]);
                    }
                }
                *weight = chains.iter().sum::<f32>() * scale;
                highest = highest.max(*weight);
            }
            let mut total = 0f32;
            for weight in &mut weights {
                *weight = libm::expf(*weight - highest);
                total += *weight;
            }
            let mut mixed = [0f32; HEAD_WIDTH];
            for (weight, other) in weights.iter().zip(qkv.chunks_exact(3 * WIDTH)) {
                let value = &other[2 * WIDTH + head..][..HEAD_WIDTH];
                for i in 0..HEAD_WIDTH {
                    mixed[i] = weight.mul_add(value[i], mixed[i]);
                }
            }
            for (to, from) in context[head..head + HEAD_WIDTH].iter_mut().zip(mixed) {
                *to = from / total;
            }
        }
    }
}

/// The weight file, with the shape of every tensor that is asked for checked.
struct Weights<'a>(SafeTensors<'a>);

impl Weights<'_> {
    fn get(&self, name: &str, length: Option<usize>) -> Result<Vec<f32>> {
        let tensor = self.0.tensor(name).or_else(|_| self.0.tensor(&format!("bert.{name}")))?;
        ensure!(tensor.dtype() == Dtype::F32, "{name} is not of type F32");
        let values: Vec<f32> = floats(tensor.data()).collect();
        ensure!(
            length.is_none_or(|n| values.len() == n) && values.len().is_multiple_of(WIDTH),
            "{name} has the wrong shape"
        );
        Ok(values)
    }

    /// One map from `inputs` to the outputs of all `names`, side by side.
    fn linear(&self, names: &[String], inputs: usize, outputs: usize) -> Result<Linear> {
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            weights.extend(self.get(&format!("{name}.weight"), Some(inputs * outputs))?);
            bias.extend(self.get(&format!("{name}.bias"), Some(outputs))?);
        }
        Ok(Linear::new(&weights, bias))
    }

    fn norm(&self, name: &str) -> Result<LayerNorm> {
        let get = |part: &str| self.get(&format!("{name}.{part}"), Some(WIDTH));
        Ok(LayerNorm { gain: get("weight")?, bias: get("bias")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_every_text_once_and_stay_small() {
        let texts: Vec<Vec<u32>> = [100, 100, 100, 500, 3].iter().map(|&n| vec![0; n]).collect();
        assert_eq!(batches(&texts), [0..2, 2..3, 3..4, 4..5]);
    }

    #[test]
    fn layer_norm_centres_and_scales() {
        let norm = LayerNorm { gain: vec![2.0; WIDTH], bias: vec![1.0; WIDTH] };
        let mut row: Vec<f32> = (0..WIDTH).map(|i| if i % 2 == 0 { 5.0 } else { 7.0 }).collect();
        norm.apply(&mut row);
        assert!((row[0] + 1.0).abs() < 1e-6 && (row[1] - 3.0).abs() < 1e-6);
    }

    #[test]
    fn attention_to_a_single_token_is_its_value() {
        let qkv: Vec<f32> = (0..3 * WIDTH).map(|i| i as f32).collect();
        let mut context = vec![0.0; WIDTH];
        attend(&qkv, &mut context);
        assert_eq!(context, qkv[2 * WIDTH..]);
    }
}
