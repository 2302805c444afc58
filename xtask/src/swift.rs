//! The Swift package: assembled as it is released, and tested against the library of this machine.
//!
//! Where Swift is not installed, Debian's is used: mmdebstrap unpacks it into a folder of the cache, and bubblewrap
//! runs it there. Only these two programs are added to this machine.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::json;
use xshell::{Cmd, cmd};

use crate::cache;
use crate::mobile;
use crate::package::{Flavour, add_notices};
use crate::project::{APT, Missing, Project, copy_tree, find_program, recreate};
use crate::python::python;
use crate::report::passed;

/// Where the package has the library of this machine.
const LIBRARIES: &str = "Libraries";

/// The Debian that has Swift 6.0.3, and the compiler with the C and C++ headers, without which its Clang finds no C
/// library.
const SUITE: &str = "trixie";
const PACKAGES: &str = "swiftlang,libc6-dev,libstdc++-14-dev";
/// What of them no test needs.
const UNUSED: &str =
    "/usr/share/doc/* /usr/share/man/* /usr/share/locale/* */swift_static* *lldb* *sourcekit* */bin/clangd";

/// A command of Swift's package manager that reads and writes in the checkout and the target directory.
fn swift(project: &Project) -> Result<Cmd<'_>> {
    let Project { sh, root, target, .. } = project;
    if let Some(program) = find_program(&["swift"]) {
        return Ok(sh.cmd(program));
    }
    let missing = |error| Missing(format!("Swift is not installed, and Debian's cannot be had: {error:#}"));
    let tree = debian_tree(project).map_err(missing)?;
    let inside = || {
        cmd!(
            sh,
            "bwrap --bind {tree} / --proc /proc --dev /dev --tmpfs /tmp --bind {root} {root} --bind {target} {target}
             --setenv PATH /usr/libexec/swift/bin:/usr/bin:/bin --setenv HOME /tmp --chdir {root} swift"
        )
    };
    project.run(inside().arg("--version")).map_err(missing)?;
    Ok(inside())
}

/// A root directory of Debian with Swift in it; unpacked when it is first asked for.
fn debian_tree(project: &Project) -> Result<PathBuf> {
    let sh = &project.sh;
    let needed = ["mmdebstrap", "bwrap"]
        .map(|program| project.need(program, &["mmdebstrap", "bubblewrap", "debian-archive-keyring"]));
    let recipe = [SUITE, PACKAGES, &UNUSED.replace(' ', "\n")].join("\n");
    let tree = cache::directory()?.join(format!("swift-{}", &cache::sha256(recipe.as_bytes())[..16]));
    if !tree.is_dir() {
        needed.into_iter().collect::<Result<Vec<_>>>()?;
        let unfinished = tree.with_extension("unfinished");
        recreate(&unfinished)?;
        let (mirror, unused) =
            (mirror(project)?, UNUSED.split(' ').map(|files| format!("--dpkgopt=path-exclude={files}")));
        // No script of a package runs.
        project.run(cmd!(
            sh,
            "mmdebstrap --variant=extract --include={PACKAGES} --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr
             {unused...} {SUITE} {unfinished} {mirror}"
        ))?;
        // A tree under its own name is complete.
        std::fs::rename(unfinished, &tree)?;
    }
    Ok(tree)
}

/// Where this machine has its own packages of Debian from.
fn mirror(project: &Project) -> Result<String> {
    let (sh, _apt) = (&project.sh, APT.lock());
    let sources = project.read(cmd!(sh, "apt-get indextargets --format $(REPO_URI)"))?;
    let mut mirrors = sources.lines().map(|source| source.trim_end_matches('/'));
    let mirror = mirrors.find(|source| source.ends_with("/debian"));
    Ok(mirror.context("this machine has no packages of Debian")?.to_owned())
}

/// Runs the package's tests: golden vectors, threads, bad input, against the flavour that takes a seed. Of the
/// release flavour, the layer is compiled: its bindings are others.
pub(crate) fn test(project: &Project) -> Result<String> {
    let Project { sh, root, target, .. } = project;
    let (compile, test) = (swift(project)?, swift(project)?);
    let scratch = target.join("swift-build");
    let release = package(project)?;
    let compile = compile.args(["build", "--target", "Textveil", "--package-path"]).arg(release);
    project.run(compile.arg("--scratch-path").arg(scratch.join("release")))?;
    let (python, manifest) = (python()?, scratch.join("manifest"));
    let words = Command::from(swift(project)?);
    let check = cmd!(sh, "{python} mobile/swift/release_check.py {manifest}").arg(words.get_program());
    project.run(check.args(words.get_args()))?;
    let tested = assemble(project, Flavour::InsecureSeeded)?;
    copy_tree(&root.join("mobile/swift/Tests"), &tested.join("Tests"))?;
    project.run(cmd!(sh, "{python} docs/blocks.py swift {tested}/Tests/TextveilTests/Blocks.swift"))?;
    let (reports, libraries) = (target.join("reports/swift"), tested.join(LIBRARIES));
    recreate(&reports)?;
    // Swift 6.0 keeps `--xunit-output` from its own testing library.
    let configuration = reports.join("configuration.json");
    sh.write_file(&configuration, json!({ "xunitOutput": reports.join("junit.xml") }).to_string())?;
    let mut test = test.args(["test", "--disable-xctest", "--package-path"]).arg(&tested);
    test = test.arg("--configuration-path").arg(configuration).arg("--scratch-path").arg(scratch.join("insecure"));
    for flag in ["-L", "-rpath"] {
        test = test.args(["-Xlinker", flag, "-Xlinker"]).arg(&libraries);
    }
    let run = project.run(test.env("TEXTVEIL_TESTS", root.join("tests")));
    Ok(passed(project, run, &reports)?.to_string())
}

/// The package of a release for this machine, to be used from where it lies.
pub(crate) fn package(project: &Project) -> Result<PathBuf> {
    let package = assemble(project, Flavour::Release)?;
    add_notices(project, &package).map(|()| package)
}

/// The package without its tests, with the bindings and the library of a flavour in it.
fn assemble(project: &Project, flavour: Flavour) -> Result<PathBuf> {
    let sh = &project.sh;
    let library = mobile::library(project, flavour, "")?;
    let package = flavour.directory(project, "swift");
    recreate(&package)?;
    for part in ["Package.swift", "README.md", "Sources", "Samples"] {
        copy_tree(&project.root.join("mobile/swift").join(part), &package.join(part))?;
    }
    let bindings = project.target.join("swift-bindings");
    mobile::bindings(project, "swift", &library, &bindings)?;
    sh.copy_file(bindings.join("Textveil.swift"), package.join("Sources/Textveil"))?;
    sh.copy_file(bindings.join("TextveilFFI.h"), package.join("Sources/TextveilFFI"))?;
    sh.copy_file(library, sh.create_dir(package.join(LIBRARIES))?)?;
    Ok(package)
}
