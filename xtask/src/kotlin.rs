//! The Kotlin package on a plain JVM: bindings, layer and tests, built by Maven.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::mobile;
use crate::package::Flavour;
use crate::project::{Missing, Project, copy, find_program, recreate};
use crate::toolchain::apt_install;

/// Runs the package's tests: golden vectors, threads, bad input, against the flavour that takes a seed.
///
/// # Errors
/// A test fails; [`Missing`] without Maven, or a Java that it finds.
pub(crate) fn test(project: &Project) -> Result<String> {
    let maven = maven(project)?;
    let library = mobile::library(project, Flavour::InsecureSeeded)?;
    let build = project.target().join("kotlin");
    let [bindings, natives] = ["bindings", "natives"].map(|name| build.join(name));
    mobile::bindings(project, "kotlin", &library, &bindings)?;
    // Where JNA looks in a jar.
    let platform = natives.join(platform());
    recreate(&platform)?;
    copy(&library, &platform.join(library.file_name().context("a library without a name")?))?;
    let mut test = project.command(maven);
    test.args(["--batch-mode", "--no-transfer-progress", "--file"]).arg(project.root().join("mobile/kotlin/pom.xml"));
    for (name, directory) in [
        ("textveil.build", &build),
        ("textveil.bindings", &bindings),
        ("textveil.natives", &natives),
        ("textveil.tests", &project.root().join("tests")),
    ] {
        test.arg(format!("-D{name}={}", directory.display()));
    }
    project.run(test.arg("test"))?;
    // Maven's summary of all classes comes last.
    let totals = project.lines_with("Tests run: ");
    let total = totals.last().and_then(|line| line.split("Tests run: ").nth(1)?.split(',').next());
    Ok(format!("{} tests; {}", total.unwrap_or_default(), project.lines_with(" calls a second").join("; ")))
}

/// Maven, installed now if it is not there and Debian has it.
fn maven(project: &Project) -> Result<PathBuf> {
    let installed = || {
        let maven = find_program(&["mvn", "mvn.cmd"])?;
        project.read(project.command(&maven).arg("--version")).is_ok().then_some(maven)
    };
    if let Some(maven) = installed() {
        return Ok(maven);
    }
    apt_install(project, &["maven", "default-jdk-headless"]);
    installed().ok_or_else(|| Missing("Maven with a Java development kit is not installed".into()).into())
}

/// JNA's name of this machine.
fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "x86-64",
        other => other,
    };
    format!("{system}-{architecture}")
}
