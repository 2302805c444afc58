//! Charts for a page: SVG elements that take their colours from the page's style sheet.

use std::fmt::Write as _;

use textveil_toolkit::report::numbers::short;
use textveil_toolkit::report::plot::{Axis, escaped, text_element};

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = HEIGHT - 44.0;

/// A chart that is being drawn. Its classes `one`, `two`, `three` are the page's to colour.
pub(super) struct Chart {
    x: Axis,
    y: Axis,
    svg: String,
}

impl Chart {
    /// Axes with a grid. `label` describes the chart for a person who cannot see it.
    pub(super) fn new(label: &str, (x, x_title): (Axis, &str), (y, y_title): (Axis, &str)) -> Self {
        let label = escaped(label);
        let mut chart =
            Self { x, y, svg: format!(r#"<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">"#) };
        for tick in x.ticks() {
            let [at, _] = chart.place([tick, 0.0]);
            chart.stroke("grid", [[at, TOP], [at, BOTTOM]]);
            chart.text([at, BOTTOM + 16.0], "soft", "middle", &short(tick));
        }
        for tick in y.ticks() {
            let [_, at] = chart.place([0.0, tick]);
            chart.stroke("grid", [[LEFT, at], [RIGHT, at]]);
            chart.text([LEFT - 6.0, at + 4.0], "soft", "end", &short(tick));
        }
        chart.text([LEFT.midpoint(RIGHT), HEIGHT - 8.0], "soft", "middle", x_title);
        let middle = TOP.midpoint(BOTTOM);
        let y_title = escaped(y_title);
        // Writing to a string cannot fail.
        let _ = writeln!(
            chart.svg,
            r#"<text class="soft" text-anchor="middle" transform="translate(12 {middle}) rotate(-90)">{y_title}</text>"#
        );
        chart
    }

    /// Bars from one place to the next, with their heights.
    pub(super) fn bars(&mut self, bars: impl Iterator<Item = [f64; 3]>) {
        for [from, to, height] in bars {
            let ([left, top], [right, bottom]) = (self.place([from, height]), self.place([to, 0.0]));
            let (width, height) = ((right - left - 1.0).max(0.5), bottom - top);
            let left = left + 0.5;
            let _ = writeln!(
                self.svg,
                r#"<rect class="bar" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}"/>"#
            );
        }
    }

    /// A line through these points.
    pub(super) fn line(&mut self, class: &str, points: &[[f64; 2]]) {
        let path = self.path(points.iter().copied());
        let _ = writeln!(self.svg, r#"<path class="line {class}" d="M{path}"/>"#);
    }

    /// The area between two lines: at each x, from one y to another.
    pub(super) fn band(&mut self, class: &str, points: &[[f64; 3]]) {
        let low = points.iter().map(|[x, low, _]| [*x, *low]);
        let high = points.iter().rev().map(|[x, _, high]| [*x, *high]);
        let path = self.path(low.chain(high));
        let _ = writeln!(self.svg, r#"<path class="band {class}" d="M{path}Z"/>"#);
    }

    /// A vertical line with a name.
    pub(super) fn rule(&mut self, x: f64, name: &str) {
        let [at, _] = self.place([x, 0.0]);
        self.stroke("rule", [[at, TOP], [at, BOTTOM]]);
        let (anchor, offset) = if at > WIDTH / 2.0 { ("end", 3.0) } else { ("start", -3.0) };
        self.text([at + offset, TOP - 7.0], "strong", anchor, name);
    }

    pub(super) fn finish(self) -> String {
        self.svg + "</svg>\n"
    }

    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [LEFT + self.x.share(x) * (RIGHT - LEFT), BOTTOM - self.y.share(y) * (BOTTOM - TOP)]
    }

    fn path(&self, points: impl Iterator<Item = [f64; 2]>) -> String {
        let places = points.map(|point| self.place(point)).map(|[x, y]| format!("{x:.1} {y:.1}"));
        places.collect::<Vec<String>>().join("L")
    }

    fn stroke(&mut self, class: &str, [[x1, y1], [x2, y2]]: [[f64; 2]; 2]) {
        let _ = writeln!(self.svg, r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#);
    }

    fn text(&mut self, [x, y]: [f64; 2], class: &str, anchor: &str, text: &str) {
        self.svg += &text_element(x, y, class, anchor, text);
    }
}

/// The least number of at least x whose fifths are short.
pub(super) fn ceiling(x: f64) -> f64 {
    let power = 10_f64.powf(x.max(1e-9).log10().floor());
    let steps = [1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 10.0];
    steps.into_iter().map(|step| step * power).find(|top| *top >= x * (1.0 - 1e-9)).unwrap_or(x)
}

/// An axis of five short steps around `low` and `high`.
pub(super) fn around(low: f64, high: f64) -> Axis {
    let mut step = ceiling((high - low).max(high.abs() * 1e-3) / 5.0);
    loop {
        let start = (low / step).floor() * step;
        if start + 5.0 * step >= high {
            return Axis::linear(start, start + 5.0 * step);
        }
        step = ceiling(step * 1.01);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_at_a_short_number() {
        for (x, top) in [(0.83, 1.0), (1.0, 1.0), (1.1, 2.0), (0.21, 0.25), (34.0, 40.0), (6.0, 10.0)] {
            assert!((ceiling(x) - top).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn an_axis_holds_its_values_between_short_numbers() {
        for (low, high, first, last) in [(9.59, 19.1, 7.5, 20.0), (0.5, 2.0, 0.4, 2.4), (7.1, 21.0, 6.0, 21.0)] {
            let ticks = around(low, high).ticks();
            assert!((ticks[0] - first).abs() < 1e-9 && (ticks[5] - last).abs() < 1e-9, "{ticks:?}");
        }
    }

    #[test]
    fn names_cannot_end_the_drawing() {
        let unit = || Axis::linear(0.0, 1.0);
        let mut chart = Chart::new("\"><script>", (unit(), "</svg>"), (unit(), "</text>"));
        chart.rule(0.5, "<b>");
        let svg = chart.finish();
        assert_eq!(
            (svg.matches("</svg>").count(), svg.matches("<script").count(), svg.matches("<b>").count()),
            (1, 0, 0)
        );
    }
}
