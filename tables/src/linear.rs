//! Affine maps and sums of products whose result is the same on every CPU.
//!
//! Each output is one chain of fused multiply-adds over the inputs in ascending order, started at the bias or
//! at what stands there. A fused multiply-add is rounded once by definition, so vector width, thread count
//! and operating system cannot change a bit.

use multiversion::multiversion;

/// Outputs computed side by side: two AVX-512 registers.
pub(crate) const LANES: usize = 32;
/// Rows computed side by side; matrices handed to [`Linear::apply`] have a multiple of it.
pub(crate) const ROWS: usize = 12;

/// An affine map `x ↦ Wx + b`, its weights laid out for [`Linear::apply`].
pub(crate) struct Linear {
    inputs: usize,
    outputs: usize,
    /// For each group of `LANES` outputs, for each input, the weights of the group.
    panels: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    /// Takes weights as `outputs` rows of `inputs` values; `bias` has one value an output, and the outputs
    /// are a multiple of 32.
    pub(crate) fn new(weights: &[f32], bias: Vec<f32>) -> Self {
        let outputs = bias.len();
        let inputs = weights.len() / outputs;
        assert!(outputs.is_multiple_of(LANES), "outputs come in groups of {LANES}");
        let mut panels = Vec::with_capacity(weights.len());
        for group in (0..outputs).step_by(LANES) {
            for input in 0..inputs {
                panels.extend((group..group + LANES).map(|output| weights[output * inputs + input]));
            }
        }
        Self { inputs, outputs, panels, bias }
    }

    /// Writes the image of each row of `x` to the same row of `y`. The number of rows is a multiple of
    /// [`ROWS`].
    pub(crate) fn apply(&self, x: &[f32], y: &mut [f32]) {
        for y in y.chunks_exact_mut(self.outputs) {
            y.copy_from_slice(&self.bias);
        }
        // A panel is used for all rows while it is in the cache; the whole matrix would not fit.
        for (panel, column) in self.panels.chunks_exact(self.inputs * LANES).zip((0..).step_by(LANES)) {
            for (x, y) in x.chunks_exact(ROWS * self.inputs).zip(y.chunks_exact_mut(ROWS * self.outputs)) {
                add_products(x, self.inputs, panel, &mut y[column..], self.outputs);
            }
        }
    }
}

/// Adds to `ROWS` × `LANES` outputs, held in registers over all inputs: y += x · panel.
///
/// `x` has `ROWS` rows of `inputs` values, `panel` has `inputs` rows of `LANES`, `y` has `ROWS` rows that
/// begin every `stride` values.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"))]
pub(crate) fn add_products(x: &[f32], inputs: usize, panel: &[f32], y: &mut [f32], stride: usize) {
    let mut sums = [[0f32; LANES]; ROWS];
    for (r, row) in sums.iter_mut().enumerate() {
        row.copy_from_slice(&y[r * stride..r * stride + LANES]);
    }
    let rows: [&[f32]; ROWS] = std::array::from_fn(|r| &x[r * inputs..(r + 1) * inputs]);
    for (k, weights) in panel.chunks_exact(LANES).enumerate().take(inputs) {
        for r in 0..ROWS {
            let a = rows[r][k];
            for lane in 0..LANES {
                sums[r][lane] = a.mul_add(weights[lane], sums[r][lane]);
            }
        }
    }
    for (r, row) in sums.iter().enumerate() {
        y[r * stride..r * stride + LANES].copy_from_slice(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tiles_agree_with_the_textbook_product_bit_for_bit() {
        let (inputs, outputs, rows) = (7, 2 * LANES, 2 * ROWS);
        let value = |i: usize| ((i * 7919 + 13) % 1009) as f32 / 503.0 - 1.0;
        let weights: Vec<f32> = (0..inputs * outputs).map(value).collect();
        let bias: Vec<f32> = (0..outputs).map(|i| value(i + 5)).collect();
        let x: Vec<f32> = (0..rows * inputs).map(|i| value(i + 11)).collect();
        let mut y = vec![0.0; rows * outputs];
        Linear::new(&weights, bias.clone()).apply(&x, &mut y);
        for row in 0..rows {
            for output in 0..outputs {
                let expected = (0..inputs)
                    .fold(bias[output], |sum, k| x[row * inputs + k].mul_add(weights[output * inputs + k], sum));
                assert_eq!(y[row * outputs + output].to_bits(), expected.to_bits());
            }
        }
    }
}
