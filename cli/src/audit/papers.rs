//! The audits of `textveil audit` without a mechanism. First come claims known to be false: of five papers and their
//! released programs, and popular beliefs about `nearest`. Then come the product's mechanisms, whose claims must stand.
//! Last come claims of both kinds about statements and about new words.

use anyhow::Result;
use textveil::{Calibration, Loss, MechanismKind, Parameter, Table};

use super::case::{Case, Expectation};
use super::product;
use super::stand_in::{NeighboursAlone, OneScalar, ReleasedRadius, SummedSteps};
use super::{contributions, statements, whole_texts};
use textveil_toolkit::mechanism::published::AveragedBudget;
use textveil_toolkit::mechanism::{Source, parametrized};

/// All of them, with `samples` samples of each input, and half as many where a sample takes longest.
///
/// # Errors
/// A mechanism refuses its parameters.
pub(super) fn cases(samples: usize) -> Result<Vec<Case>> {
    let mut cases = truncated_laplace(samples / 2)?;
    cases.extend(dpnr(samples)?);
    cases.extend(binary_codes(samples / 2)?);
    let AveragedBudget { users, steps, sigma, .. } = AveragedBudget::EXAMPLE;
    let name = format!("dpUGC Alg. 1-b, {users} users, {steps} steps, sigma {sigma}");
    cases.push(SummedSteps::case(name, AveragedBudget::EXAMPLE, samples)?);
    cases.extend(misread(samples / 2)?);
    cases.extend(offered(samples / 2)?);
    cases.extend(statements::cases(samples / 2)?);
    cases.push(whole_texts::case(samples / 2)?);
    cases.extend(contributions::cases(samples / 2)?);
    Ok(cases)
}

const PUBLISHED: Calibration = Calibration::Published;
const SOUND: Calibration = Calibration::Sound;

fn truncated_laplace(samples: usize) -> Result<Vec<Case>> {
    const DELTA: f64 = 1e-5;
    let case = |calibration, dims: usize, epsilon: f64, expectation| {
        let parameters = [(Parameter::Epsilon, epsilon), (Parameter::Delta, DELTA)];
        let mechanism = parametrized(MechanismKind::TruncatedLaplace, calibration, &parameters)?;
        let name = format!("truncated-laplace {}, d {dims}, eps {epsilon}", calibration.name());
        product::case(name, mechanism, Source::Vectors(dims), samples, expectation)
    };
    let mut cases = Vec::new();
    for dims in [50, 300] {
        for epsilon in [0.05, 0.1, 0.2, 0.5] {
            cases.push(case(PUBLISHED, dims, epsilon, Expectation::Refuted)?);
        }
    }
    for epsilon in [0.05, 0.5] {
        let name = format!("TrLaplace released code, d 300, eps {epsilon}, clipped");
        cases.push(ReleasedRadius::case(name, 300, Loss { epsilon, delta: DELTA }, samples)?);
    }
    cases.push(case(SOUND, 300, 0.5, Expectation::Stands)?);
    Ok(cases)
}

/// On vectors of a transformer's 768 dimensions.
fn dpnr(samples: usize) -> Result<Vec<Case>> {
    const DIMS: usize = 768;
    let case = |calibration, epsilon: f64, expectation| {
        let mechanism = parametrized(MechanismKind::Dpnr, calibration, &[(Parameter::Epsilon, epsilon)])?;
        let name = format!("dpnr {}, d {DIMS}, eps {epsilon}", calibration.name());
        product::case(name, mechanism, Source::Vectors(DIMS), samples, expectation)
    };
    let mut cases = Vec::new();
    for epsilon in [0.05, 0.1, 0.5, 1.0, 5.0] {
        cases.push(case(PUBLISHED, epsilon, Expectation::Refuted)?);
    }
    cases.push(OneScalar::case("DPNR released code, one scalar, eps 1".to_owned(), 1.0, samples)?);
    cases.push(case(SOUND, 1.0, Expectation::Stands)?);
    Ok(cases)
}

/// Fifty elements of ten bits.
fn binary_codes(samples: usize) -> Result<Vec<Case>> {
    let case = |kind: MechanismKind, calibration: Calibration, lambda: Option<f64>, expectation| {
        let mut parameters = code(1.0);
        parameters.extend(lambda.map(|lambda| (Parameter::Lambda, lambda)));
        let shown = lambda.map_or_else(String::new, |lambda| format!(", lambda {lambda}"));
        let name = format!("{kind} {}{shown}, 500 bits, eps 1", calibration.name());
        product::case(name, parametrized(kind, calibration, &parameters)?, Source::Vectors(50), samples, expectation)
    };
    let mut cases = Vec::new();
    for lambda in [1.0, 10.0, 50.0, 100.0] {
        let expectation = if lambda > 1.0 { Expectation::Refuted } else { Expectation::Stands };
        cases.push(case(MechanismKind::Ome, PUBLISHED, Some(lambda), expectation)?);
    }
    cases.push(case(MechanismKind::RandomizedResponse, SOUND, None, Expectation::Stands)?);
    Ok(cases)
}

/// `nearest` without what its proof needs, and with a promise that it does not make.
fn misread(samples: usize) -> Result<Vec<Case>> {
    let table = Table::english()?;
    let name = "one of the 16 nearest words alone, eps 4".to_owned();
    let alone = NeighboursAlone::case(name, &table, ["cancer", "diabetes"], Loss::pure(4.0), samples)?;
    Ok(vec![alone, product::metric_claim_of_nearest(&table, ["happy", "joyful"], samples)?])
}

fn code(epsilon: f64) -> Vec<(Parameter, f64)> {
    vec![(Parameter::Epsilon, epsilon), (Parameter::IntegerBits, 0.0), (Parameter::FractionBits, 9.0)]
}

/// Every mechanism of the product in its sound calibration, on vectors, on values and on words; and OUE as
/// published, whose claim is true with room to spare.
fn offered(samples: usize) -> Result<Vec<Case>> {
    use MechanismKind::*;
    use Parameter::{Delta, Epsilon, Gamma, Lambda, T, Tilt};
    let approximate = [(Epsilon, 1.0), (Delta, 1e-5)];
    let with = |mut parameters: Vec<(Parameter, f64)>, parameter, value| {
        parameters.push((parameter, value));
        parameters
    };
    let on_vectors = [
        (Laplace, 50, vec![(Epsilon, 4.0)]),
        (TruncatedLaplace, 50, approximate.into()),
        (Gaussian, 768, approximate.into()),
        (DiscreteGaussian, 50, approximate.into()),
        (MetricLaplace, 50, vec![(Epsilon, 4.0)]),
        (LatticeLaplace, 50, vec![(Epsilon, 4.0)]),
        (Privunit2, 300, vec![(Epsilon, 4.0)]),
        (Sue, 50, code(4.0)),
        (Oue, 50, code(4.0)),
        (Ome, 50, with(code(4.0), Lambda, 100.0)),
        (RandomizedResponse, 50, with(code(4.0), Tilt, 2.0)),
    ];
    let on_values = [(Sue, SOUND), (Oue, SOUND), (Oue, PUBLISHED)];
    let on_words = [
        (Certified, vec![]),
        (Plateau, vec![]),
        (Nearest, super::NEAREST.to_vec()),
        (Exponential, vec![]),
        (TruncatedExponential, vec![(Epsilon, 8.0), (Gamma, 0.5)]),
        (ClassExponential, vec![(Epsilon, 6.0)]),
        (MetricLaplace, vec![(Epsilon, 8.0)]),
        (LatticeLaplace, vec![(Epsilon, 8.0)]),
        (Vickrey, vec![(Epsilon, 8.0), (T, 0.5)]),
        (Mahalanobis, vec![(Epsilon, 8.0), (Lambda, 0.5)]),
    ];
    let mut cases = Vec::new();
    for (kind, dims, parameters) in on_vectors {
        let name = format!("{kind} sound, d {dims}");
        let mechanism = parametrized(kind, SOUND, &parameters)?;
        cases.push(product::case(name, mechanism, Source::Vectors(dims), samples, Expectation::Stands)?);
    }
    for (kind, calibration) in on_values {
        let name = format!("{kind} {}, one of 20 values", calibration.name());
        let mechanism = parametrized(kind, calibration, &[(Epsilon, 1.0)])?;
        cases.push(product::case(name, mechanism, Source::List(20), samples, Expectation::Stands)?);
    }
    let table = Table::english()?;
    for (kind, parameters) in on_words {
        let name = format!("{kind} sound, words");
        let mechanism = parametrized(kind, SOUND, &parameters)?;
        cases.push(product::case(name, mechanism, Source::Table(&table), samples, Expectation::Stands)?);
    }
    Ok(cases)
}
