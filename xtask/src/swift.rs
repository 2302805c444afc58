//! The Swift package: assembled as it is released, and tested against the library of this machine.

mod debian;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::mobile;
use crate::package::Flavour;
use crate::project::{Project, copy, copy_tree, find_program, recreate};
use debian::Tree;

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

/// Runs the package's tests: golden vectors, threads, bad input, against the flavour that takes a seed.
///
/// # Errors
/// A test fails; [`crate::project::Missing`] without a Swift tool-chain.
pub(crate) fn test(project: &Project) -> Result<String> {
    let swift = Swift::find(project)?;
    let library = mobile::library(project, Flavour::InsecureSeeded)?;
    let package = assemble(project, &library, "swift-insecure")?;
    let mut test = swift.command(project)?;
    test.args(["test", "--disable-xctest", "--package-path"]).arg(&package);
    test.arg("--scratch-path").arg(project.target().join("swift-build"));
    for flag in ["-L", "-rpath"] {
        test.args(["-Xlinker", flag, "-Xlinker"]).arg(library.parent().unwrap_or(Path::new("/")));
    }
    project.run(test.env("TEXTVEIL_TESTS", project.root().join("tests")))?;
    let totals = project.lines_with("Test run with ");
    let total = totals.last().and_then(|line| line.split("with ").nth(1)?.split(' ').next());
    Ok(format!("{} tests; {}", total.unwrap_or_default(), project.lines_with(" calls a second").join("; ")))
}

/// The package with the bindings of a library in it, as `target/NAME`.
fn assemble(project: &Project, library: &Path, name: &str) -> Result<PathBuf> {
    let package = project.target().join(name);
    recreate(&package)?;
    copy_tree(&project.root().join("mobile/swift"), &package)?;
    let bindings = project.target().join("swift-bindings");
    mobile::bindings(project, "swift", library, &bindings)?;
    for (file, place) in [("Textveil.swift", "Textveil"), ("TextveilFFI.h", "TextveilFFI")] {
        copy(&bindings.join(file), &package.join("Sources").join(place).join(file))?;
    }
    Ok(package)
}
