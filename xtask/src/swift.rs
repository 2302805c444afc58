//! The Swift package: assembled as it is released, and tested against the library of this machine.
//!
//! Where Swift is not installed, Debian's is used: mmdebstrap unpacks it into a folder of the cache, and bubblewrap runs it
//! there. Nothing of this machine changes but for these two programs.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::cache;
use crate::mobile;
use crate::package::{Flavour, notices};
use crate::project::{Missing, Project, copy, copy_tree, find_program, recreate};
use crate::report::at_least_one;

/// Where the package has the library of this machine.
const LIBRARIES: &str = "Libraries";

/// The Debian that has Swift 6.0.3, and the compiler with the C and C++ headers, without which its Clang finds no C library.
const SUITE: &str = "trixie";
const PACKAGES: &str = "swiftlang,libc6-dev,libstdc++-14-dev";
/// What of them no test needs.
const UNUSED: [&str; 7] = [
    "/usr/share/doc/*",
    "/usr/share/man/*",
    "/usr/share/locale/*",
    "*/swift_static*",
    "*lldb*",
    "*sourcekit*",
    "*/bin/clangd",
];

/// A command of Swift's package manager that reads and writes in the checkout and the target directory.
fn swift(project: &Project) -> Result<Command> {
    if let Some(program) = find_program(&["swift"]) {
        return Ok(project.command(program));
    }
    let missing = |why: String| Missing(format!("Swift is not installed, and Debian's cannot be had: {why}"));
    let tree = debian_tree(project).map_err(|error| missing(format!("{error:#}")))?;
    let inside = || {
        let mut command = project.command("bwrap");
        command.arg("--bind").arg(&tree).args(["/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
        for shared in [project.root(), project.target()] {
            command.arg("--bind").args([shared, shared]);
        }
        command.args(["--setenv", "PATH", "/usr/libexec/swift/bin:/usr/bin:/bin", "--setenv", "HOME", "/tmp"]);
        command.arg("--chdir").arg(project.root()).arg("swift");
        command
    };
    project.run(inside().arg("--version")).map_err(|error| missing(format!("{error:#}")))?;
    Ok(inside())
}

/// A root directory of Debian with Swift in it; unpacked when it is first asked for.
fn debian_tree(project: &Project) -> Result<PathBuf> {
    let [mmdebstrap, _] = ["mmdebstrap", "bwrap"]
        .map(|program| project.need(program, &["mmdebstrap", "bubblewrap", "debian-archive-keyring"]));
    let recipe = [&[SUITE, PACKAGES], &UNUSED[..]].concat().join("\n");
    let tree = cache::directory()?.join(format!("swift-{}", &cache::sha256(recipe.as_bytes())[..16]));
    if !tree.is_dir() {
        let unfinished = tree.with_extension("unfinished");
        recreate(&unfinished)?;
        let mut unpack = project.command(mmdebstrap?);
        // No script of a package runs.
        unpack.arg("--variant=extract").arg(format!("--include={PACKAGES}"));
        unpack.arg("--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr");
        unpack.args(UNUSED.map(|files| format!("--dpkgopt=path-exclude={files}")));
        project.run(unpack.arg(SUITE).arg(&unfinished).arg(mirror(project)?))?;
        // A tree under its own name is complete.
        std::fs::rename(unfinished, &tree)?;
    }
    Ok(tree)
}

/// Where this machine has its own packages of Debian from.
fn mirror(project: &Project) -> Result<String> {
    let sources = project.read(project.command("apt-get").args(["indextargets", "--format", "$(REPO_URI)"]))?;
    let mut mirrors = sources.lines().map(|source| source.trim_end_matches('/'));
    let mirror =
        mirrors.find(|source| source.ends_with("/debian")).context("this machine has no packages of Debian")?;
    Ok(mirror.to_owned())
}

/// Runs the package's tests: golden vectors, threads, bad input, against the flavour that takes a seed. Of the
/// release flavour, the layer is compiled: its bindings are others.
pub(crate) fn test(project: &Project) -> Result<String> {
    let (mut compile, mut test) = (swift(project)?, swift(project)?);
    let scratch = project.target().join("swift-build");
    let release = package(project)?;
    compile.args(["build", "--target", "Textveil", "--package-path"]).arg(&release);
    project.run(compile.arg("--scratch-path").arg(scratch.join("release")))?;
    let tested = assemble(project, Flavour::InsecureSeeded)?;
    copy_tree(&project.root().join("mobile/swift/Tests"), &tested.join("Tests"))?;
    let events = project.target().join("reports/swift/events.json");
    recreate(events.parent().context("a file lies in a folder")?)?;
    test.args(["test", "--disable-xctest", "--package-path"]).arg(&tested);
    // Of its own testing library Swift 6.0 writes no XML.
    test.arg("--event-stream-version=0").arg("--event-stream-output-path").arg(&events);
    test.arg("--scratch-path").arg(scratch.join("insecure"));
    for flag in ["-L", "-rpath"] {
        test.args(["-Xlinker", flag, "-Xlinker"]).arg(tested.join(LIBRARIES));
    }
    project.run(test.env("TEXTVEIL_TESTS", project.root().join("tests")))?;
    Ok(format!("{} tests", passed(&std::fs::read_to_string(events)?)?))
}

/// How many tests passed, by what Swift's testing library reports: an event a line.
fn passed(events: &str) -> Result<usize> {
    let events = events.lines().map(serde_json::from_str).collect::<serde_json::Result<Vec<Value>>>()?;
    let is_function = |id: &Value| {
        let tests = events.iter().filter(|event| event["kind"] == "test" && event["payload"]["kind"] == "function");
        tests.map(|test| &test["payload"]["id"]).any(|test| test == id)
    };
    let passed = events.iter().map(|event| &event["payload"]).filter(|event| {
        let mut messages = event["messages"].as_array().into_iter().flatten();
        event["kind"] == "testEnded" && messages.any(|said| said["symbol"] == "pass") && is_function(&event["testID"])
    });
    at_least_one(passed.count())
}

/// The package of a release for this machine, to be used from where it lies.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_without_a_passed_test_fail() {
        let test = r#"{"kind":"test","payload":{"kind":"function","id":"a"}}"#;
        let ended = |id: &str, symbol: &str| {
            format!(
                r#"{{"kind":"event","payload":{{"kind":"testEnded","testID":"{id}","messages":[{{"symbol":"{symbol}"}}]}}}}"#
            )
        };
        assert_eq!(passed(&format!("{test}\n{}", ended("a", "pass"))).ok(), Some(1));
        for events in
            ["", test, &format!("{test}\n{}", ended("a", "skip")), &ended("a suite", "pass"), "Test run passed"]
        {
            assert!(passed(events).is_err(), "{events}");
        }
    }
}
