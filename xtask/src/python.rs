//! Python with the packages that a requirements file names, in an environment outside the checkout.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::cache;
use crate::project::{Missing, Project, find_program, recreate};
use crate::toolchain::apt_install;

/// The Python of an environment with exactly these requirements, created when it is first asked for.
///
/// # Errors
/// [`Missing`] without Python, or where it cannot make environments.
pub(crate) fn with_requirements(project: &Project, requirements: &Path) -> Result<PathBuf> {
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
        if create().is_err() && !(apt_install(project, &["python3-venv"]) && create().is_ok()) {
            return Err(Missing("Python cannot make environments: install python3-venv".into()).into());
        }
        let mut install = project.command(&python_inside);
        install
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
            .arg(requirements);
        project.run(&mut install)?;
        fs::write(complete, "")?;
    }
    Ok(python_inside)
}
