//! `textveil privatize`: lines in, privatized lines out, in constant memory. Every line is a release of its
//! own.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use getrandom::SysRng;
use serde_json::{Value, json};
use textveil::{
    Disclosure, Epsilon, Eta, Guarantee, MAX_TEXT_BYTES, Mechanism, MechanismKind, Privatizer, Release, ReleaseRng,
    RoundedUp, SamplerKind, Table, TokenAccount, normalize, release_rng, seeded_rng,
};

/// Privatize text, a line at a time.
#[derive(Args)]
pub(crate) struct Privatize {
    /// The mechanism that replaces words.
    #[arg(long, default_value = MechanismKind::Exponential.name(), value_parser = mechanisms(), value_name = "NAME")]
    mechanism: MechanismKind,
    /// Metric-DP parameter η, per unit of the table's distance.
    #[arg(long, group = "strength", allow_negative_numbers = true)]
    eta: Option<f64>,
    /// The most that one word may lose in the worst case: pure ε, in nats.
    #[arg(long, group = "strength", allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// A level of the table by its number (`textveil table inspect` lists them); without any of the three,
    /// the table's default level.
    #[arg(long, group = "strength", allow_negative_numbers = true)]
    level: Option<usize>,
    /// Leave function words ("the", "of", "was") in clear.
    #[arg(long)]
    keep_function_words: bool,
    /// Write `[email]`, `[url]` and `[number]` for addresses and long numbers: their kind is then public.
    #[arg(long)]
    placeholders: bool,
    /// A table file instead of the built-in English table.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// 64 hexadecimal digits that fix every draw. INSECURE: whoever knows them can undo the release. For
    /// research and tests only.
    #[arg(long, value_name = "HEX")]
    seed: Option<Seed>,
    /// One JSON object a line: text, guarantee, and under `device_only` what became of each token, which must
    /// not be uploaded.
    #[arg(long)]
    json: bool,
    /// Files to read; standard input without any, or for "-".
    #[arg(value_name = "FILES")]
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy)]
struct Seed([u8; 32]);

impl std::str::FromStr for Seed {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits: Option<Vec<u8>> = text.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
        let digits = digits.filter(|digits| digits.len() == 64).ok_or("a seed is 64 hexadecimal digits")?;
        Ok(Self(std::array::from_fn(|i| digits[2 * i] << 4 | digits[2 * i + 1])))
    }
}

impl Privatize {
    pub(crate) fn run(&self) -> Result<()> {
        let table = crate::table(self.table.as_deref())?;
        let disclosure = Disclosure { function_words: self.keep_function_words, placeholders: self.placeholders };
        let mut lines = Lines {
            privatizer: Privatizer::new(&table, self.mechanism(&table)?, disclosure)?,
            seed: self.seed,
            json: self.json,
            out: BufWriter::new(io::stdout().lock()),
            released: 0,
            words: 0,
        };
        if self.seed.is_some() {
            eprintln!("warning: every draw follows from --seed; whoever knows it can undo this release");
        }
        let standard_input = [PathBuf::from("-")];
        let files = if self.files.is_empty() { &standard_input[..] } else { &self.files };
        let result = files.iter().try_for_each(|path| lines.privatize_file(path));
        // What was released before a failure is out: it is written and counted like the rest.
        let flushed = lines.out.flush();
        if flushed.is_ok() {
            eprintln!("{}", lines.summary());
        }
        result.and(flushed.map_err(Into::into))
    }

    fn mechanism(&self, table: &Table) -> Result<Mechanism> {
        let kind = self.mechanism;
        Ok(match (self.eta, self.epsilon, self.level) {
            (Some(eta), ..) => Mechanism::new(kind, Eta::new(eta)?),
            (_, Some(epsilon), _) => Mechanism::within(kind, Epsilon::new(epsilon)?, table)?,
            (.., Some(level)) => Mechanism::at_level(kind, level, table).map_err(|_| no_such_level(kind, table))?,
            _ => table.default_mechanism_of(kind).map_err(|_| no_such_level(kind, table))?,
        })
    }
}

fn mechanisms() -> impl TypedValueParser<Value = MechanismKind> {
    PossibleValuesParser::new(MechanismKind::ALL.map(MechanismKind::name)).try_map(|name| name.parse::<MechanismKind>())
}

/// What is wrong with a level that the table does not have.
fn no_such_level(kind: MechanismKind, table: &Table) -> anyhow::Error {
    match table.levels_of(kind).count() {
        0 => anyhow!("the table stores no level of {kind}: pass --eta or --epsilon"),
        count => anyhow!("{kind} has {}, 0 to {}", counted(count as u64, "level"), count - 1),
    }
}

/// "1 word", "2 words".
fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// η with at most four significant digits, never smaller than it is.
fn four_digits_up(eta: f64) -> f64 {
    let round = |x: f64| format!("{x:.3e}").parse().unwrap_or(x);
    let nearest = round(eta);
    let last_digit = libm::pow(10.0, libm::floor(libm::log10(eta)) - 3.0);
    if nearest < eta { round(nearest + last_digit) } else { nearest }
}

struct Lines<W: Write> {
    privatizer: Privatizer,
    seed: Option<Seed>,
    json: bool,
    out: W,
    released: u64,
    words: u64,
}

impl<W: Write> Lines<W> {
    fn privatize_file(&mut self, path: &Path) -> Result<()> {
        let (name, size, input): (_, _, Box<dyn Read>) = if path == Path::new("-") {
            ("standard input".to_string(), None, Box::new(io::stdin().lock()))
        } else {
            let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
            (path.display().to_string(), Some(file.metadata()?.len()), Box::new(file))
        };
        let progress = crate::progress::bytes(size);
        let mut input = BufReader::new(progress.wrap_read(input));
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            // One byte more than may be released, and a line break: enough to see that a line is too long
            // without reading it all.
            let read = input
                .by_ref()
                .take(MAX_TEXT_BYTES as u64 + 3)
                .read_until(b'\n', &mut line)
                .with_context(|| format!("cannot read {name}"))?;
            if read == 0 {
                break;
            }
            let (text, end) = line_and_end(&line);
            self.privatize_line(text, end).with_context(|| format!("{name}, line {number}"))?;
        }
        progress.finish_and_clear();
        Ok(())
    }

    fn privatize_line(&mut self, line: &[u8], end: &str) -> Result<()> {
        if line.len() > MAX_TEXT_BYTES {
            bail!(textveil::Error::TextTooLong);
        }
        // Bytes that are not UTF-8 become U+FFFD, a token like any other.
        let text = normalize(&String::from_utf8_lossy(line));
        let release = self.privatizer.privatize(&text, &mut self.rng()?)?;
        self.released += 1;
        self.words += release.guarantee.words as u64;
        if self.json {
            let value = as_json(self.privatizer.table(), &release, self.seed.is_some());
            writeln!(self.out, "{value}")?;
        } else {
            // A line may hold breaks of other kinds (a lone carriage return, U+2028), which are line feeds in
            // a release.
            write!(self.out, "{}{end}", release.text.replace('\n', " "))?;
        }
        Ok(())
    }

    /// A generator for the next release; under a seed, the stream that has the release's number.
    fn rng(&self) -> Result<ReleaseRng> {
        let Some(Seed(seed)) = self.seed else { return Ok(release_rng(&mut SysRng)?) };
        let mut rng = seeded_rng(seed);
        rng.set_stream(self.released);
        Ok(rng)
    }

    fn summary(&self) -> String {
        let Guarantee { mechanism, eta, epsilon_word, .. } = self.privatizer.guarantee(1);
        let (releases, words) = (counted(self.released, "release"), counted(self.words, "private word"));
        let (eta, epsilon) = (four_digits_up(eta), RoundedUp(epsilon_word));
        format!(
            "{releases}, {words}; {mechanism}, eta {eta}: at most epsilon {epsilon} a word in the worst case, \
             times the words of a line"
        )
    }
}

fn line_and_end(line: &[u8]) -> (&[u8], &'static str) {
    match line.strip_suffix(b"\n") {
        Some(text) => (text.strip_suffix(b"\r").unwrap_or(text), "\n"),
        None => (line, ""),
    }
}

fn as_json(table: &Table, release: &Release, seeded: bool) -> Value {
    let mut value = json!({
        "text": release.text,
        "guarantee": guarantee_json(&release.guarantee),
        "device_only": { "account": release.account.iter().map(|entry| token_json(table, entry)).collect::<Vec<_>>() },
    });
    if seeded {
        value["insecure_seed"] = Value::Bool(true);
    }
    value
}

/// The facts that JavaScript gets under the same names in its own spelling (`wasm/src/results.rs`).
fn guarantee_json(guarantee: &Guarantee) -> Value {
    json!({
        "mechanism": guarantee.mechanism,
        "notion": Guarantee::NOTION,
        "unit": Guarantee::UNIT,
        "neighbours": Guarantee::NEIGHBOURS,
        "eta": guarantee.eta,
        "epsilon_word": guarantee.epsilon_word,
        "words": guarantee.words,
        "epsilon_text": guarantee.epsilon_text,
        "exact_sampler": guarantee.sampler == SamplerKind::Exact,
        "clear": guarantee.clear,
        "table": guarantee.table.to_string(),
        "statement": guarantee.statement(),
    })
}

fn token_json(table: &Table, entry: &TokenAccount) -> Value {
    json!({
        "token": entry.token,
        "kind": entry.kind,
        "found": entry.reading.map(|reading| reading.found),
        "input": entry.reading.map(|reading| table.word(reading.row).to_string()),
        "output": entry.output.map(|row| table.word(row).to_string()),
        "clear": entry.clear,
        "kept": entry.is_kept(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eta_is_never_shown_smaller_than_it_is() {
        for (eta, shown) in [
            (14.6, 14.6),
            (14.612, 14.62),
            (14.618, 14.62),
            (0.001_000_1, 0.001_001),
            (999.99, 1000.0),
            (123_456.0, 123_500.0),
        ] {
            assert_eq!(four_digits_up(eta), shown);
        }
    }

    #[test]
    fn a_seed_is_digits_and_nothing_else() {
        let seed = |text: &str| text.parse::<Seed>().map(|Seed(bytes)| bytes);
        assert_eq!(seed(&"0F".repeat(32)), Ok([15; 32]));
        for wrong in ["+f".repeat(32), "0f".repeat(31), "0f".repeat(33), "é".repeat(32)] {
            assert!(seed(&wrong).is_err());
        }
    }
}
