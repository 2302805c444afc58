//! One audit: two inputs, a measure of an output, and the claims that are compared with the counts.

use std::time::Instant;

use anyhow::Result;
use indicatif::ProgressBar;
use rayon::prelude::*;
use textveil::{Loss, ReleaseRng, seeded_rng};

use super::evidence::Evidence;
use super::pilot;

/// A mechanism on two inputs that the auditor chose, and a number measured of each output.
pub(super) trait Trial: Sync {
    /// Runs the mechanism once and measures the output. The number is high where the first input is more likely.
    ///
    /// # Errors
    /// The mechanism refuses the input.
    fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64>;
}

/// Which of the two inputs.
#[derive(Clone, Copy)]
pub(super) enum Input {
    First = 0,
    Second = 1,
}

/// The outputs that are counted: those with a score above a threshold.
pub(super) enum Event {
    /// Known beforehand.
    Above(f64),
    /// Chosen by a pilot, from samples of its own.
    Pilot,
}

/// What is known about the claim before the audit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Expectation {
    /// It is false, by far enough for the samples to show it.
    Refuted,
    /// It is proved.
    Stands,
    /// Either.
    Open,
}

/// An audit that can be run.
pub(super) struct Case {
    pub(super) name: String,
    /// The statements about the mechanism.
    pub(super) claimed: Loss,
    /// What is proved about it here; nothing for some that others have released.
    pub(super) proved: Option<Loss>,
    pub(super) expectation: Expectation,
    /// Samples of each input.
    pub(super) samples: usize,
    /// The inputs and the event, in words.
    pub(super) attack: String,
    pub(super) event: Event,
    pub(super) trial: Box<dyn Trial>,
}

/// What came out.
pub(super) struct Outcome {
    pub(super) name: String,
    pub(super) attack: String,
    pub(super) seed: u64,
    pub(super) claimed: Loss,
    pub(super) proved: Option<Loss>,
    pub(super) expectation: Expectation,
    pub(super) samples: usize,
    pub(super) threshold: f64,
    pub(super) hits: [u64; 2],
    /// A lower bound of ε at the claimed δ.
    pub(super) epsilon: Option<f64>,
    /// A lower bound of δ at the claimed ε.
    pub(super) delta: f64,
    pub(super) claim_refuted: bool,
    pub(super) proof_refuted: bool,
    pub(super) seconds: f64,
}

impl Outcome {
    /// Whether no proof of ours is refuted, and the claim is if it is known to be false.
    pub(super) fn is_as_expected(&self) -> bool {
        let claim = match self.expectation {
            Expectation::Refuted => self.claim_refuted,
            Expectation::Stands => !self.claim_refuted,
            Expectation::Open => true,
        };
        claim && !self.proof_refuted
    }
}

impl Case {
    /// Runs of the mechanism, for the progress bar.
    pub(super) fn draws(&self) -> u64 {
        let pilot = if matches!(self.event, Event::Pilot) { pilot::samples(self.samples) } else { 0 };
        2 * (self.samples + pilot) as u64
    }

    /// Draws and counts, on all cores. The seed decides every draw.
    ///
    /// # Errors
    /// As [`Trial::score`].
    pub(super) fn run(&self, seed: u64, progress: &ProgressBar) -> Result<Outcome> {
        let start = Instant::now();
        let threshold = match self.event {
            Event::Above(threshold) => threshold,
            Event::Pilot => pilot::threshold(&*self.trial, self.samples, self.claimed.delta, seed, progress)?,
        };
        let hits = |input| -> Result<u64> {
            let counts = sample(Stream { seed, phase: Phase::Audit, input }, self.samples, progress, |rng| {
                Ok(u64::from(self.trial.score(input, rng)? > threshold))
            })?;
            Ok(counts.into_iter().sum())
        };
        let hits = [hits(Input::First)?, hits(Input::Second)?];
        let evidence = Evidence::new(hits, self.samples as u64)?;
        Ok(Outcome {
            name: self.name.clone(),
            attack: self.attack.clone(),
            seed,
            claimed: self.claimed,
            proved: self.proved,
            expectation: self.expectation,
            samples: self.samples,
            threshold,
            hits,
            epsilon: evidence.epsilon(self.claimed.delta),
            delta: evidence.delta(self.claimed.epsilon),
            claim_refuted: evidence.refutes(self.claimed),
            proof_refuted: self.proved.is_some_and(|proved| evidence.refutes(proved)),
            seconds: start.elapsed().as_secs_f64(),
        })
    }
}

/// What a sample is for; each purpose has randomness of its own.
#[derive(Clone, Copy)]
pub(super) enum Phase {
    Pilot = 1,
    Audit = 2,
}

/// Names the randomness of one sample.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    pub(super) seed: u64,
    pub(super) phase: Phase,
    pub(super) input: Input,
}

/// Draws that share a generator, so that what comes out does not depend on the number of cores.
const CHUNK: usize = 250;

/// `size` draws, in order, on all cores.
pub(super) fn sample<T: Send>(
    stream: Stream,
    size: usize,
    progress: &ProgressBar,
    draw: impl Fn(&mut ReleaseRng) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let chunks: Vec<Vec<T>> = (0..size.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut rng = stream.generator(chunk as u64);
            let length = CHUNK.min(size - chunk * CHUNK);
            let drawn: Result<Vec<T>> = (0..length).map(|_| draw(&mut rng)).collect();
            progress.inc(length as u64);
            drawn
        })
        .collect::<Result<_>>()?;
    Ok(chunks.into_iter().flatten().collect())
}

impl Stream {
    fn generator(self, chunk: u64) -> ReleaseRng {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8] = self.phase as u8;
        key[9] = self.input as u8;
        let mut rng = seeded_rng(key);
        rng.set_stream(chunk);
        rng
    }
}

#[cfg(test)]
mod tests {
    use rand_core::Rng;

    use super::*;

    /// Randomized response with a probability of the truth that does not depend on what is claimed.
    struct Coin {
        truth: f64,
    }

    impl Trial for Coin {
        fn score(&self, input: Input, rng: &mut ReleaseRng) -> Result<f64> {
            let share = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
            let told = share < self.truth;
            Ok(f64::from(u8::from(told == matches!(input, Input::First))))
        }
    }

    fn audit(truth: f64, claimed: Loss, event: Event) -> Outcome {
        let case = Case {
            name: "coin".to_owned(),
            claimed,
            proved: Some(Loss::pure((truth / (1.0 - truth)).ln())),
            expectation: Expectation::Open,
            samples: 20_000,
            attack: String::new(),
            event,
            trial: Box::new(Coin { truth }),
        };
        case.run(7, &ProgressBar::hidden()).expect("a coin")
    }

    #[test]
    fn a_mechanism_that_keeps_its_promise_is_not_refuted() {
        // e/(1 + e).
        let outcome = audit(0.731_058_578_630_004_9, Loss::pure(1.0), Event::Above(0.5));
        assert!(!outcome.claim_refuted && !outcome.proof_refuted);
        assert!((0.9..1.0).contains(&outcome.epsilon.expect("a bound")));
    }

    #[test]
    fn a_mechanism_that_breaks_it_is_refuted_by_either_kind_of_event() {
        for event in [Event::Above(0.5), Event::Pilot] {
            let outcome = audit(0.9, Loss::pure(1.0), event);
            assert!(outcome.claim_refuted && !outcome.proof_refuted);
            assert!((2.0..9.0_f64.ln()).contains(&outcome.epsilon.expect("a bound")));
            assert!(outcome.delta > 0.5);
        }
        let outcome = audit(0.9, Loss { epsilon: 1.0, delta: 0.7 }, Event::Pilot);
        assert!(!outcome.claim_refuted, "δ covers it");
    }

    #[test]
    fn a_proof_that_is_too_good_is_refuted() {
        let case = Case {
            name: "coin".to_owned(),
            claimed: Loss::pure(3.0),
            proved: Some(Loss::pure(1.0)),
            expectation: Expectation::Stands,
            samples: 5000,
            attack: String::new(),
            event: Event::Above(0.5),
            trial: Box::new(Coin { truth: 0.9 }),
        };
        let outcome = case.run(7, &ProgressBar::hidden()).expect("a coin");
        assert!(outcome.proof_refuted && !outcome.claim_refuted && !outcome.is_as_expected());
    }

    #[test]
    fn draws_do_not_depend_on_the_number_of_threads() {
        let stream = Stream { seed: 3, phase: Phase::Audit, input: Input::First };
        let draws = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| sample(stream, 1001, &ProgressBar::hidden(), |rng| Ok(rng.next_u64()))).expect("draws")
        };
        let one = draws(1);
        assert_eq!((one.len(), &one), (1001, &draws(3)));
        let other =
            sample(Stream { input: Input::Second, ..stream }, 1001, &ProgressBar::hidden(), |rng| Ok(rng.next_u64()));
        assert_ne!(one, other.expect("draws"), "each input has its own");
    }
}
