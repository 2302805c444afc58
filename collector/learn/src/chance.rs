//! What a training draws, from a seeded generator of its own: Burn's is shared by all trainings of a process.
//!
//! Each epoch has a keystream to itself, so that a resumed training needs no state of the generator.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

pub(super) struct Chance(ChaCha20Rng);

impl Chance {
    /// The draws of initial weights.
    pub(super) fn at_start(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }

    /// The draws of an epoch.
    pub(super) fn of_epoch(seed: u64, epoch: u32) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        rng.set_stream(u64::from(epoch) + 1);
        Self(rng)
    }

    /// Numbers uniform between −`bound` and `bound`.
    pub(super) fn uniform(&mut self, count: usize, bound: f64) -> Vec<f32> {
        // 24 bits: as many as an f32 holds.
        (0..count).map(|_| (bound * (f64::from(self.0.next_u32() >> 8) / f64::from(1 << 23) - 1.0)) as f32).collect()
    }

    /// Puts items into a random order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            items.swap(place, self.below(place + 1));
        }
    }

    /// Dropout: zero at this rate, else what keeps the mean at 1.
    pub(super) fn mask(&mut self, count: usize, rate: f64) -> Vec<f32> {
        let kept = (1.0 / (1.0 - rate)) as f32;
        (0..count).map(|_| if f64::from(self.0.next_u32()) < rate * 2f64.powi(32) { 0.0 } else { kept }).collect()
    }

    /// What another generator may begin with.
    pub(super) fn seed(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws of the Laplace law of this scale, in floating point: for training, not for releases.
    pub(super) fn laplace(&mut self, count: usize, scale: f64) -> Vec<f32> {
        let mut draw = || {
            let bits = self.0.next_u32();
            let uniform = (f64::from(bits >> 1) + 0.5) / f64::from(1_u32 << 31);
            (scale * libm::log(uniform) * if bits & 1 == 1 { 1.0 } else { -1.0 }) as f32
        };
        if scale == 0.0 { vec![0.0; count] } else { (0..count).map(|_| draw()).collect() }
    }

    /// A number below `end`, off from uniform by less than 2⁻³².
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.0.next_u64()) * end as u128) >> 64) as usize
    }
}
