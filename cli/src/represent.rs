//! `textveil represent`: lines in, a noisy representation of each out, as JSON lines.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};
use textveil::{
    Dropout, Error, Guarantee, Mechanism, MechanismKind, Parameter, ReleaseRng, Representation, Representer, Unit,
    Values,
};

use crate::privatize::stated;
use crate::statements::EncoderOption;
use crate::threads::Threads;
use textveil_bulk::lines::PlainLines;
use textveil_bulk::partial::State;
use textveil_bulk::rows::{Run, Target};
use textveil_bulk::{BadRow, Fault, Reason, Release};
use textveil_toolkit::exit::wrong_options;
use textveil_toolkit::files::{check_standard_output, texts};
use textveil_toolkit::format::Format;
use textveil_toolkit::mechanism::{MechanismOptions, Request, Source, representing_mechanisms};
use textveil_toolkit::number::number;
use textveil_toolkit::report::numbers::{counted, lines_in_short};
use textveil_toolkit::seed::Randomness;

/// Represent text by noisy vectors or bits, a line at a time
#[derive(Args)]
pub(crate) struct Represent {
    /// The mechanism that adds noise
    #[arg(long, default_value = Representer::USUAL.name(), value_parser = representing_mechanisms(), value_name = "NAME")]
    mechanism: MechanismKind,
    #[command(flatten)]
    options: MechanismOptions,
    /// A row for each word, or one for the line, whose number of words shows. "whole-text" gives one for the line by a
    /// text encoder, under one guarantee for lines of any length
    #[arg(long, default_value = Unit::Text.name(), value_parser = units(), value_name = "UNIT")]
    unit: Unit,
    #[command(flatten)]
    encoder: EncoderOption,
    /// Coordinates of the text encoder's vector, from 3 up. Without it 16, or all that it has
    #[arg(long, value_name = "N")]
    dims: Option<usize>,
    /// Leave each word out with this probability, which strengthens the guarantee
    #[arg(long, value_name = "RATE", value_parser = number, allow_negative_numbers = true)]
    dropout: Option<f64>,
    /// Leave out that share of the words of every line, rounded up, instead of each word by chance
    #[arg(long, requires = "dropout")]
    fixed_size: bool,
    /// Also take lines that are mostly not of the table's language, which are refused otherwise
    #[arg(long)]
    any_language: bool,
    /// Write guarantees without their English and with a digest: a collector states the rest from them
    #[arg(long)]
    short_guarantee: bool,
    /// A table file instead of the built-in English table
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    randomness: Randomness,
    /// Files to read. Without any, or for "-", standard input is read.
    #[arg(value_name = "FILES")]
    files: Vec<PathBuf>,
}

fn units() -> impl TypedValueParser<Value = Unit> {
    const UNITS: [Unit; 3] = [Unit::Word, Unit::Text, Unit::WholeText];
    PossibleValuesParser::new(UNITS.map(Unit::name))
        .map(|name| UNITS.into_iter().find(|unit| unit.name() == name).unwrap_or(Unit::Text))
}

impl Represent {
    pub(crate) fn run(&self) -> Result<()> {
        let way = "write its texts to a file, one a line, or use `textveil privatize`, which reads columns";
        self.files.iter().try_for_each(|path| Format::check_lines(path, way))?;
        self.check().map_err(wrong_options)?;
        let representer = if self.unit == Unit::WholeText { self.of_encoder()? } else { self.of_table()? };
        let dropout = self.dropout();
        // A bad rate is refused before anything is read.
        let of_one_word = representer.guarantee(1, &dropout).map_err(|error| {
            wrong_options(match error {
                Error::NotOffered => anyhow!(
                    "dropout is not offered with metric DP ({}), whose guarantee it would not strengthen",
                    self.mechanism
                ),
                _ => error.into(),
            })
        })?;
        let weakest = Mutex::new(None::<Guarantee>);
        let release = |text: &str, rng: &mut ReleaseRng| -> Result<_, Fault> {
            let representation = representer.represent(text, &dropout, rng)?;
            let json = as_json(&representation, self.randomness.is_seeded(), self.short_guarantee).to_string();
            let words = representation.guarantee.words;
            let mut weakest = weakest.lock().unwrap_or_else(PoisonError::into_inner);
            let guarantee = representation.guarantee;
            *weakest = match weakest.take() {
                Some(weakest) => Some(weakest.weaker(guarantee).context("releases of one run have other terms")?),
                None => Some(guarantee),
            };
            Ok((json, words))
        };
        let (mut target, mut state) = (Target::stdout(), State::default());
        let result = self.lines(&release, &mut target, &mut state);
        let result = result.and(target.flush(&state)).map_err(|error| self.with_a_way_on(error, &state));
        let tally = state.tally;
        if result.is_ok() || tally.releases > 0 {
            let weakest = weakest.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or(of_one_word);
            let of_words = weakest.unit != Unit::WholeText;
            let words = if of_words { format!(", {}", counted(tally.words, "private word")) } else { String::new() };
            eprintln!("{}{words}; {}", counted(tally.releases, "release"), lines_in_short(&weakest));
        }
        result
    }

    /// Says of a line that ended the run how to take it, and what another run spends.
    fn with_a_way_on(&self, error: anyhow::Error, state: &State) -> anyhow::Error {
        let Some(row) = error.downcast_ref::<BadRow>() else { return error };
        let is_other_language = matches!(row.reason, Reason::Refused(Error::OtherLanguage));
        let way = if is_other_language { ". To take texts of any language, add --any-language" } else { "" };
        let again = if state.tally.releases > 0 {
            ". Another run represents the lines above again, and they spend again"
        } else {
            ""
        };
        anyhow!("{error}{way}{again}")
    }

    /// What the options of a run by words or by texts may not be.
    fn check(&self) -> Result<()> {
        if self.unit == Unit::WholeText {
            let is_of_words = [
                (self.table.is_some(), "--table"),
                (self.any_language, "--any-language"),
                (self.dropout.is_some(), "--dropout"),
            ];
            let odd = is_of_words.into_iter().find_map(|(is_given, name)| is_given.then_some(name));
            ensure!(odd.is_none(), "{} is for words, not for --unit whole-text", odd.unwrap_or_default());
        } else {
            ensure!(self.encoder.file().is_none(), "--encoder needs --unit whole-text");
            ensure!(self.dims.is_none(), "--dims needs --unit whole-text");
        }
        Ok(())
    }

    /// Refuses an ε above the most that any number of draws of `privunit2` spends. Other mechanisms refuse it themselves.
    ///
    /// # Errors
    /// The ε is too large. Those of `of`, which makes the representer of a mechanism.
    fn check_epsilon(mechanism: &Mechanism, of: impl Fn(Mechanism) -> Result<Representer, Error>) -> Result<()> {
        /// More than can be drawn in any number of dimensions.
        const TOO_MUCH: f64 = 1e9;
        let Some(epsilon) = mechanism.get(Parameter::Epsilon) else { return Ok(()) };
        if mechanism.kind() != MechanismKind::Privunit2 {
            return Ok(());
        }
        let strongest = of(Mechanism::new(mechanism.kind()).with(Parameter::Epsilon, TOO_MUCH)?)?;
        let most = strongest.guarantee(1, &Dropout::None)?.epsilon_word;
        if epsilon > most {
            // Rounded down, so that what is named is taken.
            let shown = (most * 100.0).floor() / 100.0;
            return Err(wrong_options(anyhow!("{}: epsilon must be at most {shown} here", mechanism.kind())));
        }
        Ok(())
    }

    fn of_table(&self) -> Result<Representer> {
        let table = textveil_tables::load(self.table.as_deref())?;
        let source = Source::Table(&table);
        let mechanism = self.options.mechanism(self.mechanism, source)?;
        let of = |mechanism| Representer::of_table(&table, mechanism, self.unit);
        let representer = of(mechanism).map_err(|error| Request::of(&mechanism, source).explain(error))?;
        Self::check_epsilon(&mechanism, of)?;
        Ok(if self.any_language { representer.of_any_language() } else { representer })
    }

    fn of_encoder(&self) -> Result<Representer> {
        let encoder = self.encoder.load()?;
        let most = encoder.table().dims();
        let source = Source::Vectors(self.dims.unwrap_or(most));
        let mechanism = self.options.mechanism(self.mechanism, source)?;
        let of = |mechanism| Representer::of_encoder(&encoder, self.dims, mechanism);
        let representer = of(mechanism).map_err(|error| match error {
            Error::DimensionMismatch => anyhow!("--dims must be from 3 to {most}"),
            Error::NotOffered if self.mechanism != MechanismKind::Privunit2 => {
                wrong_options(anyhow!("--unit whole-text is for privunit2, not for {}", self.mechanism))
            }
            _ => Request::of(&mechanism, source).explain(error),
        })?;
        Self::check_epsilon(&mechanism, of)?;
        Ok(representer)
    }

    fn lines(&self, release: &Release<'_>, target: &mut Target, state: &mut State) -> Result<()> {
        let standard_input = [PathBuf::from("-")];
        let files = if self.files.is_empty() { &standard_input[..] } else { &self.files };
        check_standard_output(&files.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
        let (pool, pace) = (self.threads.pool()?, self.threads.pace());
        self.randomness.warn();
        let lines = PlainLines { release, randomness: &self.randomness, as_broken: false };
        let result = files.iter().try_for_each(|path| {
            let (name, size, input) = texts(path, "textveil represent")?;
            (state.input, state.line) = (0, 1);
            pace.begin(size, 0, state.rows);
            lines.run(&Run { pool: &pool, pace: &pace, name: &name, skip_bad: false }, input, target, state)
        });
        pace.end();
        result
    }

    fn dropout(&self) -> Dropout {
        match (self.dropout, self.fixed_size) {
            (None, _) => Dropout::None,
            (Some(rate), false) => Dropout::Bernoulli(rate),
            (Some(rate), true) => Dropout::FixedSize(rate),
        }
    }
}

fn as_json(representation: &Representation, seeded: bool, is_short: bool) -> Value {
    let mut value = match &representation.values {
        Values::Lattice { .. } => json!({ "vectors": representation.vectors() }),
        Values::Bits(rows) => json!({ "bits": rows.iter().map(|row| digits(row)).collect::<Vec<_>>() }),
    };
    value["guarantee"] = stated(&representation.guarantee, is_short);
    if seeded {
        value["insecureSeed"] = Value::Bool(true);
    }
    value
}

fn digits(bits: &[bool]) -> String {
    bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect()
}
