//! `cargo xtask test`: runs the checks of `xtask/steps.json` in two lanes, each in order, and says what passed, what failed
//! and what could not run here. When the lane of packages has ended, it takes the last checks of the other lane.

mod steps;

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{iter, thread};

use anyhow::{Context, Error, Result, anyhow, ensure};

use crate::project::{Missing, Project};
use steps::Step;
pub(crate) use steps::{certify_check, site};

/// How a check ended.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Pass,
    Skip,
    Fail,
}

/// A line of the final table.
#[derive(Clone)]
struct Row {
    name: String,
    verdict: Verdict,
    note: String,
    took: Duration,
    /// How long it usually takes, where this was more than twice as long: then steps.json may be out of date.
    usually: Option<String>,
}

/// The checks to run, and when they fail.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// A check that cannot run here counts as failed, and one that skips more tests than xtask/steps.json states
    #[arg(long)]
    strict: bool,
    /// The long checks too, with the folder of the papers' data sets
    #[arg(long, value_name = "DATA")]
    nightly: Option<PathBuf>,
    /// These checks
    #[arg(long, value_name = "NAME", num_args = 1..)]
    only: Vec<String>,
    /// Only say what there is
    #[arg(long)]
    list: bool,
}

/// `cargo xtask test`
pub(crate) fn command(mut project: Project, options: &Options) -> Result<ExitCode> {
    let steps = steps::all()?;
    if options.list {
        steps.iter().for_each(|step| println!("{:<13} {}, {}", step.name, step.proves, step.usually()));
        return Ok(ExitCode::SUCCESS);
    }
    let Options { strict, nightly, only, .. } = options;
    project.papers = nightly.as_ref().map(|data| data.canonicalize().context("--nightly")).transpose()?;
    let nightly = nightly.is_some();
    for name in only {
        let step = steps.iter().find(|step| step.name == *name);
        ensure!(step.is_some(), "no check '{name}'; --list names them");
        let is_nightly = !nightly && step.is_some_and(|step| step.nightly);
        ensure!(!is_nightly, "'{name}' is a nightly check: pass --nightly with the folder of the papers' data sets");
    }
    let is_chosen = |step: &&Step| {
        let is_named = only.is_empty() || only.contains(&step.name);
        is_named && (nightly || !step.nightly)
    };
    let chosen: Vec<&Step> = steps.iter().filter(is_chosen).collect();
    let minutes = |of_packages: bool| {
        chosen.iter().filter(|step| step.of_packages == of_packages).map(|step| step.minutes).sum::<f64>()
    };
    println!(
        "{} checks, usually about {} on 2 cores. Logs are in {}.",
        chosen.len(),
        steps::span(minutes(true).max(f64::midpoint(minutes(true), minutes(false)))),
        project.target.join("logs").display()
    );
    let (packages, crates) = chosen.iter().partition::<VecDeque<_>, _>(|step| step.of_packages);
    let [packages, crates] = [packages, crates].map(Mutex::new);
    let mut other = Project::locate()?;
    other.papers.clone_from(&project.papers);
    let mut rows = thread::scope(|scope| {
        let packages = scope.spawn(|| lane(&mut other, || first(&packages).or_else(|| last(&crates)), *strict));
        // Packages are tested by programs that wait for each other. Those come first: this thread takes what they leave.
        #[cfg(unix)]
        let _ = rustix::process::nice(10);
        let crates = lane(&mut project, || first(&crates), *strict);
        let packages = packages.join().map_err(|_| anyhow!("a lane has ended early"))?;
        Ok::<_, Error>([crates?, packages?].concat())
    })?;
    rows.sort_by_key(|row| chosen.iter().position(|step| step.name == row.name));
    println!();
    rows.iter().for_each(print_row);
    let [passed, failed, skipped] = [Verdict::Pass, Verdict::Fail, Verdict::Skip]
        .map(|verdict| rows.iter().filter(|row| row.verdict == verdict).count());
    println!("\n{passed} passed, {failed} failed, {skipped} skipped");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The checks of a lane that have not begun.
type Waiting<'a> = Mutex<VecDeque<&'a Step>>;

fn first<'a>(waiting: &Waiting<'a>) -> Option<&'a Step> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

fn last<'a>(waiting: &Waiting<'a>) -> Option<&'a Step> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_back()
}

/// Runs the checks of a lane, until there is no next one.
fn lane<'a>(project: &mut Project, next: impl FnMut() -> Option<&'a Step>, strict: bool) -> Result<Vec<Row>> {
    iter::from_fn(next).map(|step| run(project, step, strict)).collect()
}

/// Runs one check: first says what it proves and how long that takes, then each command as it starts, at last the
/// verdict. What the commands printed follows if the check fails.
fn run(project: &mut Project, step: &Step, strict: bool) -> Result<Row> {
    println!("\n{}: {} ({})", step.name, step.proves, step.usually());
    let log = project.target.join("logs").join(&step.name).with_extension("log");
    project.log_to(&log)?;
    let started = Instant::now();
    let (verdict, note) = match step.run(project) {
        Ok(note) if strict && project.skipped.get() > step.skips() => {
            (Verdict::Fail, format!("more tests are skipped than the {} that steps.json states: {note}", step.skips()))
        }
        Ok(note) => (Verdict::Pass, note),
        Err(error) if error.is::<Missing>() && !strict => (Verdict::Skip, error.to_string()),
        Err(error) => (Verdict::Fail, format!("{error:#}")),
    };
    let took = started.elapsed();
    let is_slow = took.as_secs_f64() > 120.0 * step.minutes + 10.0;
    let row = Row { name: step.name.clone(), verdict, note, took, usually: is_slow.then(|| step.usually()) };
    if verdict == Verdict::Fail {
        println!("──── {} ────\n{}────", log.display(), String::from_utf8_lossy(&fs::read(&log)?));
    }
    print_row(&row);
    Ok(row)
}

fn print_row(Row { name, verdict, note, took, usually }: &Row) {
    let word = match verdict {
        Verdict::Pass => "PASS",
        Verdict::Skip => "SKIP",
        Verdict::Fail => "FAIL",
    };
    let usually = usually.as_ref().map_or_else(String::new, |usually| format!(" ({usually})"));
    println!("{name:<13} {word} {:>7.1} s{usually}  {}", took.as_secs_f64(), note.lines().next().unwrap_or_default());
}
