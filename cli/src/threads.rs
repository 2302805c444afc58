//! The options of commands that work on all cores.

use anyhow::{Context, Result};
use clap::Args;
use rayon::{ThreadPool, ThreadPoolBuilder};
use textveil_toolkit::progress::Pace;

/// How the work is spread, and shown.
#[derive(Args)]
pub(crate) struct Threads {
    /// How many threads draw. Without it, all cores do
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N")]
    threads: usize,
    /// Say every few seconds how far it is, also where standard error is no terminal
    #[arg(long)]
    progress: bool,
}

impl Threads {
    pub(crate) fn pool(&self) -> Result<ThreadPool> {
        ThreadPoolBuilder::new().num_threads(self.threads).build().context("cannot start threads")
    }

    pub(crate) fn pace(&self) -> Pace {
        Pace::new(self.progress)
    }
}
