//! What the paper promises and does not keep: vectors that are learned from users' texts with each user protected.
//!
//! In each round each user takes part by a coin of one fixed rate. The gradients of all of a user's pairs are summed
//! and the sum is clipped once; noise falls on every row, and the divisor is public. A user with a budget of their own
//! takes part no more once a Rényi filter says so (Feldman and Zrnic 2021). Who that is, is never published.

use std::fmt;
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use rand_core::SeedableRng;
use textveil::account::gaussian;
use textveil::account::subsampled::{ORDERS, SubsampledGaussian};
use textveil::{Loss, ReleaseRng};

use super::cooccurrences::Cooccurrences;
use super::judge::{Judge, Scores};
use super::model::{DIMS, Gradient, Model, Normals, fraction};
use super::text::{Text, Vocabulary};
use super::{AUTHORS, PUBLIC, RUNS, SIMILARITY, TOPICS, WIKIPEDIA};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::numbers::short;
use textveil_toolkit::report::{Mean, Sheet};
use textveil_toolkit::sampling::shuffled;

pub(crate) static USER_LEVEL: Experiment = Experiment {
    paper: "dpugc",
    table: "user-level",
    about: "Whether users' texts improve a public table if each user is protected (sound; not in the paper)",
    data: &[PUBLIC, WIKIPEDIA, AUTHORS, SIMILARITY, TOPICS],
    takes: &[],
    runs: Some(RUNS),
    has_plot: false,
    why: "the paper has nothing of the kind. The public table is word2vec on Wikipedia: skip-gram can go on from it, which it \
could not from the built-in table, whose places come from what words can be exchanged for. Its contexts, which are not \
published with it, are learned from public text first. Words are the 8,000 most frequent of Wikipedia, and 3,000 for \
co-occurrences. Intervals are over noise, samples and who is held out. A difference within .01 counts as open, because the \
pairs and texts of a test are themselves a sample. Posts of the topics are by the same authors. Learning rates were not \
tuned. The list of users is public, and neighbours differ in whether one user's texts are read. Noise is in floating point, of which nothing \
is proved.",
    compute,
};

const WORDS: usize = 8000;
/// Words of co-occurrences. Each may stand next to each.
const COOCCURRING: usize = 3000;
const FEW_COOCCURRING: usize = 1000;
const EPSILONS: [f64; 3] = [8.0, 3.0, 1.0];
const DELTA: f64 = 1e-6;
/// The chance of a user to take part in a round: what a draw of 24 bits can have just below 1 in 20.
const RATE: f64 = 838_860.0 / 16_777_216.0;
const ROUNDS: u32 = 60;
const FEW_ROUNDS: u32 = 5;
/// Places at which a pair of a user is sought in a round.
const SOUGHT: usize = 100;
const HELD_OUT: usize = 2000;
const FEW_AUTHORS: usize = 1500;
/// Steps of the centres' and the contexts' mean gradient. A user's sum of gradients has norm 1 at most.
const LEARNING_RATES: [f32; 2] = [4.0, 16.0];
/// Pairs of public text, from which contexts are learned.
const PUBLIC_PAIRS: u32 = 4_000_000;
const FEW_PUBLIC_PAIRS: u32 = 100_000;
const PUBLIC_TOKENS: usize = 4_000_000;
/// Differences of scores that are open.
const OPEN: f64 = 0.01;
/// A clipped sum of gradients is integers of norm at most this.
const UNITS: f64 = 1_048_576.0;

/// The budget whose noise a table has.
#[derive(Clone, Copy, PartialEq)]
enum Budget {
    None,
    Epsilon(f64),
    /// A third of the users each of [`EPSILONS`], under the noise of the first.
    Personal,
}

impl fmt::Display for Budget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.write_str("none"),
            Self::Epsilon(epsilon) => write!(formatter, "{epsilon}"),
            Self::Personal => formatter.write_str("8, 3 or 1, a third of users each"),
        }
    }
}

/// How a table is learned.
#[derive(Clone, Copy, PartialEq)]
enum Method {
    /// Not at all.
    Public,
    /// By noisy steps from the public table.
    Steps { rate: f32, budget: Budget },
    /// By noisy steps from nothing.
    Scratch { rate: f32, budget: Budget },
    /// The public table, of words that have co-occurrences.
    PublicOfFew,
    /// By one noisy sum from nothing.
    Release { budget: Budget },
}

impl Method {
    fn all() -> Vec<Self> {
        let epsilons = || [Budget::None].into_iter().chain(EPSILONS.map(Budget::Epsilon));
        let [rate, greater] = LEARNING_RATES;
        let few = || [Budget::None, Budget::Epsilon(EPSILONS[0])];
        let steps = epsilons()
            .chain([Budget::Personal])
            .map(|budget| Self::Steps { rate, budget })
            .chain(few().map(|budget| Self::Steps { rate: greater, budget }));
        let scratch = few().map(|budget| Self::Scratch { rate: greater, budget });
        [Self::Public]
            .into_iter()
            .chain(steps)
            .chain(scratch)
            .chain([Self::PublicOfFew])
            .chain(epsilons().map(|budget| Self::Release { budget }))
            .collect()
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Public => "public table",
            Self::Steps { .. } => "steps from the public table",
            Self::Scratch { .. } => "steps from nothing",
            Self::PublicOfFew => "public table, fewer words",
            Self::Release { .. } => "one sum of co-occurrences, fewer words",
        }
    }

    const fn budget(self) -> Budget {
        match self {
            Self::Public | Self::PublicOfFew => Budget::None,
            Self::Steps { budget, .. } | Self::Scratch { budget, .. } | Self::Release { budget } => budget,
        }
    }

    fn learning_rate(self) -> String {
        match self {
            Self::Steps { rate, .. } | Self::Scratch { rate, .. } => rate.to_string(),
            _ => String::new(),
        }
    }
}

struct Learning {
    method: Method,
    run: u32,
}

impl fmt::Display for Learning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, run } = self;
        write!(formatter, "{}/{}/eps={}/run={run}", method.name(), method.learning_rate(), method.budget())
    }
}

/// The least noise with which this number of rounds keeps ε at δ, by the distribution of the privacy loss.
fn sigma(rounds: u32, epsilon: f64) -> Result<f64> {
    let (mut least, mut most) = (0.3_f64, 60.0_f64);
    while most / least > 1.001 {
        let middle = (least * most).sqrt();
        let found = SubsampledGaussian::new(RATE, middle)?.epsilon(u64::from(rounds), 1, DELTA)?;
        if found <= epsilon { most = middle } else { least = middle }
    }
    ensure!(most < 60.0, "no noise in reach keeps epsilon {epsilon}");
    Ok(most)
}

/// Noisy steps.
struct Steps<'a> {
    text: &'a Text,
    vocabulary: &'a Vocabulary,
    users: &'a [Range<usize>],
    /// In how many rounds each user may take part, one after the other from the first.
    allowed: &'a [u32],
    rounds: u32,
    sigma: f64,
    learning_rate: f32,
    seed: u64,
}

impl Steps<'_> {
    /// What a user adds in a round: the sum of the gradients of all their pairs, clipped, in integers.
    fn contribution(&self, model: &Model, user: usize, rng: &mut ReleaseRng, sum: &mut Gradient) -> f64 {
        sum.clear();
        for _ in 0..SOUGHT {
            let Some(pair) = self.text.random_pair(&self.users[user], rng) else { continue };
            if !pair.iter().any(|word| self.vocabulary.passes_over(*word, rng)) && pair[0] != pair[1] {
                model.gradient(&self.vocabulary.pair(pair, rng), sum);
            }
        }
        // Rounding towards 0 makes no norm greater; the last factor is wider than what f64 rounds.
        UNITS * (1.0 - 1e-9) / sum.norm().max(1.0)
    }

    /// The sum of a round over those who take part.
    fn sum(&self, model: &Model, round: u32, scratch: &mut Gradient) -> Vec<[i64; DIMS]> {
        let mut sum = vec![[0_i64; DIMS]; model.rows.len()];
        for user in 0..self.users.len() {
            // A stream of its own: nobody's draws depend on whether another takes part.
            let mut rng = ReleaseRng::seed_from_u64(self.seed);
            rng.set_stream(u64::from(round) << 32 | user as u64);
            let takes_part = f64::from(fraction(&mut rng)) < RATE;
            if !takes_part || round >= self.allowed[user] {
                continue;
            }
            let factor = self.contribution(model, user, &mut rng, scratch);
            for (row, vector) in scratch.each() {
                sum[row].iter_mut().zip(vector).for_each(|(sum, x)| *sum += (f64::from(*x) * factor) as i64);
            }
        }
        sum
    }

    fn learned(&self, mut model: Model) -> Model {
        let mut scratch = Gradient::of(&model);
        let mut rng = ReleaseRng::seed_from_u64(self.seed);
        rng.set_stream(u64::MAX);
        let mut normals = Normals::new(rng);
        // All users there are, also those who have retired: a public number.
        let step = f64::from(self.learning_rate) / (UNITS * RATE * self.users.len() as f64);
        for round in 0..self.rounds {
            let sum = self.sum(&model, round, &mut scratch);
            for (row, sum) in model.rows.iter_mut().zip(sum) {
                for (x, sum) in row.iter_mut().zip(sum) {
                    let noise = if self.sigma > 0.0 { self.sigma * UNITS * f64::from(normals.draw()) } else { 0.0 };
                    *x -= (step * (sum as f64 + noise)) as f32;
                }
            }
        }
        model
    }
}

/// The public table as centres, with contexts that public text has taught.
fn public_model(vocabulary: &Vocabulary, text: &Text, pairs: u32, mut rng: ReleaseRng) -> Model {
    let mut model = Model { rows: vocabulary.vectors.clone() };
    model.rows.resize(2 * vocabulary.len(), [0.0; DIMS]);
    let mut gradient = Gradient::of(&model);
    let all = text.all();
    for number in 0..pairs {
        let Some(pair) = text.random_pair(&all, &mut rng) else { continue };
        if pair[0] == pair[1] || pair.iter().any(|word| vocabulary.passes_over(*word, &mut rng)) {
            continue;
        }
        gradient.clear();
        model.gradient(&vocabulary.pair(pair, &mut rng), &mut gradient);
        let step = 0.05 * (1.0 - number as f32 / pairs as f32);
        for (row, vector) in gradient.each().filter(|(row, _)| *row >= vocabulary.len()) {
            super::model::add(&mut model.rows[row], -step, vector);
        }
    }
    model
}

/// What all runs share.
struct World {
    vocabulary: Vocabulary,
    text: Text,
    public: Model,
    rounds: u32,
    cooccurring: usize,
    /// σ of each of [`EPSILONS`].
    sigmas: [f64; 3],
    /// In how many rounds a user of each may take part under the first's noise.
    rounds_of: [u32; 3],
}

impl World {
    fn of(run: &Run<'_>) -> Result<Self> {
        let vocabulary = Vocabulary::read(run, WORDS)?;
        let text = Text::of_authors(run, &vocabulary, run.is_quick().then_some(FEW_AUTHORS))?;
        let wikipedia = Text::of_wikipedia(run, &vocabulary, PUBLIC_TOKENS)?;
        let pairs = if run.is_quick() { FEW_PUBLIC_PAIRS } else { PUBLIC_PAIRS };
        let public = public_model(&vocabulary, &wikipedia, pairs, run.rng("contexts"));
        let rounds = if run.is_quick() { FEW_ROUNDS } else { ROUNDS };
        let [a, b, c] = EPSILONS.map(|epsilon| sigma(rounds, epsilon));
        let sigmas = [a?, b?, c?];
        let step = SubsampledGaussian::new(RATE, sigmas[0])?;
        let most =
            |epsilon| -> Result<u32> { Ok(step.max_steps(epsilon, DELTA, &ORDERS)?.min(u64::from(rounds)) as u32) };
        let [a, b, c] = EPSILONS.map(most);
        let cooccurring = if run.is_quick() { FEW_COOCCURRING } else { COOCCURRING };
        Ok(Self { vocabulary, text, public, rounds, cooccurring, sigmas, rounds_of: [a?, b?, c?] })
    }

    /// Authors that take part, and those that do not.
    fn split(&self, run: &Run<'_>, number: u32) -> (Vec<usize>, Vec<usize>) {
        let mut authors = shuffled(self.text.authors.len(), run.seed(&format!("held out/{number}")));
        let held_out = authors.split_off(authors.len() - HELD_OUT.min(authors.len() / 3));
        (authors, held_out)
    }

    fn sigma_of(&self, budget: Budget) -> Result<f64> {
        match budget {
            Budget::None => Ok(0.0),
            Budget::Personal => Ok(self.sigmas[0]),
            Budget::Epsilon(epsilon) => {
                let place = EPSILONS.iter().position(|of| *of == epsilon).context("an epsilon that is none")?;
                Ok(self.sigmas[place])
            }
        }
    }

    fn scores(&self, run: &Run<'_>, learning: &Learning) -> Result<(Scores, Scores)> {
        let (authors, held_out) = self.split(run, learning.run);
        let judge = |words| Judge::of(run, &self.vocabulary, words, &self.text, &held_out);
        let scored = |judge: Judge, table: &[[f32; DIMS]]| (judge.scores(table), judge.chance());
        let stepped = |rate, budget, start: Model| -> Result<Model> {
            let users: Vec<Range<usize>> = authors.iter().map(|author| self.text.authors[*author].clone()).collect();
            let allowed = |user: usize| if budget == Budget::Personal { self.rounds_of[user % 3] } else { self.rounds };
            let allowed: Vec<u32> = (0..users.len()).map(allowed).collect();
            let steps = Steps {
                text: &self.text,
                vocabulary: &self.vocabulary,
                users: &users,
                allowed: &allowed,
                rounds: self.rounds,
                sigma: self.sigma_of(budget)?,
                learning_rate: rate,
                seed: run.seed(&learning.to_string()),
            };
            Ok(steps.learned(start))
        };
        Ok(match learning.method {
            Method::Public => scored(judge(WORDS)?, self.public.centres()),
            Method::Steps { rate, budget } => {
                scored(judge(WORDS)?, stepped(rate, budget, self.public.clone())?.centres())
            }
            Method::Scratch { rate, budget } => {
                let start = Model::fresh(self.vocabulary.len(), &mut run.rng(&format!("{learning}/start")));
                scored(judge(WORDS)?, stepped(rate, budget, start)?.centres())
            }
            Method::PublicOfFew => scored(judge(self.cooccurring)?, &self.public.centres()[..self.cooccurring]),
            Method::Release { budget } => {
                let sigma = match budget {
                    Budget::Epsilon(epsilon) => gaussian::sigma(Loss { epsilon, delta: DELTA }, 1.0)?,
                    Budget::None | Budget::Personal => 0.0,
                };
                let mut normals = Normals::new(run.rng(&learning.to_string()));
                let released = Cooccurrences::of(&self.text, &authors, self.cooccurring).released(sigma, &mut normals);
                scored(judge(self.cooccurring)?, &released.vectors(&mut normals))
            }
        })
    }
}

fn compute(run: &Run<'_>) -> Result<Report> {
    let world = World::of(run)?;
    let methods = Method::all();
    let learnings: Vec<Learning> =
        methods.iter().flat_map(|method| (0..run.runs()).map(|run| Learning { method: *method, run })).collect();
    let found: Vec<(Scores, Scores)> = run.cells(&learnings, |learning| world.scores(run, learning))?;
    let found: Vec<&[(Scores, Scores)]> = found.chunks(run.runs() as usize).collect();
    let mut sheet = Sheet::new("Tables at user level, delta 1e-6");
    for (method, runs) in methods.iter().zip(&found) {
        let mean = |score: usize| Mean::of(&runs.iter().map(|(scores, _)| scores[score]).collect::<Vec<_>>());
        sheet.row(cells![
            "table" => method.name(),
            "learning rate" => method.learning_rate(),
            "eps of a user" => method.budget().to_string(),
            Judge::NAMES[0] => mean(0),
            Judge::NAMES[1] => mean(1),
            Judge::NAMES[2] => mean(2),
            Judge::NAMES[3] => mean(3),
        ]);
    }
    let by_chance = |score: usize| Mean::of(&found[0].iter().map(|(_, chance)| chance[score]).collect::<Vec<_>>());
    sheet.row(cells![
        "table" => "none: the commonest class",
        "learning rate" => "",
        "eps of a user" => "",
        Judge::NAMES[0] => 0.0,
        Judge::NAMES[1] => 0.0,
        Judge::NAMES[2] => by_chance(2),
        Judge::NAMES[3] => by_chance(3),
    ]);
    let claims = claims(&methods, &found);
    Ok(Report { sheets: vec![sheet, setting(run, &world)?, budgets(&world)?], claims, ..Report::default() })
}

fn setting(run: &Run<'_>, world: &World) -> Result<Sheet> {
    let (authors, held_out) = world.split(run, 0);
    let judge = |words| Judge::of(run, &world.vocabulary, words, &world.text, &held_out);
    let mut sheet = Sheet::new("What is held against what");
    for words in [WORDS, world.cooccurring] {
        let [men, simlex] = judge(words)?.counts();
        sheet.row(cells![
            "words" => words as f64,
            "authors" => authors.len() as f64,
            "held out" => held_out.len() as f64,
            "rate" => RATE,
            "rounds" => f64::from(world.rounds),
            "pairs of MEN" => men as f64,
            "pairs of SimLex" => simlex as f64,
        ]);
    }
    Ok(sheet)
}

/// What is promised to a user with a budget of their own.
fn budgets(world: &World) -> Result<Sheet> {
    let mut sheet =
        Sheet::new("Budgets, delta 1e-6: noise of the steps and of the sum, and rounds under the noise of eps 8");
    for (place, epsilon) in EPSILONS.into_iter().enumerate() {
        let rounds = world.rounds_of[place];
        let step = SubsampledGaussian::new(RATE, world.sigmas[0])?;
        let spent = if rounds == 0 { 0.0 } else { step.epsilon(u64::from(rounds), 1, DELTA)? };
        sheet.row(cells![
            "eps of a user" => epsilon,
            "sigma of all rounds" => world.sigmas[place],
            "sigma of one sum" => gaussian::sigma(Loss { epsilon, delta: DELTA }, 1.0)?,
            "rounds that the Renyi filter allows" => f64::from(rounds),
            "eps of those, by the loss distribution" => spent,
        ]);
    }
    Ok(sheet)
}

/// What is gained over the public table, run by run, under the first learning rate.
fn claims(methods: &[Method], found: &[&[(Scores, Scores)]]) -> Vec<Claim> {
    let scores = |method: Method, score: usize| -> Vec<f64> {
        let place = methods.iter().position(|of| *of == method);
        let runs = place.map_or(&[][..], |place| found[place]);
        runs.iter().map(|(scores, _)| scores[score]).collect()
    };
    let gain = |text: String, ours: Method, public: Method, score: usize| {
        let pairs = scores(ours, score).into_iter().zip(scores(public, score));
        let gains: Vec<f64> = pairs.map(|(ours, public)| ours - public).collect();
        let mean = Mean::of(&gains);
        let half = mean.half_width.map_or(f64::INFINITY, |half| half.max(OPEN));
        Claim::positive(text, mean.mean, half, format!("{}, open within {}", mean.ours(), short(half)))
    };
    let mut claims = Vec::new();
    for budget in [Budget::None].into_iter().chain(EPSILONS.map(Budget::Epsilon)) {
        for (score, name) in Judge::NAMES.into_iter().enumerate() {
            let text = format!(
                "{name}: steps from the public table gain over it (eps {budget}, learning rate {})",
                LEARNING_RATES[0]
            );
            claims.push(gain(text, Method::Steps { rate: LEARNING_RATES[0], budget }, Method::Public, score));
        }
        let text = format!("MEN: one sum of co-occurrences gains over the public table of its words (eps {budget})");
        claims.push(gain(text, Method::Release { budget }, Method::PublicOfFew, 0));
    }
    let rate = LEARNING_RATES[1];
    for budget in [Budget::None, Budget::Epsilon(EPSILONS[0])] {
        let text = format!("MEN: the same with learning rate {rate} (eps {budget})");
        claims.push(gain(text, Method::Steps { rate, budget }, Method::Public, 0));
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let mut normals = Normals::new(ReleaseRng::seed_from_u64(4));
        let entries = (0..50).map(|i| (format!("w{i}"), normals.vector())).collect();
        Vocabulary::of(entries).expect("a vocabulary")
    }

    fn texts() -> Vec<Vec<u16>> {
        (0..40_u16).map(|i| (0..60).map(|j| (i * 7 + j * j * 3) % 50).collect()).collect()
    }

    /// The sum of a round in which all take part that may, and the table of some rounds.
    fn of(texts: &[Vec<u16>], allowed: &[u32]) -> (Vec<Vec<[i64; DIMS]>>, Model) {
        let (vocabulary, text) = (vocabulary(), Text::of(texts, vec![20; texts.len()]));
        let steps = Steps {
            text: &text,
            vocabulary: &vocabulary,
            users: &text.authors,
            allowed,
            rounds: 30,
            sigma: 0.5,
            learning_rate: 4.0,
            seed: 9,
        };
        let mut model = Model { rows: vocabulary.vectors.clone() };
        model.rows.resize(100, [0.5; DIMS]);
        let mut scratch = Gradient::of(&model);
        ((0..30).map(|round| steps.sum(&model, round, &mut scratch)).collect(), steps.learned(model))
    }

    #[test]
    fn two_sets_that_differ_in_one_user_differ_by_the_clip_at_most() {
        let texts = texts();
        let with = of(&texts, &[30; 40]).0;
        let mut differing = 0;
        for user in [0, 17, 39] {
            let mut allowed = [30; 40];
            allowed[user] = 0;
            for (with, without) in with.iter().zip(of(&texts, &allowed).0) {
                let differences = with.iter().flatten().zip(without.iter().flatten()).map(|(a, b)| i128::from(a - b));
                let square: i128 = differences.map(|x| x * x).sum();
                assert!(square <= (UNITS as i128).pow(2), "{square}");
                // And a user's gradients are not all lost by it.
                differing += i32::from(square > (UNITS as i128).pow(2) / 2);
            }
        }
        assert!(differing > 0);
    }

    #[test]
    fn a_user_who_has_retired_changes_nothing_and_a_table_follows_from_its_seed() {
        // So many that some of them would have taken part.
        let mut allowed = [30; 40];
        allowed[..10].fill(0);
        let mut others = texts();
        others[..10].iter_mut().for_each(|text| text.reverse());
        let is_same = |allowed: &[u32]| of(&others, allowed) == of(&texts(), allowed);
        assert!(is_same(&allowed) && !is_same(&[30; 40]));
    }

    #[test]
    fn noise_is_as_little_as_the_budget_allows() {
        let sigma = sigma(10, 3.0).expect("in range");
        let epsilon =
            |sigma| SubsampledGaussian::new(RATE, sigma).and_then(|step| step.epsilon(10, 1, DELTA)).expect("in range");
        assert!(epsilon(sigma) <= 3.0 && epsilon(sigma * 0.99) > 3.0);
    }
}
