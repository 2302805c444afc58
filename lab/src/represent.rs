//! `textveil represent`: lines in, a noisy representation of each out, as JSON lines.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};
use textveil::{Dropout, Error, Guarantee, MechanismKind, Representation, Representer, Unit, Values};

use crate::lines::{Lines, finish};
use crate::options::{MechanismOptions, Source, representing_mechanisms};
use crate::refusal::Request;
use crate::statement::{counted, lines_in_short};

/// Represent text by noisy vectors or bits, a line at a time
#[derive(Args)]
pub(crate) struct Represent {
    /// The mechanism that adds noise
    #[arg(long, value_parser = representing_mechanisms(), value_name = "NAME")]
    mechanism: MechanismKind,
    #[command(flatten)]
    options: MechanismOptions,
    /// A row for each word, or one for the whole line
    #[arg(long, default_value = Unit::Text.name(), value_parser = units(), value_name = "UNIT")]
    unit: Unit,
    /// Leave each word out with this probability, which strengthens the guarantee
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    dropout: Option<f64>,
    /// Leave out that share of the words of every line, rounded up, instead of each word by chance
    #[arg(long, requires = "dropout")]
    fixed_size: bool,
    /// A table file instead of the built-in English table
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    #[command(flatten)]
    lines: Lines,
}

fn units() -> impl TypedValueParser<Value = Unit> {
    PossibleValuesParser::new([Unit::Word, Unit::Text].map(Unit::name))
        .map(|name| if name == Unit::Word.name() { Unit::Word } else { Unit::Text })
}

impl Represent {
    pub(crate) fn run(&self) -> Result<()> {
        let table = crate::table(self.table.as_deref())?;
        let source = Source::Table(&table);
        let mechanism = self.options.mechanism(self.mechanism, source)?;
        let representer = Representer::of_table(&table, mechanism, self.unit)
            .map_err(|error| Request::of(&mechanism, source).explain(error))?;
        let dropout = self.dropout();
        // A bad rate is refused before anything is read.
        let of_one_word = representer.guarantee(1, &dropout).map_err(|error| match error {
            Error::NotOffered => anyhow!(
                "dropout is not offered with metric DP ({}), whose guarantee it would not strengthen",
                self.mechanism
            ),
            _ => error.into(),
        })?;
        let mut out = BufWriter::new(io::stdout().lock());
        let (mut released, mut words, mut weakest) = (0, 0, None);
        let result = self.lines.release(&mut |text, _, rng| {
            let representation = representer.represent(text, &dropout, rng)?;
            released += 1;
            words += representation.guarantee.words as u64;
            writeln!(out, "{}", as_json(&representation, self.lines.are_seeded()))?;
            weakest = Some(weaker(weakest.take(), representation.guarantee));
            Ok(())
        });
        let weakest = weakest.unwrap_or(of_one_word);
        finish(result, &mut out, released, || {
            format!("{}; {}", counted(words, "private word"), lines_in_short(&weakest))
        })
    }

    fn dropout(&self) -> Dropout {
        match (self.dropout, self.fixed_size) {
            (None, _) => Dropout::None,
            (Some(rate), false) => Dropout::Bernoulli(rate),
            (Some(rate), true) => Dropout::FixedSize(rate),
        }
    }
}

/// What holds for both: which line loses most by a word, and which as a whole, may differ.
fn weaker(one: Option<Guarantee>, other: Guarantee) -> Guarantee {
    let Some(one) = one else { return other };
    Guarantee {
        epsilon_word: one.epsilon_word.max(other.epsilon_word),
        delta_word: one.delta_word.max(other.delta_word),
        epsilon_text: one.epsilon_text.max(other.epsilon_text),
        delta_text: one.delta_text.max(other.delta_text),
        ..other
    }
}

fn as_json(representation: &Representation, seeded: bool) -> Value {
    let mut value = match &representation.values {
        Values::Lattice { .. } => json!({ "vectors": representation.vectors() }),
        Values::Bits(rows) => json!({ "bits": rows.iter().map(|row| digits(row)).collect::<Vec<_>>() }),
    };
    value["guarantee"] = json!(representation.guarantee);
    if seeded {
        value["insecureSeed"] = Value::Bool(true);
    }
    value
}

fn digits(bits: &[bool]) -> String {
    bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect()
}
