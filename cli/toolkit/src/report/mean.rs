//! The mean of some runs, its interval, and the number that a paper prints for it.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// The chance that an interval covers what more and more runs would tend to, if a run's number is normal.
const CONFIDENCE: f64 = 0.95;

/// What some runs come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// Their mean.
    pub mean: f64,
    /// Half the width of its 95 % interval, Student's. `None` for a single run, and where chance plays no part.
    pub half_width: Option<f64>,
    /// What the paper prints.
    pub paper: Option<Printed>,
}

/// A number of a paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// The number.
    pub value: f64,
    /// The greatest difference at which ours still agrees, or `None` where the two compare in kind alone.
    pub tolerance: Option<f64>,
}

impl Mean {
    /// The mean of some runs.
    pub fn of(runs: &[f64]) -> Self {
        let count = runs.len() as f64;
        let mean = runs.iter().sum::<f64>() / count;
        let half_width = (runs.len() > 1).then(|| {
            let variance = runs.iter().map(|run| (run - mean).powi(2)).sum::<f64>() / (count - 1.0);
            student(runs.len() - 1) * (variance / count).sqrt()
        });
        Self { mean, half_width, paper: None }
    }

    /// A number that no chance has touched.
    pub const fn exact(value: f64) -> Self {
        Self { mean: value, half_width: None, paper: None }
    }

    /// The same next to the paper's number.
    #[must_use]
    pub const fn beside(self, value: f64, tolerance: f64) -> Self {
        Self { paper: Some(Printed { value, tolerance: Some(tolerance) }), ..self }
    }

    /// Whether it is compared with the paper's number in value.
    pub fn is_compared(&self) -> bool {
        self.paper.is_some_and(|paper| paper.tolerance.is_some())
    }

    /// The ends of the interval.
    pub fn interval(&self) -> Option<[f64; 2]> {
        self.half_width.map(|half| [self.mean - half, self.mean + half])
    }

    /// Whether the interval holds the paper's number, if there are both.
    pub fn is_inside(&self) -> Option<bool> {
        Some(self.difference()?.abs() <= self.half_width?)
    }

    /// Ours less the paper's.
    pub fn difference(&self) -> Option<f64> {
        self.paper.map(|paper| self.mean - paper.value)
    }

    /// Whether it agrees in value with the paper's number, if there is one and the runs can tell. An interval that
    /// reaches farther than twice the tolerance would agree with too many numbers.
    pub fn agrees(&self) -> Option<bool> {
        let tolerance = self.paper?.tolerance?;
        let off = self.difference()?.abs();
        let half = self.half_width.unwrap_or(0.0);
        let agrees = off <= tolerance.max(half);
        (!agrees || off <= tolerance || half <= 2.0 * tolerance).then_some(agrees)
    }
}

/// How many standard errors the interval of Student's distribution reaches to either side.
///
/// The share within t is a finite sum in the angle arctan(t/√freedom) (Abramowitz and Stegun, 26.7.3 and
/// 26.7.4); the angle is found by halving.
fn student(freedom: usize) -> f64 {
    let within = |angle: f64| {
        let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
        let is_odd = freedom % 2 == 1;
        let first = if is_odd { cosine } else { 1.0 };
        let terms = (1..freedom / 2).scan(first, |term, i| {
            let i = i as f64;
            let ratio = if is_odd { 2.0 * i / (2.0 * i + 1.0) } else { (2.0 * i - 1.0) / (2.0 * i) };
            *term *= ratio * cosine * cosine;
            Some(*term)
        });
        let sum = sine * (first + terms.sum::<f64>());
        match freedom {
            1 => FRAC_2_PI * angle,
            _ if is_odd => FRAC_2_PI * (angle + sum),
            _ => sum,
        }
    };
    let (mut below, mut above) = (0.0, FRAC_PI_2);
    for _ in 0..60 {
        let middle = f64::midpoint(below, above);
        if within(middle) < CONFIDENCE { below = middle } else { above = middle }
    }
    libm::tan(below) * (freedom as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_as_wide_as_students_table_says() {
        for (freedom, t) in [
            (1, 12.7062),
            (2, 4.302_65),
            (3, 3.182_45),
            (4, 2.776_45),
            (5, 2.570_58),
            (9, 2.262_16),
            (10, 2.228_14),
            (30, 2.042_27),
            (999, 1.962_34),
        ] {
            assert!((student(freedom) / t - 1.0).abs() < 3e-6, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn a_mean_agrees_within_its_interval_or_the_tolerance() {
        let runs = Mean::of(&[0.80, 0.84]);
        let half = runs.half_width.expect("two runs");
        assert!((runs.mean - 0.82).abs() < 1e-15 && (half - 12.7062 * 0.02).abs() < 1e-6, "{half}");
        assert_eq!(
            (runs.beside(0.6, 0.2).agrees(), runs.beside(0.5, 0.0).agrees(), runs.agrees()),
            (Some(true), Some(false), None)
        );
        assert_eq!(runs.beside(0.6, 0.1).agrees(), None, "so wide an interval holds much");
        let in_kind = Mean { paper: Some(Printed { value: 0.82, tolerance: None }), ..runs };
        assert!(in_kind.agrees().is_none() && !in_kind.is_compared() && in_kind.difference().is_some());
        assert_eq!([0.6, 0.5].map(|paper| runs.beside(paper, 0.0).is_inside()), [Some(true), Some(false)]);
        let one = Mean::of(&[0.82]);
        assert_eq!((one.beside(0.82, 0.1).is_inside(), runs.is_inside()), (None, None));
        assert_eq!((one, one.interval()), (Mean::exact(0.82), None));
        assert_eq!([0.83, 0.85].map(|paper| one.beside(paper, 0.02).agrees()), [Some(true), Some(false)]);
    }
}
