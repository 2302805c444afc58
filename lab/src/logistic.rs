//! Multinomial logistic regression with an L2 penalty: convex, deterministic, and with nothing to tune.
//!
//! Features are brought to mean 0 and variance 1 over the training texts, and a constant joins them. The objective,
//! mean cross-entropy + (μ/2)·‖W‖², is μ-strongly convex. Its gradient is Lipschitz with L = λ/2 + μ. λ is the greatest
//! eigenvalue of the features' second moments (the Hessian of cross-entropy in the scores is at most 1/2). Nesterov's
//! method with constant momentum then loses a factor of e in √(L/μ) steps.

use ndarray::{Array1, Array2, ArrayViewMut1, Axis};

/// The default μ.
const PENALTY: f64 = 0.01;
/// The distance to the optimum shrinks by e to this power.
const PRECISION: f64 = 8.0;

/// A classifier of vectors.
pub(crate) struct Classifier {
    mean: Vec<f64>,
    deviation: Vec<f64>,
    /// A row for each class, the weight of the constant last.
    weights: Array2<f64>,
}

impl Classifier {
    /// The classifier that fits rows of features with these labels, each below `classes`.
    pub(crate) fn train(features: &[&[f64]], labels: &[usize], classes: usize) -> Self {
        Self::train_with(PENALTY, features, labels, classes)
    }

    /// The same with another μ.
    pub(crate) fn train_with(penalty: f64, features: &[&[f64]], labels: &[usize], classes: usize) -> Self {
        let dims = features.first().map_or(0, |row| row.len());
        let mean = column_means(features, dims, |_, x| x);
        let deviation = column_means(features, dims, |j, x| (x - mean[j]).powi(2)).into_iter().map(f64::sqrt).collect();
        let mut classifier = Self { mean, deviation, weights: Array2::zeros((classes, dims + 1)) };
        let rows = features.iter().flat_map(|row| classifier.standardized(row)).collect();
        let rows = Array2::from_shape_vec((features.len(), dims + 1), rows).expect("rows of one length");
        classifier.descend(&rows, &one_hot(labels, classes), penalty);
        classifier
    }

    /// The likeliest class, the first of equals.
    pub(crate) fn predict(&self, features: &[f64]) -> usize {
        let scores = self.weights.dot(&Array1::from(self.standardized(features)));
        let best = |best: usize, class: usize| if scores[class] > scores[best] { class } else { best };
        (0..scores.len()).fold(0, best)
    }

    fn standardized(&self, features: &[f64]) -> Vec<f64> {
        let moments = self.mean.iter().zip(&self.deviation);
        // A feature that never varies says nothing.
        let standard =
            |(x, (mean, deviation)): (&f64, (&f64, &f64))| if *deviation > 0.0 { (x - mean) / deviation } else { 0.0 };
        features.iter().zip(moments).map(standard).chain([1.0]).collect()
    }

    fn descend(&mut self, rows: &Array2<f64>, labels: &Array2<f64>, penalty: f64) {
        let steepest = 0.5 * greatest_eigenvalue(rows) + penalty;
        let root = (steepest / penalty).sqrt();
        let momentum = (root - 1.0) / (root + 1.0);
        let mut ahead = self.weights.clone();
        for _ in 0..(PRECISION * root).ceil() as usize {
            let mut next = gradient(&ahead, rows, labels, penalty);
            next.zip_mut_with(&ahead, |slope, weight| *slope = weight - *slope / steepest);
            ahead.assign(&next);
            ahead.zip_mut_with(&self.weights, |new, old| *new += momentum * (*new - old));
            self.weights = next;
        }
    }
}

fn column_means(rows: &[&[f64]], dims: usize, value: impl Fn(usize, f64) -> f64) -> Vec<f64> {
    let mut sums = vec![0.0; dims];
    for row in rows {
        sums.iter_mut().zip(*row).enumerate().for_each(|(j, (sum, x))| *sum += value(j, *x));
    }
    sums.into_iter().map(|sum| sum / rows.len().max(1) as f64).collect()
}

/// A row for each label, with 1 in its column and 0 elsewhere.
fn one_hot(labels: &[usize], classes: usize) -> Array2<f64> {
    Array2::from_shape_fn((labels.len(), classes), |(row, class)| f64::from(u8::from(labels[row] == class)))
}

/// An upper bound of the greatest eigenvalue of the second moments: their Frobenius norm.
fn greatest_eigenvalue(rows: &Array2<f64>) -> f64 {
    let moments = rows.t().dot(rows) / rows.nrows().max(1) as f64;
    moments.iter().map(|moment| moment * moment).sum::<f64>().sqrt()
}

fn gradient(weights: &Array2<f64>, rows: &Array2<f64>, labels: &Array2<f64>, penalty: f64) -> Array2<f64> {
    let mut excess = rows.dot(&weights.t());
    excess.axis_iter_mut(Axis(0)).for_each(to_shares);
    excess -= labels;
    let mut gradient = excess.t().dot(rows);
    gradient.zip_mut_with(weights, |sum, weight| *sum = *sum / rows.nrows().max(1) as f64 + penalty * weight);
    gradient
}

/// Replaces scores by the probabilities that they stand for.
fn to_shares(mut scores: ArrayViewMut1<'_, f64>) {
    let greatest = scores.fold(f64::NEG_INFINITY, |greatest, score| greatest.max(*score));
    scores.mapv_inplace(|score| libm::exp(score - greatest));
    scores /= scores.sum();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points around the corners of a triangle, and the corner of each.
    fn corners(count: usize) -> (Vec<Vec<f64>>, Vec<usize>) {
        let point = |i: usize| {
            let angle = (i % 3) as f64 * 2.1;
            let noise = |salt: usize| ((i * 7919 + salt) % 101) as f64 / 101.0 - 0.5;
            vec![10.0 + libm::cos(angle) + noise(3), libm::sin(angle) + noise(57), 4.0]
        };
        ((0..count).map(point).collect(), (0..count).map(|i| i % 3).collect())
    }

    #[test]
    fn training_ends_where_the_gradient_is_zero() {
        let (points, labels) = corners(300);
        let points: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
        let classifier = Classifier::train(&points, &labels, 3);
        let rows = Array2::from_shape_fn((300, 4), |(i, j)| classifier.standardized(points[i])[j]);
        let labels = one_hot(&labels, 3);
        let slope = |weights: &Array2<f64>| {
            gradient(weights, &rows, &labels, PENALTY).iter().map(|x| x * x).sum::<f64>().sqrt()
        };
        assert!(slope(&classifier.weights) < 1e-3 * slope(&Array2::zeros((3, 4))));
    }

    #[test]
    fn classes_that_a_line_parts_are_told_apart_also_where_it_was_not_trained() {
        let (points, labels) = corners(300);
        let points: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
        let classifier = Classifier::train(&points[..200], &labels[..200], 3);
        let right = points[200..].iter().zip(&labels[200..]).filter(|(x, label)| classifier.predict(x) == **label);
        assert!(right.count() >= 97);
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_objective() {
        let (points, labels) = corners(30);
        let rows = Array2::from_shape_fn((30, 3), |(i, j)| points[i][j]);
        let weights = Array2::from_shape_fn((3, 3), |(i, j)| (i * 3 + j) as f64 / 7.0 - 0.5);
        let objective = |weights: &Array2<f64>| {
            let mut shares = rows.dot(&weights.t());
            shares.axis_iter_mut(Axis(0)).for_each(to_shares);
            let cross_entropy = |(row, label): (usize, &usize)| -libm::log(shares[(row, *label)]);
            let mean = labels.iter().enumerate().map(cross_entropy).sum::<f64>() / points.len() as f64;
            mean + 0.5 * PENALTY * weights.iter().map(|weight| weight * weight).sum::<f64>()
        };
        let slopes = gradient(&weights, &rows, &one_hot(&labels, 3), PENALTY);
        for place in [(0, 0), (1, 2), (2, 1)] {
            let at = |step: f64| {
                let mut moved = weights.clone();
                moved[place] += step;
                objective(&moved)
            };
            assert!((slopes[place] - (at(1e-5) - at(-1e-5)) / 2e-5).abs() < 1e-7, "{place:?}");
        }
    }
}
