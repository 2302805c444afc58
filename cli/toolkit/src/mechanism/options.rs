//! A mechanism's calibration and numbers as options, the same for every command that runs one.

use anyhow::{Result, anyhow};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use textveil::{Calibration, Error, Mechanism, MechanismKind, Parameter, Preset};

use super::explain::Request;
use super::source::Source;
use crate::exit::wrong_options;
use crate::number::number;

/// How a mechanism is set.
#[derive(Args)]
pub struct MechanismOptions {
    /// A level of nearest by its name, instead of its number
    #[arg(long, value_parser = presets(), group = "strength", value_name = "NAME")]
    preset: Option<Preset>,
    #[command(flatten)]
    parameters: Parameters,
    /// How noise follows from the numbers. "sound": the numbers that you give are proved. "published": noise as in the
    /// mechanism's paper. The guarantee then shows the proved numbers next to the paper's claim
    #[arg(long, default_value = Calibration::Sound.name(), value_parser = calibrations(), value_name = "NAME")]
    pub calibration: Calibration,
}

impl MechanismOptions {
    /// The mechanism as it was asked for.
    ///
    /// # Errors
    /// A number out of range, or one that the mechanism does not take.
    pub fn mechanism(&self, kind: MechanismKind, source: Source<'_>) -> Result<Mechanism> {
        let mut given = self.parameters.0.clone();
        if let Some(preset) = self.preset {
            if kind != MechanismKind::Nearest {
                return Err(wrong_options(anyhow!("{kind} has no presets: --preset is for nearest")));
            }
            given.push((Parameter::Level, f64::from(preset.level())));
        }
        let given = &given;
        let request = Request { kind, given: given.clone(), source };
        parametrized(kind, self.calibration, given).map_err(|error| request.explain(error))
    }

    /// ε, if it is given, where nothing else may be.
    ///
    /// # Errors
    /// Another number, a preset or a calibration is given.
    pub fn epsilon_alone(&self) -> Result<Option<f64>> {
        let (epsilons, others): (Vec<_>, Vec<_>) =
            self.parameters.0.iter().partition(|(parameter, _)| *parameter == Parameter::Epsilon);
        let other = match others.first() {
            Some((parameter, _)) => Some(parameter.name()),
            None if self.preset.is_some() => Some("preset"),
            None if self.calibration != Calibration::default() => Some("calibration"),
            None => None,
        };
        match other {
            Some(other) => Err(wrong_options(anyhow!("leave out --{other}: only --epsilon may be given"))),
            None => Ok(epsilons.first().map(|(_, epsilon)| *epsilon)),
        }
    }

    /// Whether anything was asked for.
    pub fn are_given(&self) -> bool {
        !self.parameters.0.is_empty() || self.preset.is_some() || self.calibration != Calibration::default()
    }
}

/// A mechanism with all of these parameters set.
///
/// # Errors
/// As [`Mechanism::calibrated`] and [`Mechanism::with`].
pub fn parametrized(
    kind: MechanismKind,
    calibration: Calibration,
    parameters: &[(Parameter, f64)],
) -> Result<Mechanism, Error> {
    let set = |mechanism: Mechanism, (parameter, value): &(Parameter, f64)| mechanism.with(*parameter, *value);
    parameters.iter().try_fold(Mechanism::new(kind).calibrated(calibration)?, set)
}

/// Every parameter that was given.
struct Parameters(Vec<(Parameter, f64)>);

impl Args for Parameters {
    /// Help does not list what no mechanism of the command takes.
    fn augment_args(command: Command) -> Command {
        let offered =
            command.get_arguments().find(|option| option.get_id() == "mechanism").map(Arg::get_possible_values);
        let serves = |kind: &MechanismKind| {
            let is_kind = |value: &PossibleValue| value.get_name() == kind.name() && !value.is_hide_set();
            offered.as_ref().is_none_or(|values| values.iter().any(is_kind))
        };
        let kinds: Vec<&MechanismKind> = MechanismKind::ALL.iter().filter(|kind| serves(kind)).collect();
        Parameter::ALL.iter().copied().fold(command, |command, parameter| {
            let is_taken = kinds.iter().any(|kind| kind.parameters().contains(&parameter));
            let option = Arg::new(parameter.name())
                .long(parameter.name())
                .help(help(parameter))
                .hide(!is_taken)
                .value_name("NUMBER")
                .value_parser(number)
                .allow_negative_numbers(true);
            command.arg(if Parameter::STRENGTHS.contains(&parameter) { option.group("strength") } else { option })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Parameters {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |parameter: Parameter| Some((parameter, *matches.get_one::<f64>(parameter.name())?));
        Ok(Self(Parameter::ALL.iter().copied().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

const fn help(parameter: Parameter) -> &'static str {
    match parameter {
        Parameter::Eta => "η: metric-DP parameter, in nats per unit of distance",
        Parameter::Epsilon => "ε, in nats: the most that one word, or one representation, may lose in the worst case",
        Parameter::Level => {
            "A level by its number, as `textveil levels` lists them. Without any strength, it is the mechanism's default \
             level, if the table has levels of it"
        }
        Parameter::Delta => {
            "δ, of gaussian, discrete-gaussian and truncated-laplace: what is added to e^ε times a probability"
        }
        Parameter::Clip => {
            "C, of laplace, gaussian, discrete-gaussian and truncated-laplace: the Euclidean norm that vectors are clipped \
             to, in units of the table"
        }
        Parameter::Lambda => "λ, of ome and mahalanobis. For ome at least 1, for mahalanobis from 0 to 0.999",
        Parameter::Gamma => {
            "γ, of truncated-exponential: the distance from which all words count as equally far, in units of the table"
        }
        Parameter::T => "t, of vickrey: the weight of the second-nearest word against the nearest, from 0 to 1",
        Parameter::IntegerBits => {
            "Of ome, sue, oue and randomized-response: bits before the binary point of an encoded element, up to 15"
        }
        Parameter::FractionBits => {
            "Of ome, sue, oue and randomized-response: bits behind the binary point of an encoded element, up to 15"
        }
        Parameter::Tilt => {
            "Of randomized-response: how much more of ε the high bits get. Bit i of an element, counted from 0 for the \
             lowest, has the weight 1 + tilt·i"
        }
        Parameter::Mass => {
            "Of nearest: what share of all words counts as near to a word, between 0 and 1. The level sets it \
             unless you do"
        }
        Parameter::FrequencyPower => {
            "Of nearest: a word weighs its frequency to this power in the share of --mass, from 0 (all words alike) to 1. \
             The level sets it unless you do"
        }
    }
}

/// Parses the name of any mechanism.
pub fn mechanisms() -> impl TypedValueParser<Value = MechanismKind> {
    mechanisms_if(Ok)
}

/// Parses the name of a mechanism that puts out words.
pub fn word_mechanisms() -> impl TypedValueParser<Value = MechanismKind> {
    mechanisms_if(of_words)
}

/// Parses the name of a mechanism that puts out words, or of randomized response, which can.
pub fn word_mechanisms_and_randomized_response() -> impl TypedValueParser<Value = MechanismKind> {
    mechanisms_if(|kind| if kind == MechanismKind::RandomizedResponse { Ok(kind) } else { of_words(kind) })
}

fn of_words(kind: MechanismKind) -> Result<MechanismKind, String> {
    let why = || format!("{kind} puts out no words: use `textveil represent`");
    kind.gives_words().then_some(kind).ok_or_else(why)
}

/// Parses the name of a mechanism that puts out vectors or bits.
pub fn representing_mechanisms() -> impl TypedValueParser<Value = MechanismKind> {
    mechanisms_if(|kind| {
        let why = || format!("{kind} puts out words alone: use `textveil privatize`");
        kind.gives_representations().then_some(kind).ok_or_else(why)
    })
}

/// Parses the name of a mechanism; the help lists those that serve, and each other one is told why it does
/// not.
fn mechanisms_if(
    serves: fn(MechanismKind) -> Result<MechanismKind, String>,
) -> impl TypedValueParser<Value = MechanismKind> {
    let value = |kind: &MechanismKind| PossibleValue::new(kind.name()).hide(serves(*kind).is_err());
    PossibleValuesParser::new(MechanismKind::ALL.iter().map(value))
        .try_map(move |name| serves(name.parse().map_err(|error: Error| error.to_string())?))
}

fn presets() -> impl TypedValueParser<Value = Preset> {
    PossibleValuesParser::new(Preset::ALL.iter().map(|preset| preset.name())).try_map(|name| name.parse::<Preset>())
}

fn calibrations() -> impl TypedValueParser<Value = Calibration> {
    PossibleValuesParser::new([Calibration::Sound, Calibration::Published].map(Calibration::name))
        .try_map(|name| name.parse::<Calibration>())
}
