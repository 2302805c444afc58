//! The Kotlin package on a plain JVM: bindings, layer and tests, built by Maven.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::mobile;
use crate::package::Flavour;
use crate::project::{Missing, Project, copy, files, find_program, recreate};
use crate::report::passed;
use crate::toolchain::refuse_paths;

/// Runs the package's tests: golden vectors, threads, bad input, against the flavour that takes a seed. Of the
/// release flavour, the layer is compiled: its bindings are others. Then shrinks the sample with it and runs that.
pub(crate) fn test(project: &Project) -> Result<String> {
    let maven = maven(project)?;
    project.run(build(project, &maven, Flavour::Release)?.arg("compile"))?;
    let mut test = build(project, &maven, Flavour::InsecureSeeded)?;
    project.run(test.args(["--activate-profiles=shrinker", "test", "dependency:copy-dependencies"]))?;
    shrink(project)?;
    let reports = Flavour::InsecureSeeded.directory(project, "kotlin").join("surefire-reports");
    Ok(format!("{} tests", passed(&reports)?))
}

/// Shrinks the sample as `mobile/kotlin/sample/shrink.pro` says, and runs what is left. Either fails if the package's rules keep
/// too little.
fn shrink(project: &Project) -> Result<()> {
    let java = project.need("java", &["default-jdk-headless"])?;
    let [release, tested] =
        [Flavour::Release, Flavour::InsecureSeeded].map(|flavour| flavour.directory(project, "kotlin"));
    let mut shrinker = project.command(&java);
    for (name, directory) in [("release", &release), ("tested", &tested)] {
        shrinker.arg(format!("-D{name}={}", directory.display()));
    }
    shrinker.arg("-cp").arg(tested.join("jars/*")).args(["proguard.ProGuard", "@mobile/kotlin/sample/shrink.pro"]);
    project.run(&mut shrinker)?;
    project.run(project.command(java).arg("-cp").arg(release.join("shrunk.jar")).arg("textveil.sample.Program"))
}

/// The jar of a release for this machine.
pub(crate) fn package(project: &Project) -> Result<PathBuf> {
    let maven = maven(project)?;
    let unpacker = find_program(&["jar"]).ok_or_else(|| Missing("no Java development kit is installed".into()))?;
    project.run(build(project, &maven, Flavour::Release)?.args(["-Dmaven.test.skip=true", "package"]))?;
    let directory = Flavour::Release.directory(project, "kotlin");
    let jar = files(&directory)?.into_iter().find(|file| file.extension().is_some_and(|kind| kind == "jar"));
    let jar = jar.context("Maven wrote no jar")?;
    let unpacked = directory.join("unpacked");
    recreate(&unpacked)?;
    project.run(project.command(unpacker).args(["--extract", "--file"]).arg(&jar).current_dir(&unpacked))?;
    let mut calls = false;
    let packed = files(&unpacked)?;
    refuse_paths(project, &packed)?;
    for file in packed {
        let bytes = fs::read(&file)?;
        ensure!(!mobile::holds(&bytes, mobile::SEEDED), "{}: takes seeds: {}", jar.display(), file.display());
        calls |= mobile::holds(&bytes, mobile::UNSEEDED);
    }
    ensure!(calls, "{}: has no library", jar.display());
    Ok(jar)
}

/// Maven on the package with the bindings and the library of a flavour; what it is to do is left to add.
fn build(project: &Project, maven: &Path, flavour: Flavour) -> Result<Command> {
    let library = mobile::library(project, flavour)?;
    let build = flavour.directory(project, "kotlin");
    // Classes of other bindings would go into the jar.
    recreate(&build)?;
    let [bindings, natives] = ["bindings", "natives"].map(|name| build.join(name));
    mobile::bindings(project, "kotlin", &library, &bindings)?;
    // Where JNA looks in a jar.
    let platform = natives.join(platform());
    recreate(&platform)?;
    copy(&library, &platform.join(library.file_name().context("a library without a name")?))?;
    let mut command = project.command(maven);
    command.args(["--batch-mode", "--no-transfer-progress", "--file"]);
    command.arg(project.root().join("mobile/kotlin/pom.xml"));
    for (name, directory) in [
        ("textveil.build", &build),
        ("textveil.bindings", &bindings),
        ("textveil.natives", &natives),
        ("textveil.tests", &project.root().join("tests")),
    ] {
        command.arg(format!("-D{name}={}", directory.display()));
    }
    Ok(command)
}

/// Maven, installed now if it is not there and Debian has it.
fn maven(project: &Project) -> Result<PathBuf> {
    let is_complete = |maven: &PathBuf| project.read(project.command(maven).arg("--version")).is_ok();
    let installed = || find_program(&["mvn", "mvn.cmd"]).filter(is_complete);
    let missing = || Missing("Maven with a Java development kit is not installed".into());
    let install = || project.apt_install(&["maven", "default-jdk-headless"]).then(installed).flatten();
    Ok(installed().or_else(install).ok_or_else(missing)?)
}

/// JNA's name of this machine.
fn platform() -> String {
    let name = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    name.replace("macos", "darwin").replace("windows", "win32").replace("x86_64", "x86-64")
}
