//! What is proved about a release, as data and in words.

#[cfg(feature = "serde")]
pub(crate) mod declared;
mod describe;
#[cfg(feature = "serde")]
pub(crate) mod restated;
#[cfg(feature = "json")]
mod short;
mod statement;

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use crate::mechanism::Proof;
use crate::{Calibration, Disclosure, FileId, ListId, Loss, Mechanism, MechanismKind, Parameter, ReleaseRng, Table};

pub use describe::Facts;
pub use statement::{Probability, RoundedUp};

/// The notion of privacy that the numbers belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Notion {
    /// Pure ε-differential privacy.
    PureDp,
    /// (ε, δ)-differential privacy.
    ApproximateDp,
    /// Metric differential privacy with constant η; its worst case is a loss (ε, δ), with δ = 0 for exact
    /// samplers.
    MetricDp,
    /// None: a known seed decided the draw. The numbers are those of the same mechanism under a secret seed.
    KnownSeed,
}

impl Notion {
    /// The name in every language and file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PureDp => "pure-dp",
            Self::ApproximateDp => "approximate-dp",
            Self::MetricDp => "metric-dp",
            Self::KnownSeed => "known-seed",
        }
    }
}

/// What one draw protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Unit {
    /// One word; a text is as many draws as it has private words.
    Word,
    /// A whole text; there is one draw.
    Text,
    /// A text of any length and layout, and nothing of it is public: a statement of a list, or a vector by a text encoder.
    WholeText,
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
            Self::WholeText => "whole-text",
            Self::Value => "value",
        }
    }

    /// Whether words are vectors of another encoder: what is protected is no value, and there is no table.
    pub(crate) const fn is_of_vectors(self, has_table: bool) -> bool {
        !has_table && !matches!(self, Self::Value)
    }
}

/// What the distance of metric DP is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    /// ‖x − x′‖ in units of the table.
    Euclidean,
    /// min(‖x − x′‖, γ).
    Truncated(f64),
    /// √((x − x′)ᵀ·Σ⁻¹·(x − x′)) with Σ = λ·(the table's covariance, scaled to a mean variance of
    /// 1) + (1 − λ)·I.
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

    /// From where on all distances count as this one, for [`Metric::Truncated`].
    #[must_use]
    pub const fn cutoff(self) -> Option<f64> {
        match self {
            Self::Truncated(length) => Some(length),
            Self::Euclidean | Self::Mahalanobis(_) => None,
        }
    }
}

/// Where a paper says what its mechanism proves.
// Not an enum: all names would be in every module, also in one that makes no claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimSource(&'static str);

impl ClaimSource {
    /// Of `oue` on the binary code of a representation: Lyu, Li, He and Xiao, SIGIR 2020.
    pub const LYU_OUE: Self = Self("Lyu et al. 2020, OUE");
    /// Of `sue` on the binary code of a representation: the same paper.
    pub const LYU_SUE: Self = Self("Lyu et al. 2020, SUE");
    /// Of `ome`: the same paper.
    pub const LYU_THEOREM_1: Self = Self("Lyu et al. 2020, Theorem 1");
    /// Of `sue` and `oue` on one-hot vectors: the same paper.
    pub const LYU_ONE_HOT: Self = Self("Lyu et al. 2020, on one-hot vectors");
    /// Of `dpnr`: Lyu, He and Li, Findings of EMNLP 2020.
    pub const DPNR_SECTION_3: Self = Self("Lyu, He and Li 2020, section 3");
    /// Of `truncated-laplace`: Huang, Yang, Habernal, Hu and Wang, EMNLP 2024.
    pub const HUANG_TRUNCATED_LAPLACE: Self = Self("Huang et al. 2024, the truncated Laplacian mechanism");
    /// Of `gaussian`: a baseline of the same paper.
    pub const HUANG_GAUSSIAN: Self = Self("Huang et al. 2024, the Gaussian baseline");
    /// Of `laplace`: a baseline of the same paper.
    pub const HUANG_LAPLACE: Self = Self("Huang et al. 2024, the Laplace baseline");

    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::LYU_OUE,
        Self::LYU_SUE,
        Self::LYU_THEOREM_1,
        Self::LYU_ONE_HOT,
        Self::DPNR_SECTION_3,
        Self::HUANG_TRUNCATED_LAPLACE,
        Self::HUANG_GAUSSIAN,
        Self::HUANG_LAPLACE,
    ];

    /// The name in every language and file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// The source of this name, if a mechanism has it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|source| source.name() == name)
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
    pub source: ClaimSource,
    /// Whether what is proved here implies it. Where it does not, the claim may be refuted or only unproved.
    pub holds: bool,
}

impl Claim {
    /// The claim, held against what is proved.
    pub(crate) fn new(claimed: Loss, proved: Loss, source: ClaimSource) -> Self {
        // What is claimed was computed once, what is proved was rounded up on the way.
        let holds = proved.epsilon <= claimed.epsilon * (1.0 + 1e-9) && proved.delta <= claimed.delta * (1.0 + 1e-9);
        Self { epsilon: claimed.epsilon, delta: claimed.delta, source, holds }
    }
}

/// What a release shows of the text without any noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum InTheClear {
    /// How many words the text has; where each is drawn for itself, their order too.
    WordCount,
    /// The marks ``. , ; : ! ? ' " ( ) - /``.
    Punctuation,
    /// Spaces, tabs and line breaks.
    WhiteSpace,
    /// Of the layout only where sentences end.
    SentenceEnds,
    /// Where and which function words stand.
    FunctionWords,
    /// Where and which kinds of addresses and long numbers stand.
    Placeholders,
    /// The class of every private word.
    WordClasses,
    /// Which words were chosen to be left out.
    Mask,
    /// Where and which words of the app's list of kept words stand.
    KeptWords,
    /// Where spans stood that a detector took out, and of what kind they were. What it chose may depend on the words next
    /// to them, which no number of the guarantee covers.
    Redactions,
    /// That the text is not refused as one of another language. No number of the guarantee covers a refusal.
    Language,
}

impl InTheClear {
    /// What options leave in clear.
    pub(crate) fn by_choice(disclosure: Disclosure) -> impl Iterator<Item = Self> {
        let Disclosure { function_words, placeholders, plain_layout: _ } = disclosure;
        let choices = [(function_words, Self::FunctionWords), (placeholders, Self::Placeholders)];
        choices.into_iter().filter_map(|(chosen, item)| chosen.then_some(item))
    }

    /// The name in every language and file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WordCount => "word-count",
            Self::Punctuation => "punctuation",
            Self::WhiteSpace => "white-space",
            Self::SentenceEnds => "sentence-ends",
            Self::FunctionWords => "function-words",
            Self::Placeholders => "placeholders",
            Self::WordClasses => "word-classes",
            Self::Mask => "mask",
            Self::KeptWords => "kept-words",
            Self::Redactions => "redactions",
            Self::Language => "language",
        }
    }
}

/// The guarantee of a release (or of one word, before anything is drawn).
///
/// Metric DP: for two texts that differ in one private word, x or x′, and every output y,
/// ln P(y|x) − ln P(y|x′) ≤ η·d(x, x′). A loss (ε, δ): for two texts of the same number of private words that
/// differ in one of them (`epsilon_word`, `delta_word`) or in any (`epsilon_text`, `delta_text`), and every
/// set S of outputs, P(S|x) ≤ e^ε·P(S|x′) + δ.
///
/// With [`InTheClear::Language`] all of this holds for two texts if neither is refused. Nothing comes out for a text that
/// is refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarantee {
    /// The mechanism.
    pub mechanism: MechanismKind,
    /// Its calibration.
    pub calibration: Calibration,
    /// The parameters that it was given, except for η, ε and level: the numbers below state those.
    pub parameters: Vec<(Parameter, f64)>,
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
    /// Number of private words in the text; of whole texts, the number of draws, which is the same for all of them.
    pub words: usize,
    /// Worst-case ε of replacing every private word of the text, in nats.
    pub epsilon_text: f64,
    /// δ of the same.
    pub delta_text: f64,
    /// What the paper claims for one unit, in its published calibration.
    pub claim: Option<Claim>,
    /// How far the law of what was drawn may be from the one that η or a pure ε is about, in total variation
    /// over the text; 0 for exact samplers. Every probability may be off by this number. The δs allow for it, η
    /// cannot.
    pub total_variation: f64,
    /// What is shown without noise.
    pub clear: Vec<InTheClear>,
    /// The table that words and distances are of; none for vectors of another encoder, which then stand
    /// wherever words are spoken of here: two lists of vectors are neighbours if they differ in one.
    pub table: Option<FileId>,
    /// The list of the words that stay in clear.
    pub kept_words: Option<ListId>,
    /// The list of the words that never come out. It changes the law of what is drawn, and no number.
    pub never_said: Option<ListId>,
    /// Whether a known seed decided the draw. Then nothing is protected, and the numbers are those of the same
    /// mechanism under a secret seed.
    pub known_seed: bool,
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
    pub(crate) table: Option<FileId>,
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
            parameters: mechanism
                .parameters()
                .filter(|(parameter, _)| !Parameter::STRENGTHS.contains(parameter))
                .collect(),
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
            kept_words: None,
            never_said: None,
            known_seed: false,
        }
    }

    /// The guarantee of a text with `words` private words.
    pub(crate) fn of_words(
        mechanism: &Mechanism,
        proof: &Proof,
        table: &Table,
        disclosure: Disclosure,
        (kept_words, never_said): (Option<ListId>, Option<ListId>),
        words: usize,
    ) -> Self {
        let mut clear = if disclosure.plain_layout {
            vec![InTheClear::WordCount, InTheClear::SentenceEnds]
        } else {
            vec![InTheClear::WordCount, InTheClear::Punctuation, InTheClear::WhiteSpace]
        };
        clear.extend(InTheClear::by_choice(disclosure));
        clear.extend(kept_words.map(|_| InTheClear::KeptWords));
        let (word, text) = (proof.loss, proof.loss.times(words));
        let terms = Terms { mechanism, proof, unit: Unit::Word, words, word, text, clear, table: Some(table.id()) };
        Self { kept_words, never_said, ..Self::new(terms) }
    }

    /// The guarantee of a text that a detector saw: it says that spans were taken out.
    #[must_use]
    pub fn of_redacted(mut self) -> Self {
        if !self.clear.contains(&InTheClear::Redactions) {
            self.clear.push(InTheClear::Redactions);
        }
        self
    }

    /// The guarantee of a text that would have been refused in another language, unless texts of `any_language` are taken.
    pub(crate) fn of_language(mut self, any_language: bool) -> Self {
        if !any_language {
            self.clear.push(InTheClear::Language);
        }
        self
    }

    /// The guarantee of a draw from this generator: it records whether the seed is known. A known seed of an earlier draw
    /// stays recorded.
    #[must_use]
    pub const fn of_draw(mut self, rng: &ReleaseRng) -> Self {
        self.known_seed |= rng.has_known_seed();
        self
    }

    /// What holds for each of two releases on the same terms: the larger loss of a word, and of a text. `None` if they have
    /// another mechanism, calibration, parameter, unit, metric, η, table or list.
    #[must_use]
    pub fn weaker(mut self, other: Self) -> Option<Self> {
        let terms = |one: &Self| (one.mechanism, one.calibration, one.unit, one.eta, one.metric, one.table);
        if terms(&self) != terms(&other)
            || self.parameters != other.parameters
            || (self.kept_words, self.never_said) != (other.kept_words, other.never_said)
        {
            return None;
        }
        self.claim = self.claim.filter(|claim| Some(*claim) == other.claim);
        self.epsilon_word = self.epsilon_word.max(other.epsilon_word);
        self.delta_word = self.delta_word.max(other.delta_word);
        self.words = self.words.max(other.words);
        self.epsilon_text = self.epsilon_text.max(other.epsilon_text);
        self.delta_text = self.delta_text.max(other.delta_text);
        self.total_variation = self.total_variation.max(other.total_variation);
        for shown in other.clear {
            if !self.clear.contains(&shown) {
                self.clear.push(shown);
            }
        }
        self.known_seed |= other.known_seed;
        Some(self)
    }

    /// The notion of privacy.
    #[must_use]
    pub fn notion(&self) -> Notion {
        match self.eta {
            _ if self.known_seed => Notion::KnownSeed,
            Some(_) => Notion::MetricDp,
            None if self.delta_word > 0.0 || self.delta_text > 0.0 => Notion::ApproximateDp,
            None => Notion::PureDp,
        }
    }

    /// The relation between neighbouring texts, in words.
    #[must_use]
    pub fn neighbours(&self) -> String {
        let related = match (self.unit, self.keeps_classes()) {
            (Unit::Value, _) => "any two values of the list",
            (Unit::WholeText, _) => "any two texts",
            _ if self.is_of_vectors() => "lists of the same number of vectors that differ in one of them",
            (_, true) if self.clear.contains(&InTheClear::SentenceEnds) => {
                "texts of the same number of words and sentence ends that differ in one private word, by another of the same class"
            }
            (Unit::Word, false) if self.clear.contains(&InTheClear::SentenceEnds) => {
                "texts of the same number of words and sentence ends that differ in one private word"
            }
            (_, true) => "texts of the same layout that differ in one private word, by another of the same class",
            (Unit::Word, false) if self.clear.contains(&InTheClear::Punctuation) => {
                "texts of the same layout that differ in one private word"
            }
            _ => "texts of the same number of words that differ in one of them",
        };
        [related, self.condition()].concat()
    }

    /// What must be so of two texts that are compared. A text that is refused is compared with none.
    fn condition(&self) -> &'static str {
        if self.clear.contains(&InTheClear::Language) { ", if neither text is refused" } else { "" }
    }

    /// Whether draws follow the proved law exactly, given random bits (ChaCha20's, which no one is known to
    /// tell from random).
    #[must_use]
    pub fn has_exact_sampler(&self) -> bool {
        self.total_variation == 0.0
    }

    /// The loss of replacing every private word, for a ledger or further composition. It is infinite if the seed is known.
    #[must_use]
    pub const fn loss(&self) -> Loss {
        if self.known_seed {
            return Loss { epsilon: f64::INFINITY, delta: 1.0 };
        }
        Loss { epsilon: self.epsilon_text, delta: self.delta_text }
    }

    /// The guarantee in a paragraph of plain English.
    #[must_use]
    pub fn statement(&self) -> String {
        self.to_string()
    }

    /// What the guarantee means for the person at the keyboard, in one to three short sentences; see
    /// [`Facts::describe`].
    #[must_use]
    pub fn describe(&self, locale: &str) -> String {
        let facts = Facts {
            unit: self.unit,
            words: self.words as u64,
            eta: self.eta,
            exact_sampler: self.has_exact_sampler(),
            word: Loss { epsilon: self.epsilon_word, delta: self.delta_word },
            text: self.loss(),
            claim: self.claim.map(|claim| (claim.epsilon, claim.holds)),
            clear: &self.clear,
            has_table: self.table.is_some(),
            known_seed: self.known_seed,
        };
        facts.describe(locale)
    }
}

#[cfg(feature = "serde")]
mod json {
    use serde::ser::{Serialize, SerializeStruct, Serializer};

    use super::{ClaimSource, Guarantee, Metric};
    use crate::Parameter;

    impl Serialize for ClaimSource {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(self.name())
        }
    }

    /// The parameters as an object.
    struct Given<'a>(&'a [(Parameter, f64)]);

    impl Serialize for Given<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.0.iter().map(|(parameter, value)| (parameter.camel_case(), value)))
        }
    }

    /// The same names in every language.
    impl Serialize for Guarantee {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let lists = [("keptWords", self.kept_words), ("neverSaid", self.never_said)];
            let lists = || lists.into_iter().filter_map(|(name, list)| Some((name, list?)));
            let mut object = serializer.serialize_struct("Guarantee", 20 + lists().count())?;
            object.serialize_field("mechanism", &self.mechanism)?;
            object.serialize_field("calibration", &self.calibration)?;
            object.serialize_field("parameters", &Given(&self.parameters))?;
            object.serialize_field("notion", &self.notion())?;
            object.serialize_field("unit", &self.unit)?;
            object.serialize_field("neighbours", &self.neighbours())?;
            object.serialize_field("eta", &self.eta)?;
            object.serialize_field("metric", &self.metric.map(Metric::name))?;
            object.serialize_field("cutoff", &self.metric.and_then(Metric::cutoff))?;
            object.serialize_field("epsilonWord", &self.epsilon_word)?;
            object.serialize_field("deltaWord", &self.delta_word)?;
            object.serialize_field("words", &u32::try_from(self.words).unwrap_or(u32::MAX))?;
            object.serialize_field("epsilonText", &self.epsilon_text)?;
            object.serialize_field("deltaText", &self.delta_text)?;
            object.serialize_field("claim", &self.claim)?;
            object.serialize_field("exactSampler", &self.has_exact_sampler())?;
            object.serialize_field("totalVariation", &self.total_variation)?;
            object.serialize_field("clear", &self.clear)?;
            object.serialize_field("table", &self.table.map(|table| alloc::format!("{table}")))?;
            for (name, list) in lists() {
                object.serialize_field(name, &super::declared::DeclaredList::from(list))?;
            }
            object.serialize_field("statement", &self.statement())?;
            object.end()
        }
    }
}
