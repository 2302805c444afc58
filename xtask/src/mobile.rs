//! `textveil-mobile` for this machine: its library, the bindings that are generated from it, and the Python
//! package. [`kotlin`] and [`swift`] make theirs of the same.
//!
//! As with the npm package there are two flavours: the release, and the one for golden vectors, which takes
//! seeds.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum;
use xshell::cmd;

use crate::package::{Flavour, check_flavour};
use crate::project::{Missing, Project, copy_tree, files, recreate};
use crate::report::passed;
use crate::toolchain::{refuse_paths, with_flags};
use crate::{kotlin, python, swift};

/// What the method that takes a seed is exported under, and in what is generated stands as a text.
pub(crate) const SEEDED: &str = "privatize_seeded";

/// A package for an app or a program.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum Package {
    Swift,
    Kotlin,
    Python,
}

/// `cargo xtask mobile`
pub(crate) fn command(project: &Project, only: &[Package]) -> Result<()> {
    for package in Package::value_variants().iter().filter(|package| only.is_empty() || only.contains(package)) {
        println!("The package for {package:?}: usually 3 minutes the first time, later one");
        let made = match package {
            Package::Swift => swift::package(project),
            Package::Kotlin => kotlin::package(project),
            Package::Python => distributions(project).map(|(_, folder)| folder),
        };
        match made {
            // A person who wants all packages need not have all tools.
            Err(missing) if only.is_empty() && missing.is::<Missing>() => eprintln!("left out: {missing}"),
            made => println!("{}", made?.display()),
        }
    }
    Ok(())
}

/// What this machine calls the library.
pub(crate) fn library_name() -> String {
    format!("{DLL_PREFIX}textveil_mobile{DLL_SUFFIX}")
}

/// Where cargo builds for other languages. In the folder where crates are tested, one lane of checks would wait for the other.
pub(crate) fn built(project: &Project) -> PathBuf {
    project.target.join("packages")
}

/// The library for this machine, with more features, built once a run.
pub(crate) fn library(project: &Project, flavour: Flavour, more: &str) -> Result<PathBuf> {
    let (Project { sh, cargo, target, .. }, features) = (project, [flavour.features(), more].join(" "));
    // All are built under one name, and each would undo the others.
    let folder = target.join("host").join(format!("{flavour:?}-{more}"));
    let kept = folder.join(library_name());
    project.once(&kept, || {
        let build = cmd!(sh, "{cargo} build --package=textveil-mobile --profile=mobile --features {features}");
        project.run(with_flags(project, build, &[]).env("CARGO_TARGET_DIR", built(project)))?;
        recreate(&folder)?;
        sh.copy_file(built(project).join("mobile").join(library_name()), &kept)?;
        check_flavour(std::slice::from_ref(&kept), flavour, SEEDED)?;
        refuse_paths(project, std::slice::from_ref(&kept))
    })?;
    Ok(kept)
}

/// Writes the bindings of a library.
pub(crate) fn bindings(project: &Project, language: &str, library: &Path, into: &Path) -> Result<()> {
    let Project { sh, cargo, .. } = project;
    recreate(into)?;
    let generator = built(project).join("debug").join(format!("uniffi-bindgen{}", std::env::consts::EXE_SUFFIX));
    // Next to the library, dependencies have the features that they have where maturin builds it: one build of the generator
    // does.
    let packages = ["--package=textveil-bindgen", "--package=textveil-mobile"];
    let build = cmd!(sh, "{cargo} build --quiet {packages...} --bin=uniffi-bindgen");
    let build = with_flags(project, build, &[]).env("CARGO_TARGET_DIR", built(project));
    project.once(&generator, || project.run(build))?;
    project.run(cmd!(sh, "{generator} generate --no-format --language {language} --out-dir {into} {library}"))
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

/// The source distribution, and the wheel for this machine that is built from it: the Python that has the tools, and
/// their folder.
fn distributions(project: &Project) -> Result<(PathBuf, PathBuf)> {
    let Project { sh, target, .. } = project;
    let python = python::with_requirements(project, "mobile/python/requirements/build.txt")?;
    let wheels = target.join("wheels");
    let build = cmd!(sh, "{python} mobile/python/build.py {wheels} {target}/python/source");
    project.run(with_flags(project, build, &[]).env("CARGO_TARGET_DIR", built(project)))?;
    Ok((python, wheels))
}

/// The Python package's types and tests; then its wheel, installed where nothing else is, runs the README's
/// first lines.
pub(crate) fn check_python(project: &Project) -> Result<String> {
    let Project { root, target, .. } = project;
    let python = python::with_requirements(project, "mobile/python/requirements/test.txt")?;
    let package = python_package(project, Flavour::InsecureSeeded)?;
    let sh = &project.at(&package);
    let options = root.join("mobile/python/pyproject.toml");
    project.run(cmd!(sh, "{python} -m mypy --cache-dir {target}/mypy --config-file {options}"))?;
    let reports = target.join("reports/python");
    recreate(&reports)?;
    let sh = &project.at(&root.join("mobile/python"));
    let tests = cmd!(sh, "{python} -m pytest -q -p no:cacheprovider --junitxml={reports}/junit.xml");
    // With the last variable, no test may skip itself for want of seeds.
    let tests = tests.env("PYTHONPATH", &package).env("PYTHONDONTWRITEBYTECODE", "1").env("TEXTVEIL_SEEDED", "1");
    let tests = passed(project, project.run(tests), &reports)?;
    let (python, wheels) = distributions(project)?;
    let said = project.printed(cmd!(sh, "{python} wheel_check.py {wheels} {target}/python/clean"))?;
    let (made, installed) = said.trim_end().split_once('\n').context("the wheel was not installed")?;
    refuse_paths(project, &files(Path::new(installed))?)?;
    Ok(format!("{tests}; {made}"))
}
