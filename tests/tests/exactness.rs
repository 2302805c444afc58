//! Small domains, every outcome: the channel of the exponential mechanism against reference values, and its
//! guarantee against every likelihood ratio.
#![allow(clippy::panic, reason = "a test fails by panicking")]

use proptest::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use textveil::Table;
use textveil::account::channel::{Channel, Distances};
use textveil_tests::{SIGNIFICANCE, chi_square_tail, experiment, oracle, privatizer, table_of};

#[derive(Deserialize)]
struct Oracle {
    words: BTreeMap<String, [f64; 2]>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    kind: String,
    eta: f64,
    beta: Option<f64>,
    #[serde(rename = "T")]
    farthest: Option<f64>,
    weights: Option<Vec<f64>>,
    #[serde(rename = "P", default)]
    channel: Vec<Vec<f64>>,
    eta_exact: Option<f64>,
    eta_exact_wrt_truncated: Option<f64>,
    eps_ldp_exact: Option<f64>,
    retain_uniform: Option<f64>,
    #[serde(rename = "Edist_uniform")]
    expected_distance: Option<f64>,
}

/// The order of the oracle's matrix, which its map of words does not keep.
const WORDS: [&str; 6] = ["king", "queen", "man", "woman", "paris", "london"];
const SCALE: f64 = 0.25;

fn channel(table: &Table, eta: f64) -> Vec<Vec<f64>> {
    let privatizer = privatizer(table, "exponential", eta);
    let row = |input| {
        privatizer
            .distribution(input)
            .expect("the mechanism states its distribution")
            .into_iter()
            .map(|(_, p)| p)
            .collect()
    };
    table.rows().map(row).collect()
}

/// The largest ln P(y|x) − ln P(y|x′) − η·d(x, x′) over all pairs and outputs.
fn worst_excess(table: &Table, eta: f64) -> f64 {
    let channel = channel(table, eta);
    let mut worst = f64::NEG_INFINITY;
    for (x, p) in table.rows().zip(&channel) {
        for (x2, q) in table.rows().zip(&channel) {
            for (a, b) in p.iter().zip(q) {
                worst = worst.max(a.ln() - b.ln() - eta * table.distance(x, x2));
            }
        }
    }
    worst
}

#[test]
fn the_channel_is_the_oracles_channel() {
    let oracle: Oracle = oracle("expmech.json");
    let lattice = |word: &str| oracle.words[word].iter().map(|x| (x / SCALE) as i8).collect();
    let table = table_of(&WORDS.map(lattice), SCALE);
    let mut compared = 0;
    for case in oracle.cases.iter().filter(|case| case.kind == "half") {
        for (ours, theirs) in channel(&table, case.eta).iter().flatten().zip(case.channel.iter().flatten()) {
            assert!((ours / theirs - 1.0).abs() < 1e-12, "eta {}: {ours} against {theirs}", case.eta);
            compared += 1;
        }
    }
    assert!(compared >= 36, "the oracle holds at least one case");
}

/// Every number of a case, in the order of its fields; those that it lacks are left out.
fn numbers(case: &Case, channel: &Channel<'_>) -> Vec<(f64, f64)> {
    let theirs_and_ours = [
        (case.beta, channel.beta()),
        (case.eta_exact.or(case.eta_exact_wrt_truncated), channel.constant()),
        (case.eps_ldp_exact, channel.epsilon()),
        (case.retain_uniform, channel.retention()),
        (case.expected_distance, channel.expected_distance()),
    ];
    let weights = case.weights.iter().flatten().copied().zip(channel.base().iter().copied());
    let probabilities = case.channel.iter().flatten().copied().zip(channel.rows().flatten());
    let single = theirs_and_ours.into_iter().filter_map(|(theirs, ours)| Some((theirs?, ours)));
    single.chain(weights).chain(probabilities).collect()
}

#[test]
fn every_shape_of_channel_costs_what_the_oracle_says() {
    let oracle: Oracle = oracle("expmech.json");
    let distances = Distances::between(&WORDS.map(|word| oracle.words[word])).expect("points");
    let mut kinds = BTreeMap::<&str, usize>::new();
    for case in &oracle.cases {
        let shorter = case.farthest.map(|farthest| distances.truncated(farthest).expect("a distance"));
        let metric = shorter.as_ref().unwrap_or(&distances);
        let channel = match case.kind.as_str() {
            "half" | "truncated_metric" => Channel::exponential(metric, 0.5 * case.eta).expect("in range"),
            "tight" => Channel::tight(metric, case.eta).expect("in range"),
            "flat" => Channel::flat(metric, case.eta).expect("in range").expect("a positive base measure"),
            // What a linear program finds: no channel of that constant sends words nearer.
            "lp_optimum" => {
                let flat = Channel::flat(metric, case.eta).expect("in range").expect("a positive base measure");
                let least = case.expected_distance.expect("the optimum");
                assert!(flat.expected_distance() > least * (1.0 - 1e-6) && flat.expected_distance() < least * 1.01);
                *kinds.entry("lp_optimum").or_default() += 1;
                continue;
            }
            other => panic!("{other} is no kind of channel"),
        };
        let numbers = numbers(case, &channel);
        assert!(numbers.len() >= 36, "{} at {}", case.kind, case.eta);
        for (theirs, ours) in numbers {
            assert!((ours / theirs - 1.0).abs() < 1e-12, "{} at {}: {ours} against {theirs}", case.kind, case.eta);
        }
        *kinds.entry(&case.kind).or_default() += 1;
    }
    assert_eq!(kinds.len(), 5, "{kinds:?}");
}

#[test]
fn draws_follow_the_channel() {
    let oracle: Oracle = oracle("expmech.json");
    let table = table_of(&WORDS.map(|word| oracle.words[word].iter().map(|x| (x / SCALE) as i8).collect()), SCALE);
    for (number, eta) in [0.5, 1.0, 2.0].into_iter().enumerate() {
        let privatizer = privatizer(&table, "exponential", eta);
        let mut rng = experiment(number as u8);
        for input in table.rows() {
            let expected: BTreeMap<_, _> = privatizer.distribution(input).expect("stated").into_iter().collect();
            let mut counts = BTreeMap::new();
            for _ in 0..100_000 {
                *counts.entry(privatizer.draw(input, &mut rng)).or_default() += 1;
            }
            assert!(chi_square_tail(&counts, &expected) > SIGNIFICANCE / 18.0);
        }
    }
}

fn any_table() -> impl Strategy<Value = Table> {
    let rows =
        (1..4_usize).prop_flat_map(|dims| prop::collection::vec(prop::collection::vec(-127..=127_i8, dims), 2..8));
    (rows, 0.001..10.0_f64).prop_map(|(rows, scale)| table_of(&rows, scale))
}

proptest! {
    /// Nothing is added for rounding: the sampled channel itself is within η, to the precision of the
    /// logarithms taken here.
    #[test]
    fn every_likelihood_ratio_is_within_the_guarantee(table in any_table(), nats in 0.01..60.0_f64) {
        let eta = nats / table.diameter_bound().max(table.scale());
        prop_assert!(worst_excess(&table, eta) < 1e-12);
    }

    #[test]
    fn the_worst_case_is_within_the_stated_epsilon(table in any_table(), nats in 0.01..200.0_f64) {
        let eta = nats / table.diameter_bound().max(table.scale());
        let privatizer = privatizer(&table, "exponential", eta);
        let channel = channel(&table, eta);
        for (p, q) in channel.iter().flat_map(|p| channel.iter().map(move |q| (p, q))) {
            for (a, b) in p.iter().zip(q) {
                prop_assert!(a.ln() - b.ln() <= privatizer.guarantee(1).epsilon_word + 1e-12);
            }
        }
    }

    #[test]
    fn the_diameter_bound_holds(table in any_table()) {
        for (a, b) in table.rows().flat_map(|a| table.rows().map(move |b| (a, b))) {
            prop_assert!(table.distance(a, b) <= table.diameter_bound());
        }
    }
}
