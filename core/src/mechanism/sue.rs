//! SUE on the binary code of a representation: symmetric randomized response. A bit is kept with probability e^x/(1 +
//! e^x).
//!
//! # Privacy
//! Each bit costs x, and all n bits cost n·x (see `bits`). Sound: x = ε/n. Published: x = ε/2r with r the number of
//! elements, as for r one-hot vectors. But here all n = r·l bits can differ, and the true loss is ε·l/2.
//!
//! Source: Lyu, Li, He and Xiao, SIGIR 2020, after Erlingsson, Pihur and Korolova, CCS 2014 (RAPPOR).

use super::{AIM, Card, Gives, Inputs, Mechanism, Prepared, Proof, Randomizer};
use crate::account::flip::Flip;
use crate::encode::bits::{Encoded, Layout};
use crate::{Claim, ClaimSource, Error, Loss, Parameter};

pub(super) const CARD: Card = Card {
    name: "sue",
    parameters: &[Parameter::Epsilon, Parameter::IntegerBits, Parameter::FractionBits],
    gives: Gives::Encodings,
    has_published: true,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let epsilon = mechanism.required(Parameter::Epsilon)?;
    let layout = Layout::new(mechanism, inputs)?;
    let share = if mechanism.is_published() {
        epsilon / (2 * layout.elements) as f64
    } else {
        epsilon * AIM / layout.bits() as f64
    };
    let flips = alloc::vec![Flip::symmetric(share)?; layout.bits()];
    let (encoding, loss) = Encoded::new(&layout, &flips, inputs)?;
    let claim = mechanism.is_published().then(|| Claim::new(Loss::pure(epsilon), loss, ClaimSource::LYU_SUE));
    Ok(Prepared { proof: Proof { claim, ..Proof::of(loss) }, randomizer: Randomizer::encoding(encoding) })
}
