//! What the tests share: vectors, oracle values, small tables, and the tails of test statistics.
#![allow(clippy::panic, reason = "a test fails by panicking")]

pub mod budget;
pub mod postgres;
mod program;
pub mod shell;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use statrs::distribution::{ChiSquared, ContinuousCDF};
use textveil::{Disclosure, Error, Mechanism, MechanismKind, Parameter, Privatizer, ReleaseRng, Table, seeded_rng};

pub use program::{File, Folder, run, text};

/// The family-wise significance of a statistical test: a sound sampler fails one with this probability, once
/// and for all, since seeds are fixed.
pub const SIGNIFICANCE: f64 = 1e-4;

/// The example of the crate's README.
#[cfg(all(doctest, feature = "english"))]
#[doc = include_str!("../../core/README.md")]
pub struct Readme;

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn json<T: DeserializeOwned>(path: &Path) -> T {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The golden vectors of one topic. None of its lists is empty: a test that goes through one would test nothing.
pub fn vectors<T: DeserializeOwned>(name: &str) -> T {
    let path = here().join("vectors").join(name);
    let lists: serde_json::Value = json(&path);
    for (key, list) in lists.as_object().into_iter().flatten() {
        assert!(list.as_array().is_none_or(|list| !list.is_empty()), "{name}: {key} is empty");
    }
    json(&path)
}

/// Reference values of independent software, from `TEXTVEIL_ORACLES` if set.
pub fn oracle<T: DeserializeOwned>(name: &str) -> T {
    let directory = std::env::var_os("TEXTVEIL_ORACLES").map_or_else(|| here().join("oracles"), PathBuf::from);
    json(&directory.join(name))
}

/// Whether a count among `draws` draws agrees with an outcome of probability `p`. It must lie within five standard
/// deviations. Three outcomes more are allowed for outcomes too rare or too sure for a normal approximation. The
/// significance is about 10⁻⁶.
pub fn agrees(count: u64, draws: u64, p: f64) -> bool {
    let expected = p * draws as f64;
    (count as f64 - expected).abs() <= 5.0 * (expected * (1.0 - p).max(0.0)).sqrt() + 3.0
}

/// Runs one test of this test binary once more, with these reference values instead of the usual ones. If it fails,
/// returns the output.
pub fn with_oracles(test: &str, directory: &Path) -> Result<(), String> {
    let binary = std::env::current_exe().expect("a test binary has a path");
    let run = Command::new(binary).args(["--exact", test]).env("TEXTVEIL_ORACLES", directory).output();
    let run = run.expect("a test binary can be run");
    let printed = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(printed.contains("running 1 test\n"), "{test} is a test: {printed}");
    if run.status.success() { Ok(()) } else { Err(printed) }
}

/// Reference values of the same schemas at other places, written by `tests/reference/other_oracles.py`.
pub fn other_oracles() -> PathBuf {
    here().join("oracles").join("other")
}

/// A case of `discrete_noise.json`, which holds what samplers draw and what their noise costs.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields are the file's")]
pub enum DiscreteNoise {
    BernoulliExp {
        gamma: f64,
        p: f64,
    },
    DiscreteLaplacePmf {
        t: f64,
        k: i64,
        pmf: f64,
        cdf: f64,
    },
    DiscreteLaplaceMoments {
        t: f64,
        var: f64,
        eps_sens1: f64,
    },
    DiscreteGaussianPmf {
        sigma2: f64,
        k: i64,
        pmf: f64,
    },
    DiscreteGaussianMoments {
        sigma2: f64,
        var: f64,
        zcdp_rho_sens1: f64,
        #[serde(rename = "Z")]
        normalizer: f64,
    },
    OpendpMap {
        scale: f64,
        laplace_eps_d1: f64,
        laplace_eps_d3: f64,
        gauss_rho_d1: f64,
        gauss_rho_d3: f64,
        zcdp_eps_at_1e5: f64,
        zcdp_delta_at_eps1: f64,
    },
}

/// A file of `tests/data`.
pub fn data(name: &str) -> String {
    std::fs::read_to_string(here().join("data").join(name)).expect("the file is part of the repository")
}

/// A table by the name it has in the vectors.
pub fn table(name: &str) -> Table {
    #[cfg(feature = "english")]
    if name == "english.tvt" {
        return Table::english().expect("the embedded table is sound");
    }
    Table::parse(table_file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The bytes of a file of `tests/tables`.
pub fn table_file(name: &str) -> Vec<u8> {
    std::fs::read(here().join("tables").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The mechanism of that name.
pub fn mechanism(name: &str, eta: f64) -> Result<Mechanism, Error> {
    Mechanism::new(name.parse::<MechanismKind>()?).with(Parameter::Eta, eta)
}

/// A privatizer that leaves nothing but layout in clear.
pub fn privatizer(table: &Table, name: &str, eta: f64) -> Privatizer {
    let mechanism = mechanism(name, eta).expect("valid parameters");
    Privatizer::new(table, mechanism, Disclosure::default()).expect("valid parameters")
}

/// The generator of a seed in hexadecimal.
pub fn rng(seed: &str) -> ReleaseRng {
    let byte = |at| u8::from_str_radix(&seed[at..at + 2], 16).expect("hexadecimal");
    let bytes: Vec<u8> = (0..seed.len()).step_by(2).map(byte).collect();
    seeded_rng(bytes.try_into().expect("32 bytes"))
}

/// A generator for the `number`-th experiment.
pub fn experiment(number: u8) -> ReleaseRng {
    seeded_rng([number; 32])
}

/// A table of these rows, all offered, with words `w000000`, `w000001`, … in the order of the rows.
pub fn table_of(rows: &[Vec<i8>], scale: f64) -> Table {
    Table::parse(table_bytes(rows, scale)).expect("the helper writes sound tables")
}

/// The file of [`table_of`].
pub fn table_bytes(rows: &[Vec<i8>], scale: f64) -> Vec<u8> {
    let dims = rows[0].len();
    let (blocks, padded) = (rows.len().div_ceil(16), dims.next_multiple_of(2));
    let mut vectors = vec![0_u8; blocks * 16 * padded];
    for (row, values) in rows.iter().enumerate() {
        for (dim, value) in values.iter().enumerate() {
            vectors[row / 16 * 16 * padded + dim / 2 * 32 + row % 16 * 2 + dim % 2] = value.cast_unsigned();
        }
    }
    let mut offsets = Vec::new();
    let mut coded = Vec::new();
    for row in 0..rows.len() {
        if row % 16 == 0 {
            offsets.push(coded.len() as u32);
        }
        let word = format!("w{row:06}");
        coded.extend([0, word.len() as u8]);
        coded.extend(word.bytes());
    }
    let mut words = (blocks as u32).to_le_bytes().to_vec();
    words.extend(offsets.iter().flat_map(|offset| offset.to_le_bytes()));
    words.extend(coded);
    let sections =
        [(b"ROWS", vectors), (b"WORD", words), (b"FLAG", vec![0; rows.len()]), (b"ZIPF", vec![0; rows.len()])];

    let mut file = b"TEXTVEIL".to_vec();
    file.extend(1_u16.to_le_bytes());
    file.extend((dims as u16).to_le_bytes());
    file.extend((rows.len() as u32).to_le_bytes());
    file.extend(scale.to_le_bytes());
    file.extend((sections.len() as u32).to_le_bytes());
    file.extend([0; 4 + 32]);
    let mut at = (64 + 16 * sections.len()).next_multiple_of(16);
    for (tag, bytes) in &sections {
        file.extend(*tag);
        file.extend([0; 4]);
        file.extend((at as u32).to_le_bytes());
        file.extend((bytes.len() as u32).to_le_bytes());
        at = (at + bytes.len()).next_multiple_of(16);
    }
    for (_, bytes) in &sections {
        file.resize(file.len().next_multiple_of(16), 0);
        file.extend(bytes);
    }
    seal(&mut file);
    file
}

/// Writes the checksum that belongs to a file's bytes, sound or not.
pub fn seal(file: &mut [u8]) {
    let mut hash = Sha256::new();
    hash.update(&file[..32]);
    hash.update(&file[64..]);
    file[32..64].copy_from_slice(&hash.finalize());
}

/// The probability that Pearson's statistic of a sound sampler is at least as large: observed counts against
/// probabilities, cells expected fewer than 10 times pooled.
pub fn chi_square_tail<K: Ord>(counts: &BTreeMap<K, u64>, probabilities: &BTreeMap<K, f64>) -> f64 {
    let draws: u64 = counts.values().sum();
    assert!(counts.keys().all(|key| probabilities.contains_key(key)), "an outcome of probability zero was drawn");
    let (mut statistic, mut cells) = (0.0, 0);
    let mut rest = (0.0, 0.0);
    let mut add = |observed: f64, expected: f64| {
        statistic += (observed - expected).powi(2) / expected;
        cells += 1;
    };
    for (key, probability) in probabilities {
        let (observed, expected) = (counts.get(key).copied().unwrap_or(0) as f64, probability * draws as f64);
        if expected >= 10.0 {
            add(observed, expected);
        } else {
            rest = (rest.0 + observed, rest.1 + expected);
        }
    }
    if rest.1 >= 10.0 {
        add(rest.0, rest.1);
    }
    assert!(cells >= 2, "too few cells to test");
    ChiSquared::new(f64::from(cells - 1)).expect("positive degrees of freedom").sf(statistic)
}

/// The asymptotic probability that the Kolmogorov–Smirnov statistic of a sample from `cdf` is at least as
/// large.
pub fn kolmogorov_smirnov_tail(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let distance = sample
        .iter()
        .enumerate()
        .map(|(at, x)| (cdf(*x) - at as f64 / n).max((at + 1) as f64 / n - cdf(*x)))
        .fold(0.0, f64::max);
    let scaled = distance * (n.sqrt() + 0.12 + 0.11 / n.sqrt());
    2.0 * (1..=100)
        .map(|k| f64::from(if k % 2 == 1 { 1 } else { -1 }) * (-2.0 * f64::from(k * k) * scaled * scaled).exp())
        .sum::<f64>()
}
