//! A nightly check of `cargo xtask test`: libFuzzer searches for bytes that break a promise, a minute for each target.
//!
//! `fuzz/src` says what is promised. The inputs that are kept are in `fuzz/corpus`, and every test run reads them. What
//! a search finds in addition is added to `target/fuzz/corpus`, where the next search starts. An input that breaks a
//! promise is written to `fuzz/artifacts`; it belongs into the corpus once the fault is mended.

use anyhow::{Context, Result, ensure};

use crate::project::{Project, files};
use crate::python::cargo_tools;
use crate::toolchain::{NIGHTLY, other_cargo};

/// Limits of one input (its bytes, the seconds that it may take, and the memory of the process in MiB) and of the
/// search of a target.
const LIMITS: [&str; 4] = ["-max_len=4096", "-timeout=20", "-rss_limit_mb=2048", "-max_total_time=60"];

/// Searches every target.
pub(crate) fn check(project: &Project) -> Result<String> {
    let cargo = || cargo_tools(project, other_cargo(project, NIGHTLY, None, &["rust-src"])?);
    let list = project.read(cargo()?.args(["fuzz", "list", "--fuzz-dir=fuzz"]))?;
    let Project { sh, root, target, .. } = project;
    let search = |name: &str| {
        let [kept, found] = [root.join("fuzz"), target.join("fuzz")].map(|of| of.join("corpus").join(name));
        sh.create_dir(&found)?;
        let run = cargo()?.args(["fuzz", "run", "--fuzz-dir=fuzz", "--features=libfuzzer", "--target-dir"]);
        let run = run.arg(target.join("fuzz")).arg(name).arg(found).arg(&kept).arg("--").args(LIMITS);
        // libFuzzer reports to its standard error.
        let output = project.output(run.args(["-print_final_stats=1", "-verbosity=1"]), true)?;
        judge(output.status.success(), &String::from_utf8_lossy(&output.stderr), files(&kept)?.len())
    };
    let (mut notes, mut faults) = (Vec::new(), Vec::new());
    for target in list.lines() {
        match search(target) {
            Ok(note) => notes.push(format!("{target} {note}")),
            Err(error) => faults.push(format!("{target}: {error:#}")),
        }
    }
    ensure!(faults.is_empty(), "{}", faults.join("; "));
    ensure!(!notes.is_empty(), "there are no targets");
    Ok(notes.join("; "))
}

/// What a search came to, from what libFuzzer printed.
fn judge(succeeded: bool, said: &str, kept: usize) -> Result<String> {
    let after = |mark: &str| said.rsplit_once(mark)?.1.split_whitespace().next();
    let number = |mark: &str| after(mark)?.parse::<usize>().ok();
    ensure!(succeeded, "{}", after("Test unit written to ").unwrap_or("cargo fuzz failed"));
    let executed = number("stat::number_of_executed_units:").context("libFuzzer ran nothing")?;
    let covered = number("DONE   cov: ").context("libFuzzer measured nothing")?;
    ensure!(executed > kept, "libFuzzer ran {executed} inputs, and {kept} are kept: it found no new one");
    ensure!(covered > 0, "nothing is instrumented");
    Ok(format!("{executed} inputs, {covered} edges"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_ran_nothing_or_found_a_fault_fails() {
        let said = |executed: usize, covered: usize| {
            format!(
                "#9 DONE   cov: {covered} ft: 15 corp: 1/1b\nDone 9 runs\nstat::number_of_executed_units: {executed}\n"
            )
        };
        let judged = |said: &str| judge(true, said, 30).ok();
        assert_eq!(judged(&said(900, 12)).as_deref(), Some("900 inputs, 12 edges"));
        for nothing in [said(30, 12), said(900, 0), String::new(), "#9 DONE   cov: 12 ft: 15".into()] {
            assert_eq!(judged(&nothing), None, "{nothing}");
        }
        let fault = judge(false, "artifact_prefix='a/'; Test unit written to a/crash-1\nBase64: AA\n", 30);
        assert!(fault.is_err_and(|fault| fault.to_string() == "a/crash-1"));
    }
}
