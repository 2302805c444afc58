//! Figure 4: how N_w and S_w are spread over the vocabulary, by η.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::Result;
use textveil::{Table, WordId};

use super::setting::Setting;
use super::strengths::Ladder;
use super::{DATA, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::Sheet;

pub(crate) static FIGURE_4: Experiment = Experiment {
    paper: "qu",
    table: "figure-4",
    about: "How N_w and S_w are spread over the vocabulary, by eta (Qu et al., CIKM 2021)",
    data: &[DATA[0]],
    takes: &[],
    runs: None,
    has_plot: false,
    why: WHY,
    compute,
};

/// Words of the vocabulary, evenly spread, and with `--quick`.
const WORDS: [usize; 2] = [200, 20];
/// Draws of a word, as in the paper.
const DRAWS: usize = 1000;
/// Counts of an interval of the histogram.
const WIDTH: usize = 100;
/// The paper's claim of [`AT`]: N_w is below this for all words, and S_w above.
const HALF: f64 = 500.0;
/// The paper's η of that claim.
const AT: f64 = 75.0;

/// A word at an η.
struct Look {
    word: WordId,
    eta: f64,
}

impl fmt::Display for Look {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "row={}/{}", self.word.row(), Setting::noise(self.eta))
    }
}

impl Look {
    /// N_w and S_w: draws that leave the word as it is, and distinct outputs.
    fn counts(&self, run: &Run<'_>, table: &Table) -> Result<[u32; 2]> {
        let privatizer = Setting::noise(self.eta).privatizer(table)?;
        let outputs = privatizer.draw_all(&[self.word; DRAWS], &mut run.rng(&self.to_string()));
        let kept = outputs.iter().filter(|output| **output == self.word).count();
        Ok([kept as u32, outputs.iter().collect::<BTreeSet<_>>().len() as u32])
    }
}

fn compute(run: &Run<'_>) -> Result<Report> {
    let ladder = Ladder::of(run)?;
    let (table, strengths) = (&ladder.table, &ladder.strengths);
    let words = WORDS[usize::from(run.is_quick())];
    let words: Vec<WordId> = table.rows().step_by(table.len().div_ceil(words)).collect();
    let looks = strengths.iter().flat_map(|at| words.iter().map(|word| Look { word: *word, eta: at.eta }));
    let looks: Vec<Look> = looks.collect();
    let counts: Vec<[u32; 2]> = run.cells(&looks, |look| look.counts(run, table))?;
    let by_eta: Vec<&[[u32; 2]]> = counts.chunks(words.len()).collect();
    let mut sheets = Vec::new();
    for (which, title) in ["Words by N_w of 1,000 draws", "Words by S_w of 1,000 draws"].into_iter().enumerate() {
        let mut sheet = Sheet::new(title);
        for (at, counts) in strengths.iter().zip(&by_eta) {
            let sorted = sorted(counts, which);
            let share = |low: usize| {
                let is_in = |count: &&u32| (**count as usize).min(DRAWS - 1) / WIDTH == low / WIDTH;
                sorted.iter().filter(is_in).count() as f64 / sorted.len() as f64
            };
            sheet.row(cells![
                "paper's eta" => at.paper,
                "eta" => at.eta,
                "least" => f64::from(sorted[0]),
                "median" => f64::from(sorted[sorted.len() / 2]),
                "most" => f64::from(sorted[sorted.len() - 1]),
                "0 to 99" => share(0),
                "100 to 199" => share(100),
                "200 to 299" => share(200),
                "300 to 399" => share(300),
                "400 to 499" => share(400),
                "500 to 599" => share(500),
                "600 to 699" => share(600),
                "700 to 799" => share(700),
                "800 to 899" => share(800),
                "900 to 1000" => share(900),
            ]);
        }
        sheets.push(sheet);
    }
    let at = strengths.iter().zip(&by_eta).find(|(at, _)| at.paper >= AT);
    let claims = at.map_or_else(Vec::new, |(at, counts)| claims(at.paper, counts));
    Ok(Report { sheets, claims, ..Report::default() })
}

fn sorted(counts: &[[u32; 2]], which: usize) -> Vec<u32> {
    let mut sorted: Vec<u32> = counts.iter().map(|counts| counts[which]).collect();
    sorted.sort_unstable();
    sorted
}

fn claims(eta: f64, counts: &[[u32; 2]]) -> Vec<Claim> {
    let ends = |which| {
        let sorted = sorted(counts, which);
        [sorted.first(), sorted.last()].map(|end| end.map_or(f64::NAN, |count| f64::from(*count)))
    };
    let ([_, most], [least, _]) = (ends(0), ends(1));
    let text = |what: &str| format!("at the paper's eta of {eta} {what} for each of {} words", counts.len());
    vec![
        Claim::new(text("N_w is at most 500"), most <= HALF, format!("{most} at most")),
        Claim::new(text("S_w is at least 500"), least >= HALF, format!("{least} at least")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_stays_and_has_few_outputs_refutes_the_claims() {
        let verdicts = |counts: &[[u32; 2]]| claims(75.0, counts).iter().map(|of| of.holds).collect::<Vec<_>>();
        assert_eq!(verdicts(&[[300, 700], [500, 500]]), [Some(true); 2]);
        assert_eq!(verdicts(&[[300, 700], [501, 499]]), [Some(false); 2]);
    }
}
