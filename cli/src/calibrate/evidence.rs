//! What a mechanism does to a vocabulary: how often words are kept, how many they may turn into, how often
//! guesses are right.
//!
//! Where probabilities are stated, all rows are summed exactly: N_w of every word, and the Bayes attacker,
//! who compares every word with every output. Where they are not (noise), words are released: many once, for
//! the means and the attackers, and a few many times, for their N_w and S_w.

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use serde::Serialize;
use textveil::{
    BayesAttacker, Deniability, Dropout, Gauge, Mechanism, Prior, Privatizer, ReleaseRng, Representer, Spread, Table,
    Unit, Values, WordId,
};

use textveil_tables::{drawn_from, lattice_rows};

/// Words that are released once each, where probabilities are not stated.
const RELEASED: usize = 8192;
/// Rows that are summed at once.
const PART: usize = 1024;
/// How far a coordinate is followed: the scores of a search fit into 32 bits.
const FARTHEST: i32 = 16_383;

/// The two priors that words are drawn from, and an attacker holds.
pub(super) struct Priors {
    pub(super) uniform: Prior,
    pub(super) by_frequency: Prior,
}

impl Priors {
    pub(super) fn of(table: &Table) -> Self {
        Self { uniform: Prior::uniform(table), by_frequency: Prior::by_frequency(table) }
    }

    fn both(&self) -> [&Prior; 2] {
        [&self.uniform, &self.by_frequency]
    }
}

/// What is asked of a vocabulary.
pub(super) struct Question<'a> {
    pub(super) gauge: Gauge,
    /// The words that S_w and its like are computed for.
    pub(super) words: &'a [WordId],
    /// The words whose odds are shown one by one.
    pub(super) odds_of: &'a [WordId],
    pub(super) priors: &'a Priors,
    pub(super) seed: u64,
}

/// What was found.
pub(super) struct Evidence {
    /// N_w, of every word or of the words in question, with the means of both priors.
    pub(super) kept: Spread,
    /// N_w by word.
    pub(super) kept_by_word: Vec<(WordId, f64)>,
    /// The words in question.
    pub(super) words: Vec<(WordId, Deniability)>,
    pub(super) inversion: Inversion,
    /// How sure a reader is of a word that stands in a release; where probabilities are stated.
    pub(super) written: Option<Written>,
    /// The same of the words in question that come out.
    pub(super) odds: Vec<WordOdds>,
    /// The number of releases behind the two means of N_w and the attacks, if they were sampled.
    pub(super) released: Option<usize>,
}

/// The share of guesses that are right, for words drawn from a prior.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Inversion {
    /// An attacker who takes the released word for the typed one.
    pub(super) output_word: ByPrior,
    /// An attacker who knows the mechanism and the prior, if its probabilities are stated.
    pub(super) bayes: Option<ByPrior>,
    /// An attacker who sees the noisy vector itself and takes the nearest word, for noise on vectors.
    pub(super) nearest: Option<ByPrior>,
    /// An attacker who sees nothing.
    pub(super) blind: ByPrior,
}

/// The probability that a word in a release was written there, over the words that come out. Each word is weighted by
/// how often it is in a release.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Written {
    pub(super) uniform: Spread,
    pub(super) by_frequency: Spread,
}

/// The odds of one word.
#[derive(Clone, Serialize)]
pub(super) struct WordOdds {
    pub(super) word: String,
    /// N_w.
    pub(super) kept: f64,
    /// The probability that it was written where it stands in a release.
    pub(super) written: ByPrior,
}

/// A share under either prior.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ByPrior {
    pub(super) uniform: f64,
    pub(super) by_frequency: f64,
}

impl From<[f64; 2]> for ByPrior {
    fn from([uniform, by_frequency]: [f64; 2]) -> Self {
        Self { uniform, by_frequency }
    }
}

impl Evidence {
    /// # Errors
    /// The mechanism cannot be prepared.
    pub(super) fn of(
        privatizer: &Privatizer,
        mechanism: Mechanism,
        question: &Question<'_>,
        progress: &ProgressBar,
    ) -> Result<Self> {
        let words = question.words.iter().chain(question.odds_of);
        if words.take(1).any(|word| privatizer.distribution(*word).is_some()) {
            exact(privatizer, question, progress, |_| true)
        } else {
            simulated(privatizer, mechanism, question, progress)
        }
    }

    /// The odds alone, which ask for no other output than their own words.
    ///
    /// # Errors
    /// The mechanism does not state its probabilities.
    pub(super) fn odds(
        privatizer: &Privatizer,
        question: &Question<'_>,
        progress: &ProgressBar,
    ) -> Result<Vec<WordOdds>> {
        let mut is_asked = vec![false; privatizer.table().len()];
        question.odds_of.iter().for_each(|word| is_asked[word.row()] = true);
        Ok(exact(privatizer, question, progress, |output| is_asked[output.row()])?.odds)
    }

    /// How a number of the words in question is spread over them.
    pub(super) fn spread(&self, priors: &Priors, number: impl Fn(&Deniability) -> f64) -> Option<Spread> {
        Spread::of(self.words.iter().map(|(word, found)| (number(found), priors.by_frequency.share(*word))))
    }
}

/// What one thread has found.
struct Found {
    attackers: [BayesAttacker; 2],
    kept: Vec<(WordId, f64)>,
    words: Vec<(WordId, Deniability)>,
}

/// Over the outputs that are asked for: all of them, unless only odds are looked at.
///
/// # Errors
/// The mechanism does not state its probabilities.
fn exact(
    privatizer: &Privatizer,
    question: &Question<'_>,
    progress: &ProgressBar,
    is_asked: impl Fn(WordId) -> bool + Sync,
) -> Result<Evidence> {
    let table = privatizer.table();
    let rows: Vec<WordId> = table.rows().collect();
    let new = || BayesAttacker::new(table);
    let start = || Found { attackers: [new(), new()], kept: Vec::new(), words: Vec::new() };
    let look = |mut found: Found, word: &WordId| {
        let distribution = privatizer.distribution_over(*word, &is_asked);
        let distribution = distribution.context("the mechanism does not state its probabilities")?;
        for (attacker, prior) in found.attackers.iter_mut().zip(question.priors.both()) {
            attacker.learn(*word, prior.share(*word), &distribution);
        }
        let itself = distribution.binary_search_by_key(word, |(output, _)| *output);
        found.kept.push((*word, itself.ok().and_then(|place| distribution.get(place)).map_or(0.0, |(_, p)| *p)));
        if question.words.binary_search(word).is_ok() {
            found.words.push((*word, Deniability::of(table, *word, &distribution, question.gauge)));
        }
        progress.inc(1);
        Ok(found)
    };
    let join = |mut a: Found, b: Found| {
        let [uniform, by_frequency] = a.attackers;
        let [other_uniform, other_by_frequency] = b.attackers;
        a.kept.extend(b.kept);
        a.words.extend(b.words);
        Found { attackers: [uniform.merge(other_uniform), by_frequency.merge(other_by_frequency)], ..a }
    };
    // Sums are taken in one order, whatever the number of threads.
    let parts = rows.par_chunks(PART).map(|rows| rows.iter().try_fold(start(), look));
    let parts = parts.collect::<Result<Vec<Found>>>()?;
    let Found { attackers, kept, words } = parts.into_iter().reduce(join).unwrap_or_else(start);
    let spread = weighted(&kept, question.priors);
    let [uniform, by_frequency] = attackers.each_ref().map(|attacker| {
        Spread::of(rows.iter().filter_map(|row| Some((attacker.written(*row)?, attacker.stands(*row)))))
    });
    let odds_of = |word: &WordId| {
        let [uniform, by_frequency] = attackers.each_ref().map(|attacker| attacker.written(*word));
        let written = ByPrior { uniform: uniform?, by_frequency: by_frequency? };
        Some(WordOdds { word: table.word(*word).to_string(), kept: kept.get(word.row())?.1, written })
    };
    let odds = question.odds_of.iter().filter_map(odds_of).collect();
    Ok(Evidence {
        kept: spread,
        kept_by_word: kept,
        words,
        inversion: Inversion {
            output_word: [spread.mean, spread.weighted_mean].into(),
            bayes: Some(attackers.map(|attacker| attacker.success()).into()),
            nearest: None,
            blind: question.priors.both().map(Prior::blind_guess).into(),
        },
        written: uniform.zip(by_frequency).map(|(uniform, by_frequency)| Written { uniform, by_frequency }),
        odds,
        released: None,
    })
}

fn simulated(
    privatizer: &Privatizer,
    mechanism: Mechanism,
    question: &Question<'_>,
    progress: &ProgressBar,
) -> Result<Evidence> {
    let table = privatizer.table();
    let stream = |number: u64| {
        let mut rng = ReleaseRng::seed_from_u64(question.seed);
        rng.set_stream(number);
        rng
    };
    let look = |word: &WordId| {
        let found = privatizer.deniability(*word, question.gauge, &mut stream(word.row() as u64));
        progress.inc(1);
        (*word, found)
    };
    let words: Vec<(WordId, Deniability)> = question.words.par_iter().map(look).collect();
    let kept_by_word: Vec<(WordId, f64)> = words.iter().map(|(word, found)| (*word, found.kept)).collect();

    let drawn = question.priors.both().map(|prior| drawn_from(table, prior, RELEASED));
    let beyond_rows = table.len() as u64;
    let share = |words: &Vec<WordId>, is_right: &(dyn Fn(WordId, &mut ReleaseRng) -> bool + Sync)| {
        let right = words
            .par_iter()
            .enumerate()
            .filter(|(place, word)| is_right(**word, &mut stream(beyond_rows + *place as u64)));
        right.count() as f64 / words.len().max(1) as f64
    };
    let output_word = drawn.each_ref().map(|words| share(words, &|word, rng| privatizer.draw(word, rng) == word));
    let nearest = if mechanism.kind().gives_representations() {
        let search = Search::new(table, mechanism)?;
        Some(drawn.each_ref().map(|words| share(words, &|word, rng| search.finds(table, word, rng))).into())
    } else {
        None
    };
    let [mean, weighted_mean] = output_word;
    Ok(Evidence {
        kept: Spread { mean, weighted_mean, ..weighted(&kept_by_word, question.priors) },
        kept_by_word,
        words,
        inversion: Inversion {
            output_word: output_word.into(),
            bayes: None,
            nearest,
            blind: question.priors.both().map(Prior::blind_guess).into(),
        },
        written: None,
        odds: Vec::new(),
        released: Some(RELEASED),
    })
}

fn weighted(kept: &[(WordId, f64)], priors: &Priors) -> Spread {
    const NOTHING: Spread = Spread { mean: 0.0, weighted_mean: 0.0, least: 0.0, quantiles: [0.0; 5], greatest: 0.0 };
    Spread::of(kept.iter().map(|(word, kept)| (*kept, priors.by_frequency.share(*word)))).unwrap_or(NOTHING)
}

/// The attack on noisy vectors: the nearest of all rows.
struct Search {
    representer: Representer,
    rows: Vec<i16>,
    norms: Vec<i32>,
}

impl Search {
    fn new(table: &Table, mechanism: Mechanism) -> Result<Self> {
        let rows = lattice_rows(table, |_| true);
        let norms = rows.chunks_exact(table.dims()).map(|row| row.iter().map(|v| i32::from(*v).pow(2)).sum()).collect();
        Ok(Self { representer: Representer::of_table(table, mechanism, Unit::Word)?, rows, norms })
    }

    /// Whether the row nearest to a noisy vector of the word is the word's own; the first of equals.
    fn finds(&self, table: &Table, word: WordId, rng: &mut ReleaseRng) -> bool {
        let Ok(noisy) = self.representer.represent(&table.word(word), &Dropout::None, rng) else { return false };
        let Values::Lattice { rows, .. } = noisy.values else { return false };
        let Some(point) = rows.first() else { return false };
        let point: Vec<i32> = point.iter().map(|y| *y.clamp(&-FARTHEST, &FARTHEST)).collect();
        // ‖v‖² − 2·v·y orders rows as ‖v − y‖² does.
        let score = |(row, norm): (&[i16], &i32)| {
            norm - 2 * row.iter().zip(&point).map(|(v, y)| i32::from(*v) * y).sum::<i32>()
        };
        let scores = self.rows.chunks_exact(point.len()).zip(&self.norms).map(score).enumerate();
        scores.min_by_key(|(_, score)| *score).is_some_and(|(row, _)| row == word.row())
    }
}

/// `size` words of the table, chosen by the seed, ascending. If the table has no more, it is all words.
pub(super) fn sample(table: &Table, size: usize, seed: u64) -> Vec<WordId> {
    let mut words: Vec<WordId> = table.rows().collect();
    let mut rng = ReleaseRng::seed_from_u64(seed);
    let size = size.min(words.len());
    for place in 0..size {
        let left = words.len() - place;
        words.swap(place, place + (rng.next_u64() % left as u64) as usize);
    }
    words.truncate(size);
    words.sort_unstable();
    words
}

#[cfg(test)]
mod tests {
    use textveil::{Disclosure, MechanismKind, Parameter};

    use super::*;
    use textveil_tables::two_words;

    #[test]
    fn a_sample_is_of_distinct_words_and_follows_the_seed() {
        let table = Table::english().expect("the built-in table");
        let words = sample(&table, 500, 1);
        assert_eq!(words.len(), 500);
        assert!(words.is_sorted_by(|a, b| a < b));
        assert!(words == sample(&table, 500, 1) && words != sample(&table, 500, 2));
        assert_eq!(sample(&table, usize::MAX, 1).len(), table.len());
    }

    #[test]
    fn attacks_on_two_words_are_right_as_often_as_a_hand_computes() {
        let table = two_words(["a", "b"], &ndarray::array![[0.0], [1.0]]).expect("a table");
        let distance = table.distance(table.row(0).expect("a row"), table.row(1).expect("a row"));
        let priors = Priors::of(&table);
        let words: Vec<WordId> = table.rows().collect();
        let question = Question { gauge: Gauge::default(), words: &words, odds_of: &words, priors: &priors, seed: 1 };
        let evidence = |kind, nats: f64| {
            let mechanism = Mechanism::new(kind).with(Parameter::Eta, nats / distance).expect("positive");
            let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("a privatizer");
            Evidence::of(&privatizer, mechanism, &question, &ProgressBar::hidden()).expect("evidence")
        };
        // Weights 1 and e^(−1): a word is kept with probability e/(e + 1), and no one guesses better.
        let exact = evidence(MechanismKind::Exponential, 2.0);
        let kept = 1.0 / (1.0 + (-1.0_f64).exp());
        let bayes = exact.inversion.bayes.expect("exact");
        for share in [exact.kept.mean, exact.kept.greatest, bayes.uniform, bayes.by_frequency] {
            assert!((share - kept).abs() < 1e-9, "{share} {kept}");
        }
        // Both words are as frequent, so that a reader is as sure of either as it is kept often.
        assert_eq!(exact.odds.len(), 2);
        for WordOdds { written, .. } in exact.odds {
            assert!((written.uniform - kept).abs() < 1e-9 && (written.by_frequency - kept).abs() < 1e-9);
        }
        // Lost if noise of density (η/2)·e^(−η·|z|) goes beyond half the distance to one side.
        let noise = evidence(MechanismKind::MetricLaplace, 2.0);
        let kept = 1.0 - (-1.0_f64).exp() / 2.0;
        let five_errors = 5.0 * (kept * (1.0 - kept) / RELEASED as f64).sqrt();
        let nearest = noise.inversion.nearest.expect("noise");
        for share in [noise.kept.mean, noise.kept.weighted_mean, nearest.uniform, nearest.by_frequency] {
            assert!((share - kept).abs() < five_errors + 0.01, "{share} {kept}");
        }
        assert!(noise.inversion.bayes.is_none());
        // Without probabilities there are no odds, not even wrong ones.
        let mechanism = Mechanism::new(MechanismKind::MetricLaplace).with(Parameter::Eta, 2.0).expect("positive");
        let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("a privatizer");
        assert!(Evidence::odds(&privatizer, &question, &ProgressBar::hidden()).is_err());
    }
}
