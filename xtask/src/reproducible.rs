//! The WebAssembly modules come out the same, byte for byte, wherever they are built: from a copy of the sources in a
//! directory of another length, with another target directory and another home of cargo.
//!
//! Whoever builds a release again can so compare its digests with those that `cargo xtask dist` prints.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::cache;
use crate::package::{self, ENTRIES, Entry, Flavour};
#[cfg(not(unix))]
use crate::project::Missing;
use crate::project::{Project, copy, recreate};

/// Builds the small entry's modules again, elsewhere.
///
/// # Errors
/// A module differs; `Missing` without git, or where this machine has no symbolic links.
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
    let compared = built_elsewhere(project, &outside, entries, &package);
    // What is left there would be found by nobody.
    let removed = fs::remove_dir_all(&outside);
    let digests = compared?;
    removed?;
    Ok(digests.join(", "))
}

/// The digests of modules that are the same in `package` and built in `outside`.
fn built_elsewhere(project: &Project, outside: &Path, entries: &[Entry], package: &Path) -> Result<Vec<String>> {
    let [root, target, home] = ["a/copy/of/the/sources", "elsewhere", "cargo"].map(|name| outside.join(name));
    for name in project.sources()? {
        let (from, to) = (project.root().join(&name), root.join(&name));
        // A file that is deleted and not yet committed so.
        if from.is_file() {
            fs::create_dir_all(to.parent().context("a file lies in a directory")?)?;
            copy(&from, &to)?;
        }
    }
    recreate(&home)?;
    let downloads = project.cargo_home().context("cargo has no home")?.join("registry");
    link(&downloads, &home.join("registry"))?;
    let mut copied = Project::elsewhere(root, target, home);
    copied.capture("elsewhere");
    let again = outside.join("package");
    let built = entries.iter().try_for_each(|entry| package::modules(&copied, Flavour::Release, *entry, &again));
    project.say(&copied.take_transcript());
    built?;
    let modules = entries.iter().flat_map(|entry| entry.modules(package).into_iter().zip(entry.modules(&again)));
    modules.map(|(here, there)| same(package, &here, &there)).collect()
}

/// A module's name and digest.
fn same(package: &Path, here: &Path, there: &Path) -> Result<String> {
    let [first, second] = [here, there].map(|file| fs::read(file).map(|bytes| cache::sha256(&bytes)));
    let (name, first, second) = (here.strip_prefix(package)?.display(), first?, second?);
    ensure!(first == second, "{name} is {first} here and {second} elsewhere");
    Ok(format!("{name} {first}"))
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> Result<()> {
    Ok(std::os::unix::fs::symlink(from, to)?)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> Result<()> {
    Err(Missing("symbolic links need Unix".into()).into())
}
