//! Labelled texts as a user sends them, each privatized once.

use anyhow::{Result, ensure};
use ndarray::Array2;
use textveil::WordId;
use textveil_learn::{Sequence, Sequences};

use super::super::setting::Setting;
use super::pieces::{Pieces, Tokens};
use super::sides::{Side, sides};
use crate::data::Example;
use crate::reproduce::run::Run;
use textveil_toolkit::sampling::shuffled;

/// Texts to train on, by set: of QQP there are 9,000 in all.
const TRAIN: [usize; 2] = [8000, 4000];
/// Texts to test on, at most, by set: standard errors of .003 and .006.
const TEST: [usize; 2] = [20_872, 6000];
/// The share of sentences that train, by set: somewhat more than are wanted.
const TRAINING: [f64; 2] = [0.35, 0.5];
/// Texts to train on and to test on with `--quick`.
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
    /// By run.
    pub(super) train: Vec<Part>,
    pub(super) test: Part,
    /// For each text to test on, the sentence that it belongs to.
    pub(super) sentences: Vec<usize>,
    /// How many of them, the first, are of the set's test file: SST-2's development set, and a sample of QQP's pairs.
    pub(super) of_file: usize,
}

/// Texts or pairs as word pieces.
pub(super) struct Part {
    tokens: Vec<Tokens>,
    pub(super) labels: Vec<usize>,
}

impl Labelled {
    /// Tests on the texts of the test file and on others. No text to train on shares a sentence with any of them.
    ///
    /// # Errors
    /// The set cannot be read, or is too small.
    pub(super) fn read(run: &Run<'_>, pieces: &Pieces, (key, name): (&str, &'static str), at: usize) -> Result<Self> {
        let set = run.set(key)?;
        let count =
            |of: usize, quick: usize| if run.is_quick() { quick } else { (of as f64 * run.share()).ceil() as usize };
        let name_of = |what: &str| format!("pretraining/{key}/{what}");
        let sides = sides(&set.test, &set.train, TRAINING[at], &mut run.rng(&name_of("sides")));
        let (of_file, of_others) = sides.split_at(set.test.len());
        let order = shuffled(set.train.len(), run.seed(&name_of("order")));
        let others = || order.iter().map(|place| (&set.train[*place], of_others[*place]));
        let may_train: Vec<&Example> = others().filter(|(_, side)| *side == Side::Train).map(|(one, _)| one).collect();
        let all = set.test.iter().zip(of_file.iter().copied()).chain(others());
        let may_test = all.filter_map(|(example, side)| match side {
            Side::Test(sentence) => Some((example, sentence)),
            Side::Train | Side::Neither => None,
        });
        let (test, sentences): (Vec<&Example>, Vec<usize>) = may_test.take(count(TEST[at], FEW[1])).unzip();
        ensure!(!may_train.is_empty() && !test.is_empty(), "{name} has too few sentences");
        let train = |number: u32| {
            let order = shuffled(may_train.len(), run.seed(&name_of(&format!("run={number}"))));
            let chosen = order.iter().take(count(TRAIN[at], FEW[0])).map(|place| may_train[*place]);
            Part::of(pieces, &chosen.collect::<Vec<_>>())
        };
        let train = (0..run.runs()).map(train).collect();
        let of_file = set.test.len().min(test.len());
        Ok(Self { name, classes: set.labels.len(), train, test: Part::of(pieces, &test), sentences, of_file })
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
            let (places, rows): (Vec<usize>, Vec<WordId>) =
                (0..).zip(&tokens.pieces).filter_map(|(place, piece)| Some((place, pieces.row(*piece)?))).unzip();
            for (place, row) in places.into_iter().zip(privatizer.draw_all(&rows, &mut rng)) {
                tokens.pieces[place] = pieces.piece(row);
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
