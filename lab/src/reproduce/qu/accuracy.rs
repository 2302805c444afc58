//! Tables 4 and 5, the rows of the BiLSTM: what a classifier tells from token representations, and from the words
//! that came out.
//!
//! Training and test texts reach it in the same way, each released once. A pair of texts is one sequence.

use std::fmt;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use textveil_learn::{Model, Optimizer, Recipe, Session, train};

use super::corpus::{Corpus, Input};
use super::setting::Setting;
use super::strengths::{Ladder, Strength, paper};
use super::{DATA, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::{Experiment, Runs};
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::plot::{Axis, Panel, panels};
use textveil_toolkit::report::{Cell, Mean, Sheet};

pub(crate) static TABLE_4: Experiment = Experiment {
    paper: "qu",
    table: "table-4",
    about: "Accuracy of a BiLSTM on token representations by eta (Qu et al., CIKM 2021)",
    data: &DATA,
    takes: &[],
    runs: Some(Runs { quick: 1, usual: 3, paper: None }),
    has_plot: true,
    compute: |run| compute(run, Sent::Representations),
};

pub(crate) static TABLE_5: Experiment = Experiment {
    table: "table-5",
    about: "Accuracy of a BiLSTM on texts privatized text to text by eta (Qu et al., CIKM 2021)",
    compute: |run| compute(run, Sent::Texts),
    ..TABLE_4
};

/// Three standard errors of the difference of two means of three runs, each tested on the same 872 texts.
const ACCURACY_TOLERANCE: f64 = 0.04;

/// What devices send.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    Representations,
    Texts,
}

impl Sent {
    const fn noisy(self, eta: f64) -> Input {
        match self {
            Self::Representations => Input::Representation(eta),
            Self::Texts => Input::Text(Setting::noise(eta)),
        }
    }
}

/// A classifier, trained once.
struct Training<'a> {
    corpus: &'a Corpus<'a>,
    input: Input,
    run: u32,
}

impl fmt::Display for Training<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}/run={}", self.corpus.name, self.input, self.run)
    }
}

/// What it came to.
#[derive(Serialize, Deserialize)]
struct Outcome {
    accuracy: f64,
    /// The share of the test texts' words that came out as they went in.
    kept: Option<f64>,
}

impl Training<'_> {
    fn outcome(&self, run: &Run<'_>) -> Result<Outcome> {
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

/// The inputs of a set's rows: in clear; under noise of each strength; at each level the certified mechanism and noise;
/// and, for the table of representations, words where the paper's η is known.
fn inputs(sent: Sent, strengths: &[Strength], levels: &[f64]) -> Vec<Input> {
    let of_strengths = strengths.iter().map(|strength| sent.noisy(strength.eta));
    let of_levels = levels.iter().flat_map(|eta| [Input::Text(Setting::certified(*eta)), sent.noisy(*eta)]);
    let known = strengths.iter().filter(|strength| strength.paper.is_some() && sent == Sent::Representations);
    let others = known.map(|strength| Sent::Texts.noisy(strength.eta));
    [Input::Clear].into_iter().chain(of_strengths).chain(of_levels).chain(others).collect()
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

fn compute(run: &Run<'_>, sent: Sent) -> Result<Report> {
    let ladder = Ladder::of(run)?;
    let Ladder { table, strengths, levels, .. } = &ladder;
    let inputs = inputs(sent, strengths, levels);
    let corpora = Corpus::all(run, table)?;
    let trainings: Vec<Training<'_>> = corpora
        .iter()
        .flat_map(|corpus| inputs.iter().map(move |input| (corpus, *input)))
        .flat_map(|(corpus, input)| (0..run.runs()).map(move |run| Training { corpus, input, run }))
        .collect();
    let outcomes = run.cells(&trainings, |training| training.outcome(run))?;
    let mut of_input = outcomes.chunks(run.runs() as usize);
    let (mut sheets, mut claims, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for corpus in &corpora {
        let rows: Vec<Row> = inputs.iter().map(|input| Row::of(*input, of_input.next().unwrap_or_default())).collect();
        sheets.push(sheet(&ladder, corpus, &rows)?);
        claims.extend(of_set(corpus.name, sent, strengths, &rows)?);
        let of_strengths = rows.iter().skip(1).zip(strengths);
        lines.push((corpus.name, of_strengths.map(|(row, strength)| [strength.eta, row.accuracy.mean]).collect()));
    }
    let panel = Panel {
        title: if sent == Sent::Texts { "text to text" } else { "token representations" },
        axis_title: "η in nats a unit of distance",
        x: Axis::linear(0.0, strengths.last().map_or(1.0, |most| (most.eta / 10.0).ceil() * 10.0)),
        y: Axis::linear(0.4, 1.0),
        lines,
    };
    let drawing = panels("Accuracy of a BiLSTM", &[panel]);
    Ok(Report { claims, why: WHY, ..Report::of(sheets, drawing) })
}

fn sheet(ladder: &Ladder, corpus: &Corpus<'_>, rows: &[Row]) -> Result<Sheet> {
    let title = format!("{}: accuracy; of the commonest label {:.3}", corpus.name, corpus.majority());
    let mut sheet = Sheet::new(title);
    let none = || Cell::from("");
    for Row { input, kept, accuracy } in rows {
        let setting = match input {
            Input::Clear => None,
            Input::Representation(eta) => Some(Setting::noise(*eta)),
            Input::Text(setting) => Some(*setting),
        };
        let reads = match input {
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
            "paper's eta" => paper(strength.and_then(|strength| strength.paper)),
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

/// What the paper reports in kind, of one set.
fn of_set(name: &str, sent: Sent, strengths: &[Strength], rows: &[Row]) -> Result<Vec<Claim>> {
    let of = |input: Input| {
        let row = rows.iter().find(|row| row.input == input).context("an input without a row")?;
        Ok::<f64, anyhow::Error>(row.accuracy.mean)
    };
    let clear = of(Input::Clear)?;
    let by_eta = strengths.iter().map(|strength| of(sent.noisy(strength.eta))).collect::<Result<Vec<_>>>()?;
    let most: Vec<f64> = by_eta.last().copied().into_iter().collect();
    let mut claims = vec![
        Claim::rises(format!("{name}: accuracy rises with eta"), &by_eta, ACCURACY_TOLERANCE),
        Claim::near(
            format!("{name}: at the largest eta it is that of vectors in clear"),
            &most,
            clear,
            ACCURACY_TOLERANCE,
        ),
    ];
    if sent == Sent::Representations {
        let known = strengths.iter().filter(|strength| strength.paper.is_some());
        let apart = known.map(|strength| Ok(of(sent.noisy(strength.eta))? - of(Sent::Texts.noisy(strength.eta))?));
        let apart = apart.collect::<Result<Vec<_>>>()?;
        let text = format!("{name}: noisy vectors less words, at the eta that match the paper's");
        claims.push(Claim::near(text, &apart, 0.0, ACCURACY_TOLERANCE));
    }
    Ok(claims)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_paper_reports_in_kind_is_asked_of_its_own_rows() {
        let strength = |aim: f64, paper| Strength { aim, paper, eta: 100.0 * aim };
        let strengths = [strength(0.05, None), strength(0.34, Some(100.0)), strength(0.95, Some(175.0))];
        let rows = |sent: Sent, accuracies: [f64; 10]| -> Vec<Row> {
            let inputs = inputs(sent, &strengths, &[9.0, 14.0]);
            assert_eq!(inputs.len(), if sent == Sent::Texts { 8 } else { 10 });
            let row = |(input, accuracy)| Row { input, kept: None, accuracy: Mean::exact(accuracy) };
            inputs.into_iter().zip(accuracies).map(row).collect()
        };
        let holds = |sent, accuracies| -> Vec<bool> {
            let claims = of_set("a set", sent, &strengths, &rows(sent, accuracies)).expect("rows for all");
            claims.iter().map(|claim| claim.holds == Some(true)).collect()
        };
        for sent in [Sent::Representations, Sent::Texts] {
            let as_reported = [0.8, 0.55, 0.7, 0.79, 0.8, 0.5, 0.8, 0.5, 0.71, 0.78];
            let claimed = if sent == Sent::Texts { 2 } else { 3 };
            assert_eq!(holds(sent, as_reported), vec![true; claimed]);
            let otherwise = [0.9, 0.7, 0.55, 0.79, 0.8, 0.5, 0.8, 0.5, 0.71, 0.78];
            assert_eq!(holds(sent, otherwise), vec![false; claimed]);
        }
    }
}
