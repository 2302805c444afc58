//! The layers of a classifier, and the names and shapes of their weights.
//!
//! Every model is rectified linear layers, the last without rectification, with dropout before each but the first;
//! the LSTM stands before the first, and dropout between them. Weights begin as Keras has them: uniform as of Glorot
//! and Bengio (2010), constants zero, but one for the LSTM's forget gate.

use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};
use burn::module::{Module, ModuleVisitor, Param, ParamId};
use burn::tensor::activation::{log_softmax, relu};
use burn::tensor::{Device, Distribution, Tensor, TensorData};

use super::bilstm::BiLstm;
use super::chance::Chance;
use super::device::is_card;
use super::features::Input;
use super::recipe::Model;

/// The weights of a classifier.
#[derive(Module, Debug)]
pub(super) struct Network {
    lstm: Option<BiLstm>,
    layers: Vec<Layer>,
}

/// x ↦ x·W + b.
#[derive(Module, Debug)]
pub(super) struct Layer {
    /// Inputs × outputs.
    weight: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
}

/// A tensor of weights by its name, as files have it. Of a matrix, outputs come before inputs, as in PyTorch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weights {
    pub(super) name: String,
    pub(super) dims: Vec<usize>,
    pub(super) values: Vec<f32>,
}

/// A tensor of weights that a network asks for.
pub(super) struct Slot<'a> {
    pub(super) name: &'a str,
    /// As in [`Weights`].
    pub(super) dims: &'a [usize],
    start: Start,
}

/// How weights begin.
#[derive(Clone, Copy)]
enum Start {
    Glorot,
    Zero,
    One,
    /// Ones for the second of four gates.
    ForgetGate,
}

/// Where a network gets its weights from: given a slot, its values.
type Fill<'a> = dyn FnMut(&Slot<'_>) -> Result<Vec<f32>> + 'a;

/// Makes the parameters of a network, one after another.
pub(super) struct Builder<'a> {
    fill: &'a mut Fill<'a>,
    device: &'a Device,
    /// Parameters made: the identity by which the optimizer's state finds them again.
    count: u64,
}

impl<'a> Builder<'a> {
    pub(super) fn new(device: &'a Device, fill: &'a mut Fill<'a>) -> Self {
        Self { fill, device, count: 0 }
    }

    /// Matrices of inputs × outputs. A file holds their transposes.
    pub(super) fn matrices<const D: usize>(&mut self, name: &str, dims: [usize; D]) -> Result<Param<Tensor<D>>> {
        let turned = with_last_two_swapped(&dims);
        let values = (self.fill)(&Slot { name, dims: &turned, start: Start::Glorot })?;
        Ok(self.parameter(transposed(&values, &turned), dims))
    }

    /// A matrix that a file holds as it is.
    pub(super) fn rows(&mut self, name: &str, dims: [usize; 2]) -> Result<Param<Tensor<2>>> {
        let values = (self.fill)(&Slot { name, dims: &dims, start: Start::Glorot })?;
        Ok(self.parameter(values, dims))
    }

    /// Factors that begin as one.
    pub(super) fn ones(&mut self, name: &str, dims: [usize; 1]) -> Result<Param<Tensor<1>>> {
        let values = (self.fill)(&Slot { name, dims: &dims, start: Start::One })?;
        Ok(self.parameter(values, dims))
    }

    /// The constants of a linear layer.
    pub(super) fn constants(&mut self, name: &str, dims: [usize; 1]) -> Result<Param<Tensor<1>>> {
        let values = (self.fill)(&Slot { name, dims: &dims, start: Start::Zero })?;
        Ok(self.parameter(values, dims))
    }

    /// The constants of four gates in each direction.
    pub(super) fn gates(&mut self, name: &str, dims: [usize; 2]) -> Result<Param<Tensor<2>>> {
        let values = (self.fill)(&Slot { name, dims: &dims, start: Start::ForgetGate })?;
        Ok(self.parameter(values, dims))
    }

    fn parameter<const D: usize>(&mut self, values: Vec<f32>, dims: [usize; D]) -> Param<Tensor<D>> {
        let tensor = Tensor::from_data(TensorData::new(values, dims), self.device);
        let id = ParamId::from(self.count);
        self.count += 1;
        Param::initialized(id, tensor).set_require_grad(self.device.is_autodiff())
    }
}

/// Where dropout comes from while training.
pub(super) struct Dropout<'a> {
    pub(super) chance: &'a mut Chance,
    pub(super) rate: f64,
}

impl Dropout<'_> {
    pub(super) fn apply<const D: usize>(&mut self, values: Tensor<D>) -> Tensor<D> {
        if self.rate == 0.0 {
            return values;
        }
        let (dims, device) = (values.dims(), values.device().inner());
        let mask = if is_card(&device) {
            // To draw them here would take longer than the card needs for a step. Its generator is shared by all trainings.
            static DRAWING: Mutex<()> = Mutex::new(());
            let _drawing = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
            device.seed(self.chance.seed());
            let kept = 1.0 - self.rate;
            Tensor::<D>::random(dims, Distribution::Bernoulli(kept), &device) / kept
        } else {
            Tensor::<D>::from_data(TensorData::new(self.chance.mask(dims.iter().product(), self.rate), dims), &device)
        };
        values * mask
    }
}

impl Network {
    /// A network with weights drawn for a training.
    pub(super) fn draw(model: &Model, inputs: usize, classes: usize, seed: u64, device: &Device) -> Result<Self> {
        let mut chance = Chance::at_start(seed);
        Self::build(model, inputs, classes, &mut Builder::new(device, &mut |slot| Ok(slot.begin(&mut chance))))
    }

    /// The network of a model, its weights from wherever the builder gets them.
    pub(super) fn build(model: &Model, inputs: usize, classes: usize, builder: &mut Builder<'_>) -> Result<Self> {
        let (lstm, widths) = match model {
            Model::Logistic { .. } => (None, vec![inputs, classes]),
            Model::Mlp { hidden, .. } => (None, [&[inputs], hidden.as_slice(), &[classes]].concat()),
            Model::BiLstm { hidden, .. } => (Some(BiLstm::build(inputs, *hidden, builder)?), vec![2 * hidden, classes]),
        };
        let layer = |(i, (inputs, outputs)): (usize, (&usize, &usize))| {
            Layer::build(&format!("layers.{i}"), [*inputs, *outputs], builder)
        };
        let layers = widths.iter().zip(widths.iter().skip(1)).enumerate().map(layer).collect::<Result<_>>()?;
        Ok(Self { lstm, layers })
    }

    /// The scores of each example for each class.
    ///
    /// # Errors
    /// Input of another kind than the model's.
    pub(super) fn forward(&self, input: Input, mut dropout: Option<Dropout<'_>>) -> Result<Tensor<2>> {
        let mut drop_some = |values| match &mut dropout {
            Some(dropout) => dropout.apply(values),
            None => values,
        };
        let mut values = match (input, &self.lstm) {
            (Input::Rows(rows), None) => *rows,
            (Input::Steps(count, steps), Some(lstm)) => drop_some(lstm.forward(count, steps)),
            (Input::Rows(_), Some(_)) => bail!("the model reads a vector for each word, not one for the text"),
            (Input::Steps(..), None) => bail!("the model reads one vector for the text, not one for each word"),
        };
        for (i, layer) in self.layers.iter().enumerate() {
            if i > 0 {
                values = drop_some(relu(values));
            }
            values = layer.forward(values);
        }
        Ok(values)
    }

    /// Mean cross-entropy of scores, and the penalty.
    pub(super) fn loss(&self, scores: Tensor<2>, labels: &[usize], l2: f64) -> Tensor<1> {
        let [count, classes] = scores.dims();
        let mut share = vec![0.0; count * classes];
        let rows = share.chunks_exact_mut(classes).zip(labels);
        rows.filter_map(|(row, label)| row.get_mut(*label)).for_each(|place| *place = -1.0 / count as f32);
        let share = Tensor::<2>::from_data(TensorData::new(share, [count, classes]), &scores.device().inner());
        let loss = (log_softmax(scores, 1) * share).sum();
        if l2 == 0.0 {
            return loss;
        }
        self.layers.iter().fold(loss, |loss, layer| loss + layer.weight.val().square().sum() * (l2 / 2.0))
    }

    /// All weights.
    pub(super) fn weights(&self) -> Result<Vec<Weights>> {
        weights(self)
    }
}

/// All weights of a module, under the names of its fields.
pub(super) fn weights(module: &impl Module) -> Result<Vec<Weights>> {
    let mut collection = Collection { path: Vec::new(), found: Ok(Vec::new()) };
    module.visit(&mut collection);
    collection.found
}

impl Layer {
    /// A layer of `dims` inputs and outputs. The names of its weights start with `name`.
    pub(super) fn build(name: &str, dims: [usize; 2], builder: &mut Builder<'_>) -> Result<Self> {
        let weight = builder.matrices(&format!("{name}.weight"), dims)?;
        Ok(Self { weight, bias: builder.constants(&format!("{name}.bias"), [dims[1]])? })
    }

    pub(super) fn forward(&self, values: Tensor<2>) -> Tensor<2> {
        values.matmul(self.weight.val()) + self.bias.val().unsqueeze()
    }
}

impl Slot<'_> {
    pub(super) fn begin(&self, chance: &mut Chance) -> Vec<f32> {
        let count = self.dims.iter().product();
        match (self.start, self.dims) {
            (Start::Glorot, [.., outputs, inputs]) => chance.uniform(count, (6.0 / (inputs + outputs) as f64).sqrt()),
            (Start::One, _) => vec![1.0; count],
            (Start::ForgetGate, [.., gates]) => {
                (0..count).map(|i| f32::from(u8::from(i % gates * 4 / gates == 1))).collect()
            }
            _ => vec![0.0; count],
        }
    }
}

/// Collects weights under the names of a module's fields.
struct Collection {
    path: Vec<String>,
    found: Result<Vec<Weights>>,
}

impl ModuleVisitor for Collection {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
        let Ok(found) = &mut self.found else { return };
        let name = self.path.join(".");
        let dims = parameter.dims().to_vec();
        match parameter.val().try_into_vec_as::<f32>() {
            Ok(values) if name.ends_with("weight") => {
                let turned = with_last_two_swapped(&dims);
                found.push(Weights { name, values: transposed(&values, &dims), dims: turned });
            }
            Ok(values) => found.push(Weights { name, dims, values }),
            Err(error) => self.found = Err(error.into()),
        }
    }
}

fn with_last_two_swapped(dims: &[usize]) -> Vec<usize> {
    let mut dims = dims.to_vec();
    if let [.., rows, columns] = dims.as_mut_slice() {
        std::mem::swap(rows, columns);
    }
    dims
}

/// Each of the matrices of these dimensions, transposed.
fn transposed(values: &[f32], dims: &[usize]) -> Vec<f32> {
    let [.., rows, columns] = *dims else { return values.to_vec() };
    let matrices = values.chunks_exact((rows * columns).max(1));
    matrices
        .flat_map(|matrix| (0..columns).flat_map(move |column| matrix.iter().skip(column).step_by(columns).copied()))
        .collect()
}
