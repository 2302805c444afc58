//! Table 4 (SST-2) and Table 5 (QQP), the columns of the BiLSTM: what a classifier tells from token representations,
//! and from the words that came out.
//!
//! Training and test texts reach it in the same way, each released once. A pair of texts is one sequence.

use std::fmt;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use textveil_learn::{Model, Optimizer, Recipe, Session, train};

use super::corpus::{Corpus, Input};
use super::setting::Setting;
use super::strengths::{Ladder, Strength, paper};
use super::{DATA, SETS, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::{Experiment, Runs};
use crate::reproduce::printed::{Number, numbers};
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::numbers::short;
use textveil_toolkit::report::plot::{Axis, Panel, panels};
use textveil_toolkit::report::{Cell, Mean, Sheet};

pub(crate) static TABLE_4: Experiment = Experiment {
    paper: "qu",
    table: "table-4",
    about: "SST-2: accuracy of a BiLSTM on token representations and text to text by eta (Qu et al., CIKM 2021)",
    data: &[DATA[0]],
    takes: &[],
    runs: Some(Runs { quick: 1, usual: 3, paper: None }),
    has_plot: true,
    why: WHY,
    compute: |run| compute(run, 0),
};

pub(crate) static TABLE_5: Experiment = Experiment {
    table: "table-5",
    about: "QQP: accuracy of a BiLSTM on token representations and text to text by eta (Qu et al., CIKM 2021)",
    // Strengths are sought on SST-2.
    data: &DATA,
    compute: |run| compute(run, 1),
    ..TABLE_4
};

/// Three standard errors of the difference of two means of three runs, each tested on the same 872 texts.
pub(super) const ACCURACY_TOLERANCE: f64 = 0.04;
/// The paper's least η at which words tell more than noisy vectors on both sets.
const WORDS_WIN: f64 = 100.0;

/// A classifier, trained once.
pub(super) struct Training<'a> {
    /// The name of the space, in keys.
    pub(super) space: &'a str,
    pub(super) corpus: &'a Corpus<'a>,
    pub(super) input: Input,
    pub(super) run: u32,
}

impl fmt::Display for Training<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}/{}/run={}", self.space, self.corpus.name, self.input, self.run)
    }
}

/// What it came to.
#[derive(Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) accuracy: f64,
    /// The share of the test texts' words that came out as they went in.
    kept: Option<f64>,
}

impl Training<'_> {
    pub(super) fn outcome(&self, run: &Run<'_>) -> Result<Outcome> {
        let [of_train, of_test] = self.corpus.sent(self.input, &mut run.rng(&format!("{self}/noise")))?;
        let recipe = recipe(run, run.seed(&format!("{self}/weights")));
        let trained = train(&recipe, self.corpus.classes, &of_train.examples, None, &Session::default())?;
        Ok(Outcome { accuracy: trained.evaluate(&of_test.examples)?.accuracy, kept: of_test.kept })
    }
}

fn recipe(run: &Run<'_>, seed: u64) -> Recipe {
    let (hidden, epochs, batch) = if run.is_quick() { (16, 8, 32) } else { (32, 6, 64) };
    Recipe {
        model: Model::BiLstm { hidden, dropout: 0.2 },
        optimizer: Optimizer::Adam { rate: 0.003 },
        epochs,
        batch,
        patience: None,
        seed,
    }
}

/// The inputs of a set's rows. The first is the clear text. Then come the noisy vectors at each strength, and the words
/// nearest to them at each strength. The last are the words of the certified mechanism at each level.
fn inputs(strengths: &[Strength], levels: &[f64]) -> Vec<Input> {
    let vectors = strengths.iter().map(|strength| Input::Representation(strength.eta));
    let words = strengths.iter().map(|strength| words_of(strength.eta));
    let of_levels = levels.iter().map(|eta| Input::Text(Setting::certified(*eta)));
    [Input::Clear].into_iter().chain(vectors).chain(words).chain(of_levels).collect()
}

const fn words_of(eta: f64) -> Input {
    Input::Text(Setting::noise(eta))
}

/// What all runs of an input came to.
struct Row {
    input: Input,
    kept: Option<Mean>,
    accuracy: Mean,
}

impl Row {
    fn of(input: Input, runs: &[Outcome]) -> Self {
        let kept: Option<Vec<f64>> = runs.iter().map(|outcome| outcome.kept).collect();
        let accuracy = Mean::of(&runs.iter().map(|outcome| outcome.accuracy).collect::<Vec<_>>());
        Self { input, kept: kept.map(|kept| Mean::of(&kept)), accuracy }
    }
}

fn compute(run: &Run<'_>, set: usize) -> Result<Report> {
    let ladder = Ladder::of(run)?;
    let Ladder { table, strengths, levels, .. } = &ladder;
    let inputs = inputs(strengths, levels);
    let corpus = Corpus::read(run, table, SETS[set])?;
    let trainings: Vec<Training<'_>> = inputs
        .iter()
        .flat_map(|input| (0..run.runs()).map(|run| Training { space: "", corpus: &corpus, input: *input, run }))
        .collect();
    let outcomes = run.cells(&trainings, |training| training.outcome(run))?;
    let runs = outcomes.chunks(run.runs() as usize);
    let rows: Vec<Row> = inputs.iter().zip(runs).map(|(input, runs)| Row::of(*input, runs)).collect();
    let claims = of_set(set, strengths, &rows)?;
    let line = |place: usize| {
        let rows = rows.iter().skip(1 + place * strengths.len()).zip(strengths);
        rows.map(|(row, strength)| [strength.eta, row.accuracy.mean]).collect()
    };
    let panel = Panel {
        title: corpus.name,
        axis_title: "η in nats a unit of distance",
        x: Axis::linear(0.0, strengths.last().map_or(1.0, |most| (most.eta / 10.0).ceil() * 10.0)),
        y: Axis::linear(0.4, 1.0),
        lines: vec![("token representations", line(0)), ("text to text", line(1))],
    };
    let drawing = panels("Accuracy of a BiLSTM", &[panel]);
    Ok(Report { claims, ..Report::of(vec![sheet(&ladder, &corpus, &rows)?], drawing) })
}

fn sheet(ladder: &Ladder, corpus: &Corpus<'_>, rows: &[Row]) -> Result<Sheet> {
    let mut sheet = Sheet::new("Accuracy of a BiLSTM");
    let none = || Cell::from("");
    let majority = Row { input: Input::Clear, kept: None, accuracy: Mean::exact(corpus.majority()) };
    for (place, Row { input, kept, accuracy }) in [&majority].into_iter().chain(rows).enumerate() {
        let setting = match input {
            Input::Clear => None,
            Input::Representation(eta) => Some(Setting::noise(*eta)),
            Input::Text(setting) => Some(*setting),
        };
        let reads = match input {
            Input::Clear if place == 0 => "nothing, and says the commonest label",
            Input::Clear => "vectors in clear",
            Input::Representation(_) => "noisy vectors",
            Input::Text(_) => "words",
        };
        let strength = setting.and_then(|setting| ladder.strengths.iter().find(|of| Setting::noise(of.eta) == setting));
        let [mechanism, eta, of_median, any, delta] = match setting {
            Some(setting) => {
                let proved = ladder.proved(setting)?;
                let name = Cell::from(setting.kind.name());
                [name, proved.eta.into(), proved.median.into(), proved.any.into(), proved.delta.into()]
            }
            None => ["none".into(), none(), f64::INFINITY.into(), f64::INFINITY.into(), none()],
        };
        sheet.row(cells![
            "classifier reads" => reads,
            "mechanism" => mechanism,
            "eta" => eta,
            "paper's eta" => paper(strength.map(|strength| strength.paper)),
            "inversion aimed at" => strength.map_or_else(none, |strength| strength.aim.into()),
            "words kept" => kept.map_or_else(none, Cell::from),
            "eps, median pair" => of_median,
            "eps, any pair" => any,
            "delta as drawn" => delta,
            "accuracy" => *accuracy,
        ]);
    }
    Ok(sheet)
}

/// The paper's accuracy of its BiLSTM on a set.
fn printed(set: usize, privatized: &str, eta: Option<f64>) -> Result<f64> {
    let is_meant = |number: &Number| {
        let is_of_set = number.table == ["Table 4", "Table 5"][set] && number.word("encoder") == "BiLSTM";
        is_of_set && number.word("privatized") == privatized && number.number("eta") == eta
    };
    numbers("qu")?.into_iter().find(is_meant).map(|number| number.value).context("a number that is not printed")
}

/// What the paper reports of one set.
fn of_set(set: usize, strengths: &[Strength], rows: &[Row]) -> Result<Vec<Claim>> {
    let (_, name) = SETS[set];
    let of = |input: Input| {
        let row = rows.iter().find(|row| row.input == input).context("an input without a row")?;
        Ok::<f64, anyhow::Error>(row.accuracy.mean)
    };
    let clear = of(Input::Clear)?;
    let by_eta = |input: fn(f64) -> Input| strengths.iter().map(|at| of(input(at.eta))).collect::<Result<Vec<_>>>();
    let (vectors, words) = (by_eta(Input::Representation)?, by_eta(words_of)?);
    let last = |numbers: &[f64]| numbers.last().copied().unwrap_or(f64::NAN);
    let most = strengths.last().map(|at| at.paper);
    let loss = printed(set, "nothing", None)? - printed(set, "token representations", most)?;
    let (mut wins, mut of_paper) = (Vec::new(), Vec::new());
    for (at, (words, vectors)) in strengths.iter().zip(words.iter().zip(&vectors)) {
        if at.paper >= WORDS_WIN {
            wins.push(words - vectors);
            let [words, vectors] =
                ["text to text", "token representations"].map(|what| printed(set, what, Some(at.paper)));
            of_paper.push(short(words? - vectors?));
        }
    }
    Ok(vec![
        Claim::rises(format!("{name}: accuracy on words rises with eta"), &words, ACCURACY_TOLERANCE),
        Claim::rises(format!("{name}: accuracy on noisy vectors rises with eta"), &vectors, ACCURACY_TOLERANCE),
        Claim::near(
            format!("{name}: at the largest eta words tell as much as vectors in clear"),
            &[last(&words)],
            clear,
            ACCURACY_TOLERANCE,
        ),
        Claim::above(
            format!(
                "{name}: at the largest eta noisy vectors lose half as much as the paper's {} or more",
                short(loss)
            ),
            &[clear - last(&vectors)],
            loss / 2.0,
        ),
        Claim::above(
            format!(
                "{name}: at the paper's eta of 100 and more words tell more than noisy vectors, the paper's {} more",
                of_paper.join(", ")
            ),
            &wins,
            ACCURACY_TOLERANCE,
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_paper_reports_is_asked_of_its_own_rows() {
        let strengths =
            [(0.01, 50.0), (0.34, 100.0), (0.95, 175.0)].map(|(aim, paper)| Strength { aim, paper, eta: 100.0 * aim });
        let holds = |vectors: [f64; 3], words: [f64; 3]| -> Vec<bool> {
            let accuracies = [0.84].into_iter().chain(vectors).chain(words).chain([0.6, 0.7]);
            let inputs = inputs(&strengths, &[9.0, 14.0]);
            assert_eq!(inputs.len(), 9);
            let row = |(input, accuracy)| Row { input, kept: None, accuracy: Mean::exact(accuracy) };
            let rows: Vec<Row> = inputs.into_iter().zip(accuracies).map(row).collect();
            let claims = of_set(0, &strengths, &rows).expect("rows for all");
            claims.iter().map(|claim| claim.holds == Some(true)).collect()
        };
        assert_eq!(holds([0.51, 0.56, 0.62], [0.51, 0.67, 0.82]), [true; 5], "as printed");
        assert_eq!(holds([0.7, 0.56, 0.83], [0.7, 0.55, 0.7]), [false; 5]);
    }
}
