//! `cargo xtask budget [--write]`, and a check of `cargo xtask test`: what a word costs in instructions.
//!
//! callgrind counts them for `tests/benches/budget.rs`: the same number in every run, whatever else the machine does, and
//! nearly the same on every machine, because the kernel is named. The limits are in `xtask/bench/budget.json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use lexopt::prelude::*;
use serde_json::{Value as Json, json};

use crate::project::{Missing, Project, find_program};
use crate::toolchain::apt_install;

/// The file of limits.
const LIMITS: &str = "xtask/bench/budget.json";
/// What is counted: a function of `tests/benches/budget.rs` each.
const CASES: [&str; 3] = ["certified_draw", "argmin_32768x64", "sentence_of_20_words"];
/// How much above its limit a count may be; as far below, it is worth a new limit.
const TOLERANCE: f64 = 0.05;

/// Instructions by case.
pub(crate) type Counts = BTreeMap<&'static str, u64>;

/// `cargo xtask budget [--write]`
pub(crate) fn command(project: &Project, mut args: lexopt::Parser) -> Result<()> {
    let mut write = false;
    while let Some(argument) = args.next()? {
        match argument {
            Long("write") => write = true,
            other => return Err(other.unexpected().into()),
        }
    }
    let counts = counts(project)?;
    if write {
        let limits = json!({ "renewed by": "cargo xtask budget --write", "instructions": counts });
        fs::write(project.root().join(LIMITS), format!("{limits:#}\n"))?;
    }
    println!("{}", judge(&counts, &limits(project)?)?);
    Ok(())
}

/// Counts, and compares with the limits.
///
/// # Errors
/// A count is above its limit; [`Missing`] where there is no valgrind, or not the kernel.
pub(crate) fn check(project: &Project) -> Result<String> {
    judge(&counts(project)?, &limits(project)?)
}

/// The counts of all cases.
pub(crate) fn counts(project: &Project) -> Result<Counts> {
    ensure!(has_kernel(), Missing("the budget is that of the AVX2 kernel, which this processor does not have".into()));
    let valgrind = valgrind(project)?;
    let program = project.benchmark("textveil-tests", "budget")?;
    CASES.into_iter().map(|case| Ok((case, count(project, &valgrind, &program, case)?))).collect()
}

#[cfg(target_arch = "x86_64")]
fn has_kernel() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_kernel() -> bool {
    false
}

fn valgrind(project: &Project) -> Result<PathBuf> {
    let installed = || find_program(&["valgrind"]);
    let program = installed().or_else(|| apt_install(project, &["valgrind"]).then(installed).flatten());
    Ok(program.ok_or_else(|| Missing("valgrind is not installed".into()))?)
}

/// The instructions of one case: those between entry and return of the function of that name.
fn count(project: &Project, valgrind: &Path, program: &Path, case: &str) -> Result<u64> {
    let log = project.target().join(format!("{case}.callgrind.log"));
    let mut run = project.command(valgrind);
    run.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", &format!("--toggle-collect=*::{case}*")])
        .arg(format!("--log-file={}", log.display()))
        .arg(program)
        .arg(case);
    project.run(&mut run)?;
    let log = fs::read_to_string(log)?;
    let collected = log.lines().find_map(|line| line.split_once("Collected :"));
    let count = collected.and_then(|(_, count)| count.trim().parse().ok()).unwrap_or(0);
    ensure!(count > 0, "callgrind counted nothing in {case}");
    Ok(count)
}

fn limits(project: &Project) -> Result<Json> {
    let text = fs::read_to_string(project.root().join(LIMITS)).with_context(|| LIMITS.to_owned())?;
    Ok(serde_json::from_str(&text)?)
}

/// The counts in words.
///
/// # Errors
/// One is above its limit.
fn judge(counts: &Counts, limits: &Json) -> Result<String> {
    let mut notes = Vec::new();
    for (case, count) in counts {
        let limit = limits["instructions"][*case].as_f64().with_context(|| format!("{LIMITS}: no limit of {case}"))?;
        let change = *count as f64 / limit - 1.0;
        let note = format!("{case} {count} ({:+.1} %)", 100.0 * change);
        ensure!(*count as f64 <= limit * (1.0 + TOLERANCE), "{note}: above its limit of {limit}");
        let below = if change < -TOLERANCE { ", far below: cargo xtask budget --write" } else { "" };
        notes.push(format!("{note}{below}"));
    }
    Ok(notes.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(count: u64) -> Result<String> {
        judge(&Counts::from([("certified_draw", count)]), &json!({ "instructions": { "certified_draw": 1000 } }))
    }

    #[test]
    fn five_per_cent_more_pass_and_six_fail() {
        assert_eq!(judged(1050).ok().as_deref(), Some("certified_draw 1050 (+5.0 %)"));
        assert!(judged(1060).is_err());
    }

    #[test]
    fn far_fewer_ask_for_a_new_limit() {
        assert!(judged(900).is_ok_and(|note| note.contains("budget --write")));
    }

    #[test]
    fn a_case_without_a_limit_fails() {
        assert!(judge(&Counts::from([("new", 1)]), &json!({ "instructions": {} })).is_err());
    }
}
