//! A long short-term memory (Hochreiter and Schmidhuber, 1997; with forget gates) that reads a text in both directions.
//!
//! Both directions are one product of matrices a step. The gates are, in order: input, forget, candidate, output.

use anyhow::Result;
use burn::module::{Module, Param};
use burn::tensor::activation::sigmoid;
use burn::tensor::{Device, Tensor};

use super::features::Step;
use super::network::Builder;

#[derive(Module, Debug)]
pub(super) struct BiLstm {
    /// Direction × dimension × gates.
    input_weight: Param<Tensor<3>>,
    /// Direction × unit × gates.
    state_weight: Param<Tensor<3>>,
    /// Direction × gates.
    bias: Param<Tensor<2>>,
}

impl BiLstm {
    pub(super) fn build(inputs: usize, hidden: usize, builder: &mut Builder<'_>) -> Result<Self> {
        Ok(Self {
            input_weight: builder.matrices("lstm.input_weight", [2, inputs, 4 * hidden])?,
            state_weight: builder.matrices("lstm.state_weight", [2, hidden, 4 * hidden])?,
            bias: builder.gates("lstm.bias", [2, 4 * hidden])?,
        })
    }

    /// The last states of both directions side by side, a row an example.
    pub(super) fn forward(&self, count: usize, steps: Vec<Step>) -> Tensor<2> {
        let (input, state) = (self.input_weight.val(), self.state_weight.val());
        let [_, hidden, gates] = state.dims();
        let bias = self.bias.val().reshape([2, 1, gates]);
        let zero = Tensor::<3>::zeros([2, count, hidden], &Device::flex());
        let (mut output, mut memory) = (zero.clone(), zero);
        for Step { words, running } in steps {
            let gates = words.matmul(input.clone()) + output.clone().matmul(state.clone()) + bias.clone();
            let gate = |i: usize| gates.clone().narrow(2, i * hidden, hidden);
            let kept = memory.clone() * sigmoid(gate(1)) + sigmoid(gate(0)) * gate(2).tanh();
            let said = sigmoid(gate(3)) * kept.clone().tanh();
            // Behind its end, an example's state stays.
            (output, memory) = match running {
                Some(running) => {
                    (output.clone() + (said - output) * running.clone(), memory.clone() + (kept - memory) * running)
                }
                None => (said, kept),
            };
        }
        output.swap_dims(0, 1).reshape([count, 2 * hidden])
    }
}
