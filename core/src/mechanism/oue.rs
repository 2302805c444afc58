//! OUE on the binary code of a representation: a fair coin stands for a 1. A 0 is sent as 1 with probability 1/(1 +
//! e^x).
//!
//! # Privacy
//! Each bit costs ln((1 + e^x)/2), the larger of its two ratios. All n bits cost n times that (see `bits`). Sound: x
//! such that this is ε, which means q = e^(−ε/n)/2. Published: x = ε/2r with r the number of elements, as for r one-hot
//! vectors. But here all bits can differ.
//!
//! Source: Lyu, Li, He and Xiao, SIGIR 2020, after Wang, Blocki, Li and Jha, USENIX Security 2017.

use super::{AIM, Card, Gives, Inputs, Mechanism, Prepared, Proof, Randomizer};
use crate::account::flip::Flip;
use crate::encode::bits::{Encoded, Layout};
use crate::{Claim, ClaimSource, Error, Loss, Parameter};

pub(super) const CARD: Card = Card {
    name: "oue",
    parameters: &[Parameter::Epsilon, Parameter::IntegerBits, Parameter::FractionBits],
    gives: Gives::Encodings,
    has_published: true,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let epsilon = mechanism.required(Parameter::Epsilon)?;
    let layout = Layout::new(mechanism, inputs)?;
    let flip = if mechanism.is_published() {
        Flip::oue(epsilon / (2 * layout.elements) as f64)?
    } else {
        let q = 0.5 * libm::exp(-epsilon * AIM / layout.bits() as f64);
        Flip::new(0.5, q).map_err(|_| Error::Invalid(Parameter::Epsilon))?
    };
    let flips = alloc::vec![flip; layout.bits()];
    let (encoding, loss) = Encoded::new(&layout, &flips, inputs)?;
    let claim = mechanism.is_published().then(|| Claim::new(Loss::pure(epsilon), loss, ClaimSource::LYU_OUE));
    Ok(Prepared { proof: Proof { claim, ..Proof::of(loss) }, randomizer: Randomizer::encoding(encoding) })
}
