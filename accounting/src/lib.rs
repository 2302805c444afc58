//! The mathematics of privacy loss, as pure functions: what a mechanism costs, and how much noise a budget
//! buys.
//!
//! [`Loss`] is what is lost, and how losses combine. Each other topic has a module. Nothing here draws a random number
//! or sees a text. Losses are in nats. Where a paper claims more than holds, its calibration is here under the paper's
//! name, with its true loss and with a sound calibration. `textveil` offers all of this as `textveil::account`.
//!
//! # Rounding
//! Formulas are arranged so that they do not cancel. Every result that a caller may publish as an upper bound is then
//! raised by a relative 5·10⁻¹³. That is more than the rounding of the formulas. That margin is an estimate, not
//! interval arithmetic.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

extern crate alloc;

pub mod channel;
pub mod composition;
pub mod discrete;
mod distribution;
pub mod dropout;
mod error;
pub mod evidence;
pub mod flip;
pub mod gaussian;
mod loss;
pub mod partition;
pub mod privunit;
mod special;
pub mod spherical;
pub mod subsampled;
pub mod truncated_laplace;
pub mod zcdp;

pub use error::Error;
pub use loss::Loss;

/// An upper bound with room for the rounding of the formula that computed it.
fn rounded_up(bound: f64) -> f64 {
    bound * (1.0 + 5e-13)
}

/// The least float in (low, high] for which `holds`, if it holds from some float on and at `high`; both
/// bounds are at least zero.
///
/// Bisects the floats themselves: at most 63 evaluations, and no tolerance to choose.
fn least(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    // Floats from zero up are ordered as their bits are.
    let (mut below, mut above) = (low.to_bits(), high.to_bits());
    while below + 1 < above {
        let middle = below.midpoint(above);
        if holds(f64::from_bits(middle)) { above = middle } else { below = middle }
    }
    f64::from_bits(above)
}

/// One check for each kind of number.
mod check {
    use super::Error;

    fn within(inside: bool, error: Error) -> Result<(), Error> {
        if inside { Ok(()) } else { Err(error) }
    }

    pub(super) fn positive(number: f64, error: Error) -> Result<(), Error> {
        within(number > 0.0 && number.is_finite(), error)
    }

    /// An ε to calibrate to.
    pub(super) fn epsilon(epsilon: f64) -> Result<(), Error> {
        positive(epsilon, Error::Epsilon)
    }

    /// An ε to evaluate at, or of a mechanism: zero has a meaning.
    pub(super) fn loss(epsilon: f64) -> Result<(), Error> {
        within((0.0..f64::INFINITY).contains(&epsilon), Error::Epsilon)
    }

    pub(super) fn delta(delta: f64) -> Result<(), Error> {
        within(delta > 0.0 && delta < 1.0, Error::Delta)
    }

    pub(super) fn scale(scale: f64) -> Result<(), Error> {
        positive(scale, Error::Scale)
    }

    pub(super) fn eta(eta: f64) -> Result<(), Error> {
        positive(eta, Error::Eta)
    }

    pub(super) fn gamma(distance: f64) -> Result<(), Error> {
        positive(distance, Error::Gamma)
    }

    pub(super) fn clip(bound: f64) -> Result<(), Error> {
        positive(bound, Error::Clip)
    }

    pub(super) fn lambda(lambda: f64) -> Result<(), Error> {
        within((1e-100..=1e100).contains(&lambda), Error::Lambda)
    }

    pub(super) fn dropout(share: f64) -> Result<(), Error> {
        within((0.0..=1.0).contains(&share), Error::Dropout)
    }

    pub(super) fn order(order: f64) -> Result<(), Error> {
        within(order > 1.0 && order.is_finite(), Error::Argument)
    }

    /// A probability that is neither impossible nor, unless `certain`, sure.
    pub(super) fn probability(probability: f64, certain: bool) -> Result<(), Error> {
        within(probability > 0.0 && (probability < 1.0 || certain && probability == 1.0), Error::Argument)
    }

    /// A count from `low` up that floats hold exactly.
    pub(super) fn count(count: u64, low: u64) -> Result<f64, Error> {
        within((low..=1 << 53).contains(&count), Error::Argument)?;
        Ok(count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_float_is_found_exactly() {
        assert_eq!(least(0.0, 1e300, |x| x * x >= 2.0), core::f64::consts::SQRT_2);
        assert_eq!(least(0.0, 1.0, |_| true), f64::from_bits(1));
    }

    #[test]
    fn checks_refuse_what_is_no_number() {
        for x in [f64::NAN, f64::INFINITY, -1.0] {
            assert_eq!(check::epsilon(x), Err(Error::Epsilon));
            assert_eq!(check::loss(x), Err(Error::Epsilon));
            assert_eq!(check::delta(x), Err(Error::Delta));
            assert_eq!(check::eta(x), Err(Error::Eta));
            assert_eq!(check::gamma(x), Err(Error::Gamma));
            assert_eq!(check::dropout(x), Err(Error::Dropout));
            assert_eq!(check::lambda(x), Err(Error::Lambda));
            assert_eq!(check::order(x), Err(Error::Argument));
            assert_eq!(check::probability(x, true), Err(Error::Argument));
        }
        assert!(check::probability(1.0, true).is_ok() && check::probability(1.0, false).is_err());
        assert!(check::loss(0.0).is_ok() && check::epsilon(0.0).is_err());
    }
}
