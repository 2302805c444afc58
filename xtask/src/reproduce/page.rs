//! What was reproduced, in short: `REPRODUCTIONS.md`.

use std::fmt::{Display, Write};

use anyhow::{Context, Result};
use serde_json::Value;

/// The experiment that answers the collector's question, whose plot stands in the page.
pub(super) const PLOTTED: [&str; 2] = ["ome", "equal-epsilon"];
/// Its sheets that the page shows.
const SHOWN: [&str; 3] = [
    "The best for a collector",
    "Accuracy at equal true epsilon, mean over the sets",
    "At OME's own true epsilon, accuracy of the paper's perceptron",
];

/// The page, in Markdown, of all experiments' reports as JSON.
///
/// # Errors
/// A report lacks what it should have.
pub(super) fn markdown(reports: &[Value], date: &str) -> Result<String> {
    let first = reports.first().context("no reports")?;
    let mut page = Page(String::new());
    page.line("# Reproductions\n");
    page.line(format_args!(
        "`cargo xtask reproduce --write --data DIR`, {date}, textveil {}. The tables and figures of the papers, computed anew on \
         their data sets. Each number with its 95 % interval, the paper's where it is known, and the true ε and δ: \
         `cargo xtask reproduce PAPER [TABLE] --data DIR --html FILE`.\n",
        text(first, "/settings/version")?
    ));
    collector(&mut page, reports)?;
    all(&mut page, reports)?;
    not_borne_out(&mut page, reports)?;
    page.line("## Why numbers differ\n");
    for report in reports {
        match text(report, "/whyTheyDiffer")? {
            "" => {}
            why => page.line(format_args!("- {}: {why}", text(report, "/experiment")?)),
        }
    }
    Ok(page.0)
}

struct Page(String);

impl Page {
    fn line(&mut self, line: impl Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{line}");
    }

    fn row<Cell: Display>(&mut self, cells: &[Cell]) {
        let cells: String = cells.iter().map(|cell| format!(" {cell} |")).collect();
        self.line(format_args!("|{cells}"));
    }

    fn heads(&mut self, heads: &[&str]) {
        self.row(heads);
        self.row(&vec!["---"; heads.len()]);
    }
}

fn collector(page: &mut Page, reports: &[Value]) -> Result<()> {
    let name = PLOTTED.join(" ");
    let is_it = |report: &&Value| report["experiment"].as_str() == Some(&name);
    let report = reports.iter().find(is_it).with_context(|| format!("no report of {name}"))?;
    page.line(format_args!(
        "## Which encoding and classifier is best for a collector?\n\n\
         Each device sends one release of a text, and the collector learns from releases alone: it trains on those of four \
         fifths of the texts, and is tested on releases of the rest. All encodings spend the same true ε, which covers the \
         whole text (of a pair of texts, both), and a δ of 10⁻⁵ at most; `privunit2` is not offered where its own is more. \
         Vectors are the built-in table's and, of sets called encoded, a sentence encoder's, with at most 1,000 examples \
         to train on (`cargo xtask reproduce {name}`, mean of {} runs).\n\n\
         ![Accuracy by true ε on each set](REPRODUCTIONS.svg)\n",
        report["settings"]["runs"]
    ));
    for title in SHOWN {
        let sheets = list(report, "/sheets")?;
        let sheet =
            sheets.iter().find(|sheet| sheet["title"] == title).with_context(|| format!("no sheet \"{title}\""))?;
        page.line(format_args!("{title}:\n"));
        let columns: Vec<&str> = list(sheet, "/columns")?.iter().filter_map(Value::as_str).collect();
        page.heads(&columns);
        for row in list(sheet, "/rows")? {
            page.row(&columns.iter().map(|column| shown(&row[column])).collect::<Vec<_>>());
        }
        page.line("");
    }
    Ok(())
}

fn all(page: &mut Page, reports: &[Value]) -> Result<()> {
    page.line(
        "## All tables\n\n\
         In kind: how many of the paper's findings our numbers bear out. In value: how many comparisons with its numbers agree, \
         where those are known. Minutes are of one core.\n",
    );
    page.heads(&["", "what it shows", "runs", "minutes", "in kind", "in value"]);
    for report in reports {
        let claims = list(report, "/inKind")?;
        let held = claims.iter().filter(|claim| claim["holds"] == true).count();
        let share = |part: usize, whole: usize| if whole > 0 { format!("{part} of {whole}") } else { String::new() };
        let count = |of: &str| report["inValue"][of].as_u64().unwrap_or(0) as usize;
        let minutes = report["computed"]["coreSeconds"].as_f64().filter(|seconds| *seconds > 0.0);
        page.row(&[
            text(report, "/experiment")?.to_owned(),
            text(report, "/about")?.to_owned(),
            report["settings"]["runs"].as_u64().map_or_else(String::new, |runs| runs.to_string()),
            minutes.map_or_else(String::new, |seconds| format!("{:.1}", seconds / 60.0)),
            share(held, claims.len()),
            share(count("agree"), count("of")),
        ]);
    }
    page.line("");
    Ok(())
}

fn not_borne_out(page: &mut Page, reports: &[Value]) -> Result<()> {
    page.line("## What is not borne out\n");
    for report in reports {
        for claim in list(report, "/inKind")?.iter().filter(|claim| claim["holds"] != true) {
            let [experiment, claim, evidence] =
                [text(report, "/experiment")?, text(claim, "/claim")?, text(claim, "/evidence")?];
            page.line(format_args!("- {experiment}: {claim}. Ours: {evidence}."));
        }
    }
    page.line("");
    Ok(())
}

fn list<'a>(value: &'a Value, pointer: &str) -> Result<&'a Vec<Value>> {
    value.pointer(pointer).and_then(Value::as_array).with_context(|| format!("no list {pointer} in a report"))
}

fn text<'a>(value: &'a Value, pointer: &str) -> Result<&'a str> {
    value.pointer(pointer).and_then(Value::as_str).with_context(|| format!("no text {pointer} in a report"))
}

/// An entry of a sheet: text, a number, or a mean with its interval.
fn shown(entry: &Value) -> String {
    let mean = entry.get("mean").and_then(Value::as_f64);
    let half = entry["interval"][1].as_f64().zip(mean).map(|(high, mean)| high - mean);
    match (entry, mean, half) {
        (_, Some(mean), Some(half)) => format!("{} ± {}", number(mean), number(half)),
        (_, Some(mean), None) => number(mean),
        (Value::Number(x), ..) => x.as_f64().map_or_else(|| x.to_string(), number),
        (Value::String(text), ..) => text.clone(),
        _ => String::new(),
    }
}

/// To three places, of which noughts at the end are left out.
fn number(x: f64) -> String {
    let text = format!("{x:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(experiment: &str, claims: &Value) -> Value {
        let sheet = |title| {
            let mean = json!({ "mean": 0.8, "interval": [0.7, 0.9] });
            json!({ "title": title, "columns": ["z", "eps 5", "eps 10"], "rows": [{ "eps 5": 5.0, "eps 10": mean, "z": "a" }] })
        };
        json!({
            "experiment": experiment, "about": "About it", "settings": { "version": "1.2.3", "runs": 3 },
            "sheets": SHOWN.map(sheet), "inValue": { "agree": 1, "of": 2 }, "inKind": claims,
            "computed": { "cells": 4, "coreSeconds": 90.0 }, "whyTheyDiffer": "Other data.",
        })
    }

    #[test]
    fn the_page_has_columns_in_order_and_says_what_does_not_hold() {
        let claims = json!([
            { "claim": "it rises", "holds": true, "evidence": "1, 2" },
            { "claim": "it is flat", "holds": false, "evidence": "1, 2: differ by 1" },
        ]);
        let page = markdown(&[report("ome equal-epsilon", &claims)], "2001-02-03").expect("a page");
        for part in [
            "| z | eps 5 | eps 10 |\n| --- | --- | --- |\n| a | 5 | 0.8 ± 0.1 |",
            "| ome equal-epsilon | About it | 3 | 1.5 | 1 of 2 | 1 of 2 |",
            "- ome equal-epsilon: it is flat. Ours: 1, 2: differ by 1.",
            "- ome equal-epsilon: Other data.",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(!page.contains("it rises"));
    }

    #[test]
    fn a_page_without_the_collectors_answer_is_refused() {
        assert!(markdown(&[report("ome table-1", &json!([]))], "2001-02-03").is_err());
    }
}
