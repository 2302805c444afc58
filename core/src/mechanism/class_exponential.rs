//! The exponential mechanism inside a word's public class: names become other names, places other places.
//!
//! # Privacy
//! Pure ε-DP for the replacement of one word by another **of the same class**. The class itself is public, and the
//! guarantee says so. Proof: that of `exponential` over the words of the class. η is ε over the largest diameter of a
//! class.
//!
//! A word that the vocabulary lacks is in no class. That is as public as a class. Any offered word takes its place, and
//! all are equally likely. So no release tells one such word from another.
//!
//! The class of a word tells much about it. In exchange, a small ε is enough for a text that people can read.

use super::{Card, Gives, Inputs, Mechanism, Prepared, Proof, Randomizer, UPWARDS};
use crate::draw::channel::{Plan, Reach};
use crate::{Error, Loss, Parameter};

pub(super) const CARD: Card = Card {
    name: "class-exponential",
    parameters: &[Parameter::Epsilon],
    gives: Gives::Words,
    has_published: false,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let table = inputs.table()?;
    let epsilon = mechanism.required(Parameter::Epsilon)?;
    let diameter = table.classes().map(|class| table.class_diameter_bound(class)).reduce(f64::max);
    let diameter = diameter.ok_or(Error::NotOffered)?;
    // Words that share one vector may be exchanged freely.
    let eta = if diameter > 0.0 { epsilon / (diameter * UPWARDS) * super::DOWNWARDS } else { 0.0 };
    Ok(Prepared {
        proof: Proof { same_class: true, ..Proof::of(Loss::pure(epsilon)) },
        randomizer: Randomizer::Channel(Plan::half(eta, f64::INFINITY, Reach::Class, table)),
    })
}
