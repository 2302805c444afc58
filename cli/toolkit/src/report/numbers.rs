//! Guarantees and counts in a line, for people.

use std::fmt;

use textveil::{Claim, Guarantee, InTheClear, MechanismKind, Probability, RoundedUp, Unit};

/// [`short`], rounded up: of a loss that may be less.
pub fn short_up(x: f64) -> String {
    let decimals = if (1e-3..1e7).contains(&x) { 3 } else { 1 };
    short(rounded_up(x, decimals))
}

/// "1 word", "2 words".
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// "2,285": a count with a comma before every three digits.
#[must_use]
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let comma = |place: usize| place > 0 && (digits.len() - place).is_multiple_of(3);
    digits.char_indices().flat_map(|(place, digit)| comma(place).then_some(',').into_iter().chain([digit])).collect()
}

/// A finite number above zero with `decimals` decimals behind its first digit, rounded up; any other as it is.
fn rounded_up(x: f64, decimals: usize) -> f64 {
    if x <= 0.0 || !x.is_finite() {
        return x;
    }
    let round = |x: f64| format!("{x:.decimals$e}").parse().unwrap_or(x);
    let nearest = round(x);
    let last_digit = libm::pow(10.0, libm::floor(libm::log10(x)) - decimals as f64);
    if nearest < x { round(nearest + last_digit) } else { nearest }
}

/// "epsilon 7.01, delta 1e-5".
fn shown(epsilon: impl fmt::Display, delta: f64) -> String {
    if delta > 0.0 { format!("epsilon {epsilon}, delta {}", Probability(delta)) } else { format!("epsilon {epsilon}") }
}

/// Whether a loss is bounded. An infinite ε or a δ of 1 lets everything happen.
fn is_bounded(epsilon: f64, delta: f64) -> bool {
    epsilon < f64::INFINITY && delta < 1.0
}

/// "epsilon 7.01, delta 1e-5", or "no bound".
fn loss(epsilon: f64, delta: f64) -> String {
    match epsilon {
        _ if !is_bounded(epsilon, delta) => "no bound".to_owned(),
        // Two decimals would make much more of it.
        0.0..0.1 if epsilon > 0.0 => shown(rounded_up(epsilon, 1), delta),
        _ => shown(RoundedUp(epsilon), delta),
    }
}

/// "at most epsilon 7.01, delta 1e-5", or "no bound".
#[must_use]
pub fn bounded(epsilon: f64, delta: f64) -> String {
    let loss = loss(epsilon, delta);
    if is_bounded(epsilon, delta) { format!("at most {loss}") } else { loss }
}

/// The ε of a table's cell: none if δ says that nothing is proved.
#[must_use]
pub fn epsilon_in_cell(epsilon: f64, delta: f64) -> String {
    if delta >= 1.0 { "none".to_owned() } else { RoundedUp(epsilon).to_string() }
}

/// What is proved of a word, in the worst case.
#[must_use]
pub fn worst_case(guarantee: &Guarantee) -> String {
    let (epsilon, delta) = (guarantee.epsilon_word, guarantee.delta_word);
    let word = bounded(epsilon, delta);
    let class = if guarantee.clear.contains(&InTheClear::WordClasses) { ", among the words of its class" } else { "" };
    if is_bounded(epsilon, delta) {
        format!("{word} a word in the worst case{class}")
    } else {
        format!("{word} for a word{class}")
    }
}

/// What a paper claims of its calibration.
#[derive(Clone, Copy, Debug)]
pub struct Claimed {
    /// ε, in nats.
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
    /// Whether it follows from what is proved.
    pub holds: bool,
}

/// A mechanism of this name; a published calibration is marked, with what its paper claims.
#[must_use]
pub fn mechanism_in_words(name: &str, eta: Option<f64>, claim: Option<Claimed>) -> String {
    let eta = eta.map_or_else(String::new, |eta| format!(", eta {}", rounded_up(eta, 3)));
    let claim = claim.map_or_else(String::new, |Claimed { epsilon, delta, holds }| {
        let claimed = if is_bounded(epsilon, delta) { shown(epsilon, delta) } else { loss(epsilon, delta) };
        let gives_words = name.parse::<MechanismKind>().is_ok_and(MechanismKind::gives_words);
        let unit = if gives_words { "word" } else { "representation" };
        let holds = if holds { "which holds" } else { "WHICH DOES NOT FOLLOW" };
        format!(", PUBLISHED calibration (claims {claimed} for one {unit}, {holds})")
    });
    format!("{name}{eta}{claim}")
}

fn mechanism(guarantee: &Guarantee) -> String {
    let claim = guarantee.claim.map(|Claim { epsilon, delta, holds, .. }| Claimed { epsilon, delta, holds });
    mechanism_in_words(guarantee.mechanism.name(), guarantee.eta, claim)
}

/// The text instead of a bound, for draws from a known seed.
const KNOWN_SEED: &str = "A KNOWN SEED decided every draw, which protects nothing";

/// What is proved of each word of a unit, such as a line, or of each statement, or of each answer of a question.
pub fn words_in_short(guarantee: &Guarantee, unit: &str, is_of_answers: bool) -> String {
    let (mechanism, epsilon, delta) = (mechanism(guarantee), guarantee.epsilon_word, guarantee.delta_word);
    let word = bounded(epsilon, delta);
    if guarantee.known_seed {
        format!("{mechanism}: {KNOWN_SEED}")
    } else if guarantee.unit == Unit::WholeText {
        let all = match guarantee.words {
            0 | 1 => String::new(),
            words => {
                format!(", {} for the {words} of a {unit}", loss(guarantee.epsilon_text, guarantee.delta_text))
            }
        };
        let accepted = if guarantee.clear.contains(&InTheClear::Language) { " that is not refused" } else { "" };
        if is_of_answers {
            return format!("{mechanism}: {word} an answer{all}");
        }
        format!("{mechanism}: {word} a statement{all}, for any text{accepted}, however long it is")
    } else if is_bounded(epsilon, delta) && guarantee.words > 1 {
        let longest = loss(guarantee.epsilon_text, guarantee.delta_text);
        format!(
            "{mechanism}: {}, {longest} for the longest {unit}, of {} words",
            worst_case(guarantee),
            guarantee.words
        )
    } else {
        format!("{mechanism}: {}", worst_case(guarantee))
    }
}

/// Up to this ε a promise is at least weak (README.md, docs/src/how-to/choose-a-level.md).
const WEAK: f64 = 9.0;

/// What we call a promise of this ε: "a weak promise".
#[must_use]
pub fn promise(epsilon: f64) -> &'static str {
    match epsilon {
        ..=1.0 => "a strong promise",
        ..=4.0 => "a medium promise",
        ..=WEAK => "a weak promise",
        _ => "no real promise",
    }
}

/// A warning that what is proved of each draw is no real promise.
pub fn no_real_promise(guarantee: &Guarantee) -> Option<String> {
    let (epsilon, delta) = (guarantee.epsilon_word, guarantee.delta_word);
    let unit = if guarantee.unit == Unit::WholeText { "statement" } else { "word" };
    if guarantee.known_seed || is_bounded(epsilon, delta) && epsilon <= WEAK {
        return None;
    }
    Some(if is_bounded(epsilon, delta) {
        format!(
            "warning: {} for a {unit} is no real promise. Up to epsilon {WEAK} a promise is weak",
            loss(epsilon, delta)
        )
    } else {
        format!("warning: without a bound for a {unit} there is no real promise")
    })
}

/// What is proved of lines that are represented.
pub fn lines_in_short(guarantee: &Guarantee) -> String {
    if guarantee.known_seed {
        return format!("{}: {KNOWN_SEED}", mechanism(guarantee));
    }
    let word = bounded(guarantee.epsilon_word, guarantee.delta_word);
    if guarantee.unit == Unit::WholeText {
        return format!("{}: {word} for any line, however long it is", mechanism(guarantee));
    }
    let line = loss(guarantee.epsilon_text, guarantee.delta_text);
    format!("{}: {word} for one word, {line} for any line in the worst case", mechanism(guarantee))
}

/// A number with four digits, or two and a power of ten; more before the point if it has them.
pub fn short(x: f64) -> String {
    match x {
        x if x == 0.0 || !x.is_finite() => x.to_string(),
        x if x < 0.0 => format!("-{}", short(-x)),
        x if !(1e-3..1e7).contains(&x) => format!("{x:.1e}"),
        x => {
            let digits = (3.0 - x.log10().floor()).max(0.0) as usize;
            let text = format!("{x:.digits$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_count_has_commas() {
        for (count, shown) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (45_815, "45,815"),
            (216_072_802_472_266_656, "216,072,802,472,266,656"),
        ] {
            assert_eq!(grouped(count), shown);
        }
    }

    #[test]
    fn eta_is_never_shown_smaller_than_it_is() {
        for (eta, shown) in [
            (14.6, 14.6),
            (14.612, 14.62),
            (14.618, 14.62),
            (0.001_000_1, 0.001_001),
            (999.99, 1000.0),
            (123_456.0, 123_500.0),
        ] {
            assert_eq!(rounded_up(eta, 3), shown);
        }
    }

    #[test]
    fn a_delta_of_one_is_said_to_bound_nothing() {
        assert_eq!(loss(7.0, 1e-5), "epsilon 7.00, delta 1e-5");
        assert_eq!(loss(7.0, 1.0), "no bound");
        assert_eq!(bounded(7.0, 1e-5), "at most epsilon 7.00, delta 1e-5");
        for (epsilon, delta) in [(7.0, 1.0), (f64::INFINITY, 0.0), (f64::NAN, 0.0)] {
            assert_eq!(bounded(epsilon, delta), "no bound");
        }
    }

    #[test]
    fn a_mechanism_is_named_with_its_eta_and_what_is_claimed_of_it() {
        assert_eq!(mechanism_in_words("certified", Some(9.008_15), None), "certified, eta 9.009");
        let claim = |holds, epsilon| Some(Claimed { epsilon, delta: 0.0, holds });
        assert_eq!(
            mechanism_in_words("vickrey", None, claim(true, 0.5)),
            "vickrey, PUBLISHED calibration (claims epsilon 0.5 for one word, which holds)"
        );
        assert_eq!(
            mechanism_in_words("dpnr", None, claim(false, f64::INFINITY)),
            "dpnr, PUBLISHED calibration (claims no bound for one representation, WHICH DOES NOT FOLLOW)"
        );
    }

    #[test]
    fn a_small_epsilon_has_the_digits_that_it_needs() {
        for (epsilon, text) in [
            (0.0, "0.00"),
            (0.0001, "0.0001"),
            (0.000_123, "0.00013"),
            (0.01, "0.01"),
            (0.0999, "0.1"),
            (0.101, "0.11"),
        ] {
            assert_eq!(loss(epsilon, 0.0), format!("epsilon {text}"));
        }
    }

    #[test]
    fn a_loss_is_never_shown_smaller_than_it_is() {
        let cases = [
            (3451.39, "3452"),
            (2.00049, "2.001"),
            (7.370016, "7.371"),
            (1.0049e-5, "1.1e-5"),
            (8.0, "8"),
            (0.5002, "0.5002"),
        ];
        for (x, text) in cases {
            assert_eq!(short_up(x), text);
        }
        for x in (1..5000).map(|x| f64::from(x) * 0.001_237) {
            let shown: f64 = short_up(x).parse().expect("a number");
            assert!(shown >= x && shown <= x * 1.1, "{x} {shown}");
        }
        assert_eq!([0.0, f64::INFINITY].map(short_up), ["0", "inf"]);
    }

    #[test]
    fn numbers_are_short() {
        for (x, text) in
            [(0.05, "0.05"), (3451.39, "3451"), (0.99746, "0.9975"), (1e-5, "1.0e-5"), (1.0, "1"), (0.0932, "0.0932")]
        {
            assert_eq!(short(x), text);
        }
    }
}
