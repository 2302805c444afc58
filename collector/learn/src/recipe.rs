//! Everything that fixes a training, except for the examples.

use anyhow::{Result, ensure};
use burn_optim::momentum::MomentumConfig;
use burn_optim::{AdamConfig, ModuleOptimizer, SgdConfig};
use serde::{Deserialize, Serialize};

/// A GiB of them; a training holds them several times.
const MOST_WEIGHTS: usize = 1 << 28;

/// What is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Multinomial logistic regression: mean cross-entropy + (`l2`/2)·‖W‖², the constant not penalized.
    Logistic {
        /// The penalty's weight. scikit-learn's `C` on n examples is 1/(`l2`·n), of two classes 2/(`l2`·n), as it
        /// has one row of weights for them.
        l2: f64,
    },
    /// A perceptron with rectified layers of these widths, dropout at this rate behind each.
    Mlp {
        /// Units of each layer; without any, the model is linear.
        hidden: Vec<usize>,
        /// At least 0, below 1.
        dropout: f64,
    },
    /// A bidirectional LSTM. A linear layer reads its two last states, with dropout between them.
    BiLstm {
        /// Units in each direction.
        hidden: usize,
        /// At least 0, below 1.
        dropout: f64,
    },
}

/// How weights follow gradients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimizer {
    /// Stochastic gradient descent: v ← `momentum`·v + g, w ← w − rateₜ·v, rateₜ = `rate`/(1 + `decay`·t) after t
    /// batches.
    Sgd {
        /// The learning rate of the first batch.
        rate: f64,
        /// How fast it falls, a batch.
        decay: f64,
        /// What is left of the step before: at least 0, below 1.
        momentum: f64,
    },
    /// Adam with β = (0.9, 0.999) and ε = 10⁻⁷, as Keras has them.
    Adam {
        /// The learning rate.
        rate: f64,
    },
}

/// Everything that fixes a training, except for the examples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// What is trained.
    pub model: Model,
    /// How weights follow gradients.
    pub optimizer: Optimizer,
    /// How often each example is seen, at most.
    pub epochs: u32,
    /// Examples a step.
    pub batch: usize,
    /// After how many epochs without a better one to stop and take the best.
    pub patience: Option<u32>,
    /// What all draws follow from.
    pub seed: u64,
}

impl Model {
    /// The weight of the penalty on weights.
    pub(super) fn l2(&self) -> f64 {
        if let Self::Logistic { l2 } = self { *l2 } else { 0.0 }
    }

    /// The rate of dropout.
    pub(super) fn dropout(&self) -> f64 {
        match self {
            Self::Logistic { .. } => 0.0,
            Self::Mlp { dropout, .. } | Self::BiLstm { dropout, .. } => *dropout,
        }
    }

    /// Units of each layer.
    fn widths(&self) -> &[usize] {
        match self {
            Self::Logistic { .. } => &[],
            Self::Mlp { hidden, .. } => hidden,
            Self::BiLstm { hidden, .. } => std::slice::from_ref(hidden),
        }
    }

    /// The number of weights in matrices, or `None` if it overflows. An LSTM has eight (four gates, two directions) for
    /// each unit and each of its inputs and units.
    pub(super) fn weights(&self, inputs: usize, classes: usize) -> Option<usize> {
        let (mut total, mut before) = (0_usize, inputs);
        for width in self.widths() {
            let is_lstm = matches!(self, Self::BiLstm { .. });
            let (reads, gates, gives) =
                if is_lstm { (before.checked_add(*width)?, 8, width.checked_mul(2)?) } else { (before, 1, *width) };
            total = reads.checked_mul(*width)?.checked_mul(gates)?.checked_add(total)?;
            before = gives;
        }
        before.checked_mul(classes)?.checked_add(total)
    }

    /// Whether its weights for this number of inputs and classes can be held.
    ///
    /// # Errors
    /// There are more than 2²⁸.
    pub fn check_size(&self, inputs: usize, classes: usize) -> Result<()> {
        let fits = self.weights(inputs, classes).is_some_and(|weights| weights <= MOST_WEIGHTS);
        ensure!(fits, "the model would have more than {MOST_WEIGHTS} weights: take fewer units");
        Ok(())
    }

    pub(super) fn check(&self) -> Result<()> {
        let widths = self.widths();
        ensure!(widths.iter().all(|width| *width > 0), "a layer without units");
        ensure!((0.0..1.0).contains(&self.dropout()), "dropout is at least 0 and below 1");
        ensure!(self.l2() >= 0.0 && self.l2().is_finite(), "l2 is a number of at least 0");
        Ok(())
    }
}

impl Optimizer {
    /// The rate after `steps` batches.
    pub(super) fn rate(&self, steps: u64) -> f64 {
        match self {
            Self::Sgd { rate, decay, .. } => rate / (1.0 + decay * steps as f64),
            Self::Adam { rate } => *rate,
        }
    }

    pub(super) fn build(&self) -> ModuleOptimizer {
        match self {
            Self::Sgd { momentum, .. } => {
                let momentum = MomentumConfig::new().with_momentum(*momentum).with_dampening(0.0);
                SgdConfig::new().with_momentum(Some(momentum)).init()
            }
            Self::Adam { .. } => AdamConfig::new().with_epsilon(1e-7).init(),
        }
    }

    fn check(&self) -> Result<()> {
        let (Self::Sgd { rate, .. } | Self::Adam { rate }) = self;
        ensure!(*rate > 0.0 && rate.is_finite(), "the learning rate is a number above 0");
        if let Self::Sgd { decay, momentum, .. } = self {
            ensure!(*decay >= 0.0 && decay.is_finite(), "decay is a number of at least 0");
            ensure!((0.0..1.0).contains(momentum), "momentum is at least 0 and below 1");
        }
        Ok(())
    }
}

impl Recipe {
    /// Whether each number is one that a training can do with, whatever the examples.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<()> {
        self.model.check()?;
        self.optimizer.check()?;
        ensure!(self.epochs > 0 && self.batch > 0, "epochs and batches hold one or more");
        ensure!(self.patience != Some(0), "patience is for one epoch or more");
        Ok(())
    }
}
