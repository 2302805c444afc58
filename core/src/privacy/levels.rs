//! What each level of a table promises: a row for every point that a slider can stand on.

use alloc::vec::Vec;

use crate::{Certificate, Error, MechanismKind, Table};

/// A level with what it costs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
pub struct LevelReport {
    /// Its mechanism.
    pub mechanism: MechanismKind,
    /// Its place among the levels of the mechanism, from 0: the value of [`crate::Parameter::Level`].
    pub index: u32,
    /// η in nats per unit of distance.
    pub eta: f64,
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
    /// What is certified of it, for [`MechanismKind::Certified`] and [`MechanismKind::Plateau`].
    pub certificate: Option<Certificate>,
}

impl Table {
    /// The levels by mechanism, ascending η.
    ///
    /// # Errors
    /// None for the levels that a table holds.
    pub fn level_reports(&self) -> Result<Vec<LevelReport>, Error> {
        let of_kind = |kind: &MechanismKind| {
            let (kind, default) = (*kind, self.default_level_of(*kind));
            (0..).zip(self.levels_of(kind)).map(move |(index, level)| {
                let word = level.mechanism()?.loss(self)?;
                Ok(LevelReport {
                    mechanism: kind,
                    index,
                    eta: level.eta,
                    epsilon_word: word.epsilon,
                    delta_word: word.delta,
                    retention: level.retention,
                    retention_by_frequency: level.retention_by_frequency,
                    is_default: default == Some(level),
                    certificate: self.certificates_of(kind).nth(index as usize).map(|(_, certificate)| certificate),
                })
            })
        };
        MechanismKind::ALL.iter().flat_map(of_kind).collect()
    }
}
