//! A mechanism's calibration and numbers as options, the same for every command that runs one.

use anyhow::{Result, anyhow};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use textveil::{Calibration, Error, Mechanism, MechanismKind, Parameter, Table};

/// How a mechanism is set.
#[derive(Args)]
pub(crate) struct MechanismOptions {
    /// How noise follows from the numbers: "sound", so that what is asked for is what is proved, or "published", as in
    /// the mechanism's paper, with the guarantee that does hold beside what the paper claims
    #[arg(long, default_value = Calibration::Sound.name(), value_parser = calibrations(), value_name = "NAME")]
    pub(crate) calibration: Calibration,
    #[command(flatten)]
    parameters: Parameters,
}

impl MechanismOptions {
    /// The mechanism as it was asked for.
    ///
    /// # Errors
    /// A number out of range, or one that the mechanism does not take.
    pub(crate) fn mechanism(&self, kind: MechanismKind) -> Result<Mechanism> {
        let set = |mechanism: Mechanism, (parameter, value): &(Parameter, f64)| mechanism.with(*parameter, *value);
        let mechanism = Mechanism::new(kind).calibrated(self.calibration);
        let mechanism = mechanism.and_then(|mechanism| self.parameters.0.iter().try_fold(mechanism, set));
        mechanism.map_err(|error| explained(error, kind))
    }

    /// Whether anything was asked for.
    pub(crate) fn are_given(&self) -> bool {
        !self.parameters.0.is_empty() || self.calibration != Calibration::default()
    }
}

/// Every parameter that was given.
struct Parameters(Vec<(Parameter, f64)>);

impl Args for Parameters {
    fn augment_args(command: Command) -> Command {
        Parameter::ALL.into_iter().fold(command, |command, parameter| {
            let option = Arg::new(parameter.name())
                .long(parameter.name())
                .help(help(parameter))
                .value_name("NUMBER")
                .value_parser(value_parser!(f64))
                .allow_negative_numbers(true);
            command.arg(match parameter {
                // One number sets the strength.
                Parameter::Eta | Parameter::Epsilon | Parameter::Level => option.group("strength"),
                _ => option,
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Parameters {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |parameter: Parameter| Some((parameter, *matches.get_one::<f64>(parameter.name())?));
        Ok(Self(Parameter::ALL.into_iter().filter_map(given).collect()))
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
            "A level of the table by its number (`textveil table inspect` lists them); where the table has levels of the \
             mechanism and no strength is given, its default level"
        }
        Parameter::Delta => "δ: the probability that is excepted from ε",
        Parameter::Clip => "C: the Euclidean norm that vectors are clipped to, in units of the table",
        Parameter::Lambda => "λ: of OME, at least 1; of the Mahalanobis norm, from 0 to 0.999",
        Parameter::Gamma => "γ: the distance from which all words count as equally far, in units of the table",
        Parameter::T => "t: the share of the second-nearest word, from 0 to 1",
        Parameter::IntegerBits => "Bits before the binary point of an encoded element, up to 15",
        Parameter::FractionBits => "Bits behind the binary point of an encoded element, up to 15",
        Parameter::Tilt => "How much more of ε high bits get: the bit of place i has the weight 1 + tilt·i",
    }
}

/// Parses a mechanism's name; the help lists them.
pub(crate) fn mechanisms() -> impl TypedValueParser<Value = MechanismKind> {
    PossibleValuesParser::new(MechanismKind::ALL.iter().map(|kind| kind.name()))
        .try_map(|name| name.parse::<MechanismKind>())
}

fn calibrations() -> impl TypedValueParser<Value = Calibration> {
    PossibleValuesParser::new([Calibration::Sound, Calibration::Published].map(Calibration::name))
        .try_map(|name| name.parse::<Calibration>())
}

/// What the core refused, with the options that would have served.
pub(crate) fn explained(error: Error, kind: MechanismKind) -> anyhow::Error {
    let options: Vec<String> = kind.parameters().iter().map(|parameter| format!("--{parameter}")).collect();
    anyhow!(error).context(format!("{kind}, which takes {}", options.join(", ")))
}

/// The same for a table, whose levels may be what is missing.
pub(crate) fn explained_for(error: Error, kind: MechanismKind, table: &Table) -> anyhow::Error {
    match (error, table.levels_of(kind).count()) {
        (Error::Invalid(Parameter::Level), 0) => {
            anyhow!("the table stores no level of {kind}: pass --eta or --epsilon")
        }
        (Error::Invalid(Parameter::Level), count) => {
            anyhow!("{kind} has {}, 0 to {}", crate::statement::counted(count as u64, "level"), count - 1)
        }
        _ => explained(error, kind),
    }
}
