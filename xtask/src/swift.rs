//! The Swift package: assembled as it is released, and tested against the library of this machine.

mod debian;

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::mobile;
use crate::package::{Flavour, notices};
use crate::project::{Project, copy, copy_tree, find_program, recreate};
use debian::Tree;

/// Where the package has the library of this machine.
const LIBRARIES: &str = "Libraries";

/// Swift's package manager.
enum Swift {
    /// On the search path.
    Installed(PathBuf),
    /// In a tree of Debian's packages.
    Debian(Tree),
}

impl Swift {
    fn find(project: &Project) -> Result<Self> {
        match find_program(&["swift"]) {
            Some(program) => Ok(Self::Installed(program)),
            None => Tree::find(project).map(Self::Debian),
        }
    }

    /// A command that reads and writes in the checkout and the target directory.
    fn command(&self, project: &Project) -> Result<Command> {
        match self {
            Self::Installed(program) => Ok(project.command(program)),
            Self::Debian(tree) => tree.command(project, "swift", &[project.root(), project.target()]),
        }
    }
}

/// Runs the package's tests: golden vectors, threads, bad input, against the flavour that takes a seed. Of the
/// release flavour, the layer is compiled: its bindings are others.
///
/// # Errors
/// A test fails; [`crate::project::Missing`] without a Swift tool-chain.
pub(crate) fn test(project: &Project) -> Result<String> {
    let swift = Swift::find(project)?;
    let scratch = project.target().join("swift-build");
    let release = package(project)?;
    let mut compile = swift.command(project)?;
    compile.args(["build", "--target", "Textveil", "--package-path"]).arg(&release);
    project.run(compile.arg("--scratch-path").arg(scratch.join("release")))?;
    let tested = assemble(project, Flavour::InsecureSeeded)?;
    copy_tree(&project.root().join("mobile/swift/Tests"), &tested.join("Tests"))?;
    let mut test = swift.command(project)?;
    test.args(["test", "--disable-xctest", "--package-path"]).arg(&tested);
    test.arg("--scratch-path").arg(scratch.join("insecure"));
    for flag in ["-L", "-rpath"] {
        test.args(["-Xlinker", flag, "-Xlinker"]).arg(tested.join(LIBRARIES));
    }
    project.run(test.env("TEXTVEIL_TESTS", project.root().join("tests")))?;
    let totals = project.lines_with("Test run with ");
    let total = totals.last().and_then(|line| line.split("with ").nth(1)?.split(' ').next());
    Ok(format!("{} tests; {}", total.unwrap_or_default(), project.lines_with(" calls a second").join("; ")))
}

/// The package of a release for this machine, to be used from where it lies.
///
/// # Errors
/// The library does not build, or takes seeds.
pub(crate) fn package(project: &Project) -> Result<PathBuf> {
    let package = assemble(project, Flavour::Release)?;
    for notice in notices(project.root())? {
        copy(&notice, &package.join(notice.file_name().unwrap_or_default()))?;
    }
    Ok(package)
}

/// The package without its tests, with the bindings and the library of a flavour in it.
fn assemble(project: &Project, flavour: Flavour) -> Result<PathBuf> {
    let library = mobile::library(project, flavour)?;
    let (source, package) = (project.root().join("mobile/swift"), flavour.directory(project, "swift"));
    recreate(&package)?;
    for file in ["Package.swift", "README.md"] {
        copy(&source.join(file), &package.join(file))?;
    }
    for directory in ["Sources", "Samples"] {
        copy_tree(&source.join(directory), &package.join(directory))?;
    }
    let bindings = project.target().join("swift-bindings");
    mobile::bindings(project, "swift", &library, &bindings)?;
    for (file, place) in [("Textveil.swift", "Textveil"), ("TextveilFFI.h", "TextveilFFI")] {
        copy(&bindings.join(file), &package.join("Sources").join(place).join(file))?;
    }
    recreate(&package.join(LIBRARIES))?;
    copy(&library, &package.join(LIBRARIES).join(library.file_name().unwrap_or_default()))?;
    Ok(package)
}
