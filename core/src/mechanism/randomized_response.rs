//! Symmetric randomized response on the binary code of a representation. Weights split ε over the bits.
//!
//! # Privacy
//! A bit that is kept with probability 1/(1 + e^(−e_i)) costs e_i, and all bits cost Σ e_i = ε (see `bits`). In an
//! element, place 0 is the lowest bit and the sign is the highest. The bit of place i has the weight 1 + tilt·i. With
//! tilt 0 all bits are alike. With a larger tilt, the sign and the high bits are kept more often than the low ones,
//! which matter less.

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
