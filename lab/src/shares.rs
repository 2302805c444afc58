//! `textveil-lab shares`: how near the estimates of a collector come to the shares of words, and how often intervals hold.

use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use rand_core::Rng;
use textveil::{Disclosure, Mechanism, MechanismKind, Parameter, Piece, Privatizer, Table, WordId, look_up, normalize};
use textveil_estimate::{Channel, Confidence, Question, Words};

use crate::compare::rng;
use textveil_toolkit::cells;
use textveil_toolkit::progress::bar;
use textveil_toolkit::report::Sheet;

/// Measure estimates of shares of words by simulation
///
/// The population has the words of the texts, each as often as it stands there. Words are drawn from it and go through the
/// channel of a mechanism, as they were drawn. L1 is the sum of all errors of the shares of known words (2 is worst). Next
/// to it are the L1 of the public frequencies alone and of counting what was released. The error of frequent words is the median one of
/// the 100 most frequent, relative to the share. Intervals of 95 % are those of single words, from the most frequent ones to
/// ones that never come.
#[derive(Args)]
pub(crate) struct Shares {
    /// Texts of the population
    #[arg(required = true, value_name = "FILE")]
    texts: Vec<PathBuf>,
    /// Samples of each size up to 100,000 words. A larger size has a third of them. "certified" has a tenth of them,
    /// because a step takes a second
    #[arg(long, default_value_t = 60, value_name = "N", value_parser = clap::value_parser!(u32).range(30..=10_000))]
    samples: u32,
    /// What draws follow from
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
}

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Words of a text.
const LENGTH: usize = 20;
/// The places, by frequency among the offered words, of those whose intervals are looked at.
const FREQUENT: [usize; 8] = [2, 10, 30, 80, 150, 300, 500, 800];
const RARE: [usize; 8] = [1_200, 2_000, 3_000, 5_000, 7_000, 9_000, 12_000, 16_000];

/// The texts whose words are counted.
struct Population {
    /// The share of each row, and last that of unknown words.
    shares: Vec<f64>,
    /// The offered words, the most frequent first.
    order: Vec<WordId>,
}

impl Shares {
    pub(crate) fn run(&self) -> Result<()> {
        let table = Table::english()?;
        let population = self.population(&table)?;
        let certified = Mechanism::new(MechanismKind::Certified).with(Parameter::Epsilon, 10.58)?;
        for mechanism in [Mechanism::new(MechanismKind::Nearest), certified] {
            let privatizer = Privatizer::new(&table, mechanism, Disclosure::default())?;
            let channel = Channel::new(&privatizer, true)?;
            let question = |place: &usize| -> Option<Question> {
                let word = *population.order.get(*place)?;
                Some(Question { name: table.word(word).to_string(), words: vec![word] })
            };
            let questions = FREQUENT.iter().chain(&RARE).map(question).collect::<Option<Vec<_>>>();
            let questions = questions.context("there are too few words")?;
            let progress = bar("questions", Words::most_steps(questions.len()));
            let words = Words::new(channel, &table, questions, &|| progress.inc(1));
            progress.finish_and_clear();
            let mut sheet = Sheet::new("shares of words, estimated from releases");
            let name = format!("{}, ε {:.2}", mechanism_name(&privatizer), privatizer.guarantee(1).epsilon_word);
            for size in SIZES {
                let samples = if size > 100_000 { self.samples / 3 } else { self.samples };
                let samples = if mechanism == certified { samples / 10 } else { samples };
                self.measure(&mut sheet, &name, &words, &population, (&table, size, samples));
            }
            sheet.print(&mut io::stdout().lock())?;
        }
        Ok(())
    }

    fn population(&self, table: &Table) -> Result<Population> {
        let mut shares = vec![0.0; table.len() + 1];
        for path in &self.texts {
            let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            for line in text.lines() {
                for piece in Piece::split(&normalize(line))? {
                    if let Piece::Token { kind, text } = piece {
                        shares[look_up(table, kind, &text).row.map_or(table.len(), WordId::row)] += 1.0;
                    }
                }
            }
        }
        let words: f64 = shares.iter().sum();
        ensure!(words > 0.0, "there are no words");
        shares.iter_mut().for_each(|share| *share /= words);
        let mut order: Vec<WordId> = table.rows().filter(|row| table.is_offered(*row)).collect();
        order.sort_by(|a, b| shares[b.row()].total_cmp(&shares[a.row()]));
        Ok(Population { shares, order })
    }

    fn measure(
        &self,
        sheet: &mut Sheet,
        name: &str,
        words: &Words,
        population: &Population,
        (table, size, samples): (&Table, usize, u32),
    ) {
        let rows: Vec<WordId> = table.rows().collect();
        let mut sum = 0.0;
        let sums: Vec<f64> = words
            .channel()
            .released(&population.shares)
            .into_iter()
            .map(|share| {
                sum += share;
                sum
            })
            .collect();
        let mut rng = rng(self.seed, 0, size);
        let mut draw = || {
            let place = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 * sum;
            rows[sums.partition_point(|sum| *sum <= place).min(rows.len() - 1)]
        };
        let (mut held, mut error, mut counted, mut frequent) = ([0; 2], 0.0, 0.0, 0.0);
        for _ in 0..samples {
            let mut tally = words.tally();
            let mut released = vec![0.0; population.shares.len()];
            for _ in 0..size / LENGTH {
                let text: Vec<WordId> = (0..LENGTH).map(|_| draw()).collect();
                text.iter().for_each(|word| released[word.row()] += 1.0 / size as f64);
                // Every row is an output of a channel whose words are counted as they were drawn.
                let _ = words.add(&mut tally, &text, 1);
            }
            let shares = words.shares(&tally);
            error += apart(&shares, &population.shares) / f64::from(samples);
            counted += apart(&released, &population.shares) / f64::from(samples);
            frequent += median_error(&shares, population) / f64::from(samples);
            for (number, share) in words.estimates(&tally, &shares, Confidence::USUAL).iter().enumerate() {
                let word = words.questions()[number].words[0];
                held[number / FREQUENT.len()] += usize::from(share.interval.holds(population.shares[word.row()]));
            }
        }
        let public = words.shares(&words.tally());
        let share = |held: usize| held as f64 / (f64::from(samples) * FREQUENT.len() as f64);
        sheet.row(cells![
            "mechanism" => name,
            "words" => size as f64,
            "L1" => error,
            "L1 of public shares" => apart(&public, &population.shares),
            "L1 of counting" => counted,
            "error of frequent words" => frequent,
            "intervals that hold, frequent words" => share(held[0]),
            "intervals that hold, rare words" => share(held[1]),
        ]);
    }
}

fn mechanism_name(privatizer: &Privatizer) -> &'static str {
    privatizer.guarantee(1).mechanism.name()
}

/// The sum of errors of the shares of known words.
fn apart(shares: &[f64], true_shares: &[f64]) -> f64 {
    let known = |shares: &[f64]| 1.0 - shares.last().copied().unwrap_or(0.0);
    let (of, of_true) = (known(shares), known(true_shares));
    let words = shares.iter().zip(true_shares).take(shares.len() - 1);
    words.map(|(share, true_share)| (share / of - true_share / of_true).abs()).sum()
}

fn median_error(shares: &[f64], population: &Population) -> f64 {
    let error = |word: &WordId| (shares[word.row()] / population.shares[word.row()] - 1.0).abs();
    let mut errors: Vec<f64> = population.order.iter().take(100).map(error).collect();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied().unwrap_or(f64::NAN)
}
