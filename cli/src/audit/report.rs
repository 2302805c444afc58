//! What the audits found: as a table, as JSON, as a plot.

use std::io::{self, Write};

use anyhow::Result;
use serde_json::{Value, json};
use textveil::Loss;

use super::case::{Expectation, Outcome};
use textveil_toolkit::report::numbers::short_up;
use textveil_toolkit::report::plot::{Axis, Mark, Plot};

/// The outcomes, in order.
pub(super) struct Report {
    seed: u64,
    outcomes: Vec<Outcome>,
}

impl Report {
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed, outcomes: Vec::new() }
    }

    pub(super) fn add(&mut self, outcome: Outcome) {
        self.outcomes.push(outcome);
    }

    /// Whether every outcome is as it should be.
    pub(super) fn is_as_expected(&self) -> bool {
        self.outcomes.iter().all(Outcome::is_as_expected)
    }

    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let width = self.outcomes.iter().map(|outcome| outcome.name.len()).max().unwrap_or(0);
        writeln!(
            out,
            "{:width$}  {:>16}  {:>16}  {:>7}  {:>7}  {:>7}  {:>6}  claim",
            "mechanism", "claimed", "proved", "eps >=", "del >=", "samples", "time"
        )?;
        for outcome in &self.outcomes {
            let proved = outcome.proved.map_or_else(|| "-".to_owned(), shown);
            let epsilon =
                outcome.epsilon.map_or_else(|| "none".to_owned(), |epsilon| format!("{:.3}", down(epsilon, 1e3)));
            writeln!(
                out,
                "{:width$}  {:>16}  {proved:>16}  {epsilon:>7}  {:>7.4}  {:>7}  {:>5.1}s  {}",
                outcome.name,
                shown(outcome.claimed),
                down(outcome.delta, 1e4),
                outcome.samples,
                outcome.seconds,
                verdict(outcome),
            )?;
        }
        let refuted = self.outcomes.iter().filter(|outcome| outcome.claim_refuted).count();
        let seconds: f64 = self.outcomes.iter().map(|outcome| outcome.seconds).sum();
        writeln!(
            out,
            "\n{refuted} of {} claims refuted, each a statement of its own with 95 % confidence; {} proofs refuted; \
             {seconds:.0} s, seeds from {}.",
            self.outcomes.len(),
            self.outcomes.iter().filter(|outcome| outcome.proof_refuted).count(),
            self.seed
        )?;
        writeln!(out, "A claim that stands is not proved: a bound reaches at most ln(samples / 3.7).")
    }

    pub(super) fn json(&self) -> Result<String> {
        let loss = |loss: Loss| json!({ "epsilon": finite(loss.epsilon), "delta": loss.delta });
        let outcome = |outcome: &Outcome| {
            json!({
                "name": outcome.name,
                "attack": outcome.attack,
                "claimed": loss(outcome.claimed),
                "proved": outcome.proved.map(loss),
                "samples": outcome.samples,
                "seed": outcome.seed,
                "threshold": outcome.threshold,
                "hits": outcome.hits,
                "epsilonAtLeast": outcome.epsilon,
                "deltaAtLeast": outcome.delta,
                "claimRefuted": outcome.claim_refuted,
                "proofRefuted": outcome.proof_refuted,
                "expected": match outcome.expectation {
                    Expectation::Refuted => Some("refuted"),
                    Expectation::Stands => Some("not refuted"),
                    Expectation::Open => None,
                },
                "asExpected": outcome.is_as_expected(),
                "seconds": outcome.seconds,
            })
        };
        let value = json!({
            "confidence": 0.95,
            "version": env!("CARGO_PKG_VERSION"),
            "results": self.outcomes.iter().map(outcome).collect::<Vec<_>>(),
        });
        Ok(serde_json::to_string_pretty(&value)? + "\n")
    }

    pub(super) fn svg(&self) -> String {
        let axis = Axis::logarithmic(0.01, 10_000.0);
        let mut plot = Plot::of_rows("Privacy loss: claimed, proved and audited", "ε in nats (logarithmic)", axis);
        let entries =
            [(Mark::Hollow, "claimed"), (Mark::Bar, "proved here"), (Mark::Filled, "audited: at least (95 %)")];
        plot.legend(&entries, "coloured: claim refuted");
        for outcome in &self.outcomes {
            let mut marks = vec![(Mark::Hollow, outcome.claimed.epsilon)];
            if let Some(proved) = outcome.proved {
                // A δ of 1 is no bound, whatever the ε next to it.
                let holds = proved.delta < 1.0;
                marks.push((Mark::Bar, if holds { proved.epsilon } else { f64::INFINITY }));
            }
            marks.extend(outcome.epsilon.map(|epsilon| (Mark::Filled, epsilon)));
            plot.row(&outcome.name, outcome.claim_refuted, &marks);
        }
        plot.finish()
    }
}

fn verdict(outcome: &Outcome) -> &'static str {
    match (outcome.proof_refuted, outcome.claim_refuted, outcome.is_as_expected()) {
        (true, ..) => "PROOF REFUTED",
        (false, true, true) => "refuted",
        (false, false, true) => "not refuted",
        (false, true, false) => "REFUTED, THOUGH IT SHOULD STAND",
        (false, false, false) => "NOT REFUTED, THOUGH FALSE",
    }
}

/// JSON has no infinity.
fn finite(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}

/// What holds at most: rounded up.
fn shown(loss: Loss) -> String {
    let epsilon = short_up(loss.epsilon);
    if loss.delta > 0.0 { format!("{epsilon}, {}", short_up(loss.delta)) } else { epsilon }
}

/// What was found at least: rounded down to a multiple of 1/`parts`.
fn down(x: f64, parts: f64) -> f64 {
    (x * parts).floor() / parts
}
