//! `textveil levels`: what can be asked for, and what each costs.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use textveil::{LevelReport, MechanismKind, Probability, RoundedUp};
use textveil_toolkit::mechanism::word_mechanisms;

/// List the levels of a mechanism: how many words stay, and the epsilon of each
///
/// A level is a strength with a number. "textveil privatize --level N" uses it. Three levels of nearest have names for
/// --preset. Epsilon adds up over the words of a text.
#[derive(Args)]
pub(crate) struct Levels {
    /// The mechanism. Without it, the table's usual one
    #[arg(long, value_parser = word_mechanisms(), value_name = "NAME")]
    mechanism: Option<MechanismKind>,
    /// A table file instead of the built-in English table
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

impl Levels {
    pub(crate) fn run(&self) -> Result<()> {
        let table = textveil_tables::load(self.table.as_deref())?;
        let kind = self.mechanism.unwrap_or(table.default_mechanism());
        let mut levels = table.level_reports()?;
        levels.retain(|level| level.mechanism == kind);
        ensure!(!levels.is_empty(), "the table has no levels of {kind}: name its parameters, such as --epsilon");
        let mut out = io::stdout().lock();
        writeln!(out, "Levels of {kind}\n")?;
        writeln!(out, "  {:>5}  {:>14}  {:>12}  {:>11}", "level", "epsilon a word", "delta a word", "words kept")?;
        for level in &levels {
            let LevelReport { index, retention_by_frequency, is_default, .. } = level;
            let (epsilon, delta) =
                (RoundedUp(level.epsilon_word).to_string(), Probability(level.delta_word).to_string());
            let kept = 100.0 * retention_by_frequency;
            let preset = level.preset.map_or("", |preset| preset.name());
            let name = [preset, if *is_default { "default" } else { "" }].join(" ");
            let line = format!("  {index:>5}  {epsilon:>14}  {delta:>12}  {kept:>10.1}%  {}", name.trim());
            writeln!(out, "{}", line.trim_end())?;
        }
        writeln!(
            out,
            "\nWords kept: the share of the words of a usual text, with \"the\" and \"of\", that come out as themselves."
        )?;
        Ok(())
    }
}
