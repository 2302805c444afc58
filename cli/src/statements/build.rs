//! `textveil statements build`: a list of statements from a text file, and what texts come to by it.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use textveil::{Otherwise, StatementList};
use textveil_toolkit::files::replace;
use textveil_toolkit::report::numbers::counted;

use crate::output::Output;

use super::{EncoderOption, encoded, lines};

/// Two statements with this cosine or more are said to be alike.
const ALIKE: f64 = 0.9;
/// The most items of any kind that are shown.
const SHOWN: usize = 20;

/// Make a list of statements from a text file
///
/// The file has a statement on each line. Lines that begin with # are left out. The list is public. Statements that the
/// encoder takes for nearly the same are named. With --texts, the command shows where texts go: how many fit nothing,
/// which statements no text reaches, and twenty examples. Those texts are read on this machine and go nowhere else.
#[derive(Args)]
pub(crate) struct Build {
    /// The statements, one a line
    input: PathBuf,
    #[command(flatten)]
    out: Output,
    #[command(flatten)]
    encoder: EncoderOption,
    /// A statement of the file that stands for all texts that fit nothing
    #[arg(long, value_name = "STATEMENT")]
    otherwise: Option<String>,
    /// A text fits if the cosine to the nearest statement is at least this, −1 to 1 [default: 0.35, of the built-in text
    /// encoder alone. With fewer dimensions all cosines are larger: --texts shows them]
    #[arg(long, requires = "otherwise", allow_negative_numbers = true, value_name = "COSINE")]
    least_cosine: Option<f64>,
    /// Texts that you may read, one a line
    #[arg(long, value_name = "FILE")]
    texts: Option<PathBuf>,
}

impl Build {
    fn least_cosine(&self) -> Result<f64> {
        let usual = self.encoder.encoder.is_none().then_some(Otherwise::USUAL_LEAST_COSINE);
        self.least_cosine.or(usual).context(
            "say --least-cosine: what is usual holds for the built-in text encoder alone. --texts shows the cosines of texts",
        )
    }

    pub(crate) fn run(self) -> Result<()> {
        let path = self.out.checked([Some(&self.input), self.encoder.file(), self.texts.as_ref()])?;
        let statements = lines(&self.input, true)?;
        let encoder = self.encoder.load()?;
        let vectors = encoded(&encoder, &statements)?;
        let unknown = vectors.iter().position(|vector| vector.iter().all(|x| *x == 0.0));
        ensure!(unknown.is_none(), "the encoder knows no word of \"{}\"", statements[unknown.unwrap_or_default()]);
        let otherwise = match &self.otherwise {
            Some(text) => Some(Otherwise {
                statement: statements
                    .iter()
                    .position(|statement| statement == text)
                    .with_context(|| format!("{} has no line \"{text}\"", self.input.display()))?,
                least_cosine: self.least_cosine()?,
                left_out: encoder.polarity_dims(),
            }),
            None => None,
        };
        let lines: Vec<&str> = statements.iter().map(String::as_str).collect();
        let file = StatementList::file(&lines, &vectors.concat(), encoder.table().dims(), encoder.id(), otherwise)
            .with_context(|| self.input.display().to_string())?;
        replace(path, &file)?;
        let list = StatementList::parse(file)?;
        let mut out = io::stdout().lock();
        writeln!(out, "{}: {}, {}", path.display(), counted(list.len() as u64, "statement"), list.id())?;
        write_alike(&mut out, &list, &vectors)?;
        match &self.texts {
            Some(texts) => {
                let texts = super::lines(texts, false)?;
                write_places(&mut out, &list, &texts, &encoded(&encoder, &texts)?)
            }
            None => Ok(()),
        }
    }
}

/// Names the statements that are nearly the same.
fn write_alike(out: &mut impl Write, list: &StatementList, vectors: &[Vec<f64>]) -> Result<()> {
    let mut alike = Vec::new();
    for (number, vector) in vectors.iter().enumerate() {
        let cosines = list.cosines(vector)?.unwrap_or_default();
        let others = cosines.into_iter().enumerate().skip(number + 1);
        alike.extend(others.filter(|(_, cosine)| *cosine >= ALIKE).map(|(other, cosine)| (cosine, number, other)));
    }
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    if !alike.is_empty() {
        writeln!(out, "nearly alike, {} (cosine at least {ALIKE}):", counted(alike.len() as u64, "pair"))?;
    }
    for (cosine, one, other) in alike.into_iter().take(SHOWN) {
        let text = |number| list.get(number).unwrap_or_default();
        writeln!(out, "  {cosine:.2}  {}  /  {}", text(one), text(other))?;
    }
    Ok(())
}

/// Shows what texts go where.
fn write_places(out: &mut impl Write, list: &StatementList, texts: &[String], vectors: &[Vec<f64>]) -> Result<()> {
    let mut counts = vec![0_u64; list.len()];
    let mut fit_nothing = 0_u64;
    let mut examples = Vec::new();
    let every = texts.len().div_ceil(SHOWN).max(1);
    for (place, (text, vector)) in texts.iter().zip(vectors).enumerate() {
        let largest = list.largest_cosine(vector)?;
        let least = list.otherwise().map_or(0.0, |otherwise| otherwise.least_cosine);
        fit_nothing += u64::from(largest.is_none_or(|cosine| cosine < least));
        let nearest = list.nearest(vector, 1)?.first().copied();
        nearest.into_iter().for_each(|nearest| counts[nearest] += 1);
        if place % every == 0 {
            examples.push((
                largest.unwrap_or(0.0),
                text,
                nearest.and_then(|nearest| list.get(nearest)).unwrap_or("(none)"),
            ));
        }
    }
    let share = 100.0 * fit_nothing as f64 / texts.len().max(1) as f64;
    writeln!(out, "{}: {share:.1} % fit nothing", counted(texts.len() as u64, "text"))?;
    let never: Vec<&str> = list.iter().zip(&counts).filter(|(_, count)| **count == 0).map(|(text, _)| text).collect();
    writeln!(out, "no text comes to {}", counted(never.len() as u64, "statement"))?;
    never.iter().take(SHOWN).try_for_each(|statement| writeln!(out, "  {statement}"))?;
    writeln!(out, "examples (cosine, text, the statement nearest to it):")?;
    for (cosine, text, statement) in examples {
        writeln!(out, "  {cosine:.2}  {text}\n        {statement}")?;
    }
    Ok(())
}
