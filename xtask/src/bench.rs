//! `cargo xtask bench`: what the package weighs and how fast it is, beside a brute-force peer measured in the
//! same run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lexopt::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::browsers;
use crate::javascript::{Node, tests};
use crate::package::{self, ENTRIES, Entry, Flavour};
use crate::project::Project;
use crate::python;
use crate::server::Server;
use crate::size::Size;
use crate::test::site;

/// What is timed.
const MECHANISMS: [&str; 2] = ["certified", PEER];

/// The mechanism that answers the question of the brute-force peer: the word nearest to a point.
const PEER: &str = "metric-laplace";

/// `cargo xtask bench [--json]`
pub(crate) fn command(project: &Project, mut args: lexopt::Parser) -> Result<()> {
    let mut as_json = false;
    while let Some(argument) = args.next()? {
        match argument {
            Long("json") => as_json = true,
            other => return Err(other.unexpected().into()),
        }
    }
    let package = package::build(project, Flavour::Release)?;
    let mut sizes = Map::new();
    for file in downloads(&package) {
        let Size { raw, gzip, brotli } = Size::of(&file)?;
        let name = file.strip_prefix(&package)?.to_string_lossy().into_owned();
        sizes.insert(name, json!({ "raw": raw, "gzip": gzip, "brotli": brotli }));
    }
    let engines =
        [("node", in_node(project)?), ("chromium", in_chromium(project)?), ("native", on_command_line(project)?)];
    let numpy = beside_numpy(project)?;
    let mut report = Map::from_iter([("bytes".to_owned(), Json::from(sizes))]);
    for (engine, mut timings) in engines {
        timings["timesNumpy"] = json!(number(&timings["tokensPerSecond"][PEER]) / number(&numpy["tokensPerSecond"]));
        report.insert(engine.into(), timings);
    }
    report.insert("numpy".into(), numpy);
    let report = Json::from(report);
    if as_json {
        println!("{report:#}")
    } else {
        print(&report)
    }
    Ok(())
}

/// The files of which a page downloads one module, and all else, for one entry or the other; the table is common to both.
fn downloads(package: &Path) -> Vec<PathBuf> {
    let of_entry = |entry: Entry| {
        let (modules, scripts) = entry.files(package);
        modules.into_iter().chain(scripts)
    };
    ENTRIES.into_iter().flat_map(of_entry).chain([package.join(package::TABLE)]).collect()
}

fn in_node(project: &Project) -> Result<Json> {
    let node = Node::find(project)?;
    node.install(project)?;
    parse(&project.read(node.command(project).arg("node/bench.mjs"))?)
}

fn in_chromium(project: &Project) -> Result<Json> {
    let browser = browsers::chromium(project)?;
    let server = Server::start(project, 0, &site(project)?)?;
    let node = Node::find(project)?;
    let mut timing = node.command(project);
    timing.arg(tests(project).join("browser/bench.mjs")).env("CHROME", browser).env("TEXTVEIL_SITE", server.url());
    parse(&project.read(&mut timing)?)
}

/// What the command-line program measures of itself, on one thread.
fn on_command_line(project: &Project) -> Result<Json> {
    parse(&project.read(&mut project.cargo(&[
        "run",
        "--quiet",
        "--release",
        "--package=textveil-lab",
        "--",
        "bench",
    ]))?)
}

fn beside_numpy(project: &Project) -> Result<Json> {
    let python = python::with_requirements(project, &tests(project).join("reference/requirements.txt"))?;
    let mut brute_force = project.command(python);
    brute_force.arg("xtask/bench/brute_force.py").arg(project.root().join("core/data").join(package::TABLE));
    parse(&project.read(&mut brute_force)?)
}

fn parse(output: &str) -> Result<Json> {
    serde_json::from_str(output).with_context(|| format!("not a report: {output}"))
}

fn print(report: &Json) {
    println!("{:<32}{:>12}{:>12}{:>12}", "bytes", "raw", "gzip", "brotli");
    let sizes = report["bytes"].as_object().into_iter().flatten();
    for (file, size) in sizes {
        let [raw, gzip, brotli] = ["raw", "gzip", "brotli"].map(|form| size[form].to_string());
        println!("{file:<32}{raw:>12}{gzip:>12}{brotli:>12}");
    }
    let milliseconds = |value: &Json| format!("{:.1} ms", number(value));
    let rate = |value: &Json| format!("{:.0} tokens/s", number(value));
    let row = |what: &str, cells: [String; 3]| println!("{what:<44}{:>16}{:>16}{:>16}", cells[0], cells[1], cells[2]);
    let engines = ["node", "chromium", "native"].map(|engine| &report[engine]);
    println!();
    row("", ["Node", "Chromium", "native"].map(str::to_owned));
    row(
        "first result, files cached",
        [String::new(), milliseconds(&report["chromium"]["firstResultMs"]), String::new()],
    );
    row("sentence of 20 words, median", engines.map(|engine| milliseconds(&engine["sentenceMs"])));
    for mechanism in MECHANISMS {
        row(
            &format!("long text, {mechanism}, one thread"),
            engines.map(|engine| rate(&engine["tokensPerSecond"][mechanism])),
        );
    }
    row(
        "numpy, nearest word alone, one thread",
        [String::new(), String::new(), rate(&report["numpy"]["tokensPerSecond"])],
    );
    row(&format!("{PEER} beside numpy"), engines.map(|engine| format!("{:.2} times", number(&engine["timesNumpy"]))));
}

fn number(value: &Json) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}
