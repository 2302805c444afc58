//! An encoder and a classifier that are trained together through noise: the robust training of Lyu, He and Li (Findings of
//! EMNLP 2020, Algorithm 1).
//!
//! The encoder is a perceptron. The hyperbolic tangent of what it gives is scaled to [0, 1] by its own least and greatest
//! element. Laplace noise goes onto each element, anew at each step, and a linear layer reads the class. So the encoder learns
//! what survives the noise. The learning rate rises over the first tenth of the steps and falls to 0 over the rest.

use anyhow::{Context, Result, ensure};
use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use burn_optim::GradientsParams;
use ndarray::Array2;

use super::chance::Chance;
use super::features::{Examples, Features, Input};
use super::network::{Dropout, Network};
use super::recipe::{Model, Recipe};
use super::scores::likeliest;

/// Texts that go through the network at once where nothing is learned.
const TOGETHER: usize = 1024;
/// What keeps the width of a representation above 0.
const LEAST_WIDTH: f64 = 1e-6;
/// The share of steps in which the learning rate rises.
const RISE: f64 = 0.1;

/// Everything that fixes a robust training, except for the examples.
#[derive(Clone, Debug)]
pub struct Robust {
    /// The recipe of the encoder, whose model is a perceptron. Patience plays no part.
    pub recipe: Recipe,
    /// Elements of a representation.
    pub dims: usize,
    /// The scale of the Laplace law. At 0 there is no noise.
    pub scale: f64,
}

/// An encoder, and the classifier of its noised representations.
pub struct Noised {
    encoder: Network,
    classifier: Network,
    scale: f64,
}

impl Robust {
    /// Trains both.
    ///
    /// # Errors
    /// A recipe out of range or of another model than a perceptron. No elements. A scale that is not at least 0.
    /// Examples that [`super::train`] refuses. A loss that is no longer finite.
    pub fn train(&self, classes: usize, examples: &Examples) -> Result<Noised> {
        let Self { recipe, dims, scale } = self;
        recipe.check()?;
        ensure!(matches!(recipe.model, Model::Mlp { .. }), "the encoder is a perceptron");
        ensure!(classes >= 2 && *dims >= 1, "a classifier needs two classes or more, and something to read");
        ensure!(*scale >= 0.0 && scale.is_finite(), "the scale of the noise is a number of at least 0");
        let inputs = examples.features.inputs();
        examples.check(inputs, classes)?;
        recipe.model.check_size(inputs, *dims)?;
        let (linear, device) = (Model::Mlp { hidden: Vec::new(), dropout: 0.0 }, Device::flex().autodiff());
        let encoder = Network::draw(&recipe.model, inputs, *dims, recipe.seed, &device)?;
        let classifier = Network::draw(&linear, *dims, classes, recipe.seed.wrapping_add(1), &device)?;
        let mut noised = Noised { encoder, classifier, scale: *scale };
        let mut optimizers = [recipe.optimizer.build(), recipe.optimizer.build()];
        let all_steps = f64::from(recipe.epochs) * examples.features.len().div_ceil(recipe.batch) as f64;
        let mut steps = 0_u32;
        for epoch in 0..recipe.epochs {
            let mut chance = Chance::of_epoch(recipe.seed, epoch);
            for batch in examples.features.batches(recipe.batch, Some(&mut chance)) {
                let labels: Vec<usize> = batch.iter().map(|example| examples.labels[*example]).collect();
                let dropout = Dropout { chance: &mut chance, rate: recipe.model.dropout() };
                let input = examples.features.select(&batch, &Device::flex());
                let sent = noised.represented(input, Some(dropout))?;
                let noise = TensorData::new(chance.laplace(batch.len() * dims, *scale), [batch.len(), *dims]);
                let scores = noised.scores(sent + Tensor::from_data(noise, &Device::flex()))?;
                let loss = noised.classifier.loss(scores, &labels, 0.0);
                let value: f32 = loss.clone().into_scalar();
                ensure!(value.is_finite(), "the loss is no longer a finite number: lower the rate");
                let done = f64::from(steps) / all_steps;
                let rate = recipe.optimizer.rate(u64::from(steps)) * (done / RISE).min((1.0 - done) / (1.0 - RISE));
                let mut gradients = loss.backward();
                let of_encoder = GradientsParams::from_module(&mut gradients, &noised.encoder);
                let of_classifier = GradientsParams::from_module(&mut gradients, &noised.classifier);
                let [for_encoder, for_classifier] = &mut optimizers;
                noised.encoder = for_encoder.step(rate, noised.encoder, of_encoder);
                noised.classifier = for_classifier.step(rate, noised.classifier, of_classifier);
                steps += 1;
            }
        }
        Ok(Noised { encoder: noised.encoder.valid(), classifier: noised.classifier.valid(), scale: *scale })
    }
}

impl Noised {
    /// The representations of examples before the noise: in [0, 1], a row each.
    ///
    /// # Errors
    /// Features of another width.
    pub fn represent(&self, rows: &Array2<f32>) -> Result<Array2<f32>> {
        let dims = |tensor: &Tensor<2>| tensor.dims()[1];
        self.in_batches(rows, |input| self.represented(input, None), dims)
    }

    /// The likeliest class of each noised representation, the first of equals.
    ///
    /// # Errors
    /// Representations of another width.
    pub fn predict(&self, noised: &Array2<f32>) -> Result<Vec<usize>> {
        let scores = |input| match input {
            Input::Rows(rows) => self.scores(*rows),
            Input::Steps(..) => anyhow::bail!("no vectors of texts"),
        };
        let scores = self.in_batches(noised, scores, |tensor| tensor.dims()[1])?;
        Ok(scores.rows().into_iter().map(likeliest).collect())
    }

    fn represented(&self, input: Input, dropout: Option<Dropout<'_>>) -> Result<Tensor<2>> {
        let given = self.encoder.forward(input, dropout)?.tanh();
        let least = given.clone().min_dim(1);
        let width = given.clone().max_dim(1) - least.clone() + LEAST_WIDTH;
        Ok((given - least) / width)
    }

    /// Brings representations and noise to about mean 0 and deviation 1 first.
    fn scores(&self, noised: Tensor<2>) -> Result<Tensor<2>> {
        let deviation = (2.0 * self.scale * self.scale + 0.05).sqrt();
        self.classifier.forward(Input::Rows(Box::new((noised - 0.5) / deviation)), None)
    }

    fn in_batches(
        &self,
        rows: &Array2<f32>,
        values: impl Fn(Input) -> Result<Tensor<2>>,
        width: impl Fn(&Tensor<2>) -> usize,
    ) -> Result<Array2<f32>> {
        let features = Features::Dense(rows.clone());
        let (mut found, mut columns) = (Vec::new(), 0);
        let all: Vec<usize> = (0..rows.nrows()).collect();
        for batch in all.chunks(TOGETHER) {
            let values = values(features.select(batch, &Device::flex()))?;
            columns = width(&values);
            found.extend(values.try_into_vec_as::<f32>()?);
        }
        Array2::from_shape_vec((rows.nrows(), columns), found).context("features of another width")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Optimizer;
    use crate::network::{Builder, Slot};

    /// Points around four centres, a class each, on eight coordinates.
    fn examples(count: usize, seed: u64) -> Examples {
        let mut chance = Chance::at_start(seed);
        let noise = chance.uniform(count * 8, 0.5);
        let rows = Array2::from_shape_fn((count, 8), |(i, j)| f32::from(u8::from(j % 4 == i % 4)) + noise[i * 8 + j]);
        Examples { features: Features::Dense(rows), labels: (0..count).map(|i| i % 4).collect() }
    }

    fn rows(examples: &Examples) -> &Array2<f32> {
        let Features::Dense(rows) = &examples.features else { unreachable!("rows") };
        rows
    }

    fn robust(scale: f64) -> Robust {
        let recipe = Recipe {
            model: Model::Mlp { hidden: vec![16], dropout: 0.0 },
            optimizer: Optimizer::Adam { rate: 5e-3 },
            epochs: 30,
            batch: 32,
            patience: None,
            seed: 5,
        };
        Robust { recipe, dims: 64, scale }
    }

    /// The accuracy under noise of this scale.
    fn accuracy(noised: &Noised, scale: f64) -> f64 {
        let tested = examples(400, 9);
        let mut sent = noised.represent(rows(&tested)).expect("representations");
        assert!(sent.iter().all(|x| (0.0..=1.0).contains(x)));
        let noise = Chance::at_start(10).laplace(sent.len(), scale);
        sent.iter_mut().zip(noise).for_each(|(x, noise)| *x += noise);
        let hits = noised.predict(&sent).expect("classes").iter().zip(&tested.labels).filter(|(a, b)| a == b).count();
        hits as f64 / tested.labels.len() as f64
    }

    #[test]
    fn an_encoder_learns_what_survives_the_noise() {
        let [in_clear, through_noise] =
            [0.0, 3.0].map(|scale| robust(scale).train(4, &examples(400, 1)).expect("trained"));
        assert!(accuracy(&in_clear, 0.0) > 0.97);
        let [before, after] = [&in_clear, &through_noise].map(|noised| accuracy(noised, 3.0));
        assert!(after > before + 0.05, "{before} {after}");
        let elements = through_noise.represent(rows(&examples(400, 9))).expect("representations");
        let at_ends = elements.iter().filter(|x| !(0.1..=0.9).contains(*x)).count();
        assert!(at_ends * 2 > elements.len(), "{at_ends} of {}", elements.len());
        let again = robust(3.0).train(4, &examples(400, 1)).expect("trained");
        assert_eq!(
            again.represent(rows(&examples(9, 9))).expect("rows"),
            through_noise.represent(rows(&examples(9, 9))).expect("rows")
        );
    }

    #[test]
    fn of_classes_that_are_as_likely_the_first_is_named() {
        let (linear, device) = (Model::Mlp { hidden: Vec::new(), dropout: 0.0 }, Device::flex());
        let mut zeros = |slot: &Slot<'_>| -> Result<Vec<f32>> { Ok(vec![0.0; slot.dims.iter().product()]) };
        let classifier = Network::build(&linear, 2, 3, &mut Builder::new(&device, &mut zeros)).expect("a layer");
        let encoder = Network::draw(&linear, 2, 2, 5, &device).expect("a layer");
        let noised = Noised { encoder, classifier, scale: 1.0 };
        assert_eq!(noised.predict(&Array2::ones((2, 2))).expect("classes"), [0, 0]);
    }

    #[test]
    fn what_cannot_be_trained_is_refused() {
        let fitting = examples(20, 1);
        assert!(robust(-1.0).train(4, &fitting).is_err() && robust(f64::NAN).train(4, &fitting).is_err());
        assert!(robust(1.0).train(3, &fitting).is_err(), "a label out of range");
        assert!(Robust { dims: 0, ..robust(1.0) }.train(4, &fitting).is_err());
        let mut other = robust(1.0);
        other.recipe.model = Model::Logistic { l2: 0.0 };
        assert!(other.train(4, &fitting).is_err());
    }
}
