//! A nightly check of `cargo xtask test`: libFuzzer searches for bytes that break a promise, a minute for each target.
//!
//! `fuzz/src` says what is promised. The inputs that are kept are in `fuzz/corpus`, and every test run reads them. What a
//! search finds besides is added to `target/fuzz/corpus`, from which the next one goes on. An input that breaks a promise is
//! written to `fuzz/artifacts`; it belongs into the corpus once the fault is mended.

use std::fs;

use anyhow::{Context, Result, bail, ensure};

use crate::project::{Project, files};
use crate::tool::Tool;
use crate::toolchain::nightly_cargo;

const CARGO_FUZZ: Tool = Tool { name: "cargo-fuzz", version: "0.13.2" };

/// How long each target is searched.
const SECONDS: u32 = 60;

/// Limits of one input: its bytes, the seconds that it may take, and the memory of the process in MiB.
const LIMITS: [&str; 3] = ["-max_len=4096", "-timeout=20", "-rss_limit_mb=2048"];

/// Searches every target.
///
/// # Errors
/// An input breaks a promise, or nothing was searched; [`crate::project::Missing`] without the compiler or the tool for it.
pub(crate) fn check(project: &Project) -> Result<String> {
    let cargo = || CARGO_FUZZ.of(project, nightly_cargo(project)?);
    let list = project.read(cargo()?.args(["fuzz", "list", "--fuzz-dir=fuzz"]))?;
    let (mut notes, mut faults) = (Vec::new(), Vec::new());
    for target in list.lines() {
        let kept = project.root().join("fuzz/corpus").join(target);
        let work = project.target().join("fuzz");
        let found = work.join("corpus").join(target);
        fs::create_dir_all(&found).with_context(|| found.display().to_string())?;
        let (executed, crashes) = (project.lines_with(EXECUTED).len(), project.lines_with(CRASH).len());
        let mut run = cargo()?;
        run.args(["fuzz", "run", "--fuzz-dir=fuzz", "--features=libfuzzer", "--target-dir"]).arg(&work);
        run.arg(target).arg(&found).arg(&kept).arg("--").args(LIMITS);
        run.arg(format!("-max_total_time={SECONDS}")).args(["-print_final_stats=1", "-verbosity=1"]);
        if let Err(error) = project.run(&mut run) {
            let crash = project.lines_with(CRASH).into_iter().skip(crashes).next_back();
            faults.push(format!("{target}: {}", crash.unwrap_or_else(|| format!("{error:#}"))));
            continue;
        }
        let executed = project.lines_with(EXECUTED).into_iter().skip(executed).next_back();
        let note = judge(executed.as_deref(), project.lines_with(DONE).last(), files(&kept)?.len());
        let note = format!("{target} {}", note.with_context(|| target.to_owned())?);
        project.say(&note);
        notes.push(note);
    }
    ensure!(!notes.is_empty() || !faults.is_empty(), "there are no targets");
    if !faults.is_empty() {
        bail!("{}", faults.join("; "));
    }
    Ok(notes.join("; "))
}

/// What libFuzzer says before the number of inputs, the last coverage, and the path of an input that broke a promise.
const EXECUTED: &str = "stat::number_of_executed_units:";
const DONE: &str = "DONE   cov: ";
const CRASH: &str = "Test unit written to ";

/// What a search came to, from what libFuzzer printed.
///
/// # Errors
/// It read nothing but the inputs that are kept.
fn judge(executed: Option<&str>, done: Option<&String>, kept: usize) -> Result<String> {
    let number = |text: &str| text.split_whitespace().next()?.parse::<u64>().ok();
    let executed = executed.and_then(|line| number(line.split(EXECUTED).nth(1)?)).context("libFuzzer ran nothing")?;
    let covered = done.and_then(|line| number(line.split(DONE).nth(1)?)).context("libFuzzer measured nothing")?;
    ensure!(executed > kept as u64, "only {executed} inputs, of which {kept} are kept ones");
    ensure!(covered > 0, "nothing is instrumented");
    Ok(format!("{executed} inputs, {covered} edges"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_ran_nothing_fails() {
        let executed = |number: u64| format!("{EXECUTED} {number}");
        let done = format!("#9 {DONE}12 ft: 15 corp: 1/1b");
        let judged = judge(Some(&executed(900)), Some(&done), 30);
        assert_eq!(judged.ok().as_deref(), Some("900 inputs, 12 edges"));
        assert!(judge(Some(&executed(30)), Some(&done), 30).is_err());
        assert!(judge(None, Some(&done), 30).is_err());
        assert!(judge(Some(&executed(900)), None, 30).is_err());
        assert!(judge(Some(&executed(900)), Some(&format!("{DONE}0 ft: 0")), 30).is_err());
    }
}
