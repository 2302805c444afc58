//! Results as records and enums: the core's own where uniffi can carry them as they are, and views of the
//! others.

mod guarantee;
mod remote;

use std::fmt;

use textveil::{Found, MechanismKind, Parameter, Table, TokenKind, WordId, packed};

pub use self::guarantee::{Claim, Guarantee, Metric, WordList};
pub(crate) use self::remote::{Level, Mechanism};
use crate::veil::bytes_of;

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
    /// How it was found in the table; none where a placeholder was sent, which needs no word, and for a word that the app keeps.
    pub found: Option<Found>,
    /// The word of the table that it stood for; none for an unknown word, a word that the app keeps, and where a placeholder was
    /// sent.
    pub input: Option<String>,
    /// The word that was drawn, or that was sent in clear; none where a placeholder was sent, and for a word that the app keeps.
    pub output: Option<String>,
    /// The word that was sent: `output`, or another form of it that agrees with the words next to it; none where `output` is.
    pub written: Option<String>,
    /// Whether it was sent in the clear, by an option, without going through the mechanism.
    pub clear: bool,
    /// Whether the word sent is the word it stood for; false for an unknown word, and for a word that the app keeps.
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
