//! The parameters of mechanisms: numbers by name, each checked in one place.

use core::fmt;

use crate::Error;

/// A number that a mechanism takes. Each has one name and one range, whatever the mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// η: metric-DP parameter in nats per unit of the table's distance, finite and above 0.
    Eta,
    /// ε: privacy loss of one word (or of one representation) in nats, finite and above 0.
    Epsilon,
    /// A level that is stored in the table: its place among those of the mechanism, from 0.
    Level,
    /// δ: in (0, 1).
    Delta,
    /// C: the Euclidean norm that vectors are clipped to, in units of the table. It is finite and above 0.
    Clip,
    /// λ: OME's, at least 1, or the share of the covariance in the Mahalanobis norm, in [0, 0.999].
    Lambda,
    /// γ: the distance from which all words count as equally far, in units of the table. It is finite and above 0.
    Gamma,
    /// t: the second-nearest word's share in the Vickrey mechanism, in [0, 1].
    T,
    /// Bits before the binary point of an encoded element, 0…15.
    IntegerBits,
    /// Bits behind the binary point of an encoded element, 0…15.
    FractionBits,
    /// How much more of ε the high bits get than the low ones, 0…1000. The bit of place i (0 is the lowest) has the
    /// weight 1 + tilt·i.
    Tilt,
    /// m: the share of a base measure that the rows nearest to a word hold, in (0, 1).
    Mass,
    /// γ: the base measure of a row is in proportion to its frequency to this power, in [0, 1].
    FrequencyPower,
}

impl Parameter {
    /// Every parameter.
    pub const ALL: &'static [Self] = &[
        Self::Eta,
        Self::Epsilon,
        Self::Level,
        Self::Delta,
        Self::Clip,
        Self::Lambda,
        Self::Gamma,
        Self::T,
        Self::IntegerBits,
        Self::FractionBits,
        Self::Tilt,
        Self::Mass,
        Self::FrequencyPower,
    ];

    /// The parameters that say how strong a mechanism is. A caller gives at most one of them.
    pub const STRENGTHS: &'static [Self] = &[Self::Eta, Self::Epsilon, Self::Level];

    /// The name in every language and file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        // An error's code is `invalid-` and the name.
        // Not `split_at`: its panic would bring 4 kB of formatting into a module that counts its bytes.
        match self.code().split_at_checked("invalid-".len()) {
            Some((_, name)) => name,
            None => self.code(),
        }
    }

    /// The name in JavaScript and JSON.
    #[must_use]
    pub const fn camel_case(self) -> &'static str {
        match self {
            Self::IntegerBits => "integerBits",
            Self::FractionBits => "fractionBits",
            Self::FrequencyPower => "frequencyPower",
            _ => self.name(),
        }
    }

    /// The default value, if it is the same for all mechanisms that take it.
    #[must_use]
    pub const fn usual(self) -> Option<f64> {
        match self {
            // As the paper has it: one sign, four integer and five fraction bits.
            Self::IntegerBits => Some(4.0),
            Self::FractionBits => Some(5.0),
            Self::Tilt => Some(0.0),
            _ => None,
        }
    }

    /// The code of the error for a value out of range.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Eta => "invalid-eta",
            Self::Epsilon => "invalid-epsilon",
            Self::Level => "invalid-level",
            Self::Delta => "invalid-delta",
            Self::Clip => "invalid-clip",
            Self::Lambda => "invalid-lambda",
            Self::Gamma => "invalid-gamma",
            Self::T => "invalid-t",
            Self::IntegerBits => "invalid-integer-bits",
            Self::FractionBits => "invalid-fraction-bits",
            Self::Tilt => "invalid-tilt",
            Self::Mass => "invalid-mass",
            Self::FrequencyPower => "invalid-frequency-power",
        }
    }

    /// What a value must be, in words.
    pub(crate) const fn rule(self) -> &'static str {
        match self {
            Self::Eta => "eta must be a number from 1e-6 to a million divided by the lattice step",
            Self::Epsilon => {
                "epsilon must be a number above zero, within what the mechanism can draw (together with delta)"
            }
            Self::Level => "the table has no such level, or no certified one that spends so little",
            Self::Delta => "delta must be a number above 0 and below 1",
            Self::Clip => "clip must be a finite norm of at least one lattice step",
            Self::Lambda => "lambda must be at least 1 and not too large for `ome`, from 0 to 0.999 for `mahalanobis`",
            Self::Gamma => "gamma must be a finite distance of at least one lattice step",
            Self::T => "t must be a number from 0 to 1",
            Self::IntegerBits => "integer bits must be a whole number from 0 to 15",
            Self::FractionBits => "fraction bits must be a whole number from 0 to 15",
            Self::Tilt => "tilt must be a number from 0 to 1000",
            Self::Mass => "mass must be a number below 1, and at least the share of the lightest word",
            Self::FrequencyPower => "frequency power must be a number from 0 to 1",
        }
    }

    /// The value, if any mechanism could take it. A zero loses its sign, which nothing depends on.
    ///
    /// # Errors
    /// [`Error::Invalid`] with this parameter.
    pub fn check(self, value: f64) -> Result<f64, Error> {
        let whole = value == libm::floor(value);
        let allowed = match self {
            Self::Eta | Self::Epsilon | Self::Clip | Self::Gamma => value > 0.0,
            Self::Level => value >= 0.0 && whole,
            Self::Delta | Self::Mass => value > 0.0 && value < 1.0,
            Self::Lambda => value >= 0.0,
            Self::T | Self::FrequencyPower => (0.0..=1.0).contains(&value),
            Self::IntegerBits | Self::FractionBits => (0.0..=15.0).contains(&value) && whole,
            Self::Tilt => (0.0..=1000.0).contains(&value),
        };
        if allowed && value.is_finite() { Ok(value + 0.0) } else { Err(Error::Invalid(self)) }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How the noise of a mechanism is set.
///
/// To calibrate is to set the strength of a mechanism so that a stated property holds. Here the property is the
/// loss that was asked for: it is proved, or it is what the paper claims. For the command `textveil calibrate`
/// the property is a share of words with plausible deniability, and the strength is a level of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Calibration {
    /// The proved loss is the one asked for.
    #[default]
    Sound,
    /// As in the paper, with the guarantee that holds next to the guarantee that the paper claims.
    Published,
}

impl Calibration {
    /// The name in every language and file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sound => "sound",
            Self::Published => "published",
        }
    }
}

impl core::str::FromStr for Calibration {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        [Self::Sound, Self::Published].into_iter().find(|known| known.name() == name).ok_or(Error::InvalidCalibration)
    }
}

/// The values that were given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Values([Option<f64>; Parameter::ALL.len()]);

impl Values {
    pub(crate) const NONE: Self = Self([None; Parameter::ALL.len()]);

    pub(crate) const fn get(&self, parameter: Parameter) -> Option<f64> {
        self.0[parameter as usize]
    }

    pub(crate) const fn set(&mut self, parameter: Parameter, value: f64) {
        self.0[parameter as usize] = Some(value);
    }

    pub(crate) const fn clear(&mut self, parameter: Parameter) {
        self.0[parameter as usize] = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_refuses_what_is_no_number() {
        for (place, parameter) in Parameter::ALL.iter().copied().enumerate() {
            assert_eq!(parameter as usize, place);
            for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
                assert_eq!(parameter.check(value), Err(Error::Invalid(parameter)), "{parameter} {value}");
            }
            assert_eq!(parameter.code(), alloc::format!("invalid-{parameter}"));
        }
    }
}
