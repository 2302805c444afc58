//! Vectors for statements that have other phrasings.
//!
//! The vector of a statement turns away from the phrasings of the other statements, and towards its own. So a text comes to
//! the statement whose phrasings it resembles, and a list with phrasings is no larger than one without.
//!
//! This is logistic regression over the statements, by cosines: the probability of a statement grows with e^(20·cosine), as
//! in NormFace (Wang, Xiang, Cheng and Yuille 2017). Gradient descent begins at the mean of a statement's phrasings and does
//! few steps, in a fixed order: the result is the same on all machines. Nothing is promised by it: a guarantee holds for any
//! vectors.

use alloc::vec;
use alloc::vec::Vec;

/// How much the probability of a statement depends on the cosine.
const SCALE: f64 = 20.0;
const STEPS: usize = 100;
const RATE: f64 = 0.01;
/// Smaller probabilities change nothing.
const LEAST: f64 = 1e-7;

/// The vector of each of `statements` statements, of length 1. `examples` are directions of `dims` values each, and `of` says
/// which statement each of them belongs to. Each statement has at least one.
pub(super) fn fitted(examples: &[f64], of: &[usize], statements: usize, dims: usize) -> Vec<f64> {
    let examples: Vec<(&[f64], usize)> = examples.chunks_exact(dims).zip(of.iter().copied()).collect();
    let mut counts = vec![0.0; statements];
    let mut vectors = vec![0.0; statements * dims];
    for (example, own) in &examples {
        counts[*own] += 1.0;
        add(&mut vectors[own * dims..][..dims], example, 1.0);
    }
    vectors.chunks_exact_mut(dims).for_each(normalize);
    let mut cosines = vec![0.0; statements];
    for _ in 0..STEPS {
        let mut change = vec![0.0; statements * dims];
        // Sorted by coordinate, so that the cosines to all statements add up side by side.
        let coordinates: Vec<f64> = (0..dims).flat_map(|dim| vectors.iter().skip(dim).step_by(dims).copied()).collect();
        for (example, own) in &examples {
            cosines.fill(0.0);
            for (x, column) in example.iter().zip(coordinates.chunks_exact(statements)) {
                add(&mut cosines, column, *x);
            }
            let odds: Vec<f64> = cosines.iter().map(|cosine| libm::exp(SCALE * (cosine - 1.0))).collect();
            let all: f64 = odds.iter().sum();
            for (number, odds) in odds.into_iter().enumerate() {
                let error = f64::from(u8::from(number == *own)) - odds / all;
                if libm::fabs(error) > LEAST {
                    add(&mut change[number * dims..][..dims], example, RATE * SCALE * error / counts[number]);
                }
            }
        }
        for (vector, change) in vectors.chunks_exact_mut(dims).zip(change.chunks_exact(dims)) {
            // A change along the vector itself does not turn it.
            let along = product(vector, change);
            vector.iter_mut().for_each(|x| *x *= 1.0 - along);
            add(vector, change, 1.0);
            normalize(vector);
        }
    }
    vectors
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn add(to: &mut [f64], what: &[f64], times: f64) {
    to.iter_mut().zip(what).for_each(|(to, x)| *to += times * x);
}

/// A null vector stays as it is.
fn normalize(vector: &mut [f64]) {
    let length = libm::sqrt(product(vector, vector));
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two statements share a direction that tells nothing, and differ in a small one.
    #[test]
    fn what_all_phrasings_share_counts_less() {
        let examples = [[10.0, 1.0, 0.0], [10.0, 1.0, 3.0], [10.0, -1.0, 0.0], [10.0, -1.0, -3.0]];
        let mut examples = examples.concat();
        examples.chunks_exact_mut(3).for_each(normalize);
        let vectors = fitted(&examples, &[0, 0, 1, 1], 2, 3);
        let (one, other) = vectors.split_at(3);
        assert!((product(one, one) - 1.0).abs() < 1e-12);
        assert!(one[1] > 0.3 && other[1] < -0.3, "{vectors:?}");
        // By the mean of its phrasings it would be the other way round: −1 loses to what lies across.
        let text = [10.0, 1.0, -1.0];
        assert!(product(one, &text) > product(other, &text), "{vectors:?}");
    }

    #[test]
    fn phrasings_that_take_each_other_out_leave_numbers() {
        let vectors = fitted(&[1.0, 0.0, -1.0, 0.0, 0.0, 1.0], &[0, 0, 1], 2, 2);
        assert!(vectors.iter().all(|x| x.is_finite()));
    }
}
