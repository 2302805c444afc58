//! The folder of a model: `model.safetensors` and `card.json`; until both are there, it has the training's checkpoint,
//! and the settings that a resumed training must share.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use textveil_toolkit::files::replace;

pub(super) const MODEL: &str = "model.safetensors";
pub(super) const CARD: &str = "card.json";
const SETTINGS: &str = "settings.json";
const CHECKPOINT: &str = "checkpoint.safetensors";

/// A model in the making.
pub(super) struct Folder {
    path: PathBuf,
    /// Whether nothing was in it before.
    is_new: bool,
}

impl Folder {
    /// Begins a model there, or resumes one of the same settings.
    ///
    /// # Errors
    /// Something else is there.
    pub(super) fn open(path: &Path, settings: &Value, resume: bool) -> Result<Self> {
        let name = path.display();
        ensure!(!path.join(CARD).exists(), "{name} holds a model already: choose another --out");
        ensure!(!path.exists() || path.is_dir(), "{name} is no folder: choose another --out");
        let is_new = match fs::read(path.join(SETTINGS)) {
            Ok(_) if !resume => {
                bail!("an earlier training got as far as {name}: --resume continues it, or choose another --out")
            }
            Ok(earlier) => {
                let earlier: Option<Value> = serde_json::from_slice(&earlier).ok();
                ensure!(
                    earlier.as_ref() == Some(settings),
                    "{name}: the earlier training had other data or settings: remove the folder or choose another --out"
                );
                false
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(path).with_context(|| format!("cannot create --out {name}"))?;
                let is_empty =
                    fs::read_dir(path).with_context(|| format!("cannot list --out {name}"))?.next().is_none();
                ensure!(is_empty, "{name} holds other things: choose another --out");
                replace(&path.join(SETTINGS), format!("{settings:#}\n").as_bytes())?;
                true
            }
            Err(error) => return Err(error).with_context(|| format!("cannot read --out {name}")),
        };
        Ok(Self { path: path.to_owned(), is_new })
    }

    pub(super) fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    pub(super) fn model(&self) -> PathBuf {
        self.path.join(MODEL)
    }

    /// Writes the card, which makes the model one.
    ///
    /// # Errors
    /// What cannot be written.
    pub(super) fn finish(&self, card: &[u8]) -> Result<()> {
        replace(&self.path.join(CARD), card)?;
        self.remove_training()
    }

    /// Removes a training that nobody can resume, unless an earlier one began it.
    ///
    /// # Errors
    /// What cannot be removed.
    pub(super) fn give_up(&self) -> Result<()> {
        if !self.is_new {
            return Ok(());
        }
        self.remove_training()?;
        fs::remove_dir(&self.path).with_context(|| format!("cannot remove {}", self.path.display()))
    }

    fn remove_training(&self) -> Result<()> {
        for rest in [CHECKPOINT, SETTINGS] {
            let path = self.path.join(rest);
            match fs::remove_file(&path) {
                // It may have ended in its first epoch.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                removed => removed.with_context(|| format!("cannot remove {}", path.display()))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_given_up_leaves_nothing_unless_an_earlier_training_began_it() {
        let place = tempfile::tempdir().expect("a place for temporary files");
        let path = place.path().join("model");
        for checkpoint in [None, Some("weights")] {
            let begun = Folder::open(&path, &json!({ "seed": 1 }), false).expect("nothing is there");
            if let Some(checkpoint) = checkpoint {
                fs::write(begun.checkpoint(), checkpoint).expect("a file");
            }
            let resumed = Folder::open(&path, &json!({ "seed": 1 }), true).expect("the same settings");
            resumed.give_up().expect("nothing to do");
            assert!(path.join(SETTINGS).exists());
            begun.give_up().expect("all can be removed");
            assert!(!path.exists());
        }
    }
}
