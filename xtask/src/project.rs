//! Where things are, and how child processes are run.
//!
//! A [`Project`] runs commands either in the open (their output goes to the terminal) or captured into a
//! transcript that is shown only when something fails; the commands themselves do not know which.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// A tool that this machine lacks: a reason to skip a check, not a fault of the code under test.
#[derive(Debug)]
pub(crate) struct Missing(pub(crate) String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

/// The checkout, its build directory, what happens to the output of commands, and what they have made.
pub(crate) struct Project {
    root: PathBuf,
    target: PathBuf,
    data: Option<PathBuf>,
    transcript: Option<Mutex<Transcript>>,
    made: Mutex<Vec<PathBuf>>,
    /// Cargo's own directory, where it is not the usual one.
    cargo_home: Option<PathBuf>,
}

/// What captured commands printed, and the status line that shows that they are alive.
struct Transcript {
    text: String,
    label: &'static str,
    started: Instant,
    redrawn: Instant,
}

/// What is checked, tested and documented at once, so that dependencies are built once. The generator of bindings has no
/// tests, and would double what there is to build of uniffi.
pub(crate) const WORKSPACE: [&str; 2] = ["--workspace", "--exclude=textveil-bindgen"];

/// The feature under which the workspace is tested: a study's seeds are tested too.
const SEEDED: &str = "--features=textveil-mobile/insecure-seeded-rng";

/// How often the status line is redrawn at most.
const REDRAW: Duration = Duration::from_millis(100);

impl Project {
    /// Asks cargo where the workspace and its target directory are.
    pub(crate) fn locate() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let output = Command::new(cargo())
            .args(["metadata", "--format-version=1", "--no-deps", "--manifest-path"])
            .arg(manifest)
            .stderr(Stdio::inherit())
            .output()
            .context("cargo metadata")?;
        ensure!(output.status.success(), "cargo metadata failed");
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        let path =
            |key: &str| metadata[key].as_str().map(PathBuf::from).with_context(|| format!("cargo metadata: no {key}"));
        Ok(Self {
            root: path("workspace_root")?,
            target: path("target_directory")?,
            data: None,
            transcript: None,
            made: Mutex::default(),
            cargo_home: None,
        })
    }

    /// The same project in a copy of the checkout, with directories of its own. The copy downloads nothing.
    pub(crate) fn elsewhere(root: PathBuf, target: PathBuf, cargo_home: PathBuf) -> Self {
        Self { root, target, data: None, transcript: None, made: Mutex::default(), cargo_home: Some(cargo_home) }
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
    ///
    /// # Errors
    /// [`Missing`] if none was named.
    pub(crate) fn data(&self) -> Result<&Path> {
        Ok(self.data.as_deref().ok_or_else(|| Missing("the papers' data sets are elsewhere".into()))?)
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

    /// This is whole, and stays as it is for the rest of the run.
    pub(crate) fn made(&self, path: &Path) {
        self.made.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(path.to_owned());
    }

    /// From here on, captures what commands print, under this label.
    pub(crate) fn capture(&mut self, label: &'static str) {
        let now = Instant::now();
        self.transcript = Some(Mutex::new(Transcript { text: String::new(), label, started: now, redrawn: now }));
    }

    /// What has been captured since [`Self::capture`].
    pub(crate) fn take_transcript(&mut self) -> String {
        let text = self.transcript.take().map(|t| t.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).text);
        text.unwrap_or_default()
    }

    /// A command that will run in the root of the checkout.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        // `cargo run` has dynamic libraries be found in the target directory first: ours, of whatever flavour was built last.
        command.env_remove("LD_LIBRARY_PATH");
        if let Some(home) = &self.cargo_home {
            command.env("CARGO_HOME", home).env("CARGO_TARGET_DIR", &self.target).env("CARGO_NET_OFFLINE", "true");
        }
        command
    }

    /// The files that git knows or would take in, with changes that are not committed: what a build may read.
    ///
    /// # Errors
    /// [`Missing`] without git.
    pub(crate) fn sources(&self) -> Result<Vec<String>> {
        let git = find_program(&["git"]).ok_or_else(|| Missing("git is not installed".into()))?;
        let mut list = self.command(git);
        list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let listing = self.read(&mut list)?;
        Ok(listing.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// The cargo that runs this program, in the root of the checkout.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(cargo());
        command.args(arguments);
        command
    }

    /// The collector, built to serve: training would bring a hundred crates more.
    ///
    /// # Errors
    /// It does not build.
    pub(crate) fn collector(&self) -> Result<PathBuf> {
        self.run(&mut self.cargo(&["build", "--package=textveil-collector", "--no-default-features"]))?;
        Ok(self.program("debug", "textveil-collector"))
    }

    /// Runs all tests in Rust.
    ///
    /// # Errors
    /// One fails.
    pub(crate) fn test(&self) -> Result<()> {
        self.run(self.cargo(&["test"]).args(WORKSPACE).arg(SEEDED))
    }

    /// A program, as its tests have it built.
    ///
    /// # Errors
    /// It does not build.
    pub(crate) fn tested(&self, name: &str) -> Result<PathBuf> {
        // For fewer targets, cargo would build most dependencies again, with other settings.
        self.run(self.cargo(&["test"]).args(WORKSPACE).args([SEEDED, "--no-run"]))?;
        Ok(self.program("debug", name))
    }

    /// `textveil`, built as it is shipped: what is measured.
    ///
    /// # Errors
    /// It does not build.
    pub(crate) fn optimized(&self) -> Result<PathBuf> {
        // With a benchmark, dependencies have the features that it needs too, and are not built again for it.
        let build = ["build", "--release", "--package=textveil-cli", "--bin=textveil", "--bench=speed"];
        self.run(&mut self.cargo(&build))?;
        Ok(self.program("release", "textveil"))
    }

    /// `textveil-lab`, built as [`Project::optimized`] builds `textveil`.
    ///
    /// # Errors
    /// It does not build.
    pub(crate) fn laboratory(&self) -> Result<PathBuf> {
        self.run(&mut self.cargo(&["build", "--release", "--package=textveil-lab"]))?;
        Ok(self.program("release", "textveil-lab"))
    }

    /// A benchmark of a package, built.
    ///
    /// # Errors
    /// It does not build.
    pub(crate) fn benchmark(&self, package: &str, name: &str) -> Result<PathBuf> {
        let [of, bench] = [format!("--package={package}"), format!("--bench={name}")];
        let build = ["build", "--release", &of, &bench, "--message-format=json"];
        let messages = self.read(&mut self.cargo(&build))?;
        let artifacts = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let program = artifacts
            .filter(|artifact| artifact["target"]["name"] == name)
            .find_map(|artifact| artifact["executable"].as_str().map(PathBuf::from));
        program.with_context(|| format!("cargo built no {name}"))
    }

    fn program(&self, profile: &str, name: &str) -> PathBuf {
        self.target.join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Tells the person at the terminal, or the transcript, what is going on.
    pub(crate) fn say(&self, line: &str) {
        match &self.transcript {
            None => eprintln!("{line}"),
            Some(transcript) => append(transcript, line),
        }
    }

    /// Runs a command to its end.
    ///
    /// # Errors
    /// It could not be started, or it did not end in success.
    pub(crate) fn run(&self, command: &mut Command) -> Result<()> {
        let line = display(command);
        self.say(&format!("$ {line}"));
        let status = match &self.transcript {
            None => command.status().with_context(|| format!("cannot start {line}"))?,
            Some(transcript) => {
                command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
                let mut child = command.spawn().with_context(|| format!("cannot start {line}"))?;
                let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
                thread::scope(|scope| {
                    scope.spawn(|| copy_lines(stdout, transcript));
                    copy_lines(stderr, transcript);
                });
                child.wait()?
            }
        };
        ensure!(status.success(), "failed ({status}): {line}");
        Ok(())
    }

    /// Runs a command to its end and returns what it wrote to its standard output.
    ///
    /// # Errors
    /// It could not be started, did not end in success, or did not write UTF-8.
    pub(crate) fn read(&self, command: &mut Command) -> Result<String> {
        let line = display(command);
        let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {line}"))?;
        if !output.status.success() {
            bail!("failed ({}): {line}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    /// The part of the transcript that matches, line by line: how a check reads the totals that its command
    /// printed.
    pub(crate) fn lines_with(&self, needle: &str) -> Vec<String> {
        let Some(transcript) = &self.transcript else { return Vec::new() };
        let transcript = transcript.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        transcript.text.lines().filter(|line| line.contains(needle)).map(str::to_owned).collect()
    }

    /// How many Rust tests have passed in the transcript.
    pub(crate) fn passed(&self) -> usize {
        let totals = self.lines_with("test result: ok. ");
        totals.iter().filter_map(|line| line.split("ok. ").nth(1)?.split(' ').next()?.parse::<usize>().ok()).sum()
    }
}

fn copy_lines(pipe: Option<impl Read>, transcript: &Mutex<Transcript>) {
    let Some(pipe) = pipe else { return };
    for line in BufReader::new(pipe).split(b'\n') {
        // A pipe that breaks means that the child has gone: its exit status tells the rest.
        let Ok(line) = line else { return };
        append(transcript, String::from_utf8_lossy(&line).trim_end_matches('\r'));
    }
}

fn append(transcript: &Mutex<Transcript>, line: &str) {
    let mut transcript = transcript.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    transcript.text.push_str(line);
    transcript.text.push('\n');
    let mut stdout = std::io::stdout();
    if transcript.redrawn.elapsed() >= REDRAW && stdout.is_terminal() {
        transcript.redrawn = Instant::now();
        let seconds = transcript.started.elapsed().as_secs();
        let shown: String = line.chars().filter(|c| !c.is_control()).take(60).collect();
        // The terminal is a courtesy: a failure to draw on it must not fail a check.
        let _ = write!(stdout, "\r\x1b[K{:<10} {seconds:>4} s  {shown}", transcript.label);
        let _ = stdout.flush();
    }
}

/// A command as a person would type it.
fn display(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// The cargo that started this program.
fn cargo() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
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
        if entry.file_type()?.is_dir() {
            if entry.file_name() != "node_modules" {
                copy_tree(&entry.path(), &destination)?;
            }
        } else {
            copy(&entry.path(), &destination)?;
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
