//! `textveil-lab learn`: a training by hand, which the tests hold against scikit-learn.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use ndarray::Array2;
use rayon::prelude::*;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Value, json};
use textveil_learn::{Examples, Features, Recipe, Session, train};

use textveil_toolkit::progress::bar;

/// Train classifiers of features in files, and print what they do on the rest of the file, a JSON line for each
///
/// A file is safetensors with two sets: matrices "train.features" and "test.features" (F32, a row an example), and
/// "train.labels" and "test.labels" (I64).
#[derive(Args)]
#[command(hide = true)]
pub(crate) struct Learn {
    /// What to train and how, as JSON
    #[arg(long, value_name = "JSON", value_parser = recipe)]
    recipe: Recipe,
    /// Files of features
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

fn recipe(json: &str) -> Result<Recipe, serde_json::Error> {
    serde_json::from_str(json)
}

impl Learn {
    pub(crate) fn run(&self) -> Result<()> {
        let progress = bar("training", self.files.len() * self.recipe.epochs as usize);
        let session = Session { progress: Some(&progress), checkpoint: None };
        let one = |path: &PathBuf| self.one(path, &session).with_context(|| path.display().to_string());
        let lines: Vec<Value> = self.files.par_iter().map(one).collect::<Result<_>>()?;
        let mut out = io::stdout().lock();
        Ok(lines.iter().try_for_each(|line| writeln!(out, "{line}"))?)
    }

    fn one(&self, path: &Path, session: &Session<'_>) -> Result<Value> {
        let bytes = fs::read(path)?;
        let tensors = SafeTensors::deserialize(&bytes)?;
        let [seen, unseen] = [examples(&tensors, "train")?, examples(&tensors, "test")?];
        let classes = seen.labels.iter().chain(&unseen.labels).max().map_or(0, |label| label + 1);
        let trained = train(&self.recipe, classes, &seen, None, session)?;
        let probabilities = trained.probabilities(&unseen.features)?;
        let probabilities: Vec<Vec<f32>> = probabilities.outer_iter().map(|row| row.to_vec()).collect();
        let (history, scores) = (trained.history(), trained.evaluate(&unseen)?);
        Ok(json!({ "history": history, "scores": scores, "probabilities": probabilities }))
    }
}

fn examples(tensors: &SafeTensors<'_>, set: &str) -> Result<Examples> {
    let [features, labels] = [tensors.tensor(&format!("{set}.features"))?, tensors.tensor(&format!("{set}.labels"))?];
    let [rows, columns] = *features.shape() else { anyhow::bail!("{set}.features: not a matrix") };
    ensure!(features.dtype() == Dtype::F32 && labels.dtype() == Dtype::I64, "{set}: not F32 and I64");
    let values = features.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let label = |bytes: &[u8; 8]| usize::try_from(i64::from_le_bytes(*bytes));
    let labels: Result<_, _> = labels.data().as_chunks().0.iter().map(label).collect();
    let features = Features::Dense(Array2::from_shape_vec((rows, columns), values)?);
    Ok(Examples { features, labels: labels.with_context(|| format!("{set}: a label below 0"))? })
}
