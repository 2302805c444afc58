//! The build driver: `cargo xtask <command>` builds the npm package, serves the demo, runs every test and measures.
//!
//! One file a command; what several commands share is in [`project`] (paths, child processes), [`toolchain`] (Rust targets),
//! [`javascript`], [`python`] and [`chromium`] (the tools of other languages). It depends on none of our crates: it drives them.

mod bench;
mod cache;
mod chromium;
mod demo;
mod dist;
mod javascript;
mod package;
mod project;
mod python;
mod server;
mod size;
mod table_inputs;
mod test;
mod toolchain;
mod tree;

use std::process::ExitCode;

use anyhow::{Result, bail};
use lexopt::prelude::*;

use crate::project::Project;

const HELP: &str = "\
cargo xtask <command>

  demo [--port N] [--no-open]          build the package, serve the demo page on this machine (8080; 0 = any free port), open it
  test [--strict] [--only NAME…] [--list]
                                       every check in order; --strict: what cannot run here counts as failed
  package                              the npm package, unpacked, in target/npm/textveil
  dist                                 the same as a tarball in target/dist
  bench [--json]                       sizes and timings beside a brute-force peer
  table-inputs DIR                     fetch what the embedded English table is built from
";

fn main() -> ExitCode {
    match dispatch() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch() -> Result<ExitCode> {
    let mut args = lexopt::Parser::from_env();
    let command = match args.next()? {
        Some(Value(name)) => name.string()?,
        Some(Short('h') | Long("help")) | None => {
            print!("{HELP}");
            return Ok(ExitCode::SUCCESS);
        }
        Some(other) => return Err(other.unexpected().into()),
    };
    let project = Project::locate()?;
    match command.as_str() {
        "demo" => demo::command(&project, args)?,
        "test" => return test::command(project, args),
        "package" => package::command(&project, args)?,
        "dist" => dist::command(&project, args)?,
        "bench" => bench::command(&project, args)?,
        "table-inputs" => table_inputs::command(&project, args)?,
        unknown => bail!("no command '{unknown}'\n\n{HELP}"),
    }
    Ok(ExitCode::SUCCESS)
}

/// For commands without arguments: whatever is left on the command line is an error.
fn no_more(mut args: lexopt::Parser) -> Result<()> {
    match args.next()? {
        Some(argument) => Err(argument.unexpected().into()),
        None => Ok(()),
    }
}
