//! `textveil-mobile` for this machine: its library, the bindings that are generated from it, and the Python
//! package. [`kotlin`] and [`swift`] make theirs of the same.
//!
//! As with the npm package there are two flavours: the release, and the one for golden vectors, which takes
//! seeds.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::package::{Flavour, notices};
use crate::project::{Missing, Project, copy, copy_tree, files, recreate};
use crate::report::passed;
use crate::toolchain::{host_flags, refuse_paths};
use crate::{kotlin, python, swift};

/// The profile of what is shipped.
const PROFILE: &str = "mobile";
/// What the method that takes a seed is exported under, and in what is generated stands as a text.
pub(crate) const SEEDED: &str = "privatize_seeded";
/// The same for one that every library has.
pub(crate) const UNSEEDED: &str = "textveil_privatize";

/// `cargo xtask mobile`
pub(crate) fn command(project: &Project, args: lexopt::Parser) -> Result<()> {
    crate::no_more(args)?;
    for package in [swift::package, kotlin::package, wheel] {
        match package(project) {
            // Who wants one package need not have the tools of all.
            Err(missing) if missing.is::<Missing>() => eprintln!("left out: {missing}"),
            made => println!("{}", made?.display()),
        }
    }
    Ok(())
}

/// The library for this machine.
pub(crate) fn library(project: &Project, flavour: Flavour) -> Result<PathBuf> {
    let profile = format!("--profile={PROFILE}");
    let mut build = project.cargo(&["build", "--package=textveil-mobile", &profile]);
    if flavour == Flavour::InsecureSeeded {
        build.args(["--features", Flavour::FEATURE]);
    }
    project.run(build.env("CARGO_ENCODED_RUSTFLAGS", host_flags(project)))?;
    let name = format!("{DLL_PREFIX}textveil_mobile{DLL_SUFFIX}");
    // Both flavours are built under one name.
    let kept = project.target().join("host").join(format!("{flavour:?}")).join(&name);
    recreate(kept.parent().context("a directory of its own")?)?;
    copy(&project.target().join(PROFILE).join(&name), &kept)?;
    let bytes = fs::read(&kept)?;
    let seeded = holds(&bytes, SEEDED);
    ensure!(seeded == (flavour == Flavour::InsecureSeeded), "{}: takes seeds: {seeded}", kept.display());
    refuse_paths(project, std::slice::from_ref(&kept))?;
    Ok(kept)
}

/// Whether a file has this text in it.
pub(crate) fn holds(file: &[u8], text: &str) -> bool {
    file.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Writes the bindings of a library.
pub(crate) fn bindings(project: &Project, language: &str, library: &Path, into: &Path) -> Result<()> {
    recreate(into)?;
    let mut generate = project.cargo(&["run", "--quiet", "--bin=uniffi-bindgen", "--", "generate", "--no-format"]);
    generate.args(["--language", language, "--out-dir"]).arg(into).arg(library);
    // As maturin runs it: one build of the generator does.
    project.run(generate.env("CARGO_ENCODED_RUSTFLAGS", host_flags(project)))
}

/// A directory from which Python imports the package: what the wheel holds, with the library of a flavour.
pub(crate) fn python_package(project: &Project, flavour: Flavour) -> Result<PathBuf> {
    let directory = project.target().join("python").join(format!("{flavour:?}"));
    recreate(&directory)?;
    copy_tree(&project.root().join("mobile/python/src"), &directory)?;
    let (library, native) = (library(project, flavour)?, directory.join("textveil/_native"));
    bindings(project, "python", &library, &native)?;
    copy(&library, &native.join(library.file_name().unwrap_or_default()))?;
    // As maturin writes it.
    fs::write(native.join("__init__.py"), "from .textveil_mobile import *  # NOQA\n")?;
    Ok(directory)
}

/// The wheel for this machine, by maturin.
pub(crate) fn wheel(project: &Project) -> Result<PathBuf> {
    let (mobile, source) = (project.root().join("mobile"), project.target().join("python/source"));
    let maturin = python::with_requirements(project, &mobile.join("python/requirements/build.txt"))?;
    recreate(&source)?;
    copy_tree(&mobile.join("python"), &source)?;
    // maturin takes up the licences that lie beside the package.
    for notice in notices(project.root())? {
        copy(&notice, &source.join(notice.file_name().unwrap_or_default()))?;
    }
    let configuration = source.join("pyproject.toml");
    let manifest = format!("manifest-path = {:?}", mobile.join("Cargo.toml"));
    let moved = fs::read_to_string(&configuration)?.replace("manifest-path = \"../Cargo.toml\"", &manifest);
    fs::write(&configuration, moved)?;
    let wheels = project.target().join("wheels");
    recreate(&wheels)?;
    let mut build = project.command(maturin);
    build.args(["-m", "maturin", "build", "--quiet", "--out"]).arg(&wheels);
    project.run(build.env("CARGO_ENCODED_RUSTFLAGS", host_flags(project)).current_dir(&source))?;
    let wheel = fs::read_dir(&wheels)?.next().context("maturin wrote no wheel")??;
    Ok(wheel.path())
}

/// The Python package's types and tests; then its wheel, installed where nothing else is, runs the README's
/// first lines.
pub(crate) fn check_python(project: &Project) -> Result<String> {
    let source = project.root().join("mobile/python");
    project.need("java", &["openjdk-17-jre-headless"])?; // for PySpark
    let python = python::with_requirements(project, &source.join("requirements/test.txt"))?;
    let package = python_package(project, Flavour::InsecureSeeded)?;
    let configuration = source.join("pyproject.toml");
    let mut types = project.command(&python);
    types
        .args(["-m", "mypy", "--cache-dir"])
        .arg(project.target().join("mypy"))
        .arg("--config-file")
        .arg(&configuration);
    project.run(types.current_dir(&package))?;
    let reports = project.target().join("reports/python");
    recreate(&reports)?;
    let mut tests = project.command(&python);
    tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).env("PYTHONPATH", &package);
    tests.arg(format!("--junitxml={}", reports.join("junit.xml").display()));
    project.run(tests.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(&source))?;
    let wheel = installed(project, &python, &wheel(project)?)?;
    Ok(format!("{} tests; {wheel}", passed(&reports)?))
}

/// Installs the wheel into an empty environment and runs the first example of the README there.
fn installed(project: &Project, python: &Path, wheel: &Path) -> Result<String> {
    let environment = project.target().join("python/clean");
    project.run(project.command(python).args(["-m", "venv", "--clear"]).arg(&environment))?;
    let inside = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let mut install = project.command(&inside);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]).arg(wheel);
    project.run(&mut install)?;
    let readme = fs::read_to_string(project.root().join("mobile/python/README.md"))?;
    let example = readme.split("```python\n").nth(1).and_then(|rest| rest.split("```").next());
    let example = example.context("the README has no example")?;
    project.run(project.command(&inside).args(["-c", example]))?;
    let site = "from importlib.metadata import distribution; print(distribution('textveil').locate_file('textveil'))";
    let site = project.read(project.command(&inside).args(["-c", site]))?;
    // What Python compiles here stays here.
    let is_installed = |file: &PathBuf| file.extension().is_none_or(|kind| kind != "pyc");
    let installed: Vec<PathBuf> = files(Path::new(site.trim()))?.into_iter().filter(is_installed).collect();
    refuse_paths(project, &installed)?;
    let seeds = "from textveil import _native; assert not hasattr(_native.TextVeil, 'seeded')";
    project.run(project.command(&inside).args(["-c", seeds]))?;
    let notices = notices(project.root())?;
    let names = notices.iter().filter_map(|notice| notice.file_name());
    let carried = "import sys; from importlib.metadata import files\n\
                   missing = {*sys.argv[1:]} - {file.name for file in files('textveil')}\n\
                   assert not missing, f'the wheel lacks {missing}'";
    project.run(project.command(&inside).args(["-c", carried]).args(names))?;
    let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(format!("{name}: {} B", fs::metadata(wheel)?.len()))
}
