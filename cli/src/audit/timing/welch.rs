//! Whether the times of two classes differ: dudect's test.
//!
//! Welch's t of the times themselves: of all times, and of those below each of a hundred thresholds. Interrupts and
//! other programs add time in the upper tail, which would drown a small difference. Thresholds come from a pilot and do
//! not know the classes. So without a leak each t is nearly standard normal.
//!
//! Source: Reparaz, Balasch and Verbauwhede, "Dude, is my code constant time?", DATE 2017, and its program,
//! whose thresholds these are.

/// From here on |t| is a leak. Without a leak, one t is this large once in 147,000 times. The largest of the 101 of a
/// pair, which are correlated, is this large less than once in 1,400.
pub(super) const LEAK: f64 = 4.5;

/// Thresholds in addition to the one that keeps all.
const CROPS: usize = 100;

/// Thresholds on times, the last infinite.
pub(super) struct Crops(Vec<f64>);

impl Crops {
    /// The quantiles 1 − 2^(−i/10) of a pilot.
    pub(super) fn of(mut pilot: Vec<f64>) -> Self {
        pilot.sort_unstable_by(f64::total_cmp);
        let quantile = |i: usize| {
            let share = 1.0 - (-(i as f64) / 10.0).exp2();
            pilot.get((share * pilot.len() as f64) as usize).copied()
        };
        Self((1..=CROPS).filter_map(quantile).chain([f64::INFINITY]).collect())
    }

    /// The t that is farthest from 0; positive if the second class takes longer. Sorts the times.
    pub(super) fn farthest(&self, classes: &mut [Vec<f64>; 2]) -> f64 {
        classes.iter_mut().for_each(|times| times.sort_unstable_by(f64::total_cmp));
        let below = |times: &'_ Vec<f64>, threshold| times.partition_point(|time| *time < threshold);
        let ts = self.0.iter().map(|threshold| {
            let [first, second] = classes.each_ref().map(|times| &times[..below(times, *threshold)]);
            welch(first, second)
        });
        ts.fold(0.0, |farthest: f64, t| if t.abs() > farthest.abs() { t } else { farthest })
    }
}

/// Welch's t of the second mean minus the first; 0 of fewer than two values in a class, and of two constants
/// that are equal.
fn welch(first: &[f64], second: &[f64]) -> f64 {
    if first.len() < 2 || second.len() < 2 {
        return 0.0;
    }
    // The mean, and the variance of it.
    let moments = |values: &[f64]| {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        (mean, variance / count)
    };
    let ((a, a_variance), (b, b_variance)) = (moments(first), moments(second));
    if a == b { 0.0 } else { (b - a) / (a_variance + b_variance).sqrt() }
}

#[cfg(test)]
mod tests {
    use rand_core::Rng;
    use textveil::seeded_rng;

    use super::*;

    /// Times with a triangular law about 100 and, once in eight times, an interruption.
    fn times(seed: u8, delay: f64) -> Vec<f64> {
        let mut rng = seeded_rng([seed; 32]);
        let mut uniform = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let interruption = |u: f64| if u < 0.125 { 5000.0 * u } else { 0.0 };
        let mut time = || 100.0 + 10.0 * (uniform() + uniform() - 1.0) + interruption(uniform());
        (0..20_000).map(|_| time() + delay).collect()
    }

    #[test]
    fn welchs_t_is_the_textbooks() {
        // Means 3 and 6.4, variances 2.5 and 14.8: 3.4/√3.46.
        assert!((welch(&[1.0, 2.0, 3.0, 4.0, 5.0], &[2.0, 4.0, 6.0, 8.0, 12.0]) - 3.4 / 3.46_f64.sqrt()).abs() < 1e-12);
        // Of unequal sizes: means 2 and 6, variances 1 and 20/3: 4/√(1/3 + 5/3).
        assert!((welch(&[1.0, 2.0, 3.0], &[3.0, 5.0, 7.0, 9.0]) - 8_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn constants_and_single_times_have_a_t_too() {
        assert_eq!(welch(&[7.0, 7.0], &[7.0, 7.0]), 0.0);
        assert_eq!(welch(&[7.0, 7.0], &[8.0, 8.0]), f64::INFINITY);
        assert_eq!(welch(&[7.0], &[8.0, 9.0]), 0.0);
    }

    #[test]
    fn times_of_one_law_do_not_leak() {
        let t = Crops::of(times(1, 0.0)).farthest(&mut [times(2, 0.0), times(3, 0.0)]);
        assert!(t.abs() < LEAK, "{t}");
    }

    #[test]
    fn cropping_finds_a_delay_that_interruptions_drown() {
        let mut classes = [times(2, 0.0), times(3, 0.5)];
        assert!(welch(&classes[0], &classes[1]).abs() < LEAK);
        let t = Crops::of(times(1, 0.0)).farthest(&mut classes);
        assert!(t >= LEAK, "{t}");
    }

    #[test]
    fn thresholds_halve_what_is_left_every_ten() {
        let Crops(thresholds) = Crops::of((0..100_000).map(f64::from).collect());
        assert_eq!(thresholds.len(), CROPS + 1);
        let at = |i: usize| thresholds[i - 1];
        assert_eq!([at(10), at(20), at(30), at(101)], [50_000.0, 75_000.0, 87_500.0, f64::INFINITY]);
    }
}
