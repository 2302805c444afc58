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

/// The papers, by the names that they have here.
const PAPERS: &str = "\
- `ome`: Lyu, Li, He and Xiao, *Towards Differentially Private Text Representations*, SIGIR 2020
- `dpnr`: Lyu, He and Li, *Differentially Private Representation for NLP: Formal Guarantee and An Empirical Study on \
Privacy and Fairness*, Findings of EMNLP 2020
- `trlaplace`: Huang, Yang, Habernal, Hu and Wang, *Private Language Models via Truncated Laplacian Mechanism*, EMNLP 2024
- `qu`: Qu et al., *Natural Language Understanding with Privacy-Preserving BERT*, CIKM 2021
- dpUGC, in `mechanisms` alone: Vu, Tran and Jiang, *dpUGC: Learn Differentially Private Representation for User Generated \
Contents*, CICLing 2019
";
/// What the lists of findings take for known.
const TERMS: &str = "\
N_w is the share of draws in which a word comes out as itself. 1 − X, the empirical privacy of DPNR, is how often attackers \
are wrong; of AG, whose attackers say whether a text names Bush, Kerry and so on, it is 1 − F1 of who is named. The \
majority's is that of always saying what is commonest in training. *As published* is the paper's formula for the noise, *of \
the released code* one number that its code adds to all elements alike, which whoever takes each release's mean takes off.
";

/// The experiment of a report: "ome table-1".
///
/// # Errors
/// It names none.
pub(super) fn name(report: &Value) -> Result<&str> {
    text(report, "/experiment")
}

/// The page, in Markdown, of experiments' reports as JSON.
///
/// # Errors
/// A report lacks what it should have.
pub(super) fn markdown(reports: &[Value]) -> Result<String> {
    let mut page = Page(String::new());
    page.line("# Reproductions\n");
    page.line(
        "`cargo xtask reproduce --write [PAPER[/TABLE]…] --data DIR`: the tables and figures of the papers, computed anew on their \
         data sets. Each number with its 95 % interval (of more than one run), the paper's where it is known, and the true ε and δ lie in \
         [lab/reproductions](lab/reproductions), and as a page for people: `cargo xtask reproduce PAPER [TABLE] --data DIR --html FILE`.\n",
    );
    page.line(PAPERS);
    collector(&mut page, reports)?;
    all(&mut page, reports)?;
    not_borne_out(&mut page, reports)?;
    why_they_differ(&mut page, reports)?;
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
         Each device sends one release of a text, and the collector learns from releases alone, and is tested on others: of \
         the sets of sentiment a fifth, of snips and mrpc their own test texts. All encodings may spend the same true ε, which covers the \
         whole text (of a pair of texts, both), with a δ of 10⁻⁵ a text at most; one that cannot spend two thirds of it is not offered there. \
         Vectors are the built-in table's and, of sets called encoded, a sentence encoder's, with at most 400 examples \
         to train on (`cargo xtask reproduce {name} --data DIR`, {}). The SDK's default for representations follows the first table. It and the second are means over the sets that are \
         not encoded; what is hardly above always saying the commonest class tells nothing.\n\n\
         ![Accuracy by true ε on each set](REPRODUCTIONS.svg)\n",
        match report["settings"]["runs"].as_u64() {
            Some(runs) if runs > 1 => format!("mean of {runs} runs"),
            _ => "one run".to_owned(),
        }
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
         In kind: how many statements our numbers bear out, the paper's findings and some of our own about it. In value: how many \
         comparisons with its numbers agree, where those are known. Open is what our intervals are too wide to decide. Minutes are of one core of a shared machine, without what the encoder takes for the texts of `dpnr`. The \
         program is the build whose cells they are, by its SHA-256.\n",
    );
    page.heads(&["", "what it shows", "runs", "minutes", "in kind", "in value", "date", "program"]);
    for report in reports {
        let claims = list(report, "/inKind")?;
        let held = claims.iter().filter(|claim| claim["holds"] == true).count();
        let share = |part: usize, whole: usize| if whole > 0 { format!("{part} of {whole}") } else { String::new() };
        let open = |count: usize| if count > 0 { format!(", {count} open") } else { String::new() };
        let undecided = claims.iter().filter(|claim| claim["holds"].is_null()).count();
        let count = |of: &str| report["inValue"][of].as_u64().unwrap_or(0) as usize;
        let minutes = report["computed"]["coreSeconds"].as_f64().filter(|seconds| *seconds > 0.0);
        page.row(&[
            text(report, "/experiment")?.to_owned(),
            text(report, "/about")?.to_owned(),
            report["settings"]["runs"].as_u64().map_or_else(String::new, |runs| runs.to_string()),
            minutes.map_or_else(String::new, |seconds| format!("{:.1}", seconds / 60.0)),
            share(held, claims.len()) + &open(undecided),
            share(count("agree"), count("of")) + &open(count("cannotTell")),
            text(report, "/date")?.to_owned(),
            text(report, "/settings/program")?.chars().take(8).collect(),
        ]);
    }
    page.line("");
    Ok(())
}

fn not_borne_out(page: &mut Page, reports: &[Value]) -> Result<()> {
    page.line("## What is not borne out\n");
    page.line(TERMS);
    for report in reports {
        let refuted: Vec<&Value> = list(report, "/inKind")?.iter().filter(|claim| claim["holds"] == false).collect();
        if refuted.is_empty() {
            continue;
        }
        page.line(format_args!("{}:\n", text(report, "/experiment")?));
        for claim in refuted {
            page.line(format_args!("- {}. Ours: {}.", text(claim, "/claim")?, text(claim, "/evidence")?));
        }
        page.line("");
    }
    Ok(())
}

/// Each reason once, with all experiments that have it.
fn why_they_differ(page: &mut Page, reports: &[Value]) -> Result<()> {
    page.line("## Why numbers differ\n");
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for report in reports {
        let (why, name) = (text(report, "/whyTheyDiffer")?, text(report, "/experiment")?);
        match reasons.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, names)) => names.push(name),
            None if why.is_empty() => {}
            None => reasons.push((why, vec![name])),
        }
    }
    for (why, names) in reasons {
        page.line(format_args!("- {}: {why}", names.join(", ")));
    }
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

/// To three places, of which noughts at the end are left out; a large one as a whole number.
fn number(x: f64) -> String {
    if x.abs() >= 1000.0 {
        return format!("{x:.0}");
    }
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
            json!({ "title": title, "columns": ["z", "eps 5", "eps 10"], "rows": [{ "eps 5": 1234.6, "eps 10": mean, "z": "a" }] })
        };
        json!({
            "experiment": experiment, "about": "About it", "settings": { "program": "0123456789abcdef", "runs": 3 },
            "date": "2001-02-03",
            "sheets": SHOWN.map(sheet), "inValue": { "agree": 1, "cannotTell": 1, "of": 2 }, "inKind": claims,
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
        let reports = [report("ome equal-epsilon", &claims), report("ome table-1", &json!([]))];
        let page = markdown(&reports).expect("a page");
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
        assert!(markdown(&[report("ome table-1", &json!([]))]).is_err());
    }
}
