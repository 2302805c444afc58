//! The strengths of the noise: the η at which the attack names a given share of a text's words.

use std::fmt;

use anyhow::Result;
use textveil::{Table, WordId};

use super::SETS;
use super::attack::Attack;
use super::corpus::tokens;
use super::setting::{Proved, Setting, levels_beside, median_distance};
use crate::reproduce::printed::numbers;
use crate::reproduce::run::Run;
use textveil_toolkit::report::Cell;

/// η is sought between 1 and this many times the dimensions, over the median distance. (On average the length of the
/// noise is the number of dimensions over η.)
const REACH: f64 = 1000.0;
/// Halvings of ln of that range.
const HALVINGS: u32 = 14;
/// The set on whose training texts strengths are sought.
pub(super) const MATCHED_ON: (&str, &str) = SETS[0];

/// A strength of the noise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strength {
    /// The share of SST's tokens that the attack names in the paper's Table 3.
    pub(super) aim: f64,
    /// The paper's η.
    pub(super) paper: f64,
    /// Ours of that share.
    pub(super) eta: f64,
}

/// What is sought in a space of words.
struct Sought<'a> {
    space: &'a str,
    aim: f64,
    paper: f64,
}

impl fmt::Display for Sought<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}eta/inversion={}", self.space, self.aim)
    }
}

/// What the rows of all tables stand at.
pub(super) struct Ladder {
    pub(super) table: Table,
    /// The median distance of two words.
    pub(super) median: f64,
    /// Ascending; with `--quick` the ends and the middle.
    pub(super) strengths: Vec<Strength>,
    /// The metric constants of the certified levels to compare with, ascending.
    pub(super) levels: Vec<f64>,
}

impl Ladder {
    /// # Errors
    /// The set cannot be read.
    pub(super) fn of(run: &Run<'_>) -> Result<Self> {
        let table = run.table()?;
        let median = median_distance(&table, &mut run.rng("distances"));
        let strengths = strengths(run, "", &table, median)?;
        let etas: Vec<f64> = strengths.iter().map(|strength| strength.eta).collect();
        let levels = levels_beside(&table, &etas);
        Ok(Self { table, median, strengths, levels })
    }

    /// Noise of each strength with the paper's η, then the certified mechanism at each level.
    pub(super) fn settings(&self) -> Vec<(Setting, Option<f64>)> {
        let noise = self.strengths.iter().map(|strength| (Setting::noise(strength.eta), Some(strength.paper)));
        noise.chain(self.levels.iter().map(|eta| (Setting::certified(*eta), None))).collect()
    }

    /// # Errors
    /// As [`Setting::privatizer`].
    pub(super) fn proved(&self, setting: Setting) -> Result<Proved> {
        setting.proved(&self.table, self.median)
    }
}

/// The strengths of a space, which has this name in keys. For each of the paper's η, the attack names the same share of
/// words of SST-2's training texts as in the paper.
///
/// # Errors
/// The set cannot be read.
pub(super) fn strengths(run: &Run<'_>, space: &str, table: &Table, median: f64) -> Result<Vec<Strength>> {
    let (set, _) = MATCHED_ON;
    let words = tokens(table, &run.set(set)?.train, if run.is_quick() { 500 } else { 2000 }, run.seed("eta/tokens"))?;
    let step = if run.is_quick() { 2 } else { 1 };
    let etas: Vec<f64> = printed()?.into_iter().step_by(step).map(|(_, paper)| paper).collect();
    strengths_on(run, space, table, median, &words, &etas)
}

/// The paper's shares and the η that it prints for them.
fn printed() -> Result<Vec<(f64, f64)>> {
    let of_sst = numbers("qu")?.into_iter().filter(|number| number.table == "Table 3" && number.word("set") == "SST");
    Ok(of_sst.filter_map(|number| Some((number.share(), number.number("eta")?))).collect())
}

/// The same at these of the paper's η, of these words.
///
/// # Errors
/// A cell that cannot be kept.
pub(super) fn strengths_on(
    run: &Run<'_>,
    space: &str,
    table: &Table,
    median: f64,
    words: &[WordId],
    etas: &[f64],
) -> Result<Vec<Strength>> {
    let attack = Attack::new(table);
    let wanted = printed()?.into_iter().filter(|(_, paper)| etas.contains(paper));
    let sought: Vec<Sought<'_>> = wanted.map(|(aim, paper)| Sought { space, aim, paper }).collect();
    // Every η takes the same noise and changes only its length, so that the share hardly ever falls as η rises.
    let share = |eta: f64| named(&attack, words, eta, run);
    let etas = run.cells(&sought, |sought| Ok(eta_of(sought.aim, median, table.dims(), share)))?;
    Ok(sought
        .iter()
        .zip(etas)
        .map(|(Sought { aim, paper, .. }, eta)| Strength { aim: *aim, paper: *paper, eta })
        .collect())
}

fn named(attack: &Attack<'_>, words: &[WordId], eta: f64, run: &Run<'_>) -> f64 {
    attack.hits(words, eta, &mut run.rng("eta/noise")) as f64 / words.len() as f64
}

/// Where a share that rises with η reaches what is aimed at.
fn eta_of(aim: f64, median: f64, dims: usize, share: impl Fn(f64) -> f64) -> f64 {
    let [mut low, mut high] = [1.0, REACH * dims as f64].map(|eta| libm::log(eta / median));
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if share(libm::exp(middle)) < aim { low = middle } else { high = middle }
    }
    libm::exp(high)
}

/// The paper's η in a column, empty where the paper has no η.
pub(super) fn paper(eta: Option<f64>) -> Cell {
    eta.map_or_else(|| "".into(), Cell::from)
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;
    use textveil::ReleaseRng;

    use super::*;

    #[test]
    fn at_the_strength_that_was_found_other_noise_is_inverted_as_often() {
        let table = textveil_tables::example(300, 6).expect("a table");
        let rng = |seed| ReleaseRng::seed_from_u64(seed);
        let (attack, median) = (Attack::new(&table), median_distance(&table, &mut rng(0)));
        let words: Vec<WordId> = table.rows().chain(table.rows()).collect();
        let share = |eta: f64, seed| attack.hits(&words, eta, &mut rng(seed)) as f64 / words.len() as f64;
        for aim in [0.2, 0.7] {
            let eta = eta_of(aim, median, table.dims(), |eta| share(eta, 1));
            // Four standard errors of a difference of two shares of 600.
            let within = 4.0 * (2.0 * aim * (1.0 - aim) / words.len() as f64).sqrt();
            assert!((share(eta, 2) - aim).abs() < within, "{aim}: {}", share(eta, 2));
        }
    }
}
