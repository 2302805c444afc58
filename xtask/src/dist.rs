//! `cargo xtask dist`: the tarball that `npm publish` would send, bills of materials, and the digests by which anybody can
//! tell that they got what was released.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha384};

use crate::javascript::Node;
use crate::package::{self, Flavour};
use crate::project::{Missing, Project, copy, files, find_program};
use crate::{cache, sbom};

/// SHA-256 of everything, as `sha256sum --check` reads it once the tarball is unpacked.
const DIGESTS: &str = "SHA256SUMS";
/// SHA-384 of what pages load, as `integrity` takes it.
const INTEGRITY: &str = "integrity.json";

/// `cargo xtask dist`
pub(crate) fn command(project: &Project, args: lexopt::Parser) -> Result<()> {
    crate::no_more(args)?;
    make(project)?;
    let directory = project.target().join("dist");
    for file in [DIGESTS, INTEGRITY] {
        print!("{file}\n{}\n", fs::read_to_string(directory.join(file))?);
    }
    println!("{}", directory.display());
    Ok(())
}

/// Makes a release, has another program check its digests, and checks its bills.
///
/// # Errors
/// A digest is wrong, a file has none, or a bill is not right; [`Missing`] without `sha256sum` or Python.
pub(crate) fn check(project: &Project) -> Result<String> {
    let (tarball, bills) = make(project)?;
    let directory = project.target().join("dist");
    let sums = find_program(&["sha256sum"]).ok_or_else(|| Missing("sha256sum is not installed".into()))?;
    project.run(project.command("tar").arg("-xzf").arg(tarball).current_dir(&directory))?;
    project.run(project.command(sums).args(["--check", "--strict", DIGESTS]).current_dir(&directory))?;
    let listed = fs::read_to_string(directory.join(DIGESTS))?.lines().count();
    // The two lists of digests have none.
    let there = files(&directory)?.len() - [DIGESTS, INTEGRITY].len();
    ensure!(listed == there, "{listed} digests of {there} files");
    Ok(format!("{listed} digests, {}", sbom::check(project, &bills)?))
}

/// Makes all of it in `target/dist`; the tarball and the bills.
fn make(project: &Project) -> Result<(PathBuf, Vec<PathBuf>)> {
    let package = package::build(project, Flavour::Release)?;
    let directory = project.target().join("dist");
    let tarball = Node::find(project)?.pack(project, &package, &directory)?;
    let mut bills = sbom::write(project, &directory)?;
    bills.push(directory.join(sbom::NPM));
    copy(&package.join(sbom::NPM), &directory.join(sbom::NPM))?;
    let released = [bills.as_slice(), std::slice::from_ref(&tarball)].concat();
    let (inside, integrity) = digests(&package, &files(&package)?)?;
    let (beside, _) = digests(&directory, &released)?;
    // npm puts everything into a folder of this name.
    let unpacked = inside.into_iter().map(|(name, digest)| (format!("package/{name}"), digest));
    let sums = beside.into_iter().chain(unpacked).map(|(name, digest)| format!("{digest}  {name}\n"));
    fs::write(directory.join(DIGESTS), sums.collect::<String>())?;
    fs::write(directory.join(INTEGRITY), format!("{}\n", serde_json::to_string_pretty(&integrity)?))?;
    Ok((tarball, bills))
}

/// Digests by the name of a file.
type Digests = BTreeMap<String, String>;

/// SHA-256 of files of a directory, and what `integrity` takes of those that pages load.
fn digests(directory: &Path, files: &[PathBuf]) -> Result<(Digests, Digests)> {
    let (mut all, mut loaded) = (Digests::new(), Digests::new());
    for file in files {
        let name = file.strip_prefix(directory)?.to_string_lossy().replace('\\', "/");
        let bytes = fs::read(file)?;
        if [".js", ".wasm", ".tvt"].iter().any(|kind| name.ends_with(kind)) {
            loaded.insert(name.clone(), format!("sha384-{}", BASE64_STANDARD.encode(Sha384::digest(&bytes))));
        }
        all.insert(name, cache::sha256(&bytes));
    }
    Ok((all, loaded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_that_other_programs_compute() {
        let directory = std::env::temp_dir().join(format!("textveil-digests-{}", std::process::id()));
        crate::project::recreate(&directory.join("all")).expect("a directory of our own");
        let written = ["all/a.js", "b.d.ts"].map(|name| directory.join(name));
        written.iter().for_each(|file| fs::write(file, "abc").expect("written"));
        let (all, loaded) = digests(&directory, &written).expect("files that can be read");
        fs::remove_dir_all(&directory).expect("removed");
        // FIPS 180's example.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(all, [("all/a.js", abc), ("b.d.ts", abc)].map(|(name, digest)| (name.into(), digest.into())).into());
        let abc = "sha384-ywB1P0WjXou1oD1pmsZQBycsMqsO3tFjGotgWkP/W+2AhgcroefMI1i67KE0yCWn";
        assert_eq!(loaded, [("all/a.js".into(), abc.into())].into());
    }
}
