//! The base measure as a table stores it: a code a row, c for the integer g = max(1, ⌊4095·e^(−step·c)⌉).
//!
//! A word whose ln g is off by δ moves its own ln Z by δ·P(x|x). It moves ln Z of words at a distance d by at most
//! e^(−β·d) of that. So the slope between them is at most δ·P(x|x)·β. The fewer words are kept, the coarser the codes
//! may be.

use libm::round;
use textveil::Certificate;

/// What rounding may add to η, relatively: twice δ·P(x|x) for the mean word.
const COARSENESS: f64 = 0.03;
/// The same with a plateau, whose η is a bound anyway.
const COARSENESS_OF_PLATEAUS: f64 = 0.08;

/// Nats between two codes, for a channel that keeps that share of words.
pub(super) fn step(retention: f64, near: f64) -> f64 {
    (if near > 0.0 { COARSENESS_OF_PLATEAUS } else { COARSENESS } / retention).min(1.0)
}

/// The nearest codes of values of ln g, which are at most 0.
pub(super) fn encode(log_base: &[f64], step: f64) -> Vec<u8> {
    log_base.iter().map(|x| round(-x / step).clamp(0.0, f64::from(u8::MAX)) as u8).collect()
}

/// g of each code.
pub(super) fn decode(codes: &[u8], step: f64) -> Vec<f64> {
    codes.iter().map(|code| f64::from(Certificate::base(step, *code))).collect()
}

/// The entropy of codes: what they take in a compressed file.
pub(super) fn bits(codes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    codes.iter().for_each(|code| counts[usize::from(*code)] += 1);
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / codes.len() as f64);
    shares.map(|share| -share * libm::log2(share)).sum()
}
