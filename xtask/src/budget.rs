//! `cargo xtask budget [--write]`, and a check of `cargo xtask test`: what a word costs in instructions, by
//! `tests/benches/budget.rs` and callgrind.

use anyhow::{Context, Result};
use serde_json::Value as Json;

use crate::project::{Missing, Project};

/// Counts, and compares with the limits or makes them the limits.
pub(crate) fn check(project: &Project, write: bool) -> Result<String> {
    Ok(count(project, write)?["note"].as_str().context("the budget is not judged")?.to_owned())
}

/// The count of each case under `instructions`, and a `note`.
pub(crate) fn count(project: &Project, write: bool) -> Result<Json> {
    project.need("valgrind", &["valgrind"])?;
    let program = project.benchmark("textveil-tests", "budget")?;
    let run = project.sh.cmd(program).args(write.then_some("--write"));
    let counted = project.json(run)?.pop().context("nothing was counted")?;
    counted["missing"].as_str().map_or(Ok(()), |why| Err(Missing(why.to_owned())))?;
    Ok(counted)
}
