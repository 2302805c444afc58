//! Results as records and enums: the core's own where uniffi can carry them as they are, and views of the
//! others.

use std::collections::HashMap;
use std::fmt;

use textveil::{
    Budget, Calibration, Certificate, Facts, FileId, Found, InTheClear, LevelReport, Loss, MechanismKind, Notion,
    Offsets, Parameter, Preset, Snapshot, Spent, Table, TokenKind, Unit, WordId, packed,
};

use crate::TextVeilError;
use crate::veil::bytes_of;

// The core's types under the names that they have outside. Cases and fields are listed once more, for uniffi
// to see; the compiler holds the lists against the core.

/// The mechanisms, by the names that they have outside.
pub(crate) type Mechanism = MechanismKind;
pub(crate) type Level = LevelReport;

/// A mechanism.
// The core may know more than is listed; a test sees to it that it does not.
#[non_exhaustive]
#[uniffi::remote(Enum)]
pub enum Mechanism {
    /// A word of the whole table. Nearer words are more likely; exact sampler. Words.
    Exponential,
    /// The same at the certified levels of the table: the largest that spends no more than asked. Words.
    Certified,
    /// The same, all near words being as likely as the word itself. Words.
    Plateau,
    /// A word of the whole table. The nearest ones, which hold the mass, are up to e^ε times as likely; exact sampler.
    /// Words.
    Nearest,
    /// Noise on the word's vector, then the nearest word. Words, vectors.
    MetricLaplace,
    /// As `exponential`, in a distance that is cut off at γ. Words.
    TruncatedExponential,
    /// A word of the same public class (not offered where the table has no classes). Words.
    ClassExponential,
    /// As `metric-laplace`, or by a coin the second nearest word. Words.
    Vickrey,
    /// As `metric-laplace`, with noise shaped like the vocabulary. Words, vectors of the table.
    Mahalanobis,
    /// Integer noise on each coordinate; exact sampler. Words, vectors.
    Laplace,
    /// Noise on each coordinate. Words, vectors.
    TruncatedLaplace,
    /// Noise on each coordinate. Words, vectors.
    Gaussian,
    /// Laplace noise on a vector whose elements lie in [0, 1]. Vectors.
    Dpnr,
    /// A random vector in the direction of the representation. Vectors.
    Privunit2,
    /// Each bit of a binary code, or of a list of values, flipped at random. Bits.
    Sue,
    /// The same with odds that estimate best. Bits.
    Oue,
    /// The same with odds that λ sets. Bits.
    Ome,
    /// The same with ε split over the bits by their weight. Bits.
    RandomizedResponse,
    /// Integer noise on each coordinate; exact sampler. Words, vectors.
    DiscreteGaussian,
    /// Noise on each coordinate, scaled to the distance; exact sampler. Words, vectors.
    LatticeLaplace,
}

/// A number that a mechanism takes.
#[uniffi::remote(Enum)]
pub enum Parameter {
    /// η.
    Eta,
    /// ε.
    Epsilon,
    /// A level of the table.
    Level,
    /// δ.
    Delta,
    /// The norm to clip to.
    Clip,
    /// λ.
    Lambda,
    /// γ.
    Gamma,
    /// The second-nearest word's share.
    T,
    /// Bits before the point.
    IntegerBits,
    /// Bits behind the point.
    FractionBits,
    /// How much more of ε the high bits get.
    Tilt,
    /// The share of the base measure that the nearest rows hold.
    Mass,
    /// To what power of its frequency a word counts in it.
    FrequencyPower,
}

/// How the noise follows from the parameters.
#[uniffi::remote(Enum)]
pub enum Calibration {
    /// What is asked for is what is proved.
    Sound,
    /// As the mechanism's paper has it: then the guarantee's `claim` says what the paper claims, and the rest
    /// of the guarantee what holds.
    Published,
}

/// The notion of privacy that a guarantee's numbers belong to.
#[uniffi::remote(Enum)]
pub enum Notion {
    /// Pure ε-differential privacy.
    PureDp,
    /// (ε, δ)-differential privacy.
    ApproximateDp,
    /// Metric differential privacy: see the guarantee's `eta`.
    MetricDp,
    /// None: a known seed decided the draw, which protects nothing. The numbers are those of the same mechanism
    /// under a secret seed. A release library never says this.
    KnownSeed,
}

/// What one draw protects.
#[uniffi::remote(Enum)]
pub enum Unit {
    /// One word; a text is as many draws as it has private words.
    Word,
    /// A whole text.
    Text,
    /// A text of any length and layout, and nothing of it is public: it is exchanged for statements of a list.
    WholeText,
    /// A value of a public list: what is said of a word or a text is said of it.
    Value,
}

/// What a release shows without any noise.
#[uniffi::remote(Enum)]
pub enum InTheClear {
    /// How many words there are, and where each is drawn for itself, their order. (A symbol, an emoji, a
    /// character of Chinese is a word of its own.)
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
    /// Where and which words of a list of kept words stand.
    KeptWords,
    /// Where spans stood that a detector took out, and of what kind they were. What it chose is no part of the guarantee.
    Redactions,
    /// That the text is not refused as one of another language. No number of the guarantee covers a refusal.
    Language,
}

/// What a token was recognised as.
#[uniffi::remote(Enum)]
pub enum TokenKind {
    /// A word, a short number, a symbol: everything that the other kinds do not cover.
    Word,
    /// A web address.
    Url,
    /// An e-mail address.
    Email,
    /// Seven digits or more: a phone, card or account number, a full date.
    Number,
    /// A span that a detector found. The entry's `token` is what was sent in its place.
    Redacted,
    /// A word that a list keeps. The entry's `token` is what was sent.
    Kept,
}

/// What the places of a detector's spans count.
#[uniffi::remote(Enum)]
pub enum Offsets {
    /// Bytes of UTF-8.
    Bytes,
    /// Code points.
    CodePoints,
    /// Units of UTF-16.
    Utf16,
}

/// How a token was found in the table.
#[uniffi::remote(Enum)]
pub enum Found {
    /// As it stands.
    Exact,
    /// By a near spelling.
    Near,
    /// Not at all: the word is unknown.
    Unknown,
}

/// A point that a slider can stand on.
#[uniffi::remote(Record)]
pub struct Level {
    /// Its mechanism.
    pub mechanism: Mechanism,
    /// What to pass as `level`. Counts from 0 within the mechanism, from the most private on.
    pub index: u32,
    /// Nats per unit of distance; none for `nearest`, to which distances do not count.
    pub eta: Option<f64>,
    /// ε of one word in nats, in the worst case.
    pub epsilon_word: f64,
    /// δ of the same: 0 for exact samplers, 1 where nothing is proved about words that are far apart.
    pub delta_word: f64,
    /// Share of the table's words that come out as themselves, all words alike; 0…1.
    pub retention: f64,
    /// The same, words weighted by how often they are used: what a reader of ordinary text meets; 0…1.
    pub retention_by_frequency: f64,
    /// Whether this is the level used when no strength is asked for.
    pub is_default: bool,
    /// For `certified` and `plateau`: what was computed over all pairs of words when the table was made.
    pub certificate: Option<Certificate>,
    /// For `nearest`: what to pass as frequency power.
    pub frequency_power: Option<f64>,
    /// For `nearest`: what to pass as mass.
    pub mass: Option<f64>,
    /// The name of the level, if it has one.
    pub preset: Option<Preset>,
}

/// A level of `nearest` by a name that says what it is for.
#[uniffi::remote(Enum)]
pub enum Preset {
    /// For counting and classifying many texts: a reader makes little of one of them.
    Statistics,
    /// For both; the default.
    Balanced,
    /// For people who read what comes out.
    Readable,
}

/// What is certified of a level: the channel P(y|x) ∝ g(y)·e^(−β·max(m(x,y), near)), m = min(d, cutoff), and
/// what it does.
#[uniffi::remote(Record)]
pub struct Certificate {
    /// β in nats per unit of distance.
    pub beta: f64,
    /// Words at least so far apart count as so far apart.
    pub cutoff: f64,
    /// Words at most so far apart are as likely as the word itself; 0 for `certified`.
    pub near: f64,
    /// An η for which the channel is metric DP; for `certified` the least.
    pub eta: f64,
    /// A bound of the loss of any pair of words in nats; for `certified` the largest loss.
    pub epsilon: f64,
    /// ln g falls by this number of nats a code.
    pub step: f64,
    /// Share of the table's words that come out as themselves, all words alike; 0…1.
    pub retention: f64,
    /// The same, words weighted by how often they are used; 0…1.
    pub retention_by_frequency: f64,
    /// How many words a word hides among, on average: e^entropy of what it may become.
    pub support: f64,
    /// Mean distance of what is drawn from what went in.
    pub expected_distance: f64,
    /// How often a reader of single words who knows the mechanism guesses it, all words being equally likely;
    /// 0…1.
    pub inversion: f64,
    /// The same, words being as likely as in the language; 0…1.
    pub inversion_by_frequency: f64,
}

/// A privacy loss (ε, δ).
#[uniffi::remote(Record)]
pub struct Loss {
    /// ε in nats; infinite if nothing is promised.
    pub epsilon: f64,
    /// δ, from 0 to 1.
    pub delta: f64,
}

/// What a scope may lose in a period.
#[uniffi::remote(Record)]
pub struct Budget {
    /// Largest sum of ε, in nats: finite, from zero up.
    pub epsilon: f64,
    /// Largest sum of δ, from 0 to 1.
    #[uniffi(default = 0.0)]
    pub delta: f64,
    /// Most releases, if they are counted.
    #[uniffi(default = None)]
    pub releases: Option<u32>,
    /// Length of a period in seconds, above zero; without one the budget is for good.
    #[uniffi(default = None)]
    pub period: Option<u64>,
}

/// What a scope has released in a period.
#[uniffi::remote(Record)]
pub struct Spent {
    /// The sum of the losses, rounded up; ε is infinite if the past is unknown.
    pub loss: Loss,
    /// The number of releases.
    pub releases: u32,
}

/// The ledger's state, to be stored before the release that it records leaves the device.
#[uniffi::remote(Record)]
pub struct Snapshot {
    /// What to store, in one atomic write.
    pub bytes: Vec<u8>,
    /// What to store in a second place, after the bytes.
    pub sequence: u64,
}

/// What may leave the device, and the device's own account of how it came about. Printed, it shows what may.
#[derive(Clone, uniffi::Record)]
#[uniffi::export(Debug, Display)]
pub struct Release {
    /// The privatized text. This, and the guarantee, is what may be sent.
    pub text: String,
    /// What is promised about `text`.
    pub guarantee: Guarantee,
    /// Word by word, what became of the text. **For the device only: it holds the words typed and must not be
    /// uploaded.**
    pub account: Vec<Entry>,
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Release").field("text", &self.text).field("guarantee", &self.guarantee).finish_non_exhaustive()
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What is for the device only shows no word when it is printed: a log is an upload.
macro_rules! shown_without_words {
    ($($record:ident)*) => {
        $(
            impl fmt::Debug for $record {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_struct(stringify!($record)).finish_non_exhaustive()
                }
            }

            impl fmt::Display for $record {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Debug::fmt(self, f)
                }
            }
        )*
    };
}
shown_without_words!(Entry Alternatives Alternative TokenDeniability);

/// What became of one token. For the device only.
#[derive(Clone, PartialEq, uniffi::Record)]
#[uniffi::export(Debug, Display)]
pub struct Entry {
    /// The token as typed (after NFKC); where `kind` is `Redacted` or `Kept`, what was sent in its place.
    pub token: String,
    /// What the token was recognised as.
    pub kind: TokenKind,
    /// How it was found in the table; none where a placeholder was sent, which needs no word.
    pub found: Option<Found>,
    /// The word of the table that it stood for; none for an unknown word, and where a placeholder was sent.
    pub input: Option<String>,
    /// The word that was drawn, or that was sent in clear; none where a placeholder was sent.
    pub output: Option<String>,
    /// The word that was sent: `output`, or another form of it that agrees with the words next to it.
    pub written: Option<String>,
    /// Whether it was sent in the clear, by an option, without going through the mechanism.
    pub clear: bool,
    /// Whether the word sent is the word it stood for.
    pub kept: bool,
}

impl Release {
    pub(crate) fn new(table: &Table, release: &textveil::Release) -> Self {
        let word = |row: WordId| table.word(row).to_string();
        let account = release.account.iter().map(|entry| Entry {
            token: entry.token.clone(),
            kind: entry.kind,
            found: entry.reading.map(|reading| reading.found),
            input: entry.reading.and_then(|reading| reading.row).map(word),
            output: entry.output.map(word),
            written: entry.written.map(word),
            clear: entry.clear,
            kept: entry.is_kept(),
        });
        Self { text: release.text.clone(), guarantee: (&release.guarantee).into(), account: account.collect() }
    }
}

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

    /// What a ledger counts for a release with this guarantee: the loss of the whole text.
    ///
    /// # Errors
    /// As `short`.
    pub fn loss(&self) -> Result<Loss, TextVeilError> {
        let stated = self.stated()?;
        Ok(Loss { epsilon: stated.epsilon_text, delta: stated.delta_text })
    }
}

impl Guarantee {
    /// The core's guarantee with these fields, if all that follows from it is as it stands here, the English too.
    fn stated(&self) -> Result<textveil::Guarantee, textveil::Error> {
        let guarantee = textveil::Guarantee::try_from(self)?;
        if Self::from(&guarantee) == *self { Ok(guarantee) } else { Err(textveil::Error::InvalidOptions) }
    }
}

impl TryFrom<&Guarantee> for textveil::Guarantee {
    type Error = textveil::Error;

    fn try_from(guarantee: &Guarantee) -> Result<Self, Self::Error> {
        const UNKNOWN: textveil::Error = textveil::Error::InvalidOptions;
        let metric = |metric| match metric {
            Metric::Euclidean => Ok(textveil::Metric::Euclidean),
            Metric::TruncatedEuclidean => guarantee.cutoff.map(textveil::Metric::Truncated).ok_or(UNKNOWN),
            Metric::Mahalanobis => Ok(textveil::Metric::Mahalanobis(0.0)),
        };
        let claim = |Claim { epsilon, delta, source, holds }: &Claim| {
            let of = |source| textveil::Claim { epsilon: *epsilon, delta: *delta, source, holds: *holds };
            textveil::Claim::known_source(source).map(of).ok_or(UNKNOWN)
        };
        let given = |parameter: Parameter| Some((parameter, *guarantee.parameters.get(&parameter)?));
        let list = |list: &WordList| textveil::ListId::from_hex(list.words, &list.digest).ok_or(UNKNOWN);
        let table = |table: &String| FileId::from_hex(table).ok_or(UNKNOWN);
        Ok(Self {
            mechanism: guarantee.mechanism,
            calibration: guarantee.calibration,
            parameters: Parameter::ALL.iter().copied().filter_map(given).collect(),
            unit: guarantee.unit,
            eta: guarantee.eta,
            metric: guarantee.metric.map(metric).transpose()?,
            epsilon_word: guarantee.epsilon_word,
            delta_word: guarantee.delta_word,
            words: guarantee.words as usize,
            epsilon_text: guarantee.epsilon_text,
            delta_text: guarantee.delta_text,
            claim: guarantee.claim.as_ref().map(claim).transpose()?,
            total_variation: guarantee.total_variation,
            clear: guarantee.clear.clone(),
            table: guarantee.table.as_ref().map(table).transpose()?,
            known_seed: guarantee.notion == Notion::KnownSeed,
            kept_words: guarantee.kept_words.as_ref().map(list).transpose()?,
            never_said: guarantee.never_said.as_ref().map(list).transpose()?,
        })
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
        Self { epsilon, delta, source: source.to_owned(), holds }
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

/// A mechanism, for a surface that builds its controls from the list.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct MechanismInfo {
    /// Which it is.
    pub mechanism: Mechanism,
    /// Its name in every language and file.
    pub name: String,
    /// The parameters that it takes.
    pub parameters: Vec<Parameter>,
    /// Whether it can be asked for in the published calibration.
    pub has_published: bool,
}

impl From<MechanismKind> for MechanismInfo {
    fn from(kind: MechanismKind) -> Self {
        Self {
            mechanism: kind,
            name: kind.name().to_owned(),
            parameters: kind.parameters().to_vec(),
            has_published: kind.has_published(),
        }
    }
}

/// What a word could have become. For the device only: the probabilities tell which word was typed.
#[derive(Clone, uniffi::Record)]
#[uniffi::export(Debug, Display)]
pub struct Alternatives {
    /// The word of the table that the token stands for; none for an unknown word.
    pub input: Option<String>,
    /// How it was found.
    pub found: Found,
    /// The likeliest outcomes, the word itself among them, by falling probability.
    pub distribution: Vec<Alternative>,
    /// Whether the probabilities were estimated by simulation; otherwise they are computed.
    pub estimated: bool,
}

/// One outcome of a word.
#[derive(Clone, uniffi::Record)]
#[uniffi::export(Debug, Display)]
pub struct Alternative {
    /// The outcome.
    pub word: String,
    /// Chance that the word comes out as this one; 0…1.
    pub probability: f64,
    /// Distance between the two in the table. An unknown word is as far from every word as distances count, or stands at a
    /// public point between them.
    pub distance: f64,
    /// Each outcome is at most this many times as likely for one of the two words as for the other, not counting δ and
    /// inexact noise.
    pub factor: f64,
}

impl Alternatives {
    pub(crate) fn new(table: &Table, found: &textveil::Alternatives) -> Self {
        let alternative = |output: &textveil::Alternative| {
            let textveil::Alternative { word, probability, distance, factor, .. } = *output;
            Alternative { word: table.word(word).to_string(), probability, distance, factor }
        };
        Self {
            input: found.reading.row.map(|row| table.word(row).to_string()),
            found: found.reading.found,
            distribution: found.outputs.iter().map(alternative).collect(),
            estimated: found.estimated,
        }
    }
}

/// What protects a token under the options that were asked about. For the device only.
#[derive(Clone, uniffi::Record)]
#[uniffi::export(Debug, Display)]
pub struct TokenDeniability {
    /// The token as typed (after NFKC).
    pub token: String,
    /// What the token was recognised as.
    pub kind: TokenKind,
    /// How it was found in the table; none for a placeholder.
    pub found: Option<Found>,
    /// The word of the table that it stands for; none for an unknown word or a placeholder.
    pub input: Option<String>,
    /// None for what the options leave in clear.
    pub deniability: Option<Deniability>,
}

/// The plausible deniability of a word.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct Deniability {
    /// N_w: how probable it is that the word comes out as itself; 0…1.
    pub kept: f64,
    /// S_w: the least number of words that hold 95 % of what it may become.
    pub support: u32,
    /// How many different words 1,000 draws are expected to give.
    pub distinct: f64,
    /// e to the entropy of what it may become: as many equally likely words would be as uncertain.
    pub perplexity: f64,
    /// Expected distance of what comes out.
    pub distance: f64,
    /// Whether that was estimated by 1,000 draws; otherwise it is computed.
    pub estimated: bool,
}

impl From<textveil::Deniability> for Deniability {
    fn from(deniability: textveil::Deniability) -> Self {
        let textveil::Deniability { kept, support, distinct, perplexity, distance, estimated } = deniability;
        Self { kept, support: count(support), distinct, perplexity, distance, estimated }
    }
}

impl TokenDeniability {
    pub(crate) fn new(table: &Table, token: textveil::TokenDeniability) -> Self {
        Self {
            token: token.token,
            kind: token.kind,
            found: token.reading.map(|reading| reading.found),
            input: token.reading.and_then(|reading| reading.row).map(|row| table.word(row).to_string()),
            deniability: token.deniability.map(Deniability::from),
        }
    }
}

/// What may leave the device: noisy vectors or bits, and what is promised about them.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct Representation {
    /// The rows: one for each word, or a single one.
    pub values: Values,
    /// What is promised about them.
    pub guarantee: Guarantee,
}

/// The rows of a representation, each as bytes, so that no language has to box a number.
#[derive(Clone, Debug, PartialEq, uniffi::Enum)]
pub enum Values {
    /// Vectors.
    Vectors {
        /// Each as 64-bit floats, little-endian.
        rows: Vec<Vec<u8>>,
    },
    /// Bit strings.
    Bits {
        /// Each as eight bits a byte, the first in the highest place, the last byte filled with zeros.
        rows: Vec<Vec<u8>>,
        /// How many bits a row has.
        bit_length: u32,
    },
}

impl From<&textveil::Representation> for Representation {
    fn from(representation: &textveil::Representation) -> Self {
        let values = match &representation.values {
            textveil::Values::Lattice { .. } => {
                Values::Vectors { rows: representation.vectors().iter().map(|row| bytes_of(row)).collect() }
            }
            textveil::Values::Bits(rows) => Values::Bits {
                rows: rows.iter().map(|row| packed(row)).collect(),
                bit_length: count(rows.first().map_or(0, Vec::len)),
            },
        };
        Self { values, guarantee: (&representation.guarantee).into() }
    }
}

/// What may leave the device: the noisy report of a choice and what is promised about it.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct ChoiceReport {
    /// A noisy bit for each value of the list, in its order: eight bits a byte, the first in the highest
    /// place, the last byte filled with zeros.
    pub bits: Vec<u8>,
    /// How many bits there are: one for each value.
    pub bit_length: u32,
    /// What is promised about them.
    pub guarantee: Guarantee,
}

impl ChoiceReport {
    pub(crate) fn new(report: &[bool], guarantee: &textveil::Guarantee) -> Self {
        Self { bits: packed(report), bit_length: count(report.len()), guarantee: guarantee.into() }
    }
}

/// A count that no text or table brings near the limit.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn every_mechanism_of_the_core_is_listed() {
        for kind in MechanismKind::ALL {
            let lowered = catch_unwind(|| {
                let mut bytes = Vec::new();
                <Mechanism as uniffi::Lower<crate::UniFfiTag>>::write(*kind, &mut bytes);
            });
            assert!(lowered.is_ok(), "{kind}");
        }
    }
}
