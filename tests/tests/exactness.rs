//! Small domains, every outcome: the channel of the exponential mechanism against reference values, and its
//! guarantee against every likelihood ratio.
#![allow(clippy::panic, reason = "a test fails by panicking")]

use proptest::prelude::*;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use textveil::Table;
use textveil::account::channel::{Channel, Distances};
use textveil_tests::{SIGNIFICANCE, chi_square_tail, experiment, oracle, privatizer, table_of};

#[derive(serde::Deserialize)]
struct Oracle {
    words: Points,
    cases: Vec<Case>,
}

/// The words' points in the order of the file, which is that of its matrices.
struct Points(Vec<Vec<f64>>);

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Points;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("points by word")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Points, A::Error> {
                let mut points = Vec::new();
                while let Some((_, point)) = map.next_entry::<String, Vec<f64>>()? {
                    points.push(point);
                }
                Ok(Points(points))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

impl Points {
    /// A table of these points, rounded to the finest lattice of a power of two that holds them. (Those of the
    /// oracle lie on it.)
    fn table(&self) -> Table {
        let farthest = self.0.iter().flatten().fold(0.0_f64, |farthest, x| farthest.max(x.abs()));
        let scale = (farthest / 127.0).log2().ceil().exp2();
        let row = |point: &Vec<f64>| point.iter().map(|x| (x / scale).round() as i8).collect();
        table_of(&self.0.iter().map(row).collect::<Vec<_>>(), scale)
    }
}

#[derive(serde::Deserialize)]
struct Case {
    kind: String,
    eta: f64,
    beta: Option<f64>,
    #[serde(rename = "T")]
    farthest: Option<f64>,
    weights: Option<Vec<f64>>,
    feasible: Option<bool>,
    #[serde(rename = "P", default)]
    channel: Vec<Vec<f64>>,
    eta_exact: Option<f64>,
    eta_exact_wrt_truncated: Option<f64>,
    eps_ldp_exact: Option<f64>,
    eps_ldp_bound: Option<f64>,
    retain_uniform: Option<f64>,
    #[serde(rename = "Edist_uniform")]
    expected_distance: Option<f64>,
}

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
fn the_product_draws_from_the_channel_that_accounts_are_made_of() {
    let oracle: Oracle = oracle("expmech.json");
    let table = oracle.words.table();
    let point = |word| -> Vec<f64> { table.vector(word).iter().map(|v| table.scale() * f64::from(*v)).collect() };
    let distances = Distances::between(&table.rows().map(point).collect::<Vec<_>>()).expect("points");
    for eta in oracle.cases.iter().map(|case| case.eta) {
        let exact = Channel::exponential(&distances, 0.5 * eta).expect("in range");
        for (ours, exact) in channel(&table, eta).into_iter().flatten().zip(exact.rows().flatten()) {
            // The product's β is lower by its rounding slack.
            assert!((ours / exact - 1.0).abs() < 1e-11, "eta {eta}: {ours} against {exact}");
        }
    }
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
    let distances = Distances::between(&oracle.words.0).expect("points");
    let mut compared = 0;
    for case in &oracle.cases {
        let shorter = case.farthest.map(|farthest| distances.truncated(farthest).expect("a distance"));
        let metric = shorter.as_ref().unwrap_or(&distances);
        let flat = || Channel::flat(metric, case.eta).expect("in range");
        let channel = match case.kind.as_str() {
            "half" | "truncated_metric" => Some(Channel::exponential(metric, 0.5 * case.eta).expect("in range")),
            "tight" => Some(Channel::tight(metric, case.eta).expect("in range")),
            "flat" => {
                assert_eq!(flat().is_some(), case.feasible.expect("it says so"), "{}", case.eta);
                flat()
            }
            // What a linear program finds: no channel of that constant sends words nearer.
            "lp_optimum" => {
                let least = case.expected_distance.expect("the optimum");
                assert!(flat().is_none_or(|flat| flat.expected_distance() > least * (1.0 - 1e-6)), "{}", case.eta);
                None
            }
            other => panic!("{other} is no kind of channel"),
        };
        let Some(channel) = channel else { continue };
        assert!(case.eps_ldp_bound.is_none_or(|bound| channel.epsilon() <= bound), "{}", case.eta);
        let numbers = numbers(case, &channel);
        assert!(numbers.len() > oracle.words.0.len().pow(2), "{} at {}", case.kind, case.eta);
        for (theirs, ours) in numbers {
            // A constant is rounded up by 5·10⁻¹³ of itself. A probability has it in its exponent.
            assert!(
                (ours / theirs - 1.0).abs() < 1e-12 * (1.0 + theirs.ln().abs()),
                "{} at {}: {ours} against {theirs}",
                case.kind,
                case.eta
            );
        }
        compared += 1;
    }
    assert!(compared > 0, "the oracle holds a channel");
}

#[test]
fn draws_follow_the_channel() {
    let table = oracle::<Oracle>("expmech.json").words.table();
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
    /// No allowance is added for rounding: the sampled channel itself is within η, to the precision of the logarithms
    /// taken here.
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
