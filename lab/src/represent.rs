//! `textveil represent`: lines in, a noisy representation of each out, as JSON lines.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};
use textveil::{Dropout, Guarantee, MechanismKind, Representation, Representer, Unit, Values};

use crate::lines::Lines;
use crate::options::{MechanismOptions, explained_for, mechanisms};
use crate::statement::{counted, in_short, shown_loss};

/// Represent text by noisy vectors or bits, a line at a time
#[derive(Args)]
pub(crate) struct Represent {
    /// The mechanism that adds noise
    #[arg(long, value_parser = mechanisms(), value_name = "NAME")]
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
        let representer = Representer::of_table(&table, self.options.mechanism(self.mechanism)?, self.unit)
            .map_err(|error| explained_for(error, self.mechanism, &table))?;
        let dropout = self.dropout();
        // A bad rate is refused before anything is read.
        let mut weakest = representer.guarantee(1, &dropout)?;
        let mut out = BufWriter::new(io::stdout().lock());
        let (mut released, mut words) = (0, 0);
        let result = self.lines.release(&mut |text, _, rng| {
            let representation = representer.represent(text, &dropout, rng)?;
            released += 1;
            words += representation.guarantee.words as u64;
            writeln!(out, "{}", as_json(&representation, self.lines.are_seeded()))?;
            if is_weaker(&representation.guarantee, &weakest) {
                weakest = representation.guarantee;
            }
            Ok(())
        });
        // What was released before a failure is out: it is written and counted like the rest.
        let flushed = out.flush();
        if flushed.is_ok() {
            let (releases, words) = (counted(released, "release"), counted(words, "private word"));
            eprintln!("{releases}, {words}; {}", in_short(&weakest));
        }
        result.and(flushed.map_err(Into::into))
    }

    fn dropout(&self) -> Dropout {
        match (self.dropout, self.fixed_size) {
            (None, _) => Dropout::None,
            (Some(rate), false) => Dropout::Bernoulli(rate),
            (Some(rate), true) => Dropout::FixedSize(rate),
        }
    }
}

/// Of the numbers that the summary shows.
fn is_weaker(one: &Guarantee, other: &Guarantee) -> bool {
    shown_loss(one) > shown_loss(other)
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
