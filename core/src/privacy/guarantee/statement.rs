//! A guarantee in plain English: a paragraph for people, next to the data for machines.

use core::fmt;

use super::{Guarantee, InTheClear, Metric, Unit};
use crate::MechanismKind;

/// The whole statement of a draw from a known seed. It promises nothing.
const KNOWN_SEED: &str = "A known seed decided this draw, so that it protects nothing: whoever knows the seed can repeat \
    the draw for any text, and see which texts it fits. The numbers of this guarantee are those of the same mechanism \
    under a secret seed.";

/// Added where η and ε are proved as upper bounds only.
const BOUNDS: &str = "Both numbers are upper bounds: the worst pair may lose less. ";

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.known_seed {
            return f.write_str(KNOWN_SEED);
        }
        self.write_claim(f)?;
        if self.words == 0 {
            f.write_str("The text has no private word. ")?;
        } else {
            self.write_draw(f)?;
            self.write_odds(f)?;
        }
        if self.words > 1 {
            self.write_sum(f)?;
        }
        self.write_clear(f)
    }
}

impl Guarantee {
    fn write_claim(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(claim) = &self.claim else { return Ok(()) };
        if claim.holds {
            return write!(f, "Published calibration ({}), whose claim holds. ", claim.source.name());
        }
        let (claimed, plus) = (Factor(claim.epsilon), Plus(claim.delta));
        write!(
            f,
            "Published calibration. Its claim ({}), {claimed}{plus}, does not follow. What is proved is this. ",
            claim.source.name()
        )
    }

    fn write_draw(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let replaced = match (self.is_of_vectors(), self.unit) {
            (_, Unit::Value) => "The value is replaced by one",
            (_, Unit::WholeText) if !self.mechanism.gives_words() => "The text is replaced by one",
            (_, Unit::WholeText) if self.words == 1 => "The text is exchanged for a statement of a public list by one",
            (_, Unit::WholeText) => "Each of its parts, or nothing, is exchanged for a statement of a public list by a",
            (true, _) if self.words == 1 => "The vector is replaced by one",
            (true, Unit::Word) => "Each vector is replaced by a",
            (true, Unit::Text) => "The vectors are replaced by one",
            (false, Unit::Word) => "Each private word is replaced by a",
            (false, Unit::Text) => "The text is replaced by one",
        };
        write!(f, "{replaced} random draw ({} mechanism). ", self.mechanism)
    }

    /// How many times as likely an output can be for one unit as for another.
    fn write_odds(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pair, place) = match self.unit {
            Unit::Value => ("values", ""),
            Unit::WholeText if self.words == 1 => ("texts, of any allowed length", ""),
            Unit::WholeText => ("texts in one of the statements", ""),
            _ if self.is_of_vectors() && self.words == 1 => ("vectors", ""),
            _ if self.is_of_vectors() => ("vectors", " in one place, with the others the same"),
            _ if self.keeps_classes() => {
                ("words of the same class", " in one place, with the rest of the text the same")
            }
            _ => ("words", " in one place, with the rest of the text the same"),
        };
        let (word, plus, condition) = (Factor(self.epsilon_word), Plus(self.delta_word), self.condition());
        let Some((eta, metric)) = self.eta.zip(self.metric) else {
            return if self.delta_word >= 1.0 {
                write!(f, "Nothing is proved about any two {pair}{place}. ")
            } else {
                let outcomes = if self.delta_word > 0.0 { "Any set of outcomes" } else { "Whatever comes out" };
                write!(
                    f,
                    "Take any two {pair}{place}{condition}. {outcomes} is {word} for the one as for the other{plus}. "
                )
            };
        };
        write!(f, "Take any two {pair} at ")?;
        match metric {
            Metric::Euclidean if self.is_of_vectors() => {
                f.write_str("distance d (once clipped and put on the lattice)")?
            }
            Metric::Euclidean => f.write_str("distance d")?,
            Metric::Truncated(gamma) => write!(f, "distance d (counted as {} at most)", RoundedUp(gamma))?,
            Metric::Mahalanobis(_) => f.write_str("Mahalanobis distance d")?,
        }
        let eta = RoundedUp(eta);
        write!(f, "{place}{condition}. Whatever comes out is at most e^({eta}·d) times as likely ")?;
        f.write_str("for the one as for the other")?;
        if self.has_exact_sampler() {
            let bounds = if self.has_exact_eta() { "" } else { BOUNDS };
            return write!(f, ", and {word} for any two {pair} at all. {bounds}");
        }
        let off = Probability(self.total_variation);
        write!(f, ". This is for ideal noise. As it is computed, every probability may be off by {off}. So ")?;
        if self.delta_word >= 1.0 {
            write!(f, "nothing is proved about {pair} that are far apart. ")
        } else {
            write!(f, "any set of outcomes is {word} for any two {pair} at all{plus}. ")
        }
    }

    /// The same for all units together.
    fn write_sum(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (words, condition) = (self.words, self.condition());
        match self.unit {
            _ if self.is_of_vectors() => write!(f, "For any two lists of {words} vectors ")?,
            Unit::Text => write!(f, "For any two texts of {words} words{condition} ")?,
            Unit::WholeText => {
                write!(f, "For any two texts, of any allowed length{condition}, and all {words} statements together ")?
            }
            Unit::Word | Unit::Value => write!(f, "For all {words} private words together ")?,
        }
        if self.delta_text >= 1.0 {
            f.write_str("nothing is proved")?;
        } else {
            write!(f, "it is {}{}", Factor(self.epsilon_text), Plus(self.delta_text))?;
        }
        f.write_str(match self.unit {
            _ if self.is_of_vectors() => {
                ". The same holds for one word of a text, if the encoder lets it move all of the text's vectors. "
            }
            Unit::Text | Unit::WholeText => ". ",
            Unit::Word | Unit::Value => ". A word that stands several times adds its loss each time. ",
        })
    }

    fn write_clear(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Not protected: ")?;
        f.write_str(match self.unit {
            Unit::Value => "that there is a value",
            Unit::WholeText => "that there is a text",
            _ if self.is_of_vectors() => "the number of vectors",
            Unit::Word => "the number and order of words and symbols",
            Unit::Text => "the number of words and symbols",
        })?;
        for shown in &self.clear {
            if let (InTheClear::KeptWords, Some(list)) = (shown, self.kept_words) {
                write!(f, ", which words of a list of {} stand where", list.words)?;
            }
            f.write_str(match shown {
                InTheClear::WordCount | InTheClear::WhiteSpace | InTheClear::KeptWords => "",
                InTheClear::Punctuation => ", punctuation and spacing",
                InTheClear::SentenceEnds => ", where sentences end",
                InTheClear::FunctionWords => ", which function words stand where",
                InTheClear::Placeholders => ", where an address or a long number stands and of which kind",
                InTheClear::WordClasses => ", the class of every word (name, place, …)",
                InTheClear::Mask => ", which of them were left out",
                InTheClear::Redactions => {
                    ", where a detector took out a span and of which kind, and what its choice tells"
                }
                InTheClear::Language => ", that the text is not refused as one of another language",
            })?;
        }
        if let Some(list) = self.never_said {
            write!(f, ". No word of a list of {} is drawn or kept, except in placeholders", list.words)?;
        }
        let same = match self.unit {
            Unit::Value => "value",
            _ if self.is_of_vectors() => "vectors",
            _ => "text",
        };
        write!(f, ". Every further release of the same {same} adds its own loss.")
    }

    /// Whether η and ε are the largest losses themselves, taken over all pairs of words.
    fn has_exact_eta(&self) -> bool {
        self.mechanism == MechanismKind::Certified
    }

    pub(super) fn is_of_vectors(&self) -> bool {
        self.unit.is_of_vectors(self.table.is_some())
    }

    pub(super) fn keeps_classes(&self) -> bool {
        self.clear.contains(&InTheClear::WordClasses)
    }
}

/// The largest factor between two probabilities.
struct Factor(f64);

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most e^{} times as likely", RoundedUp(self.0))
    }
}

/// The probability δ that may be added, if it is above 0.
struct Plus(f64);

impl fmt::Display for Plus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > 0.0 { write!(f, ", plus a probability of {}", Probability(self.0)) } else { Ok(()) }
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

/// A probability: three decimals, or two digits and a power of ten below 0.001; smaller than it is by a
/// relative 10⁻¹³ at most, so that a decimal number may stay one.
#[derive(Clone, Copy, Debug)]
pub struct Probability(pub f64);

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NEARLY: f64 = 1.0 - 1e-13;
        if self.0 >= 0.001 || self.0 <= 0.0 {
            let thousandths = libm::ceil(self.0.clamp(0.0, 1.0) * 1000.0 * NEARLY) as u64;
            return shortened(f, thousandths / 1000, thousandths % 1000, 3);
        }
        let (mut digits, mut power) = (self.0, 0_u32);
        while digits < 1.0 && power < 330 {
            digits *= 10.0;
            power += 1;
        }
        let mut tenths = libm::ceil(digits * 10.0 * NEARLY) as u64;
        if tenths >= 100 {
            (tenths, power) = (10, power - 1);
        }
        shortened(f, tenths / 10, tenths % 10, 1)?;
        write!(f, "e-{power}")
    }
}

/// A decimal number without zeros at its end.
fn shortened(f: &mut fmt::Formatter<'_>, whole: u64, mut part: u64, mut places: usize) -> fmt::Result {
    write!(f, "{whole}")?;
    if part == 0 {
        return Ok(());
    }
    while part.is_multiple_of(10) {
        part /= 10;
        places -= 1;
    }
    write!(f, ".{part:0places$}")
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn numbers_are_rounded_up() {
        let cases =
            [(0.0, "0.00"), (0.001, "0.01"), (28.75, "28.75"), (28.7501, "28.76"), (99.999, "100.00"), (14.7, "14.70")];
        for (number, shown) in cases.into_iter().chain([(0.350_000_000_000_000_03, "0.36"), (1e300, "∞")]) {
            assert_eq!(RoundedUp(number).to_string(), shown);
        }
    }

    #[test]
    fn probabilities_are_short_and_rounded_up() {
        for (probability, shown) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.9999, "1"),
            (0.35, "0.35"),
            (0.2514, "0.252"),
            (0.001, "0.001"),
            (9.96e-4, "1e-3"),
            (1e-5, "1e-5"),
            (1.01e-5, "1.1e-5"),
            (3.04e-10, "3.1e-10"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(Probability(probability).to_string(), shown);
        }
    }
}
