//! `textveil-mobile` for this machine: its library, the bindings that are generated from it, and the Python
//! package. [`kotlin`] and [`swift`] make theirs of the same.
//!
//! As with the npm package there are two flavours: the release, and the one for golden vectors, which takes
//! seeds.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::package::{Flavour, add_notices, check_flavour};
use crate::project::{Missing, Project, copy_tree, files, recreate};
use crate::report::passed;
use crate::toolchain::{refuse_paths, with_flags};
use crate::{kotlin, python, swift};

/// What the method that takes a seed is exported under, and in what is generated stands as a text.
pub(crate) const SEEDED: &str = "privatize_seeded";

/// `cargo xtask mobile`
pub(crate) fn command(project: &Project) -> Result<()> {
    for package in [swift::package, kotlin::package, |project: &Project| Ok(wheel(project)?.0)] {
        match package(project) {
            // A person who wants one package need not have the tools of all.
            Err(missing) if missing.is::<Missing>() => eprintln!("left out: {missing}"),
            made => println!("{}", made?.display()),
        }
    }
    Ok(())
}

/// What this machine calls the library.
pub(crate) fn library_name() -> String {
    format!("{DLL_PREFIX}textveil_mobile{DLL_SUFFIX}")
}

/// The library for this machine, with more features.
pub(crate) fn library(project: &Project, flavour: Flavour, more: &str) -> Result<PathBuf> {
    let (Project { sh, cargo, target, .. }, features) = (project, [flavour.features(), more].join(" "));
    let build = cmd!(sh, "{cargo} build --package=textveil-mobile --profile=mobile --features {features}");
    project.run(with_flags(project, build, &[]))?;
    // Both flavours are built under one name.
    let folder = target.join("host").join(format!("{flavour:?}"));
    recreate(&folder)?;
    let kept = folder.join(library_name());
    sh.copy_file(target.join("mobile").join(library_name()), &kept)?;
    check_flavour(std::slice::from_ref(&kept), flavour, SEEDED)?;
    refuse_paths(project, std::slice::from_ref(&kept))?;
    Ok(kept)
}

/// Writes the bindings of a library.
pub(crate) fn bindings(project: &Project, language: &str, library: &Path, into: &Path) -> Result<()> {
    let Project { sh, cargo, .. } = project;
    recreate(into)?;
    let generate = cmd!(
        sh,
        "{cargo} run --quiet --bin=uniffi-bindgen -- generate --no-format --language {language} --out-dir {into}
         {library}"
    );
    // As maturin runs it: one build of the generator does.
    project.run(with_flags(project, generate, &[]))
}

/// A directory from which Python imports the package: what the wheel holds, with the library of a flavour.
pub(crate) fn python_package(project: &Project, flavour: Flavour) -> Result<PathBuf> {
    let sh = &project.sh;
    let directory = project.target.join("python").join(format!("{flavour:?}"));
    recreate(&directory)?;
    copy_tree(&project.root.join("mobile/python/src"), &directory)?;
    let (library, native) = (library(project, flavour, "estimate")?, directory.join("textveil/_native"));
    bindings(project, "python", &library, &native)?;
    sh.copy_file(library, &native)?;
    // As maturin writes it.
    sh.write_file(native.join("__init__.py"), "from .textveil_mobile import *  # NOQA\n")?;
    Ok(directory)
}

/// The wheel for this machine, by maturin, and the notices that it carries.
fn wheel(project: &Project) -> Result<(PathBuf, Vec<String>)> {
    let [source, wheels] = ["python/source", "wheels"].map(|name| project.target.join(name));
    let sh = &project.at(&source);
    let maturin = python::with_requirements(project, "mobile/python/requirements/build.txt")?;
    recreate(&source)?;
    copy_tree(&project.root.join("mobile/python"), &source)?;
    // maturin takes the licences that lie next to the package.
    let notices = add_notices(project, &source)?;
    let manifest = format!("manifest-path = {:?}", project.root.join("mobile/Cargo.toml"));
    let configuration = sh.read_file("pyproject.toml")?.replace("manifest-path = \"../Cargo.toml\"", &manifest);
    sh.write_file("pyproject.toml", configuration)?;
    recreate(&wheels)?;
    project.run(with_flags(project, cmd!(sh, "{maturin} -m maturin build --quiet --out {wheels}"), &[]))?;
    Ok((sh.read_dir(wheels)?.pop().context("maturin wrote no wheel")?, notices))
}

/// The Python package's types and tests; then its wheel, installed where nothing else is, runs the README's
/// first lines.
pub(crate) fn check_python(project: &Project) -> Result<String> {
    let Project { root, target, .. } = project;
    let python = python::with_requirements(project, "mobile/python/requirements/test.txt")?;
    let package = python_package(project, Flavour::InsecureSeeded)?;
    let sh = &project.at(&package);
    project.run(cmd!(
        sh,
        "{python} -m mypy --cache-dir {target}/mypy --config-file {root}/mobile/python/pyproject.toml"
    ))?;
    let reports = target.join("reports/python");
    recreate(&reports)?;
    let sh = &project.at(&root.join("mobile/python"));
    let tests = cmd!(sh, "{python} -m pytest -q -p no:cacheprovider --junitxml={reports}/junit.xml");
    project.run(tests.env("PYTHONPATH", &package).env("PYTHONDONTWRITEBYTECODE", "1"))?;
    let (wheel, notices) = wheel(project)?;
    let environment = target.join("python/clean");
    let installed = project.printed(cmd!(sh, "{python} wheel_check.py {wheel} {environment} {notices...}"))?;
    refuse_paths(project, &files(Path::new(installed.trim_end()))?)?;
    let size = std::fs::metadata(&wheel)?.len();
    Ok(format!("{} tests; {}: {size} B", passed(&reports)?, wheel.file_name().unwrap_or_default().display()))
}
