//! Table 6 (token representations) and Table 7 (text to text): what an encoder gains that was first pretrained on vectors
//! under the same noise, by objective.
//!
//! In all objectives the encoder sees noisy vectors of word pieces, with `[MASK]` at hidden places. It must name what
//! was hidden: one perturbed piece (Vanilla), the law of ten (Prob), or the piece itself (Denoising). The table of word
//! vectors is fixed and belongs to the user. Every draw happens there, by the mechanism of the other tables on the
//! lattice of this table. Then the encoder is trained on labelled texts that were privatized once, and tested on texts
//! privatized in the same way.
//!
//! An order of objectives means nothing unless pretraining works at all: without noise it has to beat no pretraining by three
//! standard errors. Until it does, everything is undecided.

mod hidden;
mod pieces;
mod texts;

use std::fmt;
use std::path::PathBuf;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use textveil_learn::{Encoder, FineTuning, Pretraining};

use super::strengths::Strength;
use super::{DATA, SETS};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::{Experiment, Runs};
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use hidden::{Objective, Source};
use pieces::Pieces;
use texts::{Labelled, Privatization};
use textveil_toolkit::cells;
use textveil_toolkit::files::hexadecimal;
use textveil_toolkit::report::numbers::short;
use textveil_toolkit::report::{Cell, Mean, Sheet};

pub(crate) static TABLE_6: Experiment = Experiment {
    paper: "qu",
    table: "table-6",
    about: "SST-2 and QQP: accuracy on token representations by pretraining objective (Qu et al., CIKM 2021)",
    data: &[DATA[0], DATA[1], CORPUS],
    takes: &["encoder", "share", "at-most"],
    runs: Some(Runs { quick: 1, usual: 3, paper: None }),
    has_plot: false,
    why: WHY,
    compute: |run| compute(run, Privatization::Representations),
};

pub(crate) static TABLE_7: Experiment = Experiment {
    table: "table-7",
    about: "SST-2 and QQP: accuracy on text to text by pretraining objective (Qu et al., CIKM 2021)",
    compute: |run| compute(run, Privatization::Text),
    ..TABLE_6
};

const CORPUS: &str = "wiki_sentences";
/// The title of the sheet that has the paper's numbers.
pub(super) const ACCURACY: &str = "Accuracy by pretraining";

const WHY: &str = "All of it is 23 hours of a core: 1.5 million tokens an objective and eta, 8,000 labelled texts of SST-2 and \
4,000 of QQP, three runs. A recorded run may have a share of that work and of the cells (settings: share). The encoder begins as \
all-MiniLM-L6-v2, which has 6 layers of 384 elements and was made for sentences; the paper begins with BERT and sees far more \
tokens. eta is matched as in the other tables, on the word pieces of SST-2 in the encoder's own space of 384 dimensions, with \
word vectors rounded to 8 bits. Context is under noise on vectors in both tables, so that they share their encoders. Texts to \
test on are those of the paper and training texts that were not used; phrases of SST-2 may be parts of the same sentence. Special \
pieces such as [CLS] are not noised.";

/// The paper's η at which encoders are trained; the middle one with `--quick`.
pub(super) const ETAS: [f64; 3] = [100.0, 150.0, 75.0];
/// Tokens that an encoder sees in pretraining.
const TOKENS: f64 = 1.5e6;
/// The same with `--quick`.
const FEW_TOKENS: f64 = 160_000.0;
/// Standard errors by which pretraining has to win in clear.
const GATE: f64 = 3.0;
/// Of a normal law: 95 %.
const NORMAL: f64 = 1.96;
/// Steps over which a loss is averaged at both ends.
const AVERAGED: usize = 20;
/// Steps after which a pretraining is kept.
const KEPT_EACH: u64 = 50;

/// An encoder that is trained and tested.
#[derive(Clone, Copy)]
struct Training {
    strength: Option<Strength>,
    objective: Option<Objective>,
    run: u32,
}

impl fmt::Display for Training {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.strength {
            Some(Strength { paper, .. }) => write!(formatter, "eta={paper}")?,
            None => formatter.write_str("clear")?,
        }
        write!(formatter, "/{}/run={}", self.pretraining(), self.run)
    }
}

impl Training {
    /// The name of the pretraining in the sheets.
    fn pretraining(&self) -> &'static str {
        match (self.objective, self.strength) {
            (None, _) => "none",
            (Some(_), None) => "plain MLM",
            (Some(objective), Some(_)) => objective.name(),
        }
    }

    /// Whether it is another run of the same.
    fn is_like(&self, other: &Self) -> bool {
        let eta = |of: &Self| of.strength.map(|strength| strength.paper);
        eta(self) == eta(other) && self.objective == other.objective
    }
}

/// The results of a pretraining.
#[derive(Serialize, Deserialize)]
struct Outcome {
    pretraining: Option<Learned>,
    /// By set.
    scores: Vec<Score>,
}

#[derive(Serialize, Deserialize)]
struct Learned {
    tokens: u64,
    seconds: f64,
    /// Nats a hidden place, over the first steps and over the last.
    first: f64,
    last: f64,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Score {
    accuracy: f64,
    tested: u64,
}

struct Laboratory<'a> {
    run: &'a Run<'a>,
    pieces: Pieces,
    privatization: Privatization,
    corpus: Vec<String>,
    sets: Vec<Labelled>,
}

impl Laboratory<'_> {
    fn outcome(&self, training: &Training) -> Result<Outcome> {
        let (encoder, pretraining) = match training.objective {
            None => (self.pieces.encoder.clone(), None),
            Some(objective) => {
                let (encoder, learned) = self.pretrained(training, objective)?;
                (encoder, Some(learned))
            }
        };
        let scores = self.sets.iter().map(|set| self.score(training, &encoder, set)).collect::<Result<_>>()?;
        Ok(Outcome { pretraining, scores })
    }

    /// Both tables have the same encoders: where cells are kept, so are they.
    fn pretrained(&self, training: &Training, objective: Objective) -> Result<(Encoder, Learned)> {
        let Self { run, pieces, .. } = self;
        let source = Source::new(self.run, pieces, &self.corpus, objective, training.strength, training.run)?;
        let identity = format!("{} {:?} {training} {source}", run.program(), run.encoder_digests());
        let name = format!("qu-encoder-{}.safetensors", &hexadecimal(&Sha256::digest(&identity))[..16]);
        let path: Option<PathBuf> = run.folder().map(|folder| folder.join(name));
        let tokens = if run.is_quick() { FEW_TOKENS } else { TOKENS } * run.share();
        let how = Pretraining {
            words: &pieces.words,
            steps: source.steps(tokens),
            rate: pieces.rates.pretraining,
            seed: run.seed(&format!("pretraining/head/run={}", training.run)),
            checkpoint: path.as_deref().map(|path| (path, KEPT_EACH)),
            identity: &identity,
        };
        let pretrained = pieces.encoder.pretrain(&how, &|step| source.batch(step))?;
        let losses = &pretrained.losses;
        let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len().max(1) as f64;
        let few = AVERAGED.min(losses.len());
        let (first, last) = (mean(&losses[..few]), mean(&losses[losses.len() - few..]));
        let learned = Learned { tokens: pretrained.tokens, seconds: pretrained.seconds, first, last };
        Ok((pretrained.encoder, learned))
    }

    fn score(&self, training: &Training, encoder: &Encoder, set: &Labelled) -> Result<Score> {
        let eta = training.strength.map(|strength| strength.eta);
        // Noise, order and the layer's weights do not depend on the objective, so that objectives are compared in pairs.
        let strength = training.strength.map_or_else(|| "clear".to_owned(), |of| format!("eta={}", of.paper));
        let key = format!("{}/{}/{strength}/run={}", set.name, self.privatization.name(), training.run);
        let sent = |part, name| {
            texts::Sent::new(self.run, &self.pieces, part, self.privatization, eta, format!("{key}/{name}"))
        };
        let (train, test) = (sent(&set.train, "train")?, sent(&set.test, "test")?);
        let seed = self.run.seed(&format!("{key}/classifier"));
        let how = FineTuning { epochs: 3, batch: 32, rate: self.pieces.rates.fine_tuning, seed };
        let reader = encoder.fine_tune(&how, &train, &set.train.labels, set.classes)?;
        let said = reader.predict(&test)?;
        let right = said.iter().zip(&set.test.labels).filter(|(said, label)| said == label).count();
        Ok(Score { accuracy: right as f64 / said.len() as f64, tested: said.len() as u64 })
    }
}

/// The most telling first: whether pretraining works at all, then each strength.
fn trainings(strengths: &[Strength], runs: u32) -> Vec<Training> {
    let ordered = ETAS.iter().filter_map(|eta| strengths.iter().find(|strength| strength.paper == *eta));
    let under_noise = ordered.flat_map(|strength| {
        let objectives = [None, Some(Objective::Denoising), Some(Objective::Vanilla), Some(Objective::Prob)];
        objectives.map(|objective| (Some(*strength), objective))
    });
    let kinds: Vec<_> = [(None, None), (None, Some(Objective::Denoising))].into_iter().chain(under_noise).collect();
    let of_run = |run| {
        kinds.iter().map(move |(strength, objective)| Training { strength: *strength, objective: *objective, run })
    };
    (0..runs).flat_map(of_run).collect()
}

fn compute(run: &Run<'_>, privatization: Privatization) -> Result<Report> {
    let pieces = Pieces::of(run)?;
    let etas: &[f64] = if run.is_quick() { &ETAS[..1] } else { &ETAS };
    let strengths = pieces.strengths(run, etas)?;
    let corpus = run.library()?.lines(CORPUS)?.train;
    let sets =
        SETS.iter().enumerate().map(|(at, set)| Labelled::read(run, &pieces, *set, at)).collect::<Result<_>>()?;
    let laboratory = Laboratory { run, pieces, privatization, corpus, sets };
    let trainings = trainings(&strengths, run.runs());
    let outcomes = run.some_cells(&trainings, |training| laboratory.outcome(training))?;
    let found = Found { trainings, outcomes };
    let sheets = vec![found.accuracy(&laboratory), found.pretraining()];
    Ok(Report { sheets, claims: found.claims(), ..Report::default() })
}

/// What was computed, and what was not.
struct Found {
    trainings: Vec<Training>,
    outcomes: Vec<Option<Outcome>>,
}

impl Found {
    /// The first run of each kind.
    fn kinds(&self) -> impl Iterator<Item = &Training> {
        self.trainings.iter().filter(|training| training.run == 0)
    }

    /// The runs of a kind that there are.
    fn of<'a>(&'a self, kind: &'a Training) -> impl Iterator<Item = (u32, &'a Outcome)> {
        let all = self.trainings.iter().zip(&self.outcomes).filter(|(training, _)| training.is_like(kind));
        all.filter_map(|(training, outcome)| Some((training.run, outcome.as_ref()?)))
    }

    fn accuracy(&self, laboratory: &Laboratory<'_>) -> Sheet {
        let mut sheet = Sheet::new(ACCURACY);
        for (at, set) in laboratory.sets.iter().enumerate() {
            for kind in self.kinds() {
                let scores: Vec<Score> = self.of(kind).map(|(_, outcome)| outcome.scores[at]).collect();
                let accuracies: Vec<f64> = scores.iter().map(|score| score.accuracy).collect();
                let of_strength = |of: fn(&Strength) -> f64| {
                    kind.strength.as_ref().map_or_else(|| "".into(), |at| Cell::from(of(at)))
                };
                sheet.row(cells![
                    "set" => set.name,
                    "paper's eta" => of_strength(|at| at.paper),
                    "inversion aimed at" => of_strength(|at| at.aim),
                    "eta" => of_strength(|at| at.eta),
                    "pretraining" => kind.pretraining(),
                    "runs" => scores.len() as f64,
                    "texts to train on" => set.train.labels.len() as f64,
                    "texts to test on" => set.test.labels.len() as f64,
                    "commonest label" => set.majority(),
                    "accuracy" => if scores.is_empty() { "".into() } else { Cell::from(Mean::of(&accuracies)) },
                ]);
            }
        }
        sheet
    }

    fn pretraining(&self) -> Sheet {
        let mut sheet = Sheet::new("Pretraining: nats a hidden place, and its cost");
        for (training, outcome) in self.trainings.iter().zip(&self.outcomes) {
            let Some(Learned { tokens, seconds, first, last }) =
                outcome.as_ref().and_then(|of| of.pretraining.as_ref())
            else {
                continue;
            };
            sheet.row(cells![
                "cell" => training.to_string(),
                "tokens" => *tokens as f64,
                "loss at first" => *first,
                "loss at last" => *last,
                "tokens a CPU-second" => *tokens as f64 / seconds,
            ]);
        }
        sheet
    }

    /// By how much one kind tells more than another on a set.
    fn difference(&self, set: usize, more: &Training, less: &Training) -> Difference {
        let less: Vec<(u32, Score)> = self.of(less).map(|(run, outcome)| (run, outcome.scores[set])).collect();
        let pairs = self.of(more).filter_map(|(run, outcome)| {
            let (_, other) = less.iter().find(|(of, _)| *of == run)?;
            Some([outcome.scores[set], *other])
        });
        Difference::of(&pairs.collect::<Vec<_>>())
    }

    fn claims(&self) -> Vec<Claim> {
        let kind = |eta: Option<f64>, name: &str| {
            self.kinds().find(|kind| kind.strength.map(|of| of.paper) == eta && kind.pretraining() == name)
        };
        let mut claims = Vec::new();
        for (set, (_, name)) in SETS.iter().enumerate() {
            let Some((plain, none)) = kind(None, "plain MLM").zip(kind(None, "none")) else { continue };
            let gate = self.difference(set, plain, none);
            let is_open = !gate.passes();
            claims.push(Claim {
                text: format!("{name}: in clear, plain MLM tells more than no pretraining by three standard errors"),
                holds: (!is_open).then_some(true),
                evidence: gate.shown() + if is_open { ": undecided, and so is all below" } else { "" },
            });
            for eta in ETAS {
                for less in ["none", Objective::Vanilla.name(), Objective::Prob.name()] {
                    let Some((denoising, other)) =
                        kind(Some(eta), Objective::Denoising.name()).zip(kind(Some(eta), less))
                    else {
                        continue;
                    };
                    let found = self.difference(set, denoising, other);
                    let text = format!("{name}, paper's eta {eta}: {} tells more than {less}", denoising.pretraining());
                    let claim = Claim::positive(text, found.mean, found.half_width(), found.shown());
                    claims.push(if is_open { Claim { holds: None, ..claim } } else { claim });
                }
            }
        }
        claims
    }
}

/// A difference of accuracies, run by run on the same texts, noise and order.
struct Difference {
    mean: f64,
    /// Student's over the runs; infinite for fewer than two.
    over_runs: f64,
    /// Standard errors: over the runs, and of the choice of test texts, as if the two were tested on different ones.
    errors: [f64; 2],
    runs: usize,
}

impl Difference {
    fn of(pairs: &[[Score; 2]]) -> Self {
        let differences: Vec<f64> = pairs.iter().map(|[more, less]| more.accuracy - less.accuracy).collect();
        let Mean { mean, half_width, .. } = Mean::of(&differences);
        let count = pairs.len() as f64;
        let squares = differences.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
        let over_runs = if pairs.len() > 1 { (squares / (count - 1.0) / count).sqrt() } else { f64::INFINITY };
        let of_texts = |score: &Score| score.accuracy * (1.0 - score.accuracy) / score.tested as f64;
        // The runs share their texts: more runs do not lessen it.
        let texts = (pairs.iter().flatten().map(of_texts).sum::<f64>() / count).sqrt();
        Self { mean, over_runs: half_width.unwrap_or(f64::INFINITY), errors: [over_runs, texts], runs: pairs.len() }
    }

    fn half_width(&self) -> f64 {
        self.over_runs.hypot(NORMAL * self.errors[1])
    }

    fn passes(&self) -> bool {
        self.mean > GATE * self.errors[0].hypot(self.errors[1])
    }

    fn shown(&self) -> String {
        match self.runs {
            0 => "not computed".to_owned(),
            1 => format!("{} in one run, which says nothing of others", short(self.mean)),
            runs => {
                let error = self.errors[0].hypot(self.errors[1]);
                format!("{} over {runs} runs, standard error {}", short(self.mean), short(error))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(of: impl Fn(&Training) -> Option<f64>) -> Found {
        let strengths = ETAS.map(|paper| Strength { aim: 0.3, paper, eta: paper });
        let trainings = trainings(&strengths, 3);
        let outcome = |training: &Training| {
            let score = |accuracy| Score { accuracy, tested: 20_000 };
            Some(Outcome { pretraining: None, scores: vec![score(of(training)?), score(0.5)] })
        };
        Found { outcomes: trainings.iter().map(outcome).collect(), trainings }
    }

    fn verdicts(found: &Found) -> Vec<&'static str> {
        found.claims().iter().take(10).map(Claim::verdict).collect()
    }

    #[test]
    fn an_order_is_claimed_only_if_pretraining_works_in_clear() {
        let accuracy = |gain: f64| {
            move |training: &Training| {
                let base = match training.pretraining() {
                    "none" => 0.7,
                    "plain MLM" => 0.7 + gain,
                    "Denoising MLM" => 0.78,
                    _ => 0.75,
                };
                Some(base + 0.001 * f64::from(training.run))
            }
        };
        assert_eq!(verdicts(&found(accuracy(0.05))), ["yes"; 10]);
        assert_eq!(verdicts(&found(accuracy(0.005))), ["open"; 10], "three standard errors are .014");
        let one_run = |training: &Training| accuracy(0.05)(training).filter(|_| training.run == 0);
        assert_eq!(verdicts(&found(one_run)), ["open"; 10]);
        assert_eq!(verdicts(&found(|_| None)), ["open"; 10]);
    }

    #[test]
    fn an_order_whose_interval_holds_zero_is_open_and_a_wrong_one_does_not_hold() {
        let of = |training: &Training| {
            let base = match training.pretraining() {
                "none" => 0.7,
                "plain MLM" => 0.76,
                "Denoising MLM" => 0.75,
                "Vanilla MLM" => 0.749,
                _ => 0.78,
            };
            Some(base)
        };
        assert_eq!(verdicts(&found(of))[1..4], ["yes", "open", "NO"]);
    }
}
