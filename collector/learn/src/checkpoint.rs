//! A training between two epochs, in a file.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use burn::tensor::{Bytes, Device};
use burn_optim::ModuleOptimizer;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Run;
use super::recipe::Recipe;
use super::store::{Store, Stored};
use super::trained::{Description, Trained};

/// Weights as they are, weights that would be kept, the optimizer's state.
const NOW: &str = "now.";
const KEPT: &str = "kept.";
const OPTIMIZER: &str = "optimizer";

/// The parts of a checkpoint in addition to its weights.
#[derive(Serialize, Deserialize)]
struct Saved {
    recipe: Recipe,
    description: Description,
    steps: u64,
    /// SHA-256 of the optimizer's state, whose parser trusts what it is given.
    optimizer: String,
}

/// SHA-256 in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An optimizer's state.
pub(super) fn state_of(optimizer: &ModuleOptimizer) -> Result<Vec<u8>> {
    Ok(optimizer.into_bytes().map_err(|error| anyhow!("the optimizer's state: {error:?}"))?.to_vec())
}

/// An optimizer with a state of this digest.
pub(super) fn with_state(optimizer: ModuleOptimizer, state: &[u8], digest: &str) -> Result<ModuleOptimizer> {
    ensure!(sha256(state) == digest, "the optimizer's state is damaged");
    optimizer.from_bytes(Bytes::from_bytes_vec(state.to_vec())).map_err(|error| anyhow!("{error:?}"))
}

impl Run {
    /// Writes a checkpoint.
    pub(super) fn write(&self, recipe: &Recipe, path: &Path) -> Result<()> {
        let state = state_of(&self.optimizer)?;
        let saved = Saved {
            recipe: recipe.clone(),
            description: self.trained.description.clone(),
            steps: self.steps,
            optimizer: sha256(&state),
        };
        Store::new()
            .with_weights(NOW, self.network.weights()?)
            .with_weights(KEPT, self.trained.network.weights()?)
            .with_bytes(OPTIMIZER, state)
            .write(path, &saved)
    }

    /// Reads the checkpoint of a training, if it has been written.
    pub(super) fn read(path: &Path, recipe: &Recipe, classes: usize) -> Result<Option<Self>> {
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes.with_context(|| format!("cannot read {}", path.display()))?,
        };
        let run = Self::parse(&bytes, recipe, classes);
        run.map(Some).with_context(|| format!("{} is no checkpoint of this training", path.display()))
    }

    pub(super) fn parse(bytes: &[u8], recipe: &Recipe, classes: usize) -> Result<Self> {
        let (stored, saved): (_, Saved) = Stored::parse(bytes)?;
        let Saved { description, steps, optimizer: digest, recipe: of } = saved;
        ensure!(of == *recipe && description.classes == classes, "it is of another recipe");
        let epochs = description.history.len();
        ensure!(description.taken < epochs && epochs <= recipe.epochs as usize, "it is damaged");
        let state = stored.bytes(OPTIMIZER)?;
        Ok(Self {
            network: description.network(NOW, &stored, &Device::flex().autodiff())?,
            optimizer: with_state(recipe.optimizer.build(), state, &digest)?,
            steps,
            trained: Trained { network: description.network(KEPT, &stored, &Device::flex())?, description },
        })
    }
}
