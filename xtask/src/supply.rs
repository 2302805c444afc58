//! Checks of `cargo xtask test`: what the crates are that the project depends on. `deny.toml` says what they may be.
//!
//! Licences, sources and bans need nothing but the crates. Security advisories need RustSec's database. It is fetched where it
//! can be reached, and a copy that was fetched earlier is used where it cannot. `TEXTVEIL_ADVISORIES` names the folder of a
//! clone, for machines without a network. If there is no copy at all, `supply` says that advisories were not checked, and the
//! nightly check `advisories` is missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::cache;
use crate::project::{Missing, Project};
use crate::python::cargo_tools;

/// Where `deny.toml` looks for databases: a folder.
const PLACE: &str = "TEXTVEIL_ADVISORIES";

/// The database in such a folder: the end of its address, and cargo-deny's digest of all of it.
const DATABASE: &str = "advisory-db-3157b0e258782691";

/// From what age on a database says little of what is used now.
const OLD: &str = "--since=90 days ago";

/// Checks licences, sources and bans; and advisories, if there is a database.
pub(crate) fn check(project: &Project) -> Result<String> {
    project.run(deny(project, None)?.args(["check", "--hide-inclusion-graph", "licenses", "bans", "sources"]))?;
    let advisories = match check_newest(project)? {
        Some((day, true)) => format!("advisories of {day}"),
        Some((day, false)) => format!("advisories of {day}, which is OLD"),
        None => format!("advisories NOT CHECKED: no database can be reached, and {PLACE} names none"),
    };
    let lock = fs::read_to_string(project.root().join("Cargo.lock")).context("Cargo.lock")?;
    let crates = lock.matches("[[package]]").count();
    Ok(format!("licences, sources and bans of {crates} crates; {advisories}"))
}

/// Checks against advisories of the last months.
pub(crate) fn check_advisories(project: &Project) -> Result<String> {
    let missing = || Missing(format!("no database of advisories can be reached, and {PLACE} names none"));
    let (day, is_recent) = check_newest(project)?.ok_or_else(missing)?;
    ensure!(is_recent, Missing(format!("the newest advisories that can be reached are of {day}")));
    Ok(format!("advisories of {day}"))
}

fn deny(project: &Project, place: Option<&Path>) -> Result<Command> {
    let mut command = cargo_tools(project, project.cargo(&["deny"]))?;
    command.arg("--locked").envs(place.map(|place| (PLACE, place)));
    Ok(command)
}

/// Checks against the newest database at hand: the one that [`PLACE`] names, or what can be fetched, or what was fetched before.
/// Returns the day of its last change, and whether that is recent.
fn check_newest(project: &Project) -> Result<Option<(String, bool)>> {
    let named = std::env::var_os(PLACE).filter(|place| !place.is_empty()).map(PathBuf::from);
    let place = named.map_or_else(|| Ok(cache::directory()?.join("advisories")), Ok::<_, anyhow::Error>)?;
    if std::env::var_os(PLACE).is_none_or(|place| place.is_empty()) {
        fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
        // Where it cannot be reached, the log says so.
        let _ = project.run(deny(project, Some(&place))?.args(["fetch", "db"]).env("GIT_TERMINAL_PROMPT", "0"));
        if !place.join(DATABASE).is_dir() {
            return Ok(None);
        }
    }
    let log = |arguments: &[&str]| {
        let mut git = project.command("git");
        project.read(git.arg("-C").arg(place.join(DATABASE)).args(["log", "-1", "--format=%cs"]).args(arguments))
    };
    let (day, recent) = (log(&[])?, log(&[OLD])?);
    let check = ["--offline", "check", "--hide-inclusion-graph", "advisories"];
    project.run(deny(project, Some(&place))?.args(check))?;
    Ok(Some((day.trim().to_owned(), !recent.trim().is_empty())))
}
