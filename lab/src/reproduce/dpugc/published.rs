//! Algorithm 1-a: lots of pairs, each pair's gradient clipped, noise on the sum.
//!
//! By Poisson sampling of pairs and noise on all rows it is DP-SGD, which protects one pair of words. Whoever wrote a
//! thousand words wrote thousands of pairs.

use anyhow::Result;
use textveil::ReleaseRng;
use textveil::account::subsampled::SubsampledGaussian;

use super::model::{Gradient, Model, Normals, Pair, add};
use super::text::{Text, Vocabulary};

/// Words.
pub(super) const WORDS: usize = 10_000;
/// Pairs of a lot in the mean.
pub(super) const LOT: f64 = 128.0;
/// The noise's deviation over the clip.
pub(super) const SIGMA: f64 = 5.0;
const CLIP: f64 = 1.0;
const LEARNING_RATE: f32 = 1.0;
/// δ, since the paper reads its own off.
pub(super) const DELTA: f64 = 1e-5;

/// How a table came to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// By Algorithm 1-a.
    Private,
    /// By the same steps, neither clipped nor noisy.
    Clear,
    /// At random: it learned nothing.
    Random,
}

impl Way {
    pub(super) const ALL: [Self; 3] = [Self::Private, Self::Clear, Self::Random];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Private => "Algorithm 1-a",
            Self::Clear => "without noise",
            Self::Random => "random table",
        }
    }
}

/// The tables after these numbers of steps, which ascend. `generators` draw the samples and the noise.
pub(super) fn tables(
    text: &Text,
    vocabulary: &Vocabulary,
    way: Way,
    steps: &[u32],
    [mut sampling, noise]: [ReleaseRng; 2],
) -> Vec<Model> {
    let mut normals = Normals::new(noise);
    if way == Way::Random {
        return steps.iter().map(|_| Model::random(vocabulary.len(), &mut normals)).collect();
    }
    let is_private = way == Way::Private;
    let rate = LOT / text.pairs() as f64;
    let step_size = LEARNING_RATE / LOT as f32;
    let mut model = Model::fresh(vocabulary.len(), &mut sampling);
    let (mut sum, mut example) = (Gradient::of(&model), Gradient::of(&model));
    let mut noise = Noise { drawn: vec![0; model.rows.len()], deviation: step_size * (SIGMA * CLIP) as f32, normals };
    let mut tables = Vec::new();
    for step in 0..steps.last().copied().unwrap_or(0) {
        let mut lot: Vec<[u16; 2]> = Vec::new();
        text.lot(rate, &mut sampling, |pair| lot.push(pair));
        let lot: Vec<Pair> = lot.into_iter().map(|pair| vocabulary.pair(pair, &mut sampling)).collect();
        sum.clear();
        for pair in &lot {
            example.clear();
            if is_private {
                model.rows_of(pair).into_iter().for_each(|row| noise.catch_up(&mut model, row, step));
            }
            model.gradient(pair, &mut example);
            let factor = if is_private { (CLIP / example.norm()).min(1.0) as f32 } else { 1.0 };
            example.each().for_each(|(row, vector)| sum.add(row, factor, vector));
        }
        model.descend(step_size, &sum);
        if steps.contains(&(step + 1)) {
            if is_private {
                (0..model.rows.len()).for_each(|row| noise.catch_up(&mut model, row, step + 1));
            }
            tables.push(model.clone());
        }
    }
    tables
}

/// Noise that is drawn when a row is read: that of n steps has n times the variance.
struct Noise {
    /// The steps whose noise a row has.
    drawn: Vec<u32>,
    deviation: f32,
    normals: Normals,
}

impl Noise {
    fn catch_up(&mut self, model: &mut Model, row: usize, steps: u32) {
        let missing = steps - self.drawn[row];
        if missing > 0 {
            self.drawn[row] = steps;
            add(&mut model.rows[row], self.deviation * (missing as f32).sqrt(), &self.normals.vector());
        }
    }
}

/// ε of this number of steps for a user who has `of_one` of the text's pairs.
///
/// # Errors
/// A number out of the accountant's range.
pub(super) fn epsilon(pairs: u64, steps: u32, of_one: u64) -> Result<f64> {
    let step = SubsampledGaussian::new(LOT / pairs as f64, SIGMA)?;
    Ok(step.epsilon(u64::from(steps), of_one, DELTA)?)
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::super::model::DIMS;
    use super::*;

    #[test]
    fn noise_that_is_drawn_late_is_as_wide_as_that_of_every_step_and_none_is_left_out() {
        let vocabulary = Vocabulary::of((0..400).map(|i| (format!("w{i}"), [0.0; DIMS])).collect());
        let vocabulary = vocabulary.expect("a vocabulary");
        let text = Text::of(&[(0..40).map(|i| i % 5).collect()], vec![0]);
        let generators = || [1, 2].map(ReleaseRng::seed_from_u64);
        let of = |way| tables(&text, &vocabulary, way, &[3, 50], generators());
        let private = of(Way::Private);
        for (model, steps) in private.iter().zip([3.0, 50.0]) {
            let centres = &model.centres()[200..];
            let numbers: Vec<f64> = centres.iter().flatten().map(|x| f64::from(*x).powi(2)).collect();
            let variance = numbers.iter().sum::<f64>() / numbers.len() as f64;
            let expected = steps * (SIGMA / LOT).powi(2);
            assert!((variance / expected - 1.0).abs() < 0.1, "{variance} {expected}");
        }
        assert_eq!(private, of(Way::Private));
        assert!(of(Way::Clear)[1].centres()[200..].iter().flatten().all(|x| x.abs() <= 0.01));
    }
}
