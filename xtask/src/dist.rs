//! `cargo xtask dist`: the tarball that `npm publish` would send, bills of materials, and the digests by which anybody
//! can tell that they got what was released.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use xshell::cmd;

use crate::javascript::Node;
use crate::package::{self, BILL, ENTRIES, Flavour, LEVELS};
use crate::project::{Missing, Project, files, find_program};
use crate::toolchain::rustc;
use crate::{cross, python};

/// What `xtask/package/digests.mjs` writes.
const DIGESTS: &str = "SHA256SUMS";
const INTEGRITY: &str = "integrity.json";

/// `cargo xtask dist`
pub(crate) fn command(project: &Project) -> Result<()> {
    make(project)?;
    let directory = project.target.join("dist");
    for file in [DIGESTS, INTEGRITY] {
        print!("{file}\n{}\n", project.sh.read_file(directory.join(file))?);
    }
    println!("{}", directory.display());
    Ok(())
}

/// Makes a release, has another program check its digests, and checks its bills.
pub(crate) fn check(project: &Project) -> Result<String> {
    let tarball = make(project)?;
    let directory = project.target.join("dist");
    let sums = find_program(&["sha256sum"]).ok_or_else(|| Missing("sha256sum is not installed".into()))?;
    let sh = &project.at(&directory);
    project.run(cmd!(sh, "tar -xzf {tarball}"))?;
    project.run(cmd!(sh, "{sums} --check --strict {DIGESTS}"))?;
    let listed = sh.read_file(DIGESTS)?.lines().count();
    // The two lists of digests have no digest of their own.
    let there = files(&directory)?.len() - [DIGESTS, INTEGRITY].len();
    ensure!(listed == there, "{listed} digests of {there} files");
    Ok(format!("{listed} digests, {}", check_bills(project)?))
}

/// Makes all of it in `target/dist`, and returns the tarball.
fn make(project: &Project) -> Result<PathBuf> {
    let (sh, node) = (&project.sh, Node::find(project)?);
    let (package, directory) = (package::build(project, Flavour::Release)?, project.target.join("dist"));
    let tarball = node.pack(project, &package, &directory)?;
    sh.copy_file(package.join(BILL), &directory)?;
    // The library for Swift and Kotlin is for this machine and for phones. The script knows for what wheels are built.
    let targets = std::iter::once(rustc(project, "host")?).chain(cross::TARGETS.map(|(target, ..)| target.to_owned()));
    let bills = node.script(project, "xtask/package/bill.mjs")?.arg("--mobile").arg(&directory);
    project.run(bills.args(targets))?;
    project.run(node.script(project, "xtask/package/digests.mjs")?.arg(directory).arg(package))?;
    Ok(tarball)
}

/// Holds all bills against CycloneDX's schema and the notices, and npm's against what cargo says that it compiles.
fn check_bills(project: &Project) -> Result<String> {
    let Project { sh, target, .. } = project;
    let package = package::build(project, Flavour::Release)?;
    let python = python::with_requirements(project, "tests/sbom/requirements.txt")?;
    let mut bills = sh.read_dir(target.join("dist"))?;
    bills.retain(|file| file.to_string_lossy().ends_with(".cdx.json"));
    let mut validate = cmd!(sh, "{python} tests/sbom/validate.py {bills...} --notices NOTICE-THIRD-PARTY.md");
    for (number, entry) in ENTRIES.into_iter().enumerate() {
        let messages = target.join(format!("sbom-{number}.jsonl"));
        let build = package::build_command(project, Flavour::Release, entry, LEVELS[0])?;
        sh.write_file(&messages, project.read(build.arg("--message-format=json"))?)?;
        for module in entry.modules(&package) {
            let part = module.strip_prefix(&package)?;
            validate = validate.arg("--compiled").arg(package.join(BILL)).arg(part).arg(&messages);
        }
    }
    Ok(project.read(validate)?.trim_end().replace('\n', ", "))
}
