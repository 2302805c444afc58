//! What was reproduced and is kept: a report a file, and the page of them all, `REPRODUCTIONS.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, context};
use serde_json::Value;

use super::experiment::Experiment;
use super::printed::{Comparison, Summary, set_beside_recorded, summary};
use super::report::Report;

/// The experiment whose plot stands in the page.
const PLOTTED: &str = "ome equal-epsilon";

/// Keeps reports in a folder, each with the day, in UTC.
///
/// # Errors
/// A file cannot be written.
pub(super) fn keep(folder: &Path, reports: &[Report]) -> Result<()> {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    for report in reports {
        let mut json = report.json();
        json["date"] = now.split('T').next().unwrap_or_default().into();
        let file = folder.join(report.name.replace(' ', "-")).with_extension("json");
        fs::write(&file, format!("{json:#}\n")).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// Sets the papers' numbers next to those of all reports in a folder, with the present notes on each experiment.
///
/// # Errors
/// A file cannot be read or written, or lacks a cell.
pub(super) fn refresh(folder: &Path, experiments: &[&Experiment], comparisons: &[&Comparison]) -> Result<()> {
    for (file, mut report) in read(folder)? {
        renew(&mut report, experiments, comparisons).with_context(|| file.display().to_string())?;
        fs::write(&file, format!("{report:#}\n")).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

fn renew(report: &mut Value, experiments: &[&Experiment], comparisons: &[&Comparison]) -> Result<()> {
    if let Some(experiment) = experiments.iter().find(|experiment| report["experiment"] == experiment.name()) {
        report["about"] = experiment.about.into();
        report["whyTheyDiffer"] = experiment.why.into();
    }
    set_beside_recorded(report, comparisons)
}

fn read(folder: &Path) -> Result<Vec<(PathBuf, Value)>> {
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |file: PathBuf| {
        let report = fs::read(&file).map_err(Into::into).and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
        let report: Result<Value> = report;
        report.with_context(|| file.display().to_string()).map(|report| (file, report))
    };
    files.into_iter().map(read).collect()
}

/// Writes the page of all reports in a folder. Writes the plot next to it, if it has just been drawn.
///
/// # Errors
/// A file cannot be read or written, or a report lacks what the page shows.
pub(super) fn write_page(folder: &Path, fresh: &[Report], comparisons: &[&Comparison], page: &Path) -> Result<()> {
    let reports: Vec<Value> = read(folder)?.into_iter().map(|(_, report)| report).collect();
    fs::write(page, markdown(&reports, &summary(comparisons, &reports)?)?)?;
    let plotted = fresh.iter().find(|report| report.name == PLOTTED);
    let drawing = plotted.and_then(|report| report.drawing.as_deref());
    drawing.map_or(Ok(()), |drawing| Ok(fs::write(page.with_extension("svg"), drawing)?))
}

fn markdown(reports: &[Value], summary: &[Summary]) -> Result<String> {
    let mut page = Environment::new();
    page.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?);
    page.set_undefined_behavior(UndefinedBehavior::Strict);
    page.add_filter("short", short);
    let (reports, summary) = (minijinja::Value::from(Serde(reports)), minijinja::Value::from(Serde(summary)));
    Ok(page.render_str(include_str!("recorded.md.jinja"), context! { reports, summary, plotted => PLOTTED })?)
}

/// To three places, without zeros at the end; a large number as a whole one.
fn short(x: f64) -> String {
    if x.abs() >= 1000.0 {
        return format!("{x:.0}");
    }
    let text = format!("{x:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{EXPERIMENTS, comparisons};
    use super::*;

    fn report(experiment: &str, claims: &Value) -> Value {
        let sheet = |title| {
            let mean = json!({ "mean": 0.8, "interval": [0.7, 0.9] });
            json!({ "title": title, "columns": ["z", "eps 5", "eps 10"], "rows": [{ "eps 5": 1234.6, "eps 10": mean, "z": "a" }] })
        };
        let titles = [
            "The best for a collector",
            "Accuracy at equal true epsilon, mean over the sets",
            "At OME's own true epsilon, accuracy of the paper's perceptron",
        ];
        json!({
            "experiment": experiment, "about": "About it", "settings": { "program": "0123456789abcdef", "runs": 3 },
            "date": "2001-02-03",
            "sheets": titles.map(sheet), "inValue": { "agree": 1, "cannotTell": 1, "of": 2 }, "inKind": claims,
            "computed": { "cells": 4, "coreSeconds": 90.0 }, "whyTheyDiffer": "Other data.",
        })
    }

    #[test]
    fn the_page_has_columns_in_order_and_says_what_does_not_hold() {
        let claims = json!([
            { "claim": "it rises", "holds": true, "evidence": "1, 2" },
            { "claim": "it is flat", "holds": false, "evidence": "1, 2: differ by 1" },
            { "claim": "it falls", "holds": null, "evidence": "1, 2" },
        ]);
        let reports = [report(PLOTTED, &claims), report("ome table-1", &json!([]))];
        let page = markdown(&reports, &[]).expect("a page");
        for part in [
            "| z | eps 5 | eps 10 |\n| --- | --- | --- |\n| a | 1235 | 0.8 ± 0.1 |",
            "| ome equal-epsilon | About it | 3 | 1.5 | 1 of 3, 1 open | 1 of 2, 1 open | 2001-02-03 | 01234567 |",
            "ome equal-epsilon:\n\n- it is flat. Ours: 1, 2: differ by 1.\n",
            "- ome equal-epsilon, ome table-1: Other data.",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(["it rises", "it falls"].iter().all(|part| !page.contains(part)));
    }

    #[test]
    fn a_page_without_the_collectors_answer_is_refused() {
        assert!(markdown(&[report("ome table-1", &json!([]))], &[]).is_err());
    }

    #[test]
    fn what_is_recorded_has_the_papers_numbers_beside_it() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("reproductions");
        for (file, report) in read(&folder).expect("reports") {
            let mut renewed = report.clone();
            renew(&mut renewed, &EXPERIMENTS, &comparisons()).expect("every cell");
            assert!(renewed == report, "cargo xtask reproduce --page writes {} anew", file.display());
        }
    }

    #[test]
    fn the_page_in_the_checkout_is_made_of_the_reports_in_it() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let page = tempfile::NamedTempFile::new().expect("a file");
        write_page(&root.join("lab/reproductions"), &[], &comparisons(), page.path()).expect("a page");
        let [made, recorded] =
            [page.path(), &root.join("REPRODUCTIONS.md")].map(|file| fs::read_to_string(file).expect("a page"));
        assert!(made == recorded, "cargo xtask reproduce --page writes this instead:\n{made}");
    }
}
