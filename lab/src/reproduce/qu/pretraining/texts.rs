//! Labelled texts as a user sends them, each privatized once.

use std::collections::HashSet;

use anyhow::Result;
use ndarray::Array2;
use textveil_learn::{Sequence, Sequences};

use super::super::setting::Setting;
use super::pieces::{Pieces, Tokens};
use crate::data::Example;
use crate::reproduce::run::Run;
use textveil_toolkit::sampling::shuffled;

/// Texts to train on, by set: of QQP there are 9,000 in all.
const TRAIN: [usize; 2] = [8000, 4000];
/// Texts to test on, at most, by set: standard errors of .003 and .006.
const TEST: [usize; 2] = [20_872, 6000];
/// The same with `--quick`.
const FEW: [usize; 2] = [320, 600];

/// What a user sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Privatization {
    /// Noisy vectors.
    Representations,
    /// The pieces that are nearest to them.
    Text,
}

impl Privatization {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Representations => "representations",
            Self::Text => "text",
        }
    }
}

/// A set.
pub(super) struct Labelled {
    pub(super) name: &'static str,
    pub(super) classes: usize,
    pub(super) train: Part,
    pub(super) test: Part,
}

/// Texts or pairs as word pieces.
pub(super) struct Part {
    tokens: Vec<Tokens>,
    pub(super) labels: Vec<usize>,
}

impl Labelled {
    /// Tests on the paper's texts, and on unused training texts that differ from every used one.
    ///
    /// # Errors
    /// The set cannot be read.
    pub(super) fn read(run: &Run<'_>, pieces: &Pieces, (key, name): (&str, &'static str), at: usize) -> Result<Self> {
        let set = run.set(key)?;
        let count =
            |of: usize, quick: usize| if run.is_quick() { quick } else { (of as f64 * run.share()).ceil() as usize };
        let order = shuffled(set.train.len(), run.seed(&format!("pretraining/{key}")));
        let (used, unused) = order.split_at(count(TRAIN[at], FEW[0]).min(order.len()));
        let train: Vec<&Example> = used.iter().map(|place| &set.train[*place]).collect();
        let seen: HashSet<_> = train.iter().map(|example| (&example.text, &example.second)).collect();
        let others = set.test.iter().chain(unused.iter().map(|place| &set.train[*place]));
        let fresh = others.filter(|example| !seen.contains(&(&example.text, &example.second)));
        let test: Vec<&Example> = fresh.take(count(TEST[at], FEW[1])).collect();
        Ok(Self { name, classes: set.labels.len(), train: Part::of(pieces, &train), test: Part::of(pieces, &test) })
    }

    /// The share of the commonest label among the texts to test on.
    pub(super) fn majority(&self) -> f64 {
        let count = |class: usize| self.test.labels.iter().filter(|label| **label == class).count();
        (0..self.classes).map(count).max().unwrap_or(0) as f64 / self.test.labels.len() as f64
    }
}

impl Part {
    fn of(pieces: &Pieces, examples: &[&Example]) -> Self {
        let tokens = examples.iter().map(|example| pieces.tokens(&example.text, example.second.as_deref()));
        Self { tokens: tokens.collect(), labels: examples.iter().map(|example| example.label).collect() }
    }
}

/// A part as it was sent. Noisy vectors are drawn again from the same seed when they are asked for: they are the same.
pub(super) struct Sent<'a> {
    run: &'a Run<'a>,
    pieces: &'a Pieces,
    tokens: Vec<Tokens>,
    /// The η of the noise on vectors.
    eta: Option<f64>,
    key: String,
}

impl<'a> Sent<'a> {
    /// # Errors
    /// An η out of range.
    pub(super) fn new(
        run: &'a Run<'a>,
        pieces: &'a Pieces,
        part: &Part,
        privatization: Privatization,
        eta: Option<f64>,
        key: String,
    ) -> Result<Self> {
        let mut sent = Self { run, pieces, tokens: part.tokens.clone(), eta, key };
        let Some(eta) = eta.filter(|_| privatization == Privatization::Text) else { return Ok(sent) };
        let privatizer = Setting::noise(eta).privatizer(&pieces.table)?;
        for (text, tokens) in sent.tokens.iter_mut().enumerate() {
            let mut rng = run.rng(&format!("{}/{text}", sent.key));
            for piece in &mut tokens.pieces {
                if let Some(row) = pieces.row(*piece) {
                    *piece = pieces.piece(privatizer.draw(row, &mut rng));
                }
            }
        }
        sent.eta = None;
        Ok(sent)
    }
}

impl Sequences for Sent<'_> {
    fn lengths(&self) -> Vec<usize> {
        self.tokens.iter().map(|tokens| tokens.pieces.len()).collect()
    }

    fn sequence(&self, text: usize) -> Sequence {
        let Tokens { pieces, segments } = &self.tokens[text];
        let mut rng = self.run.rng(&format!("{}/{text}", self.key));
        let mut vectors = Array2::zeros((pieces.len(), self.pieces.words.ncols()));
        for (mut row, piece) in vectors.rows_mut().into_iter().zip(pieces) {
            let vector = self.pieces.vector(*piece, self.eta, &mut rng);
            row.iter_mut().zip(vector).for_each(|(to, from)| *to = from);
        }
        Sequence { vectors, segments: segments.clone() }
    }
}
