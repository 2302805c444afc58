//! The certified mechanism with a plateau: P(y|x) = g(y)·e^(−β·max(m(x,y), near)) / Z(x), m = min(d, cutoff). All words
//! near the word are as likely as the word itself. Those farther away are less likely than with `certified`.
//!
//! # Privacy
//! As `certified`, with the exponent f = β·(max(m, near) − near) instead of β·m. The exponent grows with m by at most β
//! a unit, and is at most β·(cutoff − near). So f(x′,y) − f(x,y) ≤ β·min(m(x,x′), cutoff − near). The change of ln Z
//! was taken over all pairs when the table was made. Together they give metric DP in m with the certificate's η, and
//! its ε for any two words.
//!
//! Both are upper bounds. `certified` reaches them at y = x. Here f is flat near x. Perhaps no y reaches the bounds,
//! and the worst pair loses less (`tests/reference/certify.py TABLE --largest`).
//!
//! Compare both mechanisms where they keep the same share of words. (With equally frequent words, a reader of single
//! words is then right equally often.) The replacements of `plateau` are far nearer to the word. Its η is larger,
//! because η is about the nearest words. An attacker who knows how frequent words are is right more often.

use super::certified::prepare_level;
use super::{Card, Gives};
use crate::Parameter;

pub(super) const CARD: Card = Card {
    name: "plateau",
    parameters: &[Parameter::Level, Parameter::Eta, Parameter::Epsilon],
    gives: Gives::Words,
    has_published: false,
    prepare: prepare_level,
};
