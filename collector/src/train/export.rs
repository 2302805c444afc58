//! `textveil-collector train export`: a model for clear text, for programs without textveil's trainer.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use ndarray::s;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde::Serialize;
use serde_json::json;
use textveil::Table;
use textveil_learn::Linear;

use super::card::Card;
use super::features::{WordFeatures, vectors};
use super::set::Kind;
use textveil_toolkit::files::replace;

/// The module of JavaScript, with names of the card in the place of values.
const MODULE: &str = include_str!("export/model.js");

/// Write a model for clear text to safetensors, or to JavaScript for the device
///
/// The model takes the mean vector of the words of a text that the table knows, each of length 1, and gives a number for
/// each class; the largest is the class. It is what `train predict --clear` does. A text that is classified on the device
/// need not be sent.
///
/// safetensors: layers.N.weight (outputs × inputs) and layers.N.bias, with max(0, x) between them; vectors (a row a word)
/// and words (their bytes, a line a word), so that a program needs no table. The metadata have the classes, the table and
/// the guarantee of the releases that the model learned from.
///
/// javascript: a module without imports, of some kilobytes. Its function `classify(text, textveil)` takes the npm package's
/// module `textveil/all`, which has the words and their vectors.
///
/// Models of texts are exported, logistic and mlp.
#[derive(Args)]
pub(crate) struct Export {
    /// The folder of the model
    #[arg(long, value_name = "DIR")]
    model: PathBuf,
    #[arg(long, value_enum, value_name = "NAME")]
    format: Format,
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// The table that the model reads texts by, instead of the built-in English table
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Weights, words and vectors
    Safetensors,
    /// A module for the npm package
    Javascript,
}

impl Export {
    pub(super) fn run(&self) -> Result<()> {
        let (card, trained) = Card::load(&self.model)?;
        let kind = card.input.kind;
        ensure!(kind == Kind::Text, "the model reads {kind}: only models of texts are exported");
        let layers = trained.layers()?.context("a bilstm is not exported: train with --model logistic or mlp")?;
        let table = textveil_tables::load(self.table.as_deref())?;
        card.reads((kind, table.dims()), &table)?;
        ensure!(!fs::exists(&self.out)?, "{} is there already: choose another --out", self.out.display());
        let layers = card.of_clear_text(layers)?;
        let bytes = match self.format {
            Format::Safetensors => card.safetensors(&layers, &table)?,
            Format::Javascript => card.javascript(&layers)?.into_bytes(),
        };
        replace(&self.out, &bytes)
    }
}

impl Card {
    /// The layers of a model that takes the mean vector of words that were typed: its first layer has the scale of features
    /// in it, and takes what was typed once where it was trained to see it twice.
    ///
    /// # Errors
    /// A scale that is out of range.
    fn of_clear_text(&self, mut layers: Vec<Linear>) -> Result<Vec<Linear>> {
        if let Some(Linear { weight, .. }) = layers.first_mut() {
            if self.input.features == WordFeatures::Posterior {
                *weight = &weight.slice(s![.., ..self.input.dims]) + &weight.slice(s![.., self.input.dims..]);
            }
            weight.mapv_inplace(|weight| (f64::from(weight) * self.input.scale) as f32);
            ensure!(
                weight.iter().all(|weight| weight.is_finite()),
                "the scale of its card is too large for its weights"
            );
        }
        Ok(layers)
    }

    fn safetensors(&self, layers: &[Linear], table: &Table) -> Result<Vec<u8>> {
        let numbers = |numbers: &mut dyn Iterator<Item = f32>| numbers.flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
        let mut tensors = Vec::new();
        for (number, Linear { weight, bias }) in layers.iter().enumerate() {
            let shape = weight.shape().to_vec();
            tensors.push((format!("layers.{number}.weight"), Dtype::F32, shape, numbers(&mut weight.iter().copied())));
            let constants = numbers(&mut bias.iter().copied());
            tensors.push((format!("layers.{number}.bias"), Dtype::F32, vec![bias.len()], constants));
        }
        let vectors = vectors(table);
        let elements = numbers(&mut vectors.iter().flatten().map(|x| *x as f32));
        tensors.push(("vectors".to_owned(), Dtype::F32, vec![vectors.len(), table.dims()], elements));
        let words: String = table.words().map(|(_, word)| word.to_string() + "\n").collect();
        tensors.push(("words".to_owned(), Dtype::U8, vec![words.len()], words.into_bytes()));
        let views = tensors.iter().map(|(name, kind, shape, bytes)| {
            Ok((name.as_str(), TensorView::new(*kind, shape.clone(), bytes).context("a model of another shape")?))
        });
        let metadata = [
            ("classes", json!(self.classes).to_string()),
            ("table", table.id().to_string()),
            ("guarantee", self.guarantee.statement.clone()),
        ];
        let metadata = metadata.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
        Ok(safetensors::serialize(views.collect::<Result<Vec<_>>>()?, Some(metadata))?)
    }

    fn javascript(&self, layers: &[Linear]) -> Result<String> {
        let values = [
            ("CLASSES", serde_json::to_string(&self.classes)?),
            ("TABLE", serde_json::to_string(&self.input.table)?),
            ("GUARANTEE", serde_json::to_string(&self.guarantee.statement)?),
            ("LAYERS", serde_json::to_string(&layers.iter().map(Layer::of).collect::<Vec<_>>())?),
        ];
        let (mut module, mut rest) = (String::new(), MODULE);
        // A value may hold the name of another one: only the template is searched.
        for (name, value) in values {
            let (before, after) =
                rest.split_once(&format!("globalThis.{name}")).context("a template without a place")?;
            module.extend([before, &value]);
            rest = after;
        }
        Ok(module + rest)
    }
}

/// A layer as JSON.
#[derive(Serialize)]
struct Layer {
    weight: Vec<Vec<f32>>,
    bias: Vec<f32>,
}

impl Layer {
    fn of(Linear { weight, bias }: &Linear) -> Self {
        Self { weight: weight.outer_iter().map(|row| row.to_vec()).collect(), bias: bias.clone() }
    }
}
