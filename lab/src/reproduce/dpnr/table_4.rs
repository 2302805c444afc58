//! Tables 4 and 5: the main task, and what attackers learn from what is let out.
//!
//! Empirical privacy is 1 − X, where X is the mean accuracy of the attackers on age and gender. For entities it is 1 −
//! F, where F is the F1 of "is named" over all pairs of a text and an entity. It measures these attackers and
//! guarantees nothing.

use anyhow::Result;

use super::corpus::Corpus;
use super::defence::{Defence, Reader, Readings};
use super::noise::Noise;
use super::training::{accuracy, counted};
use super::{DATA, RUNS, SETS, TAKES, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::{Mean, Sheet};

pub(crate) static TABLE_4: Experiment = Experiment {
    paper: "dpnr",
    table: "table-4",
    about: "The main task and attacks on age, gender and entities, with Table 5 (Lyu, He and Li, EMNLP Findings 2020)",
    data: &DATA,
    takes: &TAKES,
    runs: Some(RUNS),
    has_plot: false,
    why: WHY,
    compute,
};

/// The paper's ε for attacks.
pub(super) const EPSILON: f64 = 0.05;
const ADVERSARIAL: Defence = Defence::Adversarial;
pub(super) const DPNR: Defence = Defence::Noise(Noise::Published, EPSILON);
pub(super) const CODE: Defence = Defence::Noise(Noise::Shared, EPSILON);
const CODE_LEFT_ON: Defence = Defence::SharedLeftOn(EPSILON);

const DEFENCES: [Defence; 7] = [
    Defence::None,
    ADVERSARIAL,
    DPNR,
    Defence::Noise(Noise::Published, 5.0),
    Defence::Noise(Noise::Sound, 5.0),
    CODE,
    CODE_LEFT_ON,
];

/// How far accuracies, or privacies, may lie apart and still count as the same: some two standard errors.
pub(super) const CLOSE: f64 = 0.03;

/// The entities of Table 5: the third to the fifth.
const ENTITIES: [usize; 3] = [2, 3, 4];

fn compute(run: &Run<'_>) -> Result<Report> {
    let readings = Readings::of(run, &DEFENCES, true)?;
    let mut sheet = Sheet::new("Main task, and what attackers do not learn");
    let mut claims = Vec::new();
    for (set, corpus) in readings.corpora.iter().enumerate() {
        let name = SETS[set].1;
        let [every, new] = [false, true].map(|is_new_alone| corpus.test.counts(is_new_alone));
        let [main_of_new, privacy_of_new] = majority(corpus, &new).map(Mean::exact);
        let majority = majority(corpus, &every);
        let [main, privacy] = [0, 1].map(|i| Mean::exact(majority[i]));
        sheet.row(cells![
            "set" => name,
            "defence" => "MAJORITY",
            "eps claimed" => 0.0,
            "eps true, a text" => 0.0,
            "main accuracy" => main,
            "empirical privacy" => privacy,
            "accuracy on texts not in train" => main_of_new,
            "privacy on these" => privacy_of_new,
        ]);
        let mut found = Vec::new();
        for defence in DEFENCES {
            let means = measured(&readings, set, defence, &every);
            found.push(means.map(|mean| mean.mean));
            let [claimed, truth] = defence.epsilons(corpus)?;
            let [main, privacy] = means;
            let [main_of_new, privacy_of_new] = measured(&readings, set, defence, &new);
            sheet.row(cells![
                "set" => name,
                "defence" => defence.name(),
                "eps claimed" => claimed,
                "eps true, a text" => truth,
                "main accuracy" => main,
                "empirical privacy" => privacy,
                "accuracy on texts not in train" => main_of_new,
                "privacy on these" => privacy_of_new,
            ]);
        }
        let of = |defence: Defence| {
            let place = DEFENCES.iter().position(|other| *other == defence);
            place.and_then(|place| found.get(place)).copied().unwrap_or([f64::NAN; 2])
        };
        let [clear, _] = of(Defence::None);
        for (defence, what) in [
            (DPNR, "noise as published"),
            (CODE_LEFT_ON, "the released code's, as it is sent"),
            (CODE, "the released code's, mean taken off"),
        ] {
            let [main, privacy] = of(defence);
            // Without its mean a release is the representation.
            if defence != CODE {
                claims.push(Claim::near(format!("{name}, {what}: main accuracy as without"), &[main], clear, CLOSE));
            }
            let text = format!("{name}, {what}: attackers do as the majority, or worse");
            let evidence = format!("1 - X is {privacy:.4}, the majority's {:.4}", majority[1]);
            claims.push(Claim::new(text, privacy >= majority[1] - CLOSE, evidence));
        }
        let [main, privacy] = of(ADVERSARIAL);
        let [main_of_noise, privacy_of_noise] = of(DPNR);
        let text = format!("{name}: noise as published hides more than adversarial training, and tells as much");
        let evidence = format!(
            "1 - X is {privacy_of_noise:.4}, and {privacy:.4}; main accuracy {main_of_noise:.4}, and {main:.4}, allowed \
             below: {CLOSE}"
        );
        let holds = privacy_of_noise > privacy && main_of_noise >= main - CLOSE;
        claims.push(Claim::new(text, holds, evidence));
    }
    let entities = entities(&readings);
    Ok(Report { sheets: vec![sheet, entities], claims, ..Report::default() })
}

/// What the majority of the training texts is: main accuracy, and empirical privacy.
pub(super) fn majority(corpus: &Corpus, counts: &[bool]) -> [f64; 2] {
    let most = |labels: &[usize], classes: usize| {
        let count = |class: &usize| labels.iter().filter(|label| *label == class).count();
        (0..classes).max_by_key(count).unwrap_or(0)
    };
    let told = |of_train: &[usize], classes, of_test: &[usize]| vec![most(of_train, classes); of_test.len()];
    let (train, test) = (&corpus.train, &corpus.test);
    let main = told(&train.labels, corpus.classes, &test.labels);
    let attacks: Vec<Vec<usize>> =
        train.groups.iter().zip(&test.groups).map(|(train, test)| told(train, 2, test)).collect();
    let attacks: Vec<&[usize]> = attacks.iter().map(Vec::as_slice).collect();
    [accuracy(counted(main.iter().zip(&test.labels), counts)), privacy(corpus, &attacks, counts)]
}

pub(super) fn measured(readings: &Readings, set: usize, defence: Defence, counts: &[bool]) -> [Mean; 2] {
    let corpus = &readings.corpora[set];
    let labels = &corpus.test.labels;
    let main =
        readings.said(set, defence, Reader::Server).map(|said| accuracy(counted(said.iter().zip(labels), counts)));
    let attackers: Vec<Vec<&[usize]>> = (0..corpus.attributes.len())
        .map(|attribute| readings.said(set, defence, Reader::Attacker(attribute)).collect())
        .collect();
    let runs = attackers.first().map_or(0, Vec::len);
    let privacies = (0..runs).map(|run| {
        let said: Vec<&[usize]> = attackers.iter().filter_map(|runs| runs.get(run).copied()).collect();
        privacy(corpus, &said, counts)
    });
    [Mean::of(&main.collect::<Vec<_>>()), Mean::of(&privacies.collect::<Vec<_>>())]
}

/// Empirical privacy, given what was said of each attribute of the test texts.
fn privacy(corpus: &Corpus, said: &[&[usize]], counts: &[bool]) -> f64 {
    let truths = &corpus.test.groups;
    let attacks = said.iter().zip(truths).map(|(said, truth)| counted(said.iter().zip(truth), counts));
    if corpus.is_of_entities() {
        return 1.0 - f1(attacks.flatten());
    }
    let accuracies = attacks.map(accuracy);
    1.0 - accuracies.sum::<f64>() / truths.len().max(1) as f64
}

/// The harmonic mean of precision and recall of what is said to be there.
fn f1<'a>(pairs: impl Iterator<Item = (&'a usize, &'a usize)>) -> f64 {
    let (mut both, mut either) = (0_usize, 0_usize);
    for (said, truth) in pairs {
        both += said * truth;
        either += said + truth;
    }
    if either == 0 { 0.0 } else { 2.0 * both as f64 / either as f64 }
}

/// Table 5.
fn entities(readings: &Readings) -> Sheet {
    let mut sheet = Sheet::new("AG: how often attackers are right on entities (Table 5)");
    let corpora = readings.corpora.iter().enumerate().filter(|(_, corpus)| corpus.is_of_entities());
    for (set, corpus) in corpora {
        for attribute in ENTITIES {
            let Some(truth) = corpus.test.groups.get(attribute) else { continue };
            let share = truth.iter().sum::<usize>() as f64 / truth.len() as f64;
            for defence in DEFENCES {
                let right = |group: usize| {
                    let runs = readings.said(set, defence, Reader::Attacker(attribute));
                    let accuracy =
                        |said: &[usize]| accuracy(said.iter().zip(truth).filter(|(_, truth)| **truth == group));
                    Mean::of(&runs.map(accuracy).collect::<Vec<_>>())
                };
                let name = corpus.attributes[attribute].name.as_str();
                let [absent, present] = [right(0), right(1)];
                sheet.row(cells![
                    "entity" => name,
                    "share present" => share,
                    "defence" => defence.name(),
                    "attacker right where absent" => absent,
                    "where present" => present,
                ]);
            }
        }
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f1_counts_what_is_there() {
        let f1 = |said: &[usize], truth: &[usize]| f1(said.iter().zip(truth));
        assert!((f1(&[1, 1, 0, 0], &[1, 0, 1, 0]) - 0.5).abs() < 1e-15);
        assert_eq!((f1(&[1, 0], &[1, 0]), f1(&[0, 0], &[1, 1]), f1(&[0], &[0])), (1.0, 0.0, 0.0));
        // The only answer is "Bush", who is named in 803 of 1,457 texts. The others are named in 910 together. The
        // paper prints 49.34 %.
        let said = [vec![1; 1457], vec![0; 4 * 1457]].concat();
        let mut truth = vec![0; 5 * 1457];
        truth[..803].fill(1);
        truth[1457..1457 + 910].fill(1);
        assert!((1.0 - f1(&said, &truth) - 0.4934).abs() < 5e-5);
    }
}
