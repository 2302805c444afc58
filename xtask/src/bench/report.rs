//! What was measured: numbers under names, a median of the rounds each, and what could not be measured.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

/// One number a round under each name; `Report` holds their medians.
#[derive(Default)]
pub(crate) struct Samples(BTreeMap<String, Vec<f64>>);

impl Samples {
    /// Adds a round's number.
    pub(crate) fn add(&mut self, name: impl Into<String>, number: f64) {
        self.0.entry(name.into()).or_default().push(number);
    }

    /// Adds all the numbers of a JSON object, each under `prefix/key`; objects inside continue the name.
    pub(crate) fn add_all(&mut self, prefix: &str, numbers: &Json) {
        for (key, value) in numbers.as_object().into_iter().flatten() {
            let name = format!("{prefix}/{key}");
            match value.as_f64() {
                Some(number) => self.add(name, number),
                None => self.add_all(&name, value),
            }
        }
    }

    /// The medians.
    pub(crate) fn medians(self) -> Numbers {
        let median = |mut numbers: Vec<f64>| {
            numbers.sort_by(f64::total_cmp);
            f64::midpoint(numbers[(numbers.len() - 1) / 2], numbers[numbers.len() / 2])
        };
        Numbers(self.0.into_iter().map(|(name, numbers)| (name, median(numbers))).collect())
    }
}

/// Numbers under names.
pub(crate) struct Numbers(BTreeMap<String, f64>);

impl Numbers {
    /// The number under a name; none if it was not measured.
    pub(crate) fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// One number as a multiple of another.
    pub(crate) fn ratio(&self, name: &str, to: &str) -> Option<f64> {
        Some(self.get(name)? / self.get(to)?)
    }

    /// The names under a prefix, without it, and their numbers.
    pub(crate) fn under(&self, prefix: &str) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().filter_map(move |(name, number)| Some((name.strip_prefix(prefix)?, *number)))
    }
}

/// A run of `cargo xtask bench`.
pub(crate) struct Report {
    /// How to get the same again.
    pub(crate) command: String,
    /// The day, in UTC.
    pub(crate) date: String,
    /// What it ran on, in general words.
    pub(crate) machine: String,
    /// Versions of what was measured beside.
    pub(crate) versions: BTreeMap<String, String>,
    /// Rates are words a second and end in no unit; times end in ` ms`, sizes in ` B` or ` MB`.
    pub(crate) numbers: Numbers,
    /// What could not be measured here, and why.
    pub(crate) missing: Vec<String>,
}

impl Report {
    /// All of it, for programs.
    pub(crate) fn to_json(&self) -> Json {
        json!({
            "command": self.command,
            "date": self.date,
            "machine": self.machine,
            "versions": self.versions,
            "numbers": self.numbers.0,
            "missing": self.missing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_the_median_of_its_rounds() {
        let mut samples = Samples::default();
        for number in [3.0, 100.0, 2.0] {
            samples.add_all("node", &json!({ "english": { "certified": number } }));
        }
        [1.75, 9.0, 1.25, 0.0].into_iter().for_each(|number| samples.add("peer", number));
        let numbers = samples.medians();
        assert_eq!(numbers.ratio("node/english/certified", "peer"), Some(2.0));
        assert_eq!(numbers.ratio("node/english/certified", "nobody"), None);
        assert_eq!(numbers.under("node/english/").collect::<Vec<_>>(), [("certified", 3.0)]);
    }
}
