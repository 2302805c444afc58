//! `textveil table extend`, `request` and `contexts`: new words for a table, from the texts of many users.

use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use textveil::{Loss, Table, spelling};
use textveil_contribute::{Contributor, Device, Noise, Request};
use textveil_tables::extend::{Answers, Budget, Candidates, Extended, Learning, Space, share};
use textveil_tables::{load, text_encoder};
use textveil_toolkit::number::number;
use textveil_toolkit::seed::Randomness;
use textveil_toolkit::words::lines;

use super::users::{Columns, User, each};
use crate::output::Output;

/// Fewer users teach little.
const FEW: u64 = 2000;
/// Learned words that are shown.
const SHOWN: usize = 20;

/// The table that gets new words, and that in which contexts are read.
#[derive(Args)]
struct TableOptions {
    /// The table to extend, instead of the built-in English one
    #[arg(long, value_name = "TABLE")]
    table: Option<PathBuf>,
    /// The table in whose vectors contexts are read, instead of the built-in text encoder
    #[arg(long, value_name = "TABLE", requires = "space")]
    contexts: Option<PathBuf>,
    /// The file that "textveil table contexts" wrote for it
    #[arg(long, value_name = "FILE", requires = "contexts")]
    space: Option<PathBuf>,
}

impl TableOptions {
    fn files(&self) -> [Option<&PathBuf>; 3] {
        [&self.table, &self.contexts, &self.space].map(Option::as_ref)
    }

    /// The table to extend, that of the contexts, and what is known of them.
    fn load(&self) -> Result<(Table, Table, Space)> {
        let contexts = match &self.contexts {
            Some(path) => load(Some(path))?,
            None => text_encoder(None)?.table().clone(),
        };
        let space = self.space.as_deref().map_or_else(Space::english, Space::read)?;
        ensure!(contexts.id().to_string() == space.table, "the contexts of --space are those of another table");
        Ok((load(self.table.as_deref())?, contexts, space))
    }
}

/// The promise to every user.
#[derive(Args)]
struct BudgetOptions {
    /// Epsilon of every user, for all of the user's texts
    #[arg(long, default_value_t = 3.0, value_name = "EPSILON", value_parser = number)]
    epsilon: f64,
    /// Delta of every user
    #[arg(long, default_value_t = 1e-6, value_name = "DELTA", value_parser = number)]
    delta: f64,
}

impl BudgetOptions {
    fn budget(&self, naming: f64) -> Result<Budget> {
        let Self { epsilon, delta } = *self;
        ensure!(epsilon > 0.0 && epsilon.is_finite(), "--epsilon is not a number above 0");
        ensure!(delta > 0.0 && delta < 1.0, "--delta is not between 0 and 1");
        Ok(Budget { epsilon, delta, naming })
    }
}

/// Learn new words from the texts of many users
///
/// Words that the table lacks get vectors by the words around them. Each user is protected with all texts: whatever is done with
/// the new table, it tells of a user's texts at most what (epsilon, delta)-differential privacy allows. --words is a public list of
/// the words. --find spends a fifth of the budget to name words that many users have, because a new word may be a person's name.
///
/// Texts come as CSV, TSV or Parquet, with rows in ascending order of the user. With fewer than 10,000 users little is learned.
/// The new table has no levels: "textveil table certify" adds them. `nearest` needs none.
#[derive(Args)]
pub(crate) struct Extend {
    /// Texts by user
    #[arg(required_unless_present = "sum", conflicts_with = "sum")]
    texts: Option<PathBuf>,
    /// Column of the user
    #[arg(long, default_value = "user", value_name = "COLUMN")]
    user: String,
    /// Column of the text
    #[arg(long, default_value = "text", value_name = "COLUMN")]
    text: String,
    /// Column of each user's own epsilon, at most --epsilon
    #[arg(long, value_name = "COLUMN", conflicts_with = "sum")]
    epsilon_column: Option<String>,
    /// The words, one a line
    #[arg(long, value_name = "FILE", required_unless_present_any = ["find", "sum"], conflicts_with = "find")]
    words: Option<PathBuf>,
    /// Find up to N words that many users have
    #[arg(long, value_name = "N", conflicts_with = "sum", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    find: Option<u32>,
    #[command(flatten)]
    budget: BudgetOptions,
    /// A noisy sum of what devices have contributed, as a JSON list of integers, instead of texts
    #[arg(long, value_name = "FILE", requires = "request")]
    sum: Option<PathBuf>,
    /// The request that they answered
    #[arg(long, value_name = "FILE", requires = "sum", conflicts_with = "words")]
    request: Option<PathBuf>,
    /// Devices that answered. A request with noise by devices needs it
    #[arg(long, value_name = "N", requires = "sum")]
    answered: Option<u32>,
    #[command(flatten)]
    tables: TableOptions,
    #[command(flatten)]
    out: Output,
    #[command(flatten)]
    randomness: Randomness,
}

/// The share of ρ that naming the words takes.
const NAMING: f64 = 0.2;
/// Words of one user that count when words are named, at most.
const NAMED_EACH: u32 = 60;

impl Extend {
    pub(crate) fn run(self) -> Result<()> {
        let inputs = [&self.texts, &self.words, &self.sum, &self.request].map(Option::as_ref);
        let out = self.out.checked(inputs.into_iter().chain(self.tables.files()))?;
        self.randomness.warn();
        let (base, contexts, space) = self.tables.load()?;
        let (request, answers, budget) = match (&self.sum, &self.request, &self.texts) {
            (Some(sum), Some(request), _) => received(sum, request, self.answered.unwrap_or(0))?,
            (_, _, Some(texts)) => self.learned(texts, &base, &contexts, &space)?,
            _ => bail!("give texts, or --sum and --request"),
        };
        let extended =
            Extended::new(&base, &contexts, &space, &request, &answers, &budget, self.randomness.is_seeded())?;
        // What is promised is known before the table is written.
        let said = ["learned_seed", "learned_epsilon", "learned_delta", "learned_promise"];
        let promised = match said.map(|key| extended.table().meta(key)) {
            [Some(seed), ..] => format!("nothing is promised: {seed}"),
            [None, Some(epsilon), Some(delta), Some(promise)] => {
                format!("({epsilon}, {delta})-differential privacy for {promise}")
            }
            _ => bail!("the new table does not say what it promises"),
        };
        let line = extended.write(out)?;
        let mut out = io::stdout().lock();
        writeln!(out, "{line}")?;
        let Extended { learned, drowned, .. } = &extended;
        writeln!(out, "{} words learned, {} drowned by noise and left out", learned.len(), drowned.len())?;
        writeln!(out, "{promised}")?;
        for learned in learned.iter().take(SHOWN) {
            writeln!(out, "  {:20} {}", learned.word, learned.near.join(" "))?;
        }
        if learned.len() > SHOWN {
            writeln!(out, "  and {} more: textveil table inspect --neighbors WORD shows each", learned.len() - SHOWN)?;
        }
        Ok(())
    }

    /// The noisy sum of the users of a file.
    fn learned(
        &self,
        texts: &Path,
        base: &Table,
        contexts: &Table,
        space: &Space,
    ) -> Result<(Request, Answers, Budget)> {
        let columns =
            Columns { user: self.user.clone(), text: self.text.clone(), epsilon: self.epsilon_column.clone() };
        let budget = self.budget.budget(if self.find.is_some() { NAMING } else { 0.0 })?;
        let part = |user: &User| {
            let row = || format!("{}, row {}", texts.display(), user.row);
            user.epsilon.map_or(Ok(1.0), |epsilon| share(&budget, epsilon)).with_context(row)
        };
        let words = match (&self.words, self.find) {
            (Some(path), _) => public_words(path, base)?,
            (_, Some(count)) => {
                let mut union = budget.union(NAMED_EACH)?;
                each(texts, &columns, &mut |user| {
                    let part = part(&user)?;
                    let mut candidates = Candidates::default();
                    for text in &user.texts {
                        let row = || format!("{}, the user of row {}", texts.display(), user.row);
                        candidates.read(base, text, union.most() as usize).with_context(row)?;
                    }
                    union.add(candidates, part)
                })?;
                let words = union.release(count as usize, &mut self.randomness.rng(0)?);
                ensure!(!words.is_empty(), "too few users share any new word: more users or a larger epsilon help");
                words
            }
            _ => bail!("name the words by --words, or let them be found by --find"),
        };
        let request = budget.request(space, words, Noise::Sum)?;
        let mut learning = Learning::new(Contributor::new(request.clone(), contexts.clone())?);
        let mut users = 0;
        each(texts, &columns, &mut |user| {
            users += 1;
            let row = || format!("{}, the user of row {}", texts.display(), user.row);
            learning.add(&user.texts, part(&user)?).with_context(row)
        })?;
        if users < FEW {
            eprintln!("warning: there are few users: below 10,000 little is learned");
        }
        let (sum, _) = learning.release(&mut self.randomness.rng(1)?)?;
        Ok((request, Answers { sum, devices: 0 }, budget))
    }
}

/// The words of a public list that the table lacks, ascending.
fn public_words(path: &Path, base: &Table) -> Result<Vec<String>> {
    let mut words: Vec<String> = lines(path, true)?.iter().map(|line| spelling(line)).collect();
    words.sort_unstable();
    words.dedup();
    let all = words.len();
    ensure!(all > 0, "{} has no word", path.display());
    words.retain(|word| base.find(word).is_none());
    if words.len() < all {
        eprintln!("{} of {all} words are in the table already, and stay as they are", all - words.len());
    }
    ensure!(!words.is_empty(), "{}: the table has all of these words", path.display());
    Ok(words)
}

/// What devices have answered.
fn received(sum: &Path, request: &Path, devices: u32) -> Result<(Request, Answers, Budget)> {
    let text = |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let request = Request::from_json(text(request)?.trim()).with_context(|| request.display().to_string())?;
    if let Noise::Devices { least } = request.terms().noise {
        ensure!(
            devices >= least,
            "the request needs the noise of at least {least} devices: name those that answered by --answered"
        );
    }
    let numbers = serde_json::from_str(&text(sum)?);
    let sum = numbers.map_err(|_| anyhow::anyhow!("{} is no list of integers", sum.display()))?;
    let terms = request.terms();
    let budget = Budget { epsilon: terms.epsilon, delta: terms.delta, naming: 0.0 };
    Ok((request, Answers { sum, devices }, budget))
}

/// Ask devices for the contexts of new words
///
/// Writes the request for new words. On each device, the app gives it to `contributor(request)` in JavaScript, and to
/// `Contributor` in the other languages. With --devices each device adds its share of the noise, and a secure sum
/// adds up the answers. Otherwise the holder of the sum adds the noise.
/// "textveil table extend --sum" makes a table of it.
#[derive(Args)]
pub(crate) struct Ask {
    /// The words, one a line: a public list
    #[arg(long, value_name = "FILE")]
    words: PathBuf,
    #[command(flatten)]
    budget: BudgetOptions,
    /// Each device adds its share of the noise. The promise holds if at least N devices answer and do so. Above 10000, a
    /// device answers only if its app trusts the sum
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    devices: Option<u32>,
    #[command(flatten)]
    tables: TableOptions,
    #[command(flatten)]
    out: Output,
}

impl Ask {
    pub(crate) fn run(self) -> Result<()> {
        let out = self.out.checked([Some(&self.words)].into_iter().chain(self.tables.files()))?;
        let (base, _, space) = self.tables.load()?;
        let words = public_words(&self.words, &base)?;
        let noise = self.devices.map_or(Noise::Sum, |least| Noise::Devices { least });
        let request = self.budget.budget(0.0)?.request(&space, words, noise)?;
        let (Loss { epsilon, delta }, terms) = (Device::MOST, request.terms());
        ensure!(
            terms.epsilon <= epsilon && terms.delta <= delta,
            "devices answer up to epsilon {epsilon} and delta {delta}"
        );
        textveil_toolkit::files::replace(out, (request.to_json() + "\n").as_bytes())?;
        let (words, numbers, bits) = (request.terms().words.len(), request.len(), request.bits());
        let mut printed = io::stdout().lock();
        writeln!(printed, "{}: {words} words, {numbers} numbers of {bits} bits from each device", out.display())?;
        Ok(writeln!(printed, "{}", request.guarantee())?)
    }
}

/// Find out how contexts and vectors of a table agree
///
/// Reads public text of the table's language, a text on each line, and writes what "textveil table extend" needs to read contexts
/// in the vectors of that table. The built-in text encoder has its own already.
#[derive(Args)]
pub(crate) struct Contexts {
    /// Public text, some megabytes of it
    text: PathBuf,
    /// The table, instead of the built-in text encoder
    #[arg(long, value_name = "TABLE")]
    table: Option<PathBuf>,
    /// The first dimensions that are read: noise drowns many sooner than few [default: 64, or all if there are fewer]
    #[arg(long, value_name = "N")]
    dims: Option<usize>,
    /// Words before and after a word that are its context
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50))]
    window: u32,
    /// Where the text comes from, and its licence, for the description of tables
    #[arg(long, value_name = "TEXT")]
    source: String,
    #[command(flatten)]
    out: Output,
}

impl Contexts {
    pub(crate) fn run(self) -> Result<()> {
        let out = self.out.checked([Some(&self.text), self.table.as_ref()])?;
        ensure!(!self.source.contains(['\n', '\r']), "--source is one line");
        let table = match &self.table {
            Some(path) => load(Some(path))?,
            None => text_encoder(None)?.table().clone(),
        };
        let dims = self.dims.unwrap_or_else(|| table.dims().min(64));
        let file = File::open(&self.text).with_context(|| format!("cannot read {}", self.text.display()))?;
        let space = Space::fit(&table, dims, self.window, &mut BufReader::new(file), &self.source)
            .with_context(|| self.text.display().to_string())?;
        space.write(out)?;
        Ok(writeln!(io::stdout(), "{}: {dims} dimensions of {}", out.display(), table.id())?)
    }
}
