//! `textveil statements`: lists of statements are made and looked into here. `textveil privatize --statements` uses them.

mod build;
mod inspect;
mod suggest;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use clap::{Args, Subcommand};
use textveil::{Error, Parameter, ReleaseRng, StatementList, StatementRelease, Statements, TextEncoder};
use textveil_bulk::{Fault, Reason};
use textveil_toolkit::exit::wrong_options;
use textveil_toolkit::mechanism::MechanismOptions;

/// Commands for lists of statements.
#[derive(Subcommand)]
pub(crate) enum StatementsCommand {
    Build(build::Build),
    Suggest(suggest::Suggest),
    Inspect(inspect::Inspect),
}

impl StatementsCommand {
    pub(crate) fn run(self) -> Result<()> {
        match self {
            Self::Build(build) => build.run(),
            Self::Suggest(suggest) => suggest.run(),
            Self::Inspect(inspect) => inspect.run(),
        }
    }
}

/// How a text is exchanged for statements.
#[derive(Args)]
pub(crate) struct ExchangeOptions {
    /// Exchange each text as a whole for a statement of this list, under one ε (--epsilon: 8 unless given, and 2 for a list of answers)
    #[arg(long, value_name = "FILE")]
    statements: Option<PathBuf>,
    /// A text encoder, a table file, instead of the built-in English one
    #[arg(long, requires = "statements", value_name = "FILE")]
    encoder: Option<PathBuf>,
    /// How many statements are near to a text. Without it one of a list of answers, and otherwise 6·M/e^ε of M statements,
    /// at least one
    #[arg(long, requires = "statements", value_name = "K")]
    near: Option<usize>,
    /// Draw this number of statements for each text, one for each of its first sentences. Each costs ε
    #[arg(long, requires = "statements", value_name = "N")]
    per_sentence: Option<usize>,
}

/// Statements and what encodes texts for them.
pub(crate) struct Exchanger {
    pub(crate) statements: Statements,
    /// Without one, each text is an answer of the list.
    encoder: Option<TextEncoder>,
}

impl ExchangeOptions {
    /// The files that are named.
    pub(crate) fn files(&self) -> [Option<&PathBuf>; 2] {
        [self.statements.as_ref(), self.encoder.as_ref()]
    }

    /// How many statements are drawn for a text, at most.
    pub(crate) fn releases(&self) -> usize {
        self.per_sentence.unwrap_or(1)
    }

    /// What exchanges texts, if a list is named.
    pub(crate) fn exchanger(&self, options: &MechanismOptions, any_language: bool) -> Result<Option<Exchanger>> {
        let Some(path) = &self.statements else { return Ok(None) };
        let epsilon = options.epsilon_alone().context("with --statements")?;
        let list = load(path)?;
        let epsilon = epsilon.unwrap_or_else(|| list.usual_epsilon());
        ensure!(
            !list.is_of_answers() || self.encoder.is_none(),
            wrong_options(anyhow!("no encoder finds an answer: leave out --encoder"))
        );
        let encoder = if list.is_of_answers() { None } else { Some(self.encoder_of(path, &list)?) };
        ensure!(
            encoder.is_some() || self.releases() == 1,
            wrong_options(anyhow!("an answer is one statement: leave out --per-sentence"))
        );
        let statements = Statements::new(&list, epsilon).map_err(|error| match error {
            Error::Invalid(Parameter::Epsilon) => {
                wrong_options(anyhow!("--epsilon must be above 0 and at most {}", Statements::MOST_EPSILON))
            }
            _ => error.into(),
        })?;
        let statements = match self.near {
            Some(near) => with_near(statements, near)?,
            None => statements,
        };
        let statements = statements
            .per_sentence(self.releases())
            .map_err(|_| wrong_options(anyhow!("--per-sentence must be from 1 to {}", Statements::MAX_RELEASES)))?;
        let statements = if any_language { statements.of_any_language() } else { statements };
        Ok(Some(Exchanger { statements, encoder }))
    }

    fn encoder_of(&self, path: &Path, list: &StatementList) -> Result<TextEncoder> {
        let encoder = textveil_tables::text_encoder(self.encoder.as_deref())?;
        ensure!(
            encoder.id() == list.encoder(),
            "{} was made with another encoder, {}: name it by --encoder",
            path.display(),
            list.encoder()
        );
        Ok(encoder)
    }
}

impl Exchanger {
    /// Whether each text must be an answer of the list.
    pub(crate) const fn takes_answers_alone(&self) -> bool {
        self.encoder.is_none()
    }

    /// The release of a text in NFKC.
    pub(crate) fn exchange(&self, text: &str, rng: &mut ReleaseRng) -> Result<StatementRelease, Fault> {
        let Some(encoder) = &self.encoder else {
            let number = self.statements.list().number_of(text).ok_or(Fault::Row(Reason::NoAnswer))?;
            return self.statements.exchange_chosen(&[number], rng).map_err(Fault::from);
        };
        self.statements.exchange(encoder, text, rng).map_err(Fault::from)
    }
}

/// The text encoder of a command.
#[derive(Args)]
pub(crate) struct EncoderOption {
    /// A text encoder, a table file, instead of the built-in English one
    #[arg(long, value_name = "FILE")]
    encoder: Option<PathBuf>,
}

impl EncoderOption {
    pub(crate) fn load(&self) -> Result<TextEncoder> {
        textveil_tables::text_encoder(self.encoder.as_deref())
    }

    /// The file that is named.
    pub(crate) const fn file(&self) -> Option<&PathBuf> {
        self.encoder.as_ref()
    }
}

fn load(path: &Path) -> Result<StatementList> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let (shown, is_text) = (path.display(), std::str::from_utf8(&bytes).is_ok());
    StatementList::parse(bytes).map_err(|error| match error {
        Error::BadStatements(_) if is_text => {
            anyhow!(
                "{shown}: {error}. Make a list of a text file: textveil statements build {shown} --out LIST.tvs. For the answers of a \
                 question, add --answers"
            )
        }
        _ => anyhow!(error).context(shown.to_string()),
    })
}

/// # Errors
/// The list has no more statements than this.
fn with_near(statements: Statements, near: usize) -> Result<Statements> {
    let (is_of_answers, most) = (statements.list().is_of_answers(), statements.list().len().saturating_sub(1));
    statements.with_near(near).map_err(|_| {
        wrong_options(if is_of_answers {
            anyhow!("an answer is near to itself alone: leave out --near")
        } else {
            anyhow!("--near must be from 1 to {most}")
        })
    })
}

/// The vectors of texts; a text that is too long is an error.
fn encoded(encoder: &TextEncoder, texts: &[String]) -> Result<Vec<Vec<f64>>, Error> {
    texts.iter().map(|text| encoder.encode(text)).collect()
}
