//! `cargo xtask test`: runs the checks of [`steps`] in order and says what passed, what failed and what could
//! not run here.

mod steps;

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use lexopt::prelude::*;

use crate::project::{Missing, Project};
pub(crate) use steps::site;
use steps::{NIGHTLY, STEPS, Step};

/// How a check ended, with a few words on it.
enum Verdict {
    Pass(String),
    Skip(String),
    Fail(String),
}

impl Verdict {
    fn word(&self) -> &'static str {
        match self {
            Self::Pass(_) => "PASS",
            Self::Skip(_) => "SKIP",
            Self::Fail(_) => "FAIL",
        }
    }

    fn note(&self) -> &str {
        match self {
            Self::Pass(note) | Self::Skip(note) | Self::Fail(note) => note,
        }
    }
}

/// A line of the final table.
struct Row {
    name: &'static str,
    verdict: Verdict,
    took: Duration,
}

/// `cargo xtask test [--strict] [--nightly DATA] [--only NAME…] [--list]`
pub(crate) fn command(mut project: Project, mut args: lexopt::Parser) -> Result<ExitCode> {
    let (mut strict, mut nightly, mut only) = (false, false, Vec::new());
    while let Some(argument) = args.next()? {
        match argument {
            Long("strict") => strict = true,
            Long("nightly") => {
                project.keep_data(Path::new(&args.value()?))?;
                nightly = true;
            }
            Long("only") => {
                for name in args.values()? {
                    only.push(name.string()?);
                }
            }
            Long("list") => {
                for (steps, when) in [(&STEPS[..], ""), (&NIGHTLY, " (nightly)")] {
                    steps.iter().for_each(|step| println!("{:<10} {}{when}", step.name, step.proves));
                }
                return Ok(ExitCode::SUCCESS);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let steps: Vec<&Step> = STEPS.iter().chain(NIGHTLY.iter().filter(|_| nightly)).collect();
    for name in &only {
        let is_nightly = !nightly && NIGHTLY.iter().any(|step| step.name == name);
        ensure!(!is_nightly, "'{name}' is a nightly check: pass --nightly with the folder of the papers' data sets");
        ensure!(steps.iter().any(|step| step.name == name), "no check '{name}'; --list names them");
    }
    let chosen = steps.into_iter().filter(|step| only.is_empty() || only.iter().any(|name| name == step.name));
    let rows: Vec<Row> = chosen.map(|step| run(&mut project, step, strict)).collect();
    println!();
    rows.iter().for_each(print_row);
    let count = |word| rows.iter().filter(|row| row.verdict.word() == word).count();
    let failed = count("FAIL");
    println!("\n{} passed, {failed} failed, {} skipped", count("PASS"), count("SKIP"));
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs one check, showing that it is running, and shows what its commands printed if it fails.
fn run(project: &mut Project, step: &Step, strict: bool) -> Row {
    let terminal = std::io::stdout().is_terminal();
    // A log gets a line of its own, so that a check that hangs is named.
    print!("{:<10} …{}", step.name, if terminal { "" } else { "\n" });
    // Only a courtesy to who is watching.
    let _ = std::io::stdout().flush();
    project.capture(step.name);
    let started = Instant::now();
    let verdict = match (step.check)(project) {
        Ok(note) => Verdict::Pass(note),
        Err(error) if error.is::<Missing>() && !strict => Verdict::Skip(error.to_string()),
        Err(error) => Verdict::Fail(format!("{error:#}")),
    };
    let transcript = project.take_transcript();
    let row = Row { name: step.name, verdict, took: started.elapsed() };
    if terminal {
        print!("\r\x1b[K");
    }
    if let Verdict::Fail(_) = row.verdict {
        println!("──── {} ────\n{transcript}────", step.name);
    }
    print_row(&row);
    row
}

fn print_row(row: &Row) {
    let note = row.verdict.note().lines().next().unwrap_or_default();
    println!("{:<10} {} {:>7.1} s  {note}", row.name, row.verdict.word(), row.took.as_secs_f64());
}
