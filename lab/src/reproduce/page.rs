//! The reports as a page: one file, no script, nothing loaded, light and dark.

use std::fmt::Write as _;

use serde_json::Value;

use super::report::Report;
use textveil_toolkit::report::plot::escaped;
use textveil_toolkit::report::{Cell, STYLE, Sheet};

/// The style of these pages, in addition to that of all pages.
const OWN_STYLE: &str = include_str!("page.css");

/// Of a drawing that does not say how wide it is, in pixels.
const WIDEST: f64 = 940.0;

/// The page.
pub(super) fn html(reports: &[Report]) -> String {
    let title = match reports {
        [report] => format!("{}, computed anew", report.name),
        _ => "The papers' tables, computed anew".to_owned(),
    };
    let mut page = Page(String::new());
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    // Writing to a string cannot fail.
    let _ = writeln!(
        page.0,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <title>{0}</title>\n<style>\n{STYLE}{OWN_STYLE}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{0}</h1>\n\
         <p>textveil {1}. Our numbers, the papers' beside them, and whether the two agree.</p>",
        escaped(&title),
        env!("CARGO_PKG_VERSION")
    );
    if reports.len() > 1 {
        page.contents(reports);
    }
    page.open("/header");
    for report in reports {
        page.report(report);
    }
    page.0 + "</main>\n</body>\n</html>\n"
}

struct Page(String);

impl Page {
    fn element(&mut self, tag: &str, text: &str) {
        let name = tag.split(' ').next().unwrap_or(tag);
        let _ = writeln!(self.0, "<{tag}>{}</{name}>", escaped(text));
    }

    fn open(&mut self, tag: &str) {
        let _ = writeln!(self.0, "<{tag}>");
    }

    fn contents(&mut self, reports: &[Report]) {
        self.open("nav aria-label=\"Contents\"");
        self.open("ul");
        for report in reports {
            let _ = writeln!(self.0, "<li><a href=\"#{}\">{}</a></li>", anchor(report), escaped(&report.name));
        }
        self.open("/ul");
        self.open("/nav");
    }

    fn report(&mut self, report: &Report) {
        self.open(&format!("section id=\"{}\"", anchor(report)));
        self.element("h2", &report.name);
        self.element("p", report.about);
        self.settings(&report.settings);
        for sheet in &report.sheets {
            self.sheet(sheet);
        }
        if let Some(agreement) = report.agreement_in_words() {
            self.element("p", &agreement);
        }
        if !report.claims.is_empty() {
            self.element("h3", "In kind");
            self.open("ul class=\"claims\"");
            for claim in &report.claims {
                let (class, verdict) = (claim.verdict().to_lowercase(), claim.verdict());
                let (text, evidence) = (escaped(&claim.text), escaped(&claim.evidence));
                let _ = writeln!(
                    self.0,
                    "<li><b class=\"{class}\">{verdict}</b><div>{text}<span>{evidence}</span></div></li>"
                );
            }
            self.open("/ul");
        }
        if let Some(drawing) = &report.drawing {
            let _ =
                writeln!(self.0, "<figure style=\"max-width: {:.0}px\">\n{drawing}</figure>", 1.25 * width(drawing));
        }
        if !report.why.is_empty() {
            self.element("h3", "Why they differ");
            self.element("p", report.why);
        }
        self.open("/section");
    }

    fn settings(&mut self, settings: &Value) {
        self.open("dl class=\"settings\"");
        for (name, value) in settings.as_object().into_iter().flatten() {
            let value = match value {
                Value::Object(files) => files.keys().cloned().collect::<Vec<_>>().join(", "),
                Value::Bool(holds) => if *holds { "yes" } else { "no" }.to_owned(),
                Value::String(id) if id.len() == 64 => format!("{}…", id.chars().take(12).collect::<String>()),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let _ = writeln!(self.0, "<div><dt>{}</dt><dd>{}</dd></div>", escaped(name), escaped(&value));
        }
        self.open("/dl");
    }

    fn sheet(&mut self, sheet: &Sheet) {
        self.element("h3", &sheet.title);
        self.open("div class=\"scroll\"");
        self.open("table");
        self.open("thead");
        self.open("tr");
        let columns: Vec<Column> = (0..sheet.columns.len()).map(|place| Column::of(sheet, place)).collect();
        for (name, column) in sheet.columns.iter().zip(&columns) {
            self.element(&format!("th scope=\"col\"{}", column.class()), name);
        }
        self.open("/tr");
        self.open("/thead");
        self.open("tbody");
        for row in &sheet.rows {
            self.open("tr");
            for (cell, column) in row.iter().zip(&columns) {
                self.cell(cell, *column);
            }
            self.open("/tr");
        }
        for end in ["/tbody", "/table", "/div"] {
            self.open(end);
        }
    }

    fn cell(&mut self, cell: &Cell, column: Column) {
        let Cell::Mean(mean) = cell else {
            return self.element(&format!("td{}", column.class()), &cell.shown());
        };
        let verdict = mean.verdict().map_or_else(String::new, |verdict| {
            let class = match mean.agrees() {
                Some(true) => " class=\"yes\"",
                Some(false) => " class=\"no\"",
                None => "",
            };
            format!(": <b{class}>{verdict}</b>")
        });
        let inside = mean.inside().map_or_else(String::new, |inside| format!(", {inside} our interval"));
        let beside = mean.against().map_or_else(String::new, |(paper, difference)| {
            format!("<span class=\"beside\">paper {paper}, {difference}{inside}{verdict}</span>")
        });
        let _ = writeln!(self.0, "<td>{}{beside}</td>", mean.ours());
    }
}

/// What a column of a table holds, by which it is set.
#[derive(Clone, Copy)]
enum Column {
    Numbers,
    Names,
    /// Text that is broken into lines.
    Sentences,
}

impl Column {
    /// Characters of the longest name.
    const LONGEST: usize = 40;

    fn of(sheet: &Sheet, place: usize) -> Self {
        let length = |row: &Vec<Cell>| match row.get(place) {
            Some(Cell::Text(text)) => Some(text.chars().count()),
            _ => None,
        };
        let lengths: Option<Vec<usize>> = sheet.rows.iter().map(length).collect();
        match lengths.and_then(|lengths| lengths.into_iter().max()) {
            None => Self::Numbers,
            Some(longest) if longest > Self::LONGEST => Self::Sentences,
            Some(_) => Self::Names,
        }
    }

    const fn class(self) -> &'static str {
        match self {
            Self::Numbers => "",
            Self::Names => " class=\"names\"",
            Self::Sentences => " class=\"sentences\"",
        }
    }
}

/// How wide a drawing is meant to be, by its view box.
fn width(drawing: &str) -> f64 {
    let width = drawing.split_once("viewBox=\"0 0 ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
    width.unwrap_or(WIDEST)
}

fn anchor(report: &Report) -> String {
    report.name.replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::super::claim::Claim;
    use super::*;
    use textveil_toolkit::cells;
    use textveil_toolkit::report::Mean;

    fn report(name: &str) -> Report {
        let mut sheet = Sheet::new("a < b");
        sheet.row(cells!["</td>" => "<i>", "accuracy" => Mean::of(&[0.5, 0.7]).beside(0.9, 0.01)]);
        Report {
            sheets: vec![sheet],
            claims: vec![Claim::near("chance & <b>", &[0.5], 0.5, 0.1)],
            why: "another <encoder>",
            drawing: Some("<svg viewBox=\"0 0 400 300\"></svg>\n".to_owned()),
            name: name.to_owned(),
            ..Report::default()
        }
    }

    #[test]
    fn a_page_holds_everything_loads_nothing_and_cannot_be_broken_out_of() {
        let page = html(&[report("ome table-1"), report("ome table-2")]);
        for part in [
            "a &lt; b",
            "&lt;i&gt;",
            "0.6 ± 1.3",
            "0.9, -0.3, inside our interval: <b>cannot tell</b>",
            "max-width: 500px",
            "<svg",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert!(page.contains("0 of 1 numbers agree") && page.contains("another &lt;encoder&gt;"));
        for forbidden in ["<i>", "<encoder>", "http:", "https:", "<script", "url("] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        assert_eq!((page.matches("<section id=").count(), page.matches("href=\"#ome-table-2\"").count()), (2, 1));
        assert!(page.contains("<td class=\"names\">&lt;i&gt;") && page.contains("<th scope=\"col\">accuracy"));
        let opened = |tag: &str| page.matches(&format!("<{tag}")).count() - page.matches(&format!("</{tag}>")).count();
        assert!(["section", "table", "tbody", "tr", "dl", "ul", "nav", "main"].iter().all(|tag| opened(tag) == 0));
    }
}
