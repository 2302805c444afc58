//! The numbers of certified channels, against enumeration, the core's account and independent software.

use serde::Deserialize;
use textveil::account::channel::{Channel, Distances};
use textveil::{MechanismKind, WordId};
use textveil_tests::oracle;

use super::super::quantize::Lattice;
use super::super::toy::draft as example;
use super::super::vocabulary::Flags;
use super::super::writer::Draft as TableDraft;
use super::*;

fn table(rows: usize, dims: usize) -> Table {
    example(rows, dims).expect("finite vectors").encode().expect("a good draft").1
}

fn work(table: &Table) -> Work {
    Work::of(table).expect("a narrow table with offered words")
}

fn certified(table: &Table, drafts: &[Draft]) -> Vec<Certified> {
    let Work { pairs, vocabulary, .. } = work(table);
    measure::certify(&pairs, &vocabulary, drafts, &indicatif::ProgressBar::hidden())
}

fn distances(table: &Table, cutoff: f64) -> Distances {
    let point = |word| -> Vec<f64> { table.vector(word).iter().map(|v| table.scale() * f64::from(*v)).collect() };
    let distances = Distances::between(&table.rows().map(point).collect::<Vec<_>>()).expect("points");
    if cutoff.is_finite() { distances.truncated(cutoff).expect("a length") } else { distances }
}

/// Channels of uneven base measures, one without a cut-off and one with a plateau; distances are counted in
/// diameters.
fn drafts(table: &Table) -> Vec<Draft> {
    let diameter = table.diameter_bound();
    let draft = |(n, (beta, cutoff, near)): (usize, (f64, f64, f64))| Draft {
        beta: beta / diameter,
        cutoff: cutoff * diameter,
        near: near * diameter,
        step: 0.03,
        codes: (0..table.len()).map(|row| (row * (2 * n + 3) % 41) as u8).collect(),
    };
    let shapes = [(2.0, f64::INFINITY, 0.0), (9.0, 0.5, 0.0), (30.0, 0.3, 0.0), (0.5, 0.6, 0.0), (12.0, 0.8, 0.25)];
    shapes.into_iter().enumerate().map(draft).collect()
}

/// P(y|x) of a channel, straight from its definition.
fn channel(table: &Table, draft: &Draft) -> Vec<Vec<f64>> {
    let base = |code: &u8| (4095.0 * libm::exp(-draft.step * f64::from(*code))).round().max(1.0);
    let row = |x: WordId| {
        let fall = |y| table.distance(x, y).min(draft.cutoff).max(draft.near) - draft.near;
        let weight = |(y, code)| base(code) * libm::exp(-draft.beta * fall(y));
        let weights: Vec<f64> = table.rows().zip(&draft.codes).map(weight).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    };
    table.rows().map(row).collect()
}

fn is_near(ours: f64, theirs: f64, relatively: f64) -> bool {
    (ours - theirs).abs() <= relatively * theirs.abs()
}

#[test]
fn no_triple_of_words_exceeds_what_is_certified_and_one_reaches_it() {
    for (rows, dims) in [(2, 1), (30, 2), (45, 5)] {
        let table = table(rows, dims);
        for (certified, draft) in certified(&table, &drafts(&table)).iter().zip(drafts(&table)) {
            let channel = channel(&table, &draft);
            let (mut eta, mut epsilon) = (0.0_f64, 0.0_f64);
            for (x, p) in table.rows().zip(&channel) {
                for (x2, q) in table.rows().zip(&channel).filter(|(x2, _)| *x2 != x) {
                    let loss = p.iter().zip(q).map(|(p, q)| libm::log(p / q)).fold(f64::MIN, f64::max);
                    eta = eta.max(loss / table.distance(x, x2).min(draft.cutoff));
                    epsilon = epsilon.max(loss);
                }
            }
            // Enumeration has its own rounding; with a plateau, the constants are bounds.
            assert!(certified.eta > eta * (1.0 - 1e-13) && certified.epsilon > epsilon * (1.0 - 1e-13));
            let is_reached = is_near(certified.eta, eta, 1e-9) && is_near(certified.epsilon, epsilon, 1e-9);
            assert!(is_reached || draft.near > 0.0, "{certified:?} {eta} {epsilon}");
        }
    }
}

#[test]
fn what_a_channel_does_is_what_its_probabilities_say() {
    let table = table(45, 5);
    let Vocabulary { prior, .. } = Vocabulary::of(&table).expect("words are offered");
    for (certified, draft) in certified(&table, &drafts(&table)).iter().zip(drafts(&table)) {
        let channel = channel(&table, &draft);
        let comes_out_as = |y: WordId| {
            let offered = table.rows().filter(|row| table.is_offered(*row));
            offered.min_by_key(|row| (table.distance_squared(*row, y), row.row())).expect("words are offered")
        };
        let kept = |(x, p): (WordId, &Vec<f64>)| -> f64 {
            table.rows().zip(p).filter(|(y, _)| comes_out_as(*y) == x).map(|(_, p)| p).sum()
        };
        let kept: Vec<f64> = table.rows().zip(&channel).map(kept).collect();
        let support = |p: &Vec<f64>| libm::exp(-p.iter().map(|p| p * libm::log(*p)).sum::<f64>());
        let distance =
            |(x, p): (WordId, &Vec<f64>)| -> f64 { table.rows().zip(p).map(|(y, p)| p * table.distance(x, y)).sum() };
        let guessed = |prior: &[f64]| -> f64 {
            let best = |y: usize| channel.iter().zip(prior).map(|(p, share)| share * p[y]).fold(0.0, f64::max);
            (0..table.len()).map(best).sum()
        };
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let uniform = vec![1.0 / table.len() as f64; table.len()];
        for (ours, theirs) in [
            (certified.retention, mean(kept.clone())),
            (certified.retention_by_frequency, kept.iter().zip(&prior).map(|(kept, share)| kept * share).sum()),
            (certified.support, mean(channel.iter().map(support).collect())),
            (certified.expected_distance, mean(table.rows().zip(&channel).map(distance).collect())),
            (certified.inversion, guessed(&uniform)),
            (certified.inversion_by_frequency, guessed(&prior)),
        ] {
            assert!(is_near(ours, theirs, 1e-10), "{ours} {theirs}");
        }
    }
}

#[test]
fn the_core_accounts_the_same_constants() {
    let table = table(60, 4);
    let plain = drafts(&table).into_iter().filter(|draft| draft.near == 0.0).collect::<Vec<_>>();
    for (certified, draft) in certified(&table, &plain).iter().zip(&plain) {
        let distances = distances(&table, draft.cutoff);
        let base = base::decode(&draft.codes, draft.step);
        let account = Channel::new(&distances, draft.beta, base).expect("a channel");
        assert!(is_near(certified.eta, account.constant(), 1e-9));
        assert!(is_near(certified.epsilon, account.epsilon(), 1e-9));
    }
}

#[test]
fn a_flat_channel_is_the_one_of_the_core() {
    let table = table(60, 4);
    let distances = distances(&table, f64::INFINITY);
    let beta = 12.0 / table.diameter_bound();
    let flat = Channel::flat(&distances, beta).expect("a number").expect("a positive base measure");
    let goal = Goal { shape: Shape::FlatAt { beta }, cutoff: f64::INFINITY, near: 0.0 };
    let solution = work(&table).solve("test", &[goal]).remove(0);
    assert!(is_near(solution.beta, beta, 1e-12) && is_near(solution.eta, beta, 0.003));
    let top = flat.base().iter().copied().fold(0.0, f64::max);
    let near = |(ours, theirs): (&f64, &f64)| (ours - libm::log(theirs / top)).abs() < 0.02;
    assert!(solution.log_base.iter().zip(flat.base()).all(near));
}

#[test]
fn a_retention_that_is_asked_for_is_kept_for_little_more_than_beta() {
    let table = table(200, 8);
    let distances = distances(&table, f64::INFINITY);
    let work = work(&table);
    let goals = work.goals(&[0.1, 0.3, 0.5, 0.8], f64::INFINITY, |_| 0.0);
    for (level, (retention, _)) in work.certify(&goals).iter().zip(&goals) {
        assert!((level.retention - retention).abs() < 0.005, "{level:?}");
        let exponential = Channel::exponential(&distances, level.draft.beta).expect("in range");
        assert!(level.draft.beta <= level.eta && level.eta < exponential.constant(), "{level:?}");
    }
}

#[derive(Deserialize)]
struct Oracle {
    words: std::collections::BTreeMap<String, Vec<f64>>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    beta: Option<f64>,
    #[serde(rename = "T")]
    cutoff: Option<f64>,
    weights: Option<Vec<f64>>,
    eta_exact: Option<f64>,
    eta_exact_wrt_truncated: Option<f64>,
    eps_ldp_exact: Option<f64>,
}

#[test]
fn channels_without_a_base_measure_cost_what_the_oracle_says() {
    let Oracle { words, cases } = oracle("expmech.json");
    let flags = Flags::none();
    let quarters: Vec<i8> = words.values().flatten().map(|x| (4.0 * x) as i8).collect();
    let draft = TableDraft {
        words: words.keys().map(|word| flags.word(word.clone(), 0.0)).collect(),
        lattice: Lattice {
            rows: ndarray::Array2::from_shape_vec((words.len(), 2), quarters).expect("two coordinates a word"),
            scale: 0.25,
            moved: 0,
        },
        levels: Vec::new(),
        classes: None,
        meta: Vec::new(),
    };
    let table = draft.encode().expect("a good draft").1;
    let mut compared = 0;
    for case in cases.iter().filter(|case| case.weights.is_none()) {
        let (Some(beta), Some(eta)) = (case.beta, case.eta_exact.or(case.eta_exact_wrt_truncated)) else { continue };
        let cutoff = case.cutoff.unwrap_or(f64::INFINITY);
        let draft = Draft { beta, cutoff, near: 0.0, step: 0.0, codes: vec![0; table.len()] };
        let ours = certified(&table, &[draft]).remove(0);
        // The slack of two ln Z over the smallest distance, 1, is upwards.
        assert!((-1e-14..4e-12).contains(&(ours.eta - eta)), "{} {eta}", ours.eta);
        let epsilon = case.eps_ldp_exact.map_or(0.0, |epsilon| ours.epsilon - epsilon);
        assert!((-1e-14..4e-12).contains(&epsilon), "{epsilon}");
        compared += 1;
    }
    assert!(compared >= 5, "{compared}");
}

#[test]
fn codes_stand_for_the_weights_they_were_made_from() {
    for step in [0.02, 0.05, 0.4] {
        let codes: Vec<u8> = (0..=200).filter(|code| step * f64::from(*code) < 3.0).collect();
        let log_base: Vec<f64> =
            base::decode(&codes, step).iter().map(|g| libm::log(g / solve::LARGEST_RATIO)).collect();
        assert_eq!(base::encode(&log_base, step), codes);
        assert!(log_base.iter().zip(&codes).all(|(x, code)| (x + step * f64::from(*code)).abs() < 0.5 * step));
    }
    assert_eq!(base::decode(&[255], 2.0), [1.0]);
    assert_eq!(base::bits(&[0, 1, 2, 3]), 2.0);
}

#[test]
fn who_is_interrupted_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bytes, table) = example(60, 4).expect("finite vectors").encode().expect("a good draft");
    let [input, whole, resumed] = ["in.tvt", "whole.tvt", "resumed.tvt"].map(|name| folder.path().join(name));
    fs::write(&input, bytes).expect("a file");
    let channels = Channels {
        cutoff: Cutoff::None,
        retentions: vec![0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
        plateaus: vec![0.1, 0.3],
    };
    let certify = |out| channels.certify(&input, out, None).and_then(Certification::end).expect("levels");
    certify(&whole);

    let of = channels.identity(&table);
    let open = |of: &str| Partial::open(&resumed, of).expect("nothing, or a file of this program");
    let mut partial = open(&of);
    let work = work(&table);
    let goals = work.goals(&channels.retentions[..LANES], f64::INFINITY, |_| 0.0);
    partial.add(work.certify(&goals)).expect("a file");
    assert_eq!(open(&of).done(), partial.done());
    assert!(open("something else").done().is_empty());
    certify(&resumed);
    let [whole, resumed] = [&whole, &resumed].map(|path| fs::read(path).expect("a table"));
    assert!(whole == resumed);
    let left: Vec<_> = fs::read_dir(&folder).expect("a folder").collect();
    assert_eq!(left.len(), 3);
    let certified = Table::parse(whole).expect("a table");
    assert_eq!((certified.len(), certified.certificates().len()), (table.len(), 12));
    let kept = |kind| certified.certificates_of(kind).map(|(_, level)| level.retention).collect::<Vec<_>>();
    let near = |kept: &[f64], wanted: &[f64]| kept.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 0.06);
    assert!(near(&kept(MechanismKind::Plateau), &[0.1, 0.3]), "{:?}", kept(MechanismKind::Plateau));
}

#[test]
fn an_epsilon_below_that_of_two_words_is_refused() {
    let (bytes, table) = example(60, 24).expect("finite vectors").encode().expect("a good draft");
    let drafts: Vec<Draft> = drafts(&table).into_iter().filter(|draft| draft.cutoff.is_finite()).collect();
    let mut section = certificates::section(&certified(&table, &drafts), &work(&table).vocabulary);
    let with =
        |section: &[u8]| -> Result<Table> { Ok(Table::parse(with_sections(&bytes, &[(*b"CERT", Some(section))])?)?) };
    let honest = with(&section).expect("sound certificates").certificates()[0];
    let farthest = |from| table.rows().map(|to| table.distance(from, to)).fold(0.0, f64::max);
    // From no word is the farthest one nearer than that.
    let apart = table.rows().map(farthest).fold(f64::INFINITY, f64::min);
    let of_epsilon = 8 + 8 * 4..8 + 8 * 5;
    assert_eq!(section[of_epsilon.clone()], honest.epsilon.to_le_bytes());
    let least = honest.beta * apart.min(honest.cutoff - honest.near);
    for (epsilon, is_taken) in [(0.0, false), (0.99 * least, false), (honest.epsilon, true)] {
        section[of_epsilon.clone()].copy_from_slice(&epsilon.to_le_bytes());
        assert_eq!(with(&section).is_ok(), is_taken, "{epsilon} of {}", honest.epsilon);
    }
}
