//! Checks of `cargo xtask test`: what the crates are that the project depends on. `deny.toml` says what they may be.
//!
//! `supply` is about licences, sources and bans, which need nothing but the crates. The nightly check `advisories` needs
//! RustSec's database. It is fetched where it can be reached, and a copy that was fetched earlier is used where it
//! cannot. `TEXTVEIL_ADVISORIES` names the folder of a clone, for machines without a network.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use xshell::{Cmd, cmd};

use crate::cache;
use crate::project::{Missing, Project};
use crate::python::cargo_tools;

/// Where `deny.toml` looks for databases: a folder.
const PLACE: &str = "TEXTVEIL_ADVISORIES";

/// The database in such a folder: the end of its address, and cargo-deny's digest of all of it.
const DATABASE: &str = "advisory-db-3157b0e258782691";

/// From what age on a database says little of what is used now.
const OLD: &str = "--since=90 days ago";

/// Checks licences, sources and bans.
pub(crate) fn check(project: &Project) -> Result<String> {
    project.run(deny(project, None)?.args(["check", "--hide-inclusion-graph", "licenses", "bans", "sources"]))?;
    let crates = project.sh.read_file("Cargo.lock")?.matches("[[package]]").count();
    Ok(format!("licences, sources and bans of {crates} crates"))
}

fn deny<'a>(project: &'a Project, place: Option<&Path>) -> Result<Cmd<'a>> {
    let Project { sh, cargo, .. } = project;
    Ok(cargo_tools(project, cmd!(sh, "{cargo} deny --locked"))?.envs(place.map(|place| (PLACE, place))))
}

/// Checks against the newest database at hand: the one that [`PLACE`] names, or what can be fetched, or what was
/// fetched before. Its last change must be recent.
pub(crate) fn check_advisories(project: &Project) -> Result<String> {
    let sh = &project.sh;
    let named = sh.var_os(PLACE).filter(|place| !place.is_empty()).map(PathBuf::from);
    let place = named.clone().map_or_else(|| Ok::<_, anyhow::Error>(cache::directory()?.join("advisories")), Ok)?;
    let database = place.join(DATABASE);
    if named.is_none() {
        sh.create_dir(&place)?;
        // Where it cannot be reached, the log says so.
        let _ = project.run(deny(project, Some(&place))?.args(["fetch", "db"]).env("GIT_TERMINAL_PROMPT", "0"));
        let missing = || Missing(format!("no database of advisories can be reached, and {PLACE} names none"));
        ensure!(database.is_dir(), missing());
    }
    let log = |since| project.read(cmd!(sh, "git -C {database} log -1 --format=%cs").args(since));
    let (day, recent) = (log(None)?, log(Some(OLD))?);
    project.run(deny(project, Some(&place))?.args(["--offline", "check", "--hide-inclusion-graph", "advisories"]))?;
    let day = day.trim();
    ensure!(!recent.trim().is_empty(), Missing(format!("the newest advisories that can be reached are of {day}")));
    Ok(format!("advisories of {day}"))
}
