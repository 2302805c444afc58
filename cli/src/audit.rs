//! `textveil audit`: what samples of a mechanism say about the guarantee that is claimed for it.
//!
//! A pair of inputs and an event are fixed, and the mechanism runs many times on each input. The two counts give a
//! lower bound of ε that holds with 95 % confidence for any mechanism ([`evidence`]). A bound above a claim refutes it.
//! An audit cannot prove a claim: few samples, or a harmless pair and event, keep the bound low.
//!
//! What runs is the product's own code ([`product`]). The product does not offer the mechanisms of papers and their
//! released programs. Small copies of those stand in ([`stand_in`]).

mod case;
mod contributions;
mod evidence;
mod papers;
mod pilot;
mod product;
mod report;
mod stand_in;
mod statements;
mod timing;
mod whole_texts;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand};
use textveil::{MechanismKind, Parameter};

use case::{Case, Expectation};
use report::Report;
use textveil_toolkit::mechanism::{MechanismOptions, Source, mechanisms};

/// Parameters of `nearest`, which has no levels: those that were also read with context (SECURITY.md).
const NEAREST: [(Parameter, f64); 3] =
    [(Parameter::Epsilon, 8.0), (Parameter::Mass, 0.003), (Parameter::FrequencyPower, 0.25)];

/// Audit mechanisms by sampling: lower bounds of their privacy loss against what is claimed and proved
///
/// Without --mechanism, all are audited: the mechanisms of five papers as published and as their programs were
/// released, claims that are easily believed of nearest, of statements and of new words, and the sound calibrations.
/// Fails if a proof of ours is refuted, or if a claim that is known to be false is not.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Audit {
    #[command(subcommand)]
    other: Option<Other>,
    /// Audit this mechanism alone
    #[arg(long, value_parser = mechanisms(), value_name = "NAME")]
    mechanism: Option<MechanismKind>,
    #[command(flatten)]
    options: MechanismOptions,
    /// Audit it on vectors with this number of dimensions, of norm at most 1, instead of on the words of a table
    #[arg(long, value_name = "N", requires = "mechanism", conflicts_with = "table")]
    dims: Option<usize>,
    /// Audit it on the words of this table file instead of the built-in English table
    #[arg(long, value_name = "FILE", requires = "mechanism")]
    table: Option<PathBuf>,
    /// Samples of each of the two inputs (half of them where a sample costs most)
    #[arg(long, default_value_t = 200_000, value_name = "N", value_parser = clap::value_parser!(u32).range(100..))]
    samples: u32,
    /// The first of the seeds, one a row
    #[arg(long, default_value_t = 20_241, value_name = "N")]
    seed: u64,
    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a plot
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Replace a --json or --svg that is already there
    #[arg(long)]
    force: bool,
}

/// Audits of something else than privacy loss.
#[derive(Subcommand)]
enum Other {
    Timing(timing::Timing),
}

impl Audit {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        if let Some(Other::Timing(timing)) = &self.other {
            return timing.run();
        }
        for path in [&self.json, &self.svg].into_iter().flatten() {
            crate::output::check(path, [self.table.as_ref()], self.force)?;
        }
        let cases = self.cases()?;
        let draws: u64 = cases.iter().map(Case::draws).sum();
        let progress = textveil_toolkit::progress::bar("draws", draws as usize);
        let mut report = Report::new(self.seed);
        for (case, seed) in cases.iter().zip(self.seed..) {
            progress.set_message(case.name.clone());
            report.add(case.run(seed, &progress).with_context(|| case.name.clone())?);
        }
        progress.finish_and_clear();
        report.print(&mut std::io::stdout().lock())?;
        let write = |path: &Option<PathBuf>, text: String| match path {
            Some(path) => textveil_toolkit::files::replace(path, text.as_bytes()),
            None => Ok(()),
        };
        write(&self.json, report.json()?)?;
        write(&self.svg, report.svg())?;
        Ok(if report.is_as_expected() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn cases(&self) -> Result<Vec<Case>> {
        let samples = self.samples as usize;
        let Some(kind) = self.mechanism else {
            ensure!(!self.options.are_given(), "parameters and --calibration need --mechanism");
            return papers::cases(samples);
        };
        let table;
        let source = match self.dims {
            Some(dims) => Source::Vectors(dims),
            None => {
                table = textveil_tables::load(self.table.as_deref())?;
                Source::Table(&table)
            }
        };
        let mechanism = self.options.mechanism(kind, source)?;
        let name = format!("{kind}, {}", self.options.calibration.name());
        Ok(vec![product::case(name, mechanism, source, samples, Expectation::Open)?])
    }
}
