//! Programs, run as a person runs them.

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

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
pub struct File(PathBuf);

impl File {
    /// A file with this content.
    pub fn of(content: &[u8], extension: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("textveil-cli-{}-{number}.{extension}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, content).expect("a place for temporary files");
        Self(path)
    }

    /// Where it is.
    pub fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // A test that fails anyhow should say why, not this.
        let _ = std::fs::remove_file(&self.0);
    }
}
