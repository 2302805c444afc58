//! An output in the making, from which an interrupted run can resume.
//!
//! `OUTPUT.partial` is a directory with the output so far and `state.json`, which says how much of the input that
//! output covers. The state is written after that output is on the disk, and is replaced as a whole. Output behind it
//! was never counted: it is cut off and drawn anew. It was in no file of the output's name, so nothing of it was
//! released (unless somebody copied the directory meanwhile).
//!
//! The state holds a digest of the input that was worked on, so that another input is not taken for it: the directory
//! is for the device alone. It is gone when the output is complete.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Tally;
use textveil_toolkit::files::{hexadecimal, open, replace};

/// How often the state is written: what a crash may cost.
const EVERY: Duration = Duration::from_millis(200);

/// How far a run is.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct State {
    /// Rows of the input that are done.
    pub rows: u64,
    /// Bytes of the input that they are, and the line behind them; of Parquet, all bytes and 0.
    pub input: u64,
    /// The line that is next, from 1.
    pub line: u64,
    /// Files that the output is made of, where it is made of several.
    pub parts: u32,
    /// What has been released.
    pub tally: Tally,
}

/// What is stored.
#[derive(Serialize, Deserialize)]
struct Saved {
    /// Everything that the releases depend on, but their randomness.
    settings: Value,
    #[serde(flatten)]
    state: State,
    /// Bytes written.
    output: u64,
    /// SHA-256 of the input that is done.
    digest: String,
}

/// What becomes of an output that is there already, or of an earlier run at it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is refused.
    Refuse,
    /// An earlier run is resumed.
    Resume,
    /// The new output takes its place.
    Replace,
}

/// An output in the making.
pub struct Partial {
    output: PathBuf,
    standing: Standing,
    directory: PathBuf,
    data: File,
    written: u64,
    settings: Value,
    /// `None` for input that cannot be read again, so that no run can resume it.
    input: Option<Prefix>,
    saved: Instant,
}

impl Partial {
    /// Begins or resumes an output. The state is that of an earlier run, if there was one. What `is_private` holds words of the
    /// texts: other accounts of the machine cannot read it.
    ///
    /// # Errors
    /// An output that is there already; an earlier run that nobody asked to resume, or that had another input or
    /// other settings; what cannot be read or written.
    pub fn open(
        output: &Path,
        standing: Standing,
        settings: Value,
        input: Option<&Path>,
        is_private: bool,
    ) -> Result<(Self, Option<State>)> {
        Self::check(output, standing)?;
        ensure!(
            output.is_file() || !output.exists(),
            "{} is no file: without --output, releases go to standard output",
            output.display()
        );
        let goes_on = if input.is_some() && !output.is_file() { "--resume continues it. " } else { "" };
        let prefix = |path| Ok::<_, anyhow::Error>(Prefix { file: open(path)?, at: 0, hash: Sha256::new() });
        let input = input.map(prefix).transpose()?;
        let directory = Self::place(output);
        let shown = directory.display();
        let made = private_directory(&directory);
        if let Err(error) = &made {
            ensure!(error.kind() == io::ErrorKind::AlreadyExists, "cannot write {shown}: {error}");
            ensure!(is_of_a_run(&directory)?, "{shown} is in the way: it is of no earlier run");
        }
        let mut options = File::options();
        #[cfg(unix)]
        if is_private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let data = options.read(true).write(true).create(true).truncate(false).open(directory.join("data"))?;
        ensure!(data.try_lock().is_ok(), "another run is at {shown}");
        let may_stay = made.is_ok() || standing == Standing::Resume;
        ensure!(
            may_stay,
            "an earlier run got as far as {shown}: {goes_on}To begin anew, which spends again, delete the folder"
        );
        let (output, saved) = (output.to_owned(), Instant::now());
        let mut partial = Self { output, standing, directory, data, written: 0, settings, input, saved };
        let state = partial.earlier()?;
        partial.data.set_len(partial.written)?;
        partial.data.seek(SeekFrom::End(0))?;
        Ok((partial, state))
    }

    /// Refuses an output that is there already, unless the new one takes its place. Commands call it before long work.
    ///
    /// # Errors
    /// It is there.
    pub fn check(output: &Path, standing: Standing) -> Result<()> {
        ensure!(
            standing == Standing::Replace || !output.is_file(),
            "{} is there already. To privatize the same texts again spends again: --force does so",
            output.display()
        );
        Ok(())
    }

    /// Where a run keeps what it has so far.
    pub fn place(output: &Path) -> PathBuf {
        let mut directory = output.to_owned().into_os_string();
        directory.push(".partial");
        PathBuf::from(directory)
    }

    /// The state of an earlier run, compared with this one.
    fn earlier(&mut self) -> Result<Option<State>> {
        let path = self.directory.join("state.json");
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        let saved: Saved = serde_json::from_slice(&bytes).with_context(|| path.display().to_string())?;
        ensure!(
            saved.settings == self.settings,
            "{}: the earlier run had other settings. Pass them again. To begin anew, which spends again, delete the folder",
            self.directory.display()
        );
        let digest = self.input.as_mut().map(|input| input.digest(saved.state.input)).transpose()?;
        ensure!(
            digest.as_ref() == Some(&saved.digest),
            "{}: the earlier run had another input",
            self.directory.display()
        );
        let length = self.data.metadata()?.len();
        ensure!(saved.output <= length, "{}: something of the output is missing", self.directory.display());
        // Without releases there is nothing to keep.
        let state = Some(saved.state).filter(|state| state.tally.releases > 0);
        self.written = state.as_ref().map_or(0, |_| saved.output);
        Ok(state)
    }

    /// Writes behind what was written.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.data.write_all(bytes).with_context(|| format!("cannot write {}", self.directory.display()))?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Notes how far it is, if that was long ago.
    pub fn reached(&mut self, state: &State) -> Result<()> {
        if self.saved.elapsed() < EVERY { Ok(()) } else { self.save(state) }
    }

    /// Notes how far it is.
    pub fn save(&mut self, state: &State) -> Result<()> {
        let Some(input) = &mut self.input else { return Ok(()) };
        self.data.sync_data()?;
        let digest = input.digest(state.input)?;
        let saved = Saved { settings: self.settings.clone(), state: state.clone(), output: self.written, digest };
        replace(&self.directory.join("state.json"), &serde_json::to_vec(&saved)?)?;
        self.saved = Instant::now();
        Ok(())
    }

    /// The place of a part.
    pub fn part(&self, number: u32) -> PathBuf {
        self.directory.join(format!("part-{number}"))
    }

    /// What is written to, for who writes it as a whole at the end.
    pub fn data(&self) -> Result<File> {
        Ok(self.data.try_clone()?)
    }

    /// Leaves nothing behind of a run that has written nothing.
    pub fn give_up(&self) -> Result<()> {
        fs::remove_dir_all(&self.directory).with_context(|| format!("cannot remove {}", self.directory.display()))
    }

    /// Gives the output its name.
    pub fn finish(self) -> Result<()> {
        self.data.sync_all()?;
        if self.standing != Standing::Replace && self.output.exists() {
            bail!("{} is there already: the releases are in {}", self.output.display(), self.directory.display());
        }
        fs::rename(self.directory.join("data"), &self.output)
            .with_context(|| format!("cannot write {}", self.output.display()))?;
        self.give_up()
    }
}

/// A directory that other accounts of the machine cannot read. A digest of the input in it would confirm a guess of a short
/// one.
fn private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Whether this is a directory with nothing in it but what runs leave there.
fn is_of_a_run(directory: &Path) -> Result<bool> {
    if !directory.is_dir() {
        return Ok(false);
    }
    let (mut is_empty, mut has_data) = (true, false);
    for entry in fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let is_fresh = name.starts_with("state.json.") && name.ends_with(".new");
        let is_part =
            name.strip_prefix("part-").is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()));
        if name != "data" && name != "state.json" && !is_fresh && !is_part {
            return Ok(false);
        }
        (is_empty, has_data) = (false, has_data || name == "data");
    }
    Ok(is_empty || has_data)
}

/// The beginning of a file, digested as far as has been asked for.
struct Prefix {
    file: File,
    at: u64,
    hash: Sha256,
}

impl Prefix {
    fn digest(&mut self, length: u64) -> Result<String> {
        let mut buffer = vec![0; 64 << 10];
        while self.at < length {
            let most = buffer.len().min(usize::try_from(length - self.at).unwrap_or(usize::MAX));
            let read = self.file.read(&mut buffer[..most]).context("cannot read the input again")?;
            if read == 0 {
                break;
            }
            self.hash.update(&buffer[..read]);
            self.at += read as u64;
        }
        Ok(hexadecimal(&self.hash.clone().finalize()))
    }
}
