//! `textveil` as a person runs it.

mod audit;
mod bulk;
mod calibrate;
mod compare;
mod data;
mod privatize;
mod represent;
mod reproduce;
mod score;
mod timing;
mod train;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

fn textveil(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_textveil"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built with this test");
    // A refusal closes the pipe early.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("it ends")
}

/// The most memory that it has taken, in kB, once it was fed with more than a pipe holds, so that it has worked
/// on nearly all of it.
#[cfg(target_os = "linux")]
fn peak_memory(arguments: &[&str], feed: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_textveil"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary was built with this test");
    let mut pipe = child.stdin.take().expect("piped");
    feed(&mut pipe).expect("it reads all");
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it is running");
    drop(pipe);
    assert!(child.wait().expect("it ends").success());
    let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("Linux");
    line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse().ok()).expect("a number")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8 out")
}

/// A file that is gone when the test has ended.
struct File(PathBuf);

impl File {
    fn of(content: &[u8], extension: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("textveil-cli-{}-{number}.{extension}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, content).expect("a place for temporary files");
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // A test that fails anyhow should say why, not this.
        let _ = std::fs::remove_file(&self.0);
    }
}
