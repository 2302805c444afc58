//! What five papers claim for their mechanisms, against what is true.
//!
//! Each number is computed by `textveil::account`; the proofs are there. The papers:
//! - OME: Lyu, Li, He and Xiao, SIGIR 2020
//! - TrLaplace: Huang, Yang, Habernal, Hu and Wang, EMNLP 2024
//! - DPNR: Lyu, He and Li, Findings of EMNLP 2020
//! - dpUGC: Vu, Tran and Jiang, 2019
//! - Qu et al., CIKM 2021

use anyhow::{Context, Result};
use textveil::Loss;
use textveil::account::composition::{basic, laplace_vector_epsilon, optimal_epsilon};
use textveil::account::flip::{Flip, alternating_epsilon, ome_epsilon, ome_largest_sound_lambda};
use textveil::account::privunit::PrivUnit2;
use textveil::account::subsampled::{ORDERS, SubsampledGaussian};
use textveil::account::truncated_laplace::{ClippedVectors, TruncatedLaplace};
use textveil::account::{evidence, gaussian};

use super::experiment::Experiment;
use super::printed::numbers;
use super::report::Report;
use super::run::Run;
use super::trlaplace::printed::impossible;
use textveil_toolkit::cells;
use textveil_toolkit::mechanism::published::{AveragedBudget, released_radius};
use textveil_toolkit::report::plot::{Axis, Mark, Plot};
use textveil_toolkit::report::{Mean, Sheet};

pub(super) static EXPERIMENT: Experiment = Experiment {
    paper: "mechanisms",
    table: "",
    about: "What five papers claim for their mechanisms, and what is true",
    data: &[],
    takes: &[],
    runs: None,
    has_plot: true,
    why: "",
    compute,
};

/// δ, if a paper names no δ.
const DELTA: f64 = 1e-5;
const DPNR_DIMS: u64 = 768;
const DPNR_EPSILONS: [f64; 5] = [0.05, 0.1, 0.5, 1.0, 5.0];
const TRUNCATED_EPSILONS: [f64; 4] = [0.05, 0.1, 0.2, 0.5];

fn compute(_: &Run<'_>) -> Result<Report> {
    let summary = summary()?;
    let drawing = drawing(&summary);
    let mut sheet = Sheet::new("Claimed and true worst case");
    for Line { name, claimed, truth, rest } in summary {
        let [epsilon, delta] = truth;
        sheet.row(cells![
            "mechanism" => name.as_str(),
            "eps claimed" => claimed[0],
            "delta claimed" => claimed[1],
            "eps true" => epsilon,
            "delta true" => delta,
            "1 - delta" => rest,
        ]);
    }
    let sheets = vec![
        sheet,
        ome()?,
        ome_largest_lambda()?,
        randomized_response()?,
        truncated_laplace_delta()?,
        truncated_laplace_spread()?,
        retention()?,
        dpnr()?,
        dpugc_table_3()?,
        dpugc_users()?,
        privunit()?,
        impossible(&numbers("trlaplace")?),
    ];
    Ok(Report::of(sheets, drawing))
}

/// A line of the summary: (ε, δ) as claimed and as it is.
struct Line {
    name: String,
    claimed: [f64; 2],
    truth: [f64; 2],
    /// 1 − δ, which has digits where δ is near 1.
    rest: f64,
}

impl Line {
    fn new(name: impl Into<String>, claimed: [f64; 2], truth: [f64; 2]) -> Self {
        Self { name: name.into(), claimed, truth, rest: 1.0 - truth[1] }
    }
}

fn summary() -> Result<Vec<Line>> {
    let pure = |name: &str, claimed: f64, truth: f64| Line::new(name, [claimed, 0.0], [truth, 0.0]);
    let code = |flip: Flip| alternating_epsilon(&flip, &flip, 500);
    let mut lines = vec![
        pure("OME, lambda 100, 500 bits", 1.0, ome_epsilon(1.0, 100.0, 500)?),
        pure("SUE, one-hot, df 2", 1.0, Flip::symmetric(0.5)?.epsilon_one_hot()),
        pure("OUE, one-hot, df 2", 1.0, Flip::oue(0.5)?.epsilon_one_hot()),
        pure("SUE, df 100, on 500 bits", 1.0, code(Flip::symmetric(0.01)?)?),
        pure("OUE, df 100, on 500 bits", 1.0, code(Flip::oue(0.01)?)?),
    ];
    for dims in [50, 300] {
        for epsilon in TRUNCATED_EPSILONS {
            let (_, delta, rest) = published(dims, epsilon)?;
            let name = format!("TrLaplace, d {dims}, eps {epsilon}");
            lines.push(Line { rest, ..Line::new(name, [epsilon, DELTA], [epsilon, delta]) });
        }
    }
    for epsilon in [0.05, 0.5] {
        let noise = released_radius(300, 1.0, epsilon)?;
        let (delta, _) = ClippedVectors::new(300, 1.0)?.worst_delta(&noise);
        let name = format!("TrLaplace released radius, d 300, eps {epsilon}");
        lines.push(Line::new(name, [epsilon, DELTA], [epsilon, delta]));
    }
    for epsilon in DPNR_EPSILONS {
        lines.push(pure(&format!("DPNR, d 768, eps {epsilon}"), epsilon, basic(epsilon, DPNR_DIMS)?));
    }
    lines.push(pure("DPNR, d 768, eps 1, half dropped", halved(1.0), halved(basic(1.0, DPNR_DIMS)?)));
    // One draw is added to all coordinates, so their differences are sent as they are: no ε holds.
    lines.push(pure("DPNR released code, one scalar", 1.0, f64::INFINITY));
    let AveragedBudget { users, steps, .. } = AveragedBudget::EXAMPLE;
    let [claimed, truth] = AveragedBudget::EXAMPLE.losses()?.map(|loss| [loss.epsilon, loss.delta]);
    lines.push(Line::new(format!("dpUGC Alg. 1-b, {users} users, {steps} steps"), claimed, truth));
    Ok(lines)
}

/// What is left of ε if each word is dropped with probability ½.
fn halved(epsilon: f64) -> f64 {
    Loss::pure(epsilon).after_dropout(0.5).epsilon
}

/// TrLaplace's published noise for norm 1, its true δ, and 1 − δ.
pub(super) fn published(dims: u64, epsilon: f64) -> Result<(TruncatedLaplace, f64, f64)> {
    let ball = ClippedVectors::new(dims, 1.0)?;
    let noise = ball.published(epsilon, DELTA)?.context("the published radius is not defined here")?;
    let (delta, coordinates) = ball.worst_delta(&noise);
    let shift = ball.linf() / (coordinates as f64).sqrt();
    Ok((noise, delta, noise.ln_overlap(coordinates, shift).exp()))
}

fn drawing(lines: &[Line]) -> String {
    let mut plot =
        Plot::of_rows("Privacy loss: claimed and true", "ε in nats (logarithmic)", Axis::logarithmic(0.01, 10_000.0));
    plot.legend(&[(Mark::Hollow, "claimed"), (Mark::Bar, "true worst case")], "coloured: claim is false");
    for Line { name, claimed, truth, .. } in lines {
        // At the claimed δ; an ε at another one is no answer unless the other is as small.
        let epsilon = if truth[1] <= DELTA { truth[0] } else { f64::INFINITY };
        plot.row(name, epsilon > claimed[0] * 1.001, &[(Mark::Hollow, claimed[0]), (Mark::Bar, epsilon)]);
    }
    plot.finish()
}

fn ome() -> Result<Sheet> {
    let mut sheet = Sheet::new("OME: true epsilon as published");
    for bits in [500, 7680] {
        for lambda in [1.0, 10.0, 50.0, 100.0] {
            let share = 1.0 / bits as f64;
            let (even, odd) = (Flip::ome_even(share, lambda)?, Flip::ome_odd(share, lambda)?);
            let truth = ome_epsilon(1.0, lambda, bits)?;
            sheet.row(cells![
                "bits" => bits as f64,
                "lambda" => lambda,
                "eps claimed" => 1.0,
                "eps even bit" => even.epsilon(),
                "eps odd bit" => odd.epsilon(),
                "eps true" => truth,
            ]);
        }
    }
    Ok(sheet)
}

fn ome_largest_lambda() -> Result<Sheet> {
    let mut sheet = Sheet::new("OME: the largest lambda that keeps the claim");
    for bits in [500, 7680] {
        // In text: what matters is how little it is above 1.
        let lambda = format!("{:.5}", ome_largest_sound_lambda(1.0, bits)?);
        sheet.row(cells!["bits" => bits as f64, "eps claimed" => 1.0, "lambda" => lambda.as_str()]);
    }
    Ok(sheet)
}

fn randomized_response() -> Result<Sheet> {
    let mut sheet = Sheet::new("Symmetric randomized response on 500 bits");
    sheet.row(cells![
        "eps a bit" => 0.02,
        "eps pure" => basic(0.02, 500)?,
        "delta" => DELTA,
        "eps at delta" => optimal_epsilon(0.02, 500, DELTA)?,
    ]);
    Ok(sheet)
}

fn truncated_laplace_delta() -> Result<Sheet> {
    let mut sheet = Sheet::new("TrLaplace: true delta as published, and the radius that is sound");
    for dims in [50, 100, 300] {
        for epsilon in TRUNCATED_EPSILONS {
            let (noise, delta, rest) = published(dims, epsilon)?;
            let sound = sound(dims, epsilon)?.radius();
            sheet.row(cells![
                "d" => dims as f64,
                "eps claimed" => epsilon,
                "delta claimed" => DELTA,
                "A/C published" => noise.radius(),
                "delta true" => delta,
                "1 - delta" => rest,
                "A/C sound" => sound,
            ]);
        }
    }
    Ok(sheet)
}

/// The least radius, or the closed form where that is not known to be the least.
fn sound(dims: u64, epsilon: f64) -> Result<TruncatedLaplace> {
    let ball = ClippedVectors::new(dims, 1.0)?;
    Ok(match ball.exact(epsilon, DELTA)? {
        Some(exact) => exact,
        None => ball.sound(epsilon, DELTA)?,
    })
}

fn truncated_laplace_spread() -> Result<Sheet> {
    let mut sheet = Sheet::new("Standard deviation of a coordinate, in units of C, delta 1e-5");
    for dims in [50, 300] {
        for epsilon in [0.05, 0.5] {
            let ball = ClippedVectors::new(dims, 1.0)?;
            sheet.row(cells![
                "d" => dims as f64,
                "eps" => epsilon,
                "TrLaplace published" => published(dims, epsilon)?.0.variance().sqrt(),
                "TrLaplace sound" => sound(dims, epsilon)?.variance().sqrt(),
                "Laplace" => ball.laplace_deviation(epsilon)?,
                "Gaussian of the paper" => ball.l1() / epsilon,
                "analytic Gaussian" => gaussian::sigma(Loss { epsilon, delta: DELTA }, ball.linf())?,
            ]);
        }
    }
    Ok(sheet)
}

fn retention() -> Result<Sheet> {
    let mut sheet = Sheet::new("Least delta with which a share of words can stay unchanged, eps 0.05");
    for share in [0.706, 0.7] {
        for words in [2, 3, 10, 1000] {
            sheet.row(cells![
                "share" => share,
                "words" => words as f64,
                "delta at least" => evidence::least_delta(share, 0.05, words)?,
            ]);
        }
    }
    Ok(sheet)
}

fn dpnr() -> Result<Sheet> {
    let mut sheet = Sheet::new("DPNR, 768 dimensions: true epsilon as published");
    for epsilon in DPNR_EPSILONS {
        let pure = basic(epsilon, DPNR_DIMS)?;
        let approximate = laplace_vector_epsilon(epsilon, DPNR_DIMS, DELTA)?;
        sheet.row(cells![
            "eps claimed" => epsilon,
            "eps true" => pure,
            "eps at delta 1e-5" => approximate,
            "half dropped" => halved(pure),
        ]);
    }
    Ok(sheet)
}

/// δ of `steps` steps by the paper's accountant: moments up to 32, with the vocabulary's size as the number of records.
pub(super) fn dpugc_delta(steps: u64) -> Result<f64> {
    const EPSILON: f64 = 0.125;
    let step = SubsampledGaussian::new(128.0 / 50_000.0, 5.0)?;
    let exponent = |moment| -> Result<f64> {
        Ok(f64::from(moment) * (steps as f64 * step.renyi(f64::from(moment) + 1.0)? - EPSILON))
    };
    let exponents = (1..=32).map(exponent).collect::<Result<Vec<_>>>()?;
    Ok(exponents.into_iter().fold(0.0, f64::min).exp())
}

fn dpugc_table_3() -> Result<Sheet> {
    const STEPS: [u64; 9] = [20, 200, 500, 1000, 5000, 10_000, 50_000, 90_000, 100_000];
    let mut sheet = Sheet::new("dpUGC, table 3, eps 0.125: delta of their accountant (the paper's)");
    for steps in STEPS {
        sheet.row(cells!["steps" => steps as f64, "delta" => Mean::exact(dpugc_delta(steps)?)]);
    }
    Ok(sheet)
}

fn dpugc_users() -> Result<Sheet> {
    let step = SubsampledGaussian::new(0.00256, 5.0)?;
    let mut sheet = Sheet::new("dpUGC, rate 0.00256, sigma 5, delta 1e-5: an example is not a user");
    for records in [1, 10, 100] {
        sheet.row(cells![
            "records of a user" => records as f64,
            "steps" => 1000.0,
            "eps" => step.epsilon(1000, records, DELTA)?,
        ]);
    }
    let most = step.max_steps(0.125, DELTA, &ORDERS)?;
    sheet.row(cells!["records of a user" => "1, most steps within eps", "steps" => most as f64, "eps" => 0.125]);
    let code = gaussian::epsilon(0.05, 1.0, DELTA)?;
    sheet.row(cells!["records of a user" => "1, noise of the released code", "steps" => 1.0, "eps" => code]);
    Ok(sheet)
}

fn privunit() -> Result<Sheet> {
    let mut sheet = Sheet::new("Mean squared error of a unit vector");
    for (dims, epsilon) in [(50, 1.0), (50, 4.0), (50, 10.0), (300, 10.0)] {
        let ball = ClippedVectors::new(dims, 1.0)?;
        let d = dims as f64;
        // Noise of density ∝ e^(−η‖z‖) with η = ε/2: a radius of Gamma(d, 1/η).
        let l2_laplace = d * (d + 1.0) / (epsilon / ball.linf()).powi(2);
        sheet.row(cells![
            "d" => d,
            "eps" => epsilon,
            "PrivUnit2, one vector" => PrivUnit2::optimal(dims, epsilon)?.mean_squared_error(),
            "l2 Laplace" => l2_laplace,
            "Laplace" => d * ball.laplace_deviation(epsilon)?.powi(2),
            "analytic Gaussian, delta 1e-5" => d * gaussian::sigma(Loss { epsilon, delta: DELTA }, ball.linf())?.powi(2),
        ]);
    }
    Ok(sheet)
}
