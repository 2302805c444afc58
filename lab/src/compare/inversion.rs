//! How often a mechanism keeps a word of the vocabulary, and how often a reader names the word that went in. The reader
//! takes each word alone and holds all words to be equally likely.
//!
//! That reader succeeds with a probability of at most (1/V)·Σ_y max_x P(y|x), by Bayes' rule. Where the mechanism states
//! its probabilities, this module computes that bound. Elsewhere a reader learns from draws and is tested on others:
//! its success is a lower bound, up to chance. It names the word that came out, unless another word led to it more
//! often by at least two draws. (For noise of a spherical law, Bayes' rule names the word that came out. That word is
//! nearest to the noisy point, where the density of the noise is greatest.)

use rayon::prelude::*;
use serde::Serialize;
use textveil::{Prior, Privatizer, Table, WordId};

use super::keystream::rng;

/// Words that stand for all while a strength is sought.
const SAMPLED_WORDS: usize = 2048;
/// Draws for each of them, where no probabilities are stated.
const SAMPLED_DRAWS: usize = 4;
/// Inputs whose sums a thread keeps together. Fixed, so that sums are added in the same order everywhere.
const CHUNK: usize = 1024;

/// What a mechanism does to the words of a vocabulary, all equally likely.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Inversion {
    /// The share of words that come out as they went in.
    pub(super) retention: f64,
    /// The share of words that the reader names.
    pub(super) success: f64,
    /// Half of the 95 % interval of that share, where it was tested by a draw of each word; none if it is
    /// exact.
    pub(super) half_width: Option<f64>,
}

impl Inversion {
    /// Over all words of the table. A reader that has to learn does so from `draws` of each.
    pub(super) fn of(privatizer: &Privatizer, table: &Table, draws: usize, seed: u64) -> Self {
        exact(privatizer, table).unwrap_or_else(|| simulated(privatizer, table, draws, seed))
    }
}

/// What a strength is sought by. Both rise with the strength, from 0 to 1.
#[derive(Clone, Copy)]
pub(super) enum Measure {
    /// The share of words that come out as they went in, all words being equally likely.
    Retention,
    /// e^(−d), d the mean distance of what comes out, words being as likely as they are frequent.
    Closeness,
}

/// Each [`Measure`], over samples of the vocabulary.
pub(super) fn sampled(privatizer: &Privatizer, table: &Table, seed: u64) -> [f64; 2] {
    let mean = |prior: &Prior, value: fn(&Table, WordId, WordId) -> f64| {
        let of_word = |(word, count): &(WordId, usize)| {
            let value = |output| value(table, *word, output);
            let mean: f64 = match privatizer.distribution(*word) {
                Some(shares) => shares.iter().map(|(output, share)| share * value(*output)).sum(),
                None => {
                    let (draws, mut rng) = (count * SAMPLED_DRAWS, rng(seed, u32::MAX, word.row()));
                    (0..draws).map(|_| value(privatizer.draw(*word, &mut rng))).sum::<f64>() / draws as f64
                }
            };
            mean * *count as f64
        };
        let words = spread(table, prior);
        let sums: Vec<f64> = words.par_iter().map(of_word).collect();
        sums.iter().sum::<f64>() / words.iter().map(|(_, count)| *count as f64).sum::<f64>()
    };
    let retention = mean(&Prior::uniform(table), |_, input, output| f64::from(u8::from(input == output)));
    let distance = mean(&Prior::by_frequency(table), Table::distance);
    [retention, libm::exp(-distance)]
}

/// Words at even steps through a distribution, and how many steps each of them takes.
fn spread(table: &Table, prior: &Prior) -> Vec<(WordId, usize)> {
    let steps = table.len().min(SAMPLED_WORDS) as f64;
    let mut sum = 0.0;
    let count = |word: WordId| {
        let before = steps * sum + 0.5;
        sum += prior.share(word);
        ((steps * sum + 0.5) as usize).saturating_sub(before as usize)
    };
    table.rows().zip(table.rows().map(count)).filter(|(_, count)| *count > 0).collect()
}

fn probability(distribution: &[(WordId, f64)], word: WordId) -> f64 {
    distribution.binary_search_by_key(&word, |(output, _)| *output).map_or(0.0, |place| distribution[place].1)
}

fn exact(privatizer: &Privatizer, table: &Table) -> Option<Inversion> {
    let words: Vec<WordId> = table.rows().collect();
    let parts = words.par_chunks(CHUNK).map(|words| {
        let (mut best, mut kept) = (vec![0.0; table.len()], 0.0);
        for word in words {
            let distribution = privatizer.distribution(*word)?;
            kept += probability(&distribution, *word);
            for (output, share) in distribution {
                let best = &mut best[output.row()];
                *best = share.max(*best);
            }
        }
        Some((best, kept))
    });
    let parts = parts.collect::<Option<Vec<(Vec<f64>, f64)>>>()?;
    let greatest = |row: usize| parts.iter().map(|(best, _)| best[row]).fold(0.0, f64::max);
    let all = table.len() as f64;
    Some(Inversion {
        retention: parts.iter().map(|(_, kept)| kept).sum::<f64>() / all,
        success: (0..table.len()).map(greatest).sum::<f64>() / all,
        half_width: None,
    })
}

fn simulated(privatizer: &Privatizer, table: &Table, draws: usize, seed: u64) -> Inversion {
    let words: Vec<WordId> = table.rows().collect();
    let drawn: Vec<(WordId, Vec<(WordId, WordId)>)> = words
        .par_iter()
        .map(|word| {
            let mut rng = rng(seed, u32::MAX, word.row());
            let tested = privatizer.draw(*word, &mut rng);
            (tested, (0..draws).map(|_| (privatizer.draw(*word, &mut rng), *word)).collect())
        })
        .collect();
    let answers = answers(&words, drawn.iter().flat_map(|(_, learned)| learned.iter().copied()).collect());
    let share = |is_hit: &dyn Fn(WordId, WordId) -> bool| {
        let hits = words.iter().zip(&drawn).filter(|(word, (tested, _))| is_hit(**word, *tested)).count();
        hits as f64 / table.len() as f64
    };
    let success = share(&|word, tested| answers[tested.row()] == word);
    Inversion {
        retention: share(&|word, tested| tested == word),
        success,
        half_width: Some(1.96 * (success * (1.0 - success) / table.len() as f64).sqrt()),
    }
}

/// For each output, the input that the reader names, having seen these pairs of output and input.
fn answers(words: &[WordId], mut seen: Vec<(WordId, WordId)>) -> Vec<WordId> {
    seen.sort_unstable();
    let mut answers = words.to_vec();
    for of_output in seen.chunk_by(|(a, _), (b, _)| a == b) {
        let output = of_output[0].0;
        let itself = of_output.iter().filter(|(_, input)| *input == output).count();
        let mut most = itself + 1;
        for of_input in of_output.chunk_by(|a, b| a == b).filter(|inputs| inputs[0].1 != output) {
            if of_input.len() > most {
                most = of_input.len();
                answers[output.row()] = of_input[0].1;
            }
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use textveil::{Disclosure, Mechanism, MechanismKind, Parameter};

    use super::*;

    fn privatizer(table: &Table, kind: MechanismKind, nats_a_step: f64) -> Privatizer {
        let mechanism = Mechanism::new(kind).with(Parameter::Eta, nats_a_step / table.scale()).expect("an eta");
        Privatizer::new(table, mechanism, Disclosure::default()).expect("a privatizer")
    }

    #[test]
    fn the_exact_reader_is_the_one_that_all_pairs_give() {
        let table = textveil_tables::example(60, 4).expect("a table");
        let privatizer = privatizer(&table, MechanismKind::Exponential, 0.05);
        let rows: Vec<_> = table.rows().map(|word| privatizer.distribution(word).expect("stated")).collect();
        let greatest = |output| rows.iter().map(|row| probability(row, output)).fold(0.0, f64::max);
        let inversion = Inversion::of(&privatizer, &table, 1, 0);
        let all = table.len() as f64;
        assert!((inversion.success - table.rows().map(greatest).sum::<f64>() / all).abs() < 1e-12);
        let kept = table.rows().zip(&rows).map(|(word, row)| probability(row, word)).sum::<f64>() / all;
        assert!(
            (inversion.retention - kept).abs() < 1e-12 && (sampled(&privatizer, &table, 0)[0] - kept).abs() < 1e-12
        );
        // Words that are never offered are named by no one: the reader gains what retention cannot have.
        assert!(inversion.success >= inversion.retention && inversion.half_width.is_none());
    }

    /// Exact probabilities, hidden from the reader, bound what can be learned from draws.
    #[test]
    fn a_reader_that_learns_comes_near_the_exact_one_from_below() {
        let table = textveil_tables::example(400, 4).expect("a table");
        let privatizer = privatizer(&table, MechanismKind::Exponential, 0.4);
        let exact = exact(&privatizer, &table).expect("stated");
        let simulated = simulated(&privatizer, &table, 64, 7);
        let four_deviations = 2.0 * simulated.half_width.expect("tested");
        assert!((simulated.retention - exact.retention).abs() < four_deviations);
        assert!(simulated.success < exact.success + four_deviations);
        assert!(simulated.success > 0.9 * exact.success, "{simulated:?} {exact:?}");
    }

    #[test]
    fn a_spread_has_every_word_in_its_share() {
        let table = textveil_tables::example(60, 4).expect("a table");
        let counts = spread(&table, &Prior::uniform(&table));
        assert!(counts.len() == 60 && counts.iter().all(|(_, count)| *count == 1), "{counts:?}");
        let prior = Prior::by_frequency(&table);
        let counts = spread(&table, &prior);
        assert_eq!(counts.iter().map(|(_, count)| count).sum::<usize>(), 60);
        assert!(counts.iter().all(|(word, count)| (*count as f64 - 60.0 * prior.share(*word)).abs() <= 1.0));
    }

    #[test]
    fn the_reader_changes_its_mind_for_a_lead_of_two() {
        let table = textveil_tables::example(4, 2).expect("a table");
        let word = |row| table.row(row).expect("a row");
        let words: Vec<WordId> = table.rows().collect();
        let answer = |seen: &[(usize, usize)]| {
            answers(&words, seen.iter().map(|(output, input)| (word(*output), word(*input))).collect())[0].row()
        };
        assert_eq!(answer(&[]), 0);
        assert_eq!(answer(&[(0, 2), (0, 0), (0, 2), (1, 2)]), 0);
        assert_eq!(answer(&[(0, 2), (0, 3), (0, 2), (0, 0), (0, 2)]), 2);
    }
}
