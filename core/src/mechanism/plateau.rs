//! The certified mechanism with a plateau: P(y|x) = g(y)·e^(−β·max(m(x,y), near)) / Z(x), m = min(d, cutoff). All
//! words near the word are as likely as the word itself, and those farther away fall off the more steeply.
//!
//! # Privacy
//! As `certified`, with the exponent f = β·(max(m, near) − near) in the place of β·m. f grows with m by at most
//! β a unit and is at most β·(cutoff − near), so that f(x′,y) − f(x,y) ≤ β·min(m(x,x′), cutoff − near); with
//! the change of ln Z, taken over all pairs when the table was made, that is metric DP in m with the
//! certificate's η, and its ε for any two words.
//!
//! Both are upper bounds. For `certified` they are reached, at y = x; here f is flat near x, so that no y need reach
//! them: the worst pair may lose less (`tests/reference/certify.py TABLE --largest`).
//!
//! For the same share of words kept (and, all words being alike, of right guesses by the best attacker), what
//! replaces a word is far nearer to it than `certified` can bring it. η is larger, since η is about the nearest
//! words, and who knows how frequent words are guesses right more often.

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
