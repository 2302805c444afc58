//! Pairs of sentences with hidden places, under noise, and what the encoder is to name there.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Result, ensure};
use ndarray::Array2;
use rand_core::Rng;
use textveil::{Privatizer, ReleaseRng, WordId};
use textveil_learn::{Masked, Sequence};

use super::super::setting::Setting;
use super::pieces::{Pieces, Tokens};
use crate::reproduce::run::Run;
use textveil_toolkit::sampling::below;

/// Pairs a step.
const PAIRS: usize = 16;
/// Tokens of a pair, about: how many steps a number of tokens is.
const TOKENS: f64 = 52.0;
/// Places of 100 that are hidden.
const HIDDEN: usize = 15;
/// Of 100 hidden places, those at which the mask is seen (BERT's share).
const MASKED: usize = 80;
/// Those at which any piece is seen. At the rest it is the piece itself, under noise like all others.
const RANDOM: usize = 10;
/// Prob makes its law of this number of perturbed tokens.
const DRAWS: usize = 10;

/// The answer that is right at a hidden place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Objective {
    /// A perturbed piece.
    Vanilla,
    /// The law of ten perturbed pieces.
    Prob,
    /// The piece itself.
    Denoising,
}

impl Objective {
    /// How frequent each answer is, where pieces are as frequent as this: for what an encoder knows before it reads a text.
    /// A perturbed piece is the piece itself in this share of cases (`kept`). Else it is hardly ever the same twice, and
    /// counts as any piece.
    pub(super) fn answers(self, shares: &[f64], kept: f64) -> Vec<f64> {
        match self {
            Self::Denoising => shares.to_vec(),
            Self::Vanilla | Self::Prob => {
                shares.iter().map(|share| kept * share + (1.0 - kept) / shares.len() as f64).collect()
            }
        }
    }

    /// The paper's name for it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Vanilla => "Vanilla MLM",
            Self::Prob => "Prob MLM",
            Self::Denoising => "Denoising MLM",
        }
    }
}

/// Where batches come from. Texts, hidden places and noise are the same for all objectives.
pub(super) struct Source<'a> {
    run: &'a Run<'a>,
    pieces: &'a Pieces,
    sentences: &'a [String],
    objective: Objective,
    eta: Option<f64>,
    privatizer: Option<Privatizer>,
    number: u32,
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} {:?} {}", self.objective, self.eta, self.run.seed("pretraining"))
    }
}

impl<'a> Source<'a> {
    /// # Errors
    /// An η out of range; fewer than two sentences.
    pub(super) fn new(
        run: &'a Run<'a>,
        pieces: &'a Pieces,
        sentences: &'a [String],
        objective: Objective,
        eta: Option<f64>,
        number: u32,
    ) -> Result<Self> {
        ensure!(sentences.len() > 1, "a pair needs two sentences");
        let privatizer = eta.map(|eta| Setting::noise(eta).privatizer(&pieces.table)).transpose()?;
        Ok(Self { run, pieces, sentences, objective, eta, privatizer, number })
    }

    /// Steps that read about this number of tokens.
    pub(super) fn steps(&self, tokens: f64) -> u64 {
        (tokens / (PAIRS as f64 * TOKENS)).ceil() as u64
    }

    /// The batch of a step.
    ///
    /// # Errors
    /// Noise that cannot be drawn.
    pub(super) fn batch(&self, step: u64) -> Result<Vec<Masked>> {
        let rng = |what: &str| self.run.rng(&format!("pretraining/run={}/step={step}/{what}", self.number));
        let (mut texts, mut noise) = (rng("texts"), rng("noise"));
        let pair = |_| {
            let (tokens, follows) = self.pair(&mut texts);
            let hidden = self.places(&tokens, &mut texts);
            self.masked(&tokens, &hidden, follows, &mut noise)
        };
        let mut pairs: Vec<Masked> = (0..PAIRS).map(pair).collect::<Result<_>>()?;
        self.perturb(&mut pairs, &mut rng("targets"));
        Ok(pairs)
    }

    /// A sentence and the next one, or any other, each half of the time.
    fn pair(&self, rng: &mut ReleaseRng) -> (Tokens, bool) {
        let first = below(rng, self.sentences.len() - 1);
        let (follows, other) = (rng.next_u64() >> 63 == 1, below(rng, self.sentences.len()));
        let second = if follows { first + 1 } else { other };
        (self.pieces.tokens(&self.sentences[first], Some(&self.sentences[second])), follows)
    }

    /// Some of the places that are not special, and at least one of all places; each with the piece that is seen there.
    fn places(&self, tokens: &Tokens, rng: &mut ReleaseRng) -> Vec<(usize, usize)> {
        let ordinary = |place: &usize| self.pieces.row(tokens.pieces[*place]).is_some();
        let ordinary: Vec<usize> = (0..tokens.pieces.len()).filter(ordinary).collect();
        let hidden: Vec<usize> = ordinary.iter().copied().filter(|_| below(rng, 100) < HIDDEN).collect();
        let any = ordinary.get(below(rng, ordinary.len().max(1))).copied().unwrap_or(0);
        let hidden = if hidden.is_empty() { vec![any] } else { hidden };
        hidden.into_iter().map(|place| (place, self.seen(tokens.pieces[place], rng))).collect()
    }

    fn seen(&self, hidden: usize, rng: &mut ReleaseRng) -> usize {
        match below(rng, 100) {
            ..MASKED => self.pieces.mask(),
            share if share < MASKED + RANDOM => self.pieces.any(rng),
            _ => hidden,
        }
    }

    fn masked(
        &self,
        tokens: &Tokens,
        hidden: &[(usize, usize)],
        follows: bool,
        noise: &mut ReleaseRng,
    ) -> Result<Masked> {
        let width = self.pieces.words.ncols();
        let mut vectors = Vec::with_capacity(tokens.pieces.len() * width);
        for (place, piece) in tokens.pieces.iter().enumerate() {
            let seen = hidden.iter().find(|(of, _)| *of == place).map_or(*piece, |(_, seen)| *seen);
            vectors.extend(self.pieces.vector(seen, self.eta, noise));
        }
        let vectors = Array2::from_shape_vec((tokens.pieces.len(), width), vectors)?;
        let hidden = hidden.iter().map(|(place, _)| (*place, vec![(tokens.pieces[*place], 1.0)])).collect();
        Ok(Masked { sequence: Sequence { vectors, segments: tokens.segments.clone() }, hidden, follows })
    }

    /// Asks for the law of perturbed pieces instead of the hidden piece, where the objective does.
    fn perturb(&self, pairs: &mut [Masked], rng: &mut ReleaseRng) {
        let draws = match self.objective {
            Objective::Denoising => return,
            Objective::Vanilla => 1,
            Objective::Prob => DRAWS,
        };
        let Some(privatizer) = &self.privatizer else { return };
        let hidden = pairs.iter_mut().flat_map(|pair| &mut pair.hidden);
        let (rows, laws): (Vec<WordId>, Vec<_>) =
            hidden.filter_map(|(_, law)| Some((self.pieces.row(law.first()?.0)?, law))).unzip();
        let inputs: Vec<WordId> = rows.into_iter().flat_map(|row| [row; DRAWS].into_iter().take(draws)).collect();
        for (law, drawn) in laws.into_iter().zip(privatizer.draw_all(&inputs, rng).chunks(draws)) {
            let mut counts = BTreeMap::new();
            drawn.iter().for_each(|word| *counts.entry(self.pieces.piece(*word)).or_insert(0_u16) += 1);
            *law = counts.into_iter().map(|(piece, count)| (piece, f32::from(count) / draws as f32)).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pieces::tests::toy;
    use super::*;
    use crate::data::toy::Toy;
    use crate::reproduce::report::Report;
    use crate::reproduce::run::tests::with_library;

    fn batches(run: &Run<'_>, objective: Objective, eta: Option<f64>) -> Vec<Masked> {
        let pieces = toy();
        let sentences: Vec<String> = ["a b c d", "e f g h", "i j k l", "m n o p"].map(str::to_owned).into();
        let source = Source::new(run, &pieces, &sentences, objective, eta, 0).expect("a source");
        let batches = (0..30).map(|step| source.batch(step).expect("a batch"));
        batches.flatten().collect()
    }

    fn with_run(compute: fn(&Run<'_>) -> Result<Report>) {
        let library = Toy::new().library();
        with_library(&super::super::TABLE_6, 1, &library, compute).expect("computed");
    }

    #[test]
    fn perturbed_answers_are_more_alike_than_pieces() {
        let shares = [0.7, 0.2, 0.1];
        assert_eq!(Objective::Denoising.answers(&shares, 0.4), shares);
        let near = |found: Vec<f64>, expected: [f64; 3]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
        for objective in [Objective::Vanilla, Objective::Prob] {
            assert!(near(objective.answers(&shares, 1.0), shares));
            assert!(near(objective.answers(&shares, 0.4), [0.48, 0.28, 0.24]));
        }
    }

    #[test]
    fn objectives_ask_for_other_pieces_of_the_same_texts_under_the_same_noise() {
        with_run(|run| {
            let eta = Some(3.0);
            let [vanilla, prob, denoising] = [Objective::Vanilla, Objective::Prob, Objective::Denoising]
                .map(|objective| batches(run, objective, eta));
            let clear = batches(run, Objective::Denoising, None);
            let (mut tokens, mut hidden, mut changed, mut follows) = (0, 0, 0, 0);
            let (pieces, mut masked, mut own_seen) = (toy(), 0, 0);
            for (((vanilla, prob), denoising), clear) in vanilla.iter().zip(&prob).zip(&denoising).zip(&clear) {
                assert_eq!(vanilla.sequence.vectors, denoising.sequence.vectors);
                assert_eq!(prob.sequence.vectors, denoising.sequence.vectors);
                assert_ne!(clear.sequence.vectors, denoising.sequence.vectors);
                assert_eq!(clear.hidden, denoising.hidden);
                tokens += denoising.sequence.segments.len() - 3;
                follows += usize::from(denoising.follows);
                for ((one, ten), own) in vanilla.hidden.iter().zip(&prob.hidden).zip(&denoising.hidden) {
                    assert!(own.1.len() == 1 && one.1.len() == 1 && one.0 == own.0 && ten.0 == own.0);
                    assert!((ten.1.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
                    assert!(ten.1.len() > 1 || ten.1[0].1 == 1.0);
                    changed += usize::from(one.1 != own.1);
                    let seen = clear.sequence.vectors.row(own.0);
                    masked += usize::from(seen == pieces.words.row(pieces.mask()));
                    own_seen += usize::from(seen == pieces.words.row(own.1[0].0));
                    hidden += 1;
                }
            }
            let share = hidden as f64 / tokens as f64;
            assert!((0.13..0.22).contains(&share), "{share}: of short texts one place is always hidden");
            let [masked, own_seen] = [masked, own_seen].map(|count| count as f64 / hidden as f64);
            assert!((0.74..0.86).contains(&masked) && (0.05..0.16).contains(&own_seen), "{masked} {own_seen}");
            assert!((0.2..0.99).contains(&(changed as f64 / hidden as f64)), "{changed} of {hidden}");
            assert!((200..280).contains(&follows), "{follows} of 480");
            Ok(Report::default())
        });
    }
}
