//! Where things are, and how child processes are run.
//!
//! A [`Project`] announces each command before it runs. The output of commands goes to the terminal, or, while a check runs, to
//! the check's log in `target/logs`, which is shown if the check fails.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// A tool that this machine lacks: a reason to skip a check, not a fault of the code under test. Every function here fails with
/// it where a tool that it runs cannot be had, and with another error if the tool fails.
#[derive(Debug)]
pub(crate) struct Missing(pub(crate) String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

/// The checkout, its build directory, where the output of commands goes, and what this run has built already.
#[derive(Default)]
pub(crate) struct Project {
    root: PathBuf,
    target: PathBuf,
    data: Option<PathBuf>,
    log: Option<File>,
    made: Mutex<Vec<PathBuf>>,
    /// Cargo's own directory, where it is not the usual one.
    cargo_home: Option<PathBuf>,
}

/// The packages that are checked, tested and documented together, so that cargo builds their dependencies once. The generator
/// of bindings has no tests, and would double the number of uniffi's crates.
pub(crate) const WORKSPACE: [&str; 2] = ["--workspace", "--exclude=textveil-bindgen"];

/// The feature under which the workspace is tested: the tests of a study's seeds need it.
pub(crate) const SEEDED: &str = "--features=textveil-mobile/insecure-seeded-rng";

impl Project {
    /// Asks cargo where the workspace and its target directory are.
    pub(crate) fn locate() -> Result<Self> {
        let here = Self { root: env!("CARGO_MANIFEST_DIR").into(), ..Self::default() };
        let metadata = here.read(&mut here.cargo(&["metadata", "--format-version=1", "--no-deps"]))?;
        let metadata: Value = serde_json::from_str(&metadata)?;
        let path =
            |key: &str| metadata[key].as_str().map(PathBuf::from).with_context(|| format!("cargo metadata: no {key}"));
        Ok(Self { root: path("workspace_root")?, target: path("target_directory")?, ..Self::default() })
    }

    /// The same project in a copy of the checkout, with directories of its own and the same log. The copy downloads nothing.
    pub(crate) fn elsewhere(&self, root: PathBuf, target: PathBuf, cargo_home: PathBuf) -> Result<Self> {
        let log = self.log.as_ref().map(File::try_clone).transpose()?;
        Ok(Self { root, target, log, cargo_home: Some(cargo_home), ..Self::default() })
    }

    /// The root of the checkout.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo's target directory.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Where cargo keeps what it downloads.
    pub(crate) fn cargo_home(&self) -> Option<PathBuf> {
        let named = || std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        self.cargo_home.clone().or_else(named).or_else(|| Some(std::env::home_dir()?.join(".cargo")))
    }

    /// The folder of the papers' data sets, which are not part of the project.
    pub(crate) fn data(&self) -> Result<&Path> {
        Ok(self.data.as_deref().ok_or_else(|| Missing("no folder of the papers' data sets was named".into()))?)
    }

    /// Names that folder.
    pub(crate) fn keep_data(&mut self, directory: &Path) -> Result<()> {
        let found = directory.canonicalize().with_context(|| format!("no data in {}", directory.display()))?;
        self.data = Some(found);
        Ok(())
    }

    /// Whether [`Self::made`] has been told of this.
    pub(crate) fn has_made(&self, path: &Path) -> bool {
        self.made.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).iter().any(|made| made == path)
    }

    /// This is complete, and stays as it is for the rest of the run.
    pub(crate) fn made(&self, path: &Path) {
        self.made.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(path.to_owned());
    }

    /// From here on, what commands print goes to this file.
    pub(crate) fn log_to(&mut self, file: &Path) -> Result<()> {
        fs::create_dir_all(file.parent().context("a log lies in a folder")?)?;
        self.log = Some(File::create(file).with_context(|| file.display().to_string())?);
        Ok(())
    }

    /// A command that will run in the root of the checkout.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        // `cargo run` puts the target directory first among the places of dynamic libraries. Our own library is there, in the
        // flavour that was built last.
        command.env_remove("LD_LIBRARY_PATH");
        if let Some(home) = &self.cargo_home {
            command.env("CARGO_HOME", home).env("CARGO_TARGET_DIR", &self.target).env("CARGO_NET_OFFLINE", "true");
        }
        command
    }

    /// The files that git knows or would take in, with changes that are not committed: what a build may read.
    pub(crate) fn sources(&self) -> Result<Vec<String>> {
        let git = find_program(&["git"]).ok_or_else(|| Missing("git is not installed".into()))?;
        let mut list = self.command(git);
        list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let listing = self.read(&mut list)?;
        Ok(listing.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// The cargo that runs this program, in the root of the checkout.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(arguments);
        command
    }

    /// A program of the workspace, as its tests have it built.
    pub(crate) fn tested(&self, name: &str) -> Result<PathBuf> {
        let built = self.target.join("tested");
        if !self.has_made(&built) {
            // For fewer targets, cargo would build most dependencies again, with other settings.
            self.run(self.cargo(&["test"]).args(WORKSPACE).args([SEEDED, "--no-run"]))?;
            self.made(&built);
        }
        Ok(self.program("debug", name))
    }

    /// `textveil`, built as it is shipped: what is measured.
    pub(crate) fn optimized(&self) -> Result<PathBuf> {
        // With a benchmark, dependencies have the features that it needs too, and are not built again for it.
        let build = ["build", "--release", "--package=textveil-cli", "--bin=textveil", "--bench=speed"];
        self.run(&mut self.cargo(&build))?;
        Ok(self.program("release", "textveil"))
    }

    /// `textveil-lab`, built as [`Project::optimized`] builds `textveil`.
    pub(crate) fn laboratory(&self) -> Result<PathBuf> {
        self.run(&mut self.cargo(&["build", "--release", "--package=textveil-lab"]))?;
        Ok(self.program("release", "textveil-lab"))
    }

    /// A benchmark of a package, built.
    pub(crate) fn benchmark(&self, package: &str, name: &str) -> Result<PathBuf> {
        let [of, bench] = [format!("--package={package}"), format!("--bench={name}")];
        let messages = self.json(&mut self.cargo(&["build", "--release", &of, &bench, "--message-format=json"]))?;
        let mut built = messages.iter().filter(|artifact| artifact["target"]["name"] == name);
        let program = built.find_map(|artifact| artifact["executable"].as_str().map(PathBuf::from));
        program.with_context(|| format!("cargo built no {name}"))
    }

    /// Where cargo leaves a program.
    pub(crate) fn program(&self, profile: &str, name: &str) -> PathBuf {
        self.target.join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Tells the person at the terminal what is going on, and the log.
    pub(crate) fn say(&self, line: &str) {
        let Some(mut log) = self.log.as_ref() else { return eprintln!("{line}") };
        println!("{line}");
        // A full disk will stop the command itself.
        let _ = writeln!(log, "{line}");
    }

    /// Says what runs, and sends its output to the log.
    fn announce(&self, command: &mut Command) -> Result<String> {
        let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
        let words = std::iter::once(program).chain(command.get_args());
        let line = words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ");
        self.say(&format!("  $ {}", line.chars().take(200).collect::<String>()));
        if let Some(log) = &self.log {
            command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log.try_clone()?);
        }
        Ok(line)
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, command: &mut Command) -> Result<()> {
        let line = self.announce(command)?;
        let status = command.status().with_context(|| format!("cannot start {line}"))?;
        ensure!(status.success(), "failed ({status}): {line}");
        Ok(())
    }

    /// Runs a command to its end and returns how it ended, and what it wrote to its standard output, and to its error output
    /// if that is asked for.
    pub(crate) fn output(&self, command: &mut Command, errors: bool) -> Result<Output> {
        let line = self.announce(command)?;
        if errors {
            command.stderr(Stdio::piped());
        }
        let child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {line}"))?;
        let output = child.wait_with_output()?;
        if let Some(mut log) = self.log.as_ref() {
            log.write_all(&output.stdout)?;
            log.write_all(&output.stderr)?;
        }
        Ok(output)
    }

    /// Runs a command to its end and returns the JSON that it printed, a value a line.
    pub(crate) fn json(&self, command: &mut Command) -> Result<Vec<Value>> {
        let output = self.output(command, false)?;
        ensure!(output.status.success(), "failed ({}): {command:?}", output.status);
        let lines = std::str::from_utf8(&output.stdout)?.lines();
        lines.map(|value| serde_json::from_str(value).with_context(|| format!("not JSON: {value}"))).collect()
    }

    /// Runs a quick command to its end and returns what it wrote to its standard output.
    pub(crate) fn read(&self, command: &mut Command) -> Result<String> {
        // The command may have run before, with its output in the transcript.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
        if !output.status.success() {
            bail!("failed ({}): {command:?}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    /// A program on the search path, which Debian's `packages` hold; they are installed now if they are not there.
    pub(crate) fn need(&self, program: &str, packages: &[&str]) -> Result<PathBuf> {
        let found = find_program(&[program]).or_else(|| {
            self.apt_install(packages);
            find_program(&[program])
        });
        Ok(found.ok_or_else(|| Missing(format!("{program} is not installed (Debian: {})", packages.join(", "))))?)
    }

    /// Installs Debian packages where that needs no question: as root, with apt, and nothing has to give way.
    pub(crate) fn apt_install(&self, packages: &[&str]) -> bool {
        let is_root = self.read(self.command("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
        let apt_get = |arguments: &[&str]| {
            let mut command = self.command("apt-get");
            command.env("DEBIAN_FRONTEND", "noninteractive").args(["-q", "-y"]).args(arguments);
            self.run(&mut command).is_ok()
        };
        is_root
            && find_program(&["apt-get"]).is_some()
            && apt_get(&["update"])
            && apt_get(&[&["install", "--no-install-recommends", "--no-remove"], packages].concat())
    }
}

/// The first of these programs that the search path holds.
pub(crate) fn find_program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().find_map(|name| {
        let suffix = if name.contains('.') { "" } else { std::env::consts::EXE_SUFFIX };
        let file = format!("{name}{suffix}");
        directories.iter().map(|directory| directory.join(&file)).find(|candidate| candidate.is_file())
    })
}

/// Makes `directory` exist and be empty.
pub(crate) fn recreate(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory).with_context(|| format!("cannot empty {}", directory.display()))?;
    }
    fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))
}

/// Copies a directory's content into another, creating what is missing and leaving `node_modules` behind.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))? {
        let entry = entry?;
        let destination = to.join(entry.file_name());
        if !entry.file_type()?.is_dir() {
            copy(&entry.path(), &destination)?;
        } else if entry.file_name() != "node_modules" {
            copy_tree(&entry.path(), &destination)?;
        }
    }
    Ok(())
}

/// The files of a directory and of those in it.
pub(crate) fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() { found.extend(files(&entry.path())?) } else { found.push(entry.path()) }
    }
    Ok(found)
}

/// Copies one file, naming both in an error.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}
