//! Cargo's tools: installed from crates.io in a fixed version, once for all checkouts.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::cache;
use crate::project::{Missing, Project};

/// A tool that `cargo NAME` runs.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
}

impl Tool {
    /// The folder of the tool's program, which is built when it is first asked for.
    ///
    /// # Errors
    /// [`Missing`] where it cannot be had.
    fn directory(&self, project: &Project) -> Result<PathBuf> {
        let Self { name, version } = self;
        let root = cache::directory()?.join(format!("{name}-{version}"));
        let directory = root.join("bin");
        if !directory.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)).is_file() {
            // Without optimization: the tool runs for seconds, and its build would take minutes more.
            let mut install = project.cargo(&["install", name, "--version", version, "--locked", "--debug", "--root"]);
            install.arg(&root).arg("--target-dir").arg(project.target().join("tools"));
            project.run(&mut install).map_err(|error| Missing(format!("{name} cannot be had: {error:#}")))?;
        }
        Ok(directory)
    }

    /// Lets `cargo` find the tool.
    ///
    /// # Errors
    /// [`Missing`] where it cannot be had.
    pub(crate) fn of(&self, project: &Project, mut cargo: Command) -> Result<Command> {
        let mut path = OsString::from(self.directory(project)?);
        if let Some(others) = std::env::var_os("PATH") {
            let others = std::env::split_paths(&others);
            path = std::env::join_paths(std::iter::once(PathBuf::from(path)).chain(others)).context("PATH")?;
        }
        cargo.env("PATH", path);
        Ok(cargo)
    }
}
