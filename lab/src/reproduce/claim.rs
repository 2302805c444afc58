//! What a paper reports in kind, as a predicate on our numbers, printed with the numbers that it rests on.

use serde_json::{Value, json};

use textveil_toolkit::report::numbers::short;

/// Something that holds of our numbers, or does not, or that their intervals leave open.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// What is claimed.
    pub(crate) text: String,
    /// Whether it holds; nothing where that is open.
    pub(crate) holds: Option<bool>,
    /// The numbers that it rests on, and the numbers that they are compared with.
    pub(crate) evidence: String,
}

impl Claim {
    /// A claim whose truth its author has settled.
    pub(crate) fn new(text: impl Into<String>, holds: bool, evidence: impl Into<String>) -> Self {
        Self { text: text.into(), holds: Some(holds), evidence: evidence.into() }
    }

    /// Claims that a number is above zero. The claim stays open while the number's interval, `half_width` to both
    /// sides, holds zero.
    pub(crate) fn positive(text: impl Into<String>, number: f64, half_width: f64, evidence: impl Into<String>) -> Self {
        let is_open = number.is_finite() && (number.abs() <= half_width || half_width.is_nan());
        Self { holds: (!is_open).then_some(number > 0.0), ..Self::new(text, false, evidence) }
    }

    /// Claims that numbers differ by at most `spread`.
    pub(crate) fn flat(text: impl Into<String>, numbers: &[f64], spread: f64) -> Self {
        let found = range(numbers);
        let evidence = format!("{}: they differ by {}, allowed {}", listed(numbers), short(found), short(spread));
        Self::new(text, are_numbers(numbers) && found <= spread, evidence)
    }

    /// Claims that numbers rise by more than `slack` from the first to the last, and fall by at most `slack` from each
    /// to the next.
    pub(crate) fn rises(text: impl Into<String>, numbers: &[f64], slack: f64) -> Self {
        let rise = numbers.last().zip(numbers.first()).map_or(f64::NAN, |(last, first)| last - first);
        let fall = numbers.windows(2).map(|pair| pair[0] - pair[1]).fold(0.0, f64::max);
        let mut evidence = format!("{}: {} in all, needed more than {}", listed(numbers), short(rise), short(slack));
        if fall > 0.0 {
            evidence += &format!(", one step falls by {}, allowed {}", short(fall), short(slack));
        }
        Self::new(text, are_numbers(numbers) && rise > slack && fall <= slack, evidence)
    }

    /// Claims that each number is at most `within` away from a value, such as chance.
    pub(crate) fn near(text: impl Into<String>, numbers: &[f64], value: f64, within: f64) -> Self {
        let farthest = numbers.iter().map(|x| (x - value).abs()).fold(0.0, f64::max);
        let (off, most) = (short(farthest), short(within));
        let evidence = format!("{}: at most {off} from {}, allowed {most}", listed(numbers), short(value));
        Self::new(text, are_numbers(numbers) && farthest <= within, evidence)
    }

    /// Claims that each number is above `least`.
    pub(crate) fn above(text: impl Into<String>, numbers: &[f64], least: f64) -> Self {
        let found = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let evidence = format!("{}: at least {}, needed more than {}", listed(numbers), short(found), short(least));
        Self::new(text, are_numbers(numbers) && found > least, evidence)
    }

    /// As a line.
    pub(crate) fn shown(&self) -> String {
        format!("{:4} {}: {}", self.verdict(), self.text, self.evidence)
    }

    /// "yes", "NO" or "open".
    pub(crate) const fn verdict(&self) -> &'static str {
        match self.holds {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "open",
        }
    }

    /// As JSON.
    pub(crate) fn json(&self) -> Value {
        json!({ "claim": self.text, "holds": self.holds, "evidence": self.evidence })
    }
}

/// Whether there are numbers, and all are numbers. Otherwise no claim holds.
fn are_numbers(numbers: &[f64]) -> bool {
    !numbers.is_empty() && numbers.iter().all(|x| x.is_finite())
}

fn range(numbers: &[f64]) -> f64 {
    let greatest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    greatest - numbers.iter().copied().fold(f64::INFINITY, f64::min)
}

fn listed(numbers: &[f64]) -> String {
    numbers.iter().map(|x| short(*x)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_holds_as_far_as_its_numbers_do() {
        let verdicts = |claims: &[Claim]| claims.iter().map(Claim::verdict).collect::<Vec<_>>();
        let flat = [Claim::flat("", &[0.84, 0.85, 0.83], 0.021), Claim::flat("", &[0.84, 0.80], 0.03)];
        assert_eq!(verdicts(&flat), ["yes", "NO"]);
        let rises = [&[0.5, 0.7, 0.69, 0.8][..], &[0.5, 0.7, 0.6, 0.8], &[0.5, 0.5]];
        assert_eq!(verdicts(&rises.map(|numbers| Claim::rises("", numbers, 0.02))), ["yes", "NO", "NO"]);
        let near = [Claim::near("", &[0.49, 0.52], 0.5, 0.03), Claim::near("", &[0.49, 0.54], 0.5, 0.03)];
        assert_eq!(verdicts(&near), ["yes", "NO"]);
        let above = [&[0.3, 0.2][..], &[0.3, 0.1]].map(|numbers| Claim::above("", numbers, 0.1));
        assert_eq!(verdicts(&above), ["yes", "NO"]);
        let positive = [0.2, -0.2, 0.05, -0.05, f64::NAN].map(|number| Claim::positive("", number, 0.1, ""));
        assert_eq!(verdicts(&positive), ["yes", "NO", "open", "open", "NO"]);
        let unknown = [f64::INFINITY, f64::NAN].map(|half| Claim::positive("", 0.2, half, ""));
        assert_eq!(verdicts(&unknown), ["open", "open"]);
        for numbers in [&[][..], &[f64::NAN], &[0.5, f64::NAN, 0.6]] {
            let claims = [
                Claim::flat("", numbers, 1.0),
                Claim::rises("", numbers, 1.0),
                Claim::near("", numbers, 0.5, 1.0),
                Claim::above("", numbers, 0.0),
            ];
            assert!(claims.iter().all(|claim| claim.holds == Some(false)), "{numbers:?}");
        }
    }

    #[test]
    fn a_claim_shows_its_numbers() {
        let claim = Claim::rises("accuracy rises", &[0.5, 0.7, 0.69], 0.02);
        assert_eq!(
            claim.shown(),
            "yes  accuracy rises: 0.5, 0.7, 0.69: 0.19 in all, needed more than 0.02, one step falls by 0.01, allowed 0.02"
        );
    }
}
