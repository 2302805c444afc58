//! Programs, run as a person runs them.

use std::ffi::OsStr;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use tempfile::{Builder, TempDir, TempPath};

/// Runs a program that was built with the test, and feeds it.
pub fn run(program: impl AsRef<OsStr>, arguments: &[&str], input: &[u8]) -> Output {
    let program = program.as_ref();
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    // A refusal closes the pipe early.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("it ends")
}

/// What a program has written.
pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8 out")
}

/// A file that is gone when the test has ended.
pub struct File(TempPath);

impl File {
    /// A file with this content.
    pub fn of(content: &[u8], extension: &str) -> Self {
        let suffix = format!(".{extension}");
        let file = Builder::new().prefix("textveil-").suffix(&suffix).tempfile();
        let mut file = file.expect("a place for temporary files");
        file.write_all(content).expect("space");
        Self(file.into_temp_path())
    }

    /// Where it is.
    pub fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }
}

/// A folder that is gone when the test has ended.
pub struct Folder(pub TempDir);

impl Folder {
    /// An empty one.
    #[allow(clippy::new_without_default, reason = "it makes a folder, which no default does")]
    pub fn new() -> Self {
        Self(Builder::new().prefix("textveil-").tempdir().expect("a place for temporary files"))
    }

    /// Where a file of this name is or would be.
    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("UTF-8").to_owned()
    }

    /// Writes a file, and says where it is.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), content).expect("a folder that is there");
        self.path(name)
    }

    /// The text of a file.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}
