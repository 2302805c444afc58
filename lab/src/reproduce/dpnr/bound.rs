//! What no encoder and no classifier can exceed under Laplace noise on elements in [0, 1].
//!
//! A noised element tells at most the capacity of its channel. Blahut (1972) and Arimoto (1972): for whatever law q of
//! outputs, no input law tells more than max over inputs x of D(W(·|x) ‖ q). So the bound holds wherever their steps stop. The
//! elements of a text tell their number times as much, and what must be told for an accuracy is known.

use ndarray::{Array2, Axis};

/// Inputs that are looked at, from 0 to 1.
const INPUTS: usize = 9;
/// Steps of an output in the smaller of the noise's scale and 1, and how many scales beyond the inputs are looked at.
const STEPS: f64 = 50.0;
const BEYOND: f64 = 30.0;
const ROUNDS: usize = 300;
/// By how much of itself the bound may be off where the steps stop.
const TOLERANCE: f64 = 1e-5;

/// What an element tells at most under Laplace noise of this scale, in nats.
pub(super) fn capacity(scale: f64) -> f64 {
    let width = scale.min(1.0) / STEPS;
    let count = ((1.0 + 2.0 * BEYOND * scale) / width).ceil() as usize;
    let outputs = |x: f64| -> Vec<f64> {
        let density = |place: usize| {
            let y = -BEYOND * scale + (place as f64 + 0.5) * width;
            libm::exp(-(y - x).abs() / scale) * width / (2.0 * scale)
        };
        let shares: Vec<f64> = (0..count).map(density).collect();
        let all: f64 = shares.iter().sum();
        shares.into_iter().map(|share| share / all).collect()
    };
    let channel: Vec<Vec<f64>> = (0..INPUTS).map(|place| outputs(place as f64 / (INPUTS - 1) as f64)).collect();
    of_channel(&channel)
}

/// The capacity of a channel, a row of shares for each input, in nats: from above.
fn of_channel(channel: &[Vec<f64>]) -> f64 {
    let rows = Array2::from_shape_fn((channel.len(), channel.first().map_or(0, Vec::len)), |(x, y)| channel[x][y]);
    // Σ W·ln W for each input.
    let certainty = rows.mapv(|share| if share > 0.0 { share * libm::log(share) } else { 0.0 }).sum_axis(Axis(1));
    // Laws are matrices of one row: products of matrices are fast in every build.
    let mut inputs = Array2::from_elem((1, channel.len()), 1.0 / channel.len() as f64);
    let mut most = f64::INFINITY;
    for _ in 0..ROUNDS {
        let law = inputs.dot(&rows).mapv(|share| libm::log(share.max(f64::MIN_POSITIVE)));
        let divergences = &certainty - law.dot(&rows.t());
        most = most.min(divergences.fold(0.0, |most, divergence| divergence.max(most)));
        if most - (&inputs * &divergences).sum() <= TOLERANCE * most {
            break;
        }
        inputs *= &divergences.mapv(libm::exp);
        inputs /= inputs.sum();
    }
    most
}

/// The greatest accuracy on classes with these shares for anyone who learns `told` nats. It is the rate-distortion
/// function of the classes, where a wrong class costs 1 (Erokhin 1958). The best reader gives each other class of share
/// above `level` that probability, and rarer classes their share.
pub(super) fn best_accuracy(shares: &[f64], told: f64) -> f64 {
    let part = |share: f64| if share > 0.0 { -share * libm::log(share) } else { 0.0 };
    let entropy: f64 = shares.iter().copied().map(part).sum();
    if told >= entropy {
        return 1.0;
    }
    let at = |level: f64| {
        let (mut others, mut doubt) = (-level, -part(level));
        for share in shares.iter().map(|share| share.min(level)) {
            (others, doubt) = (others + share, doubt + part(share));
        }
        let accuracy = 1.0 - others;
        (accuracy, entropy - doubt - part(accuracy))
    };
    let mut falling = shares.to_vec();
    falling.sort_by(|a, b| b.total_cmp(a));
    // The higher the level, the less must be told.
    let (mut low, mut high) = (0.0, falling.get(1).copied().unwrap_or(0.0));
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if at(middle).1 > told {
            low = middle;
        } else {
            high = middle;
        }
    }
    at(low).0
}

/// Shares of as few classes as there can be where none has a larger share than this. No other shares let more be guessed.
pub(super) fn fewest(largest: f64) -> Vec<f64> {
    let whole = (1.0 / largest).floor() as usize;
    let mut shares = vec![largest; whole];
    shares.push((1.0 - largest * whole as f64).max(0.0));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_of_the_textbooks_have_their_capacity() {
        let entropy = |share: f64| -share * share.ln() - (1.0 - share) * (1.0 - share).ln();
        let symmetric = of_channel(&[vec![0.9, 0.1], vec![0.1, 0.9]]);
        assert!((symmetric - (2_f64.ln() - entropy(0.1))).abs() < 1e-9, "{symmetric}");
        let erasing = of_channel(&[vec![0.7, 0.3, 0.0], vec![0.0, 0.3, 0.7]]);
        assert!((erasing - 0.7 * 2_f64.ln()).abs() < 1e-9, "{erasing}");
        // Cover and Thomas, the Z channel: ln(1 + (1 − p)·p^(p/(1 − p))).
        let z = of_channel(&[vec![1.0, 0.0], vec![0.5, 0.5]]);
        assert!((z - 1.25_f64.ln()).abs() < 1e-4, "{z}");
        assert!(of_channel(&[vec![0.5, 0.5], vec![0.5, 0.5]]).abs() < 1e-12);
    }

    #[test]
    fn an_element_tells_as_much_as_its_two_ends_under_much_noise() {
        // Of a sign under large noise of scale b: 1/(8·b²), and less than it.
        for scale in [5.0, 20.0] {
            let ratio = capacity(scale) * 8.0 * scale * scale;
            assert!((0.9..1.0).contains(&ratio), "{scale}: {ratio}");
        }
        let rising: Vec<f64> = [20.0, 10.0, 2.0, 1.0, 0.2].map(capacity).to_vec();
        assert!(rising.is_sorted(), "{rising:?}");
        // Two inputs at the ends are told apart by noise of scale b: no less than by the sign of what comes.
        let by_sign = |scale: f64| {
            let wrong = (-0.5 / scale).exp() / 2.0;
            2_f64.ln() + wrong * wrong.ln() + (1.0 - wrong) * (1.0 - wrong).ln()
        };
        assert!([0.2, 1.0, 10.0].iter().all(|scale| capacity(*scale) >= by_sign(*scale)));
    }

    #[test]
    fn accuracy_is_bounded_by_what_is_told() {
        let entropy = |share: f64| -share * share.ln() - (1.0 - share) * (1.0 - share).ln();
        assert!((best_accuracy(&[0.25; 4], 0.0) - 0.25).abs() < 1e-9);
        assert!((best_accuracy(&[0.9, 0.1], 0.0) - 0.9).abs() < 1e-9);
        assert!((best_accuracy(&[0.5, 0.25, 0.25], 2.0) - 1.0).abs() < 1e-9);
        // Two classes: h(share) − h(error). Classes of equal shares: as Fano has it.
        for error in [0.01, 0.1, 0.25] {
            assert!((best_accuracy(&[0.3, 0.7], entropy(0.3) - entropy(error)) - (1.0 - error)).abs() < 1e-9);
            let told = 5_f64.ln() - entropy(error) - error * 4_f64.ln();
            assert!((best_accuracy(&[0.2; 5], told) - (1.0 - error)).abs() < 1e-9);
        }
        // A class of no share changes nothing.
        let [with, without] = [vec![0.5, 0.5, 0.0], vec![0.5, 0.5]].map(|shares| best_accuracy(&shares, 0.3));
        assert!((with - without).abs() < 1e-9);
        // The fewer classes, the more is guessed.
        for shares in [vec![0.4, 0.2, 0.2, 0.2], vec![0.4, 0.4, 0.1, 0.1], vec![0.4, 0.3, 0.3]] {
            for told in [0.1, 0.3, 0.6] {
                assert!(best_accuracy(&shares, told) <= best_accuracy(&fewest(0.4), told) + 1e-9, "{shares:?} {told}");
            }
        }
    }
}
