//! The promises of a table's levels: a row for every point that a slider can stand on.

use alloc::vec::Vec;

use crate::mechanism::levels;
use crate::{Certificate, Error, MechanismKind, Parameter, Table};

/// A level of [`MechanismKind::Nearest`] by a name that says what it is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Preset {
    /// For counting and classifying many texts: a reader makes little of one of them.
    Statistics,
    /// For both: classifiers lose little, and few content words come out as themselves.
    #[default]
    Balanced,
    /// For people who read what comes out: the sense of most sentences stays.
    Readable,
}

impl Preset {
    /// Every preset, by ascending ε.
    pub const ALL: &'static [Self] = &[Self::Statistics, Self::Balanced, Self::Readable];

    /// The name in every language and file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Statistics => "statistics",
            Self::Balanced => "balanced",
            Self::Readable => "readable",
        }
    }

    /// The level of that name: the value of [`Parameter::Level`].
    #[must_use]
    pub const fn level(self) -> u32 {
        match self {
            Self::Statistics => 4,
            Self::Balanced => 5,
            Self::Readable => 7,
        }
    }
}

impl core::str::FromStr for Preset {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.iter().copied().find(|known| known.name() == name).ok_or(Error::Invalid(Parameter::Level))
    }
}

/// A level with what it costs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
pub struct LevelReport {
    /// Its mechanism.
    pub mechanism: MechanismKind,
    /// Its place among the levels of the mechanism, from 0: the value of [`crate::Parameter::Level`].
    pub index: u32,
    /// η in nats per unit of distance, or `None` where distance does not count.
    pub eta: Option<f64>,
    /// ε of one word in the worst case, in nats.
    pub epsilon_word: f64,
    /// δ of the same.
    pub delta_word: f64,
    /// Share of the vocabulary that comes out unchanged.
    pub retention: f64,
    /// The same, with every word weighted by its frequency.
    pub retention_by_frequency: f64,
    /// Whether a surface should start with it.
    pub is_default: bool,
    /// Its certificate, for [`MechanismKind::Certified`] and [`MechanismKind::Plateau`].
    pub certificate: Option<Certificate>,
    /// The power of the frequency that makes the base measure, for [`MechanismKind::Nearest`].
    pub frequency_power: Option<f64>,
    /// The mass of the rows that are favoured, for [`MechanismKind::Nearest`].
    pub mass: Option<f64>,
    /// The name of the level, if it has one.
    pub preset: Option<Preset>,
}

impl Table {
    /// The levels by mechanism, ascending ε: those of nearest-mass randomized response, and those that the table holds.
    ///
    /// # Errors
    /// None for the levels that a table holds.
    pub fn level_reports(&self) -> Result<Vec<LevelReport>, Error> {
        let mut reports = levels::level_reports(self);
        reports.extend(self.stored_level_reports()?);
        Ok(reports)
    }

    fn stored_level_reports(&self) -> Result<Vec<LevelReport>, Error> {
        let of_kind = |kind: &MechanismKind| {
            let (kind, default) = (*kind, self.default_level_of(*kind));
            (0..).zip(self.levels_of(kind)).map(move |(index, level)| {
                let word = level.mechanism()?.loss(self)?;
                Ok(LevelReport {
                    mechanism: kind,
                    index,
                    eta: Some(level.eta),
                    epsilon_word: word.epsilon,
                    delta_word: word.delta,
                    retention: level.retention,
                    retention_by_frequency: level.retention_by_frequency,
                    is_default: default == Some(level),
                    certificate: self.certificates_of(kind).nth(index as usize).map(|(_, certificate)| certificate),
                    frequency_power: None,
                    mass: None,
                    preset: None,
                })
            })
        };
        MechanismKind::ALL.iter().flat_map(of_kind).collect()
    }
}
