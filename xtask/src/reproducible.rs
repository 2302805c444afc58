//! The WebAssembly modules come out the same, byte for byte, wherever they are built: from a copy of the sources in a
//! directory of another length, with another target directory and another home of cargo.
//!
//! So whoever builds a release again can compare its digests with those that `cargo xtask dist` prints.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::cache;
use crate::package::{self, ENTRIES, Entry, Flavour};
use crate::project::{Missing, Project, copy, find_program, recreate};

/// Builds the small entry's modules again, elsewhere.
///
/// # Errors
/// A module differs; [`Missing`] without git, or where this machine has no symbolic links.
pub(crate) fn check(project: &Project) -> Result<String> {
    compare(project, &ENTRIES[..1])
}

/// Builds all modules again, elsewhere.
///
/// # Errors
/// As [`check`].
pub(crate) fn check_all(project: &Project) -> Result<String> {
    compare(project, &ENTRIES)
}

fn compare(project: &Project, entries: &[Entry]) -> Result<String> {
    let package = package::build(project, Flavour::Release)?;
    let outside = std::env::temp_dir().join(format!("textveil-built-elsewhere-{}", std::process::id()));
    recreate(&outside)?;
    let again = outside.join("package");
    let modules = entries.iter().flat_map(|entry| entry.modules(&package).into_iter().zip(entry.modules(&again)));
    let compared = build_elsewhere(project, &outside, entries, &again)
        .and_then(|()| modules.map(|(here, there)| same(&package, &here, &there)).collect::<Result<Vec<_>>>());
    // Nobody would find what is left there.
    fs::remove_dir_all(&outside)?;
    Ok(compared?.join(", "))
}

/// Builds modules from a copy of the sources.
fn build_elsewhere(project: &Project, outside: &Path, entries: &[Entry], into: &Path) -> Result<()> {
    let [root, target, home] = ["a/copy/of/the/sources", "elsewhere", "cargo"].map(|name| outside.join(name));
    for name in project.sources()? {
        let (from, to) = (project.root().join(&name), root.join(&name));
        // Git also lists a file that has been deleted, until the deletion is committed.
        if from.is_file() {
            fs::create_dir_all(to.parent().context("a file lies in a directory")?)?;
            copy(&from, &to)?;
        }
    }
    let link = find_program(&["ln"]).ok_or_else(|| Missing("there is no ln to make a symbolic link with".into()))?;
    recreate(&home)?;
    let downloads = project.cargo_home().context("cargo has no home")?.join("registry");
    project.run(project.command(link).arg("-s").arg(downloads).arg(home.join("registry")))?;
    let copied = project.elsewhere(root, target, home)?;
    entries.iter().try_for_each(|entry| package::modules(&copied, Flavour::Release, *entry, into))
}

/// A module's name and digest, which is the same here and there.
fn same(package: &Path, here: &Path, there: &Path) -> Result<String> {
    let [first, second] = [here, there].map(|file| fs::read(file).map(|bytes| cache::sha256(&bytes)));
    let (name, first, second) = (here.strip_prefix(package)?.display(), first?, second?);
    ensure!(first == second, "{name} is {first} here and {second} elsewhere");
    Ok(format!("{name} {first}"))
}
