//! The errors of `textveil` and `textveil-contribute` as cases, with their codes for names.

use std::fmt;

use textveil_contribute::Error;

/// Turns the list of cases into the enum and the way from a code to its case.
macro_rules! errors {
    ($($(#[$doc:meta])* $case:ident = $code:literal,)*) => {
        /// Whatever can be refused. The case is the core's stable code: `InvalidEpsilon` is
        /// `invalid-epsilon`. The message is for people, and holds nothing of the user's text.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, uniffi::Error)]
        #[uniffi(flat_error)]
        pub enum TextVeilError {
            $($(#[$doc])* $case(Error),)*
            /// `internal`: an error that this version of the bindings does not know.
            Internal(Error),
        }

        impl From<Error> for TextVeilError {
            fn from(error: Error) -> Self {
                match error.code() {
                    $($code => Self::$case(error),)*
                    _ => Self::Internal(error),
                }
            }
        }

        impl From<textveil::Error> for TextVeilError {
            fn from(error: textveil::Error) -> Self {
                Error::Text(error).into()
            }
        }

        impl fmt::Display for TextVeilError {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$case(error) |)* Self::Internal(error) => error.fmt(f),
                }
            }
        }

        #[cfg(test)]
        const CASES: &[(&str, &str)] = &[$((stringify!($case), $code)),*];
    };
}
errors! {
    /// The table's bytes are damaged, or no table.
    BadTable = "bad-table",
    /// The request for new words breaks a rule.
    BadRequest = "bad-request",
    /// The request for new words is about another table.
    OtherTable = "other-table",
    /// The request for new words was answered already.
    AlreadyContributed = "already-contributed",
    /// A vector is longer than the request's norm.
    NormExceeded = "norm-exceeded",
    /// Somebody else adds the noise of this request: the devices, or who holds the sum. Or too many devices share it.
    NoiseElsewhere = "noise-elsewhere",
    /// The sum has no room for more contributions.
    TooMany = "too-many",
    /// The sum was released already.
    AlreadyReleased = "already-released",
    /// The bytes of a list of statements are damaged, or no list.
    BadStatements = "bad-statements",
    /// There is no encoder, or it is not the one that the list of statements was made with.
    OtherEncoder = "other-encoder",
    /// η is not a number in its range.
    InvalidEta = "invalid-eta",
    /// ε is missing, not a number in its range, or beyond what the mechanism can draw.
    InvalidEpsilon = "invalid-epsilon",
    /// The table has no such level.
    InvalidLevel = "invalid-level",
    /// δ is missing or not a number above 0 and below 1.
    InvalidDelta = "invalid-delta",
    /// The norm to clip to is missing or not in its range.
    InvalidClip = "invalid-clip",
    /// λ is missing or not in its range.
    InvalidLambda = "invalid-lambda",
    /// γ is missing or not in its range.
    InvalidGamma = "invalid-gamma",
    /// t is missing or not a number from 0 to 1.
    InvalidT = "invalid-t",
    /// The number of integer bits is not a whole number from 0 to 15.
    InvalidIntegerBits = "invalid-integer-bits",
    /// The number of fraction bits is not a whole number from 0 to 15.
    InvalidFractionBits = "invalid-fraction-bits",
    /// The tilt is not a number from 0 to 1000.
    InvalidTilt = "invalid-tilt",
    /// The mass is missing, not above 0 and below 1, or less than the lightest word has.
    InvalidMass = "invalid-mass",
    /// The frequency power is missing or not a number from 0 to 1.
    InvalidFrequencyPower = "invalid-frequency-power",
    /// There is no such mechanism, or none was named where there is no usual one.
    InvalidMechanism = "invalid-mechanism",
    /// The mechanism has no such calibration.
    InvalidCalibration = "invalid-calibration",
    /// An option is not one of the mechanism's, or contradicts another one.
    InvalidOptions = "invalid-options",
    /// The noise would be beyond what can be drawn.
    InvalidScale = "invalid-scale",
    /// A number, an offset or the encoding of a text is out of its range.
    InvalidArgument = "invalid-argument",
    /// A scope's budget or its name is missing, unusable, or given twice.
    InvalidBudget = "invalid-budget",
    /// The rate of dropout is not at least 0 and below 1.
    InvalidDropout = "invalid-dropout",
    /// The mask has not one entry for each word.
    InvalidMask = "invalid-mask",
    /// No vector at all, an empty one, or one with what is not a finite number.
    InvalidVector = "invalid-vector",
    /// A vector of another length than the first, or of too many dimensions.
    DimensionMismatch = "dimension-mismatch",
    /// The mechanism takes vectors of length 1.
    NotNormalized = "not-normalized",
    /// The mechanism cannot put out this from that.
    NotOffered = "not-offered",
    /// A detector's span is empty, out of range, ends within a character, has no public name, or overlaps another one.
    InvalidSpan = "invalid-span",
    /// A word to be kept is no single word, has two forms, or is one too many.
    InvalidKeepWords = "invalid-keep-words",
    /// A word that is never to be said is no single word, is kept, is one too many, or the last one that could be said.
    InvalidNeverSay = "invalid-never-say",
    /// More than 1 MiB of UTF-8 after NFKC, or more than 2^20 UTF-16 units before.
    TextTooLong = "text-too-long",
    /// The text is mostly of words that the table does not know, and any language was not asked for.
    OtherLanguage = "other-language",
    /// The platform gives no secure random numbers.
    EntropyUnavailable = "entropy-unavailable",
    /// The release would lose more than is left of the scope's budget.
    BudgetExhausted = "budget-exhausted",
    /// The stored ledger cannot be resumed.
    BadLedger = "bad-ledger",
}

impl std::error::Error for TextVeilError {}

#[cfg(test)]
mod tests {
    use textveil::{Error as Core, Parameter};

    use super::*;

    #[test]
    fn a_case_is_its_code_in_camel_case() {
        for (case, code) in CASES {
            let camel: String =
                code.split('-').map(|word| word[..1].to_uppercase() + &word[1..]).collect::<Vec<_>>().concat();
            assert_eq!(*case, camel);
        }
    }

    #[test]
    fn every_error_of_the_core_has_a_case_and_keeps_its_message() {
        let others = [
            Core::BadTable("rule"),
            Core::BadStatements("rule"),
            Core::OtherEncoder,
            Core::InvalidMechanism,
            Core::InvalidCalibration,
            Core::InvalidOptions,
            Core::InvalidScale,
            Core::InvalidArgument,
            Core::InvalidBudget,
            Core::InvalidDropout,
            Core::InvalidMask,
            Core::InvalidVector,
            Core::InvalidSpan(0),
            Core::InvalidKeepWords(1),
            Core::InvalidNeverSay(2),
            Core::DimensionMismatch,
            Core::NotNormalized,
            Core::NotOffered,
            Core::TextTooLong,
            Core::OtherLanguage,
            Core::EntropyUnavailable,
            Core::BudgetExhausted,
            Core::BadLedger("reason"),
        ];
        let of_contributions = [
            Error::BadRequest("rule"),
            Error::OtherTable,
            Error::AlreadyContributed,
            Error::NormExceeded,
            Error::NoiseElsewhere,
            Error::TooMany,
            Error::AlreadyReleased,
        ];
        let of_core = Parameter::ALL.iter().copied().map(Core::Invalid).chain(others).map(Error::Text);
        let errors: Vec<Error> = of_core.chain(of_contributions).collect();
        assert_eq!(errors.len(), CASES.len());
        for error in errors {
            let case = TextVeilError::from(error);
            assert_ne!(case, TextVeilError::Internal(error));
            assert_eq!(case.to_string(), error.to_string());
        }
    }
}
