//! One value out of a public list (an answer, a category, a word), sent as one noisy bit for each entry. Many such
//! reports give an estimate of how often each entry was the value.
//!
//! # Privacy
//! Pure ε-DP for any two values. Their one-hot codes differ in two bits, a 1 against a 0 and a 0 against a 1. So the
//! loss is ln(p/q) + ln((1 − q)/(1 − p)) exactly, for the probabilities that are really used.
//!
//! `sue`: p = e^(ε/2)/(1 + e^(ε/2)), q = 1 − p. `oue`: p = 1/2, q = 1/(1 + e^ε), which estimates best (Wang,
//! Blocki, Li and Jha, USENIX Security 2017). Published `oue` of Lyu et al., SIGIR 2020: q = 1/(1 + e^(ε/2)),
//! half the loss that it claims.

use alloc::vec;
use alloc::vec::Vec;

use crate::account::flip::{Flip, QuantizedFlip};
use crate::mechanism::{AIM, Proof};
use crate::memory::Law;
use crate::privacy::guarantee::Terms;
use crate::sampler::bernoulli;
use crate::{
    Calibration, Claim, ClaimSource, Error, Guarantee, Loss, Mechanism, MechanismKind, Parameter, ReleaseKey,
    ReleaseRng, Unit,
};

/// Reports values of a public list.
#[derive(Debug)]
pub struct Unary {
    mechanism: Mechanism,
    size: usize,
    flip: QuantizedFlip,
    proof: Proof,
}

impl Unary {
    /// The mechanism unless one is named: the one that estimates best.
    pub const USUAL: MechanismKind = MechanismKind::Oue;

    /// The least ε. Probabilities have 53 bits: those of a far smaller ε are equal or cost more than it.
    pub const LEAST_EPSILON: f64 = 1e-5;

    /// The longest list.
    pub const MAX_SIZE: usize = 1 << 16;

    /// Reports one of `size` values under `sue` or `oue`.
    ///
    /// # Errors
    /// [`Error::NotOffered`] for another mechanism. [`Error::Invalid`] without ε, or if it is so large that a bit would
    /// be sent for certain, or below [`Unary::LEAST_EPSILON`]. [`Error::InvalidOptions`] for a binary code. [`Error::InvalidArgument`] unless `size` is
    /// 2…[`Unary::MAX_SIZE`].
    pub fn new(mechanism: Mechanism, size: usize) -> Result<Self, Error> {
        if mechanism.get(Parameter::IntegerBits).or(mechanism.get(Parameter::FractionBits)).is_some() {
            return Err(Error::InvalidOptions);
        }
        if !(2..=Self::MAX_SIZE).contains(&size) {
            return Err(Error::InvalidArgument);
        }
        let given = mechanism.get(Parameter::Epsilon).filter(|epsilon| *epsilon >= Self::LEAST_EPSILON);
        let epsilon = given.ok_or(Error::Invalid(Parameter::Epsilon))?;
        let published = mechanism.calibration() == Calibration::Published;
        let flip = match mechanism.kind() {
            MechanismKind::Sue => Flip::symmetric(epsilon * AIM / 2.0)?,
            MechanismKind::Oue if published => Flip::oue(epsilon / 2.0)?,
            MechanismKind::Oue => Flip::oue(epsilon * AIM)?,
            _ => return Err(Error::NotOffered),
        };
        let flip = flip.quantized()?;
        let loss = Loss::pure(flip.flip().epsilon_one_hot());
        let claim = published.then(|| Claim::new(Loss::pure(epsilon), loss, ClaimSource::LYU_ONE_HOT));
        Ok(Self { mechanism, size, flip, proof: Proof { claim, ..Proof::of(loss) } })
    }

    /// The guarantee of a report, before it is drawn: [`Guarantee::of_draw`] adds what a known seed changes.
    #[must_use]
    pub fn guarantee(&self) -> Guarantee {
        let (word, text) = (self.proof.loss, self.proof.loss);
        let (mechanism, proof) = (&self.mechanism, &self.proof);
        Guarantee::new(Terms {
            mechanism,
            proof,
            unit: Unit::Value,
            words: 1,
            word,
            text,
            clear: Vec::new(),
            table: None,
        })
    }

    /// How many values the list has.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The probability of a 1 at the reported value, and at each of the others.
    #[must_use]
    pub fn odds(&self) -> (f64, f64) {
        (self.flip.flip().p(), self.flip.flip().q())
    }

    /// The key by which the report of an answer is remembered. `question` is any name of the question: equal reports of
    /// two questions would show that their answers are equal.
    #[must_use]
    pub fn key(&self, question: &str, value: usize) -> ReleaseKey {
        let law = Law::new("choice", None, &self.mechanism, &self.proof).count("size", self.size as u64);
        law.item("question", question.as_bytes()).count("answer", value as u64).key()
    }

    /// The report of the value number `value`, a bit for each entry of the list. Its guarantee is [`Unary::guarantee`], and
    /// [`Guarantee::of_draw`] of the same generator.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the list has no such value.
    pub fn report(&self, value: usize, rng: &mut ReleaseRng) -> Result<Vec<bool>, Error> {
        if value >= self.size {
            return Err(Error::InvalidArgument);
        }
        let numerator = |entry| if entry == value { self.flip.p() } else { self.flip.q() };
        Ok((0..self.size).map(|entry| bernoulli(numerator(entry), rng)).collect())
    }
}

/// Counts reports, on the collector's side.
#[derive(Debug)]
pub struct Frequencies {
    flip: Flip,
    ones: Vec<u64>,
    reports: u64,
}

/// An estimated share of the reports.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Share {
    /// Unbiased. It may be below 0 or above 1 by chance.
    pub share: f64,
    /// Its standard deviation over the noise.
    pub deviation: f64,
}

impl Frequencies {
    /// An empty count of reports of `unary`.
    #[must_use]
    pub fn new(unary: &Unary) -> Self {
        Self { flip: unary.flip.flip(), ones: vec![0; unary.size], reports: 0 }
    }

    /// Counts a report.
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`] for a list of another length. Nothing is counted then.
    pub fn add(&mut self, report: &[bool]) -> Result<(), Error> {
        if report.len() != self.ones.len() {
            return Err(Error::DimensionMismatch);
        }
        for (ones, bit) in self.ones.iter_mut().zip(report) {
            *ones += u64::from(*bit);
        }
        self.reports += 1;
        Ok(())
    }

    /// The estimated share of each value, empty before the first report.
    ///
    /// A share f makes an entry's bits 1 with mean f·p + (1 − f)·q, which is solved for f. Their variance
    /// is f·p(1 − p) + (1 − f)·q(1 − q) a report.
    #[must_use]
    pub fn shares(&self) -> Vec<Share> {
        let (p, q, reports) = (self.flip.p(), self.flip.q(), self.reports as f64);
        let estimate = |ones: &u64| {
            let share = (*ones as f64 / reports - q) / (p - q);
            let held = share.clamp(0.0, 1.0);
            let variance = (held * p * (1.0 - p) + (1.0 - held) * q * (1.0 - q)) / reports;
            Share { share, deviation: libm::sqrt(variance) / (p - q) }
        };
        if self.reports == 0 { Vec::new() } else { self.ones.iter().map(estimate).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_costs_no_more_than_was_asked_and_a_tiny_epsilon_is_refused() {
        for kind in [MechanismKind::Sue, MechanismKind::Oue] {
            for digits in -6..100 {
                let epsilon = libm::pow(10.0, -f64::from(digits) / 5.0);
                let unary = Unary::new(Mechanism::new(kind).with(Parameter::Epsilon, epsilon).expect("a number"), 4);
                match unary.map(|unary| unary.guarantee().epsilon_word) {
                    Ok(stated) => assert!(0.0 < stated && stated <= epsilon, "{kind} {epsilon}: {stated}"),
                    Err(refused) => assert!(refused == Error::Invalid(Parameter::Epsilon) && epsilon < 1e-5),
                }
            }
        }
    }
}
