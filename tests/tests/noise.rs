//! The noise of `metric-laplace`: radius, direction and lattice law against reference values.

use serde::Deserialize;
use statrs::distribution::{ContinuousCDF, Gamma, Normal};
use std::collections::BTreeMap;
use textveil::account::Error;
use textveil::account::spherical::{Moments, length_quantile};
use textveil::{Parameter, WordId, lattice_noise};
use textveil_tests::{
    SIGNIFICANCE, agrees, chi_square_tail, experiment, kolmogorov_smirnov_tail, oracle, other_oracles, privatizer,
    table_of, with_oracles,
};

#[derive(Deserialize)]
struct Radius {
    cases: Vec<RadiusCase>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum RadiusCase {
    RadiusQuantile {
        d: usize,
        eta: f64,
        p: f64,
        r: f64,
    },
    Moments {
        d: usize,
        eta: f64,
        mean_r: f64,
        var_r: f64,
        mean_r2: f64,
        coord_var: f64,
        coord_abs_mean: f64,
        coord_kurtosis: f64,
    },
    ProjectionTail {
        d: usize,
        eta: f64,
        t: f64,
        #[serde(rename = "P_T_greater_t")]
        tail: f64,
    },
}

/// A lattice so fine that its rounding does not show, within the noise's cut-off.
fn fine_noise(dims: usize, eta: f64, draws: usize, number: u8) -> Vec<Vec<f64>> {
    let scale = (dims as f64 + 40.0) / eta / 15_000.0;
    let mut rng = experiment(number);
    let mut noise =
        || lattice_noise(eta, dims, scale, &mut rng).expect("finite").into_iter().map(|k| k as f64 * scale).collect();
    (0..draws).map(|_| noise()).collect()
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

const DRAWS: usize = 20_000;

#[test]
fn no_noise_comes_of_what_is_no_number_above_zero() {
    for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        let of = |eta, scale| lattice_noise(eta, 2, scale, &mut experiment(1));
        assert_eq!(of(bad, 1.0), Err(textveil::Error::Invalid(Parameter::Eta)), "{bad}");
        assert_eq!(of(1.0, bad), Err(textveil::Error::InvalidScale), "{bad}");
    }
}

#[test]
fn the_radius_is_computed_as_the_oracle_says() {
    let close = |ours: Result<f64, Error>, theirs: f64, tolerance: f64, case: &str| {
        let ours = ours.expect("in range");
        assert!((ours / theirs - 1.0).abs() < tolerance, "{case}: {ours} against {theirs}");
    };
    let mut compared = 0;
    for case in oracle::<Radius>("gamma_radius.json").cases {
        match case {
            RadiusCase::RadiusQuantile { d, eta, p, r } => {
                close(length_quantile(d as u64, eta, p), r, 1e-12, &format!("quantile {p} in {d} dimensions"));
            }
            // Draws are held against it.
            RadiusCase::ProjectionTail { .. } => continue,
            RadiusCase::Moments { d, eta, mean_r, var_r, mean_r2, coord_var, coord_abs_mean, coord_kurtosis } => {
                let ours = Moments::new(d as u64, eta).expect("in range");
                for (ours, theirs) in [
                    (ours.length, mean_r),
                    (ours.length_variance, var_r),
                    (ours.square, mean_r2),
                    (ours.coordinate_variance, coord_var),
                    (ours.coordinate_size, coord_abs_mean),
                    (ours.coordinate_kurtosis, coord_kurtosis),
                ] {
                    close(Ok(ours), theirs, 1e-12, &format!("moments in {d} dimensions"));
                }
            }
        }
        compared += 1;
    }
    assert!(compared > 0, "the oracle holds cases");
}

#[test]
fn draws_of_the_noise_follow_the_oracle() {
    let oracle: Radius = oracle("gamma_radius.json");
    let mut noise: BTreeMap<(usize, u64), Vec<Vec<f64>>> = BTreeMap::new();
    let mut checked = 0;
    for case in oracle.cases {
        let (d, eta) = match case {
            RadiusCase::RadiusQuantile { d, eta, .. }
            | RadiusCase::Moments { d, eta, .. }
            | RadiusCase::ProjectionTail { d, eta, .. } => (d, eta),
        };
        // 384 dimensions is the most that a table has.
        if d > 384 {
            continue;
        }
        let sample = noise.entry((d, eta.to_bits())).or_insert_with(|| fine_noise(d, eta, DRAWS, d as u8));
        let within = |holds: &dyn Fn(&Vec<f64>) -> bool, p: f64| {
            agrees(sample.iter().filter(|v| holds(v)).count() as u64, DRAWS as u64, p)
        };
        match case {
            RadiusCase::RadiusQuantile { p, r, .. } => {
                assert!(within(&|v| norm(v) <= r, p), "quantile {p} in {d} dimensions")
            }
            RadiusCase::ProjectionTail { t, tail, .. } => {
                assert!(within(&|v| v[0] > t, tail), "tail beyond {t} in {d} dimensions")
            }
            RadiusCase::Moments { mean_r, var_r, mean_r2, coord_var, coord_abs_mean, coord_kurtosis, .. } => {
                let n = DRAWS as f64;
                let near = |name: &str, of: &dyn Fn(&Vec<f64>) -> f64, expected: f64| {
                    let values: Vec<f64> = sample.iter().map(of).collect();
                    let mean = values.iter().sum::<f64>() / n;
                    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
                    let error = 5.0 * (variance / n).sqrt();
                    assert!((mean - expected).abs() < error, "{name} in {d} dimensions: {mean}, not {expected}");
                };
                let coordinates = |power: i32| {
                    move |v: &Vec<f64>| v.iter().map(|x| x.abs().powi(power)).sum::<f64>() / v.len() as f64
                };
                near("mean radius", &|v| norm(v), mean_r);
                near("variance of the radius", &|v| (norm(v) - mean_r).powi(2), var_r);
                near("mean square", &|v| norm(v).powi(2), mean_r2);
                near("mean of a coordinate's size", &coordinates(1), coord_abs_mean);
                near("variance of a coordinate", &coordinates(2), coord_var);
                near("fourth moment of a coordinate", &coordinates(4), coord_kurtosis * coord_var.powi(2));
            }
        }
        checked += 1;
    }
    assert!(checked > 0, "the oracle holds cases");
}

#[test]
fn the_radius_is_gamma_and_the_direction_uniform() {
    for (dims, number) in [(2_usize, 201_u8), (32, 202)] {
        let sample = fine_noise(dims, 1.0, DRAWS, number);
        let gamma = Gamma::new(dims as f64, 1.0).expect("valid");
        let tail = kolmogorov_smirnov_tail(sample.iter().map(|v| norm(v)).collect(), |r| gamma.cdf(r));
        assert!(tail > SIGNIFICANCE / 4.0, "radius in {dims} dimensions: {tail}");
        if dims == 2 {
            // Eight equal sectors.
            let mut sectors = BTreeMap::new();
            for v in &sample {
                *sectors
                    .entry(((v[1].atan2(v[0]) / std::f64::consts::TAU * 8.0).floor() as i64).rem_euclid(8))
                    .or_default() += 1;
            }
            assert!(chi_square_tail(&sectors, &(0..8).map(|sector| (sector, 0.125)).collect()) > SIGNIFICANCE / 4.0);
        } else {
            // The mean of n unit vectors in d dimensions: each coordinate is nearly normal with variance
            // 1/(n·d).
            let means = (0..dims).map(|j| {
                sample.iter().map(|v| v[j] / norm(v)).sum::<f64>() / DRAWS as f64 * ((DRAWS * dims) as f64).sqrt()
            });
            let normal = Normal::new(0.0, 1.0).expect("valid");
            assert!(kolmogorov_smirnov_tail(means.collect(), |z| normal.cdf(z)) > SIGNIFICANCE / 4.0);
        }
    }
}

#[derive(Deserialize)]
struct Lattice {
    cases: Vec<LatticeCase>,
}

#[derive(Deserialize)]
#[serde(tag = "kind")]
enum LatticeCase {
    #[serde(rename = "rounded_1d")]
    Line { eta: f64, s: f64, k: i64, pmf: f64 },
    #[serde(rename = "rounded_2d")]
    Plane { eta: f64, s: f64, k: [i64; 2], pmf: f64 },
}

/// How often each step was drawn.
type Counts = BTreeMap<Vec<i64>, u64>;

/// Through the public interface: on a table whose rows are the lattice itself, the word drawn *is* the noise. What such
/// a table does not hold, or holds at its edge, where all that lies farther out is drawn too, is counted in the noise.
#[test]
fn words_are_drawn_by_the_law_of_the_rounded_noise() {
    const DRAWS: u32 = 400_000;
    const EDGES: [i64; 2] = [60, 40];
    let oracle: Lattice = oracle("lattice_noise.json");
    let line: Vec<Vec<i8>> = (-60..=60).map(|k| vec![k]).collect();
    let plane: Vec<Vec<i8>> = (-40..=40).flat_map(|a| (-40..=40).map(move |b| vec![a, b])).collect();
    let mut drawn: BTreeMap<(usize, u64, u64, bool), Counts> = BTreeMap::new();
    assert!(!oracle.cases.is_empty());
    for case in oracle.cases {
        let (eta, s, k, pmf) = match case {
            LatticeCase::Line { eta, s, k, pmf } => (eta, s, vec![k], pmf),
            LatticeCase::Plane { eta, s, k, pmf } => (eta, s, k.to_vec(), pmf),
        };
        let is_within = k.iter().all(|step| step.abs() < EDGES[k.len() - 1]);
        let counts = drawn.entry((k.len(), eta.to_bits(), s.to_bits(), is_within)).or_insert_with(|| {
            let rows = if k.len() == 1 { &line } else { &plane };
            let table = table_of(rows, s);
            let origin: WordId = table.row(rows.len() / 2).expect("the middle row");
            let privatizer = privatizer(&table, "metric-laplace", eta);
            let mut rng = experiment(k.len() as u8);
            // A scan of the plane is dear: fewer draws there.
            let draws = if k.len() == 1 { DRAWS } else { DRAWS / 10 };
            let mut counts = BTreeMap::new();
            for _ in 0..draws {
                let steps = if is_within {
                    table.vector(privatizer.draw(origin, &mut rng)).into_iter().map(i64::from).collect()
                } else {
                    lattice_noise(eta, k.len(), s, &mut rng).expect("finite")
                };
                *counts.entry(steps).or_default() += 1;
            }
            counts
        });
        let (count, draws) = (counts.get(&k).copied().unwrap_or(0), counts.values().sum());
        assert!(agrees(count, draws, pmf), "η {eta}, s {s}, k {k:?}: {count} of {draws} against {pmf}");
    }
}

#[test]
fn other_values_of_the_schemas_are_taken() {
    for test in [
        "the_radius_is_computed_as_the_oracle_says",
        "draws_of_the_noise_follow_the_oracle",
        "words_are_drawn_by_the_law_of_the_rounded_noise",
    ] {
        assert_eq!(with_oracles(test, &other_oracles()), Ok(()), "{test}");
    }
}
