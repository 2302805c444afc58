//! `cargo xtask bench`: how fast each kernel and each language draws words, next to other software, and what a page loads.
//!
//! This file builds what is measured. `xtask/bench/measure.py` measures in turns, so that a busy neighbour slows all
//! contestants, and prints a report. Every program that measures prints JSON: the benchmarks `cli/benches/speed.rs` (by
//! criterion), `tests/node`, `tests/browser`, and the other programs in `xtask/bench`. [`page`] makes the page of the report.

mod page;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Error, Result, ensure};
use lexopt::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::javascript::{Node, tests};
use crate::package::{self, ENTRIES, Flavour};
use crate::project::{Project, find_program};
use crate::server::{Mount, Server};
use crate::size::Size;
use crate::test::site;
use crate::{browsers, budget, cache, mobile, python};

/// What `--write` writes: the report, and the page that is made of it.
const REPORT: &str = "xtask/bench/results.json";
const PAGE: &str = "BENCHMARKS.md";

/// `cargo xtask bench [--peers] [--quick] [--json] [--write]`, `--page`, or `--reviews DATA`
pub(crate) fn command(project: &Project, mut args: lexopt::Parser) -> Result<()> {
    let (mut given, mut data) = (Vec::new(), None);
    while let Some(argument) = args.next()? {
        match argument {
            Long(flag @ ("peers" | "quick" | "json" | "write" | "page")) => given.push(flag.to_owned()),
            Long("reviews") => data = Some(PathBuf::from(args.value()?)),
            other => return Err(other.unexpected().into()),
        }
    }
    let is_given = |flag: &str| given.iter().any(|given| given == flag);
    let is_alone = given.len() + usize::from(data.is_some()) == 1;
    ensure!(is_alone || !(is_given("page") || data.is_some()), "--page and --reviews stand alone");
    if let Some(data) = data {
        // Without the peers, the reviews are measured all the same.
        let mut run = project.command(environment(project).or_else(|_| python())?);
        run.arg("xtask/bench/command_line.py").arg(project.optimized()?).arg(data.canonicalize()?);
        return project.run(run.arg(tables()?));
    }
    let [recorded, page] = [REPORT, PAGE].map(|file| project.root().join(file));
    if is_given("page") {
        return Ok(fs::write(page, page::markdown(&fs::read_to_string(recorded)?)?)?);
    }
    let report = measure(project, is_given("peers"), is_given("quick"))?;
    if is_given("write") {
        fs::write(recorded, &report)?;
        fs::write(page, page::markdown(&report)?)?;
    }
    print!("{}", if is_given("json") { report } else { page::markdown(&report)? });
    Ok(())
}

/// Builds everything, and has it measured: the report, as JSON.
fn measure(project: &Project, with_peers: bool, quick: bool) -> Result<String> {
    let mut missing = Vec::new();
    let mut or_missing = |what: &str, error: Error| missing.push(format!("{what}: {error:#}"));
    let counted = budget::count(project, None).map_err(|error| or_missing("instructions", error)).unwrap_or_default();
    let peers = with_peers.then(|| environment(project).map_err(|error| or_missing("all peers", error)).ok()).flatten();
    let (program, native) = (project.optimized()?, project.benchmark("textveil-cli", "speed")?);
    let python = python()?;
    let mut site = site(project)?;
    site.insert(0, Mount { prefix: "/tests/bench/", directory: tables()? });
    let server = Server::start(project, 0, &site)?;
    let mut programs = Vec::new();
    for (what, commands) in products(project, &python, &program, &server) {
        match commands {
            Ok(commands) => programs.extend(commands.iter().map(|(name, command)| described(name, command))),
            Err(error) => or_missing(what, error),
        }
    }
    let flags = [(with_peers, " --peers"), (quick, " --quick")];
    let flags: String = flags.into_iter().filter_map(|(given, flag)| given.then_some(flag)).collect();
    let plan = json!({
        "rounds": if quick { 1 } else { 5 },
        "peers": peers.is_some(),
        "native": native,
        "textveil": program,
        "tables": tables()?,
        "scratch": project.target(),
        "programs": programs,
        "report": {
            "command": format!("cargo xtask bench{flags}"),
            "missing": missing,
            "numbers": { "bytes": downloads(project)?, "instructions": counted["instructions"] },
        },
    });
    let file = project.target().join("bench.json");
    fs::write(&file, plan.to_string())?;
    let mut run = project.command(peers.unwrap_or(python));
    run.arg("xtask/bench/measure.py").arg(file).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = project.output(&mut run, false)?;
    ensure!(output.status.success(), "xtask/bench/measure.py failed");
    Ok(String::from_utf8(output.stdout)?)
}

fn python() -> Result<PathBuf> {
    find_program(&["python3", "python"]).context("Python 3 is not installed")
}

/// The Python that has the peers.
fn environment(project: &Project) -> Result<PathBuf> {
    python::with_requirements(project, &project.root().join("xtask/bench/requirements.txt"))
}

/// Where the tables are kept that are measured beside the shipped one.
fn tables() -> Result<PathBuf> {
    Ok(cache::directory()?.join("vocabularies-1"))
}

/// Programs that measure, each with the name that its numbers are under.
type Programs = Vec<(&'static str, Command)>;

/// What measures the whole product, from text to text, on the command line and in each language; or why it cannot.
fn products(
    project: &Project,
    python: &Path,
    program: &Path,
    server: &Server,
) -> [(&'static str, Result<Programs>); 4] {
    let python = |script: &str| {
        let mut run = project.command(python);
        run.arg(script).env("PYTHONDONTWRITEBYTECODE", "1");
        run
    };
    let node = || -> Result<Node> {
        let node = Node::find(project)?;
        node.install(project)?;
        Ok(node)
    };
    let synthetic = || -> Result<PathBuf> { Ok(tables()?.join("synthetic-32768x64.tvt")) };
    let command_line = || {
        let mut run = python("xtask/bench/command_line.py");
        run.arg(program);
        Ok(vec![("command line", run)])
    };
    let in_node = || {
        let node = node()?;
        let [english, other] = [None, Some(synthetic()?)].map(|table| {
            let mut run = node.command(project);
            run.arg("node/bench.mjs").args(table);
            run
        });
        Ok(vec![("Node", english), ("Node/synthetic", other)])
    };
    let in_chromium = || {
        let mut visit = node()?.command(project);
        visit.arg(tests(project).join("browser/bench.mjs"));
        visit.env("CHROME", browsers::chromium(project)?).env("TEXTVEIL_SITE", server.url());
        Ok(vec![("Chromium", visit)])
    };
    let in_python = || {
        let package = mobile::python_package(project, Flavour::Release)?;
        let [english, other] = [None, Some(synthetic()?)].map(|table| {
            let mut run = python("xtask/bench/package.py");
            run.args(table).env("PYTHONPATH", &package);
            run
        });
        Ok(vec![("Python", english), ("Python/synthetic", other)])
    };
    [("command line", command_line()), ("Node", in_node()), ("Chromium", in_chromium()), ("Python", in_python())]
}

/// A command as `measure.py` reads it.
fn described(name: &str, command: &Command) -> Json {
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
    let of_entries = ENTRIES.into_iter().flat_map(|entry| <[_; 2]>::from(entry.files(&package)).concat());
    let size = |file: PathBuf| {
        let Size { raw, gzip, brotli } = Size::of(&file)?;
        let name = file.strip_prefix(&package)?.to_string_lossy().into_owned();
        Ok((name, json!({ "raw": raw, "gzip": gzip, "brotli": brotli })))
    };
    Ok(Json::Object(of_entries.chain([package.join(package::TABLE)]).map(size).collect::<Result<_>>()?))
}
