//! What is proved about a release, as data.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::{Disclosure, Mechanism, MechanismKind, Table, TableId};

/// Whether draws follow the mechanism's distribution exactly, given random bits (ChaCha20's, which no one is
/// known to tell from random).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum SamplerKind {
    /// Integer sampling; its rounding is inside the stated numbers.
    Exact,
    /// The stated numbers are those of the ideal noise; what is drawn is its 53-bit floating-point
    /// computation.
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
/// Metric differential privacy for words: for two texts that differ in one private word, x or x′, and every
/// output y, ln P(y|x) − ln P(y|x′) ≤ η·d(x, x′). Several words add up.
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
    /// The notion of privacy: metric differential privacy.
    pub const NOTION: &'static str = "metric-dp";
    /// What one `epsilon_word` is spent on.
    pub const UNIT: &'static str = "word";
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
        let (eta, word, text) = (RoundedUp(self.eta), RoundedUp(self.epsilon_word), RoundedUp(self.epsilon_text));
        if *words == 0 {
            f.write_str("The text has no private word: nothing is drawn. ")?;
        } else {
            write!(
                f,
                "Each private word is replaced by one drawn at random ({mechanism} mechanism). Whatever comes out, it is at most \
                 e^({eta}·d) times likelier for the one than for the other of any two words at distance d in one place, the rest \
                 of the text being the same, and at most e^{word} times for any two words at all. "
            )?;
        }
        if *words > 1 {
            write!(
                f,
                "Over the {words} private words of the text this adds up to at most e^{text} times; a word that stands several \
                 times adds its loss each time. "
            )?;
        }
        if *words > 0 && self.sampler == SamplerKind::Idealized {
            f.write_str("These bounds are those of ideal noise; the noise is computed in floating point. ")?;
        }
        f.write_str("Not protected: the number and order of words and symbols, punctuation and spacing")?;
        if self.clear.contains(&InTheClear::FunctionWords) {
            f.write_str(", function words")?;
        }
        if self.clear.contains(&InTheClear::Placeholders) {
            f.write_str(", where which kind of address or long number stands")?;
        }
        f.write_str(". Every further release of the same text adds its own loss.")
    }
}

/// A number from zero up, shown with two decimals and never smaller than it is.
///
/// Integers, because the standard library's float formatting weighs 5 kB in a page.
#[derive(Clone, Copy, Debug)]
pub struct RoundedUp(pub f64);

impl fmt::Display for RoundedUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Below this every hundredth is a float of its own.
        if !(0.0..1e12).contains(&self.0) {
            return f.write_str("∞");
        }
        let mut hundredths = libm::ceil(self.0 * 100.0) as u64;
        // The product was rounded, perhaps down.
        hundredths += u64::from((hundredths as f64 / 100.0) < self.0);
        write!(f, "{}.{:02}", hundredths / 100, hundredths % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_up() {
        let cases =
            [(0.0, "0.00"), (0.001, "0.01"), (28.75, "28.75"), (28.7501, "28.76"), (99.999, "100.00"), (14.7, "14.70")];
        for (number, shown) in cases.into_iter().chain([(0.350_000_000_000_000_03, "0.36"), (1e300, "∞")]) {
            assert_eq!(RoundedUp(number).to_string(), shown);
        }
    }
}
