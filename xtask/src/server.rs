//! The server of the demo and of the browser tests: `collector`, as a program of its own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use anyhow::{Context, Result, ensure};
use xshell::cmd;

use crate::project::{Project, standard};

/// A part of an address, `/` or `/name/`, and the directory that is served there.
pub(crate) type Mount = (&'static str, PathBuf);

/// A collector that runs until this is dropped, or this program ends in whatever way: until its input ends.
pub(crate) struct Server {
    child: Child,
    /// Where it is.
    pub(crate) url: String,
}

impl Server {
    /// Starts a collector on `port` of this machine (0: any that is free), with `mounts` next to it. It keeps
    /// everything in memory.
    pub(crate) fn start(project: &Project, program: &Path, port: u16, mounts: &[Mount]) -> Result<Self> {
        let (sh, port) = (&project.sh, port.to_string());
        let mounts = mounts.iter().map(|(prefix, directory)| format!("--mount={prefix}={}", directory.display()));
        // A visitor of the demo may send under these terms: every level of every mechanism of the page with a bounded
        // ε, and its two choices of words in clear. By default, a collector accepts less.
        let serve = cmd!(
            sh,
            "{program} serve --until-input-ends --port {port} --mechanism nearest certified plateau exponential
             --max-epsilon=inf --max-text-epsilon=inf --allow-clear function-words placeholders"
        );
        let mut collector = standard(serve.args(mounts));
        let mut child = collector.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("the collector")?;
        let mut url = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut url)?;
        }
        let server = Self { child, url: url.trim_end().into() };
        ensure!(!server.url.is_empty(), "the collector did not start");
        Ok(server)
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
