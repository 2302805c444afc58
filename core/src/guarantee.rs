//! What is proved about a release, as data.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::{Disclosure, Mechanism, MechanismKind, Table, TableId};

/// Whether draws follow the mechanism's distribution exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum SamplerKind {
    /// Integer sampling; its rounding is inside the stated numbers.
    Exact,
    /// The stated numbers are those of the ideal noise; what is drawn is its 53-bit floating-point computation.
    Idealized,
}

/// What a release shows of the text without any noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum InTheClear {
    /// How many words the text has, and their order.
    WordCount,
    /// The marks ``. , ; : ! ? ' " ( ) - /``.
    Punctuation,
    /// Spaces, tabs and line breaks.
    WhiteSpace,
    /// Where and which function words stand.
    FunctionWords,
    /// Where and which kinds of addresses and long numbers stand.
    Placeholders,
}

/// The guarantee of a release (or of one word, before anything is drawn).
///
/// Metric differential privacy for words: for two texts that differ in one private word, x or x′, and every output y,
/// ln P(y|x) − ln P(y|x′) ≤ η·d(x, x′). Several words add up.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarantee {
    /// The mechanism.
    pub mechanism: MechanismKind,
    /// η, in nats per unit of the table's distance.
    pub eta: f64,
    /// Worst-case pure ε of replacing one private word by any other, in nats.
    pub epsilon_word: f64,
    /// Number of private words in the text.
    pub words: usize,
    /// Worst-case pure ε of replacing every private word of the text, in nats: `words` × `epsilon_word`.
    pub epsilon_text: f64,
    /// How draws relate to the proof.
    pub sampler: SamplerKind,
    /// What is shown without noise.
    pub clear: Vec<InTheClear>,
    /// The table that distances are measured in.
    pub table: TableId,
}

impl Guarantee {
    /// The relation between neighbouring texts, in words.
    pub const NEIGHBOURS: &'static str = "texts of the same layout that differ in one private word";

    pub(crate) fn new(mechanism: Mechanism, table: &Table, disclosure: Disclosure, words: usize) -> Self {
        let epsilon_word = mechanism.epsilon_word(table);
        let mut clear = [InTheClear::WordCount, InTheClear::Punctuation, InTheClear::WhiteSpace].to_vec();
        if disclosure.function_words {
            clear.push(InTheClear::FunctionWords);
        }
        if disclosure.placeholders {
            clear.push(InTheClear::Placeholders);
        }
        Self {
            mechanism: mechanism.kind(),
            eta: mechanism.eta().get(),
            epsilon_word,
            words,
            epsilon_text: words as f64 * epsilon_word,
            sampler: mechanism.sampler(),
            clear,
            table: table.id(),
        }
    }

    /// The guarantee in a paragraph of plain English.
    #[must_use]
    pub fn statement(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mechanism, words, .. } = self;
        let (eta, epsilon_word, epsilon_text) = (RoundedUp(self.eta), RoundedUp(self.epsilon_word), RoundedUp(self.epsilon_text));
        write!(
            f,
            "Each private word was replaced at random ({mechanism} mechanism). Seeing the result changes the odds between any two words at distance d by at most \
             a factor of e^({eta}·d), and between any two words at all by at most e^{epsilon_word}. \
             For the whole text ({words} private words) these add up to at most e^{epsilon_text}. "
        )?;
        if self.sampler == SamplerKind::Idealized {
            f.write_str("The bound is that of ideal noise; the noise was computed in floating point. ")?;
        }
        f.write_str("Not protected: the number and order of words, punctuation and spacing")?;
        if self.clear.contains(&InTheClear::FunctionWords) {
            f.write_str(", function words")?;
        }
        if self.clear.contains(&InTheClear::Placeholders) {
            f.write_str(", the kind of addresses and long numbers")?;
        }
        f.write_str(". Every further release of the same text adds its own loss.")
    }
}

/// A number above zero with two decimals, rounded up: a guarantee is never shown smaller than it is. Integers, because the standard library's
/// float formatting weighs 5 kB in a page.
struct RoundedUp(f64);

impl fmt::Display for RoundedUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = libm::ceil(self.0 * 100.0) as u64;
        write!(f, "{}.{:02}", hundredths / 100, hundredths % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_up() {
        for (number, shown) in [(0.0, "0.00"), (0.001, "0.01"), (28.75, "28.75"), (28.7501, "28.76"), (99.999, "100.00")] {
            assert_eq!(RoundedUp(number).to_string(), shown);
        }
    }
}
