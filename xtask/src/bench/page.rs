//! The page `BENCHMARKS.md`: the template `xtask/bench/page.md.jinja`, filled with a report.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, context, syntax::SyntaxConfig};
use serde_json::Value as Json;

const TEMPLATE: &str = include_str!("../../bench/page.md.jinja");
/// Rates of the kernels on the made-up table, and its multiplications a search.
const RATES: &str = "native/draw/synthetic-32768x64/metric-laplace/";
const MULTIPLICATIONS: f64 = 32_768.0 * 64.0;

/// The page, in Markdown.
///
/// # Errors
/// The template does not match the report.
pub(super) fn markdown(report: &str) -> Result<String> {
    let report: Json = serde_json::from_str(report)?;
    let numbers = report["numbers"].as_object().into_iter().flatten();
    let numbers =
        Arc::new(Numbers(numbers.filter_map(|(name, number)| Some((name.clone(), number.as_f64()?))).collect()));
    let kernels: Vec<String> = numbers.kernels().into_iter().map(str::to_owned).collect();
    let fastest = kernels.last().cloned().unwrap_or_default();
    let mut page = Environment::new();
    page.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?);
    page.add_filter("shown", shown);
    page.add_filter("grouped", grouped);
    page.add_filter("percent", |share: Option<f64>| {
        share.map_or_else(String::new, |share| format!("{:.0} %", 100.0 * share))
    });
    page.add_function("over", over);
    let of = Arc::clone(&numbers);
    page.add_function("number", move |name: &str| of.get(name));
    let of = Arc::clone(&numbers);
    page.add_function("under", move |prefix: &str| {
        of.under(prefix).map(|(name, number)| (name.to_owned(), number)).collect::<BTreeMap<_, _>>()
    });
    let of = Arc::clone(&numbers);
    page.add_function("search", move |table: &str, dims: u64, kernel: &str| of.search(table, dims, kernel));
    page.add_function("share_of_peak", move |kernel: &str| numbers.share_of_peak(kernel));
    Ok(page.render_str(TEMPLATE, context! { kernels, fastest, ..Value::from(Serde(&report)) })?)
}

/// What was measured, by name.
struct Numbers(BTreeMap<String, f64>);

impl Numbers {
    fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// The numbers whose names start with a prefix, which is left out.
    fn under(&self, prefix: &str) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().filter_map(move |(name, number)| Some((name.strip_prefix(prefix)?, *number)))
    }

    /// The kernels, the slowest first.
    fn kernels(&self) -> Vec<&str> {
        let mut rates: Vec<_> =
            self.under(RATES).filter_map(|(name, rate)| Some((name.strip_suffix("/24")?, rate))).collect();
        rates.sort_by(|a, b| a.1.total_cmp(&b.1));
        rates.into_iter().map(|(kernel, _)| kernel).collect()
    }

    /// Searches a second without the time of the noise: the work of a program that receives noisy vectors.
    fn search(&self, table: &str, dims: u64, kernel: &str) -> Option<f64> {
        let draws = self.get(&format!("native/draw/{table}/metric-laplace/{kernel}/24"))?;
        Some(1.0 / (1.0 / draws - 1.0 / self.get(&format!("native/noise/{dims}"))?))
    }

    /// What a kernel's search is of one that only multiplies and adds, in registers.
    fn share_of_peak(&self, kernel: &str) -> Option<f64> {
        let peak = self.get(&format!("native/peak/{kernel}"))? / MULTIPLICATIONS;
        over(self.search("synthetic-32768x64", 64, kernel), Some(peak))
    }
}

fn over(number: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(number? / other?)
}

/// A number with the digits that mean something; a dash for what was not measured.
fn shown(number: Option<f64>) -> String {
    match number {
        None => "–".to_owned(),
        Some(number) if number >= 1000.0 => grouped(number.round() as u64),
        Some(number) if number >= 100.0 => format!("{number:.0}"),
        Some(number) if number >= 10.0 => format!("{number:.1}"),
        Some(number) => format!("{number:.2}"),
    }
}

/// 1234567 as 1,234,567.
fn grouped(number: u64) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", grouped(number / 1000), number % 1000) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_in_the_checkout_is_made_of_the_recorded_numbers() {
        let report = include_str!("../../bench/results.json");
        let page = markdown(report).expect("the template fits the report");
        let recorded = include_str!("../../../BENCHMARKS.md");
        assert!(page == recorded, "cargo xtask bench --page writes this instead:\n{page}");
    }

    #[test]
    fn a_target_that_is_missed_is_short_and_one_that_was_not_measured_has_no_verdict() {
        let page = |numbers: Json| markdown(&serde_json::json!({ "numbers": numbers }).to_string()).expect("a page");
        let line = "| texts on all cores, × one thread (of two cores) | ≥ 1.80 |";
        let scaled = |times: f64| {
            page(serde_json::json!({ "native/all-cores/one": 1000, "native/all-cores/all": 1000.0 * times }))
        };
        assert!(scaled(1.9).contains(&format!("{line} 1.90 | met |")));
        assert!(scaled(1.7).contains(&format!("{line} 1.70 | **short** |")));
        assert!(page(serde_json::json!({})).contains(&format!("{line} – |  |")));
    }
}
