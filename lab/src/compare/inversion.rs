//! How often a mechanism keeps a word of the vocabulary, and how often a reader of single words names the word that
//! went in, all words being equally likely.
//!
//! The Bayes attacker succeeds with probability (1/V)·Σ_y max_x P(y|x). Where the mechanism states its
//! probabilities, that is what is computed. Where it does not, an attacker learns from draws and is tested on
//! others; since no attacker beats the Bayes attacker, the success of this one is a lower bound, up to
//! chance. He names the word that came out, unless another one led to it more often, by two at least. (For
//! noise of a spherical law the word that came out is the Bayes attacker's own answer: it is nearest to the
//! noisy point, where the density of the noise is greatest.)

use rayon::prelude::*;
use serde::Serialize;
use textveil::{Privatizer, Table, WordId};

use super::keystream::rng;

/// Words whose retention stands for that of all while a strength is sought.
const SAMPLED_WORDS: usize = 2048;
/// Draws for each of them, where retention is not stated.
const SAMPLED_DRAWS: u64 = 4;
/// Inputs whose sums a thread keeps together. Fixed, so that sums are added in the same order everywhere.
const CHUNK: usize = 1024;

/// What a mechanism does to the words of a vocabulary, all equally likely.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Inversion {
    /// The share of words that come out as they went in.
    pub(super) retention: f64,
    /// The share of words that an attacker names.
    pub(super) success: f64,
    /// Half of the 95 % interval of that share, where it was tested by a draw of each word; none if it is
    /// exact.
    pub(super) half_width: Option<f64>,
}

impl Inversion {
    /// Over all words of the table. An attacker that has to learn does so from `draws` of each.
    pub(super) fn of(privatizer: &Privatizer, table: &Table, draws: usize, seed: u64) -> Self {
        exact(privatizer, table).unwrap_or_else(|| simulated(privatizer, table, draws, seed))
    }
}

/// The share of words that come out as they went in, over a sample of the vocabulary.
pub(super) fn sampled_retention(privatizer: &Privatizer, table: &Table, seed: u64) -> f64 {
    let sample = table.len().min(SAMPLED_WORDS);
    let words: Vec<WordId> = (0..sample).filter_map(|i| table.row(i * table.len() / sample)).collect();
    let kept = |word: &WordId| match privatizer.distribution(*word) {
        Some(distribution) => probability(&distribution, *word),
        None => {
            let mut rng = rng(seed, u32::MAX, word.row());
            let kept = (0..SAMPLED_DRAWS).filter(|_| privatizer.draw(*word, &mut rng) == *word).count();
            kept as f64 / SAMPLED_DRAWS as f64
        }
    };
    let kept: Vec<f64> = words.par_iter().map(kept).collect();
    kept.iter().sum::<f64>() / sample as f64
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

/// For each output, the input that the attacker names, having seen these pairs of output and input.
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
    fn the_exact_attacker_is_the_one_that_all_pairs_give() {
        let table = textveil_tables::example(60, 4).expect("a table");
        let privatizer = privatizer(&table, MechanismKind::Exponential, 0.05);
        let rows: Vec<_> = table.rows().map(|word| privatizer.distribution(word).expect("stated")).collect();
        let greatest = |output| rows.iter().map(|row| probability(row, output)).fold(0.0, f64::max);
        let inversion = Inversion::of(&privatizer, &table, 1, 0);
        let all = table.len() as f64;
        assert!((inversion.success - table.rows().map(greatest).sum::<f64>() / all).abs() < 1e-12);
        let kept = table.rows().zip(&rows).map(|(word, row)| probability(row, word)).sum::<f64>() / all;
        assert!(
            (inversion.retention - kept).abs() < 1e-12
                && (sampled_retention(&privatizer, &table, 0) - kept).abs() < 1e-12
        );
        // Words that are never offered are named by no one: the attacker gains what retention cannot have.
        assert!(inversion.success >= inversion.retention && inversion.half_width.is_none());
    }

    /// Exact probabilities, hidden from the attacker, bound what he can learn from draws.
    #[test]
    fn an_attacker_that_learns_comes_near_the_exact_one_from_below() {
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
    fn the_attacker_changes_his_mind_for_a_lead_of_two() {
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
