//! `textveil-collector train export`: a model for clear text, for programs without textveil's trainer.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

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

/// The module of JavaScript, with names of the card instead of values.
const MODULE: &str = include_str!("export/model.js");
/// What every module declares.
const DECLARATIONS: &str = include_str!("export/model.d.ts");

/// Write a model for clear text to safetensors, or to JavaScript for the device
///
/// The model takes the mean vector of the words of a text that the table knows, each of length 1. It gives a number for
/// each class, and the largest is the class, as in `train predict --clear`. A text that is classified on the device
/// need not be sent.
///
/// safetensors: layers.N.weight (outputs × inputs) and layers.N.bias, with max(0, x) between them. It has vectors (a
/// row a word) and words (their bytes, a line a word), so that a program needs no table. The metadata have the classes,
/// the table and the guarantee of the releases that the model learned from.
///
/// javascript: a module without imports, of some kilobytes, and next to it its types for TypeScript (model.d.ts of
/// model.js). Its function `classify(text, textveil)` takes the npm package's module `textveil/all`, which has the
/// words and their vectors.
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
        card.check(&layers)?;
        let layers = card.of_clear_text(layers)?;
        let files = match self.format {
            Format::Safetensors => vec![(self.out.clone(), card.safetensors(&layers, &table)?)],
            Format::Javascript => {
                vec![
                    (declarations(&self.out), DECLARATIONS.into()),
                    (self.out.clone(), card.javascript(&layers)?.into()),
                ]
            }
        };
        for (file, _) in &files {
            ensure!(!fs::exists(file)?, "{} is there already: choose another --out", file.display());
        }
        files.iter().try_for_each(|(file, bytes)| replace(file, bytes))
    }
}

/// Where TypeScript looks for the types of a module.
fn declarations(module: &Path) -> PathBuf {
    let extension = module.extension().and_then(|extension| extension.to_str());
    module.with_extension(if extension == Some("mjs") { "d.mts" } else { "d.ts" })
}

/// Why a model does not match its card.
#[derive(Debug, PartialEq)]
enum Unfit {
    /// The card does not name the table by which texts are read.
    NoTable,
    /// There are no layers.
    NoLayers,
    /// A layer takes another number of elements than those before it give.
    Takes { layer: usize, takes: usize, given: usize },
    /// A layer has not a constant for each output.
    Constants { layer: usize, constants: usize, outputs: usize },
    /// The last layer gives not a number for each class.
    Classes { outputs: usize, classes: usize },
    /// A number is not finite.
    NotFinite { layer: usize },
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTable => f.write_str("the card of the model does not name the table by which it reads texts"),
            Self::NoLayers => f.write_str("the model has no layers"),
            Self::Takes { layer, takes, given } => {
                write!(f, "layer {layer} of the model takes {takes} elements, and gets {given}")
            }
            Self::Constants { layer, constants, outputs } => {
                write!(f, "layer {layer} of the model has {constants} constants for {outputs} outputs")
            }
            Self::Classes { outputs, classes } => {
                write!(f, "the model gives {outputs} numbers, and its card names {classes} classes")
            }
            Self::NotFinite { layer } => write!(f, "layer {layer} of the model has a number that is not finite"),
        }
    }
}

impl std::error::Error for Unfit {}

/// Whether layers take rows of `given` elements and give a number for each class.
fn check(layers: &[Linear], mut given: usize, classes: usize) -> Result<(), Unfit> {
    for (layer, Linear { weight, bias }) in layers.iter().enumerate() {
        let (outputs, takes) = weight.dim();
        if takes != given {
            return Err(Unfit::Takes { layer, takes, given });
        }
        if bias.len() != outputs {
            return Err(Unfit::Constants { layer, constants: bias.len(), outputs });
        }
        if !weight.iter().chain(bias).all(|number| number.is_finite()) {
            return Err(Unfit::NotFinite { layer });
        }
        given = outputs;
    }
    if layers.is_empty() {
        return Err(Unfit::NoLayers);
    }
    if given == classes { Ok(()) } else { Err(Unfit::Classes { outputs: given, classes }) }
}

impl Card {
    /// # Errors
    /// The layers are not what the card says.
    fn check(&self, layers: &[Linear]) -> Result<(), Unfit> {
        self.input.table.as_ref().ok_or(Unfit::NoTable)?;
        check(layers, self.input.width(), self.classes.len())
    }

    /// The layers of a model that takes the mean vector of typed words. Its first layer includes the scale of features.
    /// If it was trained to see two vectors of a text, it now takes the one typed vector for both.
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
            // A page may have the module in a script, which ends at "</script".
            module.extend([before, &value.replace('<', "\\u003c")]);
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

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    fn linear(outputs: usize, inputs: usize) -> Linear {
        Linear { weight: Array2::ones((outputs, inputs)), bias: vec![0.0; outputs] }
    }

    #[test]
    fn layers_take_what_the_card_says_and_what_those_before_them_give() {
        let layers = [linear(4, 3), linear(2, 4)];
        assert_eq!(check(&layers, 3, 2), Ok(()));
        assert_eq!(check(&layers, 6, 2), Err(Unfit::Takes { layer: 0, takes: 3, given: 6 }));
        assert_eq!(check(&layers, 3, 4), Err(Unfit::Classes { outputs: 2, classes: 4 }));
        assert_eq!(check(&[linear(4, 3), linear(2, 3)], 3, 2), Err(Unfit::Takes { layer: 1, takes: 3, given: 4 }));
        assert_eq!(check(&[], 2, 2), Err(Unfit::NoLayers));
        let mut few = layers.clone();
        few[1].bias.pop();
        assert_eq!(check(&few, 3, 2), Err(Unfit::Constants { layer: 1, constants: 1, outputs: 2 }));
        let mut infinite = layers.clone();
        infinite[0].weight[[1, 2]] = f32::INFINITY;
        assert_eq!(check(&infinite, 3, 2), Err(Unfit::NotFinite { layer: 0 }));
        let mut none = layers;
        none[1].bias[0] = f32::NAN;
        assert_eq!(check(&none, 3, 2), Err(Unfit::NotFinite { layer: 1 }));
    }

    #[test]
    fn declarations_stand_where_typescript_looks_for_them() {
        for (module, types) in [("a/model.js", "a/model.d.ts"), ("model.mjs", "model.d.mts"), ("v1.2.js", "v1.2.d.ts")]
        {
            assert_eq!(declarations(Path::new(module)), Path::new(types));
        }
    }
}
