//! Figure 3: what attackers do not learn, by ε. Its points at the ε of Table 4 are those of that table.

use anyhow::Result;

use super::defence::{Defence, Readings};
use super::noise::Noise;
use super::sweep::{EPSILONS, Setting};
use super::table_4::{CLOSE, majority, measured};
use super::{DATA, RUNS, SETS, TAKES, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::plot::{Axis, Panel, panels};
use textveil_toolkit::report::{Mean, Sheet};

pub(crate) static FIGURE_3: Experiment = Experiment {
    paper: "dpnr",
    table: "figure-3",
    about: "Empirical privacy against epsilon (Lyu, He and Li, EMNLP Findings 2020)",
    data: &DATA,
    takes: &TAKES,
    runs: Some(RUNS),
    has_plot: true,
    why: WHY,
    compute: |run| compute(run, &EPSILONS),
};

/// By how much privacy has to fall from the least ε to the greatest to be called falling.
const SLACK: f64 = 0.01;

fn compute(run: &Run<'_>, settings: &[Setting]) -> Result<Report> {
    let epsilons: Vec<f64> = settings.iter().map(|setting| setting.epsilon).collect();
    let noisy = |epsilon: &f64| Defence::Noise(Noise::Published, *epsilon);
    let defences: Vec<Defence> = [Defence::None].into_iter().chain(epsilons.iter().map(noisy)).collect();
    let readings = Readings::of(run, &defences, true)?;
    let mut sheet = Sheet::new("Empirical privacy");
    let (mut claims, mut drawn) = (Vec::new(), Vec::new());
    for (set, corpus) in readings.corpora.iter().enumerate() {
        let (title, [every, new]) = (SETS[set].1, [false, true].map(|is_new_alone| corpus.test.counts(is_new_alone)));
        let [of_majority, of_new] = [&every, &new].map(|counts| majority(corpus, counts)[1]);
        sheet.row(cells![
            "set" => title,
            "defence" => "MAJORITY",
            "eps claimed" => 0.0,
            "eps true, a text" => 0.0,
            "empirical privacy" => Mean::exact(of_majority),
            "on texts not in train" => Mean::exact(of_new),
        ]);
        let mut found = Vec::new();
        for defence in &defences {
            let [privacy, of_new] = [&every, &new].map(|counts| measured(&readings, set, *defence, counts)[1]);
            let [claimed, truth] = defence.epsilons(corpus)?;
            found.push(privacy.mean);
            sheet.row(cells![
                "set" => title,
                "defence" => defence.name(),
                "eps claimed" => claimed,
                "eps true, a text" => truth,
                "empirical privacy" => privacy,
                "on texts not in train" => of_new,
            ]);
        }
        let (clear, noisy) = (found[0], &found[1..]);
        claims.extend(claimed(title, noisy, of_majority));
        let flat = |privacy: f64| epsilons.iter().map(|epsilon| [*epsilon, privacy]).collect();
        drawn.push(Panel {
            title,
            axis_title: "ε as claimed (logarithmic)",
            x: Axis::logarithmic(0.01, 10.0),
            y: Axis::linear(0.0, 1.0),
            lines: vec![
                ("noise as published", epsilons.iter().zip(noisy).map(|(epsilon, y)| [*epsilon, *y]).collect()),
                ("no noise", flat(clear)),
                ("majority", flat(of_majority)),
            ],
        });
    }
    let drawing = panels("DPNR: empirical privacy, 1 - X", &drawn);
    Ok(Report { claims, ..Report::of(vec![sheet], drawing) })
}

/// What the paper reads from its figure, of privacies from the least ε to the greatest.
fn claimed(set: &str, privacies: &[f64], of_majority: f64) -> [Claim; 2] {
    let from_the_greatest: Vec<f64> = privacies.iter().rev().copied().collect();
    [
        Claim::rises(
            format!(
                "{set}, noise as published: empirical privacy falls as eps grows (from the greatest eps to the least)"
            ),
            &from_the_greatest,
            SLACK,
        ),
        Claim::above(
            format!("{set}, noise as published: at each eps attackers do as the majority, or worse"),
            privacies,
            of_majority - CLOSE,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use textveil_toolkit::report::Cell;

    use super::super::super::run::tests::with_library;
    use super::super::tests::two_topics;
    use super::*;

    #[test]
    fn attackers_learn_more_without_noise_than_under_it() {
        let toy = two_topics([200, 260, 340]);
        let report = with_library(&FIGURE_3, 1, &toy.library(), |run| compute(run, &EPSILONS[..1])).expect("a report");
        let privacies = report.sheets[0].rows.iter().map(|row| match &row[4] {
            Cell::Mean(mean) => mean.mean,
            _ => unreachable!("a mean"),
        });
        let privacies: Vec<f64> = privacies.collect();
        let [majority, clear, noisy] = privacies[3..] else { unreachable!("three rows of each set") };
        assert!(clear < 0.05 && noisy > clear + 0.1 && majority > clear + 0.1, "{privacies:?}");
        assert!(report.drawing.is_some());
    }

    #[test]
    fn privacy_that_does_not_fall_is_not_said_to() {
        let verdicts = |privacies: &[f64]| claimed("", privacies, 0.5).map(|claim| claim.holds);
        assert_eq!(verdicts(&[0.5, 0.5, 0.48, 0.45, 0.3]), [Some(true), Some(false)]);
        assert_eq!(verdicts(&[0.5, 0.5, 0.5, 0.5, 0.495]), [Some(false), Some(true)]);
    }
}
