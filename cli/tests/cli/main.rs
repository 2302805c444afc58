//! `textveil` as a person runs it.

mod audit;
mod bulk;
mod calibrate;
mod extend;
mod other_language;
mod output;
mod privatize;
mod represent;
mod score;
mod statements;
mod timing;

use std::io::Write;
use std::process::{Command, Output, Stdio};

use textveil_tests::{File, Folder, text};

fn textveil(arguments: &[&str], input: &[u8]) -> Output {
    textveil_tests::run(env!("CARGO_BIN_EXE_textveil"), arguments, input)
}

/// The most memory that it has taken, in kB. It is fed with more than a pipe holds, so that it has worked on nearly all
/// of the input.
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

#[test]
fn shells_and_the_manual_know_every_command() {
    textveil_tests::shell::check(env!("CARGO_BIN_EXE_textveil"), "textveil");
}
