//! `cargo xtask budget [--write]`, and a check of `cargo xtask test`: what a word costs in instructions, by
//! `tests/benches/budget.rs` and callgrind.

use anyhow::{Context, Result};
use lexopt::prelude::*;
use serde_json::Value as Json;

use crate::project::{Missing, Project};

/// `cargo xtask budget [--write]`
pub(crate) fn command(project: &Project, mut args: lexopt::Parser) -> Result<()> {
    let mut write = None;
    while let Some(argument) = args.next()? {
        match argument {
            Long("write") => write = Some("--write"),
            other => return Err(other.unexpected().into()),
        }
    }
    println!("{}", count(project, write)?["note"].as_str().unwrap_or_default());
    Ok(())
}

/// Counts, and compares with the limits.
///
/// # Errors
/// As [`count`].
pub(crate) fn check(project: &Project) -> Result<String> {
    Ok(count(project, None)?["note"].as_str().context("the budget is not judged")?.to_owned())
}

/// The count of each case under `instructions`, and a `note`.
///
/// # Errors
/// A count is above its limit; [`Missing`] where there is no valgrind, or not the kernel.
pub(crate) fn count(project: &Project, option: Option<&str>) -> Result<Json> {
    project.need("valgrind", &["valgrind"])?;
    let program = project.benchmark("textveil-tests", "budget")?;
    let counted = project.json(project.command(program).args(option))?.pop().context("nothing was counted")?;
    counted["missing"].as_str().map_or(Ok(()), |why| Err(Missing(why.to_owned())))?;
    Ok(counted)
}
