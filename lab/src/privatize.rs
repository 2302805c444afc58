//! `textveil privatize`: lines in, privatized lines out, in constant memory. Every line is a release of its own.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use getrandom::SysRng;
use serde_json::{Value, json};
use textveil::{
    Disclosure, Epsilon, Eta, Guarantee, MAX_TEXT_BYTES, Mechanism, MechanismKind, Privatizer, Release, ReleaseRng, Table, TokenAccount, normalize,
    release_rng, seeded_rng,
};

/// Privatize text, a line at a time.
#[derive(Args)]
pub(crate) struct Privatize {
    /// The mechanism that replaces words: exponential or metric-laplace.
    #[arg(long, default_value = "exponential", value_name = "NAME")]
    mechanism: MechanismKind,
    /// Metric-DP parameter η, per unit of the table's distance.
    #[arg(long, group = "strength")]
    eta: Option<f64>,
    /// The most that one word may lose in the worst case: pure ε, in nats.
    #[arg(long, group = "strength")]
    epsilon: Option<f64>,
    /// A level of the table (see `textveil table inspect`); without any of the three, the table's default level.
    #[arg(long, group = "strength")]
    level: Option<usize>,
    /// Leave function words ("the", "of", "was") in clear.
    #[arg(long)]
    keep_function_words: bool,
    /// Write [email], [url] and [number] for addresses and long numbers: their kind is then public.
    #[arg(long)]
    placeholders: bool,
    /// A table file instead of the built-in English table.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// 64 hexadecimal digits that fix every draw. INSECURE: whoever knows them can undo the release. For research and tests only.
    #[arg(long, value_name = "HEX")]
    seed: Option<Seed>,
    /// One JSON object a line: text, guarantee, and under `device_only` what became of each token, which must not be uploaded.
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
        let byte = |at: usize| text.get(2 * at..2 * at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        let bytes = (0..32).map(byte).collect::<Option<Vec<u8>>>().filter(|_| text.len() == 64);
        bytes.and_then(|bytes| bytes.try_into().ok()).map(Self).ok_or("a seed is 64 hexadecimal digits")
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
        for path in if self.files.is_empty() { &standard_input[..] } else { &self.files } {
            lines.privatize_file(path)?;
        }
        lines.out.flush()?;
        eprintln!("{}", lines.summary());
        Ok(())
    }

    fn mechanism(&self, table: &Table) -> Result<Mechanism> {
        let kind = self.mechanism;
        Ok(match (self.eta, self.epsilon, self.level) {
            (Some(eta), ..) => Mechanism::new(kind, Eta::new(eta)?),
            (_, Some(epsilon), _) => Mechanism::within(kind, Epsilon::new(epsilon)?, table)?,
            (.., Some(level)) => Mechanism::at_level(kind, level, table)?,
            _ => table.default_mechanism_of(kind)?,
        })
    }
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
            // One byte more than may be released, and a line break: enough to see that a line is too long without reading it all.
            let read = input.by_ref().take(MAX_TEXT_BYTES as u64 + 3).read_until(b'\n', &mut line).with_context(|| format!("cannot read {name}"))?;
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
            write!(self.out, "{}{end}", release.text)?;
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
        format!(
            "{} releases, {} private words; {mechanism}, eta {eta}: at most epsilon {epsilon_word:.2} a word in the worst case, times the words of a line",
            self.released, self.words
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

fn guarantee_json(guarantee: &Guarantee) -> Value {
    json!({
        "mechanism": guarantee.mechanism,
        "notion": "metric-dp",
        "unit": "word",
        "neighbours": Guarantee::NEIGHBOURS,
        "eta": guarantee.eta,
        "epsilon_word": guarantee.epsilon_word,
        "words": guarantee.words,
        "epsilon_text": guarantee.epsilon_text,
        "sampler": guarantee.sampler,
        "clear": guarantee.clear,
        "table": guarantee.table.to_string(),
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
