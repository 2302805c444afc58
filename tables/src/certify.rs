//! The channels of a table that keep most words for what is proved of them.
//!
//! A channel is P(y|x) = g(y)·e^(−β·m(x, y))/Z(x) over all rows, m the distance, cut off at some length.
//! `textveil::account::channel` has its theory and computes it for small tables. This module reads all pairs of a whole
//! vocabulary (10⁹), about a hundred times ([`pairs`]). For each retention that is asked for, [`mod@solve`] finds β and
//! a base measure g that makes Z flat. [`base`] rounds g to the codes of a table. [`measure`] certifies the rounded
//! channel, so that the steps before need no trust. [`cutoff`] chooses the length, [`comparison`] compares the result
//! with other channels, and [`certificates`] writes it down.

mod base;
mod certificates;
mod comparison;
mod cutoff;
mod measure;
mod pairs;
mod partial;
mod solve;
mod vocabulary;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use textveil::{Certificate, EXPONENT_LIMIT, Table};

pub use self::cutoff::Cutoff;
pub(crate) use self::measure::{Certified, Draft};
use self::pairs::{LANES, Pairs};
use self::partial::Partial;
use self::solve::{Goal, Shape, Solution, solve};
use self::vocabulary::Vocabulary;
use super::levels::RETENTIONS;
use super::record::{FileIdentity, add_step};
use super::writer::with_sections;
use textveil_toolkit::cells;
use textveil_toolkit::files::replace;
use textveil_toolkit::progress;
use textveil_toolkit::report::Sheet;

/// The share of draws that come out of the plateau.
const WITHIN: f64 = 0.8;
/// Rows by which the size of plateaus is found.
const SAMPLED_ROWS: usize = 1024;

/// Which channels of a table are certified.
pub struct Channels {
    /// Distance from which all words count as equally far. A cut-off lowers the worst-case ε and raises η.
    pub cutoff: Cutoff,
    /// Mean shares of the words that are to come out unchanged, ascending.
    pub retentions: Vec<f64>,
    /// Mean shares of the words that channels with a plateau are to keep, ascending, below 0.8.
    pub plateaus: Vec<f64>,
}

impl Channels {
    /// Shares of the words that are certified unless told otherwise.
    pub const RETENTIONS: [f64; 14] = RETENTIONS;
    /// The same for channels with a plateau.
    pub const PLATEAUS: [f64; 5] = [0.05, 0.1, 0.2, 0.3, 0.4];
}

/// Channels of a table that were certified and written.
pub struct Certification {
    work: Work,
    table: Table,
    levels: Vec<Certified>,
    partial: Partial,
    /// What was found, for a person.
    pub sheets: Vec<Sheet>,
}

impl Channels {
    /// Certifies the channels of the table in `file` and writes it with them to `out`. Who interrupts that and starts
    /// it again continues after the last levels that were done. How the table was certified is added to the record of
    /// its build, if there is one.
    ///
    /// # Errors
    /// What is no table, or no share; what cannot be read or written.
    pub fn certify(&self, file: &Path, out: &Path, record: Option<&Path>) -> Result<Certification> {
        let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let table = Table::parse(bytes.clone()).with_context(|| file.display().to_string())?;
        ensure!(table.len() > 1, "a channel needs two words at least");
        let ascend = |shares: &[f64], below: f64| {
            shares.is_sorted_by(|a, b| a < b) && shares.iter().all(|share| (0.0..below).contains(share) && *share > 0.0)
        };
        ensure!(ascend(&self.retentions, 1.0), "--retentions takes ascending shares between 0 and 1");
        ensure!(ascend(&self.plateaus, WITHIN), "--plateaus takes ascending shares between 0 and {WITHIN}");
        let work = Work::of(&table)?;

        let mut partial = Partial::open(out, &self.identity(&table))?;
        let mut sheets = Vec::new();
        let cutoff = match (self.cutoff, partial.cutoff()) {
            (Cutoff::None, _) => f64::INFINITY,
            (Cutoff::At(length), _) => length,
            (Cutoff::Auto, Some(chosen)) => chosen,
            (Cutoff::Auto, None) => {
                let (chosen, sheet) = cutoff::choose(&work);
                sheets.push(sheet);
                partial.choose(chosen)?;
                chosen
            }
        };
        let goals = work.goals(&self.retentions, cutoff, |_| 0.0);
        let sample = work.pairs.sample(SAMPLED_ROWS);
        let plateaus = work.goals(&self.plateaus, cutoff, |share| work.pairs.near(&sample, share / WITHIN));
        for goals in goals.chunks(LANES).chain(plateaus.chunks(LANES)).skip(partial.done().len()) {
            partial.add(work.certify(goals))?;
        }
        let levels = partial.done().concat();
        let bytes = with_sections(&bytes, &[(*b"CERT", Some(&certificates::section(&levels, &work.vocabulary)))])?;
        replace(out, &bytes)?;
        if let Some(record) = record {
            let name = out.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let output = FileIdentity::of(out, &name)?;
            add_step(record, "certified", &self.command(), &output, &Table::parse(bytes)?)?;
        }
        sheets.push(sheet(&table, cutoff, &levels));
        Ok(Certification { work, table, levels, partial, sheets })
    }

    /// The command, with the place of the tables left open.
    fn command(&self) -> String {
        let shares = |shares: &[f64]| shares.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        let (retentions, plateaus) = (shares(&self.retentions), shares(&self.plateaus));
        let cutoff = self.cutoff;
        format!(
            "textveil table certify TABLE --out FILE --cutoff {cutoff} --retentions {retentions} --plateaus {plateaus}"
        )
    }

    /// What the levels depend on.
    fn identity(&self, table: &Table) -> String {
        format!("{} {:?} {:?} {:?}", table.id(), self.cutoff, self.retentions, self.plateaus)
    }
}

impl Certification {
    /// How many levels there are.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Adds a sheet that compares the channels with others that keep as many words, and with what no channel can
    /// exceed.
    ///
    /// # Errors
    /// The table refuses noise.
    pub fn compare(&mut self) -> Result<()> {
        self.sheets.push(comparison::compare(&self.work, &self.table, &self.levels)?);
        Ok(())
    }

    /// Forgets what a run that starts again would have continued from.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn end(self) -> Result<()> {
        self.partial.remove()
    }
}

/// The section `CERT` of a table with the channels of another that has the same rows: what they keep is measured anew.
///
/// # Errors
/// The table has a single word; the rows are others, so that a channel is not what its certificate says.
pub(crate) fn measured_anew(table: &Table, channels: &Table) -> Result<Vec<u8>> {
    let work = Work::of(table)?;
    let old = channels.certificates();
    let draft = |(place, old): (usize, &Certificate)| Draft {
        beta: old.beta,
        cutoff: old.cutoff,
        near: old.near,
        step: old.step,
        codes: channels.base_codes(place).to_vec(),
    };
    let drafts: Vec<Draft> = old.iter().enumerate().map(draft).collect();
    let bar = progress::bar("measuring channels", measure::SWEEPS * work.pairs.count() * drafts.len().div_ceil(LANES));
    let measured: Vec<Certified> =
        drafts.chunks(LANES).flat_map(|drafts| measure::certify(&work.pairs, &work.vocabulary, drafts, &bar)).collect();
    bar.finish_and_clear();
    let is_same = |(new, old): (&Certified, &Certificate)| (new.eta, new.epsilon) == (old.eta, old.epsilon);
    ensure!(measured.iter().zip(old).all(is_same), "the channels are not those of these rows");
    Ok(certificates::section(&measured, &work.vocabulary))
}

/// A table, ready for the work on it.
struct Work {
    /// No distance is larger.
    diameter: f64,
    pairs: Pairs,
    vocabulary: Vocabulary,
}

impl Work {
    fn of(table: &Table) -> Result<Self> {
        let (pairs, vocabulary) = (Pairs::of(table)?, Vocabulary::of(table)?);
        Ok(Self { diameter: table.diameter_bound(), pairs, vocabulary })
    }

    /// The shares that lie between what pure chance keeps and what is offered.
    fn within_reach(&self, retentions: &[f64]) -> Vec<f64> {
        let least = 2.0 / self.pairs.count() as f64;
        retentions.iter().copied().filter(|share| (least..self.vocabulary.share_offered()).contains(share)).collect()
    }

    /// A channel for each goal.
    fn solve(&self, what: &'static str, goals: &[Goal]) -> Vec<Solution> {
        let bar = progress::bar(what, solve::SWEEPS * self.pairs.count());
        let solutions = solve(&self.pairs, &self.vocabulary, goals, &bar);
        bar.finish_and_clear();
        solutions
    }

    /// The channels of these shares, as far as they are within reach.
    fn goals(&self, retentions: &[f64], cutoff: f64, near: impl Fn(f64) -> f64) -> Vec<(f64, Goal)> {
        let goal = |retention| (retention, Goal { shape: Shape::Flat { retention }, cutoff, near: near(retention) });
        self.within_reach(retentions).into_iter().map(goal).collect()
    }

    /// Certified channels of at most [`LANES`] goals.
    fn certify(&self, goals: &[(f64, Goal)]) -> Vec<Certified> {
        let solutions = self.solve("solving", &goals.iter().map(|(_, goal)| *goal).collect::<Vec<_>>());
        let draft = |(solution, (retention, goal)): (&Solution, &(f64, Goal))| {
            let step = base::step(*retention, goal.near);
            Draft {
                beta: solution.beta,
                // Where devices cut the exponent off, and where no distance is.
                cutoff: goal.cutoff.min(EXPONENT_LIMIT / solution.beta * (1.0 - f64::EPSILON)).min(self.diameter),
                near: goal.near,
                step,
                codes: base::encode(&solution.log_base, step),
            }
        };
        let drafts: Vec<Draft> = solutions.iter().zip(goals).map(draft).collect();
        let bar = progress::bar("certifying", measure::SWEEPS * self.pairs.count());
        let certified = measure::certify(&self.pairs, &self.vocabulary, &drafts, &bar);
        bar.finish_and_clear();
        certified
    }
}

fn sheet(table: &Table, cutoff: f64, levels: &[Certified]) -> Sheet {
    let title = format!("{} words, {} dimensions, cut off at {cutoff:.4}: {}", table.len(), table.dims(), table.id());
    let mut sheet = Sheet::new(title);
    for (number, level) in levels.iter().enumerate() {
        let Certified { draft, eta, epsilon, retention, retention_by_frequency, .. } = level;
        let inversion = level.inversion;
        // A guesser who is right with that probability implies this ε. Randomized response reaches it.
        let least_epsilon = libm::log(inversion * (table.len() - 1) as f64 / (1.0 - inversion));
        sheet.row(cells![
            "level" => number as f64,
            "eta" => *eta,
            "beta" => draft.beta,
            "near" => draft.near,
            "epsilon a word" => *epsilon,
            "least epsilon" => least_epsilon,
            "words kept" => *retention,
            "tokens kept" => *retention_by_frequency,
            "support" => level.support,
            "distance" => level.expected_distance,
            "inversion" => inversion,
            "of tokens" => level.inversion_by_frequency,
            "bits a word" => base::bits(&draft.codes),
        ]);
    }
    sheet
}

#[cfg(test)]
mod tests;
