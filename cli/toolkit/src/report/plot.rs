//! Small plots as self-contained SVG, readable on light and dark grounds.

use std::fmt::Write as _;

/// A scale from numbers to a length.
#[derive(Clone, Copy)]
pub struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    /// From `low` to `high`, both above zero.
    pub const fn logarithmic(low: f64, high: f64) -> Self {
        Self { low, high, logarithmic: true }
    }

    /// From `low` to `high`.
    pub const fn linear(low: f64, high: f64) -> Self {
        Self { low, high, logarithmic: false }
    }

    /// Where x lies, from 0 to 1; beyond the ends, at an end.
    pub fn share(self, x: f64) -> f64 {
        let along = |x: f64| if self.logarithmic { x.max(f64::MIN_POSITIVE).ln() } else { x };
        ((along(x) - along(self.low)) / (along(self.high) - along(self.low))).clamp(0.0, 1.0)
    }

    /// Powers of ten, or tenths of the range.
    pub fn ticks(self) -> Vec<f64> {
        if self.logarithmic {
            let power = |x: f64| x.log10().round() as i32;
            let (low, high) = (power(self.low), power(self.high));
            let stride = ((high - low) / 6).max(1) as usize;
            (low..=high).step_by(stride).map(|power| 10_f64.powi(power)).collect()
        } else {
            (0..=5).map(|i| self.low + (self.high - self.low) * f64::from(i) / 5.0).collect()
        }
    }
}

/// How a number is marked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A circle.
    Hollow,
    /// A vertical bar.
    Bar,
    /// A disc.
    Filled,
}

/// A plot that is being drawn.
pub struct Plot {
    title: String,
    axis: Axis,
    axis_title: String,
    body: String,
    height: f64,
}

const WIDTH: f64 = 940.0;
const LEFT: f64 = 390.0;
const RIGHT: f64 = 890.0;
const TOP: f64 = 84.0;
const ROW: f64 = 19.0;

const STYLE: &str = "<style>
svg { color-scheme: light dark; --ink: #1b1b1f; --soft: #5d5d68; --grid: #d9d9e0; --ground: #ffffff; --one: #1f5fbf; --two: #b3471d; --three: #2b7a3d; --four: #8a3fa8; --five: #9a7400; --six: #0b7d86; --seven: #5d5d68; }
@media (prefers-color-scheme: dark) { svg { --ink: #ececf1; --soft: #a8a8b5; --grid: #3a3a44; --ground: #17171b; --one: #7fb2ff; --two: #ff9f70; --three: #7fd191; --four: #d59bf0; --five: #e0bd55; --six: #6fd3db; --seven: #a8a8b5; } }
text { font: 12px system-ui, sans-serif; fill: var(--ink); } .title { font-size: 16px; font-weight: 600; } .soft { fill: var(--soft); }
.ground { fill: var(--ground); } .grid { stroke: var(--grid); } .false { fill: var(--two); font-weight: 600; }
.hollow { fill: none; stroke: var(--ink); stroke-width: 1.5; } .bar { stroke: var(--three); stroke-width: 3; } .filled { fill: var(--two); }
.line { fill: none; stroke-width: 2; } .one { stroke: var(--one); } .two { stroke: var(--two); } .three { stroke: var(--three); }
.four { stroke: var(--four); } .five { stroke: var(--five); } .six { stroke: var(--six); } .seven { stroke: var(--seven); }
.named-one { fill: var(--one); } .named-two { fill: var(--two); } .named-three { fill: var(--three); }
.named-four { fill: var(--four); } .named-five { fill: var(--five); } .named-six { fill: var(--six); } .named-seven { fill: var(--seven); }
</style>
";

impl Plot {
    /// A plot whose rows share one axis.
    pub fn of_rows(title: &str, axis_title: &str, axis: Axis) -> Self {
        Self { title: title.to_owned(), axis, axis_title: axis_title.to_owned(), body: String::new(), height: TOP }
    }

    /// What the marks mean, and a name in colour.
    pub fn legend(&mut self, entries: &[(Mark, &str)], coloured: &str) {
        self.text(LEFT - 14.0, 50.0, "false", "end", coloured);
        for ((mark, meaning), x) in entries.iter().zip([LEFT, LEFT + 110.0, LEFT + 240.0]) {
            self.mark(*mark, x, 46.0);
            self.text(x + 12.0, 50.0, "", "start", meaning);
        }
    }

    /// A named row of marks; what is infinite stands at the end, as an arrow.
    pub fn row(&mut self, name: &str, is_false: bool, marks: &[(Mark, f64)]) {
        let y = self.height;
        self.height += ROW;
        self.text(LEFT - 14.0, y + 4.0, if is_false { "false" } else { "" }, "end", name);
        for (mark, value) in marks {
            if value.is_infinite() {
                self.text(RIGHT + 4.0, y + 4.0, "named-three", "start", "→ ∞");
            } else {
                self.mark(*mark, at(self.axis, *value), y);
            }
        }
    }

    /// The whole drawing.
    pub fn finish(self) -> String {
        let (bottom, height) = (self.height - 6.0, self.height + 44.0);
        let mut drawing = Canvas::new(WIDTH, height, &self.title);
        for tick in self.axis.ticks() {
            let x = at(self.axis, tick);
            drawing.line("grid", [x, TOP - 14.0], [x, bottom]);
            drawing.text(x, bottom + 16.0, "soft", "middle", &tick.to_string());
        }
        drawing.text(LEFT.midpoint(RIGHT), bottom + 36.0, "soft", "middle", &self.axis_title);
        drawing.finish(&self.body)
    }

    fn mark(&mut self, mark: Mark, x: f64, y: f64) {
        let body = &mut self.body;
        // Writing to a string cannot fail.
        let _ = match mark {
            Mark::Hollow => writeln!(body, r#"<circle class="hollow" cx="{x:.1}" cy="{y:.1}" r="5"/>"#),
            Mark::Bar => {
                let (top, bottom) = (y - 7.0, y + 7.0);
                writeln!(body, r#"<line class="bar" x1="{x:.1}" x2="{x:.1}" y1="{top:.1}" y2="{bottom:.1}"/>"#)
            }
            Mark::Filled => {
                let (left, top, bottom, tip) = (x - 6.0, y - 5.0, y + 5.0, x + 3.0);
                writeln!(
                    body,
                    r#"<path class="filled" d="M{left:.1} {top:.1}L{tip:.1} {y:.1}L{left:.1} {bottom:.1}Z"/>"#
                )
            }
        };
    }

    fn text(&mut self, x: f64, y: f64, class: &str, anchor: &str, text: &str) {
        self.body += &text_element(x, y, class, anchor, text);
    }
}

fn at(axis: Axis, x: f64) -> f64 {
    LEFT + axis.share(x) * (RIGHT - LEFT)
}

/// A panel of lines over a common axis.
pub struct Panel<'a> {
    /// What it shows.
    pub title: &'a str,
    /// The title of the horizontal axis.
    pub axis_title: &'a str,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Up to seven lines, of all panels together: a name and its points.
    pub lines: Vec<(&'a str, Vec<[f64; 2]>)>,
}

/// Panels as one drawing, up to three side by side, under one legend: a name has the same colour in all of them.
pub fn panels(title: &str, panels: &[Panel<'_>]) -> String {
    const ACROSS: f64 = 390.0;
    const DOWN: f64 = 330.0;
    const ABREAST: usize = 3;
    const COLOURS: [&str; 7] = ["one", "two", "three", "four", "five", "six", "seven"];
    /// How wide a letter of the title is, and one of the legend, at most.
    const LETTERS: [f64; 2] = [8.5, 7.0];
    let abreast = panels.len().clamp(1, ABREAST);
    let width = (ACROSS * abreast as f64).max(LETTERS[0] * title.chars().count() as f64 + 40.0);
    let across = width / abreast as f64;
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in panels.iter().flat_map(|panel| &panel.lines) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let colours: Vec<(&str, &str)> = names.into_iter().zip(COLOURS).collect();
    let (mut body, mut x, mut y) = (String::new(), 20.0, 52.0);
    for (name, colour) in &colours {
        let length = LETTERS[1] * name.chars().count() as f64;
        if x > 20.0 && x + 26.0 + length > width {
            (x, y) = (20.0, y + 18.0);
        }
        let (end, above) = (x + 20.0, y - 4.0);
        let _ = writeln!(body, r#"<path class="line {colour}" d="M{x:.1} {above:.1}L{end:.1} {above:.1}"/>"#);
        body += &text_element(x + 26.0, y, &format!("named-{colour}"), "start", name);
        x += 26.0 + length + 16.0;
    }
    let rows = panels.len().div_ceil(ABREAST);
    let mut drawing = Canvas::new(width, y + 10.0 + DOWN * rows as f64, title);
    for (number, panel) in panels.iter().enumerate() {
        let (left, above) = (across * (number % ABREAST) as f64, y + 10.0 + DOWN * (number / ABREAST) as f64);
        let (left, right, top, bottom) = (left + 56.0, left + across - 24.0, above + 34.0, above + DOWN - 56.0);
        let place =
            |[x, y]: [f64; 2]| [left + panel.x.share(x) * (right - left), bottom - panel.y.share(y) * (bottom - top)];
        drawing.text(left.midpoint(right), above + 22.0, "", "middle", panel.title);
        for tick in panel.x.ticks() {
            let [x, _] = place([tick, panel.y.low]);
            drawing.line("grid", [x, top], [x, bottom]);
            drawing.text(x, bottom + 16.0, "soft", "middle", &tick.to_string());
        }
        for tick in panel.y.ticks() {
            let [_, y] = place([panel.x.low, tick]);
            drawing.line("grid", [left, y], [right, y]);
            drawing.text(left - 6.0, y + 4.0, "soft", "end", &scientific(tick));
        }
        drawing.text(left.midpoint(right), bottom + 36.0, "soft", "middle", panel.axis_title);
        for (name, points) in &panel.lines {
            let Some((_, colour)) = colours.iter().find(|(of, _)| of == name) else { continue };
            let places: Vec<[f64; 2]> = points.iter().map(|point| place(*point)).collect();
            let path: Vec<String> = places.iter().map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
            let _ = writeln!(body, r#"<path class="line {colour}" d="M{}"/>"#, path.join("L"));
            for [x, y] in places {
                let _ = writeln!(body, r#"<circle class="named-{colour}" cx="{x:.1}" cy="{y:.1}" r="2.6"/>"#);
            }
        }
    }
    drawing.finish(&body)
}

/// Points in a plane whose axes mean nothing.
pub struct Cloud<'a> {
    /// What it shows.
    pub title: &'a str,
    /// Up to three groups: a name and its points.
    pub groups: Vec<(&'a str, Vec<[f64; 2]>)>,
}

/// Clouds side by side, two in a row, as one drawing.
pub fn clouds(title: &str, clouds: &[Cloud<'_>]) -> String {
    const SIDE: f64 = 460.0;
    const COLOURS: [&str; 3] = ["one", "two", "three"];
    let (columns, rows) = (clouds.len().min(2), clouds.len().div_ceil(2));
    let mut drawing = Canvas::new(SIDE * columns as f64, SIDE * rows as f64 + 40.0, title);
    let mut body = String::new();
    for (place, cloud) in clouds.iter().enumerate() {
        let (left, top) = (SIDE * (place % 2) as f64 + 20.0, SIDE * (place / 2) as f64 + 90.0);
        let (width, height) = (SIDE - 40.0, SIDE - 70.0);
        let points = || cloud.groups.iter().flat_map(|(_, points)| points);
        let axis = |axis: usize| {
            let least = points().map(|point| point[axis]).fold(f64::INFINITY, f64::min);
            Axis::linear(least, points().map(|point| point[axis]).fold(f64::NEG_INFINITY, f64::max))
        };
        let (x, y) = (axis(0), axis(1));
        drawing.text(left, top - 26.0, "", "start", cloud.title);
        for (at, ((name, points), colour)) in cloud.groups.iter().zip(COLOURS).enumerate() {
            body += &text_element(left + 90.0 * at as f64, top - 10.0, &format!("named-{colour}"), "start", name);
            for point in points {
                let (x, y) = (left + width * x.share(point[0]), top + height * (1.0 - y.share(point[1])));
                let _ = writeln!(body, r#"<circle class="named-{colour}" cx="{x:.1}" cy="{y:.1}" r="2.2"/>"#);
            }
        }
    }
    drawing.finish(&body)
}

fn scientific(x: f64) -> String {
    if x == 0.0 || (0.01..1000.0).contains(&x) { x.to_string() } else { format!("{x:e}") }
}

/// The frame of a drawing.
struct Canvas(String);

impl Canvas {
    fn new(width: f64, height: f64, title: &str) -> Self {
        let label = escaped(title);
        let mut head = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">"#
        );
        head += "\n";
        head += STYLE;
        let _ = writeln!(head, r#"<rect class="ground" width="{width}" height="{height}"/>"#);
        let mut canvas = Self(head);
        canvas.text(20.0, 26.0, "title", "start", title);
        canvas
    }

    fn line(&mut self, class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        let _ = writeln!(self.0, r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#);
    }

    fn text(&mut self, x: f64, y: f64, class: &str, anchor: &str, text: &str) {
        self.0 += &text_element(x, y, class, anchor, text);
    }

    fn finish(self, body: &str) -> String {
        self.0 + body + "</svg>\n"
    }
}

/// A text at a place, as SVG.
pub fn text_element(x: f64, y: f64, class: &str, anchor: &str, text: &str) -> String {
    let text = escaped(text);
    format!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>\n")
}

/// Text that cannot end the element or the attribute that it stands in.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_gives_each_power_of_ten_the_same_length() {
        let axis = Axis::logarithmic(0.01, 10_000.0);
        assert!((axis.share(1.0) - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!((axis.share(0.0), axis.share(f64::INFINITY)), (0.0, 1.0));
        assert_eq!(axis.ticks().len(), 7);
    }

    #[test]
    fn a_name_has_one_colour_in_all_panels() {
        let panel = |names: &[&'static str]| Panel {
            title: "",
            axis_title: "",
            x: Axis::linear(0.0, 1.0),
            y: Axis::linear(0.0, 1.0),
            lines: names.iter().map(|name| (*name, vec![[0.0, 0.5], [1.0, 0.5]])).collect(),
        };
        let drawing = panels("", &[panel(&["a", "b", "c"]), panel(&["c"])]);
        // In the legend and in each panel where it stands.
        let counts = ["one", "two", "three", "four"].map(|colour| drawing.matches(&format!("line {colour}\"")).count());
        assert_eq!(counts, [2, 2, 3, 0]);
    }

    #[test]
    fn names_cannot_end_the_drawing() {
        let mut plot = Plot::of_rows("a < b & c", "x", Axis::linear(0.0, 1.0));
        plot.row("</svg>", true, &[(Mark::Hollow, 0.5), (Mark::Bar, f64::INFINITY)]);
        let drawing = plot.finish();
        assert_eq!(drawing.matches("</svg>").count(), 1);
        assert!(drawing.contains("a &lt; b &amp; c") && !drawing.contains("&amp;lt;"));
    }
}
