//! When a result comes: a whole number of steps after its work began, whatever the work.
//!
//! # Privacy
//! The time to privatize a word depends on the word. Its weights are read from other lines of the caches, and the
//! search for an unknown word takes time. Under a [`Pace`] the wait ends a whole number of steps after the start, plus
//! up to 60 µs that do not depend on the work. The end of a wait, in a call of at most n steps, then tells at most log₂
//! n bits of the work. The ends of m calls tell at most m times as much, and nothing while each takes one step.
//!
//! Code after the wait starts from the caches as the work left them, and is some nanoseconds faster or slower for it.
//! Most of those 60 µs are therefore random: uniform over J = 50 µs, where N calls tell a difference of δ by t =
//! δ·√(3N)/J. That is noise, not a bound: 10 ns reach t = 4.5 after 2·10⁸ calls.
//!
//! Interruptions lengthen work and waiting alike. A wait that wakes up late therefore continues to the next whole step,
//! as after work that ends late. So a late end does not show which of the two was interrupted. How often it comes does,
//! a little. Within a step S, an interruption at u of length I makes work of length W late if max(u, W) + I > S. So
//! longer work is late more often: W₂ more often than W₁ by λ·f(S)·(W₂² − W₁²)/2. Here λ is the rate of interruptions
//! and f the density of their lengths. A step many times as long as usual work, and longer than most interruptions,
//! makes that small, but not zero.
//!
//! A pace does not hide the caches after the work, or the sleep of the processor, from other programs on it. It does
//! not hide how long the use or the drop of the result takes.
//!
//! Source: steps are the buckets of Köpf and Dürmuth, "A provably secure and efficient countermeasure against timing
//! attacks", CSF 2009. Many calls, and steps that adapt, are in Askarov, Zhang and Myers, "Predictive black-box
//! mitigation of timing channels", CCS 2010. The step here is fixed: one that adapts to the texts tells of them.

use core::hint::spin_loop;
use core::num::NonZeroU64;
use core::time::Duration;
use std::thread::sleep;
use std::time::Instant;

use rand_core::CryptoRng;

/// Over how many nanoseconds behind a whole step ends are spread at random.
const SPREAD: u64 = 50_000;
/// How much later than that a wait may end, in nanoseconds: what ticks and clocks take, and no interruption
/// that would show where it fell.
const TOLERANCE: u64 = 10_000;
/// The last part of a wait, in nanoseconds, which the processor does not sleep through: systems wake up late.
const AWAKE: u64 = 1_000_000;

/// Lets work end only a whole number of steps after it began, so that its time does not tell what it was.
///
/// # Privacy
/// The number of steps that a call took may show, and next to nothing else of its time. Choose a step that the longest
/// usual text stays well within. A longer text takes two, which shows that it was longer. Other programs on the same
/// processor may see more than the time.
///
/// ```
/// # fn main() -> Result<(), textveil::Error> {
/// use core::time::Duration;
/// use textveil::{Pace, release_rng};
///
/// let pace = Pace::new(Duration::from_millis(20)).expect("a step that can be kept");
/// let mut rng = release_rng(&mut getrandom::SysRng)?;
/// // What is private stands inside; errors come no sooner than results.
/// let known = pace.keep(&mut rng, || "77".parse::<u32>());
/// let unknown = pace.keep(&mut rng, || "ninety".parse::<u32>());
/// assert!(known.is_ok() && unknown.is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// In nanoseconds.
    step: NonZeroU64,
}

impl Pace {
    /// The shortest step: five times as long as ends are spread behind it.
    pub const SHORTEST_STEP: Duration = Duration::from_nanos(5 * SPREAD);

    /// A pace of this step, or `None` if it is shorter than [`Self::SHORTEST_STEP`], or longer than centuries.
    #[must_use]
    pub fn new(step: Duration) -> Option<Self> {
        let nanoseconds = u64::try_from(step.as_nanos()).ok().filter(|_| step >= Self::SHORTEST_STEP)?;
        NonZeroU64::new(nanoseconds).map(|step| Self { step })
    }

    /// The step.
    #[must_use]
    pub const fn step(self) -> Duration {
        Duration::from_nanos(self.step.get())
    }

    /// Does the work and returns its result. It returns the next time that a whole number of steps has passed since the
    /// call, plus up to 60 µs. The thread sleeps meanwhile, and is awake in the last millisecond.
    ///
    /// # Panics
    /// Where the standard library has no clock, as in a browser. If the work panics, it panics at once.
    pub fn keep<R: CryptoRng + ?Sized, T>(self, rng: &mut R, work: impl FnOnce() -> T) -> T {
        let behind = rng.next_u64() % SPREAD;
        let start = Instant::now();
        let made = work();
        self.wait(behind, || start.elapsed().as_nanos() as u64, |time| sleep(Duration::from_nanos(time)));
        made
    }

    /// Waits, by this clock, until it shows a whole number of steps plus `behind`.
    fn wait(self, behind: u64, clock: impl Fn() -> u64, sleep: impl Fn(u64)) {
        loop {
            let now = clock();
            let left = self.step.get() - now % self.step + behind;
            let end = now.saturating_add(left);
            if left > AWAKE {
                sleep(left - AWAKE);
            }
            let late = loop {
                match clock().checked_sub(end) {
                    Some(late) => break late,
                    None => spin_loop(),
                }
            };
            if late < TOLERANCE {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use getrandom::SysRng;

    use super::*;
    use crate::{ReleaseRng, release_rng};

    const STEP: u64 = 5_000_000;
    const BEHIND: u64 = 30_000;

    fn rng() -> ReleaseRng {
        release_rng(&mut SysRng).expect("entropy")
    }

    fn pace() -> Pace {
        Pace::new(Duration::from_nanos(STEP)).expect("a step that can be kept")
    }

    /// When work of this length ends, if reading the clock takes 40 ns and sleep lasts 60 µs too long. `interruption`
    /// has the time and the length of one interruption of the wait, in nanoseconds.
    fn end(work: u64, interruption: Option<(u64, u64)>) -> u64 {
        let now = Cell::new(work);
        let pass = |time| {
            let (before, after) = (now.get(), now.get() + time);
            let is_meanwhile = |(at, _): &(u64, u64)| (before..after).contains(at);
            now.set(interruption.filter(is_meanwhile).map_or(after, |(at, length)| after.max(at + length)));
        };
        let clock = || {
            pass(40);
            now.get()
        };
        pace().wait(BEHIND, clock, |time| pass(time + 60_000));
        now.get()
    }

    #[test]
    fn work_ends_on_whole_steps() {
        for (work, steps) in [(0, 1), (70_000, 1), (3_999_999, 1), (4_999_000, 1), (5_000_001, 2), (14_000_000, 3)] {
            let late = end(work, None).checked_sub(steps * STEP + BEHIND);
            assert!(late.is_some_and(|late| late <= 40), "{work} ns: {late:?} ns after {steps} steps");
        }
    }

    #[test]
    fn a_wait_that_is_interrupted_ends_on_a_whole_step_too() {
        // Awake or asleep; ending in time, just too late, some steps later.
        for (interruption, steps) in [
            ((1_000_000, 3_500_000), 1),
            ((4_500_000, 400_000), 1),
            ((5_029_000, 5_000), 1),
            ((5_029_000, 50_000), 2),
            ((1_000_000, 4_500_000), 2),
            ((4_999_000, 20_100_000), 6),
        ] {
            let late = end(70_000, Some(interruption)).checked_sub(steps * STEP + BEHIND);
            assert!(late.is_some_and(|late| late < TOLERANCE), "{interruption:?}: {late:?} ns after {steps} steps");
        }
    }

    #[test]
    fn the_clock_on_the_wall_has_passed_a_step_before_the_value_comes() {
        let pace = Pace::new(Duration::from_millis(2)).expect("a step that can be kept");
        let start = Instant::now();
        assert_eq!(pace.keep(&mut rng(), || "made"), "made");
        assert!(start.elapsed() >= Duration::from_millis(2));
        let start = Instant::now();
        assert_eq!(pace.keep(&mut rng(), || sleep(Duration::from_millis(3))), ());
        assert!(start.elapsed() >= Duration::from_millis(4));
    }

    #[test]
    fn an_error_takes_as_long_as_a_value() {
        let start = Instant::now();
        assert_eq!(pace().keep(&mut rng(), || Err::<(), _>("refused")), Err("refused"));
        assert!(start.elapsed() >= Duration::from_nanos(STEP));
    }

    #[test]
    fn a_step_that_no_wait_could_keep_is_refused() {
        assert_eq!(Pace::new(Duration::ZERO), None);
        assert_eq!(Pace::new(Pace::SHORTEST_STEP - Duration::from_nanos(1)), None);
        assert_eq!(Pace::new(Pace::SHORTEST_STEP).map(Pace::step), Some(Pace::SHORTEST_STEP));
        assert_eq!(Pace::new(Duration::MAX), None);
    }
}
