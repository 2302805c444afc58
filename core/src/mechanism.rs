//! Mechanisms: randomized maps from a word of the table to a word of the table, each with the guarantee that
//! holds for it.
//!
//! One mechanism a file, each opening with its claim, its neighbouring relation and its proof. A new one is a
//! file, a variant of [`MechanismKind`] and an arm in [`Prepared`].

mod exponential;
mod metric_laplace;

use core::fmt;

use rand_core::CryptoRng;

use crate::{Error, Table, WordId};
use exponential::Exponential;
pub use exponential::LONGEST as EXPONENT_LIMIT;
use metric_laplace::MetricLaplace;
pub use metric_laplace::lattice_noise;

/// Metric-DP parameter η: ln P(y|x) − ln P(y|x′) ≤ η·d(x, x′), in nats per unit of the table's distance.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Eta(f64);

impl Eta {
    /// Takes any finite number above zero; a table may allow less (see [`crate::Privatizer::new`]).
    ///
    /// # Errors
    /// [`Error::InvalidEta`] unless `eta` is finite and above zero.
    pub fn new(eta: f64) -> Result<Self, Error> {
        if eta.is_finite() && eta > 0.0 { Ok(Self(eta)) } else { Err(Error::InvalidEta) }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// Pure differential-privacy loss ε of one word, worst case over the table, in nats.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Epsilon(f64);

impl Epsilon {
    /// Takes any finite number above zero.
    ///
    /// # Errors
    /// [`Error::InvalidEpsilon`] unless `epsilon` is finite and above zero.
    pub fn new(epsilon: f64) -> Result<Self, Error> {
        if epsilon.is_finite() && epsilon > 0.0 { Ok(Self(epsilon)) } else { Err(Error::InvalidEpsilon) }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// The mechanisms by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum MechanismKind {
    /// The exponential mechanism over the whole vocabulary.
    Exponential = 0,
    /// Multivariate Laplace noise, then the nearest word.
    MetricLaplace = 1,
}

impl MechanismKind {
    /// Every mechanism, in the order of their numbers in table files.
    pub const ALL: [Self; 2] = [Self::Exponential, Self::MetricLaplace];

    /// The mechanism's name in every language and file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exponential => "exponential",
            Self::MetricLaplace => "metric-laplace",
        }
    }

    pub(crate) fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u32 == number)
    }
}

impl fmt::Display for MechanismKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl core::str::FromStr for MechanismKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or(Error::InvalidMechanism)
    }
}

/// A mechanism and its parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mechanism {
    kind: MechanismKind,
    eta: Eta,
}

/// Relative slack for the rounding of a product of floats that is stated as an upper bound.
const UPWARDS: f64 = 1.0 + 1e-15;

impl Mechanism {
    /// The mechanism with metric-DP parameter `eta`.
    #[must_use]
    pub const fn new(kind: MechanismKind, eta: Eta) -> Self {
        Self { kind, eta }
    }

    /// The mechanism whose worst-case ε a word over `table` is at most `epsilon`, by its diameter: η = ε /
    /// diameter, rounded down.
    ///
    /// # Errors
    /// [`Error::InvalidEpsilon`] if that η is out of the table's range.
    pub fn within(kind: MechanismKind, epsilon: Epsilon, table: &Table) -> Result<Self, Error> {
        let diameter = table.diameter_bound() * UPWARDS;
        let eta = Eta::new(epsilon.get() / diameter * (1.0 - 1e-15)).map_err(|_| Error::InvalidEpsilon)?;
        let mechanism = Self::new(kind, eta);
        mechanism.check(table).map_err(|_| Error::InvalidEpsilon)?;
        Ok(mechanism)
    }

    /// The mechanism at a level that is stored in `table`: the `index`-th of its kind, by ascending η.
    ///
    /// # Errors
    /// [`Error::InvalidLevel`] if there is none.
    pub fn at_level(kind: MechanismKind, index: usize, table: &Table) -> Result<Self, Error> {
        table.levels_of(kind).nth(index).map(crate::Level::mechanism).ok_or(Error::InvalidLevel)
    }

    /// Which mechanism it is.
    #[must_use]
    pub const fn kind(&self) -> MechanismKind {
        self.kind
    }

    /// Its metric-DP parameter.
    #[must_use]
    pub const fn eta(&self) -> Eta {
        self.eta
    }

    /// Whether the draws follow their distribution exactly, or ideally (through floating-point noise).
    pub(crate) const fn sampler(&self) -> crate::SamplerKind {
        match self.kind {
            MechanismKind::Exponential => crate::SamplerKind::Exact,
            MechanismKind::MetricLaplace => crate::SamplerKind::Idealized,
        }
    }

    /// Worst-case pure ε of replacing one word of the table by any other, in nats.
    #[must_use]
    pub fn epsilon_word(&self, table: &Table) -> f64 {
        let by_diameter = self.eta.get() * table.diameter_bound() * UPWARDS;
        match self.kind {
            MechanismKind::Exponential => by_diameter.min(exponential::EPSILON_CEILING),
            MechanismKind::MetricLaplace => by_diameter,
        }
    }

    fn check(&self, table: &Table) -> Result<(), Error> {
        // Beyond these the lattice noise is all zero, or all of it is clamped.
        if (1e-6..=1e6 / table.scale()).contains(&self.eta.get()) { Ok(()) } else { Err(Error::InvalidEta) }
    }

    pub(crate) fn prepare(&self, table: &Table) -> Result<Prepared, Error> {
        self.check(table)?;
        Ok(match self.kind {
            MechanismKind::Exponential => Prepared::Exponential(Exponential::new(self.eta, table)),
            MechanismKind::MetricLaplace => Prepared::MetricLaplace(MetricLaplace::new(self.eta, table)),
        })
    }
}

/// A mechanism with what it computes once for a table.
pub(crate) enum Prepared {
    Exponential(Exponential),
    MetricLaplace(MetricLaplace),
}

impl Prepared {
    /// Draws the word that takes the place of `input`.
    pub(crate) fn draw<R: CryptoRng>(&self, table: &Table, input: WordId, rng: &mut R) -> WordId {
        match self {
            Self::Exponential(mechanism) => mechanism.draw(table, input, rng),
            Self::MetricLaplace(mechanism) => mechanism.draw(table, input, rng),
        }
    }

    /// The probability of every offered word, if the mechanism can state it.
    pub(crate) fn distribution(&self, table: &Table, input: WordId) -> Option<alloc::vec::Vec<(WordId, f64)>> {
        match self {
            Self::Exponential(mechanism) => Some(mechanism.distribution(table, input)),
            Self::MetricLaplace(_) => None,
        }
    }
}
