//! A guarantee for the person at the keyboard, in their language: one to three short sentences, which say
//! nothing that the guarantee does not.
//!
//! The texts are those of the JavaScript package too. `describe.json` is at once JSON and an expression of
//! Rust: rows of a name and its text in each language.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{InTheClear, Unit};
use crate::Loss;

/// A name, and its text in each language.
type Row = [&'static str; 5];

const TEXTS: &[Row] = &include!("describe.json");

/// What a description reads of a guarantee: what a host that keeps guarantees in a form of its own passes to
/// have them described.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// What one draw protects.
    pub unit: Unit,
    /// Number of private words.
    pub words: u64,
    /// η in nats per unit of the metric, for metric DP.
    pub eta: Option<f64>,
    /// Whether draws follow the proved law exactly.
    pub exact_sampler: bool,
    /// The loss of replacing one private word.
    pub word: Loss,
    /// The loss of replacing every private word.
    pub text: Loss,
    /// ε of the published claim, and whether the claim holds.
    pub claim: Option<(f64, bool)>,
    /// What is shown without noise.
    pub clear: &'a [InTheClear],
    /// Whether words and distances are a table's; without one, words are vectors of another encoder.
    pub has_table: bool,
    /// Whether a known seed decided the draw.
    pub known_seed: bool,
}

impl Facts<'_> {
    /// What the guarantee means, in one to three short sentences. Numbers are rounded up, and a δ of 1 is said
    /// to prove nothing.
    ///
    /// `locale` is a BCP 47 tag (or a POSIX locale: `de_DE`). Only its language counts: English, German, French or
    /// Spanish; English for any other. The decimal point is the language's, not the region's.
    #[must_use]
    pub fn describe(&self, locale: &str) -> String {
        let language = Language::of(locale);
        let mut told = self.strength(language);
        if let Some((epsilon, false)) = self.claim {
            told += &language.fill("claim", &[("{epsilon}", &language.number(epsilon, 4))]);
        }
        let alone = match self.unit {
            Unit::Value => Some("an-answer"),
            Unit::WholeText => Some("a-text"),
            Unit::Word | Unit::Text => None,
        };
        let seen = alone.into_iter().chain(self.clear.iter().map(|shown| self.shown(*shown)));
        let seen: Vec<&str> = seen.map(|name| language.text(name)).collect();
        told + language.text("seen") + &seen.join(", ") + "."
    }

    fn strength(&self, language: Language) -> String {
        if self.words == 0 {
            return language.text("none").to_owned();
        }
        // Two whole texts may differ in all that is drawn for them.
        let loss = if self.unit == Unit::WholeText { self.text } else { self.word };
        if self.known_seed || proves_nothing(loss) {
            return language.text("warning").to_owned();
        }
        let (one, other) = match self.unit {
            Unit::Value => ("one-answer", "other-answer"),
            Unit::WholeText => ("one-text", "other-text"),
            _ if self.is_of_vectors() => ("one-vector", "other-vector"),
            _ if self.clear.contains(&InTheClear::WordClasses) => ("one-word", "other-kind"),
            _ => ("one-word", "other-word"),
        };
        let values = [
            ("{one}", language.text(one)),
            ("{other}", language.text(other)),
            ("{factor}", &language.number(factor(loss.epsilon), 2)),
            ("{epsilon}", &language.number(loss.epsilon, 4)),
        ];
        let mut told = language.fill("odds", &values) + &language.except(loss.delta);
        if self.clear.contains(&InTheClear::Language) {
            told += language.text("condition");
        }
        // η is that of ideal noise: of other noise, what is said holds by ε and δ alone.
        if let (Some(eta), true) = (self.eta, self.exact_sampler) {
            told += &language.fill("near", &[("{eta}", &language.number(eta, 4))]);
        }
        if self.words > 1 && !matches!(self.unit, Unit::Value | Unit::WholeText) {
            told += &language.fill("all", &[("{words}", &language.number(self.words as f64, 17))]);
            told += &if proves_nothing(self.text) {
                language.text("nothing").to_owned()
            } else {
                format!("ε = {}{}", language.number(self.text.epsilon, 4), language.except(self.text.delta))
            };
        }
        told + "."
    }

    /// The name of the text for what is shown.
    fn shown(&self, shown: InTheClear) -> &'static str {
        match (shown, self.unit) {
            (InTheClear::WordCount, _) if self.is_of_vectors() => "vector-number",
            (InTheClear::WordCount, Unit::Text) => "word-number",
            (InTheClear::WordCount, Unit::Word | Unit::WholeText | Unit::Value) => "word-order",
            (shown, _) => shown.name(),
        }
    }

    fn is_of_vectors(&self) -> bool {
        self.unit.is_of_vectors(self.has_table)
    }
}

/// Also of what is no number.
fn proves_nothing(loss: Loss) -> bool {
    !(loss.delta < 1.0 && loss.epsilon < f64::INFINITY)
}

/// e^ε, less a relative 10⁻¹³. That is the error of `exp` in any language, so all of them say that the factor of
/// ε = ln 2 is 2.
fn factor(epsilon: f64) -> f64 {
    libm::exp(epsilon) * (1.0 - 1e-13)
}

/// A language, and how it writes numbers (CLDR).
#[derive(Clone, Copy)]
struct Language {
    /// Its place in a row of the texts.
    column: usize,
    decimal: &'static str,
    group: &'static str,
    /// From how many digits before the point on they are grouped.
    grouped_from: usize,
}

impl Language {
    fn of(locale: &str) -> Self {
        let tag = locale.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        match tag.as_str() {
            "de" => Self { column: 2, decimal: ",", group: ".", grouped_from: 4 },
            "fr" => Self { column: 3, decimal: ",", group: "\u{202f}", grouped_from: 4 },
            "es" => Self { column: 4, decimal: ",", group: ".", grouped_from: 5 },
            _ => Self { column: 1, decimal: ".", group: ",", grouped_from: 4 },
        }
    }

    /// The text of that name, or the name itself if the text is missing.
    fn text(self, name: &'static str) -> &'static str {
        TEXTS.iter().find(|row| row.first() == Some(&name)).and_then(|row| row.get(self.column)).unwrap_or(&name)
    }

    /// The text with values in it.
    fn fill(self, name: &'static str, values: &[(&str, &str)]) -> String {
        values.iter().fold(self.text(name).to_owned(), |text, (place, value)| text.replace(place, value))
    }

    fn except(self, delta: f64) -> String {
        if delta > 0.0 { self.fill("but", &[("{delta}", &self.number(delta, 2))]) } else { String::new() }
    }

    /// A number from zero up with at most `digits` digits: plain, or with a power of ten if it is a million or more, or
    /// less than 0.0001.
    fn number(self, number: f64, digits: usize) -> String {
        if !(0.0..f64::INFINITY).contains(&number) {
            return "∞".to_owned();
        }
        let (digits, power) = rounded_up(number, digits);
        if (-4..6).contains(&power) {
            return self.plain(&digits, power);
        }
        let power: String = power.to_string().chars().map(raised).collect();
        // No line breaks there.
        format!("{}\u{a0}×\u{a0}10{power}", self.plain(&digits, 0))
    }

    /// Digits as a decimal number below a million. The first digit counts 10^`power`.
    fn plain(self, digits: &str, power: i32) -> String {
        let places = power.unsigned_abs() as usize;
        let number = if power < 0 { format!("{:0>places$}{digits}", "") } else { format!("{digits:0<0$}", places + 1) };
        let (whole, part) = number.split_at(if power < 0 { 1 } else { places + 1 });
        let (thousands, rest) = whole.split_at(whole.len().saturating_sub(3));
        let group = if whole.len() < self.grouped_from { "" } else { self.group };
        let decimal = if part.is_empty() { "" } else { self.decimal };
        [thousands, group, rest, decimal, part].concat()
    }
}

/// The first digits of the smallest number with `count` digits that is not below the given one, without zeros at the
/// end. Also gives the power of ten of the first digit.
fn rounded_up(number: f64, count: usize) -> (String, i32) {
    let nearest = format!("{:.*e}", count - 1, number);
    let (mantissa, power) = nearest.split_once('e').unwrap_or((&nearest, "0"));
    let mut digits: u64 = mantissa.replace('.', "").parse().unwrap_or_default();
    if nearest.parse().is_ok_and(|nearest: f64| nearest < number) {
        digits += 1;
    }
    let (digits, mut power) = (digits.to_string(), power.parse().unwrap_or_default());
    // 9.99 has become 10.0.
    power += i32::from(digits.len() > count);
    (digits.trim_end_matches('0').to_owned(), power)
}

/// A character of an integer as an exponent.
fn raised(character: char) -> char {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    character.to_digit(10).and_then(|digit| RAISED.get(digit as usize)).copied().unwrap_or('⁻')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_has_a_name_of_its_own_and_all_its_places_in_every_language() {
        assert_eq!(TEXTS[0][1..], ["en", "de", "fr", "es"]);
        for (at, [name, english, others @ ..]) in TEXTS.iter().enumerate() {
            assert!(TEXTS[..at].iter().all(|row| row[0] != *name), "{name} is there twice");
            let places = |text: &str| {
                let mut places: Vec<String> =
                    text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect();
                places.sort_unstable();
                places
            };
            assert!(others.iter().all(|other| !other.is_empty() && places(other) == places(english)), "{name}");
        }
        for name in [InTheClear::Punctuation, InTheClear::WhiteSpace, InTheClear::FunctionWords]
            .into_iter()
            .chain([
                InTheClear::Placeholders,
                InTheClear::WordClasses,
                InTheClear::Mask,
                InTheClear::KeptWords,
                InTheClear::Redactions,
                InTheClear::Language,
            ])
            .map(InTheClear::name)
        {
            assert!(TEXTS.iter().any(|row| row[0] == name), "{name}");
        }
    }

    #[test]
    fn a_language_is_found_by_the_first_part_of_a_tag_and_any_other_is_english() {
        let languages = [("de", 2), ("DE-AT", 2), ("de_DE.UTF-8", 2), ("fr-CA", 3), ("es", 4), ("en-GB", 1)];
        for (locale, column) in languages.into_iter().chain(["", "-", "xx", "deu", "fra-FR"].map(|tag| (tag, 1))) {
            assert_eq!(Language::of(locale).column, column, "{locale}");
        }
    }

    #[test]
    fn numbers_are_rounded_up_and_written_as_the_language_does() {
        let cases = [
            ("en", 0.0, 4, "0"),
            ("en", 1.0, 2, "1"),
            ("en", 0.1 + 0.2, 4, "0.3001"),
            ("en", 0.3, 4, "0.3"),
            ("en", 99.991, 4, "100"),
            ("en", 1234.0, 4, "1,234"),
            ("de", 1234.0, 4, "1.234"),
            ("fr", 999_901.0, 4, "1\u{a0}×\u{a0}10⁶"),
            ("fr", 123_456.7, 7, "123\u{202f}456,7"),
            ("es", 1234.0, 4, "1234"),
            ("es", 12_341.0, 4, "12.350"),
            ("en", 999_999.0, 17, "999,999"),
            ("de", 1_234_567.0, 17, "1,234567\u{a0}×\u{a0}10⁶"),
            ("en", 0.0001, 2, "0.0001"),
            ("es", 9.91e-5, 2, "0,0001"),
            ("en", 9.9e-5, 2, "9.9\u{a0}×\u{a0}10⁻⁵"),
            ("en", 5e-324, 2, "4.9\u{a0}×\u{a0}10⁻³²⁴"),
            ("de", f64::MAX, 2, "1,8\u{a0}×\u{a0}10³⁰⁸"),
            ("en", f64::INFINITY, 2, "∞"),
            ("en", f64::NAN, 2, "∞"),
        ];
        for (locale, number, digits, written) in cases {
            assert_eq!(Language::of(locale).number(number, digits), written);
        }
    }

    #[test]
    fn the_factor_of_ln_2_is_2_and_of_anything_more_is_more() {
        let english = Language::of("en");
        assert_eq!(english.number(factor(core::f64::consts::LN_2), 2), "2");
        assert_eq!(english.number(factor(core::f64::consts::LN_2 + 1e-12), 2), "2.1");
        assert_eq!(english.number(factor(0.0), 2), "1");
        assert_eq!(english.number(factor(1e9), 2), "∞");
    }
}
