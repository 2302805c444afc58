//! The numbers that the papers print, and the number of ours for each of them.
//!
//! `lab/data/papers` holds the numbers. A [`Comparison`] is a line of the summary in `REPRODUCTIONS.md`. For each
//! printed number of a table it names the cell of a report, and whether the paper's own mechanism can have it. All
//! counts come from the numbers and the reports.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::report::Report;
use textveil_toolkit::report::{Cell, Mean, Printed};

const PAPERS: [(&str, &str); 5] = [
    ("ome", include_str!("../../data/papers/ome.json")),
    ("dpnr", include_str!("../../data/papers/dpnr.json")),
    ("trlaplace", include_str!("../../data/papers/trlaplace.json")),
    ("qu", include_str!("../../data/papers/qu.json")),
    ("dpugc", include_str!("../../data/papers/dpugc.json")),
];

/// A number that a paper prints.
#[derive(Deserialize)]
pub(crate) struct Number {
    pub(crate) table: String,
    row: Map<String, Value>,
    column: Map<String, Value>,
    pub(crate) metric: String,
    unit: String,
    /// As it is printed.
    pub(crate) value: f64,
}

#[derive(Deserialize)]
struct Paper {
    results: Vec<Number>,
}

impl Number {
    /// What its row or its column says of this.
    pub(crate) fn says(&self, of: &str) -> &Value {
        self.row.get(of).or_else(|| self.column.get(of)).unwrap_or(&Value::Null)
    }

    /// The same, of words.
    pub(crate) fn word(&self, of: &str) -> &str {
        self.says(of).as_str().unwrap_or_default()
    }

    /// The same, of a number.
    pub(crate) fn number(&self, of: &str) -> Option<f64> {
        self.says(of).as_f64()
    }

    /// The value, where a share or a difference of shares is printed as a percentage.
    pub(crate) fn share(&self) -> f64 {
        if self.unit.starts_with("percent") { self.value / 100.0 } else { self.value }
    }
}

/// All numbers that a paper prints.
///
/// # Errors
/// There is no such paper.
pub(crate) fn numbers(paper: &str) -> Result<Vec<Number>> {
    let (_, text) = PAPERS.into_iter().find(|(name, _)| *name == paper).context("a paper without printed numbers")?;
    let Paper { results } = serde_json::from_str(text).with_context(|| format!("the numbers of {paper}"))?;
    Ok(results)
}

/// A table of a paper, compared with one of our reports.
pub(crate) struct Comparison {
    /// The paper, in a word.
    pub(crate) paper: &'static str,
    /// The table, as the paper names it.
    pub(crate) table: &'static str,
    /// What of it, or against what, where a table has several lines.
    pub(crate) what: &'static str,
    /// Our report, or `None` if we make no such report.
    pub(crate) experiment: &'static str,
    /// Where a printed number of the table stands, given all of the paper.
    pub(crate) place: fn(&Number, &[Number]) -> Place,
    /// Whether the mechanism that the table is said to show cannot have this number, given all of the paper.
    pub(crate) is_impossible: fn(&Number, &[Number]) -> bool,
    /// Why numbers differ, are impossible, or are not made.
    pub(crate) reason: &'static str,
}

/// Where a printed number stands.
pub(crate) enum Place {
    /// In another line of the summary.
    Elsewhere,
    /// Nowhere: it is not made again.
    Nowhere,
    Beside(Beside),
}

/// A cell of a report, and the printed number for it.
pub(crate) struct Beside {
    /// The title of the sheet.
    pub(crate) sheet: &'static str,
    /// What the row says, by column.
    pub(crate) row: Vec<(&'static str, Value)>,
    pub(crate) column: &'static str,
    /// The paper's value, as our column counts.
    pub(crate) value: f64,
    /// The greatest difference at which ours still agrees, or `None` where the two compare in kind alone.
    pub(crate) tolerance: Option<f64>,
}

/// Of a table all of whose numbers the mechanism may have.
pub(crate) fn none_is_impossible(_: &Number, _: &[Number]) -> bool {
    false
}

/// Of a table that is not made again.
pub(crate) fn nowhere(_: &Number, _: &[Number]) -> Place {
    Place::Nowhere
}

impl Beside {
    const fn printed(&self) -> Printed {
        Printed { value: self.value, tolerance: self.tolerance }
    }

    /// The sheet and the row that it means.
    fn find(&self, sheets: &Value) -> Option<[usize; 2]> {
        let is_meant = |row: &Value| self.row.iter().all(|(column, value)| is_same(&row[column], value));
        let place = sheets.as_array()?.iter().position(|sheet| sheet["title"] == self.sheet)?;
        let row = sheets[place]["rows"].as_array()?.iter().position(is_meant)?;
        Some([place, row])
    }
}

fn is_same(ours: &Value, theirs: &Value) -> bool {
    match (ours.as_f64(), theirs.as_f64()) {
        (Some(ours), Some(theirs)) => (ours - theirs).abs() <= 1e-9 * theirs.abs(),
        _ => ours == theirs,
    }
}

impl Comparison {
    /// The printed numbers of its line, by their place among all of the paper, and the cell of each.
    fn places(&self, numbers: &[Number]) -> Vec<(usize, Option<Beside>)> {
        let of_table = numbers.iter().enumerate().filter(|(_, number)| number.table == self.table);
        let places = of_table.filter_map(|(at, number)| match (self.place)(number, numbers) {
            Place::Elsewhere => None,
            Place::Nowhere => Some((at, None)),
            Place::Beside(beside) => Some((at, Some(beside))),
        });
        places.collect()
    }

    /// The cells of a report that a printed number belongs to.
    fn cells(&self, experiment: &str) -> Result<Vec<Beside>> {
        if self.experiment != experiment {
            return Ok(Vec::new());
        }
        Ok(self.places(&numbers(self.paper)?).into_iter().filter_map(|(_, beside)| beside).collect())
    }
}

impl Report {
    /// Sets the printed numbers next to ours. Cells that a small version lacks are left out.
    ///
    /// # Errors
    /// The numbers cannot be read.
    pub(super) fn set_beside(&mut self, comparisons: &[&Comparison]) -> Result<()> {
        let json = self.json();
        for comparison in comparisons {
            for beside in comparison.cells(&self.name)? {
                let Some([sheet, row]) = beside.find(&json["sheets"]) else { continue };
                let sheet = &mut self.sheets[sheet];
                let column = sheet.columns.iter().position(|column| *column == beside.column);
                let cell = column.and_then(|column| sheet.rows[row].get_mut(column));
                let paper = Some(beside.printed());
                match cell {
                    Some(Cell::Mean(mean)) => mean.paper = paper,
                    Some(cell @ Cell::Number(_)) => {
                        let Cell::Number(number) = *cell else { continue };
                        *cell = Cell::Mean(Mean { paper, ..Mean::exact(number) });
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// Sets the printed numbers next to those of a recorded report.
///
/// # Errors
/// A cell is not there, or has no number.
pub(super) fn set_beside_recorded(report: &mut Value, comparisons: &[&Comparison]) -> Result<()> {
    let name = report["experiment"].as_str().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for comparison in comparisons {
        for beside in comparison.cells(&name)? {
            found.push((beside.find(&report["sheets"]).with_context(|| missing(&name, &beside))?, beside));
        }
    }
    for sheet in report["sheets"].as_array_mut().into_iter().flatten() {
        let cells = sheet["rows"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut);
        cells.flat_map(|row| row.values_mut()).for_each(Mean::forget_comparison);
    }
    for ([sheet, row], beside) in found {
        let cell = &mut report["sheets"][sheet]["rows"][row][beside.column];
        if is_left_out(cell) {
            continue;
        }
        let mean = Mean::read(cell).with_context(|| missing(&name, &beside))?;
        if cell.is_number() {
            *cell = mean.json();
        }
        Mean { paper: Some(beside.printed()), ..mean }.write_comparison(cell);
    }
    let [agree, open, of] = agreement(report["sheets"].as_array().into_iter().flatten());
    report["inValue"] = serde_json::json!({ "agree": agree, "cannotTell": open, "of": of });
    Ok(())
}

/// Whether an incomplete report lacks this cell.
fn is_left_out(cell: &Value) -> bool {
    *cell == ""
}

fn missing(report: &str, beside: &Beside) -> String {
    format!("{report} has no number at {:?}, {} of \"{}\"", beside.row, beside.column, beside.sheet)
}

fn agreement<'a>(sheets: impl Iterator<Item = &'a Value>) -> [usize; 3] {
    let rows = sheets.filter_map(|sheet| sheet["rows"].as_array()).flatten().filter_map(Value::as_object);
    let compared: Vec<&Value> = rows.flat_map(Map::values).filter(|cell| !cell["tolerance"].is_null()).collect();
    let with = |verdict: Value| compared.iter().filter(|cell| cell["agreesInValue"] == verdict).count();
    [with(true.into()), with(Value::Null), compared.len()]
}

/// A line of the summary.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary {
    paper: &'static str,
    table: &'static str,
    what: &'static str,
    experiment: &'static str,
    /// Numbers that the paper prints.
    printed: usize,
    /// Printed numbers for which we have one of ours.
    compared: usize,
    /// Compared numbers that lie in our 95 % interval.
    inside: usize,
    /// Numbers compared in value: those that agree, those that differ, and those that cannot be told apart.
    agree: usize,
    differ: usize,
    open: usize,
    in_kind: usize,
    /// Printed numbers that the mechanism cannot have.
    impossible: usize,
    not_made: usize,
    reason: &'static str,
}

/// The summary of what is recorded. A table whose report is not recorded is not made.
///
/// # Errors
/// A report lacks a cell.
pub(super) fn summary(comparisons: &[&Comparison], reports: &[Value]) -> Result<Vec<Summary>> {
    comparisons.iter().map(|comparison| Summary::of(comparison, reports)).collect()
}

impl Summary {
    fn of(comparison: &Comparison, reports: &[Value]) -> Result<Self> {
        let Comparison { paper, table, what, experiment, reason, .. } = *comparison;
        let numbers = numbers(paper)?;
        let places = comparison.places(&numbers);
        let report = reports.iter().find(|report| report["experiment"] == experiment);
        let mean = |beside: &Beside, report: &Value| -> Result<Option<Mean>> {
            let [sheet, row] = beside.find(&report["sheets"]).with_context(|| missing(experiment, beside))?;
            let cell = &report["sheets"][sheet]["rows"][row][beside.column];
            if is_left_out(cell) {
                return Ok(None);
            }
            let mean = Mean::read(cell).with_context(|| missing(experiment, beside))?;
            Ok(Some(Mean { paper: Some(beside.printed()), ..mean }))
        };
        let made = places.iter().filter_map(|(_, beside)| beside.as_ref().zip(report));
        let means = made.filter_map(|(beside, report)| mean(beside, report).transpose()).collect::<Result<Vec<_>>>()?;
        let with = |is_so: &dyn Fn(&Mean) -> bool| means.iter().filter(|mean| is_so(mean)).count();
        let of_value = |verdict| with(&|mean| mean.is_compared() && mean.agrees() == verdict);
        let is_impossible = |(at, _): &&(usize, Option<Beside>)| (comparison.is_impossible)(&numbers[*at], &numbers);
        Ok(Self {
            paper,
            table,
            what,
            experiment,
            printed: places.len(),
            compared: means.len(),
            inside: with(&|mean| mean.is_inside() == Some(true)),
            agree: of_value(Some(true)),
            differ: of_value(Some(false)),
            open: of_value(None),
            in_kind: with(&|mean| !mean.is_compared()),
            impossible: places.iter().filter(is_impossible).count(),
            not_made: places.len() - means.len(),
            reason,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::super::{EXPERIMENTS, comparisons};
    use super::*;

    static TOY: Comparison = Comparison {
        paper: "qu",
        table: "Table 3",
        what: "",
        experiment: "toy",
        place: |number, _| match (number.word("set"), number.number("eta")) {
            ("SST", Some(eta)) if eta < 100.0 => Place::Beside(Beside {
                sheet: "Inversion",
                row: vec![("eta", json!(eta))],
                column: "SST-2",
                value: number.share(),
                tolerance: Some(0.01),
            }),
            ("SST", _) => Place::Elsewhere,
            _ => Place::Nowhere,
        },
        is_impossible: |number, _| number.value > 0.9,
        reason: "",
    };

    fn recorded(of_75: &Value) -> Value {
        let rows = json!([
            { "eta": 50, "SST-2": { "mean": 0.02, "interval": [0.015, 0.025], "paper": 9.0 } },
            { "eta": 75, "SST-2": of_75 },
        ]);
        json!({ "experiment": "toy", "sheets": [{ "title": "Inversion", "rows": rows }] })
    }

    #[test]
    fn five_papers_print_579_numbers() {
        let counts = PAPERS.map(|(paper, _)| numbers(paper).expect("numbers").len());
        assert_eq!((counts, counts.iter().sum::<usize>()), ([54, 146, 130, 167, 82], 579));
    }

    #[test]
    fn each_printed_number_stands_in_a_line_of_a_known_report() {
        for (paper, _) in PAPERS {
            let numbers = numbers(paper).expect("numbers");
            let lines = comparisons().into_iter().filter(|line| line.paper == paper);
            let placed: BTreeSet<usize> = lines.flat_map(|line| line.places(&numbers)).map(|(at, _)| at).collect();
            assert!(placed.len() == numbers.len(), "{paper}: {} of {}", placed.len(), numbers.len());
        }
        let is_known = |name: &str| name.is_empty() || EXPERIMENTS.iter().any(|experiment| experiment.name() == name);
        assert!(comparisons().iter().all(|line| is_known(line.experiment)));
    }

    #[test]
    fn a_summary_counts_what_the_numbers_say() {
        let line = |report: &Value| {
            let line = Summary::of(&TOY, std::slice::from_ref(report)).expect("a line");
            let Summary { printed, compared, inside, agree, differ, impossible, not_made, .. } = line;
            [printed, compared, inside, agree, differ, impossible, not_made]
        };
        // Six numbers of QQP, one above .9, and two of SST.
        assert_eq!(line(&recorded(&json!({ "mean": 0.11, "interval": null }))), [8, 2, 1, 2, 0, 1, 6]);
        assert_eq!(line(&recorded(&json!({ "mean": 0.2, "interval": [0.19, 0.21] }))), [8, 2, 1, 1, 1, 1, 6]);
        assert!(Summary::of(&TOY, &[recorded(&json!("none"))]).is_err());
        let unrecorded = Summary::of(&TOY, &[]).expect("a line");
        assert_eq!((unrecorded.compared, unrecorded.not_made), (0, 8));
    }

    #[test]
    fn what_is_recorded_takes_the_printed_number_and_forgets_an_older_one() {
        let mut report = recorded(&json!(0.11));
        set_beside_recorded(&mut report, &[&TOY]).expect("cells");
        let [first, second] = [0, 1].map(|row| &report["sheets"][0]["rows"][row]["SST-2"]);
        assert_eq!((&first["paper"], &first["inInterval"]), (&json!(0.0154), &json!(true)));
        assert_eq!((&second["mean"], &second["agreesInValue"]), (&json!(0.11), &json!(true)));
        assert_eq!(report["inValue"], json!({ "agree": 2, "cannotTell": 0, "of": 2 }));
        set_beside_recorded(&mut report, &[]).expect("no cells");
        assert!(report["sheets"][0]["rows"][0]["SST-2"].get("paper").is_none());
        let other = report["sheets"][0]["rows"].as_array_mut().expect("rows").pop();
        assert!(other.is_some() && set_beside_recorded(&mut report, &[&TOY]).is_err(), "a cell that is missing");
    }
}
