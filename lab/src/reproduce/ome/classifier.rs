//! The classifiers of a server: the paper's perceptron, and a logistic regression.

use anyhow::Result;
use ndarray::{Array2, Axis};
use textveil_learn::{Examples, Features, Model, Optimizer, Recipe, Session, train};

use super::corpus::Corpus;

/// A way to learn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Classifier {
    /// The paper's: a hidden layer of 128 units.
    Perceptron,
    Logistic,
}

/// How a classifier sees what was released.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// As it was sent.
    AsSent,
    /// Each feature brought to mean 0 and variance 1 over the releases to train on, which costs no privacy.
    Standardized,
}

impl Classifier {
    fn recipe(self, seed: u64) -> Recipe {
        let (model, optimizer, epochs) = match self {
            Self::Perceptron => (
                Model::Mlp { hidden: vec![128], dropout: 0.5 },
                Optimizer::Sgd { rate: 0.01, decay: 1e-6, momentum: 0.9 },
                50,
            ),
            Self::Logistic => (Model::Logistic { l2: 0.1 }, Optimizer::Adam { rate: 0.003 }, 20),
        };
        Recipe { model, optimizer, epochs, batch: 32, patience: None, seed }
    }

    /// The accuracy on the second part of examples, after training on the first.
    ///
    /// # Errors
    /// As [`train`].
    pub(super) fn accuracy(
        self,
        corpus: &Corpus,
        features: &Array2<f32>,
        seen: Seen,
        split: &[Vec<usize>; 2],
        seed: u64,
    ) -> Result<f64> {
        let [mut train_rows, mut test_rows] = split.each_ref().map(|places| features.select(Axis(0), places));
        if seen == Seen::Standardized {
            standardize(&mut train_rows, &mut test_rows);
        }
        let examples = |rows, places: &[usize]| Examples {
            features: Features::Dense(rows),
            labels: places.iter().map(|place| corpus.labels[*place]).collect(),
        };
        let [trained_on, tested_on] = [examples(train_rows, &split[0]), examples(test_rows, &split[1])];
        let trained = train(&self.recipe(seed), corpus.classes, &trained_on, None, &Session::default())?;
        Ok(trained.evaluate(&tested_on)?.accuracy)
    }
}

/// By mean and variance of the first.
fn standardize(train: &mut Array2<f32>, test: &mut Array2<f32>) {
    for (mut train, mut test) in train.columns_mut().into_iter().zip(test.columns_mut()) {
        let count = train.len() as f64;
        let mean = train.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
        let variance = train.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / count;
        // A feature that never varies says nothing.
        let scale = if variance > 0.0 { 1.0 / variance.sqrt() } else { 0.0 };
        let standard = |x: &mut f32| *x = ((f64::from(*x) - mean) * scale) as f32;
        train.iter_mut().for_each(standard);
        test.iter_mut().for_each(standard);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_feature_is_standardized_by_what_is_trained_on() {
        let (mut train, mut test) = (array![[1.0, 7.0], [3.0, 7.0]], array![[5.0, 8.0]]);
        standardize(&mut train, &mut test);
        assert_eq!(train, array![[-1.0, 0.0], [1.0, 0.0]]);
        assert_eq!(test, array![[3.0, 0.0]]);
    }
}
