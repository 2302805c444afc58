//! Levels that are done while others are not, in a file next to the output. An interrupted run resumes from there and
//! ends with the same bytes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use textveil_toolkit::files::replace;

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
    ///
    /// # Errors
    /// The file cannot be read, or holds something else.
    pub(super) fn open(out: &Path, of: &str) -> Result<Self> {
        let mut path: OsString = out.into();
        path.push(".partial");
        let path = PathBuf::from(path);
        let of = format!("{} {of}", env!("CARGO_PKG_VERSION"));
        let shown = path.display();
        let found: Option<Content> = match fs::read(&path) {
            Ok(bytes) => Some(rmp_serde::from_slice(&bytes).with_context(|| {
                format!("{shown} is damaged or is not of this program: remove it to certify from the beginning")
            })?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
        };
        let content = found.filter(|content| content.of == of);
        Ok(Self { path, content: content.unwrap_or(Content { of, ..Content::default() }) })
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
        replace(&self.path, &rmp_serde::to_vec_named(&self.content)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_an_error_and_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a place for temporary files");
        let [out, file] = ["table.tvt", "table.tvt.partial"].map(|name| folder.path().join(name));
        let mut partial = Partial::open(&out, "a table").expect("nothing is there yet");
        partial.choose(1.5).expect("written");
        let cutoff = |of| Partial::open(&out, of).map(|partial| partial.cutoff()).map_err(|error| format!("{error:#}"));
        assert_eq!((cutoff("a table"), cutoff("another table")), (Ok(Some(1.5)), Ok(None)));
        let whole = fs::read(&file).expect("a file");
        fs::write(&file, &whole[..whole.len() / 2]).expect("written");
        let message = cutoff("a table").expect_err("damaged");
        assert!(message.contains("table.tvt.partial is damaged") && message.contains("remove it"), "{message}");
        assert_eq!(fs::read(&file).expect("a file"), whole[..whole.len() / 2]);
        fs::remove_file(&file).and_then(|()| fs::create_dir(&file)).expect("a folder");
        let message = cutoff("a table").expect_err("a folder");
        assert!(message.contains("cannot read") && message.contains("table.tvt.partial"), "{message}");
    }
}
