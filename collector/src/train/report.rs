//! How well a model tells classes apart on releases that it has not seen.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use textveil_learn::Scores;

use textveil_toolkit::report::numbers::counted;

/// The normal law's two-sided 95 %.
const Z: f64 = 1.959_963_985;

/// The report on a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metrics {
    #[serde(flatten)]
    scores: Scores,
    /// The ends of the accuracy's 95 % interval (Wilson), if the releases tested are independent of each other.
    accuracy_interval: [f64; 2],
    /// The share that is right for who always names the class that is most frequent among those trained on.
    majority: f64,
    /// How many releases of each class (a row) were given each class (a column).
    confusion: Vec<Vec<usize>>,
}

impl Metrics {
    /// The report on predictions for releases with these labels. `majority` is the most frequent class in training.
    pub(super) fn of(scores: Scores, predictions: &[usize], labels: &[usize], majority: usize) -> Self {
        let classes = scores.classes.len();
        let mut confusion = vec![vec![0; classes]; classes];
        for (label, prediction) in labels.iter().zip(predictions) {
            if let Some(cell) = confusion.get_mut(*label).and_then(|row| row.get_mut(*prediction)) {
                *cell += 1;
            }
        }
        let count = |holds: &dyn Fn(usize, usize) -> bool| {
            labels.iter().zip(predictions).filter(|(label, prediction)| holds(**label, **prediction)).count()
        };
        Self {
            accuracy_interval: wilson(count(&|label, prediction| label == prediction), labels.len()),
            majority: count(&|label, _| label == majority) as f64 / labels.len().max(1) as f64,
            confusion,
            scores,
        }
    }

    /// For people.
    pub(super) fn in_words(&self, classes: &[String]) -> String {
        let Self { scores, accuracy_interval: [low, high], majority, confusion } = self;
        let tested = counted(scores.examples as u64, "release");
        let mut text = String::new();
        // Writing to a string does not fail.
        let mut line = |line: String| writeln!(text, "{line}").unwrap_or_default();
        line(format!(
            "accuracy  {:.3}  (95 %: {low:.3} to {high:.3}) on {tested} that it has not seen",
            scores.accuracy
        ));
        line(format!("          {majority:.3}  for who always names the most frequent class"));
        line(format!("macro-F1  {:.3}", scores.macro_f1));
        let width = classes.iter().map(|name| name.chars().count()).max().unwrap_or(0).clamp(5, 24);
        let name = |name: &str| format!("{:width$.width$}", name);
        line(format!("\n{}  releases  precision  recall     F1   given: {}", name("class"), classes.join(", ")));
        for ((class, of), row) in classes.iter().zip(&scores.classes).zip(confusion) {
            let given: Vec<String> = row.iter().map(ToString::to_string).collect();
            let scores = format!("{:8}  {:9.3}  {:6.3}  {:5.3}", of.examples, of.precision, of.recall, of.f1);
            line(format!("{}  {scores}   {}", name(class), given.join(" ")));
        }
        text
    }
}

/// The 95 % interval of a share (Wilson 1927): the shares p from which `hits` of `count` are no farther than the normal
/// law allows, by p's own variance.
fn wilson(hits: usize, count: usize) -> [f64; 2] {
    let n = count.max(1) as f64;
    let share = hits as f64 / n;
    let (centre, whole) = (share + Z * Z / (2.0 * n), 1.0 + Z * Z / n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    [((centre - half) / whole).max(0.0), ((centre + half) / whole).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_interval_are_as_far_from_the_share_as_their_own_variance_allows() {
        for (hits, count) in [(8, 10), (731, 1000), (0, 20), (20, 20)] {
            let (share, n) = (hits as f64 / count as f64, count as f64);
            for end in wilson(hits, count).into_iter().filter(|end| (1e-9..1.0 - 1e-9).contains(end)) {
                let far = (share - end).abs() / (end * (1.0 - end) / n).sqrt();
                assert!((far - Z).abs() < 1e-6, "{hits} of {count}: {far}");
            }
        }
        // As R's prop.test without correction has it.
        let [low, high] = wilson(8, 10);
        assert!((low - 0.490_162_5).abs() < 1e-6 && (high - 0.943_317_8).abs() < 1e-6, "{low} {high}");
    }
}
