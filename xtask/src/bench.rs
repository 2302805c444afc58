//! `cargo xtask bench`: how fast words are drawn by each kernel, in each language and beside other software, and what
//! it costs to load.
//!
//! Contestants take turns in rounds, so that a busy neighbour slows all of them; what is reported is the median round.
//! (How speed grows with tables and batches is measured once.) The native benchmarks are `cli/benches/speed.rs`; the
//! numbers of all end in one [`Report`], of which [`page`] makes the page and [`targets`] the verdicts.

mod engines;
mod native;
mod page;
mod peers;
mod report;
mod reviews;
mod targets;
mod vocabularies;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use lexopt::prelude::*;

use crate::budget;
use crate::package::{self, ENTRIES, Entry, Flavour};
use crate::project::Project;
use crate::size::Size;
use native::Native;
use peers::{Instructions, Peers};
use report::{Report, Samples};
use vocabularies::{GLOVE, SYNTHETIC};

/// Where `--write` puts the page.
const PAGE: &str = "BENCHMARKS.md";

/// What is asked on the command line.
#[derive(Default)]
struct Options {
    peers: bool,
    json: bool,
    quick: bool,
    write: bool,
    /// Instead of all else: reviews of this folder of the papers' data sets.
    reviews: Option<PathBuf>,
}

impl Options {
    fn parse(mut args: lexopt::Parser) -> Result<Self> {
        let mut options = Self::default();
        while let Some(argument) = args.next()? {
            match argument {
                Long("peers") => options.peers = true,
                Long("json") => options.json = true,
                Long("quick") => options.quick = true,
                Long("write") => options.write = true,
                Long("reviews") => options.reviews = Some(args.value()?.into()),
                other => return Err(other.unexpected().into()),
            }
        }
        let others = options.peers || options.json || options.quick || options.write;
        ensure!(options.reviews.is_none() || !others, "--reviews stands alone");
        Ok(options)
    }

    /// The command that they belong to; where the page goes is no part of it.
    fn command(&self) -> String {
        let flags = [(self.peers, " --peers"), (self.quick, " --quick")];
        flags.into_iter().filter(|(given, _)| *given).fold("cargo xtask bench".into(), |line, (_, flag)| line + flag)
    }

    fn rounds(&self) -> usize {
        if self.quick { 1 } else { 5 }
    }
}

/// `cargo xtask bench [--peers] [--quick] [--json] [--write]`, or `cargo xtask bench --reviews DATA`
pub(crate) fn command(project: &Project, args: lexopt::Parser) -> Result<()> {
    let options = Options::parse(args)?;
    if let Some(data) = &options.reviews {
        print!("{}", reviews::markdown(project, data)?);
        return Ok(());
    }
    let report = measure(project, &options)?;
    if options.write {
        fs::write(project.root().join(PAGE), page::markdown(&report))?;
    }
    if options.json {
        println!("{:#}", report.to_json());
    } else {
        print!("{}", page::markdown(&report));
    }
    Ok(())
}

fn measure(project: &Project, options: &Options) -> Result<Report> {
    let mut samples = Samples::default();
    let mut missing = Vec::new();
    let synthetic = vocabularies::synthetic(project)?;
    let native = Native::build(project, &vocabularies::directory()?)?;

    downloads(project, &mut samples)?;
    match budget::counts(project) {
        Ok(counts) => {
            counts.into_iter().for_each(|(what, count)| samples.add(format!("instructions/{what}"), count as f64))
        }
        Err(error) => missing.push(format!("instructions: {error:#}")),
    }
    for _ in 0..options.rounds() {
        native.round(project, "^draw/english/", &mut samples)?;
    }
    let python = options.peers.then(|| peers::environment(project)).transpose().unwrap_or_else(|error| {
        missing.push(format!("all peers: {error:#}"));
        None
    });
    let versions = if let Some(python) = python {
        beside_peers(project, options, &native, &python, &synthetic, &mut samples, &mut missing)?
    } else {
        for _ in 0..options.rounds() {
            native.round(project, &draws(SYNTHETIC), &mut samples)?;
        }
        BTreeMap::new()
    };
    let (engines, absent) = engines::all(project, &synthetic);
    missing.extend(absent);
    for _ in 0..options.rounds() {
        native.round(project, "^(product/|(peak-)?all-cores/|start)", &mut samples)?;
        for engine in &engines {
            project.say(engine.name());
            engine.round(project, &mut samples)?;
        }
    }
    native.round(project, "^scaling/", &mut samples)?;
    Ok(Report {
        command: options.command(),
        date: project.read(project.command("date").args(["-u", "+%F"]))?.trim_end().into(),
        machine: machine(project)?,
        versions,
        numbers: samples.medians(),
        missing,
    })
}

/// What is measured of a vocabulary: of the made-up one all draws, and what a kernel's share of the peak follows from.
fn draws(table: &str) -> String {
    match table {
        SYNTHETIC => format!("^(peak|noise|draw/{SYNTHETIC})/"),
        _ => format!("^draw/{table}/metric-laplace/.*/(1|{})$", targets::BATCH),
    }
}

/// Rounds of ours and theirs over both vocabularies. Returns their versions.
fn beside_peers(
    project: &Project,
    options: &Options,
    native: &Native,
    python: &Path,
    synthetic: &Path,
    samples: &mut Samples,
    missing: &mut Vec<String>,
) -> Result<BTreeMap<String, String>> {
    let mut tables = vec![(SYNTHETIC, synthetic.to_owned())];
    match peers::glove_vectors(project, python).and_then(|vectors| vocabularies::glove(project, &vectors)) {
        Ok(table) => tables.push((GLOVE, table)),
        Err(error) => missing.push(format!("{GLOVE}: {error:#}")),
    }
    let mut versions = BTreeMap::new();
    for (name, table) in tables {
        let (rows, dims) = vocabularies::shape(&table)?;
        samples.add(format!("vocabularies/{name}/rows"), rows as f64);
        samples.add(format!("vocabularies/{name}/dims"), dims as f64);
        let start = |instructions| Peers::start(project, python, (name, &table), instructions);
        let mut peers = [start(Instructions::All)?, start(Instructions::Avx2)?];
        for _ in 0..options.rounds() {
            native.round(project, &draws(name), samples)?;
            peers.iter_mut().try_for_each(|peers| peers.round(samples))?;
        }
        for peers in &mut peers {
            versions.append(&mut peers.versions);
            missing.append(&mut peers.missing);
        }
    }
    missing.sort();
    missing.dedup();
    Ok(versions)
}

/// What a page downloads for one entry or the other; the table is common to both.
fn downloads(project: &Project, samples: &mut Samples) -> Result<()> {
    let package = package::build(project, Flavour::Release)?;
    let of_entry = |entry: Entry| {
        let (modules, scripts) = entry.files(&package);
        modules.into_iter().chain(scripts)
    };
    let mut files: Vec<PathBuf> =
        ENTRIES.into_iter().flat_map(of_entry).chain([package.join(package::TABLE)]).collect();
    files.sort();
    files.dedup();
    for file in files {
        let Size { raw, gzip, brotli } = Size::of(&file)?;
        let name = file.strip_prefix(&package)?.display();
        for (form, size) in [("raw", raw), ("gzip", gzip), ("brotli", brotli)] {
            samples.add(format!("bytes/{name}/{form}"), size as f64);
        }
    }
    Ok(())
}

/// The machine in general words.
fn machine(project: &Project) -> Result<String> {
    let cores = std::thread::available_parallelism()?;
    let compiler = project.read(project.command("rustc").arg("--version"))?;
    let compiler = compiler.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let architecture = format!("{} ({})", std::env::consts::ARCH, std::env::consts::OS);
    let features = features();
    let features = if features.is_empty() { String::new() } else { format!(" with {}", features.join(", ")) };
    Ok(format!("a shared machine of {cores} cores, {architecture}{features}, {compiler}"))
}

/// What of the processor matters here.
#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    let known = [
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("AVX-VNNI", is_x86_feature_detected!("avxvnni")),
        ("AVX-512 VNNI", is_x86_feature_detected!("avx512vnni")),
    ];
    known.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

/// What of the processor matters here.
#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<&'static str> {
    Vec::new()
}
