//! `cargo xtask bench`: what the package weighs and how fast it is, beside a brute-force peer measured in the same run.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lexopt::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::chromium;
use crate::javascript::{Node, tests};
use crate::package::{self, Flavour};
use crate::project::Project;
use crate::python;
use crate::server::Server;
use crate::size::Size;
use crate::test::site;

/// What is timed.
const MECHANISMS: [&str; 2] = ["exponential", "metric-laplace"];

/// The files that a page downloads.
const DOWNLOAD: [&str; 4] = ["textveil_wasm.wasm", "textveil_wasm.js", "textveil.js", package::TABLE];

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
    for file in DOWNLOAD {
        let Size { raw, gzip, brotli } = Size::of(&package.join(file))?;
        sizes.insert(file.into(), json!({ "raw": raw, "gzip": gzip, "brotli": brotli }));
    }
    let report = json!({
        "bytes": sizes,
        "node": in_node(project)?,
        "chromium": in_chromium(project)?,
        "native": on_command_line(project)?,
        "numpy": beside_numpy(project)?,
    });
    if as_json {
        println!("{report:#}")
    } else {
        print(&report)
    }
    Ok(())
}

fn in_node(project: &Project) -> Result<Json> {
    let node = Node::find(project)?;
    node.install(project)?;
    parse(&project.read(node.command(project).arg("node/bench.mjs"))?)
}

fn in_chromium(project: &Project) -> Result<Json> {
    let browser = chromium::find(project)?;
    let server = Server::bind(0, site(project)?)?;
    let node = Node::find(project)?;
    std::thread::scope(|scope| {
        scope.spawn(|| server.serve());
        let mut timing = node.command(project);
        timing.arg(tests(project).join("browser/bench.mjs")).env("CHROME", browser).env("TEXTVEIL_SITE", server.url());
        let output = project.read(&mut timing);
        server.stop();
        parse(&output?)
    })
}

/// Tokens a second of `textveil privatize`, one thread, without the time that it takes to start.
fn on_command_line(project: &Project) -> Result<Json> {
    project.run(&mut project.cargo(&["build", "--release", "--package=textveil-lab", "--bin=textveil"]))?;
    let program = project.target().join("release").join(format!("textveil{}", std::env::consts::EXE_SUFFIX));
    let lines = |count| "the doctor said that my sister should rest at home\n".repeat(count);
    let (many, few) = (project.target().join("bench-many.txt"), project.target().join("bench-few.txt"));
    fs::write(&many, lines(5000))?;
    fs::write(&few, lines(1))?;
    let mut rates = Map::new();
    for mechanism in MECHANISMS {
        let time = |text: &Path| -> Result<Duration> {
            let mut fastest = Duration::MAX;
            for _ in 0..3 {
                let started = Instant::now();
                project.read(project.command(&program).args(["privatize", "--mechanism", mechanism]).arg(text))?;
                fastest = fastest.min(started.elapsed());
            }
            Ok(fastest)
        };
        let seconds = time(&many)?.saturating_sub(time(&few)?).as_secs_f64();
        rates.insert(mechanism.into(), json!(50_000.0 / seconds));
    }
    Ok(json!({ "tokens_per_second": rates }))
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
    let milliseconds = |value: &Json| format!("{:.1} ms", value.as_f64().unwrap_or(f64::NAN));
    let rate = |value: &Json| format!("{:.0} tokens/s", value.as_f64().unwrap_or(f64::NAN));
    let (node, chromium, native) = (&report["node"], &report["chromium"], &report["native"]);
    println!("\n{:<44}{:>16}{:>16}{:>16}", "", "Node", "Chromium", "native");
    println!("{:<44}{:>16}{:>16}", "first result, files cached", "", milliseconds(&chromium["first_result_ms"]));
    println!("{:<44}{:>16}{:>16}", "sentence of 20 words, median", milliseconds(&node["sentence_ms"]), milliseconds(&chromium["sentence_ms"]));
    for mechanism in MECHANISMS {
        let of = |engine: &Json| rate(&engine["tokens_per_second"][mechanism]);
        println!("{:<44}{:>16}{:>16}{:>16}", format!("long text, {mechanism}, one thread"), of(node), of(chromium), of(native));
    }
    println!("{:<44}{:>16}{:>16}{:>16}", "numpy, nearest word alone, one thread", "", "", rate(&report["numpy"]["tokens_per_second"]));
}
