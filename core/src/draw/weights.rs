//! The weights of the exponential family by distance, as integers of 97 bits and as their upper bits in four limbs. A
//! part computes bounds of many weights at once.

/// The exponent of a weight e^(−x): x = min(max(β·√s − start, 0), limit) for a squared distance s.
#[derive(Clone, Copy)]
pub(crate) struct Decay {
    /// β in nats per lattice step.
    pub(crate) beta: f64,
    /// Where the exponent starts to grow, in nats, and is 0.
    pub(crate) start: f64,
    /// Where it stops growing, in nats.
    pub(crate) limit: f64,
}

/// Bits of the weight of distance zero: 2¹⁷ rows of it, each times a g of up to 12 bits, fit into 128.
pub(crate) const WEIGHT_BITS: u32 = 96;
const UNIT: f64 = (1_u128 << WEIGHT_BITS) as f64;

impl Decay {
    fn exponent(self, squared: i32) -> f64 {
        (self.beta * libm::sqrt(f64::from(squared)) - self.start).max(0.0).min(self.limit)
    }

    /// The weight in units of 2^−[`WEIGHT_BITS`].
    pub(crate) fn weight(self, squared: i32) -> u128 {
        (libm::exp(-self.exponent(squared)) * UNIT) as u128
    }

    /// The least squared distance beyond which the exponent grows no more, or `largest` if it grows until there.
    pub(crate) fn farthest(self, largest: i32) -> i32 {
        let (mut grows, mut grown) = (-1, largest);
        while grown - grows > 1 {
            let middle = grows + (grown - grows) / 2;
            if self.exponent(middle) < self.exponent(largest) { grows = middle } else { grown = middle }
        }
        grown
    }
}

/// What a kernel finds weights by.
#[derive(Clone, Copy)]
#[allow(dead_code)] // but on x86-64, kernels of a machine read one or the other
pub(crate) struct Weights<'a> {
    /// What computes them.
    pub(crate) decay: Decay,
    /// Their upper bits, to be looked up by distance.
    pub(crate) upper: &'a [Limbs],
}

/// Four limbs of an integer, the lowest first.
///
/// With limbs of [`LIMB_BITS`] bits, factors of 12 and the 16 rows of a block, a limb's sum fits 31 bits.
pub(crate) type Limbs = [i16; 4];
const LIMB_BITS: u32 = 15;
/// Bits of a weight below those in limbs; the heaviest is a bit longer than [`WEIGHT_BITS`].
pub(crate) const REST_BITS: u32 = WEIGHT_BITS + 1 - 4 * LIMB_BITS;

/// The upper bits of a weight.
pub(crate) fn limbs(weight: u128) -> Limbs {
    const MASK: u128 = (1 << LIMB_BITS) - 1;
    [0, 1, 2, 3].map(|place| (weight >> (REST_BITS + place * LIMB_BITS) & MASK) as i16)
}

/// The weight of these limbs, or the sum of weights for sums of limbs, without the lower bits.
pub(crate) fn without_rest<T: Copy + TryInto<u128>>(limbs: [T; 4]) -> u128 {
    let sum = |sum, limb: &T| (sum << LIMB_BITS) + (*limb).try_into().unwrap_or(0);
    limbs.iter().rev().fold(0, sum) << REST_BITS
}

/// Weights that kernels compute: 2^t for t = −x·log₂ e, as 2ⁿ·2^f with n the integer nearest to t.
///
/// For a start of at most [`STEEPEST`] they come within a relative 2⁻³⁹·⁵ of [`Decay::weight`]. Before it is cut off,
/// |t| is below 87 wherever it matters. There β·log₂ e, the root, their product less the start's and x itself are each
/// rounded by a relative 2⁻⁵¹ at most. The polynomial is within 2⁻³⁹·⁷ of 2^f.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
pub(crate) mod computed {
    use super::UNIT;

    /// Added to a number below 2⁵¹, it leaves the nearest integer in the lowest bits, and nothing behind the point.
    pub(crate) const ROUNDS: f64 = (3_u64 << 51) as f64;
    /// 2^f for f in −½…½, the highest power first: the polynomial through its values at Chebyshev's nodes.
    pub(crate) const COEFFICIENTS: [f64; 9] = [
        1.325_522_487_866_888_9e-6,
        1.531_007_940_224_94e-5,
        1.540_345_545_585_245_4e-4,
        1.333_345_056_800_064_5e-3,
        9.618_129_159_402_558e-3,
        5.550_410_941_205_933e-2,
        2.402_265_069_581_299e-1,
        6.931_471_805_459_335e-1,
        1.0,
    ];
    /// The factor that makes a computed weight an integer of at most the exact weight.
    pub(crate) const EACH_AT_LEAST: f64 = UNIT * (1.0 - 1.0 / (1_u64 << 39) as f64);
    /// The same for a sum of some hundred: it is no more than all of them, each made an integer so, add up to.
    pub(crate) const SUM_AT_LEAST: f64 = UNIT * (1.0 - 1.0 / (1_u64 << 38) as f64);
}
/// The greatest `start` for which weights are computed within their bounds; no certificate has a greater one.
pub(crate) const STEEPEST: f64 = 32.0;
/// A sum of [`computed`] weights is less than a share of 2^−this below the exact one.
pub(crate) const COMPUTED_BITS: u32 = 37;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::channel::EXPONENT_LIMIT;
    use crate::draw::kernel::LANES;
    use crate::{Certificate, Table};

    #[test]
    fn every_weight_is_an_exact_integer_that_leaves_room_for_the_sums() {
        let decay = |beta| Decay { beta, start: 0.0, limit: EXPONENT_LIMIT };
        assert_eq!(decay(1.0).weight(0), 1 << WEIGHT_BITS);
        assert!(decay(1e9).weight(i32::MAX) >= 1 << 55);
        let heaviest = without_rest(limbs(decay(1.0).weight(0)));
        assert_eq!(heaviest, 1 << WEIGHT_BITS);
        let largest = Certificate::LARGEST_BASE.cast_signed();
        assert!((heaviest * largest as u128).checked_mul(Table::MAX_ROWS as u128).is_some());
        let limb = (1 << LIMB_BITS) - 1;
        assert!((limb * i32::from(largest)).checked_mul(LANES as i32).is_some());
    }
}
