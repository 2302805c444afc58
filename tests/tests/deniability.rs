//! Plausible deniability and inversion: by hand on tables of a few words, and estimates against exact values.

use proptest::prelude::*;
use textveil::{
    BayesAttacker, Deniability, Disclosure, Error, Gauge, Mechanism, MechanismKind, Parameter, Prior, Privatizer,
    Table, WordId, WordLists, normalize,
};
use textveil_tests::{experiment, privatizer, table, table_of};

/// Above the rounding of the mechanism's weights.
const ROUNDING: f64 = 1e-9;

fn row(table: &Table, row: usize) -> WordId {
    table.row(row).expect("a row")
}

fn gauge(tail: f64, draws: u32) -> Gauge {
    Gauge::new(tail, draws).expect("in range")
}

fn distribution(privatizer: &Privatizer, input: WordId) -> Vec<(WordId, f64)> {
    privatizer.distribution(input).expect("an exact mechanism")
}

/// The attacker who has learned of every word.
fn attacker(privatizer: &Privatizer, prior: &Prior) -> BayesAttacker {
    let mut attacker = BayesAttacker::new(privatizer.table());
    for input in privatizer.table().rows() {
        attacker.learn(input, prior.share(input), &distribution(privatizer, input));
    }
    attacker
}

#[test]
fn the_deniability_of_three_words_on_a_line_is_what_a_hand_computes() {
    // Words at 0, 1 and 3 of a line; beta = 2 ln 2 / 2: a step halves the weight. From 0: 1, 1/2, 1/8.
    let table = table_of(&[vec![0], vec![1], vec![3]], 1.0);
    let privatizer = privatizer(&table, "exponential", 2.0 * std::f64::consts::LN_2);
    let ask = |tail, draws| privatizer.deniability(row(&table, 0), gauge(tail, draws), &mut experiment(0));
    let found = ask(0.05, 2);
    let p = [8.0 / 13.0, 4.0 / 13.0, 1.0 / 13.0];
    assert!(!found.estimated && (found.kept - p[0]).abs() < ROUNDING);
    assert!((found.distance - (p[1] + 3.0 * p[2])).abs() < ROUNDING);
    let distinct: f64 = p.iter().map(|p| 1.0 - (1.0 - p) * (1.0 - p)).sum();
    assert!((found.distinct - distinct).abs() < ROUNDING);
    let entropy: f64 = p.iter().map(|p| -p * p.ln()).sum();
    assert!((found.perplexity - entropy.exp()).abs() < ROUNDING);
    // 12/13 = 0.923 are held by two words.
    assert_eq!([0.05, 0.08, 0.5].map(|tail| ask(tail, 1).support), [3, 2, 1]);
    assert!((ask(0.05, 1).distinct - 1.0).abs() < ROUNDING, "one draw gives one word");
}

#[test]
fn guesses_at_an_output_are_the_posterior_by_brute_force() {
    let table = table("toy.tvt");
    for eta in [0.5, 2.0, 8.0] {
        let mechanism = privatizer(&table, "exponential", eta);
        let prior = Prior::by_frequency(&table);
        for output in table.rows() {
            let joint = |input| {
                let outputs = distribution(&mechanism, input);
                prior.share(input) * outputs.iter().find(|(word, _)| *word == output).map_or(0.0, |(_, p)| *p)
            };
            let total: f64 = table.rows().map(joint).sum();
            let found = mechanism.guesses(output, &prior, table.len(), table.len()).expect("an exact mechanism");
            assert_eq!(found.len(), table.rows().filter(|input| joint(*input) > 0.0).count());
            assert!(found.iter().all(|(input, p)| (p - joint(*input) / total).abs() < 1e-12));
            assert!(found.is_sorted_by(|a, b| a.1 >= b.1));
            // With fewer candidates, each gets at least as much, and at most as much as if words farther away never
            // turned into it.
            let few = mechanism.guesses(output, &prior, 3, 2).expect("an exact mechanism");
            assert!(few.len() <= 2 && few.iter().all(|(input, p)| *p >= joint(*input) / total * (1.0 - 1e-12)));
            assert!(few.iter().map(|(_, p)| p).sum::<f64>() < 1.0);
        }
    }
}

#[test]
fn guesses_know_which_words_are_shown_in_clear() {
    let table = table("toy.tvt");
    let prior = Prior::by_frequency(&table);
    let eta = 2.0;
    let function_words: Vec<WordId> = table.rows().filter(|word| table.is_function_word(*word)).collect();
    let kept = table.rows().find(|word| !table.is_function_word(*word)).expect("a word");
    assert!(!function_words.is_empty() && function_words.len() < table.len());
    for is_kept in [false, true] {
        let disclosure = Disclosure { function_words: !is_kept, ..Disclosure::default() };
        let mechanism = Mechanism::new(MechanismKind::Exponential).with(Parameter::Eta, eta).expect("in range");
        let kept_words = if is_kept { vec![table.word(kept).to_uppercase()] } else { vec![] };
        let lists = WordLists::keeping(&kept_words).expect("a word");
        let mechanism = Privatizer::new(&table, mechanism, disclosure)
            .and_then(|made| made.with_lists(lists))
            .expect("a privatizer");
        let is_in_clear = |word| if is_kept { word == kept } else { function_words.contains(&word) };
        for output in table.rows() {
            let chance = |input| match is_in_clear(input) {
                true => f64::from(input == output),
                false => share_of(&distribution(&mechanism, input), output),
            };
            let total: f64 = table.rows().map(|input| prior.share(input) * chance(input)).sum();
            let posterior = |input| prior.share(input) * chance(input) / total;
            let found = mechanism.guesses(output, &prior, table.len(), table.len()).expect("an exact mechanism");
            assert_eq!(found.len(), table.rows().filter(|input| posterior(*input) > 0.0).count());
            assert!(found.iter().all(|(input, p)| (p - posterior(*input)).abs() < 1e-12));
            let few = mechanism.guesses(output, &prior, 3, 3).expect("an exact mechanism");
            assert!(few.iter().all(|(input, p)| *p >= posterior(*input) * (1.0 - 1e-12)));
        }
    }
}

fn share_of(shares: &[(WordId, f64)], word: WordId) -> f64 {
    shares.iter().find(|(other, _)| *other == word).map_or(0.0, |(_, share)| *share)
}

#[test]
fn noise_that_states_no_probabilities_gives_no_guesses() {
    let table = table("toy.tvt");
    let noise = privatizer(&table, "metric-laplace", 3.0);
    assert_eq!(noise.guesses(row(&table, 0), &Prior::uniform(&table), 5, 5), Err(Error::NotOffered));
}

#[test]
fn the_attacker_on_three_words_is_right_as_often_as_a_hand_computes() {
    let table = table_of(&[vec![0], vec![1], vec![3]], 1.0);
    let privatizer = privatizer(&table, "exponential", 2.0 * std::f64::consts::LN_2);
    // From 0: (8, 4, 1)/13; from 1: (4, 8, 2)/14; from 3: (1, 2, 8)/11. The largest of each column are the diagonal.
    let columns = [
        [8.0 / 13.0, 4.0 / 14.0, 1.0 / 11.0],
        [4.0 / 13.0, 8.0 / 14.0, 2.0 / 11.0],
        [1.0 / 13.0, 2.0 / 14.0, 8.0 / 11.0],
    ];
    let attacker = attacker(&privatizer, &Prior::uniform(&table));
    let success = (8.0 / 13.0 + 8.0 / 14.0 + 8.0 / 11.0) / 3.0;
    assert!((attacker.success() - success).abs() < ROUNDING);
    for word in table.rows() {
        assert_eq!(attacker.guess(word), Some(word));
        let column = columns[word.row()];
        let stands: f64 = column.iter().sum();
        assert!((attacker.stands(word) - stands / 3.0).abs() < ROUNDING);
        let written = attacker.written(word).expect("it comes out");
        assert!((written - column[word.row()] / stands).abs() < ROUNDING, "{written}");
        let own = attacker.success_on(word, &distribution(&privatizer, word));
        assert!((own - privatizer.deniability(word, Gauge::default(), &mut experiment(0)).kept).abs() < ROUNDING);
    }
}

proptest! {
    #[test]
    fn no_guess_is_right_more_often_than_the_attackers(
        rows in prop::collection::vec(prop::collection::vec(-20_i8..=20, 2), 2..12),
        nats in 0.01..2.0_f64,
        weights in prop::collection::vec(0.0..1.0_f64, 12),
        guesses in prop::collection::vec(0..12_usize, 12),
    ) {
        let table = table_of(&rows, 1.0);
        let privatizer = privatizer(&table, "exponential", nats);
        let total: f64 = weights[..table.len()].iter().sum::<f64>().max(1e-300);
        let prior = |word: WordId| weights[word.row()] / total;
        let mut bayes = BayesAttacker::new(&table);
        let (mut other, mut named, mut by_word) = (0.0, 0.0, 0.0);
        for input in table.rows() {
            bayes.learn(input, prior(input), &distribution(&privatizer, input));
        }
        for input in table.rows() {
            for (output, p) in distribution(&privatizer, input) {
                other += if guesses[output.row()] % table.len() == input.row() { prior(input) * p } else { 0.0 };
                named += if output == input { prior(input) * p } else { 0.0 };
            }
            by_word += prior(input) * bayes.success_on(input, &distribution(&privatizer, input));
        }
        let blind = table.rows().map(prior).fold(0.0, f64::max);
        for success in [other, named, blind, by_word] {
            prop_assert!(success <= bayes.success() + ROUNDING);
        }
        prop_assert!((by_word - bayes.success()).abs() < ROUNDING, "its success is the mean of that on each word");
    }
}

#[test]
fn attackers_who_learned_apart_know_together_what_one_knows() {
    let table = table("toy.tvt");
    let privatizer = privatizer(&table, "exponential", 3.0 / table.scale() / 20.0);
    let prior = Prior::by_frequency(&table);
    let whole = attacker(&privatizer, &prior);
    let mut parts = [BayesAttacker::new(&table), BayesAttacker::new(&table)];
    for input in table.rows().collect::<Vec<_>>().into_iter().rev() {
        parts[input.row() % 2].learn(input, prior.share(input), &distribution(&privatizer, input));
    }
    let [even, odd] = parts;
    let joined = odd.merge(even);
    for word in table.rows() {
        assert_eq!(joined.guess(word), whole.guess(word));
        assert!((joined.stands(word) - whole.stands(word)).abs() < 1e-15);
        assert_eq!(joined.written(word).is_some(), whole.written(word).is_some());
    }
}

#[test]
fn a_simulation_agrees_with_the_exact_values_within_its_error() {
    // The same channel, exact and through draws: what differs is chance. Five standard errors: below 1e-6.
    let table = table("toy.tvt");
    let privatizer = privatizer(&table, "exponential", 3.0 / table.scale() / 20.0);
    let (draws, input) = (20_000_u32, row(&table, 3));
    let exact = privatizer.deniability(input, gauge(0.05, draws), &mut experiment(0));
    let mut rng = experiment(1);
    let mut counts = vec![0_u32; table.len()];
    for _ in 0..draws {
        counts[privatizer.draw(input, &mut rng).row()] += 1;
    }
    let shares: Vec<(WordId, f64)> =
        table.rows().zip(counts).map(|(row, n)| (row, f64::from(n) / f64::from(draws))).filter(|s| s.1 > 0.0).collect();
    let drawn = Deniability::of(&table, input, &shares, gauge(0.05, draws));
    let error = (exact.kept * (1.0 - exact.kept) / f64::from(draws)).sqrt();
    assert!((drawn.kept - exact.kept).abs() < 5.0 * error, "{} {} {error}", drawn.kept, exact.kept);
    let square: f64 = distribution(&privatizer, input).iter().map(|(y, p)| p * table.distance(input, *y).powi(2)).sum();
    let error = ((square - exact.distance.powi(2)) / f64::from(draws)).sqrt();
    assert!((drawn.distance - exact.distance).abs() < 5.0 * error, "{} {}", drawn.distance, exact.distance);
    // The number of distinct outputs has a variance below its mean.
    assert!((shares.len() as f64 - exact.distinct).abs() < 5.0 * exact.distinct.sqrt());
}

#[test]
fn noise_is_simulated_and_says_so() {
    let table = table("toy.tvt");
    let privatizer = privatizer(&table, "metric-laplace", 2.0 / table.scale());
    let draws = 5_000;
    let found = privatizer.deniability(row(&table, 3), gauge(0.05, draws), &mut experiment(2));
    let again = privatizer.deniability(row(&table, 3), gauge(0.05, draws), &mut experiment(3));
    assert!(found.estimated && found != again);
    let error = (2.0 * found.kept.max(again.kept) / f64::from(draws)).sqrt();
    assert!((found.kept - again.kept).abs() < 5.0 * error, "{} {}", found.kept, again.kept);
    assert!(found.distinct >= found.support as f64 && found.distinct.fract() == 0.0);
}

#[test]
fn a_text_has_an_entry_for_each_token_and_none_of_deniability_in_clear() {
    let table = Table::english().expect("the built-in table");
    let disclosure = Disclosure { function_words: true, placeholders: true, plain_layout: false };
    let mechanism = Mechanism::new(MechanismKind::Exponential).with(Parameter::Level, 5.0).expect("a level");
    let privatizer = Privatizer::new(&table, mechanism, disclosure).expect("a privatizer");
    let text = normalize("The doctor wrote to the other doctor: jane@example.com!");
    let tokens = privatizer.text_deniability(&text, Gauge::default(), &mut experiment(0)).expect("short");
    let shown: Vec<(&str, bool)> = tokens.iter().map(|t| (t.token.as_str(), t.deniability.is_some())).collect();
    assert_eq!(shown.len(), 8);
    assert_eq!((shown[0], shown[1], shown[7]), (("The", false), ("doctor", true), ("jane@example.com", false)));
    assert_eq!(tokens[1].deniability, tokens[6].deniability);
    let doctor = table.find("doctor").expect("a word");
    assert_eq!(tokens[1].deniability, Some(privatizer.deniability(doctor, Gauge::default(), &mut experiment(9))));
}
