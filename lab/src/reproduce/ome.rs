//! Lyu, Li, He and Xiao, "Towards Differentially Private Text Representations" (SIGIR 2020): what a server
//! learns from bits that devices have flipped.
//!
//! A text is one vector, whose elements are written in bits. Each device flips its own bits, and a perceptron is
//! trained on what arrives. Test texts are releases as well. [`corpus`] makes vectors of texts and releases of vectors,
//! and [`classifier`] learns. [`published`] has the paper's two tables, each with the true ε of the bits drawn.
//! [`equal_epsilon`] asks what the paper does not: which encoding and classifier is best at the same true ε?

mod classifier;
mod corpus;
pub(super) mod equal_epsilon;
pub(super) mod figure_3;
pub(super) mod published;

use anyhow::Result;
use textveil::{Calibration, Error, Mechanism, MechanismKind, Parameter};

/// The paper's sets.
const SETS: [&str; 5] = ["imdb", "amazon", "yelp", "snips", "mrpc"];
/// λ of the paper.
const LAMBDAS: [f64; 4] = [1.0, 10.0, 50.0, 100.0];

/// A mechanism in its sound calibration.
fn sound(kind: MechanismKind, epsilon: f64) -> Result<Mechanism, Error> {
    Mechanism::new(kind).with(Parameter::Epsilon, epsilon)
}

/// A mechanism as the paper has it.
fn as_published(kind: MechanismKind, epsilon: f64) -> Result<Mechanism, Error> {
    sound(kind, epsilon)?.calibrated(Calibration::Published)
}

/// OME as the paper has it.
fn published_ome(epsilon: f64, lambda: f64) -> Result<Mechanism, Error> {
    as_published(MechanismKind::Ome, epsilon)?.with(Parameter::Lambda, lambda)
}
