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

/// The program that the shrinker is given: the sample, which `src/test/kotlin` starts.
const PROGRAM: &str = "textveil.sample.Program";

/// What an app of the sample consists of, beside the package and the sample itself.
const LIBRARIES: [&str; 3] = ["jna", "kotlin-stdlib", "kotlinx-coroutines-core-jvm"];

/// Runs the package's tests: golden vectors, threads, bad input, against the flavour that takes a seed. Of the
/// release flavour, the layer is compiled: its bindings are others. Then shrinks the sample with it and runs that.
///
/// # Errors
/// A test fails; [`Missing`] without Maven, or a Java that it finds.
pub(crate) fn test(project: &Project) -> Result<String> {
    let maven = maven(project)?;
    project.run(build(project, &maven, Flavour::Release)?.arg("compile"))?;
    let mut test = build(project, &maven, Flavour::InsecureSeeded)?;
    project.run(test.args(["--activate-profiles=shrinker", "test", "dependency:copy-dependencies"]))?;
    shrink(project)?;
    let reports = Flavour::InsecureSeeded.directory(project, "kotlin").join("surefire-reports");
    Ok(format!("{} tests", passed(&reports)?))
}

/// Shrinks the sample with the release flavour as a user's app is shrunk (unused code left out, classes and members renamed
/// and moved, no attributes kept) under the rules that the package brings and no others, and runs what is left.
///
/// # Errors
/// The shrinker fails, or the program does: the rules keep too little.
fn shrink(project: &Project) -> Result<()> {
    let java = project.need("java", &["default-jdk-headless"])?;
    let [release, tested] =
        [Flavour::Release, Flavour::InsecureSeeded].map(|flavour| flavour.directory(project, "kotlin"));
    let (jars, shrunk) = (tested.join("jars"), release.join("shrunk.jar"));
    let output = project.command(&java).args(["-XshowSettings:properties", "-version"]).output().context("java")?;
    let settings = [output.stdout, output.stderr].concat();
    let settings = String::from_utf8_lossy(&settings);
    let home =
        settings.lines().find_map(|line| line.trim().strip_prefix("java.home = ")).context("Java has no home")?;
    let mut shrinker = project.command(&java);
    shrinker.arg("-cp").arg(jars.join("*")).arg("proguard.ProGuard");
    shrinker.arg("-injars").arg(release.join("classes"));
    shrinker.arg("-injars").arg(format!("{}(textveil/sample/**)", tested.join("test-classes").display()));
    for library in LIBRARIES {
        let jar = jars.join(library).with_extension("jar");
        shrinker.arg("-injars").arg(format!("{}(!META-INF/**)", jar.display()));
    }
    shrinker.arg("-outjars").arg(&shrunk);
    shrinker.arg("-libraryjars").arg(format!("{home}/jmods/java.base.jmod(!**.jar;!module-info.class)"));
    shrinker.arg("-include").arg(project.root().join("mobile/kotlin/android/consumer-rules.pro"));
    shrinker.arg("-keep").arg(format!("class {PROGRAM} {{ public static void main(java.lang.String[]); }}"));
    // The libraries name annotations and classes that are not there; on Android, each brings rules that say so.
    shrinker.args(["-repackageclasses", "-allowaccessmodification", "-dontnote", "-dontwarn", "**"]);
    project.run(&mut shrinker)?;
    project.run(project.command(java).arg("-cp").arg(&shrunk).arg(PROGRAM))
}

/// The jar of a release for this machine.
///
/// # Errors
/// It does not build, or takes seeds; [`Missing`] without Maven, or a Java development kit.
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
    let installed = || {
        let maven = find_program(&["mvn", "mvn.cmd"])?;
        project.read(project.command(&maven).arg("--version")).is_ok().then_some(maven)
    };
    if let Some(maven) = installed() {
        return Ok(maven);
    }
    project.apt_install(&["maven", "default-jdk-headless"]);
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
