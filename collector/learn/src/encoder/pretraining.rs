//! Masked language modelling with the next-sentence loss, on vectors that a user may have perturbed.
//!
//! The word vectors are fixed: those of the texts come from the user, and the same table names the hidden words, behind a
//! layer that is trained. The target of a hidden place is a law over word pieces: one piece, or several with shares.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use burn::module::{Module, ParamGroup};
use burn::tensor::{Tensor, TensorData};
use burn_optim::lr_scheduler::module_lr_scheduler::{ModuleLearningRate, ModuleLrScheduler};
use burn_optim::{GradientsParams, ModuleOptimizer};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::layers::{BIAS, HiddenTargets, Pretrainer};
use super::{DROPOUT, Encoder, Sequence, Shape, found, rate_at};
use crate::chance::Chance;
use crate::checkpoint::{sha256, state_of, with_state};
use crate::device::{is_card, of_encoders};
use crate::network::{Builder, Dropout, Slot, weights};
use crate::recipe::Optimizer;
use crate::store::{Store, Stored};

/// A pair of texts with hidden places.
#[derive(Clone, Debug)]
pub struct Masked {
    /// What the encoder sees.
    pub sequence: Sequence,
    /// Tokens that it is to name, each with word pieces and their shares.
    pub hidden: Vec<(usize, Vec<(usize, f32)>)>,
    /// Whether the second text follows the first.
    pub follows: bool,
}

/// Everything that fixes a pretraining, except for the texts.
pub struct Pretraining<'a> {
    /// The vector of each word piece, a row a piece.
    pub words: &'a Array2<f32>,
    /// How frequent each word piece is, above 0. The head begins with what these shares tell.
    pub shares: &'a [f64],
    /// Batches that are seen.
    pub steps: u64,
    /// The highest learning rate of Adam, for the encoder.
    pub rate: f64,
    /// The same for the head, which has learned nothing before.
    pub head_rate: f64,
    /// What the weights of the head and dropout follow from.
    pub seed: u64,
    /// Where it is kept, and the number of steps between two writes. An interrupted pretraining resumes from there.
    pub checkpoint: Option<(&'a Path, u64)>,
    /// What the texts and the start follow from: a checkpoint of another identity is refused.
    pub identity: &'a str,
}

/// What a pretraining gave.
#[derive(Clone, Debug)]
pub struct Pretrained {
    /// The encoder.
    pub encoder: Encoder,
    /// The cross-entropy of hidden words in nats, by step, each before the step was taken.
    pub losses: Vec<f64>,
    /// Tokens that were read, padding not counted.
    pub tokens: u64,
    /// How long the training thread computed. The time that passed with a graphics card, and where the system does not tell
    /// the first (Linux does).
    pub seconds: f64,
}

/// The parts of a checkpoint in addition to its weights.
#[derive(Serialize, Deserialize)]
struct Saved {
    identity: String,
    shape: Shape,
    steps: u64,
    losses: Vec<f64>,
    tokens: u64,
    seconds: f64,
    /// SHA-256 of the optimizer's state; empty where all steps are taken.
    optimizer: String,
}

const OPTIMIZER: &str = "optimizer";

/// A pretraining under way.
struct Run {
    /// With gradients.
    module: Pretrainer,
    optimizer: ModuleOptimizer,
    saved: Saved,
}

impl Encoder {
    /// Goes on training on texts with hidden places; `texts` gives the batch of a step, counted from 0, and always the same.
    ///
    /// # Errors
    /// Word vectors of another width. Shares that are not above 0, or of other pieces. Texts that do not fit, hide nothing or ask for unknown pieces. A loss that is no
    /// longer finite. A checkpoint that is damaged, belongs to another pretraining, or cannot be written. The errors of
    /// `texts`.
    pub fn pretrain(&self, how: &Pretraining<'_>, texts: &dyn Fn(u64) -> Result<Vec<Masked>>) -> Result<Pretrained> {
        let Pretraining { words, shares, steps, rate, head_rate, .. } = *how;
        let is_rate = |rate: f64| rate > 0.0 && rate.is_finite();
        ensure!(steps > 0 && is_rate(rate) && is_rate(head_rate), "a pretraining has steps, and rates above 0");
        ensure!(words.ncols() == self.shape.width && words.nrows() > 0, "word vectors of another width");
        let are_shares = shares.len() == words.nrows() && shares.iter().all(|share| is_rate(*share));
        ensure!(are_shares, "each word piece has a share above 0");
        let mut run = Run::of(self, how)?;
        let turned = words.t().iter().copied().collect::<Vec<f32>>();
        let turned = Tensor::from_data(TensorData::new(turned, [words.ncols(), words.nrows()]), &of_encoders());
        for step in run.saved.losses.len() as u64..steps {
            let begun = Clock::now();
            let texts = texts(step)?;
            let sequences: Vec<&Sequence> = texts.iter().map(|text| &text.sequence).collect();
            let batch = self.batch(&sequences)?;
            let asked = asked(&texts, batch.vectors.dims()[1], words.nrows())?;
            let mut chance = Chance::of_epoch(how.seed, u32::try_from(step)?);
            let mut dropout = Dropout { chance: &mut chance, rate: DROPOUT };
            let [named, follows] = run.module.losses(&batch, self.shape.heads, &turned, &asked, &mut dropout);
            let loss = f64::from(named.clone().into_scalar::<f32>());
            ensure!(loss.is_finite(), "the loss is no longer a finite number at step {}: lower the rate", step + 1);
            let gradients = GradientsParams::from_grads((named + follows).backward(), &run.module);
            let rates = run.rates(rate_at(rate, step, steps), rate_at(head_rate, step, steps));
            run.module = run.optimizer.step(rates, run.module, gradients);
            run.saved.losses.push(loss);
            run.saved.tokens += sequences.iter().map(|text| text.segments.len() as u64).sum::<u64>();
            run.saved.seconds += begun.elapsed();
            if let Some((path, every)) = how.checkpoint
                && ((step + 1).is_multiple_of(every.max(1)) || step + 1 == steps)
            {
                run.write(path, steps)?;
            }
        }
        let Saved { losses, tokens, seconds, .. } = run.saved;
        let encoder = Self { shape: self.shape.clone(), stack: run.module.stack.valid() };
        Ok(Pretrained { encoder, losses, tokens, seconds })
    }
}

impl Run {
    /// The learning rates of a step.
    fn rates(&self, encoder: f64, head: f64) -> ModuleLearningRate {
        let of_encoder = ParamGroup::ids_from_module(self.module.stack.clone());
        ModuleLrScheduler::new(head).with_group(of_encoder, encoder).step()
    }

    /// A pretraining that begins or goes on.
    fn of(encoder: &Encoder, how: &Pretraining<'_>) -> Result<Self> {
        let Some((path, _)) = how.checkpoint else { return Self::begin(encoder, how) };
        match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Self::begin(encoder, how),
            bytes => {
                let bytes = bytes.with_context(|| format!("cannot read {}", path.display()))?;
                let run = Self::parse(&bytes, encoder, how);
                run.with_context(|| format!("{} is no checkpoint of this pretraining", path.display()))
            }
        }
    }

    fn begin(encoder: &Encoder, how: &Pretraining<'_>) -> Result<Self> {
        let (known, mut chance) = (encoder.weights()?, Chance::at_start(how.seed));
        let device = of_encoders().autodiff();
        let total: f64 = how.shares.iter().sum();
        let mut builder = |slot: &Slot<'_>| {
            Ok(match found(&known, slot) {
                Some(weights) => weights.values.clone(),
                None if slot.name == BIAS => how.shares.iter().map(|share| libm::log(share / total) as f32).collect(),
                None => slot.begin(&mut chance),
            })
        };
        let module = Pretrainer::build(&encoder.shape, how.words.nrows(), &mut Builder::new(&device, &mut builder))?;
        let saved = Saved {
            identity: identity(how),
            shape: encoder.shape.clone(),
            steps: how.steps,
            losses: Vec::new(),
            tokens: 0,
            seconds: 0.0,
            optimizer: String::new(),
        };
        Ok(Self { module, optimizer: optimizer(), saved })
    }

    fn parse(bytes: &[u8], encoder: &Encoder, how: &Pretraining<'_>) -> Result<Self> {
        let (stored, saved): (_, Saved) = Stored::parse(bytes)?;
        let Saved { identity, shape, steps, losses, optimizer: digest, .. } = &saved;
        let is_same = *identity == self::identity(how) && *shape == encoder.shape && *steps == how.steps;
        ensure!(is_same && losses.len() as u64 <= *steps, "it is of another one");
        let optimizer = match digest.as_str() {
            "" => optimizer(),
            digest => with_state(optimizer(), stored.bytes(OPTIMIZER)?, digest)?,
        };
        let device = of_encoders().autodiff();
        let mut fill = |slot: &Slot<'_>| stored.weights("", slot);
        let module = Pretrainer::build(shape, how.words.nrows(), &mut Builder::new(&device, &mut fill))?;
        Ok(Self { module, optimizer, saved })
    }

    /// Writes a checkpoint. A checkpoint of a finished pretraining has no state of the optimizer: it serves further
    /// training.
    fn write(&mut self, path: &Path, steps: u64) -> Result<()> {
        let mut weights = weights(&self.module)?;
        for weight in &mut weights {
            weight.name = weight.name.strip_prefix("stack.").unwrap_or(&weight.name).to_owned();
        }
        let mut store = Store::new().with_weights("", weights);
        self.saved.optimizer.clear();
        if (self.saved.losses.len() as u64) < steps {
            let state = state_of(&self.optimizer)?;
            self.saved.optimizer = sha256(&state);
            store = store.with_bytes(OPTIMIZER, state);
        }
        store.write(path, &self.saved)
    }
}

/// What two runs must have in common to be one pretraining, besides their shape and steps.
fn identity(Pretraining { identity, rate, head_rate, seed, .. }: &Pretraining<'_>) -> String {
    format!("{identity}, rate {rate}, of the head {head_rate}, seed {seed}")
}

pub(super) fn optimizer() -> ModuleOptimizer {
    Optimizer::Adam { rate: 1.0 }.build()
}

/// What is asked of texts that are padded to `longest` tokens.
pub(super) fn asked(texts: &[Masked], longest: usize, words: usize) -> Result<HiddenTargets> {
    let hidden = || texts.iter().enumerate().flat_map(|(at, text)| text.hidden.iter().map(move |one| (at, one)));
    let (count, most) = (hidden().count(), hidden().map(|(_, (_, law))| law.len()).max().unwrap_or(0));
    ensure!(most > 0, "a batch without hidden places");
    let (mut places, mut pieces, mut shares) = (Vec::new(), vec![0_i64; count * most], vec![0.0; count * most]);
    for (row, (at, (place, law))) in hidden().enumerate() {
        ensure!(*place < texts[at].segments(), "a hidden place behind the end of its text");
        places.push((at * longest + place) as i64);
        for (column, (piece, share)) in law.iter().enumerate() {
            ensure!(*piece < words, "word piece {piece} of {words}");
            pieces[row * most + column] = *piece as i64;
            shares[row * most + column] = share / count as f32;
        }
    }
    let follows = texts.iter().flat_map(|text| {
        let weight = 1.0 / texts.len() as f32;
        if text.follows { [0.0, weight] } else { [weight, 0.0] }
    });
    let device = of_encoders();
    Ok(HiddenTargets {
        places: Tensor::from_data(TensorData::new(places, [count]), &device),
        pieces: Tensor::from_data(TensorData::new(pieces, [count, most]), &device),
        shares: Tensor::from_data(TensorData::new(shares, [count, most]), &device),
        follows: Tensor::from_data(TensorData::new(follows.collect::<Vec<f32>>(), [texts.len(), 2]), &device),
    })
}

impl Masked {
    fn segments(&self) -> usize {
        self.sequence.segments.len()
    }
}

/// The time that this thread has computed; with a graphics card, the time that has passed.
struct Clock {
    begun: Instant,
    computed: Option<f64>,
}

impl Clock {
    fn now() -> Self {
        Self { begun: Instant::now(), computed: computed() }
    }

    /// In seconds.
    fn elapsed(&self) -> f64 {
        let computed = computed().zip(self.computed).map(|(now, then)| now - then);
        computed.unwrap_or_else(|| self.begun.elapsed().as_secs_f64())
    }
}

/// Seconds of a core, as Linux counts them for a thread.
fn computed() -> Option<f64> {
    // With a card the thread mostly waits.
    if is_card(&of_encoders()) {
        return None;
    }
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(told.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}
