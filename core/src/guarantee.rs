//! What is proved about a release, as data and in words.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::mechanism::Proof;
use crate::{Calibration, Loss, Mechanism, MechanismKind, TableId};

/// The notion of privacy that the numbers belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Notion {
    /// Pure ε-differential privacy.
    PureDp,
    /// (ε, δ)-differential privacy.
    ApproximateDp,
    /// Metric differential privacy with constant η; its worst case is pure.
    MetricDp,
}

impl Notion {
    /// The name in every language and file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PureDp => "pure-dp",
            Self::ApproximateDp => "approximate-dp",
            Self::MetricDp => "metric-dp",
        }
    }
}

/// What one draw protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Unit {
    /// One word; a text is as many draws as it has private words.
    Word,
    /// A whole text; there is one draw.
    Text,
    /// A value of a public list.
    Value,
}

impl Unit {
    /// The name in every language and file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Text => "text",
            Self::Value => "value",
        }
    }
}

/// What the distance of metric DP is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    /// ‖x − x′‖ in units of the table.
    Euclidean,
    /// min(‖x − x′‖, γ).
    Truncated(f64),
    /// √((x − x′)ᵀ·Σ⁻¹·(x − x′)) with Σ = λ·(the table's covariance, scaled to a mean variance of 1) + (1 − λ)·I.
    Mahalanobis(f64),
}

impl Metric {
    /// The name in every language and file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Euclidean => "euclidean",
            Self::Truncated(_) => "truncated-euclidean",
            Self::Mahalanobis(_) => "mahalanobis",
        }
    }
}

/// What a mechanism's paper says of the same unit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Claim {
    /// ε, in nats.
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
    /// Where it is said.
    pub source: &'static str,
    /// Whether what is proved here implies it. Where it does not, the claim may be refuted or only unproved.
    pub holds: bool,
}

impl Claim {
    /// The claim, held against what is proved.
    pub(crate) fn new(claimed: Loss, proved: Loss, source: &'static str) -> Self {
        // What is claimed was computed once, what is proved was rounded up on the way.
        let holds = proved.epsilon <= claimed.epsilon * (1.0 + 1e-9) && proved.delta <= claimed.delta * (1.0 + 1e-9);
        Self { epsilon: claimed.epsilon, delta: claimed.delta, source, holds }
    }
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
    /// The class of every private word.
    WordClasses,
    /// Which words were chosen to be left out.
    Mask,
}

/// The guarantee of a release (or of one word, before anything is drawn).
///
/// Metric DP: for two texts that differ in one private word, x or x′, and every output y,
/// ln P(y|x) − ln P(y|x′) ≤ η·d(x, x′). A loss (ε, δ): for two texts of the same number of private words that
/// differ in one of them (`epsilon_word`, `delta_word`) or in any (`epsilon_text`, `delta_text`), and every set S
/// of outputs, P(S|x) ≤ e^ε·P(S|x′) + δ.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarantee {
    /// The mechanism.
    pub mechanism: MechanismKind,
    /// Its calibration.
    pub calibration: Calibration,
    /// What one draw protects.
    pub unit: Unit,
    /// η in nats per unit of the metric, for metric DP.
    pub eta: Option<f64>,
    /// The distance that η is about.
    pub metric: Option<Metric>,
    /// Worst-case ε of replacing one private word by any other that is its neighbour, in nats.
    pub epsilon_word: f64,
    /// δ of the same.
    pub delta_word: f64,
    /// Number of private words in the text.
    pub words: usize,
    /// Worst-case ε of replacing every private word of the text, in nats.
    pub epsilon_text: f64,
    /// δ of the same.
    pub delta_text: f64,
    /// What the paper claims for one unit, in its published calibration.
    pub claim: Option<Claim>,
    /// How far the law of what was drawn may be from the one that η or a pure ε is about, in total variation over the
    /// text; 0 for exact samplers. Every probability may be off by so much. The δs allow for it, η cannot.
    pub total_variation: f64,
    /// What is shown without noise.
    pub clear: Vec<InTheClear>,
    /// The table that words and distances are of; none for vectors of another encoder, which then stand wherever words
    /// are spoken of here: two lists of vectors are neighbours if they differ in one.
    pub table: Option<TableId>,
}

/// What a guarantee is made of.
pub(crate) struct Terms<'a> {
    pub(crate) mechanism: &'a Mechanism,
    pub(crate) proof: &'a Proof,
    pub(crate) unit: Unit,
    pub(crate) words: usize,
    pub(crate) word: Loss,
    pub(crate) text: Loss,
    pub(crate) clear: Vec<InTheClear>,
    pub(crate) table: Option<TableId>,
}

impl Guarantee {
    pub(crate) fn new(terms: Terms<'_>) -> Self {
        let Terms { mechanism, proof, unit, words, word, text, mut clear, table } = terms;
        if proof.same_class {
            clear.push(InTheClear::WordClasses);
        }
        let draws = if unit == Unit::Word { words } else { 1 };
        Self {
            mechanism: mechanism.kind(),
            calibration: mechanism.calibration(),
            unit,
            eta: proof.eta.map(|(eta, _)| eta),
            metric: proof.eta.map(|(_, metric)| metric),
            epsilon_word: word.epsilon,
            delta_word: word.delta,
            words,
            epsilon_text: text.epsilon,
            delta_text: text.delta,
            claim: proof.claim,
            total_variation: (proof.total_variation * draws as f64).min(1.0),
            clear,
            table,
        }
    }

    /// The notion of privacy.
    #[must_use]
    pub fn notion(&self) -> Notion {
        match self.eta {
            Some(_) => Notion::MetricDp,
            None if self.delta_word > 0.0 || self.delta_text > 0.0 => Notion::ApproximateDp,
            None => Notion::PureDp,
        }
    }

    /// The relation between neighbouring texts, in words.
    #[must_use]
    pub fn neighbours(&self) -> &'static str {
        match (self.unit, self.keeps_classes()) {
            (Unit::Value, _) => "any two values of the list",
            _ if self.is_of_vectors() => "lists of the same number of vectors that differ in one of them",
            (_, true) => "texts of the same layout that differ in one private word, by another of the same class",
            (Unit::Word, false) => "texts of the same layout that differ in one private word",
            (Unit::Text, false) => "texts of the same number of words that differ in one of them",
        }
    }

    /// Whether draws follow the proved law exactly, given random bits (ChaCha20's, which no one is known to tell
    /// from random).
    #[must_use]
    pub fn has_exact_sampler(&self) -> bool {
        self.total_variation == 0.0
    }

    /// The loss of replacing every private word, for a ledger or further composition.
    #[must_use]
    pub const fn loss(&self) -> Loss {
        Loss { epsilon: self.epsilon_text, delta: self.delta_text }
    }

    /// The guarantee in a paragraph of plain English.
    #[must_use]
    pub fn statement(&self) -> String {
        self.to_string()
    }

    fn is_of_vectors(&self) -> bool {
        self.table.is_none() && self.unit != Unit::Value
    }

    fn keeps_classes(&self) -> bool {
        self.clear.contains(&InTheClear::WordClasses)
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mechanism, words, unit, .. } = self;
        if let Some(claim) = &self.claim
            && !claim.holds
        {
            let claimed = Odds { epsilon: claim.epsilon, delta: claim.delta };
            write!(
                f,
                "Published calibration: {} claims {claimed}, which does not follow. What is proved: ",
                claim.source
            )?;
        }
        let replaced = match unit {
            _ if *words == 0 => "",
            Unit::Word if self.is_of_vectors() => "Each vector is",
            Unit::Text if self.is_of_vectors() => "The vectors are",
            Unit::Word => "Each private word is",
            Unit::Text => "The text is",
            Unit::Value => "The value is",
        };
        if replaced.is_empty() {
            f.write_str("The text has no private word. ")?;
        } else {
            let draw = if *unit == Unit::Word { "a random draw" } else { "one random draw" };
            write!(f, "{replaced} replaced by {draw} ({mechanism} mechanism). ")?;
            self.odds(f)?;
        }
        if self.total_variation > 0.0 && self.eta.is_some() {
            let off = Scientific(self.total_variation);
            write!(
                f,
                "The bound by distance is that of ideal noise; computed as it is, every probability may be off by {off}. "
            )?;
        }
        f.write_str(match unit {
            Unit::Word | Unit::Text if self.is_of_vectors() => "Not protected: the number of vectors",
            Unit::Word => "Not protected: the number and order of words and symbols",
            Unit::Text => "Not protected: the number of words and symbols",
            Unit::Value => "Not protected: that there is a value",
        })?;
        for shown in &self.clear {
            f.write_str(match shown {
                InTheClear::WordCount | InTheClear::WhiteSpace => "",
                InTheClear::Punctuation => ", punctuation and spacing",
                InTheClear::FunctionWords => ", function words",
                InTheClear::Placeholders => ", where which kind of address or long number stands",
                InTheClear::WordClasses => ", the class of every word (name, place, …)",
                InTheClear::Mask => ", which words were left out",
            })?;
        }
        f.write_str(". Every further release about the same adds its own loss.")
    }
}

impl Guarantee {
    /// The sentences about how much likelier an output can be.
    fn odds(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Odds { epsilon: self.epsilon_word, delta: self.delta_word };
        let text = Odds { epsilon: self.epsilon_text, delta: self.delta_text };
        let pair = match self.unit {
            Unit::Value => "values",
            _ if self.is_of_vectors() => "vectors",
            _ if self.keeps_classes() => "words of the same class",
            _ => "words",
        };
        let place = match self.unit {
            Unit::Value => "",
            _ if self.is_of_vectors() => " in one place, the others being the same",
            _ => " in one place, the rest of the text being the same",
        };
        if let Some((eta, metric)) = self.eta.zip(self.metric) {
            let eta = RoundedUp(eta);
            let distance = match metric {
                Metric::Euclidean if self.is_of_vectors() => "distance d (once clipped and put on the lattice)",
                Metric::Euclidean => "distance d",
                Metric::Truncated(_) => "distance d (cut off at γ)",
                Metric::Mahalanobis(_) => "Mahalanobis distance d",
            };
            write!(
                f,
                "Whatever comes out, it is at most e^({eta}·d) times likelier for the one than for the other of any two \
                 {pair} at {distance}{place}, and {word} for any two {pair} at all. "
            )?;
        } else {
            write!(f, "Whatever comes out, it is {word} for the one than for the other of any two {pair}{place}. ")?;
        }
        if self.words < 2 || self.unit == Unit::Value {
            return Ok(());
        }
        let words = self.words;
        match self.unit {
            _ if self.is_of_vectors() => write!(
                f,
                "For any two lists of {words} vectors it is {text}; that also bounds one word of a text, if the encoder \
                 lets it move all of its vectors. "
            ),
            Unit::Text => write!(f, "For any two texts of {words} words it is {text}. "),
            Unit::Word | Unit::Value => write!(
                f,
                "Over the {words} private words of the text this adds up to {text}; a word that stands several times \
                 adds its loss each time. "
            ),
        }
    }
}

/// "at most e^ε times likelier", with δ if there is one.
struct Odds {
    epsilon: f64,
    delta: f64,
}

impl fmt::Display for Odds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most e^{} times likelier", RoundedUp(self.epsilon))?;
        if self.delta >= 1.0 {
            f.write_str(" (plus a probability of 1, which is no protection)")?;
        } else if self.delta > 0.0 {
            write!(f, " (plus a probability of {})", Scientific(self.delta))?;
        }
        Ok(())
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

/// A probability above zero with two digits and a power of ten, never smaller than it is.
struct Scientific(f64);

impl fmt::Display for Scientific {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut digits, mut power) = (self.0, 0_u32);
        while digits < 1.0 && power < 330 {
            digits *= 10.0;
            power += 1;
        }
        // The multiplications were rounded, perhaps down; what is a decimal number may stay one.
        let mut tenths = libm::ceil(digits * 10.0 * (1.0 - 1e-13)) as u64;
        if tenths >= 100 && power > 0 {
            (tenths, power) = (10, power - 1);
        }
        write!(f, "{}.{}", tenths / 10, tenths % 10)?;
        if power > 0 { write!(f, "e-{power}") } else { Ok(()) }
    }
}

#[cfg(feature = "serde")]
mod json {
    use serde::ser::{Serialize, SerializeStruct, Serializer};

    use super::{Guarantee, Metric};

    /// The same names in every language; distances that the metric needs come along.
    impl Serialize for Guarantee {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut object = serializer.serialize_struct("Guarantee", 18)?;
            object.serialize_field("mechanism", &self.mechanism)?;
            object.serialize_field("calibration", &self.calibration)?;
            object.serialize_field("notion", &self.notion())?;
            object.serialize_field("unit", &self.unit)?;
            object.serialize_field("neighbours", self.neighbours())?;
            object.serialize_field("eta", &self.eta)?;
            object.serialize_field("metric", &self.metric.map(Metric::name))?;
            object.serialize_field("epsilonWord", &self.epsilon_word)?;
            object.serialize_field("deltaWord", &self.delta_word)?;
            object.serialize_field("words", &(self.words as f64))?;
            object.serialize_field("epsilonText", &self.epsilon_text)?;
            object.serialize_field("deltaText", &self.delta_text)?;
            object.serialize_field("claim", &self.claim)?;
            object.serialize_field("exactSampler", &self.has_exact_sampler())?;
            object.serialize_field("totalVariation", &self.total_variation)?;
            object.serialize_field("clear", &self.clear)?;
            object.serialize_field("table", &self.table.map(|table| alloc::format!("{table}")))?;
            object.serialize_field("statement", &self.statement())?;
            object.end()
        }
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
        let cases = [(1e-5, "1.0e-5"), (1.01e-5, "1.1e-5"), (0.999, "1.0"), (0.35, "3.5e-1"), (9.96e-3, "1.0e-2")];
        for (number, shown) in cases {
            assert_eq!(Scientific(number).to_string(), shown);
        }
    }
}
