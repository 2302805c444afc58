//! `textveil audit timing`: whether a clock next to the device tells words apart.
//!
//! Two classes of inputs run on one thread in random order, each run is timed, and dudect's test ([`welch`])
//! says whether the times differ. If the test finds a difference, there is one on this machine. A difference that it
//! misses may be too small for this number of samples, or appear on a machine with other caches. A control that must
//! leak shows that the test can find a leak. A class against itself shows that it raises no false alarm.

mod pair;
mod welch;

use std::hint::black_box;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use indicatif::ProgressBar;
use rand_core::Rng;
use textveil::{Calibration, Disclosure, Kernel, Mechanism, MechanismKind, Pace, Privatizer, ReleaseRng, seeded_rng};

use pair::{Class, Input, Inputs, PAIRS, Pair, pick};
use textveil_toolkit::mechanism::{Request, Source, parametrized};
use welch::{Crops, LEAK};

/// Test whether time tells words apart: dudect's test on the draws of a mechanism
///
/// Fails if the test cannot be trusted: if it does not find the control, or tells a class from itself. A leak
/// is reported, and fails nothing without --pace. docs/src/explanation/timing.md in the repository lists the known
/// leaks. Let the machine do nothing else.
#[derive(Args)]
pub(crate) struct Timing {
    /// A table file instead of the built-in English table
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// A kernel other than the fastest, such as portable. The error for an unknown name lists those of this processor
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(Kernel::available().map(Kernel::name)))]
    kernel: Option<String>,
    /// The mechanism whose draws are timed
    #[arg(long, value_name = "MECHANISM", default_value = "certified")]
    #[arg(value_parser = ["certified", "nearest"])]
    of: String,
    /// Compare these classes alone
    #[arg(long, value_name = "NAME", num_args = 1..)]
    #[arg(value_parser = PossibleValuesParser::new(PAIRS.iter().map(|pair| pair.name)))]
    only: Vec<String>,
    /// Let everything except the control end on whole steps of this length: then nothing else may be told
    ///
    /// A million samples take a million steps and more: at 1000, 20 minutes for each pair of classes.
    #[arg(long, value_parser = pace, value_name = "MICROSECONDS")]
    pace: Option<Pace>,
    /// Times of each pair of classes, both together. A tenth more are taken before, to set the thresholds
    #[arg(long, default_value_t = 1_000_000, value_name = "N", value_parser = clap::value_parser!(u32).range(100..))]
    samples: u32,
    /// Chooses the inputs, their order and the randomness of draws
    #[arg(long, default_value_t = 20_241, value_name = "N")]
    seed: u64,
}

impl Timing {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let mut table = textveil_tables::load(self.table.as_deref())?;
        if let Some(kernel) = Kernel::available().find(|kernel| Some(kernel.name()) == self.kernel.as_deref()) {
            table = table.with_kernel(kernel);
        }
        let mechanism = self.mechanism()?;
        let privatizer = Privatizer::new(&table, mechanism, Disclosure::default())
            .map_err(|error| Request::of(&mechanism, Source::Table(&table)).explain(error))?
            .of_any_language();
        let pairs: Vec<&Pair> = PAIRS
            .iter()
            .filter(|pair| self.only.is_empty() || self.only.iter().any(|name| name == pair.name))
            .collect();

        let progress = textveil_toolkit::progress::bar("runs", pairs.len() * self.sizes().iter().sum::<usize>());
        let mut out = io::stdout().lock();
        let [name, samples, first, second] = ["pair", "samples", "median us", "median us"];
        write!(out, "{}, {}, kernel {}", privatizer.guarantee(1).mechanism, table.id(), table.kernel())?;
        let pace = self.pace.map(|pace| format!(", in steps of {} us", pace.step().as_micros()));
        writeln!(out, "{}", pace.unwrap_or_default())?;
        writeln!(out, "{name:14} {samples:>9}  {:26} {first:>9}  {:26} {second:>9}  max |t|", "class", "class")?;
        let mut is_as_expected = true;
        for pair in pairs {
            progress.set_message(pair.name);
            let (line, as_expected) = self.compare(pair, &privatizer, &progress).context(pair.name)?;
            progress.suspend(|| writeln!(out, "{line}"))?;
            is_as_expected &= as_expected;
        }
        progress.finish_and_clear();
        Ok(if is_as_expected { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn mechanism(&self) -> Result<Mechanism> {
        Ok(match self.of.as_str() {
            "nearest" => parametrized(MechanismKind::Nearest, Calibration::Sound, &super::NEAREST)?,
            _ => Mechanism::new(MechanismKind::Certified),
        })
    }

    /// Times for the thresholds, and for the test.
    fn sizes(&self) -> [usize; 2] {
        let samples = self.samples as usize;
        [samples / 10, samples]
    }

    /// The line of a pair, and whether it says what it has to.
    fn compare(&self, pair: &Pair, privatizer: &Privatizer, progress: &ProgressBar) -> Result<(String, bool)> {
        let [pilot, samples] = self.sizes();
        let has_to_leak = pair.is_told == Some(true);
        let pace = self.pace.filter(|_| !has_to_leak);
        let mut rng = generator(self.seed);
        let inputs = (pair.inputs)(&mut Inputs::new(privatizer.table(), &mut rng))?;
        let mut times = |count| -> Result<[Vec<f64>; 2]> {
            let mut classes = [const { Vec::new() }; 2];
            for _ in 0..count {
                let coin = (rng.next_u64() & 1) as usize;
                let input = pick(&mut rng, &inputs[coin]);
                let (time, is_kept) = time(privatizer, input, pace, [(); 2].map(|()| generator(rng.next_u64())))?;
                let class = match pair.class {
                    Class::Input => coin,
                    Class::Outcome => usize::from(!is_kept),
                };
                classes[class].push(time);
                progress.inc(1);
            }
            Ok(classes)
        };
        let crops = Crops::of(times(pilot)?.concat());
        let mut classes = times(samples)?;
        let t = crops.farthest(&mut classes);

        let [first, second] = pair.names;
        let medians = classes.each_ref().map(|sorted| sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN) / 1e3);
        let is_told = t.abs() >= LEAK;
        let expected = pair.is_told.or(pace.map(|_| false));
        let is_as_expected = expected.is_none_or(|expected| expected == is_told);
        let verdict = match (is_told, is_as_expected) {
            (true, true) => "told",
            (false, true) => "not told",
            (true, false) => "TOLD, and must not be",
            (false, false) => "NOT TOLD, and must be",
        };
        let line = format!(
            "{:14} {samples:>9}  {first:26} {:>9.3}  {second:26} {:>9.3}  {:>7.1}  {verdict}",
            pair.name,
            medians[0],
            medians[1],
            t.abs()
        );
        Ok((line, is_as_expected))
    }
}

/// Runs an input once: nanoseconds, and whether the word kept itself. One generator is the pace's.
fn time(
    privatizer: &Privatizer,
    input: &Input,
    pace: Option<Pace>,
    [mut rng, mut other]: [ReleaseRng; 2],
) -> Result<(f64, bool)> {
    let pace = pace.map(|pace| (pace, &mut other));
    let (took, is_kept) = match input {
        Input::Row(row) => {
            let (took, drawn) = clocked(pace, *row, |row| privatizer.draw(*row, &mut rng));
            (took, Some(drawn) == *row)
        }
        Input::Text(text) => {
            let (took, release) = clocked(pace, text.clone(), |text| privatizer.privatize(text, &mut rng));
            let release = release?;
            let [word] = release.account.as_slice() else { bail!("{text:?} is no single word") };
            (took, word.is_kept())
        }
        Input::StopAt(row) => {
            let table = privatizer.table();
            let (took, found) = clocked(pace, *row, |row| table.rows().find(|other| black_box(other) == row));
            (took, found.is_some())
        }
    };
    Ok((took.as_secs_f64() * 1e9, is_kept))
}

/// How long the work on an input takes. That lies at hand when the clock starts, and what is made of it is
/// dropped when it has stopped.
fn clocked<I, T>(pace: Option<(Pace, &mut ReleaseRng)>, input: I, work: impl FnOnce(&I) -> T) -> (Duration, T) {
    let input = black_box(input);
    let start = Instant::now();
    let made = black_box(match pace {
        Some((pace, rng)) => pace.keep(rng, || work(&input)),
        None => work(&input),
    });
    (start.elapsed(), made)
}

/// A pace, from its number of microseconds.
fn pace(text: &str) -> Result<Pace> {
    let shortest = Pace::SHORTEST_STEP.as_micros();
    let step = Duration::from_micros(text.parse()?);
    Pace::new(step).with_context(|| format!("a step takes at least {shortest} microseconds, and no centuries"))
}

/// A generator of its own for each number.
fn generator(seed: u64) -> ReleaseRng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    seeded_rng(key)
}
