//! Why the core refused a mechanism, in the words of the command line: which option is missing, is too many,
//! or is out of range, and what would serve instead.

use anyhow::anyhow;
use textveil::{Error, Mechanism, MechanismKind, Parameter, Representer, Statements, Table};

use super::super::report::numbers::counted;
use super::source::Source;
use crate::exit::wrong_options;

/// What was asked for.
pub struct Request<'a> {
    /// The mechanism.
    pub kind: MechanismKind,
    /// The numbers that were given.
    pub given: Vec<(Parameter, f64)>,
    /// What it works on.
    pub source: Source<'a>,
}

impl<'a> Request<'a> {
    /// The request that led to this mechanism.
    pub fn of(mechanism: &Mechanism, source: Source<'a>) -> Self {
        let given = |parameter| Some((parameter, mechanism.get(parameter)?));
        Self { kind: mechanism.kind(), given: Parameter::ALL.iter().copied().filter_map(given).collect(), source }
    }

    /// What the core refused, explained. If no other table could take the options, it is a mistake in them.
    pub fn explain(&self, error: Error) -> anyhow::Error {
        let kind = self.kind;
        if let Some((parameter, _)) = self.given.iter().find(|(parameter, _)| !kind.parameters().contains(parameter)) {
            let taken = listed(kind.parameters().iter().copied());
            return wrong_options(anyhow!("{kind} takes no --{parameter}; it takes {taken}"));
        }
        let told = anyhow!(self.told(error));
        if self.is_of_options(error) { wrong_options(told) } else { told }
    }

    /// Whether the options are to blame, and not the table.
    fn is_of_options(&self, error: Error) -> bool {
        match (error, self.source) {
            (Error::Invalid(Parameter::Level), Source::Table(table)) => {
                levels(table, self.kind).is_ok_and(|count| count > 0)
            }
            (
                Error::Invalid(_)
                | Error::InvalidOptions
                | Error::InvalidCalibration
                | Error::InvalidScale
                | Error::DimensionMismatch
                | Error::NotOffered,
                _,
            ) => true,
            _ => false,
        }
    }

    fn told(&self, error: Error) -> String {
        let kind = self.kind;
        match (error, self.source) {
            (Error::Invalid(Parameter::Level), Source::Table(table)) => match levels(table, kind) {
                Err(error) => format!("the levels of the table cannot be used: {error}"),
                Ok(0) if [MechanismKind::Certified, MechanismKind::Plateau].contains(&kind) => {
                    "the table has no certificates: `textveil table certify` adds them".to_owned()
                }
                Ok(0) if kind == MechanismKind::Nearest => {
                    format!(
                        "the table is too small for the levels of {kind}: pass --epsilon, --mass and --frequency-power"
                    )
                }
                Ok(0) => format!("the table stores no level of {kind}: pass --eta or --epsilon"),
                Ok(count) if !self.has(Parameter::Level) => beyond_the_first(kind, table, count),
                Ok(count) => format!("{kind} has {}, 0 to {}", counted(count as u64, "level"), count - 1),
            },
            (Error::Invalid(_), Source::Vectors(_)) if self.has(Parameter::Level) => {
                "only tables have levels: with --dims, pass --eta or --epsilon".to_owned()
            }
            (Error::Invalid(parameter), _) if !self.has(parameter) => self.missing(parameter),
            (Error::Invalid(Parameter::Epsilon), _) if kind == MechanismKind::Nearest => {
                format!("{kind}: epsilon must be a number above zero and at most {}", Statements::MOST_EPSILON)
            }
            (Error::InvalidOptions, Source::Vectors(_)) if self.has(Parameter::Clip) => {
                "with --dims the norm is 1: leave --clip out".to_owned()
            }
            (Error::InvalidCalibration, _) => format!("{kind} has no published calibration of its own"),
            (Error::DimensionMismatch, Source::Vectors(_)) => {
                format!("--dims must be from 1 to {}", Representer::MAX_DIMS)
            }
            (Error::Invalid(Parameter::Lambda), _) if kind == MechanismKind::Ome => {
                format!("{kind}: lambda must be a number of at least 1, and not too large")
            }
            (Error::Invalid(Parameter::Lambda), _) if kind == MechanismKind::Mahalanobis => {
                format!("{kind}: lambda must be a number from 0 to 0.999")
            }
            (Error::NotOffered, _) => self.not_offered(),
            _ => format!("{kind}: {error}"),
        }
    }

    fn has(&self, parameter: Parameter) -> bool {
        self.given.iter().any(|(given, _)| *given == parameter)
    }

    /// "laplace needs --epsilon (it also takes --clip)".
    fn missing(&self, parameter: Parameter) -> String {
        let taken = self.kind.parameters();
        // Where the table has no level to fall back on, either of the two sets the strength of metric DP.
        let needed = if taken.contains(&Parameter::Eta) && Parameter::STRENGTHS.contains(&parameter) {
            vec![Parameter::Eta, Parameter::Epsilon]
        } else {
            vec![parameter]
        };
        let is_set = |other| self.has(other) || needed.contains(&other);
        let has_strength = Parameter::STRENGTHS.iter().copied().any(is_set);
        let is_settled = |other| is_set(other) || (has_strength && Parameter::STRENGTHS.contains(&other));
        let open: Vec<Parameter> = taken.iter().copied().filter(|other| !is_settled(*other)).collect();
        let also = if open.is_empty() { String::new() } else { format!(" (it also takes {})", listed(open)) };
        format!("{} needs {}{also}", self.kind, listed(needed))
    }

    /// What a mechanism that is not offered for this source would need.
    fn not_offered(&self) -> String {
        let kind = self.kind;
        let dims = match self.source {
            Source::Table(table) => table.dims(),
            Source::Vectors(dims) | Source::List(dims) => dims,
        };
        match (kind, self.source) {
            (MechanismKind::Privunit2, _) if dims < 3 => format!("{kind} needs at least 3 dimensions, not {dims}"),
            (MechanismKind::ClassExponential, Source::Table(_)) => {
                format!("{kind} needs a table with classes of words, and this one has none")
            }
            (_, Source::Table(_)) if !kind.gives_words() => {
                format!("{kind} puts out no words: pass --dims, to audit it on vectors")
            }
            (_, Source::Vectors(_)) => format!("{kind} works on the words of a table: leave --dims out"),
            _ => format!("{kind}: {}", Error::NotOffered),
        }
    }
}

/// How many levels a mechanism has.
///
/// # Errors
/// The table has a level that cannot be used.
fn levels(table: &Table, kind: MechanismKind) -> Result<usize, Error> {
    Ok(table.level_reports()?.iter().filter(|level| level.mechanism == kind).count())
}

/// What the least of a table's certified levels spends, for who asks for less.
fn beyond_the_first(kind: MechanismKind, table: &Table, count: usize) -> String {
    let least = table.certificates_of(kind).next();
    let (eta, epsilon) = least.map_or((f64::NAN, f64::NAN), |(_, least)| (least.eta, least.epsilon));
    format!("no level of {kind} spends so little: the first of {count} has eta {eta:.4} and epsilon {epsilon:.4}")
}

/// "--eta, --epsilon or --level and --gamma". Of the first three, one is given.
fn listed(parameters: impl IntoIterator<Item = Parameter>) -> String {
    let (mut strengths, mut others) = (Vec::new(), Vec::new());
    for parameter in parameters {
        let list = if Parameter::STRENGTHS.contains(&parameter) { &mut strengths } else { &mut others };
        list.push(format!("--{parameter}"));
    }
    match (strengths.len(), others.len()) {
        (2.., 1..) => format!("{}, and {}", joined(&strengths, "or"), joined(&others, "and")),
        (2.., 0) => joined(&strengths, "or"),
        _ => joined(&[strengths, others].concat(), "and"),
    }
}

/// "a, b and c".
fn joined(items: &[String], conjunction: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {conjunction} {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::WrongOptions;

    fn explained(kind: MechanismKind, given: &[(Parameter, f64)], source: Source<'_>, error: Error) -> String {
        Request { kind, given: given.to_vec(), source }.explain(error).to_string()
    }

    #[test]
    fn what_is_missing_is_not_called_out_of_range() {
        use MechanismKind::{Gaussian, Laplace, LatticeLaplace, TruncatedExponential, Vickrey};
        use Parameter::{Clip, Delta, Epsilon, Eta, Gamma, T};
        for (kind, given, missing, message) in [
            (Laplace, &[][..], Epsilon, "laplace needs --epsilon (it also takes --clip)"),
            (Laplace, &[(Clip, 1.0)], Epsilon, "laplace needs --epsilon"),
            (Gaussian, &[], Epsilon, "gaussian needs --epsilon (it also takes --delta and --clip)"),
            (Gaussian, &[(Epsilon, 1.0)], Delta, "gaussian needs --delta (it also takes --clip)"),
            (LatticeLaplace, &[], Eta, "lattice-laplace needs --eta or --epsilon"),
            (Vickrey, &[(T, 0.5)], Eta, "vickrey needs --eta or --epsilon"),
            (Vickrey, &[(Eta, 20.0)], T, "vickrey needs --t"),
            (Vickrey, &[], T, "vickrey needs --t (it also takes --eta or --epsilon)"),
            (
                TruncatedExponential,
                &[],
                Gamma,
                "truncated-exponential needs --gamma (it also takes --eta or --epsilon)",
            ),
        ] {
            assert_eq!(explained(kind, given, Source::Vectors(3), Error::Invalid(missing)), message);
        }
        let message = explained(Laplace, &[(Epsilon, -1.0)], Source::Vectors(3), Error::Invalid(Epsilon));
        assert!(message.starts_with("laplace: epsilon must be"), "{message}");
    }

    #[test]
    fn the_range_of_lambda_is_that_of_the_mechanism_that_was_named() {
        use MechanismKind::{Mahalanobis, Ome};
        let refused = Error::Invalid(Parameter::Lambda);
        for (kind, given, range) in [
            (Ome, [(Parameter::Lambda, 0.5)], "ome: lambda must be a number of at least 1, and not too large"),
            (Mahalanobis, [(Parameter::Lambda, 1.0)], "mahalanobis: lambda must be a number from 0 to 0.999"),
        ] {
            assert_eq!(explained(kind, &given, Source::Vectors(3), refused), range);
        }
    }

    #[test]
    fn what_the_options_alone_decide_is_marked() {
        let table = Table::english().expect("the built-in table");
        let is_marked = |parameter, value, error| {
            let given = vec![(parameter, value)];
            let request = Request { kind: MechanismKind::Nearest, given, source: Source::Table(&table) };
            request.explain(error).is::<WrongOptions>()
        };
        assert!(is_marked(Parameter::Level, 99.0, Error::Invalid(Parameter::Level)));
        assert!(is_marked(Parameter::Epsilon, 0.0, Error::Invalid(Parameter::Epsilon)));
        assert!(is_marked(Parameter::Lambda, 1.0, Error::InvalidOptions));
        assert!(!is_marked(Parameter::Epsilon, 1.0, Error::EntropyUnavailable));
    }

    #[test]
    fn the_largest_epsilon_of_nearest_is_named() {
        let table = Table::english().expect("the built-in table");
        let loss = |epsilon| Mechanism::new(MechanismKind::Nearest).with(Parameter::Epsilon, epsilon)?.loss(&table);
        let most = Statements::MOST_EPSILON;
        assert!(loss(most).is_ok());
        let refused = loss(most.next_up()).expect_err("more than the largest");
        let message = explained(MechanismKind::Nearest, &[(Parameter::Epsilon, 50.0)], Source::Table(&table), refused);
        assert_eq!(message, "nearest: epsilon must be a number above zero and at most 20");
    }

    #[test]
    fn what_a_mechanism_does_not_take_is_answered_with_what_it_takes() {
        use MechanismKind::{Exponential, Laplace, TruncatedExponential};
        for (kind, message) in [
            (Exponential, "exponential takes no --lambda; it takes --eta, --epsilon or --level"),
            (Laplace, "laplace takes no --lambda; it takes --epsilon and --clip"),
            (TruncatedExponential, "truncated-exponential takes no --lambda; it takes --eta or --epsilon, and --gamma"),
        ] {
            let given = [(Parameter::Lambda, 5.0)];
            assert_eq!(explained(kind, &given, Source::Vectors(3), Error::InvalidOptions), message);
        }
    }

    #[test]
    fn a_mechanism_without_its_input_says_what_it_needs() {
        use MechanismKind::{Dpnr, Mahalanobis, Privunit2};
        let table = Table::english().expect("the built-in table");
        for (kind, source, message) in [
            (Dpnr, Source::Table(&table), "dpnr puts out no words: pass --dims, to audit it on vectors"),
            (Mahalanobis, Source::Vectors(5), "mahalanobis works on the words of a table: leave --dims out"),
            (Privunit2, Source::Vectors(2), "privunit2 needs at least 3 dimensions, not 2"),
        ] {
            assert_eq!(explained(kind, &[], source, Error::NotOffered), message);
        }
    }
}
