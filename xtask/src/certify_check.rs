//! `cargo xtask certify-check [FILE]`: what a table certifies, computed again by the independent reference.

use std::path::{Path, PathBuf};

use anyhow::Result;
use lexopt::prelude::*;

use crate::project::Project;
use crate::python;

/// `cargo xtask certify-check [FILE]`
pub(crate) fn command(project: &Project, mut args: lexopt::Parser) -> Result<()> {
    let mut table = project.root().join("core/data/english.tvt");
    while let Some(argument) = args.next()? {
        match argument {
            Value(path) => table = PathBuf::from(path),
            other => return Err(other.unexpected().into()),
        }
    }
    run(project, &table)
}

/// Recomputes every level of a table file.
///
/// # Errors
/// A level does not hold what its certificate says, or the table has none.
pub(crate) fn run(project: &Project, table: &Path) -> Result<()> {
    project.run(reference(project, "certify.py")?.arg(table))
}

/// A program of the reference, to be given its arguments.
pub(crate) fn reference(project: &Project, program: &str) -> Result<std::process::Command> {
    let reference = project.root().join("tests/reference");
    let python = python::with_requirements(project, &reference.join("requirements.txt"))?;
    let mut command = project.command(python);
    command.arg(reference.join(program));
    Ok(command)
}
