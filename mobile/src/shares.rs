//! Shares among what was released, for whoever collects it: in the Python package alone.

use std::fmt;

use textveil::{Declared, Error, StatementList, Table};
use textveil_estimate::{Confidence, Knowledge, Refused, Released, Reported};

use crate::panics;

/// What is asked about releases.
#[derive(uniffi::Enum)]
pub enum Asked {
    /// Shares of topics of statements; without topics, of each statement.
    Statements {
        /// The file of the list (`.tvs`).
        list: Vec<u8>,
        /// The topics.
        topics: Vec<Topic>,
    },
    /// Shares of the values of a choice.
    Choices {
        /// The values, in the order of their list.
        names: Vec<String>,
    },
    /// Shares of topics of words.
    Words {
        /// The file of a table (`.tvt`), instead of the built-in one.
        table: Option<Vec<u8>>,
        /// The topics.
        topics: Vec<Topic>,
        /// No word was changed into another form after it was drawn.
        as_drawn: bool,
    },
}

/// Words or statements whose share is asked for together.
#[derive(uniffi::Record)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// The words or statements.
    pub entries: Vec<String>,
}

/// Equal releases.
#[derive(uniffi::Record)]
pub struct EqualReleases {
    /// Their text; of a choice the bits as digits.
    pub text: String,
    /// How many there are.
    pub count: u64,
}

/// An estimated share.
#[derive(uniffi::Record)]
pub struct EstimatedShare {
    /// The name of what it is a share of.
    pub name: String,
    /// The estimate, from 0 to 1.
    pub estimate: f64,
    /// The lower and the upper end of where this share lies.
    pub interval: Vec<f64>,
    /// The same for all shares of the list together.
    pub together: Vec<f64>,
    /// What the releases themselves say, noise and all.
    pub released: f64,
    /// The releases do not tell it from 0.
    pub below_noise: bool,
}

/// Why nothing was estimated.
#[derive(Debug, uniffi::Error)]
pub enum SharesError {
    /// Something is not what it must be.
    Refused {
        /// The code, as the errors of the package have it.
        code: String,
        /// For people; it holds nothing of a release.
        reason: String,
        /// Which of the releases was refused, if it was one.
        place: Option<u64>,
    },
}

impl SharesError {
    fn new(code: &str, reason: impl fmt::Display, place: Option<u64>) -> Self {
        Self::Refused { code: code.to_owned(), reason: reason.to_string(), place }
    }
}

impl From<Error> for SharesError {
    fn from(error: Error) -> Self {
        Self::new(error.code(), error, None)
    }
}

impl From<Refused> for SharesError {
    fn from(refused: Refused) -> Self {
        let code = match refused {
            Refused::Question(_) => Error::InvalidArgument.code(),
            Refused::Guarantee(_) => "bad-guarantee",
            Refused::Release(_) => "bad-release",
        };
        Self::new(code, refused, None)
    }
}

impl fmt::Display for SharesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Refused { reason, .. } = self;
        f.write_str(reason)
    }
}

impl std::error::Error for SharesError {}

/// The shares of what is asked, in its order; none of no release. All releases have one guarantee, as JSON: that of the row
/// with the most words.
///
/// # Errors
/// `bad-statements`, `bad-table`; `invalid-argument` for a topic that names what is not there, a count of 0, or a confidence
/// that is not above 0 and at most 0.9999; `bad-guarantee` for one that is not what textveil states, or about something else;
/// `bad-release` for a release that is not what its guarantee is about.
#[uniffi::export]
pub fn shares(
    asked: Asked,
    releases: Vec<EqualReleases>,
    guarantee: &str,
    confidence: f64,
) -> Result<Vec<EstimatedShare>, SharesError> {
    panics::print_places_only();
    let out_of_range = || SharesError::new(Error::InvalidArgument.code(), "the confidence is out of range", None);
    let confidence = Confidence::new(confidence).ok_or_else(out_of_range)?;
    let is_of_bits = matches!(asked, Asked::Choices { .. });
    let knowledge = knowledge(asked)?;
    let no_guarantee = |_| SharesError::new("bad-guarantee", "it has not the form of a guarantee", None);
    let draw = serde_json::from_str::<Declared>(guarantee).map_err(no_guarantee)?.into_draw();
    let law = knowledge.law(&draw, &|| ())?;
    let mut counted = law.counted();
    for (place, EqualReleases { text, count }) in (0..).zip(releases) {
        if count == 0 {
            return Err(SharesError::new(Error::InvalidArgument.code(), "a count is 0", Some(place)));
        }
        let bits: Vec<bool> = text.bytes().map(|digit| digit == b'1').collect();
        let released = if is_of_bits { Released::Bits(&bits) } else { Released::Text(&text) };
        let refused = |why: &dyn fmt::Display| SharesError::new("bad-release", why, Some(place));
        if is_of_bits && text.bytes().any(|digit| !matches!(digit, b'0' | b'1')) {
            return Err(refused(&"a bit is neither 0 nor 1"));
        }
        let reported = Reported { released, expected: draw.losses.words as usize, times: count };
        knowledge.count(&law, &mut counted, reported).map_err(|why| refused(&why))?;
    }
    let shares = law.shares(&knowledge, &counted, confidence);
    Ok(knowledge.names().into_iter().zip(shares).map(|(name, share)| shown(name, &share)).collect())
}

fn knowledge(asked: Asked) -> Result<Knowledge, SharesError> {
    let pairs = |topics: Vec<Topic>| topics.into_iter().map(|topic| (topic.name, topic.entries)).collect::<Vec<_>>();
    Ok(match asked {
        Asked::Statements { list, topics } => Knowledge::of_statements(StatementList::parse(list)?, &pairs(topics))?,
        Asked::Choices { names } => Knowledge::of_choices(names),
        Asked::Words { table, topics, as_drawn } => {
            let table = table.map_or_else(Table::english, Table::parse)?;
            Knowledge::of_words(table, &pairs(topics), as_drawn)?
        }
    })
}

fn shown(name: &str, share: &textveil_estimate::Share) -> EstimatedShare {
    EstimatedShare {
        name: name.to_owned(),
        estimate: share.estimate,
        interval: vec![share.interval.low, share.interval.high],
        together: vec![share.together.low, share.together.high],
        released: share.released,
        below_noise: share.is_below_noise(),
    }
}
