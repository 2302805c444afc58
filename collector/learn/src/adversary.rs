//! Features that a task can be told from, and secrets hardly: adversarial training, after Coavoux, Narayan and
//! Cohen (EMNLP 2018).
//!
//! A linear map of the features is trained with a classifier that reads the task from the map's output. Adversaries
//! learn to read one secret each from the same output. They take turns, step by step: the adversaries follow the map.
//! Then map and classifier descend −log p(label) − w·mean log(1 − p(secret)). A secret is hidden once its adversary
//! believes the opposite. This promises nothing: another adversary may find more.

use anyhow::{Context, Result, ensure};
use burn::module::Module;
use burn::tensor::Device;
use burn_optim::GradientsParams;
use ndarray::Array2;

use super::chance::Chance;
use super::features::{Features, Input};
use super::network::Network;
use super::recipe::{Model, Recipe};

/// Everything that fixes an adversarial training, except for the examples.
#[derive(Clone, Debug)]
pub struct Hiding {
    /// The recipe of the classifier, without dropout and patience. The map and the adversaries use its optimizer too.
    pub recipe: Recipe,
    /// The model of an adversary, without dropout and penalty.
    pub adversary: Model,
    /// How much a secret weighs against the task.
    pub weight: f64,
}

/// A map that hides secrets.
pub struct Disguise(Network);

impl Hiding {
    /// Trains a map that hides `secrets` and keeps the number of features. Each secret has one of two answers for each
    /// example.
    ///
    /// # Errors
    /// A recipe out of range, labels out of range, or other than one of each sort for each example; a loss that
    /// is no longer finite.
    pub fn train(
        &self,
        classes: usize,
        rows: &Array2<f32>,
        labels: &[usize],
        secrets: &[Vec<usize>],
    ) -> Result<Disguise> {
        let Self { recipe, adversary, weight } = self;
        recipe.check()?;
        adversary.check()?;
        let models = [&recipe.model, adversary];
        ensure!(
            models.iter().all(|model| model.dropout() == 0.0) && recipe.patience.is_none(),
            "adversarial training has neither dropout nor patience"
        );
        ensure!(adversary.l2() == 0.0, "an adversary has no penalty");
        ensure!(
            !models.iter().any(|model| matches!(model, Model::BiLstm { .. })),
            "an LSTM reads sequences, and features are none"
        );
        ensure!(!secrets.is_empty(), "nothing to hide");
        ensure!(labels.len() == rows.nrows() && labels.iter().all(|label| *label < classes), "labels out of range");
        ensure!(
            secrets.iter().all(|of| of.len() == rows.nrows() && of.iter().all(|answer| *answer < 2)),
            "a secret has an answer of two for each example"
        );
        let (inputs, device) = (rows.ncols(), Device::flex().autodiff());
        let seed = |place: u64| recipe.seed.wrapping_add(place);
        let linear = Model::Mlp { hidden: Vec::new(), dropout: 0.0 };
        let mut map = Network::draw(&linear, inputs, inputs, seed(0), &device)?;
        let mut classifier = Network::draw(&recipe.model, inputs, classes, seed(1), &device)?;
        let mut adversaries = (2..)
            .zip(secrets)
            .map(|(place, _)| Network::draw(adversary, inputs, 2, seed(place), &device))
            .collect::<Result<Vec<_>>>()?;
        let mut optimizers: Vec<_> = (0..adversaries.len() + 2).map(|_| recipe.optimizer.build()).collect();
        let features = Features::Dense(rows.clone());
        let mut steps = 0;
        for epoch in 0..recipe.epochs {
            let mut chance = Chance::of_epoch(recipe.seed, epoch);
            for batch in features.batches(recipe.batch, Some(&mut chance)) {
                let [for_map, for_classifier, for_adversaries @ ..] = optimizers.as_mut_slice() else { continue };
                let rate = recipe.optimizer.rate(steps);
                let select = |of: &[usize]| batch.iter().map(|example| of[*example]).collect::<Vec<usize>>();
                let mapped = map.forward(features.select(&batch, &Device::flex()), None)?;
                let seen = mapped.clone().detach();
                for ((adversary, secret), optimizer) in adversaries.iter_mut().zip(secrets).zip(for_adversaries) {
                    let scores = adversary.forward(Input::Rows(Box::new(seen.clone())), None)?;
                    let loss = adversary.loss(scores, &select(secret), 0.0);
                    let gradients = GradientsParams::from_grads(loss.backward(), adversary);
                    *adversary = optimizer.step(rate, adversary.clone(), gradients);
                }
                let scores = classifier.forward(Input::Rows(Box::new(mapped.clone())), None)?;
                let mut loss = classifier.loss(scores, &select(labels), recipe.model.l2());
                for (adversary, secret) in adversaries.iter().zip(secrets) {
                    let opposite: Vec<usize> = select(secret).into_iter().map(|answer| 1 - answer).collect();
                    let scores = adversary.forward(Input::Rows(Box::new(mapped.clone())), None)?;
                    loss = loss + adversary.loss(scores, &opposite, 0.0) * (weight / secrets.len() as f64);
                }
                let value: f32 = loss.clone().into_scalar();
                ensure!(value.is_finite(), "the loss is no longer a finite number: lower the rate");
                let mut gradients = loss.backward();
                let of_map = GradientsParams::from_module(&mut gradients, &map);
                let of_classifier = GradientsParams::from_module(&mut gradients, &classifier);
                map = for_map.step(rate, map, of_map);
                classifier = for_classifier.step(rate, classifier, of_classifier);
                steps += 1;
            }
        }
        Ok(Disguise(map.valid()))
    }
}

impl Disguise {
    /// What it makes of features.
    ///
    /// # Errors
    /// Features of another width.
    pub fn apply(&self, rows: &Array2<f32>) -> Result<Array2<f32>> {
        const TOGETHER: usize = 1024;
        let features = Features::Dense(rows.clone());
        let mut mapped = Vec::with_capacity(rows.len());
        let all: Vec<usize> = (0..rows.nrows()).collect();
        for batch in all.chunks(TOGETHER) {
            let values = self.0.forward(features.select(batch, &Device::flex()), None)?;
            mapped.extend(values.try_into_vec_as::<f32>()?);
        }
        Array2::from_shape_vec(rows.raw_dim(), mapped).context("features of another width")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Examples, Optimizer, Session, train};
    use super::*;

    /// Points whose first coordinate is the label, and the second a secret.
    fn points(count: usize) -> (Array2<f32>, Vec<usize>, Vec<usize>) {
        let (label, secret) = (|i: usize| i % 2, |i: usize| i / 2 % 2);
        let noise = |i: usize, j: usize| ((i * [37, 53][j]) % 29) as f32 / 29.0 - 0.5;
        let rows =
            Array2::from_shape_fn((count, 2), |(i, j)| [label(i), secret(i)][j] as f32 * 2.0 - 1.0 + noise(i, j));
        (rows, (0..count).map(label).collect(), (0..count).map(secret).collect())
    }

    fn recipe(epochs: u32) -> Recipe {
        Recipe {
            model: Model::Mlp { hidden: vec![8], dropout: 0.0 },
            optimizer: Optimizer::Adam { rate: 0.01 },
            epochs,
            batch: 16,
            patience: None,
            seed: 3,
        }
    }

    fn accuracy(rows: &Array2<f32>, labels: &[usize]) -> f64 {
        let examples = Examples { features: Features::Dense(rows.clone()), labels: labels.to_vec() };
        let trained = train(&recipe(10), 2, &examples, None, &Session::default()).expect("a training");
        trained.evaluate(&examples).expect("scores").accuracy
    }

    #[test]
    fn what_the_task_does_not_need_is_made_smaller_and_the_task_stays() {
        let (rows, labels, secret) = points(200);
        let hiding = |weight| Hiding { recipe: recipe(60), adversary: recipe(1).model, weight };
        let secrets = [secret.clone()];
        let map = |weight| {
            let disguise = hiding(weight).train(2, &rows, &labels, &secrets).expect("a training");
            disguise.apply(&rows).expect("rows")
        };
        // How far the secret moves what is shown, in units of how far the label does.
        let ratio = |rows: &Array2<f32>| {
            let between = |of: &[usize]| -> f64 {
                let mean = |group: usize, column: usize| {
                    let chosen = rows.rows().into_iter().zip(of).filter(|(_, answer)| **answer == group);
                    chosen.map(|(row, _)| f64::from(row[column])).sum::<f64>() / 100.0
                };
                (0..2).map(|column| (mean(0, column) - mean(1, column)).powi(2)).sum::<f64>().sqrt()
            };
            between(&secret) / between(&labels)
        };
        let (open, hidden) = (map(0.0), map(1.0));
        assert!(ratio(&hidden) < 0.8 * ratio(&open), "{} {}", ratio(&hidden), ratio(&open));
        assert!(accuracy(&hidden, &labels) > 0.95);
        assert_eq!(hidden, map(1.0), "the same bits again");
    }

    #[test]
    fn what_the_training_would_ignore_is_refused() {
        let (rows, labels, secret) = points(20);
        let plain = Hiding { recipe: recipe(1), adversary: recipe(1).model, weight: 1.0 };
        let dropping = Model::Mlp { hidden: vec![8], dropout: 0.2 };
        let lstm = Model::BiLstm { hidden: 8, dropout: 0.0 };
        for hiding in [
            Hiding { recipe: Recipe { model: dropping.clone(), ..recipe(1) }, ..plain.clone() },
            Hiding { recipe: Recipe { patience: Some(3), ..recipe(1) }, ..plain.clone() },
            Hiding { adversary: dropping, ..plain.clone() },
            Hiding { adversary: Model::Logistic { l2: 0.1 }, ..plain.clone() },
            Hiding { adversary: lstm, ..plain.clone() },
        ] {
            assert!(hiding.train(2, &rows, &labels, std::slice::from_ref(&secret)).is_err(), "{hiding:?}");
        }
        assert!(plain.train(2, &rows, &labels, &[secret]).is_ok());
    }

    #[test]
    fn what_is_no_secret_of_two_answers_is_refused() {
        let (rows, labels, secret) = points(20);
        let hiding = Hiding { recipe: recipe(1), adversary: recipe(1).model, weight: 1.0 };
        for secrets in [vec![], vec![vec![2; 20]], vec![secret[1..].to_vec()]] {
            assert!(hiding.train(2, &rows, &labels, &secrets).is_err());
        }
        assert!(hiding.train(1, &rows, &labels, &[secret]).is_err());
    }
}
