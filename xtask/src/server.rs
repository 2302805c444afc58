//! The server of the demo and of the browser tests: `collector`, as a program of its own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use anyhow::{Context, Result, ensure};

use crate::project::Project;

/// The terms on which a visitor of the demo may send: every level of every mechanism with a bounded ε that the page has, and
/// its two choices of words in clear. By default, a collector accepts less.
const DEMO_TERMS: [&str; 9] = [
    "--mechanism",
    "certified",
    "plateau",
    "exponential",
    "--max-epsilon=inf",
    "--max-text-epsilon=inf",
    "--allow-clear",
    "function-words",
    "placeholders",
];

/// A directory under an address.
pub(crate) struct Mount {
    /// `/`, or `/name/`.
    pub(crate) prefix: &'static str,
    /// What is served there.
    pub(crate) directory: PathBuf,
}

/// A collector that runs until this is dropped, or this program ends in whatever way.
pub(crate) struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts the collector that the tests have built on `port` of this machine (0: any that is free), with `mounts` beside it.
    pub(crate) fn start(project: &Project, port: u16, mounts: &[Mount]) -> Result<Self> {
        Self::run(project, &project.tested("textveil-collector")?, port, mounts)
    }

    /// Starts this collector. What it holds, it holds in memory.
    pub(crate) fn run(project: &Project, program: &Path, port: u16, mounts: &[Mount]) -> Result<Self> {
        let mut collector = project.command(program);
        collector.args(["serve", "--until-input-ends", "--port", &port.to_string()]).args(DEMO_TERMS);
        for Mount { prefix, directory } in mounts {
            collector.arg("--mount").arg(format!("{prefix}={}", directory.display()));
        }
        let mut child = collector.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("the collector")?;
        let mut url = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut url)?;
        }
        let server = Self { child, url: url.trim_end().into() };
        ensure!(!server.url.is_empty(), "the collector did not start");
        Ok(server)
    }

    /// Where it is.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Waits until it ends, by itself or by Ctrl-C.
    pub(crate) fn wait(&mut self) -> Result<()> {
        // Closing its input would end it, and `Child::wait` does that first.
        let input = self.child.stdin.take();
        let ended = self.child.wait();
        drop(input);
        ended.map(drop).context("the collector")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}
