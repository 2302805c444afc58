//! Shares of words and of topics, from words that were drawn.
//!
//! # The interval
//! Each output y has a number w(y), and their mean over all releases is nearly the share ([`weights`] says how w is chosen, and
//! what t and the public frequencies p are). What w leaves out, t − P·w, is filled in with the estimated shares of all words.
//! The interval is wider by what those may be off there, DOUBT_LEFT times each. Simulations measure how often intervals hold.
//!
//! Few releases tell little about the variance: a rare output that never came would count for none. So it is a mean of two: of
//! the words of the releases, and of the law of words that follows from the estimated shares. The weights are those of
//! credibility (Bühlmann 1967). The latter is off by [`VARIANCE_DOUBT`] of itself where texts are like public ones, the former
//! by what its fourth moment says. Texts may be unlike public ones, so the variance is never less than that of the words of the
//! releases. Words of one text may depend on each other. By what their variance is more than that of single words (the design
//! effect, at least 1), the interval is wider.
//!
//! # The estimate
//! Expectation maximization gives the shares of all words. It starts at p, and stops where one half of the words
//! predicts the other half best. The shares are then mixed with p, by the number of words. So with few releases the
//! estimate is nearly p. It is moved into the interval if it lies outside. The halves are drawn from the counts, so
//! they do not depend on the order of the releases, or on whether equal ones were counted before.

mod weights;

use std::fmt;

use textveil::{Table, WordId};

use crate::channel::{Channel, LANES, Lanes, add};
use crate::interval::{Confidence, Evidence, FEWEST_TEXTS, Interval, Share, quantile};
use weights::{MOST_STEPS, solve, targets};

/// By how many times itself an estimated share may be off, for what w leaves out.
const DOUBT_LEFT: f64 = 1.0;
/// By how much of itself a variance under estimated shares may be off, as a standard deviation.
const VARIANCE_DOUBT: f64 = 0.3;
/// The public law counts as this number of words in the estimate.
const PUBLIC: f64 = 5_000.0;
/// The public share of unknown words.
const UNKNOWN: f64 = 0.03;
/// The public share of a word is at least this, so that any may be found.
const LEAST: f64 = 1e-9;
/// Most steps of expectation maximization.
const MOST_ROUNDS: usize = 100;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its name.
    pub name: String,
    /// The words whose joint share is asked for.
    pub words: Vec<WordId>,
}

/// Questions about the words of texts that went through one channel.
pub struct Words {
    channel: Channel,
    /// p: the share of each input in public text.
    prior: Vec<f64>,
    questions: Vec<Question>,
    /// w, for [`LANES`] questions at a time, by output.
    weights: Vec<Vec<Lanes>>,
    /// t − P·w, by input: what w leaves out.
    left: Vec<Vec<Lanes>>,
    /// What w varies by in public text.
    variances: Vec<f64>,
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Words");
        shown.field("channel", &self.channel).field("questions", &self.questions).finish_non_exhaustive()
    }
}

/// What texts came to.
#[derive(Clone, Debug, PartialEq)]
pub struct WordTally {
    /// Words by output.
    counts: Vec<u64>,
    /// For each question, over texts: of the sum of w, its square, and its product with the number of words.
    sums: Vec<[f64; 3]>,
    /// Over texts, the squared number of words.
    squared_words: f64,
}

impl Words {
    /// How often [`Words::new`] calls `step` at most.
    #[must_use]
    pub fn most_steps(questions: usize) -> usize {
        questions.div_ceil(LANES) * MOST_STEPS
    }

    /// Prepares questions. A word is asked for with all words that are counted with it.
    #[must_use]
    pub fn new(channel: Channel, table: &Table, mut questions: Vec<Question>, step: &dyn Fn()) -> Self {
        for question in &mut questions {
            question.words = question.words.iter().flat_map(|word| channel.counted_with(*word)).collect();
            question.words.sort_unstable();
            question.words.dedup();
        }
        let prior = prior(table);
        let mut words =
            Self { channel, prior, questions, weights: Vec::new(), left: Vec::new(), variances: Vec::new() };
        let released = words.channel.released(&words.prior);
        for questions in words.questions.chunks(LANES) {
            let mut left = targets(questions, words.channel.inputs());
            // Each lane costs time, and its numbers do not depend on the others.
            let solve = match questions.len() {
                1 => solve::<1>,
                2..5 => solve::<4>,
                _ => solve::<LANES>,
            };
            let weights = solve(&words.channel, &words.prior, &released, questions, step);
            let expected = words.channel.expected_lanes(&weights);
            left.iter_mut().zip(&expected).for_each(|(left, expected)| add(left, -1.0, expected));
            let of_lane = |lane: usize| weights.iter().map(move |weights| weights[lane]);
            words
                .variances
                .extend((0..questions.len()).map(|lane| moments(of_lane(lane).zip(released.iter().copied())).0));
            words.weights.push(weights);
            words.left.push(left);
        }
        words
    }

    /// The channel.
    #[must_use]
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// The questions.
    #[must_use]
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// No texts yet.
    #[must_use]
    pub fn tally(&self) -> WordTally {
        let counts = vec![0; self.channel.is_output().count()];
        WordTally { counts, sums: vec![[0.0; 3]; self.questions.len()], squared_words: 0.0 }
    }

    /// Counts the words of `times` equal texts. Returns whether the channel can have put out all of them, and counts
    /// nothing otherwise.
    #[must_use]
    pub fn add(&self, tally: &mut WordTally, text: &[WordId], times: u64) -> bool {
        let output = |word: &WordId| self.channel.class(*word).filter(|class| self.channel.puts_out(*class));
        let Some(classes) = text.iter().map(output).collect::<Option<Vec<u32>>>() else {
            return false;
        };
        let (length, texts) = (text.len() as f64, times as f64);
        for (block, weights) in self.weights.iter().enumerate() {
            let mut sums = [0.0; LANES];
            classes.iter().for_each(|class| add(&mut sums, 1.0, &weights[*class as usize]));
            for (tally, sum) in tally.sums[block * LANES..].iter_mut().zip(sums) {
                let more = [sum, sum * sum, sum * length];
                tally.iter_mut().zip(more).for_each(|(tally, more)| *tally += texts * more);
            }
        }
        classes.iter().for_each(|class| tally.counts[*class as usize] += times);
        tally.squared_words += texts * length * length;
        true
    }

    /// The estimated share of each input among the words that were typed: of each row of the table, and of unknown words.
    #[must_use]
    pub fn shares(&self, tally: &WordTally) -> Vec<f64> {
        let counts: Vec<f64> = tally.counts.iter().map(|count| *count as f64).collect();
        let half: Vec<f64> = (0..).zip(&tally.counts).map(|(output, count)| half(output, *count)).collect();
        let mut best = (f64::NEG_INFINITY, 0);
        for (round, (_, released)) in self.rounds(&half).enumerate().take(MOST_ROUNDS / 2) {
            let other = counts.iter().zip(&half).map(|(count, half)| count - half);
            let foretold: f64 = other.zip(&released).map(|(count, share)| log(count, *share)).sum();
            if foretold <= best.0 {
                break;
            }
            best = (foretold, round);
        }
        // All releases tell twice as much as half of them.
        let last = self.rounds(&counts).take(2 * best.1 + 1).last();
        let shares = last.map_or_else(|| self.prior.clone(), |(shares, _)| shares);
        let own = tally.words() as f64 / (tally.words() as f64 + PUBLIC);
        shares.iter().zip(&self.prior).map(|(share, public)| own * share + (1.0 - own) * public).collect()
    }

    /// The rounds of expectation maximization, from the public shares on: the inputs' shares, and the outputs' that follow.
    fn rounds<'a>(&'a self, counts: &'a [f64]) -> impl Iterator<Item = (Vec<f64>, Vec<f64>)> + 'a {
        let first = (self.prior.clone(), self.channel.released(&self.prior));
        std::iter::successors(Some(first), move |(shares, released)| {
            let surprise: Vec<f64> = counts
                .iter()
                .zip(released)
                .map(|(count, share)| if *count > 0.0 { count / share } else { 0.0 })
                .collect();
            let factors = self.channel.expected(&surprise);
            let mut shares: Vec<f64> = shares.iter().zip(factors).map(|(share, factor)| share * factor).collect();
            let sum: f64 = shares.iter().sum();
            if sum > 0.0 {
                shares.iter_mut().for_each(|share| *share /= sum);
            }
            let released = self.channel.released(&shares);
            Some((shares, released))
        })
        .take(MOST_ROUNDS)
    }

    /// The share of each question. The list is empty without words. `shares` come from [`Words::shares`].
    #[must_use]
    pub fn estimates(&self, tally: &WordTally, shares: &[f64], confidence: Confidence) -> Vec<Share> {
        let words = tally.words() as f64;
        if words == 0.0 {
            return Vec::new();
        }
        let released = self.channel.released(shares);
        let estimate = |number| self.estimate(tally, (shares, &released), number, words, confidence);
        (0..self.questions.len()).map(estimate).collect()
    }

    fn estimate(
        &self,
        tally: &WordTally,
        (shares, released): (&[f64], &[f64]),
        number: usize,
        words: f64,
        confidence: Confidence,
    ) -> Share {
        let question = &self.questions[number];
        let variance = self.spread(tally, released, number);
        let left = self.left[number / LANES].iter().map(|left| left[number % LANES]).zip(shares);
        let deviation = (variance / words + self.bias(shares, number)).sqrt();
        let unbiased = tally.sums[number][0] / words + left.map(|(left, share)| share * left).sum::<f64>();
        let texts = tally.texts();
        let interval = |confidence: Confidence| {
            if texts < FEWEST_TEXTS {
                return Interval { low: 0.0, high: 1.0 };
            }
            Interval::around(unbiased, confidence.deviations_of(texts) * deviation).of_share()
        };
        let own = interval(confidence);
        let estimate: f64 = question.words.iter().filter_map(|word| shares.get(word.row())).sum();
        let mut outputs: Vec<u32> = question.words.iter().filter_map(|word| self.channel.class(*word)).collect();
        outputs.sort_unstable();
        outputs.dedup();
        let hits: u64 = outputs.iter().map(|output| tally.counts[*output as usize]).sum();
        Share {
            released: hits as f64 / words,
            estimate: estimate.clamp(own.low, own.high),
            unbiased,
            deviation,
            interval: own,
            together: interval(confidence.of_all(self.questions.len())),
            evidence: Evidence::Texts(texts),
        }
    }

    /// The variance of an estimate from one word of texts such as these, by how much the words of a text depend on each other.
    /// `shares` are those of [`Words::shares`].
    #[must_use]
    pub fn variance_of(&self, tally: &WordTally, shares: &[f64], question: usize) -> f64 {
        self.spread(tally, &self.channel.released(shares), question)
    }

    fn spread(&self, tally: &WordTally, released: &[f64], question: usize) -> f64 {
        let words = tally.words() as f64;
        let weights = || self.weights[question / LANES].iter().map(|weights| weights[question % LANES]);
        let came = tally.counts.iter().map(|count| *count as f64 / words);
        let (single, _) = moments(weights().zip(came));
        let (foretold, fourth) = moments(weights().zip(released.iter().copied()));
        // This number of words tells as much as the estimated shares.
        let worth = (fourth - 1.0) / VARIANCE_DOUBT.powi(2);
        let [sum, squares, products] = tally.sums[question];
        let mean = sum / words;
        let clustered = (squares - 2.0 * mean * products + mean * mean * tally.squared_words) / words;
        let texts = tally.texts();
        let effect = if single > 0.0 { (clustered / single * texts / (texts - 1.0).max(1.0)).max(1.0) } else { 1.0 };
        let mixed = (words * single + worth * foretold) / (words + worth);
        mixed.max(single) * effect
    }

    /// The variance of an estimate from one word, in public text.
    #[must_use]
    pub fn variance(&self, question: usize) -> f64 {
        self.variances[question]
    }

    /// The squared deviation of an estimate that stays, however many words there are: what w leaves out. `shares` are those
    /// of all inputs.
    #[must_use]
    pub fn bias(&self, shares: &[f64], question: usize) -> f64 {
        let left = self.left[question / LANES].iter().map(|left| left[question % LANES]);
        left.zip(shares).map(|(left, share)| (DOUBT_LEFT * share * left).powi(2)).sum()
    }

    /// The shares of all inputs in public text, if a question had this share there.
    #[must_use]
    pub fn public_shares(&self, question: usize, share: f64) -> Vec<f64> {
        let public = self.public_share(question);
        let [inside, outside] = [share / public, (1.0 - share) / (1.0 - public)];
        let mut shares: Vec<f64> = self.prior.iter().map(|share| share * outside).collect();
        for word in &self.questions[question].words {
            if let Some((share, public)) = shares.get_mut(word.row()).zip(self.prior.get(word.row())) {
                *share = public * inside;
            }
        }
        shares
    }

    /// The share of a question in public text.
    #[must_use]
    pub fn public_share(&self, question: usize) -> f64 {
        self.questions[question].words.iter().filter_map(|word| self.prior.get(word.row())).sum()
    }
}

impl WordTally {
    /// The words.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The number of texts of one length that tell as much of how texts differ (Kish 1965). One long text among many short
    /// ones counts for nearly all of them.
    pub(crate) fn texts(&self) -> f64 {
        let words = self.words() as f64;
        if words > 0.0 { words * words / self.squared_words } else { 0.0 }
    }
}

/// The share of each input in public text.
pub(crate) fn prior(table: &Table) -> Vec<f64> {
    let mut shares: Vec<f64> = table.rows().map(|row| 10_f64.powf(table.zipf(row))).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share = (*share / sum * (1.0 - UNKNOWN)).max(LEAST));
    shares.push(UNKNOWN);
    shares
}

/// How many of the words of an output are in the first half: the number of heads among as many coins. What they show
/// follows from the output's number.
fn half(output: u64, count: u64) -> f64 {
    let coins = scattered(output);
    if count < 64 {
        return f64::from((coins & ((1 << count) - 1)).count_ones());
    }
    let (count, place) = (count as f64, ((coins >> 11) as f64 + 0.5) / (1_u64 << 53) as f64);
    (count / 2.0 + count.sqrt() / 2.0 * quantile(place)).round().clamp(0.0, count)
}

/// Bits that look like chance (Steele, Lea and Flood 2014, SplitMix).
fn scattered(number: u64) -> u64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

fn log(count: f64, share: f64) -> f64 {
    if count > 0.0 { count * share.ln() } else { 0.0 }
}

/// The variance of numbers that have these shares, and the fourth moment in units of its square.
fn moments(numbers: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, f64) {
    let mean: f64 = numbers.clone().map(|(number, share)| number * share).sum();
    let (second, fourth) = numbers.fold((0.0, 0.0), |(second, fourth), (number, share)| {
        let square = (number - mean).powi(2);
        (second + square * share, fourth + square * square * share)
    });
    (second, if second > 0.0 { fourth / (second * second) } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use rand_core::Rng;
    use textveil::{Disclosure, Mechanism, MechanismKind, Privatizer, seeded_rng};

    use super::*;
    use crate::{Variation, posterior_means};

    static TABLE: LazyLock<Table> = LazyLock::new(|| Table::english().expect("the built-in table"));
    static PRIVATIZER: LazyLock<Privatizer> = LazyLock::new(|| {
        Privatizer::new(&TABLE, Mechanism::new(MechanismKind::Nearest), Disclosure::default()).expect("offered")
    });
    static WORDS: LazyLock<Words> = LazyLock::new(|| {
        let channel = Channel::new(&PRIVATIZER, false).expect("stated");
        let topics =
            ["good great excellent wonderful amazing", "food meal dinner lunch", "doctor hospital nurse", "is", "slow"];
        let question = |words: &str| Question { name: words.to_owned(), words: find(words) };
        Words::new(channel, &TABLE, topics.into_iter().map(question).collect(), &|| ())
    });

    fn find(words: &str) -> Vec<WordId> {
        words.split(' ').map(|word| TABLE.find(word).expect("in the table")).collect()
    }

    /// In one process: to make the channel and the weights takes half a minute of a core, and all of it twice as long.
    #[test]
    fn of_the_words_of_one_table() {
        a_channel_is_the_mechanisms_and_counts_the_forms_of_a_word_as_one();
        what_was_typed_follows_from_what_came_out_by_bayes();
        what_is_written_for_a_word_is_counted_with_it();
        topics_of_texts_that_went_through_the_channel_are_found();
        of_few_words_intervals_hold_where_texts_are_unlike_public_ones();
        texts_without_words_and_short_ones_next_to_long_ones_do_not_tell_how_texts_differ();
        a_plan_for_words_knows_what_no_number_of_words_makes_better();
        equal_texts_count_the_same_one_by_one_in_any_order_and_at_once();
        without_words_there_is_nothing_to_say_and_few_say_what_is_public();
    }

    fn a_channel_is_the_mechanisms_and_counts_the_forms_of_a_word_as_one() {
        let channel = WORDS.channel();
        let [say, said, tree] = ["say", "said", "tree"].map(|word| TABLE.find(word).expect("in the table"));
        assert_eq!(channel.class(say), channel.class(said));
        assert_ne!(channel.class(say), channel.class(tree));
        assert!(channel.counted_with(said).contains(&say));
        let mut shares = vec![0.0; channel.inputs()];
        shares[tree.row()] = 1.0;
        let released = channel.released(&shares);
        let mut expected = vec![0.0; TABLE.len()];
        for (word, share) in PRIVATIZER.distribution(tree).expect("stated") {
            expected[channel.class(word).expect("a word") as usize] += share;
        }
        let differences = released.iter().zip(&expected).map(|(a, b)| (a - b).abs());
        assert!(differences.sum::<f64>() < 1e-6);
        assert!(channel.expected(&vec![1.0; TABLE.len()]).iter().all(|sum| (sum - 1.0).abs() < 1e-6));
        // The same numbers come out on any number of cores.
        let released = |cores| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(cores).build().expect("threads");
            pool.install(|| channel.released(&WORDS.prior))
        };
        assert_eq!(released(1), released(5));
    }

    fn what_was_typed_follows_from_what_came_out_by_bayes() {
        let channel = WORDS.channel();
        let vectors: Vec<Vec<f64>> =
            TABLE.rows().map(|row| TABLE.vector(row).iter().take(9).map(|x| f64::from(*x)).collect()).collect();
        let means = posterior_means(channel, &TABLE, &vectors);
        for word in find("tree said") {
            let mut came_out = vec![0.0; TABLE.len()];
            came_out[channel.class(word).expect("a word") as usize] = 1.0;
            let chances: Vec<f64> =
                channel.expected(&came_out).iter().zip(&WORDS.prior).map(|(chance, share)| chance * share).collect();
            let all: f64 = chances.iter().sum();
            for lane in [0, 8] {
                let mean: f64 = chances.iter().zip(&vectors).map(|(chance, vector)| chance * vector[lane] / all).sum();
                assert!((means[word.row()][lane] - mean).abs() < 1e-4, "{} {mean}", means[word.row()][lane]);
            }
        }
        assert!(means.iter().all(|mean| mean.len() == 9));
        assert_eq!(posterior_means(channel, &TABLE, &vectors), means);
    }

    fn what_is_written_for_a_word_is_counted_with_it() {
        let text = "my sister says that a apples is good for she and they has two child";
        let mut rng = seeded_rng([1; 32]);
        for _ in 0..300 {
            for token in PRIVATIZER.privatize(text, &mut rng).expect("a text").account {
                let class = |word: Option<WordId>| word.and_then(|word| WORDS.channel().class(word));
                assert_eq!(class(token.output), class(token.written));
            }
        }
    }

    fn topics_of_texts_that_went_through_the_channel_are_found() {
        let mut tally = WORDS.tally();
        let mut rng = seeded_rng([2; 32]);
        // 12 words: three of the first topic, one of the second, two of the fourth and one of the last.
        let text = find("good great food is is amazing the slow a but very table");
        for _ in 0..3000 {
            assert!(WORDS.add(&mut tally, &PRIVATIZER.draw_all(&text, &mut rng), 1));
        }
        assert_eq!((tally.words(), tally.texts()), (36_000, 3000.0));
        let shares = WORDS.shares(&tally);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let found = WORDS.estimates(&tally, &shares, Confidence::USUAL);
        for (found, share) in found.iter().zip([3.0, 1.0, 0.0, 2.0, 1.0].map(|words| words / 12.0)) {
            assert!(found.together.holds(share) && found.interval.holds(found.estimate), "{share} {found:?}");
            assert!(found.together.high - found.together.low < 0.1, "{found:?}");
        }
        assert!(!found[0].is_below_noise() && found[2].is_below_noise());
        // What was counted is far from it.
        assert!(found[0].released < 0.15, "{found:?}");
    }

    fn of_few_words_intervals_hold_where_texts_are_unlike_public_ones() {
        // Half of the words are four of the first two topics, the others are twelve more.
        let topics = find("good great food meal");
        let others = find("table the a but very this that with for car house was");
        let mut rng = seeded_rng([3; 32]);
        let mut below = |end: usize| ((u128::from(rng.next_u64()) * end as u128) >> 64) as usize;
        let mut draws = seeded_rng([4; 32]);
        let runs: Vec<Vec<Share>> = (0..30)
            .map(|_| {
                let mut tally = WORDS.tally();
                for _ in 0..50 {
                    let word = |_| if below(2) == 0 { topics[below(4)] } else { others[below(12)] };
                    let text: Vec<WordId> = (0..20).map(word).collect();
                    assert!(WORDS.add(&mut tally, &PRIVATIZER.draw_all(&text, &mut draws), 1));
                }
                WORDS.estimates(&tally, &WORDS.shares(&tally), Confidence::USUAL)
            })
            .collect();
        for (group, share) in [0.25, 0.25, 0.0].into_iter().enumerate() {
            let of_runs = |of: &dyn Fn(&Share) -> f64| runs.iter().map(|run| of(&run[group])).sum::<f64>() / 30.0;
            let held = of_runs(&|found| f64::from(u8::from(found.interval.holds(share))));
            assert!(held >= 0.9, "{held}");
            // An interval is as wide as estimates vary: 30 of them tell their deviation to 13 %.
            let mean = of_runs(&|found| found.unbiased);
            let deviation = of_runs(&|found| (found.unbiased - mean).powi(2)).sqrt();
            let stated = of_runs(&|found| found.deviation) / deviation;
            assert!((0.8..1.75).contains(&stated), "{group}: {stated} times the deviation");
        }
    }

    fn texts_without_words_and_short_ones_next_to_long_ones_do_not_tell_how_texts_differ() {
        let text = find("food is good");
        let tells = |long: usize, short: u64, empty: u64| {
            let mut tally = WORDS.tally();
            assert!(WORDS.add(&mut tally, &text.repeat(long), 1));
            assert!(WORDS.add(&mut tally, &text, short) && WORDS.add(&mut tally, &[], empty));
            // How many texts there are follows from their lengths alone, so any shares do.
            let found = WORDS.estimates(&tally, &WORDS.prior, Confidence::USUAL);
            let is_all = |share: &Share| share.interval == Interval { low: 0.0, high: 1.0 };
            assert!(found.iter().all(|share| !share.is_of_few_texts() || is_all(share)));
            !found[0].is_of_few_texts()
        };
        assert!(!tells(1, 0, 50) && !tells(1, 8, 0) && tells(1, 9, 0));
        // 30 words next to 40 texts of 3 words are a fifth of all words: (150)²/(30² + 40·3²) = 17.9. 300 words are 70 %.
        assert!(tells(10, 40, 0) && !tells(100, 40, 0));
    }

    fn a_plan_for_words_knows_what_no_number_of_words_makes_better() {
        let share = 0.02;
        let shares = WORDS.public_shares(0, share);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let asked: f64 = WORDS.questions()[0].words.iter().map(|word| shares[word.row()]).sum();
        assert!((asked - share).abs() < 1e-9, "{asked}");
        let bias = WORDS.bias(&shares, 0);
        let variation = Variation::Variances { of_one: [WORDS.variance(0); 2], of_all: [bias; 2] };
        let least = Confidence::USUAL.deviations() * bias.sqrt();
        let reports = |within| variation.reports_for_width(share, within, Confidence::USUAL);
        assert!(reports(1.01 * least) < u64::MAX && reports(0.99 * least) == u64::MAX, "{least}");
    }

    fn equal_texts_count_the_same_one_by_one_in_any_order_and_at_once() {
        let texts = ["food", "food is good", "doctor", "slow"].map(find);
        let times = [700_u64, 3, 80, 1];
        let (mut at_once, mut one_by_one) = (WORDS.tally(), WORDS.tally());
        for (text, times) in texts.iter().zip(times) {
            assert!(WORDS.add(&mut at_once, text, times));
        }
        for round in 0..700 {
            for (text, _) in texts.iter().zip(times).rev().filter(|(_, times)| round < *times) {
                assert!(WORDS.add(&mut one_by_one, text, 1));
            }
        }
        assert_eq!((&at_once.counts, at_once.texts()), (&one_by_one.counts, one_by_one.texts()));
        let shares = WORDS.shares(&at_once);
        assert_eq!(shares, WORDS.shares(&one_by_one));
        let found = [at_once, one_by_one].map(|tally| WORDS.estimates(&tally, &shares, Confidence::USUAL));
        for (one, other) in found[0].iter().zip(&found[1]) {
            let width = one.interval.high - one.interval.low;
            for (one, other) in [
                (one.estimate, other.estimate),
                (one.interval.low, other.interval.low),
                (one.interval.high, other.interval.high),
            ] {
                assert!((one - other).abs() <= 1e-12 * width, "{one} {other}");
            }
        }
    }

    #[test]
    fn a_question_has_the_same_answer_alone_and_among_others() {
        let table = Table::parse(include_bytes!("../../../tests/tables/line.tvt").as_slice()).expect("a table");
        let privatizer =
            Privatizer::new(&table, Mechanism::new(MechanismKind::Nearest), Disclosure::default()).expect("offered");
        let words: Vec<WordId> = table.rows().collect();
        let of = |count: usize| {
            let question = |number: usize| Question { name: String::new(), words: words[7 * number..][..3].to_vec() };
            let channel = Channel::new(&privatizer, false).expect("stated");
            Words::new(channel, &table, (0..count).map(question).collect(), &|| ())
        };
        let all = of(6);
        assert!(all.variances.iter().all(|variance| *variance > 0.0), "{:?}", all.variances);
        for count in [1, 2, 4, 5] {
            let some = of(count);
            assert_eq!(some.variances, all.variances[..count]);
            for (of_some, of_all) in [(&some.weights, &all.weights), (&some.left, &all.left)] {
                let same = |(some, all): (&Lanes, &Lanes)| some[..count] == all[..count];
                assert!(of_some[0].iter().zip(&of_all[0]).all(same), "{count}");
            }
        }
    }

    #[test]
    fn halves_are_those_of_coins() {
        for count in [1, 7, 63, 64, 1000, 1 << 53] {
            let halves: Vec<f64> = (0..10_000).map(|output| half(output, count)).collect();
            let (count, mean) = (count as f64, halves.iter().sum::<f64>() / 10_000.0);
            let variance = halves.iter().map(|half| (half - count / 2.0).powi(2)).sum::<f64>() / 10_000.0;
            assert!((mean - count / 2.0).abs() < 0.05 * count.sqrt(), "{count}: {mean}");
            assert!((variance / (count / 4.0) - 1.0).abs() < 0.06, "{count}: {variance}");
            assert!(halves.iter().all(|half| (0.0..=count).contains(half)));
        }
    }

    fn without_words_there_is_nothing_to_say_and_few_say_what_is_public() {
        let mut tally = WORDS.tally();
        assert!(WORDS.estimates(&tally, &[], Confidence::USUAL).is_empty());
        assert!(WORDS.add(&mut tally, &find("food"), 1));
        let shares = WORDS.shares(&tally);
        let apart: f64 = shares.iter().zip(&WORDS.prior).map(|(share, public)| (share - public).abs()).sum();
        assert!(apart < 0.1, "{apart}");
    }
}
