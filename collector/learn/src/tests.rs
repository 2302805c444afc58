//! Claims about training. Other code or arithmetic decides each of them.

use std::fs;

use anyhow::bail;
use ndarray::{Array1, Array2, array, s};
use rayon::prelude::*;

use super::*;

const SGD: Optimizer = Optimizer::Sgd { rate: 0.1, decay: 1e-2, momentum: 0.9 };

fn recipe(model: Model, optimizer: Optimizer, epochs: u32) -> Recipe {
    Recipe { model, optimizer, epochs, batch: 8, patience: None, seed: 5 }
}

fn mlp(dropout: f64) -> Model {
    Model::Mlp { hidden: vec![12], dropout }
}

fn dense(features: Array2<f32>, labels: Vec<usize>) -> Examples {
    Examples { features: Features::Dense(features), labels }
}

/// Points of two classes that no line parts: labels are the XOR of signs.
fn exclusive_or(count: usize) -> Examples {
    let coordinate = |i: usize, j: usize| ((i * [7, 11][j] + j * 5) % 23) as f32 / 11.5 - 0.96;
    let points = Array2::from_shape_fn((count, 2), |(i, j)| coordinate(i, j));
    let labels = points.outer_iter().map(|point| usize::from((point[0] > 0.0) != (point[1] > 0.0))).collect();
    dense(points, labels)
}

/// Texts of three to five words. Only two of the words count: "a … b" or, in each second text, "b … a".
fn ordered_texts(count: usize) -> Vec<Array2<f32>> {
    let text = |i: usize| {
        let mut words = Array2::zeros((3 + i % 3, 4));
        let last = words.nrows() - 1;
        let (first, second) = if i.is_multiple_of(2) { (0, 1) } else { (1, 0) };
        words[[0, first]] = 1.0;
        words[[last, second]] = 1.0;
        (1..last).for_each(|place| words[[place, 2 + (i / 2 + place) % 2]] = 1.0);
        words
    };
    (0..count).map(text).collect()
}

/// Texts, and the order of each.
fn orders(count: usize) -> Examples {
    Examples { features: Features::Sequences(ordered_texts(count)), labels: (0..count).map(|i| i % 2).collect() }
}

fn trained(recipe: &Recipe, examples: &Examples) -> Trained {
    train(recipe, 2, examples, None, &Session::default()).expect("a training")
}

fn weights(trained: &Trained) -> Vec<(String, Vec<u32>)> {
    let weights = trained.network.weights().expect("weights").into_iter();
    weights.map(|weights| (weights.name, weights.values.into_iter().map(f32::to_bits).collect())).collect()
}

#[test]
fn logistic_regression_steps_as_calculus_says() {
    let (l2, rate, decay, momentum) = (0.3, 0.5, 0.25, 0.9);
    let points = array![[0.5f32, -1.0], [2.0, 0.25], [-1.5, 1.0]];
    let labels = vec![0, 2, 1];
    let optimizer = Optimizer::Sgd { rate, decay, momentum };
    let recipe = Recipe { batch: 3, ..recipe(Model::Logistic { l2 }, optimizer, 4) };
    let begun = Network::draw(&recipe.model, 2, 3, recipe.seed, &Device::flex()).and_then(|network| network.weights());
    let begun = begun.expect("weights");
    // A row a class, the constant last.
    let mut w = Array2::from_shape_fn((3, 3), |(k, j)| if j < 2 { f64::from(begun[0].values[k * 2 + j]) } else { 0.0 });
    let mut velocity = Array2::<f64>::zeros((3, 3));
    for step in 0..4 {
        let mut gradient = l2 * &w;
        gradient.slice_mut(s![.., 2]).fill(0.0);
        for (point, label) in points.outer_iter().zip(&labels) {
            let x: Array1<f64> = point.iter().map(|x| f64::from(*x)).chain([1.0]).collect();
            let shares: Vec<f64> = w.outer_iter().map(|row| (&row * &x).sum().exp()).collect();
            for (k, mut row) in gradient.outer_iter_mut().enumerate() {
                let excess = shares[k] / shares.iter().sum::<f64>() - f64::from(u8::from(k == *label));
                row += &(excess / 3.0 * &x);
            }
        }
        velocity = momentum * velocity + gradient;
        w = w - rate / (1.0 + decay * f64::from(step)) * &velocity;
    }
    let trained = train(&recipe, 3, &dense(points, labels), None, &Session::default()).expect("a training");
    let found = trained.network.weights().expect("weights");
    assert_eq!([&found[0].name, &found[1].name], ["layers.0.weight", "layers.0.bias"]);
    for (k, row) in w.outer_iter().enumerate() {
        let ours = [found[0].values[k * 2], found[0].values[k * 2 + 1], found[1].values[k]];
        assert!(row.iter().zip(ours).all(|(w, ours)| (w - f64::from(ours)).abs() < 1e-5), "{row} {ours:?}");
    }
}

#[test]
fn a_perceptron_learns_what_no_line_parts() {
    let examples = exclusive_or(200);
    let accuracy = |model| trained(&recipe(model, SGD, 60), &examples).evaluate(&examples).expect("scores").accuracy;
    assert!(accuracy(mlp(0.0)) > 0.95);
    assert!(accuracy(mlp(0.2)) > 0.9);
    assert!(accuracy(Model::Logistic { l2: 0.0 }) < 0.7);
}

#[test]
fn an_lstm_learns_order() {
    let model = Model::BiLstm { hidden: 8, dropout: 0.1 };
    let trained = trained(&recipe(model, Optimizer::Adam { rate: 0.02 }, 30), &orders(120));
    assert_eq!(trained.evaluate(&orders(30)).expect("scores").accuracy, 1.0);
}

/// An LSTM as its equations say, a text at a time.
#[test]
fn an_lstm_computes_its_equations_whatever_texts_lie_beside() {
    let (hidden, inputs) = (3, 4);
    let model = Model::BiLstm { hidden, dropout: 0.0 };
    let trained = trained(&recipe(model, Optimizer::Adam { rate: 0.02 }, 2), &orders(7));
    let weights = trained.network.weights().expect("weights");
    let named = |name: &str| &weights.iter().find(|weights| weights.name == name).expect("weights of this name").values;
    let (w, u, b) = (named("lstm.input_weight"), named("lstm.state_weight"), named("lstm.bias"));
    let (w_out, b_out) = (named("layers.0.weight"), named("layers.0.bias"));
    let sigmoid = |x: f32| 1.0 / (1.0 + (-x).exp());
    let scores = |text: &Array2<f32>| -> Vec<f32> {
        let mut last = Vec::new();
        for direction in 0..2 {
            let (mut h, mut c) = (vec![0.0f32; hidden], vec![0.0f32; hidden]);
            for t in 0..text.nrows() {
                let word = text.row(if direction == 0 { t } else { text.nrows() - 1 - t });
                let gate = |k: usize| {
                    let row = direction * 4 * hidden + k;
                    let input: f32 = (0..inputs).map(|j| w[row * inputs + j] * word[j]).sum();
                    input + (0..hidden).map(|j| u[row * hidden + j] * h[j]).sum::<f32>() + b[row]
                };
                let gates: Vec<f32> = (0..4 * hidden).map(gate).collect();
                for j in 0..hidden {
                    let [i, f, g, o] = [0, 1, 2, 3].map(|k| gates[k * hidden + j]);
                    c[j] = sigmoid(f) * c[j] + sigmoid(i) * g.tanh();
                    h[j] = sigmoid(o) * c[j].tanh();
                }
            }
            last.extend(h);
        }
        (0..2).map(|k| (0..2 * hidden).map(|j| w_out[k * 2 * hidden + j] * last[j]).sum::<f32>() + b_out[k]).collect()
    };
    let texts = [ordered_texts(7), vec![Array2::zeros((0, inputs))]].concat();
    let probabilities = trained.probabilities(&Features::Sequences(texts.clone())).expect("probabilities");
    for (text, ours) in texts.iter().zip(probabilities.outer_iter()) {
        let scores = scores(text);
        let share = 1.0 / (1.0 + (scores[1] - scores[0]).exp());
        assert!((share - ours[0]).abs() < 1e-5 && (ours.sum() - 1.0).abs() < 1e-6, "{share} {ours}");
    }
}

#[test]
fn training_stops_when_the_development_set_gains_no_more() {
    let (examples, mut against) = (exclusive_or(60), exclusive_or(60));
    against.labels.iter_mut().for_each(|label| *label = 1 - *label);
    let recipe = Recipe { patience: Some(3), ..recipe(mlp(0.0), SGD, 100) };
    let progress = ProgressBar::hidden();
    let session = Session { progress: Some(&progress), checkpoint: None };
    let trained = train(&recipe, 2, &examples, Some(&against), &session).expect("a training");
    let history = trained.history();
    assert_eq!(history.len(), trained.taken() + 4);
    assert!(history.len() < 100 && progress.position() == 100);
    let best = history[trained.taken()].dev.as_ref().expect("scores");
    assert!(history.iter().flat_map(|epoch| &epoch.dev).all(|scores| !scores.beats(best)));
    // These weights, not the last.
    assert_eq!(&trained.evaluate(&against).expect("scores"), best);
}

#[test]
fn a_recipe_gives_the_same_bits_whatever_else_runs() {
    let models = [(mlp(0.5), exclusive_or(50)), (Model::BiLstm { hidden: 5, dropout: 0.5 }, orders(40))];
    for (model, examples) in &models {
        let recipe = recipe(model.clone(), Optimizer::Adam { rate: 0.01 }, 3);
        let alone = weights(&trained(&recipe, examples));
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let many: Vec<_> = pool.install(|| (0..8).into_par_iter().map(|_| trained(&recipe, examples)).collect());
            assert!(many.iter().all(|other| weights(other) == alone), "{threads} threads");
        }
        assert_ne!(weights(&trained(&Recipe { seed: 6, ..recipe }, examples)), alone);
    }
}

#[test]
fn an_interrupted_training_ends_as_one_that_was_not() {
    let cases = [
        (mlp(0.3), SGD, exclusive_or(50)),
        (mlp(0.3), Optimizer::Adam { rate: 0.01 }, exclusive_or(50)),
        (Model::BiLstm { hidden: 5, dropout: 0.2 }, Optimizer::Adam { rate: 0.01 }, orders(40)),
    ];
    for (model, optimizer, examples) in cases {
        let recipe = Recipe { patience: Some(5), ..recipe(model, optimizer, 6) };
        let dev = examples.clone();
        let whole = train(&recipe, 2, &examples, Some(&dev), &Session::default()).expect("a training");
        let folder = tempfile::tempdir().expect("a place for temporary files");
        let path = folder.path().join("resumed.safetensors");
        let session = Session { progress: None, checkpoint: Some(&path) };
        let breaking = |epoch| if epoch < 3 { Ok(examples.clone()) } else { bail!("the power is gone") };
        assert!(train(&recipe, 2, &breaking, Some(&dev), &session).is_err());
        let rest = |epoch| if epoch < 3 { bail!("seen already") } else { Ok(examples.clone()) };
        let resumed = train(&recipe, 2, &rest, Some(&dev), &session).expect("the rest");
        assert_eq!(resumed.description, whole.description);
        assert_eq!(weights(&resumed), weights(&whole));
        // A complete one is read, not run.
        let nothing = |_| bail!("nothing to see");
        assert_eq!(weights(&train(&recipe, 2, &nothing, Some(&dev), &session).expect("the whole")), weights(&whole));
        let other = Recipe { seed: 9, ..recipe.clone() };
        assert!(train(&other, 2, &examples, Some(&dev), &session).is_err());
        let bytes = fs::read(&path).expect("a checkpoint");
        no_damage_panics(&bytes, |bytes| Run::parse(bytes, &recipe, 2).is_ok());
        // As if fewer epochs had been asked for than it has seen.
        let mut short = bytes;
        let name = short.windows(6).position(|name| name == b"epochs").expect("a recipe");
        let count = name + short[name..].iter().position(|digit| *digit == b'6').expect("six of them");
        short[count] = b'5';
        let refusal = Run::parse(&short, &Recipe { epochs: 5, ..recipe }, 2).err().expect("refused");
        assert_eq!(refusal.to_string(), "it is damaged");
    }
}

/// Files cut short are refused, and files with a byte changed do no harm.
fn no_damage_panics(bytes: &[u8], parses: impl Fn(&[u8]) -> bool) {
    assert!(parses(bytes));
    assert!((0..bytes.len()).step_by(97).all(|length| !parses(&bytes[..length])));
    let mut refused = 0;
    for place in (0..bytes.len()).step_by(13) {
        let mut damaged = bytes.to_vec();
        damaged[place] ^= 0x15;
        refused += usize::from(!parses(&damaged));
    }
    assert!(refused > 0);
}

#[test]
fn a_classifier_is_what_it_was_after_its_file() {
    for (model, examples) in [(mlp(0.0), exclusive_or(50)), (Model::BiLstm { hidden: 3, dropout: 0.0 }, orders(20))] {
        let trained = trained(&recipe(model, SGD, 2), &examples);
        let folder = tempfile::tempdir().expect("a place for temporary files");
        let path = folder.path().join("saved.safetensors");
        trained.save(&path).expect("saved");
        let again = Trained::load(&path).expect("loaded");
        assert_eq!(again.description, trained.description);
        assert_eq!(weights(&again), weights(&trained));
        let probabilities = |trained: &Trained| trained.probabilities(&examples.features).expect("probabilities");
        assert_eq!(probabilities(&again), probabilities(&trained));
        no_damage_panics(&fs::read(&path).expect("a file"), |bytes| Trained::parse(bytes).is_ok());
    }
}

#[test]
fn examples_may_be_drawn_anew_for_each_epoch() {
    let seen = std::cell::RefCell::new(Vec::new());
    let source = |epoch| {
        seen.borrow_mut().push(epoch);
        Ok(exclusive_or(20))
    };
    let recipe = recipe(mlp(0.0), SGD, 4);
    let drawn = train(&recipe, 2, &source, None, &Session::default()).expect("a training");
    assert_eq!(seen.into_inner(), [0, 1, 2, 3]);
    assert_eq!(weights(&drawn), weights(&trained(&recipe, &exclusive_or(20))));
}

#[test]
fn what_cannot_be_trained_on_is_refused() {
    let good = exclusive_or(10);
    let fails = |recipe: &Recipe, classes, examples: &Examples, dev: Option<&Examples>| {
        train(recipe, classes, examples, dev, &Session::default()).is_err()
    };
    let fine = recipe(mlp(0.0), SGD, 1);
    assert!(!fails(&fine, 2, &good, Some(&good)));
    let mut infinite = exclusive_or(10);
    if let Features::Dense(rows) = &mut infinite.features {
        rows[[3, 1]] = f32::INFINITY;
    }
    let empty = dense(Array2::zeros((0, 2)), Vec::new());
    let short = Examples { labels: vec![0; 9], ..good.clone() };
    let wide = dense(Array2::zeros((10, 3)), vec![0; 10]);
    let uneven =
        Examples { features: Features::Sequences(vec![array![[1.0]], array![[1.0, 2.0]]]), labels: vec![0, 1] };
    for bad in [&infinite, &empty, &short, &orders(10), &dense(Array2::zeros((3, 0)), vec![0; 3])] {
        assert!(fails(&fine, 2, bad, None) && fails(&fine, 2, &good, Some(bad)), "{bad:?}");
    }
    assert!(fails(&fine, 2, &good, Some(&wide)));
    assert!(fails(&fine, 1, &dense(array![[1.0], [2.0]], vec![0, 0]), None));
    let out_of_range = dense(array![[1.0, 1.0], [2.0, 1.0]], vec![0, 2]);
    assert!(fails(&fine, 2, &out_of_range, None) && !fails(&fine, 3, &out_of_range, None));
    let lstm = |hidden| recipe(Model::BiLstm { hidden, dropout: 0.0 }, SGD, 1);
    assert!(fails(&lstm(2), 2, &uneven, None) && fails(&lstm(2), 2, &good, None));
    let sgd = |rate, decay, momentum| recipe(mlp(0.0), Optimizer::Sgd { rate, decay, momentum }, 1);
    let bad = [
        lstm(0),
        lstm(usize::MAX),
        recipe(Model::Mlp { hidden: vec![usize::MAX], dropout: 0.0 }, SGD, 1),
        recipe(Model::Mlp { hidden: vec![1 << 14, (1 << 14) + 1], dropout: 0.0 }, SGD, 1),
        recipe(mlp(1.0), SGD, 1),
        recipe(mlp(f64::NAN), SGD, 1),
        recipe(Model::Mlp { hidden: vec![3, 0], dropout: 0.0 }, SGD, 1),
        recipe(Model::Logistic { l2: -1.0 }, SGD, 1),
        recipe(mlp(0.0), SGD, 0),
        Recipe { batch: 0, ..fine.clone() },
        Recipe { patience: Some(0), ..fine.clone() },
        recipe(mlp(0.0), Optimizer::Adam { rate: f64::INFINITY }, 1),
        sgd(0.0, 0.0, 0.0),
        sgd(0.1, -1.0, 0.0),
        sgd(0.1, 0.0, 1.0),
    ];
    for recipe in bad {
        assert!(fails(&recipe, 2, &good, Some(&good)), "{recipe:?}");
    }
    assert!(fails(&Recipe { patience: Some(1), ..fine }, 2, &good, None));
    // A rate at which it diverges.
    assert!(fails(&recipe(mlp(0.0), Optimizer::Sgd { rate: 1e30, decay: 0.0, momentum: 0.0 }, 9), 2, &good, None));
    assert!(trained(&recipe(mlp(0.0), SGD, 1), &good).predict(&wide.features).is_err());
}

#[test]
fn weights_are_counted_before_they_are_drawn() {
    let deep = Model::Mlp { hidden: vec![12, 7], dropout: 0.0 };
    for model in [Model::Logistic { l2: 0.0 }, deep, Model::BiLstm { hidden: 5, dropout: 0.0 }] {
        let network = Network::draw(&model, 3, 4, 1, &Device::flex()).expect("a network");
        let weights = network.weights().expect("weights").into_iter();
        let matrices = weights.filter(|weights| weights.name.ends_with("weight"));
        assert_eq!(model.weights(3, 4), Some(matrices.map(|weights| weights.values.len()).sum()), "{model:?}");
    }
}

#[test]
fn dropout_and_order_are_drawn_evenly() {
    let mut chance = Chance::of_epoch(1, 2);
    let mask = chance.mask(40_000, 0.3);
    assert!(mask.iter().all(|value| *value == 0.0 || *value == (1.0 / 0.7) as f32));
    // Six standard deviations of the share that is dropped are 0.014, of a mean of uniform numbers 0.017.
    let dropped = mask.iter().filter(|value| **value == 0.0).count();
    assert!((dropped as f64 / 40_000.0 - 0.3).abs() < 0.014);
    let values = chance.uniform(40_000, 1.0);
    assert!(values.iter().sum::<f32>().abs() / 40_000.0 < 0.018 && values.iter().all(|value| value.abs() <= 1.0));
    // Each of six orders 1,000 times of 6,000; six standard deviations are 173.
    let mut seen = std::collections::HashMap::new();
    for _ in 0..6000 {
        let mut items = [0, 1, 2];
        chance.shuffle(&mut items);
        *seen.entry(items).or_insert(0i32) += 1;
    }
    assert!(seen.len() == 6 && seen.values().all(|count| (count - 1000).abs() < 173));
}

#[test]
fn scores_are_those_of_scikit_learn() {
    // sklearn.metrics.classification_report([0, 0, 1, 1, 1, 3], [0, 1, 1, 1, 0, 0]), label 2 in neither.
    let scores = Scores::of(&[0, 1, 1, 1, 0, 0], &[0, 0, 1, 1, 1, 3], 4, 0.25);
    assert_eq!((scores.examples, scores.accuracy), (6, 0.5));
    let close = |one: f64, other: f64| (one - other).abs() < 1e-12;
    assert!(close(scores.macro_f1, (0.4 + 2.0 / 3.0 + 0.0) / 3.0));
    let [first, second, third, fourth] = [0, 1, 2, 3].map(|class| &scores.classes[class]);
    assert!(close(first.precision, 1.0 / 3.0) && close(first.recall, 0.5) && close(first.f1, 0.4));
    assert!(close(second.precision, 2.0 / 3.0) && close(second.recall, 2.0 / 3.0));
    assert_eq!((third.examples, third.f1, fourth.examples, fourth.recall), (0, 0.0, 1, 0.0));
}
