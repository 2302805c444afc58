//! Where things are, and how child processes are run.
//!
//! A [`Project`] announces each command before it runs. The output of commands goes to the terminal, or, while a check
//! runs, to the check's log in `target/logs`, which is shown if the check fails. Commands are written with xshell's
//! `cmd!`, and run in the root of the checkout.

use std::cell::{Cell, RefCell};
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use walkdir::{DirEntry, WalkDir};
use xshell::{Cmd, Shell, cmd};

/// A tool that this machine lacks: a reason to skip a check, not a fault of the code under test. Every function here
/// fails with it where a tool that it runs cannot be had, and with another error if the tool fails.
#[derive(Debug)]
pub(crate) struct Missing(pub(crate) String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

/// The checkout, its build directory, where the output of commands goes, and what this run has built already.
pub(crate) struct Project {
    /// The root of the checkout.
    pub(crate) root: PathBuf,
    /// Cargo's target directory.
    pub(crate) target: PathBuf,
    /// Runs commands in the root of the checkout, and finds files from there.
    pub(crate) sh: Shell,
    /// The cargo that runs this program.
    pub(crate) cargo: PathBuf,
    /// The folder that [`Self::data`] gives.
    pub(crate) papers: Option<PathBuf>,
    /// How many tests were skipped since the log began.
    pub(crate) skipped: Cell<usize>,
    log: Option<File>,
    /// The check that the log is of.
    step: String,
    made: RefCell<Vec<PathBuf>>,
}

/// Held by the lane of checks that changes what both use: the packages of the system, or those of Python and Rust.
pub(crate) static APT: Mutex<()> = Mutex::new(());
pub(crate) static TOOLS: Mutex<()> = Mutex::new(());

/// The packages that are checked, tested and documented together, so that cargo builds their dependencies once. The
/// generator of bindings has no tests, and would double the number of uniffi's crates.
pub(crate) const WORKSPACE: [&str; 2] = ["--workspace", "--exclude=textveil-bindgen"];

/// The feature under which the workspace is tested: the tests of a study's seeds need it.
pub(crate) const SEEDED: &str = "--features=textveil-mobile/insecure-seeded-rng";

impl Project {
    fn new(root: PathBuf, target: PathBuf) -> Result<Self> {
        let sh = Shell::new()?;
        sh.change_dir(&root);
        let cargo = sh.var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from);
        let (skipped, made) = (Cell::default(), RefCell::default());
        Ok(Self { root, target, sh, cargo, papers: None, skipped, log: None, step: String::new(), made })
    }

    /// Asks cargo where its target directory is.
    pub(crate) fn locate() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the workspace")?;
        let Self { sh, cargo, .. } = Self::new(root.to_owned(), PathBuf::new())?;
        let metadata = cmd!(sh, "{cargo} metadata --format-version=1 --no-deps").quiet().read()?;
        let metadata: Value = serde_json::from_str(&metadata)?;
        let target = metadata["target_directory"].as_str().context("cargo names no target directory")?;
        Self::new(root.to_owned(), target.into())
    }

    /// The same project in a copy of the checkout, with directories of its own and the same log. The copy downloads
    /// nothing.
    pub(crate) fn elsewhere(&self, root: PathBuf, target: PathBuf, cargo_home: &Path) -> Result<Self> {
        let log = self.log.as_ref().map(File::try_clone).transpose()?;
        let copy = Self { log, ..Self::new(root, target)? };
        copy.sh.set_var("CARGO_HOME", cargo_home);
        copy.sh.set_var("CARGO_TARGET_DIR", &copy.target);
        copy.sh.set_var("CARGO_NET_OFFLINE", "true");
        Ok(copy)
    }

    /// A shell in this folder.
    pub(crate) fn at(&self, folder: &Path) -> Shell {
        let sh = self.sh.clone();
        sh.change_dir(folder);
        sh
    }

    /// Where cargo keeps what it downloads.
    pub(crate) fn cargo_home(&self) -> Option<PathBuf> {
        let named = self.sh.var_os("CARGO_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        named.or_else(|| Some(std::env::home_dir()?.join(".cargo")))
    }

    /// The folder of the papers' data sets, which are not part of the project.
    pub(crate) fn data(&self) -> Result<&Path> {
        Ok(self.papers.as_deref().ok_or_else(|| Missing("no folder of the papers' data sets was named".into()))?)
    }

    /// Makes this, which then stays as it is, unless this run has made it already.
    pub(crate) fn once(&self, path: &Path, make: impl FnOnce() -> Result<()>) -> Result<()> {
        if !self.made.borrow().iter().any(|made| made == path) {
            make()?;
            self.made.borrow_mut().push(path.to_owned());
        }
        Ok(())
    }

    /// From here on, what commands print goes to this file.
    pub(crate) fn log_to(&mut self, file: &Path) -> Result<()> {
        self.sh.write_file(file, "")?;
        self.log = Some(File::create(file)?);
        self.skipped.set(0);
        self.step = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(())
    }

    /// The files that git knows or would take in, with changes that are not committed: what a build may read.
    pub(crate) fn sources(&self) -> Result<Vec<String>> {
        let sh = &self.sh;
        let git = find_program(&["git"]).ok_or_else(|| Missing("git is not installed".into()))?;
        let listing = self.read(cmd!(sh, "{git} ls-files -z --cached --others --exclude-standard"))?;
        Ok(listing.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// A program of the workspace, as its tests build it.
    pub(crate) fn tested(&self, name: &str) -> Result<PathBuf> {
        let Self { sh, cargo, target, .. } = self;
        // For fewer targets, cargo would build most dependencies again, with other settings.
        let build = || self.run(cmd!(sh, "{cargo} test {WORKSPACE...} {SEEDED} --no-run"));
        self.once(&target.join("tested"), build)?;
        Ok(self.program("debug", name))
    }

    /// `textveil`, built as it is shipped: what is measured.
    pub(crate) fn optimized(&self) -> Result<PathBuf> {
        let Self { sh, cargo, .. } = self;
        // With a benchmark, dependencies have the features that it needs too, and are not built again for it.
        self.run(cmd!(sh, "{cargo} build --release --package=textveil-cli --bin=textveil --bench=speed"))?;
        Ok(self.program("release", "textveil"))
    }

    /// A benchmark of a package, built.
    pub(crate) fn benchmark(&self, package: &str, name: &str) -> Result<PathBuf> {
        let Self { sh, cargo, .. } = self;
        let build = cmd!(sh, "{cargo} build --release --package={package} --bench={name} --message-format=json");
        let messages = self.json(build)?;
        let mut built = messages.iter().filter(|artifact| artifact["target"]["name"] == name);
        let program = built.find_map(|artifact| artifact["executable"].as_str().map(PathBuf::from));
        program.with_context(|| format!("cargo built no {name}"))
    }

    /// Where cargo leaves a program.
    pub(crate) fn program(&self, profile: &str, name: &str) -> PathBuf {
        self.target.join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Says what runs, to the person at the terminal and to the log, and sends its output to the log.
    fn announce(&self, command: Cmd<'_>) -> Result<(Command, String)> {
        let mut command = standard(command);
        let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
        let words = std::iter::once(program).chain(command.get_args());
        let line = words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ");
        let shown: String = line.chars().take(200).collect();
        if let Some(mut log) = self.log.as_ref() {
            println!("  {} $ {shown}", self.step);
            writeln!(log, "  $ {shown}")?;
            command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log.try_clone()?);
        } else {
            eprintln!("  $ {shown}");
        }
        Ok((command, line))
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, command: Cmd<'_>) -> Result<()> {
        let (mut command, line) = self.announce(command)?;
        let status = command.status().with_context(|| format!("cannot start {line}"))?;
        ensure!(status.success(), "failed ({status}): {line}");
        Ok(())
    }

    /// Runs a command to its end. Returns how it ended and its standard output, with its error output if `errors`.
    pub(crate) fn output(&self, command: Cmd<'_>, errors: bool) -> Result<Output> {
        let (mut command, line) = self.announce(command)?;
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

    /// Runs a command to its end and returns what it printed.
    pub(crate) fn printed(&self, command: Cmd<'_>) -> Result<String> {
        let line = command.to_string();
        let output = self.output(command, false)?;
        ensure!(output.status.success(), "failed ({}): {line}", output.status);
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Runs a command to its end and returns the JSON that it printed, a value a line.
    pub(crate) fn json(&self, command: Cmd<'_>) -> Result<Vec<Value>> {
        let parse = |line| serde_json::from_str(line).with_context(|| format!("not JSON: {line}"));
        self.printed(command)?.lines().map(parse).collect()
    }

    /// Runs a quick command to its end and returns what it wrote to its standard output.
    pub(crate) fn read(&self, command: Cmd<'_>) -> Result<String> {
        let mut command = standard(command);
        let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {command:?}"))?;
        if !output.status.success() {
            bail!("failed ({}): {command:?}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    /// A program on the search path, which Debian's `packages` hold; they are installed now if they are not there.
    pub(crate) fn need(&self, program: &str, packages: &[&str]) -> Result<PathBuf> {
        let installed = || find_program(&[program]);
        let found = installed().or_else(|| self.apt_install(packages).then(installed).flatten());
        Ok(found.ok_or_else(|| Missing(format!("{program} is not installed (Debian: {})", packages.join(", "))))?)
    }

    /// Installs Debian packages where that needs no question: as root, with apt, and nothing has to give way.
    pub(crate) fn apt_install(&self, packages: &[&str]) -> bool {
        let (sh, _apt) = (&self.sh, APT.lock());
        let is_root = self.read(cmd!(sh, "id -u")).is_ok_and(|id| id.trim() == "0");
        let succeeds = |command: Cmd<'_>| self.run(command.env("DEBIAN_FRONTEND", "noninteractive")).is_ok();
        is_root
            && find_program(&["apt-get"]).is_some()
            && succeeds(cmd!(sh, "apt-get -q -y update"))
            && succeeds(cmd!(sh, "apt-get -q -y install --no-install-recommends --no-remove {packages...}"))
    }
}

/// A command without the place of dynamic libraries that `cargo run` puts first: the target directory. Our own library
/// is there, in the flavour that was built last.
pub(crate) fn standard(command: Cmd<'_>) -> Command {
    command.env_remove("LD_LIBRARY_PATH").into()
}

/// The first of these programs that the search path holds.
pub(crate) fn find_program(names: &[&str]) -> Option<PathBuf> {
    names.iter().find_map(|name| which::which(name).ok())
}

/// Makes `directory` exist and be empty.
pub(crate) fn recreate(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory).with_context(|| format!("cannot empty {}", directory.display()))?;
    }
    fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))
}

/// Copies a file, or the files of a directory without `node_modules`, to another place, which is made.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    for entry in WalkDir::new(from).into_iter().filter_entry(|entry| entry.file_name() != "node_modules") {
        let entry = entry?;
        if !entry.file_type().is_dir() {
            // A file has nothing inside it, and no slash at the end of its name.
            let copy: PathBuf = to.join(entry.path().strip_prefix(from)?).components().collect();
            let folder = copy.parent().map_or(Ok(()), fs::create_dir_all);
            folder.and_then(|()| fs::copy(entry.path(), &copy)).with_context(|| copy.display().to_string())?;
        }
    }
    Ok(())
}

/// The files of a directory and of those in it.
pub(crate) fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = WalkDir::new(directory).into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(entries.into_iter().filter(|entry| !entry.file_type().is_dir()).map(DirEntry::into_path).collect())
}
