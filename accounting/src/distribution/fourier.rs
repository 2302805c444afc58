//! Repeated circular convolution by the fast Fourier transform.

use alloc::vec::Vec;
use core::f64::consts::TAU;
use core::ops::Mul;
use libm::sincos;

#[derive(Clone, Copy)]
struct Complex {
    re: f64,
    im: f64,
}

impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Complex {
    fn power(self, mut exponent: u64) -> Self {
        let (mut power, mut square) = (Self { re: 1.0, im: 0.0 }, self);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = power * square;
            }
            square = square * square;
            exponent >>= 1;
        }
        power
    }
}

/// The `power`-fold circular convolution of `values`, whose number is a power of two, with itself.
pub(super) fn circular_power(values: &[f64], power: u64) -> Vec<f64> {
    let size = values.len();
    let turn = |at| {
        let (sin, cos) = sincos(TAU * at as f64 / size as f64);
        Complex { re: cos, im: -sin }
    };
    let turns: Vec<Complex> = (0..size / 2).map(turn).collect();
    let mut values: Vec<Complex> = values.iter().map(|re| Complex { re: *re, im: 0.0 }).collect();

    // Decimation in frequency leaves the spectrum in bit-reversed order, which a product by frequency does
    // not mind; decimation in time takes it back.
    let mut length = size;
    while length > 1 {
        for block in values.chunks_exact_mut(length) {
            let (low, high) = block.split_at_mut(length / 2);
            for ((a, b), turn) in low.iter_mut().zip(high).zip(turns.iter().step_by(size / length)) {
                let difference = Complex { re: a.re - b.re, im: a.im - b.im };
                *a = Complex { re: a.re + b.re, im: a.im + b.im };
                *b = difference * *turn;
            }
        }
        length /= 2;
    }
    for value in &mut values {
        *value = value.power(power);
    }
    length = 2;
    while length <= size {
        for block in values.chunks_exact_mut(length) {
            let (low, high) = block.split_at_mut(length / 2);
            for ((a, b), turn) in low.iter_mut().zip(high).zip(turns.iter().step_by(size / length)) {
                let turned = *b * Complex { re: turn.re, im: -turn.im };
                *b = Complex { re: a.re - turned.re, im: a.im - turned.im };
                *a = Complex { re: a.re + turned.re, im: a.im + turned.im };
            }
        }
        length *= 2;
    }
    values.into_iter().map(|value| value.re / size as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_convolution() {
        for size in [1_usize, 2, 8, 64] {
            let values: Vec<f64> = (0..size).map(|at| (at * at % 7) as f64 / 8.0 / size as f64).collect();
            let mut slow = values.clone();
            for _ in 1..5 {
                slow = (0..size)
                    .map(|at| (0..size).map(|shift| slow[shift] * values[(at + size - shift) % size]).sum())
                    .collect();
            }
            let fast = circular_power(&values, 5);
            assert!(fast.iter().zip(&slow).all(|(a, b)| (a - b).abs() < 1e-15), "{size}");
        }
    }
}
