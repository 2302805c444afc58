//! Table 6 (token representations) and Table 7 (text to text): what an encoder gains that was first pretrained on vectors
//! under the same noise, by objective.
//!
//! In all objectives the encoder sees noisy vectors of word pieces, mostly with `[MASK]` at hidden places. It must name
//! what was hidden: one perturbed piece (Vanilla), the law of ten (Prob), or the piece itself (Denoising). The table of word
//! vectors is fixed and belongs to the user. Every draw happens there, by the mechanism of the other tables on the
//! lattice of this table. Then the encoder is trained on labelled texts that were privatized once, and tested on texts
//! privatized in the same way.
//!
//! An order of objectives means nothing unless pretraining works at all: without noise it has to beat no pretraining by three
//! standard errors. Until it does, everything is undecided.

mod hidden;
mod pieces;
mod places;
mod sides;
mod texts;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use textveil_learn::{Encoder, FineTuning, Pretraining};

use super::strengths::{Strength, paper};
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
    takes: &["encoder", "share", "tokens", "at-most", "only"],
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

const WHY: &str = "All of it is at least 35 hours of a core: 1.5 million tokens an objective and eta, 8,000 labelled texts of SST-2 \
and 4,000 of QQP, three runs. A recorded run may have fewer tokens, a share of that work, and some of the cells \
(settings: tokens, share). The encoder begins as all-MiniLM-L6-v2, which has 6 layers of 384 elements and was made \
for sentences; the paper begins with BERT. Ours makes 1,800 steps of 16 pairs of sentences; the paper warms up for \
10,000 steps of 256 pairs, and trains for up to a million. What names hidden pieces begins with how frequent the \
answers are. For Vanilla and Prob that is a guess: it takes exchanged pieces for equally likely, and they are not. \
It learns at a rate of .001, the encoder at .00005 in clear and at .0005 under noise, where the loss of Denoising \
falls further so (the paper's: .00002), in batches of 16 pairs (256), by Adam without weight decay. Both choices \
may favour Denoising. Fine-tuning is at .00005, too (.00002 for SST, .00004 for QQP), on an eighth of SST-2's texts \
and on 1 % of QQP's. Texts are cut after 60 pieces, and those of a pair after 30 (128 in all). A classifier reads \
the first token behind BERT's pooling layer, as the paper's does; all-MiniLM-L6-v2 itself takes the mean of all \
tokens. eta is matched as in the other tables, on the word pieces of SST-2 in the encoder's own space of 384 \
dimensions, with word vectors rounded to 8 bits. Context is under noise on vectors in both tables, so that they \
share their encoders: on text an encoder is trained further on vectors without noise. A word with a letter, a dash \
or a quotation mark outside of ASCII becomes [UNK], which is special: .5 % of the corpus's words, .1 % of QQP's. Of \
ten hidden places eight show [MASK], one any piece and one the piece itself, and dropout is 0.1 in all layers, as \
in BERT. Texts to test on are those of SST-2's development set, a sample of 1,000 pairs of QQP, and training texts \
that were not used: most of SST-2's are phrases. The paper tests on SST-2's development set, and on 40,000 pairs of \
QQP. No sentence of SST-2 and no question of QQP is on both sides: phrases train or test as the sentences do that \
they were cut from. Standard errors count the texts of a sentence as one. Intervals have the chance of runs and \
that of texts. Special pieces such as [CLS] are not noised. In exact arithmetic, what is sent of a word piece loses \
at most eta times the distance of two pieces' vectors; eta is 97 where the paper has 150.";

/// The paper's η at which encoders are trained; the middle one with `--quick`.
pub(super) const ETAS: [f64; 3] = [100.0, 150.0, 75.0];
/// Tokens that an encoder sees in pretraining.
const TOKENS: f64 = 1.5e6;
/// The same with `--quick`.
const FEW_TOKENS: f64 = 160_000.0;
/// Standard errors by which pretraining has to win in clear.
const GATE: f64 = 3.0;
/// The largest difference on text in the paper is about this.
const SMALL_DIFFERENCE: f64 = 0.04;
/// Of a normal law: 95 %.
const NORMAL: f64 = 1.96;
/// Steps over which a loss is averaged at both ends, if there are twice as many.
const AVERAGED: usize = 20;
/// Steps after which a pretraining is kept.
const KEPT_EACH: u64 = 300;

/// An encoder that is trained.
#[derive(Clone, Copy, PartialEq)]
struct Training {
    /// The paper's; none in clear.
    eta: Option<f64>,
    objective: Option<Objective>,
    run: u32,
}

/// One that is tested on a set.
#[derive(Clone, Copy)]
struct Trial {
    /// By its place in [`SETS`].
    set: usize,
    training: Training,
}

impl fmt::Display for Trial {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", SETS[self.set].0, self.training)
    }
}

impl fmt::Display for Training {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}/run={}", self.noise(), self.pretraining(), self.run)
    }
}

impl Training {
    /// As keys say it.
    fn noise(&self) -> String {
        self.eta.map_or_else(|| "clear".to_owned(), |eta| format!("eta={eta}"))
    }

    /// The name of the pretraining in the sheets.
    fn pretraining(&self) -> &'static str {
        match (self.objective, self.eta) {
            (None, _) => "none",
            (Some(_), None) => "plain MLM",
            (Some(objective), Some(_)) => objective.name(),
        }
    }

    /// Whether it is another run of the same.
    fn is_like(&self, other: &Self) -> bool {
        *self == Self { run: self.run, ..*other }
    }
}

/// The results of a pretraining.
#[derive(Serialize, Deserialize)]
struct Outcome {
    pretraining: Option<Learned>,
    /// Texts that it was tested on.
    tested: u32,
    /// Those that it misread, by their place.
    #[serde(with = "places")]
    wrong: Vec<u32>,
}

impl Outcome {
    fn accuracy(&self) -> f64 {
        self.accuracy_on(self.tested as usize)
    }

    /// On the first texts.
    fn accuracy_on(&self, first: usize) -> f64 {
        1.0 - self.wrong.iter().filter(|text| (**text as usize) < first).count() as f64 / first as f64
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct Learned {
    tokens: u64,
    seconds: f64,
    /// Nats a hidden place, over the first steps and over the last.
    first: f64,
    last: f64,
}

/// An encoder that was pretrained in this process; locked while it is.
struct Known {
    training: Training,
    found: Mutex<Option<(Encoder, Learned)>>,
}

struct Laboratory<'a> {
    run: &'a Run<'a>,
    pieces: Pieces,
    privatization: Privatization,
    corpus: Vec<String>,
    /// How frequent each piece is in it.
    shares: Vec<f64>,
    sets: Vec<Labelled>,
    /// Of the noise that is wanted.
    strengths: Vec<Strength>,
    known: Vec<Known>,
}

impl Laboratory<'_> {
    fn strength(&self, training: &Training) -> Option<&Strength> {
        self.strengths.iter().find(|strength| Some(strength.paper) == training.eta)
    }

    /// How frequent the answers of an objective are.
    fn answers(&self, training: &Training, objective: Objective) -> Vec<f64> {
        objective.answers(&self.shares, self.strength(training).map_or(1.0, |strength| strength.aim))
    }

    fn outcome(&self, trial: &Trial) -> Result<Outcome> {
        let (encoder, pretraining) = match trial.training.objective {
            None => (self.pieces.encoder.clone(), None),
            Some(objective) => {
                let (encoder, learned) = self.of_both_sets(&trial.training, objective)?;
                (encoder, Some(learned))
            }
        };
        let (tested, wrong) = self.misread(&trial.training, &encoder, &self.sets[trial.set])?;
        Ok(Outcome { pretraining, tested, wrong })
    }

    /// Both sets have the same encoders. Those that no file keeps are held until the end.
    fn of_both_sets(&self, training: &Training, objective: Objective) -> Result<(Encoder, Learned)> {
        let known = self.known.iter().find(|known| known.training == *training);
        let mut found = known.map(|known| known.found.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(found) = found.as_ref().and_then(|found| found.as_ref()) {
            return Ok(found.clone());
        }
        let pretrained = self.pretrained(training, objective)?;
        if let Some(found) = found.as_mut().filter(|_| self.run.folder().is_none()) {
            **found = Some(pretrained.clone());
        }
        Ok(pretrained)
    }

    /// Both tables have the same encoders: where cells are kept, so are they.
    fn pretrained(&self, training: &Training, objective: Objective) -> Result<(Encoder, Learned)> {
        let Self { run, pieces, .. } = self;
        let eta = self.strength(training).map(|strength| strength.eta);
        let source = Source::new(self.run, pieces, &self.corpus, objective, eta, training.run)?;
        let usual = if run.is_quick() { FEW_TOKENS } else { TOKENS } * run.share();
        let steps = source.steps(run.tokens().map_or(usual, |tokens| tokens as f64));
        let start = (run.program(), run.encoder_digests(), pieces.table.id(), run.library()?.digests(&[CORPUS])?);
        let identity = format!("{start:?} {training} {source} {steps}");
        let name = format!("qu-encoder-{}.safetensors", &hexadecimal(&Sha256::digest(&identity))[..16]);
        let path: Option<PathBuf> = run.folder().map(|folder| folder.join(name));
        let how = Pretraining {
            words: &pieces.words,
            shares: &self.answers(training, objective),
            steps,
            rate: if eta.is_some() { pieces.rates.under_noise } else { pieces.rates.in_clear },
            head_rate: pieces.rates.head,
            seed: run.seed(&format!("pretraining/head/run={}", training.run)),
            checkpoint: path.as_deref().map(|path| (path, KEPT_EACH)),
            identity: &identity,
        };
        let pretrained = pieces.encoder.pretrain(&how, &|step| source.batch(step))?;
        let losses = &pretrained.losses;
        let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len().max(1) as f64;
        let few = AVERAGED.min(losses.len() / 2).max(1);
        let (first, last) = (mean(&losses[..few]), mean(&losses[losses.len() - few..]));
        let learned = Learned { tokens: pretrained.tokens, seconds: pretrained.seconds, first, last };
        Ok((pretrained.encoder, learned))
    }

    /// How many texts it was tested on, and those that it misread.
    fn misread(&self, training: &Training, encoder: &Encoder, set: &Labelled) -> Result<(u32, Vec<u32>)> {
        let eta = self.strength(training).map(|strength| strength.eta);
        // Noise, order and the layer's weights do not depend on the objective, so that objectives are compared in pairs.
        // Without noise both tables are the same.
        let sends = training.eta.map_or(Privatization::Representations, |_| self.privatization);
        let key = format!("{}/{}/{}/run={}", set.name, sends.name(), training.noise(), training.run);
        let sent = |part, name| {
            texts::Sent::new(self.run, &self.pieces, part, self.privatization, eta, format!("{key}/{name}"))
        };
        let part = &set.train[training.run as usize];
        let (train, test) = (sent(part, "train")?, sent(&set.test, "test")?);
        let seed = self.run.seed(&format!("{key}/classifier"));
        let how = FineTuning { epochs: 3, batch: 32, rate: self.pieces.rates.fine_tuning, seed };
        let reader = encoder.fine_tune(&how, &train, &part.labels, set.classes)?;
        let said = reader.predict(&test)?;
        let texts = (0..).zip(said.iter().zip(&set.test.labels));
        let wrong = texts.filter(|(_, (said, label))| said != label).map(|(text, _)| text).collect();
        Ok((u32::try_from(said.len())?, wrong))
    }
}

/// The most telling first: whether pretraining works at all, then each strength.
fn trials(etas: &[f64], runs: u32) -> Vec<Trial> {
    let under_noise = etas.iter().flat_map(|eta| {
        let objectives = [None, Some(Objective::Denoising), Some(Objective::Vanilla), Some(Objective::Prob)];
        objectives.map(|objective| (Some(*eta), objective))
    });
    let kinds: Vec<_> = [(None, None), (None, Some(Objective::Denoising))].into_iter().chain(under_noise).collect();
    let of_run = |run| kinds.iter().map(move |(eta, objective)| Training { eta: *eta, objective: *objective, run });
    let trainings: Vec<Training> = (0..runs).flat_map(of_run).collect();
    let of_set = |set| trainings.iter().map(move |training| Trial { set, training: *training });
    (0..SETS.len()).flat_map(of_set).collect()
}

fn compute(run: &Run<'_>, privatization: Privatization) -> Result<Report> {
    let pieces = Pieces::of(run)?;
    let etas: &[f64] = if run.is_quick() { &ETAS[..1] } else { &ETAS };
    let trials = trials(etas, run.runs());
    let wants = |eta: &f64| trials.iter().any(|trial| trial.training.eta == Some(*eta) && run.wants(trial));
    let wanted: Vec<f64> = etas.iter().copied().filter(wants).collect();
    let strengths = pieces.strengths(run, &wanted)?;
    let corpus = run.library()?.lines(CORPUS)?.train;
    let sets =
        SETS.iter().enumerate().map(|(at, set)| Labelled::read(run, &pieces, *set, at)).collect::<Result<_>>()?;
    let of_one_set = trials.iter().filter(|trial| trial.set == 0);
    let known = of_one_set.map(|trial| Known { training: trial.training, found: Mutex::default() }).collect();
    let shares = pieces.shares(&corpus);
    let laboratory = Laboratory { run, pieces, privatization, corpus, shares, sets, strengths, known };
    let outcomes = run.some_cells(&trials, |trial| laboratory.outcome(trial))?;
    let sentences = laboratory.sets.iter().map(|set| set.sentences.clone()).collect();
    let found = Found { trials, outcomes, sentences, privatization };
    let sheets = vec![found.accuracy(&laboratory), found.pretraining(&laboratory)];
    Ok(Report { sheets, claims: found.claims(), ..Report::default() })
}

/// What was computed, and what was not.
struct Found {
    trials: Vec<Trial>,
    outcomes: Vec<Option<Outcome>>,
    /// By set, for each text to test on the sentence that it belongs to.
    sentences: Vec<Vec<usize>>,
    privatization: Privatization,
}

impl Found {
    /// The first run of each kind.
    fn kinds(&self) -> impl Iterator<Item = &Training> {
        self.trials.iter().filter(|trial| trial.set == 0).map(|trial| &trial.training).filter(|of| of.run == 0)
    }

    /// The runs of a kind on a set that there are.
    fn of<'a>(&'a self, set: usize, kind: &'a Training) -> impl Iterator<Item = (u32, &'a Outcome)> {
        let all = self.trials.iter().zip(&self.outcomes);
        let all = all.filter(move |(trial, _)| trial.set == set && trial.training.is_like(kind));
        all.filter_map(|(trial, outcome)| Some((trial.training.run, outcome.as_ref()?)))
    }

    /// The accuracy of runs on the first texts of a set, if there are any runs.
    fn mean(&self, set: usize, runs: &[&Outcome], first: usize) -> Option<Mean> {
        let of_runs = Mean::of(&runs.iter().map(|run| run.accuracy_on(first)).collect::<Vec<_>>());
        let mut wrong = vec![0.0; first];
        for text in runs.iter().flat_map(|run| &run.wrong).filter(|text| (**text as usize) < first) {
            wrong[*text as usize] += 1.0 / runs.len() as f64;
        }
        let over_texts = NORMAL * error_over_sentences(&wrong, 1.0 - of_runs.mean, &self.sentences[set]);
        let half_width = of_runs.half_width.map(|over_runs| over_runs.hypot(over_texts));
        (!runs.is_empty()).then_some(Mean { half_width, ..of_runs })
    }

    fn accuracy(&self, laboratory: &Laboratory<'_>) -> Sheet {
        let mut sheet = Sheet::new(ACCURACY);
        for (at, set) in laboratory.sets.iter().enumerate() {
            for kind in self.kinds() {
                let runs: Vec<&Outcome> = self.of(at, kind).map(|(_, outcome)| outcome).collect();
                let mean = |first: usize| self.mean(at, &runs, first).map_or_else(|| Cell::from(""), Cell::from);
                let of_strength = |of: fn(&Strength) -> f64| paper(laboratory.strength(kind).map(of));
                sheet.row(cells![
                    "set" => set.name,
                    "paper's eta" => paper(kind.eta),
                    "inversion aimed at" => of_strength(|at| at.aim),
                    "eta" => of_strength(|at| at.eta),
                    "pretraining" => kind.pretraining(),
                    "runs" => runs.len() as f64,
                    "texts to train on" => set.train[0].labels.len() as f64,
                    "texts to test on" => set.test.labels.len() as f64,
                    "commonest label" => set.majority(),
                    "accuracy" => mean(set.test.labels.len()),
                    "texts of the test file" => set.of_file as f64,
                    "accuracy on these" => mean(set.of_file),
                ]);
            }
        }
        sheet
    }

    fn pretraining(&self, laboratory: &Laboratory<'_>) -> Sheet {
        let mut sheet = Sheet::new("Pretraining: nats a hidden place, and its cost");
        let mut shown: Vec<Training> = Vec::new();
        for (Trial { training, .. }, outcome) in self.trials.iter().zip(&self.outcomes) {
            let learned = outcome.as_ref().and_then(|of| of.pretraining.as_ref());
            let Some(Learned { tokens, seconds, first, last }) = learned.filter(|_| !shown.contains(training)) else {
                continue;
            };
            shown.push(*training);
            let answers = training.objective.map_or_else(Vec::new, |objective| laboratory.answers(training, objective));
            sheet.row(cells![
                "encoder" => training.to_string(),
                "tokens" => *tokens as f64,
                "loss at first" => *first,
                "loss at last" => *last,
                "entropy of what the head begins with" => -answers.iter().map(|share| share * share.ln()).sum::<f64>(),
                "tokens a second" => *tokens as f64 / seconds,
            ]);
        }
        sheet
    }

    /// By how much one kind tells more than another on a set.
    fn difference(&self, set: usize, more: &Training, less: &Training) -> Difference {
        let less: Vec<(u32, &Outcome)> = self.of(set, less).collect();
        let pairs = self.of(set, more).filter_map(|(run, outcome)| {
            let (_, other) = less.iter().find(|(of, _)| *of == run)?;
            Some([outcome, *other])
        });
        Difference::of(&pairs.collect::<Vec<_>>(), &self.sentences[set])
    }

    fn claims(&self) -> Vec<Claim> {
        let kind =
            |eta: Option<f64>, name: &str| self.kinds().find(|kind| kind.eta == eta && kind.pretraining() == name);
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
                for order in claimed(self.privatization, set, eta) {
                    let Some((more, less)) = kind(Some(eta), order.more).zip(kind(Some(eta), order.less)) else {
                        continue;
                    };
                    let found = self.difference(set, more, less);
                    let claim = order.judged(&format!("{name}, paper's eta {eta}"), &found);
                    claims.push(if is_open { Claim { holds: None, ..claim } } else { claim });
                }
            }
        }
        claims
    }
}

/// What the paper says of two pretrainings.
struct Order {
    more: &'static str,
    less: &'static str,
    /// By how much the two differ at most, if that is the claim.
    at_most: Option<f64>,
}

impl Order {
    fn judged(&self, at: &str, found: &Difference) -> Claim {
        let Self { more, less, at_most } = self;
        let evidence = found.shown();
        match at_most {
            None => Claim::positive(
                format!("{at}: {more} tells more than {less}"),
                found.mean,
                found.half_width(),
                evidence,
            ),
            Some(most) => {
                let text = format!("{at}: {more} tells as much as {less}, within {most}");
                Claim::positive(text, most - found.mean.abs(), found.half_width(), evidence)
            }
        }
    }
}

/// What the paper claims at an η: on representations that pretraining helps, and where Denoising is marked as significantly
/// better. On text it marks one such cell among ours, and calls all differences small: at most
/// [`SMALL_DIFFERENCE`].
fn claimed(privatization: Privatization, set: usize, eta: f64) -> Vec<Order> {
    let [vanilla, prob, denoising] = [Objective::Vanilla, Objective::Prob, Objective::Denoising].map(Objective::name);
    let at_most = (privatization == Privatization::Text).then_some(SMALL_DIFFERENCE);
    let mut orders: Vec<Order> = [denoising, vanilla, prob].map(|more| Order { more, less: "none", at_most }).into();
    let significant: &[&str] = match (privatization, set, eta) {
        (Privatization::Representations, 0, 100.0 | 150.0) | (Privatization::Text, 1, 75.0) => &[vanilla],
        (Privatization::Representations, 1, 75.0 | 100.0) => &[vanilla, prob],
        _ => &[],
    };
    orders.extend(significant.iter().map(|less| Order { more: denoising, less, at_most: None }));
    orders
}

/// The standard error of the mean of texts, where those of one sentence count as one draw.
fn error_over_sentences(by_text: &[f64], mean: f64, sentences: &[usize]) -> f64 {
    let mut by_sentence: BTreeMap<usize, f64> = BTreeMap::new();
    for (one, sentence) in by_text.iter().zip(sentences) {
        *by_sentence.entry(*sentence).or_default() += one - mean;
    }
    by_sentence.values().map(|one| one * one).sum::<f64>().sqrt() / by_text.len() as f64
}

/// A difference of accuracies, run by run on the same texts, noise and order.
struct Difference {
    mean: f64,
    /// Student's over the runs; infinite for fewer than two.
    over_runs: f64,
    /// Standard errors: over the runs, and over the sentences of their mean difference in these runs.
    errors: [f64; 2],
    runs: usize,
}

impl Difference {
    /// Texts of one sentence count as one draw.
    fn of(pairs: &[[&Outcome; 2]], sentences: &[usize]) -> Self {
        let differences: Vec<f64> = pairs.iter().map(|[more, less]| more.accuracy() - less.accuracy()).collect();
        let Mean { mean, half_width, .. } = Mean::of(&differences);
        let count = pairs.len() as f64;
        let squares = differences.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
        let over_runs = if pairs.len() > 1 { (squares / (count - 1.0) / count).sqrt() } else { f64::INFINITY };
        let mut by_text = vec![0.0; pairs.first().map_or(0, |[one, _]| one.tested as usize)];
        for (outcome, gain) in pairs.iter().flat_map(|[more, less]| [(more, -1.0), (less, 1.0)]) {
            outcome.wrong.iter().for_each(|text| by_text[*text as usize] += gain / count);
        }
        let texts = error_over_sentences(&by_text, mean, sentences);
        Self { mean, over_runs: half_width.unwrap_or(f64::INFINITY), errors: [over_runs, texts], runs: pairs.len() }
    }

    fn half_width(&self) -> f64 {
        self.over_runs.hypot(NORMAL * self.errors[1])
    }

    /// Three standard errors over three runs come about by chance in one case of twenty: so Student's interval counts, too.
    fn passes(&self) -> bool {
        self.mean > (GATE * self.errors[0].hypot(self.errors[1])).max(self.half_width())
    }

    fn shown(&self) -> String {
        match self.runs {
            0 => "not computed".to_owned(),
            1 => format!("{} in one run, which says nothing of others", short(self.mean)),
            runs => {
                let error = self.errors[0].hypot(self.errors[1]);
                let [mean, half, error] = [self.mean, self.half_width(), error].map(short);
                format!("{mean} ± {half} over {runs} runs, standard error {error}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(of: impl Fn(&Training) -> Option<f64>) -> Found {
        let trials = trials(&ETAS, 3);
        let outcome = |trial: &Trial| {
            // Those that are misread differ by as many texts as accuracy does, and by 1,000 more to both sides.
            let wrong = (20_000.0 * (1.0 - of(&trial.training)?)) as u32;
            let shift = 1000 * trial.training.objective.map_or(0, |objective| 1 + objective as u32);
            Some(Outcome { pretraining: None, tested: 20_000, wrong: (shift..shift + wrong).collect() })
        };
        let outcomes = trials.iter().map(outcome).collect();
        let privatization = Privatization::Representations;
        Found { outcomes, trials, sentences: vec![(0..20_000).collect(); 2], privatization }
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
        assert_eq!(verdicts(&found(accuracy(0.005))), ["open"; 10], "three standard errors are .011");
        let one_run = |training: &Training| accuracy(0.05)(training).filter(|_| training.run == 0);
        assert_eq!(verdicts(&found(one_run)), ["open"; 10]);
        assert_eq!(verdicts(&found(|_| None)), ["open"; 10]);
    }

    #[test]
    fn an_interval_has_the_chance_of_texts_and_that_of_runs() {
        let half = |found: &Found, count: usize| {
            let kind = found.trials[0].training;
            let runs: Vec<&Outcome> = found.of(0, &kind).take(count).map(|(_, outcome)| outcome).collect();
            found.mean(0, &runs, 20_000).expect("runs").half_width
        };
        let alike = found(|_| Some(0.75));
        let of_texts = NORMAL * (0.75 * 0.25 / 20_000_f64).sqrt();
        assert!(half(&alike, 3).is_some_and(|half| (half - of_texts).abs() < 1e-12));
        assert_eq!(half(&alike, 1), None);
        let in_pairs = Found { sentences: vec![(0..20_000).map(|text| text / 2).collect(); 2], ..alike };
        let ratio = half(&in_pairs, 3).expect("three runs") / of_texts;
        assert!((ratio - 2.0_f64.sqrt()).abs() < 0.01, "two texts of a sentence are one draw: {ratio}");
        let apart = found(|training| Some(0.75 + 0.01 * f64::from(training.run)));
        assert!(half(&apart, 3).is_some_and(|half| half > 0.0248), "Student's over .75, .76 and .77");
    }

    #[test]
    fn an_order_whose_interval_holds_zero_is_open_and_a_wrong_one_does_not_hold() {
        let of = |vanilla: f64| {
            move |training: &Training| {
                let base = match training.pretraining() {
                    "none" => 0.7,
                    "plain MLM" => 0.76,
                    "Denoising MLM" => 0.75,
                    "Vanilla MLM" => vanilla,
                    _ => 0.69,
                };
                Some(base)
            }
        };
        assert_eq!(verdicts(&found(of(0.749)))[1..5], ["yes", "yes", "NO", "open"]);
        assert_eq!(verdicts(&found(of(0.78)))[1..5], ["yes", "yes", "NO", "NO"]);
    }

    #[test]
    fn on_text_small_differences_are_claimed() {
        let of = |gain: f64| {
            move |training: &Training| match training.pretraining() {
                "none" => Some(0.7),
                "plain MLM" => Some(0.76),
                _ => Some(0.7 + gain),
            }
        };
        let verdicts = |gain| verdicts(&Found { privatization: Privatization::Text, ..found(of(gain)) });
        for (gain, verdict) in [(0.02, "yes"), (0.04, "open"), (0.06, "NO"), (-0.02, "yes"), (-0.06, "NO")] {
            assert_eq!(verdicts(gain)[1..10], [verdict; 9], "{gain}");
        }
    }
}
