//! The shares as one page: a table with bars, and of periods a chart for each share.

use anyhow::Result;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use textveil_toolkit::report::STYLE;
use textveil_toolkit::report::numbers::{counted, grouped};

use super::results::{
    BELOW_NOISE, ChangeShown, Compared, Group, MANY, PeriodShown, Results, ShareShown, percent, percent_between, points,
};

/// What this page adds to the style of all pages.
const OWN: &str = include_str!("page.css");
/// The width of a bar's drawing, and of a line's.
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 140.0;
/// Most periods of a group: a year of weeks. Fewer, where groups and shares make more rows than these.
const MOST_PERIODS: usize = 53;
const MOST_ROWS: usize = 20_000;
/// A number of comparisons this near to a whole one is whole: 1 − 0.95 is a little more than 0.05.
const ROUNDING: f64 = 1e-6;

/// Where a page is read.
pub(crate) enum Home {
    /// All of it is in one file.
    File,
    /// A server has its style and its numbers, too.
    Server,
}

/// The addresses of a server.
pub(crate) const STYLE_ADDRESS: &str = "/shares.css";
pub(crate) const CSV_ADDRESS: &str = "/shares.csv";

/// # Errors
/// What cannot be written as CSV.
pub(super) fn page(results: &Results, home: &Home, counted: Option<&str>) -> Result<Markup> {
    let csv = match home {
        Home::File => format!("data:text/csv;charset=utf-8,{}", quoted(&results.csv()?)),
        Home::Server => CSV_ADDRESS.to_owned(),
    };
    let title = format!("Estimated shares of {}", results.counted);
    let most_periods = most_periods(results);
    // All lines of a page have one scale.
    let lines = results.groups.iter().flat_map(|group| lines(latest(group, most_periods)));
    let most = most_of(lines.flat_map(|(_, points)| points));
    let body = html! {
        header {
            h1 { (title) }
            p {
                "Computed from privatized releases. "
                @if results.groups.iter().any(|group| !group.of.is_empty()) {
                    "Groups are named by what people gave in clear. This page holds no other text of theirs."
                } @else {
                    "This page holds no text that a person wrote."
                }
            }
            p { a href=(csv) download="shares.csv" { "Download the shares as CSV" } }
            @if let Some(counted) = counted { p.note { (counted) } }
        }
        (promise(results))
        @for group in &results.groups { (section(results, group, most_periods, most)) }
    };
    Ok(shell(&title, home, &body))
}

/// How many periods of each group are shown. Two can be compared.
fn most_periods(results: &Results) -> usize {
    let shares = |group: &Group| group.periods.iter().map(|period| period.shares.len()).max().unwrap_or(0);
    let rows: usize = results.groups.iter().map(shares).sum();
    (MOST_ROWS / rows.max(1)).clamp(2, MOST_PERIODS)
}

/// A whole page.
pub(crate) fn shell(title: &str, home: &Home, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                @match home {
                    Home::File => style { (PreEscaped(style())) },
                    Home::Server => link rel="stylesheet" href=(STYLE_ADDRESS);,
                }
            }
            body { main { (body) } }
        }
    }
}

/// The style of these pages, in CSS.
pub(crate) fn style() -> String {
    [STYLE, OWN].concat()
}

/// Quotes a text for an address.
fn quoted(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// What is promised, and how to read the numbers.
fn promise(results: &Results) -> Markup {
    let confidence = percent(results.confidence);
    html! {
        section {
            h2 { "What these numbers are" }
            p { (results.law_in_words()) "." }
            @if results.left_out > 0 { p.told { (results.left_out_in_words()) "." } }
            @if let Some(never_drawn) = results.never_drawn_in_words() { p.told { (never_drawn) "." } }
            @if let Some(impossible) = results.impossible() { p.told { (impossible) } }
            @if let Some(warning) = results.warning() { p.told { (warning) } }
            @if results.groups_not_shown > 0 { p.told { (results.not_shown_in_words()) "." } }
            @if results.known_seed {
                p.told { "Some releases were drawn from a known seed. Whoever knows the seed can undo them." }
            }
            p {
                (results.promise_in_words())
                @if results.counted == "statements" && results.law.most > 1 { " Over the statements of a text this adds up." }
                " Estimates are computed from releases alone: they weaken no promise, whoever sees them. What was \
                 kept in clear, such as the names of groups and dates, no promise covers."
            }
            p {
                "An interval holds the share in " (confidence) " of cases. It includes the chance of who happened to answer. \
                 Some shares \u{201c}cannot be told from zero\u{201d}: the releases would look alike if nobody had meant it."
                @if let Some(reservation) = results.reservation() { " " (reservation) }
                @if results.counted == "words" {
                    " Intervals of single words can hold less often where a group has few texts that are unlike public ones."
                }
            }
        }
    }
}

/// The periods of a group that are shown.
fn latest(group: &Group, most_periods: usize) -> &[PeriodShown] {
    &group.periods[group.periods.len().saturating_sub(most_periods)..]
}

fn section(results: &Results, group: &Group, most_periods: usize, most: f64) -> Markup {
    let (name, all, periods) = (group.name(), group.periods.len(), latest(group, most_periods));
    html! {
        section {
            h2 { @if name.is_empty() { "All releases" } @else { (name) } }
            @if all > periods.len() { p.told { "The latest " (periods.len()) " of " (all) " periods are shown. The CSV has all." } }
            @if let Some(last) = periods.last() { (bars(results, &name, last)) }
            (charts(periods, most))
            @if let Some(compared) = &group.compared { (changes(results.confidence, group, compared)) }
            @if let [earlier @ .., _] = periods {
                @if !earlier.is_empty() {
                    details {
                        summary { "Earlier periods" }
                        @for period in earlier.iter().rev() { (bars(results, &name, period)) }
                    }
                }
            }
        }
    }
}

/// A table with a bar in each row. In a long list the largest come first, and rows that cannot be told from 0 are
/// folded up.
fn bars(results: &Results, group: &str, period: &PeriodShown) -> Markup {
    let parts = ["shares", group, period.period.as_deref().unwrap_or_default()];
    let label = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    let most = most_of(&period.shares);
    let (told, folded) = period.told();
    let caption = html! {
        @if let Some(name) = &period.period { (name) ": " }
        (counted(period.releases, "release")) ", " (results.reports(period.reports)) (period.left_out_in_words())
    };
    let (is_told, count) = (!told.is_empty(), folded.len());
    html! {
        @if is_told { (rows(&label, &caption, &told, most)) }
        @else if period.shares.is_empty() { p.note { (caption) "." } }
        @else { p.note { (caption) ". No share can be told from zero." } }
        @if count > 0 {
            details {
                summary { (counted(count as u64, "share")) " " (BELOW_NOISE) }
                (rows(&format!("{label}, {BELOW_NOISE}"), &caption, &folded, most))
            }
        }
    }
}

fn rows(label: &str, caption: &Markup, shares: &[&ShareShown], most: f64) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table.shares {
                caption.note { (caption) }
                thead { tr { td {} th scope="col" { "share" } th.scale scope="col" { "0 to " (percent(most)) } th scope="col" { "interval" } th scope="col" { "for all together" } } }
                tbody { @for share in shares { (bar(share, most)) } }
            }
        }
    }
}

/// Where a scale ends.
fn most_of<'a>(shares: impl IntoIterator<Item = &'a ShareShown>) -> f64 {
    shares.into_iter().map(|share| share.interval[1]).fold(0.01, f64::max)
}

fn bar(share: &ShareShown, most: f64) -> Markup {
    let x = |value: f64| format!("{:.1}", WIDTH * (value / most).clamp(0.0, 1.0));
    let [low, high] = share.interval;
    html! {
        tr {
            th scope="row" { (share.name) }
            td.number { (percent(share.estimate)) @if share.below_noise { br; span.noise { (BELOW_NOISE) } } }
            td.bar {
                svg viewBox=(format!("0 0 {WIDTH} 20")) preserveAspectRatio="none" aria-hidden="true" {
                    rect.bar x="0" y="5" width=(x(share.estimate)) height="10" opacity=(if share.below_noise { ".35" } else { "1" }) {}
                    line.whisker x1=(x(low)) x2=(x(high)) y1="10" y2="10" {}
                    line.whisker x1=(x(low)) x2=(x(low)) y1="6" y2="14" {}
                    line.whisker x1=(x(high)) x2=(x(high)) y1="6" y2="14" {}
                }
            }
            td.number.interval { (percent_between(share.interval)) }
            td.number.together { (percent_between(share.together)) }
        }
    }
}

/// The periods with shares, if there are several.
fn several(periods: &[PeriodShown]) -> Vec<&PeriodShown> {
    let periods: Vec<&PeriodShown> = periods.iter().filter(|period| !period.shares.is_empty()).collect();
    if periods.len() > 1 { periods } else { Vec::new() }
}

/// The shares that are drawn as lines, by name: of many, the largest.
fn lines(periods: &[PeriodShown]) -> Vec<(&str, Vec<&ShareShown>)> {
    let periods = several(periods);
    let Some(last) = periods.last() else { return Vec::new() };
    let line = |number: usize| {
        let points = periods.iter().filter_map(|period| period.shares.get(number)).collect();
        (last.shares[number].name.as_str(), points)
    };
    last.in_order().into_iter().take(MANY).map(line).collect()
}

/// A small chart for each of these shares: a line with its band.
fn charts(periods: &[PeriodShown], most: f64) -> Markup {
    let [first, .., last] = &several(periods)[..] else { return html! {} };
    let name = |period: &PeriodShown| period.period.clone().unwrap_or_default();
    html! {
        div.pair {
            @for (share, points) in lines(periods) {
                figure {
                    figcaption { (share) }
                    (chart(&points, most, [share, &name(first), &name(last)]))
                }
            }
        }
        @if last.shares.len() > MANY { p.note { "The " (MANY) " largest of " (last.shares.len()) " shares are drawn. The tables have all." } }
    }
}

fn chart(points: &[&ShareShown], most: f64, [share, first, last]: [&str; 3]) -> Markup {
    let x = |place: usize| WIDTH * place as f64 / (points.len() - 1).max(1) as f64;
    let y = |value: f64| HEIGHT * (1.0 - (value / most).clamp(0.0, 1.0));
    let at = |place: usize, value: f64| format!("{:.1},{:.1}", x(place), y(value));
    let upper = points.iter().enumerate().map(|(place, point)| at(place, point.interval[1]));
    let lower = points.iter().enumerate().rev().map(|(place, point)| at(place, point.interval[0]));
    let band = upper.chain(lower).collect::<Vec<_>>().join(" ");
    let line = points.iter().enumerate().map(|(place, point)| at(place, point.estimate)).collect::<Vec<_>>().join(" ");
    let title = format!("{share}, from {first} to {last}: a line with its interval. The tables have the numbers.");
    html! {
        svg viewBox=(format!("-58 -10 {} {}", WIDTH + 64.0, HEIGHT + 34.0)) role="img" aria-label=(title) {
            title { (title) }
            line.grid x1="0" x2=(WIDTH) y1=(HEIGHT) y2=(HEIGHT) {}
            line.grid x1="0" x2=(WIDTH) y1="0" y2="0" {}
            text.soft x="-6" y=(HEIGHT + 4.0) text-anchor="end" { "0" }
            text.soft x="-6" y="4" text-anchor="end" { (percent(most)) }
            text.soft x="0" y=(HEIGHT + 20.0) { (first) }
            text.soft x=(WIDTH) y=(HEIGHT + 20.0) text-anchor="end" { (last) }
            polygon.band.one points=(band) {}
            polyline.line.one points=(line) {}
        }
    }
}

/// Which shares changed.
fn changes(confidence: f64, group: &Group, Compared { periods: [earlier, later], untested }: &Compared) -> Markup {
    let told: Vec<&ChangeShown> = group.changes.iter().filter(|change| change.told).collect();
    html! {
        h3 { "What changed from " (earlier) " to " (later) }
        @if let Some(why) = untested { p { "Not compared: " (why) "." } }
        @else if told.is_empty() { p { "No change is larger than chance." } }
        @else { ul { @for change in told { li { (change.name) ": " (points(change.difference)) } } } }
        p.note {
            "The shares of all groups were tested together. In at most " (at_most_wrong(confidence)) " such comparisons a change is named \
             that did not happen."
        }
    }
}

/// "5 of 100": how often a comparison may err at this confidence.
fn at_most_wrong(confidence: f64) -> String {
    let wrong = |of: u64| (1.0 - confidence) * of as f64;
    let is_whole = |of: &u64| (wrong(*of) - wrong(*of).round()).abs() < ROUNDING;
    let of = [100, 1_000].into_iter().find(is_whole).unwrap_or(10_000);
    format!("{} of {}", grouped((wrong(of) - ROUNDING).ceil() as u64), grouped(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_says_of_how_many_comparisons_one_may_err() {
        let said = [0.95, 0.9, 0.99, 0.975, 0.999, 0.9999, 0.876_543_2].map(at_most_wrong);
        let expected =
            ["5 of 100", "10 of 100", "1 of 100", "25 of 1,000", "1 of 1,000", "1 of 10,000", "1,235 of 10,000"];
        assert_eq!(said, expected);
    }
}
