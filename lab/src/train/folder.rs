//! The folder of a model: `model.safetensors` and `card.json`; until both are there, the training's checkpoint, and the
//! settings that a training which goes on with it must share.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::bulk::replace;

pub(super) const MODEL: &str = "model.safetensors";
pub(super) const CARD: &str = "card.json";
const SETTINGS: &str = "settings.json";
const CHECKPOINT: &str = "checkpoint.safetensors";

/// A model in the making.
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Begins a model there, or goes on with one of the same settings.
    ///
    /// # Errors
    /// Something else is there.
    pub(super) fn open(path: &Path, settings: &Value, resume: bool) -> Result<Self> {
        let name = path.display();
        ensure!(!path.join(CARD).exists(), "{name} holds a model already: choose another --out");
        let folder = Self(path.to_owned());
        match fs::read(path.join(SETTINGS)) {
            Ok(_) if !resume => {
                bail!("an earlier training got as far as {name}: --resume goes on with it, or choose another --out")
            }
            Ok(earlier) => {
                let earlier: Option<Value> = serde_json::from_slice(&earlier).ok();
                ensure!(
                    earlier.as_ref() == Some(settings),
                    "{name}: the earlier training had other data or settings: remove the folder or choose another --out"
                );
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(path).with_context(|| format!("cannot create {name}"))?;
                let is_empty = fs::read_dir(path).with_context(|| format!("cannot list {name}"))?.next().is_none();
                ensure!(is_empty, "{name} holds other things: choose another --out");
                replace(&path.join(SETTINGS), format!("{settings:#}\n").as_bytes())?;
            }
            Err(error) => return Err(error).with_context(|| format!("cannot read {name}")),
        }
        Ok(folder)
    }

    pub(super) fn checkpoint(&self) -> PathBuf {
        self.0.join(CHECKPOINT)
    }

    pub(super) fn model(&self) -> PathBuf {
        self.0.join(MODEL)
    }

    /// Writes the card, which makes the model one.
    ///
    /// # Errors
    /// What cannot be written.
    pub(super) fn finish(&self, card: &[u8]) -> Result<()> {
        replace(&self.0.join(CARD), card)?;
        for rest in [CHECKPOINT, SETTINGS] {
            let path = self.0.join(rest);
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Ok(())
    }
}
