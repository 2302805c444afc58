//! Guarantees and counts in a line, for people.

use textveil::{Guarantee, RoundedUp, Unit};

/// "1 word", "2 words".
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A number above zero with at most four significant digits, never smaller than it is.
pub(crate) fn four_digits_up(x: f64) -> f64 {
    let round = |x: f64| format!("{x:.3e}").parse().unwrap_or(x);
    let nearest = round(x);
    let last_digit = libm::pow(10.0, libm::floor(libm::log10(x)) - 3.0);
    if nearest < x { round(nearest + last_digit) } else { nearest }
}

/// "at most epsilon 7.01, delta 0.00001".
fn at_most(epsilon: f64, delta: f64) -> String {
    let epsilon = RoundedUp(epsilon);
    if delta > 0.0 {
        format!("at most epsilon {epsilon}, delta {}", four_digits_up(delta))
    } else {
        format!("at most epsilon {epsilon}")
    }
}

/// The mechanism and what is proved of it; a published calibration is marked, with what its paper claims.
pub(crate) fn in_short(guarantee: &Guarantee) -> String {
    let mut mechanism = guarantee.mechanism.name().to_owned();
    if let Some(eta) = guarantee.eta {
        mechanism += &format!(", eta {}", four_digits_up(eta));
    }
    if let Some(claim) = &guarantee.claim {
        let holds = if claim.holds { "which holds" } else { "WHICH DOES NOT HOLD" };
        let delta = if claim.delta > 0.0 { format!(", delta {}", claim.delta) } else { String::new() };
        mechanism += &format!(", PUBLISHED calibration (claims epsilon {}{delta}, {holds})", claim.epsilon);
    }
    let (epsilon, delta) = shown_loss(guarantee);
    let bound = at_most(epsilon, delta);
    match guarantee.unit {
        Unit::Word => format!("{mechanism}: {bound} a word in the worst case, times the words of a line"),
        Unit::Text | Unit::Value => format!("{mechanism}: {bound} for any line in the worst case"),
    }
}

/// (ε, δ) of what a guarantee in short is about: a word, or a whole release.
pub(crate) fn shown_loss(guarantee: &Guarantee) -> (f64, f64) {
    match guarantee.unit {
        Unit::Word => (guarantee.epsilon_word, guarantee.delta_word),
        Unit::Text | Unit::Value => (guarantee.epsilon_text, guarantee.delta_text),
    }
}

/// A number with four digits, or two and a power of ten; more before the point if it has them.
pub(crate) fn short(x: f64) -> String {
    match x {
        x if x == 0.0 || !x.is_finite() => x.to_string(),
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
    fn eta_is_never_shown_smaller_than_it_is() {
        for (eta, shown) in [
            (14.6, 14.6),
            (14.612, 14.62),
            (14.618, 14.62),
            (0.001_000_1, 0.001_001),
            (999.99, 1000.0),
            (123_456.0, 123_500.0),
        ] {
            assert_eq!(four_digits_up(eta), shown);
        }
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
