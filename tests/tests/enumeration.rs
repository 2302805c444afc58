//! Compares proofs with the truth: on small domains every probability is enumerated, and no guarantee may be below the
//! worst ratio found.

use proptest::prelude::*;
use textveil::account::truncated_laplace::{ClippedVectors, TruncatedLaplace};
use textveil::sampler::{Scale, Tail};
use textveil::{
    Calibration, Certificate, Disclosure, Dropout, Loss, Mechanism, MechanismKind, Metric, Parameter, Privatizer,
    Representer, Table, Unit, WordId, account,
};
use textveil_tests::{table, table_of};

/// Above the rounding of a ratio that is computed here.
const ROUNDING: f64 = 1e-9;

/// The probability of each row as the output for this input.
fn probabilities(privatizer: &Privatizer, input: Option<WordId>) -> Vec<f64> {
    let mut probabilities = vec![0.0; privatizer.table().len()];
    for (word, probability) in privatizer.distribution(input).expect("an exact channel") {
        probabilities[word.row()] = probability;
    }
    probabilities
}

/// P(y|x) for all words, rows by input.
fn channel(privatizer: &Privatizer) -> Vec<Vec<f64>> {
    privatizer.table().rows().map(|word| probabilities(privatizer, Some(word))).collect()
}

/// How far apart two words are in a metric. An unknown word is as far from every word as the metric goes.
fn distance(table: &Table, metric: Metric, a: Option<WordId>, b: Option<WordId>) -> f64 {
    let distance = match (a, b) {
        (Some(a), Some(b)) => table.distance(a, b),
        (None, None) => 0.0,
        _ => table.diameter_bound(),
    };
    match metric {
        Metric::Truncated(gamma) => distance.min(gamma),
        _ => distance,
    }
}

/// The largest ln P(y|a)/P(y|b) over y; infinite where only one of them can put y out.
fn worst_ratio(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).filter(|(p, _)| **p > 0.0).map(|(p, q)| (p / q).ln()).fold(0.0, f64::max)
}

/// Holds a channel over words against its guarantee, for all pairs of words, known or not.
fn hold(privatizer: &Privatizer) {
    let table = privatizer.table();
    let guarantee = privatizer.guarantee(1);
    let inputs = table.rows().map(Some).chain([None]);
    let channel: Vec<_> = inputs.map(|input| (input, probabilities(privatizer, input))).collect();
    let class = |input: Option<WordId>| input.and_then(|word| table.class_of(word));
    for (a, of_a) in &channel {
        for (b, of_b) in &channel {
            let ratio = worst_ratio(of_a, of_b);
            if class(*a) == class(*b) || guarantee.mechanism != MechanismKind::ClassExponential {
                assert!(ratio <= guarantee.epsilon_word + ROUNDING, "{}: {ratio}", guarantee.statement());
            }
            if let (Some(eta), Some(metric)) = (guarantee.eta, guarantee.metric) {
                let distance = distance(table, metric, *a, *b);
                assert!(ratio <= eta * distance + ROUNDING, "{}: {ratio} at {distance}", guarantee.statement());
            }
        }
    }
}

#[test]
fn what_comes_out_for_an_unknown_word_is_g_alone() {
    for file in ["toy.tvt", "odd.tvt"] {
        let table = table(file);
        let prepared = |mechanism| Privatizer::new(&table, mechanism, Disclosure::default()).expect("in range");
        for (level, (place, certificate)) in (0_u8..).zip(table.certificates_of(MechanismKind::Certified)) {
            let mechanism = Mechanism::new(MechanismKind::Certified).with(Parameter::Level, f64::from(level));
            let mut expected = vec![0.0; table.len()];
            for (row, code) in table.rows().zip(table.base_codes(place)) {
                expected[table.stand_in(row).row()] += f64::from(Certificate::base(certificate.step, *code));
            }
            let sum: f64 = expected.iter().sum();
            let drawn = probabilities(&prepared(mechanism.expect("a level")), None);
            assert!(drawn.iter().zip(&expected).all(|(p, g)| (p - g / sum).abs() < ROUNDING), "{file}, level {level}");
        }
        // However steep or flat it is: with a stored weight for each distance, or without.
        for eta in [1e-5, 0.1, 20.0] {
            let mechanism = Mechanism::new(MechanismKind::Exponential).with(Parameter::Eta, eta).expect("in range");
            let offered = table.rows().filter(|row| table.is_offered(*row)).count() as f64;
            let drawn = probabilities(&prepared(mechanism), None);
            let each = |(row, p): (WordId, &f64)| if table.is_offered(row) { *p - 1.0 / offered } else { *p };
            assert!(table.rows().zip(&drawn).map(each).all(|off| off.abs() < ROUNDING), "{file}, eta {eta}");
        }
    }
}

/// The proof is in `draw/channel.rs`. `certify.py` finds the same losses over all words.
#[test]
fn no_shipped_level_loses_more_of_an_unknown_word_than_it_states() {
    let table = Table::english().expect("the built-in table");
    let mut levels = 0;
    for kind in [MechanismKind::Certified, MechanismKind::Plateau] {
        for (level, (_, certificate)) in (0_u8..).zip(table.certificates_of(kind)) {
            let mechanism = Mechanism::new(kind).with(Parameter::Level, f64::from(level)).expect("a level");
            let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("a level");
            let unknown = probabilities(&privatizer, None);
            let loss_to = |word| {
                let known = probabilities(&privatizer, Some(word));
                worst_ratio(&unknown, &known).max(worst_ratio(&known, &unknown))
            };
            let largest = table.rows().step_by(331).map(loss_to).fold(0.0, f64::max);
            let per_unit = largest / certificate.cutoff;
            println!(
                "{kind} level {level}: {largest:.2} of {:.2}; {per_unit:.2} of {:.2} a unit",
                certificate.epsilon, certificate.eta
            );
            assert!(largest <= certificate.epsilon && per_unit <= certificate.eta);
            // It is no accident: a known word loses as much to the farthest word, too.
            assert!(largest <= certificate.beta * (certificate.cutoff - certificate.near) + ROUNDING);
            levels += 1;
        }
    }
    assert!(levels >= 10, "{levels} levels");
}

#[test]
fn certified_channels_hold_what_their_certificates_say() {
    for file in ["toy.tvt", "odd.tvt"] {
        let table = table(file);
        let of_kind = |kind| (0_u8..).zip(table.certificates_of(kind)).map(move |level| (kind, level));
        let levels = of_kind(MechanismKind::Certified).chain(of_kind(MechanismKind::Plateau));
        for (kind, (level, (_, certificate))) in levels {
            let mechanism = Mechanism::new(kind).with(Parameter::Level, f64::from(level)).expect("a level");
            let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("a level");
            hold(&privatizer);
            let channel = channel(&privatizer);
            let kept = table.rows().map(|word| channel[word.row()][word.row()]);
            assert!((kept.sum::<f64>() / table.len() as f64 / certificate.retention - 1.0).abs() < ROUNDING);
            // Stand-ins can only lower what an attacker sees.
            let likeliest = |output: usize| channel.iter().map(|row| row[output]).fold(0.0, f64::max);
            let success: f64 = (0..table.len()).map(likeliest).sum::<f64>() / table.len() as f64;
            assert!(success <= certificate.inversion + ROUNDING && success >= certificate.retention - ROUNDING);
        }
    }
}

#[test]
fn the_nearest_rows_are_no_likelier_than_stated_for_any_pair_of_inputs() {
    for file in ["toy.tvt", "odd.tvt"] {
        let table = table(file);
        for (epsilon, mass, power) in [(0.1, 0.3, 0.0), (4.0, 0.05, 0.5), (12.0, 0.5, 1.0), (20.0, 0.9, 0.25)] {
            let mechanism =
                [(Parameter::Epsilon, epsilon), (Parameter::Mass, mass), (Parameter::FrequencyPower, power)]
                    .into_iter()
                    .try_fold(Mechanism::new(MechanismKind::Nearest), |it, (parameter, value)| {
                        it.with(parameter, value)
                    })
                    .expect("in range");
            let privatizer =
                Privatizer::new(&table, mechanism, Disclosure::default()).expect("the table holds the mass");
            hold(&privatizer);
            // Some pair of words loses nearly as much as is stated.
            let channel = channel(&privatizer);
            let losses = channel.iter().flat_map(|a| channel.iter().map(|b| worst_ratio(a, b)));
            let largest = losses.fold(0.0, f64::max);
            assert!(mass > 0.5 || largest > 0.9 * epsilon, "{file}, {epsilon}: {largest}");
        }
    }
}

fn rows() -> impl Strategy<Value = Vec<Vec<i8>>> {
    (1..5_usize, 2..20_usize)
        .prop_flat_map(|(dims, rows)| prop::collection::vec(prop::collection::vec(-127_i8..=127, dims), rows))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn no_channel_has_a_ratio_above_its_guarantee(
        rows in rows(), nats_a_step in 0.001..2.0_f64, gamma_steps in 1.0..300.0_f64, scale in 0.001..2.0_f64,
    ) {
        let table = table_of(&rows, scale);
        let eta = nats_a_step / scale;
        let exponential = Mechanism::new(MechanismKind::Exponential).with(Parameter::Eta, eta).expect("in range");
        let truncated = Mechanism::new(MechanismKind::TruncatedExponential)
            .with(Parameter::Eta, eta)
            .and_then(|mechanism| mechanism.with(Parameter::Gamma, gamma_steps * scale))
            .expect("in range");
        for mechanism in [exponential, truncated] {
            hold(&Privatizer::new(&table, mechanism, Disclosure::default()).expect("in range"));
        }
    }

    #[test]
    fn dropout_amplifies_no_more_than_is_stated(channel in tiny_channels(), rate in 0.01..0.99_f64) {
        let TinyChannel { words, probabilities } = channel;
        let base = Loss::pure(worst_change(&probabilities, words, true) * (1.0 + 1e-12));
        let masks: Vec<Vec<bool>> = (0..1_usize << words).map(|mask| (0..words).map(|i| mask >> i & 1 == 1).collect()).collect();
        // Every word has a coin of its own.
        let coins = masks.iter().map(|mask| mask.iter().map(|out| if *out { rate } else { 1.0 - rate }).product());
        let dropped = mixed(&probabilities, words, &masks, &coins.collect::<Vec<f64>>());
        prop_assert!(worst_change(&dropped, words, false) <= base.after_dropout(rate).epsilon + ROUNDING);
        // A fixed number of words, and the mechanism may tell which stands where.
        let zeros = (rate * words as f64).ceil() as usize;
        let chosen: Vec<f64> = masks.iter().map(|mask| if mask.iter().filter(|out| **out).count() == zeros { 1.0 } else { 0.0 }).collect();
        let choices: f64 = chosen.iter().sum();
        let dropped = mixed(&probabilities, words, &masks, &chosen.iter().map(|one| one / choices).collect::<Vec<f64>>());
        let share = zeros as f64 / words as f64;
        prop_assert!(worst_change(&dropped, words, false) <= base.after_exchange(share).epsilon + ROUNDING);
    }

    #[test]
    fn sensitivities_are_not_below_those_of_any_pair_of_words(
        rows in rows(), scale in 0.01..1.0_f64, share in 0.1..1.5_f64, epsilon in 0.01..0.1_f64, words in 1..5_usize,
    ) {
        let table = table_of(&rows, scale);
        let dims = rows[0].len() as f64;
        let longest = rows.iter().map(|row| norm(row)).fold(1.0, f64::max);
        // Clipped by the rule that the specification states, the null vector included.
        let limit = (longest * share).max(1.0);
        let clipped: Vec<Vec<i64>> = rows.iter().map(|row| clip(row, limit)).chain([vec![0; rows[0].len()]]).collect();
        let published = |kind| {
            [(Parameter::Epsilon, epsilon), (Parameter::Clip, limit * scale), (Parameter::Delta, DELTA)]
                .into_iter()
                .filter(|(parameter, _)| MechanismKind::parameters(kind).contains(parameter))
                .try_fold(Mechanism::new(kind), |mechanism, (parameter, value)| mechanism.with(parameter, value))?
                .calibrated(Calibration::Published)
        };
        let guarantee = |kind| Privatizer::new(&table, published(kind)?, Disclosure::default()).map(|ours| ours.guarantee(1));
        let shifts: Vec<Vec<f64>> = clipped
            .iter()
            .flat_map(|a| clipped.iter().map(move |b| a.iter().zip(b).map(|(a, b)| (a - b) as f64).collect()))
            .collect();
        let l1 = |shift: &Vec<f64>| shift.iter().map(|t| t.abs()).sum::<f64>();

        let spread = 2.0 * limit * dims.sqrt() / epsilon;
        let worst = shifts.iter().map(l1).fold(0.0, f64::max);
        prop_assert!(guarantee(MechanismKind::Laplace)?.epsilon_word >= worst / Scale::at_least(spread)?.get() * (1.0 - ROUNDING));

        let l2 = shifts.iter().map(|shift| shift.iter().map(|t| t * t).sum::<f64>().sqrt()).fold(f64::MIN_POSITIVE, f64::max);
        let stated = guarantee(MechanismKind::Gaussian)?.epsilon_word;
        prop_assert!(stated >= account::gaussian::epsilon(spread, l2, DELTA)? * (1.0 - ROUNDING));

        if let Some(noise) = ClippedVectors::new(rows[0].len() as u64, limit)?.published(epsilon, DELTA)? {
            let stated = guarantee(MechanismKind::TruncatedLaplace)?;
            prop_assert!(stated.epsilon_word >= noise.rate() * worst * (1.0 - ROUNDING));
            for shift in &shifts {
                prop_assert!(stated.delta_word >= noise.delta_of_shift(shift)? * (1.0 - ROUNDING));
            }
        }

        let sums = |word: &[i8]| -> Vec<i128> {
            word.iter().zip(&rows[0]).map(|(v, other)| i128::from(*v) + (words as i128 - 1) * i128::from(*other)).collect()
        };
        let ranges: Vec<[i128; 2]> = (0..rows[0].len())
            .map(|j| rows.iter().fold([0, 0], |[low, high], row| [low.min(row[j].into()), high.max(row[j].into())]))
            .collect();
        let normalized = |sum: Vec<i128>| -> Vec<i128> {
            let element = |(sum, [low, high]): (&i128, &[i128; 2])| {
                let width = (high - low) * words as i128;
                if width == 0 { 0 } else { (65_536 * (sum - low * words as i128)).div_euclid(width) }
            };
            sum.iter().zip(&ranges).map(element).collect()
        };
        let dpnr = Mechanism::new(MechanismKind::Dpnr).with(Parameter::Epsilon, epsilon)?;
        let representer = Representer::of_table(&table, dpnr, Unit::Text)?;
        let stated = representer.guarantee(words, &Dropout::None)?.epsilon_word;
        let noise = Scale::at_least(dims * 65_536.0 / epsilon)?.get();
        for a in &rows {
            for b in &rows {
                let moved: i128 = normalized(sums(a)).iter().zip(normalized(sums(b))).map(|(a, b)| (a - b).abs()).sum();
                prop_assert!(stated >= moved as f64 / noise * (1.0 - ROUNDING), "{stated} {moved}");
            }
        }
    }

    #[test]
    fn rounded_noise_is_as_private_as_stated(deviation in 0.3..6.0_f64, shift in 1..8_i64, epsilon in 0.05..3.0_f64) {
        let tail = Tail::gaussian(deviation).expect("in range");
        let delta = account::gaussian::delta(deviation, shift as f64, epsilon).expect("in range");
        let stated = tail.drawn(Loss { epsilon, delta }, 1);
        prop_assert!(hockey_stick(tail, shift, stated.epsilon) <= stated.delta * (1.0 + ROUNDING));

        let rate = epsilon / shift as f64;
        let radius = 4.0 * deviation + shift as f64;
        let tail = Tail::truncated_laplace(rate, radius).expect("in range");
        let delta = TruncatedLaplace::new(rate, radius).expect("in range").tail(shift as f64);
        let stated = tail.drawn(Loss { epsilon, delta }, 1);
        prop_assert!(hockey_stick(tail, shift, stated.epsilon) <= stated.delta * (1.0 + ROUNDING));
    }
}

#[test]
fn class_mode_has_no_ratio_above_its_guarantee_within_a_class_and_keeps_it() {
    let table = table("classes.tvt");
    for epsilon in [0.01, 0.5, 3.0, 40.0] {
        let mechanism =
            Mechanism::new(MechanismKind::ClassExponential).with(Parameter::Epsilon, epsilon).expect("in range");
        let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("the table has classes");
        hold(&privatizer);
        for (input, probabilities) in table.rows().zip(channel(&privatizer)) {
            let possible = table.rows().filter(|output| probabilities[output.row()] > 0.0);
            assert!(possible.into_iter().all(|output| table.class_of(output) == table.class_of(input)));
        }
    }
}

const DELTA: f64 = 1e-3;

fn norm(row: &[i8]) -> f64 {
    row.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt()
}

/// A row shortened to a norm of `limit` steps, towards zero.
fn clip(row: &[i8], limit: f64) -> Vec<i64> {
    let norm = norm(row);
    let factor = if norm > limit { limit / norm * (1.0 - 2.0_f64.powi(-50)) } else { 1.0 };
    row.iter().map(|v| (f64::from(*v) * factor).trunc() as i64).collect()
}

/// δ at ε between noise and noise shifted by `shift`, the drawn law summed over all integers.
fn hockey_stick(tail: Tail, shift: i64, epsilon: f64) -> f64 {
    let reach = 200;
    (-reach..=reach).map(|k| (tail.probability(k) - epsilon.exp() * tail.probability(k - shift)).max(0.0)).sum()
}

/// A random channel from texts of `words` words, each one of null, a and b, to two outputs.
#[derive(Clone, Debug)]
struct TinyChannel {
    words: usize,
    /// The probability of the first output, by the text as a number in base 3.
    probabilities: Vec<f64>,
}

fn tiny_channels() -> impl Strategy<Value = TinyChannel> {
    (1..4_usize).prop_flat_map(|words| {
        let texts = 3_usize.pow(words as u32);
        prop::collection::vec(0.02..0.98_f64, texts).prop_map(move |probabilities| TinyChannel { words, probabilities })
    })
}

/// The words of a text.
fn digits(text: usize, words: usize) -> Vec<usize> {
    (0..words).map(|place| text / 3_usize.pow(place as u32) % 3).collect()
}

/// The channel behind random masks that null words.
fn mixed(probabilities: &[f64], words: usize, masks: &[Vec<bool>], chances: &[f64]) -> Vec<f64> {
    let nulled = |text: usize, mask: &[bool]| {
        digits(text, words)
            .iter()
            .zip(mask)
            .enumerate()
            .map(|(place, (word, out))| if *out { 0 } else { word * 3_usize.pow(place as u32) })
            .sum::<usize>()
    };
    (0..probabilities.len())
        .map(|text| masks.iter().zip(chances).map(|(mask, chance)| chance * probabilities[nulled(text, mask)]).sum())
        .collect()
}

/// The worst ratio between texts that differ in one word; `null` counts as a word or not.
fn worst_change(probabilities: &[f64], words: usize, null: bool) -> f64 {
    let mut worst = 0.0_f64;
    for text in 0..probabilities.len() {
        for place in 0..words {
            for word in 0..3 {
                let own = digits(text, words)[place];
                if !null && (own == 0 || word == 0) {
                    continue;
                }
                let other = text + word * 3_usize.pow(place as u32) - own * 3_usize.pow(place as u32);
                let (p, q) = (probabilities[text], probabilities[other]);
                worst = worst.max((p / q).ln()).max(((1.0 - p) / (1.0 - q)).ln());
            }
        }
    }
    worst
}

/// All bit strings of a length.
fn strings(bits: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1_usize << bits).map(move |word| (0..bits).map(|bit| word >> bit & 1 == 1).collect())
}

#[test]
fn bit_codes_lose_what_their_worst_pair_of_codes_loses() {
    // One element of a sign, one integer and one fraction bit: three bits, eight outputs.
    let (bits, epsilon, lambda) = (3, 1.2, 7.0_f64);
    let x = epsilon / bits as f64;
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let pair = |kind: MechanismKind, calibration, bit: usize| match (kind, calibration) {
        (MechanismKind::Sue, Calibration::Published) => [sigmoid(epsilon / 2.0), sigmoid(-epsilon / 2.0)],
        (MechanismKind::Sue | MechanismKind::RandomizedResponse, _) => [sigmoid(x), sigmoid(-x)],
        (MechanismKind::Oue, Calibration::Published) => [0.5, sigmoid(-epsilon / 2.0)],
        (MechanismKind::Oue, _) => [0.5, (-x).exp() / 2.0],
        (_, Calibration::Published) if bit.is_multiple_of(2) => {
            [lambda / (1.0 + lambda), 1.0 / (1.0 + lambda * x.exp())]
        }
        (_, Calibration::Published) => [1.0 / (1.0 + lambda.powi(3)), 1.0 / (1.0 + lambda * x.exp())],
        _ => [1.0 / (1.0 + lambda), 1.0 / (1.0 + lambda * x.exp())],
    };
    for kind in [MechanismKind::Sue, MechanismKind::Oue, MechanismKind::Ome, MechanismKind::RandomizedResponse] {
        for calibration in [Calibration::Sound, Calibration::Published] {
            let Ok(mechanism) = Mechanism::new(kind).calibrated(calibration) else { continue };
            let mechanism =
                [(Parameter::Epsilon, epsilon), (Parameter::IntegerBits, 1.0), (Parameter::FractionBits, 1.0)]
                    .into_iter()
                    .chain((kind == MechanismKind::Ome).then_some((Parameter::Lambda, lambda)))
                    .try_fold(mechanism, |mechanism, (parameter, value)| mechanism.with(parameter, value))
                    .expect("in range");
            let representer = Representer::of_vectors(1, Some(1.0), mechanism, Unit::Text).expect("in range");
            let stated = representer.guarantee(1, &Dropout::None).expect("in range").epsilon_text;
            let probability = |code: &[bool], output: &[bool]| -> f64 {
                (0..bits)
                    .map(|bit| {
                        let [p, q] = pair(kind, calibration, bit);
                        let one = if code[bit] { p } else { q };
                        if output[bit] { one } else { 1.0 - one }
                    })
                    .product()
            };
            let mut worst = 0.0_f64;
            for code in strings(bits) {
                for other in strings(bits) {
                    for output in strings(bits) {
                        worst = worst.max((probability(&code, &output) / probability(&other, &output)).ln());
                    }
                }
            }
            assert!((stated - worst).abs() < 1e-8, "{kind} {calibration:?}: stated {stated}, enumerated {worst}");
            assert!(calibration == Calibration::Published || stated <= epsilon * (1.0 + 1e-9), "{kind}: {stated}");
        }
    }
}
