//! The levels that a table offers: for each mechanism, the η at which a given share of words comes out
//! unchanged.
//!
//! The exponential mechanism's retention is summed exactly over all pairs of words. That of the metric
//! Laplace mechanism is measured: the vocabulary itself is released, with a fixed seed, by the code that will
//! release texts.

use anyhow::{Result, anyhow};
use indicatif::ProgressBar;
use rand_core::SeedableRng;
use rayon::prelude::*;
use textveil::{
    Disclosure, EXPONENT_LIMIT, Level, Mechanism, MechanismKind, Parameter, Prior, Privatizer, ReleaseRng, Table,
    WordId,
};

use super::lattice::{lattice_rows, squared_distances};

/// Mean retention, under a uniform prior, that the levels aim at.
pub(crate) const RETENTIONS: [f64; 14] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];
/// η·scale between which a level is sought.
const ETA_RANGE: (f64, f64) = (1e-4, 1e3);
/// Words whose retention stands for that of all while the η of a level is sought.
const SAMPLED_WORDS: usize = 2048;
/// Halvings of the interval in which ln η lies, where the retention is exact: four digits.
const HALVINGS: usize = 18;
/// The same where it is measured: two digits, less than the noise.
const HALVINGS_MEASURED: usize = 12;
/// Words in a text that is released to measure retention.
const WORDS_A_TEXT: usize = 1024;
/// Draws behind a measured retention (at least), for tables that are to be used.
pub(crate) const DRAWS: usize = 32_768;
/// While the η of a level is sought, the draws are divided by this.
const SEARCH_DIVISOR: usize = 8;
/// Squared lattice distances up to here have their weights stored; those of wider tables are computed each
/// time.
const MOST_STORED: usize = 1 << 20;

/// The levels of all mechanisms over `table`. Levels that no η reaches (a tiny table, many words that are
/// never offered) are left out. Retention that has to be measured is the share of `draws` words.
///
/// # Errors
/// The table refuses a mechanism.
pub(crate) fn measure(table: &Table, draws: usize, progress: &ProgressBar) -> Result<Vec<Level>> {
    progress.set_length(2);
    let prior = Prior::by_frequency(table);
    let mut levels = exponential_at(table, &prior, &solve_exactly(table, &RETENTIONS)?);
    progress.inc(1);
    levels.extend(metric_laplace(table, &prior, draws)?);
    progress.inc(1);
    Ok(levels)
}

fn exponential_at(table: &Table, prior: &Prior, etas: &[f64]) -> Vec<Level> {
    let retention = exact_retention(table, &spread(table, table.len()), etas);
    let by_frequency: Vec<f64> = retention.iter().map(|shares| expected(table, prior, shares)).collect();
    levels(MechanismKind::Exponential, etas, &means(&retention), &by_frequency)
}

fn metric_laplace(table: &Table, prior: &Prior, draws: usize) -> Result<Vec<Level>> {
    let sample = spread(table, draws / SEARCH_DIVISOR);
    metric_laplace_at(table, prior, draws, &solve_measured(table, &sample, &RETENTIONS)?)
}

fn metric_laplace_at(table: &Table, prior: &Prior, draws: usize, etas: &[f64]) -> Result<Vec<Level>> {
    let uniform = measured_retention(table, &spread(table, draws.next_multiple_of(table.len())), etas)?;
    let by_frequency = measured_retention(table, &drawn_from(table, prior, draws), etas)?;
    Ok(levels(MechanismKind::MetricLaplace, etas, &means(&uniform), &means(&by_frequency)))
}

/// The levels of a table at the η that they have, with what they keep measured anew.
///
/// # Errors
/// The table refuses a mechanism.
pub(crate) fn measured_anew(table: &Table, draws: usize) -> Result<Vec<Level>> {
    let prior = Prior::by_frequency(table);
    let etas = |kind| table.levels_of(kind).map(|level| level.eta).collect::<Vec<_>>();
    let mut levels = exponential_at(table, &prior, &etas(MechanismKind::Exponential));
    levels.extend(metric_laplace_at(table, &prior, draws, &etas(MechanismKind::MetricLaplace))?);
    Ok(levels)
}

/// The η at which metric Laplace noise leaves this share of `sample` as it is, to two digits.
///
/// # Errors
/// No η does.
pub fn noise_that_keeps(table: &Table, sample: &[WordId], kept: f64) -> Result<f64> {
    let etas = solve_measured(table, sample, &[kept])?;
    etas.first().copied().ok_or_else(|| anyhow!("no noise leaves {kept} of the words as they are"))
}

/// The η at which the exponential mechanism leaves this share of the words as they are, to three digits.
///
/// # Errors
/// No η does.
pub(crate) fn exponential_that_keeps(table: &Table, kept: f64) -> Result<f64> {
    let etas = solve_exactly(table, &[kept])?;
    etas.first().copied().ok_or_else(|| anyhow!("no η leaves {kept} of the words as they are"))
}

fn solve_exactly(table: &Table, kept: &[f64]) -> Result<Vec<f64>> {
    let sample = spread(table, table.len().min(SAMPLED_WORDS));
    solve(table.scale(), kept, HALVINGS, |etas| Ok(means(&exact_retention(table, &sample, etas))))
}

fn solve_measured(table: &Table, sample: &[WordId], kept: &[f64]) -> Result<Vec<f64>> {
    solve(table.scale(), kept, HALVINGS_MEASURED, |etas| Ok(means(&measured_retention(table, sample, etas)?)))
}

fn levels(kind: MechanismKind, etas: &[f64], uniform: &[f64], by_frequency: &[f64]) -> Vec<Level> {
    let retentions = uniform.iter().zip(by_frequency);
    let level = |(eta, (retention, retention_by_frequency)): (&f64, (&f64, &f64))| Level {
        kind,
        eta: *eta,
        retention: *retention,
        retention_by_frequency: *retention_by_frequency,
    };
    etas.iter().zip(retentions).map(level).collect()
}

/// The mean of a value for each row, words being as likely as the prior says.
fn expected(table: &Table, prior: &Prior, values: &[f64]) -> f64 {
    table.rows().zip(values).map(|(row, value)| prior.share(row) * value).sum()
}

/// `size` words in the proportions of a prior: one at the middle of each of `size` equal parts of the
/// cumulative distribution.
pub fn drawn_from(table: &Table, prior: &Prior, size: usize) -> Vec<WordId> {
    let mut words = Vec::with_capacity(size);
    let mut cumulative = 0.0;
    for row in table.rows() {
        cumulative += prior.share(row);
        while words.len() < size && (words.len() as f64 + 0.5) / (size as f64) < cumulative {
            words.push(row);
        }
    }
    words
}

/// The words whose releases stand for those of all while an η is sought: each equally often.
pub fn words_to_release(table: &Table) -> Vec<WordId> {
    spread(table, (DRAWS / SEARCH_DIVISOR).next_multiple_of(table.len()))
}

/// `size` words, evenly spread over the vocabulary, repeated if it is smaller.
pub(crate) fn spread(table: &Table, size: usize) -> Vec<WordId> {
    (0..size).filter_map(|i| table.row(i * table.len() / size)).collect()
}

fn means(retentions: &[Vec<f64>]) -> Vec<f64> {
    retentions.iter().map(|shares| shares.iter().sum::<f64>() / shares.len().max(1) as f64).collect()
}

/// The η of each of these retentions that is within reach, to three digits, ascending. `retention` gives the
/// mean retention at several η and grows with η.
fn solve(
    scale: f64,
    targets: &[f64],
    halvings: usize,
    retention: impl Fn(&[f64]) -> Result<Vec<f64>>,
) -> Result<Vec<f64>> {
    let bounds = [ETA_RANGE.0 / scale, ETA_RANGE.1 / scale];
    let reach = retention(&bounds)?;
    let targets: Vec<f64> = targets.iter().copied().filter(|target| (reach[0]..reach[1]).contains(target)).collect();
    let mut intervals = vec![bounds.map(libm::log); targets.len()];
    for _ in 0..halvings {
        // Levels whose intervals are still the same share one evaluation; equal middles are neighbours.
        let middles: Vec<f64> = intervals.iter().map(|[low, high]| low.midpoint(*high)).collect();
        let mut distinct = middles.clone();
        distinct.dedup();
        let reached = retention(&distinct.iter().map(|x| libm::exp(*x)).collect::<Vec<_>>())?;
        for ((interval, middle), target) in intervals.iter_mut().zip(middles).zip(&targets) {
            let reached =
                distinct.iter().zip(&reached).find(|(x, _)| **x == middle).map_or(0.0, |(_, reached)| *reached);
            interval[usize::from(reached >= *target)] = middle;
        }
    }
    let mut etas =
        intervals.iter().map(|[low, high]| three_digits(libm::exp(low.midpoint(*high)))).collect::<Result<Vec<_>>>()?;
    etas.dedup();
    Ok(etas)
}

fn three_digits(x: f64) -> Result<f64> {
    format!("{x:.2e}").parse().map_err(|_| anyhow!("{x} has no three digits"))
}

/// The probability of each word to stay itself, for each η. For outputs y over all offered words, P(x|x) = 1 / Σ
/// exp(−β·d(x,y)). It is 0 for a word that is not offered. Here β = η/2. The mechanism's own β is lower by its rounding
/// slack, relatively 10⁻¹².
fn exact_retention(table: &Table, words: &[WordId], etas: &[f64]) -> Vec<Vec<f64>> {
    let offered = lattice_rows(table, |word| table.is_offered(word));
    let farthest = libm::ceil(table.diameter_bound() / table.scale()) as usize;
    let stored = (farthest * farthest + 1).min(MOST_STORED);
    let weight = |eta: f64, squared: usize| {
        libm::exp(-(0.5 * eta * table.scale() * (squared as f64).sqrt()).min(EXPONENT_LIMIT))
    };
    let weights: Vec<Vec<f64>> =
        etas.iter().map(|eta| (0..stored).map(|squared| weight(*eta, squared)).collect()).collect();
    let by_word: Vec<Vec<f64>> = words
        .par_iter()
        .map(|&word| {
            let stays = f64::from(u8::from(table.is_offered(word)));
            let mut distances = vec![0; offered.len() / table.dims()];
            let point: Vec<i16> = table.vector(word).into_iter().map(i16::from).collect();
            squared_distances(&point, &offered, &mut distances);
            let total = |(eta, weights): (&f64, &Vec<f64>)| -> f64 {
                let of = |squared: &u32| {
                    weights.get(*squared as usize).copied().unwrap_or_else(|| weight(*eta, *squared as usize))
                };
                distances.iter().map(of).sum()
            };
            etas.iter().zip(&weights).map(|level| stays / total(level)).collect()
        })
        .collect();
    (0..etas.len()).map(|level| by_word.iter().map(|shares| shares[level]).collect()).collect()
}

/// For each η, whether each of `words` came out unchanged (1 or 0) when all were released once by the metric
/// Laplace mechanism.
fn measured_retention(table: &Table, words: &[WordId], etas: &[f64]) -> Result<Vec<Vec<f64>>> {
    let texts: Vec<&[WordId]> = words.chunks(WORDS_A_TEXT).collect();
    let jobs: Vec<(f64, usize)> = etas.iter().flat_map(|eta| (0..texts.len()).map(move |text| (*eta, text))).collect();
    let kept: Vec<Vec<f64>> = jobs
        .into_par_iter()
        .map(|(eta, text)| {
            // One keystream for each text, the same for every η: what is compared differs in η alone.
            let outputs = outputs_under_noise(table, texts[text], eta, text as u64)?;
            Ok(outputs.iter().zip(texts[text]).map(|(output, word)| f64::from(u8::from(output == word))).collect())
        })
        .collect::<Result<_>>()?;
    Ok(kept.chunks(texts.len()).map(<[Vec<f64>]>::concat).collect())
}

/// What comes out for each of `words` when the metric Laplace mechanism releases them as one text.
///
/// # Errors
/// The table refuses the mechanism.
pub(crate) fn outputs_under_noise(table: &Table, words: &[WordId], eta: f64, seed: u64) -> Result<Vec<WordId>> {
    let mechanism = Mechanism::new(MechanismKind::MetricLaplace).with(Parameter::Eta, eta)?;
    let privatizer = Privatizer::new(table, mechanism, Disclosure::default())?.of_any_language();
    let text: Vec<String> = words.iter().map(|word| table.word(*word).to_string()).collect();
    let release = privatizer.privatize(&text.join("\n"), &mut ReleaseRng::seed_from_u64(seed))?;
    Ok(release.account.iter().filter_map(|token| token.output).collect())
}

#[cfg(test)]
mod tests {
    use super::super::toy::draft as example;
    use super::*;

    fn table() -> Table {
        example(200, 8).expect("finite vectors").encode().expect("a good draft").1
    }

    #[test]
    fn exact_retention_is_what_the_mechanism_states() {
        let table = table();
        let word = table.row(5).expect("a row");
        // Under the last η, exponents reach beyond their limit.
        for nats_a_step in [4.0 / 127.0, 1.0, EXPONENT_LIMIT] {
            let eta = nats_a_step / table.scale();
            let privatizer = Privatizer::new(
                &table,
                Mechanism::new(MechanismKind::Exponential).with(Parameter::Eta, eta).expect("positive"),
                Disclosure::default(),
            );
            let distribution = privatizer.expect("a privatizer").distribution(word).expect("exact");
            let (_, stated) = distribution.into_iter().find(|(output, _)| *output == word).expect("itself");
            let retention = exact_retention(&table, &[word], &[eta])[0][0];
            assert!((retention - stated).abs() < 1e-9 * stated, "{retention} {stated}");
        }
    }

    #[test]
    fn the_levels_reach_their_retentions() {
        let table = table();
        let levels = measure(&table, 8192, &ProgressBar::hidden()).expect("levels");
        for kind in [MechanismKind::Exponential, MechanismKind::MetricLaplace] {
            let of_kind: Vec<&Level> = levels.iter().filter(|level| level.kind == kind).collect();
            assert!(of_kind.len() >= 10);
            assert!(of_kind.is_sorted_by(|a, b| a.eta < b.eta && a.retention <= b.retention));
            let half = of_kind.iter().find(|level| (level.retention - 0.5).abs() < 0.05);
            assert!(half.is_some(), "{of_kind:?}");
        }
    }

    #[test]
    fn retention_beyond_the_offered_share_is_left_out() {
        // A seventh of the example's words is never offered.
        let levels = measure(&table(), 8192, &ProgressBar::hidden()).expect("levels");
        assert!(levels.iter().all(|level| level.retention < 6.0 / 7.0 + 0.01));
    }

    #[test]
    fn a_sample_follows_the_frequencies() {
        let table = table();
        let prior = Prior::by_frequency(&table);
        let sample = drawn_from(&table, &prior, 1000);
        assert_eq!(sample.len(), 1000);
        let commonest = table.rows().max_by(|a, b| prior.share(*a).total_cmp(&prior.share(*b))).expect("words");
        let count = sample.iter().filter(|word| **word == commonest).count() as f64;
        assert!((count - 1000.0 * prior.share(commonest)).abs() <= 1.0);
    }

    #[test]
    fn an_eta_has_three_digits() {
        assert_eq!(three_digits(14.5678).expect("a number"), 14.6);
        assert_eq!(three_digits(0.00123456).expect("a number"), 0.00123);
    }
}
