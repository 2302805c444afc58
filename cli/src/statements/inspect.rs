//! `textveil statements inspect`: what a list holds, and what a release from it tells.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, value_parser};
use textveil::Statements;

use super::{load, with_near};

const EPSILONS: [f64; 6] = [2.0, 4.0, 6.0, 8.0, 10.0, 12.0];
const EPSILONS_OF_ANSWERS: [f64; 6] = [0.5, 1.0, 2.0, 3.0, 4.0, 6.0];
const REPORTS: [f64; 3] = [1e3, 1e4, 1e5];
/// The share for which the error is computed.
const SHARE: f64 = 0.05;
/// Of a normal distribution, two-sided, at 95 %.
const SPREAD: f64 = 1.96;

/// Show a list of statements, and how much a release from it tells at each ε
///
/// For each ε it prints how many statements are near to a text (k), and the chance that one of them comes out. The
/// other columns say about how far off an estimated share of 5 % is (±, in 95 of 100 cases), by the number of texts. The
/// share is that of texts that are near to a statement. They are by the normal law, and from few texts a little too small.
/// "textveil-collector plan" computes by exact intervals how many texts a share needs.
#[derive(Args)]
pub(crate) struct Inspect {
    /// The list
    list: PathBuf,
    /// How many statements are near to a text. Without it one of a list of answers, and otherwise 6·M/e^ε of M statements,
    /// at least one
    #[arg(long, value_name = "K", value_parser = value_parser!(u32).range(1..))]
    near: Option<u32>,
    /// Print the statements too, each with its number
    #[arg(long)]
    all: bool,
}

impl Inspect {
    pub(crate) fn run(self) -> Result<()> {
        let list = load(&self.list)?;
        let mut out = io::stdout().lock();
        writeln!(out, "list      {}", list.id())?;
        if list.is_of_answers() {
            writeln!(out, "encoder   none: its statements are answers that people choose")?;
        } else {
            writeln!(out, "encoder   {}, {} dimensions", list.encoder(), list.dims())?;
        }
        let (one, asked) = if list.is_of_answers() { ("answer", "people") } else { ("statement", "texts") };
        writeln!(out, "length    {} {one}s", list.len())?;
        if let Some(otherwise) = list.otherwise() {
            let statement = list.get(otherwise.statement).unwrap_or_default();
            writeln!(out, "otherwise {statement} (cosine below {})", otherwise.least_cosine)?;
        }
        writeln!(out, "\nepsilon      k  near  ± of 5 % from 1,000    10,000   100,000 {asked}")?;
        for epsilon in if list.is_of_answers() { EPSILONS_OF_ANSWERS } else { EPSILONS } {
            let statements = Statements::new(&list, epsilon)?;
            let statements = match self.near {
                Some(near) => with_near(statements, near as usize)?,
                None => statements,
            };
            let (inside, outside) = statements.odds();
            let seen = SHARE * inside + (1.0 - SHARE) * outside;
            let half = |reports: f64| SPREAD * (seen * (1.0 - seen) / reports).sqrt() / (inside - outside);
            let [few, some, many] = REPORTS.map(|reports| 100.0 * half(reports));
            let near = inside * statements.near() as f64;
            writeln!(
                out,
                "{epsilon:>7} {:>6}  {near:.2}            {few:>6.2} %  {some:>6.2} %  {many:>6.2} %",
                statements.near()
            )?;
        }
        let meaning = if list.is_of_answers() {
            "near: the chance that a person's own answer comes out."
        } else {
            "k: how many statements are near to a text. near: the chance that one of them comes out."
        };
        writeln!(out, "{meaning} ±: how far off a share of 5 % is in 95 of 100 cases, in percentage points.")?;
        if self.all {
            writeln!(out)?;
            list.iter().enumerate().try_for_each(|(number, statement)| writeln!(out, "{number:>5}  {statement}"))?;
        }
        Ok(())
    }
}
