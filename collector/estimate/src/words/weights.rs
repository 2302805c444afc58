//! The numbers of outputs by which a question is answered.
//!
//! A question is a number t(x) for each input x, 1 for the words that are looked for. The answer needs numbers w(y) of
//! outputs whose mean over an input's outputs is t(x), for every x. Then their mean over all releases is the share,
//! without bias. Exact numbers may not exist, or be so large that the interval says nothing. So w minimizes
//!
//! ```text
//! Var(w)/REPORTS + Σ (DOUBT·p(x)·((P·w)(x) − t(x)))²
//! ```
//!
//! with the public frequencies p, where Var is the variance under p. For words that are looked for, DOUBT·p(x) is at least
//! ASKED: they may be as frequent as they like. Conjugate gradients find the minimum.

use rayon::prelude::*;

use super::Question;
use crate::channel::{Channel, Lanes, add};

/// The number of reports for which w is best.
const REPORTS: f64 = 1e7;
/// By how many times its public frequency a share may differ from it, as a standard deviation.
const DOUBT: f64 = 10.0;
/// The least difference allowed for the share of a word that is asked for.
const ASKED: f64 = 0.1;
/// Most steps of conjugate gradients.
pub(super) const MOST_STEPS: usize = 300;
/// By how much the residual falls until conjugate gradients end.
const TOLERANCE: f64 = 1e-5;

/// t, by input.
pub(super) fn targets<const N: usize>(questions: &[Question], inputs: usize) -> Vec<[f64; N]> {
    let mut targets = vec![[0.0; N]; inputs];
    for (lane, question) in questions.iter().enumerate() {
        for word in &question.words {
            if let Some(target) = targets.get_mut(word.row()) {
                target[lane] = 1.0;
            }
        }
    }
    targets
}

/// w, by output, where public text is released as this.
pub(super) fn solve<const N: usize>(
    channel: &Channel,
    prior: &[f64],
    released: &[f64],
    questions: &[Question],
    step: &dyn Fn(),
) -> Vec<Lanes> {
    let targets = targets::<N>(questions, channel.inputs());
    let doubt = |(target, share): (&[f64; N], &f64)| target.map(|target| (DOUBT * share).max(ASKED * target).powi(2));
    let doubts: Vec<[f64; N]> = targets.iter().zip(prior).map(doubt).collect();
    let scaled = |numbers: Vec<[f64; N]>| -> Vec<[f64; N]> {
        numbers
            .into_iter()
            .zip(&doubts)
            .map(|(lanes, doubts)| std::array::from_fn(|lane| lanes[lane] * doubts[lane]))
            .collect()
    };
    let product = |weights: &[[f64; N]]| -> Vec<[f64; N]> {
        let mut mean = [0.0; N];
        weights.iter().zip(released).for_each(|(weights, share)| add(&mut mean, *share, weights));
        let mut product = channel.released_lanes(&scaled(channel.expected_lanes(weights)));
        for ((product, weights), share) in product.iter_mut().zip(weights).zip(released) {
            add(product, share / REPORTS, weights);
            add(product, -share / REPORTS, &mean);
        }
        product
    };
    // Jacobi's preconditioner. What is no output has weight 0.
    let inverse: Vec<[f64; N]> = channel
        .squares(&doubts)
        .into_iter()
        .zip(released)
        .zip(channel.is_output())
        .map(|((squares, share), is_output)| {
            squares.map(|square| if is_output { 1.0 / (square + share / REPORTS) } else { 0.0 })
        })
        .collect();
    let preconditioned = |rest: &[[f64; N]]| -> Vec<[f64; N]> {
        rest.iter()
            .zip(&inverse)
            .map(|(lanes, inverse)| std::array::from_fn(|lane| lanes[lane] * inverse[lane]))
            .collect()
    };
    let mut rest = channel.released_lanes(&scaled(targets.to_vec()));
    let mut weights = vec![[0.0; N]; rest.len()];
    let mut direction = preconditioned(&rest);
    let mut length = dot(&rest, &direction);
    let least = length.map(|length| length * TOLERANCE * TOLERANCE);
    for _ in 0..MOST_STEPS {
        step();
        let along = product(&direction);
        let curve = dot(&direction, &along);
        let is_open = |lane: usize| length[lane] > least[lane] && curve[lane] > 0.0;
        let far: [f64; N] = std::array::from_fn(|lane| if is_open(lane) { length[lane] / curve[lane] } else { 0.0 });
        if far.iter().all(|far| *far == 0.0) {
            break;
        }
        weights.par_iter_mut().zip(&direction).for_each(|(weights, direction)| move_by(weights, far, direction));
        rest.par_iter_mut().zip(&along).for_each(|(rest, along)| move_by(rest, far.map(|far| -far), along));
        let next = preconditioned(&rest);
        let next_length = dot(&rest, &next);
        let keep: [f64; N] =
            std::array::from_fn(|lane| if far[lane] > 0.0 { next_length[lane] / length[lane] } else { 0.0 });
        direction.par_iter_mut().zip(&next).for_each(|(direction, next)| {
            for lane in 0..N {
                direction[lane] = next[lane] + keep[lane] * direction[lane];
            }
        });
        length = next_length;
    }
    let wide = |lanes: [f64; N]| std::array::from_fn(|lane| lanes.get(lane).copied().unwrap_or(0.0));
    weights.into_iter().map(wide).collect()
}

fn move_by<const N: usize>(lanes: &mut [f64; N], far: [f64; N], direction: &[f64; N]) {
    for lane in 0..N {
        lanes[lane] += far[lane] * direction[lane];
    }
}

fn dot<const N: usize>(a: &[[f64; N]], b: &[[f64; N]]) -> [f64; N] {
    a.iter().zip(b).fold([0.0; N], |mut sum, (a, b)| {
        for lane in 0..N {
            sum[lane] += a[lane] * b[lane];
        }
        sum
    })
}
