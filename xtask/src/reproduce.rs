//! `cargo xtask reproduce PAPER [TABLE] --data DIR […]`, and a nightly check: the papers' tables, computed anew.

use std::ffi::OsString;

use anyhow::Result;

use crate::project::Project;
use crate::table_inputs;

/// `cargo xtask reproduce`, whose arguments are those of `textveil reproduce`.
pub(crate) fn command(project: &Project, mut args: lexopt::Parser) -> Result<()> {
    let arguments: Vec<OsString> = args.raw_args()?.collect();
    // Where the command was given, not in the root of the checkout: it names files.
    let here = std::env::current_dir()?;
    let program = project.optimized()?;
    let encoder = table_inputs::encoder(project)?;
    let mut reproduce = project.command(program);
    project.run(reproduce.current_dir(here).arg("reproduce").args(arguments).arg("--encoder").arg(encoder))
}

/// A small version of everything, without the encoder.
///
/// # Errors
/// A table cannot be computed; [`Missing`](crate::project::Missing) without data.
pub(crate) fn check(project: &Project) -> Result<String> {
    let page = project.target().join("reproduced.html");
    let mut reproduce = project.command(project.optimized()?);
    reproduce.args(["reproduce", "all", "--quick", "--data"]).arg(project.data()?).arg("--html").arg(&page);
    project.run(&mut reproduce)?;
    let said = |word: &str| project.lines_with(word).len();
    Ok(format!("{} claims borne out, {} not; {}", said("yes  "), said("NO   "), page.display()))
}
