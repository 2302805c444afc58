//! What a model is: what it reads and gives, how it came about, how good it is, and what is promised of the lines that
//! it learned from.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use serde::{Deserialize, Serialize};
use textveil::Table;
use textveil_learn::{Recipe, Trained};

use super::features::{View, WordFeatures};
use super::folder::{CARD, MODEL};
use super::guarantee::Promise;
use super::report::Metrics;
use super::set::Kind;
use crate::reports::Source;
use textveil_toolkit::files::digest_of;

/// A model's card.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Card {
    /// The version that wrote it.
    pub(super) textveil: String,
    /// Digest of the weights.
    pub(super) model: String,
    pub(super) input: Input,
    /// Class i is the i-th.
    pub(super) classes: Vec<String>,
    /// What is promised of all lines, those that the model was tested on too.
    pub(super) guarantee: Promise,
    pub(super) recipe: Recipe,
    /// After which epoch the weights were taken, from 1, and how many there were.
    pub(super) taken: [usize; 2],
    pub(super) data: Data,
    pub(super) metrics: Metrics,
}

/// What a model reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Input {
    pub(super) kind: Kind,
    /// Elements a row.
    pub(super) dims: usize,
    /// What is made of a release's rows.
    pub(super) view: View,
    /// What words of texts are read as.
    #[serde(default)]
    pub(super) features: WordFeatures,
    /// What each element is multiplied by.
    pub(super) scale: f64,
    /// The table by whose vectors texts are read.
    pub(super) table: Option<String>,
}

/// What it was made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Data {
    /// The files to train on, and to test on if there are any.
    pub(super) files: Vec<Source>,
    /// Releases: trained on, held out to stop by, tested on.
    pub(super) trained: usize,
    pub(super) held_out_to_stop: usize,
    pub(super) tested: usize,
    /// The share that was held out for tests, if no test file was given.
    pub(super) held_out: Option<f64>,
}

impl Card {
    /// # Errors
    /// What cannot be read, or is no card; a model that is not the card's, or of another number of classes.
    pub(super) fn load(folder: &Path) -> Result<(Self, Trained)> {
        let path = folder.join(CARD);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let card: Self = serde_json::from_slice(&bytes)
            .map_err(|error| anyhow!("{} is no card of this version: {error}", path.display()))?;
        let model = folder.join(MODEL);
        let digest = digest_of(&model)?;
        ensure!(digest == card.model, "{} is not the model of its card", model.display());
        let trained = Trained::load(&model)?;
        let (named, classes) = (card.classes.len(), trained.classes());
        ensure!(named == classes, "{} has {named} of the {classes} classes of its model", path.display());
        Ok((card, trained))
    }

    /// Whether these are what the model reads: of the same kind and size, texts over the same table.
    ///
    /// # Errors
    /// What is not.
    pub(super) fn reads(&self, (kind, dims): (Kind, usize), table: &Table) -> Result<()> {
        let input = &self.input;
        ensure!(kind == input.kind, "the model reads {}, and these are {kind}", input.kind);
        if let Some(of) = &input.table {
            let given = table.id().to_string();
            ensure!(*of == given, "the model reads texts by the table {}…: name it by --table", short(of));
        }
        ensure!(dims == input.dims, "the model reads rows of {} elements, and these have {dims}", input.dims);
        Ok(())
    }

    /// Whether releases are what the model has learned from: what it reads, and vectors and bits by a code that it knows.
    ///
    /// # Errors
    /// What is not.
    pub(super) fn admits(&self, shape: (Kind, usize), promise: &Promise, table: &Table) -> Result<()> {
        self.reads(shape, table)?;
        let kind = shape.0;
        if kind != Kind::Text {
            let declared = |promise: &Promise| promise.terms().next().is_some();
            ensure!(
                declared(&self.guarantee) || !declared(promise),
                "the model has learned from {kind} without a guarantee, and these have one: nothing says that they are \
                 of the same mechanism and table"
            );
            let known = |terms| self.guarantee.terms().any(|of| of.has_code_of(terms));
            ensure!(
                promise.terms().all(known),
                "the model has learned from vectors or bits of another mechanism or table"
            );
        }
        Ok(())
    }
}

/// The beginning of a digest.
fn short(digest: &str) -> &str {
    digest.get(..8).unwrap_or(digest)
}
