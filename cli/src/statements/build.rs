//! `textveil statements build`: a list of statements from a text file, and what texts come to by it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use textveil::{Error, Otherwise, StatementList, TextEncoder, normalize};
use textveil_toolkit::files::{replace, text_of};
use textveil_toolkit::format::{Format, ONE_A_LINE};
use textveil_toolkit::number::number;
use textveil_toolkit::report::numbers::counted;
use textveil_toolkit::words;

use crate::output::Output;

use super::{EncoderOption, encoded};

/// Two statements with this cosine or more are said to be alike.
const ALIKE: f64 = 0.9;
/// A list that is no longer may be the answers of a question.
const FEW: usize = 12;
/// The most items of any kind that are shown without `--all`.
const SHOWN: usize = 20;

/// Make a list of statements from a text file
///
/// The file has a statement on each line. A line that begins with a space or a tab is another phrasing of the statement
/// above. Phrasings teach the list which texts come to a statement. They are not in the list, and are never sent. Lines that begin with # are left
/// out. The list is public. The command names statements that the encoder takes for nearly the same, lines that come to another
/// statement than their own, and lines with words that the encoder does not know. With --texts, it shows where texts go: how many fit nothing, which statements no text reaches, and twenty examples. Those texts are read on this
/// machine and go nowhere else.
#[derive(Args)]
pub(crate) struct Build {
    /// The statements, one a line, and their other phrasings
    input: PathBuf,
    #[command(flatten)]
    out: Output,
    #[command(flatten)]
    encoder: EncoderOption,
    /// The lines are the answers of a question, in any language. People choose one, and no encoder is asked
    #[arg(long, conflicts_with_all = ["encoder", "otherwise", "texts", "all"])]
    answers: bool,
    /// A statement of the file that stands for all texts that fit nothing
    #[arg(long, value_name = "STATEMENT")]
    otherwise: Option<String>,
    /// A text fits if the cosine to the nearest statement is at least this, −1 to 1 [default: 0.35, of the built-in text
    /// encoder alone. With fewer dimensions all cosines are larger: --texts shows them]
    #[arg(long, requires = "otherwise", allow_negative_numbers = true, value_name = "COSINE", value_parser = number)]
    least_cosine: Option<f64>,
    /// Texts that you may read, one a line
    #[arg(long, value_name = "FILE")]
    texts: Option<PathBuf>,
    /// Name all of them, not the first twenty of each kind
    #[arg(long)]
    all: bool,
}

impl Build {
    fn least_cosine(&self) -> Result<f64> {
        self.least_cosine.or(self.usual()).context(
            "say --least-cosine: what is usual holds for the built-in text encoder alone. --texts shows the cosines of texts",
        )
    }

    /// What is usual for the encoder, if that is known.
    fn usual(&self) -> Option<f64> {
        self.encoder.encoder.is_none().then_some(Otherwise::USUAL_LEAST_COSINE)
    }

    pub(crate) fn run(self) -> Result<()> {
        self.texts.iter().try_for_each(|texts| Format::check_lines(texts, ONE_A_LINE))?;
        let path = self.out.checked([Some(&self.input), self.encoder.file(), self.texts.as_ref()])?;
        let (numbers, lines): (Vec<usize>, Vec<String>) = list_lines(&self.input)?.into_iter().unzip();
        let shown = self.input.display();
        if self.answers {
            return build_answers(path, &shown.to_string(), &numbers, &lines);
        }
        let encoder = self.encoder.load()?;
        let vectors = encoded(&encoder, &lines)?;
        if let Some(unknown) = vectors.iter().position(|vector| vector.iter().all(|x| *x == 0.0)) {
            let (number, line) = (numbers[unknown], lines[unknown].trim());
            bail!("{shown}, line {number}: the encoder knows no word of \"{line}\"");
        }
        let otherwise = match &self.otherwise {
            Some(text) => {
                let wanted = normalize(text.trim());
                let mut statements = lines.iter().filter(|line| !StatementList::is_phrasing(line));
                let statement = statements
                    .position(|statement| *statement == wanted)
                    .with_context(|| format!("{shown} has no statement \"{text}\""))?;
                let (least_cosine, left_out) = (self.least_cosine()?, encoder.polarity_dims());
                Some(Otherwise { statement, least_cosine, left_out })
            }
            None => None,
        };
        let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
        let vectors_of_all = vectors.concat();
        let file_with = |otherwise| {
            let file = StatementList::file(&texts, &vectors_of_all, encoder.table().dims(), encoder.id(), otherwise);
            file.map_err(|error| explained(error, &shown.to_string(), &numbers))
        };
        let file = file_with(otherwise)?;
        replace(path, &file)?;
        let list = StatementList::parse(file)?;
        let mut out = io::stdout().lock();
        let phrasings = counted((lines.len() - list.len()) as u64, "other phrasing");
        let statements = counted(list.len() as u64, "statement");
        writeln!(out, "{}: {statements}, {phrasings}, {}", path.display(), list.id())?;
        if list.len() == lines.len() && list.len() <= FEW && otherwise.is_none() {
            writeln!(out, "If people choose among these answers, and write no text: add --answers")?;
        }
        let lines: Vec<Line<'_>> = of_statements(&numbers, &texts, &vectors).collect();
        let most = if self.all { usize::MAX } else { SHOWN };
        write_alike(&mut out, &list, &lines, most)?;
        write_misplaced(&mut out, &list, &lines, most)?;
        write_unknown(&mut out, &encoder, &lines, most)?;
        match &self.texts {
            Some(texts) => {
                let texts = words::lines(texts, false)?;
                let vectors = encoded(&encoder, &texts)?;
                let fitting = match (otherwise, self.usual()) {
                    (Some(_), _) => Some(list.clone()),
                    // The same texts fit a list as fit it with a statement for the others.
                    (None, Some(least_cosine)) => {
                        let usual = Otherwise { statement: 0, least_cosine, left_out: encoder.polarity_dims() };
                        Some(StatementList::parse(file_with(Some(usual))?)?)
                    }
                    (None, None) => None,
                };
                write_places(&mut out, (&list, fitting.as_ref()), &texts, &vectors, most)
            }
            None => Ok(()),
        }
    }
}

/// Each answer has a direction of its own.
fn build_answers(path: &Path, shown: &str, numbers: &[usize], lines: &[String]) -> Result<()> {
    if let Some(line) = lines.iter().position(|line| StatementList::is_phrasing(line)) {
        bail!("{shown}, line {}: an answer has no other phrasings: begin its line without a space", numbers[line]);
    }
    if let Some(line) = lines.iter().position(|line| line.contains("  ")) {
        bail!("{shown}, line {}: a page shows several spaces as one: write one", numbers[line]);
    }
    let count = lines.len();
    let most = StatementList::MAX_DIMS;
    ensure!((2..=most).contains(&count), "{shown}: a question has 2 to {most} answers, and the file has {count}");
    let vectors: Vec<f64> = (0..count * count).map(|at| f64::from(u8::from(at / count == at % count))).collect();
    let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
    let file = StatementList::file(&texts, &vectors, count, StatementList::NO_ENCODER, None)
        .map_err(|error| explained(error, shown, numbers))?;
    replace(path, &file)?;
    let list = StatementList::parse(file)?;
    writeln!(io::stdout().lock(), "{}: {}, {}", path.display(), counted(list.len() as u64, "answer"), list.id())?;
    Ok(())
}

/// What is wrong with a list, by the line of its file: there, blank lines and comments count, too.
fn explained(error: Error, shown: &str, numbers: &[usize]) -> anyhow::Error {
    match error {
        Error::BadStatement { line, rule } | Error::InvalidStatementVector { line, rule } => {
            anyhow!("{shown}, line {}: {rule}", numbers[line - 1])
        }
        _ => anyhow!(error).context(shown.to_owned()),
    }
}

/// The lines of a list, each with its number in the file. Other phrasings have a space in front.
fn list_lines(path: &Path) -> Result<Vec<(usize, String)>> {
    let text = text_of(path)?;
    let says = |(_, line): &(usize, &str)| !(line.trim().is_empty() || line.starts_with('#'));
    let indent = |line| if StatementList::is_phrasing(line) { " " } else { "" };
    let lines = (1..).zip(text.lines()).filter(says);
    Ok(lines.map(|(number, line)| (number, format!("{}{}", indent(line), normalize(line.trim())))).collect())
}

/// A line, its number in the file, its vector, and the number of its statement.
struct Line<'a> {
    number: usize,
    text: &'a str,
    vector: &'a [f64],
    statement: usize,
}

/// The lines of a list, which begins with a statement.
fn of_statements<'a>(
    numbers: &'a [usize],
    lines: &'a [&str],
    vectors: &'a [Vec<f64>],
) -> impl Iterator<Item = Line<'a>> {
    let mut statements = 0;
    numbers.iter().zip(lines).zip(vectors).map(move |((number, line), vector)| {
        statements += usize::from(!StatementList::is_phrasing(line));
        Line { number: *number, text: line.trim(), vector, statement: statements - 1 }
    })
}

/// Writes what is named, up to `most` of it, and how much is left.
fn write_items(out: &mut impl Write, title: &str, unit: &str, items: &[String], most: usize) -> Result<()> {
    if !items.is_empty() {
        writeln!(out, "{title}, {}:", counted(items.len() as u64, unit))?;
    }
    items.iter().take(most).try_for_each(|item| writeln!(out, "  {item}"))?;
    if let Some(left) = items.len().checked_sub(most).filter(|left| *left > 0) {
        writeln!(out, "  and {left} more: --all shows them")?;
    }
    Ok(())
}

/// Names the lines that are nearly the same as another statement.
fn write_alike(out: &mut impl Write, list: &StatementList, lines: &[Line<'_>], most: usize) -> Result<()> {
    let mut alike = Vec::new();
    for Line { text, vector, statement, .. } in lines {
        let cosines = list.cosines(vector)?.unwrap_or_default();
        let others = cosines.into_iter().enumerate().skip(statement + 1);
        alike.extend(others.filter(|(_, cosine)| *cosine >= ALIKE).map(|(other, cosine)| (cosine, text, other)));
    }
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    let show = |(cosine, line, other)| format!("{cosine:.2}  {line}  /  {}", list.get(other).unwrap_or_default());
    let items: Vec<String> = alike.into_iter().map(show).collect();
    write_items(out, &format!("nearly alike (cosine at least {ALIKE})"), "pair", &items, most)
}

/// Names the lines that come to another statement than their own.
fn write_misplaced(out: &mut impl Write, list: &StatementList, lines: &[Line<'_>], most: usize) -> Result<()> {
    let mut items = Vec::new();
    for Line { number, text, vector, statement } in lines {
        let nearest = list.nearest(vector, 1)?.first().copied().unwrap_or_default();
        if nearest != *statement {
            items.push(format!("line {number}: {text}  →  {}", list.get(nearest).unwrap_or_default()));
        }
    }
    write_items(out, "come to another statement than their own", "line", &items, most)
}

/// Names the words that the encoder does not know. It reads a line without them, so the line may teach something else than its
/// owner thinks.
fn write_unknown(out: &mut impl Write, encoder: &TextEncoder, lines: &[Line<'_>], most: usize) -> Result<()> {
    let mut items = Vec::new();
    for Line { number, text, .. } in lines {
        let mut unknown = Vec::new();
        for word in text.split_whitespace().filter(|word| word.contains(char::is_alphabetic)) {
            if encoder.rows(word)?.is_empty() {
                unknown.push(word.trim_matches(|c: char| !c.is_alphanumeric()));
            }
        }
        if !unknown.is_empty() {
            items.push(format!("line {number}: {}", unknown.join(", ")));
        }
    }
    write_items(out, "read without words that the encoder does not know", "line", &items, most)
}

/// Shows what texts go where. `fitting` is a list by which it is judged whether a text fits, if that is known.
fn write_places(
    out: &mut impl Write,
    (list, fitting): (&StatementList, Option<&StatementList>),
    texts: &[String],
    vectors: &[Vec<f64>],
    most: usize,
) -> Result<()> {
    let mut counts = vec![0_u64; list.len()];
    let mut fit_nothing = 0_u64;
    let mut examples = Vec::new();
    let every = texts.len().div_ceil(SHOWN).max(1);
    let least = fitting.and_then(StatementList::otherwise).map(|otherwise| otherwise.least_cosine);
    for (place, (text, vector)) in texts.iter().zip(vectors).enumerate() {
        let largest = fitting.unwrap_or(list).largest_cosine(vector)?;
        fit_nothing += u64::from(largest.is_none_or(|cosine| least.is_some_and(|least| cosine < least)));
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
    let counted_texts = counted(texts.len() as u64, "text");
    let lacking = "the list has no statement for these: see --otherwise";
    match (list.otherwise(), fitting) {
        (Some(_), _) => writeln!(out, "{counted_texts}: {share:.1} % fit nothing")?,
        (None, Some(_)) => writeln!(out, "{counted_texts}: {share:.1} % fit nothing, and {lacking}")?,
        (None, None) => {
            writeln!(out, "{counted_texts}: {share:.1} % have no word that the encoder knows, and {lacking}")?
        }
    }
    let never = list.iter().zip(&counts).filter(|(_, count)| **count == 0).map(|(text, _)| text.to_owned());
    write_items(out, "no text comes to these", "statement", &never.collect::<Vec<_>>(), most)?;
    writeln!(out, "examples (cosine, text, the statement nearest to it):")?;
    for (cosine, text, statement) in examples {
        writeln!(out, "  {cosine:.2}  {text}\n        {statement}")?;
    }
    Ok(())
}
