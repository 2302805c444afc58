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
use crate::tool::Tool;

const CARGO_DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };

/// Where `deny.toml` looks for databases: a folder.
const PLACE: &str = "TEXTVEIL_ADVISORIES";

/// The database in such a folder: the end of its address, and cargo-deny's digest of all of it.
const DATABASE: &str = "advisory-db-3157b0e258782691";

/// From what age on a database says little of what is used now.
const OLD: &str = "--since=90 days ago";

/// Security advisories.
struct Advisories {
    /// The folder that holds [`DATABASE`].
    place: PathBuf,
    /// The day of the last change.
    day: String,
}

/// Checks licences, sources and bans; and advisories, if there is a database.
///
/// # Errors
/// A crate is not what it may be; [`Missing`] without cargo-deny.
pub(crate) fn check(project: &Project) -> Result<String> {
    project.run(deny(project, None)?.args(["check", "--hide-inclusion-graph", "licenses", "bans", "sources"]))?;
    let advisories = match newest(project)? {
        Some(advisories) => {
            advisories.check(project)?;
            let age = if advisories.is_old(project)? { ", which is OLD" } else { "" };
            format!("advisories of {}{age}", advisories.day)
        }
        None => format!("advisories NOT CHECKED: no database can be reached, and {PLACE} names none"),
    };
    let lock = fs::read_to_string(project.root().join("Cargo.lock")).context("Cargo.lock")?;
    let crates = lock.matches("[[package]]").count();
    Ok(format!("licences, sources and bans of {crates} crates; {advisories}"))
}

/// Checks against advisories of the last months.
///
/// # Errors
/// An advisory concerns a crate; [`Missing`] if no database of the last months can be reached.
pub(crate) fn check_advisories(project: &Project) -> Result<String> {
    let missing = || Missing(format!("no database of advisories can be reached, and {PLACE} names none"));
    let advisories = newest(project)?.ok_or_else(missing)?;
    ensure!(
        !advisories.is_old(project)?,
        Missing(format!("the newest advisories that can be reached are of {}", advisories.day))
    );
    advisories.check(project)?;
    Ok(format!("advisories of {}", advisories.day))
}

fn deny(project: &Project, advisories: Option<&Path>) -> Result<Command> {
    let mut command = CARGO_DENY.of(project, project.cargo(&["deny"]))?;
    command.arg("--locked");
    if let Some(place) = advisories {
        command.env(PLACE, place);
    }
    Ok(command)
}

/// The newest database at hand, fetched if it can be. One that [`PLACE`] names is taken as it is.
fn newest(project: &Project) -> Result<Option<Advisories>> {
    if let Some(place) = std::env::var_os(PLACE).filter(|place| !place.is_empty()) {
        return Advisories::dated(project, place.into()).map(Some);
    }
    let fetched = cache::directory()?.join("advisories");
    fs::create_dir_all(&fetched).with_context(|| fetched.display().to_string())?;
    // Where it cannot be reached, this says so in the transcript, and one that was fetched earlier serves.
    let _ = project.run(deny(project, Some(&fetched))?.args(["fetch", "db"]).env("GIT_TERMINAL_PROMPT", "0"));
    let is_there = fetched.join(DATABASE).is_dir();
    is_there.then(|| Advisories::dated(project, fetched)).transpose()
}

impl Advisories {
    fn dated(project: &Project, place: PathBuf) -> Result<Self> {
        let mut advisories = Self { place, day: String::new() };
        advisories.day = project.read(advisories.git(project).args(["log", "-1", "--format=%cs"]))?.trim().to_owned();
        Ok(advisories)
    }

    /// Whether a crate is concerned, or was withdrawn from the registry.
    fn check(&self, project: &Project) -> Result<()> {
        let mut check = deny(project, Some(&self.place))?;
        project.run(check.args(["--offline", "check", "--hide-inclusion-graph", "advisories"]))
    }

    fn is_old(&self, project: &Project) -> Result<bool> {
        Ok(project.read(self.git(project).args(["log", "-1", OLD, "--format=%cs"]))?.trim().is_empty())
    }

    fn git(&self, project: &Project) -> Command {
        let mut git = project.command("git");
        git.arg("-C").arg(self.place.join(DATABASE));
        git
    }
}
