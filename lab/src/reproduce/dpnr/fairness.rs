//! Tables 6 and 7: how much better the main task goes for one group than for the other.

use anyhow::Result;

use super::corpus::Part;
use super::defence::{Defence, Reader, Readings};
use super::noise::Noise;
use super::printed::gap;
use super::table_4::{CODE, DPNR};
use super::training::{accuracy, counted};
use super::{DATA, RUNS, SETS, TAKES, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::printed::numbers;
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::numbers::short;
use textveil_toolkit::report::{Mean, Sheet};

pub(crate) static FAIRNESS: Experiment = Experiment {
    paper: "dpnr",
    table: "fairness",
    about: "The main task for one group and the other, Tables 6 and 7 (Lyu, He and Li, EMNLP Findings 2020)",
    data: &DATA,
    takes: &TAKES,
    runs: Some(RUNS),
    has_plot: false,
    why: WHY,
    compute,
};

const DEFENCES: [Defence; 5] = [Defence::None, Defence::Adversarial, DPNR, Defence::Noise(Noise::Published, 5.0), CODE];

fn compute(run: &Run<'_>) -> Result<Report> {
    let readings = Readings::of(run, &DEFENCES, false)?;
    let mut sheet = Sheet::new("Accuracy of the main task by group");
    let (mut claims, paper) = (Vec::new(), numbers("dpnr")?);
    for (set, corpus) in readings.corpora.iter().enumerate() {
        for (place, attribute) in corpus.attributes.iter().enumerate() {
            let Some(groups) = corpus.test.groups.get(place) else { continue };
            let sizes = [0, 1].map(|group| groups.iter().filter(|of| **of == group).count());
            let share = sizes[1] as f64 / groups.len().max(1) as f64;
            let mut found = Vec::new();
            for defence in DEFENCES {
                let told = |is_new_alone| {
                    let counts = corpus.test.counts(is_new_alone);
                    by_group(readings.said(set, defence, Reader::Server), &corpus.test, groups, &counts)
                };
                let ([first, difference], [_, of_new]) = (told(false), told(true));
                found.push([first, difference]);
                sheet.row(cells![
                    "set" => SETS[set].1,
                    "attribute" => attribute.name.as_str(),
                    "groups" => attribute.groups.join(", "),
                    "share of the second" => share,
                    "defence" => defence.name(),
                    "accuracy, the first" => first,
                    "the second's less it" => difference,
                    "the same on texts not in train" => of_new,
                ]);
            }
            let printed = ["non-priv", "DPNR"].map(|method| gap(&attribute.name, method, &paper));
            // No claim is made where the paper prints no numbers, or groups that are farther apart.
            let is_claimed = matches!(printed, [Some(clear), Some(noisy)] if noisy.abs() < clear.abs());
            let at = DEFENCES.iter().position(|other| *other == DPNR);
            if let (true, Some(clear), Some(noisy)) = (is_claimed, found.first(), at.and_then(|at| found.get(at))) {
                let what = format!("{}, {}, noise as published", SETS[set].1, attribute.name);
                claims.push(shrinks(&what, clear, noisy, sizes));
            }
        }
    }
    Ok(Report { sheets: vec![sheet], claims, ..Report::default() })
}

/// The accuracy of the first group over the runs, and that of the second less it.
fn by_group<'a>(runs: impl Iterator<Item = &'a [usize]>, test: &Part, groups: &[usize], counts: &[bool]) -> [Mean; 2] {
    let (mut first, mut difference) = (Vec::new(), Vec::new());
    for said in runs {
        let of = |group: usize| {
            let pairs = counted(said.iter().zip(&test.labels).zip(groups), counts).filter(|(_, of)| **of == group);
            accuracy(pairs.map(|(pair, _)| pair))
        };
        first.push(of(0));
        difference.push(of(1) - of(0));
    }
    [Mean::of(&first), Mean::of(&difference)]
}

/// Claims that the groups, of such sizes, are closer under noise. It stays open as long as training again, or testing
/// on other texts, may change that.
fn shrinks(what: &str, clear: &[Mean; 2], noisy: &[Mean; 2], sizes: [usize; 2]) -> Claim {
    let uncertainty = |[first, difference]: &[Mean; 2]| {
        let shares = [first.mean, first.mean + difference.mean].into_iter().zip(sizes);
        let variance: f64 = shares.map(|(share, size)| share * (1.0 - share) / size as f64).sum();
        difference.half_width.map_or(f64::INFINITY, |half| half + 2.0 * variance.sqrt())
    };
    let open = uncertainty(clear) + uncertainty(noisy);
    let [clear, noisy] = [clear[1], noisy[1]];
    let evidence = format!(
        "the second group's accuracy less the first's: {} without noise, {} with it, open within {}",
        clear.ours(),
        noisy.ours(),
        short(open)
    );
    Claim::positive(format!("{what}: the groups are closer"), clear.mean.abs() - noisy.mean.abs(), open, evidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_few_texts_are_not_called_closer() {
        let of = |difference| [Mean::of(&[0.8, 0.8]), Mean::of(&[difference, difference])];
        let verdict = |clear, noisy, sizes| shrinks("", &of(clear), &of(noisy), sizes).holds;
        assert_eq!(verdict(0.1, 0.02, [10_000, 10_000]), Some(true));
        assert_eq!(verdict(0.02, 0.1, [10_000, 10_000]), Some(false));
        assert_eq!(verdict(0.1, 0.02, [10_000, 100]), None);
        let once = of(0.1).map(|mean| Mean::exact(mean.mean));
        assert_eq!(shrinks("", &once, &of(0.02), [10_000, 10_000]).holds, None, "one run tells no interval");
    }

    #[test]
    fn a_group_for_which_the_task_goes_worse_has_a_difference_below_zero() {
        let test = Part {
            texts: Vec::new(),
            rows: ndarray::Array2::zeros((4, 1)),
            labels: vec![0, 1, 0, 1],
            groups: Vec::new(),
            is_trained_on: vec![false, false, false, true],
        };
        let runs = [[0_usize, 1, 0, 0], [0, 1, 1, 0]];
        let [first, difference] = by_group(runs.iter().map(<[usize; 4]>::as_slice), &test, &[0, 0, 1, 1], &[true; 4]);
        assert_eq!((first.mean, difference.mean), (1.0, -0.75));
        let [first, difference] =
            by_group(runs.iter().map(<[usize; 4]>::as_slice), &test, &[0, 0, 1, 1], &test.counts(true));
        assert_eq!((first.mean, difference.mean), (1.0, -0.5), "the last text stands in training too");
    }
}
