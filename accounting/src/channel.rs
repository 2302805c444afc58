//! Channels from words to words, and the exact constant of each: P(y|x) = g(y)·e^(−β·d(x, y))/Z(x) with a base measure
//! g > 0.
//!
//! # The constant
//! The least η for which such a channel is η-metric-DP is β + max (ln Z(x′) − ln Z(x))/d(x, x′), over all
//! pairs. Proof: ln P(y|x) − ln P(y|x′) = β·(d(x′, y) − d(x, y)) + ln Z(x′) − ln Z(x). The first term is at most β·d(x,
//! x′) by the triangle inequality, with equality at y = x.
//!
//! - *half*: g = 1 and β = η/2, as the exponential mechanism is proved. The constant is smaller than η.
//! - *tight*: g = 1 and the largest β whose constant is at most η.
//! - *flat*: K·g = 1 with K = e^(−η·d). Where g > 0, every Z is 1 and the constant is β = η exactly. Then no
//!   η-metric-DP channel keeps more words on average. Proof: r(y) = P(y|y) fulfils 1 ≥ Σ e^(−η·d(x, y))·r(y) for every
//!   x, that is K·r ≤ 1. So Σ r = rᵀ·K·g ≤ Σ g.
//!
//! Everything here looks at all pairs, and some of it at all triples.

use alloc::vec;
use alloc::vec::Vec;

use libm::{exp, log, sqrt};

use crate::{Error, check, least, rounded_up};

/// The distances of all pairs of words.
#[derive(Clone, Debug)]
pub struct Distances {
    count: usize,
    values: Vec<f64>,
}

impl Distances {
    /// Euclidean distances between points.
    ///
    /// # Errors
    /// [`Error::Argument`] for no points. [`Error::Dimensions`] unless all have the same number of coordinates.
    /// [`Error::Vector`] for a coordinate that is not finite.
    pub fn between<V: AsRef<[f64]>>(points: &[V]) -> Result<Self, Error> {
        let dims = points.first().ok_or(Error::Argument)?.as_ref().len();
        for point in points {
            if point.as_ref().len() != dims {
                return Err(Error::Dimensions);
            }
            if !point.as_ref().iter().all(|x| x.is_finite()) {
                return Err(Error::Vector);
            }
        }
        let distance = |a: &V, b: &V| sqrt(a.as_ref().iter().zip(b.as_ref()).map(|(a, b)| (a - b) * (a - b)).sum());
        let values = points.iter().flat_map(|a| points.iter().map(move |b| distance(a, b))).collect();
        Ok(Self { count: points.len(), values })
    }

    /// The same in the metric min(d, `farthest`).
    ///
    /// # Errors
    /// [`Error::Gamma`] unless `farthest` is finite and above zero.
    pub fn truncated(&self, farthest: f64) -> Result<Self, Error> {
        check::gamma(farthest)?;
        Ok(Self { count: self.count, values: self.values.iter().map(|d| d.min(farthest)).collect() })
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.count)
    }
}

/// A channel over the words of some [`Distances`].
#[derive(Clone, Debug)]
pub struct Channel<'a> {
    distances: &'a Distances,
    beta: f64,
    base: Vec<f64>,
    totals: Vec<f64>,
}

impl<'a> Channel<'a> {
    /// The channel of a base measure, a weight for each word.
    ///
    /// # Errors
    /// [`Error::Eta`] unless `beta` is finite and from zero up. [`Error::Dimensions`] unless each word has a weight.
    /// [`Error::Argument`] for a weight that is not finite and above zero.
    pub fn new(distances: &'a Distances, beta: f64, base: Vec<f64>) -> Result<Self, Error> {
        if !(0.0..f64::INFINITY).contains(&beta) {
            return Err(Error::Eta);
        }
        if base.len() != distances.count {
            return Err(Error::Dimensions);
        }
        base.iter().try_for_each(|weight| check::positive(*weight, Error::Argument))?;
        let total = |row: &[f64]| row.iter().zip(&base).map(|(d, g)| g * exp(-beta * d)).sum();
        let totals = distances.rows().map(total).collect();
        Ok(Self { distances, beta, base, totals })
    }

    /// The exponential mechanism of that β.
    ///
    /// # Errors
    /// As [`Channel::new`].
    pub fn exponential(distances: &'a Distances, beta: f64) -> Result<Self, Error> {
        Self::new(distances, beta, vec![1.0; distances.count])
    }

    /// The exponential mechanism of the largest β found, by bisection, whose constant is at most `eta`.
    ///
    /// # Errors
    /// [`Error::Eta`] unless `eta` is finite and above zero.
    pub fn tight(distances: &'a Distances, eta: f64) -> Result<Self, Error> {
        check::eta(eta)?;
        let exceeds = |beta: f64| Self::exponential(distances, beta).map_or(true, |channel| channel.constant() > eta);
        // Half of η never exceeds it.
        let beta = if exceeds(eta) { least(0.5 * eta, eta, exceeds).next_down() } else { eta };
        Self::exponential(distances, beta)
    }

    /// The channel of constant `eta` that keeps most words, if its base measure is positive.
    ///
    /// # Errors
    /// [`Error::Eta`] unless `eta` is finite and above zero.
    pub fn flat(distances: &'a Distances, eta: f64) -> Result<Option<Self>, Error> {
        check::eta(eta)?;
        let base = flat_base(distances, eta);
        let positive = base.filter(|base| base.iter().all(|weight| *weight > 0.0));
        positive.map(|base| Self::new(distances, eta, base)).transpose()
    }

    /// β.
    #[must_use]
    pub const fn beta(&self) -> f64 {
        self.beta
    }

    /// g.
    #[must_use]
    pub fn base(&self) -> &[f64] {
        &self.base
    }

    /// P(·|x) for each word x.
    pub fn rows(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        self.distances
            .rows()
            .zip(&self.totals)
            .map(|(row, total)| row.iter().zip(&self.base).map(|(d, g)| g * exp(-self.beta * d) / total).collect())
    }

    /// The least η for which the channel is η-metric-DP.
    #[must_use]
    pub fn constant(&self) -> f64 {
        let logs: Vec<f64> = self.totals.iter().map(|total| log(*total)).collect();
        let steepest = self.distances.rows().zip(&logs).map(|(row, from)| {
            // Words of distance 0 have the same distribution.
            let slopes = row.iter().zip(&logs).filter(|(d, _)| **d > 0.0).map(|(d, to)| (to - from) / d);
            slopes.fold(0.0, f64::max)
        });
        rounded_up(self.beta + steepest.fold(0.0, f64::max))
    }

    /// The least ε for which the channel is ε-DP for any two words: all triples are looked at.
    #[must_use]
    pub fn epsilon(&self) -> f64 {
        let rows: Vec<Vec<f64>> = self.rows().collect();
        let loss = |(p, q): (&f64, &f64)| log(p / q);
        let pairs = rows.iter().flat_map(|p| rows.iter().map(move |q| (p, q)));
        rounded_up(pairs.flat_map(|(p, q)| p.iter().zip(q).map(loss)).fold(0.0, f64::max))
    }

    /// The mean probability of a word to come out as itself, all words alike.
    #[must_use]
    pub fn retention(&self) -> f64 {
        let shares = self.base.iter().zip(&self.totals).map(|(weight, total)| weight / total);
        shares.sum::<f64>() / self.base.len() as f64
    }

    /// The mean distance of what comes out from what went in, all words alike.
    #[must_use]
    pub fn expected_distance(&self) -> f64 {
        let of_row =
            |(row, distances): (Vec<f64>, &[f64])| -> f64 { row.iter().zip(distances).map(|(p, d)| p * d).sum() };
        self.rows().zip(self.distances.rows()).map(of_row).sum::<f64>() / self.base.len() as f64
    }
}

/// g with K·g = 1, by Cholesky's factorization of K. K is positive definite for Euclidean distances of different
/// points; `None` where rounding destroys that property.
fn flat_base(distances: &Distances, eta: f64) -> Option<Vec<f64>> {
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(distances.count);
    let mut solution: Vec<f64> = Vec::with_capacity(distances.count);
    for (j, row) in distances.rows().enumerate() {
        let mut lower: Vec<f64> = Vec::with_capacity(j + 1);
        for (above, d) in factor.iter().zip(row) {
            let known: f64 = lower.iter().zip(above).map(|(a, b)| a * b).sum();
            lower.push((exp(-eta * d) - known) / above[lower.len()]);
        }
        let rest = 1.0 - lower.iter().map(|x| x * x).sum::<f64>();
        if rest <= 0.0 {
            return None;
        }
        let known: f64 = lower.iter().zip(&solution).map(|(l, s)| l * s).sum();
        let diagonal = sqrt(rest);
        solution.push((1.0 - known) / diagonal);
        lower.push(diagonal);
        factor.push(lower);
    }
    // Back from L·s = 1 to Lᵀ·g = s.
    while let Some(row) = factor.pop() {
        let place = factor.len();
        let weight = solution[place] / row[place];
        solution[place] = weight;
        for (s, l) in solution.iter_mut().zip(&row).take(place) {
            *s -= l * weight;
        }
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scattered(count: usize) -> Result<Distances, Error> {
        let point = |n: usize| [(n * 37 % 23) as f64 / 5.0, (n * 11 % 17) as f64 / 4.0, (n * n % 7) as f64];
        Distances::between(&(0..count).map(point).collect::<Vec<_>>())
    }

    #[test]
    fn the_constant_is_the_steepest_ratio_of_all_triples() -> Result<(), Error> {
        let distances = scattered(20)?;
        let base = (0..20).map(|n| 1.0 + f64::from(n % 5)).collect();
        let channel = Channel::new(&distances, 0.7, base)?;
        let rows: Vec<Vec<f64>> = channel.rows().collect();
        let mut steepest: f64 = 0.0;
        for ((p, row), x) in rows.iter().zip(distances.rows()).zip(0..) {
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for (q, other) in rows.iter().zip(0..).filter(|(_, other)| *other != x) {
                let worst = p.iter().zip(q).map(|(p, q)| log(p / q)).fold(0.0, f64::max);
                steepest = steepest.max(worst / row[other]);
            }
        }
        assert!((channel.constant() / steepest - 1.0).abs() < 1e-12);
        Ok(())
    }

    #[test]
    fn flat_keeps_more_than_tight_and_tight_more_than_half() -> Result<(), Error> {
        let distances = scattered(30)?;
        for eta in [2.0, 4.0, 8.0] {
            let half = Channel::exponential(&distances, 0.5 * eta)?;
            let tight = Channel::tight(&distances, eta)?;
            let flat = Channel::flat(&distances, eta)?.ok_or(Error::Argument)?;
            assert!(half.retention() < tight.retention() && tight.retention() < flat.retention(), "{eta}");
            assert!(half.constant() < eta && tight.constant() <= eta);
            assert!((flat.constant() / eta - 1.0).abs() < 1e-9);
            assert!(flat.expected_distance() < tight.expected_distance());
        }
        Ok(())
    }

    #[test]
    fn losses_of_two_words_are_not_below_the_truth() -> Result<(), Error> {
        let distances = Distances::between(&[[0.0], [1.0]])?;
        for beta in (1..200).map(|n| f64::from(n) / 7.0) {
            // Both sums are equal, so that β is the constant and the loss.
            let channel = Channel::exponential(&distances, beta)?;
            for loss in [channel.constant(), channel.epsilon()] {
                assert!(loss > beta && loss < beta * (1.0 + 1e-12), "{beta}: {loss}");
            }
        }
        Ok(())
    }

    #[test]
    fn what_is_no_channel_is_refused() -> Result<(), Error> {
        let distances = scattered(3)?;
        assert_eq!(Channel::new(&distances, 1.0, vec![1.0; 2]).err(), Some(Error::Dimensions));
        assert_eq!(Channel::new(&distances, 1.0, vec![1.0, 0.0, 1.0]).err(), Some(Error::Argument));
        assert_eq!(Channel::exponential(&distances, f64::NAN).err(), Some(Error::Eta));
        assert_eq!(Channel::tight(&distances, 0.0).err(), Some(Error::Eta));
        assert_eq!(Distances::between::<[f64; 1]>(&[]).err(), Some(Error::Argument));
        assert_eq!(Distances::between(&[vec![0.0], vec![]]).err(), Some(Error::Dimensions));
        assert_eq!(Distances::between(&[[f64::NAN]]).err(), Some(Error::Vector));
        assert_eq!(distances.truncated(0.0).err(), Some(Error::Gamma));
        Ok(())
    }
}
