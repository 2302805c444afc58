//! DPNR: discrete Laplace noise on the elements of a representation, each normalized to [0, 1].
//!
//! The representation is the mean of the words' vectors, in steps of 2⁻¹⁶. **Public** bounds of each coordinate
//! normalize it: those of the table, or ±clip for other encoders. Bounds of the text itself would leak.
//!
//! # Privacy
//! Pure ε-DP. Two representations in [0, 1]^k differ by at most k in ‖·‖₁. No smaller bound holds for an unknown
//! encoder: (1, 0, …, 0) and (0, 1, …, 1) are both normalized. So noise of scale b gives ε = k/b for any two texts.
//! Sound: b = k/ε. Published: b = 1/ε, "bounding the sensitivity of each element with 1". Its true loss is k·ε, which
//! is k times the claim.
//!
//! One word of n moves the mean of the table's vectors only a little. The bound is a 1/n of twice the radius of the
//! rows in the same norm, and a step a coordinate for rounding. The guarantee for a word uses that.
//!
//! Source: Lyu, He and Li, Findings of EMNLP 2020.

use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use super::{Card, Code, Domain, Encoding, Gives, Inputs, Mechanism, Prepared, Proof, Randomizer, Sum, noisy};
use crate::privacy::space::{Moments, Space};
use crate::sampler::{Scale, discrete_laplace};
use crate::{Claim, ClaimSource, Error, Loss, Parameter, Table};

pub(super) const CARD: Card =
    Card { name: "dpnr", parameters: &[Parameter::Epsilon], gives: Gives::Encodings, has_published: true, prepare };

/// Steps from 0 to 1.
const GRID: u64 = 1 << 16;

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    let epsilon = mechanism.required(Parameter::Epsilon)?;
    let space = inputs.space(None)?;
    // A coordinate that is the same for all words carries no information.
    let live = space.ranges.iter().filter(|[low, high]| low < high).count();
    let whole = live.max(1) as u64 * GRID;
    let assumed = if mechanism.is_published() { GRID } else { whole };
    let scale = Scale::at_least(assumed as f64 / epsilon).map_err(|_| Error::Invalid(Parameter::Epsilon))?;
    let loss = Loss::laplace(whole as f64, scale.get());
    let claim = mechanism.is_published().then(|| Claim::new(Loss::pure(epsilon), loss, ClaimSource::DPNR_SECTION_3));
    let radius = match inputs {
        Inputs::Table(table) => radius(table, &space),
        // Half of the box.
        Inputs::Vectors(_) => whole.div_ceil(2),
    };
    let encoding = Dpnr { ranges: space.ranges, scale, whole, radius };
    Ok(Prepared { proof: Proof { claim, ..Proof::of(loss) }, randomizer: Randomizer::encoding(encoding) })
}

struct Dpnr {
    /// The values that are mapped to 0 and to 1, in lattice steps.
    ranges: Vec<[i32; 2]>,
    scale: Scale,
    /// ‖·‖₁ from corner to corner, in steps of the grid.
    whole: u64,
    /// The radius of a ball in the same norm that holds the normalized vector of every word.
    radius: u64,
}

impl Encoding for Dpnr {
    fn encode(&self, sum: &Sum, rng: &mut dyn CryptoRng) -> Code {
        let words = sum.words as i128;
        let values = sum.steps.iter().zip(&self.ranges).map(|(sum, [low, high])| {
            let (offset, width) = (i128::from(*sum) - words * i128::from(*low), i128::from(high - low));
            let share = if width == 0 { 0 } else { (i128::from(GRID) * offset).div_euclid(words * width) };
            noisy(share as i64, discrete_laplace(self.scale, rng))
        });
        Code::Lattice(values.collect())
    }

    fn scale(&self) -> Option<f64> {
        Some(1.0 / GRID as f64)
    }

    fn domain(&self) -> Domain {
        Domain::Box
    }

    fn loss_of_a_word(&self, words: usize, all: Loss) -> Loss {
        let moved = 2 * self.radius / words.max(1) as u64 + self.whole / GRID;
        if moved < self.whole { Loss::laplace(moved as f64, self.scale.get()) } else { all }
    }
}

/// The radius about the mean row, each coordinate measured in its range and rounded up.
fn radius(table: &Table, space: &Space) -> u64 {
    let center = Moments::of(table).rounded_mean();
    let distance = |row: Vec<i8>| -> u64 {
        let coordinates = row.iter().zip(&center).zip(&space.ranges);
        coordinates
            .map(|((v, c), [low, high])| {
                let (offset, width) = (u64::from(i32::from(*v).abs_diff(*c)), u64::from(high.abs_diff(*low)));
                if width == 0 { 0 } else { (GRID * offset).div_ceil(width) }
            })
            .sum()
    };
    table.vectors_by_row().chain([vec![0; table.dims()]]).map(distance).max().unwrap_or(0)
}
