//! Node, the npm packages that tests need, and our own package as its customers get it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xshell::{Cmd, cmd};

use crate::cache;
use crate::package::{self, Flavour};
use crate::project::{Missing, Project, files, find_program, recreate};
use crate::report::passed;

/// The oldest Node that the package supports: from this on `require` takes modules like ours.
const OLDEST_NODE: (u32, u32) = (20, 19);

/// A file of tests that runs longer hangs. The slowest takes seven minutes next to other checks.
const LONGEST_TEST: &str = "--test-timeout=1500000";

/// How npm installs. It runs no scripts of packages.
const QUIETLY: [&str; 5] = ["--ignore-scripts", "--prefer-offline", "--fetch-retries=1", "--no-audit", "--no-fund"];

/// What a package of ours is installed as, and its tarball.
pub(crate) type Packed = (&'static str, PathBuf);

/// Node with its package manager.
pub(crate) struct Node {
    node: PathBuf,
    npm: PathBuf,
}

impl Node {
    /// The Node on the search path.
    pub(crate) fn find(project: &Project) -> Result<Self> {
        let (sh, (major, minor)) = (&project.sh, OLDEST_NODE);
        let missing = || Missing(format!("Node {major}.{minor} or later with npm is not installed"));
        let (node, npm) = find_program(&["node"]).zip(find_program(&["npm"])).ok_or_else(missing)?;
        let version = project.read(cmd!(sh, "{node} --version"))?;
        let mut numbers = version.trim_start_matches('v').split('.').map_while(|number| number.parse::<u32>().ok());
        ensure!(numbers.next().zip(numbers.next()).is_some_and(|found| found >= OLDEST_NODE), missing());
        Ok(Self { node, npm })
    }

    /// A script that imports what the tests' lock names.
    pub(crate) fn script<'a>(&self, project: &'a Project, script: &str) -> Result<Cmd<'a>> {
        self.install_locked(project, &tests(project))?;
        Ok(project.sh.cmd(&self.node).arg(script))
    }

    /// Runs the files `tests/FOLDER/*.test.mjs` under Node's own test runner, and counts those of its report.
    pub(crate) fn test(&self, project: &Project, folder: &str, settings: &[(&str, String)]) -> Result<String> {
        let (sh, node) = (&project.at(&tests(project)), &self.node);
        let mut scripts = sh.read_dir(folder)?;
        scripts.retain(|path| path.to_string_lossy().ends_with(".test.mjs"));
        ensure!(!scripts.is_empty(), "tests/{folder} holds no tests");
        let reports = project.target.join("reports").join(folder);
        recreate(&reports)?;
        let report = reports.join("junit.xml");
        let run = cmd!(sh, "{node} --test {LONGEST_TEST} --test-reporter=spec --test-reporter-destination=stdout");
        let run = run.arg("--test-reporter=junit").arg(format!("--test-reporter-destination={}", report.display()));
        let run = project.run(run.args(scripts).envs(settings.iter().map(|(name, value)| (name, value))));
        Ok(passed(project, run, &report)?.to_string())
    }

    /// Installs the imports of the tests: the locked packages, and both flavours of ours, packed and unpacked again. So
    /// a file that the package forgets to list is missing here too. Returns the tarballs.
    pub(crate) fn install(&self, project: &Project) -> Result<Vec<Packed>> {
        let sh = &project.sh;
        self.install_locked(project, &tests(project))?;
        let install = |(flavour, name)| {
            let installed = tests(project).join("node_modules").join(name);
            let folder = project.target.join("packed").join(name);
            project.once(&installed, || {
                let tarball = self.pack(project, &package::build(project, flavour)?, &folder)?;
                recreate(&installed)?;
                project.run(cmd!(sh, "tar -xzf {tarball} -C {installed} --strip-components=1"))
            })?;
            Ok((name, sh.read_dir(folder)?.pop().context("nothing was packed")?))
        };
        let flavours = [(Flavour::Release, "textveil"), (Flavour::InsecureSeeded, "textveil-insecure")];
        flavours.into_iter().map(install).collect()
    }

    /// Installs exactly what an npm project's lock names, unless that is there already.
    pub(crate) fn install_locked(&self, project: &Project, folder: &Path) -> Result<()> {
        let (sh, npm) = (&project.at(folder), &self.npm);
        let lock = cache::sha256(&sh.read_binary_file("package-lock.json")?);
        let stamp = "node_modules/.installed";
        if sh.read_file(stamp).ok().as_ref() != Some(&lock) {
            let missing = |error| Missing(format!("what npm's lock names cannot be had: {error:#}"));
            project.run(cmd!(sh, "{npm} ci {QUIETLY...}")).map_err(missing)?;
            sh.write_file(stamp, lock)?;
        }
        Ok(())
    }

    /// Installs packed packages into an npm project next to those of its lock, as a customer does, each under its name
    /// here.
    pub(crate) fn install_packed(&self, project: &Project, folder: &Path, packed: &[Packed]) -> Result<()> {
        let (sh, npm) = (&project.at(folder), &self.npm);
        let packages = packed.iter().map(|(name, tarball)| format!("{name}@file:{}", tarball.display()));
        project.run(cmd!(sh, "{npm} install {QUIETLY...} --no-save --no-package-lock").args(packages))
    }

    /// Packs a package into an otherwise empty directory and returns the tarball.
    pub(crate) fn pack(&self, project: &Project, package: &Path, into: &Path) -> Result<PathBuf> {
        let (sh, npm) = (&project.at(package), &self.npm);
        recreate(into)?;
        let report = project.read(cmd!(sh, "{npm} pack --json --pack-destination {into}"))?;
        let report: Value = serde_json::from_str(&report).context("npm pack")?;
        let packed = report[0]["files"].as_array().context("npm pack lists no files")?;
        let packed: Vec<_> =
            packed.iter().filter_map(|file| file["path"].as_str().map(|path| package.join(path))).collect();
        let left_out = files(package)?.into_iter().find(|file| !packed.contains(file));
        ensure!(left_out.is_none(), "package.json leaves out {}", left_out.unwrap_or_default().display());
        Ok(into.join(report[0]["filename"].as_str().context("npm pack wrote no tarball")?))
    }
}

/// The npm project of the tests.
pub(crate) fn tests(project: &Project) -> PathBuf {
    project.root.join("tests")
}
