//! The encoder against an independent library, against finite differences, and against itself when interrupted.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use anyhow::bail;
use burn::tensor::{Tensor, TensorData};
use burn_optim::{GradientsParams, SgdConfig};
use serde_json::Value;

use super::layers::Pretrainer;
use super::pretraining::asked;
use super::*;
use crate::network::weights;

/// Texts as rows of a table of word vectors.
struct Texts<'a> {
    words: &'a Array2<f32>,
    texts: Vec<(Vec<usize>, Vec<u8>)>,
}

impl Texts<'_> {
    fn of(&self, place: usize) -> Sequence {
        let (tokens, segments) = &self.texts[place];
        Sequence { vectors: self.words.select(ndarray::Axis(0), tokens), segments: segments.clone() }
    }
}

impl Sequences for Texts<'_> {
    fn lengths(&self) -> Vec<usize> {
        self.texts.iter().map(|(tokens, _)| tokens.len()).collect()
    }

    fn sequence(&self, text: usize) -> Sequence {
        self.of(text)
    }
}

fn numbers_of<T>(value: &Value, of: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().expect("a list").iter().map(of).collect()
}

fn recorded() -> (Vec<u8>, Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/learn");
    let text = fs::read_to_string(folder.join("encoder.json")).expect("recorded vectors");
    (fs::read(folder.join("encoder.safetensors")).expect("weights"), serde_json::from_str(&text).expect("JSON"))
}

#[test]
fn a_small_random_encoder_gives_what_an_independent_library_gives() {
    let (bytes, recorded) = recorded();
    let words = word_vectors(&bytes).expect("word vectors");
    let small = &recorded["small"];
    let encoder = Encoder::of_bert(&bytes, small["heads"].as_u64().expect("heads") as usize).expect("an encoder");
    assert_eq!(*encoder.shape(), Shape { width: 16, heads: 4, inner: 64, layers: 2, positions: 24 });
    let rows = small["texts"].as_array().expect("texts");
    let texts = rows.iter().map(|row| {
        let tokens = numbers_of(&row["tokens"], |token| token.as_u64().expect("a token") as usize);
        (tokens, numbers_of(&row["segments"], |segment| segment.as_u64().expect("a segment") as u8))
    });
    let texts = Texts { words: &words, texts: texts.collect() };
    let pooled = encoder.pooled(&texts).expect("vectors");
    let tolerance = recorded["tolerance"].as_f64().expect("a tolerance");
    for (ours, row) in pooled.outer_iter().zip(rows) {
        let theirs = numbers_of(&row["pooled"], |x| x.as_f64().expect("a number"));
        assert_eq!(ours.len(), theirs.len());
        assert!(ours.iter().zip(&theirs).all(|(a, b)| (f64::from(*a) - b).abs() < tolerance), "{ours} {theirs:?}");
    }
}

const TINY: Shape = Shape { width: 8, heads: 2, inner: 12, layers: 2, positions: 12 };

fn tiny() -> (Encoder, Array2<f32>) {
    let words = Array2::from_shape_fn((11, 8), |(i, j)| ((i * 29 + j * 17) % 23) as f32 / 11.0 - 1.0);
    (Encoder::random(TINY, 3).expect("an encoder"), words)
}

/// A batch of a step: pairs whose second text repeats or continues the first, with a hidden place in each.
fn batch_of(step: u64, words: &Array2<f32>) -> Vec<Masked> {
    let pair = |at: usize| {
        let first = (at * 3 + step as usize) % 7;
        let follows = !(at + step as usize).is_multiple_of(2);
        let second = if follows { first + 1 } else { first };
        let tokens = vec![8, first, first, 9, second, second, 9];
        let texts = Texts { words, texts: vec![(tokens, vec![0, 0, 0, 0, 1, 1, 1])] };
        let mut sequence = texts.of(0);
        sequence.vectors.row_mut(2).assign(&words.row(10));
        let law = if at == 0 { vec![(first, 0.75), (second, 0.25)] } else { vec![(first, 1.0)] };
        Masked { sequence, hidden: vec![(2, law)], follows }
    };
    (0..4).map(pair).collect()
}

fn how<'a>(words: &'a Array2<f32>, steps: u64, checkpoint: Option<(&'a Path, u64)>) -> Pretraining<'a> {
    Pretraining { words, shares: &[1.0; 11], steps, rate: 0.01, head_rate: 0.02, seed: 4, checkpoint, identity: "test" }
}

/// A pretrainer of these weights, for gradients.
fn pretrainer(values: &[Weights], words: usize) -> Pretrainer {
    let mut fill = |slot: &Slot<'_>| Ok(found(values, slot).context("weights")?.values.clone());
    let device = of_encoders().autodiff();
    Pretrainer::build(&TINY, words, &mut Builder::new(&device, &mut fill)).expect("a pretrainer")
}

#[test]
fn gradients_are_those_of_finite_differences() {
    let (encoder, words) = tiny();
    let texts = batch_of(0, &words);
    let batch = encoder.batch(&texts.iter().map(|text| &text.sequence).collect::<Vec<_>>()).expect("a batch");
    let asked = asked(&texts, 7, words.nrows()).expect("hidden places");
    let turned: Vec<f32> = words.t().iter().copied().collect();
    let turned = Tensor::from_data(TensorData::new(turned, [8, 11]), &of_encoders());
    let loss = |module: &Pretrainer| {
        let mut chance = Chance::at_start(0);
        let [named, follows] = module.losses(&batch, TINY.heads, &turned, &asked, &mut without(&mut chance));
        named + follows
    };
    let mut chance = Chance::at_start(9);
    let mut fill = |slot: &Slot<'_>| Ok(chance.uniform(slot.dims.iter().product(), 0.5));
    let begun = Pretrainer::build(&TINY, 11, &mut Builder::new(&of_encoders(), &mut fill)).expect("a pretrainer");
    let begun = weights(&begun).expect("weights");
    let module = pretrainer(&begun, 11);
    // A step of gradient descent at the rate 1 is the gradient.
    let gradients = GradientsParams::from_grads(loss(&module).backward(), &module);
    let stepped = weights(&SgdConfig::new().init().step(1.0, module, gradients)).expect("weights");
    assert_eq!(begun.len(), 2 * 16 + 4 + 2 + 4 + 2 + 1);
    let mut moving = 0;
    for (at, (from, to)) in begun.iter().zip(&stepped).enumerate() {
        let gradient: Vec<f64> = from.values.iter().zip(&to.values).map(|(a, b)| f64::from(a - b)).collect();
        let length = gradient.iter().map(|x| x * x).sum::<f64>().sqrt();
        // Along the gradient, and by so little to both sides that the third derivative does not count.
        let along = |by: f64| {
            let mut moved = begun.clone();
            moved[at].values.iter_mut().zip(&gradient).for_each(|(x, g)| *x += (by * g / length) as f32);
            f64::from(loss(&pretrainer(&moved, 11)).into_scalar::<f32>())
        };
        if length > 1e-4 {
            let step = 0.01;
            let found = (along(step) - along(-step)) / (2.0 * step);
            assert!((found - length).abs() < 0.02 * length + 2e-4, "{}: {found} for {length}", from.name);
            moving += 1;
        }
    }
    // The constant of a key moves no share of attention.
    assert!(moving >= begun.len() - 3, "{moving} of {}", begun.len());
}

#[test]
fn a_pretraining_that_was_killed_resumes_to_the_same_numbers() {
    let (encoder, words) = tiny();
    let texts = |step| Ok(batch_of(step, &words));
    let whole = encoder.pretrain(&how(&words, 30, None), &texts).expect("a pretraining");
    let folder = tempfile::tempdir().expect("a place for temporary files");
    let path = folder.path().join("killed.safetensors");
    let (steps, seen) = (how(&words, 30, Some((&path, 4))), Cell::new(0));
    let killed = |step: u64| if step == 17 { bail!("killed") } else { texts(step) };
    assert!(encoder.pretrain(&steps, &killed).is_err());
    let counted = |step| {
        seen.set(seen.get() + 1);
        texts(step)
    };
    let resumed = encoder.pretrain(&steps, &counted).expect("the rest");
    assert_eq!(seen.get(), 14, "from the last checkpoint, behind step 16");
    let bits = |pretrained: &Pretrained| -> Vec<u32> {
        let weights = pretrained.encoder.weights().expect("weights");
        weights.into_iter().flat_map(|one| one.values).map(f32::to_bits).collect()
    };
    assert_eq!((&resumed.losses, resumed.tokens), (&whole.losses, whole.tokens));
    assert_eq!(bits(&resumed), bits(&whole));
    let kept = encoder.pretrain(&steps, &|_| bail!("nothing is left to be read")).expect("what is finished");
    assert_eq!(bits(&kept), bits(&whole));
    let Pretraining { rate, head_rate, seed, .. } = steps;
    for other in [
        Pretraining { identity: "other", ..steps },
        Pretraining { rate: 2.0 * rate, ..steps },
        Pretraining { head_rate: 2.0 * head_rate, ..steps },
        Pretraining { seed: seed + 1, ..steps },
    ] {
        assert!(encoder.pretrain(&other, &texts).is_err(), "a checkpoint of another pretraining");
    }
}

#[test]
fn hidden_words_are_learned_and_then_a_class() {
    let (encoder, words) = tiny();
    let pretrained = encoder.pretrain(&how(&words, 300, None), &|step| Ok(batch_of(step, &words))).expect("trained");
    let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
    let (first, last) = (mean(&pretrained.losses[..20]), mean(&pretrained.losses[280..]));
    assert!(last < 0.5 * first, "{first} {last}");
    assert_eq!(pretrained.tokens, 300 * 4 * 7);
    let pair = |at: usize| (vec![8, at % 7, 9, if at.is_multiple_of(2) { 7 } else { 6 }], vec![0, 0, 1, 1]);
    let texts = Texts { words: &words, texts: (0..40).map(pair).collect() };
    let labels: Vec<usize> = (0..40).map(|at| at % 2).collect();
    let how = FineTuning { epochs: 20, batch: 8, rate: 0.01, seed: 1 };
    let reader = pretrained.encoder.fine_tune(&how, &texts, &labels, 2).expect("a classifier");
    assert_eq!(reader.predict(&texts).expect("classes"), labels);
}

#[test]
fn a_head_begins_with_the_shares_of_pieces_and_has_a_rate_of_its_own() {
    let (encoder, words) = tiny();
    let shares: Vec<f64> = (0..11).map(|piece| if piece == 3 { 1e9 } else { 1.0 }).collect();
    let asks_for_3 = |step| {
        let mut batch = batch_of(step, &words);
        batch.iter_mut().for_each(|text| text.hidden = vec![(2, vec![(3, 1.0)])]);
        Ok(batch)
    };
    let known = Pretraining { shares: &shares, ..how(&words, 1, None) };
    let known = encoder.pretrain(&known, &asks_for_3).expect("trained");
    assert!(known.losses[0] < 0.01, "{:?}", known.losses);
    // Adam's first step moves each weight by about its rate.
    let moved = |rate: f64, head_rate: f64| {
        let how = Pretraining { shares: &shares, rate, head_rate, ..how(&words, 1, None) };
        let trained = encoder.pretrain(&how, &|step| Ok(batch_of(step, &words)));
        let (from, to) = (encoder.weights().expect("weights"), trained.expect("trained").encoder.weights());
        let to = to.expect("weights");
        let steps = from.iter().zip(&to).flat_map(|(a, b)| a.values.iter().zip(&b.values).map(|(a, b)| (a - b).abs()));
        steps.fold(0.0_f32, f32::max)
    };
    assert!(moved(1e-4, 0.1) < 2e-4 && moved(0.1, 1e-4) > 0.05);
}

#[test]
fn what_does_not_fit_is_refused() {
    let (encoder, words) = tiny();
    let texts = |tokens: Vec<usize>, segments: Vec<u8>| Texts { words: &words, texts: vec![(tokens, segments)] };
    for (tokens, segments) in [(vec![], vec![]), (vec![1; 13], vec![0; 13]), (vec![1], vec![2]), (vec![1, 2], vec![0])]
    {
        assert!(encoder.pooled(&texts(tokens, segments)).is_err());
    }
    let narrow = Array2::zeros((3, 4));
    assert!(encoder.pooled(&Texts { words: &narrow, texts: vec![(vec![1], vec![0])] }).is_err());
    let asking = |place, piece| {
        let mut batch = batch_of(0, &words);
        batch[0].hidden = vec![(place, vec![(piece, 1.0)])];
        encoder.pretrain(&how(&words, 1, None), &|_| Ok(batch.clone()))
    };
    assert!(asking(2, 3).is_ok() && asking(7, 3).is_err() && asking(2, 11).is_err());
    for shares in [&[1.0; 10][..], &[0.0; 11]] {
        let how = Pretraining { shares, ..how(&words, 1, None) };
        assert!(encoder.pretrain(&how, &|step| Ok(batch_of(step, &words))).is_err());
    }
    for shape in [Shape { heads: 3, ..TINY }, Shape { layers: 0, ..TINY }, Shape { width: 1 << 40, heads: 1, ..TINY }] {
        assert!(Encoder::random(shape, 0).is_err());
    }
    let how = FineTuning { epochs: 1, batch: 1, rate: 0.1, seed: 0 };
    assert!(encoder.fine_tune(&how, &texts(vec![1], vec![0]), &[2], 2).is_err());
}
