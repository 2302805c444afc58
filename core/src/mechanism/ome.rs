//! OME on the binary code of a representation: λ sets how often a 1 is sent as 1.
//!
//! # Privacy
//! Published: p = λ/(1 + λ) on even bits, p = 1/(1 + λ³) on odd ones, and q = 1/(1 + λ·e^(ε/n)). The paper's proof
//! bounds the odd half by (p/(1 − p))·((1 − q)/q) = λ⁻²·e^(ε/n) < 1. But a maximum of likelihood ratios is at least
//! one. On odd bits p < q, and the worst ratio is the inverse. The losses of the halves add up (see `bits`). At λ =
//! 100, 500 bits and ε = 1 the true loss is over 3451, and it hardly depends on ε. Only for λ = 1 does the claim nearly
//! hold.
//!
//! Sound: p = 1/(1 + λ) and q = 1/(1 + λ·e^(ε/n)) on every bit. Then ln(p/q) + ln((1 − q)/(1 − p)) = ε/n with both
//! terms at least 0. So a bit costs at most ε/n.
//!
//! Source: Lyu, Li, He and Xiao, SIGIR 2020. The sound pair is that of LATENT (Arachchige et al., 2020).

use alloc::vec::Vec;

use super::{AIM, Card, Gives, Inputs, Mechanism, Prepared, Proof, Randomizer};
use crate::account::flip::Flip;
use crate::encode::bits::{Encoded, Layout};
use crate::{Claim, ClaimSource, Error, Loss, Parameter};

pub(super) const CARD: Card = Card {
    name: "ome",
    parameters: &[Parameter::Epsilon, Parameter::Lambda, Parameter::IntegerBits, Parameter::FractionBits],
    gives: Gives::Encodings,
    has_published: true,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let epsilon = mechanism.required(Parameter::Epsilon)?;
    let lambda = mechanism.required(Parameter::Lambda)?;
    if lambda < 1.0 {
        return Err(Error::Invalid(Parameter::Lambda));
    }
    let layout = Layout::new(mechanism, inputs)?;
    let share = epsilon / layout.bits() as f64;
    let [even, odd] = if mechanism.is_published() {
        [Flip::ome_even(share, lambda)?, Flip::ome_odd(share, lambda)?]
    } else {
        [Flip::skewed(share * AIM, lambda)?; 2]
    };
    let flips: Vec<Flip> = (0..layout.bits()).map(|bit| if bit % 2 == 0 { even } else { odd }).collect();
    let (encoding, loss) = Encoded::new(&layout, &flips, inputs)?;
    let claim = mechanism.is_published().then(|| Claim::new(Loss::pure(epsilon), loss, ClaimSource::LYU_THEOREM_1));
    Ok(Prepared { proof: Proof { claim, ..Proof::of(loss) }, randomizer: Randomizer::encoding(encoding) })
}
