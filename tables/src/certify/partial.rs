//! Levels that are done while others are not, in a file next to the output. An interrupted run resumes from there and
//! ends with the same bytes.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::measure::Certified;

/// The file and what it holds.
pub(super) struct Partial {
    path: PathBuf,
    content: Content,
}

#[derive(Default, Deserialize, Serialize)]
struct Content {
    /// Program, table and options: what was begun otherwise is no beginning of this.
    of: String,
    cutoff: Option<f64>,
    done: Vec<Vec<Certified>>,
}

impl Partial {
    /// What is left of an interrupted run of the same program over the same table with the same options.
    pub(super) fn open(out: &Path, of: &str) -> Self {
        let mut path: OsString = out.into();
        path.push(".partial");
        let path = PathBuf::from(path);
        let of = format!("{} {of}", env!("CARGO_PKG_VERSION"));
        let found = fs::read(&path).ok().and_then(|bytes| rmp_serde::from_slice(&bytes).ok());
        let content = found.filter(|content: &Content| content.of == of);
        Self { path, content: content.unwrap_or(Content { of, ..Content::default() }) }
    }

    /// The cut-off that was chosen.
    pub(super) const fn cutoff(&self) -> Option<f64> {
        self.content.cutoff
    }

    /// The levels that are done, as they were added.
    pub(super) fn done(&self) -> &[Vec<Certified>] {
        &self.content.done
    }

    /// Keeps a cut-off.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn choose(&mut self, cutoff: f64) -> Result<()> {
        self.content.cutoff = Some(cutoff);
        self.write()
    }

    /// Keeps more levels.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn add(&mut self, levels: Vec<Certified>) -> Result<()> {
        self.content.done.push(levels);
        self.write()
    }

    /// Removes the file.
    ///
    /// # Errors
    /// It cannot be removed.
    pub(super) fn remove(self) -> Result<()> {
        let is_there = self.path.exists();
        let removed = if is_there { fs::remove_file(&self.path) } else { Ok(()) };
        removed.with_context(|| format!("cannot remove {}", self.path.display()))
    }

    fn write(&self) -> Result<()> {
        let mut new = self.path.clone().into_os_string();
        new.push(".new");
        let written =
            fs::write(&new, rmp_serde::to_vec_named(&self.content)?).and_then(|()| fs::rename(&new, &self.path));
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}
