//! How well a classifier tells classes apart.

use serde::{Deserialize, Serialize};

/// What a classifier did on examples, as scikit-learn counts it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scores {
    /// Examples scored.
    pub examples: usize,
    /// Mean cross-entropy, in nats.
    loss: f64,
    /// The share of examples whose likeliest class is theirs.
    pub accuracy: f64,
    /// The mean of F1 over the classes that any example has or was given.
    pub macro_f1: f64,
    /// Class by class.
    pub classes: Vec<ClassScores>,
}

/// What a classifier did for one class; a share of nothing is zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassScores {
    /// Examples of the class.
    pub examples: usize,
    /// The share of them among those given the class.
    pub precision: f64,
    /// The share of them that were given the class.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
}

impl Scores {
    /// Scores predictions of a mean cross-entropy, each class below `classes`.
    pub(super) fn of(predictions: &[usize], labels: &[usize], classes: usize, loss: f64) -> Self {
        let count = |holds: &dyn Fn(usize, usize) -> bool| {
            predictions.iter().zip(labels).filter(|(prediction, label)| holds(**prediction, **label)).count()
        };
        let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let (mut f1, mut seen) = (0.0, 0);
        let mut of_class = |class: usize| {
            let given = count(&|prediction, _| prediction == class);
            let examples = count(&|_, label| label == class);
            let right = count(&|prediction, label| prediction == class && label == class);
            let scores = ClassScores {
                examples,
                precision: share(right, given),
                recall: share(right, examples),
                f1: share(2 * right, given + examples),
            };
            seen += usize::from(given + examples > 0);
            f1 += scores.f1;
            scores
        };
        let of_classes = (0..classes).map(&mut of_class).collect();
        Self {
            examples: labels.len(),
            loss,
            accuracy: share(count(&|prediction, label| prediction == label), labels.len()),
            macro_f1: if seen == 0 { 0.0 } else { f1 / seen as f64 },
            classes: of_classes,
        }
    }

    /// Whether it is more accurate, or as accurate with less loss.
    pub(super) fn beats(&self, other: &Self) -> bool {
        (self.accuracy, -self.loss) > (other.accuracy, -other.loss)
    }
}

/// The class with the greatest score, the first of equals.
pub(super) fn likeliest<'a>(scores: impl IntoIterator<Item = &'a f32>) -> usize {
    let better =
        |best: (usize, f32), (class, score): (usize, &f32)| if *score > best.1 { (class, *score) } else { best };
    scores.into_iter().enumerate().fold((0, f32::NEG_INFINITY), better).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_greatest_is_the_likeliest() {
        let last = f32::NEG_INFINITY;
        for (scores, class) in
            [([1.0, 3.0, 3.0], 1), ([0.0, -0.0, 0.0], 0), ([f32::NAN, -2.0, -2.0], 1), ([last, last, last], 0)]
        {
            assert_eq!(likeliest(&scores), class, "{scores:?}");
        }
    }
}
