//! The core's types under the names that they have outside. Cases and fields are listed once more, for uniffi
//! to see; the compiler holds the lists against the core.

use textveil::{
    Budget, Calibration, Certificate, Found, InTheClear, LevelReport, Loss, MechanismKind, Notion, Offsets, Parameter,
    Preset, Snapshot, Spent, TokenKind, Unit,
};

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
