//! Nearest-mass randomized response: a word is exchanged for one of the rows nearest to it with more chance than for
//! any other. How many rows that are follows from their mass in a public base measure.
//!
//! # Privacy
//! ε-differential privacy for the replacement of one word by any other, near or far. Let q be a base measure over the
//! offered rows with the sum 1, and m a mass between 0 and 1. For each word x the rows are taken by their distance to
//! x until their mass is exactly m, the last one only in part: of a row y, the mass i(x,y) ≤ q(y) is inside. With W ≤ e^ε
//!
//! ```text
//! P(y|x) = (q(y) + (W − 1)·i(x,y)) / Z,   Z = Σ_y q(y) + (W − 1)·Σ_y i(x,y) = 1 + (W − 1)·m
//! ```
//!
//! Proof: Z is the same for every x, and each numerator lies between q(y) and W·q(y). So P(y|x)/P(y|x′) ≤ W ≤ e^ε
//! for all y, x and x′. Nothing is asked of the distance, of the table or of q. A word that the vocabulary lacks has
//! nothing inside, P(y) = q(y): that is within e^ε of every other input, since 1 ≤ Z ≤ W.
//!
//! Weights are whole numbers, and W is rounded down by more than the draw can be off (`draw/nearest_mass.rs`).
//!
//! It promises no metric: of two words that are near to each other, one output may be e^ε times as likely as of the
//! other. `certified` promises less of a loss to near words.
//!
//! Source: two-valued channels are optimal under pure ε (Kairouz, Oh and Viswanath, NIPS 2014). With one row inside it
//! is generalized randomized response (Warner, JASA 1965). Which rows are inside is the project's own choice.

use super::{Card, Gives, Inputs, Mechanism, Prepared, Proof, Randomizer};
use crate::draw::nearest_mass::{Base, NearestMass};
use crate::{Error, Loss, Parameter, Table};

pub(super) const CARD: Card = Card {
    name: "nearest",
    parameters: &[Parameter::Epsilon, Parameter::Mass, Parameter::FrequencyPower],
    gives: Gives::Words,
    has_published: false,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let table = inputs.table()?;
    let (epsilon, base, mass) = checked(mechanism, table)?;
    let nearest = NearestMass::new(table, base, mass, epsilon);
    Ok(Prepared { proof: Proof::of(Loss::pure(epsilon)), randomizer: Randomizer::NearestMass(nearest) })
}

/// What is proved, if the table can serve what is asked for.
#[cfg(feature = "serde")]
pub(super) fn proof(mechanism: &Mechanism, table: &Table) -> Result<Proof, Error> {
    checked(mechanism, table).map(|(epsilon, ..)| Proof::of(Loss::pure(epsilon)))
}

/// ε, the base measure and the mass in its units.
fn checked(mechanism: &Mechanism, table: &Table) -> Result<(f64, Base, u64), Error> {
    let epsilon = mechanism.required(Parameter::Epsilon)?;
    let share = mechanism.required(Parameter::Mass)?;
    let power = mechanism.required(Parameter::FrequencyPower)?;
    if epsilon > NearestMass::MOST_EPSILON {
        return Err(Error::Invalid(Parameter::Epsilon));
    }
    let base = Base::of_frequency(table, power);
    let mass = base.units(share).ok_or(Error::Invalid(Parameter::Mass))?;
    Ok((epsilon, base, mass))
}
