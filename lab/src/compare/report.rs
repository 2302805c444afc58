//! What the comparison found: as tables, as JSON, as a plot.

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use textveil::{Guarantee, InTheClear, MechanismKind, Parameter, Probability, RoundedUp};

use super::contender::Point;
use super::data::Dataset;
use super::interval::Estimate;
use super::inversion::Inversion;
use super::trial::Outcome;
use textveil_toolkit::cells;
use textveil_toolkit::report::numbers::short;
use textveil_toolkit::report::plot::{Axis, Mark, Plot};
use textveil_toolkit::report::{self, Sheet};

/// A mechanism at a point on a set.
pub(super) struct Cell {
    /// The place of the set.
    pub(super) dataset: usize,
    pub(super) table: String,
    pub(super) kind: MechanismKind,
    pub(super) settings: Vec<(Parameter, f64)>,
    pub(super) point: Point,
    /// What was found, or why nothing could be.
    pub(super) found: Result<Found, String>,
}

impl Cell {
    /// The mechanism's numbers besides its strength: those that it was given, and those that a level gave it.
    fn numbers(&self) -> &[(Parameter, f64)] {
        self.found.as_ref().map_or(&self.settings, |found| &found.guarantee.parameters)
    }
}

/// What holds for a mechanism at a point, and what it does.
#[derive(Clone)]
pub(super) struct Found {
    /// The guarantee of one word.
    pub(super) guarantee: Guarantee,
    /// η that is proved in the Euclidean distance.
    pub(super) euclidean_eta: Option<f64>,
    pub(super) inversion: Inversion,
    pub(super) outcome: Outcome,
}

/// Everything that was found.
pub(super) struct Report<'a> {
    pub(super) datasets: &'a [Dataset],
    pub(super) points: &'a [Point],
    /// Accuracy in clear, for each set and table.
    pub(super) in_clear: Vec<(usize, String, Estimate)>,
    pub(super) cells: Vec<Cell>,
    pub(super) runs: u32,
    pub(super) seed: u64,
}

impl Report<'_> {
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for (place, dataset) in self.datasets.iter().enumerate() {
            let how = match dataset.splits.as_slice() {
                [split] => format!("trained on {}", split.train.len()),
                splits => format!("in {} parts, each after training on the others", splits.len()),
            };
            let Dataset { name, names, .. } = dataset;
            writeln!(out, "{name}: {} texts with {} labels tested, {how}", dataset.tested(), names.len())?;
            for (_, table, accuracy) in self.in_clear.iter().filter(|(of, ..)| *of == place) {
                writeln!(out, "  accuracy in clear, {table}: {accuracy}")?;
            }
            for point in self.points {
                let (name, value) = point.parts();
                let mut sheet = Sheet::new(format!("\nat equal {name}: {}", short(value)));
                let mut refused = Vec::new();
                for cell in self.at(place, *point) {
                    match &cell.found {
                        Ok(found) => sheet.row(row(cell, found)),
                        Err(reason) => refused.push(format!("not {}, {}: {reason}", cell.kind, cell.table)),
                    }
                }
                sheet.print(out)?;
                refused.iter().try_for_each(|line| writeln!(out, "{line}"))?;
            }
        }
        let runs = self.runs;
        writeln!(
            out,
            "In brackets: 95 % intervals, the percentile bootstrap over the texts tested and {runs} privatizations of \
             all texts.\n± is the 95 % interval of the reader's test. Eta is proved in the Euclidean distance of the \
             table, epsilon for one\nword and any other, unless a class is spoken of. Seed {}.",
            self.seed
        )
    }

    fn at(&self, dataset: usize, point: Point) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(move |cell| cell.dataset == dataset && cell.point == point)
    }

    pub(super) fn json(&self) -> Value {
        let in_clear = |place: usize| -> Map<String, Value> {
            let of = self.in_clear.iter().filter(|(of, ..)| *of == place);
            of.map(|(_, table, accuracy)| (table.clone(), json!(accuracy))).collect()
        };
        let dataset = |(place, dataset): (usize, &Dataset)| {
            json!({
                "name": dataset.name,
                "labels": dataset.names,
                "tested": dataset.tested(),
                "splits": dataset.splits.len(),
                "accuracyInClear": in_clear(place),
            })
        };
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "confidence": 0.95,
            "privatizations": self.runs,
            "seed": self.seed,
            "datasets": self.datasets.iter().enumerate().map(dataset).collect::<Vec<_>>(),
            "results": self.cells.iter().map(|cell| self.cell(cell)).collect::<Vec<_>>(),
        })
    }

    fn cell(&self, cell: &Cell) -> Value {
        let (equal, value) = cell.point.parts();
        let settings: Map<String, Value> =
            cell.numbers().iter().map(|(parameter, value)| (parameter.camel_case().to_owned(), json!(value))).collect();
        let mut object = json!({
            "dataset": self.datasets[cell.dataset].name,
            "table": cell.table,
            "mechanism": cell.kind,
            "settings": settings,
            "equal": equal,
            "asked": value,
        });
        match &cell.found {
            Ok(found) => {
                object["guarantee"] = json!(found.guarantee);
                object["euclideanEta"] = json!(found.euclidean_eta);
                object["vocabulary"] = json!(found.inversion);
                object["outcome"] = json!(found.outcome);
            }
            Err(reason) => object["refused"] = json!(reason),
        }
        object
    }

    pub(super) fn svg(&self) -> String {
        let places =
            (0..self.datasets.len()).flat_map(|dataset| self.points.iter().map(move |point| (dataset, *point)));
        let cells = places.flat_map(|(dataset, point)| self.at(dataset, point));
        let found: Vec<(&Cell, &Found)> = cells.filter_map(|cell| Some((cell, cell.found.as_ref().ok()?))).collect();
        let lowest = found.iter().map(|(_, found)| found.outcome.trained_privatized.low).fold(1.0, f64::min);
        let axis = Axis::linear((10.0 * lowest).floor().min(9.0) / 10.0, 1.0);
        let title = "accuracy of a classifier trained on privatized texts";
        let mut plot = Plot::of_rows("What a classifier tells from privatized texts", title, axis);
        let marks = [(Mark::Hollow, "accuracy"), (Mark::Bar, "95 % interval"), (Mark::Filled, "trained in clear")];
        plot.legend(&marks, "coloured: no pure epsilon is proved");
        for (cell, found) in found {
            let (equal, value) = cell.point.parts();
            let table = if self.has_tables() { format!(", {}", cell.table) } else { String::new() };
            let name = format!("{}{table}, {equal} {}: {}", self.datasets[cell.dataset].name, short(value), cell.kind);
            let Estimate { value, low, high } = found.outcome.trained_privatized;
            let marks = [
                (Mark::Bar, low),
                (Mark::Bar, high),
                (Mark::Hollow, value),
                (Mark::Filled, found.outcome.trained_in_clear.value),
            ];
            plot.row(&name, found.guarantee.delta_word > 0.0, &marks);
        }
        plot.finish()
    }

    /// Whether there is more than one table.
    fn has_tables(&self) -> bool {
        self.cells.iter().any(|cell| cell.table != self.cells[0].table)
    }
}

/// What was found for a mechanism, by column.
fn row(cell: &Cell, found: &Found) -> [(&'static str, report::Cell); 10] {
    let numbers = cell.numbers().iter().map(|(parameter, value)| format!(", {parameter} {}", short(*value)));
    let Outcome { words_kept, similarity, distance, trained_privatized, trained_in_clear } = found.outcome;
    cells![
        "table" => cell.table.as_str(),
        "mechanism" => format!("{}{}", cell.kind, numbers.collect::<String>()),
        "eta" => found.euclidean_eta.map_or_else(|| "-".to_owned(), short),
        "epsilon of a word" => loss(&found.guarantee),
        "inversion" => inverted(found.inversion),
        "words kept" => words_kept.to_string(),
        "similarity" => similarity.to_string(),
        "distance" => distance.to_string(),
        "trained privatized" => trained_privatized.to_string(),
        "trained in clear" => trained_in_clear.to_string(),
    ]
}

/// ε, and what it does not cover.
fn loss(guarantee: &Guarantee) -> String {
    let within = if guarantee.clear.contains(&InTheClear::WordClasses) { ", in a class" } else { "" };
    let epsilon = RoundedUp(guarantee.epsilon_word);
    match guarantee.delta_word {
        1.0.. => format!("none: delta 1{within}"),
        0.0 => format!("{epsilon}{within}"),
        delta => format!("{epsilon}, delta {}{within}", Probability(delta)),
    }
}

/// "0.300" if it is exact, ">= 0.296 ± 0.005" if the reader had to learn.
fn inverted(Inversion { success, half_width, .. }: Inversion) -> String {
    half_width.map_or_else(|| format!("{success:.3}"), |half| format!(">= {success:.3} ± {half:.3}"))
}
