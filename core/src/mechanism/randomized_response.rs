//! Symmetric randomized response on the binary code of a representation, with ε split over the bits by
//! weight.
//!
//! # Privacy
//! A bit kept with probability 1/(1 + e^(−e_i)) costs e_i, and all bits Σ e_i = ε (see `bits`). The bit of
//! place i in an element (0 is the lowest, the sign is the highest) has the weight 1 + tilt·i. With tilt 0 all
//! bits are alike. With a larger tilt, the sign and the high bits are kept more often than the low ones, which
//! matter less.

use alloc::vec::Vec;

use super::{AIM, Card, Gives, Inputs, Mechanism, Prepared, Proof, Randomizer};
use crate::account::flip::Flip;
use crate::encode::bits::{Encoded, Layout};
use crate::{Error, Parameter};

pub(super) const CARD: Card = Card {
    name: "randomized-response",
    parameters: &[Parameter::Epsilon, Parameter::Tilt, Parameter::IntegerBits, Parameter::FractionBits],
    gives: Gives::Encodings,
    has_published: false,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let epsilon = mechanism.required(Parameter::Epsilon)?;
    let tilt = mechanism.value(Parameter::Tilt).ok_or(Error::Invalid(Parameter::Tilt))?;
    let layout = Layout::new(mechanism, inputs)?;
    let weights = (0..layout.code.bits()).rev().map(|place| 1.0 + tilt * f64::from(place));
    let total = weights.clone().sum::<f64>() * layout.elements as f64;
    let flips = weights.map(|weight| Flip::symmetric(epsilon * AIM * (weight / total)));
    let flips: Vec<Flip> = flips.cycle().take(layout.bits()).collect::<Result<_, _>>()?;
    let (encoding, loss) = Encoded::new(&layout, &flips, inputs)?;
    Ok(Prepared { proof: Proof::of(loss), randomizer: Randomizer::encoding(encoding) })
}
