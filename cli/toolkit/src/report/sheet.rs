//! A table of our numbers next to the paper's: as text, as JSON, as rows of a CSV file.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::mean::{Mean, Printed};
use super::numbers::short;

/// A table of a paper.
pub struct Sheet {
    /// What it shows.
    pub title: String,
    /// The names of the columns: those of the first row.
    pub columns: Vec<&'static str>,
    /// A cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// An entry of a table.
#[derive(Clone)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number.
    Number(f64),
    /// A number that may have an interval and the paper's number.
    Mean(Mean),
}

impl From<f64> for Cell {
    fn from(x: f64) -> Self {
        Self::Number(x)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Mean> for Cell {
    fn from(mean: Mean) -> Self {
        Self::Mean(mean)
    }
}

/// The cells of a row, each with the name of its column.
#[macro_export]
macro_rules! cells {
    ($($column:expr => $cell:expr),+ $(,)?) => {
        [$(($column, $crate::report::Cell::from($cell))),+]
    };
}

impl Cell {
    /// "0.845 ± 0.012 (0.851, -0.006, inside: yes)", without the last word where the two compare in kind alone.
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(x) => short(*x),
            Self::Mean(mean) => {
                let inside = mean.inside().map_or_else(String::new, |inside| format!(", {inside}"));
                let verdict = mean.verdict().map_or_else(String::new, |verdict| format!(": {verdict}"));
                let beside = |(paper, difference)| format!(" ({paper}, {difference}{inside}{verdict})");
                mean.ours() + &mean.against().map_or_else(String::new, beside)
            }
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Number(x) => finite(*x),
            Self::Mean(mean) => mean.json(),
        }
    }

    /// Text, number, ends of the interval, paper, difference, whether the interval holds the paper's, tolerance,
    /// agreement: what is not there is empty.
    fn fields(&self) -> [String; 9] {
        let number = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
        let (text, value, mean) = match self {
            Self::Text(text) => (text.clone(), None, None),
            Self::Number(x) => (String::new(), Some(*x), None),
            Self::Mean(mean) => (String::new(), Some(mean.mean), Some(mean)),
        };
        let interval = mean.and_then(Mean::interval);
        let paper = mean.and_then(|mean| mean.paper);
        [
            text,
            number(value),
            number(interval.map(|[low, _]| low)),
            number(interval.map(|[_, high]| high)),
            number(paper.map(|paper| paper.value)),
            number(mean.and_then(Mean::difference)),
            mean.and_then(Mean::is_inside).map_or_else(String::new, |is_inside| is_inside.to_string()),
            number(paper.and_then(|paper| paper.tolerance)),
            mean.and_then(Mean::agrees).map_or_else(String::new, |agrees| agrees.to_string()),
        ]
    }
}

impl Mean {
    /// "0.845 ± 0.012": as many decimals as give the interval two digits.
    pub fn ours(&self) -> String {
        let Some(half) = self.half_width.filter(|half| *half > 0.0) else { return short(self.mean) };
        let decimals = (1.0 - half.log10().floor()).clamp(0.0, 6.0) as usize;
        format!("{:.decimals$} ± {half:.decimals$}", self.mean)
    }

    /// The paper's number, and ours less it.
    pub fn against(&self) -> Option<(String, String)> {
        let difference = self.difference()?;
        let sign = if difference < 0.0 { "-" } else { "+" };
        Some((short(self.paper?.value), format!("{sign}{}", short(difference.abs()))))
    }

    /// Whether the interval holds the paper's number, in a word, if there are both.
    pub fn inside(&self) -> Option<&'static str> {
        self.is_inside().map(|is_inside| if is_inside { "inside" } else { "outside" })
    }

    /// As JSON, with the paper's number.
    pub fn json(&self) -> Value {
        let mut object = json!({ "mean": finite(self.mean), "interval": self.interval() });
        self.write_comparison(&mut object);
        object
    }

    /// Writes the paper's number, and how ours compares with it, into what [`Self::json`] wrote.
    pub fn write_comparison(&self, object: &mut Value) {
        let Some(Printed { value, tolerance }) = self.paper else { return };
        object["paper"] = json!(value);
        object["difference"] = json!(self.mean - value);
        object["inInterval"] = json!(self.is_inside());
        object["tolerance"] = json!(tolerance);
        object["agreesInValue"] = json!(self.agrees());
    }

    /// Takes all of that out again.
    pub fn forget_comparison(object: &mut Value) {
        let keys = ["paper", "difference", "inInterval", "tolerance", "agreesInValue"];
        object.as_object_mut().into_iter().for_each(|object| object.retain(|key, _| !keys.contains(&key.as_str())));
    }

    /// Reads the output of [`Self::json`], or a number alone, without the paper's number. `None` for everything else.
    pub fn read(json: &Value) -> Option<Self> {
        let mean = json.as_f64().or_else(|| json["mean"].as_f64())?;
        let half_width = json["interval"][1].as_f64().map(|high| high - mean);
        Some(Self { mean, half_width, paper: None })
    }

    /// Whether the two agree in value, in a word, if they are compared.
    pub fn verdict(&self) -> Option<&'static str> {
        self.is_compared().then(|| match self.agrees() {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "cannot tell",
        })
    }
}

/// JSON has no infinity.
fn finite(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { json!(x.to_string()) }
}

impl Sheet {
    /// A sheet without rows.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), columns: Vec::new(), rows: Vec::new() }
    }

    /// Adds a row; [`cells!`](crate::cells) makes one.
    ///
    /// # Panics
    /// Its columns are not those of the row before.
    pub fn row(&mut self, cells: impl IntoIterator<Item = (&'static str, Cell)>) {
        let (columns, row) = cells.into_iter().unzip();
        if self.rows.is_empty() {
            self.columns = columns;
        } else {
            assert_eq!(self.columns, columns, "{}", self.title);
        }
        self.rows.push(row);
    }

    /// The numbers that are compared with a paper's in value.
    pub fn compared(&self) -> impl Iterator<Item = &Mean> {
        self.rows.iter().flatten().filter_map(|cell| match cell {
            Cell::Mean(mean) if mean.is_compared() => Some(mean),
            _ => None,
        })
    }

    /// Prints it as text in columns.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let shown: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(Cell::shown).collect()).collect();
        let width = |column: usize| {
            let head = self.columns.get(column).map_or(0, |head| head.chars().count());
            shown.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).fold(head, usize::max)
        };
        let line = |cells: &[String]| {
            let padded =
                cells.iter().enumerate().map(|(column, text)| format!("{text:>width$}", width = width(column)));
            padded.collect::<Vec<_>>().join("  ")
        };
        writeln!(out, "{}\n", self.title)?;
        writeln!(out, "{}", line(&self.columns.iter().map(ToString::to_string).collect::<Vec<_>>()))?;
        for row in &shown {
            writeln!(out, "{}", line(row))?;
        }
        writeln!(out)
    }

    /// The sheet as JSON.
    pub fn json(&self) -> Value {
        let object = |row: &Vec<Cell>| {
            let entries = self.columns.iter().zip(row);
            Value::Object(entries.map(|(column, cell)| ((*column).to_owned(), cell.json())).collect::<Map<_, _>>())
        };
        let rows: Vec<Value> = self.rows.iter().map(object).collect();
        json!({ "title": self.title, "columns": self.columns, "rows": rows })
    }

    /// The columns of [`Self::records`].
    pub const FIELDS: [&'static str; 12] = [
        "sheet",
        "row",
        "column",
        "text",
        "value",
        "low",
        "high",
        "paper",
        "difference",
        "inside",
        "tolerance",
        "agrees",
    ];

    /// A record for each entry, so that sheets of all shapes fit one file.
    pub fn records(&self) -> impl Iterator<Item = Vec<String>> {
        self.rows.iter().zip(1..).flat_map(move |(row, number): (_, u32)| {
            self.columns.iter().zip(row).map(move |(column, cell)| {
                let place = [self.title.clone(), number.to_string(), (*column).to_owned()];
                place.into_iter().chain(cell.fields()).collect()
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        let mut sheet = Sheet::new("OME");
        sheet.row(cells!["set" => "imdb", "accuracy" => Mean::of(&[0.8, 0.84]).beside(0.85, 0.2)]);
        sheet.row(cells!["set" => "yelp", "accuracy" => Mean::exact(0.8).beside(0.85, 0.01)]);
        sheet
    }

    #[test]
    fn ours_stands_beside_the_papers() {
        let mut out = Vec::new();
        sheet().print(&mut out).expect("a string");
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(
            text.contains("0.82 ± 0.25 (0.85, -0.03, inside: yes)") && text.contains("0.8 (0.85, -0.05: NO)"),
            "{text}"
        );
        let json = sheet().json();
        let [first, second] = [0, 1].map(|row| &json["rows"][row]["accuracy"]);
        assert_eq!((&first["agreesInValue"], &second["agreesInValue"]), (&true.into(), &false.into()));
        assert!(second["interval"].is_null() && first["interval"][0].as_f64().is_some_and(|low| low < 0.6));
        assert_eq!(sheet().compared().filter(|mean| mean.agrees() == Some(true)).count(), 1);
    }

    #[test]
    #[should_panic(expected = "OME")]
    fn a_row_with_other_columns_is_a_mistake() {
        sheet().row(cells!["accuracy" => 0.8, "set" => "imdb"]);
    }

    #[test]
    fn a_record_has_a_value_for_each_field() {
        let records: Vec<Vec<String>> = sheet().records().collect();
        assert!(records.len() == 4 && records.iter().all(|record| record.len() == Sheet::FIELDS.len()));
        assert_eq!(records[2], ["OME", "2", "set", "yelp", "", "", "", "", "", "", "", ""]);
        assert_eq!(records[3][3..8], ["", "0.8", "", "", "0.85"]);
        assert_eq!(records[3][9..], ["", "0.01", "false"]);
        let mean = Mean::of(&[0.8, 0.84]);
        let read = Mean::read(&mean.beside(0.85, 0.2).json()).expect("a number");
        assert!(read.half_width.zip(mean.half_width).is_some_and(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!((read.mean, read.paper, Mean::read(&json!("none"))), (mean.mean, None, None));
    }
}
