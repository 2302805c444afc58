//! The WebAssembly modules are the same, byte for byte, wherever they are built. A copy of the sources is built in a
//! directory of another length, with another target directory and another home of cargo.
//!
//! So anyone who builds a release again can compare its digests with those that `cargo xtask dist` prints.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use xshell::cmd;

use crate::cache;
use crate::package::{self, ENTRIES, Flavour};
use crate::project::{Missing, Project, copy_tree, find_program};

/// Builds all modules again, elsewhere.
pub(crate) fn check(project: &Project) -> Result<String> {
    let package = package::build(project, Flavour::Release)?;
    // Removed at the end: nobody would find what is left there.
    let outside = project.sh.create_temp_dir()?;
    let again = outside.path().join("package");
    build_elsewhere(project, outside.path(), &again)?;
    let modules = ENTRIES.iter().flat_map(|entry| entry.modules(&package).into_iter().zip(entry.modules(&again)));
    let compared = modules.map(|(here, there)| {
        let [first, second] = [&here, &there].map(|file| fs::read(file).map(|bytes| cache::sha256(&bytes)));
        let (name, first, second) = (here.strip_prefix(&package)?.display(), first?, second?);
        ensure!(first == second, "{name} is {first} here and {second} elsewhere");
        Ok(format!("{name} {first}"))
    });
    Ok(compared.collect::<Result<Vec<_>>>()?.join(", "))
}

/// Builds modules from a copy of the sources.
fn build_elsewhere(project: &Project, outside: &Path, into: &Path) -> Result<()> {
    let sh = &project.at(outside);
    let [root, target, home] = ["a/copy/of/the/sources", "elsewhere", "cargo"].map(|name| outside.join(name));
    for name in project.sources()? {
        let (from, to) = (project.root.join(&name), root.join(&name));
        // Git also lists a file that has been deleted, until the deletion is committed.
        if from.is_file() {
            copy_tree(&from, &to)?;
        }
    }
    let link = find_program(&["ln"]).ok_or_else(|| Missing("there is no ln to make a symbolic link with".into()))?;
    let downloads = project.cargo_home().context("cargo has no home")?.join("registry");
    sh.create_dir(&home)?;
    project.run(cmd!(sh, "{link} -s {downloads} {home}/registry"))?;
    let copied = project.elsewhere(root, target, &home)?;
    ENTRIES.into_iter().try_for_each(|entry| package::modules(&copied, Flavour::Release, entry, into))
}
