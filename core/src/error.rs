//! One small error type, without any of the user's text.

use core::fmt;

use crate::{Parameter, account};

/// Everything that can be refused. [`Error::code`] is the contract in every language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The table's bytes break a rule of the format, which the reason names.
    BadTable(&'static str),
    /// The bytes of a list of statements break a rule of its format, which the reason names.
    BadStatements(&'static str),
    /// A line of a list of statements that is being made breaks a rule, which the reason names. The first line is 1.
    BadStatement {
        /// The number of the line.
        line: usize,
        /// The rule.
        rule: &'static str,
    },
    /// The vector of a line of a list of statements that is being made breaks a rule, which the reason names. The first line
    /// is 1.
    InvalidStatementVector {
        /// The number of the line.
        line: usize,
        /// The rule.
        rule: &'static str,
    },
    /// The encoder is not the one that made the statements' vectors, or the table is no encoder.
    OtherEncoder,
    /// A parameter is not a number in its range, or out of the range that the table or the mechanism allows.
    Invalid(Parameter),
    /// No mechanism has that name.
    InvalidMechanism,
    /// No such calibration, or the mechanism has only one.
    InvalidCalibration,
    /// An option has the wrong type, is not one of the mechanism's, or contradicts another one.
    InvalidOptions,
    /// The scale of noise is not a number above zero, or beyond what a sampler can draw exactly.
    InvalidScale,
    /// A number that a formula is asked about (a count, a probability, an order) is out of its range.
    InvalidArgument,
    /// A scope's budget or its name is missing, unusable, or given twice.
    InvalidBudget,
    /// A rate of word dropout is not in [0, 1).
    InvalidDropout,
    /// A mask has not one entry for each word.
    InvalidMask,
    /// A vector is empty or holds what is not a finite number.
    InvalidVector,
    /// A vector has another number of dimensions than was agreed.
    DimensionMismatch,
    /// The mechanism is for unit vectors, and this vector has another length.
    NotNormalized,
    /// This mechanism cannot give this kind of output, or not from this kind of input.
    NotOffered,
    /// A span that a detector gave is empty, out of range, ends within a character, is of a kind that is no name, or
    /// overlaps another one of another kind. The number is its place in the list, from 0.
    InvalidSpan(usize),
    /// A word to be kept is not one word, has another form before it, or is one too many; its place in the list, from 0.
    InvalidKeepWords(usize),
    /// A word of the never-say list is not one word, is kept too, is one too many, or is the last word that could be said: its
    /// place in the list, from 0.
    InvalidNeverSay(usize),
    /// The text is longer than [`crate::MAX_TEXT_BYTES`].
    TextTooLong,
    /// The text is mostly of words that the table does not know, as one of another language is.
    OtherLanguage,
    /// The source of randomness failed: nothing is released.
    EntropyUnavailable,
    /// The release would lose more than is left of the scope's budget.
    BudgetExhausted,
    /// The ledger cannot resume from its stored state. The reason says why.
    BadLedger(&'static str),
}

impl Error {
    /// The stable name of the error, the same in every language.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::BadTable(_) => "bad-table",
            Self::BadStatements(_) | Self::BadStatement { .. } => "bad-statements",
            Self::OtherEncoder => "other-encoder",
            Self::Invalid(parameter) => parameter.code(),
            Self::InvalidMechanism => "invalid-mechanism",
            Self::InvalidCalibration => "invalid-calibration",
            Self::InvalidOptions => "invalid-options",
            Self::InvalidScale => "invalid-scale",
            Self::InvalidArgument => "invalid-argument",
            Self::InvalidBudget => "invalid-budget",
            Self::InvalidDropout => "invalid-dropout",
            Self::InvalidMask => "invalid-mask",
            Self::InvalidVector | Self::InvalidStatementVector { .. } => "invalid-vector",
            Self::DimensionMismatch => "dimension-mismatch",
            Self::NotNormalized => "not-normalized",
            Self::NotOffered => "not-offered",
            Self::InvalidSpan(_) => "invalid-span",
            Self::InvalidKeepWords(_) => "invalid-keep-words",
            Self::InvalidNeverSay(_) => "invalid-never-say",
            Self::TextTooLong => "text-too-long",
            Self::OtherLanguage => "other-language",
            Self::EntropyUnavailable => "entropy-unavailable",
            Self::BudgetExhausted => "budget-exhausted",
            Self::BadLedger(_) => "bad-ledger",
        }
    }

    const fn message(self) -> &'static str {
        match self {
            Self::BadTable(_) => "the table is unusable",
            Self::BadStatements(_) | Self::BadStatement { .. } | Self::InvalidStatementVector { .. } => {
                "the list of statements is unusable"
            }
            Self::OtherEncoder => "the encoder is not the one that the list of statements was made with",
            Self::Invalid(parameter) => parameter.rule(),
            Self::InvalidMechanism => "there is no mechanism of that name",
            Self::InvalidCalibration => "there is no such calibration of this mechanism",
            Self::InvalidOptions => {
                "an option has the wrong type, is unknown to the mechanism, or contradicts another one"
            }
            Self::InvalidScale => "the scale of noise must be a number above zero, within the sampler's limits",
            Self::InvalidArgument => "a count, a probability or an order is out of its range",
            Self::InvalidBudget => "a scope's budget or its name is missing, unusable, or given twice",
            Self::InvalidDropout => "the rate of word dropout must be at least 0 and below 1",
            Self::InvalidMask => "the mask must have one entry for each word of the text",
            Self::InvalidVector => "a vector must hold finite numbers, and at least one",
            Self::DimensionMismatch => "a vector has the wrong number of dimensions",
            Self::NotNormalized => "the vector must have length 1",
            Self::NotOffered => "the mechanism cannot give this kind of output from this kind of input",
            Self::InvalidSpan(_) => {
                "a span must lie within the text, between characters, have a kind of a letter and up to 23 letters, digits \
                 or hyphens, and overlap none of another kind"
            }
            Self::InvalidKeepWords(_) => "a word to be kept must be one word, in one form, and one of 1,000 at most",
            Self::InvalidNeverSay(_) => {
                "a word never to be said must be one word, not one to be kept, one of 1,000 at most, and leave others to be said"
            }
            Self::TextTooLong => "the text is longer than one release may be (1 MiB)",
            Self::OtherLanguage => "the text is in another language: it would come out as nonsense",
            Self::EntropyUnavailable => "no secure randomness: nothing was released",
            Self::BudgetExhausted => "too little of the privacy budget is left: nothing was released",
            Self::BadLedger(_) => "the stored ledger is unusable",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())?;
        match self {
            Self::BadTable(rule) | Self::BadStatements(rule) | Self::BadLedger(rule) => write!(f, ": {rule}"),
            Self::BadStatement { line, rule } | Self::InvalidStatementVector { line, rule } => {
                write!(f, ": line {line}: {rule}")
            }
            Self::InvalidSpan(place) | Self::InvalidKeepWords(place) | Self::InvalidNeverSay(place) => {
                write!(f, " (number {place} of the list, from 0)")
            }
            _ => Ok(()),
        }
    }
}

impl core::error::Error for Error {}

impl From<account::Error> for Error {
    fn from(refused: account::Error) -> Self {
        match refused {
            account::Error::Epsilon => Self::Invalid(Parameter::Epsilon),
            account::Error::Delta => Self::Invalid(Parameter::Delta),
            account::Error::Eta => Self::Invalid(Parameter::Eta),
            account::Error::Gamma => Self::Invalid(Parameter::Gamma),
            account::Error::Clip => Self::Invalid(Parameter::Clip),
            account::Error::Lambda => Self::Invalid(Parameter::Lambda),
            account::Error::Scale => Self::InvalidScale,
            account::Error::Dropout => Self::InvalidDropout,
            account::Error::Vector => Self::InvalidVector,
            account::Error::Dimensions => Self::DimensionMismatch,
            _ => Self::InvalidArgument,
        }
    }
}
