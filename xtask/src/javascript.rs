//! Node, the npm packages that tests need, and our own package as its customers get it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::cache;
use crate::package::{self, Flavour};
use crate::project::{Missing, Project, files, find_program, recreate};
use crate::report::passed;

/// The oldest Node that the package supports: from this on `require` takes modules like ours.
const OLDEST_NODE: (u32, u32) = (20, 19);

/// A file of tests that runs longer hangs: ten times what the slowest one takes.
const LONGEST_TEST: &str = "--test-timeout=300000";

/// Node with its package manager.
pub(crate) struct Node {
    node: PathBuf,
    npm: PathBuf,
}

impl Node {
    /// The Node on the search path.
    pub(crate) fn find(project: &Project) -> Result<Self> {
        let (major, minor) = OLDEST_NODE;
        let missing = || Missing(format!("Node {major}.{minor} or later with npm is not installed"));
        let (node, npm) = find_program(&["node"]).zip(find_program(&["npm", "npm.cmd"])).ok_or_else(missing)?;
        let version = project.read(project.command(&node).arg("--version"))?;
        let mut numbers = version.trim_start_matches('v').split('.').map_while(|number| number.parse::<u32>().ok());
        ensure!(numbers.next().zip(numbers.next()).is_some_and(|found| found >= OLDEST_NODE), missing());
        Ok(Self { node, npm })
    }

    /// A command of Node in the folder of the tests.
    pub(crate) fn command(&self, project: &Project) -> Command {
        let mut command = project.command(&self.node);
        command.current_dir(tests(project));
        command
    }

    /// Runs the files `tests/FOLDER/*.test.mjs` under Node's own test runner, and counts those of its report.
    pub(crate) fn test(&self, project: &Project, folder: &str, settings: &[(&str, String)]) -> Result<String> {
        let listed = fs::read_dir(tests(project).join(folder))?.map(|entry| Ok(entry?.path()));
        let mut scripts = listed.collect::<Result<Vec<_>>>()?;
        scripts.retain(|path| path.to_string_lossy().ends_with(".test.mjs"));
        scripts.sort();
        ensure!(!scripts.is_empty(), "tests/{folder} holds no tests");
        let reports = project.target().join("reports").join(folder);
        recreate(&reports)?;
        let report = reports.join("junit.xml");
        let mut command = self.command(project);
        command.args(["--test", LONGEST_TEST, "--test-reporter=spec", "--test-reporter-destination=stdout"]);
        command.arg("--test-reporter=junit").arg(format!("--test-reporter-destination={}", report.display()));
        project.run(command.args(scripts).envs(settings.iter().map(|(k, v)| (*k, v))))?;
        Ok(format!("{} tests", passed(&report)?))
    }

    /// The esbuild of the tests' lock.
    pub(crate) fn esbuild(&self, project: &Project) -> Result<Command> {
        self.install_locked(project, &tests(project))?;
        Ok(project.command(tests(project).join("node_modules/.bin/esbuild")))
    }

    /// Installs what the tests import: the locked packages, and both flavours of ours, packed and unpacked
    /// again, so that a file that the package forgets to list is missing here too. Returns the tarballs.
    pub(crate) fn install(&self, project: &Project) -> Result<Vec<Packed>> {
        self.install_locked(project, &tests(project))?;
        let flavours = [(Flavour::Release, "textveil"), (Flavour::InsecureSeeded, "textveil-insecure")];
        let mut packed = Vec::new();
        for (flavour, name) in flavours {
            let (folder, installed) =
                (project.target().join("packed").join(name), tests(project).join("node_modules").join(name));
            if !project.has_made(&installed) {
                let tarball = self.pack(project, &package::build(project, flavour)?, &folder)?;
                recreate(&installed)?;
                let mut unpack = project.command("tar");
                project.run(unpack.arg("-xzf").arg(tarball).arg("-C").arg(&installed).arg("--strip-components=1"))?;
                project.made(&installed);
            }
            let tarball = fs::read_dir(&folder)?.next().context("nothing was packed")??.path();
            packed.push(Packed { name, tarball });
        }
        Ok(packed)
    }

    /// Installs exactly what an npm project's lock names, unless that is there already. Runs no scripts of
    /// packages.
    pub(crate) fn install_locked(&self, project: &Project, folder: &Path) -> Result<()> {
        let lock = cache::sha256(&fs::read(folder.join("package-lock.json"))?);
        let stamp = folder.join("node_modules/.installed");
        if fs::read_to_string(&stamp).ok() != Some(lock.clone()) {
            project.run(&mut self.npm(project, folder, "ci"))?;
            fs::write(stamp, lock)?;
        }
        Ok(())
    }

    /// Installs packed packages into an npm project beside what its lock names, as a customer does, each
    /// under its name here.
    pub(crate) fn install_packed(&self, project: &Project, folder: &Path, packed: &[Packed]) -> Result<()> {
        let mut install = self.npm(project, folder, "install");
        install.args(["--no-save", "--no-package-lock"]);
        for Packed { name, tarball } in packed {
            install.arg(format!("{name}@file:{}", tarball.display()));
        }
        project.run(&mut install)
    }

    /// A command of npm that installs, in a folder.
    fn npm(&self, project: &Project, folder: &Path, command: &str) -> Command {
        let mut npm = project.command(&self.npm);
        npm.current_dir(folder).args([command, "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]);
        npm
    }

    /// Packs a package into an otherwise empty directory and returns the tarball.
    pub(crate) fn pack(&self, project: &Project, package: &Path, into: &Path) -> Result<PathBuf> {
        recreate(into)?;
        let mut pack = project.command(&self.npm);
        pack.current_dir(package).args(["pack", "--json", "--pack-destination"]).arg(into);
        let report: Value = serde_json::from_str(&project.read(&mut pack)?).context("npm pack")?;
        let packed = report[0]["files"].as_array().context("npm pack lists no files")?;
        for file in files(package)? {
            let name = file.strip_prefix(package)?;
            let is_packed =
                packed.iter().any(|packed| packed["path"].as_str().is_some_and(|path| Path::new(path) == name));
            ensure!(is_packed, "package.json leaves {} out of the package", name.display());
        }
        Ok(into.join(report[0]["filename"].as_str().context("npm pack wrote no tarball")?))
    }
}

/// A tarball of ours.
pub(crate) struct Packed {
    /// What it is installed as.
    pub(crate) name: &'static str,
    /// Where it lies.
    pub(crate) tarball: PathBuf,
}

/// The npm project of the tests.
pub(crate) fn tests(project: &Project) -> PathBuf {
    project.root().join("tests")
}
