//! `textveil-lab reproduce`: the papers' tables and figures, computed anew.
//!
//! Each table, figure or group of them has a module with an [`Experiment`], which is a line of [`EXPERIMENTS`]. It is a
//! function that computes [cells](Run::cells), independent units of work that a [`store`] keeps, and makes a [`Report`]
//! of them. The report has [sheets](textveil_toolkit::report::Sheet) with our numbers next to the paper's. It also has
//! [claims](claim::Claim) about what the paper reports in kind, and why the two differ. This file names the
//! experiments, and no experiment names this file.

mod adapted;
mod baseline;
mod channels;
mod claim;
mod dpnr;
mod dpugc;
mod experiment;
mod mechanisms;
mod ome;
mod printed;
mod qu;
mod recorded;
mod report;
mod run;
mod store;
mod trlaplace;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::Value;

use crate::data::Library;
use experiment::{Experiment, Runs};
use printed::Comparison;
use report::Report;
use run::{Computed, Run, Settings};
use textveil_toolkit::report::numbers::counted;

const EXPERIMENTS: [&Experiment; 31] = [
    &ome::figure_3::FIGURE_3,
    &ome::published::TABLE_1,
    &ome::published::TABLE_2,
    &ome::equal_epsilon::EXPERIMENT,
    &dpnr::sweep::TABLE_2,
    &dpnr::robust::TRAINED,
    &dpnr::sweep::TABLE_3,
    &dpnr::table_4::TABLE_4,
    &dpnr::fairness::FAIRNESS,
    &dpnr::figure_3::FIGURE_3,
    &dpnr::figure_4::FIGURE_4,
    &trlaplace::reconstruction::RECONSTRUCTION,
    &trlaplace::downstream::DOWNSTREAM,
    &qu::sentences::TABLE_1,
    &qu::words::TABLE_2,
    &qu::inversion::TABLE_3,
    &qu::accuracy::TABLE_4,
    &qu::accuracy::TABLE_5,
    &qu::pretraining::TABLE_6,
    &qu::pretraining::TABLE_7,
    &qu::figure_3::FIGURE_3,
    &qu::figure_4::FIGURE_4,
    &qu::sequence::SEQUENCE,
    &dpugc::neighbours::TABLE_2,
    &dpugc::regression::TABLE_3,
    &dpugc::neighbours::FIGURE_3,
    &dpugc::user_level::USER_LEVEL,
    &mechanisms::EXPERIMENT,
    &channels::EXPERIMENT,
    &baseline::EXPERIMENT,
    &adapted::EXPERIMENT,
];

/// The papers' tables as the summary lists them.
fn comparisons() -> Vec<&'static Comparison> {
    let papers: [&[Comparison]; 5] = [
        &ome::published::PRINTED,
        &dpnr::printed::TABLES,
        &trlaplace::printed::TABLES,
        &qu::printed::TABLES,
        &dpugc::printed::TABLES,
    ];
    papers.into_iter().flatten().collect()
}

/// Compute a paper's table or figure anew
///
/// Each number is printed next to the paper's, if the paper has one. It agrees in value if the paper's number lies within
/// the stated tolerance of ours. It also agrees if the paper's number lies in our 95 % interval over the runs, and that
/// interval reaches at most twice as far. A finding that the paper states in words is printed as a claim, with the numbers
/// that it rests on.
#[derive(Args)]
pub(crate) struct Reproduce {
    /// The paper, or "list", "all" or "recorded". "list" lists all tables and figures. "all" computes them all. "recorded"
    /// computes nothing: it compares the recorded numbers with the papers' and writes --page
    paper: String,
    /// The table or figure. By default, all of the paper's
    table_or_figure: Option<String>,
    /// The folder of the papers' data sets (see `textveil-lab data check`)
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// How often each number is computed: a count, or "paper" for as often as the paper did
    #[arg(long, value_name = "N", value_parser = asked_runs)]
    runs: Option<AskedRuns>,
    /// A small version of it: fewer texts and runs
    #[arg(long)]
    quick: bool,
    /// The seed of all randomness
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Keep finished cells in this folder. A run that was interrupted resumes there
    #[arg(long, visible_alias = "resume", value_name = "DIR")]
    out: Option<PathBuf>,
    /// Judge the cells of --out as they are, also those of another build, and compute none
    #[arg(long, requires = "out")]
    judge: bool,
    /// Take cells of --out that another build has computed, too. The report names all builds
    #[arg(long, requires = "out")]
    other_builds: bool,
    /// For ome, dpnr, baseline and channels: the table instead of the built-in English one
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// For channels: how many words of the table, evenly spread. The time grows with the third power of N
    #[arg(long, value_name = "N")]
    words: Option<usize>,
    /// For qu table-6 and table-7: do this share of the work, in tokens and texts
    #[arg(long, value_name = "SHARE", value_parser = asked_share)]
    share: Option<f64>,
    /// For qu table-6 and table-7: pretrain on N tokens instead of 1.5 million
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    tokens: Option<u64>,
    /// For qu table-6, table-7 and adapted: compute at most N cells that are not yet in --out. The report has all cells
    /// that are there
    #[arg(long, value_name = "N")]
    at_most: Option<usize>,
    /// For qu table-6, table-7 and adapted: compute only cells whose names contain this, such as "sst2/clear"
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// The folder of the sentence encoder all-MiniLM-L6-v2, with its model.safetensors and vocab.txt. dpnr uses its
    /// vectors of texts instead of those from the table. ome uses them for two sets as well. adapted adapts it. qu table-6 and
    /// table-7 begin training from it. The others do not read it
    #[arg(long, value_name = "DIR")]
    encoder: Option<PathBuf>,
    /// Write the numbers as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the numbers as CSV, a row a number
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the plot
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Keep each report in this folder, as JSON with the day
    #[arg(long, conflicts_with_all = ["quick", "words"], value_name = "DIR")]
    record: Option<PathBuf>,
    /// Write a page in Markdown of all reports in the folder of --record, and its plot next to it
    #[arg(long, requires = "record", value_name = "FILE")]
    page: Option<PathBuf>,
}

#[derive(Clone, Copy)]
enum AskedRuns {
    Number(u32),
    AsInThePaper,
}

fn asked_runs(text: &str) -> Result<AskedRuns, String> {
    match text.parse() {
        _ if text == "paper" => Ok(AskedRuns::AsInThePaper),
        Ok(number @ 1..=1000) => Ok(AskedRuns::Number(number)),
        _ => Err("a number from 1 to 1000, or \"paper\"".to_owned()),
    }
}

fn asked_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "a number above 0 and at most 1".to_owned())
}

impl Reproduce {
    pub(crate) fn run(&self) -> Result<()> {
        let mut out = io::stdout().lock();
        if self.paper == "list" {
            return list(&mut out);
        }
        if self.paper == "recorded" {
            ensure!(self.page.is_some(), "pass --record and --page, for the page of what is recorded");
            return self.keep(&[]);
        }
        for path in [&self.json, &self.csv, &self.svg].into_iter().flatten() {
            textveil_toolkit::files::check_place(path)?;
        }
        let chosen = chosen(&self.paper, self.table_or_figure.as_deref())?;
        ensure!(self.svg.is_none() || chosen.len() == 1, "--svg is for one table or figure");
        if let (Some(_), [experiment]) = (&self.svg, chosen.as_slice()) {
            ensure!(experiment.has_plot, "there is no plot of {}: leave --svg out", experiment.name());
        }
        let library = self.data.as_deref().map(Library::open).transpose()?;
        self.check_options(&chosen)?;
        for experiment in &chosen {
            self.check(experiment, library.as_ref())?;
        }
        let mut reports = Vec::new();
        for experiment in chosen {
            let report = self.report(experiment, library.as_ref()).with_context(|| experiment.name())?;
            report.print(&mut out)?;
            reports.push(report);
        }
        let write = |path: &Option<PathBuf>, text: &dyn Fn() -> Result<String>| match path {
            Some(path) => fs::write(path, text()?).with_context(|| format!("cannot write {}", path.display())),
            None => Ok(()),
        };
        write(&self.json, &|| {
            let json = Value::from(reports.iter().map(Report::json).collect::<Vec<_>>());
            Ok(serde_json::to_string_pretty(&json)? + "\n")
        })?;
        write(&self.csv, &|| report::csv(&reports))?;
        write(&self.svg, &|| {
            let drawing = reports.first().and_then(|report| report.drawing.clone());
            drawing.context("a report without its plot")
        })?;
        self.keep(&reports)
    }

    /// Adds reports to those that are recorded, and writes the page of them all, where that is asked for.
    fn keep(&self, reports: &[Report]) -> Result<()> {
        let Some(folder) = &self.record else { return Ok(()) };
        recorded::keep(folder, reports)?;
        let Some(page) = &self.page else { return Ok(()) };
        recorded::refresh(folder, &EXPERIMENTS, &comparisons())?;
        recorded::write_page(folder, reports, &comparisons(), page)
    }

    /// Whether each option that not all take is taken by one that is meant; the others go without.
    fn check_options(&self, chosen: &[&Experiment]) -> Result<()> {
        let given = [
            ("table", self.table.is_some()),
            ("words", self.words.is_some()),
            ("share", self.share.is_some()),
            ("tokens", self.tokens.is_some()),
            ("at-most", self.at_most.is_some()),
            ("only", self.only.is_some()),
        ];
        for (option, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
            let is_taken = chosen.iter().any(|experiment| experiment.takes.contains(&option));
            let names: Vec<String> = chosen.iter().map(|experiment| experiment.name()).collect();
            ensure!(is_taken, "--{option} is not for {}", names.join(", "));
        }
        Ok(())
    }

    /// Whether an experiment can do with these options.
    fn check(&self, experiment: &Experiment, library: Option<&Library>) -> Result<()> {
        let name = experiment.name();
        let sets = experiment.data.join(", ");
        ensure!(self.data.is_some() || experiment.data.is_empty(), "{name} reads {sets}: pass --data");
        self.runs_of(experiment)?;
        library.map_or(Ok(()), |library| library.digests(experiment.data).map(|_| ()))
    }

    fn runs_of(&self, experiment: &Experiment) -> Result<u32> {
        let Some(Runs { quick, usual, paper }) = experiment.runs else { return Ok(1) };
        match self.runs {
            Some(AskedRuns::Number(number)) => Ok(number),
            Some(AskedRuns::AsInThePaper) => {
                paper.with_context(|| format!("{} states no number of runs: pass one", experiment.name()))
            }
            None if self.quick => Ok(quick),
            None => Ok(usual),
        }
    }

    fn report(&self, experiment: &'static Experiment, library: Option<&Library>) -> Result<Report> {
        let takes = |option: &str| experiment.takes.contains(&option);
        let settings = Settings {
            seed: self.seed,
            runs: self.runs_of(experiment)?,
            quick: self.quick,
            table: self.table.clone().filter(|_| takes("table")),
            words: self.words.filter(|_| takes("words")),
            encoder: self.encoder.clone().filter(|_| takes("encoder")),
            share: self.share.filter(|_| takes("share")),
            tokens: self.tokens.filter(|_| takes("tokens")),
            at_most: self.at_most.filter(|_| takes("at-most")),
            only: self.only.clone().filter(|_| takes("only")),
            only_judges: self.judge,
            other_builds: self.other_builds,
        };
        let begun = Instant::now();
        let run = Run::begin(experiment, settings, library, self.out.as_deref())?;
        let mut report = (experiment.compute)(&run)?;
        report.head(&run)?;
        report.set_beside(&comparisons())?;
        let Computed { fresh, kept, .. } = report.computed;
        if fresh + kept > 0 {
            let kept = if kept > 0 { format!(" and {kept} from an earlier run") } else { String::new() };
            let seconds = begun.elapsed().as_secs_f64();
            let cells = counted(fresh, "cell");
            eprintln!("{}: {cells} in {seconds:.1} s{kept}", experiment.name());
        }
        Ok(report)
    }
}

/// The experiments that are meant: a paper and a table, also as one word; all of a paper; all of all.
fn chosen(paper: &str, table: Option<&str>) -> Result<Vec<&'static Experiment>> {
    let is_meant = |experiment: &&Experiment| match table {
        Some(table) => (experiment.paper, experiment.table) == (paper, table),
        None => paper == "all" || experiment.paper == paper || experiment.file() == paper,
    };
    let chosen: Vec<&Experiment> = EXPERIMENTS.into_iter().filter(is_meant).collect();
    if chosen.is_empty() {
        let what = table.map_or_else(|| paper.to_owned(), |table| format!("{paper} {table}"));
        bail!("there is no experiment \"{what}\": `textveil-lab reproduce list` lists them");
    }
    Ok(chosen)
}

fn list(out: &mut impl Write) -> Result<()> {
    let width = EXPERIMENTS.iter().map(|experiment| experiment.name().len()).max().unwrap_or(0);
    for experiment in EXPERIMENTS {
        let Experiment { about, data, runs, .. } = experiment;
        writeln!(out, "{:width$}  {about}", experiment.name())?;
        let runs = runs.map(|Runs { quick, usual, paper }| {
            let paper = paper.map_or_else(String::new, |paper| format!(", in the paper {paper}"));
            format!("{}, with --quick {quick}{paper}", counted(u64::from(usual), "run"))
        });
        let data = Some(data.join(", ")).filter(|sets| !sets.is_empty()).map(|sets| format!("reads {sets}"));
        let rest: Vec<String> = runs.into_iter().chain(data).collect();
        if !rest.is_empty() {
            writeln!(out, "{:width$}  {}", "", rest.join("; "))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_experiment_has_a_name_of_its_own_and_files_that_cannot_be_confused() {
        let names: BTreeSet<String> = EXPERIMENTS.iter().map(|experiment| experiment.file()).collect();
        assert_eq!(names.len(), EXPERIMENTS.len());
        assert!(["all", "list", "recorded"].iter().all(|word| !names.contains(*word)));
    }

    #[test]
    fn an_experiment_is_called_by_two_words_or_by_one() {
        for (paper, table, count) in [
            ("ome", Some("figure-3"), 1),
            ("ome-figure-3", None, 1),
            ("mechanisms", None, 1),
            ("all", None, EXPERIMENTS.len()),
        ] {
            assert_eq!(chosen(paper, table).map(|chosen| chosen.len()).ok(), Some(count), "{paper}");
        }
        for (paper, table) in [("all", Some("figure-3")), ("figure-3", None), ("mechanisms", Some("table-1"))] {
            assert!(chosen(paper, table).is_err(), "{paper}");
        }
    }
}
