//! The options of commands that work on all cores.

use anyhow::{Context, Result};
use clap::Args;
use rayon::{ThreadPool, ThreadPoolBuilder};
use textveil_toolkit::progress::Pace;

/// How the work is spread, and shown.
#[derive(Args)]
pub(crate) struct Threads {
    /// How many threads draw. Without it, all cores do
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Say every few seconds how far it is, also where standard error is no terminal
    #[arg(long)]
    progress: bool,
}

impl Threads {
    pub(crate) fn pool(&self) -> Result<ThreadPool> {
        ThreadPoolBuilder::new()
            .num_threads(self.threads.map_or(0, usize::from))
            .build()
            .context("cannot start threads")
    }

    pub(crate) fn pace(&self) -> Pace {
        Pace::new(self.progress)
    }
}
