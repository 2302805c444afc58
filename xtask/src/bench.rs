//! `cargo xtask bench`: how fast each kernel and each language draws words, next to other software, and what a page
//! loads.
//!
//! This file builds what is measured. `xtask/bench/measure.py` measures in turns, so that a busy neighbour slows all
//! contestants, and prints a report. Every program that measures prints JSON: the benchmarks `cli/benches/speed.rs` (by
//! criterion), `tests/node`, `tests/browser`, and the other programs in `xtask/bench`. `xtask/bench/page` makes the
//! page of the report.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Error, Result};
use serde_json::{Map, Value as Json, json};
use xshell::{Cmd, cmd};

use crate::browsers::CHROMIUM;
use crate::javascript::Node;
use crate::package::{self, Flavour};
use crate::project::Project;
use crate::python::{self, python};
use crate::server::Server;
use crate::test::site;
use crate::{budget, cache, mobile};

/// The report that `--write` writes, and what makes the page of it.
const REPORT: &str = "xtask/bench/results.json";
const PAGE: &str = "xtask/bench/page/page.py";

/// The measurements to take, and what becomes of the report.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Next to other software
    #[arg(long)]
    peers: bool,
    /// Once each
    #[arg(long)]
    quick: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Make it the recorded one, and write BENCHMARKS.md
    #[arg(long)]
    write: bool,
    /// Write BENCHMARKS.md anew
    #[arg(long, exclusive = true)]
    page: bool,
    /// A million reviews through the command line
    #[arg(long, value_name = "DATA", exclusive = true)]
    reviews: Option<PathBuf>,
}

/// `cargo xtask bench`
pub(crate) fn command(project: &Project, options: &Options) -> Result<()> {
    let Project { sh, target, .. } = project;
    if let Some(data) = &options.reviews {
        // Without the peers, the reviews are measured all the same.
        let (python, textveil) = (environment(project).or_else(|_| python())?, project.optimized()?);
        let (data, tables) = (data.canonicalize()?, tables()?);
        return project.run(cmd!(sh, "{python} xtask/bench/command_line.py {textveil} {data} {tables}"));
    }
    let python = python::with_requirements(project, "xtask/bench/page/requirements.txt")?;
    let write_page = || project.run(cmd!(sh, "{python} {PAGE} --write"));
    if options.page {
        return write_page();
    }
    let report = measure(project, options)?;
    if options.write {
        sh.write_file(REPORT, &report)?;
        write_page()?;
    }
    let file = target.join("bench-report.json");
    sh.write_file(&file, &report)?;
    print!("{}", if options.json { report } else { project.read(cmd!(sh, "{python} {PAGE} {file}"))? });
    Ok(())
}

/// Builds everything, and has it measured: the report, as JSON.
fn measure(project: &Project, options: &Options) -> Result<String> {
    let Project { sh, target, .. } = project;
    let &Options { peers: with_peers, quick, .. } = options;
    let mut missing = Vec::new();
    let mut or_missing = |what: &str, error: Error| missing.push(format!("{what}: {error:#}"));
    let counted = budget::count(project, false).map_err(|error| or_missing("instructions", error)).unwrap_or_default();
    let peers = with_peers.then(|| environment(project).map_err(|error| or_missing("all peers", error)).ok()).flatten();
    let (program, native) = (project.optimized()?, project.benchmark("textveil-cli", "speed")?);
    let python = python()?;
    let mut site = site(project)?;
    site.insert(0, ("/tests/bench/", tables()?));
    let server = Server::start(project, &project.tested("textveil-collector")?, 0, &site)?;
    let mut programs = Vec::new();
    for (what, commands) in products(project, &python, &program, &server) {
        let commands = commands.map_err(|error| or_missing(what, error)).unwrap_or_default();
        programs.extend(commands.into_iter().map(|(name, command)| described(name, command.into())));
    }
    let flags = [(with_peers, " --peers"), (quick, " --quick")];
    let flags: String = flags.into_iter().filter_map(|(given, flag)| given.then_some(flag)).collect();
    let plan = json!({
        "rounds": if quick { 1 } else { 5 },
        "peers": peers.is_some(),
        "native": native,
        "textveil": program,
        "tables": tables()?,
        "scratch": target,
        "programs": programs,
        "report": {
            "command": format!("cargo xtask bench{flags}"),
            "missing": missing,
            "numbers": { "bytes": downloads(project)?, "instructions": counted["instructions"] },
        },
    });
    let (file, python) = (target.join("bench.json"), peers.unwrap_or(python));
    sh.write_file(&file, plan.to_string())?;
    project.printed(cmd!(sh, "{python} xtask/bench/measure.py {file}").env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// The Python that has the peers.
fn environment(project: &Project) -> Result<PathBuf> {
    python::with_requirements(project, "xtask/bench/requirements.txt")
}

/// The folder of the tables that are measured next to the shipped one.
fn tables() -> Result<PathBuf> {
    Ok(cache::directory()?.join("vocabularies-1"))
}

/// Programs that measure, each with the name that its numbers are under.
type Programs<'a> = Vec<(&'static str, Cmd<'a>)>;

/// What measures the whole product, from text to text, on the command line and in each language; or why it cannot.
fn products<'a>(
    project: &'a Project,
    python: &Path,
    program: &Path,
    server: &Server,
) -> [(&'static str, Result<Programs<'a>>); 4] {
    let sh = &project.sh;
    let node = |script| -> Result<Cmd<'_>> {
        let node = Node::find(project)?;
        node.install(project)?;
        node.script(project, script)
    };
    let synthetic = || -> Result<PathBuf> { Ok(tables()?.join("synthetic-32768x64.tvt")) };
    let command_line = Ok(vec![("command line", cmd!(sh, "{python} -B xtask/bench/command_line.py {program}"))]);
    let in_node = || {
        let run = || node("tests/node/bench.mjs");
        Ok(vec![("Node", run()?), ("Node/synthetic", run()?.arg(synthetic()?))])
    };
    let in_chromium = || {
        let visit = node("tests/browser/bench.mjs")?.envs([CHROMIUM.find(project)?]);
        Ok(vec![("Chromium", visit.env("TEXTVEIL_SITE", &server.url))])
    };
    let in_python = || {
        let package = mobile::python_package(project, Flavour::Release)?;
        let run = || cmd!(sh, "{python} -B xtask/bench/package.py").env("PYTHONPATH", &package);
        Ok(vec![("Python", run()), ("Python/synthetic", run().arg(synthetic()?))])
    };
    [("command line", command_line), ("Node", in_node()), ("Chromium", in_chromium()), ("Python", in_python())]
}

/// A command as `measure.py` reads it.
fn described(name: &str, command: Command) -> Json {
    let argv: Vec<_> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(|word| word.to_string_lossy()).collect();
    let env = command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_string_lossy().into_owned(), value?.to_string_lossy().into())));
    json!({ "name": name, "argv": argv, "env": env.collect::<Map<_, _>>(), "cwd": command.get_current_dir() })
}

/// The bytes of each file that a page loads for an entry, and of the table.
fn downloads(project: &Project) -> Result<Json> {
    let package = package::build(project, Flavour::Release)?;
    let measure = Node::find(project)?.script(project, "xtask/package/downloads.mjs")?;
    Ok(serde_json::from_str(&project.read(measure.arg(package).arg("--json"))?)?)
}
