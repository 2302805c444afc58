//! What is promised of a release.

use std::collections::HashMap;
use std::fmt;

use textveil::{
    Calibration, Declared, DeclaredClaim, DeclaredList, DeclaredLosses, DeclaredTerms, Facts, InTheClear, Loss, Notion,
    Parameter, Unit,
};

use super::{Mechanism, count};
use crate::TextVeilError;

/// A differential-privacy guarantee as data. It says nothing that is not proved. Printed, it is its
/// statement.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
#[uniffi::export(Debug, Display)]
pub struct Guarantee {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// Whether the noise is calibrated soundly, or as published: then see `claim`.
    pub calibration: Calibration,
    /// The parameters that it was given, except for η, ε and level: the numbers below state those.
    pub parameters: HashMap<Parameter, f64>,
    /// The notion of privacy.
    pub notion: Notion,
    /// What one draw protects.
    pub unit: Unit,
    /// Which texts are compared, in words.
    pub neighbours: String,
    /// Metric DP alone: η in nats per unit of `metric`. Take any two words at distance d in one place, in texts that are
    /// otherwise equal. Each outcome is at most e^(η·d) times as likely for the first as for the second.
    pub eta: Option<f64>,
    /// The distance that `eta` is about.
    pub metric: Option<Metric>,
    /// For `TruncatedEuclidean`, from where on all distances count as this one.
    pub cutoff: Option<f64>,
    /// ε of exchanging one private word for any other that is its neighbour, in nats.
    pub epsilon_word: f64,
    /// δ of the same.
    pub delta_word: f64,
    /// How many words went through the mechanism (1 where no text has been given yet).
    pub words: u32,
    /// ε of exchanging every private word of the text, in nats. A word that stands n times is drawn n times,
    /// and its loss adds up n-fold.
    pub epsilon_text: f64,
    /// δ of the same; 1 is no promise at all.
    pub delta_text: f64,
    /// Published calibration alone: what the mechanism's paper claims.
    pub claim: Option<Claim>,
    /// Whether draws follow the proof exactly: `total_variation` is 0.
    pub exact_sampler: bool,
    /// How far the law of what was drawn may be from the one that `eta` (or an ε without δ) is about, in
    /// total variation over the text. The δs allow for it; `eta` cannot, it is that of ideal noise.
    pub total_variation: f64,
    /// What is public.
    pub clear: Vec<InTheClear>,
    /// SHA-256 of the table, in hex; none for vectors of another encoder and values of a list.
    pub table: Option<String>,
    /// The guarantee in plain English.
    pub statement: String,
    /// The list of the words that stay in clear.
    #[uniffi(default = None)]
    pub kept_words: Option<WordList>,
    /// The list of the words that never come out.
    #[uniffi(default = None)]
    pub never_said: Option<WordList>,
}

/// Which public list of words a guarantee speaks of.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct WordList {
    /// How many words it has.
    pub words: u32,
    /// SHA-256 of its words in the order of their spellings, each with a line feed behind it, in hex.
    pub digest: String,
}

impl From<textveil::ListId> for WordList {
    fn from(list: textveil::ListId) -> Self {
        Self { words: list.words, digest: list.to_hex() }
    }
}

#[uniffi::export]
impl Guarantee {
    /// What the guarantee means for the person at the keyboard, in one to three short sentences. It says
    /// nothing that the guarantee does not, and rounds up; a δ of 1 is said to prove nothing.
    ///
    /// `locale` is a BCP 47 tag (`de_DE` will do). Only its language counts: English, German, French or Spanish; English
    /// for any other.
    #[uniffi::method(default(locale = "en"))]
    pub fn describe(&self, locale: &str) -> String {
        let facts = Facts {
            unit: self.unit,
            words: self.words.into(),
            eta: self.eta,
            exact_sampler: self.exact_sampler,
            word: Loss { epsilon: self.epsilon_word, delta: self.delta_word },
            text: Loss { epsilon: self.epsilon_text, delta: self.delta_text },
            claim: self.claim.as_ref().map(|claim| (claim.epsilon, claim.holds)),
            clear: &self.clear,
            has_table: self.table.is_some(),
            known_seed: self.notion == Notion::KnownSeed,
        };
        facts.describe(locale)
    }

    /// The guarantee as JSON to send, without its English: about 0.5 kB instead of 1.2 kB. A collector states the rest
    /// from it, and compares the `digest` of the whole.
    ///
    /// # Errors
    /// `InvalidOptions` if the fields contradict each other, as after a change of one of them, or if nothing has such a
    /// claim, table or list of words. Whether the numbers are those of the table, only a collector checks.
    pub fn short(&self) -> Result<String, TextVeilError> {
        Ok(self.stated()?.short().to_string())
    }

    /// What a ledger counts for a release with this guarantee: the loss of the whole text. It is infinite if the seed is
    /// known, which no budget allows.
    ///
    /// # Errors
    /// As `short`.
    pub fn loss(&self) -> Result<Loss, TextVeilError> {
        Ok(self.stated()?.loss())
    }
}

impl Guarantee {
    /// The core's guarantee with these fields, if all that follows from it is as it stands here, the English too.
    fn stated(&self) -> Result<textveil::Guarantee, textveil::Error> {
        let guarantee = textveil::Guarantee::try_from(&Declared::from(self))?;
        if Self::from(&guarantee) == *self { Ok(guarantee) } else { Err(textveil::Error::InvalidOptions) }
    }
}

impl From<&Guarantee> for Declared {
    /// The fields, read and not believed.
    fn from(guarantee: &Guarantee) -> Self {
        // As in JSON, where no number is infinite.
        let finite = |epsilon: f64| Some(epsilon).filter(|epsilon| epsilon.is_finite());
        let list = |list: &WordList| DeclaredList { words: list.words, digest: list.digest.clone() };
        let claim = |claim: &Claim| DeclaredClaim {
            epsilon: finite(claim.epsilon),
            delta: claim.delta,
            source: claim.source.clone(),
            holds: claim.holds,
        };
        let parameters = guarantee.parameters.iter();
        let terms = DeclaredTerms {
            mechanism: guarantee.mechanism.name().to_owned(),
            calibration: guarantee.calibration.name().to_owned(),
            parameters: parameters.map(|(parameter, value)| (parameter.camel_case().to_owned(), *value)).collect(),
            unit: guarantee.unit.name().to_owned(),
            neighbours: guarantee.neighbours.clone(),
            eta: guarantee.eta,
            metric: guarantee.metric.map(|metric| metric.name().to_owned()),
            cutoff: guarantee.cutoff,
            claim: guarantee.claim.as_ref().map(claim),
            clear: guarantee.clear.iter().map(|item| item.name().to_owned()).collect(),
            table: guarantee.table.clone(),
            kept_words: guarantee.kept_words.as_ref().map(list),
            never_said: guarantee.never_said.as_ref().map(list),
        };
        let losses = DeclaredLosses {
            epsilon_word: finite(guarantee.epsilon_word),
            delta_word: guarantee.delta_word,
            words: guarantee.words,
            epsilon_text: finite(guarantee.epsilon_text),
            delta_text: guarantee.delta_text,
            total_variation: guarantee.total_variation,
        };
        Self {
            terms,
            losses,
            notion: guarantee.notion.name().to_owned(),
            exact_sampler: guarantee.exact_sampler,
            statement: guarantee.statement.clone(),
        }
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.statement)
    }
}

/// The distance that η is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, uniffi::Enum)]
pub enum Metric {
    /// Of two words' vectors, in units of the table.
    Euclidean,
    /// The same, cut off.
    TruncatedEuclidean,
    /// Shaped like the vocabulary.
    Mahalanobis,
}

impl Metric {
    /// The core's name.
    const fn name(self) -> &'static str {
        match self {
            Self::Euclidean => "euclidean",
            Self::TruncatedEuclidean => "truncated-euclidean",
            Self::Mahalanobis => "mahalanobis",
        }
    }
}

/// What a mechanism's paper says of one word (of one representation, for encodings).
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct Claim {
    /// ε in nats.
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
    /// Where it is said.
    pub source: String,
    /// Whether what is proved implies it. Where it does not, the claim may be refuted or only unproved.
    pub holds: bool,
}

impl From<textveil::Claim> for Claim {
    fn from(claim: textveil::Claim) -> Self {
        let textveil::Claim { epsilon, delta, source, holds } = claim;
        Self { epsilon, delta, source: source.name().to_owned(), holds }
    }
}

impl From<&textveil::Guarantee> for Guarantee {
    fn from(guarantee: &textveil::Guarantee) -> Self {
        let metric = |metric| match metric {
            textveil::Metric::Euclidean => Metric::Euclidean,
            textveil::Metric::Truncated(_) => Metric::TruncatedEuclidean,
            textveil::Metric::Mahalanobis(_) => Metric::Mahalanobis,
        };
        Self {
            mechanism: guarantee.mechanism,
            calibration: guarantee.calibration,
            parameters: guarantee.parameters.iter().copied().collect(),
            notion: guarantee.notion(),
            unit: guarantee.unit,
            neighbours: guarantee.neighbours(),
            eta: guarantee.eta,
            metric: guarantee.metric.map(metric),
            cutoff: guarantee.metric.and_then(textveil::Metric::cutoff),
            epsilon_word: guarantee.epsilon_word,
            delta_word: guarantee.delta_word,
            words: count(guarantee.words),
            epsilon_text: guarantee.epsilon_text,
            delta_text: guarantee.delta_text,
            claim: guarantee.claim.map(Claim::from),
            exact_sampler: guarantee.has_exact_sampler(),
            total_variation: guarantee.total_variation,
            clear: guarantee.clear.clone(),
            table: guarantee.table.map(|table| table.to_string()),
            statement: guarantee.statement(),
            kept_words: guarantee.kept_words.map(WordList::from),
            never_said: guarantee.never_said.map(WordList::from),
        }
    }
}
